"""Tests of `sqlanon/utility/`."""
