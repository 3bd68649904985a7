"""The rows or persons that somebody may know, and how they are compared with labels."""

from __future__ import annotations

from typing import Any

from sqlanon.errors import PlanError
from sqlanon.outside.given import Given
from sqlanon.plan.plan import Plan
from sqlanon.proof.external_tables import ExternalTables
from sqlanon.proof.publication import Publication
from sqlanon.source.checks import proven_steps
from sqlanon.source.columns import check_population
from sqlanon.source.tables import (
    population_count_name,
    population_steps,
    required_columns,
    unit_alias,
)
from sqlanon.sql.render import render
from sqlanon.sql.step import Search, Step


def read_known_rows(tables: ExternalTables, own_plan: Plan, given: Given) -> Search[str]:
    """The relation of known rows: of the source, or persons of a population; empty without them.

    Raises:
        PlanError: the rows of the source cannot be compared with the published rows.
    """
    where, source = own_plan.where("source"), given.source
    has_population = own_plan.population is not None or given.population
    if source is None:
        return "sqlanon.known_persons" if has_population and own_plan.unit is not None else ""
    if has_population:
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


def read_register(plan: Plan, where: str) -> Search[Plan]:
    """Make the view of the population's persons, with those quasi-identifiers that it has.

    Args:
        where: the place of the population, for errors.

    Returns:
        the plan with these quasi-identifiers only.

    Raises:
        PlanError: the population has none of them, or cannot be read.
    """
    plan = yield from check_population(plan, where, partly=True)
    columns = {name: plan.columns[name] for name in plan.types["population"]}
    plan = plan.model_copy(update={"columns": columns})
    yield from proven_steps(plan, [*population_steps(plan), persons_step(plan)])
    return plan


def persons_step(plan: Plan) -> Step:
    """The view of the persons of a population, whose combinations are counted.

    Args:
        plan: has the quasi-identifiers of the population.
    """
    sql = render(
        "attacks/known_persons.sql",
        quasi_identifiers=list(plan.quasi_identifiers),
        population_count=population_count_name(plan),
        person=unit_alias(plan),
    )
    return Step("known_persons", sql, "view")


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


def of_persons(plan: Plan, own_plan: Plan, known: str, register: Plan | None) -> dict[str, Any]:
    """The fields of `AttackRelations` that say what joins the rows of a person.

    Args:
        known: the relation of known rows; empty if there is none.
        register: if these are the persons of a population, the plan with its quasi-identifiers.
    """
    readable = "ranges" if own_plan.method.makes_partition else "levels"
    return {
        "pseudonym": "" if plan.hides_persons else plan.person or "",
        "persons": plan.persons_column or "",
        "person": (plan.person if register is None else unit_alias(register)) or "",
        "known": known,
        "register": [] if register is None else list(register.quasi_identifiers),
        "required": required_columns(own_plan),
        "readable": "" if own_plan.publishes_buckets else readable,
        "k": own_plan.k,
    }
