"""The grids of numbers and dates: where ranges end that would end at values of few persons."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, NamedTuple

from sqlanon.errors import PlanError
from sqlanon.hierarchies.base import CutKind
from sqlanon.hierarchies.grid import PERIOD_GRIDS, Grid, grid_of, number_grid
from sqlanon.plan.checks import check_grid
from sqlanon.plan.plan import Plan
from sqlanon.search.scales import CutAttribute
from sqlanon.source.tables import person_alias
from sqlanon.sql.render import question
from sqlanon.sql.step import Search

_FINER = 10
"""How many times finer than evenly spread values need is the finest grid that is tried."""

_FINEST, _COARSEST = 1e-9, 1e15
"""Limits of the widths that are tried."""

_MEASURED = ("numeric", "date")


class _RareValues(NamedTuple):
    """The values of an attribute that too few persons have: their persons, and where they are."""

    persons: int
    low: float
    high: float
    lowest: float
    highest: float


class _Tried(NamedTuple):
    """What a grid does for such values.

    Attributes:
        values, values_on_lines: the values, and those that are lines of the grid themselves.
        persons, hidden_persons: who has them, and of those who share a line with enough others.
    """

    values: int
    values_on_lines: int
    persons: int
    hidden_persons: int

    @property
    def is_coarser(self) -> bool:
        """Whether the lines are others than most of the values."""
        return 2 * self.values_on_lines <= self.values


def stated_grids(plan: Plan, kinds: Mapping[str, CutKind | None]) -> dict[str, Grid]:
    """The grids that the plan states.

    Raises:
        PlanError: a grid is not of the kind of its column's values.
    """
    found = {}
    for name, column in plan.quasi_identifiers.items():
        kind = kinds.get(name)
        if column.grid is not None and kind is not None:
            for fault in check_grid(plan, name, kind):
                raise fault
            found[name] = grid_of(column.grid)
    return found


def undecided_grids(plan: Plan, kinds: Mapping[str, CutKind | None]) -> list[str]:
    """The quasi-identifiers of which only the data shows whether they need a grid, and which."""
    stated = stated_grids(plan, kinds)
    return [name for name, kind in kinds.items() if kind in _MEASURED and name not in stated]


def grids_of(plan: Plan, attributes: Sequence[CutAttribute]) -> Search[dict[str, Grid]]:
    """The grid of every attribute that has one.

    That of the plan, if it states one. None if enough persons have each value. Otherwise the finest
    of the hierarchy whose lines are others than most of the values of too few persons, or else the
    finest by which most of the persons who have such values share a line with enough others.

    Raises:
        PlanError: a grid of the plan is not of the kind of its column's values, or most of the
            values of too few persons are lines of it.
    """
    grids = stated_grids(plan, {attribute.name: attribute.kind for attribute in attributes})
    ends = [attribute for attribute in attributes if attribute.kind in _MEASURED]
    if not ends:
        return grids
    inputs = {"least_persons": plan.least_persons, "unit_alias": person_alias(plan)}
    counted = yield question("partition/rare_values", ends=ends, **inputs)
    rows = {
        number: _RareValues(*row)
        for number, *row in counted
        if all(value is not None and math.isfinite(value) for value in row)
    }
    rare = {attribute: rows[attribute.number] for attribute in ends if attribute.number in rows}
    tried = yield from _tried({a: [grids[a.name]] for a in rare if a.name in grids}, inputs)
    for name, found in tried.items():
        for grid, result in found:
            if not result.is_coarser:
                raise too_fine(
                    plan, name, grid, result.values_on_lines, result.values,
                    plan.where("columns", name, "grid"),
                    "write a coarser grid or none, or `ends: exact` below `method` to print such"
                    " values",
                )  # fmt: skip
    needed = [attribute for attribute in rare if attribute.name not in grids]
    own = {a: plan.quasi_identifiers[a.name].hierarchy.grids for a in needed}
    for name, found in (yield from _tried(own, inputs)).items():
        fits = [grid for grid, result in found if result.is_coarser]
        grids |= {name: fits[0]} if fits else {}
    ladders = {a: _ladder(a, rare[a], plan.least_persons) for a in needed if a.name not in grids}
    for name, found in (yield from _tried(ladders, inputs)).items():
        fits = [grid for grid, result in found if 2 * result.hidden_persons >= result.persons]
        grids[name] = fits[0] if fits else found[-1][0]
    return grids


def _tried(
    ladders: Mapping[CutAttribute, Sequence[Grid]], inputs: Mapping[str, Any]
) -> Search[dict[str, list[tuple[Grid, _Tried]]]]:
    """What these grids do, by the name of the attribute; nothing is asked if there are none."""
    pairs = [(attribute, grid) for attribute, grids in ladders.items() for grid in grids]
    if not pairs:
        return {}
    candidates = [replace(attribute, grid=grid) for attribute, grid in pairs]
    ends = [attribute for attribute, grids in ladders.items() if grids]
    rows = yield question("partition/tried_grids", ends=ends, candidates=candidates, **inputs)
    found: dict[str, list[tuple[Grid, _Tried]]] = {}
    for number, *row in rows:
        attribute, grid = pairs[number - 1]
        found.setdefault(attribute.name, []).append((grid, _Tried(*row)))
    return found


def too_fine(
    plan: Plan, name: str, grid: Grid | None, lines: int, values: int, where: str, fix: str
) -> PlanError:
    """The error for a grid of which this many lines are among the values that too few have."""
    return PlanError(
        f"'{name}': {lines:,} of {values:,} values that fewer than {plan.least_persons} have are"
        f" lines of the grid '{grid.text if grid else ''}', so that ranges would end at them.",
        where=where,
        fix=fix,
    )


def _ladder(attribute: CutAttribute, rare: _RareValues, least_persons: int) -> Sequence[Grid]:
    """The grids that are tried, from fine to coarse: periods, or 1, 2, 5, 10, 20, 50 and so on.

    The widths depend on the values by their order of magnitude only.
    """
    if attribute.kind == "date":
        return PERIOD_GRIDS
    spread = (rare.high - rare.low) or (rare.highest - rare.lowest) or abs(rare.highest) or 1.0
    finest = spread * least_persons / max(rare.persons, least_persons) / _FINER
    coarsest = max(rare.highest - rare.lowest, spread)
    powers = [
        math.floor(math.log10(min(max(width, _FINEST), _COARSEST))) for width in (finest, coarsest)
    ]
    return [
        number_grid(Decimal(digit).scaleb(power))
        for power, digit in itertools.product(range(powers[0], powers[1] + 2), (1, 2, 5))
    ]
