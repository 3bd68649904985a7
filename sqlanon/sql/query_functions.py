"""What a query of a plan may use: nodes of a syntax tree, functions, and file readers."""

from __future__ import annotations

import functools
import re

from sqlanon.sql.query_text import LOCK, parser

READERS = {
    "read_csv": "csv",
    "read_csv_auto": "csv",
    "read_parquet": "parquet",
    "parquet_scan": "parquet",
    "read_json": "json",
    "read_json_auto": "json",
    "read_ndjson": "json",
    "read_ndjson_auto": "json",
}
"""The functions by which a query may read files, and the kind of file each reads."""

TABLE_FUNCTIONS = frozenset({"range", "generate_series", "unnest"})
"""The other table functions: they make rows from their arguments and read nothing."""

_ENDINGS = (
    (".parquet", "read_parquet"),
    (".csv", "read_csv"),
    (".tsv", "read_csv"),
    (".json", "read_json"),
    (".jsonl", "read_json"),
    (".ndjson", "read_json"),
)
"""The function that reads a file that a query names instead of a table, by extension."""

WRITING = re.compile(r"(store_)?rejects(_.*)?")
"""Options of readers that create tables."""

NODES = frozenset(
    """
    SELECT_NODE SET_OPERATION_NODE RECURSIVE_CTE_NODE
    BASE_TABLE TABLE_FUNCTION JOIN SUBQUERY EXPRESSION_LIST EMPTY PIVOT
    ORDER_MODIFIER LIMIT_MODIFIER LIMIT_PERCENT_MODIFIER DISTINCT_MODIFIER
    ORDER_DEFAULT ASCENDING DESCENDING
    """.split()  # noqa: SIM905 - a list of words is read as one
)
"""The nodes of selects; not SHOW_REF (describe, summarize), nor anything that DuckDB may add."""

EXPRESSIONS = frozenset(
    """
    COLUMN_REF CONSTANT FUNCTION WINDOW CAST TYPE CASE COLLATE LAMBDA SUBQUERY BETWEEN CONJUNCTION
    COMPARISON OPERATOR STAR POSITIONAL_REFERENCE
    """.split()  # noqa: SIM905 - a list of words is read as one
)
"""The classes of expressions; not PARAMETER or DEFAULT, nor anything that DuckDB may add."""

_REFUSED = frozenset(
    """
    age ago assert_true cast_to_type current_catalog current_localtime current_localtimestamp
    current_role current_user get_block_size index_key json_serialize_plan make_type
    parse_duckdb_log_message reservoir_quantile session_user user version
    """.split()  # noqa: SIM905 - a list of words is read as one
)
"""Functions that DuckDB lists as consistent, but that read the clock (as `age` of one value does),
the session or the engine, name types by text, use randomness, or raise their own errors."""

SESSION_WORDS = frozenset(
    """
    current_catalog current_date current_role current_schema current_time current_timestamp
    current_user localtime localtimestamp session_user
    """.split()  # noqa: SIM905 - a list of words is read as one
)
"""Words that are parsed as columns, and mean the clock or the session if no column has the name."""

REFUSED_WORDS = frozenset(
    """
    type class join_type ref_type setop_type materialized null_order aggregate_handling
    with_ordinality start end exclude_clause syntax_type limit_type function_name qualified_name
    schema catalog nearest_order_type subquery_type comparison_type
    """.split()  # noqa: SIM905 - a list of words is read as one
)
"""Keys of the tree that hold words of the parser, not names that the author wrote."""


def file_reader(name: str) -> str:
    """The function that reads a file of this name; empty if the name is that of a table.

    A bare name in a query is a file if it has such an extension: `from 'x.csv'`. A table of this
    name is written with its schema: `from main."x.csv"`.
    """
    plain = name.lower().removesuffix(".gz").removesuffix(".zst")
    return next((reader for ending, reader in _ENDINGS if plain.endswith(ending)), "")


@functools.cache
def allowed_functions() -> frozenset[str]:
    """The functions that a plan's query may call: those whose result depends only on the arguments.

    These are built-in scalar, aggregate and window functions that DuckDB lists as consistent, and
    macros of its main schema, except names that begin with two underscores and `_REFUSED`.
    """
    with LOCK:
        rows = (
            parser()
            .execute(
                "select lower(function_name), bool_and(\n"
                "    stability = 'CONSISTENT' and function_type in ('scalar', 'aggregate',"
                " 'window')\n"
                "    or function_type = 'macro' and schema_name = 'main'\n"
                ") from duckdb_functions()\n"
                "where function_type not in ('pragma', 'table', 'table_macro')\n"
                "group by all"
            )
            .fetchall()
        )
    allowed = {name for name, consistent in rows if consistent and not name.startswith("__")}
    return frozenset(allowed - _REFUSED | {"unnest"})
