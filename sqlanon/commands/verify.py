"""Verifies a published table: its promises, its manifest, and its buckets."""

from __future__ import annotations

import contextlib
import os.path
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Unpack

from sqlanon.boundary import guarded
from sqlanon.boundary.part import validated
from sqlanon.boundary.text import Places, plain_content
from sqlanon.commands.options import Inputs, Options, PlanLike, command, merged_options
from sqlanon.commands.session import Session, execute_rest, open_session
from sqlanon.commands.tables import PublishedTables, table_text
from sqlanon.discovery.standards import checklist
from sqlanon.engines.base import Engine, drive
from sqlanon.engines.duckdb import DuckDBEngine
from sqlanon.errors import PlanError
from sqlanon.families.solution import Solution
from sqlanon.plan.file import load_plan
from sqlanon.plan.plan import Plan
from sqlanon.plan.standards import Standard
from sqlanon.plan.tables import SOURCE_DATA, Source, names_file
from sqlanon.privacy_models import PRIVACY_MODELS
from sqlanon.program.program import compile_program, program_steps
from sqlanon.proof.external_tables import (
    UNPUBLISHED,
    check_counts,
    check_metadata,
    check_nothing_nested,
    check_published_columns,
    own_reference,
    own_table,
    source_reference,
    types_of,
)
from sqlanon.proof.findings import Findings, in_plan_order, presence_findings, proven_findings
from sqlanon.proof.publication import persons_of, publication_of
from sqlanon.proof.rearrangement import dealing_proofs, rearranged_of
from sqlanon.proof.violations import held, violated
from sqlanon.publication.manifest import MANIFEST, Manifest, read_manifest, require_current
from sqlanon.registry import default_of
from sqlanon.search.slicing import sliced_promises, unkept_promise
from sqlanon.source.columns import check_columns, check_population
from sqlanon.sql.paths import PathMap, literal_pattern
from sqlanon.sql.step import Search

ABOUT_VALUES = frozenset(
    default_of(cls, "model") for cls in PRIVACY_MODELS if "attribute" in cls.model_fields
)
"""Names of the models that protect a sensitive attribute."""


@guarded
def promised(
    source: Mapping[str, Any],
    quasi_identifiers: Sequence[str],
    sensitive: Sequence[str],
    privacy: Sequence[Mapping[str, Any]],
    kept: Sequence[str] = (),
    **others: Any,
) -> Plan:
    """A plan for a table without one: its classes, sensitive attributes and promises.

    A promise about a sensitive attribute that names none is made for each attribute. A column that
    is both a quasi-identifier and sensitive has one published value in every class, so no promise
    about its diversity can hold, and it is reported so.

    Args:
        source: as in a plan, such as {"path": "table.csv", "delimiter": ";"}.
        quasi_identifiers: the columns that form classes; no hierarchy is needed.
        sensitive: the columns that nobody should learn.
        privacy: entries as in a plan's `privacy`.
        kept: all columns of the table, if it must be known what else it has.
        others: further keys of a plan, such as population and unit.
    """
    privacy = plain_content(list(privacy), Places())
    columns: dict[str, Any] = {name: {"role": "sensitive"} for name in sensitive}
    if others.get("unit"):  # the table has the key, so the rows of a person can be joined
        columns = {others["unit"]: {"role": "insensitive"}, **columns}
        others["unit"] = {"column": others["unit"], "histories": "linked"}
    columns |= {name: {"role": "quasi-identifier"} for name in quasi_identifiers}
    known = {str(name).lower() for name in columns}
    columns |= {name: {"role": "insensitive"} for name in kept if name.lower() not in known}
    entries: list[dict[str, Any]] = []
    for entry in privacy:
        if not isinstance(entry, Mapping):
            raise PlanError(
                "A promise must be a mapping with a model and its parameters.",
                where="privacy",
                fix="write it as in a plan, such as {model: k-anonymity, k: 5}",
            )
        about_values = str(entry.get("model")) in ABOUT_VALUES and "attribute" not in entry
        attributes: Sequence[str | None] = sensitive if about_values and sensitive else [None]
        entries += [
            {**entry, "attribute": name} if name is not None else dict(entry) for name in attributes
        ]
    content = {"source": dict(source), "columns": columns, "privacy": entries}
    return load_plan({**content, "publish": UNPUBLISHED, **others})


