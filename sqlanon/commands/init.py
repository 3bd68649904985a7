"""Proposes a plan for a table: roles, hierarchies and promises, with the reason of each."""

from __future__ import annotations

import contextlib
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb

from sqlanon.boundary import guarded
from sqlanon.boundary.files import swapped, write_whole
from sqlanon.boundary.part import validated
from sqlanon.boundary.text import Places, checked_text, is_regular
from sqlanon.commands.options import Options
from sqlanon.commands.session import open_session
from sqlanon.commands.solve import Clock, search
from sqlanon.discovery.arx_file import opened
from sqlanon.discovery.arx_project import read_arx_project
from sqlanon.discovery.persons import persons_of, with_keys
from sqlanon.discovery.plan_text import arx_text, plan_text
from sqlanon.discovery.proposal import Proposal, proposed
from sqlanon.discovery.purposes import PURPOSES, Purpose
from sqlanon.discovery.questions import Answers, Question, Questions, chosen_roles, label_bits
from sqlanon.discovery.reader import header_notes, sniffed, with_encoding, with_format
from sqlanon.discovery.readings import written
from sqlanon.discovery.roles import (
    ProposedRole,
    SinglingSet,
    number,
    proposed_roles,
    singling_sets,
    unit_of,
)
from sqlanon.discovery.standard_plan import (
    Reading,
    coarser_readings,
    coarser_source,
    doubts_of_columns,
    left_out,
    purpose_for,
    with_standard,
)
from sqlanon.discovery.statistics import MOST_SAMPLED_ROWS
from sqlanon.discovery.survey import MOST_VALUES, Survey, surveyed
from sqlanon.display.blocks import Block, Displayed, Percent, Table
from sqlanon.engines.base import drive
from sqlanon.engines.duckdb import DuckDBEngine
from sqlanon.engines.python_tables import kind_of
from sqlanon.errors import (
    EngineError,
    PlanError,
    PublishError,
    SqlanonError,
    brief,
    did_you_mean,
    united,
)
from sqlanon.plan.checks import reads_file
from sqlanon.plan.file import examined_file, load_plan
from sqlanon.plan.plan import Plan, plain_name
from sqlanon.plan.standards import Standard
from sqlanon.plan.tables import SOURCE_DATA, Source, table_alone
from sqlanon.proof.external_tables import UNPUBLISHED
from sqlanon.source.columns import unreadable_source
from sqlanon.source.files import matching_files, read_tables
from sqlanon.source.tables import source_steps
from sqlanon.sql.paths import planned
from sqlanon.sql.views import Catalog

Choose = Callable[[Callable[[Answers], Sequence[Question]]], Answers]
"""Called with a function from answers to questions; returns what a person answered."""


@dataclass(frozen=True)
class InitResult(Displayed):
    """A proposed plan.

    Attributes:
        text: the plan as YAML, with the reason of every choice.
        plan: the same, for `sqlanon.run` and the other commands.
        path: the file that was written; None if none was.
        findings: what was seen and why it is proposed, as `--json` prints it; no value of a row.
    """

    text: str = field(repr=False)
    plan: Plan = field(repr=False)
    path: Path | None
    findings: dict[str, Any] = field(repr=False)

    def as_json(self) -> dict[str, Any]:
        return {"plan": str(self.path), **self.findings}

    def displayed(self) -> Sequence[Block]:
        """The proposed roles, and the columns that single people out."""
        found = self.findings
        roles = [
            [one["name"], one["role"] + (" (unit)" if one["name"] == found["unit"] else ""),
             "; ".join(filter(None, [one["reason"], one["hierarchy"]]))]
            for one in found["columns"]
        ]  # fmt: skip
        sampled = ", in the sample" if found["rows"] != found["sampled_rows"] else ""
        singling = [
            [", ".join(one["columns"]), Percent(one["share"])] for one in found["singling_sets"]
        ]
        title = f"columns that single people out{sampled}"
        return [
            Table("proposed roles", ["column", "role", "why"], roles),
            Table(title, ["columns", "share of rows"], singling),
        ]


