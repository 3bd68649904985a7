"""sqlanon: a SQL-native anonymizer. Plans become SQL that an analyst can read and sign.

The commands of the same names are in `sqlanon.workflow`; this module offers them directly.
"""

from __future__ import annotations

__version__ = "0.1.0"

from sqlanon.attack import AttackFinding, attack
from sqlanon.audit import Profile, profile, promised, verify
from sqlanon.errors import (
    EngineError,
    HierarchyError,
    NoSolutionError,
    PlanError,
    PrivacyViolation,
    PublishError,
    SqlanonError,
)
from sqlanon.plan import Plan
from sqlanon.plan_file import load_plan
from sqlanon.session import Options
from sqlanon.workflow import (
    RunResult,
    check,
    check_hierarchies,
    compile,
    explain,
    measure,
    run,
    schema,
    show_hierarchy,
    solve,
)

__all__ = [
    "AttackFinding",
    "EngineError",
    "HierarchyError",
    "NoSolutionError",
    "Options",
    "Plan",
    "PlanError",
    "PrivacyViolation",
    "Profile",
    "PublishError",
    "RunResult",
    "SqlanonError",
    "__version__",
    "attack",
    "check",
    "check_hierarchies",
    "compile",
    "explain",
    "load_plan",
    "measure",
    "profile",
    "promised",
    "run",
    "schema",
    "show_hierarchy",
    "solve",
    "verify",
]
