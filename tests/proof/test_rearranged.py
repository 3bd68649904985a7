"""Verify proves buckets: what column groups tell together, and that the rows are the source's.

Every reference is brute force over the rows, in exact fractions, and every corruption is made by
hand in a published file.
"""

from __future__ import annotations

import itertools
import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sqlanon
from sqlanon.commands import session
from sqlanon.engines.base import drive
from sqlanon.errors import NoSolutionError, PlanError, PrivacyViolation
from sqlanon.program.program import Program, compile_program
from sqlanon.proof import rearrangement as rearranged
from sqlanon.search.dealing import DealingProblem
from sqlanon.sql.step import Step
from tests.support.secret_texts import KEY

pytestmark = pytest.mark.sampled(0.1)

Row = dict[str, Any]
PlanMapping = dict[str, Any]

COLUMNS = ("zip", "age", "job", "illness")


@pytest.fixture(autouse=True)
def open_folder(folder: Path) -> None:
    (folder / "open").mkdir()


def people(count: int, seed: int, *, ages: int = 40, illnesses: int = 5) -> list[Row]:
    draw = random.Random(seed)
    return [
        {
            "zip": str(100 + draw.randrange(12)),
            "age": str(20 + draw.randrange(ages)),
            "job": draw.choice(["cook", "nurse", "smith", None]),
            "illness": f"i{draw.randrange(illnesses)}",
        }
        for _ in range(count)
    ]


def write(rows: Iterable[Mapping[str, Any]], file: str = "rows.csv") -> None:
    """The rows as CSV, every value in quotes; a missing value is an empty field."""
    rows = list(rows)
    lines = [list(rows[0]), *(row.values() for row in rows)]
    fields = ([f'"{value}"' if value is not None else "" for value in line] for line in lines)
    Path(file).write_text("".join(",".join(line) + "\n" for line in fields), encoding="utf-8")


def read(file: str = "open/out.csv") -> list[Row]:
    """The rows of a published file as text; a missing value is None."""
    reader = "header = true, all_varchar = true, allow_quoted_nulls = false"
    with duckdb.connect() as connection:
        cursor = connection.execute(f"select * from read_csv('{file}', {reader})")
        names = [column[0] for column in cursor.description or ()]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def plan(method: Any, privacy: Sequence[Mapping[str, Any]] = (), **keys: Any) -> PlanMapping:
    return {
        "source": "rows.csv",
        "columns": {
            "zip": {"role": "quasi-identifier", "type": "ordinal"},
            "age": {"role": "quasi-identifier", "type": "numeric"},
            "job": "insensitive",
            "illness": "sensitive",
        },
        "privacy": list(privacy) or [{"model": "k-anonymity", "k": 3}],
        "method": method,
        "publish": "open/out.csv",
        **keys,
    }


FREQUENCY = {"model": "l-diversity", "kind": "frequency", "l": 2}
BESIDE = {"name": "slicing", "columns": [["zip", "job"], ["age", "illness"]]}
ALONE = {"name": "slicing", "columns": [["zip"], ["age", "job"], ["illness"]]}


# --- slicing: p(t, s), by its definition


def largest_probability(source: Sequence[Row], sliced: Sequence[Row]) -> Fraction:
    """The greatest p(t, s) of groups [zip, job], [age, illness]; 0 where no row matches."""
    buckets: dict[str, list[Row]] = defaultdict(list)
    for row in sliced:
        buckets[row["bucket"]].append(row)
    largest = Fraction(0)
    for zip_, job, age in {(row["zip"], row["job"], row["age"]) for row in source}:
        chances: dict[str, Fraction] = defaultdict(Fraction)
        total = Fraction(0)
        for rows in buckets.values():
            ages = [row["illness"] for row in rows if row["age"] == age]
            firsts = sum((row["zip"], row["job"]) == (zip_, job) for row in rows)
            weight = Fraction(firsts, len(rows)) * Fraction(len(ages), len(rows))
            total += weight
            for illness, count in Counter(ages).items():
                chances[illness] += weight * Fraction(count, len(ages))
        if total:
            largest = max(largest, *(chance / total for chance in chances.values()))
    return largest


