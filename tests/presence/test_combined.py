"""`combined` against brute force: every subset of the population that fits a bucket."""

from __future__ import annotations

import csv
import itertools
import json
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sqlanon
from sqlanon.errors import HierarchyError, NoSolutionError, PlanError
from sqlanon.presence.decisions import DEFAULT_LIMITS
from sqlanon.privacy_models.promises import Promises
from sqlanon.search.bucket_levels import BucketLevels
from sqlanon.search.partition import PartitionProblem
from tests.plan import plans
from tests.presence.subsets import columns_of, outcomes
from tests.selection import examples
from tests.support.paper_figures import figure, project
from tests.support.tables import write_csv

Person = tuple[str, ...]
Node = tuple[int, ...]

ZIPS = {z: (z, f"{z[:3]}*", "*") for z in ("5370", "5371", "5372", "5373", "6001", "6002")}
AGES = {age: (age, "2x", "*") for age in ("25", "26", "27", "28")}
LABELS: tuple[Mapping[str, tuple[str, ...]], ...] = (ZIPS, AGES)


def plan_of(
    population: Sequence[Person], members: Sequence[int], dmin: float, dmax: float, **others: Any
) -> Path:
    """A plan for the persons who are in the table; salaries are their numbers."""
    write_csv("population.csv", [("zip", "age"), *population])
    rows = [(*population[number], f"{number}k") for number in members]
    write_csv("table.csv", [("zip", "age", "salary"), *rows])
    for name, labels in (("zip", ZIPS), ("age", AGES)):
        write_csv(f"{name}.csv", list(labels.values()))
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
    path = Path("plan.yml")
    path.write_text(json.dumps(content), encoding="utf-8")  # JSON is YAML
    return path


def chances(persons: Sequence[Person], counts: Sequence[Counter[str]]) -> list[Fraction]:
    """For each person the share of the subsets with these counts that he is in."""
    found = outcomes(persons, counts)
    assert found, "the population lacks members"
    members = Counter(number for chosen in found for number in chosen)
    return [Fraction(members[number], len(found)) for number in range(len(persons))]


def generalized(person: Person, node: Node) -> Person:
    """The person's labels at the node."""
    return tuple(labels[v][n] for labels, v, n in zip(LABELS, person, node, strict=True))


def published_buckets() -> list[list[Person]]:
    """The quasi-identifier labels of each bucket."""
    with open("published.csv", encoding="utf-8") as file:
        rows = sorted((row["bucket"], row["zip"], row["age"]) for row in csv.DictReader(file))
    return [[row[1:] for row in own] for _, own in itertools.groupby(rows, lambda row: row[0])]


def chances_in(
    bucket: Sequence[Person], population: Sequence[Person]
) -> tuple[Node, list[int], list[Fraction]]:
    """The bucket's node, the persons who match it, and each one's chance, from its labels alone."""
    columns = columns_of(bucket)
    node = tuple(  # the lowest level that all labels of a column could be of
        next(n for n in range(3) if set(column) <= {label[n] for label in labels.values()})
        for column, labels in zip(columns, LABELS, strict=True)
    )
    shown = [generalized(person, node) for person in population]
    matching = [
        number
        for number, person in enumerate(shown)
        if all(value in column for value, column in zip(person, columns, strict=True))
    ]
    return node, matching, chances([shown[n] for n in matching], columns)


def test_labels_of_two_levels_in_one_bucket_prove_nothing() -> None:
    """Half of ten persons are in, but 6002 is that of one person, who is in for certain."""
    population = [*[("5370", "27")] * 9, ("6002", "27")]
    plan = plan_of(population, range(5), 0.1, 0.9)
    rows = [("zip", "age", "salary", "bucket"), *[("*", "27", f"{n}k", "1") for n in range(5)]]
    write_csv("known.csv", rows)
    (finding,) = sqlanon.verify("known.csv", plan)
    assert (finding.satisfied, finding.measured) == (True, 0.5)
    write_csv("mixed.csv", [*rows[:-1], ("6002", "27", "4k", "1")])
    assert not sqlanon.verify("mixed.csv", plan)[0].satisfied


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[Person], list[int], tuple[float, float]]:
    persons: st.SearchStrategy[Person] = st.tuples(
        st.sampled_from(sorted(ZIPS)), st.sampled_from(sorted(AGES))
    )
    population = draw(st.lists(persons, min_size=3, max_size=12))
    members = draw(st.sets(st.integers(0, len(population) - 1), min_size=1, max_size=8))
    bounds = draw(st.sampled_from([(0, 0.5), (0, 0.8), (0.1, 0.9), (0.25, 0.75), (0, 0.99)]))
    return population, sorted(members), bounds


