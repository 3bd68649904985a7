"""What somebody learns who has the publication, the code and all that lies beside, but no secret.

The attackers here are brute force: they enumerate every table that could be behind a publication.
"""

from __future__ import annotations

import contextlib
import csv
import json
import random
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations, pairwise, permutations
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sqlanon
from sqlanon.boundary.files import sha256_of
from sqlanon.errors import PlanError
from tests.oracles import partition as oracle
from tests.plan.plans import plan_of
from tests.selection import examples
from tests.support.secret_texts import SEED, secret_text
from tests.support.tables import write_csv

pytestmark = pytest.mark.usefixtures("folder")

Row = tuple[str, ...]
PlanMapping = dict[str, Any]


def read(file: str = "published.csv") -> list[dict[str, str]]:
    """The rows of a published file, in its order."""
    with Path(file).open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


PERSONS: list[Row] = [
    ("21", "a"), ("24", "b"), ("24", "a"), ("31", "a"), ("38", "b"), ("39", "b"),
]  # fmt: skip
ILLNESSES = ("flu", "gout", "flu", "flu", "gout", "flu")


def content_of(rows: Sequence[Mapping[str, str]]) -> str:
    """What a publication says, apart from the order of rows in a bucket, which is of chance."""
    if "bucket" not in rows[0]:
        return json.dumps(sorted(json.dumps(row) for row in rows))
    found: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
    for row in rows:
        found[row["bucket"]].update(row.items())
    return json.dumps({bucket: sorted(map(str, own.items())) for bucket, own in found.items()})


KEPT = ("search.sql", "partition_tree.csv", "bucket_distances.csv")
"""Files that stay with the source: they describe the search, not the publication."""


def beside() -> dict[str, Any]:
    """All that a run leaves beside the publication, but times, digests of the rows themselves, and
    what docs/privacy.md keeps with the source."""
    files: dict[str, Any] = {
        str(path): path.read_text(encoding="utf-8")
        for path in [Path("published.solution.json"), *Path("target").rglob("*")]
        if path.is_file() and path.name not in KEPT
    }
    manifest, outside = (f"target/published/{name}.json" for name in ("manifest", "publication"))
    for name in (manifest, outside):
        files[name] = json.loads(files[name])
        del files[name]["published"]["sha256"]
    for key in ("timings_seconds", "utility", "warnings"):
        del files[manifest][key]
    return files


@pytest.mark.sampled(0.011, by=lambda method: "method")
@pytest.mark.parametrize("method", ["mpalm", "mondrian", "combined"])
def test_tables_of_one_publication_leave_the_same_beside_it(method: str) -> None:
    """An attacker who knows the population cannot find which of the tables was published."""
    write_csv("everybody.csv", [("age", "zip"), *PERSONS])
    write_csv("ages.csv", [(age, f"{age[0]}x", "*") for age in {age for age, _ in PERSONS}], ";")
    write_csv("zips.csv", [("a", "*"), ("b", "*")], ";")
    columns = {
        "age": {"role": "quasi-identifier", "hierarchy": "ages.csv"},
        "zip": {"role": "quasi-identifier", "hierarchy": "zips.csv"},
        "illness": "sensitive",
    }
    keys = {"population": "everybody.csv", "method": method, "publish": "published.csv"}
    presence = {"model": "delta-presence", "dmin": 0, "dmax": 0.75}
    plan = plan_of(columns, "patients.csv", privacy=[presence], **keys)
    left: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for chosen in combinations(range(1, len(PERSONS)), 3):  # all but one could be in it
        rows = [(*PERSONS[n], ILLNESSES[n]) for n in chosen]
        write_csv("patients.csv", [("age", "zip", "illness"), *rows])
        Path("published.solution.json").unlink(missing_ok=True)  # a run keeps one that it replaces
        with contextlib.suppress(sqlanon.NoSolutionError):
            sqlanon.run(plan)
            left[content_of(read())].append(beside())
    assert max(map(len, left.values())) > 1  # there is something to distinguish
    for found in left.values():
        assert all(one == found[0] for one in found)


TOWNS = [("x", "flu")] * 4 + [("x", "gout")] * 2 + [("y", "flu")] + [("y", "gout")] * 5