def diversity_of_buckets(sliced: Sequence[Row]) -> Fraction:
    buckets: dict[str, Counter[str]] = defaultdict(Counter)
    for row in sliced:
        buckets[row["bucket"]][row["illness"]] += 1
    return min(Fraction(c.total(), max(c.values())) for c in buckets.values())


def pairs(rows: Sequence[Row]) -> Counter[tuple[str, ...]]:
    return Counter((row["bucket"], row["age"], row["illness"]) for row in rows)


def mixed_up(rows: Sequence[Row], draw: random.Random) -> list[Row]:
    """Illnesses change places inside buckets: every bucket holds what it held."""
    mixed = [dict(row) for row in rows]
    for bucket in sorted({row["bucket"] for row in mixed}):
        inside = [row for row in mixed if row["bucket"] == bucket]
        illnesses = sorted(row["illness"] for row in inside)
        if draw.random() < 0.5:
            inside.sort(key=lambda row: row["age"])
        for row, illness in zip(inside, illnesses, strict=True):
            row["illness"] = illness
    return mixed


def test_diversity_of_a_sliced_table_is_that_over_all_matching_buckets() -> None:
    """The least of what the buckets hold and of 1 / p(t, s), in the manifest and in verify.

    The table has few ages, so that ages have several illnesses.
    """
    less = refused = 0
    promised = plan(BESIDE, [{**FREQUENCY, "l": 1.3}, {"model": "k-anonymity", "k": 6}])
    bound = 1 / Fraction(promised["privacy"][0]["l"])
    for seed in range(8):
        rows = people(24 + seed % 3 * 8, seed, ages=2, illnesses=4)
        write(rows)
        try:
            result = sqlanon.run(promised)
        except NoSolutionError:
            continue
        sound = read()
        buckets, over_all = diversity_of_buckets(sound), 1 / largest_probability(rows, sound)
        expected = pytest.approx(float(min(buckets, over_all)))
        assert result.manifest["privacy"][0]["measured"] == expected
        finding, _ = sqlanon.verify("open/out.csv", promised, with_source=True)
        assert finding.satisfied
        assert finding.measured == expected
        less += over_all < buckets
        draw = random.Random(seed)
        for _ in range(2):
            write(corrupt := mixed_up(sound, draw), "bad.csv")
            assert diversity_of_buckets(corrupt) == buckets
            with pytest.raises(PlanError, match="depends on the rows of the source"):
                sqlanon.verify("bad.csv", promised)
            if largest_probability(rows, corrupt) > bound:
                with pytest.raises(PrivacyViolation, match="has too high a probability"):
                    sqlanon.verify("bad.csv", promised, with_source=True)
                refused += 1
            elif pairs(corrupt) != pairs(sound):
                with pytest.raises(PrivacyViolation, match="not a rearrangement"):
                    sqlanon.verify("bad.csv", promised, with_source=True)
    assert less >= 3  # what buckets alone tell would have been too much
    assert refused >= 3


def test_other_sensitive_attributes_are_not_known_to_who_attacks_slices() -> None:
    """A second one that differs in every row, in the same group, leaves p(nurse, flu) at 1/2."""
    write(
        {"zip": place, "job": "nurse", "ill": ill, "income": number}
        for place in ("a", "b")
        for number, ill in enumerate(("flu", "gout"))
    )
    quasi, sensitive = ("quasi-identifier", "sensitive")
    found = sqlanon.run(
        plan(
            {"name": "slicing", "columns": [["zip"], ["job", "ill", "income"]]},
            [{**FREQUENCY, "attribute": "ill"}, {"model": "k-anonymity", "k": 2}],
            columns={"zip": quasi, "job": quasi, "ill": sensitive, "income": sensitive},
        )
    )
    assert found.manifest["privacy"][0]["measured"] == pytest.approx(2)


