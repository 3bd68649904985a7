"""Methods and measures against the oracle, which looks at every node of small lattices by itself.

The properties draw tables of a few rows with random nested hierarchies; the oracle decides which
nodes hold the promise and what each costs, and every method must choose as its guarantee says.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sqlanon
from sqlanon import NoSolutionError, Options, PlanError
from sqlanon.engines.base import drive
from sqlanon.engines.duckdb import DuckDBEngine
from sqlanon.families.solution import FullDomainSolution
from sqlanon.methods import METHODS
from sqlanon.methods.full_domain import FullDomainMethod, FullDomainResult
from sqlanon.plan.draft import Suppression
from sqlanon.plan.file import load_plan
from sqlanon.registry import default_of
from sqlanon.search.full_domain import FullDomainProblem
from sqlanon.sql.step import Result, Search
from tests.conftest import Open, PlanMapping, TinyPlan
from tests.oracles import full_domain as oracle
from tests.oracles.measures import OBJECTIVES, Cost, Table, cost_of
from tests.selection import examples
from tests.support.searching import searched

Node = oracle.Node
Hierarchy = dict[oracle.Value, tuple[oracle.Value, ...]]

FULL_DOMAIN: tuple[str, ...] = tuple(
    default_of(method, "name") for method in METHODS if issubclass(method, FullDomainMethod)
)
"""The methods that search a lattice; tests/methods/test_partitioning.py is about the others."""


# --- random tables


@dataclass(frozen=True)
class Task:
    """A table to anonymize, and what is asked of it."""

    rows: list[oracle.Row]
    hierarchies: list[Hierarchy]
    k: int
    limit: str
    masked: bool
    objective: dict[str, Any] = field(default_factory=lambda: {"name": "loss"})
    weights: list[float] = field(default_factory=list)
    labels: list[oracle.Value] = field(default_factory=list)

    @property
    def limit_rows(self) -> int:
        return math.floor(Decimal(self.limit) * len(self.rows))

    @property
    def nodes(self) -> list[Node]:
        return oracle.all_nodes(oracle.hierarchy_heights(self.hierarchies))

    def suppressed(self, node: Node) -> int:
        """Rows that a node suppresses; all, where the masked ones can be no class."""
        found = oracle.suppressed_rows(self.rows, self.hierarchies, node, self.k, self.masked)
        return len(self.rows) if found is None else found

    def satisfying(self) -> list[Node]:
        return oracle.satisfying_nodes(
            self.rows, self.hierarchies, self.k, self.limit_rows, self.masked
        )

    def plan(self, tiny_plan: TinyPlan, **method: Any) -> PlanMapping:
        """The plan of this task; `method` are keys of its method, which is `optimal` without."""
        if method.get("name", "optimal") in FULL_DOMAIN:
            method = {"name": "optimal", "objective": self.objective, **method}
        return tiny_plan(
            self.rows,
            self.hierarchies,
            weights=self.weights,
            labels=self.labels,
            privacy=[{"model": "k-anonymity", "k": self.k}],
            suppression={"limit": float(self.limit), "rows": "mask" if self.masked else "drop"},
            method=method,
        )


def tree(*paths: str) -> Hierarchy:
    """A hierarchy, of paths such as `02138 0213*`; the top is added."""
    return {path.split()[0]: (*path.split(), "*") for path in paths}


@st.composite
def hierarchies_of(draw: st.DrawFn) -> Hierarchy:
    """A nested hierarchy of one to five values, one to three levels above them; NULL included."""
    values = [f"v{n}" for n in range(draw(st.sampled_from([5, 4, 3, 2, 1])))]
    paths: dict[oracle.Value, tuple[oracle.Value, ...]] = {value: (value,) for value in values}
    for level in range(1, draw(st.sampled_from([3, 2, 1]))):
        below = sorted({str(path[-1]) for path in paths.values()})
        coarser = {label: f"l{level}.{draw(st.integers(0, len(below) - 1))}" for label in below}
        paths = {value: (*path, coarser[str(path[-1])]) for value, path in paths.items()}
    height = len(paths["v0"])
    return {**{value: (*path, "*") for value, path in paths.items()}, None: (*[None] * height, "*")}


@st.composite
def tasks(
    draw: st.DrawFn,
    objectives: st.SearchStrategy[dict[str, Any]] | None = None,
    limits: Sequence[str] = ("0", "0.1", "0.2", "0.3", "0.5"),
) -> Task:
    """A table of up to 25 rows and one to four quasi-identifiers, and a plan for it."""
    # Sizes are sampled, not drawn as integers, which Hypothesis likes small.
    hierarchies = [draw(hierarchies_of()) for _ in range(draw(st.sampled_from([3, 4, 2, 1])))]
    domains = [list(hierarchy) for hierarchy in hierarchies]
    # Repeated rows, so that there are classes to be published; of a seed, as they vary more so.
    choose = random.Random(draw(st.integers(0, 2**20)))
    rows: list[oracle.Row] = []
    for _ in range(draw(st.sampled_from([12, 10, 8, 6, 3, 1]))):
        row = tuple(map(choose.choice, domains))
        rows += [row] * choose.choice([1, 1, 2, 3, 5])
    rows = choose.sample(rows, len(rows))[:25]
    # NULL is a leaf of the hierarchy only where the source holds one.
    held = [{row[place] for row in rows} for place in range(len(hierarchies))]
    hierarchies = [
        {value: path for value, path in hierarchy.items() if value is not None or None in values}
        for hierarchy, values in zip(hierarchies, held, strict=True)
    ]
    return Task(
        rows=rows,
        hierarchies=hierarchies,
        k=draw(st.sampled_from([3, 2, 4])),
        limit=draw(st.sampled_from(limits)),
        masked=draw(st.booleans()),
        objective=draw(objectives) if objectives is not None else {"name": "loss"},
        weights=[choose.choice([1.0, 0.5, 3.0]), *choose.choices([1, 0, 0.5, 3], k=len(held) - 1)],
        labels=choose.choices(["yes", "no", None], k=len(rows)),
    )


def published_from(task: Task, node: Node) -> int | None:
    """The size from which on classes are published; None where that alone does not decide.

    Masked rows that are fewer than k take the smallest satisfying class with them (step 4): then
    it is that class's size and one more, unless there is another class of the same size.
    """
    sizes = oracle.classes(task.rows, task.hierarchies, node).values()
    failing = sum(size for size in sizes if size < task.k)
    if not task.masked or not 0 < failing < task.k:
        return task.k
    satisfying = [size for size in sizes if size >= task.k]
    if not satisfying:
        return len(task.rows) + 1
    return min(satisfying) + 1 if satisfying.count(min(satisfying)) == 1 else None


def oracle_cost(task: Task, node: Node) -> Cost | None:
    """What the node loses by the task's objective; None where it is open, see published_from."""
    size = published_from(task, node)
    if size is None:
        return None
    table = Table(task.rows, task.hierarchies, node, size, task.k, task.weights, task.labels)
    return cost_of(task.objective, table)


