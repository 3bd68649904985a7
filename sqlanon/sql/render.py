"""Renders templates to SQL text: Jinja with strict variables and only quoting filters.

The rendered text is the text that is reviewed, compiled and run. A template receives plain values.
Names and literals pass through `ident`, `text` and `number`, paths through `file` and `files`, and
words in comments through `comment`, so that nothing in a plan or a table can end a string or a
comment.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import jinja2

from sqlanon.errors import InternalError, PlanError
from sqlanon.sql.fold import folded
from sqlanon.sql.paths import file_to_read, files_to_read, is_pattern
from sqlanon.sql.step import quoted

_PACKAGE = Path(__file__).parents[1]


def shipped(folder: str) -> Path:
    """The folder `sql_templates` or `hierarchies`: inside the wheel, or next to the package."""
    inside = _PACKAGE / "shipped" / folder
    return inside if inside.is_dir() else _PACKAGE.parent / folder


CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029]")
"""A character that ends a line or is invisible; a tab is allowed in a literal."""


def text(value: str) -> str:
    """The value as an SQL string, on one line whatever it contains.

    This is a literal. A value with line breaks or other control characters becomes a concatenation
    of literals and `chr(…)`, so that tools that work line by line cannot change it.
    """
    if not CONTROL.search(value):
        return "'" + value.replace("'", "''") + "'"
    # Odd positions hold what the pattern matched.
    parts = re.split(f"({CONTROL.pattern})", value)
    pieces = [
        f"chr({ord(part)})" if place % 2 else text(part) for place, part in enumerate(parts) if part
    ]
    return f"({' || '.join(pieces)})"


def path_literal(path: str) -> str:
    """The path of a file that a query reads, as one literal; `*` and `?` are wildcards.

    Raises:
        PlanError: it contains a control character.
    """
    if CONTROL.search(path):
        raise PlanError(
            "The path of a file contains a line break or another control character.",
            where="path",
            fix="rename the file or folder",
        )
    return files_to_read(path) if is_pattern(path) else file_to_read(path)


class Expression(str):
    """SQL text that sqlanon wrote, in place of a number that is only known from the data."""


def number(value: int | float | Decimal | Expression) -> str:
    """The value as an SQL number, exact, without an exponent."""
    if isinstance(value, Expression):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise PlanError(
            f"SQL needs a number here, not {type(value).__name__}.",
            where="template",
            fix="report this as a bug of sqlanon",
        )
    return format(Decimal(str(value)), "f")


def comment(value: object) -> str:
    """The value for a `--` comment: on one line, whatever it contains."""
    return re.sub(r"\s*[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]+\s*", " ", str(value))


@functools.cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(shipped("sql_templates")),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
        autoescape=False,
        optimized=False,  # each template is rendered a few times: folding constants takes longer
    )
    environment.filters.update(
        ident=quoted, text=text, number=number, comment=comment, file=file_to_read,
        files=files_to_read, indent=indented,
    )  # fmt: skip
    environment.globals["sqlanon"] = _Functions(environment)
    return environment


class _Functions:
    """What templates call as `sqlanon.…`: the macros of the dbt package have the same names."""

    ident = staticmethod(quoted)
    text = staticmethod(text)
    number = staticmethod(number)
    comment = staticmethod(comment)

    def __init__(self, environment: jinja2.Environment) -> None:
        self._environment = environment

    def __getattr__(self, name: str) -> Callable[..., str]:
        """A macro of a template at the top: `keys_join` is `join` of `_keys.sql`."""
        template, _, macro = name.partition("_")
        found: Callable[..., str] = getattr(
            self._environment.get_template(f"_{template}.sql").module, macro
        )
        setattr(self, name, found)  # the next time, nobody looks whether the file has changed
        return found

    @staticmethod
    def double() -> str:
        """The type of a floating-point number."""
        return "double"

    @staticmethod
    def log2(value: str) -> str:
        """The logarithm to base 2."""
        return f"log(2, {value})"

    @staticmethod
    def same_as() -> str:
        """The operator that compares keys of classes."""
        return "is not distinct from"


def indented(sql: str, width: int = 4, *, first: bool = False) -> str:
    """The text with its lines moved to the right, as Jinja's own filter does.

    A line ends at a line feed only: other characters that end lines can be in names.

    Args:
        first: whether the first line is moved, too.
    """
    margin = " " * width
    moved = "\n".join(margin + line if line else line for line in sql.split("\n"))
    return moved if first else moved.removeprefix(margin)


def render_macro(template: str, macro: str, **inputs: Any) -> str:
    """The SQL text of a macro, such as `label` of `hierarchies/_date.sql`, for these inputs."""
    return shared_macro(template, macro)(**inputs).strip("\n")


def shared_macro(template: str, name: str) -> Callable[..., str]:
    """A macro of a template that others import."""
    macro: Callable[..., str] = getattr(_environment().get_template(template).module, name)
    return macro


@functools.cache
def _expression(text: str) -> Callable[..., Any]:
    return _environment().compile_expression(text, undefined_to_none=False)


def is_true(expression: str, **inputs: Any) -> bool:
    """Whether an expression of Jinja, such as `dmin <= dmax`, is true of these inputs."""
    return bool(_expression(expression)(**inputs))


def render(template: str, **inputs: Any) -> str:
    """The SQL text of a template, such as `source/source_rows.sql`, for these inputs.

    Raises:
        InternalError: there is no such template.
        jinja2.UndefinedError: the template uses a variable that was not given.
    """
    try:
        rendered = _environment().get_template(template).render(**inputs)
    except jinja2.TemplateNotFound as error:
        raise InternalError(
            f"There is no template sql_templates/{error.name}.",
            where="template",
            fix="write it; if you have not changed sqlanon, report this as a bug",
        ) from None
    lines = [line.rstrip() for line in rendered.strip("\n").split("\n")]
    kept = [line for i, line in enumerate(lines) if line or (i and lines[i - 1])]
    return folded("\n".join(kept))
