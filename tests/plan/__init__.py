"""Tests of `sqlanon/plan/`."""