def test_alone_in_its_group_needs_no_source() -> None:
    """p(t, s) is then a weighted mean of shares in buckets."""
    write(people(60, 1))
    promised = plan(ALONE, [FREQUENCY])
    measured = sqlanon.run(promised).manifest["privacy"][0]["measured"]
    assert measured == pytest.approx(float(diversity_of_buckets(read())))
    Path("rows.csv").unlink()
    (finding,) = sqlanon.verify("open/out.csv", promised)
    assert (finding.measured, finding.satisfied) == (measured, True)


def test_groups_that_are_not_known_are_refused() -> None:
    """And a promise about whole buckets beside companions, in groups that a solution tells."""
    write(people(60, 2))
    promised = plan({"name": "slicing", "column_count": 3}, [FREQUENCY])
    sqlanon.run(promised)
    assert sqlanon.verify("open/out.csv", promised)[0].satisfied
    solution = Path("out.solution.json")
    solution.unlink()
    with pytest.raises(PlanError, match="unknown which columns were permuted together"):
        sqlanon.verify("open/out.csv", promised)
    assert sqlanon.verify("open/out.csv", promised, with_source=True)[0].satisfied  # found again
    grouped = {"name": "slicing", "column_count": 2, "sensitive": "grouped"}
    sqlanon.run(plan(grouped))
    found = json.loads(solution.read_text())
    assert ["illness"] not in found["column_groups"]
    distinct = sqlanon.load_plan(plan(grouped, [{"model": "l-diversity", "l": 2}]))
    solution.write_text(json.dumps({**found, "plan_sha256": distinct.sha256}))
    with pytest.raises(PlanError, match="about whole buckets"):
        sqlanon.verify("open/out.csv", distinct, manifest=False)


# --- the buckets are a rearrangement of the source's rows

METHODS: dict[str, tuple[Any, dict[str, Any]]] = {
    "dealt": ("stack-and-deal", {}),
    "within": ({"name": "stack-and-deal", "within": {"zip": 1}}, {}),
    "anatomy": ("anatomy", {}),
    "permuted": ({"name": "anatomy", "permute": True}, {}),
    "bucketization": ("bucketization", {}),
    "relaxed": ({"name": "bucketization", "partitioning": "relaxed"}, {}),
    "relaxed beside": (
        {**BESIDE, "partitioning": "relaxed"},
        {"privacy": [{**FREQUENCY, "l": 1.1}, {"model": "k-anonymity", "k": 20}]},
    ),
    "sliced": ({"name": "slicing", "columns": "one-attribute-per-column"}, {}),
    "beside": (BESIDE, {"privacy": [{**FREQUENCY, "l": 1.1}]}),
    "combined": (
        "combined",
        {"privacy": [{"model": "k-anonymity", "k": 3},
                     {"model": "delta-presence", "dmin": 0, "dmax": 0.9}],
         "population": "everybody.csv"},
    ),
}  # fmt: skip
"""Methods with buckets, and further keys of their plans."""


def published(name: str, count: int = 60) -> tuple[list[Row], PlanMapping]:
    """A sound publication in out.csv; all ages are different, so that every row is its own."""
    # of more ages, age alone would tell the illness beside it
    ages = 2 if name.endswith("beside") else count
    rows = [{**row, "age": str(20 + n % ages)} for n, row in enumerate(people(count, 5))]
    write(rows)
    everybody = rows + [{**row, "age": str(500 + n)} for n, row in enumerate(rows)]
    write([{key: row[key] for key in ("zip", "age")} for row in everybody], "everybody.csv")
    method, keys = METHODS[name]
    columns: dict[str, Any] = plan(method)["columns"]
    if name in ("within", "combined"):
        columns["zip"] = {"role": "quasi-identifier", "hierarchy": {"mask": {"characters": 3}}}
    if name == "combined":
        columns["age"] = {"role": "quasi-identifier", "hierarchy": {"intervals": [100, 1000]}}
    promised = plan(method, **{"columns": columns, **keys})
    sqlanon.run(promised)
    return rows, promised


