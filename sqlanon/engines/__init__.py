"""Engines: where SQL runs. DuckDB is embedded and the default."""
