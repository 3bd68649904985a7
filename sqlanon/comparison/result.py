"""The result of a sweep or a comparison: its runs as rows, a relation, and a file."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import duckdb

from sqlanon.comparison.runs import Axes, ComparedRun, cell, records
from sqlanon.display.blocks import (
    GOOD,
    SECONDARY,
    WARNING,
    Block,
    Sentences,
    Styled,
    Table,
)
from sqlanon.display.tabular import Tabular
from sqlanon.sql.step import quoted
from sqlanon.system.files import write_whole
from sqlanon.system.locks import private_folder

MOST_RUNS_SHOWN = 12
"""Runs whose levels are shown side by side."""


@dataclass(frozen=True)
class Comparison(Tabular):
    """Several runs of one plan, side by side; nothing was published.

    Attributes:
        plan: the name of the plan.
        keys: what was varied: keys of the plan, or `method`.
        axes: what the runs are compared by.
        rows: the runs, in the order in which they were asked for.
    """

    plan: str
    keys: tuple[str, ...]
    axes: Axes
    rows: tuple[ComparedRun, ...]

    @property
    def front(self) -> tuple[ComparedRun, ...]:
        """The runs that no other one beats, from the least risk."""
        found = [run for run in self.rows if run.on_front]
        return tuple(sorted(found, key=lambda run: run.risk(self.axes.risk) or 0.0))

    @property
    def gaps(self) -> tuple[ComparedRun, ...]:
        """The runs that found nothing; each has its reason."""
        return tuple(run for run in self.rows if run.status != "found")

    @property
    def titles(self) -> tuple[str, ...]:
        """The keys, each by its last part unless two end alike."""
        ends = tuple(key.rpartition(".")[2] for key in self.keys)
        return ends if len(set(ends)) == len(ends) else self.keys

    def values(self, run: ComparedRun) -> list[Any]:
        """What a run set, in the order of the keys; a value that is none of numbers as JSON."""
        return [cell(run.parameters[key]) for key in self.keys]

    def named(self, run: ComparedRun) -> str:
        """What a run set, in words such as `k = 5`; a method by its name alone."""
        if self.keys == ("method",):
            return str(run.parameters["method"])
        pairs = zip(self.titles, self.values(run), strict=True)
        return ", ".join(f"{title} = {value}" for title, value in pairs)

    def as_json(self) -> dict[str, Any]:
        runs = [asdict(run) for run in self.rows]
        return {"plan": self.plan, "keys": self.keys, **asdict(self.axes), "runs": runs}

    def displayed(self) -> Sequence[Block]:
        """The runs, the levels that they chose, and the reasons of gaps."""
        axes = self.axes
        rows = [
            [*self.values(run), run.classes, run.suppressed_rows, _short(run.loss(axes.measure)),
             _short(run.highest_risk), _short(run.average_risk), _short(run.seconds),
             Styled("*", GOOD) if run.on_front else ""]
            for run in self.rows
        ]  # fmt: skip
        methods = {run.method for run in self.rows}
        by = f", by the method {methods.pop()}" if len(methods) == 1 else ""
        columns = [*self.titles, "classes", "suppressed", axes.measure, "highest risk",
                   "average risk", "seconds", "front"]  # fmt: skip
        front = (
            f"* no other run is better by {axes.risk} risk or by {axes.measure} and not worse by"
            " the other"
        )
        gaps = [f"{self.named(run)}: {run.reason}" for run in self.gaps]
        return [
            Table(f"{self.plan}{by}", columns, rows),
            Sentences([front], style=SECONDARY),
            *self._levels(),
            *([Sentences(gaps, style=WARNING)] if gaps else []),
        ]

    def _levels(self) -> Iterator[Table]:
        """The levels that the runs chose, side by side if they are few."""
        runs = [(run, run.levels) for run in self.rows if run.levels]
        if 1 <= len(runs) <= MOST_RUNS_SHOWN:
            names = [", ".join(map(str, self.values(run))) for run, _ in runs]
            rows = [[name, *(levels.get(name) for _, levels in runs)] for name in runs[0][1]]
            yield Table(f"levels by {', '.join(self.keys)}", ["", *names], rows)

    def records(self) -> list[dict[str, Any]]:
        """One mapping a run, all with the same keys, as in the columns of a file."""
        return records(self.rows)

    def relation(self) -> duckdb.DuckDBPyRelation:
        """The runs as a relation of a database of its own, one row each."""
        found = self.records()
        columns = {name: _type(row[name] for row in found) for name in found[0]}
        connection = duckdb.connect()
        declared = ", ".join(f"{quoted(name)} {kind}" for name, kind in columns.items())
        connection.execute(f"create table comparison ({declared})")
        marks = ", ".join("?" for _ in columns)
        connection.executemany(
            f"insert into comparison values ({marks})",
            [list(map(_stored, row.values(), columns.values())) for row in found],
        )
        return connection.table("comparison")

    def write(self, path: str | Path) -> None:
        """Write the runs to a file, whole or not at all.

        Args:
            path: of a CSV file; or of a Parquet file if it ends with `.parquet`.
        """
        path = Path(path)
        with private_folder(Path(tempfile.gettempdir()), "sqlanon_") as folder:
            file = folder / "comparison"
            if path.suffix == ".parquet":
                self.relation().write_parquet(str(file))
            else:
                self.relation().write_csv(str(file))
            write_whole(path, file.read_bytes())


def _short(number: float | None) -> float | None:
    """A number with three digits."""
    return None if number is None else float(f"{number:.3g}")


def _type(values: Iterable[Any]) -> str:
    """The type of a column with these values, in SQL."""
    kinds = {type(value) for value in values if value is not None}
    if kinds and kinds <= {bool}:
        return "boolean"
    if kinds and kinds <= {int}:
        return "bigint"
    return "double" if kinds and kinds <= {int, float} else "varchar"


def _stored(value: Any, kind: str) -> Any:
    """A value as a column of this type takes it."""
    return str(value) if kind == "varchar" and value is not None else value
