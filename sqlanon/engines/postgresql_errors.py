"""Errors for what PostgreSQL refuses, without its messages, which quote cells and translate texts.

What a statement is refused for is known by its SQLSTATE. libpq has none for a connection: that is
read from its words where they are English, and else from whether a password was asked for.
"""

from __future__ import annotations

import re

import psycopg

from sqlanon.errors import EngineError, PlanError, SqlanonError, brief

_AGAIN = "run again; nothing was published"

_STATES = {
    "08": (
        "The connection to PostgreSQL was lost.",
        f"check the server and the network, and {_AGAIN}",
    ),
    "22": (
        "PostgreSQL could not compute with a value.",
        "check dates, numbers and casts in the plan's queries; PostgreSQL's log has its message",
    ),
    "25006": (
        "PostgreSQL is read-only here.",
        "connect to the primary server, as a role and to a database without"
        " `default_transaction_read_only`",
    ),
    "2BP01": (
        "Another object depends on the earlier publication.",
        "drop it, or publish to another table",
    ),
    "40": ("The transaction conflicted with another one.", _AGAIN),
    "42501": (
        "The role may not do this.",
        "grant it `create` on the database, `usage` and `create` on the schema of the publication,"
        " and `select` on what the plan reads",
    ),
    "42P01": ("A table does not exist.", "check the names in the plan; name the schema of a table"),
    "42703": (
        "A column does not exist.",
        "check the names in the plan against the table's columns",
    ),
    "42P07": (
        "Something has the name of the publication since the run began.",
        "run again, or publish to another table",
    ),
    "42": (
        "PostgreSQL does not accept the statement.",
        "check the names and types in the plan's queries, and read the SQL of the step",
    ),
    "53100": ("The disk of PostgreSQL is full.", f"free space, and {_AGAIN}"),
    "53200": (
        "PostgreSQL has too little memory.",
        f"lower work_mem or raise the limits, and {_AGAIN}",
    ),
    "53300": (
        "PostgreSQL has reached max_connections.",
        f"wait, or raise max_connections, and {_AGAIN}",
    ),
    "53400": (
        "A limit of PostgreSQL's configuration was reached.",
        f"raise temp_file_limit for the role, and {_AGAIN}",
    ),
    "54": ("A limit of PostgreSQL was reached.", "publish fewer columns, or shorter values"),
    "55P03": (
        "Others read the earlier publication all the time, so that it cannot be replaced.",
        "end their transactions, and run again",
    ),
    "57014": ("The statement was stopped.", _AGAIN),
    "57": ("PostgreSQL ended the session.", f"check the server, and {_AGAIN}"),
    "58": ("PostgreSQL could not use its files.", "check the server's disk and log"),
    "XX": ("PostgreSQL reported an internal error.", "check the server's log"),
}
"""What is wrong and what to do, by SQLSTATE or its class."""

_DENIED = re.compile(
    r"permission denied for (table|view|materialized view|foreign table|relation|schema|database"
    r"|function) (\S+)"
)
_OWNED = re.compile(r"must be owner of (table|view|materialized view|relation|schema) (\S+)")
"""What PostgreSQL says of a missing right, where it speaks English: of what kind of object."""

_RIGHTS = {"schema": "`usage` or `create`", "database": "`create`", "function": "`execute`"}
"""The right on an object of a kind that a run can lack; on a table it is `select`."""

_OURS = re.compile(r'"sqlanon: ([^"\n]*)"')


