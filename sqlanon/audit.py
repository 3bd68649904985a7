"""Looks at tables as they stand: `verify` proves promises of one, `profile` tells its risks.

Both use the very selects that the search and the proof of a run use; neither publishes anything.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from sqlanon.boundary import guarded
from sqlanon.column_types import NESTED, as_read, type_name
from sqlanon.engines import DuckDBEngine
from sqlanon.engines.base import drive
from sqlanon.errors import PlanError, PrivacyViolation, brief, did_you_mean
from sqlanon.manifest import MANIFEST, Manifest, read_manifest, require_current
from sqlanon.methods import DealingMethod, Optimal, PartitionMethod
from sqlanon.partition import Kind
from sqlanon.partition_prepare import PartitionShape, kinds_of, placed_values
from sqlanon.paths import is_pattern
from sqlanon.plan import BUCKET, Identifier, Plan, Source, values_place
from sqlanon.plan_file import load_plan, validated
from sqlanon.plan_text import Places, checked_text, is_regular, plain_content
from sqlanon.prepare import (
    counted_steps,
    database_names,
    hierarchy_error,
    hierarchy_problems,
    population_count_name,
    population_steps,
    proven_steps,
    source_inputs,
    source_steps,
    with_known_levels,
)
from sqlanon.presence import in_plan_order, presence_findings
from sqlanon.privacy_models import PRIVACY_MODELS, PrivacyModel
from sqlanon.program import dealt_of, publication_of, rearranged_of
from sqlanon.recoding import recoding_of
from sqlanon.render import render
from sqlanon.search import search as run_search
from sqlanon.session import Options, PlanLike, Session, source_on_connection
from sqlanon.sliced import ALONE, sliced_promises, untold_of_companions
from sqlanon.solution import FullDomainSolution, PartitionSolution, Solution, read_solution
from sqlanon.step import Search, Step
from sqlanon.verify import Finding, Publication, held, plain, violated
from sqlanon.verify import verify as verify_search

ABOUT_VALUES = frozenset(
    cls.model_fields["model"].default for cls in PRIVACY_MODELS if "attribute" in cls.model_fields
)
"""Names of the models that look at a sensitive attribute."""

_UNPUBLISHED = "verified.parquet"
"""Stands where a plan names its publication; nothing is written there."""


@guarded
def promised(
    source: Mapping[str, Any],
    quasi_identifiers: Sequence[str],
    sensitive: Sequence[str],
    privacy: Sequence[Mapping[str, Any]],
    **others: Any,
) -> Plan:
    """A plan for a table that has none: its classes, its sensitive attributes, its promises.

    A promise about a sensitive attribute that names none is made for each. A column that is both
    a quasi-identifier and sensitive has one published value in every class, so that nothing about
    its diversity can hold; that is what is told of it.

    Args:
        source: as in a plan, such as {"path": "table.csv", "delimiter": ";"}.
        quasi_identifiers: the columns that form classes; no hierarchy is needed.
        sensitive: the columns that nobody should learn.
        privacy: entries as in a plan's `privacy`.
        others: further keys of a plan, such as population and unit.
    """
    privacy = plain_content(list(privacy), Places())
    columns: dict[str, Any] = {name: {"role": "sensitive"} for name in sensitive}
    if others.get("unit"):
        columns = {others["unit"]: {"role": "insensitive"}, **columns}
    columns |= {name: {"role": "quasi-identifier"} for name in quasi_identifiers}
    entries: list[dict[str, Any]] = []
    for entry in privacy:
        if not isinstance(entry, Mapping):
            raise PlanError(
                "A promise is a mapping of a model and its parameters.",
                where="privacy",
                fix="write it as in a plan, such as {model: k-anonymity, k: 5}",
            )
        about_values = str(entry.get("model")) in ABOUT_VALUES and "attribute" not in entry
        attributes = sensitive if about_values and sensitive else [None]
        entries += [
            {**entry, "attribute": name} if name is not None else dict(entry) for name in attributes
        ]
    return load_plan(
        {
            "source": dict(source),
            "columns": columns,
            "privacy": entries,
            "publish": _UNPUBLISHED,
            **others,
        }
    )


@guarded
def verify(
    table: str,
    plan: PlanLike,
    options: Options | None = None,
    *,
    with_source: bool = False,
    manifest: str | Path | bool = True,
    list_failing: int = 0,
    with_values: bool = False,
) -> list[Finding]:
    """What a published table holds of a plan's promises, measured from its rows alone.

    Args:
        table: a Parquet, CSV or JSON file, FILE.duckdb::TABLE, or a table of the connection.
        plan: its quasi-identifiers and its promises are looked for, and its population is read;
            `promised` makes one for a table that has none.
        with_source: read the plan's source too, and compare classes with all its rows instead of
            the published ones; of buckets also prove that they are a rearrangement of its rows.
        manifest: the file of a run's manifest, which the table must be the very publication of;
            True: the plan's own, where it is there and names this table; False: none.
        list_failing: how many failing classes of each promise to list: sizes and measures.
        with_values: list their quasi-identifiers too.

    Raises:
        PlanError: the table does not exist or lacks a quasi-identifier; the manifest is broken or
            of another version of the plan; a sliced table cannot be judged without its source.
        PrivacyViolation: the table is empty, an identifier stands in it, it is not what the
            manifest tells, or its buckets are no rearrangement of the source's rows.
    """
    options = options or Options()
    checked = load_plan(plan, options.overrides)
    published = source_of(table, checked, options)
    # Only classes and promises are looked at; a key of pseudonyms is not needed.
    columns = {n: c for n, c in checked.columns.items() if not isinstance(c, Identifier)}
    looked_at = checked.model_copy(update={"source": published, "columns": columns})
    session = Session(checked if with_source else looked_at, options)
    levels = solved_levels(checked, session)
    groups = known_groups(checked, session)
    if checked.is_sliced:
        require_judgeable(checked, groups, table, with_source=with_source)
    told = told_by(manifest, checked, session, table, options)
    files = [_file_of(place) for place in (table, values_place(table))]  # from the caller's folder
    tables = {"published_table": published}
    if checked.separates_sensitive:
        tables["published_counts"] = source_of(values_place(table), checked, options)
    with session.engine(*tables.values(), publishes=False) as engine:
        reader = TableReader(engine, session.plan)
        for name, read in tables.items():
            reader.read(name, "a table that promises are looked for in", read)
            check_nothing_hidden(engine, name, read, table)
        relations = [f"sqlanon.{name}" for name in tables]
        publication = publication_of(checked, *relations)
        check_counts(engine, publication, values_place(table))
        check_published_columns(engine, checked, publication.relation, table)
        if told is not None:
            drive(engine, told.compare(relations, files[: len(tables)], table))
            drive(engine, told.compare_suppressed(checked, relations[0], table))
        publication = replace(publication, levels=levels)
        session.check_columns(engine) if with_source else session.check_population(engine)
        if with_source and checked.publishes_buckets:
            groups = _deal_again(engine, session, session.plan)
            publication = publication_of(checked, *relations, groups=groups)
        elif with_source:
            drive(engine, _source_reference(session, session.plan))
        else:
            drive(engine, own_reference(session, session.plan, publication))
        if checked.publishes_buckets:
            publication = replace(publication, dealt=dealt_of(checked))
        search = verify_search(
            publication,
            own_reference=not with_source,
            list_failing=list_failing,
            with_values=with_values,
        )
        found = drive(engine, search)
        if with_source and checked.publishes_buckets:
            drive(engine, _rearranged(checked, groups))
        return in_plan_order(checked, [*found, *drive(engine, presence_findings(checked))])


@dataclass(frozen=True)
class Profile:
    """The risks of a table as it stands.

    Attributes:
        classes: class_count, row_count, unique_count, smallest, median and largest class size.
        uniqueness: share of rows whose quasi-identifiers no other row has, 0 to 1.
        measured: one entry per model and attribute: what a publication of these rows would hold.
        unknown_values: rows with a value that its hierarchy lacks, by attribute.
    """

    classes: dict[str, int]
    uniqueness: float
    measured: list[dict[str, Any]]
    unknown_values: dict[str, int]


@guarded
def profile(plan: PlanLike, options: Options | None = None) -> Profile:
    """What the source of a plan, published as it is, would hold of every model; nothing is changed.

    Raises:
        PlanError: the source is empty, or not what the plan says.
    """
    options = options or Options()
    checked = load_plan(plan, options.overrides)
    as_it_is = {"privacy": tuple(yardsticks(checked, (), ())), "method": Optimal()}
    looked_at = checked.model_copy(update=as_it_is)
    session = Session(looked_at, options)
    with session.engine(publishes=False) as engine:
        session.read_source(engine)
        if looked_at.counted_columns:
            rows = engine.execute(Step("ordered", _ORDERED, "rows"))
            ordered, numeric = [row[0] for row in rows], [row[0] for row in rows if row[1]]
            privacy = tuple(yardsticks(checked, ordered, numeric))
            looked_at = looked_at.model_copy(update={"privacy": privacy})
        hierarchies = session.hierarchies(copy=True)
        known = drive(engine, with_known_levels(looked_at, hierarchies))
        problems = drive(engine, hierarchy_problems(looked_at, known))
        publication = replace(
            publication_of(looked_at, "sqlanon.source_rows"),
            quasi_identifiers=list(looked_at.quasi_identifiers),
            located=[],
            levels=dict.fromkeys(looked_at.quasi_identifiers, 0),
        )
        findings = drive(engine, verify_search(publication, own_reference=True))
        step = Step("class_sizes", render("verify/class_sizes.sql"), "rows")
        (sizes,) = engine.execute(step)
    names = ("class_count", "row_count", "unique_count", "smallest", "median", "largest")
    classes = dict(zip(names, map(int, sizes), strict=True))
    return Profile(
        classes=classes,
        uniqueness=classes["unique_count"] / classes["row_count"],
        measured=[
            {
                "model": finding.model,
                **{key: finding.parameters[key] for key in _TOLD if key in finding.parameters},
                "measure": model.decided_by[0],
                "measured": plain(finding.measured),
            }
            for finding, model in zip(findings, looked_at.privacy, strict=True)
        ],
        unknown_values={row[0]: row[3] for row in problems if "without a row" in row[2]},
    )


_ORDERED = (
    "select attribute, count(number) > 0\nfrom sqlanon.counted_values\nwhere text is not null\n"
    "group by attribute\nhaving count(number) in (0, count(*))"
    " and not bool_or(coalesce(isnan(number) or isinf(number), false))"
)
"""The attributes whose values are all finite numbers, or none; and which of both."""

_TOLD = ("attribute", "kind", "distance", "l", "absent")
"""Parameters that tell which yardstick it is; the others are bounds that a profile does not use."""


def yardsticks(
    plan: Plan, ordered: Sequence[str], numeric: Sequence[str]
) -> Iterator[PrivacyModel]:
    """Every model that the columns of a plan allow, with bounds that do not matter.

    Args:
        plan: whose columns.
        ordered: the sensitive attributes whose values have an order.
        numeric: those whose values are numbers.
    """
    for cls in PRIVACY_MODELS:
        for parameters in cls.yardsticks:
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


class TableReader:
    """Makes views of tables that a plan does not name; each database is opened once.

    Args:
        engine: open for `plan`.
    """

    def __init__(self, engine: DuckDBEngine, plan: Plan) -> None:
        self._engine = engine
        self._plan = plan
        self._opened = {
            (plan.folder / file).resolve(): name for file, name in database_names(plan).items()
        }

    def read(self, name: str, holds: str, source: Source) -> None:
        """Make the view of a table; its values have the texts that those of a source would have.

        A CSV file is read as it was written: an empty text is no missing value.

        Args:
            name: of the view.
            holds: what the table is, for the SQL's reader.
        """
        inputs = source_inputs(self._plan.model_copy(update={"source": source, "population": None}))
        if source.database is not None:
            file = (self._plan.folder / source.database).resolve()
            if file not in self._opened:
                self._opened[file] = f"sqlanon_{name}"
                self._engine.attach(str(file), self._opened[file])
            inputs["relation"] = [self._opened[file], *source.database_table.split(".")]
        if inputs["kind"] == "csv":
            inputs["options"] = [*inputs["options"], ("allow_quoted_nulls", "false")]
        told = {key: inputs[key] for key in ("kind", "path", "one_file", "relation", "options")}

        def reading(columns: Sequence[tuple[str, str]]) -> Step:
            made = render(
                "verify/outside_table.sql", name=name, holds=holds, columns=columns, **told
            )
            return Step(name, made, "view")

        columns = [
            (column, as_read(column, kind, collated=not source.is_file))
            for column, kind in types_of(self._engine, f"(\n{reading([]).select}\n)").items()
        ]
        self._engine.execute(reading(columns))


def source_of(table: str, plan: Plan, options: Options) -> Source:
    """The published table as something to read: its file from the current folder.

    On a connection, a name that ends like a file's is a file.
    """
    if not isinstance(table, str | os.PathLike):
        raise PlanError(
            f"A table is named by a text, not by a {type(table).__name__}.",
            where="table",
            fix="give a file, FILE.duckdb::TABLE, or the name of a table of `connection=`",
        )
    table = checked_text(str(table), "table")
    if table == _own_table(plan):
        return plan.source
    has_ending = bool(Source.model_construct(path=table).file_format)
    is_file = "::" in table or "/" in table or has_ending
    if options.connection is not None and not is_file:
        named = validated(Source, {"table": table}, Places())
        return source_on_connection(plan, named, options.connection, table)
    file, separator, name = table.partition("::")
    is_there = is_regular(Path(file))
    if not is_there and not is_pattern(file):
        raise PlanError(
            f"The file '{brief(file)}' does not exist, or is no regular file.",
            where=brief(table),
            fix="check the path; it starts from the current folder",
        )
    found = {"path": f"{os.path.realpath(file)}{separator}{name}", "glob": not is_there}
    source = validated(Source, found, Places(file=brief(table)))
    if not separator and not source.file_format:
        raise PlanError(
            f"What kind of file '{brief(table)}' is does not show in its name.",
            where=table,
            fix="end it in .parquet, .csv or .json, or write FILE.duckdb::TABLE",
        )
    return source


def _own_table(plan: Plan) -> str | None:
    """The table of a plan that was made for it by `promised`."""
    return plan.source.path if plan.publish.path == _UNPUBLISHED else None


def own_solution(plan: Plan, session: Session) -> Solution | None:
    """The plan's solution, if it stands beside the plan and is one of it."""
    if not session.solution_file.is_file():
        return None
    try:
        return read_solution(session.solution_file, plan)
    except PlanError:
        return None


