"""Steps of DuckDB, executed in another database over the same relations, step by step.

While `replaying` is open, each step that DuckDB executes is translated and executed in the other
database, too; what the step reads is copied there, with DuckDB's types. Their rows are compared.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from sqlanon.boundary.secrets import PERMUTATION_SEED, PSEUDONYM_KEY
from sqlanon.dialects.steps import external_inputs
from sqlanon.dialects.transpile import NamedTable, transpile
from sqlanon.engines.duckdb import DuckDBEngine
from sqlanon.sql.paths import unmarked
from sqlanon.sql.step import WORK_CATALOG, Rows, Step, quoted
from sqlanon.sql.tables import table_name, table_parts
from tests.paths import ROOT
from tests.support.servers import Database

DISCOVERY = {file.stem for file in (ROOT / "sql_templates/discovery").glob("*.sql")} | {
    "label_scale", "read_ranges",  # texts of labels are looked at in DuckDB alone
}  # fmt: skip
"""Steps that describe a source before anything is decided; they run where its rows are read."""

NUMBERED: Mapping[str, frozenset[str]] = {
    "row_combinations": frozenset({"combination"}),
    "matched_parts": frozenset({"first", "second"}),
}
"""Steps that number rows in no order, by the beginning of their names, and these columns."""

EACH = 2
"""How often steps are tried whose texts differ in their numbers alone."""

EXCEPTIONS: Mapping[str, str] = {
    "file_metadata": "it reads what a local Parquet file says of itself",
    "published_column_kinds": "DuckDB estimates what other databases count",
    "source_column_kinds": "DuckDB estimates what other databases count",
    "query_columns": "it asks for the columns of a query of a plan",
    "judged_partition": "k-mondrian asks for all rounds of cuts in one recursive statement",
}
"""Steps that are not the same elsewhere, and why."""


@dataclass
class Replay:
    """What was tried in another database, and what was found.

    Attributes:
        database: the other one.
        dialect: its dialect.
        differ: whether two answers differ; its third argument is whether their order counts.
        each: how often a step is tried whose texts differ in numbers alone.
        share: of the texts, how many are tried.
        found: what a step returned otherwise, or why it was refused, by plan and step.
        tried: how often each text without its numbers was tried.
    """

    database: Database
    dialect: str
    differ: Callable[[Rows, Rows, bool], bool]
    each: int = EACH
    share: float = 1
    found: dict[str, str] = field(default_factory=dict)
    tried: Counter[str] = field(default_factory=Counter)
    plan: str = ""
    loaded: int = 0

    @contextmanager
    def replaying(self, plan: str) -> Iterator[None]:
        """Try every step that DuckDB executes meanwhile.

        Args:
            plan: under which name what is found is reported.
        """
        original = DuckDBEngine.execute
        self.plan = plan
        tables: dict[int, _Tables] = {}

        def execute(engine: DuckDBEngine, step: Step) -> Rows:
            rows = original(engine, step)
            known = tables.setdefault(id(engine), _Tables(self, engine))
            known.forget(step.name)
            if step.kind not in ("columns", "attach") and step.name not in DISCOVERY:
                self._try(engine, step, rows, known)
            return rows

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(DuckDBEngine, "execute", execute)
            yield

    def _share_secrets(self, engine: DuckDBEngine, step: Step) -> None:
        """Give the other session the secrets that a step reads here."""
        for variable in (PSEUDONYM_KEY.variable, PERMUTATION_SEED.variable):
            if variable in step.sql:
                ((secret,),) = engine.connection.execute(
                    f"select getvariable('{variable}')"
                ).fetchall()
                self.database.set_secret(variable, secret)

    def _try(self, engine: DuckDBEngine, step: Step, rows: Rows, tables: _Tables) -> None:
        shape = re.sub(r"\d+", "0", step.select)
        drawn = random.Random(shape).random() < self.share
        if not drawn or self.tried[shape] >= self.each or step.name in EXCEPTIONS:
            return
        self.tried[shape] += 1
        name = f"{self.plan} {step.name}"
        tables.step = step
        self._share_secrets(engine, step)
        try:
            written = transpile(step.sql, self.dialect, tables)
            others = self.database.ask(written)
        except Exception as error:
            text = locals().get("written", "")
            self.found[name] = f"{text}\n{type(error).__name__}: {str(error)[:600]}"
            return
        if step.kind == "copy":
            rows = engine.connection.execute(engine._places.resolved(step.select)).fetchall()
        elif step.kind != "rows":
            relation = f"{WORK_CATALOG}.{quoted(step.name)}"
            rows = engine.connection.execute(f"select * from {relation}").fetchall()
            columns = [each[0] for each in engine.connection.description or ()]
            rows, others = (_without_numbers(step.name, columns, each) for each in (rows, others))
        is_ordered = re.search(r"^order by ", step.select, re.MULTILINE) is not None
        if self.differ(rows, others, is_ordered):
            mine, theirs = _first_difference(rows, others)
            self.found[name] = f"{written}\n{len(rows)} rows, {len(others)} rows\n{mine}\n{theirs}"


def _without_numbers(name: str, columns: Sequence[str], rows: Rows) -> Rows:
    """The rows without what is numbered in no order."""
    left = {each for start, found in NUMBERED.items() if name.startswith(start) for each in found}
    kept = [place for place, column in enumerate(columns) if column not in left]
    return [tuple(row[place] for place in kept) for row in rows] if left else rows


def _first_difference(mine: Rows, others: Rows) -> tuple[Any, Any]:
    for one, other in zip(sorted(mine, key=repr), sorted(others, key=repr), strict=False):
        if list(map(str, one)) != list(map(str, other)):
            return one, other
    return mine[-3:], others[-3:]


class _Tables(Mapping[str, NamedTable]):
    """What stands in the other database for a relation; made when it is read."""

    def __init__(self, replay: Replay, engine: DuckDBEngine) -> None:
        self.replay, self.engine = replay, engine
        self.known: dict[str, NamedTable] = {}
        self.step = Step("", "")

    def forget(self, name: str) -> None:
        """A step has made this relation anew."""
        self.known.pop(f"{WORK_CATALOG}.{table_name((name,))}", None)

    def __getitem__(self, called: str) -> NamedTable:
        if called not in self.known:
            sql = self._reader(called)
            self.replay.loaded += 1
            name = f"replayed_{self.replay.loaded}"
            cursor = self.engine.connection
            types = {row[0]: row[1] for row in cursor.execute(f"describe {sql}").fetchall()}
            columns = ", ".join(
                f"cast({quoted(column)} as decimal(38, 0)) as {quoted(column)}"
                if kind == "HUGEINT" else quoted(column)
                for column, kind in types.items()
            )  # fmt: skip
            rows = cursor.sql(f"select {columns} from ({sql})").to_arrow_table()
            self.replay.database.take(name, types, rows)
            self.known[called] = NamedTable(name, types)
        return self.known[called]

    def _reader(self, called: str) -> str:
        """The SQL for the rows of a relation of a step, of a file, or of a table of the user."""
        if called.startswith(f"{WORK_CATALOG}."):
            return f"select * from {WORK_CATALOG}.{quoted(table_parts(called)[1])}"
        if unmarked(called) is None:
            return f"select * from {'.'.join(map(quoted, table_parts(called)))}"
        reader = next(
            sql for literal, sql in external_inputs(self.step.select) if literal == called
        )
        return f"select * from {self.engine._places.resolved(reader)}"

    def __iter__(self) -> Iterator[str]:
        return iter(self.known)

    def __len__(self) -> int:
        return len(self.known)
