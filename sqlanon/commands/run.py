"""The whole sequence: solve, release, verify, publish, or nothing at all."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Unpack

import duckdb

from sqlanon.attacks.findings import AttackFindings
from sqlanon.boundary import guarded
from sqlanon.commands.inputs import check_compressed
from sqlanon.commands.measure import lost
from sqlanon.commands.options import Inputs, Options, PlanLike, command
from sqlanon.commands.session import Session, execute_rest, open_session
from sqlanon.commands.solve import Clock, apply_reviewed, search, write_solved
from sqlanon.discovery.standards import checklist
from sqlanon.display.blocks import (
    SECONDARY,
    WARNING,
    Block,
    Pairs,
    Percent,
    Styled,
    Table,
    counted,
    near,
)
from sqlanon.display.tabular import Tabular, needed
from sqlanon.engines.base import Engine, drive
from sqlanon.engines.duckdb import engine_error
from sqlanon.errors import EngineError, PrivacyViolation
from sqlanon.families.base import Family
from sqlanon.families.changed_rows import aggregated_values, warnings_of_classes
from sqlanon.families.header import PublishedColumn, published_columns, range_widths
from sqlanon.families.persons import released_persons
from sqlanon.families.solution import Solution, found_by, person_pairs
from sqlanon.families.suppressed import SuppressedGroups, most_suppressed
from sqlanon.plan.plan import Plan
from sqlanon.plan.standards import Checklist, displayed_rules
from sqlanon.program.program import Program, copy_others, program_steps
from sqlanon.proof.findings import (
    PROMISE_COLUMNS,
    Finding,
    Findings,
    in_plan_order,
    presence_findings,
    promise_cells,
    proven_findings,
    verdict,
    violation,
)
from sqlanon.proof.publication import file_relation, staged_publication
from sqlanon.publication.manifest import (
    MANIFEST,
    OUTSIDE,
    REPORTS,
    described,
    json_text,
    manifest_of,
    outside_of,
)
from sqlanon.publication.ready import Ready
from sqlanon.search.dealing import BUCKET_DISTANCES
from sqlanon.search.partition import PARTITION_TREE
from sqlanon.search.scales import CutAttribute
from sqlanon.sql.paths import PathMap, literal_pattern
from sqlanon.sql.render import text
from sqlanon.sql.tables import table_sql

_LOG = logging.getLogger("sqlanon")


@dataclass(frozen=True)
class RunResult(Tabular):
    """The result of a run.

    Attributes:
        manifest: the plan's promises, what was found, measured and published; no value of a
            source row.
        target: folder with the program's SQL files and the manifest.
        plan: the plan that was published, with its folder.
        options: those of the run; the plan has the keys that they set.
        columns: what became of every column.
        suppressed_groups: suppression by group: for each quasi-identifier its groups, with their
            rows and those of them that are suppressed. Labels of groups with too few published rows
            are withheld. Counts of the source: not for those who get the publication.
        reports: the pages that were written, internal and external.
    """

    manifest: dict[str, Any]
    target: Path
    plan: Plan
    options: Options = field(repr=False)
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
        needed("pandas")
        return self.published.df()

    @guarded
    def pl(self) -> Any:
        return needed("polars").DataFrame(self.published)

    @guarded
    def arrow(self) -> Any:
        return needed("pyarrow").table(self.published)

    @guarded
    def verify(self, **keywords: Any) -> Findings:
        """What `sqlanon.verify` finds in the publication; keywords are those of that function."""
        from sqlanon.commands.verify import verify

        return verify(self.place, self.plan, self._same, **keywords)

    @guarded
    def attack(self, **keywords: Any) -> AttackFindings:
        """What `sqlanon.attack` learns from the publication, with the keywords of that function."""
        from sqlanon.commands.attack import attack

        return attack(self.place, self.plan, self._same, **keywords)

    @guarded
    def report(self, **keywords: Any) -> Path:
        """The report of the publication, with the keywords of `sqlanon.report`."""
        from sqlanon.commands.report import report

        return report(self.plan, self._same, **keywords)

    @property
    def _same(self) -> Options:
        """The options of the run, for what is asked of its plan and publication."""
        return replace(self.options, overrides=(), target=self.target, locked=False, report=False)

    @property
    def place(self) -> str:
        """The publication, as one would name it in the current folder."""
        place = str(self.manifest["published"]["path"])
        return place if self.plan.publish.table else near(self.plan.folder / place)

    def as_json(self) -> dict[str, Any]:
        """The manifest."""
        return self.manifest

    def displayed(self) -> Sequence[Block]:
        """What was published, proven and lost, and the files; no row of the publication."""
        rows = self.manifest["rows"]
        share = Percent(rows["suppressed"] / rows["input"])
        return [
            Pairs(f"published {self.place}", list(self._sizes())),
            Table(
                "columns",
                ["column", "role", "published as", "loss"],
                [
                    [one.name, one.role or "added",
                     one.published_as or Styled("not published", SECONDARY),
                     None if one.loss is None else Percent(one.loss)]
                    for one in self.columns
                ],
            ),
            Table(
                "promises",
                PROMISE_COLUMNS,
                [[*promise_cells(entry), verdict(entry["satisfied"])]
                 for entry in self.manifest["privacy"]],
            ),
            *displayed_rules(self.manifest),
            lost(self.manifest["utility"]),
            *most_suppressed(self.suppressed_groups, share),
            Pairs("files", list(self._files())),
        ]  # fmt: skip

    def _sizes(self) -> Iterator[tuple[str, Any]]:
        """Rows, persons and classes, how they were found, and the names of warnings."""
        manifest, rows = self.manifest, self.manifest["rows"]
        yield "rows", f"{manifest['published']['rows']:,} of {rows['input']:,}"
        yield "suppressed", counted(rows["suppressed"], rows["input"])
        if rows["dropped"]:
            yield "dropped", f"{rows['dropped']:,}, for a missing value"
        if rows.get("cut"):
            yield "cut", f"{rows['cut']:,}, of persons with more rows than `unit` allows"
        if "persons" in manifest:
            yield from person_pairs(manifest["persons"])
        yield "classes", manifest["solution"]["classes"]
        yield from found_by(manifest["solution"])
        yield "seconds", manifest["timings_seconds"]["total"]
        for title, style, is_acknowledged in (
            ("warnings", WARNING, False),
            ("acknowledged", "", True),
        ):
            warnings = manifest["warnings"] or ()
            names = [one["name"] for one in warnings if one["acknowledged"] == is_acknowledged]
            if names:
                yield title, Styled(", ".join(names), style)

    def _files(self) -> Iterator[tuple[str, str]]:
        """The files of the run, by what they are."""
        yield "publication", self.place
        values = self.manifest["published"].get("values")
        if values:
            yield "values", near(self.plan.folder / values["path"])
        yield "release", near(self.target / "release.sql")
        if self.manifest["program_sha256"]:
            yield "program", near(self.target / "sql/program.sql")
        yield "manifest", near(self.target / MANIFEST)
        yield "to hand out", near(self.target / OUTSIDE)
        for file in self.reports:
            yield file.stem, near(file)

    def _opened(self) -> duckdb.DuckDBPyRelation:
        publication, own = self.plan.publish, self.options.connection
        if publication.table is not None and own is not None:
            return own.sql(f"select * from {table_sql(publication.parts)}")
        if publication.database is not None:
            file = text(str(self.plan.folder / publication.database))
            opened = duckdb.connect()
            opened.execute(f"attach {file} as published (read_only)")
            return opened.sql(f"select * from published.{table_sql(publication.parts)}")
        if publication.path is None:
            raise EngineError(
                f"The publication is a table of {self.plan.engine.title}.",
                where="published",
                fix="ask that database for its rows",
            )
        if self.plan.engine.path_becomes == "folder":
            paths = sorted((self.plan.folder / publication.path).glob("*.parquet"))
            files = [literal_pattern(str(file)) for file in paths]
            return duckdb.connect().read_parquet(files, hive_partitioning=False)
        relation = PathMap(self.plan.folder).resolved(file_relation(publication.path))
        connection = own or duckdb.connect()
        return connection.sql(f"select * from {relation}")


@command
def run(plan: PlanLike, options: Options | None = None, **inputs: Unpack[Inputs]) -> RunResult:
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
    session = open_session(plan, options, **inputs)
    options = session.options
    write_reports: Callable[[Mapping[str, Any]], tuple[Path, ...]] | None = None
    if options.report:
        from sqlanon.commands.report import begun_reports
    clock = Clock()
    check_compressed(session.inputs())
    manifest: dict[str, Any] = {}
    with (
        _reported_if_published(session, manifest),
        session.working_files(publishes=True) as ready,
        session.engine() as engine,
    ):
        publishing = session.publishing(engine)
        session.bind(engine)
        solved = (apply_reviewed if options.locked else search)(session, engine, clock)
        prepared, solution = solved.prepared, solved.solution
        program = _program(session, solved.stated, prepared)
        program.write(ready.folder)
        copy_others(session.target, ready.folder)
        replaced = "" if options.locked else write_solved(session, solved, ready.folder.joinpath)
        if program.refusal:
            _LOG.warning("No program.sql is written. %s", program.refusal.what)
        execute_rest(engine, program_steps(program))
        publishing.seal()
        clock.lap("release")
        made = {step.name for step in program.steps}
        placed = next((name for name in ("placed_rows", "ordered_rows") if name in made), "")
        aggregated = drive(engine, aggregated_values(session.plan, placed)) if placed else {}
        more = warnings_of_classes(session.plan, aggregated)
        checked = session.warned(engine, more, is_released=True)
        clock.lap("warnings")
        findings, standard = _verify_staged(session, engine, solution, prepared.ends)
        published = publishing.entries()
        whole = published[0]
        if len(published) > 1:  # the view of both
            whole = drive(engine, described("sqlanon.published_rows", in_database=False))
        _check_counted(checked, solution, whole)
        clock.lap("verify")
        execute_rest(engine, prepared.measured_steps())
        utility = drive(engine, prepared.measure(solution))
        classes = drive(engine, prepared.class_count(solution))
        persons = drive(engine, released_persons(checked)) or solution.persons
        counted = solution.model_copy(update={"classes": classes, "persons": persons})
        losses = drive(engine, prepared.column_losses(solution))
        widths = drive(engine, range_widths(checked))
        columns = published_columns(checked, prepared.words(solution), losses, widths)
        groups = drive(engine, prepared.suppressed_groups(solution))
        for step in prepared.reader_steps(session.target_in_sql):
            engine.execute(step)
        _collect_shown(ready)
        clock.lap("measure")
        if options.report:
            write_reports = begun_reports(session, engine, prepared, solution, groups, losses)
            clock.lap("report")

        def manifest_text() -> str:
            clock.lap("publish")
            manifest.update(
                manifest_of(
                    checked, engine.described, counted, program.sha256, findings, utility,
                    published, clock.seconds(), reviewed_sha256=solved.reviewed_sha256,
                    aggregated=aggregated, standard=standard,
                )
            )  # fmt: skip
            outside = json_text(outside_of(checked, manifest))
            (ready.folder / OUTSIDE).write_text(outside, encoding="utf-8")
            return json_text(manifest)

        publishing.publish(ready, manifest_text)
        if replaced:
            _LOG.warning("%s", replaced)
    with _reported_if_published(session, manifest):
        reports = write_reports(manifest) if write_reports else ()
    return RunResult(manifest, session.target, checked, options, columns, tuple(groups), reports)


def _program(session: Session, solution: Solution, prepared: Family[Any]) -> Program:
    """The proven program, in the dialect of the database that the plan runs in."""
    if session.plan.engine.dialect == "duckdb":
        return session.compile(solution, prepared)
    from sqlanon.commands.compile import program_of

    return program_of(session, solution, prepared)


@contextmanager
def _reported_if_published(session: Session, manifest: Mapping[str, Any]) -> Iterator[None]:
    """Say that the rows are published, if the run is stopped after that."""
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
) -> tuple[list[Finding], Checklist | None]:
    """Prove the staged rows; a promise that fails, or a rule of a standard, stops the run."""
    plan = session.plan
    publication = staged_publication(
        plan, solution.groups(plan), session.staged_in_sql, nodes=solution.nodes, ends=ends
    )
    findings = drive(engine, proven_findings(publication))
    findings += drive(engine, presence_findings(plan))
    findings = in_plan_order(plan, findings)
    standard = drive(engine, checklist(plan))
    broken = violation(findings, "verify")
    broken = broken or (None if standard is None else standard.violation("verify"))
    if broken:
        raise broken
    return findings, standard


def _check_counted(plan: Plan, solution: Solution, published: Mapping[str, Any]) -> None:
    """Check that as many rows are staged as the solution publishes, with the planned types."""
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
