"""Reads and checks tables that a plan does not name, such as a published table."""

from __future__ import annotations

import os.path
from collections.abc import Callable, Iterable, Mapping, Sequence

from sqlanon.errors import EngineError, PlanError, PrivacyViolation, did_you_mean
from sqlanon.hierarchies.base import CutKind, Hierarchy
from sqlanon.plan.column_types import NESTED, type_name
from sqlanon.plan.draft import BUCKET
from sqlanon.plan.plan import Plan
from sqlanon.plan.tables import Source
from sqlanon.proof.publication import Publication
from sqlanon.source.checks import proven_steps
from sqlanon.source.columns import name_broken_line
from sqlanon.source.hierarchies import hierarchy_error, hierarchy_problems, with_known_levels
from sqlanon.source.places import (
    PartitionShape,
    cut_attributes,
    is_ordered_by,
    kinds_of,
    placed_values,
)
from sqlanon.source.reading import database_names, source_inputs, value_as_read
from sqlanon.source.tables import (
    counted_steps,
    population_count_name,
    population_steps,
    source_steps,
)
from sqlanon.sql.render import question, render, text
from sqlanon.sql.step import Search, Step, quoted

FindHierarchies = Callable[[], Mapping[str, Hierarchy]]
"""Finds the hierarchies of a plan, if they are needed."""

UNPUBLISHED = "nothing.duckdb::nothing"
"""Place of the publication in a plan that publishes nothing: no pattern of a source matches it."""


class ExternalTables:
    """Makes views of tables that a plan does not name; each database is opened only once.

    Args:
        plan: the plan whose databases are already open.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        names = database_names(plan)
        self._opened = {os.path.realpath(plan.folder / file): names[file] for file in names}

    def read(self, name: str, holds: str, source: Source, table: str) -> Search[None]:
        """Make the view `name` of a table, with values as text in the form of a source.

        A CSV file is read as it was written: an empty text is not a missing value.

        Args:
            holds: what the table contains, for readers of the SQL.
            table: the table as the caller wrote it.

        Raises:
            PlanError: it cannot be read.
        """
        plan = self._plan.model_copy(update={"source": source, "population": None})
        inputs = source_inputs(plan)
        if source.database is not None:
            file = os.path.realpath(self._plan.folder / source.database)
            if file not in self._opened:
                self._opened[file] = f"sqlanon_{name}"
                opening = f"attach {text(file)} as {self._opened[file]} (read_only)"
                yield Step(self._opened[file], opening, "attach")
            inputs["relation"] = [self._opened[file], *source.database_table.split(".")]
        if inputs["kind"] == "csv":
            inputs["options"] += [("allow_quoted_nulls", "false")]
        if inputs["kind"] == "json":  # records far below can have a column that others lack
            inputs["options"] += [("sample_size", "-1")]
        if source.is_pattern:  # and so can files
            inputs["options"] += [("union_by_name", "true")]
        inputs = {key: inputs[key] for key in ("kind", "path", "one_file", "relation", "options")}
        inputs |= {"name": name, "holds": holds}

        def reading(columns: Sequence[tuple[str, str]]) -> Step:
            return Step(name, render("proof/external_table.sql", columns=columns, **inputs), "view")

        try:
            types = yield from types_of(f"(\n{reading([]).select}\n)")
        except EngineError as error:
            yield from name_broken_line(plan)
            what = f"The table cannot be read: {error.what}"
            fix = "check the file format, its delimiter and the name of the table"
            raise PlanError(what, where=table, fix=fix) from None
        yield reading([(column, value_as_read(source, column, types[column])) for column in types])


def own_table(plan: Plan) -> str | None:
    """The table of a plan that was made for it by `promised`."""
    source = plan.source
    return (source.path or source.table) if plan.publish.path == UNPUBLISHED else None


def own_reference(
    plan: Plan,
    publication: Publication,
    find_hierarchies: FindHierarchies,
    known: Sequence[str] = (),
    known_columns: Sequence[str] = (),
) -> Search[None]:
    """The values of a published table without its source, as if it were the source.

    Args:
        known: relations of rows whose quasi-identifiers are compared with the published labels, in
            addition to those of the population, if there is one.
        known_columns: the quasi-identifiers that `known` has.
    """
    population = plan.population is not None
    counts = dict.fromkeys(known, "count(*)")
    if population:
        counts["sqlanon.population_combinations"] = f"sum({quoted(population_count_name(plan))})"
    strata = list(plan.method.strata) if plan.form.bucket else []
    unit = publication.unit
    published = {publication.relation: f"count(distinct {quoted(unit)})" if unit else "count(*)"}
    columns = dict.fromkeys([*publication.promises.attributes, *strata], published)
    if counts:
        names = plan.quasi_identifiers if population else known_columns
        columns |= {name: columns.get(name, {}) | counts for name in names}
    if not columns:
        return
    yield from proven_steps(plan, population_steps(plan))
    sql = render("proof/table_of_values.sql", columns=[*columns.items()], strata=bool(strata))
    yield Step("source_values", sql)
    yield from proven_steps(plan, counted_steps(plan, publication.relation, publication.unit))
    yield from _needed_hierarchies(plan, find_hierarchies, compares=bool(counts))


def source_reference(plan: Plan, find_hierarchies: FindHierarchies) -> Search[None]:
    """The values of the plan's source, to which the published classes are compared."""
    yield from proven_steps(plan, source_steps(plan))
    compares = plan.population is not None
    yield from _needed_hierarchies(plan, find_hierarchies, compares=compares)


