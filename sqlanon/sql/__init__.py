"""SQL text: steps, templates, quoting, and reading the queries of plans."""
