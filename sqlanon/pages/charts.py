"""The charts of a report; each with the table of its numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlanon.families.lattice_view import LatticeView, SeenNode
from sqlanon.pages.counts import Bar, Counted, Sizes, edges
from sqlanon.pages.figures import AFTER, BEFORE, INK, LINE, MUTED, WARNING, WIDTH, Figure, figure
from sqlanon.pages.html import Column, Table, percent

Picture = tuple[Figure, Table]
"""A figure, and the table of its numbers."""

_LABELS = 140
"""Pixels for the labels of bars."""

_BAR = 16
"""Pixels for a bar."""


def named(bar: Bar) -> str:
    """The label of a bar."""
    return "missing" if bar.label is None else bar.label


def others_text(counted: Counted) -> str:
    """What the bar of all other values is called."""
    what = "value" if counted.other_values == 1 else "values"
    return f"others ({counted.other_values:,} {what})"


def column_chart(name: str, before: Counted | None, after: Counted | None) -> Picture:
    """The values of a column before and after, or either."""
    parts: list[dict[str, Any]] = []
    rows: list[tuple[Any, ...]] = []
    for which, counted in (("before", before), ("after", after)):
        if counted is None:
            continue
        axis = [f"rows {which}" if before is not None and after is not None else "rows"]
        data: list[dict[str, Any]] = []
        for bar in filter(None, (*counted.bars, counted.others)):
            label = others_text(counted) if bar is counted.others else named(bar)
            kept, left_out = bar.published, None
            if which == "before":
                kept = bar.source if bar.published is None else bar.published
                left_out = (bar.source or 0) - (kept or 0)
            if bar is counted.others and _is_huge(counted):
                axis.append(f"{label}: {_rows(bar):,}")
                rows.append((which, label, _rows(bar), None))
                continue
            rows.append((which, label, bar.source if which == "before" else kept, left_out))
            data.append({"label": label, "what": "published", "rows": kept})
            if left_out is not None:
                data.append({"label": label, "what": "suppressed", "rows": left_out})
        parts.append(_bars(data, BEFORE if which == "before" else AFTER, axis))
    spec: dict[str, Any] = parts[0]
    if len(parts) > 1:
        scales = {"x": "shared", "y": "independent", "color": "independent"}
        spec = {"vconcat": parts, "spacing": 8, "resolve": {"scale": scales}}
    columns: tuple[Column, ...] = (Column("value"), Column("rows", "count"))
    if before is not None:
        columns = (Column("table"), *columns, Column("suppressed", "count"))
    else:
        rows = [row[1:3] for row in rows]
    numbers = Table(f"{name}: rows by value", columns, rows)
    return figure(spec, name, _in_words(name, before, after)), numbers


def _rows(bar: Bar) -> int:
    """The rows of a bar, of the source where they were counted."""
    return (bar.published or 0) if bar.source is None else bar.source


def _is_huge(counted: Counted) -> bool:
    """Whether the bar of all others would make the named ones too short to be seen."""
    most = max(map(_rows, counted.bars), default=0)
    return counted.others is not None and 0 < 3 * most < _rows(counted.others)


def _bars(data: Sequence[Mapping[str, Any]], color: str, axis: Sequence[str]) -> dict[str, Any]:
    """Horizontal bars, the suppressed part of each in the color of a warning."""
    return {
        "data": {"values": list(data)},
        "width": WIDTH - _LABELS - 16,
        "height": {"step": _BAR},
        "mark": {"type": "bar", "height": {"band": 0.72}},
        "encoding": {
            "y": {
                "field": "label", "type": "nominal", "sort": None,
                "axis": {
                    "title": None, "ticks": False, "domain": False, "labelLimit": _LABELS,
                    "minExtent": _LABELS, "maxExtent": _LABELS,
                },
            },
            "x": {
                "field": "rows", "type": "quantitative", "stack": "zero",
                "axis": {
                    "title": list(axis), "tickCount": 3, "format": "~s", "domain": False,
                    "ticks": False,
                },
            },
            "color": {
                "field": "what", "type": "nominal", "legend": None,
                "scale": {"domain": ["published", "suppressed"], "range": [color, WARNING]},
            },
            "order": {"field": "what", "type": "nominal"},
        },
    }  # fmt: skip


def _in_words(name: str, before: Counted | None, after: Counted | None) -> str:
    """What a reader sees in the bars of a column."""
    sentences = []
    for which, counted in (("Before", before), ("After", after)):
        if counted is not None and counted.bars:
            most = max(counted.bars, key=lambda bar: bar.published or bar.source or 0)
            rows = most.source if which == "Before" else most.published
            sentences.append(
                f"{which}: {len(counted.bars)} values named, most rows ({rows:,}) {named(most)}."
            )
    return " ".join(sentences) or f"No value of {name} can be named."


def sizes_chart(after: Sizes, before: Sizes | None, k: int, members: str) -> Picture:
    """Shares of rows or persons by the size of their class."""
    begun = sorted({least for sizes in (after, before) if sizes for least, _, _ in sizes.ranges})
    data, rows = [], []
    for least in begun:
        label = _range(least, next((edge for edge in edges(k) if edge > least), None))
        cells: list[Any] = [label]
        for which, sizes in (("source", before), ("published", after)):
            if sizes is None:
                continue
            found = {first: (classes, count) for first, classes, count in sizes.ranges}
            classes, count = found.get(least, (0, 0))
            what = "source" if which == "source" else "published"
            data.append({"label": label, "what": what, "share": count / sizes.members})
            cells += [classes, count, count / sizes.members]
        rows.append(tuple(cells))
    spec = {
        "data": {"values": data},
        "width": WIDTH - 50,
        "height": 170,
        "mark": {"type": "bar"},
        "encoding": {
            "x": {"field": "label", "type": "nominal", "sort": None,
                  "axis": {"title": f"class size ({members})", "labelAngle": -40, "ticks": False}},
            "xOffset": {"field": "what", "sort": ["source", "published"]},
            "y": {"field": "share", "type": "quantitative",
                  "axis": {"title": f"share of {members}", "format": "%", "tickCount": 4,
                           "domain": False, "ticks": False}},
            "color": {"field": "what", "type": "nominal",
                      "scale": {"domain": ["source", "published"], "range": [BEFORE, AFTER]},
                      **({} if before else {"legend": None})},
        },
    }  # fmt: skip
    description = f"Published classes have {after.smallest:,} to {after.largest:,} {members}"
    description += (
        f", those of the source {before.smallest:,} to {before.largest:,}." if before else "."
    )
    columns = [Column("class size")]
    for which in ("source", "published") if before else ("published",):
        columns += [
            Column(f"{which} classes", "count"),
            Column(f"{which} {members}", "count"),
            Column("share", "share"),
        ]
    title = f"{members.capitalize()} by the size of their class"
    return figure(spec, title, description), Table(title, tuple(columns), rows)


def _range(least: int, following: int | None) -> str:
    """The sizes from one edge to the next."""
    if following is None:
        return f"from {least:,}"
    return f"{least:,}" if following == least + 1 else f"{least:,}–{following - 1:,}"


_STATES = ("chosen", "minimal", "holds", "fails")
_SHAPES = ("diamond", "circle", "circle", "cross")


def state(node: SeenNode) -> str:
    """What a node is, in a word."""
    if node.is_chosen:
        return "chosen"
    if not node.holds:
        return "fails"
    return "minimal" if node.is_minimal else "holds"


def lattice_chart(view: LatticeView) -> Picture:
    """Nodes by height and loss; the satisfying, the minimal and the chosen one."""
    listed = [node for node in view.nodes if node.is_chosen or node.holds]
    listed.sort(key=lambda node: (not node.is_chosen, not node.is_minimal, node.loss))
    # The script of the page finds the point of a row by this order.
    drawn = [*(node for node in view.nodes if node not in listed), *reversed(listed)]
    data = [{"height": node.height, "loss": node.loss, "state": state(node)} for node in drawn]
    spec = {
        "data": {"values": data},
        "width": WIDTH - 50,
        "height": 220,
        "mark": {"type": "point", "filled": True, "size": 52, "opacity": 1},
        "encoding": {
            "x": {"field": "height", "type": "quantitative",
                  "axis": {"title": "height (sum of levels)", "tickMinStep": 1, "grid": False}},
            "y": {"field": "loss", "type": "quantitative", "scale": {"domain": [0, 1]},
                  "axis": {"title": "loss", "tickCount": 5, "domain": False, "ticks": False}},
            "color": {"field": "state", "type": "nominal",
                      "scale": {"domain": list(_STATES), "range": [INK, AFTER, BEFORE, LINE]}},
            "shape": {"field": "state", "type": "nominal",
                      "scale": {"domain": list(_STATES), "range": list(_SHAPES)}},
        },
    }  # fmt: skip
    holds = sum(node.holds for node in view.nodes)
    (chosen,) = (node for node in view.nodes if node.is_chosen)
    description = (
        f"{len(view.nodes):,} of {view.size:,} nodes; {holds:,} of them hold the promises. The"
        f" chosen node has height {chosen.height} and loses {percent(chosen.loss)}."
    )
    rows = [
        (_levels(view, node), state(node), node.height, node.loss, node.classes,
         node.suppressed_rows)
        for node in listed[:_MOST_LISTED]
    ]  # fmt: skip
    columns = (
        Column("levels"), Column("node"), Column("height", "count"), Column("loss", "share"),
        Column("classes", "count"), Column("suppressed rows", "count"),
    )  # fmt: skip
    title = "Nodes of the lattice by height and loss"
    more = f", the first {_MOST_LISTED}" if len(listed) > _MOST_LISTED else ""
    return figure(spec, title, description), Table(
        f"Nodes that hold the promises{more}", columns, rows
    )


def _levels(view: LatticeView, node: SeenNode) -> str:
    pairs = zip(view.attributes, node.levels, strict=True)
    return ", ".join(f"{name} {level}" for name, level in pairs)


_MOST_LISTED = 60
"""Nodes in the table of a lattice."""

_MOST_DEPTH = 6


def tree_chart(regions: Sequence[Mapping[str, Any]]) -> Picture:
    """The first cuts of a partition: each region as wide as its share of the rows."""
    whole = regions[0]["rows"]
    children: dict[tuple[int, int], list[Mapping[str, Any]]] = {}
    for region in regions[1:]:
        children.setdefault((region["round"] - 1, region["parent"]), []).append(region)
    data: list[dict[str, Any]] = []
    waiting = [(regions[0], 0.0)]
    while waiting:
        region, left = waiting.pop()
        parts = children.get((region["round"], region["region"]), [])
        cut = parts[0]["attribute"] if parts else ""
        width = region["rows"] / whole
        data.append(
            {"depth": region["round"], "left": left, "right": left + width,
             "cut": cut if width > 0.11 else "", "kind": "cut again" if parts else "class"}
        )  # fmt: skip
        if region["round"] < _MOST_DEPTH:
            for part in parts:
                waiting.append((part, left))
                left += part["rows"] / whole
    data.sort(key=lambda one: (one["depth"], one["left"]))
    place = {
        "y": {"field": "depth", "type": "ordinal", "axis": {"title": "cuts", "ticks": False}},
        "x": {"field": "left", "type": "quantitative", "scale": {"domain": [0, 1], "nice": False},
              "axis": {"title": "share of rows", "format": "%", "tickCount": 4, "grid": False}},
    }  # fmt: skip
    spec = {
        "data": {"values": data},
        "width": WIDTH + 300,
        "height": {"step": 26},
        "layer": [
            {
                "mark": {"type": "bar", "stroke": "#ffffff", "strokeWidth": 0.5},
                "encoding": {
                    **place,
                    "x2": {"field": "right"},
                    "color": {"field": "kind", "type": "nominal",
                              "scale": {"domain": ["cut again", "class"], "range": [LINE, AFTER]}},
                },
            },
            {
                "transform": [{"calculate": "(datum.left + datum.right) / 2", "as": "middle"}],
                "mark": {"type": "text", "fontSize": 10, "color": MUTED},
                "encoding": {**place, "x": {**place["x"], "field": "middle"},
                             "text": {"field": "cut"}},
            },
        ],
    }  # fmt: skip
    rounds = max(region["round"] for region in regions)
    rows = []
    for depth in range(min(rounds, _MOST_DEPTH) + 1):
        here = [region for region in regions if region["round"] == depth]
        cuts: dict[str, int] = {}
        for region in here:
            for part in children.get((depth, region["region"]), [])[:1]:
                cuts[part["attribute"]] = cuts.get(part["attribute"], 0) + 1
        listed = ", ".join(f"{name} {count:,}" for name, count in sorted(cuts.items()))
        rows.append((depth, len(here), sum(region["is_class"] for region in here), listed))
    title = "How the table was cut"
    first = f"The first {_MOST_DEPTH}" if rounds > _MOST_DEPTH else f"All {rounds}"
    columns = (
        Column("cuts", "count"), Column("regions", "count"), Column("classes", "count"),
        Column("cut next, by attribute"),
    )  # fmt: skip
    return figure(
        spec, title, f"{first} rounds of cuts. Words name the attribute of the next cut."
    ), Table("Regions after each round of cuts", columns, rows)
