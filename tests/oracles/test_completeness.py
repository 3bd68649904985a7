"""Whatever a plan can name has a brute force; a test names the file that lacks what was added.

The tests that compare with brute force are parametrized by dictionaries of the tests' own. What a
registry of the package offers and such a dictionary lacks would be tried by no test.
"""

from __future__ import annotations

import random
import typing
from collections.abc import Collection
from pathlib import Path
from typing import Any

import pytest

from sqlanon.hierarchies import HIERARCHY_KINDS
from sqlanon.methods import METHODS
from sqlanon.methods.full_domain import FullDomainMethod
from sqlanon.privacy_models import PRIVACY_MODELS
from sqlanon.registry import default_of
from sqlanon.utility.measures import UTILITY_MEASURES
from tests.methods import test_bucket_faults, test_methods
from tests.oracles import models
from tests.oracles.hierarchies import KINDS
from tests.oracles.measures import MEASURES

MODULE = "tests/oracles/models/{}.py"


def names(registry: Collection[type[Any]], field: str = "name") -> list[str]:
    """What plans call the classes of a registry."""
    return [default_of(cls, field) for cls in registry]


LATTICE = names([method for method in METHODS if issubclass(method, FullDomainMethod)])
OFFERED: dict[str, tuple[Collection[str], Collection[str], str]] = {
    "modules": (
        [*(name.replace("-", "_") for name in names(PRIVACY_MODELS, "model")), "base", "__init__"],
        [file.stem for file in Path(models.__file__).parent.glob("*.py")],
        "a module of tests/oracles/models has the name of a privacy model's module",
    ),
    "measures": (
        names(UTILITY_MEASURES), MEASURES,
        "write what a node costs by it, and add it to MEASURES, in tests/oracles/measures.py",
    ),
    "lattice methods": (
        LATTICE, ["optimal", "incognito", "samarati", "datafly"],
        "say which node it must find in check_methods of test_promises.py and in"
        " test_every_method_keeps_its_guarantee of tests/methods/test_methods.py",
    ),
    "other methods": (
        {*names(METHODS)} - {*LATTICE},
        {str(method["name"]) for method in test_bucket_faults.METHODS.values()}
        | {method["name"] for method in test_methods.PARTITIONS},
        "add it to PARTITIONS of tests/methods/test_methods.py, or to METHODS of"
        " tests/methods/test_bucket_faults.py",
    ),
    "hierarchies": (
        HIERARCHY_KINDS, KINDS,
        "add an example and its labels in plain Python to KINDS of oracles/hierarchies.py",
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", OFFERED)
def test_all_that_is_offered_is_tried(kind: str) -> None:
    offered, tried, remedy = OFFERED[kind]
    assert {*offered} == {*tried}, remedy


@pytest.mark.parametrize("title", models.RUNS)
def test_a_brute_force_judges_classes_by_every_model(title: str) -> None:
    known = models.KNOWN[title.split()[0]]
    model = known.cls.model_validate(models.draw(title, random.Random(1)))
    where = MODULE.format(known.name.replace("-", "_"))
    assert known.is_of_table(model) == model.judges_whole_table, f"is it of_table? in {where}"
    assert model.judges_whole_table or hasattr(known.module, "of_class"), (
        f"write of_class in {where}"
    )
    assert known.counts_population == model.needs_population, f"POPULATION of {where} is not so"
    assert not (model.is_joint and not known.may_be_joint), f"JOINT of {where} is not so"


@pytest.mark.parametrize("name", models.KNOWN)
def test_every_variant_of_a_model_is_drawn(name: str) -> None:
    """What a parameter may choose between is chosen by some title; how all models are read is not.

    `mode` and `reference` are tried by tests of their own, of all models.
    """
    known = models.KNOWN[name]
    drawn = [
        known.cls.model_validate(models.draw(title, random.Random(seed)))
        for title in known.titled(known.module.RUNS)
        for seed in range(3)
    ]
    for field, info in known.cls.model_fields.items():
        if field not in ("model", "mode", "reference") and (
            typing.get_origin(info.annotation) is typing.Literal
        ):
            remedy = f"{field}: add a variant to RUNS of {MODULE.format(name.replace('-', '_'))}"
            assert {*typing.get_args(info.annotation)} == {getattr(m, field) for m in drawn}, remedy
