"""Passes and refined classes against brute force, which looks at every node, and known runs."""

from __future__ import annotations

import itertools
import json
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
from sqlanon import NoSolutionError, Options, PlanError, RunResult
from sqlanon.families import release_by_place
from sqlanon.families.solution import PassesSolution
from tests.conftest import AdultPlan, PlanMapping, TinyPlan
from tests.methods.test_methods import FULL_DOMAIN, Task, tasks, tree
from tests.oracles import full_domain
from tests.oracles import passes as oracle
from tests.oracles.full_domain import hierarchy_heights
from tests.plan.plans import plan_of
from tests.selection import examples
from tests.support.tables import write_csv


def published(path: str = "published.parquet") -> Counter[tuple[Any, ...]]:
    return Counter(duckdb.execute(f"from '{path}'").fetchall())


def solved(plan: PlanMapping) -> PassesSolution:
    solution = sqlanon.solve(plan)
    assert isinstance(solution, PassesSolution)
    return solution


AUTO = {"name": "optimal", "passes": "auto"}


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
"""Adult, nine quasi-identifiers, k = 5: nodes, rows and mean losses of an exact search in C++.

Its last node is (1, 3, 1, 2, 3, 2, 1, 2, 0), of the same rows and loss, and higher by a level.
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


def test_a_charge_below_every_loss_is_one_question(tiny_plan: TinyPlan) -> None:
    """All 8 nodes above the lowest one place rows, but none at such a loss."""
    trees = [tree("a1 a", "a2 a", "b1 b", "b2 b")] * 2
    method = {"name": "optimal", "passes": {"charge": {"from": 0.001, "times": 1000}}}
    solved(tiny_plan([*itertools.product(*trees)], trees, method=method))
    (searched,) = Path("target").glob("*/search.sql")
    assert searched.read_text().count("and 0.001 for a row that waits") == 1
    # at their first label, two rows lose 2 of 12 leaves, and each of the others 5
    others = [f"{name}{number} {name} other" for name in "bc" for number in range(5)]
    method = {"name": "optimal", "passes": {"charge": {"from": 0.3, "times": 3}}}
    rows = [("a1",), ("a2",), ("b1",), ("c1",)]
    found = solved(tiny_plan(rows, [tree("a1 a a", "a2 a a", *others)], method=method)).passes
    assert [(one.charge, one.rows) for one in found] == [(0.3, 2), (0.9, 2)]
    assert [one.loss for one in found] == pytest.approx([2 / 12, 10 / 12])


@pytest.mark.sampled(0.15, by=(lambda case: case["lost"] > 0, lambda case: [*case["method"]]))
@pytest.mark.parametrize(
    ("method", "k", "loss", "lost", "classes"),
    [
        ({"passes": "auto"}, 2, 0.0409, 0, None),
        ({"passes": "auto"}, 10, 0.1047, 0, None),
        ({"passes": "auto"}, 25, 0.1478, 14, None),
        ({"passes": "auto"}, 100, 0.2334, 0, None),
        ({"passes": "auto", "refine": True}, 5, 0.0648, 3, 3644),
        ({"refine": True}, 5, 0.1237, 506, 2698),
    ],
)
def test_known_losses(
    adult_plan: AdultPlan, method: PlanMapping, k: int, loss: float, lost: int, classes: int | None
) -> None:
    plan = adult_plan(
        privacy=[{"model": "k-anonymity", "k": k}], suppression={"limit": 0.02},
        method={"name": "optimal", **method},
    )  # fmt: skip
    if classes is None:
        found = solved(plan)
        assert found.cost == pytest.approx([loss], abs=5e-5)
        assert found.suppressed_rows == lost
        return
    result = sqlanon.run(plan)
    solution = json.loads(Path("adult.solution.json").read_text())
    assert solution["cost"] == pytest.approx([loss], abs=5e-5)
    assert (solution["classes"], solution["suppressed_rows"]) == (classes, lost)
    assert result.manifest["utility"]["loss"] == pytest.approx(loss, abs=5e-5)
    rows = Counter(result.published.fetchall())
    assert (len(rows), min(rows.values())) == (classes, k)


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
    if model == "k":
        check_measures(result, task, placed)


def check_measures(result: RunResult, task: Task, placed: Sequence[oracle.Placed]) -> None:
    """A label of several levels counts with the highest, a suppressed cell as all values."""
    rows, hierarchies = task.rows, task.hierarchies
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


def test_no_pass_has_what_is_left_out(tiny_plan: TinyPlan, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a value, or not drawn: classes are those of the other rows, as in their table."""
    monkeypatch.setenv("SQLANON_PSEUDONYM_KEY", "a key of the tests, long enough to be one")
    rows, labels = [("a1",)] * 3 + [("a2",)] * 2 + [("b1",)] * 2, ["flu", None, "hiv", *"xyzz"]
    given = {"suppression": {"limit": 1}, "method": AUTO}
    found = []
    for table, written, others in (
        (rows, labels, {"missing": "drop-rows"}),
        ([rows[0], *rows[2:]], ["flu", "hiv", *"xyzz"], {}),
        ([rows[0], *rows[2:]], ["flu", "hiv", *"xyzz"], {"sample": {"share": 0.999999999}}),
    ):
        plan = tiny_plan(table, [tree("a1 a", "a2 a", "b1 b")], labels=written, **given, **others)
        plan["columns"]["label"] = "sensitive"
        sqlanon.run(plan, Options(overwrite=True))
        found.append(published())
    assert found == [found[0]] * 3
    assert found[0]["a1", "flu"] == 1


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
    columns = {"a": {"role": "quasi-identifier", "hierarchy": hierarchy}, "b": "quasi-identifier"}
    plan = plan_of(columns, "rows.csv", privacy=[{"model": "k-anonymity", "k": 3}], method=AUTO)
    sqlanon.run(plan | {"suppression": {"limit": 1}})
    assert published("out.parquet") == Counter({(lowest, "n"): 3, ("*", "i"): 3})


