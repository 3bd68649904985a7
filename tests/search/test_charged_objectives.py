"""The cheapest node where suppressed rows count and models are not monotone.

A class that holds entropy l-diversity or t-closeness can be merged into one that does not. So a
node may suppress more rows than one below it, and what a search may count as lost below a node are
its unpublishable rows alone, never its suppressed ones. The reference looks at every lattice node.
"""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from types import SimpleNamespace
from typing import Any, cast

import pytest

from sqlanon.engines.base import drive
from sqlanon.engines.duckdb import DuckDBEngine
from sqlanon.methods.full_domain import Budget, FullDomainResult
from sqlanon.methods.optimal import Optimal
from sqlanon.search.full_domain import FullDomainProblem
from sqlanon.search.lattice import Node
from sqlanon.sql.step import Search
from sqlanon.utility.base import UtilityMeasure
from sqlanon.utility.measures import Discernibility, Loss, Precision
from tests.conftest import TinyPlan
from tests.oracles import full_domain as oracle

Opened = Callable[[Any], AbstractContextManager[tuple[DuckDBEngine, FullDomainProblem]]]
Labels = tuple[oracle.Value, ...]

TREES: list[dict[oracle.Value, Labels]] = [
    {f"{name}{n}": (f"{name}{n}", f"{name}{n // 2}x", f"{name}{n // 4}y", "*") for n in range(8)}
    for name in "ab"
]
TOPS = [range(4), range(4)]


@dataclass(frozen=True)
class Table:
    """Rows of two quasi-identifiers, and a sensitive value of each."""

    keys: Sequence[tuple[str, str]]
    values: Sequence[str]

    def classes(self, node: tuple[int, ...]) -> dict[Labels, Counter[str]]:
        found: dict[Labels, Counter[str]] = defaultdict(Counter)
        for key, value in zip(self.keys, self.values, strict=True):
            labels = tuple(
                tree[part][level] for tree, part, level in zip(TREES, key, node, strict=True)
            )
            found[labels][value] += 1
        return found


def table_of(seed: int) -> Table:
    """Values hang together with the first attribute, so that merging classes unbalances them."""
    draw = random.Random(seed)
    keys, values = [], []
    for _ in range(draw.randint(20, 40)):
        a, b = draw.randrange(8), draw.randrange(4)
        keys.append((f"a{a}", f"b{b}"))
        usual = 0.9 if a >= 5 else 0.1
        values.append("s0" if draw.random() < usual else f"s{draw.randrange(1, 4)}")
    return Table(keys, values)


MODELS = {
    "entropy": {"model": "l-diversity", "kind": "entropy", "l": 3},
    "t": {"model": "t-closeness", "t": 0.25},
}


def fails(table: Table, model: str, counts: Counter[str]) -> bool:
    """Whether a class breaks the model, by its definition."""
    size = counts.total()
    if model == "entropy":
        return math.exp(-sum(c / size * math.log(c / size) for c in counts.values())) < 3 - 1e-9
    whole = Counter(table.values)
    shares = (counts[v] / size - whole[v] / whole.total() for v in whole)
    return sum(map(abs, shares)) / 2 > 0.25 + 1e-9


def cost(table: Table, model: str, node: tuple[int, ...], objective: str) -> float:
    """What publishing the node costs; a suppressed row costs as much as can be."""
    total, rows = 0.0, len(table.keys)
    for labels, counts in table.classes(node).items():
        size = counts.total()
        lost = fails(table, model, counts)
        if objective == "discernibility":
            total += size * (rows if lost else size)
            continue
        for tree, label, level in zip(TREES, labels, node, strict=True):
            covered = sum(path[level] == label for path in tree.values())
            share = level / 3 if objective == "precision" else covered / 8 * (covered > 1)
            total += size * (1.0 if lost else share)
    return total if objective == "discernibility" else total / rows / 2


def suppressed(table: Table, model: str, node: tuple[int, ...]) -> int:
    classes = table.classes(node).values()
    return sum(counts.total() for counts in classes if fails(table, model, counts))


OBJECTIVES: Mapping[str, UtilityMeasure] = {
    "loss": Loss(), "precision": Precision(), "discernibility": Discernibility(),
}  # fmt: skip

CASES = [
    ("entropy", 0.2, (0, 56, 106)), ("entropy", 0.2, (1, 56, 207)), ("entropy", 0.4, (10, 13)),
    ("entropy", 0.4, (56, 290)), ("entropy", 0.6, (7, 10, 13, 56)), ("entropy", 0.6, (62, 76)),
    ("entropy", 0.6, (96, 100)), ("t", 0.2, (0, 8, 20)), ("t", 0.4, (8, 20)), ("t", 0.6, (8, 20)),
]  # fmt: skip
"""Models, limits, and tables; of most, a node above the cheapest one suppresses more than it."""


