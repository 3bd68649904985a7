"""Templates to SQL text: Jinja with strict variables, and quoting filters only.

The text that comes out is the text that is reviewed, compiled and run. A template receives plain
values; names and literals pass through `ident`, `text`, `number`, paths through `file` and
`files`, and words inside comments through `comment`, so nothing a plan or a table contains can end
a string or a comment.
"""

from __future__ import annotations

import functools
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import jinja2

from sqlanon.errors import InternalError, PlanError
from sqlanon.sql.paths import file_to_read, files_to_read, is_pattern
from sqlanon.sql.step import quoted

_PACKAGE = Path(__file__).parents[1]


def shipped(folder: str) -> Path:
    """The folder `sql_templates` or `hierarchies`: inside the wheel, or beside the package."""
    inside = _PACKAGE / "shipped" / folder
    return inside if inside.is_dir() else _PACKAGE.parent / folder


CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029]")
"""A character that ends a line or cannot be seen; a tab may stand in a literal."""


def text(value: str) -> str:
    """The value as an SQL string, on one line whatever it holds.

    A literal; with line breaks or other control characters in it, literals and `chr(…)` in
    parentheses, so that nothing that works line by line can change it.
    """
    if not CONTROL.search(value):
        return "'" + value.replace("'", "''") + "'"
    # Odd places hold what the pattern matched.
    parts = re.split(f"({CONTROL.pattern})", value)
    pieces = [
        f"chr({ord(part)})" if place % 2 else text(part) for place, part in enumerate(parts) if part
    ]
    return f"({' || '.join(pieces)})"


def path_literal(path: str) -> str:
    """The path of a file that a query reads, as one literal; `*` and `?` are wildcards.

    Raises:
        PlanError: a control character stands in it.
    """
    if CONTROL.search(path):
        raise PlanError(
            "The path of a file has a line break or another control character in it.",
            where="path",
            fix="rename the file or folder",
        )
    return files_to_read(path) if is_pattern(path) else file_to_read(path)


class Expression(str):
    """SQL text that sqlanon itself wrote, where a number stands that only the data can tell."""


def number(value: int | float | Decimal | Expression) -> str:
    """The value as an SQL number, exact, without an exponent."""
    if isinstance(value, Expression):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise PlanError(
            f"A number is needed in SQL, not {type(value).__name__}.",
            where="template",
            fix="report this as a bug of sqlanon",
        )
    return format(Decimal(str(value)), "f")


def comment(value: object) -> str:
    """The value inside a `--` comment: on one line, whatever it holds."""
    return re.sub(r"\s*[\x00-\x1f\x7f\u0085\u2028\u2029]+\s*", " ", str(value))


@functools.cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(shipped("sql_templates")),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
        autoescape=False,
    )
    environment.filters.update(
        ident=quoted, text=text, number=number, comment=comment, file=file_to_read,
        files=files_to_read,
    )  # fmt: skip
    return environment


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
    return "\n".join(kept)
