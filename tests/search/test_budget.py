"""A search that a budget ends: what it says of the best node found is true, and nothing is lost.

The clock counts questions, so that a search can be stopped after any of them. What the optimum is,
brute force over all nodes knows. Where models are not monotone, a node may suppress more rows than
one below it: what is lost below a node are its unpublishable rows alone, never its suppressed ones.
"""

from __future__ import annotations

import json
import math
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

import sqlanon
from sqlanon import NoSolutionError, Options, PlanError
from sqlanon.bounds import checked_budget
from sqlanon.engines.base import drive
from sqlanon.engines.duckdb import DuckDBEngine
from sqlanon.methods import full_domain
from sqlanon.methods.full_domain import Budget, FullDomainResult
from sqlanon.methods.optimal import Optimal
from sqlanon.search.full_domain import FullDomainProblem
from sqlanon.search.lattice import Node
from sqlanon.sql.step import Search, Step
from sqlanon.utility.base import UtilityMeasure, largest_gap
from sqlanon.utility.measures import Loss
from tests.conftest import Open, TinyPlan, published_before
from tests.oracles import full_domain as oracle
from tests.plan.plans import plan_of
from tests.support.tables import write_csv

HIERARCHY: dict[oracle.Value, tuple[oracle.Value, ...]] = {
    f"v{n}": (f"v{n}", f"a{n // 2}", f"b{n // 4}", "*") for n in range(8)
}
NODES = list(product(range(4), repeat=4))


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The time that a search sees, in its first element."""
    now = [0]
    monkeypatch.setattr(full_domain, "time", SimpleNamespace(monotonic=lambda: now[0]))
    return now


@dataclass
class Ticking:
    """An engine that answers, and lets a second pass with every question."""

    engine: DuckDBEngine
    clock: list[int]

    def execute(self, step: Step) -> Any:
        self.clock[0] += 1
        return self.engine.execute(step)


OBJECTIVES: list[Any] = [
    "loss", "discernibility", "average-class-size", "ncp", "height", "precision", "entropy",
    "ambiguity", {"name": "loss", "aggregate": "geometric-mean", "variant": "iyengar"},
    {"name": "loss", "aggregate": "max"},
]  # fmt: skip


@pytest.mark.sampled(0.05, by=lambda case: json.dumps(case["objective"]))
@pytest.mark.parametrize("objective", OBJECTIVES, ids=json.dumps)
@pytest.mark.parametrize("seed", range(5))
def test_no_node_is_better_by_more_than_the_gap(
    objective: Any, seed: int, tiny_plan: TinyPlan, opened: Open, clock: list[int]
) -> None:
    """For every fifth number of questions; other seeds try the others."""
    draw = random.Random(seed)
    rows = [
        tuple(f"v{min(7, int(draw.expovariate(0.4)))}" for _ in range(4))
        for _ in range(draw.randint(60, 150))
    ]
    limit = draw.choice([0, 0.05, 0.1])
    plan = tiny_plan(
        rows, [HIERARCHY] * 4, privacy=[{"model": "k-anonymity", "k": draw.choice([2, 3])}],
        suppression={"limit": limit}, method={"name": "optimal", "objective": objective},
    )  # fmt: skip
    proven = []
    with opened(plan) as (engine, problem):
        scores = drive(engine, problem.score(NODES))
        holding = [score.node for score in scores if problem.satisfies(score)]
        costs = {node: cost[0] for node, (cost, _) in drive(engine, problem.value(holding)).items()}
        least = min(costs.values())
        for seconds in range(1 + seed, 200, 5):
            method = Optimal(objective=objective, budget=Budget(seconds=seconds))
            clock[0] = 0
            found = drive(cast(Any, Ticking(engine, clock)), method.search(problem))
            assert found is not None
            assert found.cost is not None
            assert costs[found.node] == pytest.approx(found.cost[0])
            if found.label == "optimal":
                assert found.gap is None
                assert costs[found.node] == pytest.approx(least)
                break
            # A question about rows and one about costs may be under way when the time ends.
            assert clock[0] <= seconds + 1
            if found.gap is None:
                assert found.label == "best found within the budget, not proven optimal"
                continue
            assert found.label == (
                f"best found within the budget, at most {found.gap:,.1%} worse than the optimum"
            )
            assert costs[found.node] <= (1 + found.gap) * least + 1e-12
            proven.append(found.gap)
        else:
            pytest.fail("no budget was enough")
    assert proven or objective == "height"


# --- the search alone, over scores that brute force counts, where models are not monotone


Table = list[tuple[int, int, str]]
"""Rows: two quasi-identifiers, whose level n has a label for 2^n of 8 values; a sensitive value."""


def table_of(seed: int) -> Table:
    """Values hang together with the first attribute, so that merging classes unbalances them."""
    draw = random.Random(seed)
    rows = []
    for _ in range(draw.randint(20, 40)):
        a, b = draw.randrange(8), draw.randrange(4)
        usual = 0.9 if a >= 5 else 0.1
        rows.append((a, b, "s0" if draw.random() < usual else f"s{draw.randrange(1, 4)}"))
    return rows


@dataclass(frozen=True)
class Counted:
    """What the search asks of a problem; all is counted from the rows, a second a question."""

    table: Table
    limit_rows: int
    clock: list[int] = field(default_factory=lambda: [0])
    objective: UtilityMeasure = field(default_factory=Loss)
    tops: tuple[int, int] = (3, 3)
    by_sizes: None = None

    @property
    def attributes(self) -> list[Any]:
        measures = [SimpleNamespace(leaf_rows=8 * n, leaf_count=8) for n in (1, 2, 4, 8)]
        return [SimpleNamespace(measures=measures)] * 2

    def score(self, nodes: Sequence[Node]) -> Search[list[Any]]:
        self.clock[0] += 1
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
        return self.bound(node, self.lost[node])[0]

    def bound(self, node: Node, suppressed_rows: int = 0) -> tuple[float, ...]:
        """The loss: the share of values that labels cover; a suppressed row loses everything."""
        rows = len(self.table)
        kept = sum((0, 2, 4, 8)[level] / 8 for level in node) / 2
        return ((kept * (rows - suppressed_rows) + suppressed_rows) / rows,)

    def may_hold(self, score: Any) -> bool:
        return bool(score.unpublishable_rows <= self.limit_rows)

    def satisfies(self, score: Any) -> bool:
        return bool(score.suppressed_rows <= min(self.limit_rows, len(self.table) - 1))

    @property
    def size(self) -> int:
        return len(self.lost)

    @cached_property
    def lost(self) -> dict[Node, int]:
        """Of each node the rows in classes that break entropy 3-diversity."""
        found = {}
        for node in product(range(4), repeat=2):
            classes: dict[tuple[int, int], Counter[str]] = defaultdict(Counter)
            for a, b, value in self.table:
                classes[a >> node[0], b >> node[1]][value] += 1
            found[node] = 0
            for counts in classes.values():
                shares = [count / counts.total() for count in counts.values()]
                if math.exp(-sum(p * math.log(p) for p in shares)) < 3 - 1e-9:
                    found[node] += counts.total()
        return found

    @cached_property
    def costs(self) -> list[float]:
        """What the nodes cost that suppress few enough."""
        most = min(self.limit_rows, len(self.table) - 1)
        return [self.cost(node) for node, lost in self.lost.items() if lost <= most]

    def found_by(self, **budget: int) -> FullDomainResult | None:
        """What a search within a budget finds."""
        search = Optimal(budget=Budget(**budget)).search(cast(FullDomainProblem, self))
        with pytest.raises(StopIteration) as end:
            next(search)
        return cast("FullDomainResult | None", end.value.value)


def limit_of(seed: int, table: Table) -> int:
    """From a fifth of the rows to four."""
    return math.floor((0.2 + seed % 7 / 10) * len(table))


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


def test_the_gap_is_true_where_models_are_not_monotone(clock: list[int]) -> None:
    """Entropy l-diversity with suppression, for each number of questions until the search ends."""
    gaps, unfound = 0, 0
    for seed in range(300):
        table = table_of(seed)
        problem = Counted(table, limit_of(seed, table), clock)
        for seconds in range(1, 100):
            clock[0] = 0
            try:
                found = problem.found_by(seconds=seconds)
            except NoSolutionError:
                unfound += 1
                continue
            if found is None:
                assert not problem.costs
                break
            price = problem.cost(found.node)
            if found.label == "optimal":
                assert price == pytest.approx(min(problem.costs))
                break
            if found.gap is not None:
                gaps += 1
                assert price <= (1 + found.gap) * min(problem.costs) + 1e-12
    assert gaps > 100
    assert unfound


def test_a_budget_goes_down_to_a_good_node_at_once() -> None:
    """The cost of the top is the highest; each step down is one question."""
    for seed in range(50):
        table = table_of(seed)
        problem = Counted(table, len(table) - 1)
        found = problem.found_by(nodes=13)
        assert found is not None
        assert found.checked <= 13
        assert problem.cost(found.node) < 1


@pytest.mark.parametrize(
    ("cost", "least", "gap"),
    [
        ((0.412,), (0.4,), 0.031),  # rounded up
        ((103,), (100,), 0.03),  # whole numbers are exact
        ((1001,), (1000,), 0.001),
        ((10.0,), (0.0,), None),
        ((float("inf"),), (float("-inf"),), None),
        ((0.5, 0.2), (0.4, 0.1), None),
    ],
)
def test_a_gap_is_a_share_of_the_bound(cost: Any, least: Any, gap: float | None) -> None:
    assert largest_gap(cost, least) == gap


# --- the option


@pytest.mark.parametrize("text", ["0", "0s", "-1s", "abc", "", "30", "s", "1e3s", "1 day", "٣s"])
def test_a_budget_that_is_no_time_is_one_clear_error(text: str) -> None:
    with pytest.raises(PlanError, match="no time that a search can take") as refused:
        Options(budget=text)
    assert len(refused.value.faults) == 1


def test_a_budget_is_a_number_and_a_unit() -> None:
    seconds = {"30s": 30, "1.5min": 90, "2h": 7200, "250ms": 0.25, " 5 s ": 5}
    assert {text: checked_budget(text) for text in seconds} == seconds


def test_a_budget_with_what_does_not_search(folder: Path) -> None:
    with pytest.raises(PlanError, match="nothing is searched"):
        Options(budget="30s", locked=True)
    plan = written()
    for method in ("datafly", "mondrian"):
        with pytest.raises(PlanError, match=f"The method {method} cannot end its search early"):
            sqlanon.run({**plan, "method": method}, Options(budget="30s"))


def written() -> dict[str, Any]:
    """A plan of rows of four columns, of which no short search finds the optimum."""
    draw = random.Random(7)
    rows = [[min(15, int(draw.expovariate(0.2))) for _ in range(4)] for _ in range(300)]
    write_csv("rows.csv", ["abcd", *rows])
    column = {"role": "quasi-identifier", "hierarchy": {"intervals": [2, 4, 8]}}
    three = [{"model": "k-anonymity", "k": 3}]
    plan = plan_of(dict.fromkeys("abcd", column), "rows.csv", privacy=three)
    return plan | {"suppression": {"limit": 0.05}, "publish": "published.csv"}


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every look at the clock takes a second."""
    seconds: Iterator[int] = iter(range(1_000_000))
    monkeypatch.setattr(full_domain, "time", SimpleNamespace(monotonic=lambda: next(seconds)))


