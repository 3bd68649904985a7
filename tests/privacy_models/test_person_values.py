"""Sensitive values of persons with several rows: shares are of persons, not of pairs.

Where classes share persons, a union of classes that hold a promise may break it, and the other way
round; no search may rely on it.
"""

from __future__ import annotations

import pytest

import sqlanon
from sqlanon import NoSolutionError
from tests.privacy_models.test_promises import (
    FULL_DOMAIN,
    Model,
    Row,
    Task,
    check_search,
    published,
)

CUTTING = ("mondrian", "dimension-splitting")
EACH_VALUE: list[Model] = [
    {"model": "l-diversity", "l": 2},
    {"model": "l-diversity", "kind": "frequency", "l": 2},
    {"model": "alpha-k-anonymity", "alpha": 0.5, "k": 2},
]


def titled(model: Model) -> str:
    return " ".join(map(str, model.values()))


HIV = [
    Row(("v0", "x0"), value, "same", f"p{n}")
    for n, own in enumerate(["1", "2", "3.5", "10"])
    for value in ("hiv", own)
]
"""Four persons, each with two rows, one of them of `hiv`, which all of them have."""


def crowd(*rows: tuple[str, str, str]) -> list[Row]:
    """Rows of (a, s, person)."""
    return [Row((a, "x0"), s, person=person) for a, s, person in rows]


def task_of(rows: list[Row], *models: Model) -> Task:
    return Task(rows, [{"attribute": "s", **model} for model in models], unit=True)


CROSSED = crowd(("v0", "1", "p"), ("v0", "2", "q"), ("v1", "2", "p"), ("v1", "1", "q"))
"""Two classes of two persons and two values; in the union both persons have both."""


@pytest.mark.sampled(0.1, by=("model", "method"))
@pytest.mark.parametrize("model", [*EACH_VALUE, {"model": "l-diversity", "l": 3}], ids=titled)
@pytest.mark.parametrize("method", ["optimal", "mondrian"])
def test_a_value_that_all_persons_have(model: Model, method: str) -> None:
    """By pairs of a person and a value, `hiv` would have a share of one half."""
    plan = task_of(HIV, model).plan(method=method)
    plan["columns"]["s"] = "sensitive"
    with pytest.raises(NoSolutionError, match=r"(diversity|share)( of 's')? is 1[,.]"):
        sqlanon.run(plan)


def test_in_joint_mode_shares_are_of_the_persons_of_a_part() -> None:
    """All have `hiv` and the same other value, by which the class is not divided."""
    model = {"model": "l-diversity", "kind": "frequency", "l": 2, "mode": "joint"}
    plan = task_of(HIV, model).plan()
    plan["columns"] |= {"s": "sensitive", "o": "sensitive"}
    with pytest.raises(NoSolutionError, match=r"diversity is 1[,.]"):
        sqlanon.run(plan)


def test_the_same_persons_hold_weaker_promises() -> None:
    """All have `hiv`, in the class as in the table, and three of four lack each other value."""
    models: list[Model] = [
        {"model": "beta-likeness", "beta": 0.001},
        {"model": "delta-disclosure", "delta": 0.001},
        {"model": "l-diversity", "l": 1},
        {"model": "alpha-k-anonymity", "alpha": 0.25, "k": 4, "values": ["1", "2", "10"]},
    ]
    plan = task_of(HIV, *models).plan()
    plan["columns"]["s"] = "sensitive"
    assert [entry["satisfied"] for entry in sqlanon.run(plan).manifest["privacy"]] == [True] * 4


@pytest.mark.sampled(0.1)
@pytest.mark.parametrize("model", EACH_VALUE, ids=titled)
@pytest.mark.parametrize("method", [*FULL_DOMAIN, *CUTTING])
def test_classes_hold_whose_union_fails(model: Model, method: str) -> None:
    """One class of all rows breaks the promise, which proves nothing of finer classes."""
    plan = task_of(CROSSED, model).plan(method=method)
    assert sqlanon.run(plan).manifest["rows"]["suppressed"] == 0
    assert {(row[0], row[-1]) for row in published()} == {("v0", 2), ("v1", 2)}
    plan["columns"]["a"] = "identifier"
    with pytest.raises(NoSolutionError):
        sqlanon.run(plan)


def test_a_union_fails_though_persons_have_one_value() -> None:
    """{1 x, 2 y} and {1 x, 3 y}: in the union two of three persons have y."""
    rows = crowd(("v0", "1", "p"), ("v0", "2", "q"), ("v1", "1", "p"), ("v1", "2", "r"))
    check_search(task_of(rows, {"model": "l-diversity", "kind": "frequency", "l": 2}), ("0",))


def test_an_average_that_grows_on_the_way_up() -> None:
    """3 classes of 21 persons, counted in each; but 2 of 11 where the two large ones are one."""
    rows = crowd(*((place, "1", f"p{n}") for place in ("v0", "v1") for n in range(10)))
    rows += crowd(("v4", "1", "q"))
    check_search(Task(rows, [{"model": "average-risk", "threshold": 0.15}], unit=True), ("0",))


# --- models that need one value a person

ONE_VALUE: list[Model] = [
    {"model": "l-diversity", "kind": "entropy", "l": 1},
    {"model": "l-diversity", "kind": "recursive", "l": 2, "c": 100},
    {"model": "t-closeness", "t": 1},
    {"model": "k-e-anonymity", "k": 2, "e": 0},
]


@pytest.mark.sampled(0.1, by=("model", "method"))
@pytest.mark.parametrize("model", ONE_VALUE, ids=titled)
@pytest.mark.parametrize("method", ["optimal", "mondrian"])
def test_one_value_a_person_is_asked_for(model: Model, method: str) -> None:
    """Two of three classes have a person of two values, however fine they are: seven of 8 rows."""
    two_valued = [("v0", "p"), ("v0", "q"), ("v1", "r")]
    rows = crowd(*((place, value, who) for place, who in two_valued for value in "12"))
    rows += crowd(("v1", "1", "s"), ("v4", "1", "t"))
    plan = task_of(rows, model).plan(method=method)
    plan["suppression"] = {"limit": 0.75 if method == "optimal" else 0}
    with pytest.raises(NoSolutionError, match=r"In 2 class.*however fine") as found:
        sqlanon.run(plan)
    assert found.value.where == "privacy[0]"
    assert "frequency l-diversity" in str(found.value)


@pytest.mark.parametrize("model", ONE_VALUE, ids=titled)
def test_one_value_a_person_in_classes(model: Model) -> None:
    """Persons have one value in each of two classes; only the table, or their union, has two."""
    plan = task_of(CROSSED, model).plan()
    if model["model"] == "t-closeness":
        with pytest.raises(NoSolutionError, match="with the table, where 2 person"):
            sqlanon.run(plan)
        return
    assert sqlanon.run(plan).manifest["solution"]["node"]["a"] == 0
    rows = [*CROSSED, *crowd(("v2", "1", "p"), ("v0", "1", "r"), ("v1", "1", "r"))]
    plan = task_of(rows, model).plan()
    plan["privacy"].append({"model": "k-anonymity", "k": 2})
    with pytest.raises(NoSolutionError, match=r"2 person\(s\) of the table have several"):
        sqlanon.run(plan)
