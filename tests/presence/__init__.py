"""Tests of `sqlanon/presence/`."""
