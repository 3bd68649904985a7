"""`attack` tries attacks on a published table, and reports the results.

It reads what an attacker has: the published rows, the plan's columns and hierarchies, and, if
given, a population, background knowledge and another release. It reads the source only if its rows
are said to be known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Unpack

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
from sqlanon.commands.options import Connected, Options, PlanLike, command
from sqlanon.commands.session import Session, open_session
from sqlanon.commands.tables import source_of, table_text
from sqlanon.engines.base import drive
from sqlanon.errors import PlanError
from sqlanon.plan.plan import Plan
from sqlanon.plan.tables import Source, values_place


@command
def attack(
    published: str,
    plan: PlanLike,
    options: Options | None = None,
    *,
    population: str | None = None,
    background: str | None = None,
    earlier: str | None = None,
    hold_out: str | None = None,
    with_source: bool = False,
    attacks: Sequence[AttackLike] = (),
    list_classes: int = 10,
    with_values: bool = False,
    seconds: float | None = None,
    **inputs: Unpack[Connected],
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
        hold_out: rows as the plan's source has them, which were kept out of the run, as a control:
            what `linkage`, `membership`, `homogeneity`, `similarity` and `skewness` find beyond it.
        with_source: the quasi-identifiers of the rows of the plan's source are known, for
            `histories`; no other attack reads the source.
        attacks: the attacks to try, by name or with parameters. If none is given: those of the
            plan's `attacks`, each with its threshold; or else all.
        list_classes: how many of the riskiest classes of each finding to list.
        with_values: also list their quasi-identifiers, which reveal who is at risk.
        seconds: after this time no other attack is begun.

    Raises:
        PlanError: an attack is unknown, its parameters are wrong, or none has the control that was
            given; a table is empty or missing, lacks a column, or does not fit the published one.
        PrivacyViolation: the published table contains an identifier.
    """
    requested = requested_attacks(attacks) if attacks else None
    names = {
        "published": published, "population": population, "background": background,
        "earlier": earlier, "hold_out": hold_out,
    }  # fmt: skip
    return attack_tables(
        open_session(plan, options, **inputs),
        {key: table_text(name) for key, name in names.items() if name is not None},
        requested,
        with_source=with_source,
        list_classes=list_classes,
        with_values=with_values,
        seconds=seconds,
    )


@guarded
def attack_tables(
    session: Session,
    tables: Mapping[str, str],
    attacks: Sequence[Attack] | None = None,
    *,
    with_source: bool = False,
    list_classes: int = 0,
    with_values: bool = False,
    seconds: float | None = None,
) -> AttackFindings:
    """What each attack learns from a publication of the session's plan; see `attack`.

    Args:
        tables: the published table and others that an attacker has, by the names of `attack`.
        attacks: if None, those of the plan, or else all that it allows.
    """
    plan, unit = session.checked, session.checked.unit
    for name, column in plan.changed_columns.items():
        if column.change.aggregate is not None:
            raise PlanError(
                f"Attacks read labels and values of rows, and '{name}' is published as"
                f" {column.words}, which is of no single row.",
                where=plan.where("columns", name, "publish"),
                fix="attack what the plan publishes without it",
            )
    if attacks is None:
        allowed = [
            each for each in requested_attacks(()) if unit is not None or not _on_persons(each)
        ]
        attacks = attacks_of_plan(plan.attacks) or allowed
    names = list(tables.values())
    if plan.form.apart:
        names += [values_place(tables[key]) for key in ("published", "earlier") if key in tables]
    sources = {name: source_of(name, plan, session.options) for name in names}
    if "hold_out" in tables:
        sources[tables["hold_out"]] = _as_source(plan, sources[tables["hold_out"]])
    others = {"population": sources[tables["population"]]} if "population" in tables else {}
    view = counting_all(plan).of_publication(sources[tables["published"]], **others)
    attacker = session.of(view)
    attacker_input = AttackerInput(
        published=tables["published"],
        population=tables.get("population", ""),
        background=tables.get("background", ""),
        earlier=tables.get("earlier", ""),
        hold_out=tables.get("hold_out", ""),
        sources=sources,
        nodes=session.solved_nodes(view.population),
        column_groups=session.column_groups(),
        only_persons=unit is not None and (unit.is_linked or all(map(_on_persons, attacks))),
        source=plan.source if with_source and unit is not None else None,
        list_classes=list_classes,
        with_values=with_values,
    )
    find_hierarchies = partial(attacker.hierarchies, copy=True)
    held = AttackerTables(attacker.plan, plan, attacker_input, find_hierarchies)
    read = [*sources.values(), *filter(None, [attacker_input.source])]
    with attacker.engine(*read, publishes=False) as engine:
        findings = drive(engine, try_attacks(held, attacks, seconds))
    if "hold_out" in tables and not any("held_out" in (one.measured or {}) for one in findings):
        raise PlanError(
            "No attack that was tried has rows that were kept out as its control.",
            where=tables["hold_out"],
            fix="try linkage, membership, homogeneity, similarity or skewness, or leave out"
            " --hold-out (hold_out)",
        )
    return AttackFindings(findings, attacker_input.published)


def _as_source(plan: Plan, source: Source) -> Source:
    """Rows as the plan's source has them: of a file of its kind, also its layout."""
    own = plan.source
    if not (own.is_file and source.is_file) or own.file_format != source.file_format:
        return source
    return own.model_copy(update={"path": source.path, "glob": source.glob})


def _on_persons(attack: Attack) -> bool:
    """Whether the attack is on persons with several rows."""
    return "unit" in attack.own_form.needs


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
