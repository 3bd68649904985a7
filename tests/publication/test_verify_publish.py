"""Verify refuses what is broken; publishing is all or nothing; the caller's things stay as is."""

from __future__ import annotations

import _thread
import errno
import hashlib
import json
import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import pytest
import yaml

import sqlanon
from sqlanon.commands.options import Options
from sqlanon.engines import tables
from sqlanon.errors import EngineError, PlanError, PrivacyViolation, PublishError, SqlanonError
from sqlanon.proof.findings import Finding, violation
from sqlanon.publication.publish import _is_mounted_apart
from sqlanon.sql.step import quoted
from tests.conftest import Command, published_before
from tests.proof.test_rearranged import change_step
from tests.publication.test_run_apart import no_room_for
from tests.support.secret_texts import KEY

Plan = dict[str, Any]
Rows = Sequence[tuple[str, ...]]

EARLIER = b"the earlier publication"
COLUMNS = ("name", "age", "zip", "diagnosis")
PEOPLE = [
    (f"Zanzibar-{n}", str(20 + n % 3), f"1{n % 2}{n % 4}", ("flu", "gout")[n % 5 % 2])
    for n in range(48)
]
PUBLISHED = 48


@pytest.fixture(autouse=True)
def own_source(folder: Path) -> None:
    write_people(PEOPLE)


def write_people(rows: Rows, columns: Sequence[str] = COLUMNS) -> None:
    Path("people.csv").write_text("".join(",".join(row) + "\n" for row in (columns, *rows)))


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
    Path("people.yml").write_text(yaml.safe_dump(make(**keys), sort_keys=False))
    return "people.yml"


def write_table(rows: Rows, columns: Sequence[str] = ("age", "zip", "diagnosis")) -> None:
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
SOUND = [("2*", "10*", "flu")] * 3 + [("3*", "10*", "gout")] * 4
BROKEN = [*SOUND, ("3*", "11*", "flu"), ("3*", "11*", "gout"), (None, "11*", "flu")]


def verified(command: Command, table: str, *more: str, **keys: Any) -> tuple[int, str, str]:
    """What the command says of a table."""
    return command("verify", table, "--plan", plan_file(**keys), *more)


@pytest.mark.parametrize("table", TABLES)
def test_sound_table_is_verified_and_a_broken_one_fails(table: str, command: Command) -> None:
    write_table(SOUND)
    Path("people.csv").unlink()  # the source is not looked at
    findings = sqlanon.verify(table, make())
    assert findings == [Finding("k-anonymity", {"k": 3}, 3, True, 2, 0, 0)]
    assert violation(findings, table) is None
    code, out, _ = verified(command, table, "--json")
    assert (code, [entry["satisfied"] for entry in json.loads(out)]) == (0, [True])
    write_table(BROKEN)  # type: ignore[arg-type]
    privacy = [{"model": "k-anonymity", "k": k} for k in (2, 4)]
    findings = sqlanon.verify(table, make(privacy=privacy))
    assert [(f.satisfied, f.measured, f.class_count) for f in findings] == [(False, 1, 4)] * 2
    assert [(f.failing_classes, f.failing_rows) for f in findings] == [(1, 1), (3, 6)]
    broken = violation(findings, table)
    assert isinstance(broken, PrivacyViolation)
    assert "k = 2: 1 of 4 classes fail (1 rows)" in str(broken)
    code, out, err = verified(command, table, "--json", privacy=privacy)
    assert code == PrivacyViolation.exit_code == 1
    assert [entry["satisfied"] for entry in json.loads(out)] == [False, False]
    assert "PrivacyViolation" in err


@pytest.mark.parametrize("table", TABLES)
def test_a_table_in_a_folder_whose_name_looks_like_a_pattern(table: str) -> None:
    """Also where the path is so long that its line of SQL is folded."""
    name = "it's {a}, [b]*"
    folder = Path(name) / f"{name} {'long ' * 12}" / "{c,d}"
    folder.mkdir(parents=True)
    write_table(SOUND)
    place = Path(table.partition("::")[0])
    place.rename(folder / place)
    assert sqlanon.verify(f"{folder}/{table}", make())[0].measured == 3