@guarded
def init(
    source: object,
    output: str | Path | None = None,
    options: Options | None = None,
    *,
    connection: duckdb.DuckDBPyConnection | None = None,
    sample: int = MOST_SAMPLED_ROWS,
    force: bool = False,
    histories: bool = False,
    purpose: str = "sharing",
    standard: str | None = None,
    choose: Choose | None = None,
) -> InitResult:
    """Propose a plan for a table, which `check` accepts and `run` runs as it stands.

    Columns are looked at in one pass; what values are, and which columns single people out, is seen
    in a sample. The proposal is a draft: whoever knows the table decides.

    Args:
        source: a CSV, Parquet or JSON file or glob, `FILE.duckdb::TABLE`, or a mapping as the key
            `source` of a plan has it; with a connection, the name of one of its tables; or a
            DataFrame of pandas or polars, a table of pyarrow, or a relation of DuckDB.
        output: the file to write, in whose folder the plan publishes; None: none is written, and
            the plan publishes in the working directory.
        options: options for the execution: threads, memory limit, progress, connection.
        connection: short for `Options(connection=…)`: where the table is.
        sample: rows to sample, 1,000 or more.
        force: whether to replace an existing file.
        histories: whether to propose linked histories: a pseudonym joins the rows of a person.
        purpose: research, sharing or open-data: how small classes may be, how many columns are
            kept, and how many rows may be suppressed.
        standard: a check list that the plan keeps but for what an officer confirms: columns are
            read as coarser ones or left out, each with the reason.
        choose: called with the questions about the proposal, and what each answer costs.

    Raises:
        PlanError: the source cannot be read, or has too few rows, or the file exists already.
        PublishError: the file cannot be written.
    """
    options = options or Options()
    if connection is not None:
        options = replace(options, connection=connection)
    if sample < _FEWEST_SAMPLED:
        raise PlanError(
            f"A sample of {sample} rows says too little.",
            where="sample",
            fix=f"sample {_FEWEST_SAMPLED:,} rows or more",
        )
    file = None if output is None else Path(checked_text(str(output), "--output"))
    if file is not None and not force:
        _refuse_existing(file)
    folder = Path.cwd() if file is None else file.absolute().parent
    if isinstance(source, str | os.PathLike | Mapping):
        stated = _stated(source, options.connection)
    else:
        kind_of(source)
        options = replace(options, source=source)
        stated = Source(path=None, query=None, table=SOURCE_DATA)
    if file is not None:
        _refuse_source(file, stated)
    read, survey, singling, bits = _surveyed(stated, options, sample, with_bits=choose is not None)
    if not survey.table.rows:
        raise PlanError(
            "The source has no rows, so nothing can be seen of its columns.",
            where=_name(read),
            fix="check the path, the reader options, and the step that writes the source",
        )
    listed = None if standard is None else validated(Standard, {"name": standard}, Places())
    kept, original = purpose_for(_purpose(purpose), listed), read
    readings = _coarser_readings(read, survey, options, listed)
    if readings:
        read, survey, singling, bits = _surveyed(
            coarser_source(read, readings), options, sample, with_bits=choose is not None
        )
    answers: Answers = {}
    if choose is not None:
        questions = Questions(survey, read, kept, bits)
        answers = questions.accepted(choose(questions.after))
    chosen = chosen_roles(answers)
    roles = proposed_roles(survey, kept, chosen)
    dropped = _doubted(read, survey, roles, options, listed)
    if dropped:
        others = {name: "identifier" for name in dropped if roles[name].role != "identifier"}
        roles = proposed_roles(survey, kept, {**chosen, **others})
        _refuse_doubted(roles, dropped)
        roles |= {name: dropped[name] for name in others}
    persons = None
    unit = unit_of(roles)
    if unit is not None:
        sensitive = [name for name, role in roles.items() if role.role == "sensitive"]
        with _opened(read, options) as (plan, engine):
            search = persons_of(
                plan, survey.table, unit, sensitive, most_rows=sample, histories=histories
            )
            persons = drive(engine, search)
    relative = _relative(original, folder)
    if readings:
        relative = coarser_source(relative, readings).model_copy(update={"read": read.read})
    proposal = proposed(
        survey, roles, persons, singling, relative, _publish(relative, file, folder), kept, answers,
        histories=histories,
    )  # fmt: skip
    if listed is not None:
        proposal = with_standard(proposal, listed)
    extent = _extent(original, survey)
    text = plan_text(proposal, "PLAN" if file is None else file.name, extent)
    plan = load_plan(proposal.plan)  # what the proposal is made of is checked as any plan is
    if file is not None:
        plan = examined_file(file, text.encode()).checked
        _write(file, text, force)
    findings = {**_findings(proposal, extent), "seconds": _seconds(proposal, read, options)}
    return InitResult(text, plan, file, findings)


