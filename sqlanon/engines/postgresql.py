"""PostgreSQL: steps run in one transaction of a session, which leaves nothing but a publication.

From the opening to the publication everything is one transaction, `repeatable read`, as a dump of
the database would be. So

- every pass over the source reads the same rows, whatever others write meanwhile;
- nobody else ever sees a working table, or staged rows before they are proven: combinations of
  quasi-identifiers are personal data;
- a run that fails, loses its connection or is killed leaves nothing behind, and nothing has to be
  cleaned up by the next one; two runs in one database do not meet.

As with a dump, dead rows that others leave meanwhile are vacuumed after the run, and the source
cannot be altered or truncated while it is read.

Names without a schema are looked up in the role's own search path, without schemas in which others
could make a function that is called instead of PostgreSQL's.
"""

from __future__ import annotations

import contextlib
import secrets
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import psycopg
import pyarrow

from sqlanon.dialects.dialect import DIALECTS
from sqlanon.engines.base import Database, StagedRows
from sqlanon.engines.postgresql_errors import as_error, not_connected
from sqlanon.engines.postgresql_publication import Target, lock, replace, target_of, whole_name
from sqlanon.engines.postgresql_types import (
    arrow_types,
    columns_of,
    postgresql_type,
    read_csv,
    table_of,
    write_csv,
)
from sqlanon.errors import EngineError, PlanError, PublishError, SqlanonError, brief
from sqlanon.plan.tables import Destination
from sqlanon.source.settings import POSTGRESQL_SETTINGS, SAFE_SEARCH_PATH
from sqlanon.sql.step import Rows
from sqlanon.sql.tables import Parts, table_name, table_parts

OLDEST = 13
"""The first version of PostgreSQL that is supported."""

_SETTINGS = {
    **POSTGRESQL_SETTINGS,
    "statement_timeout": "0",
    "idle_in_transaction_session_timeout": "0",
    "idle_session_timeout": "0",
    "transaction_timeout": "0",
}
"""What results depend on, what makes it fast, and what could end a run."""

_IDENTIFIER = DIALECTS["postgres"].identifier

_LARGE = 100_000
"""Rows of a table that is analyzed."""

_SET = """\
select set_config(settings.name, assigned.setting, true)
from unnest(%s::text[], %s::text[]) as assigned (name, setting)
inner join pg_catalog.pg_settings as settings on lower(settings.name) = assigned.name"""


_ANSWERS = 15
"""How many times, a second apart, a server is asked whether a commit was made."""


