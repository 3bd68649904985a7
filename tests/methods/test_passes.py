"""Passes against brute force, which looks at every node in every pass, and a run that is known."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sqlanon
from sqlanon import NoSolutionError, Options, PlanError
from sqlanon.families import release_by_place
from sqlanon.families.solution import PassesSolution
from sqlanon.plan.file import load_plan
from tests.conftest import AdultPlan, PlanMapping, TinyPlan
from tests.methods.test_methods import FULL_DOMAIN, Task, tasks, tree
from tests.oracles import full_domain
from tests.oracles import passes as oracle
from tests.oracles.full_domain import hierarchy_heights
from tests.selection import examples
from tests.support.tables import write_csv


def published(path: str = "published.parquet") -> Counter[tuple[Any, ...]]:
    """The published rows, as often as they occur."""
    return Counter(duckdb.execute(f"from '{path}'").fetchall())


def solved(plan: PlanMapping) -> PassesSolution:
    """The solution of a plan with passes."""
    solution = sqlanon.solve(plan)
    assert isinstance(solution, PassesSolution)
    return solution


AUTO = {"name": "optimal", "passes": "auto"}

# --- runs that are known: `passes.md` of the issue, an exact search in C++ outside of this package

GOLDEN = [
    ((0, 2, 0, 0, 0, 0, 0, 0, 0), 16700, 0.0111),
    ((0, 3, 0, 0, 1, 0, 0, 0, 0), 4088, 0.0508),
    ((0, 3, 0, 0, 1, 0, 0, 1, 0), 2690, 0.0902),
    ((0, 3, 0, 0, 2, 0, 1, 0, 0), 1268, 0.1118),
    ((0, 3, 0, 0, 2, 1, 1, 1, 0), 2321, 0.1798),
    ((0, 3, 0, 0, 2, 1, 1, 2, 0), 1376, 0.2502),
    ((0, 3, 0, 2, 2, 1, 1, 2, 0), 1035, 0.3611),
    ((0, 4, 0, 2, 3, 1, 1, 2, 0), 590, 0.5141),
    ((0, 4, 1, 2, 2, 2, 1, 2, 0), 81, 0.6442),
    ((1, 3, 1, 2, 1, 2, 2, 2, 0), 10, 0.7306),
]
"""Adult, nine quasi-identifiers, k = 5: nodes, rows and mean losses.

