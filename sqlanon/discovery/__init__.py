"""What a table shows of itself before anything is decided: statistics of columns, and their nature.

`column_statistics` asks the source in a few statements and returns `TableStatistics`; `nature` says
what follows for one column: nearly unique, free text, a person's key.
"""
