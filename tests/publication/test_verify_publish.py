"""Verify refuses what is broken; publishing is all or nothing; the caller's things stay as is."""

from __future__ import annotations

import _thread
import concurrent.futures
import contextlib
import errno
import hashlib
import json
import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest

import sqlanon
from sqlanon.commands.options import Options
from sqlanon.engines import tables, turns
from sqlanon.errors import EngineError, PlanError, PrivacyViolation, PublishError, SqlanonError
from sqlanon.proof.findings import Finding, violation
from sqlanon.sql.step import quoted
from tests.conftest import Command, published_before
from tests.proof.test_rearranged import change_step
from tests.publication.test_run_apart import no_room_for, queried
from tests.support.secret_texts import KEY
from tests.support.tables import write_csv

Plan = dict[str, Any]
Rows = Sequence[tuple[str | None, ...]]

EARLIER = b"the earlier publication"
COLUMNS = ("name", "age", "zip", "diagnosis")
PEOPLE = [
    (f"Zanzibar-{n}", str(20 + n % 3), f"1{n % 2}{n % 4}", ("flu", "gout")[n % 5 % 2])
    for n in range(48)
]
ALONE = ("Zanzibar-77", "99", "999", "flu")
ODD = [(f"Zanzibar-{n}", "99", f"9{n}", "flu") for n in range(77, 81)]


@pytest.fixture(autouse=True)
def own_source(folder: Path) -> None:
    write_people(PEOPLE)


def write_people(rows: Rows) -> None:
    write_csv("people.csv", [COLUMNS, *rows])


def make(**keys: Any) -> Plan:
    """A plan over the people; `keys` are keys of the plan."""
    return {
        "source": "people.csv",
        "columns": {
            "name": "identifier",
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [5, 10]}},
            "zip": {"role": "quasi-identifier", "hierarchy": {"mask": {"characters": 3}}},
            "diagnosis": "sensitive",
        },
        "privacy": [{"model": "k-anonymity", "k": 3}],
        "suppression": {"limit": 0.1},
        "publish": "published.parquet",
        **keys,
    }


def plan_file(**keys: Any) -> str:
    """The same plan as a file."""
    Path("people.yml").write_text(json.dumps(make(**keys)))
    return "people.yml"


# --- verify


def write_table(rows: Rows, columns: Sequence[str] = COLUMNS[1:]) -> None:
    """A table as somebody might want to publish it, in each of the formats."""
    with duckdb.connect() as connection:
        names = ", ".join(f'"{name}" varchar' for name in columns)
        connection.execute(f"create table given ({names})")
        if rows:
            marks = ", ".join("?" * len(columns))
            connection.executemany(f"insert into given values ({marks})", rows)
        connection.execute("copy given to 'given.parquet' (format parquet)")
        connection.execute("copy given to 'given.csv' (format csv, header true)")
        connection.execute("attach 'given.duckdb' as file")
        connection.execute("create or replace table file.given as from memory.given")


TABLES = ("given.parquet", "given.csv", "given.duckdb::given")
SOUND: Rows = [("2*", "10*", "flu")] * 3 + [("3*", "10*", "gout")] * 4
BROKEN: Rows = [*SOUND, ("3*", "11*", "flu"), ("3*", "11*", "gout"), (None, "11*", "flu")]


@pytest.mark.parametrize("table", TABLES)
def test_sound_table_is_verified_and_a_broken_one_fails(table: str, command: Command) -> None:
    write_table(SOUND)
    Path("people.csv").unlink()  # the source is not looked at
    findings = sqlanon.verify(table, make())
    assert findings == [Finding("k-anonymity", {"k": 3}, 3, True, 2, 0, 0)]
    assert violation(findings, table) is None
    write_table(BROKEN)
    privacy = [{"model": "k-anonymity", "k": k} for k in (2, 4)]
    findings = sqlanon.verify(table, make(privacy=privacy))
    assert [(f.satisfied, f.measured, f.class_count) for f in findings] == [(False, 1, 4)] * 2
    assert [(f.failing_classes, f.failing_rows) for f in findings] == [(1, 1), (3, 6)]
    assert "k = 2: 1 of 4 classes fail (1 rows)" in str(violation(findings, table))
    code, out, err = command("verify", table, "--plan", plan_file(privacy=privacy), "--json")
    assert code == PrivacyViolation.exit_code == 1
    assert [entry["satisfied"] for entry in json.loads(out)] == [False, False]
    assert "PrivacyViolation" in err


