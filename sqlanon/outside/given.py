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
    """

    published: str
    sources: Mapping[str, Source]
    levels: Mapping[str, int]
    column_groups: Sequence[Sequence[str]]
    population: str = ""
    background: str = ""
    earlier: str = ""