def swapped_between_buckets(rows: list[Row]) -> list[Row]:
    """Two ages change places, of buckets that do not have the same illnesses."""
    first = rows[0]
    other = next(row for row in reversed(rows) if row["bucket"] != first["bucket"])
    ages = {id(first): other["age"], id(other): first["age"]}
    return [{**row, "age": ages.get(id(row), row["age"])} for row in rows]


def emptied_value(rows: list[Row]) -> list[Row]:
    """An empty text in the place of a missing value."""
    place = next(n for n, row in enumerate(rows) if row["job"] is None)
    return [*rows[:place], {**rows[place], "job": ""}, *rows[place + 1 :]]


CORRUPTIONS: dict[str, Callable[[list[Row]], list[Row]]] = {
    "bucket left out": lambda rows: [row for row in rows if row["bucket"] != rows[0]["bucket"]],
    "row doubled": lambda rows: [*rows, rows[0]],
    "value changed": lambda rows: [{**rows[0], "job": "spy"}, *rows[1:]],
    "value emptied": emptied_value,
    "swapped": swapped_between_buckets,
}


@pytest.mark.sampled(0.1)
@pytest.mark.parametrize("name", METHODS)
def test_a_sound_publication_is_a_rearrangement_and_a_corrupted_one_is_none(name: str) -> None:
    _, promised = published(name)
    for with_source in (True, False):
        if with_source or not name.endswith("beside"):
            findings = sqlanon.verify("open/out.csv", promised, with_source=with_source)
            assert all(finding.satisfied for finding in findings)
    for title, corruption in CORRUPTIONS.items():
        # there are ages of one label, or rows of the source that have what both buckets have
        if title == "swapped" and name in ("combined", "relaxed beside"):
            continue
        write(corrupt := corruption(read()), "bad.csv")
        if Path("open/out_values.csv").exists():
            left = {row["bucket"] for row in corrupt}
            values = [row for row in read("open/out_values.csv") if row["bucket"] in left]
            if title == "row doubled":
                values.append({**values[0], "bucket": corrupt[0]["bucket"], "illness": "i9"})
            write(values, "bad_values.csv")
        with pytest.raises(PrivacyViolation) as caught:
            sqlanon.verify("bad.csv", promised, with_source=True)
        assert "spy" not in str(caught.value), title


@pytest.mark.sampled(1)
@pytest.mark.parametrize("keys", [{"method": "stack-and-deal"}, {"unit": "person"}], ids=str)
def test_rows_are_made_again_with_their_key(
    monkeypatch: pytest.MonkeyPatch, keys: dict[str, Any]
) -> None:
    write({**row, "rowid": n % 2, "person": f"p{n // 2}"} for n, row in enumerate(people(30, 3)))
    promised = plan("optimal") | keys
    hashed = {"role": "identifier", "action": "pseudonym"}
    promised["columns"] |= {"rowid": "insensitive", "person": "identifier", "job": hashed}
    monkeypatch.setenv("SQLANON_PSEUDONYM_KEY", KEY)
    sqlanon.run(promised)
    assert sqlanon.verify("open/out.csv", promised, with_source=True)[0].satisfied
    hashed["key"] = "random"
    with pytest.raises(PlanError, match="on a key that is not known here"):
        sqlanon.verify("open/out.csv", promised, with_source=True, manifest=False)


