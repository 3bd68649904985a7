"""Tests of `sqlanon/source/`."""