def _needed_hierarchies(
    plan: Plan, find_hierarchies: FindHierarchies, *, compares: bool
) -> Search[None]:
    """Make the hierarchies that models, strata, or a comparison with labels need."""
    needed = {m.sensitive_attribute for m in plan.privacy if m.needs_value_levels}
    if plan.form.bucket:
        needed |= set(plan.method.strata)
    kinds: dict[str, CutKind] = {}
    if compares and not plan.form.leveled:
        kinds = yield from kinds_of(plan)
        needed |= {n for n, kind in kinds.items() if is_ordered_by(plan.hierarchies[n], kind)}
    elif compares:
        needed |= set(plan.quasi_identifiers)
    known = {name: found for name, found in find_hierarchies().items() if name in needed}
    for name, hierarchy in known.items():
        if hierarchy.counts_rows and not hierarchy.points:
            raise PlanError(
                f"Only the source shows where the groups of '{name}' begin, and another table is"
                " compared with their labels.",
                where=plan.where("columns", name, "hierarchy"),
                fix="write the `points` of the solution into the hierarchy",
            )
    known = yield from with_known_levels(plan, known)
    problems = yield from hierarchy_problems(plan, known)
    if problems:
        raise hierarchy_error(plan, problems)
    if kinds:
        yield from placed_values(plan, cut_attributes(plan, PartitionShape(known, kinds)))


def check_nothing_nested(name: str, table: str) -> Search[list[str]]:
    """The columns of the view `name`, after a check that none has nested values.

    Args:
        table: the table as the caller wrote it.
    """
    types = yield from types_of(f"sqlanon.{name}")
    nested = [column for column, kind in types.items() if kind in NESTED]
    if nested:
        raise PrivacyViolation(
            f"The column '{nested[0]}' has nested values, which can contain names that no promise"
            " considers.",
            where=table,
            fix="do not publish this table; put what may be published into separate columns",
        )
    return list(types)


def check_metadata(
    path: str, columns: Sequence[str], table: str, *, one_file: bool
) -> Search[None]:
    """Check that published Parquet files contain nothing in addition to their columns.

    Args:
        path: the file or files, as SQL names them.
        table: the table as the caller wrote it.
        one_file: whether the path is that of a file, and no pattern.
    """
    inputs = {"path": path, "one_file": one_file, "columns": list(columns)}
    ((keys,),) = yield question("proof/file_metadata", **inputs)
    if keys:
        raise PrivacyViolation(
            f"The Parquet file has {keys} entries of metadata in addition to its columns, which can"
            " contain names; sqlanon writes none.",
            where=table,
            fix="do not publish this file; `copy (select * from 'FILE') to 'OTHER.parquet'` in"
            " DuckDB writes it without metadata",
        )


def types_of(relation: str) -> Search[dict[str, str]]:
    """The columns of a table, view or select in parentheses, and the names of their types."""
    rows = yield Step("columns", f"select *\nfrom {relation}", "columns")
    return {row[0]: type_name(row[1]) for row in rows}


def check_counts(publication: Publication, table: str) -> Search[None]:
    """Check that the second of two published tables has its three columns, and no others."""
    tables = publication.tables
    if tables is None:
        return
    columns = {name.lower() for name in (yield from types_of(tables.counts))}
    for name in (BUCKET, tables.attribute, tables.count):
        if name.lower() not in columns:
            raise PlanError(
                f"The table of values has no column '{name}'.",
                where=table,
                fix="give the table of values that was published with the rows, unchanged",
            )
    _require_no_others(columns, [BUCKET, tables.attribute, tables.count], table)


def _require_no_others(columns: set[str], published: Iterable[str], table: str) -> None:
    """Check that a table has no columns beside those that a plan publishes in it."""
    unknown = columns - {name.lower() for name in published}
    if unknown:
        raise PrivacyViolation(
            f"The plan does not publish the column(s) {', '.join(sorted(unknown))}.",
            where=table,
            fix="do not publish this table; verify it with the plan that published it",
        )


def check_published_columns(plan: Plan, relation: str, table: str) -> Search[None]:
    """Check that the published rows have the columns that a plan publishes, and no others."""
    found = list((yield from types_of(relation)))
    columns = {name.lower() for name in found}
    for name in plan.form.class_key:
        if name.lower() not in columns:
            role = "quasi-identifier" if name in plan.quasi_identifiers else "column"
            raise PlanError(
                f"The table has no {role} '{name}'.",
                where=table,
                fix="verify the table with the plan that published it"
                if own_table(plan) is None
                else did_you_mean(name, found),
            )
    person = plan.persons_column if plan.hides_persons else plan.person
    for name in filter(None, [person, *plan.promises.attributes, *plan.changed_columns]):
        if name.lower() not in columns and name != plan.form.apart:
            raise PlanError(
                f"The table has no column '{name}', which a proof needs.",
                where=table,
                fix=did_you_mean(name, found),
            )
    for name in plan.columns:
        shown = name not in plan.published_columns and name.lower() in columns
        if plan.action_on(name) == "star" and name.lower() in columns:
            starred = f"cast({quoted(name)} as varchar) is distinct from '*'"
            asked = f"select count(*)\nfrom {relation}\nwhere {starred}"
            ((shown,),) = yield Step("unstarred_cells", asked, "rows")
        if shown:
            raise PrivacyViolation(
                f"The table contains the identifier '{name}'.",
                where=table,
                fix="do not publish this table",
            )
    if own_table(plan) is None:  # options name only the columns that matter
        _require_no_others(columns, plan.form.columns, table)