NAMED = [(*row, f"Zanzibar-{n}") for n, row in enumerate(SOUND)]
ALL = ("age", "zip", "diagnosis")


@pytest.mark.sampled(0.1, by=("table", "message", "columns"))
@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize(
    ("rows", "columns", "error", "message"),
    [
        (NAMED, (*ALL, "name"), PrivacyViolation, "table contains the identifier 'name'"),
        (NAMED, (*ALL, "NAME"), PrivacyViolation, "table contains the identifier 'name'"),
        ([], ALL, PrivacyViolation, "has no rows"),
        ([row[1:] for row in SOUND], ALL[1:], PlanError, "no quasi-identifier 'age'"),
        (NAMED, (*ALL, "patient"), SqlanonError, "patient"),
    ],
    ids=["name", "NAME", "empty", "no age", "another column"],
)
def test_table_that_is_refused(
    table: str,
    rows: Rows,
    columns: Sequence[str],
    error: type[SqlanonError],
    message: str,
    command: Command,
) -> None:
    write_table(rows, columns)
    with pytest.raises(error, match=message) as refused:
        sqlanon.verify(table, make())
    assert "Zanzibar" not in str(refused.value)
    assert verified(command, table)[0] == refused.value.exit_code in (1, 2)


@pytest.mark.parametrize("table", ["none.parquet", "none.csv", "none.duckdb::given", "given"])
def test_missing_table(table: str, command: Command) -> None:
    with pytest.raises(PlanError, match="does not exist"):
        sqlanon.verify(table, make())
    assert verified(command, table)[0] == 2


def test_masked_rows_form_a_class() -> None:
    masked = [("*", "*", "flu")] * 2
    write_table([*SOUND, *masked])
    (finding,) = sqlanon.verify("given.parquet", make())
    assert (finding.satisfied, finding.failing_rows) == (False, 2)
    write_table([*SOUND, *masked, *masked])
    (finding,) = sqlanon.verify("given.parquet", make())
    assert finding.satisfied


