"""Lattice nodes against their definitions; whole costs exactly, others to nine decimals."""

from __future__ import annotations

import math
import random
from collections import Counter
from dataclasses import replace
from itertools import islice, product

import duckdb
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import sqlanon
from sqlanon.engines.base import drive
from sqlanon.methods.optimal import Optimal
from sqlanon.privacy_models.k_anonymity import of_class_size
from sqlanon.search.lattice import Frontier, Node, minimal_nodes, nodes_of_height, specializations
from sqlanon.sql.render import render
from sqlanon.sql.step import Step
from sqlanon.utility.base import comparable
from sqlanon.utility.measures import Discernibility
from tests.conftest import Open, TinyPlan
from tests.oracles import full_domain as oracle
from tests.plan.plans import plan_of

LATTICES = st.lists(st.integers(0, 3), min_size=1, max_size=4)
QUICK = settings(max_examples=100, deadline=None, derandomize=True)


def is_above(node: Node, other: Node) -> bool:
    """Whether `node` is at or above `other`."""
    return all(a >= b for a, b in zip(node, other, strict=True))


@QUICK
@given(LATTICES)
@example([])
def test_nodes_of_heights_and_below_are_the_lattice(heights: list[int]) -> None:
    nodes = oracle.all_nodes(heights)
    for height in range(sum(heights) + 2):
        expected = [node for node in nodes if sum(node) == height]
        assert list(nodes_of_height(heights, height)) == expected
    for node in nodes:
        lower = [n for n in nodes if is_above(node, n) and sum(n) == sum(node) - 1]
        assert sorted(specializations(node)) == lower


def test_nodes_of_a_height_come_one_at_a_time() -> None:
    # 10^20 nodes in all; only the first few are made
    first = list(islice(nodes_of_height([9] * 20, 90), 3))
    assert first == sorted(first)
    assert all(sum(node) == 90 for node in first)


@st.composite
def nodes_of_a_lattice(draw: st.DrawFn) -> tuple[list[int], list[Node]]:
    """Heights, and some of the lattice's nodes in any order."""
    heights = draw(LATTICES)
    node = st.tuples(*(st.integers(0, top) for top in heights))
    return heights, draw(st.lists(node, max_size=8))


@QUICK
@given(nodes_of_a_lattice())
def test_frontier_keeps_what_nothing_covers(lattice: tuple[list[int], list[Node]]) -> None:
    """It covers what lies below a member, whether covered nodes are added or not."""
    heights, added = lattice
    every, frontier = Frontier(len(heights)), Frontier(len(heights))
    for number, node in enumerate(added, start=1):
        every.add(node)
        if not frontier.covers(node):
            frontier.add(node)
        for other in oracle.all_nodes(heights):
            expected = any(is_above(member, other) for member in added[:number])
            assert every.covers(other) == frontier.covers(other) == expected
    maximal = {n for n in added if not any(is_above(m, n) for m in added if m != n)}
    assert len(frontier) == len(maximal)


@pytest.mark.parametrize("level", [1, 255, 256, 32766])
def test_frontier_of_high_levels(level: int) -> None:
    frontier = Frontier(3)
    assert not frontier.covers((0, 0, 0))
    frontier.add((level, 0, level))
    assert frontier.covers((level, 0, level))
    for place, change in product(range(3), (-1, 1)):
        node = [level, 0, level]
        node[place] += change
        if node[place] >= 0:
            assert frontier.covers(tuple(node)) == (change < 0)


@QUICK
@given(nodes_of_a_lattice())
def test_minimal_nodes(lattice: tuple[list[int], list[Node]]) -> None:
    heights, nodes = lattice
    assert minimal_nodes(nodes) == oracle.minimal_nodes(nodes)
    # All nodes above these have the same minimal nodes.
    closed = [n for n in oracle.all_nodes(heights) if any(is_above(n, low) for low in nodes)]
    assert minimal_nodes(reversed(closed)) == minimal_nodes(nodes)


