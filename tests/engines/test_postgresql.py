"""PostgreSQL as a database that steps run in: what it publishes, refuses, and leaves behind."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sqlanon.dialects.transpile import NamedTable, transpile
from sqlanon.engines.base import StagedRows
from sqlanon.errors import EngineError, PlanError, PublishError, SqlanonError
from sqlanon.plan.tables import Destination
from sqlanon.sql.step import quoted
from tests.support import servers

pyarrow = pytest.importorskip("pyarrow")
psycopg = pytest.importorskip("psycopg")
postgresql = pytest.importorskip("sqlanon.engines.postgresql")
errors = pytest.importorskip("sqlanon.engines.postgresql_errors")
publication_module = pytest.importorskip("sqlanon.engines.postgresql_publication")

PASSWORD = "hX7-never-shown"
SHA = "ab" * 32
OUT = Destination(path=None, table="pub.people")


@pytest.fixture(scope="module")
def server() -> Iterator[Any]:
    """A superuser's connection; roles `keeper` (who publishes), `reader` and `asked`."""
    with servers.postgres() as opened:
        connection = opened.connection
        hba = Path(connection.execute("show hba_file").fetchone()[0])
        hba.write_text("local all asked scram-sha-256\nlocal all all trust\n")
        connection.execute("select pg_reload_conf()")
        connection.execute(
            f"create role asked login password '{PASSWORD}'; create role reader login;"
            "create role keeper login; create role other;"
            "create schema pub authorization keeper; grant usage on schema pub to reader;"
            "grant create on database postgres to keeper, asked"
        )
        yield connection


@pytest.fixture
def source(server: Any) -> Iterator[str]:
    """A table of three persons."""
    server.execute(
        "create table pub.source as select n as age, 'x' || n as name from generate_series(1, 3) n;"
        "alter table pub.source owner to keeper; create schema closed"
    )
    yield "pub.source"
    server.execute(
        "drop schema pub cascade; drop schema closed cascade;"
        "create schema pub authorization keeper; grant usage on schema pub to reader"
    )


def url(server: Any, role: str = "keeper", **others: str) -> str:
    given = {"host": server.info.host, "user": role, "dbname": "postgres", **others}
    return " ".join(f"{name}={value}" for name, value in given.items())


def opened(
    server: Any, role: str = "keeper", **keys: str
) -> contextlib.AbstractContextManager[Any]:
    return contextlib.closing(postgresql.PostgreSQL(url(server, role), **keys))


def asked(server: Any, query: str) -> list[tuple[Any, ...]]:
    found: list[tuple[Any, ...]] = server.execute(query).fetchall()
    return found


@contextlib.contextmanager
def altered(server: Any, *settings: str) -> Iterator[None]:
    """Settings that sessions of the role which publishes start with."""
    for setting in settings:
        server.execute(f"alter role keeper set {setting}")
    try:
        yield
    finally:
        server.execute("alter role keeper reset all")


AGES = "select age from pub.source"


def staged(database: Any, query: str = AGES, sha256: str = SHA) -> list[Any]:
    """What a run has staged, for its publication."""
    database.existing_digest(OUT)
    database.stage(OUT, query)
    return [StagedRows(OUT, sha256)]


def refused(database: Any, work: Any) -> SqlanonError:
    """The error for what a method raises, as the engine makes it."""
    with pytest.raises(Exception) as raised:  # noqa: PT011 - the refusal is looked at
        work()
    error: SqlanonError = database.refusal(raised.value, "step tried")
    return error


def publish(server: Any, query: str = AGES, sha256: str = SHA) -> None:
    with opened(server) as database:
        database.publish(staged(database, query, sha256))


def digest(server: Any, place: Destination = OUT) -> str | None:
    with opened(server) as database:
        found: str | None = database.existing_digest(place)
        return found


# --- what is read and written