@command
def verify(
    table: object,
    plan: PlanLike | None = None,
    options: Options | None = None,
    *,
    quasi_identifiers: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    k: int | None = None,
    l: Any = None,  # noqa: E741 - the letter of the papers
    kind: str = "distinct",
    c: Any = None,
    t: Any = None,
    distance: str = "equal",
    alpha: Any = None,
    promises: Sequence[Mapping[str, Any]] = (),
    population: str | None = None,
    unit: str | None = None,
    delimiter: str | None = None,
    standard: str | Mapping[str, Any] | None = None,
    acknowledge: Sequence[str] = (),
    with_source: bool = False,
    manifest: str | Path | bool = True,
    list_failing: int = 0,
    with_values: bool = False,
    **inputs: Unpack[Inputs],
) -> Findings:
    """What a published table holds of a plan's promises, measured from its rows alone.

    Args:
        table: a Parquet, CSV or JSON file, FILE.duckdb::TABLE, or a table of the connection;
            without a plan also a DataFrame, or anything else that `source` may be.
        plan: names the quasi-identifiers, the promises and the population. Without a plan, the
            keywords up to `delimiter` say what is promised.
        quasi_identifiers: columns that form classes.
        sensitive: columns that nobody should learn; each promise about values applies to each.
        k: of k-anonymity, or with `alpha` of (alpha,k)-anonymity.
        l, kind, c: of l-diversity; c if it is recursive.
        t, distance: of t-closeness: equal or ordered.
        promises: further ones, as in a plan: `{"model": "beta-likeness", "beta": 2}`.
        standard, acknowledge: a check list, as in a plan, and what an officer confirms of it.
            With hipaa-safe-harbor, neither quasi-identifiers nor a promise are needed.
        population, unit, delimiter: a table that contains the rows' persons, the column that
            identifies persons, and the delimiter of a CSV file.
        with_source: also read the plan's source, and compare classes with all its rows instead of
            the published ones; also prove that buckets are a rearrangement of its rows.
        manifest: the file of the manifest of the run that published the table; True: the plan's
            own manifest, if it exists and names this table; False: none.
        list_failing: how many failing classes of each promise to list: sizes and measures.
        with_values: also list their quasi-identifiers.

    Raises:
        PlanError: the table does not exist or lacks a quasi-identifier; the manifest is broken or
            belongs to another version of the plan; or a sliced table cannot be judged without its
            source.
        PrivacyViolation: the table is empty or contains an identifier, differs from the manifest,
            or its buckets are not a rearrangement of the source's rows.
    """
    stated = {"quasi_identifiers": quasi_identifiers, "sensitive": sensitive, "k": k, "l": l,
              "c": c, "t": t, "alpha": alpha, "promises": promises, "population": population,
              "unit": unit, "delimiter": delimiter, "standard": standard,
              "acknowledge": list(acknowledge)}  # fmt: skip
    stated = {name: value for name, value in stated.items() if value not in (None, (), [], "")}
    if plan is None and not isinstance(table, str | Path):
        inputs["source"], table = table, SOURCE_DATA
    table = table_text(table)
    if plan is None and with_source:
        raise PlanError(
            "Without a plan there is no source to compare with.",
            where="--with-source",
            fix="give a plan, or leave out --with-source (with_source)",
        )
    options = merged_options(options, **inputs)
    place = stated_source(table, stated, options)
    if plan is None and standard is not None:
        stated["kept"] = _columns_of(table, place, options)
    plan = _stated_plan(place, plan, stated, kind, distance)
    session = open_session(plan, options)
    checked = session.checked
    tables = PublishedTables.at(table, checked, session.options)
    makes_again = with_source and bool(checked.form.bucket or checked.hides_persons)
    is_cut = with_source and checked.unit is not None and checked.unit.rows is not None
    if is_cut or (makes_again and checked.has_pseudonyms and checked.has_random_pseudonyms):
        raise PlanError(
            f"The {'rows of each person' if is_cut else 'pseudonyms'} depend on a key that is not"
            " known here, so the published rows cannot be made again.",
            where=checked.where("unit" if is_cut else "columns"),
            fix="leave out --with-source (with_source)",
        )
    nodes = solved_nodes(session, table)
    groups = session.column_groups()
    if checked.method.is_sliced:
        require_judgeable(checked, groups, table, with_source=with_source)
    recorded = recorded_by(manifest, session, table)
    if not with_source:
        session = session.of(checked.of_publication(tables.sources[0]))
    find_hierarchies = partial(session.hierarchies, copy=True)
    with session.engine(*tables.sources, publishes=makes_again) as engine:
        tables.read(engine, session.plan, "a table that promises are looked for in")
        for name, source in zip(tables.names, tables.sources, strict=True):
            names = drive(engine, check_nothing_nested(name, table))
            _check_files(session.plan, source, names, table, engine)
        publication = publication_of(checked, *tables.relations)
        drive(engine, check_counts(publication, tables.places[-1]))
        drive(engine, check_published_columns(checked, tables.relations[0], table))
        if recorded is not None:
            tables.compare(engine, recorded)
            drive(engine, recorded.compare_suppressed(checked, tables.relations[0], table))
        session.bind(engine, check_columns if with_source else check_population)
        if makes_again:
            groups = _make_again(engine, session)
            persons = persons_of(checked, "sqlanon.person_rows")
            publication = publication_of(checked, *tables.relations, groups=groups)
            publication = replace(publication, persons=persons)
        publication = replace(publication, nodes=nodes)
        if not with_source:
            drive(engine, own_reference(session.plan, publication, find_hierarchies))
        elif not makes_again:
            drive(engine, source_reference(session.plan, find_hierarchies))
        if checked.form.bucket:
            proofs = [*publication.row_proofs, *dealing_proofs(checked)]
            publication = replace(publication, row_proofs=proofs)
        search = proven_findings(
            publication,
            own_reference=not with_source,
            proven_by_run=recorded is not None,
            list_failing=list_failing,
            with_values=with_values,
        )
        measured = drive(engine, search)
        if with_source and checked.form.bucket:
            drive(engine, _rearranged(checked, groups))
        findings = in_plan_order(checked, [*measured, *drive(engine, presence_findings(checked))])
        shows_persons = not publication.hides_persons or bool(publication.shown_count)
        listed = drive(engine, checklist(checked, shows_persons=shows_persons))
    is_list_alone = "kept" in stated and not stated.keys() & {"k", "l", "t", "promises"}
    return Findings([] if is_list_alone else findings, table, listed)


