"""Tests of `sqlanon/pages/`."""
