"""sqlanon: a SQL-native anonymizer. Plans become SQL that an analyst can read and sign.

The commands of the same names are in `sqlanon.workflow`; this module offers them directly. A name
is imported when it is first asked for, so that the command line can answer signals before it
imports the database.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING

from sqlanon.version import __version__

if TYPE_CHECKING:
    from sqlanon.attack import AttackFinding, attack
    from sqlanon.audit import Profile, profile, promised, verify
    from sqlanon.errors import (
        EngineError,
        HierarchyError,
        InternalError,
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
    "InternalError",
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

_MODULES = {
    "attack": ("AttackFinding", "attack"),
    "audit": ("Profile", "profile", "promised", "verify"),
    "errors": (
        "EngineError", "HierarchyError", "InternalError", "NoSolutionError", "PlanError",
        "PrivacyViolation", "PublishError", "SqlanonError",
    ),
    "plan": ("Plan",),
    "plan_file": ("load_plan",),
    "session": ("Options",),
    "workflow": (
        "RunResult", "check", "check_hierarchies", "compile", "explain", "measure", "run",
        "schema", "show_hierarchy", "solve",
    ),
}  # fmt: skip
"""Where the public names are defined."""

_HOMES = {name: module for module, names in _MODULES.items() for name in names}


class _Package(ModuleType):
    """The package, in which `attack` and `verify` are functions, not the modules of these names."""

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in _HOMES and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'sqlanon' has no attribute '{name}'")
    value: object = getattr(importlib.import_module(f"sqlanon.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