@pytest.mark.usefixtures("folder")
def test_equal_labels_of_two_passes_are_one_class(tiny_plan: TinyPlan) -> None:
    """A value and the label of a later pass may be called the same."""
    trees = [tree("a a", "a2 a", "a3 a", "b b", "c b")]
    privacy = [{"model": "k-anonymity", "k": 3}]
    rows = [("a",)] * 3 + [("a2",)] * 2 + [("a3",)]
    plan = tiny_plan(rows, trees, privacy=privacy, method=AUTO)
    with pytest.raises(PlanError, match="run `sqlanon solve` first"):
        sqlanon.compile(plan)
    found = solved(plan)
    assert [one.rows for one in found.passes] == [3, 3]
    assert found.classes == 1
    sqlanon.run(plan)
    assert published() == Counter({("a",): 6})
    assert found.cost == pytest.approx([3 / 5])  # readers see one label, of three of five values


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


# --- persons of a population

TREES = [tree("a1 a", "a2 a", "b1 b", "b2 b")]


def placed(
    population: Sequence[Any], hierarchies: full_domain.Hierarchies, k: int, **keys: Any
) -> dict[Any, full_domain.Row]:
    """The labels of the persons of a population: of passes over its rows, by brute force."""
    return {
        population[number]: oracle.labels_of(population[number], hierarchies, one.node)
        for one in oracle.passes(population, hierarchies, k, **keys)
        for number in one.rows
    }


def with_population(plan: PlanMapping, population: Sequence[Any], k: int) -> PlanMapping:
    """The plan with this population, and the promise of k persons of it."""
    write_csv("people.csv", [[name for name in plan["columns"] if name != "label"], *population])
    people = {"path": "people.csv", "delimiter": ","}
    return {**plan, "population": people, "privacy": [{"model": "k-map", "k": k}]}