def test_swaps_of_dealt_rows_are_caught_where_no_row_can_have_made_them() -> None:
    """Against brute force: every way to deal the source's rows to buckets of these values."""
    seen = Counter[bool]()
    for seed in range(7, 12):
        rows = people(8, seed, ages=6, illnesses=3)
        rows = [{**row, "zip": "1", "job": "a"} for row in rows]
        write(rows)
        promised = plan("stack-and-deal", [{"model": "k-anonymity", "k": 4}])
        sqlanon.run(promised)
        write(corrupt := swapped_between_buckets(read()), "bad.csv")
        try:
            sqlanon.verify("bad.csv", promised, with_source=True)
            is_held = True
        except PrivacyViolation:
            is_held = False
        bucket = [row for row in corrupt if row["bucket"] == corrupt[0]["bucket"]]
        assert is_held == any(  # if one bucket has its rows, the other one has the rest
            all(
                Counter(row[name] for row in chosen) == Counter(row[name] for row in bucket)
                for name in ("age", "illness")
            )
            for chosen in itertools.combinations(rows, len(bucket))
        )
        seen[is_held] += 1
    assert min(seen[True], seen[False]) >= 2


@settings(max_examples=200, deadline=None)
@given(
    firsts=st.lists(st.integers(1, 3), min_size=1, max_size=3),
    seconds=st.lists(st.integers(1, 3), min_size=1, max_size=3),
    most=st.lists(st.integers(0, 2), min_size=9, max_size=9),
)
def test_fitting_is_that_of_brute_force(
    firsts: list[int], seconds: list[int], most: list[int]
) -> None:
    places = itertools.product(range(len(firsts)), range(len(seconds)))
    limits = dict(zip(places, most, strict=False))
    expected = False
    for taken in itertools.product(*(range(n + 1) for n in limits.values())):
        rows, columns = Counter[int](), Counter[int]()
        for (a, b), n in zip(limits, taken, strict=True):
            rows[a] += n
            columns[b] += n
        expected |= [rows[a] for a in range(len(firsts))] == firsts and [
            columns[b] for b in range(len(seconds))
        ] == seconds
    some = {pair: n for pair, n in limits.items() if n}
    assert rearranged.fits(dict(enumerate(firsts)), dict(enumerate(seconds)), some) == expected


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", range(4))
def test_impossible_buckets_are_those_of_brute_force(seed: int) -> None:
    """Buckets of two or three rows, whose parts the source has, but not all pairs of them."""
    draw = random.Random(seed)
    source = [("a", "x"), ("a", "z"), ("b", "y")]
    source += [(draw.choice("ab"), draw.choice("xz")) for _ in range(2)]
    buckets = [[["a", "a", "a"], ["x", "y", "z"]]]
    buckets += [
        [[draw.choice(part) for _ in range(size)] for part in zip(*source, strict=True)]
        for size in 30 * (2, 3)
    ]
    expected = sum(
        all(Counter(zip(one, other, strict=True)) - Counter(source) for other in orders)
        for one, two in buckets
        for orders in [list(itertools.permutations(two))]
    )
    asking = rearranged.Rearranged(
        "dealt_rows", "row_combinations", "combination", (("a",), ("b",))
    ).impossible_buckets()
    with duckdb.connect() as connection:
        connection.execute(
            "attach ':memory:' as sqlanon;"
            "create table sqlanon.dealt_rows as select * from range(5) as t (combination)"
        )
        for table, columns, rows in (
            ("row_combinations", "combination int, a text, b text", enumerate(source)),
            ("published_rows", "bucket int, a text, b text", (
                (number, row) for number, parts in enumerate(buckets)
                for row in zip(*parts, strict=True)
            )),
        ):  # fmt: skip
            connection.execute(f"create table sqlanon.{table} ({columns})")
            values = [[number, *row] for number, row in rows]
            connection.executemany(f"insert into sqlanon.{table} values (?, ?, ?)", values)

        def execute(step: Step) -> list[Any]:
            return [connection.execute(each).fetchall() for each in step.statements()][-1]

        asked: Any = SimpleNamespace(execute=execute)
        assert 0 < expected == drive(asked, asking) < len(buckets)


# --- the same inside run


def change_step(monkeypatch: pytest.MonkeyPatch, name: str, old: str, new: str) -> None:
    """Give a step of the next programs another text, of which the proof of lineage hears not."""

    def compiled(*arguments: Any) -> Program:
        program = compile_program(*arguments)
        (before,) = [step for step in program.steps if step.name == name]
        sql, found = re.subn(old, new, before.sql, count=1)
        assert found
        after = replace(before, sql=sql)
        return replace(program, steps=tuple(after if s is before else s for s in program.steps))

    monkeypatch.setattr(session, "compile_program", compiled)
    monkeypatch.setattr(session, "prove_no_identifier_flows", lambda *arguments: {})


