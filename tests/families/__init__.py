"""Tests of `sqlanon/families/`."""