METHODS: list[dict[str, Any]] = [
    {"name": "combined"},
    {"name": "combined", "tries": 1},  # from the highest labels down
    {"name": "combined", "tries": 2, "states": 1},  # almost nothing is counted
    {"name": "combined", "partition": "k-mondrian"},
    {"name": "combined", "partition": "k-mondrian", "tries": 1, "execution": "rounds"},
]


@pytest.mark.parametrize("method", METHODS, ids=str)
@examples(25)
@given(table=tables())
def test_nobody_is_in_a_bucket_too_surely(
    method: dict[str, Any], table: tuple[list[Person], list[int], tuple[float, float]]
) -> None:
    population, members, (dmin, dmax) = table
    plan = plan_of(population, members, dmin, dmax, method=method)
    low, high = Fraction(str(dmin)), Fraction(str(dmax))
    if not low <= Fraction(len(members), len(population)) <= high:
        with pytest.raises(NoSolutionError):
            sqlanon.solve(plan)
        return
    Path("published.solution.json").unlink(missing_ok=True)  # of an earlier example
    k = sqlanon.run(plan, sqlanon.Options(overwrite=True)).manifest["solution"]["k"]
    buckets = published_buckets()
    assert sum(map(len, buckets)) == len(members)
    seen: Counter[int] = Counter()
    total = Fraction(0)
    for bucket in buckets:
        node, matching, found = chances_in(bucket, population)
        assert all(low <= chance <= high for chance in found)
        seen.update(matching)
        total += sum(found)
        if "states" in method:  # what is not counted may be finer than it is published
            continue
        # no node below does: by height, or, of other ways to it, by one level of one column
        below: Sequence[Node] = [
            other
            for other in itertools.product(range(node[0] + 1), range(node[1] + 1))
            if sum(other) < sum(node) and (len(method) == 1 or sum(other) == sum(node) - 1)
        ]
        for other in below:
            finer = finer_chances(other, matching, population, members)
            assert not finer or not all(low <= chance <= high for chance in finer), (node, other)
    assert max(seen.values()) == 1  # nobody matches two buckets
    assert total == len(members)
    if dmin:
        assert len(seen) == len(population)
    if method.get("partition") == "k-mondrian":
        # cut by class size alone: no bucket is smaller, and the plan asks for no size
        assert k <= min(map(len, buckets), default=k) or len(buckets) == 1
    else:
        assert k is None


def finer_chances(
    node: Node, matching: Sequence[int], population: Sequence[Person], members: Sequence[int]
) -> list[Fraction]:
    """The chances of a bucket's persons at another node; none, if it leaves somebody out."""
    rows = [generalized(population[n], node) for n in members if n in matching]
    shown = [generalized(population[n], node) for n in matching]
    try:
        return chances(shown, columns_of(rows))
    except AssertionError:
        return []


@pytest.mark.sampled(0.1)
@pytest.mark.parametrize(
    ("k", "persons", "inside"), [(6, 30_162, 2_000), (16, 30_162, 2_000), (64, 10_000, 1_000)]
)
def test_thousands_of_adult_in_large_buckets(
    adult: Path, k: int, persons: int, inside: int
) -> None:
    """Nine attributes: counting alone ends nowhere at these sizes; of 6, one is near the limit."""
    with (adult / "adult.csv").open(encoding="utf-8") as file:
        names, *everybody = itertools.islice(csv.reader(file, delimiter=";"), persons + 1)
    members = random.Random(1).sample(everybody, inside)
    write_csv("population.csv", [names, *everybody])
    write_csv("table.csv", [(*names, "secret"), *((*r, str(n)) for n, r in enumerate(members))])
    columns: dict[str, Any] = {
        name: {"role": "quasi-identifier", "hierarchy": str(adult / f"adult_hierarchy_{name}.csv")}
        for name in names
    }
    presence = {"model": "delta-presence", "dmin": 0, "dmax": 0.9}
    keys = {"privacy": [{"model": "k-anonymity", "k": k}, presence], "method": "combined"}
    columns["secret"] = "sensitive"
    plan = plans.plan_of(columns, "table.csv", population="population.csv", **keys)
    result = sqlanon.run(plan)
    assert all(finding["satisfied"] for finding in result.manifest["privacy"])
    shown = result.records()
    sizes = Counter(row["bucket"] for row in shown)
    assert sizes.total() == inside
    assert min(sizes.values()) >= k
    # no bucket was given up: each has a column with several labels
    labels = {(row["bucket"], name, row[name]) for row in shown for name in names}
    several = Counter((bucket, name) for bucket, name, _ in labels)
    assert {bucket for (bucket, _), count in several.items() if count > 1} == set(sizes)


