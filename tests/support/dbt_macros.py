"""The macros of `dbt_package/`, rendered without dbt: its Jinja, and what adapters offer."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any

import jinja2

from tests.paths import ROOT

PACKAGE = ROOT / "dbt_package"


class CompilerError(Exception):
    """What dbt raises for `exceptions.raise_compiler_error`."""


class _Adapter:
    """An adapter of dbt: how names are quoted, and macros by the database's name."""

    def __init__(self, database: str, macros: _Macros) -> None:
        self.database, self.macros = database, macros

    def quote(self, name: str) -> str:
        return f"`{name}`" if self.database == "spark" else f'"{name}"'

    def dispatch(self, name: str, package: str) -> Callable[..., str]:
        assert package == "sqlanon"
        default = getattr(self.macros.module, f"default__{name}")
        found: Callable[..., str] = getattr(self.macros.module, f"{self.database}__{name}", default)
        return found


class _Dbt:
    """The macros of dbt itself that the package calls."""

    def __init__(self, database: str) -> None:
        self.database = database

    def type_string(self) -> str:
        return "string" if self.database == "spark" else "text"

    @staticmethod
    def escape_single_quotes(value: str) -> str:
        return value.replace("'", "''")

    @staticmethod
    def string_literal(value: str) -> str:
        return f"'{value}'"


class _Exceptions:
    @staticmethod
    def raise_compiler_error(message: str) -> None:
        raise CompilerError(message)


class _Macros:
    module: Any


@functools.cache
def macros(database: str = "duckdb", **replaced: Any) -> Any:
    """The package's macros as functions; some may be replaced by others."""
    texts = [file.read_text(encoding="utf-8") for file in sorted(PACKAGE.rglob("macros/**/*.sql"))]
    text = re.sub(r"{% test (\w+)\(", r"{% macro test_\1(", "\n".join(texts))
    text = text.replace("{% endtest %}", "{% endmacro %}")
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined)
    found = _Macros()

    class Namespace:
        def __getattr__(self, name: str) -> Any:
            return replaced[name] if name in replaced else getattr(found.module, name)

    environment.globals.update(
        adapter=_Adapter(database, found), dbt=_Dbt(database), exceptions=_Exceptions(),
        sqlanon=Namespace(),
    )  # fmt: skip
    found.module = environment.from_string(text).module
    return found.module
