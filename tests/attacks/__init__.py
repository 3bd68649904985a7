"""Tests of `sqlanon/attacks/`."""