The last node there is (1, 3, 1, 2, 3, 2, 1, 2, 0): it places as many rows at the same loss, and is
higher by a level.
"""


def test_golden_run(adult_plan: AdultPlan) -> None:
    plan = adult_plan(suppression={"limit": 0.02}, method=AUTO)
    solution = solved(plan)
    result = sqlanon.run(plan, Options(locked=True))
    found = [(tuple(p.node.values()), p.rows, round(p.loss, 4)) for p in solution.passes]
    assert found == GOLDEN
    assert solution.suppressed_rows == 3
    assert result.manifest["utility"]["loss"] == pytest.approx(0.075541, abs=5e-7)
    assert solution.classes == 3029  # "3,029 label combinations"
    charges = [0.05, 0.075, 0.1125, 0.16875, 0.253125, 0.3796875, 0.56953125, 0.854296875, 1, 1]
    assert [p.charge for p in solution.passes] == charges


@pytest.mark.sampled(0.25, by=lambda case: case["lost"] > 0)
@pytest.mark.parametrize(
    ("k", "loss", "lost"),
    [(2, 0.0409, 0), (10, 0.1047, 0), (25, 0.1478, 14), (100, 0.2334, 0)],
)
def test_known_losses(adult_plan: AdultPlan, k: int, loss: float, lost: int) -> None:
    privacy = [{"model": "k-anonymity", "k": k}]
    found = solved(adult_plan(privacy=privacy, suppression={"limit": 0.02}, method=AUTO))
    assert found.cost == pytest.approx([loss], abs=5e-5)
    assert found.suppressed_rows == lost


def by_label(
    rows: Sequence[Any], hierarchies: full_domain.Hierarchies, placed: Sequence[oracle.Placed]
) -> dict[Any, list[int]]:
    """The numbers of the rows that have each label."""
    found: dict[Any, list[int]] = {}
    for one in placed:
        for number in one.rows:
            label = oracle.labels_of(rows[number], hierarchies, one.node)
            found.setdefault(label, []).append(number)
    return found


# --- brute force


@pytest.mark.parametrize("method", FULL_DOMAIN)
@examples(40)
@given(task=tasks(limits=["1"]))
def test_every_pass_is_the_best_of_all_nodes(tiny_plan: TinyPlan, method: str, task: Task) -> None:
    task = replace(task, masked=False)
    plan = task.plan(tiny_plan, name=method, passes="auto")
    expected = oracle.passes(
        task.rows, task.hierarchies, task.k, weights=task.weights, method=method
    )
    if not expected:
        with pytest.raises(NoSolutionError):
            sqlanon.solve(plan)
        return
    found = solved(plan)
    assert [tuple(one.node.values()) for one in found.passes] == [one.node for one in expected]
    assert [one.rows for one in found.passes] == [len(one.rows) for one in expected]
    losses = [one.loss for one in expected]
    assert [one.loss for one in found.passes] == pytest.approx(losses, abs=1e-9)
    placed = sum(len(one.rows) for one in expected)
    assert found.published_rows == placed
    total = sum(one.loss * len(one.rows) for one in expected) + len(task.rows) - placed
    if all(len(hierarchy) > 1 for hierarchy in task.hierarchies):
        assert found.cost == pytest.approx([total / len(task.rows)], abs=1e-9)
    assert found.classes == len(by_label(task.rows, task.hierarchies, expected))


PROMISES: dict[str, list[dict[str, Any]]] = {
    "k": [],
    "distinct": [{"model": "l-diversity", "l": 2, "kind": "distinct", "attribute": "label"}],
    "frequency": [{"model": "l-diversity", "l": 2, "kind": "frequency", "attribute": "label"}],
    "alpha": [{"model": "alpha-k-anonymity", "alpha": 0.7, "k": 2, "attribute": "label"}],
}


def holds(model: str, values: list[Any]) -> bool:
    """Whether a class keeps the second promise."""
    share = max(Counter(values).values()) / len(values)
    return {
        "k": True,
        "distinct": len({*values}) >= 2,
        "frequency": share <= 1 / 2,
        "alpha": share <= 0.7,
    }[model]


@pytest.mark.sampled(0.5, by=lambda case: case["model"] == "k")
@pytest.mark.parametrize("model", PROMISES)
@examples(30)
@given(task=tasks(limits=["1"]), by_query=st.booleans())
def test_published_rows_are_those_of_brute_force(
    tiny_plan: TinyPlan, model: str, task: Task, by_query: bool
) -> None:
    """Which rows wait depends on sizes alone; classes that fail by values are not published."""
    labels: list[Any] = [label or "no" for label in task.labels]
    task = replace(task, masked=False, labels=labels)
    size = task.k if model == "k" else 2 * task.k
    plan = task.plan(tiny_plan, passes="auto")
    plan["columns"]["label"] = "sensitive"
    plan["privacy"] += PROMISES[model]
    for name, hierarchy in zip("abcd", task.hierarchies if by_query else [], strict=False):
        read = f"select * from read_csv('hierarchy_{name}.csv', header = false, all_varchar = true)"
        levels = len(next(iter(hierarchy.values())))
        plan["columns"][name]["hierarchy"] = {"query": read, "columns": levels}
    placed = oracle.passes(task.rows, task.hierarchies, size, weights=task.weights)
    classes = by_label(task.rows, task.hierarchies, placed)
    values = {label: [labels[n] for n in numbers] for label, numbers in classes.items()}
    rows = Counter((*k, v) for k, own in values.items() if holds(model, own) for v in own)
    if not rows:
        with pytest.raises(NoSolutionError):
            sqlanon.run(plan, Options(overwrite=True))
        return
    result = sqlanon.run(plan, Options(overwrite=True))
    assert published() == rows
    assert result.manifest["rows"]["suppressed"] == len(task.rows) - rows.total()
    assert all(finding.satisfied for finding in sqlanon.verify("published.parquet", plan))


@examples(40)
@given(task=tasks(limits=["1"]))
def test_measures_of_levels_and_groups_are_those_of_the_rows(
    tiny_plan: TinyPlan, task: Task
) -> None:
    """A label of several levels counts with the highest, a suppressed cell as all values."""
    task = replace(task, masked=False)
    rows, hierarchies = task.rows, task.hierarchies
    placed = oracle.passes(rows, hierarchies, task.k, weights=task.weights)
    if not placed:
        return
    result = sqlanon.run(task.plan(tiny_plan, passes="auto"), Options(overwrite=True))
    node_of = {number: one.node for one in placed for number in one.rows}
    tops = hierarchy_heights(hierarchies)
    label_of, raised, shares, bits = dict[int, Any](), 0, 0.0, 0.0
    for label, members in by_label(rows, hierarchies, placed).items():
        node = [max(levels) for levels in zip(*(node_of[n] for n in members), strict=True)]
        label_of |= dict.fromkeys(members, (label, node))
        raised += sum(node) * len(members)
        shares += sum(a / b for a, b in zip(node, tops, strict=True) if b) * len(members)
    lost = len(rows) - len(label_of)
    for place, hierarchy in enumerate(hierarchies):
        column = [row[place] for row in rows]
        for number, value in enumerate(column):
            covered = len(rows)
            if number in label_of:
                label, node = label_of[number]
                covered = sum(hierarchy[v][node[place]] == label[place] for v in column)
            bits += math.log2(covered / column.count(value))
    utility = result.manifest["utility"]
    assert utility["height"] == pytest.approx(raised / len(label_of))
    assert utility["average_generalization"] == raised + lost * sum(tops)
    mean = (shares / len(tops) + lost) / len(rows)
    assert utility["precision"] == pytest.approx(1 - mean)
    assert utility["entropy"] == pytest.approx(bits, abs=1e-6)
    assert len(result.suppressed_groups) == len(hierarchies)
    for place, hit in enumerate(result.suppressed_groups):
        groups: dict[Any, list[bool]] = {}
        for number, row in enumerate(rows):
            group = hierarchies[place][row[place]][hit.level]
            groups.setdefault(group, []).append(number in label_of)
        shown = {g: kept for g, kept in groups.items() if sum(kept) >= task.k}
        found = {g.label: (g.rows, g.suppressed_rows) for g in hit.groups}
        assert found == {g: (len(kept), kept.count(False)) for g, kept in shown.items()}
        assert hit.others == len(groups) - len(shown)
        assert hit.other_suppressed_rows == lost - sum(n for _, n in found.values())


@pytest.fixture
def many_rows(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it is true, rows are released as many are."""
    if request.param:
        monkeypatch.setattr(release_by_place, "_MANY_ROWS", 1)
        monkeypatch.setattr(release_by_place, "ROWS_EACH", 0)


