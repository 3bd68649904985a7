"""Rows dealt and cut into buckets, permuted, and published: beside brute force and closed forms.

Where chance is tested, the seeds are fixed, and the bound is a tail of the distribution that a fair
shuffle has: `UNLIKELY` by chance alone.
"""

from __future__ import annotations

import csv
import itertools
import math
import random
import shutil
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import sqlanon
from sqlanon import Options, RunResult
from sqlanon.errors import NoSolutionError, PlanError, PrivacyViolation, PublishError
from sqlanon.program.program import Program
from sqlanon.search.dealing import anatomy_turns
from tests.methods import test_bucket_faults
from tests.oracles import dealing as oracle
from tests.plan.plans import plan_of
from tests.selection import examples
from tests.support.paper_figures import figure
from tests.support.secret_texts import SEED, SEED_VARIABLE, secret_text
from tests.support.tables import feed, write_records

PlanMapping = dict[str, Any]
Row = dict[str, Any]

UNLIKELY = 1e-7
F = (167, 153, 127, 103, 91, 89)
"""The frequencies of the diseases in the paper."""
METHODS = ("stack-and-deal", "bucketization", "anatomy")


@pytest.fixture
def folder(folder: Path) -> Path:
    """An own folder, the current one, with a source."""
    (folder / "open").mkdir()
    write_records(people([15, 15, 15, 10]))
    return folder


def people(counts: Sequence[int], seed: int = 1) -> list[Row]:
    """A table with so many rows of each illness; ids are unique, all rows in an order of chance."""
    draw = random.Random(seed)
    rows = [
        {"age": str(draw.randint(20, 79)), "city": draw.choice("ABCDE"), "illness": f"illness {v}"}
        for v, count in enumerate(counts)
        for _ in range(count)
    ]
    draw.shuffle(rows)
    return [{"id": f"p{n:05d}", **row} for n, row in enumerate(rows)]


BOTH = ("open/published.csv", "open/published_values.csv")


def plan(method: str | PlanMapping, k: int = 3, **keys: Any) -> PlanMapping:
    """A plan over `people`; `keys` are keys of the plan, and override."""
    columns = {
        "id": "insensitive",
        "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [10, 20]}},
        "city": {"role": "quasi-identifier", "type": "ordinal"},
        "illness": "sensitive",
    }
    made = plan_of(columns, "rows.csv", privacy=[{"model": "k-anonymity", "k": k}], method=method)
    return made | {"publish": BOTH[0]} | keys


def run(planned: PlanMapping | str, options: Options | None = None, **others: Any) -> RunResult:
    return sqlanon.run(planned, replace(options or Options(), overwrite=True), **others)


def changed(planned: PlanMapping, **roles: Any) -> PlanMapping:
    """The plan with other roles of columns."""
    return {**planned, "columns": {**planned["columns"], **roles}}


def diverse(method: str | PlanMapping, distinct: int = 3, **keys: Any) -> PlanMapping:
    model = {"model": "l-diversity", "kind": "distinct", "l": distinct}
    return plan(method, privacy=[model], **keys)


def read_texts(file: str) -> list[Row]:
    with Path(file).open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def read(place: str = BOTH[0]) -> list[Row]:
    """The rows of a publication, in its order; buckets and counts as numbers."""
    names, rows = test_bucket_faults.read(place)
    numbers = {"bucket", "row_count"}
    return [
        {n: int(str(v)) if n in numbers else v for n, v in zip(names, row, strict=True)}
        for row in rows
    ]


def by_bucket(rows: Sequence[Row]) -> dict[int, list[Row]]:
    """Rows by their bucket; buckets are numbered from 1, none is left out."""
    found: dict[int, list[Row]] = defaultdict(list)
    for row in rows:
        found[row["bucket"]].append(row)
    assert sorted(found) == list(range(1, len(found) + 1))
    return found


def spread(buckets: Sequence[Mapping[Any, int]]) -> int:
    values = {value for bucket in buckets for value in bucket}
    return max(
        max(b.get(v, 0) for b in buckets) - min(b.get(v, 0) for b in buckets) for v in values
    )


def counted(rows: Sequence[Row], *names: str) -> Counter[tuple[Any, ...]]:
    return Counter(tuple(row[name] for name in names) for row in rows)


def dealt(rows: Sequence[Row]) -> dict[int, Counter[int]]:
    return {
        bucket: Counter(int(row["illness"].split()[1]) for row in of)
        for bucket, of in by_bucket(rows).items()
    }


