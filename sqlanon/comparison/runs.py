"""The results of several runs of a plan, and which of them no other one beats.

The risks are those of a prosecutor, who knows that a person is in the table (El Emam 2013): the
highest is 1 / the smallest class, and the mean over all rows is classes / rows. They are the
measures of the models `prosecutor-risk` and `average-risk`, of all published classes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from sqlanon.errors import PlanError, did_you_mean
from sqlanon.plan.plan import Plan
from sqlanon.utility.measures import STANDARD_MEASURES

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


def records(runs: Sequence[ComparedRun]) -> list[dict[str, Any]]:
    """One mapping a run, all with the same keys: parameters, results, then every measure.

    Levels are JSON, and a cost of several numbers is the first of them, which decides.
    """
    keys = list(dict.fromkeys(key for run in runs for key in run.parameters if key != "method"))
    told = {key: [run.parameters.get(key) for run in runs] for key in keys}
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
            **{key: cell(values[number]) for key, values in told.items()},
            "method": run.parameters.get("method", run.method),
            "status": run.status,
            "reason": run.reason,
            "label": run.label,
            "levels": None if run.levels is None else json.dumps(dict(run.levels)),
            "classes": run.classes,
            "published_rows": run.published_rows,
            "suppressed_rows": run.suppressed_rows,
            "smallest_class": run.smallest_class,
            "highest_risk": run.highest_risk,
            "average_risk": run.average_risk,
            "on_front": run.on_front,
            "seconds": run.seconds,
            "cost": run.cost[0] if run.cost else None,
            **{name: (run.utility or {}).get(name) for name in names},
        }
        for number, run in enumerate(runs)
    ]


def cell(value: Any) -> Any:
    """A parameter as a cell of a table: a number, a truth value, or text."""
    is_plain = value is None or isinstance(value, bool | int | float | str)
    return value if is_plain else json.dumps(value, ensure_ascii=False, default=str)
