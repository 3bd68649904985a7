"""Adversarial inputs for methods with buckets and for attacks on them, from files to files.

What is published is held against oracles of a few lines: multisets of rows, shares of values, and
the list of all sets of persons who could stand behind a publication. Nothing of the package judges
what it made.
"""

from __future__ import annotations

import contextlib
import csv
import errno
import json
import os
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sqlanon
from sqlanon.attacks.findings import AttackFinding
from sqlanon.errors import HierarchyError, NoSolutionError, PublishError, SqlanonError
from sqlanon.publication import publish
from tests.selection import examples
from tests.support.secret_texts import SEED_VARIABLE, secret_text

Value = str | None
Row = tuple[Value, ...]

SEED = "a seed of the tests that is long enough"
KEY = "a key of the tests that is long enough"

METHODS: dict[str, Mapping[str, Any]] = {
    "dealt": {"name": "stack-and-deal"},
    "dealt within": {"name": "stack-and-deal", "within": {"one": 1}},
    "anatomy": {"name": "anatomy"},
    "permuted": {"name": "anatomy", "permute": True},
    "regions": {"name": "bucketization"},
    "rounds": {"name": "bucketization", "execution": "rounds", "cut": "quantiles"},
    "sliced apart": {"name": "slicing", "columns": "one-attribute-per-column"},
    "sliced": {"name": "slicing"},
    "combined": {"name": "combined"},
}

# Values of each type as text; no two of one type are equal to the database.
TYPES = {
    "integer": ("1", "2", "-5", "0"),
    "double": ("1.5", "0.1", "1e+300"),
    "date": ("2020-01-01", "1970-06-05", "0099-12-31"),
    "timestamp": ("2020-01-01 00:00:00", "1969-12-31 23:59:59.999999"),
    "boolean": ("true", "false"),
    "decimal(9, 2)": ("1.10", "2.25", "-3.00"),
    "varchar": ("a", "", "NULL", "a|b", "[1, 2]", "*", '"', "'", "é", " a"),
    "uuid": ("47183823-2574-4bfd-b411-99ed177d3e43", "47183823-2574-4bfd-b411-99ed177d3e44"),
}


