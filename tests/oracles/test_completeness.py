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


def lacking(offered: Collection[str], tried: Collection[str], remedy: str) -> str:
    """What to do where something is offered that is not tried, or the other way round."""
    missing, unknown = sorted({*offered} - {*tried}), sorted({*tried} - {*offered})
    shown = [f"not tried: {', '.join(missing)}"] * bool(missing)
    shown += [f"tried, but not offered: {', '.join(unknown)}"] * bool(unknown)
    return "; ".join([*shown, remedy]) if shown else ""


def names(registry: Collection[type[Any]], field: str = "name") -> list[str]:
    """What plans call the classes of a registry."""
    return [default_of(cls, field) for cls in registry]


def test_every_module_is_of_a_privacy_model() -> None:
    stems = {file.stem for file in Path(models.__file__).parent.glob("*.py")}
    offered = [name.replace("-", "_") for name in names(PRIVACY_MODELS, "model")]
    assert not lacking(
        [*offered, "base", "__init__"], {*stems, *offered},
        "a module of tests/models has the name of a privacy model's module",
    )  # fmt: skip


@pytest.mark.parametrize("title", models.RUNS)
def test_a_brute_force_judges_classes_by_every_model(title: str) -> None:
    known = models.KNOWN[title.split()[0]]
    model = known.cls.model_validate(models.draw(title, random.Random(1)))
    where = f"tests/oracles/models/{known.name.replace('-', '_')}.py"
    assert known.is_of_table(model) == model.judges_whole_table, (
        f"is_of_table of {where} takes this model for another kind"
    )
    assert model.judges_whole_table or hasattr(known.module, "of_class"), (
        f"write of_class in {where}"
    )
    assert known.counts_population == model.needs_population, f"POPULATION of {where} is not so"
    assert not (model.is_joint and not known.may_be_joint), f"JOINT of {where} is not so"


@pytest.mark.parametrize("name", names(PRIVACY_MODELS, "model"))
def test_every_variant_of_a_model_is_drawn(name: str) -> None:
    """What a parameter may choose between is chosen by some title; how all models are read is not.

    `mode` and `reference` are tried by tests of their own, of all models.
    """
    known = models.KNOWN[name]
    drawn_models = [
        known.cls.model_validate(models.draw(title, random.Random(seed)))
        for title in known.titled(known.module.RUNS)
        for seed in range(3)
    ]
    for field, info in known.cls.model_fields.items():
        if field in ("model", "mode", "reference"):
            continue
        if typing.get_origin(info.annotation) is typing.Literal:
            remedy = f"{field}: add a variant to RUNS of oracles/models/{name.replace('-', '_')}.py"
            drawn = {str(getattr(model, field)) for model in drawn_models}
            assert not lacking(list(map(str, typing.get_args(info.annotation))), drawn, remedy)


def test_every_utility_measure_has_a_brute_force() -> None:
    assert not lacking(
        names(UTILITY_MEASURES), MEASURES,
        "write what a node costs by it, and add it to MEASURES, in tests/oracles/measures.py",
    )  # fmt: skip


def test_every_method_is_tried() -> None:
    lattice = [default_of(m, "name") for m in METHODS if issubclass(m, FullDomainMethod)]
    assert not lacking(
        lattice, ["optimal", "incognito", "samarati", "datafly"],
        "say which node it must find in check_methods of test_promises.py and in"
        " test_every_method_keeps_its_guarantee of tests/methods/test_methods.py",
    )  # fmt: skip
    buckets = {str(method["name"]) for method in test_bucket_faults.METHODS.values()}
    partitions = {method["name"] for method in test_methods.PARTITIONS}
    assert not lacking(
        names(METHODS), {*lattice, *buckets, *partitions},
        "add it to PARTITIONS of tests/methods/test_methods.py, or to METHODS of"
        " tests/methods/test_bucket_faults.py",
    )  # fmt: skip


def test_every_kind_of_hierarchy_is_compared() -> None:
    assert not lacking(
        HIERARCHY_KINDS, KINDS,
        "add an example and its labels in plain Python to KINDS of oracles/hierarchies.py",
    )  # fmt: skip


def test_what_is_lacking_is_named() -> None:
    assert lacking(["a", "b"], ["b", "a"], "write it") == ""
    assert lacking(["a", "b"], ["b"], "write it") == "not tried: a; write it"
    assert lacking(["b"], ["b", "c"], "write it") == "tried, but not offered: c; write it"