def published_with(others: Sequence[Row], place: str) -> tuple[Any, dict[str, Any], bytes]:
    """Publish two towns, beside persons who are alone in theirs: rows, both manifests."""
    write_csv("patients.csv", [("town", "illness"), *others, *TOWNS])
    towns = [town for town, _ in TOWNS] + [f"{town}{n}" for town in "ab" for n in ("", *range(5))]
    write_csv("everybody.csv", [("town",), *((town,) for town in towns)])
    promises = [
        {"model": "k-anonymity", "k": 6},
        {"model": "t-closeness", "t": 0.5, "distance": "equal"},
        {"model": "beta-likeness", "beta": 4},
        {"model": "l-diversity", "kind": "recursive", "l": 2, "c": 9, "harmless": ["gout"]},
        {"model": "k-map", "k": 6},
    ]
    keys = {"population": "everybody.csv", "missing": "drop-rows", "suppression": {"limit": 0.5}}
    columns = {"town": "quasi-identifier", "illness": "sensitive"}
    plan = plan_of(columns, "patients.csv", privacy=promises, publish=place, **keys)
    result = sqlanon.run(plan, sqlanon.Options(overwrite=True))
    rows: Any = result.published.fetchall()
    if "::" not in place:
        rows = Path(place).read_bytes()
    return rows, result.manifest, (result.target / "publication.json").read_bytes()


def test_sources_of_one_publication_have_one_outside_manifest() -> None:
    """Nobody learns what was suppressed from the manifest that is handed out."""
    _, manifest, outside = published_with([("a", "flu")], "published.csv")
    _, other, same = published_with([("a", "gout")], "published.csv")
    assert manifest["privacy"][1]["measured"] != other["privacy"][1]["measured"]
    assert outside == same
    found = json.loads(outside)
    measured = [entry["measured"] for entry in found["privacy"]]
    assert measured[:3] == pytest.approx([6, 2 / 3 - 5 / 12, (2 / 3 - 5 / 12) / (5 / 12)])
    assert "harmless" not in outside.decode()
    assert found["proven"][1:-1] == [
        f"Promises that compare with {what} were proven in comparison with them."
        for what in ("all rows of the source", "the population")
    ]
    assert found["published"]["rows"] == 12
    assert found["published"]["sha256"] == sha256_of(Path("published.csv"))
    own = {"rows", "utility", "warnings", "solution", "plan_sha256", "timings_seconds"}
    assert not own & {*found}


@pytest.mark.sampled(0.5)
@pytest.mark.parametrize("place", ["published.parquet", "open.duckdb::towns"])
@examples(10)
@given(
    others=st.lists(st.sampled_from(["flu", "gout", "plague", ""]), max_size=5),
    more=st.lists(st.sampled_from(["flu", "gout", "cold"]), max_size=5),
)
def test_outside_manifests_of_any_sources_of_one_publication(
    place: str, others: list[str], more: list[str]
) -> None:
    one, _, outside = published_with([(f"a{n}", v) for n, v in enumerate(others)], place)
    other, _, same = published_with([(f"b{n}", v) for n, v in enumerate(more)], place)
    assert one == other
    assert outside == same


def test_a_solution_has_only_counts_of_rows() -> None:
    """No digest of the source, and not how many of its rows are distinct."""
    rows = [("21", "flu"), ("21", "gout"), ("22", "flu")] * 3
    write_csv("patients.csv", [("age", "illness"), *rows])
    columns = {"age": {"role": "quasi-identifier", "type": "numeric"}, "illness": "sensitive"}
    plan = plan_of(columns, "patients.csv", publish="published.csv")
    for method in ("optimal", "mondrian", "stack-and-deal"):
        sqlanon.run({**plan, "method": method})
        solution = json.loads(Path("published.solution.json").read_text(encoding="utf-8"))
        assert solution["input"] == {"rows": 9, "dropped": 0}
        asked = Path("target/published/search.sql").read_text(encoding="utf-8")
        heads = [line for line in asked.splitlines() if line.startswith("-- asked")]
        assert heads == [f"-- asked {number}" for number in range(1, len(heads) + 1)]


Places = tuple[int, ...]


def relaxed_classes(
    places: Sequence[Places], order: Sequence[int], k: int
) -> list[tuple[Places, list[int]]]:
    """Relaxed Mondrian with k-anonymity alone, by the oracle: tight boxes, and the rows in them.

    `order` is the turn of every row among those that are dealt.
    """
    highest = [max(own) for own in zip(*places, strict=True)]
    attributes = [
        oracle.Attribute(f"a{n}", "numeric", tuple(map(float, range(top + 1))))
        for n, top in enumerate(highest)
    ]
    cells = [oracle.Cell(place) for place in places]
    found = oracle.mondrian(cells, attributes, oracle.k_anonymous(k), turns=order)
    boxes = []
    for part in found.classes:
        own = [places[row] for row in part.rows]
        box = tuple(end for values in zip(*own, strict=True) for end in (min(values), max(values)))
        boxes.append((box, sorted(part.rows)))
    return sorted(boxes)