def test_types_of_columns(server: Any, source: str) -> None:
    """Types without an exact counterpart keep PostgreSQL's name, so that the plan refuses them."""
    server.execute(
        """create domain pub.code as varchar(3);
        create domain pub.inner_code as pub.code;
        create type pub.mood as enum ('sad', 'glad');
        create collation pub.loose (provider = icu, locale = 'und-u-ks-level2',
            deterministic = false);
        create table pub.kinds (
            a smallint, b integer, c bigint, d numeric(10, 2), e numeric, f real, g float8,
            h boolean, i text, j varchar(5), k char(3), l date, m timestamp(3), n timestamptz,
            o time, p uuid, q bytea, r jsonb, s text[], t pub.inner_code, u pub.mood, v money,
            w interval, x inet, y text collate pub.loose, z "char", aa name, ab text collate "C",
            ac numeric(3, 5)
        );
        alter table pub.kinds add dropped text; alter table pub.kinds drop dropped;
        grant select on pub.kinds to keeper"""
    )
    with opened(server) as database:
        found = database.columns(("pub", "kinds"))
    assert found == {
        "a": "SMALLINT", "b": "INTEGER", "c": "BIGINT", "d": "DECIMAL(10,2)", "e": "numeric",
        "f": "FLOAT", "g": "DOUBLE", "h": "BOOLEAN", "i": "VARCHAR", "j": "VARCHAR",
        "k": "character(3)", "l": "DATE", "m": "TIMESTAMP", "n": "TIMESTAMP WITH TIME ZONE",
        "o": "TIME", "p": "UUID", "q": "BLOB", "r": "jsonb", "s": "text[]", "t": "VARCHAR",
        "u": "pub.mood", "v": "money", "w": "INTERVAL", "x": "inet",
        "y": "text with a collation of its own equality", "z": '"char"', "aa": "name",
        "ab": "VARCHAR", "ac": "numeric(3,5)",
    }  # fmt: skip


def test_tables_by_their_names(server: Any, source: str) -> None:
    server.execute(
        'create table public."Every Body" ("a ""b" int); grant select on public."Every Body" to'
        " keeper; create view pub.some as select age from pub.source;"
        "grant select (age) on pub.source to reader; create table public.hidden (a int)"
    )
    with opened(server) as database:
        for found in (("Every Body",), ("postgres", "public", "Every Body")):
            assert database.columns(found) == {'a "b': "INTEGER"}
        for missing in ("elsewhere.public.Every Body", "every body", "public.hidden", "source"):
            assert database.columns(tuple(missing.split("."))) is None
        views = [database.is_view(name) for name in (("pub", "source"), ("pub", "some"), ("none",))]
        assert views == [False, True, True]
    server.execute('drop table public."Every Body"; drop table public.hidden')


def test_every_word_of_the_database_is_the_name_of_a_column(server: Any) -> None:
    """Some are calls where they stand bare, such as `user`, which is the role that asks."""
    for (word,) in server.execute("select word from pg_get_keywords()").fetchall():
        made = f"""create temp table words as select 'its value' as "{word}" """
        server.execute(f"drop table if exists words; {made}")
        name, table = quoted(word), {"t": NamedTable("words", {word: "VARCHAR"})}
        sql = f"select {name}, max({name}) as most from t group by {name}"
        found = server.execute(transpile(sql, "postgres", table), prepare=False).fetchall()
        assert found == [("its value",) * 2], word


def test_rows_cross_unchanged(server: Any) -> None:
    """NULL, an empty text, quotes, lines, and what is no number."""
    values = """\
select * from (values
    (1, null, 1.50::numeric(5, 2), '2020-02-29'::date, 'nan'::float8, true),
    (2, '', -0.01, null, 'infinity', false),
    (3, E'a "b"\\n,\\\\.', null, '1999-12-31', 0.1, null),
    (9007199254740993, '\\.', 999.99, '0001-01-01', -1e300, true)
) as given (n, t, d, day, x, b)"""
    types = dict(zip(("n", "t", "d", "day", "x", "b"), (
        "BIGINT", "VARCHAR", "DECIMAL(5,2)", "DATE", "DOUBLE", "BOOLEAN"
    ), strict=True))  # fmt: skip
    with opened(server) as database:
        there = database.arrow(f"-- a header\n{values} order by n")
        relation = database.relation("again")
        database.load(relation, there, types)
        back = database.rows(f"select * from {relation} order by n")
        assert str(back) == str(database.rows(f"{values} order by n"))
        assert [str(kind) for kind in there.schema.types] == [
            "int64", "string", "decimal128(38, 2)", "date32[day]", "double", "bool",
        ]  # fmt: skip
        assert str(database.rows(values, most=2)) == str(back[:2])
        for query, cells in (
            ("select null::text union all select '' union all select 'x'", [None, "", "x"]),
            ("select repeat('x', 3000000) from generate_series(1, 2)", ["x" * 3_000_000] * 2),
            ("select sum(n) as s from generate_series(1, 3) n", [6]),
            ("select n * 1e20 as s from generate_series(1, 3) n", [10**20, 2 * 10**20, 3 * 10**20]),
            ("select sum(c) as d from (select 2.5 as c) as none group by c having c < 0", []),
        ):
            (column,) = database.arrow(query).columns
            assert sorted(column.to_pylist(), key=lambda cell: cell or "") == cells
            assert str(column.type) == "int64" or cells not in ([6], [])
        error = refused(database, lambda: database.arrow("select date 'infinity' as secret"))
        assert isinstance(error, EngineError)
        assert "infinity" not in str(error)


