"""The privacy models, as the tests know them: a module for each one of the package's registry.

Tests of privacy models are parametrized from here. A model without a module is reported by its name.
"""

from __future__ import annotations

import importlib
import importlib.util
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import pytest
import yaml
from hypothesis import strategies as st

from sqlanon.privacy_models import PRIVACY_MODELS
from sqlanon.privacy_models.base import PrivacyModel
from sqlanon.registry import default_of
from tests.oracles.models.base import NEAR, Class, Runs, Shares, Tree, Value, Verdict

__all__ = [
    "KNOWN", "LACKING", "NEAR", "RANDOM_MODELS", "RUNS", "Known", "Verdict", "verdict",
    "whole_table", "worst",
]  # fmt: skip

NEEDED = ("worst", "RANDOM", "RUNS", "GOLDEN", "LEGAL", "ILLEGAL", "TABLES")
"""What every module holds; beside `of_class` or `of_table`."""


@dataclass(frozen=True)
class Known:
    """A model, and the names of its module."""

    cls: type[PrivacyModel]
    module: ModuleType

    @property
    def name(self) -> str:
        """As plans have it."""
        return default_of(self.cls, "model")

    @property
    def about_values(self) -> bool:
        """Whether it is about a sensitive attribute."""
        return "attribute" in self.cls.model_fields

    @property
    def compares(self) -> bool:
        """Whether it compares classes with a whole table: of all rows, or of the published ones."""
        return "reference" in self.cls.model_fields

    @property
    def counts_population(self) -> bool:
        """Whether it counts rows of a population."""
        return bool(getattr(self.module, "POPULATION", False))

    @property
    def may_be_joint(self) -> bool:
        """Whether the other sensitive attributes may count as known."""
        return self.about_values and bool(getattr(self.module, "JOINT", True))

    @property
    def paper(self) -> dict[str, Any]:
        """The tables of the paper."""
        shown: dict[str, Any] = yaml.safe_load(self.module.TABLES)
        return shown

    def is_of_table(self, model: Any) -> bool:
        """Whether these parameters make it judge all classes together."""
        if hasattr(self.module, "is_of_table"):
            return bool(self.module.is_of_table(model))
        return hasattr(self.module, "of_table")

    def size(self, c: Class) -> int:
        """By which it leaves classes out, the smallest first, where it judges the whole table."""
        return c.population_size if self.counts_population else c.size

    def titled(self, by_variant: Mapping[str, Any]) -> dict[str, Any]:
        """The same by title: `l-diversity entropy`."""
        return {f"{self.name} {variant}".strip(): each for variant, each in by_variant.items()}


class _Known(dict[str, Known]):
    def __missing__(self, name: str) -> Known:
        pytest.fail(LACKING.get(name, f"there is no privacy model {name}"), pytrace=False)


def _lacking(stem: str) -> str:
    """What to write for a model, in a few words; empty if all is there."""
    if importlib.util.find_spec(f"{__name__}.{stem}") is None:
        return f"write tests/oracles/models/{stem}.py; tests/oracles/models/base.py tells what it holds"
    module = importlib.import_module(f"{__name__}.{stem}")
    missing = [name for name in NEEDED if not hasattr(module, name)]
    missing += ["of_class or of_table"] * (not hasattr(module, "of_class")
                                           and not hasattr(module, "of_table"))  # fmt: skip
    if hasattr(module, "of_class") and hasattr(module, "of_table"):
        missing += ["is_of_table"] * (not hasattr(module, "is_of_table"))
    shown = f"tests/oracles/models/{stem}.py lacks {', '.join(missing)}; tests/oracles/models/base.py tells"
    return f"{shown} what each one is" if missing else ""


LACKING: dict[str, str] = {}
"""By the name of a model, what its module lacks."""

KNOWN: dict[str, Known] = _Known()
"""The models, by their names in plans, in the order of the package's registry."""

for _cls in PRIVACY_MODELS:
    _name = default_of(_cls, "model")
    _stem = _name.replace("-", "_")
    if _missing := _lacking(_stem):
        LACKING[_name] = _missing
    else:
        KNOWN[_name] = Known(_cls, importlib.import_module(f"{__name__}.{_stem}"))

RANDOM_MODELS: dict[str, st.SearchStrategy[PrivacyModel]] = {
    title: strategy
    for known in KNOWN.values()
    for title, strategy in known.titled(known.module.RANDOM).items()
}
"""Models with random parameters, by title."""

RUNS: Runs = {
    title: parameters
    for known in KNOWN.values()
    for title, parameters in known.titled(known.module.RUNS).items()
}
"""Random parameters for whole runs, by title."""


def draw(title: str, choose: random.Random, **more: Any) -> dict[str, Any]:
    """An entry of a plan with random parameters, about the attribute `s` if about any."""
    known = KNOWN[title.split()[0]]
    about = {"attribute": "s"} if known.about_values else {}
    return {"model": known.name, **about, **RUNS[title](choose), **more}


def verdict(model: Any, c: Class, q: Shares, tree: Tree) -> Verdict:
    """What the definition of a model says of a class, with these shares of the table."""
    shown: Verdict = KNOWN[model.model].module.of_class(model, c, q, tree)
    return shown


def whole_table(model: Any, keyed: Mapping[tuple[str, Value], Class]) -> list[Verdict]:
    """Models of all classes together: the smallest classes fail first, until the rest holds.

    Of equal ones, the last by key; a missing key is the last of all.
    """
    known = KNOWN[model.model]
    of_table: Callable[[Any, Sequence[Class]], Verdict] = known.module.of_table
    order = sorted(keyed, key=lambda key: (-known.size(keyed[key]), key[1] is None, key[1] or ""))
    kept = list(order)
    while kept and not of_table(model, [keyed[key] for key in kept])[1]:
        kept.pop()
    found = {
        key: (of_table(model, [keyed[other] for other in order[: place + 1]])[0], key in kept)
        for place, key in enumerate(order)
    }
    return [found[key] for key in keyed]


def worst(model: Any, measures: Iterable[Any]) -> Any:
    """The measure that a finding tells."""
    measures = list(measures)
    if any(measure is ... for measure in measures):
        return ...
    known = [measure for measure in measures if measure is not None]
    return KNOWN[model.model].module.worst(known) if known else None
