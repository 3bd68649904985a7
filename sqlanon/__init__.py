"""sqlanon: a SQL-native anonymizer. Plans become SQL that an analyst can read and sign.

The commands are functions in the modules of `sqlanon.commands`; this module exports them. A name
is imported when it is first used, so that the command line can handle signals before it imports the
database.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from sqlanon.version import __version__ as __version__

if TYPE_CHECKING:
    from sqlanon.attacks.findings import AttackFinding as AttackFinding
    from sqlanon.commands.attack import attack as attack
    from sqlanon.commands.check import check as check
    from sqlanon.commands.comparison import compare as compare
    from sqlanon.commands.comparison import sweep as sweep
    from sqlanon.commands.compile import compile as compile
    from sqlanon.commands.dbt import DbtExport as DbtExport
    from sqlanon.commands.dbt import dbt_export as dbt_export
    from sqlanon.commands.dbt import dbt_plan as dbt_plan
    from sqlanon.commands.hierarchies import HierarchyNode as HierarchyNode
    from sqlanon.commands.hierarchies import HierarchyProblem as HierarchyProblem
    from sqlanon.commands.hierarchies import check_hierarchies as check_hierarchies
    from sqlanon.commands.hierarchies import hierarchy_tree as hierarchy_tree
    from sqlanon.commands.hierarchies import show_hierarchy as show_hierarchy
    from sqlanon.commands.init import ArxPlan as ArxPlan
    from sqlanon.commands.init import InitResult as InitResult
    from sqlanon.commands.init import from_arx as from_arx
    from sqlanon.commands.init import init as init
    from sqlanon.commands.measure import measure as measure
    from sqlanon.commands.measure import profile as profile
    from sqlanon.commands.options import Options as Options
    from sqlanon.commands.report import report as report
    from sqlanon.commands.review import diff as diff
    from sqlanon.commands.review import explain as explain
    from sqlanon.commands.review import lineage as lineage
    from sqlanon.commands.review import schema as schema
    from sqlanon.commands.risk import risk as risk
    from sqlanon.commands.run import RunResult as RunResult
    from sqlanon.commands.run import run as run
    from sqlanon.commands.solve import solve as solve
    from sqlanon.commands.verify import promised as promised
    from sqlanon.commands.verify import verify as verify
    from sqlanon.engines.base import Progress as Progress
    from sqlanon.errors import EngineError as EngineError
    from sqlanon.errors import HierarchyError as HierarchyError
    from sqlanon.errors import InternalError as InternalError
    from sqlanon.errors import NoSolutionError as NoSolutionError
    from sqlanon.errors import PlanError as PlanError
    from sqlanon.errors import PrivacyViolation as PrivacyViolation
    from sqlanon.errors import PublishError as PublishError
    from sqlanon.errors import ReportError as ReportError
    from sqlanon.errors import SqlanonError as SqlanonError
    from sqlanon.families.difference import SolutionDifference as SolutionDifference
    from sqlanon.hierarchies.cut_points import CutPoints as CutPoints
    from sqlanon.hierarchies.date import Dates as Dates
    from sqlanon.hierarchies.file import HierarchyFile as HierarchyFile
    from sqlanon.hierarchies.groups import Groups as Groups
    from sqlanon.hierarchies.intervals import Intervals as Intervals
    from sqlanon.hierarchies.mask import Mask as Mask
    from sqlanon.hierarchies.query import HierarchyQuery as HierarchyQuery
    from sqlanon.hierarchies.round import Rounding as Rounding
    from sqlanon.hierarchies.taxonomy import Taxonomy as Taxonomy
    from sqlanon.methods.anatomy import Anatomy as Anatomy
    from sqlanon.methods.bucketization import Bucketization as Bucketization
    from sqlanon.methods.combined import Combined as Combined
    from sqlanon.methods.datafly import Datafly as Datafly
    from sqlanon.methods.dimension_splitting import DimensionSplitting as DimensionSplitting
    from sqlanon.methods.incognito import Incognito as Incognito
    from sqlanon.methods.k_mondrian import KMondrian as KMondrian
    from sqlanon.methods.mondrian import Mondrian as Mondrian
    from sqlanon.methods.mpalm import Mpalm as Mpalm
    from sqlanon.methods.optimal import Optimal as Optimal
    from sqlanon.methods.samarati import Samarati as Samarati
    from sqlanon.methods.slicing import Slicing as Slicing
    from sqlanon.methods.stack_and_deal import StackAndDeal as StackAndDeal
    from sqlanon.pages.compared import ComparedRun as ComparedRun
    from sqlanon.pages.compared import Comparison as Comparison
    from sqlanon.plan.columns import Identifier as Identifier
    from sqlanon.plan.columns import InsensitiveAttribute as InsensitiveAttribute
    from sqlanon.plan.columns import QuasiIdentifier as QuasiIdentifier
    from sqlanon.plan.columns import SensitiveAttribute as SensitiveAttribute
    from sqlanon.plan.file import load_plan as load_plan
    from sqlanon.plan.plan import Plan as Plan
    from sqlanon.privacy_models.alpha_k_anonymity import AlphaKAnonymity as AlphaKAnonymity
    from sqlanon.privacy_models.average_risk import AverageRisk as AverageRisk
    from sqlanon.privacy_models.beta_likeness import BetaLikeness as BetaLikeness
    from sqlanon.privacy_models.delta_disclosure import DeltaDisclosure as DeltaDisclosure
    from sqlanon.privacy_models.delta_presence import DeltaPresence as DeltaPresence
    from sqlanon.privacy_models.estimated_k_map import EstimatedKMap as EstimatedKMap
    from sqlanon.privacy_models.journalist_risk import JournalistRisk as JournalistRisk
    from sqlanon.privacy_models.k_anonymity import KAnonymity as KAnonymity
    from sqlanon.privacy_models.k_e_anonymity import KEAnonymity as KEAnonymity
    from sqlanon.privacy_models.k_map import KMap as KMap
    from sqlanon.privacy_models.l_diversity import LDiversity as LDiversity
    from sqlanon.privacy_models.marketer_risk import MarketerRisk as MarketerRisk
    from sqlanon.privacy_models.prosecutor_risk import ProsecutorRisk as ProsecutorRisk
    from sqlanon.privacy_models.special_uniques import SpecialUniques as SpecialUniques
    from sqlanon.privacy_models.t_closeness import TCloseness as TCloseness
    from sqlanon.proof.lineage import Lineage as Lineage
    from sqlanon.proof.profile import Profile as Profile
    from sqlanon.risks.figures import Risk as Risk

_MODULES = {
    "attacks.findings": ("AttackFinding",),
    "commands.attack": ("attack",),
    "commands.check": ("check",),
    "commands.comparison": ("compare", "sweep"),
    "commands.compile": ("compile",),
    "commands.dbt": ("DbtExport", "dbt_export", "dbt_plan"),
    "commands.hierarchies": (
        "HierarchyNode", "HierarchyProblem", "check_hierarchies", "hierarchy_tree",
        "show_hierarchy",
    ),
    "commands.init": ("ArxPlan", "InitResult", "from_arx", "init"),
    "commands.measure": ("measure", "profile"),
    "commands.options": ("Options",),
    "commands.report": ("report",),
    "commands.review": ("diff", "explain", "lineage", "schema"),
    "commands.risk": ("risk",),
    "commands.run": ("RunResult", "run"),
    "commands.solve": ("solve",),
    "commands.verify": ("promised", "verify"),
    "engines.base": ("Progress",),
    "errors": (
        "EngineError", "HierarchyError", "InternalError", "NoSolutionError", "PlanError",
        "PrivacyViolation", "PublishError", "ReportError", "SqlanonError",
    ),
    "families.difference": ("SolutionDifference",),
    "hierarchies.cut_points": ("CutPoints",),
    "hierarchies.date": ("Dates",),
    "hierarchies.file": ("HierarchyFile",),
    "hierarchies.groups": ("Groups",),
    "hierarchies.intervals": ("Intervals",),
    "hierarchies.mask": ("Mask",),
    "hierarchies.query": ("HierarchyQuery",),
    "hierarchies.round": ("Rounding",),
    "hierarchies.taxonomy": ("Taxonomy",),
    "methods.anatomy": ("Anatomy",),
    "methods.bucketization": ("Bucketization",),
    "methods.combined": ("Combined",),
    "methods.datafly": ("Datafly",),
    "methods.dimension_splitting": ("DimensionSplitting",),
    "methods.incognito": ("Incognito",),
    "methods.k_mondrian": ("KMondrian",),
    "methods.mondrian": ("Mondrian",),
    "methods.mpalm": ("Mpalm",),
    "methods.optimal": ("Optimal",),
    "methods.samarati": ("Samarati",),
    "methods.slicing": ("Slicing",),
    "methods.stack_and_deal": ("StackAndDeal",),
    "pages.compared": ("ComparedRun", "Comparison"),
    "plan.columns": ("Identifier", "InsensitiveAttribute", "QuasiIdentifier", "SensitiveAttribute"),
    "plan.file": ("load_plan",),
    "plan.plan": ("Plan",),
    "privacy_models.alpha_k_anonymity": ("AlphaKAnonymity",),
    "privacy_models.average_risk": ("AverageRisk",),
    "privacy_models.beta_likeness": ("BetaLikeness",),
    "privacy_models.delta_disclosure": ("DeltaDisclosure",),
    "privacy_models.delta_presence": ("DeltaPresence",),
    "privacy_models.estimated_k_map": ("EstimatedKMap",),
    "privacy_models.journalist_risk": ("JournalistRisk",),
    "privacy_models.k_anonymity": ("KAnonymity",),
    "privacy_models.k_e_anonymity": ("KEAnonymity",),
    "privacy_models.k_map": ("KMap",),
    "privacy_models.l_diversity": ("LDiversity",),
    "privacy_models.marketer_risk": ("MarketerRisk",),
    "privacy_models.prosecutor_risk": ("ProsecutorRisk",),
    "privacy_models.special_uniques": ("SpecialUniques",),
    "privacy_models.t_closeness": ("TCloseness",),
    "proof.lineage": ("Lineage",),
    "proof.profile": ("Profile",),
    "risks.figures": ("Risk",),
}  # fmt: skip
"""The modules that define the public names."""

_HOMES = {name: module for module, names in _MODULES.items() for name in names}
__all__ = sorted([*_HOMES, "__version__"])


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'sqlanon' has no attribute '{name}'")
    value: object = getattr(importlib.import_module(f"sqlanon.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