def test_settings_that_results_depend_on(server: Any) -> None:
    settings = (
        "datestyle = 'SQL, DMY'", "timezone = 'Asia/Tokyo'", "extra_float_digits = -5",
        "idle_in_transaction_session_timeout = 100",
    )  # fmt: skip
    with altered(server, *settings):
        with opened(server, time_zone="Europe/Berlin") as database:
            time.sleep(0.2)
            asked = "select timestamptz '2020-06-01 00:00Z'::text, 0.1::float8 + 0.2::float8"
            assert database.rows(asked) == [("2020-06-01 02:00:00+02", 0.30000000000000004)]
        with pytest.raises(PlanError, match="no time zone 'Berlin'"):
            postgresql.PostgreSQL(url(server), time_zone="Berlin")


HIJACKS = (
    ("unnest(name[])", "setof name", "select 'pg_catalog'::name"),
    ("quote_ident(name)", "text", "select 'pg_catalog'"),
    ("obj_description(oid, text)", "text", "select ''"),
    ("array_remove(text[], text)", "text[]", "select $1"),
    ("has_schema_privilege(oid, text)", "boolean", "select true"),
    ("pg_describe_object(oid, oid, integer)", "text", "select ''"),
)
"""Functions that PostgreSQL prefers to its own, as their types fit better, or are the same."""


def test_no_statement_of_a_run_calls_functions_of_others(server: Any, source: str) -> None:
    """A schema in which everybody can make functions is not searched: not even by statements that
    find out which schemas are safe, nor by those of the second session."""
    server.execute("create schema trap; grant usage, create on schema trap to public")
    server.execute("create table trap.sprung (by name); grant all on trap.sprung to public")
    for called, returned, body in HIJACKS:
        server.execute(
            f"create function trap.{called} returns {returned} language sql as"
            f" $$insert into trap.sprung values (current_user); {body}$$"
        )
    server.execute("grant create on schema public to public")
    try:
        with altered(server, "search_path = trap, pg_catalog, public"):
            for sha256 in (SHA, "cd" * 32):
                publish(server, sha256=sha256)
            with opened(server) as database:
                assert database.rows("show search_path") == [("pg_catalog",)]
                assert database.columns(("sprung",)) is None
                assert database.columns(("trap", "sprung")) == {"by": "name"}
        assert asked(server, "select by from trap.sprung") == []
    finally:
        server.execute("revoke create on schema public from public; drop schema trap cascade")


def test_a_secret_stands_in_no_log(server: Any, source: str) -> None:
    with (
        altered(server, "application_name = x", "log_statement = 'all'"),
        opened(server) as database,
    ):
        database.set_variable("sqlanon_pseudonym_key", "it's s3cret")
        key = "select current_setting('sqlanon.pseudonym_key')"
        assert database.rows(key) == [("it's s3cret",)]
    log = (Path(server.info.host) / "log").read_text(errors="replace")
    assert "sqlanon.pseudonym_key" in log
    assert "s3cret" not in log


# --- one view of the source, and nothing left


