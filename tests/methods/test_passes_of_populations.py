"""Passes that place the persons of a population, against brute force and all possible tables."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sqlanon
from sqlanon import NoSolutionError, Options, PlanError
from sqlanon.plan.file import load_plan
from tests.conftest import PlanMapping, TinyPlan
from tests.methods.test_methods import FULL_DOMAIN, Task, tasks, tree
from tests.methods.test_passes import AUTO, published, solved
from tests.oracles import full_domain
from tests.oracles import passes as oracle
from tests.selection import examples

Row = full_domain.Row
Labels = dict[Row, Row]
"""The labels of the values that somebody has."""
TREES = [tree("a1 a", "a2 a", "b1 b", "b2 b")]
FOUR = [{"model": "k-map", "k": 4}]


def placed(
    population: Sequence[Row], hierarchies: full_domain.Hierarchies, k: int, **keys: Any
) -> Labels:
    """The labels of the persons of a population: of passes over its rows, by brute force."""
    return {
        population[number]: oracle.labels_of(population[number], hierarchies, one.node)
        for one in oracle.passes(population, hierarchies, k, **keys)
        for number in one.rows
    }


def with_population(plan: PlanMapping, population: Sequence[Row], k: int) -> PlanMapping:
    """The plan with this population, and the promise of k persons of it."""
    lines = [",".join("" if value is None else str(value) for value in row) for row in population]
    names = [name for name in plan["columns"] if name not in ("label", "person")]
    Path("people.csv").write_text("\n".join([",".join(names), *lines, ""]), encoding="utf-8")
    people = {"path": "people.csv", "delimiter": ","}
    return {**plan, "population": people, "privacy": [{"model": "k-map", "k": k}]}


def planned(
    tiny_plan: TinyPlan, rows: Sequence[str], population: Sequence[str], **keys: Any
) -> PlanMapping:
    """A plan over one column, for these values of rows and of persons; k = 2."""
    plan = tiny_plan([(value,) for value in rows], TREES, **{"method": AUTO, **keys})
    return with_population(plan, [(value,) for value in population], 2)


# --- brute force


@pytest.mark.sampled(0.5)
@pytest.mark.parametrize("method", FULL_DOMAIN)
@examples(20)
@given(task=tasks(limits=["1"]), data=st.data())
def test_rows_have_the_labels_of_their_persons(
    tiny_plan: TinyPlan, method: str, task: Task, data: st.DataObject
) -> None:
    """Each row has the labels that passes over the population give its person."""
    population = task.rows
    chosen = data.draw(st.sets(st.sampled_from(range(len(population))), min_size=1))
    keys: dict[str, Any] = {"weights": task.weights, "method": method}
    own = replace(task, rows=[population[n] for n in sorted(chosen)], masked=False, labels=[])
    plan = with_population(own.plan(tiny_plan, name=method, passes="auto"), population, task.k)
    label_of = placed(population, task.hierarchies, task.k, **keys)
    expected = Counter(label_of[row] for row in own.rows if row in label_of)
    if not expected:
        with pytest.raises(NoSolutionError):
            sqlanon.run(plan, Options(overwrite=True))
        return
    result = sqlanon.run(plan, Options(overwrite=True))
    assert published() == expected
    nodes = [one.node for one in oracle.passes(population, task.hierarchies, task.k, **keys)]
    found = result.manifest["solution"]["passes"]
    assert [tuple(one["node"].values()) for one in found] == nodes
    sizes = Counter(label_of[row] for row in population if row in label_of)
    (finding,) = sqlanon.verify("published.parquet", plan)
    assert finding.satisfied
    assert finding.measured == min(sizes[label] for label in expected)
    assert result.manifest["solution"]["classes"] == len(expected)


@pytest.mark.parametrize("method", FULL_DOMAIN)
def test_nodes_are_those_of_every_table(tiny_plan: TinyPlan, method: str) -> None:
    """Which nodes there are does not tell who is in the table, whatever is known of the method."""
    hierarchies = [tree("x1 x", "x2 x", "y1 y"), tree("a1 a", "a2 a", "a3 a", "b1 b", "b2 b")]
    choose = random.Random(3)
    drawn = [choose.choices([*hierarchy], k=30) for hierarchy in hierarchies]
    population: list[Row] = list(zip(*drawn, strict=True))
    keys: dict[str, Any] = {"suppression": {"limit": 1}, "method": AUTO | {"name": method}}
    found = set()
    for rows in (population[:1], population[9:]):
        plan = tiny_plan(rows, hierarchies, **keys)
        solution = solved(with_population(plan, population, 4))
        found.add(tuple((*one.node.values(), one.rows, one.loss) for one in solution.passes))
    (passes,) = found
    expected = oracle.passes(population, hierarchies, 4, method=method)
    assert [(*one.node, len(one.rows)) for one in expected] == [one[:-1] for one in passes]
    assert len(passes) > 1


def test_no_table_that_is_possible_leaves_fewer_than_k_persons() -> None:
    """An attacker looks at all tables that would be published as the table was.

    She knows the population, the method and its keys. Counted are the persons to whom a row can
    belong in one of these tables. Had every person with the labels of a row been counted, also
    those who are placed before, then rows of fewer persons would be published.
    """
    choose = random.Random(0)
    too_few = 0
    for _ in range(30):
        population: list[Row] = [(choose.choice([*TREES[0]]),) for _ in range(6)]
        label_of = placed(population, TREES, 2)
        nodes = [one.node for one in oracle.passes(population, TREES, 2)]
        counted_all: Labels = {}
        for node, row in itertools.product(nodes, population):
            label = oracle.labels_of(row, TREES, node)
            have = [oracle.labels_of(other, TREES, node) for other in population]
            if have.count(label) >= 2:
                counted_all.setdefault(row, label)
        for every, is_counted_all in ((label_of, False), (counted_all, True)):
            worlds: dict[Any, list[tuple[int, ...]]] = {}
            for size in range(1, 7):
                for table in itertools.combinations(range(6), size):
                    seen = Counter(every[population[n]] for n in table if population[n] in every)
                    worlds.setdefault(frozenset(seen.items()), []).append(table)
            for publication, tables in worlds.items():
                for label, _ in publication:
                    persons = {n for t in tables for n in t if every.get(population[n]) == label}
                    if is_counted_all:
                        too_few += len(persons) < 2
                    else:
                        assert len(persons) >= 2
    assert too_few > 0


def test_a_person_who_alone_waits_is_not_published(tiny_plan: TinyPlan) -> None:
    """Three persons fit the label `a`, but whoever is published with it cannot be one of two."""
    population = ["a1", "a1", "a2", "b1", "b2"]
    plan = planned(tiny_plan, ["a2", "b1"], population, suppression={"limit": 0.5})
    sqlanon.run(plan)
    assert published() == Counter({("b",): 1})
    Path("other.csv").write_text("a\na\nb\n")  # by another tool, which counts all three
    (finding,) = sqlanon.verify("other.csv", plan, manifest=False)
    assert (finding.measured, finding.failing_classes) == (0, 1)


# --- with other keys of a plan


def test_a_class_that_fails_by_its_rows_is_suppressed(tiny_plan: TinyPlan) -> None:
    """Who waits depends on the population alone, so its rows do not wait for a coarser node."""
    plan = planned(
        tiny_plan, ["a1", "a1", "a2", "b1"], ["a1", "a2", "b1", "b2"] * 2,
        labels=["x", "y", "x", "x"], suppression={"limit": 0.6},
        method=AUTO | {"passes": {"size": 2}},
    )  # fmt: skip
    plan["columns"]["label"] = "sensitive"
    plan["privacy"].append({"model": "l-diversity", "l": 2, "kind": "distinct"})
    sqlanon.run(plan)
    assert published() == Counter({("a1", "x"): 1, ("a1", "y"): 1})
    plan["suppression"] = {"limit": 0.25}
    with pytest.raises(NoSolutionError, match="2 are in classes that break a promise"):
        sqlanon.solve(plan)


def test_journalist_risk_counts_the_same_persons(tiny_plan: TinyPlan) -> None:
    """A threshold of 0.4 is three persons."""
    plan = planned(tiny_plan, ["a2", "b1"], ["a1", "a1", "a2", "b1", "b1", "b1"])
    sqlanon.run({**plan, "privacy": [{"model": "journalist-risk", "threshold": 0.4}]})
    assert published() == Counter({("a",): 1, ("b1",): 1})


def test_persons_with_several_rows_count_once_in_the_population(tiny_plan: TinyPlan) -> None:
    rows, population = ["a1", "a1", "a1", "b1"], ["a1", "a2", "b1", "b1"]
    plan = planned(tiny_plan, rows, population, labels=["p", "p", "p", "q"])
    plan["columns"]["label"] = "identifier"
    plan["unit"] = {"column": "label", "count": "none"}
    sqlanon.run(plan)
    assert published() == Counter({("a",): 3, ("b1",): 1})
    assert all(finding.satisfied for finding in sqlanon.verify("published.parquet", plan))


def test_values_of_other_types_are_compared_as_texts(tiny_plan: TinyPlan) -> None:
    plan = planned(tiny_plan, ["a1"], ["a1"])
    Path("people.csv").write_text("zip,b\n" + "11,u\n" * 2 + "12,u\n13,v\n21,v\n21,v\n")
    values = "values (11, 'u'), (12, 'u'), (21, 'v')"
    plan["source"] = {"query": f"select * from ({values}) as t(zip, b)"}
    masked = {"role": "quasi-identifier", "hierarchy": {"mask": "right"}}
    sqlanon.run(plan | {"columns": {"zip": masked, "b": masked}, "suppression": {"limit": 0}})
    assert published() == Counter({("11", "u"): 1, ("21", "v"): 1, ("1*", "*"): 1})


# --- what is refused


def test_without_its_solution_a_publication_is_not_verified(tiny_plan: TinyPlan) -> None:
    """By it a locked run publishes the same; the labels do not show who was placed before."""
    plan = planned(tiny_plan, ["a1", "b1"], ["a1", "a2", "b1", "b1"])
    plan["method"] = AUTO | {"name": "samarati"}
    sqlanon.run(plan)
    first = Path("published.parquet").read_bytes()
    sqlanon.run(plan, Options(overwrite=True, locked=True))
    assert Path("published.parquet").read_bytes() == first
    (solution,) = Path().glob("*.solution.json")
    solution.unlink()
    with pytest.raises(PlanError, match="own solution next to the plan"):
        sqlanon.verify("published.parquet", plan)


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"privacy": [{"model": "delta-presence", "dmin": 0, "dmax": 0.9}]}, "leave some of them"),
        ({"privacy": [{"model": "marketer-risk", "threshold": 0.3}]}, "marketer-risk is about all"),
        ({"privacy": [{"model": "k-anonymity", "k": 3}]}, "No promise says how many persons"),
        ({"method": AUTO | {"passes": {"size": 3}}, "privacy": FOUR}, "`size` of 4 or more"),
        ({"method": AUTO | {"refine": True}}, "leave out `refine`"),
    ],
)
def test_what_passes_cannot_do_with_a_population(
    tiny_plan: TinyPlan, keys: dict[str, Any], words: str
) -> None:
    with pytest.raises(PlanError, match=words):
        load_plan({**planned(tiny_plan, ["a1"], ["a1"] * 6), **keys})
