"""Adversarial inputs for methods with buckets and for attacks on them, from files to files."""

from __future__ import annotations

import errno
import json
import os
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pytest

import sqlanon
from sqlanon.errors import HierarchyError, NoSolutionError, PlanError, PublishError, SqlanonError
from sqlanon.publication import publish
from tests.plan import plans
from tests.support.secret_texts import KEY, SEED
from tests.support.tables import feed

Value = str | None
Row = tuple[Value, ...]


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


PAIRS = ("anatomy", "permuted")
"""Those that publish two tables."""


NAMES = (
    "value code", "value_code", "value_row", "value_rank", "stratum", "stratum_label",
    "stratum_of_city", "position", "row_number", "row_count", "value_count", "last_row", "class",
    "place", "place_of_city", "shuffled_label", "joined_parts", "row_combinations", "stack",
    "deals", "shares", "rows", "numbered_rows", "label", "dealing_key", "key_of_illness",
    'a "quoted" name', "it's", "select", "Ünïcödé -- β", "digest_1", "part_rows", "value",
    "population_count",
)  # fmt: skip

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


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, whose name must be quoted."""
    made = tmp_path / "it's"
    (made / "open").mkdir(parents=True)
    monkeypatch.chdir(made)
    return made


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def plan_of(
    method: str, quasi: Sequence[str], *, k: int, dmax: float, **keys: Any
) -> dict[str, Any]:
    """A plan with such a method; `combined` alone locates the persons of a population."""
    columns: dict[str, Any] = {name: {"role": "quasi-identifier"} for name in quasi}
    plan = {
        "source": "people.parquet",
        "columns": columns | keys.pop("columns"),
        "privacy": [{"model": "k-anonymity", "k": k}],
        "method": dict(METHODS[method]),
        **keys,
    }
    if method == "combined":
        plan["population"] = "everybody.parquet"
        plan["privacy"].append({"model": "delta-presence", "dmin": 0, "dmax": dmax})
        return plan
    for role in columns.values():  # numbers and text have no order but that of their text
        role["type"] = "ordinal"
    if "within" in plan["method"]:
        plan["method"]["within"] = {quasi[0]: 1}
    return plan


def write(name: str, columns: Mapping[str, str], rows: Sequence[Row]) -> None:
    """A table as Parquet, or in a DuckDB file, with the types of its columns."""
    file, _, table = name.partition("::")
    with duckdb.connect(file if table else ":memory:") as connection:
        typed = ", ".join(f"{quoted(name)} {kind}" for name, kind in columns.items())
        connection.execute(f"create table {table or 'rows'} ({typed})")
        marks = ", ".join("?" * len(columns))
        connection.executemany(f"insert into {table or 'rows'} values ({marks})", rows)
        if not table:
            connection.execute(f"copy rows to '{file}' (format parquet)")


def read(place: str) -> tuple[list[str], list[Row]]:
    """Names of the columns, and the rows as text."""
    file, _, table = place.partition("::")
    relation = table or f"read_parquet('{place}')"
    if place.endswith(".csv"):
        relation = (
            f"read_csv('{place}', header = true, all_varchar = true, delim = ',', quote = '\"',"
            " escape = '\"', allow_quoted_nulls = false)"
        )
    with duckdb.connect(file if table else ":memory:", read_only=bool(table)) as connection:
        names = [row[0] for row in connection.execute(f"describe from {relation}").fetchall()]
        casts = ", ".join(f"cast({quoted(name)} as varchar)" for name in names)
        return names, connection.execute(f"select {casts} from {relation}").fetchall()


def counted_by(
    columns: Sequence[str], rows: Sequence[Row], wanted: Sequence[str]
) -> Counter[tuple[Value, ...]]:
    places = [columns.index(name) for name in wanted]
    return Counter(tuple(row[place] for place in places) for row in rows)


def values_beside(place: str) -> str:
    return f"{place}_values" if "::" in place else place.replace(".", "_values.")


@pytest.mark.sampled(0.01, by=lambda case: METHODS[case["method"]]["name"])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", range(4))
def test_parts_of_rows_stay_in_their_bucket(seed: int, method: str) -> None:
    """Nothing is lost, doubled or changed, whatever types and names; the program makes the same."""
    draw = random.Random(f"{seed} {method}")
    first, second, illness, other = names = draw.sample(NAMES, 4)
    kinds = dict(zip(names, draw.choices(list(TYPES), k=4), strict=True))
    pools: list[list[Value]] = [
        [*draw.sample(TYPES[kind], draw.randint(1, len(TYPES[kind]))), *[None] * draw.randint(0, 1)]
        for kind in kinds.values()
    ]
    pools[2] = [*TYPES[kinds[illness]], None]  # or most methods would find nothing
    rows: list[Row] = [tuple(map(draw.choice, pools)) for _ in range(draw.randint(8, 24))]
    source = draw.choice(["people.parquet", "people.duckdb::people"])
    place = draw.choice(["open/out.csv", "open/out.parquet", "out.duckdb::out"])
    k = 2 if method in PAIRS else draw.randint(2, 3)
    plan = plan_of(
        method, (first, second), k=k, dmax=0.75, publish=place,
        columns={illness: "sensitive", other: "insensitive"},
    )  # fmt: skip
    plan["source"] = source
    write(source, kinds, rows)
    persons = [row[:2] for row in rows]
    write("everybody.parquet", {name: kinds[name] for name in (first, second)}, persons * 2)
    Path("plan.yml").write_text(json.dumps(plan), encoding="utf-8")
    # of a bucket's label '*' nobody could tell whether it is a value or the top level
    is_unclear = method == "combined" and any(
        "*" in values and len(values) > 1 for values in map(set, zip(*persons, strict=True))
    )
    refusal = HierarchyError if is_unclear else NoSolutionError
    try:
        made = sqlanon.run("plan.yml")
    except refusal:
        assert not Path(place.partition("::")[0]).exists()
        return
    assert not is_unclear
    places = [place, values_beside(place)] if method in PAIRS else [place]
    written = made.manifest["published"]
    assert [written["path"], *([written["values"]["path"]] if method in PAIRS else [])] == places
    published = {name: read(name) for name in places}
    shown, found = published[place]
    sizes = counted_by(shown, found, ["bucket"])
    assert min(sizes.values()) >= k
    assert sum(sizes.values()) == len(rows)
    reported = sqlanon.verify(place, "plan.yml", with_source=draw.random() < 0.5)
    assert all(one.satisfied for one in reported)
    for one, listed in zip(reported, made.manifest["privacy"], strict=True):
        assert one.model == listed["model"]
        assert one.measured == pytest.approx(listed["measured"])

    for name in {name.partition("::")[0] for name in places}:
        Path(name).unlink()
    feed(Path("target/plan/sql/program.sql").read_text(encoding="utf-8"))
    assert {name: read(name) for name in places} == published

    given_rows = as_the_database_has(kinds, rows)
    solution = json.loads(Path("plan.solution.json").read_text(encoding="utf-8"))
    for group in solution["column_groups"]:
        wanted = [name for name in group if name in shown]
        before = counted_by(names, given_rows, wanted)
        after = counted_by(shown, found, wanted)
        if method == "combined":
            after.pop(("*",), None)
            assert after <= before
        else:
            assert after == before
    if method in PAIRS:
        _, counts = published[places[1]]
        assert all(count == "1" for *_, count in counts)  # no value twice in a bucket
        assert Counter((row[1],) for row in counts) == counted_by(names, given_rows, [illness])
        assert Counter((row[0],) for row in counts) == sizes


def as_the_database_has(kinds: Mapping[str, str], rows: Sequence[Row]) -> list[Row]:
    """The rows as their types write them, such as 1.10 and 1e+300."""
    with duckdb.connect() as connection:
        casts = ", ".join(f"cast(cast(? as {kind}) as varchar)" for kind in kinds.values())
        return [connection.execute(f"select {casts}", row).fetchall()[0] for row in rows]


MARKS = ("ONEMARK", "777000", "ILLMARK", "OTHERMARK", "NAMEMARK", SEED)
"""What every value of a column has in common, and the seed."""


@pytest.mark.sampled(0.01, by=lambda case: case["illnesses"] == 1 or case["method"])
@pytest.mark.parametrize("illnesses", [5, 1])
@pytest.mark.parametrize("method", METHODS)
def test_no_value_and_no_seed_leaks(
    method: str, illnesses: int, folder: Path, monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """Neither of a run that publishes, nor of one that cannot (one illness alone)."""
    monkeypatch.setenv("SQLANON_PSEUDONYM_KEY", KEY)
    rows: list[Row] = [
        (f"ONEMARK{n * 5 % 7}", f"777000{n * 3 % 17:02d}", f"ILLMARK{n % illnesses}",
         f"OTHERMARK{n % 4}", f"NAMEMARK{n}")
        for n in range(36)
    ]  # fmt: skip
    names = ["one", "number", "illness", "other", "name"]
    write("people.parquet", dict.fromkeys(names, "varchar"), rows)
    write("everybody.parquet", dict.fromkeys(names[:2], "varchar"), [r[:2] for r in rows] * 3)
    columns = {
        "number": {"role": "quasi-identifier", "hierarchy": {"intervals": [5, 10]}},
        "illness": "sensitive",
        "other": "insensitive",
        "name": {"role": "identifier", "action": "pseudonym"},
    }
    place = "open/out.csv"
    plan = plan_of(method, ["one"], k=3, dmax=0.7, publish=place, columns=columns)
    plan["privacy"].append({"model": "l-diversity", "kind": "distinct", "l": 2})
    Path("plan.yml").write_text(json.dumps(plan), encoding="utf-8")
    try:
        sqlanon.run("plan.yml")
        found = sqlanon.attack(place, "plan.yml", population="everybody.parquet")
        (alike,) = (one.certainty for one in found if one.attack == "homogeneity")
        shown, listed = read(values_beside(place) if method in PAIRS else place)
        sizes = counted_by(shown, listed, ["bucket"])
        pairs = counted_by(shown, listed, ["bucket", "illness"])
        shares = [count / sizes[bucket,] for (bucket, _), count in pairs.items()]
        assert alike == pytest.approx(max(shares))
        verified = sqlanon.verify(place, "plan.yml", with_source=True, list_failing=9)
        reported = repr((found, verified))
    except SqlanonError as error:
        reported = str(error)
        assert illnesses == 1, reported
    assert Path(place).is_file() == (illnesses > 1), reported
    assert Path("open/out_values.csv").is_file() == (illnesses > 1 and method in PAIRS)
    reported += "".join(capfd.readouterr())
    assert not [mark for mark in MARKS if mark in reported]
    for file in [file for file in folder.rglob("*") if file.is_file()]:
        assert not file.name.startswith((".", "staged"))
        if file.suffix != ".parquet":
            marks = MARKS[4:] if file.name in ("out.csv", "out_values.csv") else MARKS
            assert not [m for m in marks if m.encode() in file.read_bytes()], file.name


PEOPLE: list[Row] = [(f"z{n // 4}", f"{20 + n}", f"ill {n % 4}") for n in range(16)]
PEOPLE_COLUMNS = {"zip": "varchar", "age": "varchar", "s": "varchar"}


def people(**keys: Any) -> dict[str, Any]:
    """A plan over sixteen persons of four illnesses, in the current folder."""
    write("people.parquet", PEOPLE_COLUMNS, PEOPLE)
    columns = {"zip": "quasi-identifier", "age": "quasi-identifier", "s": "sensitive"}
    frequency = [{"model": "l-diversity", "kind": "frequency", "l": 2}]
    made = plans.plan_of(columns, "people.parquet", privacy=frequency, publish="o.csv")
    return made | keys


@pytest.mark.parametrize(
    "model",
    [
        {"model": "l-diversity", "kind": "distinct", "l": 2},
        {"model": "l-diversity", "kind": "entropy", "l": 2},
        {"model": "t-closeness", "t": 0.9},
    ],
    ids=lambda model: model.get("kind", "t"),
)
def test_a_column_beside_the_sensitive_one_breaks_promises(model: dict[str, Any]) -> None:
    """Nobody shares an age, so the age tells the illness, however mixed the bucket is."""
    groups = {"name": "slicing", "columns": [["zip"], ["age", "s"]]}
    with pytest.raises(SqlanonError, match="column group also contains age") as caught:
        sqlanon.run(people(method=groups, privacy=[model]))
    assert caught.value.exit_code == 2
    # every zip holds every illness, so that age is closest to illness where zip is left out
    found = {"name": "slicing", "column_count": 2, "sensitive": "grouped", "bins": 100}
    four = {"model": "k-anonymity", "k": 4}
    plan = people(method=found, privacy=[model, four])
    plan["columns"]["zip"] = "insensitive"
    write("people.parquet", PEOPLE_COLUMNS, [("same", *row[1:]) for row in PEOPLE])
    with pytest.raises(NoSolutionError, match="column group also contains age"):
        sqlanon.run(plan)
    # which values of two groups stand in one row is chance
    apart = {"name": "slicing", "columns": [["zip"], ["age"], ["s"]]}
    plan = people(method=apart, privacy=[{**model, "attribute": "s", "mode": "joint"}])
    plan["columns"]["age"] = "sensitive"
    with pytest.raises(PlanError, match="several column groups"):
        sqlanon.check(plan)
    assert not list(Path().glob("o.*"))
    plan = people(method=groups, privacy=[four])
    sqlanon.run(plan)
    findings = sqlanon.attack("o.csv", plan, attacks=["homogeneity", "skewness"])
    assert [(one.attack, one.tried, one.rows_at_risk) for one in findings] == [
        ("homogeneity", True, 16), ("skewness", True, 16),
    ]  # fmt: skip
    assert findings[0].certainty == 1


def test_the_second_table_does_not_replace_the_source() -> None:
    with duckdb.connect() as connection:
        write("open/o_values.parquet", PEOPLE_COLUMNS, PEOPLE)
        plan = people(method="anatomy", source="open/o_values.parquet", publish="open/o.parquet")
        with pytest.raises(SqlanonError, match="is the source itself"):
            sqlanon.run(plan)
        assert read("open/o_values.parquet")[1] == PEOPLE
        connection.execute("create table people_values as from 'open/o_values.parquet'")
        tables = {"source": {"table": "people_values"}, "publish": {"table": "people"}}
        with pytest.raises(SqlanonError, match="has the name of the source"):
            sqlanon.run({**plan, **tables}, connection=connection)


@pytest.mark.sampled(0.5)
@pytest.mark.parametrize(
    ("before", "place"),
    [("earlier/o.csv", "open/o.csv"), ("earlier.duckdb::people", "o.duckdb::people")],
)
def test_an_earlier_release_of_two_tables(before: str, place: str) -> None:
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


def test_a_second_table_that_does_not_fit() -> None:
    """It lacks a column, or a row, or it is gone."""
    plan = people(method="anatomy", publish="open/o.csv")
    sqlanon.run(plan)
    Path("target").rename("gone")  # without the manifest, which tells the change by itself
    values = Path("open/o_values.csv")
    written = values.read_text(encoding="utf-8")
    values.write_text(written.replace("row_count", "rows", 1))
    for call in (sqlanon.verify, sqlanon.attack):
        with pytest.raises(SqlanonError, match="has no column 'row_count'") as caught:
            call("open/o.csv", plan)
        assert caught.value.exit_code == 2
    values.write_text(written[: written.rindex("\n", 0, -1) + 1])
    with pytest.raises(SqlanonError) as caught:
        sqlanon.verify("open/o.csv", plan)
    assert caught.value.exit_code == 1
    values.unlink()
    with pytest.raises(PlanError, match=r"open/o_values\.csv"):
        sqlanon.verify("open/o.csv", plan)


@pytest.mark.parametrize("known", [True, False])
def test_a_mount_point_cannot_be_replaced_as_a_whole(
    known: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as a volume of a container; those that Python does not know are found by the rename."""

    def busy(*_: object) -> None:
        raise OSError(errno.EBUSY, "Device or resource busy")

    monkeypatch.setattr(os.path, "ismount", lambda path: known and Path(path).name == "open")
    monkeypatch.setattr(publish, "swapped", busy)
    with pytest.raises(PublishError, match="'open' is a mount point") as caught:
        sqlanon.run(people(method="anatomy", publish="open/o.csv"))
    assert (caught.value.where, caught.value.exit_code) == ("publish", 5)
    assert "inside" in caught.value.fix
    assert not list(Path("open").iterdir())
