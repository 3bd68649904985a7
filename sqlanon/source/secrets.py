"""The secrets that a plan's steps read as variables of their session."""

from __future__ import annotations

import secrets

from sqlanon.boundary.secrets import PERMUTATION_SEED, PSEUDONYM_KEY
from sqlanon.errors import PlanError
from sqlanon.plan.plan import Plan


def session_secrets(plan: Plan, *, publishes: bool) -> dict[str, str]:
    """The variables that a session needs, and their values.

    The key of pseudonyms and the seed come from the environment. A seed that is not there is drawn
    at random and not kept.

    Args:
        publishes: whether rows may be published; if not, pseudonyms only need to distinguish
            persons, and the seed need not be the same again. A sample is always the same.

    Raises:
        PlanError: there is no key for pseudonyms, or a secret could be guessed.
    """
    found = {}
    if plan.reads_pseudonym_key:
        reads_key = (publishes or plan.sample is not None) and not plan.has_random_pseudonyms
        key = PSEUDONYM_KEY.read() if reads_key else secrets.token_hex(32)
        if not key:
            raise PlanError(
                "Pseudonyms and samples need a key.",
                where=plan.where("columns" if plan.sample is None else "sample"),
                fix=PSEUDONYM_KEY.remedy,
            )
        found[PSEUDONYM_KEY.variable] = key
    if plan.method.is_seeded:
        seed = PERMUTATION_SEED.read() if publishes else ""
        found[PERMUTATION_SEED.variable] = seed or secrets.token_hex(32)
    return found