def seen(classes: Sequence[tuple[Places, list[int]]], values: Sequence[str]) -> tuple[Any, ...]:
    """What a reader sees: for each box the values of its rows, classes of one box together."""
    of: dict[Places, list[str]] = defaultdict(list)
    for box, rows in classes:
        of[box] += [values[row] for row in rows]
    return tuple(sorted((box, tuple(sorted(own))) for box, own in of.items()))


@pytest.mark.parametrize("number", range(12))
def test_relaxed_cuts_reveal_no_more_than_the_shares_in_a_class(number: int) -> None:
    """An attacker who knows all quasi-identifiers and the code, over all tables and orders.

    His surest guess is no surer than the largest share of a value among the published rows of a
    class that the person can be in. Rows of equal places follow each other when they are dealt.
    """
    draw = random.Random(number)
    places = [(draw.randint(0, 2), draw.randint(0, 2)) for _ in range(6)]
    tables = sorted(set(permutations(["flu", "flu", "gout", "gout", "hiv", "hiv"])))
    dealt = [
        relaxed_classes(places, [order.index(row) for row in range(6)], 2)
        for order in permutations(range(6))
        if sum(places[a] != places[b] for a, b in pairwise(order)) == len(set(places)) - 1
    ]
    published = seen(draw.choice(dealt), draw.choice(tables))
    worlds = [own for classes in dealt for own in tables if seen(classes, own) == published]
    for row, place in enumerate(places):
        promised = max(
            Fraction(Counter(values).most_common(1)[0][1], len(values))
            for box, values in published
            if all(box[2 * n] <= at <= box[2 * n + 1] for n, at in enumerate(place))
        )
        surest = Counter(own[row] for own in worlds).most_common(1)[0][1]
        assert Fraction(surest, len(worlds)) <= promised


def test_no_value_decides_which_row_is_dealt_to_the_left() -> None:
    """Over many seeds every row of four goes left equally often, whatever value it has.

    All rows have one place, so the first cut deals them; two of the values are equal, which must
    not keep these rows together either. The bound is five standard deviations.
    """
    values = [("1", "flu"), ("2", "flu"), ("3", "hiv"), ("4", "gout"), ("4", "gout")]
    write_csv("p.csv", [("a", "b", "s"), *(("1", *row) for row in values)])
    numeric = {"role": "quasi-identifier", "type": "numeric"}
    columns = {"a": numeric, "b": numeric, "s": "sensitive"}
    promises = [{"model": "k-anonymity", "k": 2}, {"model": "l-diversity", "l": 1}]
    method = {"name": "mondrian", "partitioning": "relaxed", "ends": "exact"}
    program, _ = sqlanon.compile(plan_of(columns, "p.csv", privacy=promises, method=method))
    selects = {step.name: step.select for step in program.steps}
    first: Counter[int] = Counter()
    together, rounds = 0, 160
    with duckdb.connect() as connection:
        connection.execute(f"set variable sqlanon_permutation_seed = '{SEED}'")
        for text in (*program.opening, *(t for s in program.steps for t in s.statements())):
            connection.execute(text)
            if "turned_rows as" in text:
                break
        for number in range(rounds):
            connection.execute(f"set variable sqlanon_permutation_seed = '{secret_text(number)}'")
            for name in ("row_combinations", "release_key", "turned_rows"):
                connection.execute(f"create or replace table sqlanon.{name} as {selects[name]}")
            rows = "select place_of_b from sqlanon.turned_rows order by deal"
            places = [place for (place,) in connection.execute(rows).fetchall()]
            first[places[0]] += 1
            together += abs(places.index(0) - places.index(1)) == 1
            assert sum(place < 2 for place in places) == 2
    # the two rows of place 3 follow each other: the group of two comes first if either key is least
    for place, share in ((0, 1 / 5), (1, 1 / 5), (2, 1 / 5), (3, 2 / 5)):
        assert abs(first[place] - rounds * share) <= 5 * (rounds * share * (1 - share)) ** 0.5
    assert 0 < together < rounds


METHOD = {"name": "slicing", "columns": [["id", "age"], ["illness"]]}


def sliced(rows: Sequence[Row], **keys: Any) -> list[dict[str, str]]:
    """What is published of persons with an illness each, in one bucket."""
    write_csv("one.csv", [("id", "age", "illness"), *rows])
    columns = {
        "id": {"role": "quasi-identifier", "type": "ordinal"},
        "age": {"role": "quasi-identifier", "type": "numeric"},
        "illness": "sensitive",
    }
    keys = {"privacy": [{"model": "k-anonymity", "k": 500}], "method": METHOD, **keys}
    sqlanon.run(plan_of(columns, "one.csv", publish="published.csv", **keys))
    return read()


