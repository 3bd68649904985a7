"""Tests of `sqlanon/discovery/`."""
