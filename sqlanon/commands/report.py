"""Writes the report of a publication: a page for those who keep the source, and one for readers."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Unpack

from sqlanon.attacker.attempts import OUT_OF_TIME, requested_attacks
from sqlanon.boundary.files import write_whole
from sqlanon.commands.attack import attack_tables
from sqlanon.commands.options import Inputs, Options, PlanLike, command
from sqlanon.commands.session import Session, open_session
from sqlanon.commands.tables import PublishedTables
from sqlanon.engines.base import Engine, drive
from sqlanon.errors import PlanError, ReportError, SqlanonError, brief
from sqlanon.families.base import Family
from sqlanon.families.header import published_columns
from sqlanon.families.lattice_view import LatticeView
from sqlanon.families.solution import Solution
from sqlanon.families.suppressed import SuppressedGroups
from sqlanon.pages.content import Attempts, Internal, report_page
from sqlanon.pages.facts import (
    PublishedFacts,
    SourceFacts,
    published_facts,
    source_facts,
    tree_regions,
)
from sqlanon.pages.html import MOST_CHARACTERS
from sqlanon.plan.plan import Plan
from sqlanon.program.program import compile_program
from sqlanon.proof.publication import persons_of, publication_of
from sqlanon.proof.steps import verify_steps
from sqlanon.publication.manifest import MANIFEST, REPORTS, read_manifest, require_current
from sqlanon.search.lattice import Node
from sqlanon.search.partition import PARTITION_TREE
from sqlanon.sql.step import PERSON_ROWS, Search

MOST_ATTACKED = 200_000
"""Published rows up to which a report tries attacks."""

ATTACK_SECONDS = 5.0
"""Time after which a report begins no other attack."""


MOST_RELEASES = 12
"""Nodes of a lattice whose `release.sql` a report has; fewer if the texts are long."""


@dataclass(frozen=True)
class Gathered:
    """What a report shows.

    Attributes:
        published: what the published rows show.
        source: what only the source shows; None for an external edition alone.
        words: what becomes of each column.
        releases: of nodes of the lattice the `release.sql` that each would give.
    """

    published: PublishedFacts
    source: SourceFacts | None = None
    words: Mapping[str, str] | None = None
    releases: Mapping[Node, str] = field(default_factory=dict)


@command
def report(
    plan: PlanLike,
    options: Options | None = None,
    *,
    edition: str = "internal",
    output: str | Path | None = None,
    **inputs: Unpack[Inputs],
) -> Path:
    """Write the report of the plan's publication, as the last run left it.

    The internal edition reads the source again, and searches nothing; the external one reads the
    publication alone.

    Args:
        edition: internal or external.
        output: the file, which ends in .html; `report.html` or `report-external.html` in the target
            folder when not given.
        connection, source, overrides: short for options of these names.

    Returns:
        the file.

    Raises:
        PlanError: there is no publication or no manifest of this version of the plan, or the source
            has changed since.
        PrivacyViolation: the published table is not the one of the manifest.
        ReportError: the page cannot be written.
    """
    if edition not in REPORTS:
        raise PlanError(
            f"There is no edition '{brief(edition)}'.",
            where="--edition",
            fix="write internal or external",
        )
    session = open_session(plan, options, **inputs)
    file = session.target / REPORTS[edition] if output is None else Path(output)
    if file.suffix.lower() != ".html":
        raise PlanError(
            f"'{brief(str(file))}' is not the name of a page.",
            where="--output",
            fix="end the name in .html",
        )
    manifest = _manifest(session)
    gathered = _gathered_again(session, manifest, with_source=edition == "internal")
    attempts = _attempts(session, gathered.published.rows)
    _write_page(session, manifest, gathered, attempts, edition, file)
    return file


def gathered(
    session: Session,
    engine: Engine,
    prepared: Family[Any],
    solution: Solution,
    groups: Sequence[SuppressedGroups],
    losses: Mapping[str, float],
) -> Gathered:
    """What a report shows of the tables that a run has made and measured."""
    published = drive(engine, published_facts(session.plan))
    source = drive(engine, source_facts(session.plan, prepared, solution, groups, losses))
    found = prepared.words(solution)
    columns = published_columns(session.plan, found, losses, published.widths)
    words = {one.name: one.published_as or "not published" for one in columns}
    return Gathered(published, source, words, _releases(session, engine, prepared, source.lattice))


def _releases(
    session: Session, engine: Engine, prepared: Family[Any], view: LatticeView | None
) -> dict[Node, str]:
    """The `release.sql` of the nodes that a reader is most likely to compare."""
    texts: dict[Node, str] = {}
    if view is None or not view.nodes:
        return texts
    for node in view.satisfying[:MOST_RELEASES]:
        levels = dict(zip(view.attributes, node.levels, strict=True))
        solution, _ = drive(engine, prepared.chosen(levels, session.read_solution))
        program = compile_program(session.plan, prepared, solution, session.staged_in_sql)
        texts[node.levels] = program.release_sql
        if sum(map(len, texts.values())) > MOST_CHARACTERS:
            break
    return texts


def begun_reports(
    session: Session, engine: Engine, *made: Any
) -> Callable[[Mapping[str, Any]], tuple[Path, ...]]:
    """What writes both editions when the run has published, and has a manifest; see `gathered`."""
    content: Gathered | Exception
    try:
        content = gathered(session, engine, *made)
    except Exception as error:  # which is no reason not to publish
        content = error
    return partial(_write_reports, session, content)


def _write_reports(
    session: Session, content: Gathered | Exception, manifest: Mapping[str, Any]
) -> tuple[Path, ...]:
    files = [session.target / name for name in REPORTS.values()]
    try:
        if isinstance(content, Exception):
            raise content
        attempts = _attempts(session, content.published.rows)
        for edition, file in zip(REPORTS, files, strict=True):
            _write_page(session, manifest, content, attempts, edition, file)
    except Exception as error:
        why = error.what if isinstance(error, SqlanonError) else type(error).__name__
    else:
        return tuple(files)
    raise ReportError(
        f"The rows are proven and published, but the report could not be written: {why}",
        where="report",
        fix="run `sqlanon report PLAN`; the publication need not be made again",
    )


def _write_page(
    session: Session,
    manifest: Mapping[str, Any],
    gathered: Gathered,
    attempts: Attempts,
    edition: str,
    file: Path,
) -> None:
    """Write one edition."""
    plan = session.plan
    internal, published = None, gathered.published
    if edition == "internal":
        assert gathered.source is not None
        assert gathered.words is not None
        internal = Internal(
            gathered.source,
            manifest,
            gathered.words,
            _plan_text(plan),
            (session.target / "release.sql").read_text(encoding="utf-8"),
            gathered.releases,
            tree_regions(session.target / PARTITION_TREE),
        )
    else:
        attempts, published = _from_publication_alone(attempts), published.shown
    promises, tables = manifest["privacy"], manifest["published"]
    standard = manifest.get("standard")
    page = report_page(plan, promises, tables, published, attempts, internal, standard)
    try:
        write_whole(file, page)
    except OSError as error:
        raise ReportError(
            f"The report cannot be written ({type(error).__name__}).",
            where=file.name,
            fix="check that its folder exists and can be written",
        ) from None


def _attempts(session: Session, rows: int) -> Attempts:
    """The findings of the plan's attacks, or of all, as far as they take little time."""
    place = published_place(session.plan)
    command = f"sqlanon attack {Path(place.partition('::')[0]).name} --plan {session.plan.file}"
    if rows > MOST_ATTACKED:
        return Attempts(
            (), f"The publication has many rows, so no attack was tried. To try them: {command}"
        )
    try:
        findings = attack_tables(session, {"published": place}, seconds=ATTACK_SECONDS)
    except SqlanonError as error:
        return Attempts((), f"Attacks could not be tried: {error.what} To try them: {command}")
    late = sum(finding.reason == OUT_OF_TIME for finding in findings)
    more = f"{late} attack(s) were not begun, for time. To try them: {command}" if late else ""
    return Attempts(findings, more)


