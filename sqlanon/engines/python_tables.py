"""Tables that are given in Python, as temporary tables of a database.

They are copied: what a promise is proven of does not change while it is searched and published, a
stream is read once, and no statement of a plan runs Python code. DuckDB finds the types.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Any

import duckdb

from sqlanon.errors import PlanError, SqlanonError
from sqlanon.sql.step import Rows, quoted

_KINDS = {("pandas", "DataFrame"), ("polars", "LazyFrame")}
"""Tables that have no stream of Arrow data; DuckDB knows them."""

_EXACT = 2**53
"""The whole numbers up to which a double has all."""

_SCALE = re.compile(r"DECIMAL\(\d+,(\d+)\)")
_UNKNOWN_TYPE = re.compile(r"Data type '([^'\n]{1,60})' not recognized")

_TAKEN = """\
select 1 from system.main.duckdb_tables() where temporary and lower(table_name) = $name
union all
select 1 from system.main.duckdb_views() where temporary and lower(view_name) = $name"""

_WHOLE = "9223372036854775807"
"""Rows from which the type of a pandas column of objects follows: all, or a cast would round."""


def kind_of(given: object) -> str:
    """What a table is, such as `pandas.DataFrame`.

    Raises:
        PlanError: it is not a table.
    """
    names = [(cls.__module__.partition(".")[0], cls.__name__) for cls in type(given).__mro__]
    for package, name in names:
        if (package, name) in _KINDS:
            return f"{package}.{name}"
    is_column = any(name in ("Series", "ChunkedArray") for _, name in names)
    if hasattr(given, "__arrow_c_stream__") and not is_column:
        return ".".join(names[0])
    raise PlanError(
        f"Cannot read a {type(given).__name__} as a table.",
        where="source",
        fix="give a DataFrame of pandas or polars, a table of pyarrow, or a relation of DuckDB;"
        ' name a file in the plan, or by overrides={"source": "patients.csv"}',
    )


class _Stream:
    """Only the Arrow stream of a table; a relation of another database can be read in this way."""

    def __init__(self, given: Any) -> None:
        self._given = given

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._given.__arrow_c_stream__(requested_schema)


def create_table(
    connection: duckdb.DuckDBPyConnection,
    name: str,
    given: object,
    work: Callable[[Callable[[], Rows]], Rows],
) -> None:
    """Copy a table into the temporary table `name`.

    Args:
        work: runs a function in the thread of the engine.

    Raises:
        PlanError: it cannot be read, or the connection already has a temporary table of this name.
    """
    kind = kind_of(given)
    taken = work(lambda: connection.execute(_TAKEN, {"name": name}).fetchall())
    if taken:
        raise PlanError(
            f"The connection already has a temporary table or view '{name}'.",
            where="source",
            fix="leave out `source=`, and the plan reads that one; or drop it",
        )
    with _whole_columns(connection, kind, work):
        for (reason,) in work(lambda: _copied(connection, name, given, kind)):
            raise PlanError(
                f"The {kind} cannot be read: {reason}.",
                where="source",
                fix="give its columns types that DuckDB has, such as text, numbers, dates, times"
                " and categories; a stream can be read only once",
            )


def _copied(connection: duckdb.DuckDBPyConnection, name: str, given: Any, kind: str) -> Rows:
    """Copy a table; what is wrong with it, if anything, as messages of others may quote cells."""
    registered = f"sqlanon_given_{secrets.token_hex(8)}"
    try:
        try:
            connection.register(registered, given)
        except duckdb.InvalidInputException:
            if not hasattr(given, "__arrow_c_stream__"):
                raise
            connection.register(registered, _Stream(given))  # such as of another database
        sql = f"create temporary table {quoted(name)} as\nselect *\nfrom {registered}"
        connection.execute(sql)
    except Exception as error:
        unknown = _UNKNOWN_TYPE.search(str(error))
        called = type(error).__name__.removesuffix("Exception")
        return [(f"it has a column of the type {unknown[1]}" if unknown else called,)]
    finally:
        connection.unregister(registered)
    if kind != "pandas.DataFrame":
        return []
    types = connection.execute(f"describe temp.main.{quoted(name)}").fetchall()
    changed = [column for column, *_ in _changed_columns(given, types)]
    if changed:
        connection.execute(f"drop table temp.main.{quoted(name)}")
    return [
        (
            f"column '{column}' has numbers that no type of DuckDB holds with the others, such"
            " as decimals with NaN or with more than 38 digits",
        )
        for column in changed
    ]


def _changed_columns(given: Any, types: Rows) -> Rows:
    """The columns of a pandas table in which a number is not the one of the table in DuckDB."""
    return [
        found
        for number, found in enumerate(types)
        if given.dtypes.iloc[number].kind == "O"
        and any(not _is_held(value, str(found[1])) for value in given.iloc[:, number])
    ]


def _is_held(value: object, kind: str) -> bool:
    """Whether a column of this type has exactly this number; True for what is no number."""
    is_double = kind in ("FLOAT", "DOUBLE")
    if isinstance(value, Decimal):
        scale = _SCALE.fullmatch(kind)
        exponent = value.as_tuple().exponent
        return not is_double and (
            scale is None or (isinstance(exponent, int) and -exponent <= int(scale[1]))
        )
    return not (is_double and isinstance(value, int)) or abs(value) <= _EXACT


@contextmanager
def _whole_columns(
    connection: duckdb.DuckDBPyConnection, kind: str, work: Callable[[Callable[[], Rows]], Rows]
) -> Iterator[None]:
    """Let the types of columns of Python objects follow from all their values."""
    if kind != "pandas.DataFrame":
        yield
        return
    question = "select current_setting('pandas_analyze_sample')"
    ((earlier,),) = work(lambda: connection.execute(question).fetchall())
    if str(earlier) == _WHOLE:
        yield
        return

    def set_to(value: object) -> None:
        setting = f"set pandas_analyze_sample = {value}"
        try:
            work(lambda: connection.execute(setting).fetchall())
        except SqlanonError:
            raise PlanError(
                "The types of a pandas.DataFrame cannot be found on a connection that is locked.",
                where="source",
                fix=f"call `set pandas_analyze_sample = {_WHOLE}` before `set lock_configuration ="
                " true`, or give a table of pyarrow",
            ) from None

    set_to(_WHOLE)
    try:
        yield
    finally:
        set_to(earlier)
