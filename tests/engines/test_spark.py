"""Spark as a database: its session, its relations, what it stages and publishes, and its errors."""

from __future__ import annotations

import contextlib
import datetime
import hashlib
import logging
import os
import shutil
import stat
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sqlanon.engines.base import StagedRows
from sqlanon.errors import EngineError, PlanError, PrivacyViolation, PublishError
from sqlanon.plan.tables import Destination
from tests.support import servers

pyarrow = pytest.importorskip("pyarrow", reason="the extra `spark` is not installed")
pytest.importorskip("pyspark", reason="the extra `spark` is not installed")

from pyarrow import parquet  # noqa: E402
from pyspark.sql import functions  # noqa: E402

from sqlanon.engines import spark_files  # noqa: E402
from sqlanon.engines.spark import Spark  # noqa: E402
from sqlanon.engines.spark_files import Publications  # noqa: E402
from sqlanon.engines.spark_session import refuse_silent_master  # noqa: E402

ROWS = {"city": ["Wien", "Graz", None, "Graz"], "age": [30, 41, 41, None]}
TYPES = {"city": "VARCHAR", "age": "INTEGER"}


@pytest.fixture(scope="module")
def session() -> Iterator[Any]:
    with servers.spark() as found:
        yield found.session


@pytest.fixture
def spark(session: Any) -> Iterator[Spark]:
    with contextlib.closing(Spark(session=session)) as database:
        yield database


def opened(spark: Spark, place: Path) -> str:
    source = spark.open_files(str(place))
    assert source is not None
    return source


def write(place: Path, **columns: list[Any]) -> None:
    place.parent.mkdir(exist_ok=True)
    parquet.write_table(pyarrow.table(columns), place)


def changed(spark: Spark) -> None:
    with pytest.raises(PublishError, match="changed meanwhile"):
        spark.require_unchanged()


def loaded(spark: Spark) -> str:
    relation = spark.relation("people")
    spark.load(relation, pyarrow.table(ROWS), TYPES)
    return relation


def staged(spark: Spark, query: str, *places: Destination) -> list[StagedRows]:
    """The rows of a query, staged for each place."""
    for place in places:
        spark.stage(place, query)
    return [StagedRows(place, spark.digest(place) or "") for place in places]


def publication(spark: Spark, place: Destination, query: str) -> str:
    (rows,) = made = staged(spark, query, place)
    spark.publish(made)
    return rows.sha256


def path(place: Path) -> Destination:
    return Destination(path=str(place), table=None)


def table(name: str) -> Destination:
    return Destination(path=None, table=name)


def names(folder: Path) -> set[str]:
    return {file.name for file in folder.iterdir()}


def refusal(spark: Spark, work: Callable[[], object]) -> Exception:
    with pytest.raises(Exception) as caught:  # noqa: PT011 - whatever Spark raises
        work()
    return spark.refusal(caught.value, "step release")


# --- relations and rows


def test_rows_go_in_and_out(spark: Spark) -> None:
    day = datetime.datetime(2020, 2, 29, 23, 30)
    moment = day.replace(tzinfo=datetime.UTC)
    rows = pyarrow.table({
        "small": pyarrow.array([1, None], pyarrow.int8()), "text": ["", None],
        "naive": pyarrow.array([day, None], pyarrow.timestamp("ns")),
        "aware": pyarrow.array([moment, None], pyarrow.timestamp("us", "Asia/Tokyo")),
        "large": pyarrow.array([2**64 - 1, None], pyarrow.uint64()),
        "exact": pyarrow.array([Decimal("1.20"), None]), "real": [0.1, None],
        "yes": [True, None], "date": pyarrow.array([day.date(), None]),
    })  # fmt: skip
    types = {
        "small": "TINYINT", "text": "VARCHAR", "naive": "TIMESTAMP",
        "aware": "TIMESTAMP WITH TIME ZONE", "large": "UBIGINT", "exact": "DECIMAL(5,2)",
        "real": "DOUBLE", "yes": "BOOLEAN", "date": "DATE",
    }  # fmt: skip
    relation = spark.relation("given")
    spark.load(relation, rows, types)
    first = (1, "", day, moment, Decimal(2**64 - 1), Decimal("1.20"), 0.1, True, day.date())
    assert spark.rows(f"select * from {relation} order by small nulls last") == [
        first, (None,) * 9
    ]  # fmt: skip
    assert spark.columns((relation,)) == types | {"small": "BIGINT", "large": "DECIMAL(20,0)"}
    found = spark.arrow(f"select cast(1 as tinyint) as n, text from {relation}")
    assert found.schema.types == [pyarrow.int64(), pyarrow.string()]
    spark.load(spark.relation("none"), rows.slice(0, 0), types)
    assert spark.rows(f"select * from {spark.relation('none')}") == []
    assert spark.columns(("no_such",)) is None