def planned(
    tiny_plan: TinyPlan, rows: Sequence[str], population: Sequence[str], **keys: Any
) -> PlanMapping:
    """A plan over one column, for these values of rows and of persons; k = 2."""
    plan = tiny_plan([(value,) for value in rows], TREES, **{"method": AUTO, **keys})
    return with_population(plan, [(value,) for value in population], 2)


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
    population: list[full_domain.Row] = list(zip(*drawn, strict=True))
    found = set()
    for rows in (population[:1], population[9:]):
        keys: PlanMapping = {"suppression": {"limit": 1}, "method": AUTO | {"name": method}}
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
    those who are placed before, then some tables would publish rows of fewer persons.
    """
    choose = random.Random(0)
    tables_with_too_few = {True: 0, False: 0}
    for _ in range(30):
        population: list[full_domain.Row] = [(choose.choice([*TREES[0]]),) for _ in range(6)]
        label_of = placed(population, TREES, 2)
        nodes = [one.node for one in oracle.passes(population, TREES, 2)]
        counted_all: dict[Any, full_domain.Row] = {}
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
                persons = [
                    {n for t in tables for n in t if every.get(population[n]) == label}
                    for label, _ in publication
                ]
                if any(len(every_one) < 2 for every_one in persons):
                    tables_with_too_few[is_counted_all] += len(tables)
    assert tables_with_too_few == {True: 64, False: 0}  # of 30 * 63, as the page says


def test_a_person_who_alone_waits_is_not_published(tiny_plan: TinyPlan) -> None:
    """Three persons fit the label `a`, but whoever is published with it cannot be one of two."""
    population = ["a1", "a1", "a2", "b1", "b2"]
    plan = planned(tiny_plan, ["a2", "b1"], population, suppression={"limit": 0.5})
    sqlanon.run(plan)
    assert published() == Counter({("b",): 1})
    Path("other.csv").write_text("a\na\nb\n")  # by another tool, which counts all three
    (finding,) = sqlanon.verify("other.csv", plan, manifest=False)
    assert (finding.measured, finding.failing_classes) == (0, 1)


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


def test_without_its_solution_a_publication_is_not_verified(tiny_plan: TinyPlan) -> None:
    """By it a locked run publishes the same; the labels do not show who was placed before."""
    plan = planned(tiny_plan, ["a1", "b1"], ["a1", "a2", "b1", "b1"])
    plan["method"] = AUTO | {"name": "samarati"}
    sqlanon.run(plan)
    first = Path("published.parquet").read_bytes()
    sqlanon.run(plan, Options(overwrite=True, locked=True))
    assert Path("published.parquet").read_bytes() == first
    assert sqlanon.risk("published.parquet", plan).value("highest journalist risk") == 1 / 2
    (solution,) = Path().glob("*.solution.json")
    solution.unlink()
    for command in (sqlanon.verify, sqlanon.risk):
        with pytest.raises(PlanError, match="own solution next to the plan"):
            command("published.parquet", plan)


# --- refined classes


def one_node(plan: PlanMapping, task: Task, people: Sequence[Any]) -> list[oracle.Placed]:
    """The rows that are published without `refine`, with the node that is found; none if none."""
    try:
        solution = sqlanon.solve({**plan, "method": "optimal"})
    except NoSolutionError:
        return []
    node = tuple(solution.as_json()["node"].values())
    classes: dict[Any, list[int]] = {}
    for number, row in enumerate(task.rows):
        classes.setdefault(oracle.labels_of(row, task.hierarchies, node), []).append(number)
    held = [own for own in classes.values() if len({people[n] for n in own}) >= task.k]
    return [oracle.Placed(node, [n for own in held for n in own], 0)]


@pytest.mark.sampled(0.1, by=("many_rows", lambda case: (case["method"], case["passes"])))
@pytest.mark.parametrize("many_rows", [False, True], indirect=True)
@pytest.mark.usefixtures("many_rows")
@pytest.mark.parametrize(
    ("method", "passes"), [*((name, "auto") for name in FULL_DOMAIN), ("optimal", 1)]
)
@examples(25)
@given(data=st.data())
def test_refined_passes_are_those_of_brute_force(
    tiny_plan: TinyPlan, method: str, passes: Any, data: st.DataObject
) -> None:
    """Also of a single node, which is the one that is published without `refine`."""
    task = data.draw(tasks(limits=["1"] if passes == "auto" else ["0", "0.3"]))
    people: list[Any] = [data.draw(st.sampled_from("stuvwxyz")) for _ in task.rows]
    has_persons = data.draw(st.booleans())
    task = replace(task, masked=False, labels=people)
    plan = task.plan(tiny_plan, name=method, passes=passes, refine=True)
    plan["columns"]["label"] = "identifier"
    if has_persons:
        plan["unit"] = {"column": "label", "count": "none"}
    given_of: dict[str, Any] = {"weights": task.weights, "persons": people if has_persons else ()}
    if passes == "auto":
        placed = oracle.passes(task.rows, task.hierarchies, task.k, method=method, **given_of)
    else:
        placed = one_node(plan, task, people if has_persons else range(len(task.rows)))
    if not placed:
        with pytest.raises(NoSolutionError):
            sqlanon.run(plan, Options(overwrite=True))
        return
    result = sqlanon.run(plan, Options(overwrite=True))
    expected = oracle.refined(task.rows, task.hierarchies, placed, task.k, **given_of)
    assert published() == Counter(label for label, numbers in expected for _ in numbers)
    assert result.manifest["solution"]["classes"] == len({label for label, _ in expected})
    assert all(finding.satisfied for finding in sqlanon.verify("published.parquet", plan))


SKEWED = [
    tree("a ab", "b ab", "c cd", "d cd"),
    tree("p pq l", "q pq l", "r rs l", "s rs l", "t tu m", "u tu m"),
    tree("v v1 vw", "w w1 vw", "x xy y", "y xy y", "z z1 y"),
]


@pytest.mark.sampled(0.1, by=("passes", "refine", lambda case: case["seed"] + case["refine"] == 1))
@pytest.mark.parametrize("refine", [False, True])
@pytest.mark.parametrize("passes", ["auto", 1])
@pytest.mark.parametrize("seed", [0, 4, 6, 7])
def test_persons_of_a_larger_table(
    tiny_plan: TinyPlan, seed: int, passes: Any, refine: bool
) -> None:
    """Several rounds, classes that are placed in any pass, and persons with rows in several."""
    choose = random.Random(seed)
    skewed = [
        choose.choices([*each], k=150, weights=[9, 5, 3, 2, 1, 1][: len(each)]) for each in SKEWED
    ]
    rows: list[Any] = [*zip(*skewed, strict=True)]
    people: list[Any] = [f"n{choose.randrange(14)}" for _ in rows]
    method = {"name": "optimal", "passes": passes, "refine": refine}
    plan = tiny_plan(
        rows, SKEWED, labels=people, privacy=[{"model": "k-anonymity", "k": 4}],
        suppression={"limit": 1 if passes == "auto" else 0.1}, method=method,
    )  # fmt: skip
    plan["columns"]["label"] = "identifier"
    plan["unit"] = {"column": "label", "count": "none"}
    if passes == "auto":
        placed = oracle.passes(rows, SKEWED, 4, persons=people)
    else:
        placed = one_node(plan, Task(rows, SKEWED, 4, "0.1", masked=False), people)
    expected = Counter(
        oracle.labels_of(rows[number], SKEWED, one.node) for one in placed for number in one.rows
    )
    if refine:
        refined = oracle.refined(rows, SKEWED, placed, 4, persons=people)
        found = Counter(label for label, numbers in refined for _ in numbers)
        assert passes == "auto" or found != expected
        expected = found
    sqlanon.run(plan, Options(overwrite=True))
    assert published() == expected


def test_a_locked_run_publishes_the_refined_classes(tiny_plan: TinyPlan) -> None:
    """By its solution, which fits no other program, and as long as nobody edits it."""
    plan = tiny_plan(
        [("a",)] * 4 + [("b",)] * 2 + [("c",)] * 3 + [("d",)] * 3,
        [tree("a x o", "b x o", "c y o", "d y o")],
        privacy=[{"model": "k-anonymity", "k": 3}],
        method={"name": "samarati", "refine": True},
    )
    sqlanon.run(plan)
    first = Path("published.parquet").read_bytes()
    assert published() == Counter({("x",): 6, ("c",): 3, ("d",): 3})
    locked = Options(overwrite=True, locked=True)
    sqlanon.run(plan, locked)
    assert Path("published.parquet").read_bytes() == first
    with pytest.raises(PlanError, match="leave out `refine`"):
        sqlanon.compile(plan, dialect="snowflake")
    (file,) = Path().glob("*.solution.json")
    content = json.loads(file.read_text())
    for edit in ({"rounds": 10**9}, {"rounds": -1}, {"masks": {"a": [1]}}, {"rounds": None}):
        file.write_text(json.dumps({**content, **edit}))
        with pytest.raises(PlanError, match=r"edited|solve` again|another version"):
            sqlanon.run(plan, locked)
    Path("dbt_project.yml").write_text("{name: p, profile: p}")
    Path("models").mkdir()
    Path("models/rows.sql").write_text("select 1 as a")
    with pytest.raises(PlanError, match="dbt cannot have refined classes"):
        sqlanon.dbt_export({**plan, "source": "rows.csv"}, Path(), dialect="duckdb")


PEOPLE = {"population": {"path": "people.csv", "delimiter": ","}}
K_MAP = {"privacy": [{"model": "k-map", "k": 4}]}
DIVERSE = {"privacy": [{"model": "l-diversity", "l": 2, "kind": "distinct", "attribute": "label"}]}
REFUSED: list[tuple[Any, PlanMapping, str]] = [
    (0, {}, "1 or more"),
    (10_000, {}, "100 or less"),
    ("all", {}, "passes"),
    ({"charge": {"from": 0}}, {}, "above 0"),
    ({"charge": {"from": 1.5}}, {}, "1 or less"),
    ({"charge": {"times": 1}}, {}, "above 1"),
    ({"size": 1}, {}, "2 or more"),
    ({"size": 2}, {}, "`size` of 3 or more"),
    ("auto", {"method": {"name": "mondrian"}}, "passes"),
    ("auto", {"method": {"objective": "discernibility"}}, "loss"),
    (2, {"method": {"budget": {"nodes": 5}}}, "budget"),
    ("auto", {"suppression": {"limit": 0.1, "rows": "mask"}}, "masked"),
    ("auto", {"privacy": [{"model": "average-risk", "threshold": 0.3}]}, "is about all"),
    ("auto", PEOPLE | {"privacy": [{"model": "marketer-risk", "threshold": 0.3}]}, "is about all"),
    ("auto", PEOPLE | {"privacy": [{"model": "delta-presence", "dmin": 0, "dmax": 0.9}]},
     "leave some of them"),
    ("auto", PEOPLE, "No promise says how many persons"),
    ({"size": 3}, PEOPLE | K_MAP, "`size` of 4 or more"),
    ("auto", PEOPLE | K_MAP | {"method": {"refine": True}}, "leave out `refine`"),
    ("auto", PEOPLE | K_MAP | {"missing": "drop-rows"}, "1 .* of the population lack a value"),
    (1, DIVERSE | {"method": {"refine": True}}, "reads values"),
]  # fmt: skip


@pytest.mark.parametrize(("passes", "keys", "words"), REFUSED)
def test_what_passes_cannot_do(
    tiny_plan: TinyPlan, passes: Any, keys: PlanMapping, words: str
) -> None:
    write_csv("people.csv", [("a",), *[("v",)] * 6, ("",)])
    method = {"name": "optimal", "passes": passes, **keys.get("method", {})}
    usual = {"labels": ["p", "q"] * 3, "privacy": [{"model": "k-anonymity", "k": 3}]}
    plan = tiny_plan([("v",)] * 6, [tree("v")], **{**usual, **keys, "method": method})
    plan["columns"]["label"] = "sensitive"
    with pytest.raises(PlanError, match=words):
        sqlanon.solve(plan)


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
