"""`attack` tries attacks on a published table, and reports the results.

It reads what an attacker has: the published rows, the plan's columns and hierarchies, and, if
given, a population, background knowledge and another release. It reads the source only if its rows
are said to be known.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import duckdb

from sqlanon.attacker.attempts import (
    AttackLike,
    attacks_of_plan,
    requested_attacks,
    try_attacks,
)
from sqlanon.attacker.tables import AttackerInput, AttackerTables, counting_all
from sqlanon.attacks.base import Attack
from sqlanon.attacks.findings import AttackFinding, AttackFindings
from sqlanon.boundary import guarded
from sqlanon.commands.options import Options, PlanLike, settled
from sqlanon.commands.session import Session
from sqlanon.commands.tables import known_groups, solved_levels, source_of
from sqlanon.engines.base import drive
from sqlanon.plan.columns import Identifier
from sqlanon.plan.overrides import Overrides
from sqlanon.plan.plan import Plan
from sqlanon.plan.tables import Source, values_place


@guarded
def attack(
    published: str,
    plan: PlanLike,
    options: Options | None = None,
    *,
    connection: duckdb.DuckDBPyConnection | None = None,
    overrides: Overrides = (),
    population: str | None = None,
    background: str | None = None,
    earlier: str | None = None,
    with_source: bool = False,
    attacks: Sequence[AttackLike] = (),
    list_classes: int = 10,
    with_values: bool = False,
    seconds: float | None = None,
) -> AttackFindings:
    """What each attack learns from a published table: a finding per attack, variant and attribute.

    Args:
        published: a Parquet, CSV or JSON file, FILE.duckdb::TABLE, or a table of the connection.
        plan: names the quasi-identifiers, sensitive attributes and hierarchies; all sensitive
            attributes are attacked, whether or not a promise protects them.
        population: a table that contains the published persons and others; replaces the plan's.
        background: a table of what is known beforehand: the quasi-identifiers as they are
            published, the sensitive attribute, and `weight`; further columns distinguish profiles.
        earlier: another release of the same persons.
        with_source: the quasi-identifiers of the rows of the plan's source are known, for
            `histories`; no other attack reads the source.
        attacks: the attacks to try, by name or with parameters. If none is given: those of the
            plan's `attacks`, each with its threshold; or else all.
        list_classes: how many of the riskiest classes of each finding to list.
        with_values: also list their quasi-identifiers, which reveal who is at risk.
        seconds: after this time no other attack is begun.

    Raises:
        PlanError: an attack is unknown or its parameters are wrong; the published table is empty;
            or one of the tables does not exist, lacks a column, or does not fit the published one.
        PrivacyViolation: the published table contains an identifier.
    """
    requested = requested_attacks(attacks)
    checked, options = settled(plan, options, connection=connection, overrides=overrides)
    unit = checked.unit
    if not attacks:
        every = [
            each for each in requested if unit is not None or "unit" not in each.own_form.needs
        ]
        requested = attacks_of_plan(checked.attacks) or every
    names = [name for name in (published, population, background, earlier) if name is not None]
    if checked.separates_sensitive:
        names += [values_place(name) for name in (published, earlier) if name is not None]
    sources = {str(name): source_of(name, checked, options) for name in names}
    others = None if population is None else sources[str(population)]
    attacker_plan = _attacker_view(checked, sources[str(published)], others)
    session = Session(attacker_plan, options)
    of_population = checked.model_copy(update={"population": session.plan.population})
    attacker_input = AttackerInput(
        published=str(published),
        sources=sources,
        levels=solved_levels(of_population, session),
        column_groups=known_groups(checked, session),
        population=str(population or ""),
        background=str(background or ""),
        earlier=str(earlier or ""),
        only_persons=unit is not None and (unit.is_linked or all(map(_on_persons, requested))),
        source=checked.source if with_source and unit is not None else None,
        list_classes=list_classes,
        with_values=with_values,
    )
    find_hierarchies = partial(session.hierarchies, copy=True)
    tables = AttackerTables(session.plan, checked, attacker_input, find_hierarchies)
    read = [*sources.values(), *filter(None, [attacker_input.source])]
    with session.engine(*read, publishes=False) as engine:
        findings = drive(engine, try_attacks(tables, requested, seconds))
    return AttackFindings(findings, str(published))


def exit_code(findings: Sequence[AttackFinding], attacks: Sequence[AttackLike]) -> int:
    """0: no attack succeeds; 1: one does; 2: a requested attack could not be tried.

    An attack succeeds if more rows are not safe than its threshold accepts, or any if it has none.
    An attack with a threshold must have been tried in every form and on every attribute that it is
    asked for; of an attack that is requested without one, some form.
    """
    if any(finding.succeeds for finding in findings):
        return 1
    if any(finding.at_most is not None and not finding.tried for finding in findings):
        return 2
    tried = {finding.attack for finding in findings if finding.tried}
    requested = {each.name for each in requested_attacks(attacks)} if attacks else set()
    return 0 if tried and requested <= tried else 2


def _on_persons(attack: Attack) -> bool:
    """Whether the attack is on persons with several rows."""
    return "unit" in attack.own_form.needs


def _attacker_view(plan: Plan, published: Source, population: Source | None) -> Plan:
    """The plan as an attacker has it: the published table replaces the source."""
    # No identifier is read, so the key of pseudonyms is not needed.
    columns = {n: c for n, c in plan.columns.items() if not isinstance(c, Identifier)}
    update: dict[str, Any] = {"source": published, "columns": columns}
    if population is not None:
        update["population"] = population
    return counting_all(plan).model_copy(update=update)