@contextlib.contextmanager
def folder_of_a_plan() -> Iterator[Path]:
    """A folder, the current one meanwhile; one per example, as fixtures last for all of them."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory(prefix="it's_") as name:
        os.chdir(name)
        try:
            yield Path(name)
        finally:
            os.chdir(before)


def place_of(method: str, place: str) -> str:
    """Where a method publishes: two files have a folder of their own."""
    is_pair = method in ("anatomy", "permuted") and "::" not in place
    return f"open/{place}" if is_pair else place


def column(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def write(name: str, columns: Mapping[str, str], rows: Sequence[Row]) -> str:
    """A table as Parquet, or in a DuckDB file, with the types of its columns."""
    file, _, table = name.partition("::")
    with duckdb.connect(file if table else ":memory:") as connection:
        typed = ", ".join(f"{column(name)} {kind}" for name, kind in columns.items())
        connection.execute(f"create table rows ({typed})")
        if rows:
            marks = ", ".join("?" * len(columns))
            connection.executemany(f"insert into rows values ({marks})", rows)
        if table:
            connection.execute(f"alter table rows rename to {table}")
        else:
            connection.execute(f"copy rows to '{file}' (format parquet)")
    return name


def read(place: str) -> tuple[list[str], list[Row]]:
    """Names of the columns, and the rows as text."""
    file, _, table = place.partition("::")
    if place.endswith(".csv"):
        relation = (
            f"read_csv('{place}', header = true, all_varchar = true, delim = ',', quote = '\"',"
            " escape = '\"', allow_quoted_nulls = false)"
        )
    else:
        relation = table or f"read_parquet('{place}')"
    with duckdb.connect(file if table else ":memory:", read_only=bool(table)) as connection:
        return as_text(connection, relation)


def as_text(connection: duckdb.DuckDBPyConnection, relation: str) -> tuple[list[str], list[Row]]:
    """Names of the columns, and the rows as text."""
    names = [row[0] for row in connection.execute(f"describe from {relation}").fetchall()]
    casts = ", ".join(f"cast({column(name)} as varchar)" for name in names)
    return names, connection.execute(f"select {casts} from {relation}").fetchall()


def counted_by(
    columns: Sequence[str], rows: Sequence[Row], wanted: Sequence[str]
) -> Counter[tuple[Value, ...]]:
    places = [columns.index(name) for name in wanted]
    return Counter(tuple(row[place] for place in places) for row in rows)


def values_beside(place: str) -> str:
    return f"{place}_values" if "::" in place else place.replace(".", "_values.")


# --- rows of all types, through every method


@st.composite
def releases(draw: st.DrawFn) -> tuple[str, dict[str, str], list[Row], str, str, int]:
    """A method, columns with types, rows, where they come from and go to, and k."""
    kinds = [draw(st.sampled_from(list(TYPES))) for _ in range(4)]
    names = ("one", 'the "second"', "illness", "position")
    pools = [
        [*draw(st.permutations(TYPES[kind]))[: draw(st.integers(1, 6))],
         *([None] if draw(st.booleans()) else [])]
        for kind in kinds
    ]  # fmt: skip
    rows = draw(st.lists(st.tuples(*map(st.sampled_from, pools)), min_size=2, max_size=24))
    return (
        draw(st.sampled_from(list(METHODS))),
        dict(zip(names, kinds, strict=True)),
        rows,
        draw(st.sampled_from(["people.parquet", "people.duckdb::people"])),
        draw(st.sampled_from(["out.csv", "out.parquet", "out.duckdb::out"])),
        draw(st.integers(2, 3)),
    )


@examples(30)
@given(drawn=releases())
def test_parts_of_rows_stay_in_their_bucket(
    drawn: tuple[str, dict[str, str], list[Row], str, str, int],
) -> None:
    """Nothing is lost, doubled or changed, whatever the types; the program makes the same rows."""
    method, kinds, rows, source, place, k = drawn
    first, second, illness, other = kinds
    columns: dict[str, Any] = {
        first: {"role": "quasi-identifier"},
        second: {"role": "quasi-identifier"},
        illness: "sensitive",
        other: "insensitive",
    }
    plan: dict[str, Any] = {
        "source": source,
        "columns": columns,
        "privacy": [{"model": "k-anonymity", "k": k}],
        "method": METHODS[method],
        "publish": (place := place_of(method, place)),
    }
    if method == "combined":
        plan["population"] = "everybody.parquet"
        plan["privacy"].append({"model": "delta-presence", "dmin": 0, "dmax": 0.75})
    else:  # numbers and text in one column have no order but that of their text
        columns[first]["type"] = columns[second]["type"] = "ordinal"
    with folder_of_a_plan(), pytest.MonkeyPatch.context() as patched:
        patched.setenv("SQLANON_PERMUTATION_SEED", SEED)
        write(source, kinds, rows)
        persons = [row[:2] for row in rows]
        write("everybody.parquet", {name: kinds[name] for name in (first, second)}, persons * 2)
        Path("plan.yml").write_text(json.dumps(plan), encoding="utf-8")
        # of a bucket's label '*' nobody could tell whether it is a value or the top level
        is_unclear = method == "combined" and any(
            "*" in values and len(values) > 1 for values in map(set, zip(*persons, strict=True))
        )
        try:
            made = sqlanon.run("plan.yml")
        except NoSolutionError:
            assert not is_unclear
            assert not Path(place.partition("::")[0]).exists()
            return
        except HierarchyError:
            assert is_unclear
            assert not Path(place.partition("::")[0]).exists()
            return
        assert not is_unclear
        places = [place]
        if method in ("anatomy", "permuted"):
            places.append(values_beside(place))
        published = {name: read(name) for name in places}
        names, found = published[place]
        sizes = counted_by(names, found, ["bucket"])
        assert min(sizes.values()) >= k
        assert sum(sizes.values()) == len(rows)
        for with_source in (False, True):
            reported = sqlanon.verify(place, "plan.yml", with_source=with_source)
            assert all(one.satisfied for one in reported)
            for one, listed in zip(reported, made.manifest["privacy"], strict=True):
                assert one.model == listed["model"]
                assert one.measured == pytest.approx(listed["measured"])

        for name in {name.partition("::")[0] for name in places}:
            Path(name).unlink()
        with duckdb.connect() as bare:
            bare.execute("set variable sqlanon_permutation_seed = $seed", {"seed": SEED})
            bare.execute(Path("target/plan/sql/program.sql").read_text(encoding="utf-8"))
        assert {name: read(name) for name in places} == published

        given_rows = as_the_database_has(kinds, rows)
        solution = json.loads(Path("plan.solution.json").read_text(encoding="utf-8"))
        for group in solution["column_groups"]:
            wanted = [name for name in group if name in names]
            before = counted_by(list(kinds), given_rows, wanted)
            after = counted_by(names, found, wanted)
            if method == "combined":
                after.pop(("*",), None)
                assert after <= before
            else:
                assert after == before
        if len(places) == 2:
            _, counts = published[places[1]]
            assert all(count == "1" for *_, count in counts)  # no value twice in a bucket
            assert Counter((row[1],) for row in counts) == counted_by(
                list(kinds), given_rows, [illness]
            )
            assert Counter((row[0],) for row in counts) == sizes


def as_the_database_has(kinds: Mapping[str, str], rows: Sequence[Row]) -> list[Row]:
    """The rows as their types write them, such as 1.10 and 1e+300."""
    with duckdb.connect() as connection:
        casts = ", ".join(f"cast(cast(? as {kind}) as varchar)" for kind in kinds.values())
        return [connection.execute(f"select {casts}", row).fetchall()[0] for row in rows]


# --- attacks, against the list of all that could stand behind a publication


@st.composite
def populations(
    draw: st.DrawFn,
) -> tuple[str, tuple[str, str, str], list[Row], list[Row], str, str, str]:
    """A method, names of columns, persons, those of them who are published with a value, the
    formats of source and publication, and dmax."""
    ones = draw(st.permutations(["a", "b", "NULL", None]))[: draw(st.integers(2, 4))]
    twos = draw(st.permutations(["1", "2", "", None]))[: draw(st.integers(2, 3))]
    person = st.tuples(st.sampled_from(ones), st.sampled_from(twos))
    count = draw(st.integers(3, 7))
    persons: list[Row] = draw(st.lists(person, min_size=count, max_size=count + 4))
    secret = st.sampled_from(["flu", "gout", "mumps", None])
    chosen = draw(st.permutations(range(len(persons))))[:count]
    return (
        draw(st.sampled_from(sorted(set(METHODS) - {"dealt within", "sliced", "rounds"}))),
        draw(st.sampled_from([
            ("one", "two", "illness"),
            ("text_of_illness", "value_of_illness", "illness"),
            ("label_2", "label_1", "text"),
            ("value_2", "value_of_code", "code"),
            ("person_count", "combination", "class_size"),
        ])),
        persons,
        [(*persons[number], draw(secret)) for number in chosen],
        draw(st.sampled_from(["parquet", "csv"])),
        draw(st.sampled_from(["parquet", "csv"])),
        draw(st.sampled_from(["0.5", "0.7", "0.9"])),
    )  # fmt: skip


@examples(30)
@given(drawn=populations())
def test_attacks_on_what_was_published(
    drawn: tuple[str, tuple[str, str, str], list[Row], list[Row], str, str, str],
) -> None:
    method, (one, two, illness), persons, rows, written, ending, dmax = drawn
    if written == "csv":  # an empty field of a source is a missing value
        persons = [tuple(value or None for value in person) for person in persons]
        rows = [tuple(value or None for value in row) for row in rows]
    columns: dict[str, Any] = {
        one: {"role": "quasi-identifier"},
        two: {"role": "quasi-identifier"},
        illness: "sensitive",
    }
    presence = Fraction(3, 4)
    place = f"out.{ending}"
    plan: dict[str, Any] = {
        "source": f"people.{written}",
        "columns": columns,
        "privacy": [{"model": "k-anonymity", "k": 2}],
        "method": METHODS[method],
        "publish": (place := place_of(method, place)),
    }
    if method == "combined":
        plan["population"] = f"everybody.{written}"
        plan["privacy"].append({"model": "delta-presence", "dmin": 0, "dmax": float(presence)})
    else:
        columns[one]["type"] = columns[two]["type"] = "ordinal"
    with folder_of_a_plan():
        for name, table, width in (("people", rows, 3), ("everybody", persons, 2)):
            names = dict.fromkeys((one, two, illness)[:width], "varchar")
            if written == "csv":
                with Path(f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
                    csv.writer(file).writerows([list(names), *table])
            else:
                write(f"{name}.parquet", names, table)
        Path("plan.yml").write_text(json.dumps(plan), encoding="utf-8")
        try:
            sqlanon.run("plan.yml")
        except NoSolutionError:
            return
        found = sqlanon.attack(
            place,
            "plan.yml",
            population=f"everybody.{written}",
            attacks=[{"name": "membership", "dmax": dmax}, "linkage", "homogeneity", "skewness"],
        )
        buckets = published_buckets(place, (one, two))
        values = published_values(place, illness, two_tables=method in ("anatomy", "permuted"))
    outcomes = {(finding.attack, finding.variant): finding for finding in found}
    check_values(outcomes, values)
    if method in ("permuted", "combined", "sliced apart"):
        chances, matches = presences(persons, buckets)
        check_permuted(outcomes["membership", ""], chances, matches, buckets, dmax)
        if method == "combined":
            assert max(chances) <= presence
    else:
        check_whole_rows(outcomes, persons, buckets, dmax)


Buckets = dict[str, list[tuple[Value, Value]]]


def published_buckets(place: str, wanted: Sequence[str]) -> Buckets:
    names, rows = read(place)
    buckets: Buckets = {}
    for row in rows:
        bucket = row[names.index("bucket")] or ""
        first, second = (row[names.index(name)] for name in wanted)
        buckets.setdefault(bucket, []).append((first, second))
    return buckets


def published_values(place: str, illness: str, *, two_tables: bool) -> dict[str, Counter[Value]]:
    values: dict[str, Counter[Value]] = {}
    names, rows = read(values_beside(place) if two_tables else place)
    for row in rows:
        count = int(row[2] or 0) if two_tables else 1
        bucket = row[names.index("bucket")] or ""
        values.setdefault(bucket, Counter())[row[names.index(illness)]] += count
    return values


def presences(persons: Sequence[Row], buckets: Buckets) -> tuple[list[Fraction], list[list[str]]]:
    """The share of the sets of persons with the published counts that each person is in.

    Also the buckets that each of them could be in. A column of '*' shows nothing.
    """
    hidden = {
        (bucket, place): all(row[place] == "*" for row in rows)
        for bucket, rows in buckets.items()
        for place in (0, 1)
    }
    left = {
        bucket: [Counter(row[place] for row in rows) for place in (0, 1)]
        for bucket, rows in buckets.items()
    }

    def shown(bucket: str, person: Row) -> list[Value]:
        return ["*" if hidden[bucket, place] else person[place] for place in (0, 1)]

    matches = [
        [b for b in buckets if all(left[b][p][v] for p, v in enumerate(shown(b, person)))]
        for person in persons
    ]
    sets: set[tuple[bool, ...]] = set()

    def go_on(chosen: tuple[bool, ...]) -> None:
        if len(chosen) == len(persons):
            if not any(sum(counts.values()) for both in left.values() for counts in both):
                sets.add(chosen)
            return
        go_on((*chosen, False))
        person = persons[len(chosen)]
        for bucket in matches[len(chosen)]:
            labels = list(enumerate(shown(bucket, person)))
            if all(left[bucket][place][label] for place, label in labels):
                for place, label in labels:
                    left[bucket][place][label] -= 1
                go_on((*chosen, True))
                for place, label in labels:
                    left[bucket][place][label] += 1

    go_on(())
    chances = [Fraction(sum(one[n] for one in sets), len(sets)) for n in range(len(persons))]
    return chances, matches


def check_permuted(
    finding: AttackFinding,
    chances: Sequence[Fraction],
    matches: Sequence[Sequence[str]],
    buckets: Buckets,
    dmax: str,
) -> None:
    """Exact where everybody has one bucket; never safer than the truth where not."""
    measured, certainty = finding.measured, finding.certainty
    assert finding.tried
    assert measured is not None
    assert certainty is not None
    surely_in = sum(chance == 1 for chance in chances)
    surely_out = sum(chance == 0 for chance in chances)
    above = Counter(
        match[0] if match else ""
        for chance, match in zip(chances, matches, strict=True)
        if chance > Fraction(dmax)
    )
    if any(len(match) > 1 for match in matches):
        at_risk = min(sum(map(len, buckets.values())), above.total())
        assert measured["persons_in"] <= surely_in
        assert measured["persons_out"] <= surely_out
        assert (finding.rows_at_risk or 0) >= at_risk
        assert any("several buckets" in note for note in finding.notes)
        return
    at_risk = sum(min(count, len(buckets[bucket])) for bucket, count in above.items())
    assert (measured["persons_in"], measured["persons_out"]) == (surely_in, surely_out)
    assert measured["persons_counted"] == len(chances)
    assert finding.rows_at_risk == at_risk
    assert certainty == pytest.approx(float(max(chances)))


def check_whole_rows(
    outcomes: Mapping[tuple[str, str], AttackFinding],
    persons: Sequence[Row],
    buckets: Buckets,
    dmax: str,
) -> None:
    """Rows are linked by their quasi-identifiers, in whichever bucket they stand."""
    looks = Counter(row for rows in buckets.values() for row in rows)
    alike = Counter(persons)
    shares = {look: Fraction(count, alike[look]) for look, count in looks.items()}
    rows = sum(looks.values())
    expected = {
        ("membership", ""): (Fraction(dmax), shares),
        ("linkage", "prosecutor"): (
            Fraction(1, 5), {look: Fraction(1, count) for look, count in looks.items()},
        ),
        ("linkage", "journalist"): (
            Fraction(1, 5), {look: Fraction(1, alike[look]) for look in looks},
        ),
    }  # fmt: skip
    for key, (threshold, chances) in expected.items():
        assert outcomes[key].rows_at_risk == sum(
            count for look, count in looks.items() if chances[look] > threshold
        ), key
        assert outcomes[key].certainty == pytest.approx(float(max(chances.values()))), key
    assert outcomes["linkage", "marketer"].certainty == pytest.approx(
        float(sum(shares.values()) / rows)
    )


def check_values(
    outcomes: Mapping[tuple[str, str], AttackFinding], values: Mapping[str, Counter[Value]]
) -> None:
    table = sum(values.values(), Counter[Value]())
    shares = {
        (bucket, value): Fraction(count, counts.total())
        for bucket, counts in values.items()
        for value, count in counts.items()
    }
    alike, skewed = outcomes["homogeneity", ""], outcomes["skewness", ""]
    assert alike.certainty == pytest.approx(float(max(shares.values())))
    assert alike.rows_at_risk == sum(
        counts.total() for counts in values.values() if len(counts) == 1
    )
    assert skewed.rows_at_risk == sum(
        values[bucket][value]
        for (bucket, value), share in shares.items()
        if share > 2 * Fraction(table[value], table.total())
    )


# --- what must be in no file and in no message

MARKS = ("ONEMARK", "777000", "ILLMARK", "OTHERMARK", "NAMEMARK", SEED)
"""What every value of a column has in common, and the seed."""


def marked_rows(illnesses: int) -> list[Row]:
    return [
        (f"ONEMARK{n * 5 % 7}", f"777000{n * 3 % 17:02d}", f"ILLMARK{n % illnesses}",
         f"OTHERMARK{n % 4}", f"NAMEMARK{n}")
        for n in range(36)
    ]  # fmt: skip


@pytest.mark.sampled(0.017, by=("method", "illnesses"))
@pytest.mark.parametrize("illnesses", [5, 1])
@pytest.mark.parametrize("method", METHODS)
def test_no_value_and_no_seed_leaks(
    method: str,
    illnesses: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Neither of a run that publishes, nor of one that cannot (one illness alone)."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SQLANON_PERMUTATION_SEED", SEED)
    monkeypatch.setenv("SQLANON_PSEUDONYM_KEY", KEY)
    rows = marked_rows(illnesses)
    names = ["one", "number", "illness", "other", "name"]
    write("people.parquet", dict.fromkeys(names, "varchar"), rows)
    write("everybody.parquet", dict.fromkeys(names[:2], "varchar"), [r[:2] for r in rows] * 3)
    columns: dict[str, Any] = {
        "one": {"role": "quasi-identifier"},
        "number": {"role": "quasi-identifier", "hierarchy": {"intervals": [5, 10]}},
        "illness": "sensitive",
        "other": "insensitive",
        "name": {"role": "identifier", "action": "pseudonym"},
    }
    plan: dict[str, Any] = {
        "source": "people.parquet",
        "columns": columns,
        "privacy": [
            {"model": "k-anonymity", "k": 3},
            {"model": "l-diversity", "kind": "distinct", "l": 2},
        ],
        "method": METHODS[method],
        "publish": (place := place_of(method, "out.csv")),
    }
    if method == "combined":
        plan["population"] = "everybody.parquet"
        plan["privacy"].append({"model": "delta-presence", "dmin": 0, "dmax": 0.7})
    else:
        columns["one"]["type"] = "ordinal"
    Path("plan.yml").write_text(json.dumps(plan), encoding="utf-8")
    reported = ""
    try:
        sqlanon.run("plan.yml")
        reported += repr(sqlanon.verify(place, "plan.yml", with_source=True, list_failing=9))
        reported += repr(sqlanon.attack(place, "plan.yml", population="everybody.parquet"))
    except SqlanonError as error:
        reported += str(error)
    assert Path(place).is_file() == (illnesses > 1), reported
    has_values = illnesses > 1 and method in ("anatomy", "permuted")
    assert Path("open/out_values.csv").is_file() == has_values
    reported += "".join(capfd.readouterr())
    files = [file for file in tmp_path.rglob("*") if file.is_file()]
    given_away = {file.name: file.read_bytes() for file in files if file.suffix != ".parquet"}
    published = {
        name: given_away.pop(name) for name in ("out.csv", "out_values.csv") if name in given_away
    }
    for mark in MARKS:
        assert mark not in reported, mark
        holding = [name for name, content in given_away.items() if mark.encode() in content]
        assert holding == [], mark
    for name, content in published.items():
        assert b"NAMEMARK" not in content, name
        assert SEED.encode() not in content, name
    assert not [file.name for file in files if file.name.startswith((".", "staged"))]


# --- faults that were found, and are mended

PEOPLE: list[Row] = [(f"z{n // 4}", f"{20 + n}", f"ill {n % 4}") for n in range(16)]
PEOPLE_COLUMNS = {"zip": "varchar", "age": "varchar", "s": "varchar"}


def people(**keys: Any) -> dict[str, Any]:
    """A plan over sixteen persons of four illnesses, in the current folder."""
    write("people.parquet", PEOPLE_COLUMNS, PEOPLE)
    return {
        "source": "people.parquet",
        "columns": {"zip": "quasi-identifier", "age": "quasi-identifier", "s": "sensitive"},
        "privacy": [{"model": "l-diversity", "kind": "frequency", "l": 2}],
        "publish": "o.csv",
        **keys,
    }


@pytest.mark.parametrize(
    "model",
    [
        {"model": "l-diversity", "kind": "distinct", "l": 2},
        {"model": "l-diversity", "kind": "entropy", "l": 2},
        {"model": "t-closeness", "t": 0.9},
    ],
    ids=lambda model: model.get("kind", "t"),
)
def test_a_column_beside_the_sensitive_one_breaks_promises_about_buckets(
    model: dict[str, Any],
) -> None:
    """Every column group also contains ages own illness, however mixed the bucket is."""
    with folder_of_a_plan():
        groups = {"name": "slicing", "columns": [["zip"], ["age", "s"]]}
        with pytest.raises(SqlanonError, match="column group also contains age") as caught:
            sqlanon.run(people(method=groups, privacy=[model]))
        assert caught.value.exit_code == 2
        # every zip holds every illness, so that age is closest to illness where zip is left out
        found = {"name": "slicing", "column_count": 2, "sensitive": "grouped", "bins": 100}
        columns = {"zip": "insensitive", "age": "quasi-identifier", "s": "sensitive"}
        write("people2.parquet", PEOPLE_COLUMNS, [("same", *row[1:]) for row in PEOPLE])
        with pytest.raises(NoSolutionError, match="column group also contains age"):
            sqlanon.run(
                people(
                    source="people2.parquet",
                    method=found,
                    columns=columns,
                    privacy=[model, {"model": "k-anonymity", "k": 4}],
                )
            )
        assert not list(Path().glob("o*"))


def test_a_column_beside_the_sensitive_one_reveals_it() -> None:
    """Nobody shares an age, so the age tells the illness in every bucket."""
    with folder_of_a_plan():
        groups = {"name": "slicing", "columns": [["zip"], ["age", "s"]]}
        plan = people(method=groups, privacy=[{"model": "k-anonymity", "k": 4}])
        sqlanon.run(plan)
        findings = sqlanon.attack("o.csv", plan, attacks=["homogeneity", "skewness"])
        assert [finding.attack for finding in findings] == ["homogeneity", "skewness"]
        for finding in findings:
            assert finding.tried
            assert finding.rows_at_risk == len(PEOPLE)
        assert findings[0].certainty == 1


def test_the_second_table_does_not_replace_the_source() -> None:
    with folder_of_a_plan(), duckdb.connect() as connection:
        Path("open").mkdir()
        write("open/o_values.parquet", PEOPLE_COLUMNS, PEOPLE)
        plan = people(method="anatomy", source="open/o_values.parquet", publish="open/o.parquet")
        with pytest.raises(SqlanonError, match="is the source itself"):
            sqlanon.run(plan)
        assert read("open/o_values.parquet")[1] == PEOPLE
        connection.execute("create table people_values as from 'open/o_values.parquet'")
        tables = {"source": {"table": "people_values"}, "publish": {"table": "people"}}
        with pytest.raises(SqlanonError, match="has the name of the source"):
            sqlanon.run({**plan, **tables}, connection=connection)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("before", "place"),
    [("earlier/o.csv", "open/o.csv"), ("earlier.duckdb::people", "o.duckdb::people")],
)
def test_an_earlier_release_of_two_tables(before: str, place: str) -> None:
    with folder_of_a_plan():
        write("everybody.parquet", dict(list(PEOPLE_COLUMNS.items())[:2]), [r[:2] for r in PEOPLE])
        for publish_to in (before, place):
            plan = people(method="anatomy", publish=publish_to)
            sqlanon.run(plan)
        (finding,) = sqlanon.attack(
            place, plan, population="everybody.parquet", earlier=before, attacks=["intersection"]
        )
        assert finding.tried
        pairs: list[dict[str, set[Value]]] = []
        for published in (before, place):
            _, rows = read(published)
            _, values = read(values_beside(published))
            of = {b: {v for c, v, _ in values if c == b} for b in {row[0] for row in values}}
            pairs.append({str(age): of[bucket] for _, age, bucket in rows})
        known = sum(len(pairs[0][age] & pairs[1][age]) == 1 for age in pairs[0])
        assert finding.measured is not None
        assert finding.measured["persons_known"] == known
        for with_source in (False, True):
            (check,) = sqlanon.verify(place, plan, with_source=with_source)
            assert check.satisfied


@pytest.mark.parametrize("promised", [2, None])
def test_no_column_groups_at_all(promised: int | None) -> None:
    with folder_of_a_plan():
        plan = people(method={"name": "slicing", "columns": []})
        if promised is None:
            plan["privacy"] = [{"model": "k-anonymity", "k": 4}]
        with pytest.raises(SqlanonError) as caught:
            sqlanon.run(plan)
        assert caught.value.exit_code == 2


def test_a_quasi_identifier_called_population_count() -> None:
    with folder_of_a_plan():
        names = {"population_count": "varchar", "row_count": "varchar"}
        write("people2.parquet", {**names, "s": "varchar"}, PEOPLE)
        write("everybody.parquet", names, [row[:2] for row in PEOPLE])
        plan = people(
            source="people2.parquet",
            method="bucketization",
            columns={**dict.fromkeys(names, "quasi-identifier"), "s": "sensitive"},
        )
        sqlanon.run(plan)
        (finding,) = sqlanon.attack(
            "o.csv", plan, population="everybody.parquet", attacks=["membership"]
        )
        assert (finding.rows_at_risk, finding.certainty) == (16, 1)


@pytest.mark.sampled(0.1)
@pytest.mark.parametrize("method", ["stack-and-deal", "bucketization", "anatomy", "slicing"])
def test_two_seeds_give_different_rows(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where a column is called like one of the templates, and looks like a hash."""
    with folder_of_a_plan():
        names = ("digest_1", "part_rows", "value")
        rows = [(f"{n:064x}", "0", f"ill {n % 4}") for n in range(16)]
        write("odd.parquet", dict.fromkeys(names, "varchar"), rows)
        role = {"role": "quasi-identifier", "type": "ordinal"}
        roles = {**dict.fromkeys(names[:2], role), names[2]: "sensitive"}
        found = []
        for seed in (1, 2):
            monkeypatch.setenv(SEED_VARIABLE, secret_text(seed))
            place = place_of(method, "o.csv")
            odd = people(source="odd.parquet", columns=roles, method=method, publish=place)
            sqlanon.run(odd)
            found.append(sorted(read(place)[1]))
        assert found[0] != found[1]