def test_passes_read_the_same_rows_of_which_nobody_sees_a_table(server: Any, source: str) -> None:
    relations = (
        "select (select count(*) from pg_class where relname like 'sqlanon%')"
        " + (select count(*) from pg_namespace where nspname like 'sqlanon%')"
    )
    with opened(server) as first, opened(server) as second:
        for database in (first, second):
            database.make("view", database.relation("rows"), "select * from pub.source")
            made = database.relation("made")
            database.make("table", made, f"select age from {database.relation('rows')}")
            database.stage(OUT, f"select age from {made}")
            assert database.rows(f"select count(*) from {made}") == [(3,)]
        assert asked(server, relations) == [(0,)]
        server.execute("insert into pub.source values (4, 'x4')")
        assert second.rows("select count(*) from pub.source") == [(3,)]
        server.execute(f"select pg_terminate_backend({second._session.info.backend_pid}, 5000)")
        error = refused(second, lambda: second.rows("select 1"))
        assert isinstance(error, EngineError)
        assert "ended the session" in error.what or "was lost" in error.what
    assert asked(server, relations) == [(0,)]


def test_what_fails_or_is_stopped_can_be_followed_by_others(server: Any) -> None:
    """A query of the user that cannot be a view, and a question without an answer."""
    with opened(server) as database:
        for work in (
            lambda: database.make("view", database.relation("v"), "select * from pub.nothing"),
            lambda: database.rows("select 1 / 0"),
        ):
            assert refused(database, work).exit_code == 4
        assert database.rows("select 1") == [(1,)]
        threading.Timer(0.3, database.cancel).start()
        error = refused(database, lambda: database.rows("select pg_sleep(30)"))
        assert "was stopped" in error.what


# --- publishing


def test_a_reader_sees_the_old_or_the_new(server: Any, source: str) -> None:
    """Owner, grants, comments of columns and indexes of the earlier table stay."""
    assert digest(server) is None
    publish(server, "select age, name from pub.source")
    server.execute(
        "grant select on pub.people to reader with grant option;"
        "grant select (age), update (name) on pub.people to other;"
        "grant insert on pub.people to public; revoke truncate on pub.people from keeper;"
        "comment on column pub.people.age is 'in years'; create index on pub.people (age);"
        "grant other to keeper; grant create on schema pub to other;"
        "alter table pub.people owner to other;"
        "alter default privileges for role keeper grant select on tables to asked"
    )
    acl = (
        "select relacl, relowner, relpersistence, obj_description(oid) from pg_class"
        " where oid = 'pub.people'::regclass"
    )
    columns = (
        "select attname, attacl, col_description(attrelid, attnum) from pg_attribute"
        " where attrelid = 'pub.people'::regclass and attnum > 0"
    )
    indexes = "select indexdef from pg_indexes where schemaname = 'pub'"

    def described() -> list[Any]:
        ((rights, *others),) = asked(server, acl)
        return [sorted(rights), *others, asked(server, columns), asked(server, indexes)]

    before = described()
    with opened(server) as database:
        assert database.existing_digest(OUT) == SHA
        relation = database.stage(OUT, "select age + 10 as age, name from pub.source")
        assert database.digest(OUT) is None
        assert database.rows(f"select max(age) from {relation}") == [(13,)]
        assert asked(server, "select max(age) from pub.people") == [(3,)]
        database.publish([StagedRows(OUT, "cd" * 32)])
    assert asked(server, "select max(age) from pub.people") == [(13,)]
    after = described()
    assert after[3] == before[3].replace(SHA, "cd" * 32)
    assert after[:3] + after[4:] == before[:3] + before[4:]
    server.execute("alter default privileges for role keeper revoke select on tables from asked")


def test_two_tables_are_published_at_once(server: Any, source: str) -> None:
    both = [StagedRows(place, SHA) for place in (OUT, OUT.of_values)]

    def stage(database: Any) -> None:
        for each in both:
            database.stage(each.place, AGES)

    with opened(server) as database:
        stage(database)
        server.execute("create table pub.people_values as select 1")
        with pytest.raises(PublishError, match="'people_values' was changed or replaced"):
            database.publish(both)
    assert asked(server, "select to_regclass('pub.people')") == [(None,)]
    server.execute("drop table pub.people_values")
    with opened(server) as database:
        stage(database)
        database.publish(both)
    assert [digest(server, each.place) for each in both] == [SHA, SHA]


@pytest.mark.parametrize("name", ['a "b".c', "Größe", "x" * 63, "-", "select"])
def test_names_that_need_quotes(server: Any, source: str, name: str) -> None:
    quoted = '"' + name.replace('"', '""') + '"'
    server.execute(f"create schema {quoted} authorization keeper")
    place = Destination(path=None, table=f"{quoted}.{quoted}")
    for _ in range(2):
        with opened(server) as database:
            database.existing_digest(place)
            database.stage(place, f"select age as {quoted} from pub.source")
            database.publish([StagedRows(place, SHA)])
    found = asked(server, f"select {quoted} from {quoted}.{quoted} order by 1")
    server.execute(f"drop schema {quoted} cascade")
    assert found == [(1,), (2,), (3,)]