def solved_levels(plan: Plan, session: Session) -> dict[str, int]:
    """The levels that the plan's own solution publishes; none where there is no such solution."""
    solution = None if plan.population is None else own_solution(plan, session)
    return dict(solution.node) if isinstance(solution, FullDomainSolution) else {}


def own_reference(session: Session, plan: Plan, publication: Publication) -> Search[None]:
    """The values of a published table whose source is not at hand, as if it were the source."""
    population = plan.population is not None
    attributes = [attribute.name for attribute in publication.promises.attributes()]
    strata = plan.method.strata if isinstance(plan.method, DealingMethod) else {}
    if not attributes and not population and not strata:
        return
    yield from proven_steps(plan, population_steps(plan))
    sql = render(
        "verify/table_of_values.sql",
        attributes=attributes,
        strata=list(strata) if plan.publishes_buckets else [],
        quasi_identifiers=list(plan.quasi_identifiers) if population else [],
        population_count=population_count_name(plan),
        relation=publication.relation,
        unit=plan.unit,
    )
    yield Step("source_values", sql)
    yield from proven_steps(plan, counted_steps(plan))
    yield from _needed_hierarchies(session, plan)


def known_groups(plan: Plan, session: Session) -> Sequence[Sequence[str]]:
    """The column groups of the plan, else those of its own solution; none where neither has any."""
    solution = None if plan.column_groups else own_solution(plan, session)
    return solution.column_groups if isinstance(solution, PartitionSolution) else plan.column_groups


