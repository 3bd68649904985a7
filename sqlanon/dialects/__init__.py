"""Other dialects of SQL: what is written in DuckDB's, for another database."""
