"""Tests of `sqlanon/boundary/`."""