def snapped(costs: dict[Node, Cost]) -> dict[Node, Cost]:
    """The costs, with numbers that differ by rounding alone made one."""
    representatives: dict[float, float] = {}
    last = -math.inf
    for number in sorted({number for cost in costs.values() for number in cost}):
        if not math.isclose(number, last, rel_tol=1e-9, abs_tol=1e-9):
            last = number
        representatives[number] = last
    return {node: tuple(representatives[n] for n in cost) for node, cost in costs.items()}


def datafly_node(task: Task) -> Node | None:
    """Where Datafly stops: as the oracle's, but it goes on while the limit is not kept."""
    allowed = task.limit_rows
    for outliers in range(allowed, -1, -1):
        # With fewer outliers allowed, the walk is the same, only longer.
        try:
            node = oracle.datafly(task.rows, task.hierarchies, task.k, outliers)
        except ValueError:
            return None
        if task.suppressed(node) <= min(allowed, len(task.rows) - 1):
            return node
    return None


def is_below(node: Node, other: Node) -> bool:
    return all(a <= b for a, b in zip(node, other, strict=True))


def ask(engine: DuckDBEngine, question: Search[Result]) -> Result:
    """The answer; the tables that were made on the way are dropped, so that one may ask again."""
    before = len(engine.journal)
    try:
        return drive(engine, question)
    finally:
        for entry in engine.journal[before:]:
            if entry.step.kind == "table":
                engine.connection.execute(f'drop table sqlanon."{entry.step.name}"')


