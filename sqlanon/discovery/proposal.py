"""The plan that `init` proposes: roles, hierarchies, promises and method, each with its reason."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sqlanon.discovery.ladders import Ladder, proposed_ladder
from sqlanon.discovery.person_keys import is_key_of_persons, may_be_key
from sqlanon.discovery.persons import Persons
from sqlanon.discovery.roles import ProposedRole, number, percent
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

LINKED_LIMIT = 0.1
"""The same of linked histories, where a person is left out with all rows: each row tells more."""

MOST_LINKED_ROWS = 10
"""Rows of a person up to which linked histories are proposed: of 10,000 devices with 20 rows each,
all were alone, at whatever level of the times and kinds of rows but the highest."""


@dataclass(frozen=True)
class Proposal:
    """A proposed plan.

    Attributes:
        plan: its keys and values, as `sqlanon.load_plan` reads them.
        roles: the role of each column.
        ladders: the hierarchy of each quasi-identifier.
        reasons: why the other keys have their values, by key; of `privacy`, one for each entry.
        unit: the column that identifies persons; None if rows are counted.
        warnings: why the promises may not hold for persons, in sentences.
        survey: what it follows from.
        singling: the sets of columns that single rows out.
    """

    plan: dict[str, Any]
    roles: Mapping[str, ProposedRole]
    ladders: Mapping[str, Ladder]
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
    *,
    histories: bool = False,
) -> Proposal:
    """Propose a plan."""
    unit = unit_of(roles)
    count = survey.table.rows if persons is None else persons.count
    if count < _FEWEST_PERSONS:
        raise PlanError(
            f"The source has {count} {'row' if persons is None else 'person'}(s); nobody can be"
            " hidden among so few.",
            where="source",
            fix=f"give a source with {_FEWEST_PERSONS} rows or more, of different persons",
        )
    roles = {name: _hidden_if_everybody_has_it(name, role, persons) for name, role in roles.items()}
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
    k, why = _k(count, "rows" if persons is None else "persons")
    privacy: list[dict[str, Any]] = [{"model": "k-anonymity", "k": k}]
    reasons: dict[str, list[str]] = {"privacy": [why], "unit": [], "method": [], "suppression": []}
    for name, role in roles.items():
        if role.role == "sensitive":
            promise, why = _promise(survey.columns[name], k, persons)
            privacy.append(promise)
            reasons["privacy"].append(why)
    warnings = _warnings(survey, roles, unit)
    against = _against_histories(persons, k) if histories else None
    if against is not None:
        warnings.append(f"Linked histories are not proposed: {against}")
    is_linked = histories and against is None
    method, suppression = _method(survey, ladders, unit is not None, is_linked, reasons)
    if method["name"] == "mondrian":
        ladders = {name: ladder.where_cut for name, ladder in ladders.items()}
    columns = {
        name: _column(role, ladders.get(name), survey.columns[name]) for name, role in roles.items()
    }
    plan: dict[str, Any] = {"source": dict(_stated(source)), "columns": columns}
    if unit and persons:
        if is_linked:
            columns[unit] = {"role": "identifier", "action": "pseudonym", "key": "random"}
            plan["unit"], why = _linked(unit, persons)
        else:
            plan["unit"], why = _unlinked(unit, persons, columns)
        rows = number(survey.table.rows)
        reasons["unit"].append(f"{number(persons.count)} persons have {rows} rows, {why}")
    plan |= {"privacy": privacy, "method": method}
    if suppression:
        plan["suppression"] = suppression
    plan["publish"] = dict(publish)
    return Proposal(plan, roles, ladders, reasons, unit, warnings, survey, singling)


def unit_of(roles: Mapping[str, ProposedRole]) -> str | None:
    """The column that identifies persons; None if every row is one."""
    return next((name for name, role in roles.items() if role.is_unit), None)


def _unlinked(
    unit: str, persons: Persons, columns: Mapping[str, Any]
) -> tuple[str | dict[str, Any], str]:
    """The key `unit` of a plan that publishes no key of persons, and why."""
    taken = {name.lower() for name in columns}
    count = next(name for name in _names_of_count() if name not in taken)
    why = (
        "so the promises count persons. No key of them is published, so nothing joins the rows of a"
        f" person; the column {count} has the number of persons of the class."
    )
    return unit if count == _COUNT else {"column": unit, "count": count}, why


def _linked(unit: str, persons: Persons) -> tuple[dict[str, Any], str]:
    """The key `unit` of a plan that publishes histories, and why."""
    most = persons.most_rows
    why = (
        f"and {percent(persons.share_within(most))} of them at most {most}; of the others, {most}"
        " rows each are published. A pseudonym, new in every run, joins the rows of a person:"
        " persons are alike only if all their published rows are, and who is alike to too few is"
        " left out whole."
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


_COUNT = "persons"


def _names_of_count() -> Iterator[str]:
    """Names of the published column with the number of persons, the preferred one first."""
    yield _COUNT
    yield from (f"{_COUNT}_{n}" for n in itertools.count(2))


def _hidden_if_everybody_has_it(
    name: str, role: ProposedRole, persons: Persons | None
) -> ProposedRole:
    """The role; a sensitive attribute with a value that all persons have is left out."""
    if role.role == "sensitive" and persons and persons.shares[name].largest == 1:
        reason = "left out, as every person has one of its values, which no class could hide"
        return ProposedRole("identifier", f"{reason}: {role.reason}")
    return role


def _warnings(survey: Survey, roles: Mapping[str, ProposedRole], unit: str | None) -> list[str]:
    """Why rows that the plan counts may not be persons."""
    if unit is not None:
        return []
    found = []
    for name, column in survey.columns.items():
        counted = column.statistics
        values = f"{number(counted.distinct)} values in {number(counted.present)} rows"
        if is_key_of_persons(column) and counted.missing:
            found.append(
                f"'{name}' looks like the key of a person ({values}), and {number(counted.missing)}"
                " rows have none, so this plan counts rows: a class of k rows can be of fewer than"
                f" k persons. Leave out or fill in these rows, and write `unit: {name}`."
            )
        elif is_key_of_persons(column) or may_be_key(column):
            what = "is" if is_key_of_persons(column) else "could be"
            found.append(
                f"'{name}' {what} the key of a person or device ({values}), and this plan counts"
                " rows: a class of k rows can be of fewer than k persons. If its values are of one"
                f" person each, write `unit: {name}` and `{name}: identifier`."
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


def _stated(source: Source) -> dict[str, Any]:
    return source.model_dump(mode="python", exclude_defaults=True, exclude_none=True)


def _column(role: ProposedRole, ladder: Ladder | None, column: ColumnSurvey) -> dict[str, Any]:
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


def _promise(column: ColumnSurvey, k: int, persons: Persons | None) -> tuple[dict[str, Any], str]:
    """The promise about a sensitive attribute, which holds for the table as one class."""
    if persons is None:
        share, has_several, whose = column.largest_share, False, "rows"
    else:
        known = persons.shares[column.name]
        share, has_several, whose = known.largest, known.has_several, "persons"
    told = f"{percent(share)} of the {whose} have the most frequent value"
    if share > SKEWED_SHARE and not has_several:
        promise = {"model": "t-closeness", "t": SKEWED_T, "attribute": column.name}
        return promise, f"{told}: classes must not have many more of the rare ones than the table"
    l = 3 if k > 3 and share <= 1 / 4 else 2  # noqa: E741 - the letter of the papers
    promise = {"model": "l-diversity", "l": l, "attribute": column.name}
    if share > SKEWED_SHARE:
        return promise, f"{told}; l = {l}: in every class somebody does not have it"
    return promise, f"{told}, so l = {l} can hold in classes of {k}"


def _method(
    survey: Survey, ladders: Mapping[str, Ladder], counts_persons: bool, is_linked: bool,
    reasons: dict[str, list[str]],
) -> tuple[dict[str, Any], dict[str, Any]]:  # fmt: skip
    """The method, and the suppression that goes with it."""
    nodes = math.prod(ladder.levels for ladder in ladders.values())
    rows = survey.table.rows
    most = MOST_NODES_OF_PERSONS if counts_persons and not is_linked else MOST_NODES
    if nodes <= most and rows <= MOST_ROWS:
        reasons["method"].append(
            f"One level for each whole column, the best of {number(nodes)} combinations of levels."
        )
        reasons["suppression"].append(_WHY_LINKED if is_linked else _WHY_SUPPRESSED)
        return {"name": "optimal"}, {"limit": LINKED_LIMIT if is_linked else SUPPRESSION_LIMIT}
    why = (
        f"{number(rows)} rows" if rows > MOST_ROWS
        else f"{number(nodes)} combinations of levels" + (" and persons" if counts_persons else "")
    )  # fmt: skip
    if is_linked:
        reasons["method"].append(
            f"{why} are too many to search for the best; datafly raises one column after the other,"
            " and histories can be joined only where a whole column has one level."
        )
        reasons["suppression"].append(_WHY_LINKED)
        return {"name": "datafly"}, {"limit": LINKED_LIMIT}
    reasons["method"].append(
        f"{why} are too many to search for the best; mondrian cuts the rows into small classes,"
        " each with its own ranges, and suppresses none."
    )
    return {"name": "mondrian"}, {}


_WHY_SUPPRESSED = (
    "Rows of small classes are left out, so that a few rare persons do not coarsen all."
)
_WHY_LINKED = "Persons with rare histories are left out, so that they do not coarsen all."