# Figures 5.2 to 5.4 of the thesis: the tables of figures 2.1 and 2.2. At <Z0, A0> Sara, Bob and
# Amanda are sure to be in; the node <Z1, A0> holds 3/4 and 5/6.
POPULATION: list[Person] = project(figure("CPH figure 2.2").rows(), "zip", "age")
NAMES = [name for (name,) in project(figure("CPH figure 2.2").rows(), "name")]
MEMBERS = [NAMES.index(name) for (name,) in project(figure("CPH figure 2.1").rows(), "name")]


def test_thesis_figures_5_2_to_5_4() -> None:
    found = chances(POPULATION, columns_of([POPULATION[n] for n in MEMBERS]))
    sure = {name for name, chance in zip(NAMES, found, strict=True) if chance == 1}
    assert sure == {"Sara", "Bob", "Amanda"}
    presence = {"model": "delta-presence", "dmin": 0.1, "dmax": 0.9}
    privacy = [presence, {"model": "k-anonymity", "k": 4}]
    result = sqlanon.run(plan_of(POPULATION, MEMBERS, 0.1, 0.9, privacy=privacy))
    (bucket,) = published_buckets()
    node, matching, found = chances_in(bucket, POPULATION)
    assert node == (1, 0)
    assert len(matching) == 10
    assert set(found) == {Fraction(3, 4), Fraction(5, 6)}
    utility = result.manifest["utility"]
    assert (utility["average_generalization"], utility["discernibility"]) == (8, 64)
    measured = result.manifest["privacy"][0]
    sides = {"dmin": pytest.approx(3 / 4), "dmax": pytest.approx(5 / 6)}
    assert (measured["measured"], measured["measured_sides"]) == (sides["dmax"], sides)


def test_plans_that_are_refused() -> None:
    """Without delta-presence; with a number that would not be cut along its hierarchy."""
    with pytest.raises(PlanError, match="generalizes only for"):
        sqlanon.check(
            plan_of(POPULATION, MEMBERS, 0, 1, privacy=[{"model": "k-anonymity", "k": 2}])
        )
    with pytest.raises(PlanError, match="along its hierarchy"):
        sqlanon.run(plan_of(POPULATION, MEMBERS, 0, 1, age={"type": "numeric"}))


@pytest.mark.parametrize(
    ("cities", "labels"),
    [
        ([("Gent", "Gent"), ("Brugge", "Gent"), ("Luik", "Wallonie")], 1),
        ([("*", "Gent"), ("Luik", "Wallonie")], 1),
        ([("Gent", "Luik"), ("Luik", "Gent")], 2),
        ([("Monaco", "Monaco"), ("Luik", "Wallonie")], 0),
    ],
)
def test_a_label_says_the_same_at_every_level(
    cities: Sequence[tuple[str, str]], labels: int
) -> None:
    """A bucket has levels of its own, and its labels do not show them."""
    persons = [(zip_code, city) for zip_code in ("5370", "5371") for city, _ in cities]
    plan = plan_of(persons * 2, range(len(persons)), 0, 0.9)
    write_csv("age.csv", [(*city, "*") for city in [*cities, ("not there", "Luik")]])
    if not labels:
        assert sqlanon.run(plan).manifest["published"]["rows"] == len(persons)
        return
    with pytest.raises(HierarchyError, match=rf"^.* {labels} label\(s\) of 'age' stand") as refused:
        sqlanon.run(plan)
    assert not any(name in str(refused.value) for city in cities for name in city if name != "*")
    assert not Path("published.csv").exists()


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
