"""Tables of Python, as temporary tables of a database.

They are copied: what a promise is proven of does not change while it is searched and published, a
stream is read once, and no statement of a plan runs Python code. DuckDB finds the types.
"""

from __future__ import annotations

import re
import secrets
from decimal import Decimal
from typing import Any

import duckdb

from sqlanon.errors import PlanError
from sqlanon.sql.step import quoted

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

PANDAS_SETTINGS = {"pandas_analyze_sample": "9223372036854775807"}
"""Rows from which the type of a pandas column of objects follows: all, or a cast would round."""


def kind_of(table: object) -> str:
    """What a table is, such as `pandas.DataFrame`; a PlanError for what is not a table."""
    names = [(cls.__module__.partition(".")[0], cls.__name__) for cls in type(table).__mro__]
    for package, name in names:
        if (package, name) in _KINDS:
            return f"{package}.{name}"
    is_column = any(name in ("Series", "ChunkedArray") for _, name in names)
    if hasattr(table, "__arrow_c_stream__") and not is_column:
        return ".".join(names[0])
    raise PlanError(
        f"Cannot read a {type(table).__name__} as a table.",
        where="source",
        fix="give a DataFrame of pandas or polars, a table of pyarrow, or a relation of DuckDB;"
        ' name a file in the plan, or by overrides={"source": "patients.csv"}',
    )


def is_pandas(table: object) -> bool:
    """Whether a table is one of pandas."""
    return kind_of(table) == "pandas.DataFrame"


class _Stream:
    """Only the Arrow stream of a table; a relation of another database can be read in this way."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)


def create_table(connection: duckdb.DuckDBPyConnection, name: str, table: object) -> None:
    """Copy a table into the temporary table `name`, which must be new."""
    if connection.execute(_TAKEN, {"name": name}).fetchall():
        raise PlanError(
            f"The connection already has a temporary table or view '{name}'.",
            where="source",
            fix="leave out `source=`, and the plan reads that one; or drop it",
        )
    reason = _copied(connection, name, table)
    if reason:
        raise PlanError(
            f"The {kind_of(table)} cannot be read: {reason}.",
            where="source",
            fix="give its columns types that DuckDB has, such as text, numbers, dates, times"
            " and categories; a stream can be read only once",
        )


def _copied(connection: duckdb.DuckDBPyConnection, name: str, table: Any) -> str:
    """Copy a table; what is wrong with it, if anything, as messages of others may quote cells."""
    registered = f"sqlanon_table_{secrets.token_hex(8)}"
    try:
        try:
            connection.register(registered, table)
        except duckdb.InvalidInputException:
            if not hasattr(table, "__arrow_c_stream__"):
                raise
            connection.register(registered, _Stream(table))  # such as of another database
        sql = f"create temporary table {quoted(name)} as\nselect *\nfrom {registered}"
        connection.execute(sql)
    except Exception as error:
        unknown = _UNKNOWN_TYPE.search(str(error))
        called = type(error).__name__.removesuffix("Exception")
        return f"it has a column of the type {unknown[1]}" if unknown else called
    finally:
        connection.unregister(registered)
    if not is_pandas(table):
        return ""
    types = connection.execute(f"describe temp.main.{quoted(name)}").fetchall()
    for number, (column, held, *_) in enumerate(types):
        if table.dtypes.iloc[number].kind == "O" and not all(
            _is_held(value, str(held)) for value in table.iloc[:, number]
        ):
            connection.execute(f"drop table temp.main.{quoted(name)}")
            return (
                f"column '{column}' has numbers that no type of DuckDB holds with the others, such"
                " as decimals with NaN or with more than 38 digits"
            )
    return ""


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