ALL_DIFFER: list[Row] = [(f"p{n:04d}", str(n % 7), f"ill {n:04d}") for n in range(500)]
WEAKER: PlanMapping = {"privacy": [{"model": "k-anonymity", "k": 499}]}
APART = {"name": "slicing", "columns": [["id"], ["age"], ["illness"]]}
CHANGES: dict[str, tuple[Sequence[Row], PlanMapping]] = {
    "promises": (ALL_DIFFER, WEAKER),
    "groups": (ALL_DIFFER, {"method": APART}),
    "a row less": (ALL_DIFFER[:-1], WEAKER),
    "one value": ([*ALL_DIFFER[:-1], ("p0499", "3", "ill 0499")], {}),
}


@pytest.mark.sampled(0.1)
@pytest.mark.parametrize("change", CHANGES)
def test_one_seed_puts_two_publications_into_orders_of_their_own(change: str) -> None:
    """The places of a person in one file and of an illness in the other reveal nothing.

    With one order for both, the person at place n of the first file would have the illness at the
    place where the second file puts that person. By chance one of them all fits, on average.
    """
    first = sliced(ALL_DIFFER)
    assert first == sliced(ALL_DIFFER)
    rows, keys = CHANGES[change]
    second = sliced(rows, **keys)
    for name in ("id", "illness"):
        alike = sum(one[name] == other[name] for one, other in zip(first, second, strict=False))
        assert alike <= 10  # expected: one
    # a third of the attack: sort both files by the illness, as if it stood in the persons' order
    place_of = {row["id"]: place for place, row in enumerate(first)}
    moved = [place_of.get(row["id"], 0) for row in second]
    rising = sum(a < b for a, b in pairwise(moved))
    assert abs(rising - len(moved) / 2) <= 5 * (len(moved) / 12) ** 0.5


# --- pseudonyms whose key a run draws and keeps nowhere: they only distinguish persons

RANDOM = {"role": "identifier", "action": "pseudonym", "key": "random"}
KEYED = {**RANDOM, "key": None}
VISITS: PlanMapping = {
    "source": "visits.csv",
    "columns": {"patient": RANDOM, "age": "quasi-identifier", "illness": "sensitive"},
    "unit": {"column": "patient", "histories": "linked"},
    "privacy": [{"model": "k-anonymity", "k": 3}],
    "publish": "published.csv",
}


def with_columns(**columns: Any) -> PlanMapping:
    return {**VISITS, "columns": {**VISITS["columns"], **columns}}


def visits(plan: PlanMapping) -> list[dict[str, str]]:
    """What is published of the visits of 20 persons."""
    rows = [(f"p{i % 20}", 30 + i % 20 // 5, "cold" if i % 3 == 0 else "flu") for i in range(60)]
    write_csv("visits.csv", [("patient", "age", "illness"), *rows])
    result = sqlanon.run(plan, sqlanon.Options(overwrite=True))
    if plan["unit"]:
        assert result.manifest["privacy"][0]["measured"] == 5  # of 20 persons 5 have each age
        sqlanon.verify("published.csv", plan)
    return read()


def test_every_run_has_others_and_the_same_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """And none has those of the key of the environment."""
    monkeypatch.setenv("SQLANON_PSEUDONYM_KEY", secret_text(1))
    keyed, first_run = visits({**with_columns(patient=KEYED), "unit": None}), visits(VISITS)
    monkeypatch.delenv("SQLANON_PSEUDONYM_KEY")
    runs = [first_run, visits(VISITS)]
    names = [{row["patient"] for row in rows} for rows in (*runs, keyed)]
    assert sum(map(len, names)) == len(set[str]().union(*names)) == 60
    first, second = (
        sorted(
            sorted((row["age"], row["illness"]) for row in rows if row["patient"] == person)
            for person in {row["patient"] for row in rows}
        )
        for rows in runs
    )
    assert first == second
    assert len(first) == 20


def test_the_key_is_nowhere(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = secret_text(1)
    monkeypatch.setattr("sqlanon.source.secrets.secrets.token_hex", lambda count: drawn)
    visits(VISITS)
    for file in folder.rglob("*"):
        assert not file.is_file() or drawn.encode() not in file.read_bytes()
    program, _ = sqlanon.compile(VISITS)
    assert "a random text of 32 characters or more" in program.preamble.replace("\n--", "")


def test_one_key_a_plan() -> None:
    dropped = {**RANDOM, "action": "drop"}
    for column, why in ((KEYED, "have one key"), (dropped, "only a pseudonym has a key")):
        with pytest.raises(PlanError, match=why):
            sqlanon.load_plan(with_columns(other=column))
    without = {"role": "identifier", "action": "pseudonym"}
    plans = [with_columns(patient=column) for column in (without, KEYED, RANDOM)]
    assert len({sqlanon.load_plan({**plan, "unit": None}).sha256 for plan in plans}) == 2
