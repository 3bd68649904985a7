"""Privacy models against tables of the literature, and what searches conclude from their flags.

A file of `paper_tables/` has a model's name, tables, and by parameters the measure of each class
and which classes are satisfied. Each table is judged by the model's SQL alone, and, where it is
compared with no other table, verified as a publication is. A search goes for counterexamples to
each monotonicity flag and to each `excess_rows`, on random tables whose classes are merged.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml
from class_relations import RANDOM_MODELS, Class, Tables, Tree, Value, judge, quiet_connection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sqlanon
from sqlanon.privacy_models import (
    PRIVACY_MODELS,
    AlphaKAnonymity,
    AverageRisk,
    BetaLikeness,
    DeltaDisclosure,
    DeltaPresence,
    JournalistRisk,
    KAnonymity,
    LDiversity,
    MarketerRisk,
    PrivacyModel,
    ProsecutorRisk,
    TCloseness,
)
from sqlanon.render import text
from sqlanon.step import quoted

PAPER_TABLES = Path(__file__).parent / "paper_tables"
PAPERS = {
    paper["model"]: paper
    for paper in (yaml.safe_load(file.read_text()) for file in PAPER_TABLES.glob("*.yml"))
}
CASES = [
    pytest.param(
        paper["model"], table, case, id=f"{table['name'].split(',')[0]}-{case['parameters']}"
    )
    for paper in PAPERS.values()
    for table in paper["tables"]
    for case in table["cases"]
]
MODELS = {model.model_fields["model"].default: model for model in PRIVACY_MODELS}


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with quiet_connection() as opened:
        yield opened


# --- paper tables


def test_every_model_has_a_paper_table() -> None:
    assert PAPERS.keys() == MODELS.keys()
    assert {file.stem for file in PAPER_TABLES.glob("*.yml")} == {
        name.replace("-", "_") for name in MODELS
    }


Row = tuple[Value, ...]
"""A class's key, and the sensitive value."""


def text_of(value: Any) -> Value:
    """A value as a publication has it."""
    return None if value is None else str(value)


def counted(counts: dict[Any, int]) -> tuple[Value, ...]:
    """Each value as often as it is counted."""
    return tuple(text_of(value) for value, n in counts.items() for _ in range(n))


def rows_of(table: dict[str, Any]) -> list[Row]:
    """The published rows: as they are listed, or by counts of values in each class."""
    if "rows" in table:
        return [(*map(text_of, row), None) for row in table["rows"]]
    return [
        (*map(text_of, entry["key"]), value)
        for entry in table["classes"]
        for value in counted(entry["values"])
    ]


def tables_of(table: dict[str, Any]) -> Tables:
    """The table as the SQL of models is given it."""
    classes = {}
    for entry in table["classes"]:
        key = tuple(map(text_of, entry["key"]))
        values = tuple(row[-1] for row in rows_of(table) if row[:-1] == key)
        classes[("published", repr(key))] = Class(values, entry.get("population"))
    reference = counted(table["reference"]) if "reference" in table else None
    tree = {
        text_of(value): (text_of(value), *map(str, labels))
        for value, labels in table.get("hierarchy", {}).items()
    }
    return Tables(classes, reference=reference, tree=tree)


def exact(measure: Any) -> Any:
    """A measure to compare with: fractions exactly, numbers of six digits to their last digit."""
    if measure is None:
        return None
    near = 5e-7 if isinstance(measure, float) else 1e-12
    return pytest.approx(float(Fraction(measure) if measure != float("inf") else measure), abs=near)


@pytest.mark.parametrize(("name", "table", "case"), CASES)
def test_paper_table(
    name: str,
    table: dict[str, Any],
    case: dict[str, Any],
    connection: duckdb.DuckDBPyConnection,
) -> None:
    attribute = {"attribute": "value"} if "attribute" in MODELS[name].model_fields else {}
    model = MODELS[name].model_validate({**attribute, **case["parameters"]})
    judged = judge(connection, model, tables_of(table)).values()
    measures = case.get("measures") or [entry["measure"] for entry in table["classes"]]
    found = sorted((j.measure, j.satisfied) for j in judged if j.measure is not None)
    assert len(judged) == len(table["classes"])
    by_class = dict(zip([repr(tuple(map(text_of, e["key"]))) for e in table["classes"]],
                        zip(measures, case["satisfied"], strict=True), strict=True))  # fmt: skip
    assert len(found) == sum(measure is not None for measure in measures)
    for (_, key), verdict in judge(connection, model, tables_of(table)).items():
        measure, satisfied = by_class[str(key)]
        assert verdict.measure == exact(measure), key
        assert verdict.satisfied is satisfied, key


