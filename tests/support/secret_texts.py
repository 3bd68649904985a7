"""Secrets for tests: good enough for sqlanon, and the same in every run.

`conftest` puts `SEED` into the environment; a test that varies it puts `secret_text(n)` there.
"""

from __future__ import annotations

import hashlib

SEED_VARIABLE = "SQLANON_PERMUTATION_SEED"


def secret_text(number: int) -> str:
    """A secret of 64 characters, another for every number."""
    return hashlib.sha256(f"a secret of the tests, {number}".encode()).hexdigest()


SEED = secret_text(0)
"""The seed of permutations that tests have where they say nothing else."""

KEY = secret_text(-1)
"""A key of pseudonyms."""