def require_judgeable(
    plan: Plan, groups: Sequence[Sequence[str]], table: str, *, with_source: bool
) -> None:
    """What a sliced table tells of its sensitive attributes can be judged.

    Raises:
        PlanError: the column groups are not known, or columns stand beside a sensitive attribute
            and the source is not read.
    """
    about_values = [model for model in plan.privacy if model.sensitive_attribute is not None]
    if not about_values or (with_source and not groups):  # they are found again
        return
    if not groups:
        raise PlanError(
            "Which columns were permuted together is not known, and so not what they tell together"
            " of a sensitive value.",
            where=table,
            fix="put the plan's own solution beside the plan, name the groups in the plan, or give"
            " --with-source",
        )
    untold = untold_of_companions(plan.privacy, groups, plan.sensitive_attributes)
    if untold is not None:
        raise PlanError(untold, where=table, fix=ALONE)
    beside = sliced_promises(plan.privacy, groups, plan.sensitive_attributes)
    if not with_source and any(sliced.companions for sliced in beside):
        raise PlanError(
            "Columns stand beside a sensitive attribute in its group, so how surely its values can"
            " be told depends on the rows of the source.",
            where=table,
            fix="give --with-source (with_source=True)",
        )


def told_by(
    manifest: str | Path | bool, plan: Plan, session: Session, table: str, options: Options
) -> Manifest | None:
    """What the manifest tells of the table; None where there is none to look at.

    Raises:
        PlanError: the manifest is broken, or of another version of the plan.
    """
    if manifest is False or (manifest is True and _own_table(plan) is not None):
        return None
    path = session.target / MANIFEST if manifest is True else Path(manifest)
    if manifest is True and not path.is_file():
        return None
    told = read_manifest(path)
    if manifest is True and not _is_same(told.published.path, table, plan, options):
        return None
    require_current(told, plan, path)
    return told