def found_by(
    engine: DuckDBEngine, problem: FullDomainProblem, plan: PlanMapping
) -> FullDomainResult | None:
    """What a method finds; None where there is no solution."""
    try:
        found = ask(engine, searched(load_plan(plan), problem))
    except NoSolutionError:
        return None
    assert isinstance(found, FullDomainResult)
    return found


def solved(plan: PlanMapping) -> FullDomainSolution:
    solution = sqlanon.solve(plan)
    assert isinstance(solution, FullDomainSolution)
    return solution


def check_measure(engine: DuckDBEngine, problem: FullDomainProblem, task: Task) -> dict[Node, Cost]:
    """Every node's rows, cost and bound as the oracle has them; the costs."""
    nodes = task.nodes
    for score in ask(engine, problem.score(nodes)):
        suppressed = task.suppressed(score.node)
        assert score.suppressed_rows == suppressed, score
        assert score.published_rows == len(task.rows) - suppressed, score
        sizes = oracle.classes(task.rows, task.hierarchies, score.node).values()
        assert score.failing_rows == sum(size for size in sizes if size < task.k), score
        assert score.all_classes == len(sizes), score
        if (size := published_from(task, score.node)) is not None:
            assert score.class_count == sum(s >= size for s in sizes), score

    satisfying = task.satisfying()
    values = ask(engine, problem.value(nodes))
    costs: dict[Node, Cost] = {}
    for node, (cost, _) in values.items():
        expected = oracle_cost(task, node)
        if expected is not None:
            assert list(cost) == pytest.approx(list(expected), rel=1e-7, abs=1e-9), node
        costs[node] = cost if expected is None else expected
    bounds = [[values[node][1] for node in nodes]]
    if problem.objective.one_way:
        bounds.append([problem.bound(node) for node in nodes])
    for least in bounds:
        for node, bound in zip(nodes, least, strict=True):
            for above in satisfying:
                if is_below(node, above):
                    assert is_at_most(bound, costs[above]), (node, above)
    return costs


def is_at_most(bound: Cost, cost: Cost) -> bool:
    """Whether a bound is not above a cost, but for rounding."""
    for a, b in zip(bound, cost, strict=True):
        if not math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9):
            return a < b
    return True


def check_methods(task: Task, tiny_plan: TinyPlan, opened: Open, words: int) -> None:
    """Every method finds the node that its guarantee says; keys have so many words at least."""
    satisfying = task.satisfying()
    with opened(task.plan(tiny_plan)) as (engine, problem):
        assert problem.limit_rows == task.limit_rows
        assert problem.words >= words
        costs = snapped(check_measure(engine, problem, task))
        found = {m: found_by(engine, problem, task.plan(tiny_plan, name=m)) for m in FULL_DOMAIN}

    def cheapest(nodes: list[Node]) -> Node:
        return min(nodes, key=lambda node: (costs[node], sum(node), node))

    for method, result in found.items():
        assert (result is None) == (not satisfying), method
        if result is None:
            continue
        assert result.node in satisfying, method
        assert result.score.suppressed_rows == task.suppressed(result.node), method
        if result.cost is not None:
            assert is_at_most(result.cost, costs[result.node]), method
            assert is_at_most(costs[result.node], result.cost), method
    if not satisfying:
        return

    optimal, incognito, samarati, datafly = (found[method] for method in FULL_DOMAIN)
    assert optimal
    assert (optimal.node, optimal.label) == (cheapest(satisfying), "optimal")

    assert incognito
    assert incognito.label == "optimal, of all satisfying nodes"
    assert incognito.node == cheapest(satisfying)
    assert incognito.satisfying == len(satisfying)
    assert list(incognito.minimal_nodes) == oracle.minimal_nodes(satisfying)
    assert incognito.minimal == len(incognito.minimal_nodes)
    assert incognito.checked <= problem.size

    assert samarati
    lowest = oracle.lowest_height(satisfying)
    assert sum(samarati.node) == lowest
    assert samarati.node == cheapest([node for node in satisfying if sum(node) == lowest])
    assert samarati.label == "lowest height"

    assert datafly
    assert datafly.node == datafly_node(task)
    assert "not proven optimal" in datafly.label


