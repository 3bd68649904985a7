"""What sqlanon costs, beside its floor: see `benchmarks/__main__.py`."""