@pytest.mark.parametrize(("compared", "covered"), [*product([False, True], repeat=2)])
def test_nodes_of_a_program_satisfy_what_is_asked(compared: bool, covered: bool) -> None:
    """Every combination of few and too many rows, failing classes and persons of no class."""
    scored = list(product((0, 2, 3), (0, 1), (0, 1), (6, 7)))
    inputs = {"limit_rows": 2, "limit": "2 rows", "compared": compared, "covered": covered}
    expected = [
        (node,)
        for node, (suppressed, published, failing, persons) in enumerate(scored)
        if suppressed <= 2 and published
        if not (compared and failing) and not (covered and persons < 7)
    ]
    with duckdb.connect() as connection:
        connection.execute(
            "attach ':memory:' as sqlanon;"
            " create table sqlanon.lattice_nodes as select * from range(24) as t (node);"
            " create table sqlanon.frequency_set as"
            " select * from (values (4), (3)) as t (population_count);"
            " create table sqlanon.scored_nodes (node integer, suppressed_rows integer,"
            " published_rows integer, failing_published_classes integer,"
            " covered_population integer)"
        )
        rows = [(node, *row) for node, row in enumerate(scored)]
        connection.executemany("insert into sqlanon.scored_nodes values (?, ?, ?, ?, ?)", rows)
        found = connection.execute(render("search/satisfying_nodes.sql", **inputs)).fetchall()
    assert found == expected


@pytest.mark.parametrize("width", [29, 30])
def test_a_key_of_62_bits_fits_and_a_wider_one_stops(width: int) -> None:
    """Each level owns the next bits of its key; its mask has those of coarser levels, too."""
    levels = [("a", 0, 20), ("a", 1, 12), ("b", 0, width), ("b", 1, 1), ("c", 0, 62)]
    words = {"a": 1, "b": 1, "c": 2}
    rows = ", ".join(f"({ord(name)}, '{name}', {level}, {bits})" for name, level, bits in levels)
    with duckdb.connect() as connection:
        connection.execute(
            "attach ':memory:' as sqlanon; create table sqlanon.level_bits as"
            f" from (values {rows}) as t (attribute_number, attribute, level, bits)"
        )
        sql = render("source/level_codes.sql", words=[*words.items()])
        if width > 29:
            with pytest.raises(duckdb.Error, match="more than 62 bits"):
                connection.execute(sql)
            return
        found = connection.execute(sql).fetchall()
    for _, attribute, level, word, shift, mask in found:
        placed = [each for each in levels if words[each[0]] == word]
        owners = [each[:2] for each in placed for _ in range(each[2])]
        expected = [n for n, (a, one) in enumerate(owners) if a == attribute and one >= level]
        assert (shift, mask) == (expected[0], sum(2**n for n in expected))
    assert [row[1:3] for row in found] == [each[:2] for each in levels]


# --- what nodes cost

TREES: list[dict[oracle.Value, tuple[oracle.Value, ...]]] = [
    {f"{name}{n}": (f"{name}{n}", "*") for n in range(2)} for name in "ab"
]
ROWS = list(product(*TREES))


def class_sizes(counts: list[int], node: tuple[int, ...]) -> list[int]:
    sizes: Counter[tuple[oracle.Value, ...]] = Counter()
    for row, count in zip(ROWS, counts, strict=True):
        levels = zip(TREES, row, node, strict=True)
        sizes[tuple(tree[v][level] for tree, v, level in levels)] += count
    return list(sizes.values())


@pytest.mark.sampled(0.012)
@pytest.mark.parametrize("first", range(0, 300, 60))
def test_optimal_finds_the_least_of_huge_costs_that_are_nearly_equal(
    first: int, tiny_plan: TinyPlan, opened: Open
) -> None:
    """Four counts near 10^5 to 5·10^8: costs of 10^11 to 10^18 differ by as little as 2."""
    close = 0
    rows = [row for n, row in enumerate(ROWS, start=1) for _ in range(n)]
    with opened(tiny_plan(rows, TREES)) as (engine, problem):
        keys = engine.execute(
            Step("keys", "select key_1\nfrom sqlanon.frequency_set\norder by row_count", "rows")
        )
        assert len(keys) == 4
        for seed in range(first, first + 60):
            draw = random.Random(seed)
            base = draw.choice([10**5, 3 * 10**7, 10**8, 499_999_999])
            counts = [base + draw.randint(-2, 2) for _ in ROWS]
            k = draw.choice([2 * base - 4, 2 * base, 2 * base - 1, base])
            limit = draw.choice([0, 0.25, 0.5])
            charged = draw.random() < 0.5
            pairs = zip(keys, counts, strict=True)
            cases = " ".join(f"when {key} then {count}" for (key,), count in pairs)
            sql = f"update sqlanon.frequency_set set row_count = case key_1 {cases} end"
            engine.execute(Step("counted", sql, "rows"))
            objective = Discernibility(suppressed_rows="charged" if charged else "ignored")
            scaled = replace(
                problem,
                row_count=sum(counts),
                limit_rows=int(limit * sum(counts)),
                promises=replace(problem.promises, models=(of_class_size(k),)),
                objective=objective,
            )
            found = drive(engine, Optimal(objective=objective).search(scaled))
            costs = {}
            for node in product(range(2), repeat=2):
                sizes = class_sizes(counts, node)
                lost = sum(size for size in sizes if size < k)
                if lost <= scaled.limit_rows and lost < sum(sizes):
                    penalty = {size: sum(sizes) if charged and size < k else size for size in sizes}
                    costs[node] = sum(size * penalty[size] for size in sizes)
            assert found is not None
            best = min(costs, key=lambda node: (costs[node], sum(node), node))
            assert found.node == best, seed
            assert found.cost == (costs[best],), seed
            close += any(0 < c - costs[best] < 1e-10 * c for c in costs.values())
    assert close > 10  # ten digits would not have distinguished them


