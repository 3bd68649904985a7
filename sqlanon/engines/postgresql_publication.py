"""Where a plan publishes in PostgreSQL: what is there, whether it may be replaced, and how."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass

import psycopg
from psycopg import sql

from sqlanon.engines.tables import MARK, digest_in
from sqlanon.errors import PublishError, brief
from sqlanon.sql.postgresql_publication import columns_of_table, kept_statements, published_text
from sqlanon.sql.tables import Parts

LONGEST_NAME = 63
"""Bytes; PostgreSQL cuts longer names."""

PATIENCE = 600.0
"""Seconds to wait until nobody reads the earlier publication."""

_TRY = "2s"
"""How long others wait behind a run that waits."""

_SCHEMA = """\
select has_schema_privilege(oid, 'CREATE')
from pg_catalog.pg_namespace
where nspname = %s"""

_TABLE = """\
select
    tables.oid,
    tables.relkind::text,
    pg_get_userbyid(tables.relowner),
    pg_has_role(tables.relowner, 'USAGE'),
    has_schema_privilege(tables.relowner, tables.relnamespace, 'CREATE'),
    obj_description(tables.oid, 'pg_class'),
    array_remove(array[
        case when tables.relispartition then 'is a partition' end,
        case when tables.relrowsecurity
            or exists (select from pg_catalog.pg_policy where polrelid = tables.oid)
            then 'has policies of row-level security' end,
        case when exists (
            select from pg_catalog.pg_inherits where tables.oid in (inhrelid, inhparent)
        ) then 'inherits, or others inherit from it' end,
        case when exists (
            select from pg_catalog.pg_trigger where tgrelid = tables.oid and not tgisinternal
        ) then 'has triggers' end,
        case when tables.relkind = 'r' and tables.relhasrules then 'has rules' end,
        case when exists (select from pg_catalog.pg_constraint where conrelid = tables.oid)
            then 'has constraints' end,
        case when exists (select from pg_catalog.pg_publication_rel where prrelid = tables.oid)
            then 'is replicated by name' end,
        case when exists (select from pg_catalog.pg_statistic_ext where stxrelid = tables.oid)
            then 'has statistics of its own' end,
        (
            select 'is read by ' || min(pg_describe_object(classid, objid, objsubid))
            from pg_catalog.pg_depend
            where refclassid = 'pg_catalog.pg_class'::regclass
                and refobjid = tables.oid
                and deptype = 'n'
        )
    ], null)
