"""sqlanon as in a notebook: rows of Python, overrides as a mapping, and names of plans."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest

import sqlanon
from sqlanon.errors import PlanError
from sqlanon.sql.step import Rows
from tests.plan.plans import plan_of
from tests.support.tables import write_csv

pytestmark = pytest.mark.usefixtures("folder")

ILLS = ["flu", "cold", "hiv", "flu"]
ROWS: dict[str, list[Any]] = {
    "name": [f"person {n}" for n in range(40)],
    "age": [20, 21, 22, 23, 40, 41, 42, 43] * 5,
    "sex": ["m", "f"] * 20,
    "disease": ILLS * 10,
}
AGE = {"role": "quasi-identifier", "hierarchy": {"intervals": [4, 20]}}
COLUMNS = {"name": "identifier", "age": AGE, "sex": "quasi-identifier", "disease": "sensitive"}
PLAN: dict[str, Any] = {
    "columns": COLUMNS, "privacy": [{"model": "k-anonymity", "k": 10}], "publish": "open.parquet"
}  # fmt: skip


package: Callable[[str], Any] = pytest.importorskip
"""A package that is not needed by sqlanon."""


class Stream:
    """A table that only has a stream of Arrow data, which a query of DuckDB fills."""

    def __init__(self, sql: str) -> None:
        self._sql = sql

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        if not self._sql:
            raise ValueError("person 3 has flu")
        return duckdb.connect().sql(self._sql).__arrow_c_stream__(requested_schema)


LISTS = ", ".join(f"unnest({values!r}) as {name}" for name, values in ROWS.items())
SELECT = f"select {LISTS}"
"""The query that returns the rows."""


def pandas() -> Any:
    return package("pandas").DataFrame(ROWS)


TABLES: dict[str, Callable[[], Any]] = {
    "pandas": pandas,
    "polars": lambda: package("polars").DataFrame(ROWS),
    "lazy polars": lambda: package("polars").LazyFrame(ROWS),
    "pyarrow": lambda: package("pyarrow").table(ROWS),
    "batches": lambda: package("pyarrow").table(ROWS).to_reader(),
    "relation": lambda: duckdb.connect().sql(SELECT),
    "stream": lambda: Stream(SELECT),
}


@pytest.fixture(scope="module")
def of_csv(tmp_path_factory: pytest.TempPathFactory) -> Rows:
    """What is published of a CSV file with the same rows."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.chdir(tmp_path_factory.mktemp("csv"))
        source = write_csv("rows.csv", [[*ROWS], *zip(*ROWS.values(), strict=True)])
        return sqlanon.run({**PLAN, "source": source}).published.fetchall()


@pytest.mark.sampled(0.1)
@pytest.mark.parametrize("kind", TABLES)
def test_rows_of_python_are_published_as_those_of_a_file(kind: str, of_csv: Rows) -> None:
    """Also by the program, where rows are registered."""
    done = sqlanon.run(PLAN, source=TABLES[kind]())
    assert done.published.fetchall() == of_csv
    assert done.manifest["source"] == "temp.source_data"
    program = Path("target/open/sql/program.sql").read_text(encoding="utf-8")
    assert "from temp.source_data" in program
    assert "first: register or create temp.source_data" in program
    assert not any(name in program for name in ROWS["name"])
    Path("open.parquet").unlink()
    connection = duckdb.connect()
    connection.register("source_data", Stream(SELECT))
    connection.execute(program)
    assert connection.execute("from 'open.parquet'").fetchall() == of_csv


