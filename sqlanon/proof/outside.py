"""Reads and checks tables that a plan does not name, such as a published table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from sqlanon.errors import PlanError, PrivacyViolation, did_you_mean
from sqlanon.hierarchies.base import CutKind, Hierarchy
from sqlanon.plan.column_types import NESTED, as_read, type_name
from sqlanon.plan.draft import BUCKET
from sqlanon.plan.plan import Plan
from sqlanon.plan.tables import Source
from sqlanon.privacy_models import PRIVACY_MODELS
from sqlanon.privacy_models.base import PrivacyModel
from sqlanon.proof.publication import Publication
from sqlanon.source.checks import proven_steps
from sqlanon.source.hierarchies import hierarchy_error, hierarchy_problems, with_known_levels
from sqlanon.source.places import PartitionShape, cut_attributes, kinds_of, placed_values
from sqlanon.source.reading import database_names, source_inputs
from sqlanon.source.tables import (
    counted_steps,
    population_count_name,
    population_steps,
    source_steps,
)
from sqlanon.sql.render import render, text
from sqlanon.sql.step import Search, Step

FindHierarchies = Callable[[], Mapping[str, Hierarchy]]
"""Finds the hierarchies of a plan, if they are needed."""

UNPUBLISHED = "verified.parquet"
"""Place of the publication in a plan that publishes nothing; nothing is written there."""


def reference_models(
    plan: Plan, ordered: Sequence[str], numeric: Sequence[str]
) -> Iterator[PrivacyModel]:
    """Every model that the columns of a plan allow, with bounds that have no effect.

    Args:
        plan: the plan with the columns.
        ordered: the sensitive attributes whose values have an order.
        numeric: the sensitive attributes whose values are numbers.
    """
    for cls in PRIVACY_MODELS:
        for parameters in cls.reference_bounds:
            names = plan.sensitive_attributes if "attribute" in cls.model_fields else (None,)
            for name in names:
                about = {} if name is None else {"attribute": name}
                model = cls.model_validate({**parameters, **about})
                if not (
                    (model.needs_population and plan.population is None)
                    or (model.needs_value_levels and name not in plan.hierarchies)
                    or (model.needs_order and name not in ordered)
                    or (model.needs_numbers and name not in numeric)
                ):
                    yield model


class OutsideTables:
    """Makes views of tables that a plan does not name; each database is opened only once.

    Args:
        plan: the plan whose databases are already open.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._opened = {
            (plan.folder / file).resolve(): name for file, name in database_names(plan).items()
        }

    def read(self, name: str, holds: str, source: Source) -> Search[None]:
        """Make the view of a table, with values as text in the form that a source would have.

        A CSV file is read as it was written: an empty text is not a missing value.

        Args:
            name: name of the view.
            holds: what the table contains, for readers of the SQL.
        """
        inputs = source_inputs(self._plan.model_copy(update={"source": source, "population": None}))
        if source.database is not None:
            file = (self._plan.folder / source.database).resolve()
            if file not in self._opened:
                self._opened[file] = f"sqlanon_{name}"
                opening = f"attach {text(str(file))} as {self._opened[file]} (read_only)"
                yield Step(self._opened[file], opening, "attach")
            inputs["relation"] = [self._opened[file], *source.database_table.split(".")]
        if inputs["kind"] == "csv":
            inputs["options"] = [*inputs["options"], ("allow_quoted_nulls", "false")]
        given = {key: inputs[key] for key in ("kind", "path", "one_file", "relation", "options")}

        def reading(columns: Sequence[tuple[str, str]]) -> Step:
            made = render(
                "proof/outside_table.sql", name=name, holds=holds, columns=columns, **given
            )
            return Step(name, made, "view")

        types = yield from types_of(f"(\n{reading([]).select}\n)")
        yield reading(
            [
                (column, as_read(column, kind, collated=not source.is_file))
                for column, kind in types.items()
            ]
        )


def own_table(plan: Plan) -> str | None:
    """The table of a plan that was made for it by `promised`."""
    return plan.source.path if plan.publish.path == UNPUBLISHED else None


