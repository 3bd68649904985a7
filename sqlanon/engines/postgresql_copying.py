"""Rows of PostgreSQL as Arrow tables, and back: through `copy`, in the format of CSV."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import psycopg
import pyarrow
import pyarrow.compute
import pyarrow.csv

_TYPES = {
    "bool": pyarrow.bool_(),
    "int2": pyarrow.int64(),
    "int4": pyarrow.int64(),
    "int8": pyarrow.int64(),
    "float4": pyarrow.float32(),
    "float8": pyarrow.float64(),
    "date": pyarrow.date32(),
    "time": pyarrow.time64("us"),
    "timestamp": pyarrow.timestamp("us"),
    "timestamptz": pyarrow.timestamp("us", "UTC"),
}
"""By PostgreSQL's name of a type; others are read as text."""


_BLOCK = 1 << 20
"""Bytes that are parsed together, at least; a row has to fit."""

_ANY_NUMBER = pyarrow.large_string()
"""A number whose digits are not known before it is read, such as a sum."""


def column_types(columns: Sequence[psycopg.Column]) -> dict[str, pyarrow.DataType]:
    """The type with which each column of a result is read."""
    return {column.name: _type(column) for column in columns}


def _type(column: psycopg.Column) -> pyarrow.DataType:
    found = psycopg.adapters.types.get(column.type_code)
    name = "" if found is None else found.name
    if name == "numeric":
        if column.precision is None or column.scale is None:
            return _ANY_NUMBER
        return pyarrow.decimal128(column.precision, column.scale)
    return _TYPES.get(name, pyarrow.string())


def read_csv(blocks: Iterable[Any], types: dict[str, pyarrow.DataType]) -> pyarrow.Table:
    """The rows of a copy, which has no line of names.

    Numbers whose digits are not known become whole ones if they are, and else decimal.

    Raises:
        pyarrow.ArrowInvalid: a value is none of its type, such as a date without an end.
    """
    lines, longest = io.BytesIO(), 0
    for block in blocks:
        longest = max(longest, lines.write(block))
    if not lines.tell():
        names = types.items()
        return pyarrow.schema(
            [(name, pyarrow.int64() if kind == _ANY_NUMBER else kind) for name, kind in names]
        ).empty_table()
    parse = pyarrow.csv.read_csv
    rows = parse(
        pyarrow.BufferReader(lines.getbuffer()),
        read_options=pyarrow.csv.ReadOptions(
            column_names=list(types), block_size=max(_BLOCK, 2 * longest)
        ),
        parse_options=pyarrow.csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False),
        convert_options=pyarrow.csv.ConvertOptions(
            column_types=types,
            null_values=[""],
            true_values=["t"],
            false_values=["f"],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )
    for place, (name, kind) in enumerate(types.items()):
        if kind == _ANY_NUMBER:
            rows = rows.set_column(place, name, _numbers(rows.column(place)))
    return rows


def _numbers(texts: pyarrow.ChunkedArray) -> pyarrow.ChunkedArray:
    try:
        return texts.cast(pyarrow.int64())
    except pyarrow.ArrowInvalid:
        point = pyarrow.compute.find_substring(texts, ".")
        length = pyarrow.compute.binary_length(texts)
        places = pyarrow.compute.subtract(pyarrow.compute.subtract(length, point), 1)
        places = pyarrow.compute.if_else(pyarrow.compute.less(point, 0), 0, places)
        return texts.cast(pyarrow.decimal128(38, pyarrow.compute.max(places).as_py()))


def write_csv(rows: pyarrow.Table, write: Callable[[bytes], None]) -> None:
    """Write the rows as a copy reads them: texts in quotes, and nothing for NULL."""
    options = pyarrow.csv.WriteOptions(include_header=False, batch_size=65536)
    for batch in rows.to_batches(max_chunksize=65536):
        block = io.BytesIO()
        pyarrow.csv.write_csv(batch, block, options)
        write(block.getvalue())