def _is_same(place: str, table: str, plan: Plan, options: Options) -> bool:
    """Whether a place of publication is this table."""
    if options.connection is not None and "::" not in table and "/" not in table:
        return place == table
    return _resolved(str(plan.folder / place)) == _resolved(table)


def _resolved(place: str) -> str:
    """A file, or a table in a file, wherever the path starts."""
    file, separator, name = place.partition("::")
    return f"{Path(file).resolve()}{separator}{name.removeprefix('main.')}"


def _file_of(table: str) -> Path | None:
    """The published file; None where the table stands in a database."""
    path = Path(table)
    return path.resolve() if "::" not in table and path.is_file() else None


def _deal_again(engine: DuckDBEngine, session: Session, plan: Plan) -> Sequence[Sequence[str]]:
    """Make the buckets of the source's rows anew, with a seed of chance where a seed decides.

    Returns:
        the column groups.
    """
    hierarchies = session.hierarchies(copy=True)
    recoding = recoding_of(plan)
    prepared = drive(engine, recoding.prepare(plan, hierarchies))
    solution = prepared.solution(drive(engine, run_search(plan, prepared.problem)))
    done = {entry.step for entry in engine.journal}
    for step in recoding.steps(plan, hierarchies, solution, _UNPUBLISHED):
        if step not in done and step.kind != "copy":
            engine.execute(step)
    return cast(PartitionSolution, solution).column_groups


