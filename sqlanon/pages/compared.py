"""Several runs of one plan side by side, and which of them no other one beats.

The risks are those of a prosecutor, who knows that a person is in the table (El Emam 2013): the
highest is 1 / the smallest class, and the mean over all rows is classes / rows. They are the
measures of the models `prosecutor-risk` and `average-risk`, of all published classes.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

import duckdb

from sqlanon.boundary.files import write_whole
from sqlanon.boundary.locks import private_folder
from sqlanon.display.blocks import GOOD, SECONDARY, WARNING, Block, Sentences, Styled, Table
from sqlanon.display.tabular import Tabular
from sqlanon.errors import PlanError, did_you_mean
from sqlanon.plan.plan import Plan
from sqlanon.sql.step import quoted
from sqlanon.utility.measures import STANDARD_MEASURES

MOST_RUNS_SHOWN = 12
"""Runs whose levels are shown side by side."""

Status = Literal["found", "no-solution", "refused"]
Risk = Literal["highest", "average"]

RISKS: tuple[Risk, ...] = ("highest", "average")


@dataclass(frozen=True)
class ComparedRun:
    """One run: what was set, and what would be published.

    Attributes:
        parameters: the keys that were set, and their values; for a comparison, `method`.
        method: the name of the method.
        status: found; no-solution: nothing within the limits holds the promises; refused: the
            method does not fit the plan or the data.
        reason: why nothing was found, in words, without a value of the source.
        label: what the method states about its result.
        levels: the level of every quasi-identifier, if all rows have the same.
        words: what becomes of every quasi-identifier, in words.
        classes: as a reader of the publication counts them; buckets, if these are published.
        published_rows, suppressed_rows: rows.
        smallest_class: rows, or persons if the plan counts them.
        highest_risk: 1 / smallest class, 0 to 1.
        average_risk: classes / rows, or persons, 0 to 1.
        cost: of the objective, with the plan's parameters, if the method recorded it.
        utility: every measure with its default parameters, as a manifest lists them.
        seconds: wall time, with what no earlier run had executed.
        on_front: whether no other run has less risk without more loss, or less loss without more
            risk.
    """

    parameters: Mapping[str, Any]
    method: str
    status: Status
    reason: str | None = None
    label: str | None = None
    levels: Mapping[str, int] | None = None
    words: Mapping[str, str] | None = None
    classes: int | None = None
    published_rows: int | None = None
    suppressed_rows: int | None = None
    smallest_class: int | None = None
    highest_risk: float | None = None
    average_risk: float | None = None
    cost: tuple[float, ...] | None = None
    utility: Mapping[str, Any] | None = None
    seconds: float = 0.0
    on_front: bool = False

    def risk(self, kind: Risk) -> float | None:
        """One of its risks."""
        return self.highest_risk if kind == "highest" else self.average_risk

    def loss(self, measure: str) -> float | None:
        """What is lost by a measure; None if nothing was found, or the measure does not apply."""
        value = (self.utility or {}).get(measure.replace("-", "_"))
        return None if value is None else float(value)


@dataclass(frozen=True)
class Axes:
    """What runs are compared by.

    Attributes:
        measure: the name of a utility measure.
        risk: highest or average.
        more_is_better: whether a high value of the measure means that little is lost.
    """

    measure: str
    risk: Risk
    more_is_better: bool = False

    def place(self, run: ComparedRun) -> tuple[float, float] | None:
        """Risk and loss of a run, less being better; None if it has none."""
        risk, loss = run.risk(self.risk), run.loss(self.measure)
        if risk is None or loss is None:
            return None
        return risk, -loss if self.more_is_better else loss


def axes_of(plan: Plan, measure: str | None, risk: str) -> Axes:
    """What runs of a plan are compared by."""
    known = {each.name: each for each in STANDARD_MEASURES}
    name = measure or (plan.objective.name if plan.objective.name in known else "loss")
    if name not in known:
        raise PlanError(
            "There is no such utility measure.", where="--measure", fix=did_you_mean(name, known)
        )
    for kind in RISKS:
        if risk == kind:
            return Axes(name, kind, known[name].more_is_better)
    raise PlanError("There is no such risk.", where="--risk", fix="give highest or average")


def with_front(runs: Sequence[ComparedRun], axes: Axes) -> tuple[ComparedRun, ...]:
    """The runs, with those marked that no other run beats."""
    places = [axes.place(run) for run in runs]
    known = {place for place in places if place is not None}
    front = {
        (risk, loss)
        for risk, loss in known
        if not any(
            other_risk <= risk and other_loss <= loss and (other_risk, other_loss) != (risk, loss)
            for other_risk, other_loss in known
        )
    }
    return tuple(
        replace(run, on_front=place in front) for run, place in zip(runs, places, strict=True)
    )


def cell(value: Any) -> Any:
    """A parameter as a cell of a table: a number, a truth value, or text."""
    is_plain = value is None or isinstance(value, bool | int | float | str)
    return value if is_plain else json.dumps(value, ensure_ascii=False, default=str)


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
        """One mapping a run, all with the same keys, as in the columns of a file.

        Levels are JSON, and a cost of several numbers is the first of them, which decides.
        """
        runs = self.rows
        keys = list(dict.fromkeys(key for run in runs for key in run.parameters if key != "method"))
        measures = dict.fromkeys(
            name
            for run in runs
            for name, value in (run.utility or {}).items()
            if isinstance(value, int | float)
        )
        standard = [each.name.replace("-", "_") for each in STANDARD_MEASURES]
        names = [*standard, *(name for name in measures if name not in standard)]
        return [
            {
                **{key: cell(run.parameters.get(key)) for key in keys},
                "method": run.parameters.get("method", run.method),
                **{name: getattr(run, name) for name in ("status", "reason", "label")},
                "levels": None if run.levels is None else json.dumps(dict(run.levels)),
                **{name: getattr(run, name) for name in _NUMBERS},
                "cost": run.cost[0] if run.cost else None,
                **{name: (run.utility or {}).get(name) for name in names},
            }
            for run in runs
        ]

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


_NUMBERS = (
    "classes", "published_rows", "suppressed_rows", "smallest_class", "highest_risk",
    "average_risk", "on_front", "seconds",
)  # fmt: skip
"""Columns of a file, as the fields of a run."""
