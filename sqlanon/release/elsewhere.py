"""The program of a solved plan in the dialect of the database that it runs in.

It has the steps of the program for DuckDB, translated as the engine translates them. What makes a
relation of a query, reads a file, stops at a violation and publishes is a script's: `scripts.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Protocol

from sqlanon.dialects.naming import Tables, translated, unused_name
from sqlanon.dialects.reads import outside
from sqlanon.dialects.transpile import NamedTable
from sqlanon.errors import PlanError
from sqlanon.plan.plan import Plan
from sqlanon.plan.tables import Destination, Source
from sqlanon.release.postgresql_script import PostgreSQLScript
from sqlanon.release.program import Program, preamble, proven_step, secrets_of
from sqlanon.release.scripts import Script
from sqlanon.release.spark_script import SparkScript
from sqlanon.sql.paths import unmarked
from sqlanon.sql.step import WORK_CATALOG, Step, references, split
from sqlanon.sql.tables import Parts, table_name, table_parts

TypesOf = Callable[[Parts], Mapping[str, str] | None]
"""DuckDB's type of each column of a table of the user; None if there is no such table."""


class Shapes(Protocol):
    """The columns of relations, with DuckDB's types; see `sqlanon.engines.shapes`."""

    def add_table(self, parts: Parts, columns: Mapping[str, str]) -> None:
        """Make a table of the user known."""

    def add_files(self, path: str, columns: Mapping[str, str]) -> None:
        """Make files known that are elsewhere."""

    def columns_of(self, relation: str) -> list[str]:
        """The columns of a local file."""

    def make(self, step: Step) -> dict[str, str]:
        """The columns of the relation of a step."""


_SCRIPTS: Mapping[str, type[Script]] = {"postgres": PostgreSQLScript, "spark": SparkScript}


def program_elsewhere(
    plan: Plan,
    program: Program,
    description: tuple[str, str],
    staged: Mapping[str, Destination],
    shapes: Shapes,
    types_of: TypesOf,
) -> Program:
    """The program in the dialect of the plan's engine.

    A search that runs in DuckDB may need steps that do not carry over; then there is no program,
    and `refusal` says why, but there is a release.

    Args:
        plan: with the types of its columns.
        program: as for DuckDB, of the plan's solution.
        description: what was found, for the header.
        staged: where the rows of copies are published, by the copies' targets.
        shapes: of no relation yet.
        types_of: asked for the tables that queries of the plan read.

    Raises:
        PlanError: the release does not carry over.
    """
    return _Writer(plan, shapes, staged, types_of).written(program, description)