@pytest.mark.sampled(0.1)
@pytest.mark.parametrize("name", OBJECTIVES)
@examples(25)
@given(data=st.data())
def test_every_method_keeps_its_guarantee(
    tiny_plan: TinyPlan, opened: Open, name: str, data: st.DataObject
) -> None:
    check_methods(data.draw(tasks(OBJECTIVES[name])), tiny_plan, opened, 1)


@examples(15)
@given(task=tasks())
def test_rows_that_miss_a_value_may_be_left_out(
    tiny_plan: TinyPlan, opened: Open, task: Task
) -> None:
    whole = [row for row in task.rows if None not in row]
    hierarchies: list[Hierarchy] = [
        {value: path for value, path in hierarchy.items() if value is not None}
        for hierarchy in task.hierarchies
    ]
    left = replace(task, rows=whole, hierarchies=hierarchies)
    plan = {**task.plan(tiny_plan, name="incognito"), "missing": "drop-rows"}
    if not whole:
        with pytest.raises(PlanError, match="every row misses a value"):
            sqlanon.solve(plan)
        return
    with opened(plan) as (engine, problem):
        assert (problem.row_count, problem.limit_rows) == (len(whole), left.limit_rows)
        check_measure(engine, problem, left)
        found = found_by(engine, problem, plan)
    assert (found.satisfying if found else 0) == len(left.satisfying())


def test_a_lattice_of_one_node(tiny_plan: TinyPlan, opened: Open) -> None:
    rows: list[oracle.Row] = [("x",)] * 3
    task = Task(rows, [{"x": ("x",)}], k=2, limit="0", masked=False)
    assert task.nodes == task.satisfying() == [(0,)]
    for name in ("height", "precision", "loss", "entropy", "ambiguity"):
        task = replace(task, objective={"name": name})
        plan = task.plan(tiny_plan)
        plan["columns"]["a"]["hierarchy"] = {"query": "select 'x' as value"}
        with opened(plan) as (engine, problem):
            check_measure(engine, problem, task)
            for method in FULL_DOMAIN if name == "loss" else ("optimal",):
                found = found_by(engine, problem, plan | {"method": method})
                assert found
                assert found.node == (0,)
    assert solved(plan).levels_in_order == (0,)


@examples(25)
@given(task=tasks(limits=("0", "0.2", "0.5", "1")))
def test_what_is_published(tiny_plan: TinyPlan, tmp_path: Path, task: Task) -> None:
    (tmp_path / "published.parquet").unlink(missing_ok=True)
    plan = task.plan(tiny_plan)
    if not task.satisfying():
        with pytest.raises(NoSolutionError):
            sqlanon.run(plan)
        assert not (tmp_path / "published.parquet").exists()
        return
    result = sqlanon.run(plan)
    node = tuple(result.manifest["solution"]["node"].values())
    counts = result.manifest["rows"]
    assert counts["input"] == len(task.rows)
    assert counts["suppressed"] == task.suppressed(node) <= task.limit_rows
    assert counts["published"] == len(task.rows) - counts["suppressed"] > 0
    published = result.published.fetchall()
    assert len(published) == result.manifest["published"]["rows"]
    assert len(published) == (len(task.rows) if task.masked else counts["published"])
    sizes = Counter(row[: len(task.hierarchies)] for row in published)
    assert min(sizes.values()) >= task.k
    if task.masked:  # every row, with its label
        assert Counter(row[-1] for row in published) == Counter(task.labels)
    smallest = published_from(task, node)
    if smallest is not None:
        generalized = oracle.generalized(task.rows, task.hierarchies, node)
        sizes = Counter(generalized)
        stars = ("*",) * len(task.hierarchies)
        expected = [
            (*(row if sizes[row] >= smallest else stars), label)
            for row, label in zip(generalized, task.labels, strict=True)
            if sizes[row] >= smallest or task.masked
        ]
        assert Counter(published) == Counter(expected)


