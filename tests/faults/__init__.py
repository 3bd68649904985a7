"""Faults: runs that are killed, stopped, starved or disturbed, and what is published afterwards.

`python -m tests.faults` tries them all and prints a table; `test_faults.py` tries a few.
"""