@dataclass(frozen=True)
class ArxPlan(Displayed):
    """The plan of an ARX project.

    Attributes:
        text: the plan as YAML, with what each promise is in ARX.
        plan: the same, for `sqlanon.run` and the other commands.
        path: the file that was written.
        warnings: what is not carried over, in sentences.
    """

    text: str = field(repr=False)
    plan: Plan = field(repr=False)
    path: Path
    warnings: list[str]

    def as_json(self) -> dict[str, Any]:
        return {"plan": str(self.path), **self.plan.content(), "warnings": self.warnings}

    def displayed(self) -> Sequence[Block]:
        return self.plan.displayed()


@guarded
def from_arx(
    project: str | Path, output: str | Path | None = None, *, force: bool = False
) -> ArxPlan:
    """Write the plan of an ARX project: its roles, hierarchies, criteria, limit and weights.

    The hierarchies, and the input if the project holds it, become CSV files in a folder beside the
    plan. Warnings, also in the plan, say what is not carried over.

    Args:
        project: the project, a file that ARX saved (`.deid`).
        output: the file to write; by default NAME.yml in the working directory.
        force: whether to replace existing files.

    Returns:
        the plan, its file and the warnings.

    Raises:
        PlanError: this is no project of ARX, it is damaged or holds too much, it has no input and
            no CSV file of its name is beside it, or a file exists already.
        PublishError: a file cannot be written.
    """
    path = Path(checked_text(str(project), "--from-arx"))
    name = plain_name(path.stem) or "plan"
    file = Path(checked_text(str(output or f"{name}.yml"), "--output"))
    folder, beside = file.with_name(f"{file.stem}_arx"), path.with_suffix(".csv")
    if not force:
        _refuse_existing(file)
        _refuse_existing(folder)
    found = read_arx_project(path, folder.name, os.path.relpath(beside, file.parent))
    if not (found.has_input or is_regular(beside)):
        raise PlanError(
            f"'{path.name}' holds no input, and there is no file '{beside.name}' beside it.",
            where="--from-arx",
            fix="save the project with its input, or write the table there",
        )
    plan = {**found.plan, "publish": {"path": f"{file.stem}_anonymous.parquet"}}
    load_plan(plan)
    text = arx_text(replace(found, plan=plan), file.name, path.name)
    checked = examined_file(file, text.encode()).checked
    try:
        with TemporaryDirectory(dir=file.parent, prefix=".sqlanon-") as private:
            ready = Path(private, folder.name)
            ready.mkdir()
            for each, content in found.files.items():
                write_whole(ready / each, content)
            if found.has_input:
                with opened(path) as held:
                    held.extract_input(ready / "input.csv")
            swapped(ready, folder, Path(private))
    except OSError as error:
        raise _unwritten(folder, error) from None
    _write(file, text, force)
    return ArxPlan(text, checked, file, found.warnings)


_FEWEST_SAMPLED = 1_000


def _purpose(name: str) -> Purpose:
    if name in PURPOSES:
        return PURPOSES[name]
    raise PlanError(
        f"There is no purpose '{brief(name)}'.",
        where="--for",
        fix=did_you_mean(name, PURPOSES),
    )


