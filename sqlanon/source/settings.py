"""Settings of a DuckDB session that affect results, so that a plan gives the same rows anywhere."""

from __future__ import annotations

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