@pytest.mark.parametrize(
    ("limit", "rows", "expected"),
    [
        ("0.1", 19, 1), ("0.1", 20, 2), ("0.999", 10, 9), ("0", 7, 0), ("1", 7, 7),
        ("0.29", 100, 29), ("0.57", 100, 57), ("0.35", 100, 35),
    ],
)  # fmt: skip
def test_limits_are_rounded_down_to_rows(limit: str, rows: int, expected: int) -> None:
    assert Suppression(limit=Decimal(limit)).limit_rows(rows) == expected


@pytest.mark.parametrize("method", FULL_DOMAIN)
@pytest.mark.parametrize(
    ("values", "labels", "limit", "level", "suppressed", "published"),
    [
        # Every value alone breaks the promise, though finer classes could keep two rows of three;
        # all rows may be suppressed; both values together hold it.
        pytest.param(
            "vvvwww", "xxyyyx", 1, 1, 0, {("*", "x"): 3, ("*", "y"): 3}, id="nothing-published"
        ),
        # All rows as one class have three x of four; the class of u holds, two rows alone fail.
        pytest.param("uuvw", "xyxx", 0.5, 0, 2, {("u", "x"): 1, ("u", "y"): 1}, id="finer"),
    ],
)
def test_no_label_may_be_that_of_more_than_half(
    method: str, values: str, labels: str, limit: float, level: int, suppressed: int,
    published: dict[Any, int], tiny_plan: TinyPlan,
) -> None:  # fmt: skip
    """Each row has a value and a label of one letter."""
    plan = tiny_plan(
        [(value,) for value in values], [tree(*sorted(set(values)))], labels=[*labels],
        privacy=[{"model": "l-diversity", "kind": "frequency", "l": 2, "attribute": "label"}],
        suppression={"limit": limit}, method=method,
    )  # fmt: skip
    plan["columns"]["label"] = "sensitive"
    solution = solved(plan)
    assert (solution.node, solution.suppressed_rows) == ({"a": level}, suppressed)
    if method == "optimal":
        assert Counter(sqlanon.run(plan).published.fetchall()) == published


SWEENEY_COLUMNS = ("race", "birth_date", "gender", "zip")
SWEENEY: list[oracle.Row] = [  # GEN, table A
    tuple(row.split())
    for row in (
        "black 9/20/65 m 02141", "black 2/14/65 m 02141", "black 10/23/65 f 02138",
        "black 8/24/65 f 02138", "black 11/7/64 f 02138", "black 12/1/64 f 02138",
        "white 10/23/64 m 02138", "white 3/15/65 f 02139", "white 8/13/64 m 02139",
        "white 5/5/64 m 02139", "white 2/13/67 m 02138", "white 3/21/67 m 02138",
    )
]  # fmt: skip
SWEENEY_HIERARCHIES: list[Hierarchy] = [
    tree("black", "white"),
    tree(*(f"{row[1]} 19{(row[1] or '')[-2:]}" for row in SWEENEY)),
    tree("m", "f"),
    tree("02138 0213*", "02139 0213*", "02141 0214*"),
]


def sweeney(tiny_plan: TinyPlan, **keys: Any) -> PlanMapping:
    """The plan of the example; without a suppression limit, k rows may stand out."""
    plan = {"method": {"name": "datafly"}, **keys}
    return tiny_plan(SWEENEY, SWEENEY_HIERARCHIES, names=SWEENEY_COLUMNS, **plan)


def test_datafly_on_sweeneys_table(tiny_plan: TinyPlan) -> None:
    result = sqlanon.run(sweeney(tiny_plan))
    rows = result.manifest["rows"]
    assert (rows["input"], rows["published"], rows["suppressed"]) == (12, 10, 2)
    solution = result.manifest["solution"]
    assert solution["node"] == {"race": 0, "birth_date": 1, "gender": 0, "zip": 0}
    assert solution["label"] == "greedy, not proven optimal"
    assert solution["lattice"]["checked"] == 2
    assert Counter(result.published.fetchall()) == {  # GEN, table B without t7 and t8
        ("black", "1965", "m", "02141"): 2,
        ("black", "1965", "f", "02138"): 2,
        ("black", "1964", "f", "02138"): 2,
        ("white", "1964", "m", "02139"): 2,
        ("white", "1967", "m", "02138"): 2,
    }