def as_error(error: Exception, where: str, statement: str) -> SqlanonError:
    """The error for what a statement, or the driver, raised.

    Args:
        statement: what ran. It contains sqlanon's own messages as literals; any other message may
            be made of cells.
    """
    if isinstance(error, SqlanonError):
        return error
    state = error.sqlstate if isinstance(error, psycopg.Error) else None
    if not state:
        is_lost = isinstance(error, psycopg.OperationalError | psycopg.InterfaceError)
        what, fix = _STATES["08"] if is_lost else (
            "A value of PostgreSQL has no counterpart here, such as a date without an end.",
            "select other values in a `source: {query: …}`",
        )  # fmt: skip
        return EngineError(what, where=where, fix=fix)
    assert isinstance(error, psycopg.Error)
    ours = _OURS.search(error.diag.message_primary or "")
    if ours and f"'sqlanon: {ours[1]}'" in statement.replace("''", "'"):
        return EngineError(
            ours[1], where=where, fix="fix what the message names; nothing was published"
        )
    lacking = state == "42501" and _lacking(error.diag.message_primary or "", statement)
    known = lacking or _STATES.get(state) or _STATES.get(state[:2])
    what, fix = known or ("PostgreSQL refused the step.", "PostgreSQL's log has its message")
    return EngineError(f"{what.removesuffix('.')} (SQLSTATE {state}).", where=where, fix=fix)


def _lacking(message: str, statement: str) -> tuple[str, str] | None:
    """Which right the role lacks and what to do; None if the message does not say.

    An object is named only if the statement names it: any other text may be made of cells.
    """
    found = _DENIED.fullmatch(message) or _OWNED.fullmatch(message)
    if found is None:
        return None
    kind, name = found.groups()
    thing = f"the {kind} {brief(name)}" if name in statement else f"the {kind}"
    if found.re is _OWNED:
        return f"The role does not own {thing}.", "publish elsewhere, or make the role its owner"
    right = _RIGHTS.get(kind, "`select`")
    return f"The role lacks {right} on {thing}.", f"grant it {right} on {thing}"


_REASONS = (
    (
        r"password|SASL|SCRAM",
        "It refused the role or its password.",
        "check both in the URL, in PGPASSWORD, or in the file of passwords",
    ),
    (
        r"database \".*\" does not exist",
        "There is no such database.",
        "check the end of the URL, or PGDATABASE",
    ),
    (
        r"role \".*\" does not exist|not permitted to log in",
        "There is no such role.",
        "check the URL, or PGUSER",
    ),
    (
        r"SSL|encryption|certificate|pg_hba",
        "Server and client do not agree on encryption, or the server admits nobody from here.",
        "check sslmode and sslrootcert in the URL, and pg_hba.conf of the server",
    ),
    (
        r"too many|connection slots",
        "The server has reached max_connections.",
        "wait, or raise max_connections",
    ),
    (
        r"starting up|shutting down|recovery",
        "It is starting up or shutting down.",
        "wait, and run again",
    ),
    (
        r"definition of service|service file",
        "There is no such service.",
        "check the file pg_service.conf and PGSERVICEFILE",
    ),
    (
        r"resolve|translate host|not known",
        "There is no host of this name.",
        "check the host in the URL, or PGHOST",
    ),
    (
        r"refused|No such file|timeout|timed out|unreachable|no route",
        "No server is listening at this address.",
        "start the server, and check host and port in the URL",
    ),
)
"""What libpq's message says, what is wrong, and what to do."""


def not_connected(error: psycopg.Error) -> EngineError | PlanError:
    """The error for a session that could not be opened; of the URL without its password."""
    if isinstance(error, psycopg.ProgrammingError):
        return EngineError(
            "The URL of the PostgreSQL database cannot be read.",
            where="engine",
            fix="write postgresql://ROLE@HOST:PORT/DATABASE, with %XX for special characters, such"
            " as %40 for @ in a password",
        )
    message, session = str(error), error.pgconn
    what, fix = (
        "The server rejected the connection.",
        "check host, port, database, role and password",
    )
    if session is not None and session.needs_password:
        what = "It asks for a password, and none was given."
        fix = "give it in PGPASSWORD, in the file of passwords, or in the URL of the environment"
    else:
        for pattern, reason, remedy in _REASONS:
            if re.search(pattern, message, re.IGNORECASE):
                what, fix = reason, remedy
                break
    place = ""
    if session is not None:
        host, port, database, role = (
            part.decode(errors="replace") for part in
            (session.host, session.port, session.db, session.user)
        )  # fmt: skip
        place = f" '{brief(database)}' of {brief(host)}:{brief(port)} as {brief(role)}"
    return EngineError(
        f"The PostgreSQL database{place} cannot be opened. {what}", where="engine", fix=fix
    )
