"""Measures and estimates the risk of the persons of a table; publishes nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from os.path import realpath
from pathlib import Path
from typing import Any, Unpack

from sqlanon.commands.options import Inputs, Options, PlanLike, command, merged_options
from sqlanon.commands.session import Session, open_session
from sqlanon.commands.tables import source_of, table_text
from sqlanon.commands.verify import promised, refuse_both, solved_nodes, stated_source
from sqlanon.engines.base import drive
from sqlanon.errors import PlanError, did_you_mean, united
from sqlanon.plan.plan import Plan
from sqlanon.plan.tables import SOURCE_DATA, Source
from sqlanon.proof.external_tables import ExternalTables, own_reference, types_of
from sqlanon.proof.publication import Publication, persons_of, publication_of
from sqlanon.proof.steps import verify_steps
from sqlanon.proof.violations import held
from sqlanon.risks.figures import Risk
from sqlanon.risks.table import Classes, Questions, class_size_counts, table_risk
from sqlanon.source.columns import check_population
from sqlanon.source.tables import population_count_name

_TABLE = "published_table"


@command
def risk(
    table: object,
    plan: PlanLike | None = None,
    options: Options | None = None,
    *,
    quasi_identifiers: Sequence[str] = (),
    population: str | None = None,
    population_size: int | None = None,
    weight: str | None = None,
    household: str | None = None,
    k: int | None = None,
    largest_set: int = 3,
    delimiter: str | None = None,
    **inputs: Unpack[Inputs],
) -> Risk:
    """The risk of the persons of a table: what its rows prove, and what models estimate.

    Args:
        table: a source or a publication: a Parquet, CSV or JSON file, FILE.duckdb::TABLE, or a
            table of the connection; without a plan also a DataFrame, or anything else that `source`
            may be.
        plan: names the quasi-identifiers, the persons and the population.
        quasi_identifiers: without a plan: columns that form classes.
        population: without a plan: a table that contains the rows' persons.
        population_size: persons of the population from whom the table was drawn; by default those
            of the population's table.
        weight: the column of sampling weights: persons of the population that a row stands for, 1
            or more.
        household: the column whose value the members of a household share.
        k: of k-map, 1 or more; by default the plan's, or 5.
        largest_set: columns of the largest sets on which rows may be alone, 1 or more.
        delimiter: without a plan: the delimiter of a CSV file.

    Raises:
        PlanError: the table lacks a column, or a number does not fit the table.
        PrivacyViolation: the table is empty, or does not fit the population.
    """
    if plan is None and not isinstance(table, str | Path):
        inputs["source"], table = table, SOURCE_DATA
    table = table_text(table)
    for name, number in (("population_size", population_size), ("k", k),
                         ("largest_set", largest_set)):  # fmt: skip
        if number is not None and not (type(number) is int and number >= 1):
            raise PlanError(
                f"{name} must be a whole number of 1 or more.",
                where=f"--{name.replace('_', '-')}",
                fix="give 1 or more, or leave it out",
            )
    stated = {"quasi_identifiers": quasi_identifiers, "population": population,
              "delimiter": delimiter}  # fmt: skip
    options = merged_options(options, **inputs)
    session = open_session(_plan(stated_source(table, stated, options), plan, stated), options)
    checked = session.checked
    read = _source(table, checked, session.options)
    viewed = checked.of_publication(read, privacy=())
    own, session = session, session.of(viewed)
    with session.embedded(read, publishes=False) as engine:
        what = "a table whose risk is measured and estimated"
        drive(engine, ExternalTables(session.plan).read(_TABLE, what, read, table))
        columns = drive(engine, types_of(f"sqlanon.{_TABLE}"))
        publication = _publication(own, session.plan, columns, table, read)
        named = {"weight": weight, "household": household}
        _check_columns([(what, str(name)) for what, name in named.items() if name], columns, table)
        session.bind(engine, check_population)
        find_hierarchies = partial(session.hierarchies, copy=True)
        drive(engine, own_reference(session.plan, publication, find_hierarchies))
        drive(engine, held(verify_steps(publication, with_models=False)))
        questions = Questions(
            population_size=population_size,
            population_count=population_count_name(viewed) if viewed.population else "",
            k=k or (checked.k if plan is not None and checked.k > 1 else 5),
            largest_set=largest_set,
            weight=weight or "",
            household=household or "",
        )
        unit = session.plan.unit
        classes = Classes(
            rows=f"sqlanon.{_TABLE}",
            names=publication.renames,
            members=publication.promises.members,
            person="" if publication.unit is None else "person",
            overlap=unit is not None and not unit.is_linked,
            by_history=publication.promises.linked,
        )
        sizes = drive(engine, class_size_counts("class_size_counts", classes.relation))
        return drive(engine, table_risk(classes, questions, sizes))


def _plan(source: Mapping[str, Any], plan: PlanLike | None, stated: Mapping[str, Any]) -> PlanLike:
    """The plan, or that of the keywords if there is none."""
    stated = {name: value for name, value in stated.items() if value}
    if plan is not None:
        refuse_both(stated, "what the table is", "risk", "these options")
        return plan
    if "quasi_identifiers" not in stated:
        raise PlanError(
            "Without a plan, quasi-identifiers are required.",
            where="risk",
            fix="give a plan, or, for example, --quasi-identifiers age,sex",
        )
    others = {name: stated[name] for name in stated if name == "population"}
    k = {"model": "k-anonymity", "k": 2}
    return promised(source, stated["quasi_identifiers"], (), [k], **others)


def _source(table: str, plan: Plan, options: Options) -> Source:
    """How the table is read: as the plan says if it is its source."""
    path = plan.source.path
    is_file = path is not None and realpath(table) == realpath(plan.folder / path)
    if is_file or table == plan.source.table:
        return plan.source
    return source_of(table, plan, options)


def _publication(
    own: Session, plan: Plan, columns: Mapping[str, str], table: str, read: Source
) -> Publication:
    """A publication of the plan, or its own source; of it nothing but its classes is proven."""
    if plan.form.bucket:
        raise PlanError(
            "The rows of buckets have no classes of quasi-identifiers.",
            where=plan.where("method"),
            fix="try `sqlanon attack`, or give --quasi-identifiers (quasi_identifiers) in place of"
            " the plan",
        )
    found = {name.lower() for name in columns}
    persons = None if (plan.person or "").lower() in found else persons_of(plan)
    if persons is not None and not persons.count:
        raise PlanError(
            "The table does not show how many persons its classes have.",
            where=table,
            fix="give the source, whose rows have the key of the persons",
        )
    is_source = read == own.checked.source or not found >= {n.lower() for n in plan.form.class_key}
    names = plan.quasi_identifiers if is_source else plan.form.class_key
    wanted = [("quasi-identifier", name) for name in names]
    _check_columns([*wanted, *([("column", persons.count)] if persons else [])], columns, table)
    publication = publication_of(plan, f"sqlanon.{_TABLE}")
    return replace(
        publication, quasi_identifiers=list(names), persons=persons, row_proofs=[], most_rows=None,
        nodes=() if is_source else solved_nodes(own, table), placed_from=own.checked.placed_from,
    )  # fmt: skip


def _check_columns(wanted: Sequence[tuple[str, str]], columns: Iterable[str], table: str) -> None:
    """Check that the table has these columns, each with what it is."""
    found = {name.lower() for name in columns}
    faults = [
        PlanError(
            f"The table has no {what} '{name}'.", where=table, fix=did_you_mean(name, columns)
        )
        for what, name in wanted
        if name.lower() not in found
    ]
    if faults:
        raise united(faults)
