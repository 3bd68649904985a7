"""Tests of `sqlanon/risks/` and of the command `risk`."""
