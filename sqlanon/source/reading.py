"""How the tables of a plan are read: file readers with options, databases, and queries."""

from __future__ import annotations

import os.path
from typing import Any, Literal

from sqlanon.plan.column_types import TEXT, as_read, escaped, published_type
from sqlanon.plan.plan import Plan
from sqlanon.plan.readings import Reading
from sqlanon.plan.tables import Source
from sqlanon.sql.queries import query_in_sql
from sqlanon.sql.render import render_macro, text
from sqlanon.sql.step import quoted
from sqlanon.sql.tables import Parts, table_parts

SOURCE_DATABASE = "sqlanon_source"
"""The name under which the DuckDB file of the source is attached, read-only."""

POPULATION_DATABASE = "sqlanon_population"
"""The name under which the DuckDB file of the population is attached, read-only."""


def column_as_read(plan: Plan, name: str, table: Literal["source", "population"] = "source") -> str:
    """The expression by which a column is read, so that equal values have the same text."""
    source = plan.table(table)
    kind = plan.types.get(table, {}).get(name, TEXT)
    expression = value_as_read(source, name, kind)
    is_escaped = published_type(kind) == TEXT and plan.escapes(name)
    return escaped(expression) if is_escaped else expression


def value_as_read(source: Source, name: str, kind: str, *, in_query: bool = False) -> str:
    """The expression by which a column of a source is read, as its key `read` says.

    Args:
        kind: the type of the values that are read.
        in_query: in the query of a plan, which may not call `error`: a cast stops it.
    """
    expression = as_read(name, kind, collated=not source.is_file)
    reading = source.read.get(name)
    if reading is None:
        return expression
    inputs = {"text": text_as_read(name, kind), "missing": reading.missing}
    if not reading.reads_text:
        return render_macro("source/_readings.sql", "present", **inputs, value=expression)
    if in_query:
        wrong = f"cast({text_as_read(name, TEXT)} || '?' as {reading.type_of(TEXT).lower()})"
    else:
        wrong = f"""error({text(f"sqlanon source: A value of '{name}' is no {reading.what}.")})"""
    return _typed(reading, name, wrong)


def text_as_read(name: str, kind: str) -> str:
    """The expression for the text of a value as it is compared with formats and codes."""
    return f"trim({quoted(name)})" if kind == TEXT else f"cast({quoted(name)} as varchar)"


def lenient(reading: Reading, name: str) -> str:
    """The expression by which a text is read; missing where it does not fit."""
    return _typed(reading, name, "")


def _typed(reading: Reading, name: str, wrong: str) -> str:
    return render_macro(
        "source/_readings.sql", "typed",
        text=text_as_read(name, TEXT), missing=reading.missing, pattern=reading.pattern,
        date=reading.date or "", first_year=reading.first_year, type=reading.type_of(TEXT).lower(),
        decimal=reading.number.decimal if reading.number else "",
        unit=(reading.number and reading.number.unit) or "", wrong=wrong,
    )  # fmt: skip


def database_names(plan: Plan) -> dict[str, str]:
    """The name under which each DuckDB file that the plan reads is attached, one name per file."""
    names: dict[str, str] = {}
    files: dict[str, str] = {}
    for source, name in ((plan.source, SOURCE_DATABASE), (plan.population, POPULATION_DATABASE)):
        if source is not None and source.database is not None:
            file = os.path.realpath(plan.folder / source.database)
            names[source.database] = files.setdefault(file, name)
    return names


def attached_databases(plan: Plan) -> dict[str, str]:
    """The DuckDB files to attach, by the names they get."""
    return {name: file for file, name in reversed(database_names(plan).items())}


def source_parts(plan: Plan, source: Source) -> Parts:
    """The name of the table or view that a source is; empty if it is none."""
    if source.database is not None:
        return (database_names(plan)[source.database], *source.database_table.split("."))
    return table_parts(source.table) if source.table is not None else ()


def source_inputs(plan: Plan, name: Literal["source", "population"] = "source") -> dict[str, Any]:
    """Variables of `source/source.sql`: a reader call, a table, or a query."""
    source = plan.table(name)
    inputs: dict[str, Any] = {
        "name": name,
        "plan_name": plan.name,
        "kind": "query" if source.query else "table",
        "path": source.path or "",
        "one_file": not source.is_pattern,
        "relation": source_parts(plan, source),
        "query": query_in_sql(source.query, plan.where(name)) if source.query else "",
        "options": [],
        "columns": [],
    }
    if source.is_file:
        inputs["kind"] = source.file_format
        inputs["options"] = reader_options(source)
    return inputs


def reader_options(source: Source) -> list[tuple[str, str]]:
    """The options, as name and SQL, with which the file of a source is read."""
    folders = [("hive_partitioning", "true" if source.hive_partitioning else "false")]
    if source.file_format != "csv":
        return folders
    # Give everything that DuckDB would otherwise guess from the first rows: a guess could mistake
    # rows for a title or a comment, and leave them out.
    options = [
        *folders,
        ("header", "true" if source.header else "false"),
        ("all_varchar", "true"),
        ("quote", text(source.quote or '"')),
        ("escape", text(source.escape or source.quote or '"')),
        ("comment", "''"),
        ("skip", "0"),
        ("strict_mode", "true"),
        ("null_padding", "false"),
        ("ignore_errors", "false"),
    ]
    for option, value in (
        ("delim", source.csv_delimiter),
        ("encoding", source.encoding),
        ("nullstr", source.null_text),
    ):
        if value is not None:
            options.append((option, text(value)))
    if source.types:
        options = [option for option in options if option[0] != "all_varchar"]
        pairs = ", ".join(f"{text(name)}: {text(kind)}" for name, kind in source.types.items())
        options += [("auto_type_candidates", "['varchar']"), ("types", "{" + pairs + "}")]
    return options
