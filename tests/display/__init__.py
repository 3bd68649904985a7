"""Tests of `sqlanon/display/`."""