@pytest.mark.sampled(0.5, by=("unit", "many_rows"))
@pytest.mark.parametrize("unit", [False, True])
@pytest.mark.parametrize("many_rows", [False, True], indirect=True)
@pytest.mark.usefixtures("many_rows")
def test_means_of_classes_that_passes_make(tiny_plan: TinyPlan, unit: bool) -> None:
    """One value a class in place of those of rows, whichever pass placed them."""
    choose = random.Random(3)
    rows = [(choose.choice("abcd"), choose.choice("uvw")) for _ in range(120)]
    people: list[Any] = [choose.choice("pqrstuvwxyz") for _ in rows]
    cost = [choose.randrange(100) for _ in rows]
    hierarchies = [tree("a x", "b x", "c y", "d y"), tree("u", "v", "w")]
    plan = tiny_plan(
        rows, hierarchies, labels=[f"{p}{c}" for p, c in zip(people, cost, strict=True)],
        privacy=[{"model": "k-anonymity", "k": 9}], suppression={"limit": 1}, method=AUTO,
    )  # fmt: skip
    query = "select a, b, label[1] as person, label[2:]::int as cost from read_csv('rows.csv')"
    plan["source"] = {"query": query}
    plan["columns"].pop("label")
    plan["columns"] |= {"cost": {"role": "insensitive", "publish": "mean"}, "person": "identifier"}
    if unit:
        plan["unit"] = {"column": "person", "count": "none"}
    sqlanon.run(plan)
    placed = oracle.passes(rows, hierarchies, 9, persons=people if unit else ())
    expected: Counter[Any] = Counter()
    for label, numbers in by_label(rows, hierarchies, placed).items():
        mean = Decimal(sum(cost[n] for n in numbers)) / len(numbers)
        expected[*label, mean.quantize(Decimal("0.01"), ROUND_HALF_UP)] += len(numbers)
    assert len(expected) > 3
    assert published() == expected


# --- what waiting tells