_NO_PROMISE = {"model": "prosecutor-risk", "threshold": 1}
"""What every table holds; in a plan for a check list alone."""


def _columns_of(table: str, source: Mapping[str, Any], options: Options) -> list[str]:
    """The columns of a table without a plan."""
    session = Session(promised(source, ["any"], [], [_NO_PROMISE]), options)
    tables = PublishedTables.at(table, session.plan, session.options)
    with session.engine(publishes=False) as engine:
        tables.read(engine, session.plan, "a table whose columns are looked at")
        return list(drive(engine, types_of(tables.relations[0])))


def stated_source(table: str, stated: Mapping[str, Any], options: Options) -> dict[str, Any]:
    """A table without a plan, as a plan names it."""
    delimiter = {name: stated[name] for name in ("delimiter",) if stated.get(name)}
    is_table = table == SOURCE_DATA or (options.connection is not None and not names_file(table))
    return {"table" if is_table else "path": table, **delimiter}


def refuse_both(stated: Mapping[str, Any], what: str, where: str, instead: str) -> None:
    """Check that nothing is stated beside a plan, which both would say."""
    if stated:
        raise PlanError(
            f"The plan and {next(iter(stated))} both say {what}.",
            where=where,
            fix=f"give either a plan or {instead}; --set (overrides) changes a plan",
        )


