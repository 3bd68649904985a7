"""Whatever a plan can name has a brute force; who adds something is told which file lacks it.

The tests that compare with brute force are parametrized by dictionaries of the tests' own. What a
registry of the package offers and such a dictionary lacks would be tried by no test.
"""

from __future__ import annotations

import random
import typing
from collections.abc import Callable, Collection
from typing import Any

import pytest
import test_bucket_faults
import test_hierarchies
import test_methods
import test_privacy_models
import test_promises
import test_taxonomy
from class_relations import RANDOM_MODELS

from sqlanon.hierarchies import HIERARCHY_KINDS
from sqlanon.methods import METHODS
from sqlanon.methods.full_domain import FullDomainMethod
from sqlanon.privacy_models import PRIVACY_MODELS
from sqlanon.privacy_models.base import PrivacyModel
from sqlanon.utility.measures import UTILITY_MEASURES


def lacking(offered: Collection[str], tried: Collection[str], remedy: str) -> str:
    """What to do where something is offered that is not tried, or the other way round."""
    missing, unknown = sorted({*offered} - {*tried}), sorted({*tried} - {*offered})
    told = [f"not tried: {', '.join(missing)}"] * bool(missing)
    told += [f"tried, but not offered: {', '.join(unknown)}"] * bool(unknown)
    return "; ".join([*told, remedy]) if told else ""


def names(registry: Collection[type[Any]], field: str = "name") -> list[str]:
    """What plans call the classes of a registry."""
    return [cls.model_fields[field].default for cls in registry]


def test_every_privacy_model_has_a_brute_force() -> None:
    offered = names(PRIVACY_MODELS, "model")
    tried = {title.split()[0] for title in test_promises.MODELS}
    assert not lacking(
        offered, tried,
        "add random parameters to MODELS of tests/test_promises.py, which tries every lattice node",
    )  # fmt: skip
    tried = {title.split()[0] for title in RANDOM_MODELS}
    assert not lacking(
        offered, tried, "add random models to RANDOM_MODELS of tests/class_relations.py"
    )


@pytest.mark.parametrize("title", test_promises.MODELS)
def test_a_brute_force_judges_classes_by_every_model(title: str) -> None:
    (cls,) = [c for c in PRIVACY_MODELS if c.model_fields["model"].default == title.split()[0]]
    model = cls.model_validate(test_promises.draw(title, random.Random(1)))
    assert test_promises.is_whole(model) == model.judges_whole_table, (
        "is_whole of tests/test_promises.py takes this model for another kind"
    )
    name = getattr(model, "kind", None) if model.model == "l-diversity" else model.model
    assert model.judges_whole_table or name in test_privacy_models.OF_A_CLASS, (
        f"{name} has no brute force: write one, and add it to OF_A_CLASS of"
        " tests/test_privacy_models.py"
    )


@pytest.mark.parametrize("cls", PRIVACY_MODELS, ids=names(PRIVACY_MODELS, "model"))
def test_every_variant_of_a_model_is_drawn(cls: type[PrivacyModel]) -> None:
    """What a parameter may choose between is chosen by some title; how all models are read is not.

    `mode` and `reference` are tried by tests of their own, of all models.
    """
    name = cls.model_fields["model"].default
    models = [
        cls.model_validate(test_promises.draw(title, random.Random(seed)))
        for title in test_promises.MODELS
        if title.split()[0] == name
        for seed in range(3)
    ]
    for field, info in cls.model_fields.items():
        if field in ("model", "mode", "reference"):
            continue
        if typing.get_origin(info.annotation) is typing.Literal:
            remedy = f"{field} of {name}: add a title to MODELS of tests/test_promises.py"
            drawn = {str(getattr(model, field)) for model in models}
            assert not lacking(list(map(str, typing.get_args(info.annotation))), drawn, remedy)


def test_every_utility_measure_has_a_brute_force() -> None:
    offered = names(UTILITY_MEASURES)
    tried = {
        max((name for name in offered if title.startswith(name)), key=len, default=title)
        for title in test_methods.OBJECTIVES
    }
    assert not lacking(
        offered, tried,
        "write its cost in tests/oracle.py, ask for it in oracle_cost of tests/test_methods.py, and"
        " add it to OBJECTIVES there",
    )  # fmt: skip


def test_every_method_is_tried() -> None:
    lattice = [m.model_fields["name"].default for m in METHODS if issubclass(m, FullDomainMethod)]
    assert not lacking(
        lattice, ["optimal", "incognito", "samarati", "datafly"],
        "say which node it must find in check_methods of tests/test_promises.py and in"
        " test_every_method_keeps_its_guarantee of tests/test_methods.py",
    )  # fmt: skip
    buckets = {str(method["name"]) for method in test_bucket_faults.METHODS.values()}
    partitions = {method["name"] for method in test_methods.PARTITIONS}
    assert not lacking(
        names(METHODS), {*lattice, *buckets, *partitions},
        "add it to PARTITIONS of tests/test_methods.py, or to METHODS of"
        " tests/test_bucket_faults.py",
    )  # fmt: skip


RULES: dict[str, Callable[..., None]] = {
    "intervals": test_hierarchies.test_intervals,
    "cut_points": test_hierarchies.test_cut_points,
    "mask": test_hierarchies.test_masks,
    "date": test_hierarchies.test_dates,
    "round": test_hierarchies.test_rounding,
    "file": test_hierarchies.test_hierarchy_files_as_other_tools_write_them,
    "query": test_hierarchies.test_a_hierarchy_from_a_query,
    "taxonomy": test_taxonomy.test_random_trees,
}
"""The test that compares each kind of hierarchy with a few lines of Python, or with a file."""


def test_every_kind_of_hierarchy_is_compared() -> None:
    assert not lacking(
        HIERARCHY_KINDS, RULES,
        "compare its labels with Python in tests/test_hierarchies.py, and name the test in RULES of"
        " tests/test_completeness.py",
    )  # fmt: skip


def test_what_is_lacking_is_told() -> None:
    assert lacking(["a", "b"], ["b", "a"], "write it") == ""
    assert lacking(["a", "b"], ["b"], "write it") == "not tried: a; write it"
    assert lacking(["b"], ["b", "c"], "write it") == "tried, but not offered: c; write it"
