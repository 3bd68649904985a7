"""Tests of `sqlanon/commands/`."""
