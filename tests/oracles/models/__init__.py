"""The privacy models, as the tests know them: a module for each one of the package's registry.

Tests of privacy models are parametrized from here; `base` says what the modules hold.
"""

from __future__ import annotations

import importlib
import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import yaml
from hypothesis import strategies as st

from sqlanon.privacy_models import PRIVACY_MODELS
from sqlanon.privacy_models.base import PrivacyModel
from sqlanon.registry import default_of
from tests.oracles.class_relations import Class, Tree, Value
from tests.oracles.models.base import NEAR, SHARED, Shares, Verdict, drawn

__all__ = [
    "KNOWN", "NEAR", "RANDOM_MODELS", "RUNS", "Known", "Verdict", "draw", "verdict",
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
    def about(self) -> dict[str, Any]:
        """The key of the sensitive attribute, which is `s`, if it is about one."""
        return {"attribute": "s"} if self.about_values else {}

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
        return hasattr(self.module, "POPULATION")

    @property
    def may_be_joint(self) -> bool:
        """Whether the other sensitive attributes may count as known."""
        return self.about_values and bool(getattr(self.module, "JOINT", True))

    @property
    def paper(self) -> dict[str, Any]:
        """The tables of the paper."""
        tables = yaml.safe_load(SHARED + self.module.TABLES)[2:]
        keys = ("parameters", "satisfied", "measures")
        for table in tables:
            table["cases"] = [dict(zip(keys, case, strict=False)) for case in table["cases"]]
        return {"tables": tables}

    def is_of_table(self, model: Any) -> bool:
        """Whether these parameters make it judge all classes together."""
        return hasattr(self.module, "of_table") and getattr(model, "share", 1) > 0

    def size(self, c: Class) -> int:
        """By which it leaves classes out, the smallest first, where it judges the whole table."""
        return c.population_size if self.counts_population else c.size

    def titled(self, by_variant: Mapping[str, Any]) -> dict[str, Any]:
        """The same by title: `l-diversity entropy`."""
        return {f"{self.name} {variant}".strip(): each for variant, each in by_variant.items()}

    def random(self, given: Mapping[str, Any]) -> st.SearchStrategy[PrivacyModel]:
        """Models with such parameters."""
        choices = {
            name: st.sampled_from(value) if isinstance(value, list | range) else st.just(value)
            for name, value in {**self.about, **given}.items()
        }
        return st.fixed_dictionaries(choices).map(self.cls.model_validate)


KNOWN: dict[str, Known] = {
    name: Known(cls, importlib.import_module(f"{__name__}.{name.replace('-', '_')}"))
    for cls in PRIVACY_MODELS
    for name in [default_of(cls, "model")]
}
"""The models, by their names in plans, in the order of the package's registry."""

RANDOM_MODELS: dict[str, st.SearchStrategy[PrivacyModel]] = {
    title: known.random(given)
    for known in KNOWN.values()
    for title, given in known.titled(known.module.RANDOM).items()
}
"""Models with random parameters, by title."""

RUNS: dict[str, dict[str, Any]] = {}
"""Random parameters for whole runs, by title."""
for _known in KNOWN.values():
    RUNS |= _known.titled(_known.module.RUNS)


def draw(title: str, choose: random.Random, **more: Any) -> dict[str, Any]:
    """An entry of a plan with random parameters, about the attribute `s` if about any."""
    known = KNOWN[title.split()[0]]
    return {"model": known.name, **known.about, **drawn(choose, **RUNS[title]), **more}


def verdict(model: Any, c: Class, q: Shares, tree: Tree) -> Verdict:
    """What the definition of a model says of a class, with these shares of the table."""
    shown: Verdict = KNOWN[model.model].module.of_class(model, c, q, tree)
    return shown


def whole_table(model: Any, keyed: Mapping[tuple[str, Value], Class]) -> list[Verdict]:
    """Models of all classes together: the smallest classes fail first, until the rest holds.

    Of equal ones, the last by key; a missing key is the last of all.
    """
    known = KNOWN[model.model]
    order = sorted(keyed, key=lambda key: (-known.size(keyed[key]), key[1] is None, key[1] or ""))
    verdicts = [
        known.module.of_table(model, [keyed[other] for other in order[: place + 1]])
        for place in range(len(order))
    ]
    kept = max((n for n, (_, holds) in enumerate(verdicts, start=1) if holds), default=0)
    found = {key: (verdicts[n][0], n < kept) for n, key in enumerate(order)}
    return [found[key] for key in keyed]


def worst(model: Any, measures: Iterable[Any]) -> Any:
    """The measure that a finding tells."""
    known = [measure for measure in measures if measure is not None]
    if ... in known:
        return ...
    return KNOWN[model.model].module.worst(known) if known else None