def default_output(source: str) -> Path:
    """Where `sqlanon init` writes the plan of a source: NAME.yml in the working directory."""
    return Path(f"{_stem(_stated(source, None))}.yml")


def _stated(
    source: str | os.PathLike[str] | Mapping[str, Any], connection: duckdb.DuckDBPyConnection | None
) -> Source:
    """The source as a plan states it."""
    if isinstance(source, Mapping):
        plan = load_plan(_skeleton(dict(source)))
        return plan.source
    text = checked_text(str(source), "source")
    if connection is not None and isinstance(source, str) and not Path(source).exists():
        return Source.model_validate({"table": text})
    path = Path(text)
    if path.is_dir():
        raise PlanError(
            f"'{text}' is a folder.",
            where="source",
            fix=f"name a file, or several of one kind, as in '{path}/*.csv'",
        )
    if path.suffix.lower() in (".duckdb", ".db", ".ddb") and path.is_file():
        raise PlanError(
            "A DuckDB file can have several tables.",
            where="source",
            fix=f"write {text}::TABLE{_tables_of(path)}",
        )
    stated: dict[str, Any] = {"path": text}
    if path.is_file() and re.search(r"[*?]", text):
        stated["glob"] = False
    plan = load_plan(_skeleton({**stated, "format": "csv"} if "::" not in text else stated))
    return plan.source.model_copy(update={"format": None})


_MOST_TABLES = 20
"""Tables of a file that a message names."""


def _tables_of(file: Path) -> str:
    """The tables and views of a DuckDB file, to end a message with; empty if it cannot be read."""
    with contextlib.suppress(duckdb.Error), duckdb.connect(str(file), read_only=True) as opened:
        relations = Catalog(opened).relations
        names = sorted(n if schema == "main" else f"{schema}.{n}" for _, schema, n in relations)
        return f", of {', '.join(map(brief, names[:_MOST_TABLES]))}" if names else ""
    return ""


def _skeleton(source: Mapping[str, Any]) -> dict[str, Any]:
    """A plan by which a source is read before its columns are known."""
    return {
        "source": source,
        "columns": {
            "any": "quasi-identifier",
            **dict.fromkeys(source.get("read", {}), "identifier"),
        },
        "privacy": [{"model": "k-anonymity", "k": 2}],
        "publish": UNPUBLISHED,
    }


_Surveyed = tuple[Source, Survey, tuple[SinglingSet, ...], Mapping[str, Sequence[Sequence[float]]]]


def _surveyed(stated: Source, options: Options, sample: int, *, with_bits: bool) -> _Surveyed:
    """How the source is read, and what is known of it."""
    files = matching_files(_plan_to_read(stated), stated) if stated.is_file else []
    if stated.is_file and not (files and all(map(is_regular, files))):
        raise PlanError(
            f"The source '{stated.path}' "
            + ("is not a regular file." if files else "does not exist."),
            where="source",
            fix="check the path; for a table of your own connection, pass `connection=`",
        )
    first = files[0] if files else None
    read = with_format(stated, first)
    notes: tuple[str, ...] = ()
    if first is not None and read.file_format == "csv":
        read = with_encoding(read, files)
        with open_session(_skeleton(_mapping(read)), options).engine(publishes=False) as engine:
            read = drive(engine, sniffed(read, first))
        notes = header_notes(read, first)
    with _opened(read, options) as (plan, engine):
        how = drive(engine, written(plan))
        read = read.model_copy(update={"read": {**how.readings, **read.read}})
        plan = load_plan(_skeleton(_mapping(read)))
        survey = drive(engine, with_keys(drive(engine, surveyed(plan, sample))))
        survey = replace(survey, notes=(*notes, *how.notes))
        singling = drive(engine, singling_sets(survey))
        bits = drive(engine, label_bits(survey, read)) if with_bits else {}
        return read, survey, singling, bits