def test_a_second_table_without_its_columns() -> None:
    with folder_of_a_plan():
        plan = people(method="anatomy", publish="open/o.csv")
        sqlanon.run(plan)
        Path("target").rename("gone")  # without the manifest, which tells the change by itself
        values = Path("open/o_values.csv")
        values.write_text(values.read_text(encoding="utf-8").replace("row_count", "rows", 1))
        for call in (sqlanon.verify, sqlanon.attack):
            with pytest.raises(SqlanonError, match="has no column 'row_count'") as caught:
                call("open/o.csv", plan)
            assert caught.value.exit_code == 2


@pytest.mark.parametrize("known", [True, False])
def test_a_mount_point_cannot_be_replaced_as_a_whole(
    known: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as a volume of a container; those that Python does not know are found by the rename."""
    with folder_of_a_plan():
        Path("open").mkdir()

        def busy(*_: object) -> None:
            raise OSError(errno.EBUSY, "Device or resource busy")

        monkeypatch.setattr(os.path, "ismount", lambda path: known and Path(path).name == "open")
        monkeypatch.setattr(publish, "swapped", busy)
        with pytest.raises(PublishError, match="'open' is a mount point") as caught:
            sqlanon.run(people(method="anatomy", publish="open/o.csv"))
        assert (caught.value.where, caught.value.exit_code) == ("publish", 5)
        assert "inside" in caught.value.fix
        assert not list(Path("open").iterdir())