def _stated_plan(
    source: Mapping[str, Any], plan: PlanLike | None, stated: Mapping[str, Any], kind: str,
    distance: str,
) -> PlanLike:  # fmt: skip
    """The plan, or that of keywords of `verify` if there is none."""
    if plan is not None:
        refuse_both(stated, "what is promised", "verify", "promises")
        return plan
    quasi_identifiers = stated.get("quasi_identifiers", ())
    privacy = [*_promises(stated, kind, distance), *stated.get("promises", ())]
    if "standard" in stated:
        standard = stated["standard"]
        keys = {"name": standard} if isinstance(standard, str) else standard
        if validated(Standard, keys, Places()).tests_values:
            quasi_identifiers = quasi_identifiers or stated["kept"][:1]
        privacy = privacy or [_NO_PROMISE]
    if not (quasi_identifiers and privacy):
        raise PlanError(
            "Without a plan, quasi-identifiers and a promise are required.",
            where="verify",
            fix="give a plan, or, for example, --quasi-identifiers age,sex --sensitive job --k 5",
        )
    keys = ("population", "unit", "kept", "standard", "acknowledge")
    others = {name: stated[name] for name in keys if name in stated}
    return promised(source, quasi_identifiers, stated.get("sensitive", ()), privacy, **others)


def _promises(stated: Mapping[str, Any], kind: str, distance: str) -> Iterator[dict[str, Any]]:
    """The entries of a plan's `privacy` that letters stand for."""
    k, diversity, c, t, alpha = (stated.get(name) for name in ("k", "l", "c", "t", "alpha"))
    for option, needed, is_wrong in (
        ("c", "l and the kind recursive", c is not None and kind != "recursive"),
        ("kind", "l", kind != "distinct" and diversity is None),
        ("kind recursive", "c", kind == "recursive" and c is None),
        ("distance", "t", distance != "equal" and t is None),
        ("alpha", "k", alpha is not None and k is None),
    ):
        if is_wrong:
            raise PlanError(f"{option} needs {needed}.", where="verify", fix=f"give {needed} too")
    if distance == "hierarchical":
        raise PlanError(
            "Without a plan there is no hierarchy to measure distances with.",
            where="distance",
            fix="give a plan, or choose equal or ordered",
        )
    if alpha is not None:
        yield {"model": "alpha-k-anonymity", "alpha": alpha, "k": k}
    elif k is not None:
        yield {"model": "k-anonymity", "k": k}
    if diversity is not None:
        more = {} if c is None else {"c": c}
        yield {"model": "l-diversity", "kind": kind, "l": diversity, **more}
    if t is not None:
        yield {"model": "t-closeness", "distance": distance, "t": t}


def require_judgeable(
    plan: Plan, groups: Sequence[Sequence[str]], table: str, *, with_source: bool
) -> None:
    """Check that a sliced table can be judged."""
    about_values = [model for model in plan.privacy if model.sensitive_attribute is not None]
    if not about_values or (with_source and not groups):  # the groups are found again
        return
    if not groups:
        raise PlanError(
            "It is unknown which columns were permuted together, and so what they reveal together"
            " of a sensitive value.",
            where=table,
            fix="put the plan's own solution next to the plan, name the groups in the plan, or give"
            " --with-source",
        )
    unkept = unkept_promise(plan.privacy, groups, plan.sensitive_attributes)
    if unkept is not None:
        raise PlanError(unkept[0], where=table, fix=unkept[1])
    promises = sliced_promises(plan.privacy, groups, plan.sensitive_attributes)
    if not with_source and any(promise.companions for promise in promises):
        raise PlanError(
            "Columns share a group with a sensitive attribute, so how surely its values can be"
            " inferred depends on the rows of the source.",
            where=table,
            fix="give --with-source (with_source=True)",
        )


