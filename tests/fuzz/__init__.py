"""Generated input of every kind, and what must hold of all that comes of it.

`python -m tests.fuzz` tries as many examples as asked; `test_fuzz.py` tries a few of each kind and
everything in `corpus/`.
"""
