"""`special-uniques` with fewer than all quasi-identifiers, against its definition in Python.

A row is alone on a set of columns if no other row has its labels there: `minimal_sets` of
`tests/oracles/risk.py` finds the smallest ones. Nothing of that is shared with the package.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import pytest

import sqlanon
from sqlanon import NoSolutionError, PlanError
from sqlanon.privacy_models.base import ClassRelations
from sqlanon.privacy_models.special_uniques import SpecialUniques
from sqlanon.sql.step import quoted
from tests.oracles import risk as oracle
from tests.plan.plans import plan_of
from tests.privacy_models.test_promises import TREES, Key, Row, Task, problem_of, search_by
from tests.support.dbt_macros import macros
from tests.support.tables import feed

COLUMNS = tuple(TREES)


def alone(rows: Sequence[Key], size: int) -> list[bool]:
    """For each row whether it is alone on `size` columns or fewer."""
    return [bool(sets) for sets in oracle.minimal_sets(rows, size)]


def sets_of(rows: Sequence[Key], row: Key, size: int) -> int:
    """The sets of exactly `size` columns on which no other row has the labels of this one."""
    return sum(
        sum(all(row[c] == other[c] for c in members) for other in rows) == 1
        for members in itertools.combinations(range(len(row)), size)
    )


def random_rows(choose: random.Random, count: int, spread: int) -> list[Key]:
    values = [list(tree)[-spread:] for tree in TREES.values()]
    return [tuple(map(choose.choice, values)) for _ in range(count)]


def task_of(rows: Sequence[Key], size: int) -> Task:
    return Task([Row(row, "1") for row in rows], [{"model": "special-uniques", "size": size}])


@pytest.mark.sampled(0.35)
@pytest.mark.parametrize("seed", range(40))
def test_classes_by_brute_force(seed: int) -> None:
    """Of two nodes in one relation, which are counted apart; the test of dbt finds the same."""
    choose = random.Random(seed)
    width, size = choose.randint(2, 4), choose.randint(1, 3)
    nodes = [
        [row[:width] for row in random_rows(choose, choose.randint(1, 14), choose.randint(1, 4))]
        for _ in range(2)
    ]
    names = [quoted(name) for name in COLUMNS[:width]]
    relations = ClassRelations(
        ["node", *COLUMNS[:width]], "classes", labels=names, scope=["node"], excess=True
    )
    listed = ", ".join(f"{name} varchar" for name in names)
    marks = ", ".join("?" * width)
    with duckdb.connect() as connection:
        connection.execute(f"create table classes (node int, {listed}, class_size bigint)")
        connection.execute(f"create table published ({listed})")
        connection.executemany(f"insert into published values ({marks})", nodes[0])
        for node, rows in enumerate(nodes):
            counted = [[node, *key, count] for key, count in Counter(rows).items()]
            connection.executemany(f"insert into classes values (?, {marks}, ?)", counted)
        sql = SpecialUniques(size).sql(relations)
        found = connection.execute(
            f"select node, {', '.join(names)}, unique_sets, satisfied, excess_rows from ({sql})"
        ).fetchall()
        proofs = [
            macros().proof_of_special_uniques(
                '"published"', quasi_identifiers=COLUMNS[:width], size=size, show_values=shows
            )
            for shows in (False, True)
        ]
        bare, shown = (connection.execute(proof).fetchall() for proof in proofs)
    assert len(found) == sum(len(set(rows)) for rows in nodes)
    for node, *labels, unique_sets, satisfied, excess in found:
        rows, row = nodes[node], (*labels,)
        assert unique_sets == sets_of(rows, row, min(size, width))
        assert satisfied == (not alone(rows, size)[rows.index(row)])
        assert excess == (0 if satisfied else rows.count(row))
    lone = {row for row, is_one in zip(nodes[0], alone(nodes[0], size), strict=True) if is_one}
    assert len(bare) == len(shown) == len(lone)
    assert {row[3:] for row in shown} == lone


@pytest.mark.sampled(0.3, by=lambda case: case["seed"] == 6)
@pytest.mark.parametrize("seed", range(7))
def test_search_is_exhaustive_search(seed: int) -> None:
    """Every node is scored as the definition says; run and program publish the lowest that holds.

    A single row is alone in every node.
    """
    choose = random.Random(seed)
    rows = random_rows(choose, choose.choice([6, 12, 25]), choose.choice([2, 3, 5]))
    size = seed % 3 + 1
    task = task_of(rows if seed < 6 else rows[:1], size)
    plan = task.plan()
    program = sqlanon.compile(plan)[0].sql
    if seed == 6:
        with pytest.raises(NoSolutionError, match="special-uniques"):
            sqlanon.run(plan)
        return
    labeled = {node: [task.label(row, node) for row in rows] for node in task.nodes}
    failing = {node: sum(alone(labels, size)) for node, labels in labeled.items()}
    least = min((sum(node), node) for node, count in failing.items() if not count)
    with problem_of(plan) as (opened, problem, ask):
        for score in ask(problem.score(task.nodes)):
            assert score.failing_rows == failing[score.node]
            assert (score.unpublishable_rows == 0) == (failing[score.node] == 0)
        for name in ("optimal", "incognito", "samarati", "datafly"):
            found = ask(search_by(name, opened, problem)).node
            assert not failing[found]
            assert name == "datafly" or sum(found) == least[0]
            assert name in ("datafly", "samarati") or found == least[1]
    for low, high in itertools.product(task.nodes, repeat=2):  # as both flags of the model say
        if all(a <= b for a, b in zip(low, high, strict=True)):
            assert failing[high] <= failing[low]
    (promise,) = sqlanon.run(plan).manifest["privacy"]
    assert promise["measured"] == 0
    for made_by in ("run", "program"):
        out = duckdb.execute("select a, b, c, d from 'published.parquet'").fetchall()
        assert Counter(out) == Counter(labeled[least[1]])
        if made_by == "run":
            Path("published.parquet").unlink()
            feed(program)


@pytest.mark.parametrize(
    ("keys", "where", "what"),
    [
        ({"suppression": {"limit": 0.1}}, "suppression.limit", "can be alone without it"),
        ({"method": "mondrian"}, "method", "on the levels of one node"),
        ({"method": {"name": "optimal", "passes": 2}}, "privacy[0]", "labels of one node"),
        ({"unit": "person"}, "unit", "cannot be added up"),
    ],
)
def test_what_cannot_be_counted_is_refused(keys: dict[str, Any], where: str, what: str) -> None:
    plan = task_of([("v0", "x0", "q0", "r0")] * 4, 3).plan(**keys)
    with pytest.raises(PlanError, match=what) as refused:
        sqlanon.load_plan(plan)
    assert where in refused.value.where
    assert "k-anonymity, k: 2" in refused.value.fix or "passes" in str(keys)
    sqlanon.load_plan({**plan, "privacy": [{"model": "special-uniques", "size": 4}]})


def test_too_many_sets_are_refused() -> None:
    plan = plan_of((f"c{n}" for n in range(30)), privacy=[{"model": "special-uniques", "size": 3}])
    with pytest.raises(PlanError, match="30 quasi-identifiers have 4,060 sets of this size"):
        sqlanon.load_plan(plan)
