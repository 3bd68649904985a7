"""Tests of `sqlanon/dbt/`."""
