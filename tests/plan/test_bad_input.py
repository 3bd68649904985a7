"""Odd and broken input: a run works and publishes the right rows, or says what is wrong, and then
the earlier publication stands untouched."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import pytest

import sqlanon
from sqlanon.commands.options import Options
from sqlanon.errors import (
    EngineError,
    HierarchyError,
    NoSolutionError,
    PlanError,
    PublishError,
    SqlanonError,
)
from tests.conftest import Command, published_before
from tests.plan.plans import plan_of

EARLIER = b"an earlier publication"

Row = tuple[Any, ...]

of_csv = partial(plan_of, source="rows.csv")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with an earlier publication at `out.parquet`."""
    monkeypatch.chdir(tmp_path)
    published_before(tmp_path / "out.parquet", EARLIER)
    return tmp_path


def write(content: str | bytes, name: str = "rows.csv") -> None:
    Path(name).write_bytes(content.encode() if isinstance(content, str) else content)


def write_parquet(query: str, name: str = "rows.parquet") -> None:
    duckdb.connect().execute(f"copy ({query}) to '{name}' (format parquet)")


def ident(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def assert_publishes(plan: Any, rows: Sequence[Row]) -> sqlanon.RunResult:
    """These rows, of the plan's first columns; they verify."""
    result = sqlanon.run(plan)
    found = duckdb.connect().execute("select * from 'out.parquet'")
    names = [column[0] for column in found.description or ()]
    assert names == [*plan["columns"]][: len(rows[0])]
    assert sorted(found.fetchall(), key=str) == sorted(rows, key=str)
    assert result.manifest["published"]["rows"] == len(rows)
    assert not list(Path().rglob("staged*"))
    assert [finding.satisfied for finding in sqlanon.verify("out.parquet", plan)] == [True]
    return result


# The source and the plan do not fit


PATIENTS = "age,sex,name\n1,f,secret\n1,f,secret\n"
EITHER = (PlanError, EngineError)


@pytest.mark.parametrize(
    ("content", "plan", "kind", "where", "shown"),
    [
        (PATIENTS, of_csv(["age", "sexx", "name"]), PlanError, "columns.sexx",
         "no column 'sexx'|Did you mean 'sex'?"),
        (PATIENTS, of_csv(["age"]), PlanError, "columns", "2 column(s)|no role: sex, name"),
        ("secret,secret2\n1,2\n", of_csv(["age"]), PlanError, "columns",
         "None of the plan's columns"),  # without a header line these would be cells
        ("a,b\n", of_csv("ab"), PlanError, "source", "The source has no rows"),
        ("", plan_of("ab", {"query": "select 1 as a, 2 as b limit 0"}), PlanError, "source",
         "The source has no rows"),
        ("a,b\n1,\n,2\n", of_csv("ab", missing="drop-rows"), PlanError, None,
         "every row misses a value"),
        ("", of_csv("ab"), EITHER, None, ""),
        *(("a,b\nsecret,2\nsecret,2\n", of_csv("ab", method=method, privacy=[
            {"model": "k-anonymity", "k": 3}]), NoSolutionError, None, "k")
          for method in ("optimal", "incognito", "samarati", "datafly", "mondrian", "k-mondrian",
                         "dimension-splitting")),
        *(("a,b\nsecret,1\n", of_csv("ab", suppression=suppression), NoSolutionError, None, "")
          for suppression in ({}, {"limit": 1}, {"limit": 1, "rows": "mask"})),
        ("a,b\n1,2\n1,2\n#3,4\n#3,4\n#5\n", of_csv("ab"), PlanError, "rows.csv:6", "Line 6"),
        ("a,b\n1,2\nsecret,3\n", plan_of("ab", {"path": "rows.csv", "types": {"a": "integer"}}),
         PlanError, None, "Line 3"),
        *(("a\n1\n1\n", of_csv([name]), PlanError, f"columns.{name!r}" if name else None,
           "is empty or contains a line break") for name in ("two\r\nlines", "")),
        *(("a\np\np\n", of_csv("a", publish=place), PublishError, None, "")
          for place in ("rows.csv/out.parquet", "taken.csv", "text.duckdb::t")),
        *(("a\np\np\n", of_csv("a", publish=place), PlanError, None, f"{place}|not on this machine")
          for place in ("s3://bucket/out.parquet", "http://host/out.csv")),
        *(("a,b\nsecret1,2\n" + rows, plan_of("ab", {"path": "rows.csv", **options}), PlanError,
           f"rows.csv:{line}", f"Line {line}")
          for options in ({}, {"delimiter": ","})
          for rows, line in (("secret2\nsecret3,4\n", 3), ("secret2,3,4\n", 3),
                             ('"secret2,3\nsecret3,4\n', 3), ("secr\xe9t,3\n", 3),
                             ("secret1,2\n" * 5000 + "secret2\n", 5003),
                             ("secret1,2\n" * 50000 + "secret2\n", 50003))),
        *(("a\nsecret\nsecret\n", plan_of(["a"], source), PlanError, "source", shown)
          for source, shown in (
            ("nowhere.csv", "'nowhere.csv' does not exist"),
            ("*.parquet2", "kind of file"),
            ("nothing/*.csv", "'nothing/*.csv' does not exist"),
            ("nowhere.duckdb::t", "'nowhere.duckdb' does not exist"),
            ("text.duckdb::t", "could not open 'text.duckdb'"),
            ({"table": "t"}, "needs a connection"),
            ("file:///rows.csv", "is the URL of a file"))),
        *(("a\nsecret\nsecret\n", plan_of(["a"], source), EITHER, None, "") for source in (
            "data.duckdb::nowhere", "text.parquet", "rows.json",
            {"query": "select * from nowhere"}, {"query": "select a frm rows"},
            {"path": "rows.csv", "types": {"a": "intger"}},
            {"path": "rows.csv", "types": {"x": "integer"}})),
        *(("a,b\nsecret1,1\nsecret2,1\n", of_csv(
            {"a": {"role": "quasi-identifier", "hierarchy": "h.csv"}, "b": "insensitive"},
            publish=place), HierarchyError, None, "a, level 0: value has more than one row (1)")
          for place in ("out.parquet", "data.duckdb::t")),
    ],
)  # fmt: skip
def test_a_run_that_fails_leaves_nothing_behind(
    content: str, plan: Any, kind: Any, where: str | None, shown: str, folder: Path
) -> None:
    """Nothing earlier is harmed either, and no message shows a value."""
    (folder / "taken.csv").mkdir()
    write(content.encode("latin-1"))
    for name in ("text.duckdb", "text.parquet", "taken.csv/file"):
        write("secret: this is no such file", name)
    write('[{"a": 1}, {"a": "secret", "a', "rows.json")
    write("secret1;*\nsecret1;*\nsecret2;*\n", "h.csv")
    with duckdb.connect("data.duckdb") as connection:
        connection.execute("create table t as select 'earlier' as a")
    with pytest.raises(SqlanonError) as caught:
        sqlanon.run(plan, Options(overwrite=plan["publish"] == "data.duckdb::t"))
    error = caught.value
    assert type(error) in (kind if isinstance(kind, tuple) else (kind,)), error
    assert all(words in str(error) for words in shown.split("|"))
    assert where in (None, error.where)
    assert error.fix
    assert "secr" not in str(error)
    assert Path("out.parquet").read_bytes() == EARLIER
    assert not [*Path().rglob("staged*"), *Path().rglob("*.part")]
    with duckdb.connect("data.duckdb") as connection:
        assert connection.execute("select * from t").fetchall() == [("earlier",)]
    if where == "columns":
        with pytest.raises(PlanError):
            sqlanon.check(plan)


@pytest.mark.parametrize(
    ("source", "content", "rows"),
    [
        ("rows.csv", "a,b\n1,2\n1,2\n#3,4\n#3,4\n", [("#3", "4"), ("1", "2")]),
        ({"path": "rows.csv", "delimiter": ";", "header": False, "null_text": "NA"},
         "NA;1\nNA;1\nx;2\nx;2\n;2\n;2\n", [("", "2"), (None, "1"), ("x", "2")]),
        ({"query": "select unnest(['', '', null, null]) as a, 1 as b"}, "",
         [("", "1"), (None, "1")]),
    ],
)  # fmt: skip
def test_cells_are_read_as_they_are(
    source: Any, content: str, rows: list[Row], folder: Path
) -> None:
    """No row is taken for a comment or a title; empty text and NULL are two values."""
    write(content)
    names = ["column0", "column1"] if "header" in source else "ab"
    assert_publishes(plan_of(names, source), [row for row in rows for _ in "12"])


# Names

NAMES = [
    'a "quoted" name', "it's", "with space", " leading and trailing ", "Ünïcödé 東京",
    "tab\there", "semi;colon", "-- comment", "/* comment */", "{{ jinja }}",
    "{# x #}", "%s", "$1", "a.b", "back\\slash", "*", "?", "1st", "x" * 300, "Mixed Case", "a b",
    "select", "order", "group", "from", "table", "values", "user", "null", "true", "rowid",
    "class_size", "satisfied", "row_count", "node", "key_1", "class_1", "position", "published",
    "level", "level_0", "value", "attribute", "counted_1", "label", "levels", "problems", "codes_1",
    "bucket", "word", "row_number", "source", "sqlanon", "hierarchy", "suppressed",
    "population_size", "class_count", "cost", "failing_rows", "source_rows", "n", "class", "cells",
    "deal", "dealt_row", "first_1", "last_1", "person", "place", "place_1", "region", "round",
    "split", "value_1", "value_of_other", "text_of_other", "generalized", "person_rows",
]  # fmt: skip


@pytest.mark.sampled(0.01)
@pytest.mark.parametrize("name", NAMES, ids=lambda name: repr(name)[:24])
def test_a_column_may_have_any_name(name: str, folder: Path) -> None:
    """A quasi-identifier, one that is cut, whose regions a population is divided among, a value
    that is kept, a label to predict, a table of a DuckDB file."""
    write_parquet(f"select unnest([1, 1, 2, 2, 3]) as {ident(name)}, 7 as other")
    plan = plan_of([name, "other"], suppression={"limit": 0.2})
    assert_publishes(plan, [(text, "7") for text in "1122"])
    write_parquet(f"select unnest([1, 1, 2, 2]) as {ident(name)}, 7 as other")
    for method, more in (
        ({"name": "mondrian", "partitioning": "relaxed"}, {}),
        ({"name": "mpalm", "cut": "quantiles"}, {"population": "rows.parquet"}),
        ({"name": "dimension-splitting"}, {}),
    ):
        numeric = {"role": "quasi-identifier", "type": "numeric"}
        plan = plan_of({name: numeric, "other": "insensitive"}, method=method, **more)
        assert_publishes(plan, [(text, 7) for text in "1122"])
        kept = plan_of({name: "sensitive", "other": numeric}, method=method, **more)
        kept["privacy"] = [{"model": "l-diversity", "l": 2, "attribute": name}]
        assert_publishes(kept, [(n, "7") for n in (1, 1, 2, 2)])
    write_parquet(f"select unnest(['p', 'p', 'q']) as {ident(name)}, 1 as a")
    objective = {"name": "classification", "attribute": name}
    plan = plan_of(
        {name: "sensitive", "a": "quasi-identifier"},
        method={"name": "optimal", "objective": objective},
    )
    result = assert_publishes(plan, [("p", "1"), ("p", "1"), ("q", "1")])
    assert result.manifest["utility"]["classification"] == pytest.approx(1 / 3)
    if set(name) & {".", "\t"}:
        return
    with duckdb.connect("hospital.duckdb") as connection:
        connection.execute(f"create table {ident(name)} as select unnest([1, 1, 2]) as a")
    before = (folder / "hospital.duckdb").read_bytes()
    sqlanon.run(plan_of(["a"], f"hospital.duckdb::{name}", publish=f"open.duckdb::{name}"))
    assert (folder / "hospital.duckdb").read_bytes() == before
    with duckdb.connect("open.duckdb") as opened:
        assert opened.execute(f"select * from {ident(name)}").fetchall() == [("*",)] * 3


@pytest.mark.parametrize("name", ["generalized", "person_rows", "key_1", "placed_combinations"])
def test_a_column_may_be_called_like_a_part_of_the_release(name: str, folder: Path) -> None:
    """The proof takes `generalized.other` for a column of the relation, as DuckDB does."""
    pairs = f"select unnest([1, 1, 2, 2]) as {ident(name)}, unnest([1, 2, 3, 4]) as p"
    write_parquet(f"{pairs}, 7 as other")
    roles = {name: "quasi-identifier", "other": "insensitive", "p": "identifier"}
    refined = {"method": {"name": "optimal", "passes": "auto", "refine": True}}
    for more in ({}, refined, {"unit": {"column": "p", "count": "none"}}):
        assert_publishes(plan_of(roles, **more), [(text, 7) for text in "1122"])
    diverse = {"privacy": [{"model": "l-diversity", "l": 2}]}
    for role, keys in (("insensitive", refined), ("sensitive", diverse)):
        roles = {name: role, "other": "quasi-identifier", "p": "identifier"}
        assert_publishes(plan_of(roles, **keys), [(number, "7") for number in (1, 1, 2, 2)])


def test_kept_columns_and_identifiers_may_have_any_name(folder: Path) -> None:
    """The columns are many, too."""
    names = [name for name in NAMES if name != "value"]
    ones = ", ".join(f"'{n}' as {ident(name)}" for n, name in enumerate(names))
    write_parquet(f"select unnest(['p', 'p']) as value, {ones}")
    kept = tuple(str(n) for n in range(len(names)))
    for action, cells, method in (
        ("insensitive", kept, "optimal"),
        ("insensitive", kept, "mondrian"),
        ("identifier", (), "optimal"),
        ({"role": "identifier", "action": "star"}, ("*",) * len(names), "optimal"),
    ):
        columns: dict[str, Any] = {"value": "quasi-identifier", **dict.fromkeys(names, action)}
        assert_publishes(plan_of(columns, method=method), [("p", *cells)] * 2)


# Kinds of sources

PAIRS = [("p", "1"), ("p", "1"), ("q", "2"), ("q", "2")]


@pytest.fixture
def pairs(folder: Path) -> Path:
    """Four rows, two alike and two alike, in every kind of source."""
    content = "a,b\n" + "".join(",".join(row) + "\n" for row in PAIRS)
    write(content)
    write(gzip.compress(content.encode()), "rows.csv.gz")
    write(content.replace(",", "\t"), "rows.tsv")
    write(content.replace("\n", "\r\n"), "crlf.csv")
    write(b"\xef\xbb\xbf" + content.encode(), "mark.csv")
    write(content.encode("utf-16"), "wide.csv")
    write("".join(json.dumps({"a": a, "b": b}) + "\n" for a, b in PAIRS), "rows.json")
    (folder / "parts").mkdir()
    for number, (a, b) in enumerate(PAIRS):
        write_parquet(f"select '{a}' as a, '{b}' as b", f"parts/{number}.parquet")
    with duckdb.connect("hospital.duckdb") as connection:
        connection.execute("create schema ward; create table ward.t as from 'rows.csv'")
        connection.execute("create view v as select a, b from ward.t")
    return folder


@pytest.mark.sampled(0.1)
@pytest.mark.parametrize(
    "source",
    [
        "rows.csv", "rows.csv.gz", "rows.tsv", "crlf.csv", "mark.csv", "rows.json",
        "parts/*.parquet", "parts/**/*.parquet", "hospital.duckdb::ward.t", "hospital.duckdb::v",
        {"path": "rows.csv", "format": "csv", "quote": '"', "escape": '"'},
        {"path": "rows.csv", "types": {"b": "integer"}},
        {"path": "wide.csv", "encoding": "UTF-16"},
        {"query": "select a, b from 'rows.csv' -- with a comment\n;"},
        {"query": "select a, b from 'rows.csv' -- with a comment"},
        {"query": "with t as (select * from 'rows.csv') select a, cast(b as varchar) as b from t"},
    ],
    ids=str,
)  # fmt: skip
def test_every_kind_of_source(source: Any, pairs: Path) -> None:
    assert_publishes(plan_of("ab", source), PAIRS)


def test_a_plan_is_run_from_another_folder(pairs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Paths start from the plan's folder, also where the other folder has files of these names."""
    (pairs / "elsewhere").mkdir()
    write("a,b\nwrong,1\nwrong,1\n", "elsewhere/rows.csv")
    write(json.dumps(of_csv("ab")), "p.yml")
    (pairs / "out.parquet").unlink()
    monkeypatch.chdir(pairs / "elsewhere")
    sqlanon.run(pairs / "p.yml")
    assert duckdb.execute(f"select * from '{pairs}/out.parquet'").fetchall() == PAIRS


# The command line


def test_exit_codes_of_the_command_line(folder: Path, command: Command) -> None:
    write("age,name\n1,secret\n1,secret\n2,secret\n2,secret\n")
    plan = of_csv({"age": "quasi-identifier", "name": "identifier"})
    write(json.dumps(plan), "p.yml")
    arguments = [sys.executable, "-m", "sqlanon", "run", "p.yml"]  # no publication of this plan
    assert subprocess.run(arguments, capture_output=True, check=False).returncode == 5
    fine = command("run", "p.yml", "--json", "--overwrite")
    assert fine.code == 0
    rows = json.loads(fine.out)["rows"]
    assert (rows["input"], rows["published"], rows["suppressed"]) == (4, 4, 0)
    earlier = (folder / "out.parquet").read_bytes()
    write_parquet("select unnest([1, 1, 2]) as age", "thin.parquet")
    write_parquet("select unnest([1, 1]) as age, 'secret' as name", "named.parquet")
    write("a file, no folder", "occupied")
    assert EngineError("what", where="where", fix="fix").exit_code == 4
    for line, code, shown in [
        ("check p.yml --set source=nowhere.csv", 2, "does not exist"),
        ("run p.yml --set privacy.0.k=5", 3, "k"),
        ("hierarchy check p.yml --set columns.age.hierarchy={date:[year]}", 2, "has no label"),
        ("verify thin.parquet --plan p.yml", 1, "1 of 2 classes fail"),
        ("verify named.parquet --plan p.yml", 1, "identifier 'name'"),
        ("run p.yml --set source.types.age=date", 2, "Line 2"),
        ("run p.yml --set publish=occupied/out.csv", 5, "could not be written"),
    ]:
        ended = command(*line.split())
        assert ended.code == code, ended.err
        assert shown in " ".join((ended.out + ended.err).split())
        assert "Traceback" not in ended.err
        assert "secret" not in ended.err + ended.out
        assert ended.out == "" or line.startswith(("verify", "hierarchy"))
        assert (folder / "out.parquet").read_bytes() == earlier
