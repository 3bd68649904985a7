"""Tests of `sqlanon/cli/`."""
