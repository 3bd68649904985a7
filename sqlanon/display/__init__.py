"""Results as tables: in a notebook, and for pandas, polars and pyarrow."""