NAMED = [(*row, f"Zanzibar-{n}") for n, row in enumerate(SOUND)]


@pytest.mark.sampled(0.1, by=("table", "message", "columns"))
@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize(
    ("rows", "columns", "error", "message"),
    [
        (NAMED, (*COLUMNS[1:], "name"), PrivacyViolation, "table contains the identifier 'name'"),
        (NAMED, (*COLUMNS[1:], "NAME"), PrivacyViolation, "table contains the identifier 'name'"),
        ([], COLUMNS[1:], PrivacyViolation, "has no rows"),
        ([row[1:] for row in SOUND], COLUMNS[2:], PlanError, "no quasi-identifier 'age'"),
        (NAMED, (*COLUMNS[1:], "patient"), SqlanonError, "patient"),
    ],
    ids=["name", "NAME", "empty", "no age", "another column"],
)
def test_table_that_is_refused(
    table: str, rows: Rows, columns: Sequence[str], error: type[SqlanonError], message: str,
    command: Command,
) -> None:  # fmt: skip
    write_table(rows, columns)
    with pytest.raises(error, match=message) as refused:
        sqlanon.verify(table, make())
    assert "Zanzibar" not in str(refused.value)
    code = command("verify", table, "--plan", plan_file()).code
    assert code == refused.value.exit_code in (1, 2)


def test_a_column_that_only_a_later_file_or_record_has_is_seen() -> None:
    line = '{"age": "2*", "zip": "10*", "diagnosis": "flu"}\n'
    Path("given.json").write_text(line * 21_000 + line.replace("}", ', "name": "123-45-6789"}'))
    listed = sqlanon.verify("given.json", standard="hipaa-safe-harbor").standard
    assert "social-security-numbers" in [one.rule for one in listed or () if one.state == "broken"]
    for part, table in enumerate([(SOUND, COLUMNS[1:]), (NAMED, (*COLUMNS[1:], "name"))]):
        write_table(*table)
        os.replace("given.parquet", f"part{part}.parquet")
    for place in ("given.json", "part*.parquet"):
        with pytest.raises(PrivacyViolation, match="the identifier 'name'"):
            sqlanon.verify(place, make())


def test_intervals_that_sql_takes_for_equal_are_in_two_classes() -> None:
    with duckdb.connect("given.duckdb") as connection:
        connection.execute("create table given (stay interval)")
        connection.execute("insert into given values ('30 days'), ('1 month'), ('1 month')")
    (finding,) = sqlanon.verify("given.duckdb::given", quasi_identifiers=["stay"], k=2)
    assert (finding.measured, finding.class_count) == (1, 2)


def test_masked_rows_form_a_class_and_missing_tables_none() -> None:
    for masked, failing in ((2, 2), (4, 0)):
        write_table([*SOUND, *[("*", "*", "flu")] * masked])
        (finding,) = sqlanon.verify("given.parquet", make())
        assert (finding.satisfied, finding.failing_rows) == (failing == 0, failing)
    for table in ("none.parquet", "none.csv", "none.duckdb::given", "given"):
        with pytest.raises(PlanError, match="does not exist"):
            sqlanon.verify(table, make())