def test_a_table_keeps_its_rows_and_a_view_does_not(spark: Spark, tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", n=[1, 2])
    source = opened(spark, tmp_path / "a.parquet")
    assert spark.columns((source,)) == {"n": "BIGINT"}
    kept, seen = spark.relation("kept"), spark.relation("seen")
    spark.make("table", kept, f"select sum(n) as total from {source}")
    spark.make("view", seen, f"select total + 1 as more from {kept}")
    (tmp_path / "a.parquet").unlink()
    assert spark.rows(f"select * from {kept}") == [(3,)]
    assert spark.rows(f"select * from {seen}", most=5) == [(4,)]


def test_files_that_change_are_noticed(spark: Spark, tmp_path: Path) -> None:
    """Also if as many rows of the same names are there, and others that are new."""
    file = tmp_path / "a [x] 50%*" / "a.parquet"
    write(file, n=[1, 2])
    source = opened(spark, file.parent)
    spark.watch(source, {"n"})
    write(file.with_name("b.parquet"), n=[3])  # no pass reads it
    spark.require_unchanged()
    moment = file.stat().st_mtime_ns + 10**9
    write(file, n=[1, 3])
    os.utime(file, ns=(moment, moment))
    changed(spark)
    file.unlink()
    changed(spark)


def test_rows_without_files_that_change_are_noticed(spark: Spark, session: Any) -> None:
    def put(rows: list[tuple[int, str]]) -> None:
        session.createDataFrame(rows, ["Age", "note`s"]).createOrReplaceTempView("watched")

    put([(30, "x"), (41, "y")])
    spark.watch("watched", {"age"})
    put([(41, "x"), (30, "z")])
    spark.require_unchanged()
    put([(30, "x"), (42, "y")])
    changed(spark)
    session.catalog.dropTempView("watched")
    changed(spark)


def test_files_with_other_columns_show_them_all(spark: Spark, tmp_path: Path) -> None:
    folder = tmp_path / "year=2020 [x]{y}"
    write(folder / "a.parquet", n=[1])
    write(folder / "b.parquet", n=[2], name=["Eva"])
    for place in (folder, folder / "*.parquet"):
        found = opened(spark, place)
        assert spark.columns((found,)) == {"n": "BIGINT", "name": "VARCHAR"}
        assert spark.rows(f"select sum(n) from {found}") == [(3,)]


def test_types_that_duckdb_does_not_have(spark: Spark, session: Any) -> None:
    session.sql(
        "create or replace temporary view strange as select 'a' collate utf8_lcase as folded,"
        " array(1) as list, map(1, 2) as map, named_struct('a', 1) as struct,"
        " interval 1 year as span, cast('x' as binary) as bytes, null as nothing"
    )
    assert spark.columns(("strange",)) == {
        "folded": "string collate UTF8_LCASE", "list": "LIST", "map": "MAP", "struct": "STRUCT",
        "span": "INTERVAL", "bytes": "BLOB", "nothing": '"NULL"',
    }  # fmt: skip
    session.sql("create table lengths (padded char(3), short varchar(3)) using parquet")
    assert spark.columns(("lengths",)) == {"padded": "char(3)", "short": "VARCHAR"}
    assert [spark.is_view((name,)) for name in ("lengths", "strange")] == [False, True]


# --- the session


def test_a_session_of_the_caller_is_as_before(session: Any) -> None:
    own = {"spark.sql.legacy.timeParserPolicy": "LEGACY", "spark.sql.ansi.enabled": "false"}
    for name, value in own.items():
        session.conf.set(name, value)
    before, level = dict(session.conf.getAll), logging.getLogger("py4j").level
    with contextlib.closing(Spark(session=session, time_zone="Asia/Tokyo")) as spark:
        assert spark.rows("select current_timezone()") == [("Asia/Tokyo",)]
        assert isinstance(refusal(spark, lambda: spark.rows("select 1 div 0")), EngineError)
        assert session.conf.get("spark.sql.legacy.timeParserPolicy") == "CORRECTED"
        loaded(spark)
    assert dict(session.conf.getAll) == before
    left = [row[1] for row in session.sql("show tables").collect()]
    assert not [name for name in left if name.startswith("sqlanon")]
    with pytest.raises(PlanError, match="There is no time zone 'Asia/Tokio'"):
        Spark(session=session, time_zone="Asia/Tokio")
    assert dict(session.conf.getAll) == before
    assert logging.getLogger("py4j").level == level
    for name in own:
        session.conf.unset(name)


def test_a_session_has_one_run_and_a_process_one_master(spark: Spark, session: Any) -> None:
    with pytest.raises(EngineError, match="Another run uses"):
        Spark(session=session)
    Spark(session=session.newSession(), time_zone="Asia/Tokyo").close()
    spark.close()
    Spark(session=session).close()
    with pytest.raises(EngineError, match="already runs Spark with another master"):
        Spark("local[7]")
    with contextlib.closing(Spark("local[2]")) as beside:
        assert beside.rows("select 1") == [(1,)]
    assert session.sql("select 1").collect()


def test_no_plan_of_spark_shows_a_secret(spark: Spark, session: Any) -> None:
    spark.set_variable("sqlanon_pseudonym_key", "geheim")
    people = loaded(spark)
    query = f"select sha2(concat(system.session.sqlanon_pseudonym_key, city), 256) from {people}"
    hashed = hashlib.sha256(b"geheimWien").hexdigest()
    assert (hashed,) in spark.rows(query)
    shown = spark._frame(query)._jdf.queryExecution().toString()
    assert "sha2" in shown
    assert "geheim" not in shown


# --- errors


def test_no_message_has_a_cell(spark: Spark, capfd: pytest.CaptureFixture[str]) -> None:
    people = loaded(spark)
    error = refusal(spark, lambda: spark.rows(f"select cast(city as int) from {people}"))
    assert isinstance(error, EngineError)
    assert "CAST_INVALID_INPUT, 22018" in str(error)
    ours = rf"select if(city = 'Graz', raise_error('sqlanon: it\'s so'), city) from {people}"
    assert str(refusal(spark, lambda: spark.rows(ours))).startswith("step release  it's so\n")
    theirs = f"select raise_error(concat('sqlanon: ', city)) from {people}"
    error = refusal(spark, lambda: spark.rows(theirs))
    reported = capfd.readouterr()
    for text in (str(error), reported.out, reported.err):
        assert "Graz" not in text
        assert "Wien" not in text
    error = refusal(spark, lambda: spark.rows("select nothing"))
    assert "UNRESOLVED_COLUMN" in str(error)
    times = pyarrow.table({"t": ["1"]})
    with pytest.raises(EngineError, match="no type TIME"):
        spark.load(spark.relation("t"), times, {"t": "TIME"})


def test_what_runs_is_stopped_from_another_thread(spark: Spark) -> None:
    long = "select count(*) from range(1000000) a, range(1000000) b where a.id * b.id % 7 = 3"
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(spark.rows, long)
        while not running.done():
            spark.cancel()
            time.sleep(0.2)
        error = running.exception()
    assert isinstance(error, Exception)
    assert isinstance(spark.refusal(error, ""), EngineError)
    assert spark.rows("select 1") == [(1,)]


# --- publications


def test_a_folder_is_published_as_one(spark: Spark, tmp_path: Path) -> None:
    """The names of folders are no patterns."""
    people, final = loaded(spark), tmp_path / "a [x]{y,z} 50%* b?" / "out.parquet"
    place = path(final)
    assert spark.existing_digest(place) is None
    seen = spark.stage(place, f"select city as `a b.c`, age from {people}")
    assert not final.exists()
    (room,) = final.parent.iterdir()
    assert stat.S_IMODE(room.stat().st_mode) == 0o700
    ages = spark.rows(f"select age from {seen} order by age nulls last")
    assert ages == [(30,), (41,), (41,), (None,)]
    digest = spark.digest(place) or ""
    spark.publish([StagedRows(place, digest)])
    assert spark.existing_digest(place) == digest
    assert all(name.startswith("part-") and name.endswith(".parquet") for name in names(final))
    assert parquet.read_table(final).column_names == ["a b.c", "age"]
    final.chmod(0o750)
    for file in final.iterdir():
        file.chmod(0o640)
    again = publication(spark, place, f"select count(*) as n from {people}")
    assert spark.existing_digest(place) == again != digest
    assert {stat.S_IMODE(file.stat().st_mode) for file in (*final.iterdir(),)} == {0o640}
    assert stat.S_IMODE(final.stat().st_mode) == 0o750
    (final / "more.txt").touch()
    assert spark.existing_digest(place) == ""


def test_nothing_is_left_of_what_was_not_published(session: Any, tmp_path: Path) -> None:
    place = path(tmp_path / "out.parquet")
    with contextlib.closing(Spark(session=session)) as spark:
        spark.stage(place, f"select * from {loaded(spark)}")
        assert names(tmp_path)
    assert not names(tmp_path)
    with contextlib.closing(Spark(session=session)) as spark:
        refusal(spark, lambda: spark.stage(place, "select cast('Graz' as int) as n"))
    assert not names(tmp_path)


def test_staged_files_that_change_are_not_published(spark: Spark, tmp_path: Path) -> None:
    final = tmp_path / "out.parquet"
    place = path(final)
    for change in ("more", "less", "other"):
        made = staged(spark, f"select * from {loaded(spark)}", place)
        (room,) = (each for each in tmp_path.iterdir() if (each / "rows").exists())
        file = next((room / "rows").iterdir())
        if change == "more":
            shutil.copy(file, file.with_name("part-more.parquet"))
        elif change == "less":
            file.unlink()
        else:
            file.write_bytes(file.read_bytes() + b" ")
        with pytest.raises(PrivacyViolation, match="changed after they were proven"):
            spark.publish(made)
        shutil.rmtree(room)
    assert not final.exists()


def test_two_folders_are_published_as_one(spark: Spark, tmp_path: Path) -> None:
    people, folder = loaded(spark), tmp_path / "both"
    places = [path(folder / "rows.parquet"), path(folder / "rows_values.parquet")]
    for count in (1, 2):
        made = staged(spark, f"select * from {people} limit {count}", *places)
        spark.publish(made)
        before = [spark.existing_digest(place) for place in places]
        assert before == [each.sha256 for each in made]
    (folder / "notes.txt").touch()
    more = staged(spark, f"select * from {people} limit 3", *places)
    with pytest.raises(PublishError, match="contains other files"):
        spark.publish(more)
    assert [spark.existing_digest(place) for place in places] == before


def test_columns_are_published_without_metadata(spark: Spark, session: Any, tmp_path: Path) -> None:
    reported = functions.lit("x").alias("kind", metadata={"ml_attr": {"vals": ["geheim"]}})
    session.range(1).select(reported).createOrReplaceTempView("described")
    publication(spark, path(tmp_path / "out.parquet"), "select kind from described")
    files = [file.read_bytes() for file in (tmp_path / "out.parquet").iterdir()]
    assert not [content for content in files if b"geheim" in content]


def test_a_table_of_the_catalog_is_switched(spark: Spark, session: Any) -> None:
    """Where a run has published it, and not one of others."""
    people, place = loaded(spark), table("default.published")
    folder = Path(session.conf.get("spark.sql.warehouse.dir").removeprefix("file:"))
    assert spark.existing_digest(place) is None
    first = publication(spark, place, f"select * from {people}")
    assert spark.existing_digest(place) == first
    reading = session.table("published")
    second = publication(spark, place, f"select * from {people} where age > 40")
    assert spark.existing_digest(place) == second
    assert reading.count() == 4  # of the files that were there when it was opened
    assert session.table("published").count() == 2
    third = publication(spark, place, f"select * from {people} limit 1")
    assert len([n for n in names(folder / "published.sqlanon") if n[0] != "."]) == 2
    reported = dict(row[:2] for row in session.sql("describe extended published").collect())
    assert reported["Comment"] == f"published by sqlanon from rows with sha256 {third}"
    with pytest.raises(PublishError, match="has other columns"):
        spark.stage(place, f"select age from {people}")
    session.sql("create table managed using parquet as select 1 as n")
    session.range(1).createOrReplaceTempView("looked_at")
    for name in ("managed", "looked_at"):
        assert spark.existing_digest(table(name)) == ""
        with pytest.raises(PublishError, match="no run has published it"):
            spark.stage(table(name), f"select * from {people}")


def test_two_tables_are_switched_or_none(
    spark: Spark, session: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    people, places = loaded(spark), [table("both"), table("both_values")]
    sql, failed = type(session).sql, False

    def fails(self: Any, statement: str, *arguments: Any) -> Any:
        nonlocal failed
        if statement.startswith("alter table both_values") and not failed:
            failed = True
            raise OSError("the catalog is away")
        return sql(self, statement, *arguments)

    spark.publish(staged(spark, f"select * from {people}", *places))
    before = [spark.existing_digest(place) for place in places]
    more = staged(spark, f"select * from {people} limit 1", *places)
    monkeypatch.setattr(type(session), "sql", fails)
    with pytest.raises(OSError, match="away"):
        spark.publish(more)
    monkeypatch.undo()
    assert [spark.existing_digest(place) for place in places] == before
    assert session.table("both").count() == 4


def test_places_that_spark_does_not_publish_to(spark: Spark) -> None:
    for place in ("s3://bucket/out.parquet", "out.csv", "a.duckdb::t"):
        with pytest.raises(PlanError, match="Parquet files in a folder"):
            spark.stage(Destination(path=place, table=None), "select 1 as n")


def test_a_cluster_that_sees_other_files_writes_none(
    session: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spark = Spark(session=session)
    monkeypatch.setattr(spark._publications, "is_local", False)
    spark.stage(path(tmp_path / "out.parquet"), "select 1 as n")
    monkeypatch.setattr("sqlanon.engines.spark_files.url", lambda place: f"file:///else{place}")
    with pytest.raises(PublishError, match="cannot access the publication folder"):
        spark.stage(path(tmp_path / "other.parquet"), "select 1 as n")
    spark.close()
    assert not names(tmp_path)


def test_a_master_that_is_not_there() -> None:
    for master in ("spark://127.0.0.1:9", "sc://127.0.0.1:9/;token=secret"):
        with pytest.raises(EngineError, match="cannot be reached") as caught:
            refuse_silent_master(master)
        assert "secret" not in str(caught.value)


def test_a_table_that_others_make_meanwhile_stays(tmp_path: Path) -> None:
    """A table that cannot be made, because it is there by now, is not dropped."""
    asked: list[str] = []

    def sql(statement: str) -> Any:
        asked.append(statement.split()[0])
        raise RuntimeError("it exists")

    found = Publications(SimpleNamespace(sql=sql), tmp_path, is_own=False, is_local=True)
    rows = tmp_path / "room" / "rows"
    rows.mkdir(parents=True)
    (rows / "part-0.parquet").write_bytes(b"PAR1")
    place = table("clinic.people")
    found._staged[place] = spark_files._Staged(rows, rows.parent, tmp_path)
    found._table = lambda name: None  # type: ignore[method-assign, assignment]
    with pytest.raises(RuntimeError):
        found.publish([StagedRows(place, found.digest(place))])
    assert asked == ["create"]


def test_a_new_publication_is_read_by_whom_the_user_lets_read(tmp_path: Path) -> None:
    (tmp_path / "part-0.parquet").touch()
    before = os.umask(0o027)
    try:
        spark_files._keep_modes(None, tmp_path)
    finally:
        os.umask(before)
    files = [tmp_path, tmp_path / "part-0.parquet"]
    assert [stat.S_IMODE(each.stat().st_mode) for each in files] == [0o750, 0o640]