@pytest.mark.parametrize(
    ("keys", "node", "suppressed"),
    [
        ({"method": {"name": "datafly", "outliers": 2}}, [0, 1, 0, 0], 2),
        ({"method": {"name": "datafly", "outliers": 1}}, [0, 2, 0, 0], 1),
        ({"method": {"name": "datafly", "outliers": 0}}, [1, 2, 0, 1], 0),
        ({"suppression": {"limit": 0.09}}, [0, 2, 0, 0], 1),
        # one row stands out, which with a class of two makes three rows of '*'
        ({"method": {"name": "datafly", "outliers": 1}, "suppression": {"rows": "mask"}},
         [0, 2, 0, 0], 3),
    ],
)  # fmt: skip
def test_datafly_with_fewer_outliers(
    tiny_plan: TinyPlan, keys: PlanMapping, node: list[int], suppressed: int
) -> None:
    result = sqlanon.run(sweeney(tiny_plan, **keys))
    assert [*result.manifest["solution"]["node"].values()] == node
    assert result.manifest["rows"]["suppressed"] == suppressed
    sizes = Counter(result.published.fetchall())
    assert sizes.pop(("*",) * 4, 0) == (3 if "suppression" in keys and suppressed == 3 else 0)
    assert (min(sizes.values()), sizes.total()) == (2, 12 - suppressed)


def random_task(seed: int, attributes: int, row_count: int, **keys: Any) -> Task:
    """Random rows; every attribute has 27 values and four levels."""
    draw = random.Random(seed)
    hierarchy = tree(*(f"v{n} a{n // 3} b{n // 9}" for n in range(27)))
    values = [str(value) for value in hierarchy]
    rows: list[oracle.Row] = [
        tuple(values[min(26, int(draw.expovariate(0.5)))] for _ in range(attributes))
        for _ in range(row_count)
    ]
    return Task(
        rows, [hierarchy] * attributes, **{"k": 3, "limit": "0.05", "masked": False, **keys}
    )


@pytest.mark.sampled(0.1, by=("method", lambda case: [*case["budget"]]))
@pytest.mark.parametrize("method", ["optimal", "incognito", "samarati"])
@pytest.mark.parametrize("budget", [{"nodes": 1}, {"nodes": 40}, {"seconds": 1e-6}])
def test_budgets(tiny_plan: TinyPlan, method: str, budget: dict[str, float]) -> None:
    """One that ends the search gives a worse node, and one that suffices changes nothing."""
    task = random_task(1, attributes=4, row_count=80)
    free, rich, solution = (
        solved(task.plan(tiny_plan, name=method, **({"budget": each} if each else {})))
        for each in (None, {"nodes": 10_000}, budget)
    )
    assert "not proven" not in free.label
    assert (rich.node, rich.label, rich.gap) == (free.node, free.label, None)
    if method == "incognito":  # the others go down to a good node before all else
        assert rich.lattice == free.lattice
    assert "within the budget, " in solution.label
    assert solution.lattice.satisfying is None
    assert solution.lattice.checked <= budget.get("nodes", 64)
    suppressed = task.suppressed(solution.levels_in_order)
    assert solution.suppressed_rows == suppressed <= task.limit_rows
    assert method == "samarati" or (solution.cost or []) >= (free.cost or [math.inf])


def test_a_lattice_too_large_to_enumerate(tiny_plan: TinyPlan) -> None:
    task = random_task(5, attributes=12, row_count=300, k=2, limit="0")
    solution = solved(task.plan(tiny_plan))
    assert solution.label == "optimal"
    assert solution.lattice.nodes == 4**12
    assert solution.lattice.checked < 5_000
    assert task.suppressed(solution.levels_in_order) == 0
    # No single step down from it holds the promise; random steps sideways are not cheaper.
    for place, level in enumerate(solution.levels_in_order):
        if level:
            below = list(solution.levels_in_order)
            below[place] -= 1
            assert task.suppressed(tuple(below)) > 0
    greedy = solved(task.plan(tiny_plan, name="datafly"))
    cost = oracle.loss(task.rows, task.hierarchies, greedy.levels_in_order, task.k)
    assert isinstance(cost, float)
    assert solution.cost
    assert solution.cost[0] <= cost + 1e-9