def check_measures(
    result: RunResult, buckets: Mapping[int, Counter[int]], table: Mapping[int, int]
) -> list[float]:
    """What is reported of each bucket, and of all; their distances from the table."""
    distances = {bucket: float(oracle.distance(of, table)) for bucket, of in buckets.items()}
    listed = read_texts("target/published/bucket_distances.csv")
    assert [int(row["bucket"]) for row in listed] == list(buckets)
    assert [float(row["distance"]) for row in listed] == pytest.approx(list(distances.values()))
    sizes = [(str(of.total()), str(len(of))) for of in buckets.values()]
    assert [(row["rows"], row["distinct_values"]) for row in listed] == sizes
    wanted = {
        "discernibility": sum(of.total() ** 2 for of in buckets.values()),
        "mean_distance": sum(distances.values()) / len(buckets),
        "fewest_values": min(map(len, buckets.values())),
        "largest_distance": max(distances.values()),
    }
    utility = result.manifest["utility"]
    assert {name: utility[name] for name in wanted} == pytest.approx(wanted)
    return list(distances.values())


def measured_by(result: RunResult) -> list[float]:
    return [promise["measured"] for promise in result.manifest["privacy"]]


# --- Stack-and-Deal


@pytest.mark.sampled(0.25)
@pytest.mark.parametrize(
    ("k", "fewest"),
    [(int(row["k"]), int(row["diversity"])) for row in figure("Stack and Deal figure 1").rows()],
)
def test_frequencies_of_the_paper(k: int, fewest: int, folder: Path) -> None:
    write_records(people(F))
    result = run(plan("stack-and-deal", k))
    buckets = list(dealt(read()).values())
    assert buckets == oracle.stack_and_deal(F, k)  # F has no ties
    assert len(buckets) == result.manifest["solution"]["classes"]
    assert min(map(len, buckets)) == fewest


@examples(20)
@given(st.lists(st.integers(1, 30), min_size=1, max_size=8), st.integers(2, 12))
@example([1, 1], 2)
@example([30, 1, 1], 2)
@example([9, 5, 3], 9)  # 8 rows are left of the only bucket
@example([9, 5, 3], 6)
def test_any_frequencies_are_dealt_evenly(folder: Path, counts: list[int], k: int) -> None:
    source = people(counts)
    write_records(source)
    if sum(counts) < k:
        with pytest.raises(NoSolutionError):
            run(plan("stack-and-deal", k))
        return
    closeness = {"model": "t-closeness", "distance": "equal", "t": 1}
    result = run(plan("stack-and-deal", privacy=[{"model": "k-anonymity", "k": k}, closeness]))
    rows = read()
    assert counted(rows, "id", "age", "city") == counted(source, "id", "age", "city")
    assert counted(rows, "illness") == counted(source, "illness")
    buckets = dealt(rows)
    assert len(buckets) == sum(counts) // k
    sizes = [of.total() for of in buckets.values()]
    assert max(sizes) - min(sizes) <= 1
    assert spread(list(buckets.values())) <= 1
    distances = check_measures(result, buckets, dict(enumerate(counts)))
    assert measured_by(result) == pytest.approx([min(sizes), max(distances)])
    expected = oracle.stack_and_deal(counts, k)
    assert sorted(map(len, expected)) == sorted(map(len, buckets.values()))


@pytest.mark.parametrize(("ends", "labels"), [("exact", 21), ("grid", 4)])
def test_classes_have_the_labels_of_their_rows(ends: str, labels: int, folder: Path) -> None:
    """From the youngest to the oldest, or between the lines of the finest interval around them.

    A column of the source may be called `bucket`, as classes need none.
    """
    source = [{**row, "bucket": row["city"]} for row in people(F)]
    write_records([{n: v for n, v in row.items() if n != "city"} for row in source])
    method = {"name": "stack-and-deal", "publish_as": "classes", "bounds": True, "ends": ends}
    planned = changed(plan(method, 9), bucket="insensitive")
    del planned["columns"]["city"]
    run(planned)
    rows = read_texts(BOTH[0])
    assert set(rows[0]) == {"id", "age", "age_lo", "age_hi", "bucket", "illness"}
    assert counted(rows, "id", "bucket", "illness") == counted(source, "id", "bucket", "illness")
    ages = {row["id"]: float(row["age"]) for row in source}
    groups: dict[tuple[float, float], list[Row]] = defaultdict(list)
    for row in rows:  # classes with the same label look like one
        groups[float(row["age_lo"]), float(row["age_hi"])].append(row)
    for label, group in groups.items():
        youngest, oldest = (of(ages[row["id"]] for row in group) for of in (min, max))
        if ends == "grid":
            youngest, oldest = youngest // 10 * 10, oldest // 10 * 10 + 10
        assert (youngest, oldest) == label
        values, buckets = Counter(row["illness"] for row in group), len(group) // 9
        for v, count in enumerate(F):
            least, most = count // 81, -(-count // 81)
            assert buckets * least <= values[f"illness {v}"] <= buckets * most
    assert len(groups) >= labels