KEEPERS = "; alter table pub.people owner to keeper"
REFUSED = {
    "create view pub.people as select 1": "is a view",
    f"create table pub.people (a int) partition by list (a){KEEPERS}": "is a partitioned",
    "create table pub.parts (a int) partition by list (a);"
    f"create table pub.people partition of pub.parts default{KEEPERS}": "is a partition",
    "create table pub.people as select 1 as a; create view pub.v as select a from"
    f" pub.people{KEEPERS}": "is read by rule _RETURN on view pub.v",
    "create table pub.people (a int); alter table pub.people enable row level"
    f" security{KEEPERS}": "row-level security",
    f"create table pub.people (a int primary key){KEEPERS}": "has constraints",
    "create table pub.people (a int)": "belongs to tests",
}
NOWHERE = {
    "nowhere.people": "no schema 'nowhere'",
    "closed.people": "may not make tables in the schema 'closed'",
    "elsewhere.pub.people": "in the database 'postgres', not in 'elsewhere'",
    f"pub.{'x' * 64}": "more than 63 bytes",
}


def test_what_cannot_be_replaced_and_places_that_are_none(server: Any, source: str) -> None:
    for made, shown in REFUSED.items():
        server.execute(made)
        with pytest.raises(PublishError, match=shown):
            digest(server)
        kind = "view" if "create view pub.people" in made else "table"
        server.execute(f"drop {kind} pub.people cascade; drop table if exists pub.parts")
    for name, shown in NOWHERE.items():
        with pytest.raises(PublishError, match=shown):
            digest(server, Destination(path=None, table=name))


def test_another_publication_in_between(server: Any, source: str) -> None:
    """The later run publishes nothing: it does not know what it would replace."""
    with opened(server) as first, opened(server) as second:
        earlier, later = staged(first), staged(second, sha256="cd" * 32)
        second.publish(later)
        with pytest.raises(PublishError, match="while the run was going on"):
            first.publish(earlier)
    assert digest(server) == "cd" * 32


