"""The two secrets of sqlanon, where they come from, and what makes one good enough.

Both are passed to SQL as session variables. Neither is in a plan, a file, a message or a digest.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from sqlanon.errors import PlanError

SHORTEST = 32
"""Characters of a secret, at least."""

FEWEST = 8
"""Different characters of a secret, at least."""

_MAKE = '`openssl rand -hex 32` or `python -c "import secrets; print(secrets.token_hex(32))"`'


@dataclass(frozen=True)
class Secret:
    """A secret: what it is called in messages, in the environment and in SQL.

    Attributes:
        title: in a message, after 'the'.
        environment: the environment variable that it is read from.
        variable: the session variable that SQL reads, by `getvariable`.
    """

    title: str
    environment: str
    variable: str

    @property
    def remedy(self) -> str:
        """How to make one, and where to put it."""
        return (
            f"put a long random text into the environment variable {self.environment}; {_MAKE}"
            " makes one"
        )

    def read(self) -> str:
        """The secret in the environment, which is hard to guess; empty where there is none."""
        secret = os.environ.get(self.environment, "")
        if secret and (len(secret) < SHORTEST or len(set(secret)) < FEWEST):
            raise PlanError(
                f"The {self.title} has fewer than {SHORTEST} characters or fewer than {FEWEST}"
                " different ones; it could be guessed.",
                where=self.environment,
                fix=self.remedy,
            )
        return secret


PSEUDONYM_KEY = Secret("key of pseudonyms", "SQLANON_PSEUDONYM_KEY", "sqlanon_pseudonym_key")
"""What pseudonyms are made with."""

PERMUTATION_SEED = Secret(
    "seed of permutations", "SQLANON_PERMUTATION_SEED", "sqlanon_permutation_seed"
)
"""What orders of rows are made with."""
