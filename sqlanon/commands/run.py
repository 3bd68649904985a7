"""The whole sequence: solve, release, verify, publish, or nothing at all."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb

from sqlanon.boundary import guarded
from sqlanon.commands.compile import written
from sqlanon.commands.inputs import check_compressed
from sqlanon.commands.options import Options, PlanLike, settled
from sqlanon.commands.report import REPORTS, gathered_or_error, write_reports
from sqlanon.commands.session import Session
from sqlanon.commands.solve import Clock, execute_rest, locked, solved, write_found
from sqlanon.display.html import Table
from sqlanon.display.tabular import Tabular, needed
from sqlanon.engines.base import Engine, drive
from sqlanon.engines.duckdb_errors import engine_error
from sqlanon.errors import EngineError, PrivacyViolation
from sqlanon.pages.figures import require_charts
from sqlanon.plan.overrides import Overrides
from sqlanon.plan.plan import Plan
from sqlanon.proof.findings import Finding, bounds_text, proven_findings, violation
from sqlanon.proof.plan_publication import staged_publication
from sqlanon.proof.presence import in_plan_order, presence_findings
from sqlanon.proof.publication import file_relation
from sqlanon.publication.manifest import (
    MANIFEST,
    OUTSIDE,
    described,
    json_text,
    manifest_of,
    outside_of,
)
from sqlanon.publication.ready import Ready
from sqlanon.release.header import PublishedColumn, published_columns
from sqlanon.release.persons import released_persons
from sqlanon.release.program import copy_others, program_steps
from sqlanon.release.suppressed import SuppressedGroups
from sqlanon.release.way import BUCKET_DISTANCES, PARTITION_TREE
from sqlanon.search.scales import CutAttribute
from sqlanon.solution.base import Solution
from sqlanon.sql.paths import Places, literal_pattern
from sqlanon.sql.render import text
from sqlanon.sql.step import quoted

_LOG = logging.getLogger("sqlanon")


@dataclass(frozen=True)
class RunResult(Tabular):
    """The result of a run.

    Attributes:
        manifest: what was asked, found, measured and published; no value of a source row.
        target: folder with the program's SQL files and the manifest.
        plan: the plan that was published, with its folder.
        connection: the caller's connection, if one was given.
        columns: what became of every column.
        suppressed_groups: whom suppression hits: for each quasi-identifier its groups, with their
            rows and those of them that are left out. Labels of groups with too few published rows
            are withheld. Counts of the source: not for those who get the publication.
        reports: the pages that were written, internal and external.
    """

    manifest: dict[str, Any]
    target: Path
    plan: Plan
    connection: duckdb.DuckDBPyConnection | None
    columns: tuple[PublishedColumn, ...]
    suppressed_groups: tuple[SuppressedGroups, ...] = field(repr=False)
    reports: tuple[Path, ...] = ()

    @property
    @guarded
    def published(self) -> duckdb.DuckDBPyRelation:
        """The publication, for further use; opened again each time, so that nothing stays open.

        This is a table on the caller's connection, or else a relation of a separate connection.

        Raises:
            EngineError: it does not exist any more.
        """
        try:
            return self._opened()
        except duckdb.Error as error:
            refusal = engine_error(error, "published")
        raise refusal

    def records(self) -> list[dict[str, Any]]:
        """The published rows."""
        relation = self.published
        return [dict(zip(relation.columns, row, strict=True)) for row in relation.fetchall()]

    @guarded
    def df(self) -> Any:
        """The published rows as a `pandas.DataFrame`.

        Raises:
            EngineError: pandas is not installed, or the publication does not exist any more.
        """
        needed("pandas")
        return self.published.df()

    @guarded
    def pl(self) -> Any:
        """The published rows as a `polars.DataFrame`.

        Raises:
            EngineError: polars is not installed, or the publication does not exist any more.
        """
        return needed("polars").DataFrame(self.published)

    @guarded
    def arrow(self) -> Any:
        """The published rows as a `pyarrow.Table`.

        Raises:
            EngineError: pyarrow is not installed, or the publication does not exist any more.
        """
        return needed("pyarrow").table(self.published)

    def displayed(self) -> Sequence[Table]:
        """What was published, proven and lost; no row of the publication."""
        rows, published = self.manifest["rows"], self.manifest["published"]
        counts = [published["rows"], rows["input"], rows["suppressed"]]
        return [
            Table(
                f"published {published['path']}",
                ["rows", "of the source", "suppressed", "classes"],
                [[*counts, self.manifest["solution"]["classes"]]],
            ),
            Table(
                "columns",
                ["column", "role", "published as", "loss"],
                [
                    [one.name, one.role or "added", one.published_as or "left out", one.loss]
                    for one in self.columns
                ],
            ),
            Table(
                "promises",
                ["model", "attribute", "bounds", "measured", "holds"],
                [
                    [one["model"], one["attribute"], bounds_text(one["parameters"]),
                     one["measured"], one["satisfied"]]
                    for one in self.manifest["privacy"]
                ],
            ),
        ]  # fmt: skip

    def _opened(self) -> duckdb.DuckDBPyRelation:
        publication = self.plan.publish
        if publication.table is not None and self.connection is not None:
            table = ".".join(map(quoted, publication.table.split(".")))
            return self.connection.sql(f"select * from {table}")
        if publication.database is not None:
            file = text(str(self.plan.folder / publication.database))
            table = ".".join(map(quoted, publication.database_table.split(".")))
            opened = duckdb.connect()
            opened.execute(f"attach {file} as published (read_only)")
            return opened.sql(f"select * from published.{table}")
        if publication.path is None:
            raise EngineError(
                f"The publication is a table of {self.plan.engine.title}.",
                where="published",
                fix="ask that database for its rows",
            )
        if self.plan.engine.path_becomes == "folder":
            found = sorted((self.plan.folder / publication.path).glob("*.parquet"))
            files = [literal_pattern(str(file)) for file in found]
            return duckdb.connect().read_parquet(files, hive_partitioning=False)
        relation = Places(self.plan.folder).resolved(file_relation(publication.path))
        connection = self.connection or duckdb.connect()
        return connection.sql(f"select * from {relation}")


@guarded
def run(
    plan: PlanLike,
    options: Options | None = None,
    *,
    connection: duckdb.DuckDBPyConnection | None = None,
    source: object = None,
    overrides: Overrides = (),
) -> RunResult:
    """Solve, release, verify and publish, or do nothing at all.

    With `Options.locked`, the solution next to the plan is applied to the data as it is now, and
    nothing is searched. With `Options.report`, two pages about the publication are written after
    it; if they cannot be, the publication stays.

    Args:
        plan: what to publish and what must hold.
        options: options for the execution.
        connection, source, overrides: short for options of these names.

    Raises:
        PrivacyViolation: the staged rows do not hold the promises; nothing was published.
        PlanError: something is wrong, or the locked solution is missing or does not fit the data.
        NoSolutionError, HierarchyError, EngineError, PublishError: as their names say.
        ReportError: the rows are proven and published, but the pages could not be written.
    """
    plan, options = settled(
        plan, options, connection=connection, source=source, overrides=overrides
    )
    if options.report:
        require_charts()
    session = Session(plan, options)
    clock = Clock()
    check_compressed(session.inputs())
    manifest: dict[str, Any] = {}
    with (
        _told_if_published(session, manifest),
        session.working_files(publishes=True) as ready,
        session.engine() as engine,
    ):
        publishing = session.publishing(engine)
        session.check_columns(engine)
        found = (locked if options.locked else solved)(session, engine, clock)
        prepared, solution = found.prepared, found.solution
        compiled = session.compile(found.stated, prepared.release)
        program = written(session, compiled, found.stated, prepared.release)
        program.write(ready.folder)
        copy_others(session.target, ready.folder)
        told = "" if options.locked else write_found(session, found, ready.folder.joinpath)
        if program.refusal:
            _LOG.warning("No program.sql is written. %s", program.refusal.what)
        execute_rest(engine, program_steps(program))
        publishing.seal()
        clock.lap("release")
        session.warn(engine, is_released=True)
        clock.lap("warnings")
        findings = _verify_staged(session, engine, solution, prepared.release.ends)
        published = publishing.entries()
        whole = published[0]
        if len(published) > 1:  # the view of both
            whole = drive(engine, described("sqlanon.published_rows", in_database=False))
        _check_counted(session.plan, solution, whole)
        clock.lap("verify")
        execute_rest(engine, prepared.release.measured_steps())
        utility = drive(engine, prepared.measure(solution))
        classes = drive(engine, prepared.class_count(solution))
        persons = drive(engine, released_persons(session.plan)) or solution.persons
        counted = solution.model_copy(update={"classes": classes, "persons": persons})
        losses = drive(engine, prepared.column_losses(solution))
        columns = published_columns(session.plan, prepared.release.words(solution), losses)
        groups = drive(engine, prepared.suppressed_groups(solution))
        for step in prepared.release.reader_steps(session.target_in_sql):
            engine.execute(step)
        _collect_shown(ready)
        clock.lap("measure")
        gathered = None
        if options.report:
            gathered = gathered_or_error(session, engine, prepared, solution, groups, losses)
            clock.lap("report")

        def manifest_text() -> str:
            clock.lap("publish")
            manifest.update(
                manifest_of(
                    session.plan, engine.described, counted, program.sha256, findings,
                    utility, published, clock.seconds(), reviewed_sha256=found.reviewed_sha256,
                )
            )  # fmt: skip
            outside = json_text(outside_of(session.plan, manifest))
            (ready.folder / OUTSIDE).write_text(outside, encoding="utf-8")
            return json_text(manifest)

        publishing.publish(ready, manifest_text)
        if told:
            _LOG.warning("%s", told)
    with _told_if_published(session, manifest):
        reports = write_reports(session, plan, manifest, gathered) if options.report else ()
    return RunResult(
        manifest, session.target, session.plan, options.connection, columns, tuple(groups), reports
    )


@contextmanager
def _told_if_published(session: Session, manifest: Mapping[str, Any]) -> Iterator[None]:
    """Say that the rows are published, if the run is stopped after that.

    Args:
        manifest: of the run; empty until its rows are about to be published.
    """
    try:
        yield
    except KeyboardInterrupt:
        file = session.target / MANIFEST
        if manifest and file.is_file() and file.read_bytes() == json_text(manifest).encode():
            _LOG.warning("The run was stopped, but its rows are proven and published.")
        raise


def _collect_shown(ready: Ready) -> None:
    """Collect the files for readers; those of an earlier run and its reports are to be removed."""
    for name in (PARTITION_TREE, BUCKET_DISTANCES, *REPORTS.values()):
        made = ready.private / name
        made.replace(ready.folder / name) if made.is_file() else (ready.folder / name).touch()


def _verify_staged(
    session: Session, engine: Engine, solution: Solution, ends: Sequence[CutAttribute] = ()
) -> list[Finding]:
    """Prove the staged rows; a promise that fails stops the run.

    Args:
        ends: the attributes whose published ranges end at no value of too few persons.
    """
    plan = session.plan
    levels = solution.published_levels or None
    publication = staged_publication(
        plan, solution.groups(plan), session.staged_in_sql, levels=levels, ends=ends
    )
    findings = drive(engine, proven_findings(publication))
    findings += drive(engine, presence_findings(plan))
    findings = in_plan_order(plan, findings)
    broken = violation(findings, "verify")
    if broken:
        raise broken
    return findings


def _check_counted(plan: Plan, solution: Solution, published: Mapping[str, Any]) -> None:
    """Check that as many rows are staged as the solution publishes, with the planned types.

    Args:
        published: the rows and columns of the staged table; see `described`.

    Raises:
        PrivacyViolation: there are others.
    """
    expected = solution.published_rows
    if plan.suppression.rows == "mask":
        expected += solution.suppressed_rows
    rows = published["rows"]
    columns = [(column["name"], column["type"]) for column in published["columns"]]
    planned = plan.publication_types
    if rows != expected or columns != list(planned.items()):
        raise PrivacyViolation(
            f"The staged table has {rows} rows and {len(columns)} columns, not the {expected}"
            f" rows and {len(planned)} columns that the solution publishes, or another type.",
            where="verify",
            fix="run again; the source may have changed during the run, and nothing was published",
        )
