"""Tests of `sqlanon/hierarchies/`."""