def test_classes_are_dealt_as_buckets_are(folder: Path) -> None:
    """The classes of a program, by their number, which no publication tells."""
    write_records(people(F))
    planned = plan({"name": "stack-and-deal", "publish_as": "classes"}, 9)
    planned["columns"]["age"]["grid"] = 10  # else only data tell which
    with fed(sqlanon.compile(planned)[0]) as connection:
        rows = connection.execute(
            "select bucket, illness from sqlanon.dealt_rows natural join sqlanon.row_combinations"
        ).fetchall()
    buckets = dealt([{"bucket": bucket, "illness": illness} for bucket, illness in rows])
    assert [buckets[n + 1] for n in range(81)] == oracle.stack_and_deal(F, 9)


@examples(20)
@given(st.lists(st.tuples(st.sampled_from("ABCDEF"), st.integers(0, 4)), min_size=2, max_size=90),
       st.integers(2, 9))  # fmt: skip
@example([("A", 0)] * 5 + [("B", 0)] * 2, 4)  # the small stratum takes the only other one in
@example([("A", 0)] * 9 + [("B", 1)] * 6 + [("C", 1)] * 2 + [("D", 0)], 4)  # the smallest of two
@example([("A", 0)] * 9 + [("B", 1)] * 2 + [("C", 1)] * 2, 4)  # the small ones are enough
def test_within_deals_only_alike_rows_together(
    folder: Path, drawn: list[tuple[str, int]], k: int
) -> None:
    source = [
        {"id": f"p{n:03d}", "age": str(20 + n % 50), "city": city, "illness": f"illness {value}"}
        for n, (city, value) in enumerate(drawn)
    ]
    write_records(source)
    planned = plan({"name": "stack-and-deal", "within": {"city": 0}}, k)
    if len(source) < k:
        with pytest.raises(NoSolutionError):
            run(planned)
        return
    run(planned)
    rows = read()
    stratum_of = oracle.strata([row["city"] for row in source], k)
    assert counted(rows, "id", "age", "city") == counted(source, "id", "age", "city")
    buckets: dict[int, list[Counter[str]]] = defaultdict(list)
    for of in by_bucket(rows).values():
        (stratum,) = {stratum_of[row["city"]] for row in of}
        buckets[stratum].append(Counter(row["illness"] for row in of))
    for stratum, found in buckets.items():
        own = [row for row in source if stratum_of[row["city"]] == stratum]
        sizes = [b.total() for b in found]
        assert len(found) == len(own) // k
        assert k <= min(sizes) >= max(sizes) - 1
        assert spread(found) <= 1
        assert sum(found, Counter()) == Counter(row["illness"] for row in own)
    assert set(buckets) == set(stratum_of.values())