PARTS = (
    (r"    \w+\.job,", "    'x' as job,"),
    (r"    (\w+)\.zip,", r"    lag(\1.zip, 1, \1.zip) over () as zip,"),
    (r"and (shuffled_\w+\.place) = \w+\.place", r"and \1 = 1"),  # doubles rows
)


@pytest.mark.sampled(0.3, by=("old", "name"))
@pytest.mark.parametrize(
    ("name", "step", "old", "new"),
    [
        *((n, "release", *part) for n in ("dealt", "bucketization", "beside") for part in PARTS),
        ("anatomy", "published_values", r"\w+\.illness,", "'i' || (bucket % 5) as illness,"),
    ],
)
def test_run_publishes_no_other_parts_than_its_rows_have(
    name: str, step: str, old: str, new: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor does the second table of anatomy have other counts of illnesses."""
    change_step(monkeypatch, step, old, new)
    why = "do not have the parts of the rows" if step == "release" else None
    with pytest.raises(PrivacyViolation, match=why):
        published(name)
    assert not Path("open/out.csv").exists()


# --- what dealing promises of any two buckets


def test_strata_follow_from_the_published_rows() -> None:
    """Two strata of other illnesses: buckets of one are compared with each other alone."""
    rows = [{**row, "illness": f"i{n % 3}"} for n, row in enumerate(people(30, 1))]
    rows = [{**row, "zip": "10" + "12"[n < 15]} for n, row in enumerate(rows)]
    rows = [{**row, "illness": row["illness"] + row["zip"]} for row in rows]
    write(rows)
    promised = plan({"name": "stack-and-deal", "within": {"zip": 0}})
    sqlanon.run(promised)
    assert sqlanon.verify("open/out.csv", promised)[0].satisfied
    found = read()
    by_zip = {row["zip"]: row for row in found}
    one, other = by_zip.values()
    one["zip"], other["zip"] = other["zip"], one["zip"]
    write(found, "bad.csv")
    with pytest.raises(PrivacyViolation, match="not as the method deals them"):
        sqlanon.verify("bad.csv", promised)


def test_classes_that_are_not_dealt_evenly_are_not_published(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As labels of classes hide which class a row was dealt to, run proves it of the rows."""
    write(people(60, 5))
    promised = plan({"name": "stack-and-deal", "publish_as": "classes"})
    assert sqlanon.run(promised).manifest["privacy"][0]["satisfied"]
    Path("open/out.csv").unlink()
    honest = DealingProblem.dealt_rows_step

    def in_blocks(problem: DealingProblem) -> Step:
        step = honest(problem)
        sql = step.sql.replace(" - 1) % stack.", " - 1) // 3 % stack.")
        assert sql != step.sql
        return replace(step, sql=sql)

    monkeypatch.setattr(DealingProblem, "dealt_rows_step", in_blocks)
    with pytest.raises(PrivacyViolation, match="not as the method deals them"):
        sqlanon.run(promised)
    assert not Path("open/out.csv").exists()


def test_a_value_twice_in_a_bucket_of_anatomy_is_refused() -> None:
    """k = 3 says nothing of different values, and anatomy promises them."""
    _, promised = published("anatomy")
    values = read("open/out_values.csv")
    values[0]["illness"] = values[1]["illness"]
    merged = [values[0] | {"row_count": "2"}, *values[2:]]
    assert values[0]["bucket"] == values[1]["bucket"]
    for bad in (merged, values):
        write(bad, "bad_values.csv")
        Path("bad.csv").write_bytes(Path("open/out.csv").read_bytes())
        with pytest.raises(PrivacyViolation):
            sqlanon.verify("bad.csv", promised)
