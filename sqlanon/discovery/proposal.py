"""The plan that `init` proposes: roles, hierarchies, promises and method, each with its reason."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from sqlanon.discovery.hierarchies import ProposedHierarchy, proposed_hierarchies
from sqlanon.discovery.persons import Persons, is_key_of_persons, may_be_key
from sqlanon.discovery.purposes import Purpose
from sqlanon.discovery.questions import PROMISE, Answers, chosen_hierarchy
from sqlanon.discovery.roles import CHOSEN, ProposedRole, SinglingSet, number, percent, unit_of
from sqlanon.discovery.survey import ColumnSurvey, Survey
from sqlanon.errors import PlanError
from sqlanon.plan.tables import Source

SKEWED_SHARE = 0.8
"""Share of the most frequent sensitive value above which most small classes have only this one, so
that l-diversity would merge nearly all of them."""

SKEWED_T = 0.3
"""t of t-closeness for skewed values: of five rows one may have the rare value, but not two."""

MOST_NODES = 50_000
"""Lattice nodes up to which `optimal` is proposed."""

MOST_ROWS = 500_000
"""Rows up to which `optimal` is proposed: what a node costs grows with the combinations."""

MOST_NODES_OF_PERSONS, MOST_ROWS_OF_PERSONS = 5_000, 200_000
"""The same where persons are counted, so that fewer promises prune the search: of 500,000 events of
20,000 devices, passes took a minute of a processor, and mondrian a third of it."""

LINKED_LIMIT = 0.1
"""The same of linked histories, where a person is suppressed with all rows: each row identifies."""

MOST_LINKED_ROWS = 10
"""Rows of a person up to which linked histories are proposed: of 10,000 devices with 20 rows each,
all were alone, at whatever level of the times and kinds of rows but the highest."""


@dataclass(frozen=True)
class Proposal:
    """A proposed plan.

    Attributes:
        plan: its keys and values, as `sqlanon.load_plan` reads them.
        roles: the role of each column.
        hierarchies: of each quasi-identifier.
        reasons: why the other keys have their values, by key; of `privacy`, one for each entry.
        unit: the column that identifies persons; None if rows are counted.
        warnings: why the promises may not hold for persons, in sentences.
        survey: what it follows from.
        singling: the sets of columns that single rows out.
    """

    plan: dict[str, Any]
    roles: Mapping[str, ProposedRole]
    hierarchies: Mapping[str, ProposedHierarchy]
    reasons: dict[str, list[str]]
    unit: str | None
    warnings: list[str]
    survey: Survey
    singling: tuple[SinglingSet, ...]


def proposed(
    survey: Survey,
    roles: Mapping[str, ProposedRole],
    persons: Persons | None,
    singling: tuple[SinglingSet, ...],
    source: Source,
    publish: Mapping[str, str],
    purpose: Purpose,
    answers: Answers,
    *,
    histories: bool = False,
) -> Proposal:
    """Propose a plan; `histories` asks to join the rows of a person in the publication.

    Args:
        answers: what a person has chosen; roles are chosen already.

    Raises:
        PlanError: the source has too few rows or persons, or no column that can be published.
    """
    unit = unit_of(roles)
    count, counted = (survey.table.rows, "rows") if persons is None else (persons.count, "persons")
    if count < _FEWEST_PERSONS:
        raise PlanError(
            f"The source has {count} {counted[:-1]}(s); nobody can be hidden among so few.",
            where="source",
            fix=f"give a source with {_FEWEST_PERSONS} rows or more, of different persons",
        )
    roles = {name: _hidden_if_everybody_has_it(name, role, persons) for name, role in roles.items()}
    hierarchies = {
        name: chosen_hierarchy(proposed_hierarchies(survey.columns[name], source), name, answers)
        for name, role in roles.items()
        if role.role == "quasi-identifier"
    }
    if not hierarchies:
        raise PlanError(
            "No column can be a quasi-identifier, so there is nothing to generalize.",
            where="columns",
            fix="select other columns, or give one of them the role quasi-identifier",
        )
    k, why = (int(answers["k"]), CHOSEN) if "k" in answers else purpose.k_of(count)
    privacy: list[dict[str, Any]] = [{"model": "k-anonymity", "k": k}]
    whys = [f"k = {k}: {why} ({number(count)} {counted})"]
    for name, role in roles.items():
        if role.role == "sensitive":
            model, why = _model(survey.columns[name], k, persons, answers.get(PROMISE, "proposed"))
            privacy.append(model)
            whys.append(why)
    reasons: dict[str, list[str]] = {"privacy": whys, "unit": []}
    warnings = [*_warnings(survey, unit), *survey.notes]
    against = _against_histories(persons, k) if histories else None
    if against is not None:
        warnings.append(f"Linked histories are not proposed: {against}")
    is_linked = histories and against is None
    is_refined = len(privacy) == 1 and count * purpose.suppression_limit >= 2 * k
    chosen = _method(survey, hierarchies, unit is not None, is_linked, is_refined, purpose, reasons)
    cuts = chosen["method"]["name"] == "mondrian"
    if cuts:  # the reason is then that of ranges
        for name, each in hierarchies.items():
            hierarchies[name] = replace(each, reason=each.ranges or each.reason)
    columns = {
        name: _column(role, hierarchies.get(name), survey.columns[name], cuts=cuts)
        for name, role in roles.items()
    }
    left = {n: r for n, r in source.read.items() if roles[n].role != "identifier"}
    source = source.model_copy(update={"read": left})
    stated = source.model_dump(mode="json", exclude_defaults=True, exclude_none=True)
    plan: dict[str, Any] = {"source": stated, "columns": columns}
    if unit and persons:
        if is_linked:
            columns[unit] = {"role": "identifier", "action": "pseudonym", "key": "random"}
        plan["unit"], why = _linked(unit, persons) if is_linked else _unlinked(unit, columns)
        rows = number(survey.table.rows)
        reasons["unit"].append(f"{number(persons.count)} persons have {rows} rows, {why}")
    plan |= {"privacy": privacy, **chosen, "publish": dict(publish)}
    return Proposal(plan, roles, hierarchies, reasons, unit, warnings, survey, singling)


def _unlinked(unit: str, columns: Mapping[str, Any]) -> tuple[str | dict[str, Any], str]:
    """The key `unit` of a plan that publishes no key of persons, and why."""
    taken = {name.lower() for name in columns}
    names = itertools.chain([_COUNT], (f"{_COUNT}_{n}" for n in itertools.count(2)))
    count = next(name for name in names if name not in taken)
    why = (
        "so the promises count persons. No key of them is published, so nothing joins the rows of a"
        f" person; the column {count} has the number of persons of the class."
    )
    return unit if count == _COUNT else {"column": unit, "count": count}, why


_COUNT = "persons"
"""The published column with the number of persons, unless the source has a column of this name."""


def _linked(unit: str, persons: Persons) -> tuple[dict[str, Any], str]:
    """The key `unit` of a plan that publishes histories, and why."""
    most = persons.most_rows
    why = (
        f"and {percent(persons.share_within(most))} of them at most {most}; of the others, {most}"
        " rows each are published. A pseudonym, new in every run, joins the rows of a person:"
        " persons are alike only if all their published rows are, and a person who is alike to too"
        " few is suppressed with all rows."
    )
    return {"column": unit, "histories": "linked", "rows": most}, why


def _against_histories(persons: Persons | None, k: int) -> str | None:
    """Why linked histories would publish hardly anything; None if they may do."""
    if persons is None:
        return "no column identifies persons."
    alone, most = persons.share_alone(k), persons.most_rows
    if alone <= LINKED_LIMIT and most <= MOST_LINKED_ROWS:
        return None
    return (
        f"nine of ten persons have up to {most} rows, and {percent(alone)} of the persons have a"
        f" number of rows that fewer than {k} persons have. Histories of more than"
        f" {MOST_LINKED_ROWS} rows are alike for hardly anybody. Aggregate the rows of a person in"
        " the query of the source, or publish without histories, as proposed."
    )


def _hidden_if_everybody_has_it(
    name: str, role: ProposedRole, persons: Persons | None
) -> ProposedRole:
    """The role; a sensitive attribute with a value that all persons have is not published."""
    if role.role == "sensitive" and persons and persons.shares[name].largest == 1:
        reason = "generalized, as every person has one of its values, which no class could hide"
        return ProposedRole("quasi-identifier", f"{role.reason}; {reason}")
    return role


def _warnings(survey: Survey, unit: str | None) -> list[str]:
    """Why rows that the plan counts may not be persons."""
    if unit is not None:
        return []
    found = []
    for name, column in survey.columns.items():
        is_key = is_key_of_persons(column)
        values = f"{number(column.distinct)} values in {number(column.present)} rows"
        if is_key and column.missing:
            found.append(
                f"'{name}' looks like the key of a person ({values}), and {number(column.missing)}"
                " rows have none, so this plan counts rows: a class of k rows can be of fewer than"
                f" k persons. Leave out or fill in these rows, and write `unit: {name}`."
            )
        elif is_key or may_be_key(column):
            found.append(
                f"'{name}' {'is' if is_key else 'could be'} the key of a person or device"
                f" ({values}), and this plan counts rows: a class of k rows can be of fewer than k"
                f" persons. If its values are of one person each, write `unit: {name}` and"
                f" `{name}: identifier`."
            )
    if survey.repeating:
        names = ", ".join(survey.repeating)
        found.append(
            f"More rows are equal in {names} than chance explains, so persons may have several"
            " rows, and no column is a key of them. This plan counts rows: a class of k rows can be"
            " of fewer than k persons."
        )
    return found


_FEWEST_PERSONS = 2


def _column(
    role: ProposedRole,
    hierarchy: ProposedHierarchy | None,
    column: ColumnSurvey,
    *,
    cuts: bool,
) -> dict[str, Any]:
    planned: dict[str, Any] = {"role": role.role}
    if hierarchy is None:
        return planned
    has_mask = isinstance(hierarchy.rule, dict) and "mask" in hierarchy.rule
    if cuts and (column.kind == "text" or column.is_long_code or has_mask):
        planned["type"] = "nominal"  # cut in two, which loses less than into all labels at once
    if hierarchy.rule is not None:
        planned["hierarchy"] = hierarchy.rule
        if column.kind == "date" and hierarchy.ranges is None:
            # cuts by date end with months, and know no time zone; those between days need rows
            are_days = column.distinct <= min(_MOST_DAYS, column.present / _ROWS_OF_DAYS)
            planned["type"] = "ordinal" if are_days and not column.has_time_zone else "categorical"
    return planned


_MOST_DAYS, _ROWS_OF_DAYS = 2_000, 10
"""Different dates that can be cut one by one in little time, and rows for each date, from which on
ranges can end at nearly all: at others, none may."""


def _model(
    column: ColumnSurvey, k: int, persons: Persons | None, choice: str
) -> tuple[dict[str, Any], str]:
    """The privacy model of a sensitive attribute, which the table as one class satisfies.

    Args:
        choice: l, t or proposed.
    """
    if persons is None:
        most = max(column.shares, default=0.0) * column.present
        share, has_several, whose = max(most, column.missing) / column.rows, False, "rows"
    else:
        known = persons.shares[column.name]
        share, has_several, whose = known.largest, known.has_several, "persons"
    why = f"{percent(share)} of the {whose} have the most frequent value"
    is_skewed = share > SKEWED_SHARE
    if choice.isdecimal():
        model = {"model": "l-diversity", "l": int(choice), "attribute": column.name}
        return model, f"{why}; l = {choice}: {CHOSEN}"
    if choice == "t" or (is_skewed and not has_several):
        model = {"model": "t-closeness", "t": SKEWED_T, "attribute": column.name}
        return model, f"{why}: the share of every other value in a class is near that in the table"
    l = 3 if k > 3 and share <= 1 / 4 else 2  # noqa: E741 - the letter of the papers
    model = {"model": "l-diversity", "l": l, "attribute": column.name}
    if is_skewed:
        return model, f"{why}; l = {l}: in every class somebody does not have it"
    return model, f"{why}, so l = {l} can hold in classes of {k}"


def _method(
    survey: Survey, hierarchies: Mapping[str, ProposedHierarchy], counts_persons: bool,
    is_linked: bool, is_refined: bool, purpose: Purpose, reasons: dict[str, list[str]],
) -> dict[str, Any]:  # fmt: skip
    """The keys `method` and `suppression`; their reasons are added.

    Args:
        is_refined: whether no promise reads values, and what passes leave, fewer than k, is little.
    """
    nodes = math.prod(hierarchy.levels for hierarchy in hierarchies.values())
    rows = survey.table.rows
    is_small = nodes <= MOST_NODES and rows <= MOST_ROWS
    if counts_persons and not is_linked:
        is_small = nodes <= MOST_NODES_OF_PERSONS and rows <= MOST_ROWS_OF_PERSONS
    whose = "Persons with rare histories" if is_linked else "Rows of small classes"
    coarsen = "they do not coarsen all" if is_linked else "a few rare persons do not coarsen all"
    suppression = f"{whose} are suppressed, so that {coarsen}."
    limit = {"limit": LINKED_LIMIT if is_linked else purpose.suppression_limit}
    if is_small and (is_refined or is_linked):
        method: dict[str, Any] = {"name": "optimal"}
        why = (
            f"One level for each whole column, the best of {number(nodes)} combinations of levels."
        )
        if is_refined and not is_linked:
            method |= {"passes": "auto", "refine": True}
            why = (
                f"The best of {number(nodes)} combinations of levels; rows that it leaves are"
                " searched again. Then single classes get finer levels as far as they keep k."
            )
        reasons |= {"method": [why], "suppression": [suppression]}
        return {"method": method, "suppression": limit}
    counted = "rows of persons" if counts_persons else "rows"
    why = f"{number(rows)} {counted} and {number(nodes)} combinations of levels are too many to"
    why += " search for the best; "
    if is_small:
        why = "One level for each whole column would lose more with these promises; "
    if is_linked:
        why += (
            "datafly raises one column after the other, and histories can be joined only where a"
            " whole column has one level."
        )
        reasons |= {"method": [why], "suppression": [suppression]}
        return {"method": {"name": "datafly"}, "suppression": limit}
    why += (
        "mondrian cuts the rows into small classes, each with its own ranges, and suppresses none."
    )
    reasons |= {"method": [why], "suppression": []}
    return {"method": {"name": "mondrian"}}
