"""Deliberate breakages of sqlanon, each of which must turn a named test red.

`python -m tests.mutations` tries them all; `test_mutations.py` checks quickly that the
list still fits the code.
"""
