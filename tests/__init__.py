"""Tests of sqlanon, in folders that are called as its packages."""
