"""Breakages by rule: small changes of Python and of SQL templates that change what they mean.

The rules are those of mutation testing (DeMillo, Lipton and Sayward 1978). mutmut and cosmic-ray
have them for Python alone and run whole suites; templates need rules of their own, and the tests of
a line are known here, so a visitor of some lines serves better.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from tests.paths import ROOT

PYTHON = ("sqlanon/proof", "sqlanon/publication", "sqlanon/privacy_models")
"""Folders whose Python is broken; of SQL, all templates are."""


class Mutant(NamedTuple):
    """A change of one file: the text between two places, and what replaces it."""

    file: str
    start: int
    end: int
    new: str

    def line(self, content: str) -> int:
        """Its line, from 1."""
        return content.count("\n", 0, self.start) + 1


def mutants(root: Path = ROOT) -> list[Mutant]:
    """All breakages of the product, in the order of files and places."""
    found = [
        mutant
        for folder in PYTHON
        for file in sorted((root / folder).rglob("*.py"))
        for mutant in of_python(file.relative_to(root).as_posix(), file.read_text("utf-8"))
    ]
    for file in sorted((root / "sql_templates").rglob("*.sql")):
        found += of_template(file.relative_to(root).as_posix(), file.read_text("utf-8"))
    return found


# --- Python

COMPARED = {
    ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==",
    ast.In: "not in", ast.NotIn: "in", ast.Is: "is not", ast.IsNot: "is",
}  # fmt: skip
CALLED = {"any": ["all"], "all": ["any"], "min": ["max"], "max": ["min"]}


def of_python(file: str, content: str) -> Iterator[Mutant]:
    """Comparisons, constants, `and`, `or`, `not`, conditions, and statements that have an effect.

    Left alone: annotations, defaults of parameters, all that only makes a message (texts, what an
    exception is raised with, `__repr__`), and `strict` of `zip`, which says that lengths are equal.
    """
    begins = [0]
    for line in content.splitlines(keepends=True):
        begins.append(begins[-1] + len(line))
    lines = content.splitlines(keepends=True)

    def place(line: int, column: int) -> int:
        return begins[line - 1] + len(lines[line - 1].encode()[:column].decode())

    def span(node: ast.expr | ast.stmt) -> tuple[int, int]:
        end_line, end_column = node.end_lineno or 0, node.end_col_offset or 0
        return place(node.lineno, node.col_offset), place(end_line, end_column)

    def text(node: ast.expr) -> str:
        return content[slice(*span(node))]

    def visit(node: ast.AST) -> Iterator[Mutant]:
        if (
            isinstance(node, ast.JoinedStr | ast.arguments)
            or (isinstance(node, ast.FunctionDef) and node.name == "__repr__")
            or (isinstance(node, ast.keyword) and node.arg == "strict")
        ):
            return
        if isinstance(node, ast.AnnAssign):
            yield from visit(node.value) if node.value else ()
            return
        if isinstance(node, ast.Raise):
            yield Mutant(file, *span(node), "pass")
            return
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            left, right = span(node.left)[1], span(node.comparators[0])[0]
            yield Mutant(file, left, right, f" {COMPARED[type(node.ops[0])]} ")
        if isinstance(node, ast.BoolOp):
            word = "or" if isinstance(node.op, ast.And) else "and"
            for one, other in pairwise(node.values):
                start, end = span(one)[1], span(other)[0]
                between = re.sub(r"\b(and|or)\b", word, content[start:end])
                yield Mutant(file, start, end, between)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            yield Mutant(file, *span(node), f"({text(node.operand)})")
        if isinstance(node, ast.If | ast.IfExp | ast.While):
            yield Mutant(file, *span(node.test), f"not ({text(node.test)})")
        if isinstance(node, ast.Constant) and isinstance(node.value, bool | int):
            new = not node.value if isinstance(node.value, bool) else node.value + 1
            yield Mutant(file, *span(node), str(new))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            name = node.func.id
            yield from (Mutant(file, *span(node.func), new) for new in CALLED.get(name, ()))
        if isinstance(node, ast.Expr) and not isinstance(node.value, ast.Constant):
            yield Mutant(file, *span(node), "pass")
        for name, child in ast.iter_fields(node):
            if name not in ("annotation", "returns", "decorator_list", "bases"):
                for each in child if isinstance(child, list) else [child]:
                    if isinstance(each, ast.AST):
                        yield from visit(each)

    for statement in ast.parse(content).body:
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            yield from visit(statement)


# --- SQL

TAG = r"\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}"
"""Jinja in a template."""

ASIDE = r"--[^\n]*|'(?:[^']|'')*'"
"""What is left alone in a template, too: comments and texts."""

TOLERANT = re.compile(r"^.*0\.0000.*$", re.MULTILINE)
"""Lines that compare within a tolerance: one more digit makes no difference there."""

REPLACED = [
    (r"(?<=\s)<=(?=\s)", "<"), (r"(?<=\s)<(?=\s)", "<="), (r"(?<=\s)>=(?=\s)", ">"),
    (r"(?<=\s)>(?=\s)", ">="), (r"(?<=\s)=(?=\s)", "<>"), (r"(?<=\s)<>(?=\s)", "="),
    (r"(?<=\s)or(?=\s)", "and"), (r"\bleft join\b", "inner join"),
    (r"\bunion all\b", "union"), (r"\bis null\b", "is not null"), (r"\bis not null\b", "is null"),
    (r"\bis not distinct from\b", "is distinct from"), (r"\bis distinct from\b", "="),
    (r"\bmin\(", "max("), (r"\bmax\(", "min("), (r"\bsum\(", "max("), (r"\bbool_and\(", "bool_or("),
    (r"\bbool_or\(", "bool_and("), (r"\bcount\(distinct ", "count("), (r"\bnot exists\b", "exists"),
    (r"(?<=\w )/(?= )", "*"), (r"(?<=[\w)] )\+(?= )", "-"), (r"(?<=[\w)] )-(?= )", "+"),
    (r"(?<=[\w)] )\*(?= )", "+"), (r"\bselect distinct\b", "select"), (r"\bfloor\(", "ceil("),
    (r"\bleast\(", "greatest("), (r"\bgreatest\(", "least("), (r" desc\b", ""),
]  # fmt: skip
"""Words of SQL, and others in their place that are as sound. Inner joins do not become left: nearly
all of them join what has a row for each key."""

PART = re.compile(r"union all\s+select\b(.*?)\sfrom\s", re.DOTALL)
"""A part of a union, up to what it reads."""

NUMBER = re.compile(r"(?<![\w.\"$])\d+(?![\w.\"])")

UNREAD = re.compile(
    r"\b(decimal|varchar)\([\d, ]*$"  # digits that a type holds
    r"|\bsubstr\(digest, [\d, ]*$"  # other characters of a digest, or one more, serve as well
    r"|\bsubstr\([^\n]*\bgreatest\((?:[^()\n]|\([^()]*\))*, $"  # never less where it is read
    r"|\b(exists|from) \(\s*select $"  # whether there is a row, or how many, is all that is read
)
"""What a number may follow that could be another one."""

CONDITION = re.compile(r"^ +and (?:(?!between|\bcase\b).)*$", re.MULTILINE)
OPERATOR = re.compile(r"(?<=\s)and(?=\s)")


def without_tags(content: str, filler: str, aside: str = "") -> str:
    """A template with what is left alone replaced, character by character; lines stay lines."""
    return re.sub(
        TAG + aside, lambda found: re.sub(r"[^\n]", filler, found[0]), content, flags=re.DOTALL
    )


def is_apart(content: str, start: int) -> bool:
    """Whether a part of a union has a text that no part before has: no row of both is equal."""
    part = PART.match(content, start)
    return part is not None and any(
        content.find(text) == content.find(text, part.start(1))
        for text in re.findall(r"'[^']+'", part[1])
    )


def of_template(file: str, content: str) -> Iterator[Mutant]:
    """Comparisons, joins, numbers, aggregates, and conditions that are lost."""
    bare = without_tags(content, "\0", f"|{ASIDE}")
    bare = TOLERANT.sub(lambda found: "\0" * len(found[0]), bare)
    found = {
        Mutant(file, *match.span(), new)
        for pattern, new in REPLACED for match in re.finditer(pattern, bare)
        if new != "union" or not is_apart(content, match.start())
    }  # fmt: skip
    for match in NUMBER.finditer(bare):
        if not UNREAD.search(bare[: match.start()]):
            found.add(Mutant(file, *match.span(), str(int(match[0]) + 1)))
    for match in CONDITION.finditer(bare):
        if match[0].count("(") == match[0].count(")"):
            found.add(Mutant(file, *match.span(), ""))
    for match in OPERATOR.finditer(bare):
        line = bare[bare.rfind("\n", 0, match.start()) + 1 : match.start()]
        if "between" not in line:
            found.add(Mutant(file, *match.span(), "or"))
    yield from sorted(found)
