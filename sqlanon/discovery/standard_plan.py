"""What `init` changes in a proposal so that it keeps a standard, and what it leaves to an officer.

Values that are too precise are read as coarser ones in a query of the source. A column that breaks
a rule all the same, or is named like what a rule lists, is left out.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import replace
from typing import Any

from sqlanon.discovery import vocabulary as words
from sqlanon.discovery.hierarchies import ProposedHierarchy
from sqlanon.discovery.proposal import Proposal
from sqlanon.discovery.purposes import Purpose
from sqlanon.discovery.roles import ProposedRole
from sqlanon.discovery.standards import DATES, Doubt, mended, safe_harbor, year_of
from sqlanon.discovery.survey import ColumnSurvey, Survey
from sqlanon.plan.column_types import TEXT
from sqlanon.plan.plan import Plan
from sqlanon.plan.standards import LEAST_LITERALLY, Standard
from sqlanon.plan.tables import SOURCE_DATA, Source
from sqlanon.source.reading import reader_options, value_as_read
from sqlanon.sql.paths import planned
from sqlanon.sql.render import render, templated
from sqlanon.sql.step import Search, quoted, split
from sqlanon.sql.tables import table_parts

Reading = tuple[str, str]
"""The expression by which a column is read, and its name."""


def purpose_for(purpose: Purpose, standard: Standard | None) -> Purpose:
    """The purpose with the k that a standard asks for."""
    if standard is None or standard.name != "ema-0070":
        return purpose
    why = "a risk of at most 0.09, as EMA's policy 0070 has it; with 11 it would be 0.091"
    return replace(purpose, choices_of_k=((LEAST_LITERALLY, 0, why),))


def doubts_of_columns(
    plan: Plan, source: Source, survey: Survey, generalized: Container[str] = ()
) -> Search[list[Doubt]]:
    """The doubts about every column that could be published, whatever its role; after `source`.

    Args:
        plan: with the standard.
        generalized: columns whose values are not published as they are there.
    """
    types = {column.name: column.type for column in survey.table.columns if column.may_leave}
    columns = [(value_as_read(source, name, kind), name) for name, kind in types.items()]
    yield templated(
        "discovery/columns_as_read", "view",
        columns=columns, kind="table", path="", one_file=True, relation=["sqlanon", "source"],
        options=[],
    )  # fmt: skip
    return (yield from safe_harbor(plan, "sqlanon.columns_as_read", (), generalized))


def coarser_readings(plan: Plan, source: Source, survey: Survey) -> Search[list[Reading]]:
    """How columns are read of which some are too precise; empty if none is, or none can be mended.

    No query reads a table of a DuckDB file, or a data frame.
    """
    if source.database is not None or source.table == SOURCE_DATA:
        return []
    forms: dict[str, list[str]] = {}
    for doubt in (yield from doubts_of_columns(plan, source, survey)):
        if doubt.form:
            forms.setdefault(doubt.column, []).append(doubt.form)
    assert plan.standard is not None
    year = year_of(plan.standard)
    found = {
        name: _coarser(survey.columns[name], source, each, year) for name, each in forms.items()
    }
    if not any(found.values()):
        return []
    return [(found.get(name) or quoted(name), name) for name in survey.columns]


def _coarser(column: ColumnSurvey, source: Source, forms: Sequence[str], year: int) -> str | None:
    """SQL for the values of a column without these forms; None if its values do not allow it."""
    value = value_as_read(source, column.name, column.type, in_query=True)
    if all("postal" in form for form in forms):
        # numbers, and texts that were numbers, have lost the zero in front
        text = value if column.type == TEXT else f"cast({value} as varchar)"
        value = f"case when length({text}) = 4 then '0' || {text} else {text} end"
        return mended(forms[-1], value, year)
    if column.kind not in ("date", "whole"):
        return None
    if column.type == TEXT:
        value = f"cast({value} as {'date' if column.kind == 'date' else 'bigint'})"
    if column.kind == "date":
        value = mended(DATES, value, year) or ""
        forms = [form for form in forms if form != DATES]
    for form in forms:
        read = None if form == DATES else mended(form, value, year)
        if read is None:
            return None
        value = read
    return value


def coarser_source(source: Source, readings: Sequence[Reading]) -> Source:
    """The source as a query by which its columns are read so."""
    sql = render(
        "discovery/columns_as_read.sql",
        columns=readings, kind=source.file_format or "table", path=source.path or "",
        one_file=not source.is_pattern, relation=table_parts(source.table or "source"),
        options=reader_options(source),
    )  # fmt: skip
    query = planned(split(sql)[1])
    if source.query is not None:
        inner = source.query.rstrip("; \n")
        query = f"with source as (\n{inner}\n)\n{query}"
    left = {name: how for name, how in source.read.items() if (quoted(name), name) in readings}
    return Source(path=None, query=query, table=None, read=left)


def left_out(doubts: Sequence[Doubt], standard: Standard) -> dict[str, ProposedRole]:
    """The columns that are not published, by name, with the reason."""
    return {
        doubt.column: ProposedRole("identifier", f"{standard.name}, {doubt.rule}: {doubt.text}")
        for doubt in doubts
        if doubt.column
    }


def with_standard(proposal: Proposal, standard: Standard) -> Proposal:
    """The proposal with the standard, and labels of ages and years of birth that keep it."""
    year = year_of(standard)
    plan: dict[str, Any] = {**proposal.plan, "columns": {**proposal.plan["columns"]}}
    hierarchies = dict(proposal.hierarchies)
    if standard.tests_values:
        ends = {
            "age": ("highest", 90, "90 and more are one"),
            "birth": ("lowest", year - 89, f"years before {year - 89} are one"),
        }
        for name in hierarchies:
            trait = words.trait(name)
            if trait in ends and proposal.survey.columns[name].kind == "whole":
                end, number, which = ends[trait]
                rule = {"intervals": {"widths": [5, 10, 20], end: number}}
                hierarchies[name] = ProposedHierarchy(rule, 5, f"intervals of 5, 10, 20; {which}")
                # cut along the hierarchy, as ranges of their own could end beyond
                own = {**plan["columns"][name], "hierarchy": rule, "type": "categorical"}
                plan["columns"][name] = own
    names = [rule.name for rule in standard.rules if not rule.proof]
    why = (
        f"A check list, and no promise of k. No row shows whether `{'`, `'.join(names)}` hold: list"
        " under `acknowledge` what you confirm."
    )
    plan["standard"] = standard.name
    return replace(
        proposal, plan=plan, hierarchies=hierarchies,
        reasons={**proposal.reasons, "standard": [why]},
    )  # fmt: skip
