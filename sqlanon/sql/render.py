"""Renders templates to SQL text: Jinja with strict variables and only quoting filters.

The rendered text is the text that is reviewed, compiled and run. A template receives plain values.
Names and literals pass through `ident`, `text` and `number`, paths through `file` and `files`, and
words in comments through `comment`, so that nothing in a plan or a table can end a string or a
comment.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import itertools
import re
import sys
import textwrap
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import jinja2
from jinja2.bccache import Bucket

from sqlanon.errors import InternalError, PlanError
from sqlanon.sql.paths import file_to_read, files_to_read, is_pattern
from sqlanon.sql.step import Step, StepKind, quoted

_PACKAGE = Path(__file__).parents[1]


def shipped(folder: str) -> Path:
    """The folder `sql_templates` or `hierarchies`: inside the wheel, or next to the package."""
    inside = _PACKAGE / "shipped" / folder
    return inside if inside.is_dir() else _PACKAGE.parent / folder


CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029]")
"""A character that ends a line or is invisible; a tab is allowed in a literal."""


def text(value: str) -> str:
    """The value as an SQL literal, on one line whatever it contains."""
    if not CONTROL.search(value):
        return "'" + value.replace("'", "''") + "'"
    # Odd positions hold what the pattern matched.
    parts = re.split(f"({CONTROL.pattern})", value)
    pieces = [
        f"chr({ord(part)})" if place % 2 else text(part) for place, part in enumerate(parts) if part
    ]
    return f"({' || '.join(pieces)})"


def path_literal(path: str) -> str:
    """The path of a file that a query reads, as one literal; `*` and `?` are wildcards."""
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


class _Compiled(jinja2.FileSystemBytecodeCache):
    """Compiled templates, beside those that Python compiles; a template that changes is not used.

    Nothing is written where Python would write nothing, or the folder cannot be written.
    """

    def __init__(self, templates: Path) -> None:
        folder = Path(importlib.util.cache_from_source(str(templates / "templates"))).parent
        python = sys.implementation.cache_tag
        super().__init__(str(folder), f"%s.{python}.jinja-{jinja2.__version__}.cache")

    def dump_bytecode(self, bucket: Bucket) -> None:
        if sys.dont_write_bytecode:
            return
        with contextlib.suppress(OSError):
            Path(self.directory).mkdir(parents=True, exist_ok=True)
            super().dump_bytecode(bucket)


@functools.cache
def _environment() -> jinja2.Environment:
    templates = shipped("sql_templates")
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(templates),
        bytecode_cache=_Compiled(templates),
        auto_reload=False,
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
    """The text with its lines (all, or all but the first) moved to the right."""
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
    """The SQL text of a template, such as `source/source_rows.sql`, for these inputs."""
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


def templated(template: str, kind: StepKind = "table", /, **inputs: Any) -> Step:
    """The step of a template, such as `source/source_rows`, that is called as the file."""
    return Step(template.rpartition("/")[2], render(f"{template}.sql", **inputs), kind)


def question(template: str, /, **inputs: Any) -> Step:
    """The question of a template, whose rows are read; see `templated`."""
    return templated(template, "rows", **inputs)


# --- long lines

WIDTH = 100
"""Characters of a line that needs no folding."""

_STEP = "    "
_WORTH = 24
"""Characters in brackets that are worth lines of their own."""

_HEADS = ("select distinct", "select", "group by", "order by", "partition by")

_PIECE = re.compile(
    r"""
    \be'(?:\\.|[^\\'])*' | '[^']*' | "[^"]*" | (?<![\w$])\$(\w*)\$.*?\$\1\$
    | --[^\n]* | /\*(?:(?!/\*|\*/).)*\*/ | /\*.*
    | [][(){},] | \bdistinct\s+from\b | \bfrom\b
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
"""Literals, names in quotes, comments, and what folds a line; a quote within a literal ends one and
begins the next. After a comment within a comment, nothing is folded."""