@pytest.mark.sampled(0.017, by="model")
@pytest.mark.parametrize(("model", "limit", "seeds"), CASES)
def test_optimal_is_cheapest_where_suppressed_rows_are_charged(
    model: str, limit: float, seeds: Sequence[int], tiny_plan: TinyPlan, opened: Opened
) -> None:
    more_above = 0
    for seed in seeds:
        table = table_of(seed)
        privacy = [{**MODELS[model], "attribute": "label"}]
        plan = tiny_plan(
            table.keys, TREES, labels=table.values, privacy=privacy, suppression={"limit": limit}
        )
        plan["columns"]["label"] = "sensitive"
        rows = {node: suppressed(table, model, node) for node in product(*TOPS)}
        most = min(math.floor(limit * len(table.keys) + 1e-9), len(table.keys) - 1)
        nodes = [node for node, lost in rows.items() if lost <= most]
        more_above += any(
            rows[high] > rows[low] and is_below(low, high) for low, high in product(nodes, rows)
        )
        for name, objective in OBJECTIVES.items():
            with opened({**plan, "method": {"name": "optimal", "objective": name}}) as (
                engine,
                problem,
            ):
                assert problem.objective == objective
                found = drive(engine, Optimal(objective=objective).search(problem))
            assert (found is None) == (not nodes), (seed, name)
            if found:
                least = min(cost(table, model, node, name) for node in nodes)
                assert cost(table, model, found.node, name) == pytest.approx(least), (seed, name)
    assert more_above >= 2  # tables with nodes that suppress more than one below them


# --- the search alone, over scores that brute force counts: no SQL, so that there can be many


@dataclass(frozen=True)
class Counted:
    """What the search asks of a problem; every answer is counted from the rows."""

    table: Table
    limit_rows: int
    objective: UtilityMeasure = field(default_factory=Loss)
    tops: tuple[int, int] = (3, 3)
    by_sizes: None = None

    @property
    def attributes(self) -> list[Any]:
        measures = [SimpleNamespace(leaf_rows=8 * n, leaf_count=8) for n in (1, 2, 4, 8)]
        return [SimpleNamespace(measures=measures)] * 2

    def score(self, nodes: Sequence[Node]) -> Search[list[Any]]:
        return [
            SimpleNamespace(
                node=node,
                suppressed_rows=self.lost[node],
                all_classes=1,
                unpublishable_rows=min(self.lost[low] for low in self.lost if is_below(low, node)),
            )
            for node in nodes
        ]
        yield

    def value(self, nodes: Sequence[Node]) -> Search[dict[Node, Any]]:
        return {node: ((self.cost(node),), (0.0,)) for node in nodes}
        yield

    def cost(self, node: Node) -> float:
        return cost(self.table, "entropy", node, "loss")

    def bound(self, node: Node, suppressed_rows: int = 0) -> tuple[float, ...]:
        """The loss where the rows that are not suppressed have the labels of the node."""
        rows = len(self.table.keys)
        kept = sum((0, 2, 4, 8)[level] / 8 for level in node) / 2
        return ((kept * (rows - suppressed_rows) + suppressed_rows) / rows,)

    def may_hold(self, score: Any) -> bool:
        return bool(score.unpublishable_rows <= self.limit_rows)

    def satisfies(self, score: Any) -> bool:
        return bool(score.suppressed_rows <= min(self.limit_rows, len(self.table.keys) - 1))

    @property
    def size(self) -> int:
        return len(self.lost)

    @cached_property
    def lost(self) -> dict[Node, int]:
        return {node: suppressed(self.table, "entropy", node) for node in product(*TOPS)}

    @cached_property
    def costs(self) -> list[float]:
        """What the nodes cost that suppress few enough."""
        most = min(self.limit_rows, len(self.table.keys) - 1)
        return [self.cost(node) for node, lost in self.lost.items() if lost <= most]

    def found_by(self, **budget: int) -> FullDomainResult | None:
        """What a search within a budget finds."""
        search = Optimal(budget=Budget(**budget)).search(cast(FullDomainProblem, self))
        with pytest.raises(StopIteration) as end:
            next(search)
        return cast("FullDomainResult | None", end.value.value)


def limit_of(seed: int, table: Table) -> int:
    """From a fifth of the rows to four."""
    return math.floor((0.2 + seed % 7 / 10) * len(table.keys))


def is_below(low: Node, high: Node) -> bool:
    return all(a <= b for a, b in zip(low, high, strict=True))


def test_a_box_is_bounded_by_unpublishable_rows_and_not_by_suppressed_ones() -> None:
    """A highest node that suppresses much says little of the nodes below it."""
    for seed in range(600):
        table = table_of(seed)
        problem = Counted(table, limit_of(seed, table))
        found = problem.found_by(nodes=10_000)
        assert (found is None) == (not problem.costs), seed
        if found:
            assert problem.cost(found.node) == pytest.approx(min(problem.costs)), seed