class _Writer:
    """Writes steps, and remembers what their relations are called."""

    def __init__(
        self,
        plan: Plan,
        shapes: Shapes,
        staged: Mapping[str, Destination],
        types_of: TypesOf,
    ) -> None:
        self._plan, self._shapes, self._staged = plan, shapes, staged
        self._types_of = types_of
        self._script = _SCRIPTS[plan.engine.name](plan)
        self._tables = Tables(self._find)
        self._before: list[str] = []
        self._step = Step("open", "")
        self._refusal: PlanError | None = None
        self._planned: dict[str, int] = {}
        tables = (plan.source, plan.population)
        self._files = {table.path: table for table in tables if table and table.path}

    def written(self, program: Program, description: tuple[str, str]) -> Program:
        """The program, translated."""
        script, plan = self._script, self._plan
        release = ""
        texts = []
        for step in program.steps:
            texts.append(tuple(self._statements(step)))
            if step.name == "release":
                release = self._translated(program.release_query)
        proven = proven_step(plan, program.steps)
        closing = self._statements(proven)
        relation = self._relation(proven.name)
        staged = [
            (place, self._tables.known[target].name) for target, place in self._staged.items()
        ]
        closing += script.closing(relation, staged)
        target = PurePosixPath(next(iter(self._staged))).parent
        lines = script.header(f"{target}/sql/program.sql")
        return replace(
            program,
            preamble=preamble(plan, description, lines, script.given),
            opening=tuple(script.opening(secrets_of(plan).values())),
            closing=tuple(closing),
            texts=tuple(texts),
            release=release.rstrip("\n") + ";\n",
            refusal=self._refusal,
        )

    def _statements(self, step: Step) -> list[str]:
        """The statements of a step, after those that make what it reads for the first time."""
        self._before = []
        self._refuse_many_plans(step)
        header, query = split(self._translated_or_refused(step))
        before, script = self._before, self._script
        types = self._shapes.make(step)
        if step.kind == "copy":
            place = self._staged[step.target]
            relation, made = script.staged(place, step.target, query)
            self._tables.known[step.target] = NamedTable(relation, types)
        else:
            relation = self._named(step.name)
            key = f"{WORK_CATALOG}.{table_name((step.name,))}"
            self._tables.known[key] = NamedTable(relation, types)
            made = script.made("view" if step.kind == "view" else "table", relation, query)
        made[0] = f"{header}\n{made[0]}" if header else made[0]
        if step.kind == "proof":
            stop = Step(step.name, step.stop)
            made.append(self._translated_or_refused(stop).rstrip("\n") + ";")
        return [*before, *made]

    def _refuse_many_plans(self, step: Step) -> None:
        """Refuse the program if the shell would plan what this step reads too often.

        A relation is planned as often as it is read, with all that it reads itself; so rounds that
        each read the one before several times are planned times without number.
        """
        read = references(step.select)
        count = 1 + sum(self._planned.get(name, 1) for name in read)
        self._planned[step.name.lower()] = count
        if count > self._script.most_plans and self._refusal is None:
            self._refusal = PlanError(
                f"The step {step.name} cannot be in a program: its shell would plan relations"
                f" {count:,} times.",
                where=self._plan.where("engine"),
                fix="publish with `sqlanon run`, which plans each relation once",
            )

    def _translated_or_refused(self, step: Step) -> str:
        """The translation; the step itself, once one was refused."""
        try:
            return self._translated(step)
        except PlanError as refused:
            if step.kind == "copy":
                raise
            fix = "publish with `sqlanon run` and `engine: {search: driver}`"
            found = PlanError(refused.what, where=refused.where, fix=fix)
            self._refusal = self._refusal or found
            return step.sql

    def _translated(self, step: Step) -> str:
        self._step = step
        return translated(step, self._script.dialect, self._tables, self._plan.where("engine"))

    def _named(self, name: str) -> str:
        return unused_name(name, self._script.relation, self._tables.known.values())

    def _relation(self, step: str) -> str:
        return self._tables.known[f"{WORK_CATALOG}.{step}"].name

    # --- what steps read that is not made by steps

    def _find(self, called: str) -> NamedTable | None:
        """A table or files of the user, by what it is called in SQL; None if there is none."""
        if called.startswith(f"{WORK_CATALOG}."):
            return None
        path = unmarked(called)
        if path is None:
            return self._find_table(table_parts(called))
        if path in self._files:
            return self._read_files(path)
        reader = next(sql for literal, sql in outside(self._step.select) if literal == called)
        relation = self._named(f"file_{path.rpartition('/')[2]}")
        columns = self._shapes.columns_of(reader)
        self._before += self._script.file(relation, path, reader, columns)
        return NamedTable(relation, dict.fromkeys(columns, "VARCHAR"))

    def _find_table(self, parts: Parts) -> NamedTable | None:
        types = self._known_types(table_name(parts)) or self._types_of(parts)
        if types is None:
            return None
        self._shapes.add_table(parts, types)
        return NamedTable(table_name(parts), types)

    def _known_types(self, table: str) -> Mapping[str, str]:
        """The types of a table that the plan reads itself."""
        found: dict[str, str] = {}
        for which in ("source", "population"):
            source: Source | None = getattr(self._plan, which)
            if source is not None and source.table == table:
                found |= self._plan.types.get(which, {})
        return found

    def _read_files(self, path: str) -> NamedTable:
        source = self._files[path]
        which = "source" if source is self._plan.source else "population"
        types = self._plan.types[which]
        relation = self._named(which + "_files")
        self._before += self._script.files(relation, source)
        self._shapes.add_files(path, types)
        return NamedTable(relation, types)
