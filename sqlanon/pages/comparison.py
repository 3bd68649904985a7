"""The page of a sweep or a comparison: risk and utility of every run, and those that none beats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlanon.pages.charts import COUNT_AXIS
from sqlanon.pages.compared import ComparedRun, Comparison
from sqlanon.pages.figures import AFTER, BEFORE, SERIES, WIDTH, Figure, figure
from sqlanon.pages.html import Column, Table, page_text

_LOGARITHMIC = 20
"""The ratio of the largest to the smallest value from which a scale is logarithmic."""

_MOST_LABELED = 12
"""Points with a label each; of more, only those on the front have one."""

_FRONT, _BEATEN = "on the front", "beaten"

_MOST_LEVELS = _MOST_NAMED = 24
"""Runs whose levels stand side by side, or that are named in a sentence."""

_HEIGHT = 230

_LETTER = 5
"""Pixels that a letter of a label takes beyond the last point, about."""


def comparison_page(found: Comparison) -> str:
    """The HTML of a page with charts, all runs, and the reasons of gaps."""
    is_sweep = found.keys != ("method",)
    what = f"a sweep over {' and '.join(found.keys)}" if is_sweep else "a comparison of methods"
    methods = list(dict.fromkeys(run.method for run in found.rows))
    kicker = f"method {methods[0]}" if len(methods) == 1 else f"{len(found.rows)} runs"
    pictures = [_scatter(found)]
    if is_sweep and _is_numeric(found.values(run)[0] for run in found.rows):
        pictures += [
            _curve(found, found.axes.measure, [run.loss(found.axes.measure) for run in found.rows]),
            _curve(found, "average risk", [run.average_risk for run in found.rows], is_risk=True),
            _curve(found, "suppressed rows", [run.suppressed_rows for run in found.rows]),
        ]
    return page_text(
        "comparison.html",
        title=f"{found.plan}: {what}",
        kicker=kicker,
        measure=found.axes.measure,
        members="rows or persons",
        front=_front(found),
        pictures=pictures,
        runs=_runs(found),
        levels=_levels(found),
        gaps=_gaps(found),
    )


def _front(found: Comparison) -> str:
    """What the reader learns of the front, in words."""
    axes, front = found.axes, found.front
    if not front:
        return f"No run has both a risk and a value of {axes.measure}."
    named = "; ".join(found.named(run) for run in front[:_MOST_NAMED])
    return (
        f"{len(front)} of {len(found.rows)} runs are on the front: no other run is better by"
        f" {axes.risk} risk or by {axes.measure} and not worse by the other. From the least risk:"
        f" {named}."
    )


def _scatter(found: Comparison) -> tuple[Figure, Table]:
    """Every run by its risk and its loss, and a line along the front."""
    axes = found.axes
    placed = [run for run in found.rows if axes.place(run) is not None]
    risks = [run.risk(axes.risk) for run in placed]
    x = _axis("risk", f"{axes.risk} risk", risks, may_be_log=True)
    y = _axis("loss", axes.measure, [run.loss(axes.measure) for run in placed])
    x["scale"]["padding"] = 16 if "type" in x["scale"] else 0
    points = [
        {
            "risk": run.risk(axes.risk),
            "loss": run.loss(axes.measure),
            "label": ", ".join(map(str, found.values(run))),
            "state": _FRONT if run.on_front else _BEATEN,
        }
        for run in placed
    ]
    front = [point for point in points if point["state"] == _FRONT]
    state = {
        "field": "state",
        "type": "nominal",
        **({} if len(front) < len(points) else {"legend": None}),
    }
    color = {**state, "scale": {"domain": [_FRONT, _BEATEN], "range": [AFTER, BEFORE]}}
    shape = {**state, "scale": {"domain": [_FRONT, _BEATEN], "range": ["circle", "square"]}}
    layers: list[dict[str, Any]] = [
        {
            "data": {"values": front},
            "mark": {"type": "line", "color": AFTER, "strokeWidth": 1.5},
            "encoding": {"x": x, "y": y, "order": {"field": "risk", "type": "quantitative"}},
        },
        {
            "data": {"values": points},
            "mark": {"type": "point", "filled": True, "size": 55, "opacity": 1},
            "encoding": {"x": x, "y": y, "color": color, "shape": shape},
        },
    ]
    labeled = points if len(points) <= _MOST_LABELED else front
    text = {"type": "text", "dx": 7, "dy": -8, "align": "left", "fontSize": 10}
    encoding = {"x": x, "y": y, "text": {"field": "label"}}
    layers.append({"data": {"values": labeled}, "mark": text, "encoding": encoding})
    longest = max((len(str(point["label"])) for point in labeled), default=0)
    padding = {"left": 2, "top": 2, "bottom": 2, "right": min(longest * _LETTER, WIDTH // 3)}
    title = f"{axes.measure} and {axes.risk} risk"
    description = f"{len(points)} runs, {len(front)} of them on the front, joined by a line."
    spec = {"width": WIDTH - 60, "height": _HEIGHT, "layer": layers, "padding": padding}
    columns = (
        *_keys(found),
        Column(f"{axes.risk} risk", "number"),
        Column(axes.measure, "number"),
        Column("front"),
    )
    rows = [
        (*found.values(run), point["risk"], point["loss"], point["state"])
        for run, point in zip(placed, points, strict=True)
    ]
    return figure(spec, title, description), Table(title, columns, rows)


def _curve(
    found: Comparison, title: str, values: Sequence[float | None], *, is_risk: bool = False
) -> tuple[Figure, Table]:
    """One quantity by the first key, a line for each value of the second; gaps have no point."""
    firsts = [found.values(run)[0] for run in found.rows]
    known = [
        (run, value) for run, value in zip(found.rows, values, strict=True) if value is not None
    ]
    points = [
        {"x": found.values(run)[0], "y": value, "series": str(found.values(run)[-1])}
        for run, value in known
    ]
    has_series = len(found.keys) > 1
    series = list(dict.fromkeys(point["series"] for point in points))
    x = _axis("x", found.titles[0], firsts, may_be_log=True, from_zero=False)
    encoding: dict[str, Any] = {
        "x": {**x, "axis": {**x["axis"], "values": sorted(set(firsts)), "labelOverlap": "greedy"}},
        "y": _axis("y", title, [value for _, value in known], may_be_log=is_risk),
    }
    if has_series:
        encoding["color"] = {
            "field": "series", "type": "nominal",
            "scale": {"domain": series, "range": list(SERIES[: len(series)] or SERIES)},
            "legend": {"title": found.titles[1]},
        }  # fmt: skip
    mark = {"type": "line", "point": {"size": 40}, "strokeWidth": 1.5}
    spec = {
        "data": {"values": points},
        "width": WIDTH - 60,
        "height": _HEIGHT - 50,
        "mark": mark if has_series else {**mark, "color": AFTER, "point": {"color": AFTER}},
        "encoding": encoding,
    }
    caption = f"{title} by {' and '.join(found.titles)}"
    return figure(spec, caption, _description(found, known, title)), Table(
        caption,
        (*_keys(found), Column(title, "number")),
        [(*found.values(run), value) for run, value in known],
    )


def _description(found: Comparison, known: Sequence[tuple[ComparedRun, float]], title: str) -> str:
    """The first and the last point of a curve in words."""
    if not known:
        return f"No run has {title}."
    (first, low), (last, high) = known[0], known[-1]
    gaps = len(found.rows) - len(known)
    missing = f" {gaps} gaps." if gaps else ""
    return f"{low:.3g} at {found.named(first)}; {high:.3g} at {found.named(last)}.{missing}"


def _axis(
    field: str,
    title: str,
    values: Sequence[float | None],
    *,
    may_be_log: bool = False,
    from_zero: bool = True,
) -> dict[str, Any]:
    """A quantitative axis: from 0, or logarithmic if it may be and the values differ much.

    Args:
        values: what it has to show; numbers that are all whole get whole ticks.
        from_zero: whether it begins at 0, also if all values are one.
    """
    numbers = [value for value in values if value]
    is_wide = len(numbers) == len(values) > 1 and max(numbers) / min(numbers) >= _LOGARITHMIC
    scale: dict[str, Any] = {}
    if may_be_log and is_wide:
        scale = {"scale": {"type": "log", "nice": False}}
    elif from_zero:
        scale = {"scale": {"domain": [0, max(numbers, default=0) * 1.1 or 1], "nice": False}}
    whole = COUNT_AXIS if all(isinstance(value, int) for value in values) else {}
    axis = {"title": title, "domain": False, "ticks": False, **whole, "tickCount": 5}
    return {"field": field, "type": "quantitative", "axis": axis, **scale}


def _is_numeric(values: Any) -> bool:
    return all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)


def _keys(found: Comparison) -> tuple[Column, ...]:
    """A column for each key."""
    return tuple(
        Column(
            title, "number" if _is_numeric(run.parameters[key] for run in found.rows) else "text"
        )
        for title, key in zip(found.titles, found.keys, strict=True)
    )


def _runs(found: Comparison) -> Table:
    """Every run with what it found."""
    measures = dict.fromkeys((found.axes.measure, "discernibility"))
    columns = (
        *_keys(found), Column("front"), Column("classes", "count"),
        Column("suppressed rows", "count"), Column("smallest class", "count"),
        Column("highest risk", "number"), Column("average risk", "number"),
        *(Column(name, "number") for name in measures), Column("seconds", "number"),
    )  # fmt: skip
    rows = [
        (
            *found.values(run),
            "yes" if run.on_front else "", run.classes, run.suppressed_rows,
            run.smallest_class, run.highest_risk, run.average_risk,
            *(run.loss(name) for name in measures), run.seconds,
        )
        for run in found.rows
    ]  # fmt: skip
    return Table("What each run would publish", columns, rows)


def _levels(found: Comparison) -> Table | None:
    """What becomes of each quasi-identifier, run by run; None if there are too many runs."""
    runs = [run for run in found.rows if run.words]
    if not 1 <= len(runs) <= _MOST_LEVELS:
        return None
    names = list(dict.fromkeys(name for run in runs for name in run.words or {}))
    return Table(
        f"What becomes of the quasi-identifiers by {', '.join(found.keys)}",
        (
            Column("column"),
            *(Column(", ".join(map(str, found.values(run)))) for run in runs),
        ),
        [(name, *((run.words or {}).get(name) for run in runs)) for name in names],
    )


def _gaps(found: Comparison) -> Table | None:
    """The runs without a result, and why."""
    if not found.gaps:
        return None
    rows = [(found.named(run), run.status, run.reason) for run in found.gaps]
    return Table("Runs without a result", (Column("run"), Column("status"), Column("why")), rows)