def _rearranged(plan: Plan, groups: Sequence[Sequence[str]]) -> Search[None]:
    """Prove that the published buckets hold the source's rows; after `_deal_again`.

    Raises:
        PrivacyViolation: they do not.
    """
    rearranged = rearranged_of(plan, groups)
    if rearranged is None:
        return
    if plan.dealt_attribute is None:
        yield from held(rearranged.exact_steps())
        return
    yield from held(rearranged.seedless_steps(plan.dealt_attribute))
    if (yield from rearranged.impossible_buckets()):
        raise violated("matched_parts")


def _source_reference(session: Session, plan: Plan) -> Search[None]:
    """The values of the plan's source, with which the published classes are compared."""
    yield from proven_steps(plan, source_steps(plan))
    yield from _needed_hierarchies(session, plan)


def _needed_hierarchies(session: Session, plan: Plan) -> Search[None]:
    needed = {m.sensitive_attribute for m in plan.privacy if m.needs_value_levels}
    if isinstance(plan.method, DealingMethod) and plan.publishes_buckets:
        needed |= set(plan.method.strata)
    found = session.hierarchies(copy=True)
    kinds: dict[str, Kind] = {}
    if plan.population is not None and isinstance(plan.method, PartitionMethod):
        kinds = yield from kinds_of(plan)
        needed |= {name for name, kind in kinds.items() if kind == "categorical"}
    elif plan.population is not None:
        needed |= set(plan.quasi_identifiers)
    known = {name: hierarchy for name, hierarchy in found.items() if name in needed}
    known = yield from with_known_levels(plan, known)
    problems = yield from hierarchy_problems(plan, known)
    if problems:
        raise hierarchy_error(plan, problems)
    if kinds:
        yield from placed_values(plan, PartitionShape(known, kinds))