def test_rows_on_a_connection_leave_nothing_there(of_csv: Rows) -> None:
    """A temporary table of their name is not replaced; one is read by the same plan. A schema of
    the name of the rows is refused."""
    connection = duckdb.connect()
    connection.execute("create table source_data as select 'mine' as mine")
    for relation in (connection.sql(SELECT), Stream(SELECT)):
        done = sqlanon.run(PLAN, source=relation, connection=connection)
        assert done.published.fetchall() == of_csv
    assert connection.execute("from source_data").fetchall() == [("mine",)]
    left = connection.execute(
        "select table_name from duckdb_tables()"
        " union all select view_name from duckdb_views() where not internal"
    )
    assert left.fetchall() == [("source_data",)]
    connection.execute(f"create temp table Source_Data as {SELECT}")
    with pytest.raises(PlanError, match="already has a temporary table or view 'source_data'"):
        sqlanon.run(PLAN, source=Stream("select 1 as age"), connection=connection)
    plan = sqlanon.load_plan(PLAN)
    done = sqlanon.run(plan, connection=connection)
    assert done.published.fetchall() == of_csv
    assert done.manifest["plan_sha256"] == plan.sha256
    Path("open.parquet").unlink()
    connection = duckdb.connect()
    connection.execute("create schema memory.temp; create table memory.temp.source_data (i int)")
    with pytest.raises(PlanError, match=r"The source cannot be read: .*Ambiguous"):
        sqlanon.run(PLAN, source=Stream(SELECT), connection=connection)
    left = connection.execute("select count(*) from duckdb_tables() where temporary")
    assert left.fetchall() == [(0,)]
    assert not Path("open.parquet").exists()


def test_rows_that_change_during_a_run_are_published_as_they_were() -> None:
    frame = pandas()

    def change(_: object) -> None:
        frame["disease"] = "changed"

    done = sqlanon.run(PLAN, sqlanon.Options(progress=change), source=frame)
    assert set(frame["disease"]) == {"changed"}
    assert {row[-1] for row in done.published.fetchall()} == set(ILLS)


def test_every_function_reads_the_same_rows() -> None:
    rows: dict[str, Any] = {"source": Stream(SELECT)}
    assert sqlanon.check(PLAN, **rows).types["source"]["age"] == "INTEGER"
    assert sqlanon.profile(PLAN, **rows).classes["row_count"] == 40
    assert sqlanon.check_hierarchies(PLAN, **rows) == []
    assert sqlanon.show_hierarchy(PLAN, "sex", **rows) == [("f", "*"), ("m", "*")]
    assert [node.rows for node in sqlanon.hierarchy_tree(PLAN, "sex", **rows)] == [40]
    solution = sqlanon.solve(PLAN, **rows)
    assert sqlanon.measure(PLAN, **rows)["rows"]["input"] == 40
    assert len(sqlanon.lineage(PLAN, **rows).columns) == 3
    assert "temp.source_data" in sqlanon.compile(PLAN, **rows)[0].sql
    assert sqlanon.diff(PLAN, "open.solution.json", solve=True, **rows).is_same
    sqlanon.run(PLAN, sqlanon.Options(locked=True, **rows))
    findings = sqlanon.verify("open.parquet", PLAN, with_source=True, **rows)
    assert [finding.measured for finding in findings] == [solution.classes and 10]
    assert sqlanon.attack("open.parquet", PLAN)


def test_rows_replace_the_source_of_a_file() -> None:
    Path("plan.yml").write_text(json.dumps({**PLAN, "source": "nowhere.csv"}))  # JSON is YAML
    done = sqlanon.run("plan.yml", source=Stream(SELECT))
    assert done.manifest["plan_sha256"] == sqlanon.load_plan(PLAN).sha256
    assert done.target.name == "plan"
    assert sqlanon.check(sqlanon.load_plan("plan.yml"), source=Stream(SELECT)).source.table
    with pytest.raises(PlanError, match="rows of the source are to be given in Python"):
        sqlanon.run(PLAN)


def test_rows_of_python_are_read_as_the_plan_says() -> None:
    text = "if(i % 10 = 0, 'k.A.', (20 + i % 5) || ',5')"
    rows = Stream(f"select {text} as age, 'f' as sex from range(200) as t (i)")
    plan = sqlanon.init(rows).plan.content()
    for changes in ({}, {"table": None, "path": "no.csv", "quote": "!"}):
        done = sqlanon.run({**plan, "source": {**plan["source"], **changes}}, source=rows)
        ages = done.published.fetchdf()["age"]
        assert ages.isna().sum() == 20
        assert set(ages.dropna()) <= {f"{20 + n}.5" for n in range(5)}