from pg_catalog.pg_class as tables
inner join pg_catalog.pg_namespace as schemas on schemas.oid = tables.relnamespace
where schemas.nspname = %s and tables.relname = %s"""

_INDEXES = "select indexrelid from pg_catalog.pg_index where indrelid = %s order by 1"

_KINDS = {
    "v": "a view", "m": "a materialized view", "f": "a foreign table", "p": "a partitioned table",
    "S": "a sequence", "i": "an index", "I": "an index", "c": "a type",
}  # fmt: skip


@dataclass(frozen=True)
class Target:
    """A table that a plan publishes to, and what is there.

    Attributes:
        may_create: whether the schema exists, and the role may make tables in it.
        table: the number of what has the name; 0 if nothing has.
        kind: PostgreSQL's letter for what it is; empty if nothing is there.
        owner: its owner.
        is_ours: whether the role can do what its owner can, and the owner make tables there.
        comment: the comment of the table.
        hindrances: what a new table would not have, or what would keep the earlier one.
    """

    schema: str
    name: str
    may_create: bool | None
    table: int = 0
    kind: str = ""
    owner: str = ""
    is_ours: bool = True
    comment: str | None = None
    hindrances: Sequence[str] = ()

    @property
    def digest(self) -> str | None:
        """The digest of the rows of a publication; empty for another table, None for nothing."""
        return digest_in(self.comment) if self.table else None

    @property
    def sql(self) -> sql.Identifier:
        """Its name in SQL."""
        return sql.Identifier(self.schema, self.name)

    def require_replaceable(self) -> None:
        """Check that a table can be published there."""
        if self.may_create is None:
            raise self._error(
                f"There is no schema '{brief(self.schema)}'.", "create the schema first"
            )
        if not self.may_create:
            raise self._error(
                f"The role may not make tables in the schema '{brief(self.schema)}'.",
                "grant it `create` on the schema",
            )
        if self.table and self.kind != "r":
            what = _KINDS.get(self.kind, "something else than a table")
            raise self._error(f"'{brief(self.name)}' is {what}.", "publish to another table")
        if not self.is_ours:
            raise self._error(
                f"'{brief(self.name)}' belongs to {brief(self.owner)}. The role cannot act for this"
                " owner, or the owner may not make tables there.",
                "grant the role membership in its owner, or publish to another table",
            )
        if self.hindrances:
            raise self._error(
                f"'{brief(self.name)}' cannot be replaced by a new table: it"
                f" {brief(self.hindrances[0])}.",
                "remove this, or publish to another table and let a view of your own read it",
            )

    def changed(self) -> PublishError:
        """The error for a place that is not as it was when the run began."""
        return self._error(
            f"'{brief(self.name)}' was changed or replaced while the run was going on.",
            "run again, when no other run publishes there",
        )

    def _error(self, what: str, fix: str) -> PublishError:
        return PublishError(what, where=f"publish  {self.schema}.{self.name}", fix=fix)


def whole_name(session: psycopg.Connection, parts: Parts) -> tuple[str, str]:
    """Schema and table of a name to publish to, as the session completes it."""
    found = session.execute("select current_database(), current_schema()").fetchone()
    database, schema = found or ("", "")
    *named, name = parts
    where = f"publish  {'.'.join(parts)}"
    if len(named) > 1 and named[0] != database:
        raise PublishError(
            f"The session is in the database '{brief(database)}', not in '{brief(named[0])}'.",
            where=where,
            fix="leave out the database's name, or open the other database",
        )
    schema = named[-1] if named else schema
    if schema is None:
        raise PublishError(
            "The table has no schema.", where=where, fix="write SCHEMA.TABLE, such as public.people"
        )
    if max(len(part.encode()) for part in (schema, name)) > LONGEST_NAME:
        raise PublishError(
            f"PostgreSQL has no names of more than {LONGEST_NAME} bytes.",
            where=where,
            fix="choose a shorter name",
        )
    return schema, name


def target_of(session: psycopg.Connection, schema: str, name: str) -> Target:
    """What a session sees of a table to publish to."""
    right = session.execute(_SCHEMA, [schema]).fetchone()
    if right is None:
        return Target(schema, name, None)
    found = session.execute(_TABLE, [schema, name]).fetchone()
    if found is None:
        return Target(schema, name, right[0])
    table, kind, owner, is_member, may_own, comment, hindrances = found
    return Target(
        schema, name, right[0], table, kind, owner, is_member and may_own, comment, hindrances
    )


def lock(session: psycopg.Connection, target: Target, is_stopped: threading.Event) -> None:
    """Let nobody read the earlier table until the end of the transaction.

    Who comes to read while others still do has to wait behind this; so it is tried for two seconds
    at a time.
    """
    if not target.table:
        return
    session.execute(sql.SQL("set local lock_timeout = {}").format(_TRY))
    locking = sql.SQL("lock table {} in access exclusive mode").format(target.sql)
    end = time.monotonic() + PATIENCE
    while True:
        try:
            with session.transaction():
                session.execute(locking)
        except psycopg.errors.LockNotAvailable:
            if time.monotonic() > end or is_stopped.wait(1):
                raise
        else:
            session.execute("set local lock_timeout = 0")
            return


def replace(
    session: psycopg.Connection,
    witness: psycopg.Connection,
    target: Target,
    staged: Sequence[str],
    sha256: str,
) -> None:
    """Put a staged table at its place, in the transaction that made it.

    Owner, grants, comments of columns and indexes of the earlier table stay.

    Args:
        witness: a session that sees what others have committed since the transaction began.
        target: what was there then; it is locked.
    """
    now = target_of(witness, target.schema, target.name)
    if (now.table, now.digest) != (target.table, target.digest):
        raise target.changed()
    now.require_replaceable()
    new = sql.Identifier(*staged).as_string(session)
    shown = _literal(session, new)
    kept = [
        *(_kept(session, witness, target, now.table, shown) if now.table else ()),
        sql.SQL("comment on table {} is {}").format(target.sql, MARK + sha256).as_string(session),
    ]
    final = target.sql.as_string(session)
    text = published_text(
        called=_literal(session, final), final=final, staged=new, shown=shown,
        name=sql.Identifier(target.name).as_string(session), kept=_array(session, kept),
    )  # fmt: skip
    session.execute(text.encode())


def _kept(
    session: psycopg.Connection,
    witness: psycopg.Connection,
    target: Target,
    earlier: int,
    staged: str,
) -> list[str]:
    """The statements that give the new table what the earlier one has now."""
    number = f"{staged}::regclass"
    columns = [name for (name,) in session.execute(columns_of_table(number).encode())]
    called = _literal(session, target.sql.as_string(session))
    query = kept_statements(called, str(earlier), _array(session, columns))
    kept = [statement for (statement,) in witness.execute(query.encode())]
    for index in witness.execute(_INDEXES, [earlier]).fetchall():
        # waits for who has locked the table
        ((definition,),) = session.execute("select pg_get_indexdef(%s)", index).fetchall()
        kept.append(definition)
    return kept


def _array(session: psycopg.Connection, texts: Sequence[str]) -> str:
    return f"array[{', '.join(_literal(session, text) for text in texts)}]::text[]"


def _literal(session: psycopg.Connection, text: str) -> str:
    return str(sql.Literal(text).as_string(session))
