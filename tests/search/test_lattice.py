"""Lattice nodes against their definitions, written out."""

from __future__ import annotations

from itertools import islice, product

import duckdb
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sqlanon.search.lattice import Frontier, Node, minimal_nodes, nodes_of_height, specializations
from sqlanon.sql.render import render
from tests.oracles import full_domain as oracle

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