@pytest.mark.parametrize(("name", "table", "case"), CASES)
def test_paper_table_as_a_publication(
    name: str,
    table: dict[str, Any],
    case: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The same table as a file, by `verify`: the deciding measure, and the failing classes."""
    monkeypatch.chdir(tmp_path)
    write_publication(table)
    if "reference" in table:
        return  # a bare table is compared with itself alone
    (finding,) = sqlanon.verify("publication.parquet", plan_of(name, table, case))
    assert finding.measured == exact(case["measured"])
    assert finding.satisfied == all(case["satisfied"])
    assert finding.class_count == len(table["classes"])
    assert finding.failing_classes == case["satisfied"].count(False)


def write_publication(table: dict[str, Any]) -> None:
    """The rows of a paper's table, as text, as a publication would have them; its population."""
    names = [*table["quasi_identifiers"], "value"]
    everybody = [
        (*map(text_of, entry["key"]), None)
        for entry in table["classes"]
        for _ in range(entry.get("population", 0))
    ]
    with duckdb.connect() as opened:
        for file, rows in (("publication", rows_of(table)), ("population", everybody)):
            columns = ", ".join(
                f"unnest(${place}::varchar[]) as {quoted(name)}"
                for place, name in enumerate(names, start=1)
            )
            values = [[row[place] for row in rows] for place in range(len(names))]
            where = text(f"{file}.parquet")
            opened.execute(f"copy (select {columns}) to {where} (format parquet)", values)


def plan_of(name: str, table: dict[str, Any], case: dict[str, Any]) -> dict[str, Any]:
    """A plan with this promise, to verify with; its source is never read."""
    value: dict[str, Any] = {"role": "sensitive"}
    if "hierarchy" in table:
        lines = [";".join(map(str, (leaf, *up))) for leaf, up in table["hierarchy"].items()]
        Path("hierarchy.csv").write_text("\n".join(lines) + "\n")
        value["hierarchy"] = "hierarchy.csv"
    attribute = {"attribute": "value"} if "attribute" in MODELS[name].model_fields else {}
    names = table["quasi_identifiers"]
    population = any("population" in entry for entry in table["classes"])
    return {
        "source": {"query": "select 'nothing' as nothing"},
        "columns": {**dict.fromkeys(names, "quasi-identifier"), "value": value},
        "privacy": [{"model": name, **attribute, **case["parameters"]}],
        "publish": "elsewhere.parquet",
        **({"population": "population.parquet"} if population else {}),
    }


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


def random_worlds(count: int, seed: int) -> list[World]:
    found = random.Random(seed)
    return [random_world(found) for _ in range(count)]


@dataclass(frozen=True)
class Merge:
    """Parts, what they become together, and what the SQL says of each: rows, verdict, excess."""

    parts: list[tuple[Class, bool, int]]
    whole: tuple[Class, bool, int]
    empty_parts: bool

    @property
    def failing_rows(self) -> int:
        return sum(part.size for part, satisfied, _ in self.parts if not satisfied)


def merges(
    connection: duckdb.DuckDBPyConnection, model: PrivacyModel, worlds: list[World]
) -> list[Merge] | list[list[Merge]]:
    """Every coarser class of every world; compared with the table, which no merge changes."""
    return [merge for made in judged_worlds(connection, model, worlds) for merge in made]


def judged_worlds(
    connection: duckdb.DuckDBPyConnection, model: PrivacyModel, worlds: list[World]
) -> list[list[Merge]]:
    """The coarser classes of each world. `scoped` gives each world its own table."""
    classes: dict[tuple[str, Value], Class] = {}
    for number, world in enumerate(worlds):
        for place, part in enumerate(world.parts):
            if part.values:
                classes[(f"{number} fine", f"{place}")] = part
        for group in set(world.groups):
            if world.merged(group).values:
                classes[(f"{number} coarse", f"{group}")] = world.merged(group)
    # Two publications of one world are judged by the same shares: of the rows of either.
    found = {}
    for suppressed in {world.suppressed for world in worlds}:
        same = {f"{n}" for n, world in enumerate(worlds) if world.suppressed == suppressed}
        part = {key: c for key, c in classes.items() if key[0].split()[0] in same}
        tables = Tables(part, suppressed, tree=TREE, scoped=True)
        found |= judge(connection, model, tables, excess=model.bounds_excess)

    def verdict(node: str, name: str) -> tuple[Class, bool, int]:
        judged = found[(node, name)]
        return classes[(node, name)], judged.satisfied, int(judged.excess_rows or 0)

    made = []
    for number, world in enumerate(worlds):
        merged = []
        for group in sorted(set(world.groups)):
            places = [p for p, g in enumerate(world.groups) if g == group]
            full = [f"{p}" for p in places if world.parts[p].values]
            if full:
                parts = [verdict(f"{number} fine", name) for name in full]
                whole = verdict(f"{number} coarse", f"{group}")
                merged.append(Merge(parts, whole, len(full) < len(places)))
        made.append(merged)
    return made