def check_nothing_hidden(engine: DuckDBEngine, name: str, source: Source, table: str) -> None:
    """Nothing stands in a published table but what its columns show.

    Args:
        name: the view of it.
        source: what the view reads.
        table: as the caller wrote it.

    Raises:
        PrivacyViolation: values can hide inside a column's values, or in a Parquet file's metadata.
    """
    types = types_of(engine, f"sqlanon.{name}")
    nested = [column for column, kind in types.items() if kind in NESTED]
    if nested:
        raise PrivacyViolation(
            f"The column '{nested[0]}' holds values inside values, where names can stand that no"
            " promise looks at.",
            where=table,
            fix="do not publish this table; give what may be published columns of their own",
        )
    if not source.is_file or source.file_format != "parquet":
        return
    sql = render("verify/file_metadata.sql", path=source.path, one_file=not source.is_pattern)
    ((keys,),) = engine.execute(Step("file_metadata", sql, "rows"))
    if keys:
        raise PrivacyViolation(
            f"The Parquet file has {keys} entries of metadata beside its columns, where names can"
            " stand; sqlanon writes none.",
            where=table,
            fix="do not publish this file; `copy (select * from 'FILE') to 'OTHER.parquet'` in"
            " DuckDB writes it without them",
        )


def types_of(engine: DuckDBEngine, relation: str) -> dict[str, str]:
    """Columns of a table, a view, or a select in parentheses, and the names of their types."""
    sql = f"select column_name, column_type\nfrom (describe select * from {relation})"
    return {row[0]: type_name(row[1]) for row in engine.execute(Step("columns", sql, "rows"))}


def check_counts(engine: DuckDBEngine, publication: Publication, table: str) -> None:
    """The second of two published tables has its three columns.

    Raises:
        PlanError: with the first that it has not.
    """
    tables = publication.tables
    if tables is None:
        return
    columns = {name.lower() for name in types_of(engine, tables.counts)}
    for name in (BUCKET, tables.attribute, tables.count):
        if name.lower() not in columns:
            raise PlanError(
                f"The table of values has no column '{name}'.",
                where=table,
                fix="give the table that was published beside the rows, as it was written",
            )


def check_published_columns(engine: DuckDBEngine, plan: Plan, relation: str, table: str) -> None:
    """The published table has the columns that a plan publishes, and no others.

    Raises:
        PlanError: a column is missing by which classes, persons or values are told.
        PrivacyViolation: an identifier stands in it, or a column that the plan does not know.
    """
    columns = {name.lower() for name in types_of(engine, relation)}
    for name in plan.class_columns:
        if name.lower() not in columns:
            raise PlanError(
                f"The table has no {'column' if name == BUCKET else 'quasi-identifier'} '{name}'.",
                where=table,
                fix="verify the table with the plan that it was published by",
            )
    looked_at = [plan.unit, *(attribute.name for attribute in plan.promises.attributes())]
    for name in filter(None, looked_at):
        if name.lower() not in columns:
            raise PlanError(
                f"The table has no column '{name}', which a promise looks at.",
                where=table,
                fix=did_you_mean(name, columns),
            )
    for name in plan.columns:
        if name not in plan.published_columns and name.lower() in columns:
            raise PrivacyViolation(
                f"The identifier '{name}' stands in the table.",
                where=table,
                fix="do not publish this table",
            )
    unknown = columns - {name.lower() for name in (*plan.columns, *plan.class_columns)}
    if unknown and _own_table(plan) is None:  # options name only the columns that matter
        raise PrivacyViolation(
            f"The plan does not know the column(s) {', '.join(sorted(unknown))} of the table.",
            where=table,
            fix="do not publish this table; verify it with the plan that it was published by",
        )
