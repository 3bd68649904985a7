"""Sensitive values of persons with several rows: shares are of persons, not of pairs.

Where classes share persons, a union of classes that hold a promise may break it, and the other way
round; no search may rely on it.
"""

from __future__ import annotations

import duckdb
import pytest

import sqlanon
from sqlanon import NoSolutionError
from sqlanon.privacy_models import PRIVACY_MODELS
from tests.oracles.models import KNOWN
from tests.privacy_models.test_promises import (
    FULL_DOMAIN,
    Model,
    Row,
    Task,
    check_search,
)

CUTTING = ("mondrian", "dimension-splitting")
EACH_VALUE: list[Model] = [
    {"model": "l-diversity", "l": 2},
    {"model": "l-diversity", "kind": "frequency", "l": 2},
    {"model": "alpha-k-anonymity", "alpha": 0.5, "k": 2},
]


def of(model: Model) -> Model:
    return {"attribute": "s", **model}


def titled(model: Model) -> str:
    return " ".join(map(str, model.values()))


# --- the smallest examples

HIV = [
    Row(("v0", "x0"), value, "same", f"p{n}")
    for n, own in enumerate(["1", "2", "3.5", "10"])
    for value in ("hiv", own)
]
"""Four persons, each with two rows, one of them of `hiv`, which all of them have."""


def crowd(*rows: tuple[str, str, str]) -> list[Row]:
    """Rows of (a, s, person)."""
    return [Row((a, "x0"), s, person=person) for a, s, person in rows]


CROSSED = crowd(("v0", "1", "p"), ("v0", "2", "q"), ("v1", "2", "p"), ("v1", "1", "q"))
"""Two classes of two persons and two values; in the union both persons have both."""


@pytest.mark.sampled(0.1, by=("model", "method"))
@pytest.mark.parametrize("model", [*EACH_VALUE, {"model": "l-diversity", "l": 3}], ids=titled)
@pytest.mark.parametrize("method", ["optimal", "mondrian"])
def test_a_value_that_all_persons_have(model: Model, method: str) -> None:
    """By pairs of a person and a value, `hiv` would have a share of one half."""
    task = Task(HIV, [of(model)], unit=True)
    plan = task.plan(method=method)
    plan["columns"]["s"] = "sensitive"
    with pytest.raises(NoSolutionError, match=r"(diversity|share)( of 's')? is 1[,.]"):
        sqlanon.run(plan)


def test_in_joint_mode_shares_are_of_the_persons_of_a_part() -> None:
    """All have `hiv` and the same other value, by which the class is not divided."""
    model = {"model": "l-diversity", "kind": "frequency", "l": 2, "mode": "joint"}
    plan = Task(HIV, [of(model)], unit=True).plan()
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
    plan = Task(HIV, list(map(of, models)), unit=True).plan()
    plan["columns"]["s"] = "sensitive"
    assert [entry["satisfied"] for entry in sqlanon.run(plan).manifest["privacy"]] == [True] * 4


@pytest.mark.sampled(0.1)
@pytest.mark.parametrize("model", EACH_VALUE, ids=titled)
@pytest.mark.parametrize("method", [*FULL_DOMAIN, *CUTTING])
def test_classes_hold_whose_union_fails(model: Model, method: str) -> None:
    """One class of all rows breaks the promise, which proves nothing of finer classes."""
    task = Task(CROSSED, [of(model)], unit=True)
    assert sqlanon.run(task.plan(method=method)).manifest["rows"]["suppressed"] == 0
    with duckdb.connect() as connection:
        rows = connection.execute("select a, s, persons from 'published.parquet'").fetchall()
    assert {a for a, _, _ in rows} == {"v0", "v1"}
    assert {persons for _, _, persons in rows} == {2}
    plan = task.plan(method=method)
    plan["columns"]["a"] = "identifier"
    with pytest.raises(NoSolutionError):
        sqlanon.run(plan)


@pytest.mark.parametrize(
    "model",
    [
        {"model": "l-diversity", "kind": "frequency", "l": 2},
        {"model": "beta-likeness", "beta": 1},
    ],
    ids=titled,
)
def test_a_union_fails_though_persons_have_one_value(model: Model) -> None:
    """{1 x, 2 y} and {1 x, 3 y}: in the union two of three persons have y."""
    rows = crowd(("v0", "1", "p"), ("v0", "2", "q"), ("v1", "1", "p"), ("v1", "2", "r"))
    if model["model"] == "beta-likeness":
        others = [*(f"{n % 2 + 1}" for n in range(10)), *["10"] * 10]
        rows += [Row(("v4", "x5"), value, person=f"o{n}") for n, value in enumerate(others)]
    check_search(Task(rows, [of(model)], unit=True), limits=("0",))


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


def test_which_models_need_one_value_is_known() -> None:
    needing = {
        model["model"]
        for model in ONE_VALUE
        if KNOWN[model["model"]].cls.model_validate(of(model)).needs_one_value
    }
    shown = {
        cls.model_validate({"attribute": "s", **form}).model
        for cls in PRIVACY_MODELS
        if "attribute" in cls.model_fields
        for form in cls.reference_bounds
        if cls.model_validate({"attribute": "s", **form}).needs_one_value
    }
    assert needing == shown == {model["model"] for model in ONE_VALUE}


@pytest.mark.sampled(0.1, by=("model", "method"))
@pytest.mark.parametrize("model", ONE_VALUE, ids=titled)
@pytest.mark.parametrize("method", ["optimal", "mondrian"])
def test_one_value_a_person_is_asked_for(model: Model, method: str) -> None:
    """Two of three classes have a person of two values, however fine they are: seven of 8 rows."""
    two_valued = [("v0", "p"), ("v0", "q"), ("v1", "r")]
    rows = crowd(*((place, value, who) for place, who in two_valued for value in "12"))
    rows += crowd(("v1", "1", "s"), ("v4", "1", "t"))
    task = Task(rows, [of(model)], unit=True)
    plan = task.plan(method=method)
    plan["suppression"] = {"limit": 0.75 if method == "optimal" else 0}
    with pytest.raises(NoSolutionError, match=r"In 2 class.*however fine") as found:
        sqlanon.run(plan)
    assert found.value.where == "privacy[0]"
    assert "frequency l-diversity" in str(found.value)


@pytest.mark.parametrize("model", ONE_VALUE, ids=titled)
def test_one_value_a_person_in_classes(model: Model) -> None:
    """Persons have one value in each of two classes; only the table, or their union, has two."""
    task = Task(CROSSED, [of(model)], unit=True)
    if model["model"] == "t-closeness":
        with pytest.raises(NoSolutionError, match="with the table, where 2 person"):
            sqlanon.run(task.plan())
        return
    assert sqlanon.run(task.plan()).manifest["solution"]["node"]["a"] == 0
    rows = [*CROSSED, *crowd(("v2", "1", "p"), ("v0", "1", "r"), ("v1", "1", "r"))]
    task = Task(rows, [of(model), {"model": "k-anonymity", "k": 2}], unit=True)
    with pytest.raises(NoSolutionError, match=r"2 person\(s\) of the table have several"):
        sqlanon.run(task.plan())
