"""Tests of `sqlanon/dialects/`."""