@contextmanager
def _opened(
    source: Source, options: Options, standard: Standard | None = None
) -> Iterator[tuple[Plan, DuckDBEngine]]:
    """A plan that reads the source, with a standard, and DuckDB with its view `source`."""
    session = open_session(_skeleton(_mapping(source)), options)
    with session.embedded(publishes=False) as engine:
        try:
            engine.execute(source_steps(session.plan)[0])
        except EngineError as error:
            raise drive(engine, unreadable_source(session.plan, error)) from None
        yield session.plan.model_copy(update={"standard": standard}), engine


def _mapping(source: Source) -> dict[str, Any]:
    return source.model_dump(mode="python", exclude_defaults=True, exclude_none=True)


def _relative(source: Source, folder: Path) -> Source:
    """The source with its path from the folder of the plan."""
    if source.path is None:
        return source
    path, mark, table = source.path.partition("::")
    if not Path(path).is_absolute():
        path = Path(os.path.relpath(path, folder)).as_posix()
    return source.model_copy(update={"path": f"{path}{mark}{table}"})


def _name(source: Source) -> str:
    return Path(source.path).name if source.path else source.table or "source"


def _stem(source: Source) -> str:
    """A name for the plan of a source."""
    return plain_name(table_alone(source) or Path(source.path or "").name.split(".")[0]) or "plan"


def _publish(source: Source, file: Path | None, folder: Path) -> dict[str, str]:
    name = f"{file.stem if file is not None else _stem(source)}_anonymous"
    is_named = source.table is not None and source.table != SOURCE_DATA
    ending = ".csv" if reads_file(folder, source, f"{name}.parquet") else ".parquet"
    return {"table": name} if is_named else {"path": f"{name}{ending}"}


def _extent(read: Source, survey: Survey) -> str:
    """How much was read of the source."""
    table = survey.table
    size = f"{number(table.rows)} rows and {number(len(table.columns))} columns"
    if table.is_whole:
        how = "all of them were looked at"
    else:
        how = (
            f"all rows were counted; values, numbers of words and what columns single out were seen"
            f" in a sample of {number(table.sampled_rows)} rows, and numbers of different values"
            " are about 2 % off"
        )
    return (
        f"Looked at: {_name(read)}, {size}; {how}. Content was detected from up to {MOST_VALUES}"
        " distinct values per column; none of them is in this file."
    )


_TIMED_ROWS = (5_000, 20_000)
"""Rows of the two beginnings of a source by whose searches the time for all rows is estimated."""

_SOON = 100_000
"""Rows up to which a run ends soon, and nothing need be said."""


def _seconds(proposal: Proposal, read: Source, options: Options) -> float | None:
    """About how long a run takes, in seconds of a processor: on a line through two beginnings.

    None for a source of few rows, and where a beginning is not enough for what is promised.
    """
    rows = proposal.survey.table.rows
    if rows <= _SOON:
        return None
    options = replace(options, progress=None)
    view = source_steps(open_session(_skeleton(_mapping(read)), options).plan)[0].sql
    lines = planned(view).splitlines()
    query = " ".join(line for line in lines if not line.startswith("--"))
    readings = proposal.plan["source"].get("read", {})
    spent = []
    for most in _TIMED_ROWS:
        source = {"query": f"{query} limit {most}", "read": readings}
        start = time.process_time()
        try:
            session = open_session({**proposal.plan, "source": source}, options)
            with session.embedded(publishes=False) as engine:
                session.bind(engine)
                search(session, engine, Clock())
        except SqlanonError:
            return None
        spent.append(time.process_time() - start)
    (few, more), (first, second) = _TIMED_ROWS, spent
    return round(second + max(second - first, 0) / (more - few) * (rows - more), 1)


