"""The plan that `init` proposes: roles, hierarchies, promises and method, each with its reason."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlanon.discovery.ladders import Ladder, proposed_ladder
from sqlanon.discovery.roles import ProposedRole, Role, number, percent, proposed_roles
from sqlanon.discovery.singling import SinglingSet
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

MOST_NODES_OF_PERSONS = 5_000
"""The same where persons are counted, so that fewer promises prune the search."""

SUPPRESSION_LIMIT = 0.02


@dataclass(frozen=True)
class Proposal:
    """A proposed plan.

    Attributes:
        plan: its keys and values, as `sqlanon.load_plan` reads them.
        roles: the role of each column.
        ladders: the hierarchy of each quasi-identifier.
        reasons: why the other keys have their values, by key; of `privacy`, one for each entry.
        survey: what it follows from.
        singling: the sets of columns that single rows out.
    """

    plan: dict[str, Any]
    roles: Mapping[str, ProposedRole]
    ladders: Mapping[str, Ladder]
    reasons: dict[str, list[str]]
    survey: Survey
    singling: tuple[SinglingSet, ...]


def proposed(
    survey: Survey,
    singling: tuple[SinglingSet, ...],
    source: Source,
    publish: Mapping[str, str],
    chosen: Mapping[str, Role],
) -> Proposal:
    """Propose a plan.

    Args:
        survey: what is known of the source.
        singling: the sets of columns that single rows out.
        source: how the plan reads it.
        publish: where the publication goes.
        chosen: roles that a person chose.

    Raises:
        PlanError: the source has too few rows or persons, or no column that can be published.
    """
    roles = proposed_roles(survey, dict(chosen))
    unit = next((name for name, role in roles.items() if role.is_unit), None)
    persons = survey.columns[unit].statistics.distinct if unit else survey.table.rows
    if persons < _FEWEST_PERSONS:
        raise PlanError(
            f"The source has {persons} {'person' if unit else 'row'}(s); nobody can be hidden"
            " among so few.",
            where="source",
            fix=f"give a source with {_FEWEST_PERSONS} rows or more, of different persons",
        )
    ladders = {
        name: proposed_ladder(survey.columns[name], source)
        for name, role in roles.items()
        if role.role == "quasi-identifier"
    }
    if not ladders:
        raise PlanError(
            "No column can be a quasi-identifier, so there is nothing to generalize.",
            where="columns",
            fix="select other columns, or give one of them the role quasi-identifier",
        )
    columns = {
        name: _column(role, ladders.get(name), survey.columns[name]) for name, role in roles.items()
    }
    k, why = _k(persons, "persons" if unit else "rows")
    privacy: list[dict[str, Any]] = [{"model": "k-anonymity", "k": k}]
    reasons = {"privacy": [why], "unit": [], "method": [], "suppression": []}
    for name, role in roles.items():
        if role.role == "sensitive":
            promise, why = _promise(survey.columns[name], k)
            privacy.append(promise)
            reasons["privacy"].append(why)
    method, suppression = _method(survey, ladders, unit is not None, reasons)
    plan: dict[str, Any] = {"source": dict(_stated(source)), "columns": columns}
    if unit:
        plan["unit"] = unit
        reasons["unit"].append(
            f"{number(persons)} persons have {number(survey.table.rows)} rows, so k and l count"
            " persons. Its pseudonyms are random and new in every run; they show which rows are of"
            " one person, and nothing else."
        )
    plan |= {"privacy": privacy, "method": method}
    if suppression:
        plan["suppression"] = suppression
    plan["publish"] = dict(publish)
    return Proposal(plan, roles, ladders, reasons, survey, singling)


_FEWEST_PERSONS = 2


def _stated(source: Source) -> dict[str, Any]:
    return source.model_dump(mode="python", exclude_defaults=True, exclude_none=True)


def _column(role: ProposedRole, ladder: Ladder | None, column: ColumnSurvey) -> dict[str, Any]:
    if role.is_unit:
        return {"role": "identifier", "action": "pseudonym", "key": "random"}
    planned: dict[str, Any] = {"role": role.role}
    if ladder is not None and ladder.rule is not None:
        planned["hierarchy"] = ladder.rule
        if column.statistics.has_time_zone:
            planned["type"] = "ordinal"  # cuts by date know no time zone
    return planned


def _k(persons: int, of_what: str) -> tuple[int, str]:
    for k, fewest, why in _CHOICES_OF_K:
        if persons >= fewest:
            return k, f"k = {k}: {why} ({number(persons)} {of_what})"
    raise AssertionError("the last choice has no limit")


_CHOICES_OF_K = (
    (10, 1_000_000, "a large table can afford more than the usual 5"),
    (5, 500, "no group below 5, as offices of statistics count"),
    (3, 50, "a small table would lose nearly everything with 5"),
    (2, 0, "with so few, more would leave nothing"),
)
"""k, the fewest persons for it, and the reason."""


def _promise(column: ColumnSurvey, k: int) -> tuple[dict[str, Any], str]:
    """The promise about a sensitive attribute, which holds for the table as one class."""
    share = column.largest_share
    told = f"the most frequent value has {percent(share)} of the rows"
    if share > SKEWED_SHARE:
        promise = {"model": "t-closeness", "t": SKEWED_T, "attribute": column.name}
        return promise, f"{told}: classes must not have many more of the rare ones than the table"
    l = 3 if k > 3 and share <= 1 / 4 else 2  # noqa: E741 - the letter of the papers
    promise = {"model": "l-diversity", "l": l, "attribute": column.name}
    return promise, f"{told}, so l = {l} can hold in classes of {k}"


def _method(
    survey: Survey, ladders: Mapping[str, Ladder], counts_persons: bool,
    reasons: dict[str, list[str]],
) -> tuple[dict[str, Any], dict[str, Any]]:  # fmt: skip
    """The method, and the suppression that goes with it."""
    nodes = math.prod(ladder.levels for ladder in ladders.values())
    rows = survey.table.rows
    most = MOST_NODES_OF_PERSONS if counts_persons else MOST_NODES
    if nodes <= most and rows <= MOST_ROWS:
        reasons["method"].append(
            f"One level for each whole column, the best of {number(nodes)} combinations of levels."
        )
        reasons["suppression"].append(
            "Rows of small classes are left out, so that a few rare persons do not coarsen all."
        )
        return {"name": "optimal"}, {"limit": SUPPRESSION_LIMIT}
    why = (
        f"{number(rows)} rows" if rows > MOST_ROWS
        else f"{number(nodes)} combinations of levels" + (" and persons" if counts_persons else "")
    )  # fmt: skip
    reasons["method"].append(
        f"{why} are too many to search for the best; mondrian cuts the rows into small classes,"
        " each with its own ranges, and suppresses none."
    )
    return {"name": "mondrian"}, {}