def of_values(values: list[Any], dtype: Any = object) -> Any:
    """A table of pandas with these values of its column `v`."""
    return package("pandas").DataFrame({"k": 1, "v": values}, dtype=dtype)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        *((lambda given=given: given, "as a table") for given in
          ("rows.csv", b"", 5, ["a"], {"a": [1]}, Path(), object())),
        (lambda: Stream(""), "cannot be read"),
        (lambda: pandas().head(0), "has no rows"),
        (lambda: package("pandas").DataFrame(), "cannot be read"),
        (lambda: pandas().assign(name=of_values(["\ud800 person"] * 40)["v"]), "cannot be read"),
        (lambda: pandas().assign(month=package("pandas").period_range("2020-01", None, 40, "M")),
         r"column of the type period\[M\]"),
        *((lambda values=values: of_values(values, None), "has the type") for values in
          ([[1], [2]], [{"a": "Ann"}, {"a": "Bob"}], [b"x", b"y"])),
        *((lambda values=values: of_values(values), "column 'v' has numbers") for values in (
            [Decimal("NaN"), Decimal("2.2")],  # were published as FLOAT: 2.200000047683716
            [Decimal("Infinity"), Decimal("1.1")],
            [Decimal("1" * 39), Decimal("2.2")],  # DOUBLE
            [Decimal("1e-30"), Decimal("1e20")],  # DECIMAL(38,17): 0
            [Decimal("2.2"), 2.5],
            [2**53 + 1, 0.5],
        )),
    ],
)  # fmt: skip
def test_what_is_no_table_is_refused(make: Callable[[], Any], message: str) -> None:
    """Nor are numbers published that would become others; no value is shown."""
    rows = make()
    plan = OF_VALUES if "v" in getattr(rows, "columns", ()) else PLAN
    connection = duckdb.connect()
    with pytest.raises(PlanError, match=message) as refusal:
        sqlanon.run(plan, source=rows, connection=connection)
    shown = str(refusal.value)
    assert not re.search(r"person|flu|Ann|2\.2|1\.1|1{39}|9007199254740993", shown)
    assert refusal.value.__cause__ is refusal.value.__context__ is None
    assert not Path("open.parquet").exists()
    assert connection.execute("show tables").fetchall() == []


def test_options_show_no_rows() -> None:
    table = pandas()
    options = sqlanon.Options(source=table)
    assert "person" not in repr(options)
    assert options == sqlanon.Options(source=table.head())


OF_VALUES = {**PLAN, "columns": {"v": "insensitive", "k": "quasi-identifier"}}


def described(table: object, *names: str) -> dict[str, tuple[str, list[str | None]]]:
    """The published type of each column, and its text for each k."""
    columns = {"k": "quasi-identifier", **dict.fromkeys(names, "insensitive")}
    sqlanon.run(plan_of(columns, {"table": "temp.source_data"}), source=table)
    found = {}
    with duckdb.connect() as bare:
        bare.execute("set TimeZone = 'UTC'")
        for name in names:
            asked = f"select distinct k, typeof({name}), cast({name} as varchar) from 'out.parquet'"
            _, types, texts = zip(*bare.execute(f"{asked} order by k").fetchall(), strict=True)
            found[name] = (types[0], list(texts))
    return found


MOMENTS = ["2024-03-31 01:30", "2024-01-01 00:00", None]
OF_PANDAS: dict[str, tuple[Callable[[Any], Any], str, list[str | None]]] = {
    "float_": (lambda pd: [1.0, 2.5, float("nan")], "DOUBLE", ["1.0", "2.5", None]),
    "Int64": (lambda pd: pd.array([1, 2, None], dtype="Int64"), "BIGINT", ["1", "2", None]),
    "boolean_": (lambda pd: pd.array([True, False, None], dtype="boolean"), "BOOLEAN",
                 ["true", "false", None]),
    "category": (lambda pd: pd.Categorical(["b", "a", None], categories=["b", "a"]), "VARCHAR",
                 ["b", "a", None]),
    "zoned": (lambda pd: pd.to_datetime(MOMENTS).tz_localize("Europe/Berlin"),
              "TIMESTAMP WITH TIME ZONE",
              ["2024-03-31 00:30:00+00", "2023-12-31 23:00:00+00", None]),
    "naive": (lambda pd: pd.to_datetime(MOMENTS), "TIMESTAMP",
              ["2024-03-31 01:30:00", "2024-01-01 00:00:00", None]),
    "dates": (lambda pd: pd.Series([date(2024, 3, 31), date(2024, 1, 1), None], dtype=object),
              "DATE", ["2024-03-31", "2024-01-01", None]),
    "mixed": (lambda pd: pd.Series([1, "x", None], dtype=object), "VARCHAR", ["1", "x", None]),
    "fractions": (lambda pd: pd.Series([1, 2.5, None], dtype=object), "DOUBLE",
                  ["1.0", "2.5", None]),
    "missing": (lambda pd: pd.Series(["a", pd.NA, float("nan")], dtype=object), "VARCHAR",
                ["a", None, None]),
    "decimals": (lambda pd: pd.Series([Decimal("-7.125"), Decimal("1" * 30), None], dtype=object),
                 "DECIMAL(33,3)", ["-7.125", f"{'1' * 30}.000", None]),
    "str_": (lambda pd: pd.array(["a", "é", None], dtype="str"), "VARCHAR", ["a", "é", None]),
}  # fmt: skip
"""Two values and a missing one, as pandas has them; the published type and texts."""