@pytest.mark.usefixtures("short", "folder")
def test_a_run_within_a_budget_is_repeated_by_its_solution() -> None:
    plan = written()
    result = sqlanon.run(plan, Options(budget="20s", report=True))
    entry = result.manifest["solution"]
    label = f"best found within the budget, at most {entry['gap']:,.1%} worse than the optimum"
    assert entry["label"] == label
    assert entry["gap"] > 0
    solution = json.loads(Path("published.solution.json").read_text())
    assert (solution["label"], solution["gap"]) == (label, entry["gap"])
    for file in ("report.html", "sql/program.sql"):
        text = Path("target/published", file).read_text()
        assert label in " ".join(text.replace("\n--", " ").split())
    rows = Path("published.csv").read_bytes()

    again = sqlanon.run(plan, Options(locked=True)).manifest
    assert again["solution"]["node"] == entry["node"]
    assert again["solution"]["label"] == f"{label}, when solved"
    for name in ("program_sha256", "plan_sha256"):
        assert again[name] == result.manifest[name]
    assert Path("published.csv").read_bytes() == rows

    optimum = sqlanon.run(plan).manifest["solution"]
    assert optimum["label"] == "optimal"
    assert "gap" not in optimum
    assert "gap" not in json.loads(Path("published.solution.json").read_text())


@pytest.mark.usefixtures("short", "folder")
@pytest.mark.parametrize("method", ["optimal", "incognito", "samarati"])
def test_a_budget_that_ends_before_a_node_holds_publishes_nothing(
    method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = {**written(), "method": method}
    published_before("published.csv", b"earlier")
    # Every node may have one below it that holds, and holds nothing itself.
    monkeypatch.setattr(FullDomainProblem, "satisfies", lambda *_: False)
    with pytest.raises(NoSolutionError, match="The budget ended the search") as ended:
        sqlanon.run(plan, Options(budget="3s"))
    assert ended.value.exit_code == 3
    assert Path("published.csv").read_bytes() == b"earlier"
