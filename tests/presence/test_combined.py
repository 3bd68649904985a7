"""`combined` against brute force: every subset of the population that fits a bucket."""

from __future__ import annotations

import csv
import json
import random
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sqlanon
from sqlanon.errors import HierarchyError, NoSolutionError, PlanError
from sqlanon.presence.decisions import DEFAULT_LIMITS
from sqlanon.privacy_models.promises import Promises
from sqlanon.search.bucket_levels import BucketLevels
from sqlanon.search.partition import PartitionProblem
from tests.paths import TESTS
from tests.selection import example_count
from tests.support.paper_figures import figure, project

Person = tuple[str, ...]
Node = tuple[int, ...]

ZIPS = {z: (z, f"{z[:3]}*", "*") for z in ("5370", "5371", "5372", "5373", "6001", "6002")}
AGES = {age: (age, "2x", "*") for age in ("25", "26", "27", "28")}
LABELS: tuple[Mapping[str, tuple[str, ...]], ...] = (ZIPS, AGES)


def write(folder: Path, name: str, rows: Sequence[Sequence[str]]) -> None:
    with (folder / name).open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)


def plan_of(folder: Path, population: Sequence[Person], members: Sequence[int],
            dmin: float, dmax: float, **others: Any) -> Path:  # fmt: skip
    """A plan for the persons who are in the table; salaries are their numbers."""
    write(folder, "population.csv", [("zip", "age"), *population])
    rows = [(*population[number], f"{number}k") for number in members]
    write(folder, "table.csv", [("zip", "age", "salary"), *rows])
    for name, labels in (("zip", ZIPS), ("age", AGES)):
        write(folder, f"{name}.csv", list(labels.values()))
    content = {
        "source": "table.csv",
        "population": "population.csv",
        "columns": {
            "zip": {"role": "quasi-identifier", "hierarchy": "zip.csv"},
            "age": {"role": "quasi-identifier", "hierarchy": "age.csv", **others.pop("age", {})},
            "salary": "sensitive",
        },
        "privacy": [{"model": "delta-presence", "dmin": dmin, "dmax": dmax}],
        "method": "combined",
        "publish": "published.csv",
        **others,
    }
    path = folder / "plan.yml"
    path.write_text(json.dumps(content), encoding="utf-8")  # JSON is YAML
    return path


def chances(persons: Sequence[Person], counts: Sequence[Counter[str]]) -> list[Fraction]:
    """For each person the share of the subsets with these counts that he is in."""
    size = sum(counts[0].values())
    found = 0
    hits = [0] * len(persons)
    for chosen in combinations(range(len(persons)), size):
        if all(Counter(persons[n][i] for n in chosen) == c for i, c in enumerate(counts)):
            found += 1
            for number in chosen:
                hits[number] += 1
    assert found, "the population lacks members"
    return [Fraction(hit, found) for hit in hits]


def generalized(person: Person, node: Node) -> Person:
    """The person's labels at the node."""
    return tuple(
        labels[value][level] for labels, value, level in zip(LABELS, person, node, strict=True)
    )


def published_buckets(path: Path) -> dict[str, list[Person]]:
    """The quasi-identifier labels of each bucket."""
    buckets: dict[str, list[Person]] = defaultdict(list)
    with path.open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            buckets[row["bucket"]].append((row["zip"], row["age"]))
    return buckets


def level_of(labels: set[str], hierarchy: Mapping[str, tuple[str, ...]]) -> int:
    """The level that all labels are of; the lowest one that could be."""
    return next(level for level in range(3) if labels <= {v[level] for v in hierarchy.values()})


def chances_in(
    bucket: Sequence[Person], population: Sequence[Person]
) -> tuple[Node, list[int], list[Fraction]]:
    """The bucket's node, the persons who match it, and each one's chance, from its labels alone."""
    columns = [Counter(column) for column in zip(*bucket, strict=True)]
    node = tuple(level_of(set(c), LABELS[i]) for i, c in enumerate(columns))
    shown = [generalized(person, node) for person in population]
    matching = [
        number
        for number, person in enumerate(shown)
        if all(value in column for value, column in zip(person, columns, strict=True))
    ]
    return node, matching, chances([shown[n] for n in matching], columns)