def published_place(plan: Plan) -> str:
    """The published table as a command names it."""
    if plan.publish.table is not None:
        return plan.publish.table
    return str(plan.folder / (plan.publish.path or ""))


def _manifest(session: Session) -> dict[str, Any]:
    """The manifest of the plan's last run."""
    path = session.target / MANIFEST
    if not path.is_file():
        raise PlanError(
            "There is no manifest, so nothing is known of a publication.",
            where=path.name,
            fix="run the plan first: `sqlanon run PLAN`",
        )
    require_current(read_manifest(path), session.plan, path)
    manifest: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return manifest


def _gathered_again(
    session: Session, manifest: Mapping[str, Any], *, with_source: bool
) -> Gathered:
    """What a report shows, from the files that a run left."""
    plan = session.checked
    tables = PublishedTables.at(published_place(plan), plan, session.options)
    if not with_source:  # nothing but the publication can be read
        session = session.of(plan.of_publication(tables.sources[0], population=None))
    with session.engine(*tables.sources, publishes=False) as engine:
        tables.read(engine, session.plan, "a table that a report is about")
        tables.compare(engine, read_manifest(session.target / MANIFEST))
        if not with_source:
            drive(engine, _classes(plan, tables.relations, ""))
            return Gathered(drive(engine, published_facts(session.plan)))
        prepared, solution = _made_again(session, engine, manifest)
        drive(engine, _classes(plan, tables.relations, f"sqlanon.{PERSON_ROWS}"))
        groups = drive(engine, prepared.suppressed_groups(solution))
        losses = drive(engine, prepared.column_losses(solution))
        return gathered(session, engine, prepared, solution, groups, losses)


