"""Checks the columns of the source and the population against the plan, and finds their types."""

from __future__ import annotations

import contextlib
import csv
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from sqlanon.errors import EngineError, PlanError, did_you_mean, united
from sqlanon.plan.column_types import TEXT, may_leave, refusal, type_name
from sqlanon.plan.plan import Plan
from sqlanon.source.checks import source_problem
from sqlanon.source.files import matching_files
from sqlanon.source.reading import source_inputs
from sqlanon.source.tables import population_steps, source_steps
from sqlanon.sql.paths import file_to_read, files_to_read
from sqlanon.sql.render import templated
from sqlanon.sql.step import Search, Step


def read_source(plan: Plan) -> Search[Plan]:
    """Create the tables of the source, whose columns must be those of the plan.

    Returns:
        the plan, with the types of the columns.

    Raises:
        PlanError: the source does not fit the plan.
    """
    plan = yield from check_columns(plan)
    for step in source_steps(plan):
        error = source_problem(plan, step, (yield step))
        if error:
            raise error
    return plan


def check_columns(plan: Plan) -> Search[Plan]:
    """Check that every column of the source has a role and vice versa, and find the types.

    Returns:
        the plan, with the types of the columns.

    Raises:
        PlanError: has every column that does not, or whose type may not leave the source.
    """
    faults: list[PlanError] = []
    try:
        plan = yield from check_population(plan)
    except PlanError as error:
        faults += error.faults
    types = yield from _types_of_source(plan)
    try:
        plan = _checked_columns(plan, types)
    except PlanError as error:
        faults += error.faults
    if faults:
        raise united(faults)
    return plan


def _types_of_source(plan: Plan) -> Search[dict[str, str]]:
    """The columns of the source and their types, as the database describes them."""
    source = templated("source/source", "view", **source_inputs(plan))
    try:
        return (yield from _described("source_columns", source))
    except EngineError as error:
        raise (yield from unreadable_source(plan, error)) from None


def unreadable_source(plan: Plan, error: EngineError) -> Search[PlanError]:
    """The error for a source that the database cannot read, after a look for a broken line."""
    yield from name_broken_line(plan)
    return PlanError(
        f"The source cannot be read: {error.what}",
        where=plan.where("source"),
        fix=error.fix
        if error.fix.startswith("Did you mean")
        else "check the query or the table's name, the kind of file, and `types`",
    )


def _checked_columns(plan: Plan, types: Mapping[str, str]) -> Plan:
    """The plan, with the types of the columns of its source."""
    faults = []
    found = list(types)
    lower = {name.lower() for name in found}
    if not any(name.lower() in lower for name in plan.columns):
        # Without a header line the names would be cells, so they are not shown.
        raise PlanError(
            f"None of the plan's columns is among the {len(found)} columns of the source.",
            where=plan.where("columns"),
            fix="if the source has no header line, give `header: false` and name the columns"
            " column0, column1 and so on; otherwise check the delimiter",
        )
    for name in plan.columns:
        if name.lower() not in lower:
            faults.append(
                PlanError(
                    f"The source has no column '{name}'.",
                    where=plan.where("columns", name),
                    fix=did_you_mean(name, found),
                )
            )
    planned = {name.lower() for name in plan.columns}
    missing = [name for name in found if name.lower() not in planned]
    if missing:
        faults.append(
            PlanError(
                f"{len(missing)} column(s) of the source have no role: {', '.join(missing)}.",
                where=plan.where("columns"),
                fix="give each a role: identifier, quasi-identifier, sensitive or insensitive",
            )
        )
    there = [name for name in plan.read_columns if name.lower() in lower]
    return _with_changes(_with_types(plan, "source", there, types, faults=faults))


def _with_changes(plan: Plan) -> Plan:
    """The plan, if the types of its columns allow what it publishes in place of their values."""
    faults = []
    for name, column in plan.changed_columns.items():
        fault, fix = column.fault, "cast the column in a `source: {query: …}`"
        if column.kind in ("DOUBLE", "FLOAT") and not plan.engine.rounds_doubles:
            fault = "the engine rounds floating-point numbers otherwise than DuckDB"
            fix = "read a view in which the column is a decimal"
        if fault:
            what = f"What is to be published of '{name}' cannot be made: {fault}."
            where = plan.where("columns", name, "publish")
            faults.append(PlanError(what, where=where, fix=f"{fix}, or write another `publish`"))
    if faults:
        raise united(faults)
    return plan


