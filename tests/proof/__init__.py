"""Tests of `sqlanon/proof/`."""
