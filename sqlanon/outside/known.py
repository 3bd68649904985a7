"""The rows of the plan's source that somebody may know, and how they are compared with labels."""

from __future__ import annotations

from typing import Any

from sqlanon.errors import PlanError
from sqlanon.outside.given import Given
from sqlanon.plan.plan import Plan
from sqlanon.plan.tables import Source
from sqlanon.proof.outside import OutsideTables
from sqlanon.proof.publication import Publication
from sqlanon.source.tables import required_columns
from sqlanon.sql.render import render
from sqlanon.sql.step import Search, Step


def read_known_rows(
    tables: OutsideTables, own_plan: Plan, given: Given, source: Source
) -> Search[str]:
    """Make the view of the source's rows, and return its name.

    Raises:
        PlanError: they cannot be compared with the published rows.
    """
    where = own_plan.where("source")
    if own_plan.population is not None or given.population:
        raise PlanError(
            "A population and the rows of the source are not known together.",
            where=where,
            fix="attack once with the population, and once with the source",
        )
    if source.query:
        raise PlanError(
            "The source is a query, whose rows are not read again.",
            where=where,
            fix="write its rows to a file, and name the file in a plan for the attack",
        )
    yield from tables.read("known_rows", "the source, of which rows are known", source)
    return "sqlanon.known_rows"


def readable_step(publication: Publication, own_plan: Plan, given: Given) -> Step:
    """The step that says which values of the source each label covers."""
    names = list(own_plan.quasi_identifiers)
    if publication.located:
        sql = render("proof/label_ranges.sql", quasi_identifiers=names)
        return Step("label_ranges", sql)
    levels = list(given.levels.items())
    sql = render(
        "proof/population_labels.sql", quasi_identifiers=names, chosen=False, levels=levels
    )
    return Step("population_labels", sql)


def of_persons(plan: Plan, own_plan: Plan, known: str) -> dict[str, Any]:
    """The fields of `AttackRelations` that say what joins the rows of a person.

    Args:
        known: the relation of known rows; empty if there is none.
    """
    readable = "ranges" if own_plan.method.makes_partition else "levels"
    return {
        "pseudonym": "" if plan.hides_persons else plan.person or "",
        "persons": plan.persons_column or "",
        "person": plan.person or "",
        "known": known,
        "required": required_columns(own_plan),
        "readable": "" if own_plan.publishes_buckets else readable,
        "k": own_plan.k,
    }