def _classes(plan: Plan, relations: Sequence[str], person_rows: str) -> Search[None]:
    """The published rows and their classes, without the population."""
    publication = publication_of(plan, *relations)
    publication = replace(
        publication,
        promises=replace(publication.promises, population=False),
        located=[],
        persons=persons_of(plan, person_rows),
    )
    names = ("published_rows", "published_histories", "published_combinations",
             "published_equivalence_classes")  # fmt: skip
    for step in verify_steps(publication, with_models=False):
        if step.name in names:
            yield step


def _made_again(
    session: Session, engine: Engine, manifest: Mapping[str, Any]
) -> tuple[Family[Any], Solution]:
    """The prepared problem and its solution, with its classes; nothing is searched."""
    if session.plan.unit is not None and session.plan.unit.rows is not None:
        raise PlanError(
            "The rows of each person were chosen by a key that no run keeps, so the source cannot"
            " be cut to the same rows again.",
            where=session.plan.where("unit"),
            fix="write the report with `sqlanon run --report`, or the external edition alone",
        )
    session.bind(engine)
    stated = session.read_solution()
    prepared = session.prepared(engine)
    solution = stated
    if not session.plan.method.is_seeded:  # with another seed, other classes would be made
        solution = drive(engine, prepared.applied(stated))
        if prepared.needs_classes or session.plan.hides_persons:
            session.make_classes(engine, prepared, solution)
    rows = manifest["rows"]
    now = (prepared.problem.row_count, solution.published_rows, solution.suppressed_rows)
    if now != (rows["input"] - rows["dropped"], rows["published"], rows["suppressed"]):
        raise PlanError(
            "The source has changed since the run that published.",
            where=session.plan.where("source"),
            fix="run the plan again, or write the external edition, which does not read the source",
        )
    return prepared, solution


def _plan_text(plan: Plan) -> str:
    """The text of the plan's file, or its content if it has no file."""
    file = plan.folder / plan.file
    if plan.file != plan.name and file.is_file():
        return file.read_text(encoding="utf-8", errors="replace")
    content = plan.model_dump(mode="json", exclude_unset=True)
    return json.dumps(content, indent=2, ensure_ascii=False)


def _from_publication_alone(attempts: Attempts) -> Attempts:
    """The findings of attacks that need nothing but the publication."""
    alone = {
        (each.name, each.variant)
        for each in requested_attacks(())
        if not {"population", "background", "earlier"}.intersection(each.own_form.needs)
    }
    kept = [one for one in attempts.findings if (one.attack, one.variant) in alone]
    not_tried = "Attacks that need more than the publication are not shown."
    return Attempts([one for one in kept if one.tried], not_tried)