def test_types_of_pandas() -> None:
    pd = package("pandas")
    values = {name: pd.Series(make(pd)) for name, (make, *_) in OF_PANDAS.items()}
    doubled = {name: pd.concat([each, each]).array for name, each in values.items()}
    expected = {name: (kind, texts) for name, (_, kind, texts) in OF_PANDAS.items()}
    assert described(pd.DataFrame({"k": [1, 2, 3] * 2, **doubled}), *expected) == expected


def test_a_late_value_decides_the_type_of_a_column_of_objects() -> None:
    """A type of the first rows would round 2.5, which is deep below them."""
    connection = duckdb.connect()
    rows = of_values([1] * 20_000 + [2.5] + [1] * 9_999)
    sqlanon.run(OF_VALUES, source=rows, connection=connection)
    assert duckdb.execute("select sum(v) from 'open.parquet'").fetchall() == [(30_001.5,)]
    setting = connection.execute("select current_setting('pandas_analyze_sample')")
    assert setting.fetchall() == [(1000,)]


def test_nan_of_arrow_stays_a_value() -> None:
    values = "(1, 1.5::double), (2, 'nan'::double), (3, null)"
    found = described(Stream(f"from (values {values}, {values}) as t(k, v)"), "v")
    assert found == {"v": ("DOUBLE", ["1.5", "nan", None])}


def test_a_plan_is_proposed_for_rows_of_python() -> None:
    """Columns with one name are two."""
    rows = duckdb.connect().sql(
        "select 'p' || i as name, 20 + i % 50 as age, ['F', 'M'][1 + i % 2] as sex,"
        " 'ill ' || i % 7 as diagnosis from range(2000) as t (i)"
    )
    proposed = sqlanon.init(rows)
    assert proposed.plan.source.table == "temp.source_data"
    assert proposed.plan.columns["name"].role == "identifier"
    done = sqlanon.run(proposed.plan, source=rows)
    assert done.manifest["published"]["path"] == "source_data_anonymous.parquet"
    with pytest.raises(PlanError, match="as a table"):
        sqlanon.init(5)
    frame = package("pandas").DataFrame([[1, 2]], columns=["k", "k"])
    with pytest.raises(PlanError, match="no role: k_1"):
        sqlanon.check({**PLAN, "columns": {"k": "quasi-identifier"}}, source=frame)


def test_overrides_as_a_mapping() -> None:
    rows: dict[str, Any] = {"source": Stream(SELECT)}
    with_texts = sqlanon.Options(overrides=["privacy.0.k=5"])
    assert sqlanon.check(PLAN, with_texts, **rows).k == 5
    assert sqlanon.check(PLAN, with_texts, overrides={"privacy.0.k": 7}, **rows).k == 7
    plan = sqlanon.load_plan(PLAN, {"columns.age": "insensitive", "suppression.limit": 0.02})
    assert list(plan.quasi_identifiers) == ["sex"]
    assert plan.suppression.limit is not None
    again = sqlanon.load_plan(plan, {"suppression": {}})
    assert again.suppression.limit is None
    assert again.name == plan.name
    assert again.sha256 == sqlanon.load_plan(PLAN, {"columns.age": "insensitive"}).sha256
    for overrides in (
        {"privacy.3.k": 1}, {"": 1}, {"privacy.0.k": object()}, {3: 4}, "privacy.0.k=5", [5],
        {"privacy.0.k": 0}, 5, [("privacy",)], [("privacy.0.k", 5, 6)],
    ):  # fmt: skip
        wrong: Any = overrides
        with pytest.raises(PlanError):
            sqlanon.load_plan(PLAN, wrong)
    closed: Any = "hospital.duckdb"
    with pytest.raises(PlanError, match="A str is no connection"):
        sqlanon.check({**PLAN, "source": {"table": "t"}}, connection=closed)