class PostgreSQL(Database):
    """A database that a URL, a service of libpq's `pg_service.conf` or the environment names.

    Args:
        url: `postgresql://USER@HOST:PORT/DATABASE`, or libpq's `host=… dbname=…`; if None, libpq's
            own environment decides: PGHOST, PGSERVICE, the file of passwords and so on.
    """

    def __init__(
        self, url: str | None = None, *, service: str | None = None, time_zone: str = "UTC"
    ) -> None:
        # the URL may have a password, so it is no attribute
        self._connected: Callable[[], psycopg.Connection] = lambda: _session_of(url, service)
        self._session = self._connected()
        self._schema = f"sqlanon_{secrets.token_hex(8)}"
        self._is_stopped = threading.Event()
        self._running = ""
        self._targets: dict[str, Target] = {}
        self._staged: dict[str, str] = {}
        try:
            self.version = self._supported_version()
            self._begin(time_zone)
        except (psycopg.Error, SqlanonError) as error:
            refused = self.refusal(error, "engine")
        else:
            return
        self._session.close()
        raise refused  # outside of the handler, to have no context

    def relation(self, name: str) -> str:
        return f"{self._schema}.{name}"

    def make(self, kind: Literal["view", "table"], relation: str, query: str) -> None:
        name = _sql(relation)
        if kind == "view":
            with self._session.transaction():  # a query of the user may fail, and others follow
                self._execute(f"create view {name} as\n{query}")
        else:
            made = self._execute(f"create unlogged table {name} as\n{query}")
            self._analyze(name, made.rowcount)

    def rows(self, query: str, most: int | None = None) -> Rows:
        if most is not None:
            query = f"select *\nfrom (\n{query}\n) as asked\nlimit {most:d}"
        with self._session.transaction():  # what asks may go on without an answer
            found: Rows = self._execute(query).fetchall()
        return found

    def arrow(self, query: str) -> pyarrow.Table:
        described = self._execute(f"select *\nfrom (\n{query}\n) as asked\nlimit 0").description
        types = arrow_types(described or [])
        self._running = query
        statement = f"copy (\n{query}\n) to stdout (format csv)"
        with self._session.cursor().copy(statement.encode()) as copy:
            return read_csv(copy, types)

    def load(
        self,
        relation: str,
        rows: pyarrow.Table,
        types: Mapping[str, str],
        file: tuple[str, str] | None = None,
    ) -> None:
        name = _sql(relation)
        columns = ", ".join(
            f"{_IDENTIFIER(n)} {postgresql_type(n, kind)}" for n, kind in types.items()
        )
        self._execute(f"create unlogged table {name} ({columns})")
        statement = f"copy {name} from stdin (format csv)"
        with self._session.cursor().copy(statement.encode()) as copy:
            write_csv(rows, copy.write)
        self._execute(f"analyze {name}")

    def columns(self, table: Parts) -> dict[str, str] | None:
        found = table_of(self._session, table)
        return (found and columns_of(self._session, found[0])) or None

    def is_view(self, table: Parts) -> bool:
        found = table_of(self._session, table)
        return found is None or found[1] not in ("r", "p")

    def set_variable(self, name: str, value: str) -> None:
        """The value is copied in: what is copied stands in no log of statements."""
        relation = _sql(self.relation("variable"))
        self._execute(f"create unlogged table {relation} (value text)")
        with self._session.cursor().copy(f"copy {relation} from stdin".encode()) as copy:
            copy.write_row((value,))
        called = name.replace("_", ".", 1)
        self._execute(f"select length(set_config('{called}', value, true)) from {relation}")
        self._execute(f"drop table {relation}")

    def stage(self, place: Destination, query: str) -> str:
        """Make the rows where they will be, under a random name, with the grants of the schema."""
        target = self._target(place)
        staged = table_name((target.schema, f"{self._schema}_{len(self._staged) + 1}"))
        made = self._execute(f"create table {_sql(staged)} as\n{query}")
        self._analyze(_sql(staged), made.rowcount)
        self._staged[place.table or ""] = staged
        return staged

    def existing_digest(self, place: Destination) -> str | None:
        return self._target(place).digest

    def publish(self, staged: Sequence[StagedRows]) -> None:
        """Publish in one commit, with which the working relations end."""
        with self._connected() as witness:  # sees what was committed since the run began
            witness.autocommit = True
            witness.execute("set search_path = pg_catalog")
            witness.execute("set lock_timeout = '5s'")
            for each in staged:
                name = each.place.table or ""
                target = self._targets[name]
                lock(self._session, target, self._is_stopped)
                staged_parts = table_parts(self._staged[name])
                replace(self._session, witness, target, staged_parts, each.sha256)
            self._execute(f"drop schema {_sql(self._schema)} cascade")
        ((number,),) = self._execute("select pg_catalog.pg_current_xact_id()").fetchall()
        try:
            self._session.commit()
        except psycopg.OperationalError:  # the connection may have ended after the commit
            if not self._is_committed(number):
                raise

    def _is_committed(self, number: str) -> bool:
        """Whether a transaction whose connection was lost is committed; an error if unknown."""
        asked = "select pg_catalog.pg_xact_status(%s::pg_catalog.xid8)"
        for _ in range(_ANSWERS):
            with contextlib.suppress(psycopg.Error, EngineError), self._connected() as session:
                ((state,),) = session.execute(asked, [number]).fetchall()
                if state != "in progress":
                    return bool(state == "committed")
            time.sleep(1)
        raise PublishError(
            "The connection to PostgreSQL was lost at the commit, so it is not known whether the"
            " new rows are published.",
            where="publish",
            fix="look at the table once the server answers; if it is new, run again with"
            " --overwrite, so that it has a manifest",
        )

    def cancel(self) -> None:
        self._is_stopped.set()
        with contextlib.suppress(psycopg.Error):
            self._session.cancel_safe(timeout=5)

    def refusal(self, error: Exception, where: str) -> SqlanonError:
        return as_error(error, where, self._running)

    def close(self) -> None:
        """The server rolls the transaction back."""
        self._session.close()

    def _supported_version(self) -> str:
        """The version of the server, which must be new enough and have Unicode texts."""
        info = self._session.info
        if info.server_version < OLDEST * 10_000:
            raise EngineError(
                f"The server has version {info.server_version // 10_000} of PostgreSQL, which is"
                " too old.",
                where="engine",
                fix=f"use version {OLDEST} or later",
            )
        encoding = info.parameter_status("server_encoding") or "none"
        if encoding != "UTF8":
            raise EngineError(
                f"The texts of the database are in the encoding {brief(encoding)}, where their"
                " order is another one.",
                where="engine",
                fix="copy the tables to a database that was made with `encoding 'UTF8'`",
            )
        return (info.parameter_status("server_version") or "").split(" ")[0]

    def _begin(self, time_zone: str) -> None:
        """Begin the transaction: its settings, and the schema of the working relations."""
        self._session.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        ((path,),) = self._execute(SAFE_SEARCH_PATH).fetchall()
        self._session.execute("select pg_catalog.set_config('search_path', %s, true)", [path])
        settings = {**_SETTINGS, "timezone": time_zone}
        try:
            self._session.execute(_SET, [list(settings), list(settings.values())])
        except psycopg.errors.InvalidParameterValue:
            raise PlanError(
                f"PostgreSQL has no time zone '{brief(time_zone)}'.",
                where="time_zone",
                fix="name one of `select name from pg_timezone_names`, such as Europe/Berlin",
            ) from None
        with contextlib.suppress(psycopg.Error), self._session.transaction():
            # so that a server ends the statement of a process that was killed; not all systems can
            self._execute("set local client_connection_check_interval = '5s'")
        self._execute(f"create schema {_sql(self._schema)}")

    def _target(self, place: Destination) -> Target:
        """What is at a place, which must be replaceable; remembered as it was first."""
        name = place.table or ""
        if name not in self._targets:
            found = target_of(self._session, *whole_name(self._session, table_parts(name)))
            found.require_replaceable()
            self._targets[name] = found
        return self._targets[name]

    def _analyze(self, table: str, count: int) -> None:
        """Let PostgreSQL know what a new table is like, where it takes less than it saves."""
        if count >= _LARGE:
            self._execute(f"analyze {table}")

    def _execute(self, statement: str) -> psycopg.Cursor:
        self._running = statement
        return self._session.execute(statement.encode())


def _session_of(url: str | None, service: str | None) -> psycopg.Connection:
    """A session of the server, or the error why there is none."""
    try:
        return psycopg.connect(
            url or "",
            application_name="sqlanon",
            client_encoding="UTF8",
            prepare_threshold=None,
            **({} if service is None else {"service": service}),
        )
    except psycopg.Error as error:
        refused = not_connected(error)
    raise refused  # outside of the handler: what was given has a password in it


def _sql(name: str) -> str:
    """The name of a table, as `relation` writes it, in SQL."""
    return ".".join(map(_IDENTIFIER, table_parts(name)))
