"""Settings of a DuckDB session on which a result depends: the same plan, the same rows anywhere."""

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
"""DuckDB's own values; a connection of a caller's may have others."""


def result_settings(plan: Plan) -> dict[str, str]:
    """Names and values of the settings that a plan's steps run with."""
    return {"TimeZone": plan.time_zone, **_SETTINGS}
