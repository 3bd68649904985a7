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
    from sqlanon.commands.dbt import dbt_plan
    from sqlanon.commands.dbt_export import DbtExport, dbt_export
    from sqlanon.commands.diff import diff
    from sqlanon.commands.explain import explain, schema
    from sqlanon.commands.hierarchies import (
        HierarchyNode,
        HierarchyProblem,
        check_hierarchies,
        hierarchy_tree,
        show_hierarchy,
    )
    from sqlanon.commands.init import InitResult, init
    from sqlanon.commands.lineage import lineage
    from sqlanon.commands.measure import measure
    from sqlanon.commands.options import Options
    from sqlanon.commands.profile import profile
    from sqlanon.commands.report import report
    from sqlanon.commands.run import RunResult, run
    from sqlanon.commands.solve import solve
    from sqlanon.commands.verify import promised, verify
    from sqlanon.comparison.result import Comparison
    from sqlanon.comparison.runs import ComparedRun
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
    from sqlanon.objects.columns import (
        CutPoints,
        Dates,
        HierarchyFile,
        HierarchyQuery,
        Identifier,
        InsensitiveAttribute,
        Intervals,
        Mask,
        QuasiIdentifier,
        Rounding,
        SensitiveAttribute,
        Taxonomy,
    )
    from sqlanon.objects.methods import (
        Anatomy,
        Bucketization,
        Combined,
        Datafly,
        DimensionSplitting,
        Incognito,
        KMondrian,
        Mondrian,
        Mpalm,
        Optimal,
        Samarati,
        Slicing,
        StackAndDeal,
    )
    from sqlanon.objects.privacy import (
        AlphaKAnonymity,
        AverageRisk,
        BetaLikeness,
        DeltaDisclosure,
        DeltaPresence,
        JournalistRisk,
        KAnonymity,
        KEAnonymity,
        KMap,
        LDiversity,
        MarketerRisk,
        ProsecutorRisk,
        TCloseness,
    )
    from sqlanon.plan.file import load_plan
    from sqlanon.plan.plan import Plan
    from sqlanon.proof.lineage import Lineage
    from sqlanon.proof.profile import Profile
    from sqlanon.solution.difference import SolutionDifference

__all__ = [
    "AlphaKAnonymity",
    "Anatomy",
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
    "Rounding",
    "RunResult",
    "Samarati",
    "SensitiveAttribute",
    "Slicing",
    "SolutionDifference",
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
    "hierarchy_tree",
    "init",
    "lineage",
    "load_plan",
    "measure",
    "profile",
    "promised",
    "report",
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
    "comparison.result": ("Comparison",),
    "comparison.runs": ("ComparedRun",),
    "commands.dbt": ("dbt_plan",),
    "commands.dbt_export": ("DbtExport", "dbt_export"),
    "commands.diff": ("diff",),
    "commands.explain": ("explain", "schema"),
    "commands.hierarchies": (
        "HierarchyNode", "HierarchyProblem", "check_hierarchies", "hierarchy_tree",
        "show_hierarchy",
    ),
    "commands.init": ("InitResult", "init"),
    "commands.lineage": ("lineage",),
    "commands.measure": ("measure",),
    "commands.profile": ("profile",),
    "commands.report": ("report",),
    "commands.run": ("RunResult", "run"),
    "commands.options": ("Options",),
    "commands.solve": ("solve",),
    "commands.verify": ("promised", "verify"),
    "engines.base": ("Progress",),
    "errors": (
        "EngineError", "HierarchyError", "InternalError", "NoSolutionError", "PlanError",
        "PrivacyViolation", "PublishError", "ReportError", "SqlanonError",
    ),
    "objects.columns": (
        "CutPoints", "Dates", "HierarchyFile", "HierarchyQuery", "Identifier",
        "InsensitiveAttribute", "Intervals", "Mask", "QuasiIdentifier", "Rounding",
        "SensitiveAttribute", "Taxonomy",
    ),
    "objects.methods": (
        "Anatomy", "Bucketization", "Combined", "Datafly", "DimensionSplitting", "Incognito",
        "KMondrian", "Mondrian", "Mpalm", "Optimal", "Samarati", "Slicing", "StackAndDeal",
    ),
    "objects.privacy": (
        "AlphaKAnonymity", "AverageRisk", "BetaLikeness", "DeltaDisclosure", "DeltaPresence",
        "JournalistRisk", "KAnonymity", "KEAnonymity", "KMap", "LDiversity", "MarketerRisk",
        "ProsecutorRisk", "TCloseness",
    ),
    "plan.file": ("load_plan",),
    "plan.plan": ("Plan",),
    "proof.lineage": ("Lineage",),
    "proof.profile": ("Profile",),
    "solution.difference": ("SolutionDifference",),
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