def check_population(plan: Plan, where: str = "", *, partly: bool = False) -> Search[Plan]:
    """Check that the population can be read and has every quasi-identifier.

    Args:
        where: where the population was named, if not in the plan.
        partly: whether it may lack some of them, but not all.

    Returns:
        the plan, with the types of the population's columns.

    Raises:
        PlanError: has every quasi-identifier that it lacks, or that has a type of no use.
    """
    if plan.population is None:
        return plan
    population = population_steps(plan)[0]
    try:
        types = yield from _described("population_columns", population)
    except EngineError as error:
        raise PlanError(
            f"The population cannot be read: {error.what}",
            where=where or plan.where("population"),
            fix="check the query or the table's name, the kind of file, and `types`",
        ) from None
    found = list(types)
    lower = {name.lower() for name in found}
    faults = [
        PlanError(
            f"The population has no column '{name}', which is a quasi-identifier.",
            where=where or plan.where("population"),
            fix=did_you_mean(name, found),
        )
        for name in plan.quasi_identifiers
        if name.lower() not in lower
    ]
    there = [name for name in plan.quasi_identifiers if name.lower() in lower]
    if partly and there:
        faults = []
    return _with_types(plan, "population", there, types, where, faults)


def _described(name: str, read: Step) -> Search[dict[str, str]]:
    """Ask for the columns of a table that a step reads, and their types."""
    return dict((yield Step(name, read.sql, "columns")))


def _with_types(
    plan: Plan,
    table: Literal["source", "population"],
    columns: Iterable[str],
    described: Mapping[str, str],
    where: str = "",
    faults: Sequence[PlanError] = (),
) -> Plan:
    """The plan, with the types of these columns.

    Args:
        faults: what else is wrong with the table's columns.

    Raises:
        PlanError: has these faults, and every column whose type may not leave the source.
    """
    found = list(faults)
    lower = {name.lower(): type_name(kind) for name, kind in described.items()}
    types = {name: lower[name.lower()] for name in columns}
    for name, reading in plan.table(table).read.items():
        kind = types.get(name, TEXT)
        if reading.reads_text and kind != TEXT:
            found.append(
                PlanError(
                    f"The column '{name}' of the {table} has the type {kind}, and `read` is about"
                    " the texts of a column.",
                    where=where or plan.where(table, "read", name),
                    fix="leave it out of `read`, or keep only its `missing`",
                )
            )
        if name in types:
            types[name] = reading.type_of(kind)
    for name, kind in types.items():
        if not may_leave(kind):
            why, fix = refusal(table, name, kind)
            found.append(
                PlanError(
                    f"The column '{name}' of the {table} has the type {kind}: {why}.",
                    where=where or plan.where("columns", name),
                    fix=fix,
                )
            )
    if found:
        raise united(found)
    return plan.with_types({**plan.types, table: types})


def name_broken_line(plan: Plan) -> Search[None]:
    """Read an unreadable CSV file with the columns of its first line, to find the broken line.

    Raises:
        PlanError: names the line that does not fit the first line, if one line is to blame.
    """
    source = plan.source
    files = matching_files(plan, source) if source.path is not None else []
    if source.file_format != "csv" or not files or files[0].suffix.lower() != ".csv":
        return
    with open(files[0], encoding=source.encoding or "utf-8-sig", errors="replace") as lines:
        try:
            fields = next(csv.reader(lines, delimiter=source.csv_delimiter), [])
        except csv.Error:  # a field longer than Python reads
            return
    columns = ", ".join(f"'column_{number}': 'varchar'" for number in range(len(fields)))
    options = [
        *((name, value) for name, value in source_inputs(plan)["options"]
          if name not in ("all_varchar", "types", "auto_type_candidates")),
        ("auto_detect", "false"),
        ("columns", "{" + columns + "}"),
    ]  # fmt: skip
    settings = ", ".join(f"{name} = {value}" for name, value in options)
    path = (files_to_read if source.is_pattern else file_to_read)(source.path or "")
    with contextlib.suppress(EngineError):
        yield Step("source", f"select count(*)\nfrom read_csv({path}, {settings})", "rows")