@pytest.mark.parametrize(("place", "name"), [
    ("open.parquet", "open"), ("out/patients k5.csv", "patients_k5"),
    ("all.duckdb::open.people", "people"), ({"table": "temp.people"}, "people"),
    ({"table": 'main."odd.name"'}, "name"), (".parquet", "parquet"), ("é.parquet", "é"),
    ("x" * 200 + ".parquet", "x" * 80), ("-- drop.parquet", "--_drop"),
])  # fmt: skip
def test_a_plan_without_a_file_is_called_as_what_it_publishes(place: Any, name: str) -> None:
    assert sqlanon.load_plan({**PLAN, "publish": place}).name == name


def test_a_name_can_be_given() -> None:
    plan = sqlanon.load_plan(PLAN, name="second_notebook")
    done = sqlanon.run(plan, source=Stream(SELECT))
    assert done.target == Path("target/second_notebook").resolve()
    assert Path("second_notebook.solution.json").is_file()
    assert plan.sha256 == sqlanon.load_plan(PLAN).sha256
    for name in ("", "a/b", "..", "a b", 5, "x" * 81):
        with pytest.raises(PlanError, match="cannot be the name"):
            sqlanon.load_plan(PLAN, name=name)  # type: ignore[arg-type]


def test_a_misspelled_keyword_is_not_ignored() -> None:
    """A promise that nobody asked for would be published instead of the one in `overrides`."""
    for name in ("run", "solve", "check", "report", "measure", "verify", "attack"):
        tables = ["out.parquet"] * (name in ("verify", "attack"))
        with pytest.raises(TypeError, match="unexpected keyword argument 'overides'"):
            getattr(sqlanon, name)(*tables, "plan.yml", overides={"privacy.0.k": 99})


def test_rows_of_python_are_verified_without_a_plan() -> None:
    rows = duckdb.sql("select n // 5 as age, n % 2 as job from range(8) as numbers (n)")
    found = sqlanon.verify(
        rows, quasi_identifiers=["age"], sensitive=["job"], k=4, l=2,
        promises=[{"model": "prosecutor-risk", "threshold": 0.5}],
    )  # fmt: skip
    assert [(one.model, one.measured, one.satisfied) for one in found] == [
        ("k-anonymity", 3, False), ("l-diversity", 2, True),
        ("prosecutor-risk", pytest.approx(1 / 3), True),
    ]  # fmt: skip
    with pytest.raises(PlanError, match="k both say what is promised"):
        sqlanon.verify("rows.csv", plan={}, k=2)


def test_a_table_of_a_connection_needs_no_plan() -> None:
    with duckdb.connect() as connection:
        connection.execute("create table people as select n // 5 as age from range(8) as t (n)")
        keywords: dict[str, Any] = {"quasi_identifiers": ["age"], "connection": connection}
        for keys in ({"k": 4}, {"k": 4, "standard": "ema-0070", "acknowledge": ["variables"]}):
            (found,) = sqlanon.verify("main.people", **keys, **keywords)
            assert (found.measured, found.satisfied) == (3, False)
        assert sqlanon.risk("people", **keywords).value("smallest class") == 3


def test_a_result_is_verified_attacked_and_reported() -> None:
    rows = duckdb.sql("select n // 5 as age from range(8) as numbers (n)")
    k3 = [{"model": "k-anonymity", "k": 3}]
    result = sqlanon.run(plan_of(["age"], {"table": "temp.source_data"}, privacy=k3), source=rows)
    assert [one.measured for one in result.verify()] == [3]
    (found,) = result.attack(attacks=["linkage"], list_classes=0)[:1]
    assert found.attack == "linkage"
    assert found.certainty == pytest.approx(1 / 3)
    assert "k-anonymity" in result.report().read_text(encoding="utf-8")
    duckdb.execute("copy (select '1' as age from range(8)) to 'out.parquet'")
    with pytest.raises(sqlanon.PrivacyViolation):  # it is not what the manifest records
        result.verify()
