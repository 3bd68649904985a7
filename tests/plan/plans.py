"""Plans of two persons a class, to be published as `out.parquet`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


def plan_of(
    columns: Mapping[str, Any] | Iterable[str], source: Any = "rows.parquet", **keys: Any
) -> dict[str, Any]:
    """A plan with these columns and keys; names alone are quasi-identifiers."""
    roles = columns if isinstance(columns, Mapping) else dict.fromkeys(columns, "quasi-identifier")
    return {
        "source": source,
        "columns": dict(roles),
        "privacy": [{"model": "k-anonymity", "k": 2}],
        "publish": "out.parquet",
        **keys,
    }
