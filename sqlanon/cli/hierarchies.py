"""The commands about the hierarchies of a plan: hierarchy check, hierarchy show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

import typer
from rich.cells import cell_len, set_cell_size
from rich.text import Text

import sqlanon
from sqlanon.cli.options import Call, PlanFile, command, hierarchy_app
from sqlanon.cli.output import data, note
from sqlanon.display.blocks import SECONDARY, printed_label

_SHOWN_VALUES = 20
"""How many values of each problem are named."""

_SHORTEST_SCREEN = 12
_AROUND_TREE = 4
"""Lines of a screen that are left for the prompt, the title and the note below the tree."""


@command("overrides", to=hierarchy_app, name="check", short_help="Check the hierarchies of a plan.")
def hierarchy_check(
    call: Call,
    plan: PlanFile,
    show_values: Annotated[
        bool,
        typer.Option(
            "--show-values",
            help="Name the values and labels of each problem, those with most rows first. These are"
            " values of the source.",
        ),
    ] = False,
    limit: Annotated[
        int, typer.Option("--limit", min=1, help="With --show-values: how many for each problem.")
    ] = _SHOWN_VALUES,
) -> None:
    """Check that every hierarchy is nested, ends in one value, and has all values of the source."""
    values = limit if show_values else 0
    problems = sqlanon.check_hierarchies(plan, call.options(), values=values)
    call.show(problems)
    if problems:
        raise typer.Exit(2)


@command("overrides", to=hierarchy_app, name="show", short_help="Draw a hierarchy as a tree.")
def hierarchy_show(
    call: Call,
    plan: PlanFile,
    column: Annotated[str, typer.Argument(help="A quasi-identifier of the plan.")],
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit",
            min=1,
            help="Lines of the tree. By default, as many as the terminal has; in a pipe, all.",
        ),
    ] = None,
    whole: Annotated[bool, typer.Option("--all", help="Print the whole tree.")] = False,
) -> None:
    """Draw a hierarchy as a tree, with the rows of the source at each node. Prints values."""
    if call.wants_json:
        call.show(sqlanon.show_hierarchy(plan, column, call.options()))
        return
    tops = sqlanon.hierarchy_tree(plan, column, call.options())
    if limit is None and data.is_terminal and not whole:
        limit = max(data.height - _AROUND_TREE, _SHORTEST_SCREEN)
    lowest, most = _cut(tops, None if whole else limit)
    levels = tops[0].level + 1 if tops else 0
    values, rows = sum(top.values for top in tops), sum(top.rows for top in tops)
    title = f"{column}: {levels} levels, {values:,} values, {rows:,} rows"
    call.write(None, _Tree(title, list(_lines(tops, lowest, most))))
    if lowest or most is not None:
        note("This is a part of the tree; --limit N prints more of it, and --all the whole.")


def _cut(tops: Sequence[sqlanon.HierarchyNode], limit: int | None) -> tuple[int, int | None]:
    """The lowest level of a tree to draw, and how many children of a node to draw there.

    These are all levels from the top that fit into the limit, and of the next one as much as fits.
    """
    top = tops[0].level if tops else 0
    if limit is None:
        return 0, None
    lowest = next((low for low in range(top + 1) if _height(tops, low, None) <= limit), top + 1)
    if lowest == 0:
        return 0, None
    most = 0
    while _height(tops, lowest - 1, most + 1) <= limit:
        most += 1
    return (lowest - 1, most) if most or lowest > top else (lowest, None)


def _height(nodes: Sequence[sqlanon.HierarchyNode], lowest: int, most: int | None) -> int:
    """The number of lines of nodes and what is below them."""
    shown, hidden = _parted(nodes, lowest, most)
    return len(shown) + bool(hidden) + sum(_height(n.children, lowest, most) for n in shown)


def _parted(
    nodes: Sequence[sqlanon.HierarchyNode], lowest: int, most: int | None
) -> tuple[Sequence[sqlanon.HierarchyNode], Sequence[sqlanon.HierarchyNode]]:
    """The nodes with a line of their own, and those that share one; none below the lowest level."""
    if not nodes or nodes[0].level < lowest:
        return (), ()
    if nodes[0].level > lowest or most is None or len(nodes) <= most + 1:
        return nodes, ()  # a line for one node could as well show the node
    return nodes[:most], nodes[most:]


@dataclass(frozen=True)
class _Line:
    """A line of a tree.

    Attributes:
        values: how many values of level 0 are below it; None for a value.
        is_rest: whether it stands for several nodes.
    """

    text: str
    rows: int
    values: int | None
    is_rest: bool = False


def _lines(
    nodes: Sequence[sqlanon.HierarchyNode], lowest: int, most: int | None, before: str | None = None
) -> Iterator[_Line]:
    shown, hidden = _parted(nodes, lowest, most)
    for number, node in enumerate(shown, start=1):
        is_last = number == len(shown) and not hidden
        branch = "" if before is None else before + ("└─ " if is_last else "├─ ")
        values = node.values if node.level else None
        yield _Line(branch + printed_label(node.label), node.rows, values)
        inner = "" if before is None else before + ("   " if is_last else "│  ")
        yield from _lines(node.children, lowest, most, inner)
    if hidden:
        text = f"{before or ''}{'' if before is None else '└─ '}… {len(hidden):,} more"
        values = sum(node.values for node in hidden) if hidden[0].level else None
        yield _Line(text, sum(node.rows for node in hidden), values, is_rest=True)


@dataclass(frozen=True)
class _Tree:
    """The lines of a tree with their counts in columns; on a terminal, long labels are cut."""

    title: str
    nodes: Sequence[_Line]

    def lines(self, room: int | None) -> list[Text]:
        """The lines as wide as the longest label asks for, and the terminal lets them be."""
        rows = ["rows", *(f"{line.rows:,}" for line in self.nodes)]
        below = ("" if line.values is None else f"{line.values:,}" for line in self.nodes)
        values = ["values", *below]
        counts = [
            f"  {count:>{max(map(len, rows))}}  {value:>{max(map(len, values))}}".rstrip()
            for count, value in zip(rows, values, strict=True)
        ]
        texts = ["", *(line.text for line in self.nodes)]
        styles = [SECONDARY, *(SECONDARY if line.is_rest else "" for line in self.nodes)]
        width = max(map(cell_len, texts))
        if room is not None:
            width = min(width, max(room - max(map(len, counts)), 20))
        lines = []
        for text, count, style in zip(texts, counts, styles, strict=True):
            if cell_len(text) > width:
                text = set_cell_size(text, width - 1) + "…"
            lines.append(Text(set_cell_size(text, width) + count, style))
        return lines