def test_labels_of_two_levels_in_one_bucket_prove_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half of ten persons are in, but 6002 is that of one person, who is in for certain."""
    monkeypatch.chdir(tmp_path)
    population = [*[("5370", "27")] * 9, ("6002", "27")]
    plan = plan_of(tmp_path, population, range(5), 0.1, 0.9)
    rows = [("zip", "age", "salary", "bucket"), *[("*", "27", f"{n}k", "1") for n in range(5)]]
    write(tmp_path, "known.csv", rows)
    (finding,) = sqlanon.verify("known.csv", plan)
    assert (finding.satisfied, finding.measured) == (True, 0.5)
    write(tmp_path, "mixed.csv", [*rows[:-1], ("6002", "27", "4k", "1")])
    (finding,) = sqlanon.verify("mixed.csv", plan)
    assert not finding.satisfied


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[Person], list[int], tuple[float, float]]:
    persons: st.SearchStrategy[Person] = st.tuples(
        st.sampled_from(sorted(ZIPS)), st.sampled_from(sorted(AGES))
    )
    population = draw(st.lists(persons, min_size=3, max_size=12))
    members = draw(st.sets(st.integers(0, len(population) - 1), min_size=1, max_size=8))
    bounds = draw(st.sampled_from([(0, 0.5), (0, 0.8), (0.1, 0.9), (0.25, 0.75), (0, 0.99)]))
    return population, sorted(members), bounds


@settings(
    max_examples=example_count(40), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
@given(table=tables())
def test_nobody_is_in_a_bucket_too_surely(
    table: tuple[list[Person], list[int], tuple[float, float]], tmp_path_factory: Any
) -> None:
    population, members, (dmin, dmax) = table
    folder = tmp_path_factory.mktemp("combined")
    plan = plan_of(folder, population, members, dmin, dmax)
    whole = Fraction(len(members), len(population))
    if not Fraction(str(dmin)) <= whole <= Fraction(str(dmax)):
        with pytest.raises(NoSolutionError):
            sqlanon.run(plan)
        return
    sqlanon.run(plan)
    buckets = published_buckets(folder / "published.csv")
    low, high = Fraction(str(dmin)), Fraction(str(dmax))
    assert sum(map(len, buckets.values())) == len(members)
    seen: Counter[int] = Counter()
    total = Fraction(0)
    for bucket in buckets.values():
        node, matching, found = chances_in(bucket, population)
        assert all(low <= chance <= high for chance in found)
        seen.update(matching)
        total += sum(found)
        # no node below by height does: every finer one of the same persons leaves somebody out
        for other in product(range(node[0] + 1), range(node[1] + 1)):
            if sum(other) < sum(node):
                held = [n for n in members if n in matching]
                rows = [generalized(population[n], other) for n in held]
                shown = [generalized(population[n], other) for n in matching]
                counts = [Counter(column) for column in zip(*rows, strict=True)]
                try:
                    finer = chances(shown, counts)
                except AssertionError:
                    continue
                assert not all(low <= chance <= high for chance in finer), (node, other)
    assert max(seen.values()) == 1  # nobody matches two buckets
    assert total == len(members)
    if dmin:
        assert len(seen) == len(population)


METHODS: list[dict[str, Any]] = [
    {"name": "combined", "tries": 1},  # from the highest labels down
    {"name": "combined", "tries": 2, "states": 1},  # almost nothing is counted
    {"name": "combined", "partition": "k-mondrian"},
    {"name": "combined", "partition": "k-mondrian", "tries": 1, "execution": "rounds"},
]


@settings(
    max_examples=example_count(25), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
@given(table=tables(), method=st.sampled_from(METHODS))
def test_no_way_to_a_node_lets_anybody_be_in_too_surely(
    table: tuple[list[Person], list[int], tuple[float, float]],
    method: dict[str, Any],
    tmp_path_factory: Any,
) -> None:
    population, members, (dmin, dmax) = table
    low, high = Fraction(str(dmin)), Fraction(str(dmax))
    if not low <= Fraction(len(members), len(population)) <= high:
        return
    folder = tmp_path_factory.mktemp("combined")
    plan = plan_of(folder, population, members, dmin, dmax, method=method)
    found = sqlanon.run(plan).manifest["solution"]["k"]
    buckets = published_buckets(folder / "published.csv")
    total = Fraction(0)
    for bucket in buckets.values():
        node, matching, held = chances_in(bucket, population)
        assert all(low <= chance <= high for chance in held)
        total += sum(held)
        if "states" in method:  # what is not counted may be finer than it is published
            continue
        # the published labels cannot go down by one level in any single column
        for column, level in enumerate(node):
            if level == 0:
                continue
            finer = (*node[:column], level - 1, *node[column + 1 :])
            rows = [generalized(population[n], finer) for n in members if n in matching]
            counts = [Counter(labels) for labels in zip(*rows, strict=True)]
            shown = [generalized(population[n], finer) for n in matching]
            inside = chances(shown, counts)
            assert not all(low <= chance <= high for chance in inside), (node, finer)
    assert total == len(members)
    if method.get("partition") == "k-mondrian":
        # cut by class size alone: no bucket is smaller, and the plan asks for no size
        assert found <= min(map(len, buckets.values()), default=found) or len(buckets) == 1
    else:
        assert found is None


ADULT = TESTS / "data/adult"
NINE = (
    "age", "sex", "race", "marital-status", "education", "native-country", "workclass",
    "occupation", "salary-class",
)  # fmt: skip


@pytest.mark.sampled(0.1)
@pytest.mark.parametrize("k", [6, 16, 64])  # at 6 a count is near the limit of states
def test_two_thousand_of_adult_in_large_buckets(k: int, tmp_path: Path) -> None:
    """Nine attributes, all of Adult as population: counting alone ends nowhere at these sizes."""
    with (ADULT / "adult.csv").open(encoding="utf-8") as file:
        everybody = [tuple(r[c] for c in NINE) for r in csv.DictReader(file, delimiter=";")]
    members = random.Random(1).sample(everybody, 2_000)
    write(tmp_path, "population.csv", [NINE, *everybody])
    write(
        tmp_path, "table.csv", [(*NINE, "secret"), *((*r, str(n)) for n, r in enumerate(members))]
    )
    columns: dict[str, Any] = {
        name: {
            "role": "quasi-identifier",
            "hierarchy": {"file": str(ADULT / f"adult_hierarchy_{name}.csv")},
        }
        for name in NINE
    }
    content = {
        "source": "table.csv",
        "population": "population.csv",
        "columns": columns | {"secret": "sensitive"},
        "privacy": [
            {"model": "k-anonymity", "k": k},
            {"model": "delta-presence", "dmin": 0, "dmax": 0.9},
        ],
        "method": "combined",
        "publish": "published.csv",
    }
    plan = tmp_path / "plan.yml"
    plan.write_text(json.dumps(content), encoding="utf-8")
    result = sqlanon.run(plan)
    assert all(finding["satisfied"] for finding in result.manifest["privacy"])
    with (tmp_path / "published.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    sizes = Counter(row["bucket"] for row in rows)
    assert sum(sizes.values()) == 2_000
    assert min(sizes.values()) >= k
    # no bucket was given up: each has a column with several labels
    labels = {(row["bucket"], name, row[name]) for row in rows for name in NINE}
    several = Counter((bucket, name) for bucket, name, _ in labels)
    assert {bucket for (bucket, _), count in several.items() if count > 1} == set(sizes)


# Figures 5.2 to 5.4 of the thesis: the tables of figures 2.1 and 2.2. At <Z0, A0> Sara, Bob and
# Amanda are sure to be in; the node <Z1, A0> holds 3/4 and 5/6.
POPULATION: list[Person] = project(figure("CPH figure 2.2").rows(), "zip", "age")
NAMES = [name for (name,) in project(figure("CPH figure 2.2").rows(), "name")]
MEMBERS = [NAMES.index(name) for (name,) in project(figure("CPH figure 2.1").rows(), "name")]


def test_thesis_figures_5_2_to_5_4(tmp_path: Path) -> None:
    counts = [Counter(c) for c in zip(*(POPULATION[n] for n in MEMBERS), strict=True)]
    found = chances(POPULATION, counts)
    sure = {name for name, chance in zip(NAMES, found, strict=True) if chance == 1}
    assert sure == {"Sara", "Bob", "Amanda"}
    plan = plan_of(
        tmp_path, POPULATION, MEMBERS, 0.1, 0.9,
        privacy=[{"model": "delta-presence", "dmin": 0.1, "dmax": 0.9},
                 {"model": "k-anonymity", "k": 4}],
    )  # fmt: skip
    result = sqlanon.run(plan)
    (bucket,) = published_buckets(tmp_path / "published.csv").values()
    node, matching, found = chances_in(bucket, POPULATION)
    assert node == (1, 0)
    assert len(matching) == 10
    assert set(found) == {Fraction(3, 4), Fraction(5, 6)}
    program = (result.target / "sql/program.sql").read_text(encoding="utf-8")
    assert "-- not here  who is in the table is counted by `sqlanon run`" in program
    utility = result.manifest["utility"]
    assert (utility["average_generalization"], utility["discernibility"]) == (8, 64)
    presence = result.manifest["privacy"][0]
    assert presence["model"] == "delta-presence"
    assert presence["measured"] == pytest.approx(5 / 6)
    assert presence["measured_sides"] == {
        "dmin": pytest.approx(3 / 4),
        "dmax": pytest.approx(5 / 6),
    }
    assert presence["satisfied"]


def test_delta_presence_must_be_promised(tmp_path: Path) -> None:
    only_k = [{"model": "k-anonymity", "k": 2}]
    plan = plan_of(tmp_path, POPULATION, MEMBERS, 0.1, 0.9, privacy=only_k)
    with pytest.raises(PlanError, match="generalizes only for"):
        sqlanon.run(plan)


def test_a_number_is_cut_along_its_hierarchy(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, POPULATION, MEMBERS, 0.1, 0.9, age={"type": "numeric"})
    with pytest.raises(PlanError, match="along its hierarchy"):
        sqlanon.run(plan)


@pytest.mark.parametrize(
    ("cities", "labels"),
    [
        ([("Gent", "Gent"), ("Brugge", "Gent"), ("Luik", "Wallonie")], 1),
        ([("*", "Gent"), ("Luik", "Wallonie")], 1),
        ([("*", "*"), ("Luik", "*")], 1),
        ([("Gent", "Luik"), ("Luik", "Gent")], 2),
        ([("Monaco", "Monaco"), ("Luik", "Wallonie")], 0),
    ],
)
def test_a_label_says_the_same_at_every_level(
    tmp_path: Path, cities: Sequence[tuple[str, str]], labels: int
) -> None:
    """A bucket has levels of its own, and its labels do not tell them."""
    persons = [(zip_code, city) for zip_code in ("5370", "5371") for city, _ in cities]
    plan = plan_of(tmp_path, persons * 2, range(len(persons)), 0, 0.9)
    write(tmp_path, "age.csv", [(*city, "*") for city in [*cities, ("not there", "Luik")]])
    if not labels:
        assert sqlanon.run(plan).manifest["published"]["rows"] == len(persons)
        return
    with pytest.raises(HierarchyError, match=rf"^.* {labels} label\(s\) of 'age' stand") as refused:
        sqlanon.run(plan)
    assert not any(name in str(refused.value) for city in cities for name in city if name != "*")
    assert not (tmp_path / "published.csv").exists()


@pytest.mark.parametrize(
    ("dmin", "dmax", "does"), [("0", "1", True), ("0", "0.9", False), ("0.1", "1", False)]
)
def test_every_chance_is_counted_though_labels_do_one_by_one(
    dmin: str, dmax: str, does: bool
) -> None:
    """Candidates (0, 0), (1, 1) and (0, 1); of each label one row is published. No one is (1, 0),
    so that the first two are in the table for certain, and the third is not."""
    levels = BucketLevels(PartitionProblem((), Promises(())), Decimal(dmin), Decimal(dmax))
    cells = [(0, 0, 1, 1), (1, 1, 1, 1), (0, 1, 1, 0)]
    assert levels._holds(cells, DEFAULT_LIMITS.states) is does
