"""sqlanon: a SQL-native anonymizer. Plans become SQL that an analyst can read and sign.

The commands are functions in the modules of `sqlanon.commands`; this module exports them. A name
is imported when it is first used, so that the command line can handle signals before it imports the
database.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from sqlanon.version import __version__

if TYPE_CHECKING:
    from sqlanon.attacks.findings import AttackFinding
    from sqlanon.commands.attack import attack
    from sqlanon.commands.check import check
    from sqlanon.commands.comparison import compare, sweep
    from sqlanon.commands.compile import compile
    from sqlanon.commands.dbt import DbtExport, dbt_export, dbt_plan
    from sqlanon.commands.hierarchies import (
        HierarchyNode,
        HierarchyProblem,
        check_hierarchies,
        hierarchy_tree,
        show_hierarchy,
    )
    from sqlanon.commands.init import ArxPlan, InitResult, from_arx, init
    from sqlanon.commands.measure import measure, profile
    from sqlanon.commands.options import Options
    from sqlanon.commands.report import report
    from sqlanon.commands.review import diff, explain, lineage, schema
    from sqlanon.commands.risk import risk
    from sqlanon.commands.run import RunResult, run
    from sqlanon.commands.solve import solve
    from sqlanon.commands.verify import promised, verify
    from sqlanon.engines.base import Progress
    from sqlanon.errors import (
        EngineError,
        HierarchyError,
        InternalError,
        NoSolutionError,
        PlanError,
        PrivacyViolation,
        PublishError,
        ReportError,
        SqlanonError,
    )
    from sqlanon.families.difference import SolutionDifference
    from sqlanon.hierarchies.cut_points import CutPoints
    from sqlanon.hierarchies.date import Dates
    from sqlanon.hierarchies.file import HierarchyFile
    from sqlanon.hierarchies.groups import Groups
    from sqlanon.hierarchies.intervals import Intervals
    from sqlanon.hierarchies.mask import Mask
    from sqlanon.hierarchies.query import HierarchyQuery
    from sqlanon.hierarchies.round import Rounding
    from sqlanon.hierarchies.taxonomy import Taxonomy
    from sqlanon.methods.anatomy import Anatomy
    from sqlanon.methods.bucketization import Bucketization
    from sqlanon.methods.combined import Combined
    from sqlanon.methods.datafly import Datafly
    from sqlanon.methods.dimension_splitting import DimensionSplitting
    from sqlanon.methods.incognito import Incognito
    from sqlanon.methods.k_mondrian import KMondrian
    from sqlanon.methods.mondrian import Mondrian
    from sqlanon.methods.mpalm import Mpalm
    from sqlanon.methods.optimal import Optimal
    from sqlanon.methods.samarati import Samarati
    from sqlanon.methods.slicing import Slicing
    from sqlanon.methods.stack_and_deal import StackAndDeal
    from sqlanon.pages.compared import ComparedRun, Comparison
    from sqlanon.plan.columns import (
        Identifier,
        InsensitiveAttribute,
        QuasiIdentifier,
        SensitiveAttribute,
    )
    from sqlanon.plan.file import load_plan
    from sqlanon.plan.plan import Plan
    from sqlanon.privacy_models.alpha_k_anonymity import AlphaKAnonymity
    from sqlanon.privacy_models.average_risk import AverageRisk
    from sqlanon.privacy_models.beta_likeness import BetaLikeness
    from sqlanon.privacy_models.delta_disclosure import DeltaDisclosure
    from sqlanon.privacy_models.delta_presence import DeltaPresence
    from sqlanon.privacy_models.estimated_k_map import EstimatedKMap
    from sqlanon.privacy_models.journalist_risk import JournalistRisk
    from sqlanon.privacy_models.k_anonymity import KAnonymity
    from sqlanon.privacy_models.k_e_anonymity import KEAnonymity
    from sqlanon.privacy_models.k_map import KMap
    from sqlanon.privacy_models.l_diversity import LDiversity
    from sqlanon.privacy_models.marketer_risk import MarketerRisk
    from sqlanon.privacy_models.prosecutor_risk import ProsecutorRisk
    from sqlanon.privacy_models.special_uniques import SpecialUniques
    from sqlanon.privacy_models.t_closeness import TCloseness
    from sqlanon.proof.lineage import Lineage
    from sqlanon.proof.profile import Profile
    from sqlanon.risks.figures import Risk

__all__ = [
    "AlphaKAnonymity",
    "Anatomy",
    "ArxPlan",
    "AttackFinding",
    "AverageRisk",
    "BetaLikeness",
    "Bucketization",
    "Combined",
    "ComparedRun",
    "Comparison",
    "CutPoints",
    "Datafly",
    "Dates",
    "DbtExport",
    "DeltaDisclosure",
    "DeltaPresence",
    "DimensionSplitting",
    "EngineError",
    "EstimatedKMap",
    "Groups",
    "HierarchyError",
    "HierarchyFile",
    "HierarchyNode",
    "HierarchyProblem",
    "HierarchyQuery",
    "Identifier",
    "Incognito",
    "InitResult",
    "InsensitiveAttribute",
    "InternalError",
    "Intervals",
    "JournalistRisk",
    "KAnonymity",
    "KEAnonymity",
    "KMap",
    "KMondrian",
    "LDiversity",
    "Lineage",
    "MarketerRisk",
    "Mask",
    "Mondrian",
    "Mpalm",
    "NoSolutionError",
    "Optimal",
    "Options",
    "Plan",
    "PlanError",
    "PrivacyViolation",
    "Profile",
    "Progress",
    "ProsecutorRisk",
    "PublishError",
    "QuasiIdentifier",
    "ReportError",
    "Risk",
    "Rounding",
    "RunResult",
    "Samarati",
    "SensitiveAttribute",
    "Slicing",
    "SolutionDifference",
    "SpecialUniques",
    "SqlanonError",
    "StackAndDeal",
    "TCloseness",
    "Taxonomy",
    "__version__",
    "attack",
    "check",
    "check_hierarchies",
    "compare",
    "compile",
    "dbt_export",
    "dbt_plan",
    "diff",
    "explain",
    "from_arx",
    "hierarchy_tree",
    "init",
    "lineage",
    "load_plan",
    "measure",
    "profile",
    "promised",
    "report",
    "risk",
    "run",
    "schema",
    "show_hierarchy",
    "solve",
    "sweep",
    "verify",
]

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


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'sqlanon' has no attribute '{name}'")
    value: object = getattr(importlib.import_module(f"sqlanon.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
