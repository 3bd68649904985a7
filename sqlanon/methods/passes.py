"""Passes: search again on the rows that a node does not place, until all are, or none can be."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BeforeValidator, Field

from sqlanon.boundary.part import Part
from sqlanon.bounds import Count, Number
from sqlanon.search.lattice import Node
from sqlanon.search.passes import Box, BoxCosts, WaitingRows
from sqlanon.sql.step import Search, SoFar, reporting
from sqlanon.utility.base import Cost, comparable

MOST_PASSES = 100

_LARGEST_BATCH, _SMALLEST_BATCH = 128, 8
"""Boxes per statement: many if few combinations wait, as each statement has its fixed cost."""

_COMBINATIONS_AT_ONCE = 200_000


class Charge(Part):
    """What a row that waits for a later pass costs, as a share of a suppressed row's loss."""

    first: Annotated[Number, Field(gt=0, le=1)] = Field(
        Decimal("0.05"), alias="from", description="in the first pass"
    )
    times: Annotated[Number, Field(gt=1, le=1000)] = Field(
        Decimal("1.5"), description="factor from one pass to the next, up to a charge of 1"
    )


class Passes(Part):
    """How often rows that a node does not place are searched again."""

    most: Annotated[Count, Field(ge=1, le=MOST_PASSES)] = Field(
        MOST_PASSES, description="passes at most"
    )
    charge: Charge = Field(default_factory=Charge, description="of a row that waits")
    size: Annotated[Count, Field(ge=2)] | None = Field(
        None,
        description="rows or persons of a class that is placed, or persons of the population; when"
        " not given, the smallest class that the promises allow (k), or twice as many if a promise"
        " reads sensitive values",
    )


def _written_short(value: Any) -> Any:
    if value == "auto":
        return {}
    return {"most": value} if isinstance(value, int) and not isinstance(value, bool) else value


AnyPasses = Annotated[
    Passes,
    BeforeValidator(_written_short, json_schema_input_type=Literal["auto"] | int | Passes),
]
"""What `passes` of a method may be: `auto`, their largest number, or a mapping."""


class Pass(NamedTuple):
    """One pass.

    Attributes:
        node: that places rows.
        charge: what a row that waits cost.
        rows: that it places.
        loss: their mean, 0 to 1.
        checked: nodes that were asked about.
    """

    node: Node
    charge: Decimal
    rows: int
    loss: float
    checked: int


NextPass = Callable[[WaitingRows, Decimal, Node], Search[Pass | None]]
"""The search of one pass: the rows that wait, the charge, and the node of the pass before."""


def search_passes(rows: WaitingRows, passes: Passes, next_pass: NextPass) -> Search[list[Pass]]:
    """The passes that place the rows.

    A row waits while placing it would cost more than the charge, which grows with every pass.
    """
    found: list[Pass] = []
    charge, start = passes.charge.first, (0,) * len(rows.attributes)
    yield rows.first_step()
    while rows.row_count >= rows.size and len(found) < passes.most:
        one = yield from next_pass(rows, charge, start)
        if one is None and charge == 1:
            break
        if one is not None:
            found.append(one)
            start = one.node
            left = rows.row_count - one.rows
            if left and len(found) < passes.most:
                yield rows.next_step(one.node)
            rows = replace(rows, number=rows.number + 1, row_count=left)
        charge = min(Decimal(1), charge * passes.charge.times)
    return found


def only_pass(rows: WaitingRows, node: Node, checked: int) -> Search[list[Pass]]:
    """A node that another search found, as the only pass."""
    yield rows.first_step()
    (costs,) = yield from rows.costs([Box(node, node)], Decimal(1))
    return [made_pass(rows, node, Decimal(1), costs, checked)]


def made_pass(
    rows: WaitingRows, node: Node, charge: Decimal, costs: BoxCosts, checked: int
) -> Pass:
    """The pass of a node with these costs."""
    waiting = float(charge) * (rows.row_count - costs.placed_rows)
    loss = (costs.cost * rows.row_count - waiting) / costs.placed_rows
    return Pass(node, charge, costs.placed_rows, loss, checked)


Rank = tuple[Cost, int, Node]
"""The order of nodes, as in `sqlanon.methods.full_domain`."""


Bound = tuple[Rank, Cost]
"""The rank and the cost that no node of a box goes below."""


class _Open(NamedTuple):
    """A box that may have a better node.

    Attributes:
        least: a bound of the box, or of a larger one.
        known: the bounds of the box and of its upper half, as far as they were asked for.
    """

    least: Bound
    box: Box
    known: list[Bound]


def best_pass(
    rows: WaitingRows, charge: Decimal, start: Node, rank: Callable[[Cost, Node], Rank]
) -> Search[Pass | None]:
    """The node of the smallest rank at which rows cost at most what it costs that all wait.

    Boxes of the lattice are cut in two, the most promising first. A box is dropped if each row that
    one of its nodes places loses more than the charge: then the rows of no node are worth placing.

    Args:
        start: the lowest node, or one that places none of the rows, as none below it does.

    Returns:
        None if there is no such node that places a row.
    """
    most = comparable((float(charge),))
    count = yield from rows.combination_count()
    size = max(_SMALLEST_BATCH, min(_LARGEST_BATCH, _COMBINATIONS_AT_ONCE // count))
    best: tuple[Rank, BoxCosts] | None = None
    checked = 0
    boxes: list[_Open] = []

    def bound(cost: float, lowest: Node) -> Bound:
        return rank((cost,), lowest), comparable((cost,))

    asked = [Box(start, start), *rows.beyond(start)]
    while asked:
        so_far = SoFar(checked, "nodes", best=best and best[0][0])
        found = yield from reporting(rows.costs(asked, charge), so_far)
        checked += len(asked)
        for box, costs in zip(asked, found, strict=True):
            one = rank((costs.cost,), box.highest)
            placed = costs.placed_rows and comparable((costs.cost,)) <= most
            if placed and (best is None or one < best[0]):
                best = one, costs
            may_place = costs.least_loss is not None and comparable((costs.least_loss,)) <= most
            if may_place and box.lowest != box.highest:
                own = bound(costs.least_cost, box.lowest)
                above = bound(costs.least_above, rows.halves(box)[1].lowest)
                heapq.heappush(boxes, _Open(own, box, [own, above]))
        asked = []
        while boxes and len(asked) < size:
            least, box, known = heapq.heappop(boxes)
            if best is not None and least[0] >= best[0]:
                boxes.clear()
            elif least[1] > most:
                continue
            elif not known:
                asked.append(box)
            else:
                lower_half, upper_half = rows.halves(box)
                asked.append(lower_half)
                if upper_half.lowest != upper_half.highest:
                    least = max([least, *known[1:]])
                    heapq.heappush(boxes, _Open(least, upper_half, known[1:]))
    return None if best is None else made_pass(rows, best[0][2], charge, best[1], checked)