@functools.lru_cache(maxsize=256)  # similar plans render the same steps
def folded(sql: str) -> str:
    """The same SQL with lines of `WIDTH` characters at most, where commas allow it.

    Only white space changes, and only where no literal or quoted name is. Long lines of the header
    are broken between words.
    """
    lines = _wrapped_header(sql.split("\n"))
    sql = "\n".join(lines)
    if all(len(line) <= WIDTH or line.lstrip().startswith("--") for line in lines):
        return sql
    solid: set[int] = set()  # the lines of what goes over several
    for piece in _PIECE.finditer(sql):
        if "\n" in piece[0]:
            first = sql.count("\n", 0, piece.start())
            solid.update(range(first, first + piece[0].count("\n") + 1))
    folds = ([line] if number in solid else _folded_line(line) for number, line in enumerate(lines))
    return "\n".join(part for parts in folds for part in parts)


def _wrapped_header(lines: list[str]) -> list[str]:
    """The lines with those of the header at most `WIDTH` long, where words allow it.

    A line that says what a column is, `--   NAME   text`, goes on below its text.
    """
    end = next((n for n, line in enumerate(lines) if not line.startswith("--")), len(lines))
    header: list[str] = []
    for line in lines[:end]:
        column = re.match(r"--   \S.{,30}?   +", line)
        hang = "--" + " " * (len(column[0]) - 2 if column else 3)
        is_path = "\x1f" in line  # a marked path stays in one piece
        header += [line] if len(line) <= WIDTH or is_path else textwrap.wrap(
            line, WIDTH, subsequent_indent=hang, break_long_words=False, break_on_hyphens=False
        )  # fmt: skip
    return header + lines[end:]


def _folded_line(line: str) -> Iterator[str]:
    """The parts of one line."""
    if len(line) <= WIDTH or "--" in line:
        yield line
        return
    indent = " " * (len(line) - len(line.lstrip(" ")))
    head = next((each for each in _HEADS if line.startswith(f"{indent}{each} ")), "")
    commas, from_place, brackets = _outer(line)
    if from_place is not None and head.startswith("select"):
        yield from _folded_line(line[:from_place].rstrip())
        yield from _folded_line(indent + line[from_place:])
    elif commas or head:
        if head:
            yield indent + head
        begin = len(indent) + len(head)
        for part in _filled(_split(line, begin, commas), indent + _STEP * bool(head)):
            yield from [part] if part == line else _folded_line(part)
    elif brackets is None:
        yield line
    elif line.startswith(f"{indent}from read_"):  # the options of a reader go on, indented
        inner = line[brackets[0] + 1 : brackets[1]]
        items = _split(inner, 0, _outer(inner)[0])
        items[0] = line[len(indent) : brackets[0] + 1] + items[0]
        items[-1] += line[brackets[1] :]
        for part in _filled(items, indent + _STEP, first=indent):
            yield from [part] if part == line else _folded_line(part)
    else:
        start, end = brackets
        yield line[: start + 1]
        yield from _folded_line(f"{indent}{_STEP}{line[start + 1 : end].strip()}")
        yield f"{indent}{line[end:]}"


def _outer(line: str) -> tuple[list[int], int | None, tuple[int, int] | None]:
    """What is in no brackets: ends of commas, where `from` begins, and the longest brackets."""
    commas, from_place, brackets = [], None, (0, _WORTH - 1)
    depth, opened = 0, []
    for piece in _PIECE.finditer(line):
        what, place = piece[0].lower(), piece.start()
        if what in "([{":
            opened.append(place)
            depth += 1
        elif what in ")]}":
            depth -= 1
            start = opened.pop() if opened else place
            if not opened and place - start > brackets[1] - brackets[0]:
                brackets = start, place
        elif depth == 0 and what == "," and place + 1 < len(line):
            commas.append(place + 1)
        elif depth == 0 and what == "from" and from_place is None:
            from_place = place
    return commas, from_place, brackets if brackets[1] - brackets[0] >= _WORTH else None


def _split(line: str, begin: int, places: list[int]) -> list[str]:
    return [line[a:b].strip() for a, b in itertools.pairwise([begin, *places, len(line)])]


def _filled(items: list[str], indent: str, first: str | None = None) -> Iterator[str]:
    """The items in lines of as many as fit; the first line can have an indent of its own."""
    line = (indent if first is None else first) + items[0]
    for item in items[1:]:
        if len(line) + 1 + len(item) > WIDTH:
            yield line
            line = indent + item
        else:
            line = f"{line} {item}"
    yield line