def test_a_run_waits_for_readers(server: Any, source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    publish(server)
    monkeypatch.setattr(publication_module, "_TRY", "100ms")
    with psycopg.connect(url(server)) as reader, opened(server) as database:
        reader.execute("select * from pub.people")
        made = staged(database)
        threading.Timer(0.3, reader.rollback).start()
        database.publish(made)
    monkeypatch.setattr(publication_module, "PATIENCE", 0.0)
    with psycopg.connect(url(server)) as reader, opened(server) as database:
        reader.execute("select * from pub.people")
        late = staged(database)
        error = refused(database, lambda: database.publish(late))
        assert "Others read the earlier publication" in error.what


def test_a_connection_that_ends_after_the_commit(
    server: Any, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def publish_lost(work: str, outcome: contextlib.AbstractContextManager[Any]) -> None:
        with opened(server) as database:
            made = staged(database)
            ended = getattr(database._session, work)

            def lost() -> None:
                ended()
                raise psycopg.OperationalError("lost")

            database._session.commit = lost
            with outcome:
                database.publish(made)

    publish_lost("commit", contextlib.nullcontext())
    publish_lost("close", pytest.raises(psycopg.OperationalError))  # the mark is of the earlier one
    monkeypatch.setattr(postgresql, "_ANSWERS", 0)
    publish_lost("close", pytest.raises(PublishError, match="not known whether"))


# --- what is wrong with the server


def test_a_session_that_is_refused(server: Any) -> None:
    """The message says what is wrong, and has no password."""
    for given, shown in (
        (url(server, "asked", password="wrong"), "refused the role or its password"),
        (url(server, "asked"), "asks for a password, and none was given"),
        (url(server, dbname="nonesuch"), "no such database"),
        (url(server, "nobody"), "no such role"),
        (f"postgresql://asked:{PASSWORD}@/postgres?host=/nowhere", "No server"),
        (f"postgresql://asked:{PASSWORD}@127.0.0.1:1/postgres", "No server"),
        (f"postgresql://asked:{PASSWORD}%zz@h/postgres", "URL"),
        (f"postgresql://asked:{PASSWORD}@[::1/postgres", "URL"),
        ("service=nonesuch", "no such service"),
        (f"postgresql://asked:{PASSWORD}@nonesuch.invalid/postgres", "no host of this name"),
    ):
        with pytest.raises(EngineError) as raised:
            postgresql.PostgreSQL(given)
        assert shown in str(raised.value)
        assert PASSWORD not in str(raised.value)
        assert "wrong" not in str(raised.value)
        assert raised.value.__context__ is None
        assert raised.value.exit_code == 4
    given = f"postgresql://asked:{PASSWORD}@/postgres?host={server.info.host}"
    with contextlib.closing(postgresql.PostgreSQL(given)) as database:
        assert PASSWORD not in repr(database) + str(vars(database))


def test_roles_and_servers_that_make_nothing(server: Any) -> None:
    server.execute("create database latin encoding 'LATIN1' locale 'C' template template0")
    for role, settings, dbname, shown in (
        ("reader", [], "postgres", r"lacks `create` on the database \(SQLSTATE 42501"),
        ("keeper", ["default_transaction_read_only = on"], "postgres", "read-only"),
        ("keeper", [], "latin", "encoding LATIN1"),
    ):
        with altered(server, *settings), pytest.raises(EngineError, match=shown):
            postgresql.PostgreSQL(url(server, role, dbname=dbname))


def test_the_missing_right_is_named(server: Any, source: str) -> None:
    """By its object where the statement names it, and never by what a query could make up."""
    server.execute(
        "create table closed.people (n int); create schema lent; create table lent.theirs (n int);"
        "grant usage on schema lent to keeper;"
        "create function pub.made_up() returns int language plpgsql as $$ begin"
        " raise insufficient_privilege using"
        " message = 'permission denied for table Ann' || 'Smith'; end $$"
    )
    for statement, what, fix in (
        ("select n from closed.people", "lacks `usage` or `create` on the schema closed", "grant"),
        ("select n from lent.theirs", "lacks `select` on the table theirs", "grant it `select`"),
        ("select pub.made_up()", "lacks `select` on the table (", "grant it `select`"),
        ("drop table lent.theirs", "does not own the table theirs (SQLSTATE 42501)", ""),
    ):
        with opened(server) as database:
            error = refused(database, lambda text=statement: database.rows(text))
        assert what in error.what
        assert fix in error.fix
        assert "42501" in error.what
        assert "Smith" not in str(error)


def test_words_of_libpq() -> None:
    lost = 'connection to server at "h", port 1 failed: '
    no_host = 'could not translate host name "h" to address: '
    for message, reason in (
        (f"{no_host}Name or service not known", "no host"),
        (f"{no_host}nodename nor servname provided", "no host"),
        ("failed to resolve host 'h': [Errno -2] Name or service not known", "no host"),
        ('definition of service "nonesuch" not found', "no such service"),
        ('service file "/etc/pg_service.conf" not found', "no such service"),
        (f"{lost}No route to host", "No server"),
    ):
        assert reason in str(errors.not_connected(psycopg.OperationalError(message)))


def test_a_limit_of_the_disk(server: Any, source: str) -> None:
    with altered(server, "temp_file_limit = '1MB'"), opened(server) as database:
        database._session.execute("set local work_mem = '64kB'")
        query = "select md5(n::text) as m from generate_series(1, 100000) n order by 1"
        error = refused(database, lambda: database.stage(OUT, query))
        assert "53400" in error.what
    assert asked(server, "select to_regclass('pub.people')") == [(None,)]


def test_messages_quote_no_cell(server: Any) -> None:
    """Only sqlanon's own message, which the statement has as a literal, is shown."""
    own = (
        "select cast('sqlanon: no solution' || left(cast(random() as text), 0) as integer)"
        " from generate_series(1, 1)"
    )
    cell = "select cast(c as integer) from (values ('sqlanon: Ann Smith' || random())) v (c)"
    with opened(server) as database:
        assert refused(database, lambda: database.rows(own)).what == "no solution"
        error = refused(database, lambda: database.rows(cell))
        assert "Smith" not in str(error)
        assert "22P02" in error.what
