"""`special-uniques` with fewer than all quasi-identifiers, against its definition in Python.

A row is alone on a set of columns if no other row has its labels there: `minimal_sets` of
`tests/oracles/risk.py` finds the smallest ones. Nothing of that is shared with the package.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Mapping, Sequence
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
from tests.privacy_models.test_promises import (
    TREES,
    problem_of,
    search_by,
)
from tests.support.dbt_macros import macros
from tests.support.tables import feed, write_csv

Row = tuple[str | None, ...]
Node = tuple[int, ...]

COLUMNS = ("a", "b", "c", "d")
LABELS: dict[str, Mapping[str | None, Row]] = {
    **TREES,
    "d": {f"r{n}": (f"r{n}", "*") for n in range(3)},
}


def alone(rows: Sequence[Row], size: int) -> list[bool]:
    """For each row whether it is alone on `size` columns or fewer."""
    return [bool(sets) for sets in oracle.minimal_sets(rows, size)]


def sets_of(rows: Sequence[Row], row: Row, size: int) -> int:
    """The sets of exactly `size` columns on which no other row has the labels of this one."""
    return sum(
        sum(all(row[c] == other[c] for c in members) for other in rows) == 1
        for members in itertools.combinations(range(len(row)), size)
    )


def random_rows(choose: random.Random, count: int, spread: int) -> list[Row]:
    values = [list(LABELS[name])[-spread:] for name in COLUMNS]
    return [tuple(map(choose.choice, values)) for _ in range(count)]


# --- the SQL


@pytest.mark.sampled(0.35)
@pytest.mark.parametrize("seed", range(40))
def test_classes_by_brute_force(seed: int) -> None:
    """Of two nodes in one relation, which are counted apart."""
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
    with duckdb.connect() as connection:
        listed = ", ".join(f"{name} varchar" for name in names)
        connection.execute(f"create table classes (node int, {listed}, class_size bigint)")
        for node, rows in enumerate(nodes):
            for key, count in Counter(rows).items():
                marks = ", ".join("?" * (width + 2))
                connection.execute(f"insert into classes values ({marks})", [node, *key, count])
        sql = SpecialUniques(size).sql(relations)
        found = connection.execute(
            f"select node, {', '.join(names)}, unique_sets, satisfied, excess_rows from ({sql})"
        ).fetchall()
    assert len(found) == sum(len(set(rows)) for rows in nodes)
    for node, *labels, unique_sets, satisfied, excess in found:
        rows, row = nodes[node], (*labels,)
        assert unique_sets == sets_of(rows, row, min(size, width))
        assert satisfied == (not alone(rows, size)[rows.index(row)])
        assert excess == (0 if satisfied else rows.count(row))


EIGHT_ROWS = (
    "20s male 50k+ highschool", "20s male 50k+ highschool", "20s male 50k- highschool",
    "20s male 50k- highschool", "20s female 50k- university", "20s female 50k- highschool",
    "20s female 50k- middleschool", "60s male 50k- university",
)  # fmt: skip


@pytest.mark.parametrize(("size", "count"), [(1, 2), (2, 4), (4, 4)])
def test_eight_rows(size: int, count: int) -> None:
    """sdcMicro#263: scores 0 0 0 0 4 2 6 8, of (4 - size)! each: 6 for one column, 2 for two.

    So the last two are alone on a column, the two before on pairs, and the others nowhere.
    """
    names = ["age", "sex", "income", "education"]
    write_csv("eight.csv", [names, *map(str.split, EIGHT_ROWS)])
    promises = [{"model": "special-uniques", "size": size}]
    (finding,) = sqlanon.verify("eight.csv", quasi_identifiers=names, promises=promises)
    assert (finding.failing_classes, finding.failing_rows) == (count, count)
    assert not finding.satisfied


# --- the search


def plan_of(rows: Sequence[Row], size: int, **keys: Any) -> dict[str, Any]:
    write_csv("rows.csv", [COLUMNS, *rows])
    for name in COLUMNS:
        write_csv(f"h_{name}.csv", [path for value, path in LABELS[name].items() if value])
    return {
        "source": {"path": "rows.csv", "delimiter": ","},
        "columns": {
            name: {"role": "quasi-identifier", "hierarchy": f"h_{name}.csv"} for name in COLUMNS
        },
        "privacy": [{"model": "special-uniques", "size": size}],
        "method": {"name": "optimal", "objective": "height"},
        "publish": "published.parquet",
        **keys,
    }


def labeled(rows: Sequence[Row], node: Node) -> list[Row]:
    return [
        tuple(LABELS[n][value][level] for n, value, level in zip(COLUMNS, row, node, strict=True))
        for row in rows
    ]


NODES: list[Node] = list(
    itertools.product(*(range(len(next(iter(LABELS[name].values())))) for name in COLUMNS))
)


@pytest.mark.sampled(0.3)
@pytest.mark.parametrize("seed", range(6))
def test_search_is_exhaustive_search(seed: int) -> None:
    """Every node is scored as the definition says, and the lowest that holds is published."""
    choose = random.Random(seed)
    rows = random_rows(choose, choose.choice([6, 12, 25]), choose.choice([2, 3, 5]))
    size = seed % 3 + 1
    plan = plan_of(rows, size)
    failing = {node: sum(alone(labeled(rows, node), size)) for node in NODES}
    with problem_of(plan) as (opened, problem, ask):
        for score in ask(problem.score(NODES)):
            assert score.failing_rows == failing[score.node]
            assert (score.unpublishable_rows == 0) == (failing[score.node] == 0)
        least = min((sum(node), node) for node, count in failing.items() if not count)
        for name in ("optimal", "incognito", "samarati", "datafly"):
            found = ask(search_by(name, opened, problem)).node
            assert not failing[found]
            assert name == "datafly" or sum(found) == least[0]
            assert name in ("datafly", "samarati") or found == least[1]
    for low, high in itertools.product(NODES, repeat=2):  # as both flags of the model say
        if all(a <= b for a, b in zip(low, high, strict=True)):
            assert failing[high] <= failing[low]
    manifest = sqlanon.run(plan).manifest
    with duckdb.connect() as connection:
        out = connection.execute("select a, b, c, d from 'published.parquet'").fetchall()
    assert Counter(out) == Counter(labeled(rows, least[1]))
    assert not any(alone(out, size))
    assert [entry["measured"] for entry in manifest["privacy"]] == [0]


def test_one_row_is_alone_everywhere() -> None:
    with pytest.raises(NoSolutionError, match="special-uniques"):
        sqlanon.run(plan_of([("v0", "x0", "q0", "r0")], 1))


def test_the_program_without_a_solution_finds_the_same_node() -> None:
    rows = random_rows(random.Random(3), 20, 4)
    plan = plan_of(rows, 2)
    node = sqlanon.run(plan).manifest["solution"]["node"]
    Path("published.parquet").unlink()
    _, target = sqlanon.compile({**plan, "publish": "compiled.parquet"})
    program = (target / "program.sql").read_text(encoding="utf-8")
    assert "chosen_node" in program
    feed(program)
    with duckdb.connect() as connection:
        out = connection.execute("select a, b, c, d from 'compiled.parquet'").fetchall()
    assert Counter(out) == Counter(labeled(rows, tuple(node.values())))


# --- what is refused


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
    plan = plan_of([("v0", "x0", "q0", "r0")] * 4, 3, **keys)
    if "unit" in keys:
        write_csv("rows.csv", [[*COLUMNS, "person"], ["v0", "x0", "q0", "r0", "p"]])
        plan["columns"]["person"] = "identifier"
    with pytest.raises(PlanError, match=what) as refused:
        sqlanon.load_plan(plan)
    assert where in refused.value.where
    assert "k-anonymity, k: 2" in refused.value.fix or "passes" in str(keys)
    sqlanon.load_plan({**plan, "privacy": [{"model": "special-uniques", "size": 4}]})


def test_too_many_sets_are_refused() -> None:
    columns = dict.fromkeys([f"c{n}" for n in range(30)], "quasi-identifier")
    plan = {"source": "x.csv", "columns": columns, "publish": "y.parquet",
            "privacy": [{"model": "special-uniques", "size": 3}]}  # fmt: skip
    with pytest.raises(PlanError, match="30 quasi-identifiers have 4,060 sets of this size"):
        sqlanon.load_plan(plan)


# --- the test of dbt


@pytest.mark.parametrize("seed", range(3))
def test_the_dbt_test_finds_the_same_classes(seed: int) -> None:
    choose = random.Random(seed)
    rows = random_rows(choose, choose.choice([5, 15, 40]), choose.choice([2, 3]))
    size = seed % 3 + 1
    with duckdb.connect() as connection:
        values = [[row[place] for row in rows] for place in range(len(COLUMNS))]
        listed = ", ".join(
            f"unnest(${n}::varchar[]) as {name}" for n, name in enumerate(COLUMNS, 1)
        )
        connection.execute(f"create table published as select {listed}", values)
        for shows in (False, True):
            proof = macros().proof_of_special_uniques(
                '"published"', quasi_identifiers=list(COLUMNS), size=size, show_values=shows
            )
            found = connection.execute(proof).fetchall()
            assert len(found) == sum(alone(rows, size))
            if shows:
                is_alone = zip(rows, alone(rows, size), strict=True)
                assert {row[3:] for row in found} == {row for row, is_one in is_alone if is_one}