@pytest.mark.parametrize(("action", "name"), [("star", "*"), ("pseudonym", "1f")])
def test_starred_and_pseudonymous_identifiers_may_stand_in_the_table(
    action: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also without the key of pseudonyms."""
    monkeypatch.delenv("SQLANON_PSEUDONYM_KEY", raising=False)
    plan = make()
    plan["columns"]["name"] = {"role": "identifier", "action": action}
    write_table([(*row, name) for row in SOUND], (*ALL, "name"))
    assert sqlanon.verify("given.parquet", plan)[0].satisfied


@pytest.mark.sampled(0.4)
@pytest.mark.parametrize(
    "label", ["x;y;z", "x|y", "x\ty", "x,y", 'x "y"', "'x' y", "# x", " x", "x\\y"]
)
def test_published_csv_is_read_as_it_was_written(label: str) -> None:
    Path("towns.csv").write_text("town\n" + "a\n" * 10 + "b\n" * 10)
    quoted = '"' + label.replace('"', '""') + '"'
    Path("hierarchy.csv").write_text(f"a,{quoted},*\nb,{quoted},*\n")
    rule = {"file": "hierarchy.csv", "delimiter": ",", "header": False}
    plan = {
        "source": {"path": "towns.csv", "delimiter": ","},
        "columns": {"town": {"role": "quasi-identifier", "hierarchy": rule}},
        "privacy": [{"model": "k-anonymity", "k": 11}],
        "publish": "published.csv",
    }
    result = sqlanon.run(plan)
    assert result.manifest["privacy"][0]["measured"] == 20
    assert result.published.fetchall() == [(label,)] * 20


def untouched(place: str = "published.parquet") -> None:
    """The earlier publication is there, whole, and nothing lies beside it."""
    assert Path(place).read_bytes() == EARLIER
    assert not [file for file in Path().rglob(".*") if file.name not in (".", "..")]
    assert not list(Path().rglob("staged.*"))
    for file in Path().glob("target/*/manifest.json"):
        manifest = json.loads(file.read_bytes())
        assert manifest["published"]["sha256"] == hashlib.sha256(EARLIER).hexdigest()


HONEST = "    from k_anonymity\n    where satisfied\n"
ALL_PUBLISHED = "    from k_anonymity\n"


@pytest.mark.parametrize("place", ["published.csv", "published.duckdb::open.people"])
def test_failing_class_is_not_published(
    place: str, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    """Somebody is alone in a class; the command ends with 1."""
    plan = plan_file(publish=place)
    file, _, table = place.partition("::")
    if table:
        sqlanon.run(plan)
        before = rows_of(file, table)
    else:
        published_before(place, EARLIER, plan="people")
    write_people([*PEOPLE, ("Zanzibar-77", "99", "999", "flu")])
    change_step(monkeypatch, "release", HONEST, ALL_PUBLISHED)
    code, out, err = command("run", plan, "--json")
    assert (code, out) == (1, "")
    assert "PrivacyViolation" in err
    assert "1 of 13 classes fail" in " ".join(err.split())
    assert "Zanzibar" not in err
    if table:
        assert rows_of(file, table) == before
    else:
        untouched(place)


def rows_of(file: str, table: str) -> list[Any]:
    """The rows of a table of a DuckDB file."""
    with duckdb.connect(file, read_only=True) as connection:
        return connection.execute(f"select * from {table}").fetchall()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("\norder by", "\nwhere published_classes.zip <> '100'\norder by"),
        (r"generalized\.\*", "generalized.*, 1 as more"),
        (r"generalized\.\*", "generalized.* rename (diagnosis as cause)"),
    ],
    ids=["rows", "column", "name"],
)
def test_other_rows_or_columns_than_solved_are_not_published(
    old: str, new: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    change_step(monkeypatch, "release", old, new)
    published_before("published.parquet", EARLIER)
    with pytest.raises(PrivacyViolation, match="The staged table has"):
        sqlanon.run(make())
    untouched()


def test_source_that_changes_during_the_run_is_noticed() -> None:
    published_before("published.parquet", EARLIER)

    def change(progress: sqlanon.Progress) -> None:
        if progress.step == "release":
            write_people([*PEOPLE, *PEOPLE])

    with pytest.raises(PrivacyViolation, match="the source may have changed during the run"):
        sqlanon.run(make(), Options(progress=change))
    untouched()


def test_engine_that_fails_midway(monkeypatch: pytest.MonkeyPatch) -> None:
    change_step(monkeypatch, "release", "\nselect ", "\nselect error('Zanzibar-77'), ")
    published_before("published.parquet", EARLIER)
    with pytest.raises(EngineError) as refused:
        sqlanon.run(make())
    assert refused.value.where == "step release"
    assert "Zanzibar" not in str(refused.value)
    untouched()


@pytest.mark.parametrize("place", ["people.csv/published.parquet", "folder.parquet"])
def test_place_that_cannot_be_written(place: str, command: Command) -> None:
    Path("folder.parquet").mkdir()
    before = Path("people.csv").read_bytes()
    with pytest.raises(PublishError, match="could not be written"):
        sqlanon.run(make(publish=place), Options(overwrite=True))
    assert Path("people.csv").read_bytes() == before
    assert Path("folder.parquet").is_dir()
    assert not [*Path().rglob("staged.*"), *Path().rglob("*.part")]
    code, _, err = command("run", plan_file(publish=place))
    assert code == PublishError.exit_code == 5
    assert "PublishError" in err


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


def test_devices_are_compared_where_a_rename_would_look_for_the_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    devices = {"here": 1, "beside": 1, "there": 2}
    with monkeypatch.context() as patch:
        patch.setattr(os, "stat", lambda path: SimpleNamespace(st_dev=devices[str(path)]))
        apart = [_is_mounted_apart(Path("here"), Path(other)) for other in ("there", "beside")]
    assert apart == [True, False]


@pytest.mark.parametrize("fails", [False, True])
def test_another_file_system(fails: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """No rename crosses file systems; the rows are copied beside the place, then renamed."""
    places = [Path("/dev/shm"), Path(tempfile.gettempdir())]
    others = [p for p in places if p.is_dir() and p.stat().st_dev != Path().stat().st_dev]
    if not others:
        pytest.skip("there is no second file system to write to")
    with tempfile.TemporaryDirectory(dir=others[0]) as folder:
        target = Path(folder) / "target"
        published_before("published.parquet", EARLIER)
        shutil.move("target/published", target)
        if fails:
            no_room_for(monkeypatch, "published.parquet", errno.EACCES)
            with pytest.raises(PublishError):
                sqlanon.run(make(), Options(target=target))
            untouched()
        else:
            result = sqlanon.run(make(), Options(target=target))
            assert result.manifest["published"]["rows"] == PUBLISHED
            assert Path("published.parquet").read_bytes() != EARLIER
        assert not list(Path().rglob(".*")) + list(target.rglob(".*"))


@pytest.mark.parametrize("place", ["target", "published.solution.json"])
def test_working_files_that_cannot_be_written(place: str) -> None:
    Path("target").write_text("a file") if place == "target" else Path(place).mkdir()
    with pytest.raises(SqlanonError):
        sqlanon.run(make())


FOREVER = "(select max(a.range * b.range) from range(1000000) as a, range(1000000) as b)"


@pytest.mark.parametrize("own", [True, False], ids=["own", "callers"])
def test_interrupted_query_is_stopped(own: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    change_step(
        monkeypatch, "release", HONEST, HONEST.replace("satisfied", f"satisfied or {FOREVER} > 0")
    )
    published_before("published.parquet", EARLIER)
    connection = None if own else duckdb.connect()
    timer = threading.Timer(0.3, _thread.interrupt_main)

    def interrupt(progress: sqlanon.Progress) -> None:
        if progress.step == "release" and not timer.is_alive():
            timer.start()

    with pytest.raises(KeyboardInterrupt):
        sqlanon.run(make(), Options(progress=interrupt, connection=connection))
    timer.join()
    untouched()
    if connection is not None:
        assert connection.execute("select 1").fetchall() == [(1,)]
        names = connection.execute("select database_name from duckdb_databases()").fetchall()
        assert ("sqlanon",) not in names


def test_table_is_replaced_and_others_stay() -> None:
    with duckdb.connect("open.duckdb") as connection:
        connection.execute("create table people as select 'the earlier one' as publication")
        connection.execute("create table other as select 1 as i")
        connection.execute("create view seen as from other")
    plan = make(publish="open.duckdb::people")
    with pytest.raises(PublishError, match="people' already exists, and is not an unchanged"):
        sqlanon.run(plan)
    assert rows_of("open.duckdb", "people") == [("the earlier one",)]
    kept = [sqlanon.run(plan, Options(overwrite=overwrite)) for overwrite in (True, False)]
    for result in kept:  # also while the first result is kept
        assert result.manifest["published"] == kept[0].manifest["published"]
        assert result.manifest["published"]["path"] == "open.duckdb::people"
    assert len(rows_of("open.duckdb", "people")) == PUBLISHED
    assert rows_of("open.duckdb", "seen") == [(1,)]
    assert sqlanon.verify("open.duckdb::people", plan)[0].satisfied


@pytest.mark.parametrize("alone", [True, False], ids=["alone", "beside another"])
def test_table_stays_when_replacing_fails(alone: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = make(publish="open.duckdb::people")
    sqlanon.run(plan)
    if not alone:
        with duckdb.connect("open.duckdb") as connection:
            connection.execute("create table other as select 1 as i")
    earlier = rows_of("open.duckdb", "people")
    write_people(PEOPLE[:30])

    def fail(connection: Any, table: Any) -> None:
        connection.execute("select error('no room for Zanzibar-77')")

    monkeypatch.setattr(tables, "_mark_table", fail)
    with pytest.raises(PublishError, match="earlier one is unchanged") as refused:
        sqlanon.run(plan)
    assert "Zanzibar" not in str(refused.value)
    assert rows_of("open.duckdb", "people") == earlier
    assert not list(Path().rglob(".*"))


def test_what_is_no_table_stays() -> None:
    """A view of its name, or a file that is no database."""
    Path("other.duckdb").write_bytes(EARLIER)
    with duckdb.connect("open.duckdb") as connection:
        connection.execute("create view people as select 'a view' as publication")
    for overwrite, message in (
        (False, "not an unchanged earlier publication"),
        (True, "earlier one is unchanged"),
    ):
        options = Options(overwrite=overwrite)
        with pytest.raises(PublishError, match=message):
            sqlanon.run(make(publish="open.duckdb::people"), options)
        assert rows_of("open.duckdb", "people") == [("a view",)]
        with pytest.raises(PublishError):
            sqlanon.run(make(publish="other.duckdb::people"), options)
        assert Path("other.duckdb").read_bytes() == EARLIER
    assert not [*Path().rglob("staged.*"), *Path().rglob(".*")]


SEEN = (
    "select * from duckdb_settings() order by name",
    "select database_name, path, type, readonly from duckdb_databases() order by all",
    "select database_name, schema_name, table_name, temporary from duckdb_tables() order by all",
    "select database_name, schema_name, view_name, sql from duckdb_views() where not internal"
    " order by all",
    "select * from duckdb_variables() order by all",
    "select current_catalog(), current_schema()",
)


def look(connection: duckdb.DuckDBPyConnection) -> dict[str, Any]:
    """All that a run could leave behind in a connection."""
    seen = {query: connection.execute(query).fetchall() for query in SEEN}
    # whether a setting is the connection's or the database's is nothing that it does
    seen[SEEN[0]] = [(name, value) for name, value, *_ in seen[SEEN[0]]]
    return seen


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
        ({"table": "clinic.people"}, "published"),
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
    assert len(rows) == result.manifest["published"]["rows"] == PUBLISHED
    assert result.manifest["published"]["path"] == published
    again = sqlanon.run(plan, connection=connection)  # while the first result is kept
    assert again.manifest["published"] == result.manifest["published"]
    sqlanon.run(make())
    assert rows == duckdb.connect().execute("from read_parquet('published.parquet')").fetchall()
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
    assert look(connection) == before
    sqlanon.measure(plan, own)
    sqlanon.check(plan, own)
    sqlanon.verify("published.parquet", plan, own)
    assert look(connection) == before
    with pytest.raises(PlanError, match="memory limit"):
        sqlanon.run(plan, replace(own, memory_limit="1GB"))
    result = sqlanon.run(make(publish="open.duckdb::people"), connection=connection)
    assert len(result.published.fetchall()) == PUBLISHED
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
    connection.execute("insert into people values ('Zanzibar-77', '99', '999', 'flu')")
    change_step(monkeypatch, "release", HONEST, ALL_PUBLISHED)
    with pytest.raises(PrivacyViolation):
        sqlanon.run(on_connection(), own)
    assert connection.execute("from published").fetchall() == [("the earlier one",)]
    connection.execute("attach ':memory:' as sqlanon")  # their own catalog of this name
    connection.execute("create table sqlanon.source as select 'mine' as i")
    with pytest.raises(SqlanonError, match="sqlanon"):
        sqlanon.run(on_connection(), connection=connection)
    assert connection.execute("from sqlanon.source").fetchall() == [("mine",)]
    with pytest.raises(PlanError, match="needs a connection"):
        sqlanon.run(on_connection())


MEASURES = (
    "discernibility", "average_class_size", "loss", "ncp", "height", "average_generalization",
    "precision", "entropy", "ambiguity", "distribution",
)  # fmt: skip
KEYS: dict[str, Any] = {
    "sqlanon_version": str,
    "engine": {"name": str, "version": str},
    "plan_sha256": str,
    "program_sha256": str,
    "locked": bool,
    "published": {"path": str, "sha256": str, "rows": int},
    "rows": dict.fromkeys(("input", "published", "suppressed"), int),
    "solution": {
        "method": str,
        "node": dict,
        "height": int,
        "classes": int,
        "lattice": {"nodes": int, "checked": int, "satisfying": object, "minimal": object},
    },
    "privacy": list,
    "utility": dict.fromkeys(MEASURES, float),
    "timings_seconds": dict.fromkeys(
        ("frequency_set", "solve", "release", "verify", "publish", "total"), float
    ),
}
"""Keys that others rely on (design, section 6), and the types of their values."""


def check_keys(found: Any, expected: Any, path: str) -> None:
    if isinstance(expected, dict):
        assert list(expected) == [key for key in found if key in expected], path
        for key, inner in expected.items():
            check_keys(found[key], inner, f"{path}.{key}")
    else:
        assert isinstance(found, expected), path


@pytest.mark.parametrize(("rows", "method"), [("drop", "incognito"), ("mask", "optimal")])
def test_manifest(rows: str, method: str, command: Command) -> None:
    write_people([*PEOPLE, *ODD])
    plan = plan_file(suppression={"limit": 0.1, "rows": rows}, method=method)
    code, out, _ = command("run", plan, "--json")
    assert code == 0
    manifest = json.loads(out)
    assert json.loads(Path("target/people/manifest.json").read_text()) == manifest
    check_keys(manifest, KEYS, "manifest")
    content = Path("published.parquet").read_bytes()
    program = Path("target/people/sql/program.sql").read_bytes()
    assert manifest["published"]["sha256"] == hashlib.sha256(content).hexdigest()
    assert manifest["program_sha256"] == hashlib.sha256(program).hexdigest()
    assert manifest["plan_sha256"] == sqlanon.load_plan(plan).sha256
    counts = {"input": 52, "published": 48, "suppressed": 4}
    assert {key: manifest["rows"][key] for key in counts} == counts
    assert manifest["published"]["rows"] == (52 if rows == "mask" else 48)
    kept = duckdb.connect().execute("select count(*) from 'published.parquet'").fetchall()
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


ODD = [(f"Zanzibar-{n}", "99", f"9{n}", "flu") for n in range(77, 81)]


@pytest.mark.parametrize("method", ["mondrian", "k-mondrian", "dimension-splitting"])
def test_manifest_of_a_partition(method: str, command: Command) -> None:
    plan = plan_file(method=method, suppression={})
    code, out, _ = command("run", plan, "--json")
    assert code == 0
    manifest = json.loads(out)
    assert json.loads(Path("target/people/manifest.json").read_text()) == manifest
    assert KEYS.keys() <= manifest.keys()
    solution = manifest["solution"]
    assert KEYS["solution"].keys() < solution.keys()
    unknown = dict.fromkeys(KEYS["solution"]["lattice"])
    assert (solution["node"], solution["height"], solution["lattice"]) == (None, None, unknown)
    assert (solution["rounds"] is None) == (method == "dimension-splitting")
    assert (solution["k"] is None) == (method != "k-mondrian")
    assert Path("target/people/partition_tree.csv").is_file() == ("mondrian" in method)
    utility = manifest["utility"]
    missing = [name for name in utility if utility[name] is None]
    assert missing == ["height", "average_generalization", "precision"]
    assert manifest["published"]["rows"] == manifest["rows"]["published"] == PUBLISHED
    groups = "select count(*) from 'published.parquet' group by age, zip"
    sizes = [size for (size,) in duckdb.connect().execute(groups).fetchall()]
    assert (len(sizes), min(sizes)) == (solution["classes"], manifest["privacy"][0]["measured"])
    assert utility["discernibility"] == sum(size * size for size in sizes)


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
    sorted_rows = duckdb.connect().execute(f"select * from '{place}'").fetchall()
    masked = [row for row in sorted_rows if row[0] == "*"]
    others = [row for row in sorted_rows if row[0] != "*"]
    assert others == sorted(others)
    assert len(masked) == (4 if rows == "mask" else 0)
    assert sorted_rows in (masked + others, others + masked)