def test_waiting_tells_no_value(tiny_plan: TinyPlan) -> None:
    """One node publishes b1 only; passes that wait for values would publish that a1 have hiv.

    As sizes alone decide, nobody can conclude anything from what was not published.
    """
    rows = [("a1",), ("a1",), ("a2",), *[("b1",)] * 4]
    plan = tiny_plan(
        rows,
        [tree("a1 a", "a2 a", "b1 b")],
        labels=["hiv", "hiv", "flu", "flu", "hiv", "flu", "flu"],
        privacy=[{"model": "k-anonymity", "k": 2}, *PROMISES["distinct"]],
        suppression={"limit": 1},
        method={"name": "optimal", "passes": {"size": 2}},
    )
    plan["columns"]["label"] = "sensitive"
    sqlanon.run(plan)
    # of a1, a2 the class {a1, a1} is large enough: it is placed, fails by its values, and is lost
    assert published() == Counter({("b1", "flu"): 3, ("b1", "hiv"): 1})
    write_csv("people.csv", [("a",), *rows])
    attack = {"name": "minimality", "form": "algorithm"}
    (found,) = sqlanon.attack(
        "published.parquet", {**plan, "attacks": [attack]}, population="people.csv"
    )
    assert not found.tried
    assert "sizes alone decide" in (found.reason or "")


@pytest.mark.parametrize(
    "sizes",
    [
        {"a1": 2, "a2": 1, "b1": 4},
        {"a1": 2, "a2": 2, "b1": 2, "b2": 1},
        {"a1": 3, "a2": 1, "b1": 2},
    ],
    ids=str,
)
def test_nobody_is_certain_whoever_knows_the_method(sizes: dict[str, int]) -> None:
    """Of all tables that would be published alike, some differ in the value of each person; that
    rows are published as here is tested above."""
    rows = [(value,) for value, count in sizes.items() for _ in range(count)]
    hierarchies = [tree("a1 a", "a2 a", "b1 b", "b2 b")]
    classes = by_label(rows, hierarchies, oracle.passes(rows, hierarchies, 2))
    worlds: dict[Any, list[Sequence[str]]] = {}
    for values in itertools.product(("hiv", "flu", "cold"), repeat=len(rows)):
        found = {label: [values[n] for n in numbers] for label, numbers in classes.items()}
        seen = Counter((*k, v) for k, own in found.items() if len({*own}) >= 2 for v in own)
        worlds.setdefault(frozenset(seen.items()), []).append(values)
    assert len(worlds) > 1
    for alike in worlds.values():
        assert all(len({*values}) > 1 for values in zip(*alike, strict=True))


@pytest.mark.sampled(0.25, by=("lowest", "kind", "many_rows"))
@pytest.mark.parametrize("lowest", ["b1", "B"])
@pytest.mark.parametrize("kind", ["file", "query", "taxonomy"])
@pytest.mark.parametrize("many_rows", [False, True], indirect=True)
@pytest.mark.usefixtures("many_rows")
def test_the_top_is_one_label_for_all_whatever_level_another_pass_has(
    folder: Path, kind: str, lowest: str
) -> None:
    """Three rows are placed by a lower level, of values or of groups; the others have the top."""
    Path("tree.txt").write_text("*: A, B\nA: a1, a2\nB: b1, b2\n")
    Path("a.csv").write_text("a1,A,*\na2,A,*\nb1,B,*\nb2,B,*\n")
    rows = "read_csv('a.csv', header = false, all_varchar = true)"
    hierarchy = {"file": "a.csv", "taxonomy": {"taxonomy": "tree.txt"},
                 "query": {"query": f"select * from {rows}", "columns": 3}}[kind]  # fmt: skip
    first = [("b1" if lowest == "b1" else other, "n") for other in ("b1", "b1", "b2")]
    second = [("a1", "i"), ("b1", "i"), ("b1", "i")]
    write_csv("rows.csv", [("a", "b"), *first, *second])
    sqlanon.run({
        "source": "rows.csv", "privacy": [{"model": "k-anonymity", "k": 3}],
        "columns": {"a": {"role": "quasi-identifier", "hierarchy": hierarchy},
                    "b": "quasi-identifier"},
        "suppression": {"limit": 1}, "publish": "published.parquet", "method": AUTO,
    })  # fmt: skip
    assert published() == Counter({(lowest, "n"): 3, ("*", "i"): 3})


