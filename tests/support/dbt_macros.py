"""The macros of `dbt_package/`, rendered without dbt: its Jinja, and what adapters offer."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import jinja2

from tests.paths import ROOT

PACKAGE = ROOT / "dbt_package"


class CompilerError(Exception):
    """What dbt raises for `exceptions.raise_compiler_error`."""


@functools.cache
def macros(database: str = "duckdb", **replaced: Any) -> Any:
    """The package's macros as functions; some may be replaced by others."""
    texts = [file.read_text(encoding="utf-8") for file in sorted(PACKAGE.rglob("macros/**/*.sql"))]
    text = re.sub(r"{% test (\w+)\(", r"{% macro test_\1(", "\n".join(texts))
    text = text.replace("{% endtest %}", "{% endmacro %}")
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined)
    is_spark = database == "spark"

    def dispatch(name: str, package: str) -> Callable[..., str]:
        """A macro by the database's name."""
        assert package == "sqlanon"
        default = getattr(found, f"default__{name}")
        return getattr(found, f"{database}__{name}", default)  # type: ignore[no-any-return]

    def refuse(message: str) -> None:
        raise CompilerError(message)

    class Namespace:
        def __getattr__(self, name: str) -> Any:
            return replaced[name] if name in replaced else getattr(found, name)

    environment.globals.update(
        adapter=SimpleNamespace(
            quote=lambda name: f"`{name}`" if is_spark else f'"{name}"', dispatch=dispatch
        ),
        dbt=SimpleNamespace(
            type_string=lambda: "string" if is_spark else "text",
            escape_single_quotes=lambda value: value.replace("'", "''"),
            string_literal=lambda value: f"'{value}'",
        ),
        exceptions=SimpleNamespace(raise_compiler_error=refuse),
        sqlanon=Namespace(),
    )
    found: Any = environment.from_string(text).module
    return found