@pytest.mark.sampled(0.5)
@pytest.mark.parametrize("masked", [False, True])
def test_keys_of_two_words(tiny_plan: TinyPlan, opened: Open, masked: bool) -> None:
    draw = random.Random(11)
    hierarchy = tree(*(f"v{n}" for n in range(256)))
    base = [[f"v{draw.randrange(256)}" for _ in range(8)] for _ in range(6)]
    rows: list[oracle.Row] = [
        tuple(v if draw.random() < 0.95 else f"v{draw.randrange(256)}" for v in draw.choice(base))
        for _ in range(60)
    ]
    task = Task(rows, [hierarchy] * 8, k=3, limit="0.3", masked=masked)
    assert task.satisfying()
    check_methods(task, tiny_plan, opened, 2)


def test_keys_of_three_words(tiny_plan: TinyPlan, opened: Open) -> None:
    task = random_task(2, attributes=24, row_count=60, k=2, limit="0.1")
    draw = random.Random(2)
    nodes = [tuple(draw.choice([2, 3, 3, 3]) for _ in range(24)) for _ in range(60)]
    with opened(task.plan(tiny_plan)) as (engine, problem):
        assert problem.words == 3
        scores = ask(engine, problem.score(nodes))
    assert [score.suppressed_rows for score in scores] == [task.suppressed(n) for n in nodes]
    assert len({score.suppressed_rows for score in scores}) > 5


PARTITIONS: list[dict[str, Any]] = [
    {"name": "mondrian"},
    {"name": "mondrian", "cut": "any", "labels": "region"},
    {"name": "mondrian", "cut": "quantiles", "execution": "rounds", "names": 2},
    {"name": "mondrian", "partitioning": "relaxed"},
    {"name": "mpalm"},
    {"name": "k-mondrian"},
    {"name": "dimension-splitting"},
]


@pytest.mark.sampled(0.011, by=("kind", lambda case: case["method"]["name"]))
@pytest.mark.parametrize(
    ("method", "kind"),
    [
        *(({"name": name}, rows) for name in FULL_DOMAIN for rows in ("drop", "mask")),
        *((method, kind) for method in PARTITIONS for kind in ("categorical", "nominal", "ordinal")
          if (method["name"], kind) != ("mpalm", "nominal")),  # sets do not locate a population
    ],
    ids=lambda value: value if isinstance(value, str) else "-".join(map(str, value.values())),
)  # fmt: skip
def test_threads_and_row_order_change_nothing(
    tiny_plan: TinyPlan, method: dict[str, Any], kind: str
) -> None:
    is_lattice = method["name"] in FULL_DOMAIN
    task = random_task(4, attributes=3, row_count=200, masked=kind == "mask")
    task = replace(task, labels=["yes" if n % 3 else None for n in range(200)])
    order = random.Random(9).sample(range(200), 200)
    rows, labels = [task.rows[n] for n in order], [task.labels[n] for n in order]
    runs = []
    for which, threads in ((task, 1), (task, 2), (replace(task, rows=rows, labels=labels), 2)):
        plan = which.plan(tiny_plan, **method)
        for name in () if is_lattice else "abc":
            plan["columns"][name]["type"] = kind
        if method["name"] == "mpalm":
            plan["population"] = plan["source"]
        runs.append(sqlanon.run(plan, Options(threads=threads)).manifest)
    for key in ("published", "program_sha256", "plan_sha256", "rows", "solution", "utility"):
        assert runs[1][key] == runs[2][key] == runs[0][key], key
    counts = runs[0]["rows"]
    assert (counts["suppressed"] > 0) == is_lattice
    assert counts["published"] + counts["suppressed"] == 200
    assert runs[0]["solution"]["classes"] > 5


def test_samarati_takes_the_lowest_height_whatever_it_costs(tiny_plan: TinyPlan) -> None:
    """Of height 2 only `b` at its top holds; of height 3 `a` at its top costs half as much."""
    rows = [("a1", "b1"), ("a1", "b2"), ("a2", "b1"), ("a2", "b2")]
    trees = [tree("a1 x1 y1", "a2 x2 y2"), tree("b1 z1", "b2 z2")]
    plan = tiny_plan(rows, trees, weights=[1, 2])
    assert solved({**plan, "method": "samarati"}).node == {"a": 0, "b": 2}
    assert solved({**plan, "method": "optimal"}).node == {"a": 3, "b": 0}
