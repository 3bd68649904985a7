"""What sqlanon offers to projects of dbt: a package of tests, and plans from a project's models."""
