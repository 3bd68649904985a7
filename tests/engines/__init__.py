"""Tests of `sqlanon/engines/`."""