@pytest.mark.usefixtures("folder")
def test_20_000_000_000_is_less_than_20_000_000_002() -> None:
    """Generalizing b leaves 100,001 and 99,999 rows; generalizing a, 100,000 and 100,000."""
    duckdb.execute(
        "copy (select case when i <= 100000 then 'a0' else 'a1' end as a,"
        " case when i % 2 = 0 then 'b0' else 'b1' end as b"
        " from range(200000) as r (i)) to 'rows.parquet'"
    )
    method = {"name": "optimal", "objective": "discernibility"}
    plan = plan_of(["b", "a"], privacy=[{"model": "k-anonymity", "k": 99_999}], method=method)
    program = sqlanon.compile(plan)[0].sql
    solution = sqlanon.solve(plan)
    assert solution.published_levels == {"b": 0, "a": 1}
    assert solution.recorded_cost == [20_000_000_000]
    duckdb.connect().execute(program)
    labels = "select count(distinct a), count(distinct b) from 'out.parquet'"
    assert duckdb.execute(labels).fetchall() == [(1, 2)]


def test_whole_costs_are_compared_as_they_are() -> None:
    assert comparable((20_000_000_002,)) > comparable((20_000_000_000,))
    assert comparable((2**60 + 1,)) > comparable((2**60,))
    assert comparable((20_000_000_002.0,)) == comparable((20_000_000_000.0,))
    assert comparable((0.3 + 1e-16,)) == comparable((0.1 + 0.2,))


@pytest.mark.parametrize(
    ("lower", "higher", "differ"),
    [
        (9.4, 9.4000000002, False),
        (9.4, 9.400000002, True),
        (10.4, 10.400000002, False),
        (10.4, 10.40000002, True),
        (104.0, 104.00000002, False),
        (104.0, 104.0000002, True),
        (math.nextafter(3 / 1024, 0), 3 / 1024, False),  # 0.0029296875, where nine are rounded
        (math.nextafter(10 + 1 / 512, 0), 10 + 1 / 512, False),  # 10.001953125
    ],
)
@pytest.mark.parametrize("is_list", [False, True])
def test_other_costs_are_compared_to_nine_decimals_or_ten_digits(
    lower: float, higher: float, differ: bool, is_list: bool
) -> None:
    """Of two nodes that cost the same, a search and a program choose the lower one."""
    assert (comparable((lower,)) < comparable((higher,))) == differ
    inputs = {"attributes": [(1, "a")], "is_list": is_list, "is_whole": False}
    costs = [f"[{cost}::double]" if is_list else f"{cost}::double" for cost in (higher, lower)]
    with duckdb.connect() as connection:
        connection.execute(
            f"attach ':memory:' as sqlanon; create table sqlanon.valued_nodes as"
            f" from (values (0, {costs[0]}), (1, {costs[1]})) as t (node, cost);"
            " create table sqlanon.satisfying_nodes as select node, node as level_1"
            " from sqlanon.valued_nodes;"
            " create table sqlanon.level_codes as select 1 as attribute_number, 'a' as attribute,"
            " node as level, 1 as word, 0 as mask from sqlanon.valued_nodes"
        )
        ((_, _, level, *_),) = connection.execute(
            render("search/chosen_node.sql", **inputs)
        ).fetchall()
    assert level == int(differ)
