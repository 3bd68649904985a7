"""Engines: where SQL runs. DuckDB is embedded and the default."""

from __future__ import annotations

from sqlanon.engines.base import Engine, JournalEntry, StagedRows
from sqlanon.engines.duckdb import DuckDBEngine

__all__ = ["DuckDBEngine", "Engine", "JournalEntry", "StagedRows"]
