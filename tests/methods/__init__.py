"""Tests of `sqlanon/methods/`."""
