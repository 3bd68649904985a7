"""Tests of `sqlanon/publication/`."""
