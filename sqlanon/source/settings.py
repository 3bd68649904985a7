"""Settings of a session that affect results, so that a plan gives the same rows anywhere."""

from __future__ import annotations

from collections.abc import Mapping

from sqlanon.plan.plan import Plan

_SETTINGS = {
    "Calendar": "gregorian",
    "default_collation": "",
    "default_null_order": "nulls_last",
    "default_order": "ascending",
    "integer_division": "false",
    "ieee_floating_point_ops": "true",
    "error_on_division_by_zero": "true",
    "order_by_non_integer_literal": "false",
    "preserve_insertion_order": "true",
    "regex_match_operator_semantics": "partial",
    "scalar_subquery_error_on_multiple_rows": "true",
    "disable_timestamptz_casts": "false",
    "binary_as_string": "false",
    "dialect_compatibility_mode": "none",
}
"""DuckDB's defaults; a caller's connection may have other values."""


def result_settings(plan: Plan) -> dict[str, str]:
    """The settings, by name, that a plan's steps run with."""
    return {"TimeZone": plan.time_zone, **_SETTINGS}


POSTGRESQL_SETTINGS: Mapping[str, str] = {
    "datestyle": "ISO, YMD",
    "intervalstyle": "postgres",
    "extra_float_digits": "1",
    "bytea_output": "hex",
    "standard_conforming_strings": "on",
    "transform_null_equals": "off",
    "row_security": "on",
    "enable_nestloop": "off",  # joins that find NULLs by arrays would be nested loops
    # The cost of a loop that cannot be avoided hides that hashing is faster.
    "enable_mergejoin": "off",
    "enable_sort": "off",
    "parallel_tuple_cost": "0.01",  # rows are many and short: two processes are worth it
    "jit": "off",  # compiling takes longer than most queries
    "work_mem": "128MB",
}
"""What results depend on in PostgreSQL, and what makes it fast."""

SAFE_SEARCH_PATH = """\
select coalesce(
    pg_catalog.string_agg(pg_catalog.quote_ident(path.name), ', ' order by path.place), ''
)
from pg_catalog.unnest(pg_catalog.current_schemas(false)) with ordinality as path (name, place)
inner join pg_catalog.pg_namespace as schemas on schemas.nspname operator(pg_catalog.=) path.name
where not exists (
    select 1
    from pg_catalog.aclexplode(schemas.nspacl) as given
    where given.privilege_type operator(pg_catalog.=) 'CREATE'
        and given.grantee operator(pg_catalog.<>) schemas.nspowner
        and given.grantee operator(pg_catalog.<>) current_user::pg_catalog.regrole::pg_catalog.oid
)"""
"""The schemas of PostgreSQL's search path in which nobody else may make a function, which would be
called instead of PostgreSQL's. The query itself is asked before that is known."""

SPARK_SETTINGS: Mapping[str, str] = {
    "spark.sql.ansi.enabled": "true",
    "spark.sql.ansi.doubleQuotedIdentifiers": "false",
    "spark.sql.ansi.enforceReservedKeywords": "false",
    "spark.sql.caseSensitive": "false",
    "spark.sql.charAsVarchar": "false",
    "spark.sql.constraintPropagation.enabled": "false",  # fails on unions of nested relations
    "spark.sql.crossJoin.enabled": "true",
    "spark.sql.decimalOperations.allowPrecisionLoss": "true",
    "spark.sql.execution.arrow.useLargeVarTypes": "false",
    "spark.sql.files.ignoreCorruptFiles": "false",
    "spark.sql.files.ignoreMissingFiles": "false",
    "spark.sql.groupByAliases": "true",
    "spark.sql.groupByOrdinal": "true",
    "spark.sql.orderByOrdinal": "true",
    "spark.sql.parquet.binaryAsString": "false",
    "spark.sql.parquet.datetimeRebaseModeInRead": "EXCEPTION",
    "spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED",
    "spark.sql.parquet.inferTimestampNTZ.enabled": "true",
    "spark.sql.parquet.int96AsTimestamp": "true",
    "spark.sql.parquet.int96RebaseModeInRead": "EXCEPTION",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.parquet.writeLegacyFormat": "false",
    "spark.sql.parser.escapedStringLiterals": "false",
    "spark.sql.readSideCharPadding": "true",
    "spark.sql.storeAssignmentPolicy": "ANSI",
    "spark.sql.timestampType": "TIMESTAMP_LTZ",
}
"""What results depend on in Spark, with its defaults but for dates in files of Spark 2: those are
read as they were meant, or not at all."""
