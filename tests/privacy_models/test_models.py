"""Privacy models against tables of the literature, and what searches conclude from their flags.

The paper's tables stand in the module of each model in `models`: by parameters the measure of each
class, and which classes are satisfied. Each table is judged by the model's SQL alone. A search goes
for counterexamples to each monotonicity flag and to each `excess_rows`, on random tables whose
classes are merged.
"""

from __future__ import annotations

import itertools
import random
from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sqlanon.privacy_models.base import PrivacyModel
from sqlanon.privacy_models.delta_presence import DeltaPresence
from tests.oracles.class_relations import Class, Judged, Key, Tables, Tree, Value, judge
from tests.oracles.models import KNOWN, RANDOM_MODELS

CASES = [
    pytest.param(name, table, case, id=f"{table['name'].split(',')[0]}-{case['parameters']}")
    for name, known in KNOWN.items()
    for table in known.paper["tables"]
    for case in table["cases"]
]


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
    name: str, table: dict[str, Any], case: dict[str, Any], connection: duckdb.DuckDBPyConnection
) -> None:
    attribute = {"attribute": "value"} if KNOWN[name].about_values else {}
    model = KNOWN[name].cls.model_validate({**attribute, **case["parameters"]})
    judged = judge(connection, model, tables_of(table))
    measures = case.get("measures") or [entry["measure"] for entry in table["classes"]]
    for entry, *shown in zip(table["classes"], measures, case["satisfied"], strict=True):
        found = judged[("published", name_of(entry))]
        assert [found.measure, found.satisfied] == [exact(shown[0]), shown[1]], entry["key"]


# --- monotonicity: what a search may conclude from one node about those above it


VALUES: tuple[Value, ...] = ("1", "2", "10", "x", None)
TREE: Tree = {
    "1": ("1", "low", "number", "*"),
    "2": ("2", "low", "number", "*"),
    "10": ("10", "high", "number", "*"),
    "x": ("x", "word", "word", "*"),
    None: (None, None, None, "*"),
}
Verdict = tuple[Class, Judged]


class Merge(NamedTuple):
    """Classes with rows, and what they become together; whether classes without rows join."""

    parts: list[Verdict]
    whole: Verdict
    empty_parts: bool


def failing(verdicts: Sequence[Verdict]) -> int:
    """The rows of failing classes."""
    return sum(found.size for found, judged in verdicts if not judged.satisfied)


def random_parts(draw: random.Random) -> tuple[list[Class], list[Value]]:
    """Three to eight classes over a few values, some with even and with uneven values.

    In some there are only others of the population. And values of rows in no class.
    """
    alphabet = draw.sample(VALUES, draw.choice([2, 2, 3, 5]))
    parts = []
    for _ in range(draw.randint(3, 8)):
        kind = draw.random()
        values = [draw.choice(alphabet) for _ in range(draw.choice([1, 2, 3, 4, 6, 9]))]
        if kind < 0.2:
            values = alphabet * draw.randint(1, 3)
        elif kind < 0.4:
            values = [*alphabet, *[draw.choice(alphabet)] * draw.randint(1, 8)]
        elif kind < 0.45:
            values = []
        parts.append(Class(tuple(values), max(1, len(values)) + draw.choice([0, 0, 1, 3, 9])))
    return parts, alphabet * draw.choice([0, 1, 4, 20]) if draw.random() < 0.5 else []


