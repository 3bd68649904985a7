"""The release and the proofs of a solved plan, each as one query for another database.

The texts are those that `run` executes: the query of the release, and for each proof the steps that
it reads. The source and the hierarchies are tables there, which the user names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from sqlanon.boundary.files import file_stem, write_whole
from sqlanon.boundary.secrets import PSEUDONYM_KEY
from sqlanon.dialects.dialect import Dialect, dialect_of
from sqlanon.dialects.steps import one_query
from sqlanon.dialects.transpile import NamedTable, transpile
from sqlanon.errors import PlanError, brief, did_you_mean
from sqlanon.families import families
from sqlanon.families.header import source_title
from sqlanon.families.solution import Solution
from sqlanon.hierarchies.base import Hierarchy
from sqlanon.hierarchies.file import FoundHierarchyFile
from sqlanon.plan.plan import Plan
from sqlanon.plan.tables import Destination, Source
from sqlanon.program.program import (
    Program,
    compile_program,
    key_words,
    program_steps,
    suppression_step,
)
from sqlanon.proof.lineage import prove_no_identifier_flows
from sqlanon.proof.publication import file_relation
from sqlanon.source.hierarchies import hierarchy_name
from sqlanon.source.reading import source_inputs
from sqlanon.source.tables import row_columns
from sqlanon.sql.paths import file_to_read, files_to_read, written
from sqlanon.sql.render import comment, render, text
from sqlanon.sql.step import Step, mark, split, unused
from sqlanon.sql.tables import table_parts, table_sql
from sqlanon.version import __version__

PUBLISHED = "published"
"""What the table is called that proofs read."""

_MADE_FOR = "made for  "
"""Begins the first line of each file, by which the next translation knows it."""

HOLDS = "holds     if it returns no row"
"""What the header of a proof says."""


@dataclass(frozen=True)
class Translation:
    """A release and its proofs for a database.

    Attributes:
        dialect: of the database.
        release: the query of the published rows.
        proofs: for each proof a query that returns the violations, by its name.
        left_out: why a proof is not there, by its name; none of them is a promise's.
        tables: the tables that are read there, by what they stand for in the plan.
    """

    dialect: Dialect
    release: str
    proofs: Mapping[str, str]
    left_out: Mapping[str, str]
    tables: Mapping[str, str]

    def write(self, target: Path) -> list[Path]:
        """Write release.sql and a file for each proof; those of an earlier one are removed."""
        target.mkdir(parents=True, exist_ok=True)
        for old in filter(Path.is_file, target.glob("*.sql")):
            with old.open(encoding="utf-8", errors="replace") as file:
                is_own = file.read(100).startswith(f"-- {_MADE_FOR}")
            if is_own:
                old.unlink()
        files = []
        for name, sql in {"release": self.release, **self.proofs}.items():
            path = target / f"{file_stem(name)}.sql"
            write_whole(path, sql)
            files.append(path)
        return files


def translation(
    plan: Plan,
    hierarchies: Mapping[str, Hierarchy],
    solution: Solution,
    dialect: str,
    tables: Mapping[str, str],
) -> Translation:
    """The release and the proofs of a solution for another database.

    Args:
        plan: with the types of its columns.
        hierarchies: with their files found.
        dialect: a name in `DIALECTS`.
        tables: the tables to read there, by what they stand for: `source`, `population`, a column
            with a hierarchy that is a table, or `published`; others have the names that
            `_Reads.defaults` gives them.

    Raises:
        PlanError: a part of the release or of a proof of it does not carry over.
        EngineError: it cannot be proven that no identifier reaches the release.
    """
    target = dialect_of(dialect)
    if not plan.form.leveled:
        raise PlanError(
            f"The release of '{plan.method.name}' does not carry over to {target.title}: it has no"
            " levels of hierarchies, but regions or buckets, which DuckDB finds.",
            where=f"--dialect {dialect}",
            fix="publish with `sqlanon run`, or choose a method that generalizes whole columns,"
            " such as optimal",
        )
    if plan.method.refines:
        raise PlanError(
            f"Refined classes do not carry over to {target.title}: each round reads the one before"
            " several times, so they need tables.",
            where=f"--dialect {dialect}",
            fix="publish with `sqlanon run`, or leave out `refine`",
        )
    if plan.readings:
        name = next(iter(plan.readings))
        raise PlanError(
            f"How '{name}' is read does not carry over to {target.title}: `read` is written for"
            " DuckDB.",
            where=f"--dialect {dialect}",
            fix="make dates and numbers of the texts in a `source: {query: …}`",
        )
    reads = _Reads(plan, hierarchies, solution, target, tables)
    found = families.recorded(reads.plan, reads.hierarchies, solution)
    program = compile_program(reads.plan, found, solution, "published.parquet")
    labels = solution.labels(reads.plan, reads.hierarchies)
    prove_no_identifier_flows(reads.plan, program_steps(program), reads.hierarchies, labels=labels)
    return reads.translated(program)


class _Reads:
    """What the queries read in the other database.

    Attributes:
        plan: the plan, whose source and population are files or tables.
        hierarchies: those that are tables are files.
        in_sql: what stands for each table in the SQL that is translated, by what it is called.
        stands_for: what each of them is in the plan, in words.
        read: what is read, so far.
    """

    def __init__(
        self,
        plan: Plan,
        hierarchies: Mapping[str, Hierarchy],
        solution: Solution,
        dialect: Dialect,
        named: Mapping[str, str],
    ) -> None:
        self.dialect = dialect
        texts = (plan.model_dump(), solution.model_dump(), named)
        self.schema = mark("sqlanon_in_place", *texts)  # of tables in the SQL that is translated
        self.keeps_files = dialect.family == "duckdb" and not named
        self.plan, self.hierarchies = plan, dict(hierarchies)
        self.in_sql: dict[str, str] = {}
        self.stands_for: dict[str, str] = {}
        self.tables: dict[str, str] = {}
        self.types: dict[str, Mapping[str, str]] = {}
        self.read: set[str] = set()
        self._read_hierarchies(solution)
        defaults = self._defaults()
        for name, table in named.items():
            if name not in defaults:
                raise PlanError(
                    f"The plan reads no table '{brief(name)}'.",
                    where=f"--table {brief(name)}",
                    fix=did_you_mean(name, defaults),
                )
            if not table:
                raise PlanError(
                    f"'{brief(name)}' has no table.", where="--table", fix="write NAME=TABLE"
                )
        self.tables = {**defaults, **named}
        self.types = {name: plan.types.get(name, {}) for name in ("source", "population")}
        self.types[PUBLISHED] = plan.release_types
        for which in ("source", "population"):
            self._read_table(which)
        self.published = self._published()
        if len({*self.in_sql.values()}) < len(self.in_sql):
            raise PlanError(
                "Source and population must be different tables.",
                where="--table",
                fix="read the population from a file of its own, and name a table for each",
            )

    def _read_hierarchies(self, solution: Solution) -> None:
        """Have the hierarchies that are tables read as files with a column for each level."""
        for number, (name, hierarchy) in enumerate(self.hierarchies.items()):
            if not (hierarchy.file_path or hierarchy.select):
                continue
            called = name
            if called in ("source", "population", PUBLISHED):
                called = hierarchy_name(name)
            stated = self.plan.hierarchies[name].file_path
            self.stands_for[called] = stated or f"the query of the hierarchy of {name}"
            if self.keeps_files:
                continue
            levels = range(solution.levels[name])
            path = f"sqlanon/hierarchy_{number}.csv"
            self.in_sql[called] = path
            self.hierarchies[name] = FoundHierarchyFile.model_validate({
                "file": path, "delimiter": ",", "header": True, "columns": len(levels),
                "top": hierarchy.top_label,
                "examples": tuple(tuple(hierarchy.label_examples(level)) for level in levels),
            })  # fmt: skip

    def _defaults(self) -> dict[str, str]:
        """The tables that are read where the user names none."""
        plan = _plain(self.plan.name)
        found = {"source": _default(self.plan.source) or f"{plan}__source"}
        if self.plan.population is not None:
            found["population"] = _default(self.plan.population) or f"{plan}__population"
        for name in self.stands_for:
            found[name] = unused(f"{plan}__{_plain(name)}", found.values())
        found[PUBLISHED] = _default(self.plan.publish)
        self.stands_for["source"] = source_title(self.plan.source)
        if self.plan.population is not None:
            self.stands_for["population"] = source_title(self.plan.population)
        self.stands_for[PUBLISHED] = "the publication"
        return found

    def _read_table(self, which: str) -> None:
        """Have a table of the plan read as a file whose columns have types, or as a table."""
        source: Source | None = getattr(self.plan, which)
        if source is None or (self.keeps_files and source.database is None):
            return
        if source.is_file and source.file_format in ("csv", "parquet"):
            path = source.path or ""
            literal = files_to_read(path) if source.is_pattern else file_to_read(path)
            self.in_sql[which] = written(literal)[1:-1].replace("''", "'")
            return
        table = Source(path=None, query=None, table=self._in_place(which))
        self.plan = self.plan.model_copy(update={which: table})

    def _published(self) -> str:
        """SQL that reads the publication."""
        place = self.plan.publish
        if self.keeps_files and place.path and not place.database:
            return file_relation(place.path)
        return table_sql(table_parts(self._in_place(PUBLISHED)))

    def _in_place(self, name: str) -> str:
        """The table, if nothing is translated; else a name that no relation of a query has."""
        if self.keeps_files:
            return self.tables[name]
        self.in_sql[name] = f"{self.schema}.{name}"
        return self.in_sql[name]

    # --- queries

    def translated(self, program: Program) -> Translation:
        """The release and the proofs of a program."""
        steps = self._named(program.steps)
        release = program.release_sql.removesuffix(";\n") + "\n"
        of_source = {step.name for step in program_steps(program)}
        proofs, left_out = {}, {}
        for step in steps:
            if step.kind != "proof":
                continue
            try:
                proofs[step.name] = self._written(written(one_query(steps, step.name)), [HOLDS])
            except PlanError as refused:
                if step.name not in of_source:
                    raise
                left_out[step.name] = refused.what
        notes = [f"not here  {name}: `sqlanon run` proves it" for name in left_out]
        release = self._written(release, notes)
        tables = {name: self.tables[name] for name in self.in_sql if name in self.read}
        return Translation(self.dialect, release, proofs, left_out, tables)

    def _named(self, steps: Sequence[Step]) -> list[Step]:
        """The steps; those that read a whole table name its columns."""
        plan = self.plan
        columns = [name for name, action, _ in row_columns(plan) if action != "star"]
        inputs = {"relation": self.published, "columns": list(plan.form.columns)}
        made = {
            "source": ("source/source.sql", {**source_inputs(plan), "columns": columns}),
            "published_rows": ("proof/published_rows.sql", inputs),
        }
        if plan.population is not None:
            people = source_inputs(plan, "population")
            people["columns"] = list(plan.quasi_identifiers)
            made["population"] = ("source/source.sql", people)
        named = [
            Step(step.name, render(made[step.name][0], **made[step.name][1]), step.kind)
            if step.name in made
            else step
            for step in steps
        ]
        return [*named, suppression_step(plan)]

    def _written(self, sql: str, notes: Sequence[str]) -> str:
        """A query in the dialect, with a header that says what it reads and who has tried it."""
        read = [name for name, key in self.in_sql.items() if _is_read(key, sql)]
        known = {
            key: NamedTable(self.tables[name], self.types.get(name, {}))
            for name, key in self.in_sql.items()
        }
        made = sql if self.keeps_files else transpile(sql, self.dialect.name, known)
        header, query = split(made)
        for name in read:  # the header names the tables of the plan
            header = header.replace(f"{self.schema}.{name}", comment(self.stands_for[name]))
        self.read |= {*read}
        lines = [f"{_MADE_FOR}{self.dialect.title} by sqlanon {__version__}: {self.dialect.tried}"]
        lines += [f"reads     {self.tables[name]}, for {self.stands_for[name]}" for name in read]
        if self.keeps_files:
            lines.append("reads     files, from the plan's folder")
        if PSEUDONYM_KEY.variable in sql:
            lines.append(f"key       first: {_how_to_set(self.dialect)}, {key_words(self.plan)}")
        return "".join(f"-- {comment(note)}\n" for note in (*lines, *notes)) + f"{header}\n{query}"


def _is_read(key: str, sql: str) -> bool:
    """Whether a query reads a file, or a table, of this name."""
    return text(key) in sql or f"from {table_sql(table_parts(key))}" in sql


def _how_to_set(dialect: Dialect) -> str:
    """The statement that gives a session the key of pseudonyms."""
    variable = PSEUDONYM_KEY.variable
    return {
        "postgres": f"set {variable.replace('_', '.', 1)} = '…'",
        "spark": f"declare variable {variable} string default '…'",
    }.get(dialect.family, f"set variable {variable} = '…'")


def _default(place: Source | Destination) -> str:
    """The table of the plan itself; else the stem of the file; empty for a query."""
    if place.table is not None:
        return place.table
    if place.database is not None:
        return place.database_table
    return _plain(PurePosixPath(place.path).name.split(".")[0]) if place.path else ""


def _plain(name: str) -> str:
    """A name that every database has for a table."""
    return re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_") or "table"
