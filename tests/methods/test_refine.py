"""Refined classes against brute force, and two runs that are known."""

from __future__ import annotations

import json
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
from sqlanon.families import release_by_place
from tests.conftest import AdultPlan, PlanMapping, TinyPlan
from tests.methods.test_methods import FULL_DOMAIN, Task, tasks, tree
from tests.methods.test_passes import published
from tests.oracles import passes as oracle
from tests.selection import examples

# --- runs that are known: "refine" in `passes.md` of the issue, a search outside of this package


@pytest.mark.parametrize(
    ("method", "loss", "classes", "lost"),
    [
        ({"passes": "auto", "refine": True}, 0.0648, 3644, 3),
        ({"refine": True}, 0.1237, 2698, 506),
    ],
)
def test_known_losses(
    adult_plan: AdultPlan, method: dict[str, Any], loss: float, classes: int, lost: int
) -> None:
    plan = adult_plan(suppression={"limit": 0.02}, method={"name": "optimal", **method})
    result = sqlanon.run(plan)
    solution = json.loads(Path("adult.solution.json").read_text())
    assert solution["cost"] == pytest.approx([loss], abs=5e-5)
    assert (solution["classes"], solution["suppressed_rows"]) == (classes, lost)
    assert result.manifest["utility"]["loss"] == pytest.approx(loss, abs=5e-5)
    rows = Counter(result.published.fetchall())
    assert (len(rows), min(rows.values())) == (classes, 5)


# --- brute force


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


@pytest.mark.sampled(0.1, by=("many", lambda case: (case["method"], case["passes"])))
@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize(
    ("method", "passes"), [*((name, "auto") for name in FULL_DOMAIN), ("optimal", 1)]
)
@examples(25)
@given(data=st.data())
def test_refined_passes_are_those_of_brute_force(
    tiny_plan: TinyPlan, method: str, passes: Any, many: bool, data: st.DataObject
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
    with pytest.MonkeyPatch.context() as patch:
        if many:
            patch.setattr(release_by_place, "_MANY_ROWS", 1)
            patch.setattr(release_by_place, "ROWS_EACH", 0)
        result = sqlanon.run(plan, Options(overwrite=True))
    expected = oracle.refined(task.rows, task.hierarchies, placed, task.k, **given_of)
    assert published() == Counter(label for label, numbers in expected for _ in numbers)
    assert result.manifest["solution"]["classes"] == len({label for label, _ in expected})
    assert all(finding.satisfied for finding in sqlanon.verify("published.parquet", plan))


TREES = [
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
        choose.choices([*each], k=150, weights=[9, 5, 3, 2, 1, 1][: len(each)]) for each in TREES
    ]
    rows: list[Any] = [*zip(*skewed, strict=True)]
    people: list[Any] = [f"n{choose.randrange(14)}" for _ in rows]
    method = {"name": "optimal", "passes": passes, "refine": refine}
    plan = tiny_plan(
        rows, TREES, labels=people, privacy=[{"model": "k-anonymity", "k": 4}],
        suppression={"limit": 1 if passes == "auto" else 0.1}, method=method,
    )  # fmt: skip
    plan["columns"]["label"] = "identifier"
    plan["unit"] = {"column": "label", "count": "none"}
    if passes == "auto":
        placed = oracle.passes(rows, TREES, 4, persons=people)
    else:
        placed = one_node(plan, Task(rows, TREES, 4, "0.1", masked=False), people)
    expected = Counter(
        oracle.labels_of(rows[number], TREES, one.node) for one in placed for number in one.rows
    )
    if refine:
        refined = oracle.refined(rows, TREES, placed, 4, persons=people)
        found = Counter(label for label, numbers in refined for _ in numbers)
        assert passes == "auto" or found != expected
        expected = found
    sqlanon.run(plan, Options(overwrite=True))
    assert published() == expected


REFINED = {"name": "optimal", "refine": True}


def test_a_locked_run_publishes_the_refined_classes(tiny_plan: TinyPlan) -> None:
    """By its solution, which fits no other program, and as long as nobody edits it."""
    plan = tiny_plan(
        [("a",)] * 4 + [("b",)] * 2 + [("c",)] * 3 + [("d",)] * 3,
        [tree("a x o", "b x o", "c y o", "d y o")],
        privacy=[{"model": "k-anonymity", "k": 3}],
        method=REFINED | {"name": "samarati"},
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


def test_refining_needs_promises_that_read_no_values(tiny_plan: TinyPlan) -> None:
    plan = tiny_plan([("a",)] * 4, [tree("a x")], labels=["p", "q"] * 2, method=REFINED)
    plan["columns"]["label"] = "sensitive"
    plan["privacy"] = [{"model": "l-diversity", "l": 2, "kind": "distinct", "attribute": "label"}]
    with pytest.raises(PlanError, match="reads values"):
        sqlanon.solve(plan)
