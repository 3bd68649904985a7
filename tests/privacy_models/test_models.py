"""Privacy models against tables of the literature, and what searches conclude from their flags.

The paper's tables stand in the module of each model in `models`: by parameters the measure of each
class, and which classes are satisfied. Each table is judged by the model's SQL alone. A search goes
for counterexamples to each monotonicity flag and to each `excess_rows`, on random tables whose
classes are merged.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sqlanon.privacy_models import PRIVACY_MODELS
from sqlanon.privacy_models.base import PrivacyModel
from sqlanon.privacy_models.delta_presence import DeltaPresence
from sqlanon.privacy_models.k_anonymity import KAnonymity
from sqlanon.registry import default_of
from tests.oracles.class_relations import Class, Tables, Tree, Value, judge
from tests.oracles.models import KNOWN, RANDOM_MODELS

CASES = [
    pytest.param(name, table, case, id=f"{table['name'].split(',')[0]}-{case['parameters']}")
    for name, known in KNOWN.items()
    for table in known.paper["tables"]
    for case in table["cases"]
]
MODELS = {default_of(model, "model"): model for model in PRIVACY_MODELS}


# --- paper tables


def text_of(value: Any) -> Value:
    """A value as a publication has it."""
    return None if value is None else str(value)


def counted(counts: dict[Any, int]) -> tuple[Value, ...]:
    """Each value as often as it is counted."""
    return tuple(text_of(value) for value, n in counts.items() for _ in range(n))


def tables_of(table: dict[str, Any]) -> Tables:
    """The table as the SQL of models is given it."""
    classes: dict[tuple[str, Value], Class] = {}
    for entry in table["classes"]:
        found = Class(counted(entry["values"]), entry.get("population"))
        classes[("published", name_of(entry))] = found
    reference = {"published": counted(table["reference"])} if "reference" in table else None
    tree = {
        text_of(value): (text_of(value), *map(str, labels))
        for value, labels in table.get("hierarchy", {}).items()
    }
    return Tables(classes, reference=reference, tree=tree, scoped=True)


def model_of(name: str, case: dict[str, Any]) -> PrivacyModel:
    attribute = {"attribute": "value"} if "attribute" in MODELS[name].model_fields else {}
    return MODELS[name].model_validate({**attribute, **case["parameters"]})


def name_of(entry: dict[str, Any]) -> str:
    """A class by the text of its key."""
    return repr([text_of(value) for value in entry["key"]])


def exact(measure: Any) -> Any:
    """A measure to compare with: fractions exactly, numbers of six digits to their last digit."""
    near = 5e-7 if isinstance(measure, float) else 1e-9
    number = float(Fraction(measure)) if isinstance(measure, str) else measure
    return None if measure is None else pytest.approx(number, abs=near)


@pytest.mark.parametrize(("name", "table", "case"), CASES)
def test_paper_table(
    name: str,
    table: dict[str, Any],
    case: dict[str, Any],
    connection: duckdb.DuckDBPyConnection,
) -> None:
    model = model_of(name, case)
    judged = judge(connection, model, tables_of(table))
    measures = case.get("measures") or [entry["measure"] for entry in table["classes"]]
    for entry, measure, satisfied in zip(
        table["classes"], measures, case["satisfied"], strict=True
    ):
        found = judged[("published", name_of(entry))]
        assert found.measure == exact(measure), entry["key"]
        assert found.satisfied is satisfied, entry["key"]


# --- monotonicity: what a search may conclude from one node about those above it


@dataclass(frozen=True)
class World:
    """A table in classes as fine as can be, and which of them each coarser class joins.

    Attributes:
        parts: values and population of each class; without values where only others fall into it.
        groups: the coarser class of each part.
        suppressed: values of rows in no class.
    """

    parts: tuple[Class, ...]
    groups: tuple[int, ...]
    suppressed: tuple[Value, ...] = ()

    def merged(self, group: int) -> Class:
        return join([p for p, g in zip(self.parts, self.groups, strict=True) if g == group])


def join(parts: list[Class]) -> Class:
    """The class of all rows and all of the population of these."""
    values = tuple(value for part in parts for value in part.values)
    return Class(values, sum(part.population or 0 for part in parts))


VALUES: tuple[Value, ...] = ("1", "2", "10", "x", None)
TREE: Tree = {
    "1": ("1", "low", "number", "*"),
    "2": ("2", "low", "number", "*"),
    "10": ("10", "high", "number", "*"),
    "x": ("x", "word", "word", "*"),
    None: (None, None, None, "*"),
}


def random_world(seed: random.Random) -> World:
    """Three to eight parts over a few values; parts of even and of uneven values occur."""
    alphabet = seed.sample(VALUES, seed.choice([2, 2, 3, 5]))
    parts = []
    for _ in range(seed.randint(3, 8)):
        kind = seed.random()
        values = [seed.choice(alphabet) for _ in range(seed.choice([1, 2, 3, 4, 6, 9]))]
        if kind < 0.2:
            values = alphabet * seed.randint(1, 3)
        elif kind < 0.4:
            values = [*alphabet, *[seed.choice(alphabet)] * seed.randint(1, 8)]
        elif kind < 0.45:
            values = []
        parts.append(Class(tuple(values), max(1, len(values)) + seed.choice([0, 0, 1, 3, 9])))
    groups = tuple(seed.randrange(seed.choice([1, 2, 3])) for _ in parts)
    extra = tuple(alphabet * seed.choice([0, 1, 4, 20])) if seed.random() < 0.5 else ()
    return World(tuple(parts), groups, extra)


class Verdict(NamedTuple):
    """What the SQL says of a class; 0 where it does not bound the excess."""

    found: Class
    satisfied: bool
    excess_rows: int


class Merge(NamedTuple):
    """Classes with rows, and what they become together; whether classes without rows join."""

    parts: list[Verdict]
    whole: Verdict
    empty_parts: bool

    @property
    def failing_rows(self) -> int:
        return sum(part.found.size for part in self.parts if not part.satisfied)


def judged_worlds(
    connection: duckdb.DuckDBPyConnection, model: PrivacyModel, worlds: list[World]
) -> list[list[Merge]]:
    """The coarser classes of each world, compared with its table, which no merge changes."""
    classes: dict[tuple[str, Value], Class] = {}
    reference: dict[str, list[Value]] = {}
    for number, world in enumerate(worlds):
        table = [value for part in world.parts for value in part.values] + [*world.suppressed]
        fine, coarse = f"{number} fine", f"{number} coarse"
        reference |= {fine: table, coarse: table}
        classes |= {(fine, f"{place}"): part for place, part in enumerate(world.parts)}
        classes |= {(coarse, f"{group}"): world.merged(group) for group in world.groups}
    classes = {key: found for key, found in classes.items() if found.values}
    tables = Tables(classes, reference=reference, tree=TREE, scoped=True)
    judged = judge(connection, model, tables, excess=model.bounds_excess)

    def verdict(node: str, name: str) -> Verdict:
        found = judged[(node, name)]
        return Verdict(classes[(node, name)], found.satisfied, found.excess_rows or 0)

    def merge(number: int, group: int) -> Merge:
        world = worlds[number]
        places = [p for p, g in enumerate(world.groups) if g == group]
        full = [f"{place}" for place in places if world.parts[place].values]
        parts = [verdict(f"{number} fine", name) for name in full]
        whole = verdict(f"{number} coarse", f"{group}")
        return Merge(parts, whole, len(full) < len(places))

    return [
        [merge(number, group) for group in sorted(set(world.groups)) if world.merged(group).values]
        for number, world in enumerate(worlds)
    ]


SEARCHES = settings(
    max_examples=8, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
WORLDS = 80


Searches = list[tuple[PrivacyModel, list[list[Merge]]]]


@pytest.fixture(scope="module", params=sorted(RANDOM_MODELS))
def searches(request: pytest.FixtureRequest, connection: duckdb.DuckDBPyConnection) -> Searches:
    """Models of a name with random parameters, and how they judge random worlds."""
    found: Searches = []

    @SEARCHES
    @given(RANDOM_MODELS[request.param], st.integers(0, 10**9))
    def look(model: PrivacyModel, seed: int) -> None:
        draw = random.Random(seed)
        worlds = [random_world(draw) for _ in range(WORLDS)]
        found.append((model, judged_worlds(connection, model, worlds)))

    look()
    return found


def covered(model: PrivacyModel, merges: list[Merge]) -> bool:
    """Whether everybody falls into a class with rows, where the model wants that."""
    return not (model.needs_cover and any(merge.empty_parts for merge in merges))


def test_monotone_under_generalization_as_flagged(searches: Searches) -> None:
    """Where every class of a partition satisfies, each merge of its classes does."""
    tried = 0
    for model, worlds in searches:
        if not model.monotone_under_generalization:
            continue
        for merges in worlds:
            together = [merges] if model.judges_whole_table else [[merge] for merge in merges]
            for unit in together:
                parts = [part for merge in unit for part in merge.parts]
                if covered(model, unit) and all(part.satisfied for part in parts):
                    assert all(merge.whole.satisfied for merge in unit), (model, unit)
                    tried += len(parts) > len(unit)
    flags = {model.monotone_under_generalization for model, _ in searches}
    assert flags == {False} or tried >= 20


def test_monotone_under_suppression_as_flagged(searches: Searches) -> None:
    """The rows of failing classes never grow in number where classes are merged."""
    flagged = [(model, worlds) for model, worlds in searches if model.monotone_under_suppression]
    tried = 0
    for model, worlds in flagged:
        for merge in (merge for merges in worlds for merge in merges):
            failing = 0 if merge.whole.satisfied else merge.whole.found.size
            assert failing <= merge.failing_rows, (model, merge)
            tried += failing > 0
    assert not flagged or tried >= 20


def test_excess_rows_are_a_bound(searches: Searches) -> None:
    """What cannot be kept of a class is lost to every partition of it, and adds up over parts."""
    bounding = [(model, worlds) for model, worlds in searches if model.bounds_excess]
    largest = 0
    for model, worlds in bounding:
        for merge in (merge for merges in worlds for merge in merges):
            for found, satisfied, excess in [*merge.parts, merge.whole]:
                assert excess == int(excess)
                assert excess == 0 if satisfied else 1 <= excess <= found.size, (model, found)
            if covered(model, [merge]):
                lost = merge.whole.excess_rows
                assert lost <= merge.failing_rows, (model, merge)
                assert lost <= sum(part.excess_rows for part in merge.parts), (model, merge)
                largest = max(largest, lost)
    assert not bounding or largest > 0


FLAGS = {
    title: flags
    for known in KNOWN.values()
    for title, flags in known.titled(getattr(known.module, "MONOTONE", {})).items()
}
"""Monotone under generalization, and under suppression, where that is not (True, False)."""


@pytest.mark.parametrize("name", RANDOM_MODELS)
def test_flags(name: str) -> None:
    """As formulas.md has them, section 1.1; the means of risk are not monotone when classes go."""

    @SEARCHES
    @given(RANDOM_MODELS[name])
    def is_as_flagged(model: PrivacyModel) -> None:
        shown = FLAGS.get(name, (True, False))
        flags = (model.monotone_under_generalization, model.monotone_under_suppression)
        assert flags == shown, "MONOTONE of its module in tests/models tells other flags"
        assert model.bounds_excess is (shown[0] and not model.judges_whole_table)
        assert model.judges_whole_table is KNOWN[model.model].is_of_table(model)

    is_as_flagged()


# --- the models themselves


@pytest.mark.parametrize("k", [2, 3, 50])
def test_what_a_model_tells(k: int) -> None:
    model = KAnonymity(k=k)
    assert model.template == "privacy_models/k_anonymity.sql"
    assert model.parameters == {"k": k}
    assert model.minimum_class_size == k
    s = "s" if k > 2 else ""
    assert f"at least {k - 1} other{s} (k = {k})" in model.promise("rows")
    assert f"at least {k - 1} other person{s} (k = {k})" in model.promise("persons")
    assert model.suggestion(7) == "k = 7 or less"


def test_presence_is_promised_to_whom_it_counts() -> None:
    """Who is in no published class has a chance of 0, which only a dmin above 0 excludes."""
    for dmin, suppressed, is_limited in (
        (0, "violation", False), (0, "ignore", False), (0.1, "violation", False),
        (0.1, "ignore", True),
    ):  # fmt: skip
        promise = DeltaPresence(dmin, 0.9, suppressed=suppressed).promise("rows")
        assert ("population whose class is published is" in promise) == is_limited


@pytest.mark.parametrize("name", MODELS)
def test_parameters_have_legal_ranges(name: str) -> None:
    model, module = MODELS[name], KNOWN[name].module
    assert model.model_validate(module.LEGAL).model == name
    for parameter, values in module.ILLEGAL.items():
        for value in values:
            with pytest.raises(ValueError, match=rf"\b{parameter}\b"):
                model.model_validate({**module.LEGAL, parameter: value})