def judged_merges(
    connection: duckdb.DuckDBPyConnection, model: PrivacyModel, draw: random.Random
) -> list[list[Merge]]:
    """Coarser classes of random tables; they are compared with a table that no merge changes."""
    classes: dict[Key, Class] = {}
    reference: dict[str, list[Value]] = {}
    merged: dict[int, dict[Key, list[Key]]] = {}
    for number in range(80):
        parts, extra = random_parts(draw)
        fine, coarse = f"{number} fine", f"{number} coarse"
        table = [value for part in parts for value in part.values] + extra
        reference |= {fine: table, coarse: table}
        groups: dict[Key, list[Key]] = defaultdict(list)
        for place, part in enumerate(parts):
            classes[fine, f"{place}"] = part
            groups[coarse, f"{draw.randrange(draw.choice([1, 2, 3]))}"].append((fine, f"{place}"))
        for key, members in groups.items():
            values = tuple(value for member in members for value in classes[member].values)
            classes[key] = Class(values, sum(classes[m].population or 0 for m in members))
        merged[number] = groups
    full = {key: found for key, found in classes.items() if found.values}
    tables = Tables(full, reference=reference, tree=TREE, scoped=True)
    judged = judge(connection, model, tables, excess=model.bounds_excess)
    verdicts = {key: (full[key], judged[key]) for key in full}
    return [
        [
            Merge(
                [verdicts[m] for m in members if m in full],
                verdicts[key],
                bool({*members} - {*full}),
            )
            for key, members in groups.items()
            if key in full
        ]
        for groups in merged.values()
    ]


SEARCHES = settings(
    max_examples=8, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
Searches = list[tuple[PrivacyModel, list[list[Merge]]]]


@pytest.fixture(scope="module", params=sorted(RANDOM_MODELS))
def searches(request: pytest.FixtureRequest, connection: duckdb.DuckDBPyConnection) -> Searches:
    """Models of a name with random parameters, and how they judge random worlds."""
    found: Searches = []

    @SEARCHES
    @given(RANDOM_MODELS[request.param], st.integers(0, 10**9))
    def look(model: PrivacyModel, seed: int) -> None:
        found.append((model, judged_merges(connection, model, random.Random(seed))))

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
                if covered(model, unit) and not failing(parts):
                    assert not failing([merge.whole for merge in unit]), (model, unit)
                    tried += len(parts) > len(unit)
    flags = {model.monotone_under_generalization for model, _ in searches}
    assert flags == {False} or tried >= 20


def test_monotone_under_suppression_as_flagged(searches: Searches) -> None:
    """The rows of failing classes never grow in number where classes are merged."""
    flagged = [(model, worlds) for model, worlds in searches if model.monotone_under_suppression]
    tried = 0
    for model, worlds in flagged:
        for merge in itertools.chain.from_iterable(worlds):
            assert failing([merge.whole]) <= failing(merge.parts), (model, merge)
            tried += failing([merge.whole]) > 0
    assert not flagged or tried >= 20


def test_excess_rows_are_a_bound(searches: Searches) -> None:
    """What cannot be kept of a class is lost to every partition of it, and adds up over parts."""
    bounding = [(model, worlds) for model, worlds in searches if model.bounds_excess]
    largest = 0
    for model, worlds in bounding:
        for merge in itertools.chain.from_iterable(worlds):
            lost = []
            for found, (_, satisfied, excess) in [*merge.parts, merge.whole]:
                assert excess is not None
                assert excess == int(excess)
                assert excess == 0 if satisfied else 1 <= excess <= found.size, (model, found)
                lost.append(excess)
            if covered(model, [merge]):
                assert lost[-1] <= min(failing(merge.parts), sum(lost[:-1])), (model, merge)
                largest = max(largest, lost[-1])
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


def test_presence_is_promised_to_whom_it_counts() -> None:
    """Who is in no published class has a chance of 0, which only a dmin above 0 excludes."""
    for dmin, suppressed, is_limited in (
        (0, "violation", False), (0, "ignore", False), (0.1, "violation", False),
        (0.1, "ignore", True),
    ):  # fmt: skip
        promise = DeltaPresence(dmin, 0.9, suppressed=suppressed).promise("rows")
        assert ("population whose class is published is" in promise) == is_limited


@pytest.mark.parametrize("name", KNOWN)
def test_parameters_have_legal_ranges(name: str) -> None:
    model, module = KNOWN[name].cls, KNOWN[name].module
    assert model.model_validate(module.LEGAL).model == name
    for parameter, values in module.ILLEGAL.items():
        for value in values:
            with pytest.raises(ValueError, match=rf"\b{parameter}\b"):
                model.model_validate({**module.LEGAL, parameter: value})