def _findings(proposal: Proposal, extent: str) -> dict[str, Any]:
    """What was seen and why it is proposed, as plain values."""
    table = proposal.survey.table
    columns = []
    for name, role in proposal.roles.items():
        statistics, hierarchy = proposal.survey.columns[name], proposal.hierarchies.get(name)
        columns.append(
            {
                "name": name,
                "role": role.role,
                "reason": role.reason,
                "hierarchy": hierarchy.reason if hierarchy else None,
                "type": statistics.type,
                "kind": statistics.kind,
                "missing": statistics.missing,
                "distinct": statistics.distinct,
                "distinct_is_exact": statistics.distinct_is_exact,
                "bits": round(statistics.bits, 3),
                "single_share": round(statistics.sampled_once / table.sampled_rows, 6),
                "content": statistics.content.kind if statistics.content else None,
            }
        )
    return {
        "source": proposal.plan["source"],
        "rows": table.rows,
        "sampled_rows": table.sampled_rows,
        "looked_at": extent,
        "columns": columns,
        "singling_sets": [
            {"columns": list(one.columns), "share": round(one.share, 6)}
            for one in proposal.singling
        ],
        "unit": proposal.unit,
        "warnings": proposal.warnings,
        "privacy": proposal.plan["privacy"],
        "method": proposal.plan["method"]["name"],
        "reasons": proposal.reasons,
    }


def _coarser_readings(
    read: Source, survey: Survey, options: Options, standard: Standard | None
) -> list[Reading]:
    """How columns are read to keep a standard; empty if nothing is to be changed."""
    if standard is None or not standard.tests_values:
        return []
    with _opened(read, options, standard) as (plan, engine):
        return drive(engine, coarser_readings(plan, read, survey))


def _doubted(
    read: Source,
    survey: Survey,
    roles: Mapping[str, ProposedRole],
    options: Options,
    standard: Standard | None,
) -> dict[str, ProposedRole]:
    """The columns that a standard does not let be published, with the reason."""
    if standard is None or not standard.tests_values:
        return {}
    known = [name for name, role in roles.items() if role.role == "quasi-identifier"]
    with _opened(read, options, standard) as (plan, engine):
        return left_out(drive(engine, doubts_of_columns(plan, read, survey, known)), standard)


def _refuse_doubted(roles: Mapping[str, ProposedRole], doubted: Mapping[str, ProposedRole]) -> None:
    """Check that no column that breaks a rule is kept as the only quasi-identifier."""
    faults = [
        PlanError(
            f"No other column can be a quasi-identifier than '{name}': {doubted[name].reason}.",
            where="--standard",
            fix="select other columns, or read this one as another in a `source: {query: …}`",
        )
        for name, role in roles.items()
        if name in doubted and role.role != "identifier"
    ]
    if faults:
        raise united(faults)


def _refuse_existing(file: Path) -> None:
    if file.exists() or file.is_symlink():
        raise PlanError(
            f"'{file.name}' exists; it is not replaced.",
            where=file.name,
            fix="give --output with another name, or --force",
        )


def _refuse_source(file: Path, stated: Source) -> None:
    """Check that the plan does not replace a file that the source is read from."""
    plan = _plan_to_read(stated)
    names = [name for table in read_tables(plan) for name in matching_files(plan, table)]
    if file.exists() and any(name.samefile(file) for name in names):
        raise PlanError(
            f"'{file.name}' is the source.",
            where=file.name,
            fix="give --output with another name",
        )


def _plan_to_read(stated: Source) -> Plan:
    """A plan that reads the source, whose format need not be known."""
    kind = {"format": "csv"} if stated.is_file else {}
    return load_plan(_skeleton(_mapping(stated) | kind))


def _write(file: Path, text: str, force: bool) -> None:
    """Write the plan; without `force`, only where no file has appeared meanwhile."""
    try:
        if force:
            write_whole(file, text)
        else:
            with file.open("x", encoding="utf-8", newline="\n") as content:
                content.write(text)
    except FileExistsError:
        _refuse_existing(file)
    except OSError as error:
        raise _unwritten(file, error) from None


def _unwritten(file: Path, error: OSError) -> PublishError:
    return PublishError(
        f"'{file.name}' could not be written ({type(error).__name__}).",
        where=file.name,
        fix="check that the folder exists and can be written",
    )
