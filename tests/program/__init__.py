"""Tests of `sqlanon/program/`."""