def test_within_a_level_and_several_attributes(folder: Path) -> None:
    """A missing value and an empty text are cells of their own."""
    rows = [(a, c, s) for a in range(20, 80) for c in (None, "", "x") for s in "uvwxy"]
    age = {"role": "quasi-identifier", "hierarchy": {"intervals": [10, 20]}}
    method = {"name": "stack-and-deal", "within": {"age": 2, "city": 0}}
    planned = tiny(rows, ("age", "city", "s"), method=method)
    run(changed(planned, age=age) | {"privacy": [{"model": "k-anonymity", "k": 25}]})
    cells: Counter[tuple[int, Any]] = Counter()
    for of in by_bucket(read("open/published.parquet")).values():
        (cell,) = {(int(row["age"]) // 20, row["city"]) for row in of}
        cells[cell] += 1
        assert counted(of, "s") == dict.fromkeys([(s,) for s in "uvwxy"], 5)
    assert sorted(cells.values()) == [4] * 9


# --- Anatomy


def filled(counts: Sequence[int], size: int) -> tuple[list[list[int]], list[tuple[int, int]]]:
    """The ranks in each bucket, turn by turn; and the leftovers."""
    turns, leftovers = anatomy_turns(counts, size)
    buckets: list[list[int]] = []
    for turn in turns:
        assert turn.first_bucket == len(buckets) + 1
        for bucket in range(turn.first_bucket, turn.first_bucket + turn.bucket_count):
            buckets.append([rank for rank in range(1, len(counts) + 1) if turn.has(rank, bucket)])
    return buckets, [(leftover.rank, leftover.bucket) for leftover in leftovers]


eligible = st.tuples(
    st.lists(st.integers(1, 40), min_size=2, max_size=9), st.integers(2, 5)
).filter(lambda drawn: max(drawn[0]) * drawn[1] <= sum(drawn[0]))


@settings(max_examples=300)
@given(eligible)
@example(([1, 1], 2))
@example(([1, 1, 1], 2))
@example(([5, 5, 5, 5], 3))
@example(([40, 40, 1, 1], 2))
def test_turns_are_the_greedy_choice(drawn: tuple[list[int], int]) -> None:
    counts, size = sorted(drawn[0], reverse=True), drawn[1]
    buckets, leftovers = filled(counts, size)
    states = oracle.anatomy_states(counts, size)
    left = Counter(dict(enumerate(counts, start=1)))
    assert len(buckets) == len(states) - 1
    for ranks, state in zip(buckets, states, strict=False):
        assert sorted(left.values(), reverse=True) == state
        assert len(ranks) == len(set(ranks)) == size
        assert sorted((left[rank] for rank in ranks), reverse=True) == state[:size]
        left.subtract(ranks)
    assert sorted(left.values(), reverse=True) == states[-1]
    assert Counter(rank for rank, _ in leftovers) == +left
    assert max(left.values()) <= 1  # Xiao and Tao, property 1: what is over are different values
    assert all(rank not in buckets[bucket - 1] for rank, bucket in leftovers)
    assert len(set(leftovers)) == len(leftovers)


def test_turns_are_few_however_many_rows() -> None:
    turns, leftovers = anatomy_turns([200_000, 199_999, 100_001, 100_000, 3], 3)
    assert len(turns) < 20
    assert sum(turn.bucket_count for turn in turns) * 3 + len(leftovers) == 600_003


@pytest.mark.parametrize(("counts", "size"), [([3, 1], 2), ([1, 2], 2), ([2, 2], 3)])
def test_turns_of_what_is_not_eligible(counts: list[int], size: int) -> None:
    with pytest.raises(ValueError, match="descending, and none above"):
        anatomy_turns(counts, size)


@examples(15)
@given(eligible)
@example(([3, 3, 3], 3))
@example(([7, 7, 7, 2], 3))
def test_two_tables(folder: Path, drawn: tuple[list[int], int]) -> None:
    counts, distinct = drawn
    source = people(counts)
    write_records(source)
    result = run(diverse("anatomy", distinct))
    rows, values = read(), read(BOTH[1])
    assert set(rows[0]) == {"id", "age", "city", "bucket"}
    assert set(values[0]) == {"bucket", "illness", "row_count"}
    assert all(value["row_count"] == 1 for value in values)  # all of a bucket are different
    buckets, shown = by_bucket(rows), dealt(values)
    illnesses = {row["id"]: row["illness"] for row in source}
    assert len(buckets) == len(oracle.anatomy_states(counts, distinct)) - 1
    for bucket, of in buckets.items():
        assert shown[bucket] == Counter(int(illnesses[row["id"]].split()[1]) for row in of)
        assert distinct <= len(of) == len(shown[bucket])
    assert counted(rows, "id", "age", "city") == counted(source, "id", "age", "city")
    extra = sum(counts) - distinct * len(buckets)
    assert sum(len(of) - distinct for of in buckets.values()) == extra < distinct
    check_measures(result, shown, dict(enumerate(counts)))
    smallest = min(map(len, buckets.values()))
    assert measured_by(result) == [smallest]
    assert result.manifest["rows"]["published"] == len(source)
    for promised in (smallest, smallest + 1):  # another plan is not kept by them
        (finding,) = sqlanon.verify(BOTH[0], diverse("anatomy", promised), manifest=False)
        assert (finding.measured, finding.satisfied) == (smallest, promised == smallest)


def test_largest_feasible_diversity(folder: Path) -> None:
    source = people(F)
    write_records([{**row, "illness": f"secret {row['illness']}"} for row in source])
    assert sum(F) // max(F) == 4
    run(diverse("anatomy", 4))
    assert min(map(len, by_bucket(read()).values())) == 4
    before = [Path(name).read_bytes() for name in BOTH]
    for planned in (diverse("anatomy", 5), plan("anatomy", 5)):
        with pytest.raises(NoSolutionError) as caught:
            run(planned)
        assert caught.value.exit_code == 3
        assert "167 of 730" in str(caught.value)
        assert "ask for 4 different values" in str(caught.value)
        assert "secret" not in str(caught.value)
    assert [Path(name).read_bytes() for name in BOTH] == before
    write_records(people([6, 4]))  # no two values of each bucket
    with pytest.raises(NoSolutionError) as caught:
        run(diverse("anatomy", 2))
    assert "choose another method" in caught.value.fix


@pytest.mark.parametrize(("place", "other"), [(BOTH[0], "illness"), (BOTH[1], "age")])
def test_each_file_has_its_own_columns(place: str, other: str, folder: Path) -> None:
    """With the values of the other file, rows would be linked to illnesses again."""
    run(diverse("anatomy"))
    rows = read_texts(place)
    for changed_rows, error, said in (
        ([{**row, other: f"{n}"} for n, row in enumerate(rows)], PrivacyViolation, other),
        ([{**row, "name": "Ann"} for row in rows], PrivacyViolation, "not publish .* name"),
        ([{n: row[n] for n in row if n != "bucket"} for row in rows], PlanError, "no column 'buc"),
    ):
        write_records(changed_rows, place)
        with pytest.raises(error, match=said):
            sqlanon.verify(BOTH[0], diverse("anatomy"), manifest=False)


@pytest.mark.parametrize("existed", [True, False])
def test_both_files_or_none(existed: bool, folder: Path) -> None:
    if existed:
        Path(BOTH[0]).write_text("earlier")
    Path(BOTH[1]).mkdir()
    Path(BOTH[1], "file").touch()
    with pytest.raises(PublishError) as caught:
        run(diverse("anatomy"))
    assert caught.value.exit_code == 5
    assert [path.read_text() for path in [Path(BOTH[0])] if path.exists()] == ["earlier"] * existed
    shutil.rmtree(BOTH[1])
    assert not [*folder.rglob("*.earlier"), *folder.rglob("staged*"), *folder.rglob("*.part")]
    run(diverse("anatomy"))
    assert len(read()) == len(read(BOTH[1])) == 55


def test_both_tables_of_a_database_or_none(folder: Path) -> None:
    """Nor does a connection keep the seed."""
    planned = diverse("anatomy", publish={"table": "people"})
    with duckdb.connect() as connection:
        connection.execute("create table people as select 'earlier' as name")
        connection.execute("create view people_values as select 1 as one")
        with pytest.raises(PublishError):
            run(planned, connection=connection)
        assert connection.execute("from people").fetchall() == [("earlier",)]
        assert connection.execute("from people_values").fetchall() == [(1,)]
        connection.execute("drop view people_values")
        run(planned, connection=connection)
        for table in ("people", "people_values"):
            assert connection.execute(f"select count(*) from {table}").fetchall() == [(55,)]
        seed = connection.execute("select getvariable('sqlanon_permutation_seed')")
        assert seed.fetchone() == (None,)
        assert sqlanon.verify("people", planned, connection=connection)[0].satisfied


PROMISES: list[list[PlanMapping]] = [
    [{"model": "k-anonymity", "k": 6}],
    [{"model": "l-diversity", "kind": "distinct", "l": 4}],
    [{"model": "k-anonymity", "k": 4}, {"model": "t-closeness", "distance": "equal", "t": 0.3}],
]


@pytest.mark.parametrize("privacy", PROMISES, ids=lambda models: models[-1]["model"])
def test_buckets_are_the_regions_of_mondrian(privacy: list[PlanMapping], folder: Path) -> None:
    source = people([90, 60, 50, 40, 30, 30])
    write_records(source)
    result = run(plan("bucketization", privacy=privacy))
    rows = read()
    cut = {"name": "mondrian", "ends": "exact"}  # as where no label of a region is published
    run(plan(cut, privacy=privacy, publish="mondrian.csv"))
    classes: dict[tuple[str, str], set[str]] = defaultdict(set)
    for row in read("mondrian.csv"):
        classes[row["age"], row["city"]].add(row["id"])
    buckets = by_bucket(rows)
    assert {frozenset(row["id"] for row in of) for of in buckets.values()} == {
        frozenset(ids) for ids in classes.values()
    }
    assert len(buckets) > 5

    assert counted(rows, "id", "age", "city") == counted(source, "id", "age", "city")
    illnesses = {row["id"]: row["illness"] for row in source}
    for of in buckets.values():
        assert counted(of, "illness") == Counter((illnesses[row["id"]],) for row in of)
    values = list(dealt(rows).values())
    table = sum(values, Counter[int]())
    wanted = {
        "k-anonymity": min(of.total() for of in values),
        "l-diversity": min(map(len, values)),
        "t-closeness": max(float(oracle.distance(of, table)) for of in values),
    }
    assert measured_by(result) == pytest.approx([wanted[model["model"]] for model in privacy])
    moved = sum(row["illness"] != illnesses[row["id"]] for row in rows)
    assert moved > len(rows) / 4


def test_buckets_that_a_population_cuts(folder: Path) -> None:
    source = read_texts("rows.csv")
    write_records([{"age": row["age"], "city": row["city"]} for row in source * 2], "everybody.csv")
    run(plan({"name": "bucketization", "partition": "mpalm"}, population="everybody.csv"))
    rows = read()
    assert counted(rows, "id", "age", "city") == counted(source, "id", "age", "city")
    assert min(map(len, by_bucket(rows).values())) >= 3


def test_several_sensitive_columns_stay_together(folder: Path) -> None:
    source = [{**row, "doctor": f"of {row['id']}"} for row in people([30, 30, 30])]
    write_records(source)
    for method in ({"name": "stack-and-deal", "attribute": "illness"}, {"name": "bucketization"}):
        planned = plan(method)
        planned["columns"]["doctor"] = "sensitive"
        run(planned)
        rows = read()
        assert counted(rows, "illness", "doctor") == counted(source, "illness", "doctor")
        assert sum(row["doctor"] == f"of {row['id']}" for row in rows) < len(rows)


# --- permutations and their seed


def taken() -> dict[str, bytes]:
    """The publication, which is gone afterwards."""
    files = {path.name: path.read_bytes() for path in Path("open").glob("published*")}
    for name in files:
        Path("open", name).unlink()
    assert files
    return files


@pytest.mark.sampled(0.017, by=lambda case: "seeded")
@pytest.mark.parametrize("method", METHODS)
def test_a_seed_gives_the_same_bytes_again(
    method: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = read_texts("rows.csv")

    def published() -> dict[str, bytes]:
        run(diverse(method))
        return taken()

    seeded = published()
    assert published() == seeded
    random.Random(2).shuffle(source)
    write_records(source)
    assert published() == seeded  # the order of the source plays no part
    monkeypatch.setenv(SEED_VARIABLE, SEED + "!")
    assert published() != seeded
    monkeypatch.setenv(SEED_VARIABLE, "")
    unseeded = [published()]
    monkeypatch.delenv(SEED_VARIABLE)
    unseeded += [published(), published(), seeded]
    assert all(one != other for one, other in itertools.combinations(unseeded, 2))


@pytest.mark.sampled(0.1, by=("method", "weak"))
@pytest.mark.parametrize("method", [*METHODS, {"name": "mondrian", "partitioning": "relaxed"}])
@pytest.mark.parametrize("weak", ["qwertz", SEED[:31], "0123456" * 10])
def test_a_seed_that_could_be_found_is_refused(
    method: str | PlanMapping, weak: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fewer than 32 characters, or than 8 different ones; in a run, in a program, in a plan."""
    alone = None
    if method == "anatomy" or isinstance(method, dict):
        with pytest.raises(PlanError, match="sqlanon solve"):
            sqlanon.compile(diverse(method))
    else:  # a program that needs no solution
        feed(sqlanon.compile(diverse(method))[0].sql)
        alone = taken()
    run(diverse(method))
    program = Path("target/published/sql/program.sql").read_text(encoding="utf-8")
    ran = taken()
    assert alone in (None, ran)
    for seed in (None, "", weak):
        with pytest.raises(duckdb.Error, match="set the variable sqlanon_permutation_seed first"):
            feed(program, seed)
        assert not list(Path("open").glob("published*"))
    feed(program)
    assert taken() == ran
    feed(program, secret_text(8))
    assert taken() != ran
    monkeypatch.setenv(SEED_VARIABLE, weak)
    with pytest.raises(PlanError) as caught:
        run(diverse(method))
    for words in ("could be guessed", "openssl rand -hex 32", SEED_VARIABLE):
        assert words in str(caught.value)
    assert weak not in str(caught.value)
    for given_seed in (7, None, SEED):
        with pytest.raises(PlanError, match="leave out `seed:`") as caught:
            sqlanon.load_plan(plan(method, seed=given_seed))
        assert SEED_VARIABLE in str(caught.value)
        assert SEED not in str(caught.value)
    with pytest.raises(PlanError, match="would know a seed"):
        sqlanon.load_plan(plan(method), ["seed=7"])


SHUFFLES = 90


@contextmanager
def fed(program: Program) -> Iterator[duckdb.DuckDBPyConnection]:
    """A bare connection in which the opening and all steps of a program were executed."""
    with duckdb.connect() as connection:
        connection.execute(f"set variable sqlanon_permutation_seed = '{SEED}'")
        for text in (*program.opening, *(t for s in program.steps for t in s.statements())):
            connection.execute(text)
        yield connection


def shuffles(planned: PlanMapping) -> Iterator[list[tuple[Any, ...]]]:
    """What a plan publishes with so many seeds: the rows, in their order."""
    sqlanon.solve(planned)
    program, _ = sqlanon.compile(planned)
    selects = {step.name: step.select for step in program.steps}
    with fed(program) as connection:
        for seed in range(SHUFFLES):
            text = secret_text(seed)
            connection.execute(f"set variable sqlanon_permutation_seed = '{text}'")
            for name in ("row_combinations", "release_key", "dealt_rows"):
                connection.execute(f"create or replace table sqlanon.{name} as {selects[name]}")
            yield connection.execute(selects["release"]).fetchall()


def are_as_likely(found: Counter[Any], weights: Mapping[Any, int]) -> bool:
    """Whether nothing else was found, and everything about as often as its weight says."""
    parts = sum(weights.values())
    expected = [SHUFFLES * weight / parts for weight in weights.values()]
    observed = [found[one] for one in weights]
    assert sum(observed) == SHUFFLES
    return oracle.chi_square_tail(observed, expected) > UNLIKELY


def tiny(
    rows: Sequence[tuple[Any, ...]], names: Sequence[str] = ("q", "s"), **keys: Any
) -> PlanMapping:
    """A plan over a few rows, one bucket: all columns but the last are quasi-identifiers."""
    test_bucket_faults.write("rows.parquet", dict.fromkeys(names, "varchar"), rows)
    columns = {**dict.fromkeys(names[:-1], "quasi-identifier"), names[-1]: "sensitive"}
    made = plan_of(columns, privacy=[{"model": "k-anonymity", "k": len(rows)}])
    return made | {"method": "stack-and-deal", "publish": "open/published.parquet"} | keys


def test_every_permutation_is_as_likely_as_another(folder: Path) -> None:
    """Who has which value, and the order of the rows in the file."""
    found: Counter[tuple[str, ...]] = Counter()
    orders: Counter[tuple[str, ...]] = Counter()
    for rows in shuffles(tiny([("x", "1"), ("y", "2"), ("z", "3")])):
        found[tuple(s for _, s, _ in sorted(rows))] += 1
        orders[tuple(q for q, _, _ in rows)] += 1
    assert are_as_likely(found, dict.fromkeys(itertools.permutations("123"), 1))
    assert are_as_likely(orders, dict.fromkeys(itertools.permutations("xyz"), 1))


ALIKE: dict[str, list[tuple[str | None, ...]]] = {
    "equal": [("x", "x"), ("x", "x")],
    "null": [(None, None), (None, None)],
    "missing": [(None, ""), ("", "")],
    "swapped": [(None, ""), ("", None)],
    "bars": [("x|y", "z"), ("x", "y|z")],
    "lengths": [("1:x", "y"), ("1", "x:y")],
}
"""Two rows each that are equal, or could be taken to be."""


@pytest.mark.sampled(0.011, by=lambda case: case["kind"] == "equal")
@pytest.mark.parametrize("kind", ALIKE)
def test_rows_that_are_alike_do_not_stay_together(kind: str, folder: Path) -> None:
    """Two rows of one kind and two of another: all four values anew, not two and two.

    Of the 24 orders of four values, 4 leave both rows of a kind theirs, 4 neither, 16 one.
    """
    source = [*((*row, "1") for row in ALIKE[kind]), ("u", "v", "2"), ("u", "v", "2")]
    kept: Counter[int] = Counter()
    for rows in shuffles(tiny(source, ("q", "r", "s"))):
        kept[sum(q == "u" and s == "2" for q, _, s, _ in rows)] += 1
    assert are_as_likely(kept, {2: 4, 0: 4, 1: 16})


def test_parts_are_permuted_apart(folder: Path) -> None:
    """Three columns, three permutations: no two of them go together, aligned or not."""
    source = [(f"a{n}", f"b{n}", f"c{n}") for n in range(3)]
    planned = tiny(source, ("a", "b", "c"), method={"name": "anatomy", "permute": True})
    pairs = Counter(tuple(b for _, b, _ in sorted(rows)) for rows in shuffles(planned))
    assert are_as_likely(pairs, dict.fromkeys(itertools.permutations(("b0", "b1", "b2")), 1))


@pytest.mark.parametrize("method", ["stack-and-deal", "anatomy"])
def test_equal_rows_are_not_dealt_side_by_side(method: str, folder: Path) -> None:
    """Or two persons alike in neighboring buckets would likely share their value.

    One value's rows go to the buckets one after another. Half of them are of one kind: the number
    of runs then has the mean and the variance of Wald and Wolfowitz.
    """
    half = 100
    write_records(
        [
            {"id": "same", "age": "30", "city": city, "illness": illness}
            for city in "AB"
            for illness in ("illness 0", "illness 1")
            for _ in range(half)
        ]
    )
    planned = diverse(method, 2)
    sqlanon.solve(planned)
    with fed(sqlanon.compile(planned)[0]) as connection:
        cities = connection.execute(
            "select city from sqlanon.dealt_rows natural join sqlanon.row_combinations"
            " where illness = 'illness 0' order by bucket"
        ).fetchall()
    runs = 1 + sum(a != b for a, b in itertools.pairwise(cities))
    mean = 1 + half
    variance = (mean - 1) * (mean - 2) / (2 * half - 1)
    assert len(cities) == 2 * half
    assert abs(runs - mean) <= 5 * math.sqrt(variance)


K = {"model": "k-anonymity", "k": 3}
PRESENCE = {"model": "delta-presence", "dmin": 0.1, "dmax": 0.9}
CLOSE = {"model": "t-closeness", "distance": "equal", "t": 0.9}
OF_CITY = {"model": "l-diversity", "l": 2, "attribute": "city"}
PERSONS = {"name": "bucketization", "partition": "mpalm"}
BOTH_SENSITIVE = {"id": "sensitive"}

REFUSED: list[tuple[Any, PlanMapping, PlanMapping, str]] = [
    (METHODS, {"population": "rows.csv"}, {}, "does not use a population"),
    (METHODS, {"unit": "id"}, {}, "several buckets"),
    (METHODS, {"order": "source"}, {}, "order of the source"),
    (METHODS, {"privacy": [K, OF_CITY]}, {}, "published with its row"),
    (METHODS, {}, {"illness": "insensitive"}, "the plan has no sensitive attribute"),
    (METHODS, {}, {"BUCKET": "insensitive"}, "already a column 'bucket'"),
    (METHODS[::2], {}, BOTH_SENSITIVE, "2 sensitive attributes"),
    (METHODS[::2], {"privacy": [CLOSE]}, {}, "allow single rows"),
    ([PERSONS], {"population": "rows.csv", "privacy": [K, PRESENCE]}, {}, "buckets cannot promise"),
    ([PERSONS], {}, {}, "but the plan has none"),
    ([{"name": "stack-and-deal", "attribute": "ilness"}], {}, {}, "Did you mean 'illness'?"),
    ([{"name": "stack-and-deal", "within": {"agee": 1}}], {}, {}, "Did you mean 'age'?"),
    ([{"name": "stack-and-deal", "within": {"age": 4}}], {}, {}, "no level 4"),
    ([{"name": "stack-and-deal", "within": {"age": -1}}], {}, {}, "no level -1"),
    ([{"name": "anatomy", "attribute": "illness"}], {}, BOTH_SENSITIVE, "has one sensitive"),
    ([{"name": "slicing", "columns": []}], {}, {}, "method.columns is empty"),
]


@pytest.mark.parametrize(
    ("methods", "keys", "roles", "words"), REFUSED, ids=lambda value: str(value)[-40:]
)
def test_plans_that_are_refused(
    methods: Sequence[str | PlanMapping],
    keys: PlanMapping,
    roles: PlanMapping,
    words: str,
    folder: Path,
) -> None:
    write_records([{**row, "BUCKET": "1"} for row in people([15, 15])])
    usual = {} if "BUCKET" in roles else {"BUCKET": "identifier"}
    for method in methods:
        with pytest.raises(PlanError) as caught:
            run(changed(plan(method, **keys), **usual, **roles))
        assert caught.value.exit_code == 2
        assert caught.value.fix
        assert words in str(caught.value)
    assert not list(Path("open").glob("published*"))


@pytest.mark.parametrize("method", METHODS)
def test_fewer_rows_than_a_bucket_needs(method: str, folder: Path) -> None:
    write_records(people([2, 2]))
    for planned in (plan(method, 5), diverse(method, 3)):
        with pytest.raises(NoSolutionError) as caught:
            run(planned)
        assert caught.value.exit_code == 3
        assert "illness 0" not in str(caught.value)
    Path("rows.csv").write_text("id,age,city,illness\n")
    with pytest.raises(PlanError, match="no row"):
        run(diverse(method))
