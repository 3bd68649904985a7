"""The charts of a report; each with the table of its numbers."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from sqlanon.families.lattice_view import LatticeView, SeenNode
from sqlanon.pages.counts import Bar, Counted, Sizes, edges
from sqlanon.pages.figures import AFTER, BEFORE, INK, LINE, WARNING, WIDTH, Figure, figure
from sqlanon.pages.html import Column, Table, percent

Picture = tuple[Figure, Table]
"""A figure, and the table of its numbers."""

_LETTER = 6.3
"""Pixels for a letter of a label, wide ones too."""

_LINE, _LINES = 22, 4
"""Letters in a line of a label, and lines."""

_BAR = 14
"""Pixels for a bar."""


def named(bar: Bar) -> str:
    """The label of a bar."""
    return "missing" if bar.label is None else bar.label


def others_text(counted: Counted) -> str:
    """What the bar of all other values is called."""
    what = "value" if counted.other_values == 1 else "values"
    return f"{counted.other_values:,} other {what}"


def column_chart(name: str, counted: Counted) -> Picture:
    """The values of a column before and after in the same bins, or after alone."""
    bars = [*counted.bars, *([counted.others] if counted.others and not _is_huge(counted) else [])]
    has_before = any(bar.source is not None for bar in bars)
    has_after = any(bar.after is not None for bar in bars)
    data: list[dict[str, Any]] = []
    for bar in bars:
        label = others_text(counted) if bar is counted.others else named(bar)
        parts = {"source": bar.source, "publication": bar.after}
        if bar.source is not None and bar.published is not None:
            parts |= {"source": bar.published, "suppressed": bar.source - bar.published}
        data += [
            {"label": _lines(label), "what": what, "rows": rows, "of": _SIDES[what]}
            for what, rows in parts.items()
            if rows is not None
        ]
    both = has_before and has_after
    lines = max((one["label"].count("\n") + 1 for one in data), default=1)
    longest = max((len(line) for one in data for line in one["label"].split("\n")), default=1)
    extent = round(longest * _LETTER) + 8
    spec = {
        "data": {"values": data},
        "width": WIDTH - extent - 30,
        "height": {"step": max(2 * _BAR if both else _BAR, lines * 13 + 4), "for": "position"},
        "mark": {"type": "bar"},
        "encoding": {
            "y": {
                "field": "label", "type": "nominal", "sort": None,
                "scale": {"paddingInner": 0.28, "paddingOuter": 0.14},
                "axis": {
                    "title": None, "ticks": False, "domain": False, "labelLimit": 0,
                    "labelExpr": "split(datum.value, '\\n')", "labelLineHeight": 12,
                    "labelBaseline": "middle", "labelPadding": 4,
                    "minExtent": extent, "maxExtent": extent,
                },
            },
            **({"yOffset": {"field": "of", "sort": ["before", "after"]}} if both else {}),
            "x": {
                "field": "rows", "type": "quantitative", "stack": "zero",
                "axis": {
                    "title": ["rows", *_not_drawn(counted)], "domain": False, "ticks": False,
                    **COUNT_AXIS,
                },
            },
            "color": {
                "field": "what", "type": "nominal", "legend": None,
                "scale": {
                    "domain": ["source", "suppressed", "publication"],
                    "range": [BEFORE, WARNING, AFTER],
                },
            },
            "order": {"field": "what", "type": "nominal"},
        },
    }  # fmt: skip
    columns = [Column("value")]
    whole = [*counted.bars, *([counted.others] if counted.others else [])]
    rows: list[list[Any]] = [
        [others_text(counted) if bar is counted.others else named(bar)] for bar in whole
    ]
    shown: dict[str, Sequence[float | None]] = {
        "rows of the source": [bar.source for bar in whole],
        "suppressed": [
            None if bar.source is None or bar.published is None else bar.source - bar.published
            for bar in whole
        ],
        "rows of the publication": [bar.after for bar in whole],
    }
    for title, values in shown.items():
        if any(value is not None for value in values):
            columns.append(Column(title, "number" if isinstance(values[0], float) else "count"))
            for row, value in zip(rows, values, strict=True):
                row.append(value)
    numbers = Table(f"{name}: rows by value", columns, rows)
    return figure(spec, name, _in_words(name, counted)), numbers


_SIDES = {"source": "before", "suppressed": "before", "publication": "after"}
"""Which bar each part belongs to."""

COUNT_AXIS: dict[str, Any] = {
    "tickCount": 3,
    "tickMinStep": 1,
    "labelExpr": "datum.value >= 1e6 ? format(datum.value / 1e6, ',.3~r') + 'M'"
    " : format(datum.value, ',')",
}
"""How an axis of counts is written: whole, and alike in all charts of a page."""


def _lines(label: str) -> str:
    """A label in lines that fit beside the bars; the rest of one that is too long is left out."""
    lines = textwrap.wrap(label, _LINE, max_lines=_LINES, placeholder="…") or [label]
    return "\n".join(lines)


def _rows(bar: Bar) -> float:
    """The rows of a bar, of the source where they were counted."""
    return (bar.after or 0) if bar.source is None else bar.source


def _is_huge(counted: Counted) -> bool:
    """Whether the bar of all others would make the named ones too short to be seen."""
    most = max(map(_rows, counted.bars), default=0)
    return counted.others is not None and 0 < 3 * most < _rows(counted.others)


def _not_drawn(counted: Counted) -> list[str]:
    """What is said of the bar of all others in place of it, if it would be huge."""
    if counted.others is None or not _is_huge(counted):
        return []
    return [f"not drawn: {others_text(counted)}, {_rows(counted.others):,.0f} rows"]


def _in_words(name: str, counted: Counted) -> str:
    """What a reader sees in the bars of a column."""
    sentences = []
    for which in ("source", "publication"):
        found = [(bar.source if which == "source" else bar.after, bar) for bar in counted.bars]
        known = [(rows, bar) for rows, bar in found if rows is not None]
        if known:
            rows, most = max(known, key=lambda pair: pair[0])
            sentences.append(
                f"{which.capitalize()}: {len(known)} values named, most rows ({rows:,.0f})"
                f" {named(most)}."
            )
    sentences += [f"{each.capitalize()}." for each in _not_drawn(counted)]
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
                  "axis": {"title": f"share of {members}", "format": "~%", "tickCount": 4,
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


def lattice_chart(view: LatticeView, titles: Mapping[str, Sequence[str]]) -> Picture:
    """Nodes by height and loss; the satisfying, the minimal and the chosen one.

    Args:
        titles: of each quasi-identifier its levels in words.
    """
    listed = view.satisfying
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
        (node_words(view, node, titles), state(node), node.height, node.loss, node.classes,
         node.suppressed_rows)
        for node in listed[:_MOST_LISTED]
    ]  # fmt: skip
    columns = (
        Column("labels"), Column("node"), Column("height", "count"), Column("loss", "share"),
        Column("classes", "count"), Column("suppressed rows", "count"),
    )  # fmt: skip
    title = "Nodes of the lattice by height and loss"
    more = f", the first {_MOST_LISTED}" if len(listed) > _MOST_LISTED else ""
    return figure(spec, title, description), Table(
        f"Nodes that hold the promises{more}", columns, rows
    )


def node_words(view: LatticeView, node: SeenNode, titles: Mapping[str, Sequence[str]]) -> str:
    """The labels of a node."""
    pairs = zip(view.attributes, node.levels, strict=True)
    return "; ".join(f"{name}: {titles[name][level]}" for name, level in pairs)


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
    rows: list[tuple[Any, ...]] = []
    waiting: list[tuple[Mapping[str, Any], float, dict[str, str]]] = [(regions[0], 0.0, {})]
    while waiting:
        region, left, path = waiting.pop(0)
        parts = children.get((region["round"], region["region"]), [])
        cut = parts[0]["attribute"] if parts else ""
        width = region["rows"] / whole
        data.append(
            {"depth": region["round"], "left": left, "right": left + width,
             "cut": cut if width > 0.11 else "", "kind": "cut again" if parts else "class"}
        )  # fmt: skip
        words = "; ".join(f"{name}: {side}" for name, side in path.items()) or "the whole table"
        next_cut = f"cut by {cut}" if parts else "a class"
        rows.append((words, next_cut, region["round"], region["rows"], width))
        if region["round"] < _MOST_DEPTH:
            for number, part in enumerate(parts, start=1):
                side = part["values"] or f"part {number} of {len(parts)}"
                waiting.append((part, left, {**path, part["attribute"]: side}))
                left += part["rows"] / whole
    place = {
        "y": {"field": "depth", "type": "ordinal", "axis": {"title": "cuts", "ticks": False}},
        "x": {"field": "left", "type": "quantitative", "scale": {"domain": [0, 1], "nice": False},
              "axis": {"title": "share of rows", "format": "~%", "tickCount": 4, "grid": False}},
    }  # fmt: skip
    spec = {
        # The script of the page finds the region of a row by this order.
        "data": {"values": data[::-1]},
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
                "mark": {"type": "text", "fontSize": 10, "color": INK},
                "encoding": {**place, "x": {**place["x"], "field": "middle"},
                             "text": {"field": "cut"}},
            },
        ],
    }  # fmt: skip
    rounds = max(region["round"] for region in regions)
    title = "How the table was cut"
    first = f"The first {_MOST_DEPTH}" if rounds > _MOST_DEPTH else f"All {rounds}"
    columns = (
        Column("region"), Column("then"), Column("cuts", "count"), Column("rows", "count"),
        Column("share of rows", "share"),
    )  # fmt: skip
    return figure(
        spec, title, f"{first} rounds of cuts. Words name the attribute of the next cut."
    ), Table(f"Regions of {first.lower()} rounds of cuts", columns, rows)
