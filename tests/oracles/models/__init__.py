"""The privacy models, as the tests know them: a module for each one of the package's registry.

Tests of privacy models are parametrized from here; `base` says what the modules hold.
"""

from __future__ import annotations

import importlib
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import yaml
from hypothesis import strategies as st

from sqlanon.privacy_models import PRIVACY_MODELS
from sqlanon.privacy_models.base import PrivacyModel
from sqlanon.registry import default_of
from tests.oracles.models.base import NEAR, Class, Shares, Tree, Value, Verdict

__all__ = [
    "KNOWN", "NEAR", "RANDOM_MODELS", "RUNS", "Known", "Verdict", "verdict",
    "whole_table", "worst",
]  # fmt: skip


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


KNOWN: dict[str, Known] = {
    name: Known(cls, importlib.import_module(f"{__name__}.{name.replace('-', '_')}"))
    for cls in PRIVACY_MODELS
    for name in [default_of(cls, "model")]
}
"""The models, by their names in plans, in the order of the package's registry."""

RANDOM_MODELS: dict[str, st.SearchStrategy[PrivacyModel]] = {
    title: strategy
    for known in KNOWN.values()
    for title, strategy in known.titled(known.module.RANDOM).items()
}
"""Models with random parameters, by title."""

RUNS: Mapping[str, Callable[[random.Random], dict[str, Any]]] = {
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
