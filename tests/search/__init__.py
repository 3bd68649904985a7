"""Tests of `sqlanon/search/`."""
