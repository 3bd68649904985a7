"""Steps as one query, and what a step reads that no step made: tables of the user, and files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import sqlglot
from sqlglot import exp

from sqlanon.errors import InternalError
from sqlanon.sql.render import indented
from sqlanon.sql.step import WORK_CATALOG, Step, quoted, split

_TEXT = r"--[^\n]*|'(?:[^']|'')*'"
_QUOTED = r'"(?:[^"]|"")+"'
_WORD = re.compile(
    rf"(?P<text>{_TEXT})|(?<![\w.\"]){WORK_CATALOG}\.(?P<relation>{_QUOTED}|\w+)|{_QUOTED}"
)
"""Comments and literals, names in quotes, and relations of the working catalog."""


def one_query(steps: Sequence[Step], name: str) -> str:
    """The query of a step, with the earlier steps that it reads as named relations.

    Each relation begins with the first line of its step's header; the query has the whole header
    of its step. Paths are marked, as in the steps.
    """
    known = {quoted(step.name): step for step in steps}
    header, body = split(known[quoted(name)].sql)
    body, read = _bare(body, known)
    relations: list[str] = []
    needed = set(read)
    for step in reversed(steps):
        if quoted(step.name) in needed:
            inner, read = _bare(split(step.sql)[1], known)
            needed |= read
            note = split(step.sql)[0].split("\n")[0]
            relation = _deeper(f"{note}\n{inner}")
            relations.append(f"{quoted(step.name)} as (\n{relation}\n)")
            _check_own_relations(step, inner, read)
    if relations:
        first = "with " + ",\n".join(reversed(relations))
        body = f"{first},\n{body[5:]}" if body.startswith("with ") else f"{first}\n{body}"
    header = re.sub(rf"\b{WORK_CATALOG}\.(?=\w)", "", header)
    return f"{header}\n{body}\n"


def _bare(sql: str, known: dict[str, Step]) -> tuple[str, set[str]]:
    """A query whose relations of the working catalog have bare names, and these names."""
    read: set[str] = set()

    def replaced(found: re.Match[str]) -> str:
        relation: str | None = found["relation"]
        if relation is None or relation not in known:
            return found[0]
        read.add(relation)
        return relation

    return _WORD.sub(replaced, sql), read


def _deeper(sql: str) -> str:
    """The text, indented, if no line of it begins within a literal."""
    literals = (found["text"] or "" for found in _WORD.finditer(sql))
    if any("\n" in each for each in literals):
        return sql
    return indented(sql, first=True)


def _check_own_relations(step: Step, sql: str, read: set[str]) -> None:
    """Check that no relation within a step hides one that it reads."""
    tree = sqlglot.parse_one(sql, dialect="duckdb")
    hidden = {quoted(cte.alias) for cte in tree.find_all(exp.CTE)} & read
    if hidden:
        raise InternalError(
            "A relation within a step has the name of another step.",
            where=step.name,
            fix="report this as a bug of sqlanon",
        )


def external_inputs(sql: str) -> Iterator[tuple[str, str]]:
    """The tables and files that a query of DuckDB reads, but no relations of its own or of steps.

    For each the literal of its path, empty for a table, and the SQL that reads it.
    """
    tree = sqlglot.parse_one(sql, dialect="duckdb")
    own = {cte.alias.lower() for cte in tree.find_all(exp.CTE)}
    for table in tree.find_all(exp.Table):
        bare = table.copy()
        bare.set("alias", None)
        if isinstance(table.this, exp.Func):
            literals = [node for node in table.this.find_all(exp.Literal) if node.is_string]
            if literals:
                yield literals[0].name, bare.sql("duckdb")
        elif table.text("db").lower() != WORK_CATALOG and (
            table.db or table.name.lower() not in own
        ):
            yield "", bare.sql("duckdb")


def csv_layout(reader: str) -> tuple[str, bool] | None:
    """The delimiter of a CSV file that a reader of DuckDB reads, and whether it has a header.

    The delimiter of a file that is read line by line, without quotes, is empty. None if DuckDB
    would look at the file to find its layout, or reads it in another way.
    """
    found = sqlglot.parse_one(f"select * from {reader}", dialect="duckdb").find(exp.ReadCSV)
    options = reader_options(found) if found else {}
    known = {"auto_detect", "hive_partitioning", "delim", "header", "columns"}
    if not {"delim", "header", "columns"} <= options.keys() <= known | {"quote", "escape"}:
        return None
    if any(options[name].name for name in ("delim", "quote", "escape") if "quote" in options):
        return None
    return options["delim"].name, options["header"].this is True


def reader_options(reader: exp.Func) -> dict[str, exp.Expr]:
    """The options of the reader of a file, by their names in small letters."""
    return {
        option.this.name.lower(): option.expression
        for option in reader.expressions
        if isinstance(option, exp.EQ)
    }
