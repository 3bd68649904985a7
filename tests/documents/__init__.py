"""Tests of the documents and the examples."""