def test_equal_labels_of_two_passes_are_one_class(tiny_plan: TinyPlan) -> None:
    """A value and the label of a later pass may be called the same."""
    trees = [tree("a a", "a2 a", "a3 a", "b b", "c b")]
    privacy = [{"model": "k-anonymity", "k": 3}]
    rows = [("a",)] * 3 + [("a2",)] * 2 + [("a3",)]
    plan = tiny_plan(rows, trees, privacy=privacy, method=AUTO)
    found = solved(plan)
    assert [one.rows for one in found.passes] == [3, 3]
    assert found.classes == 1
    sqlanon.run(plan)
    assert published() == Counter({("a",): 6})
    assert found.cost == pytest.approx([3 / 5])  # readers see one label, of three of five values


# --- one pass is what there was


def test_one_pass_is_one_node(tiny_plan: TinyPlan) -> None:
    written = []
    for passes in ({}, {"passes": 1}):
        plan = tiny_plan(
            [("a",)] * 5 + [("b",), ("c",)], [tree("a x", "b x", "c y")],
            suppression={"limit": 0.5}, method={"name": "optimal", **passes},
        )  # fmt: skip
        sqlanon.run(plan, Options(overwrite=True))
        files = ["published.parquet", "published.solution.json", "target/published/release.sql"]
        written.append([Path(file).read_bytes() for file in files])
    assert written[0] == written[1]


# --- bad input


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"method": AUTO | {"passes": 0}}, "1 or more"),
        ({"method": AUTO | {"passes": 10_000}}, "100 or less"),
        ({"method": AUTO | {"passes": "all"}}, "passes"),
        ({"method": AUTO | {"passes": {"charge": {"from": 0}}}}, "above 0"),
        ({"method": AUTO | {"passes": {"charge": {"from": 1.5}}}}, "1 or less"),
        ({"method": AUTO | {"passes": {"charge": {"times": 1}}}}, "above 1"),
        ({"method": AUTO | {"passes": {"size": 1}}}, "2 or more"),
        ({"method": AUTO | {"passes": {"size": 2}}}, "`size` of 3 or more"),
        ({"method": AUTO | {"name": "mondrian"}}, "passes"),
        ({"method": AUTO | {"objective": "discernibility"}}, "loss"),
        ({"method": AUTO | {"passes": 2, "budget": {"nodes": 5}}}, "budget"),
        ({"suppression": {"limit": 0.1, "rows": "mask"}}, "masked"),
        ({"privacy": [{"model": "average-risk", "threshold": 0.3}]}, "average-risk is about all"),
        ({"privacy": [{"model": "marketer-risk", "threshold": 0.3}]}, "marketer-risk is about all"),
    ],
)
def test_what_passes_cannot_do(tiny_plan: TinyPlan, keys: dict[str, Any], words: str) -> None:
    usual = {"privacy": [{"model": "k-anonymity", "k": 3}], "method": AUTO}
    plan = tiny_plan([("v",)] * 6, [tree("v")], **{**usual, **keys})
    with pytest.raises(PlanError, match=words):
        load_plan(plan)


@pytest.mark.sampled(0.1)
@pytest.mark.parametrize("method", FULL_DOMAIN)
def test_an_unsolved_plan_is_not_compiled(tiny_plan: TinyPlan, method: str) -> None:
    plan = tiny_plan([("v",)] * 6, [tree("v")], method={"name": method, "passes": "auto"})
    with pytest.raises(PlanError, match="run `sqlanon solve` first"):
        sqlanon.compile(plan)


@pytest.mark.parametrize(
    ("model", "counted"),
    [
        ("k", "1 of 10 rows are left when no pass places more; 0 may be suppressed."),
        ("distinct", "6 of 10 rows are left when no pass places more; 0 may be suppressed. Of them,"
         " 5 are in classes that break a promise by their sensitive values: they are not searched"
         " again, as that would tell their values."),
    ],
)  # fmt: skip
def test_rows_that_are_left_are_counted(tiny_plan: TinyPlan, model: str, counted: str) -> None:
    """One row is of no class; the class of a has one disease, that of c two."""
    plan = tiny_plan(
        [("a",)] * 5 + [("b",)] + [("c",)] * 4, [tree("a", "b", "c")],
        labels=["flu"] * 8 + ["hiv"] * 2, suppression={"limit": 0.05},
        privacy=[{"model": "k-anonymity", "k": 3}, *PROMISES[model]],
        method={"name": "optimal", "passes": {"size": 3}},
    )  # fmt: skip
    plan["columns"]["label"] = "sensitive"
    with pytest.raises(NoSolutionError) as error:
        sqlanon.solve(plan)
    assert error.value.what == counted