def solved_nodes(session: Session, table: str) -> Sequence[Mapping[str, int]]:
    """The nodes by which a population is divided; if there are none, labels show their level."""
    plan = session.checked
    nodes = session.solved_nodes(plan.population)
    if plan.population is not None and plan.placed_from > 1 and not nodes:
        raise PlanError(
            "It is unknown which passes placed the rows, and so of whom in the population they"
            " can be.",
            where=table,
            fix="put the plan's own solution next to the plan",
        )
    return nodes


def recorded_by(manifest: str | Path | bool, session: Session, table: str) -> Manifest | None:
    """What the manifest records of the table; None if there is no manifest to compare with."""
    plan = session.checked
    if manifest is False or (manifest is True and own_table(plan) is not None):
        return None
    path = session.target / MANIFEST if manifest is True else Path(manifest)
    if manifest is True and not path.is_file():
        return None
    recorded = read_manifest(path)
    if manifest is True and not _is_same(recorded.published.path, table, plan):
        return None
    require_current(recorded, plan, path)
    return recorded


def _is_same(place: str, table: str, plan: Plan) -> bool:
    """Whether a place of publication is this table."""
    if plan.publish.table is not None:
        return place == table
    return _resolved(str(plan.folder / place)) == _resolved(table)


def _resolved(place: str) -> str:
    """A file, or a table in a file, with an absolute path."""
    file, separator, name = place.partition("::")
    return f"{os.path.realpath(file)}{separator}{name.removeprefix('main.')}"


def _make_again(engine: Engine, session: Session) -> Sequence[Sequence[str]]:
    """Make the buckets, or the rows with their persons, of the source again.

    A random seed is drawn if the method needs one.
    """
    plan = session.plan
    prepared = session.prepared(engine)
    # With another seed, relaxed cuts make other buckets, which need not hold the promises.
    is_stated = plan.method.is_relaxed or plan.hides_persons
    stated = session.solution_if_any() if is_stated else None
    solution: Solution = stated or drive(engine, prepared.search())
    program = compile_program(plan, prepared, solution, UNPUBLISHED)
    execute_rest(engine, program_steps(program), published=False)
    return solution.groups(plan)


def _rearranged(plan: Plan, groups: Sequence[Sequence[str]]) -> Search[None]:
    """Prove that the published buckets contain the source's rows; after `_made_again`."""
    rearranged = rearranged_of(plan, groups)
    if rearranged is None:
        return
    if plan.dealt_attribute is None and not plan.method.is_relaxed:
        yield from held(rearranged.exact_steps())
        return
    yield from held(rearranged.seedless_steps(plan.dealt_attribute))
    if (yield from rearranged.impossible_buckets()):
        raise violated("matched_parts")


def _check_files(
    plan: Plan, read: Source, columns: Sequence[str], table: str, engine: Engine
) -> None:
    """Check the metadata of published Parquet files, wherever their rows are read."""
    if not read.is_file or read.file_format != "parquet" or read.path is None:
        return
    if plan.engine.shows_metadata:
        is_one = not read.is_pattern
        drive(engine, check_metadata(read.path, columns, table, one_file=is_one))
        return
    folder = plan.folder / read.path
    paths = folder.rglob("*") if folder.is_dir() else [folder]
    shown = (file for file in paths if file.is_file() and not file.name.startswith((".", "_")))
    files = sorted(map(str, shown))
    readable = [*files, *map(literal_pattern, files)]
    here = DuckDBEngine(plan, PathMap(plan.folder), readable=readable, publishes=False)
    with contextlib.closing(here):
        for file in files:
            drive(here, check_metadata(file, columns, table, one_file=True))