def own_reference(
    plan: Plan,
    publication: Publication,
    find_hierarchies: FindHierarchies,
    known: str = "",
    known_columns: Sequence[str] = (),
) -> Search[None]:
    """The values of a published table without its source, as if it were the source.

    Args:
        known: the relation of rows whose quasi-identifiers are compared with the published labels
            where there is no population; empty if there is none.
        known_columns: the quasi-identifiers that `known` has.
    """
    population = plan.population is not None
    attributes = [attribute.name for attribute in publication.promises.attributes()]
    strata = plan.method.strata
    known = "" if population else known
    names = list(plan.quasi_identifiers if population else known_columns if known else ())
    if not attributes and not population and not strata and not known:
        return
    yield from proven_steps(plan, population_steps(plan))
    sql = render(
        "proof/table_of_values.sql",
        attributes=attributes,
        strata=list(strata) if plan.publishes_buckets else [],
        quasi_identifiers=names,
        known=known,
        population_count=population_count_name(plan),
        relation=publication.relation,
        unit=publication.unit,
    )
    yield Step("source_values", sql)
    yield from proven_steps(plan, counted_steps(plan, publication.relation, publication.unit))
    yield from _needed_hierarchies(plan, find_hierarchies, compares=population or bool(known))


def source_reference(plan: Plan, find_hierarchies: FindHierarchies) -> Search[None]:
    """The values of the plan's source, to which the published classes are compared."""
    yield from proven_steps(plan, source_steps(plan))
    compares = plan.population is not None
    yield from _needed_hierarchies(plan, find_hierarchies, compares=compares)


def _needed_hierarchies(
    plan: Plan, find_hierarchies: FindHierarchies, *, compares: bool
) -> Search[None]:
    needed = {m.sensitive_attribute for m in plan.privacy if m.needs_value_levels}
    if plan.publishes_buckets:
        needed |= set(plan.method.strata)
    found = find_hierarchies()
    kinds: dict[str, CutKind] = {}
    if compares and plan.method.makes_partition:
        kinds = yield from kinds_of(plan)
        needed |= {name for name, kind in kinds.items() if kind == "categorical"}
    elif compares:
        needed |= set(plan.quasi_identifiers)
    known = {name: hierarchy for name, hierarchy in found.items() if name in needed}
    known = yield from with_known_levels(plan, known)
    problems = yield from hierarchy_problems(plan, known)
    if problems:
        raise hierarchy_error(plan, problems)
    if kinds:
        yield from placed_values(plan, cut_attributes(plan, PartitionShape(known, kinds)))


def check_nothing_nested(name: str, table: str) -> Search[list[str]]:
    """Check that the columns of a published table show all that it contains; their names.

    Args:
        name: the view of the table.
        table: the table as the caller wrote it.

    Raises:
        PrivacyViolation: nested values can hide values.
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
        columns: their columns.
        table: the table as the caller wrote it.
        one_file: whether the path is that of a file, and no pattern.

    Raises:
        PrivacyViolation: the metadata of a file can hide values.
    """
    sql = render("proof/file_metadata.sql", path=path, one_file=one_file, columns=list(columns))
    ((keys,),) = yield Step("file_metadata", sql, "rows")
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
    """Check that the second of two published tables has its three columns.

    Raises:
        PlanError: it lacks one of them.
    """
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


def check_published_columns(plan: Plan, relation: str, table: str) -> Search[None]:
    """Check that the published table has the columns that a plan publishes, and no others.

    Raises:
        PlanError: a column is missing that defines classes, persons or values.
        PrivacyViolation: it contains an identifier, or a column that the plan does not list.
    """
    columns = {name.lower() for name in (yield from types_of(relation))}
    for name in plan.class_columns:
        if name.lower() not in columns:
            raise PlanError(
                f"The table has no {'column' if name == BUCKET else 'quasi-identifier'} '{name}'.",
                where=table,
                fix="verify the table with the plan that published it",
            )
    person = plan.persons_column if plan.hides_persons else plan.person
    needed = [person, *(attribute.name for attribute in plan.promises.attributes())]
    for name in filter(None, needed):
        if name.lower() not in columns:
            raise PlanError(
                f"The table has no column '{name}', which a promise needs.",
                where=table,
                fix=did_you_mean(name, columns),
            )
    for name in plan.columns:
        if name not in plan.published_columns and name.lower() in columns:
            raise PrivacyViolation(
                f"The table contains the identifier '{name}'.",
                where=table,
                fix="do not publish this table",
            )
    unknown = columns - {name.lower() for name in (*plan.columns, *plan.publication_columns)}
    if unknown and own_table(plan) is None:  # options name only the columns that matter
        raise PrivacyViolation(
            f"The table has column(s) that the plan does not list: {', '.join(sorted(unknown))}.",
            where=table,
            fix="do not publish this table; verify it with the plan that published it",
        )
