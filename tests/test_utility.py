"""The measures of a publication, as a reader of its rows would compute them."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import TinyPlan

import sqlanon

E = {"model": "k-e-anonymity", "attribute": "label", "k": 3, "e": 0}


@pytest.mark.parametrize(
    ("privacy", "divisor"),
    [
        ([E], 1),
        ([E, {"model": "k-anonymity", "k": 2}], 2),
        ([{"model": "alpha-k-anonymity", "attribute": "label", "alpha": 1, "k": 4}, E], 4),
        ([E, {"model": "l-diversity", "attribute": "label", "l": 3}], 1),
    ],
)
@pytest.mark.parametrize("method", ["optimal", "mondrian"])
def test_average_class_size_is_in_multiples_of_the_k_of_k_anonymity(
    privacy: list[dict[str, Any]], divisor: int, method: str, tiny_plan: TinyPlan
) -> None:
    """Two classes of six rows; the k of (k,e)-anonymity counts values."""
    rows = [(f"a{n % 2}",) for n in range(12)]
    plan = tiny_plan(
        rows,
        [{"a0": ("a0", "*"), "a1": ("a1", "*")}],
        labels=[str(n % 5) for n in range(12)],
        privacy=privacy,
        method=method,
    )
    plan["columns"]["label"] = "sensitive"
    utility = sqlanon.run(plan).manifest["utility"]
    assert utility["average_class_size"] == 6 / divisor