@pytest.mark.parametrize(("action", "name"), [("star", "*"), ("pseudonym", "1f")])
def test_what_hides_an_identifier(action: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SQLANON_PSEUDONYM_KEY", raising=False)  # the key is not needed
    plan = make()
    plan["columns"]["name"] = {"role": "identifier", "action": action}
    write_table([(*row, name) for row in SOUND], (*COLUMNS[1:], "name"))
    assert sqlanon.verify("given.parquet", plan)[0].satisfied
    plan["columns"]["name"]["action"] = "star"
    with pytest.raises(PrivacyViolation) if name != "*" else contextlib.nullcontext():
        sqlanon.verify("given.parquet", plan)


@pytest.mark.sampled(0.4)
@pytest.mark.parametrize(
    "label", ["x;y;z", "x|y", "x\ty", "x,y", 'x "y"', "'x' y", "# x", " x", "x\\y"]
)
def test_published_csv_is_read_as_it_was_written(label: str) -> None:
    write_csv("zips.csv", [(zip_, label, "*") for zip_ in {row[2] for row in PEOPLE}])
    rule = {"file": "zips.csv", "delimiter": ",", "header": False}
    columns: dict[str, Any] = dict.fromkeys(COLUMNS, "identifier")
    columns["zip"] = {"role": "quasi-identifier", "hierarchy": rule}
    privacy = [{"model": "k-anonymity", "k": 25}]
    result = sqlanon.run(make(columns=columns, privacy=privacy, publish="published.csv"))
    assert result.manifest["privacy"][0]["measured"] == 48
    assert result.published.fetchall() == [(label,)] * 48


# --- all or nothing


def files() -> dict[Path, bytes]:
    """All that is published, describes it, or lies beside it."""
    found = [path for path in Path().rglob("*") if path.is_file() and path.name != "people.csv"]
    return {path: path.read_bytes() for path in found}


@contextlib.contextmanager
def untouched(place: str = "published.parquet") -> Iterator[None]:
    """An earlier publication is there, and stays there, whole; nothing lies beside it."""
    published_before(place, EARLIER)
    before = files()
    yield
    assert files() == before


HONEST = "    from k_anonymity\n    where satisfied\n"
ALL_PUBLISHED = "    from k_anonymity\n"


@pytest.mark.parametrize("place", ["published.csv", "published.duckdb::open.people"])
def test_failing_class_is_not_published(
    place: str, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    """Somebody is alone in a class; the command ends with 1."""
    plan = plan_file(publish=place)
    sqlanon.run(plan)
    before = files()
    write_people([*PEOPLE, ALONE])
    change_step(monkeypatch, "release", HONEST, ALL_PUBLISHED)
    code, out, err = command("run", plan, "--json")
    assert (code, out) == (1, "")
    assert "PrivacyViolation" in err
    assert "1 of 13 classes fail" in " ".join(err.split())
    assert "Zanzibar" not in err
    assert files() == before


OTHERS = (PrivacyViolation, "The staged table has")


@pytest.mark.parametrize(
    ("old", "new", "refusal"),
    [
        ("\norder by", "\nwhere published_classes.zip <> '100'\norder by", OTHERS),
        (r"generalized\.\*", "generalized.*, 1 as more", OTHERS),
        (r"generalized\.\*", "generalized.* rename (diagnosis as cause)", OTHERS),
        ("\nselect ", "\nselect error('Zanzibar-77'), ", (EngineError, "step release")),
    ],
    ids=["rows", "column", "name", "error"],
)
def test_other_rows_or_columns_than_solved_are_not_published(
    old: str, new: str, refusal: tuple[type[SqlanonError], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    change_step(monkeypatch, "release", old, new)
    with untouched(), pytest.raises(refusal[0], match=refusal[1]) as refused:
        sqlanon.run(make())
    assert "Zanzibar" not in str(refused.value)


def test_source_that_changes_during_the_run_is_noticed() -> None:
    def change(progress: sqlanon.Progress) -> None:
        if progress.step == "release":
            write_people([*PEOPLE, *PEOPLE])

    with untouched(), pytest.raises(PrivacyViolation, match="source may have changed during the"):
        sqlanon.run(make(), Options(progress=change))


@pytest.mark.parametrize("place", ["people.csv/published.parquet", "folder.parquet"])
def test_place_that_cannot_be_written(place: str, command: Command) -> None:
    Path("folder.parquet").mkdir()
    before = Path("people.csv").read_bytes()
    with pytest.raises(PublishError, match="could not be written"):
        sqlanon.run(make(publish=place), Options(overwrite=True))
    assert Path("people.csv").read_bytes() == before
    assert Path("folder.parquet").is_dir()
    assert not [*Path().rglob("staged.*"), *Path().rglob("*.part")]
    assert command("run", plan_file(publish=place)).code == PublishError.exit_code == 5
    shutil.rmtree("target", ignore_errors=True)
    Path("target").write_text("a file")
    with pytest.raises(SqlanonError):
        sqlanon.run(make())


def test_a_folder_that_is_mounted_from_the_same_device(monkeypatch: pytest.MonkeyPatch) -> None:
    """Such as a volume of a container: the device is the same, and no rename leads there."""

    def apart(real: Callable[..., None]) -> Callable[..., None]:
        def rename(source: Any, place: Any) -> None:
            if "open" in Path(place).parts and "open" not in Path(source).parts:
                raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
            real(source, place)

        return rename

    monkeypatch.setattr(os, "rename", apart(os.rename))
    monkeypatch.setattr(os, "replace", apart(os.replace))
    for _ in range(2):
        sqlanon.run(make(publish="open/published.parquet"))
        assert [file.name for file in Path("open").iterdir()] == ["published.parquet"]


def test_another_file_system(monkeypatch: pytest.MonkeyPatch) -> None:
    """No rename crosses file systems; the rows are copied beside the place, then renamed."""
    places = [Path("/dev/shm"), Path(tempfile.gettempdir())]
    others = [p for p in places if p.is_dir() and p.stat().st_dev != Path().stat().st_dev]
    if not others:
        pytest.skip("there is no second file system to write to")
    published_before("published.parquet", EARLIER)
    with tempfile.TemporaryDirectory(dir=others[0]) as folder:
        options = Options(target=Path(folder) / "target", overwrite=True)
        for name, count in (("published.parquet", 48), ("manifest.json", 30)):
            before = files()
            write_people(PEOPLE[:count])
            with monkeypatch.context() as patch:
                no_room_for(patch, name, errno.EACCES, times=1)
                with pytest.raises(PublishError):
                    sqlanon.run(make(), options)
            assert files() == before
            assert sqlanon.run(make(), options).manifest["published"]["rows"] == count
        assert not [*Path().rglob(".*"), *Path(folder).rglob(".*")]


FOREVER = "(select max(a.range * b.range) from range(1000000) as a, range(1000000) as b)"


@pytest.mark.parametrize("own", [True, False], ids=["own", "callers"])
def test_interrupted_query_is_stopped(own: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    new = HONEST.replace("satisfied", f"satisfied or {FOREVER} > 0")
    change_step(monkeypatch, "release", HONEST, new)
    connection = None if own else duckdb.connect()
    timer = threading.Timer(0.3, _thread.interrupt_main)

    def interrupt(progress: sqlanon.Progress) -> None:
        if progress.step == "release" and not timer.is_alive():
            timer.start()

    with untouched(), pytest.raises(KeyboardInterrupt):
        sqlanon.run(make(), Options(progress=interrupt, connection=connection))
    timer.join()
    if connection is not None:
        names = connection.execute("select database_name from duckdb_databases()").fetchall()
        assert ("sqlanon",) not in names


IN_DATABASE = "open.duckdb::people"


def test_table_is_replaced_and_others_stay() -> None:
    with duckdb.connect("open.duckdb") as connection:
        connection.execute("create table people as select 'the earlier one' as publication")
        connection.execute("create table other as select 1 as i")
        connection.execute("create view seen as from other")
    plan = make(publish=IN_DATABASE)
    with pytest.raises(PublishError, match="people' already exists, and is not an unchanged"):
        sqlanon.run(plan)
    assert queried("from people", "open.duckdb") == [("the earlier one",)]
    kept = [sqlanon.run(plan, Options(overwrite=overwrite)) for overwrite in (True, False)]
    for result in kept:  # also while the first result is kept
        assert result.manifest["published"] == kept[0].manifest["published"]
        assert result.manifest["published"]["path"] == IN_DATABASE
    assert len(queried("from people", "open.duckdb")) == 48
    assert queried("from seen", "open.duckdb") == [(1,)]
    assert sqlanon.verify(IN_DATABASE, plan)[0].satisfied


@pytest.mark.parametrize("alone", [True, False], ids=["alone", "beside another"])
def test_table_stays_when_replacing_fails(alone: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    sqlanon.run(make(publish=IN_DATABASE))
    if not alone:
        queried("create table other as select 1 as i", "open.duckdb")
    earlier = queried("from people", "open.duckdb")
    write_people(PEOPLE[:30])

    def fail(connection: Any, table: Any) -> None:
        connection.execute("select error('no room for Zanzibar-77')")

    monkeypatch.setattr(tables, "_mark_table", fail)
    with pytest.raises(PublishError, match="earlier one is unchanged") as refused:
        sqlanon.run(make(publish=IN_DATABASE))
    assert "Zanzibar" not in str(refused.value)
    assert queried("from people", "open.duckdb") == earlier
    assert not list(Path().rglob(".*"))


def test_what_is_no_table_stays() -> None:
    """A view of its name, or a file that is no database."""
    Path("other.duckdb").write_bytes(EARLIER)
    queried("create view people as select 'a view' as publication", "open.duckdb")
    for overwrite, place, message in (
        (False, IN_DATABASE, "not an unchanged earlier publication"),
        (True, IN_DATABASE, "earlier one is unchanged"),
        (False, "other.duckdb::people", None),
        (True, "other.duckdb::people", None),
    ):
        with pytest.raises(PublishError, match=message):
            sqlanon.run(make(publish=place), Options(overwrite=overwrite))
    assert queried("from people", "open.duckdb") == [("a view",)]
    assert Path("other.duckdb").read_bytes() == EARLIER
    assert not [*Path().rglob("staged.*"), *Path().rglob(".*")]


# --- connections of the caller

SEEN = (
    "select name, value from duckdb_settings() order by name",
    "select database_name, path, type, readonly from duckdb_databases() order by all",
    "select database_name, schema_name, table_name, temporary from duckdb_tables() order by all",
    "select database_name, schema_name, view_name, sql from duckdb_views() where not internal"
    " order by all",
    "select * from duckdb_variables() order by all",
    "select current_catalog(), current_schema()",
)


def look(connection: duckdb.DuckDBPyConnection) -> dict[str, Any]:
    """All that a run could leave behind in a connection."""
    return {query: connection.execute(query).fetchall() for query in SEEN}


@pytest.fixture
def connection() -> duckdb.DuckDBPyConnection:
    """A connection with tables and settings of its own."""
    made = duckdb.connect()
    for statement in (
        "create table people as from read_csv('people.csv', all_varchar = true)",
        "create table class_sizes as select 1 as i",
        "create view seen as select * from class_sizes",
        "create temp table mine as from people",
        "create view seen_people as from people",
        "create schema clinic; create table clinic.people as from people",
        """create table "it's the ""table"", select" as from people""",
        "attach ':memory:' as hospital",
        "create table hospital.patients as from memory.people",
        "set threads = 2",
        "set file_search_path = '/nowhere'",
        "set variable own = 'value'",
    ):
        made.execute(statement)
    return made


def on_connection(**keys: Any) -> Plan:
    """A plan from a table to a table."""
    return make(**{"source": {"table": "people"}, "publish": {"table": "published"}, **keys})


@pytest.mark.sampled(0.2)
@pytest.mark.parametrize(
    ("source", "published"),
    [
        ({"table": "main.people"}, "main.published"),
        ({"table": "memory.main.people"}, "memory.main.published"),
        ({"table": "hospital.patients"}, "hospital.open"),
        ({"table": "hospital.main.patients"}, "hospital.main.open"),
        ({"query": "select * from memory.clinic.people"}, "published"),
        ({"table": "mine"}, "published"),
        ({"table": "seen_people"}, "published"),
        ({"table": """it's the "table", select"""}, """'published "table"'"""),
    ],
)
def test_from_a_table_to_a_table(
    source: dict[str, str], published: str, connection: duckdb.DuckDBPyConnection
) -> None:
    plan = on_connection(source=source, publish={"table": published})
    before = look(connection)
    result = sqlanon.run(plan, connection=connection)
    name = quoted(published) if '"' in published else published
    rows = connection.execute(f"select * from {name}").fetchall()
    assert result.published.fetchall() == rows
    assert result.published.columns == ["age", "zip", "diagnosis"]
    assert len(rows) == result.manifest["published"]["rows"] == 48
    assert result.manifest["published"]["path"] == published
    again = sqlanon.run(plan, connection=connection)  # while the first result is kept
    assert again.manifest["published"] == result.manifest["published"]
    sqlanon.run(make())
    assert rows == queried("from read_parquet('published.parquet')")
    connection.execute(f"drop table {name}")
    assert look(connection) == before


def test_connection_is_left_as_it_was(
    connection: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing stays of the number of threads, the key of pseudonyms, or the published file."""
    monkeypatch.setenv("SQLANON_PSEUDONYM_KEY", KEY)
    before = look(connection)
    own = Options(connection=connection, threads=1)
    plan = make()
    plan["columns"]["name"] = {"role": "identifier", "action": "pseudonym"}
    sqlanon.run(plan, own)
    sqlanon.measure(plan, own)
    sqlanon.check(plan, own)
    sqlanon.verify("published.parquet", plan, own)
    assert look(connection) == before
    with pytest.raises(PlanError, match="memory limit"):
        sqlanon.run(plan, replace(own, memory_limit="1GB"))
    result = sqlanon.run(make(publish=IN_DATABASE), connection=connection)
    assert len(result.published.fetchall()) == 48
    assert look(connection) == before
    change_step(monkeypatch, "release", "\nselect ", "\nselect error('no'), ")
    with pytest.raises(EngineError):
        sqlanon.run(on_connection(), own)
    with pytest.raises(PlanError):
        sqlanon.run(on_connection(columns={"age": "quasi-identifier"}), connection=connection)
    assert look(connection) == before
    connection.begin()
    connection.execute("insert into class_sizes values (2)")
    connection.commit()
    assert connection.execute("select count(*) from seen").fetchall() == [(2,)]


@pytest.mark.parametrize("writes", [True, False])
def test_open_transaction_is_refused_and_kept(
    writes: bool, connection: duckdb.DuckDBPyConnection
) -> None:
    connection.begin()
    connection.execute("insert into class_sizes values (2)" if writes else "from class_sizes")
    with pytest.raises(SqlanonError, match="transaction"):
        sqlanon.run(on_connection(), connection=connection)
    connection.commit()
    assert len(connection.execute("from class_sizes").fetchall()) == 1 + writes


def test_table_stays_when_the_run_fails(
    connection: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = Options(overwrite=True, connection=connection)
    for place in ("nowhere.published", "seen"):
        with pytest.raises(PublishError, match="earlier one is unchanged"):
            sqlanon.run(on_connection(publish={"table": place}), own)
    assert connection.execute("from seen").fetchall() == [(1,)]
    connection.execute("create table published as select 'the earlier one' as publication")
    connection.execute("insert into people values (?, ?, ?, ?)", ALONE)
    change_step(monkeypatch, "release", HONEST, ALL_PUBLISHED)
    with pytest.raises(PrivacyViolation):
        sqlanon.run(on_connection(), own)
    assert connection.execute("from published").fetchall() == [("the earlier one",)]
    with pytest.raises(PlanError, match="needs a connection"):
        sqlanon.run(on_connection())


# --- connections of one database, as the threads of dbt have them


def test_threads_take_turns(connection: duckdb.DuckDBPyConnection) -> None:
    """Each publishes what its own plan promises, with the settings of its own connection."""
    gate = threading.Barrier(4)
    current = "select current_setting('TimeZone')"

    def one(number: int) -> Any:
        k = 4 * (number + 1)
        plan = on_connection(
            privacy=[{"model": "k-anonymity", "k": k}], time_zone=f"Etc/GMT+{number}",
            suppression={}, publish={"table": "temp.published"},
        )  # fmt: skip
        cursor = connection.cursor()
        gate.wait()
        options = Options(connection=cursor, target=Path(f"target/{number}"))
        found = sqlanon.run(plan, options).published.aggregate("age, zip, count(*)").fetchall()
        sizes = [size for *_, size in found]
        assert (sum(sizes), min(sizes) >= k) == (48, True)
        return cursor.execute(current).fetchall()

    before, zone = look(connection), connection.execute(current).fetchall()
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert [*pool.map(one, range(4))] == [zone] * 4
    assert look(connection) == before
    assert {path.name for path in Path().iterdir()} == {"people.csv", "target"}


def test_nobody_waits_for_a_database_of_this_name_or_a_run_on_another_one(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    connection.execute("attach ':memory:' as sqlanon")  # their own catalog of this name
    connection.execute("create table sqlanon.source as select 'mine' as i")
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        mark = pool.submit(turns.take_turn, lambda mark: None, list).result()
        with pytest.raises(PlanError, match="has a database 'sqlanon'"):
            sqlanon.run(on_connection(), connection=connection)
        turns.end_turn(mark)
    assert connection.execute("from sqlanon.source").fetchall() == [("mine",)]


def test_a_run_does_not_wait_forever(
    connection: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another thread's run never ends: its database has the catalog with its mark."""
    connection.execute("attach ':memory:' as sqlanon")

    def attach(mark: str) -> None:
        connection.execute(f"create schema sqlanon.{mark}")

    def end() -> None:
        connection.cursor().execute("detach sqlanon")
        turns.end_turn(mark)

    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        mark = pool.submit(turns.take_turn, attach, list).result()
        monkeypatch.setattr(turns, "PATIENCE", 0.36)
        with pytest.raises(EngineError, match=r"has not ended for 0\.0001 hours"):
            sqlanon.run(on_connection(), connection=connection)
        threading.Timer(0.5, end).start()
        monkeypatch.setattr(turns, "PATIENCE", 60.0)
        sqlanon.run(on_connection(), Options(connection=connection.cursor(), target=Path("t")))


def test_a_catalog_that_is_gone_meanwhile_is_attached() -> None:
    """The other run detaches it after the attempt and before the look at its marks."""
    refusals = [EngineError("It already exists.", where="attach", fix="")]

    def attach(mark: str) -> None:
        if refusals:
            raise refusals.pop()

    turns.end_turn(turns.take_turn(attach, list))


def test_a_temporary_table_leaves_nothing() -> None:
    queried("create table people as from read_csv('people.csv')", "people.duckdb")
    with duckdb.connect("people.duckdb") as opened:
        for _ in range(2):  # the second replaces the first
            plan = on_connection(publish={"table": "temp.published"})
            result = sqlanon.run(plan, connection=opened)
            assert len(result.published.fetchall()) == 48
            assert result.manifest["published"]["path"] == "temp.published"
    assert (result.target / "published.solution.json").is_file()
    assert not Path("published.solution.json").exists()
    assert queried("select table_name from duckdb_tables()", "people.duckdb") == [("people",)]


# --- the manifest, and the order of rows


@pytest.mark.parametrize(("rows", "method"), [("drop", "incognito"), ("mask", "optimal")])
def test_manifest(rows: str, method: str, command: Command) -> None:
    write_people([*PEOPLE, *ODD])
    plan = plan_file(suppression={"limit": 0.1, "rows": rows}, method=method)
    manifest = json.loads(command("run", plan, "--json").out)
    assert json.loads(Path("target/people/manifest.json").read_text()) == manifest
    content = Path("published.parquet").read_bytes()
    program = Path("target/people/sql/program.sql").read_bytes()
    assert manifest["published"]["sha256"] == hashlib.sha256(content).hexdigest()
    assert manifest["program_sha256"] == hashlib.sha256(program).hexdigest()
    assert manifest["plan_sha256"] == sqlanon.load_plan(plan).sha256
    counts = {"input": 52, "published": 48, "suppressed": 4}
    assert {key: manifest["rows"][key] for key in counts} == counts
    assert manifest["published"]["rows"] == (52 if rows == "mask" else 48)
    kept = queried("select count(*) from 'published.parquet'")
    assert kept == [(manifest["published"]["rows"],)]
    assert manifest["solution"]["node"] == {"age": 0, "zip": 0}
    assert manifest["solution"]["lattice"]["nodes"] == 4 * 4
    learned = manifest["solution"]["lattice"]["satisfying"] is not None
    assert learned == (method == "incognito")
    assert manifest["privacy"] == [
        {"model": "k-anonymity", "parameters": {"k": 3}, "attribute": None, "measured": 4,
         "satisfied": True}
    ]  # fmt: skip
    assert manifest["engine"] == {"name": "duckdb", "version": duckdb.__version__}


@pytest.mark.sampled(0.011, by=("place", "kept", "rows"))
@pytest.mark.parametrize("place", ["published.parquet", "published.csv"])
@pytest.mark.parametrize("kept", [True, False], ids=["kept", "nothing-kept"])
@pytest.mark.parametrize("rows", ["drop", "mask"])
def test_order_does_not_follow_the_source(place: str, kept: bool, rows: str) -> None:
    plan = make(publish=place, suppression={"limit": 0.1, "rows": rows})
    plan["columns"]["diagnosis"] = "sensitive" if kept else "identifier"
    people = [*PEOPLE, *ODD]
    contents = set()
    for permuted in (people, people[1::2] + people[::2], sorted(people)):
        write_people(permuted)
        sqlanon.run(plan)
        contents.add(Path(place).read_bytes())
    assert len(contents) == 1
    sorted_rows = queried(f"select * from '{place}'")
    masked = [row for row in sorted_rows if row[0] == "*"]
    others = [row for row in sorted_rows if row[0] != "*"]
    assert others == sorted(others)
    assert len(masked) == (4 if rows == "mask" else 0)
    assert sorted_rows in (masked + others, others + masked)
