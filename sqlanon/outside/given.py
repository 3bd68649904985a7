"""The tables that an outsider is given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlanon.plan.tables import Source


@dataclass(frozen=True)
class Given:
    """What an outsider is given.

    Attributes:
        published: the published table, as the caller wrote it.
        sources: how to read the tables, by their names as the caller wrote them.
        levels: the levels at which the plan's solution publishes quasi-identifiers, if known.
        column_groups: columns that stay together; empty if only the plan's solution could show
            them, and it is missing.
        population, background, earlier: further tables; empty if there are none.
        only_persons: whether only attacks on persons with several rows have the population, because
            no other is asked for or histories are linked; then it may lack quasi-identifiers, which
            change, and is not divided among classes.
        source: the plan's source, if the quasi-identifiers of its rows are known; otherwise None.
    """

    published: str
    sources: Mapping[str, Source]
    levels: Mapping[str, int]
    column_groups: Sequence[Sequence[str]]
    population: str = ""
    background: str = ""
    earlier: str = ""
    only_persons: bool = False
    source: Source | None = None


UNREADABLE = {
    "proof_of_rows": (
        "The published table has no rows, so there is nothing to attack.",
        "attack the table that was published",
    ),
    "proof_of_tables": (
        "The two tables of the publication have different numbers of rows for a bucket.",
        "attack both tables as they were published together",
    ),
    "proof_of_persons": (
        "The persons of classes cannot be counted: rows have no person, or a class does not have"
        " one number of persons in all its rows.",
        "attack the table that was published, or leave `unit` out of the plan",
    ),
    "proof_of_places": (
        "The published labels are not of one level, or no person of the population has some of"
        " them, so the population cannot be divided among classes.",
        "attack the table with the plan that published it, and a population that contains everyone"
        " in the table; or without a population",
    ),
}
"""Violations after which the results of attacks would be wrong."""
