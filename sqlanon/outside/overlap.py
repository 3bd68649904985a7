"""Whether labels overlap too much to locate persons in their classes in bounded time."""

from __future__ import annotations

from sqlanon.errors import PlanError
from sqlanon.proof.publication import Publication
from sqlanon.proof.steps import regions_step
from sqlanon.sql.render import render
from sqlanon.sql.step import Search, Step

MOST_PAIRS = 5_000_000
"""Pairs of a person and a class that are listed where labels overlap; more take minutes."""

DRAWN_PERSONS = 500
"""Persons from whom the number of pairs is estimated."""


def bound_pairs(publication: Publication, where: str) -> Search[None]:
    """Check on some persons that labels do not overlap too much to locate all of them.

    Args:
        publication: the published table, whose `label_ranges` are made.
        where: the place of the population, for errors.

    Raises:
        PlanError: there would be too many pairs of a person and a class.
    """
    population = "sqlanon.population_combinations"
    names = list(publication.located)
    inputs = {"population": population, "quasi_identifiers": names, "most": DRAWN_PERSONS}
    yield Step("drawn_persons", render("attacks/drawn_persons.sql", **inputs))
    yield regions_step(publication, "drawn_regions", "drawn_persons")
    sql = render("attacks/fitting_pairs.sql", population=population)
    ((persons, pairs),) = yield Step("fitting_pairs", sql, "rows")
    if pairs > max(MOST_PAIRS, persons):  # without overlaps, nobody fits two classes
        raise PlanError(
            "Attacks with this population were not tried: labels overlap, and there are about"
            f" {pairs:,} pairs of a person and a class that the person fits, more than"
            f" {MOST_PAIRS:,}.",
            where=where,
            fix="leave the population out to try the other attacks; of what these would find,"
            " nothing is known to be safe",
        )
