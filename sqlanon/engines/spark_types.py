"""Types of Spark, of DuckDB and of Arrow, and rows that go from one to the other."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pyarrow
from pyspark.sql.pandas.types import from_arrow_type
from pyspark.sql.types import StructField, StructType

from sqlanon.errors import EngineError

_TYPES = {
    "boolean": "BOOLEAN", "tinyint": "TINYINT", "smallint": "SMALLINT", "int": "INTEGER",
    "bigint": "BIGINT", "float": "FLOAT", "double": "DOUBLE", "string": "VARCHAR", "date": "DATE",
    "timestamp": "TIMESTAMP WITH TIME ZONE", "timestamp_ntz": "TIMESTAMP", "binary": "BLOB",
    "struct": "STRUCT", "map": "MAP", "array": "LIST", "variant": "VARIANT", "void": '"NULL"',
    "interval": "INTERVAL",
}  # fmt: skip
"""What DuckDB calls a type, without what stands in brackets."""

_ARROW = {
    **dict.fromkeys(
        ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"),
        pyarrow.int64(),
    ),
    "UBIGINT": pyarrow.decimal128(20, 0), "HUGEINT": pyarrow.decimal128(38, 0),
    "FLOAT": pyarrow.float32(), "DOUBLE": pyarrow.float64(), "BOOLEAN": pyarrow.bool_(),
    "VARCHAR": pyarrow.string(), "DATE": pyarrow.date32(), "TIMESTAMP": pyarrow.timestamp("us"),
    "TIMESTAMP WITH TIME ZONE": pyarrow.timestamp("us", "UTC"),
}  # fmt: skip
"""By DuckDB's type."""

_CHAR = "__CHAR_VARCHAR_TYPE_STRING"
"""Where Spark keeps the type of a column that was declared with a length."""


def duckdb_type(field: StructField) -> str:
    """The name of DuckDB for the type of a column; Spark's own for one that it does not have."""
    declared = str(field.metadata.get(_CHAR, ""))
    own = declared if declared.startswith("char") else field.dataType.simpleString()
    if own.startswith("decimal("):
        return own.upper()
    if own.startswith("varchar("):
        return "VARCHAR"
    name = re.split(r"[<(]", own)[0]
    is_whole = name == own or name in ("struct", "map", "array")
    if name.startswith("interval"):
        return "INTERVAL"
    return _TYPES.get(name, own) if is_whole else own


def widened(rows: pyarrow.Table) -> pyarrow.Table:
    """The same rows, with all whole numbers of 64 bits."""
    fields = [
        field.with_type(pyarrow.int64()) if pyarrow.types.is_integer(field.type) else field
        for field in rows.schema
    ]
    return rows.cast(pyarrow.schema(fields))


def arrow_rows(rows: pyarrow.Table, types: Mapping[str, str]) -> pyarrow.Table:
    """Rows of DuckDB with types that Spark has; whole numbers become 64 bits wide."""
    fields = [pyarrow.field(name, _arrow_type(types[name])) for name in rows.column_names]
    return rows.cast(pyarrow.schema(fields))


def _arrow_type(kind: str) -> pyarrow.DataType:
    decimal = re.fullmatch(r"DECIMAL\((\d+),\s*(\d+)\)", kind)
    if decimal is not None:
        return pyarrow.decimal128(int(decimal[1]), int(decimal[2]))
    if kind not in _ARROW:
        raise EngineError(
            f"Spark has no type {kind.split('(')[0]}.",
            where="engine",
            fix="run the plan with DuckDB, or cast the column in the source's query",
        )
    return _ARROW[kind]


def spark_schema(schema: pyarrow.Schema) -> StructType:
    """The schema of Spark for rows of Arrow; a timestamp without a time zone has none."""
    return StructType(
        [StructField(field.name, from_arrow_type(field.type, True)) for field in schema]
    )
