"""What the rows of a table show of the risk of persons, and what models estimate of it."""
