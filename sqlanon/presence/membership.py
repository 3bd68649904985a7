"""The membership attack: the probability that a person of the population is in the table.

The attacker has the published buckets, whose column groups were permuted separately, and a
population that contains the table. The database finds the buckets that a person may be in, and
bounds that follow from single values; open cells are counted (`sqlanon.presence.counting`).

All sets of persons with the published counts are equally likely. If persons may be in several
buckets, these buckets are united, which loses part of what is published: a probability is then that
of an attacker who knows less, and only "certainly in" and "certainly out" hold for all attackers.
Source: the Copenhagen thesis, Algorithm 5, on δ-presence (Nergiz et al. 2007) of sliced tables.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

from sqlanon.errors import PlanError
from sqlanon.presence.counting import decisions
from sqlanon.presence.decisions import DEFAULT_LIMITS, Limits, NoOutcomeError, Value
from sqlanon.presence.persons import PersonCell, Presence
from sqlanon.sql.render import render
from sqlanon.sql.step import Rows, Search, Step, StepKind

ROUNDS = 50
"""Maximum rounds of propagation in the database; each is sound, and counting does the rest."""


def lacking(where: str) -> PlanError:
    """The error for a population that does not contain the table."""
    return PlanError(
        "The population lacks members of the table, so no one's membership can be determined.",
        where=where,
        fix="give a population that contains every row of the table, with the same types and the"
        " same spelling",
    )


def counted_presence(
    cells: Sequence[Sequence[int]],
    marginals: Iterable[Sequence[int]],
    *,
    persons: int | None = None,
    within: Sequence[tuple[int, int]] | None = None,
    lower_bounds: Collection[int] = (),
    limits: Limits = DEFAULT_LIMITS,
    where: str = "population",
    **measures: Any,
) -> Presence:
    """Who is in a table, from given cells and counts.

    Args:
        cells: one per bucket and combination of values: bucket, a value of each column group,
            persons. No person may be in two cells.
        marginals: one per bucket, column group and value: these three (groups from 1), and rows.
        persons: persons of the population; by default, those of the cells.
        within: bounds of the persons of each cell in the table, if some are known already.
        lower_bounds: united buckets, about which an attacker may know more than the counts.
        where: the place of the population, for errors.
        measures: further fields of the result.

    Raises:
        PlanError: no set of these persons has the counts: the population lacks members.
    """
    counts: dict[Value, int] = {}
    rows: Counter[int] = Counter()
    for bucket, group, value, count in marginals:
        counts[bucket, group, value] = count
        rows[bucket] += count if group == 1 else 0
    named = [
        ([(bucket, group, value) for group, value in enumerate(values, start=1)], count)
        for bucket, *values, count in cells
    ]
    try:
        decided = decisions(named, counts, within=within, limits=limits)
    except NoOutcomeError:
        raise lacking(where) from None
    found = tuple(
        PersonCell(bucket, tuple(values), count, decision, bucket in lower_bounds)
        for (bucket, *values, count), decision in zip(cells, decided, strict=True)
    )
    everybody = sum(cell.persons for cell in found) if persons is None else persons
    return Presence(found, rows, everybody, **measures)


class _Steps(NamedTuple):
    """Makes steps whose names begin with a title."""

    title: str

    def relation(self, name: str) -> str:
        return f"sqlanon.{self.title}_{name}"

    def step(self, name: str, kind: StepKind = "table", template: str = "", **inputs: Any) -> Step:
        """The step of the template of its name, or of another one."""
        full = f"{self.title}_{name}"
        return Step(full, render(f"presence/{template or name}.sql", name=full, **inputs), kind)

    def changes(self, name: str) -> Search[int]:
        """Number of rows that changed in the round that made a relation."""
        relation = self.relation(name)
        ((changes,),) = yield self.step(f"{name}_changes", "rows", "changes", relation=relation)
        return int(changes)


def presence(
    column_groups: Sequence[Sequence[str]],
    *,
    rows: str = "sqlanon.published_rows",
    population: str = "sqlanon.population_combinations",
    population_count: str = "population_count",
    generalized: Collection[str] = (),
    title: str = "membership",
    limits: Limits = DEFAULT_LIMITS,
    where: str = "population",
) -> Search[Presence]:
    """Who is in a bucketized publication.

    Args:
        column_groups: the published quasi-identifiers that stay together in each row; each group
            was permuted separately within every bucket.
        rows: the published rows, with all these columns and `bucket`, which is never null.
        population: distinct combinations of the same quasi-identifiers, and `population_count`.
        generalized: the columns that were published as labels of their hierarchies, with one level
            per bucket; other columns are published unchanged.
        title: prefix of the names of all steps.
        limits: limits of the work on each component.
        where: the place of the population, for errors.

    Raises:
        PlanError: the population lacks members.
    """
    columns = [name for group in column_groups for name in group]
    number_of = {name: number for number, name in enumerate(columns, start=1)}
    steps, count = _Steps(title), len(column_groups)
    values = [steps.relation(f"values_{number}") for number in range(1, count + 1)]
    matches = [steps.relation(f"matches_{number}") for number in range(1, count + 1)]
    combinations, candidates = steps.relation("combinations"), steps.relation("candidates")
    yield steps.step(
        "combinations", columns=columns, population=population, population_count=population_count
    )
    for number, group in enumerate(column_groups, start=1):
        yield steps.step(
            f"values_{number}", template="published_values", group_number=number,
            columns=list(group), rows=rows,
        )  # fmt: skip
        yield steps.step(
            f"matches_{number}",
            template="matches",
            group_number=number,
            columns=[(number_of[name], name, name in generalized) for name in group],
            combinations=combinations,
            values=values[number - 1],
        )
    order = yield steps.step("match_counts", "rows", matches=matches)
    yield steps.step(
        "candidates",
        groups=[
            (number, [number_of[name] for name in column_groups[number - 1]], matches[number - 1])
            for number, _ in order
        ],
        group_count=count,
        combinations=combinations,
    )
    ((persons, matching, mean, most, several),) = yield steps.step(
        "matching_buckets", "rows", candidates=candidates, combinations=combinations
    )
    if not matching:
        raise lacking(where)
    ((fake_share,),) = yield steps.step("fake_tuples", "rows", candidates=candidates, values=values)
    roots = ""
    if several:
        yield steps.step("links", candidates=candidates, group_count=count)
        yield steps.step("roots_0", template="roots", values=values)
        roots = yield from _united(steps)
    marginals = steps.relation("marginals")
    yield steps.step("marginals", values=values, roots=roots)
    yield steps.step("cells", candidates=candidates, roots=roots, group_count=count)
    united: Rows = ()
    if several:
        united = yield steps.step("united_buckets", "rows", marginals=marginals, group_count=count)
    bounds = yield from _bounds(steps, count)
    ((contradictions,),) = yield steps.step(
        "contradictions", "rows", bounds=bounds, marginals=marginals, group_count=count
    )
    if contradictions:
        raise lacking(where)
    cells = yield steps.step("counted_cells", "rows", bounds=bounds, group_count=count)
    counts = yield steps.step("counted_marginals", "rows", marginals=marginals)
    return counted_presence(
        [row[:-2] for row in cells],
        counts,
        persons=persons,
        within=[(lowest, highest) for *_, lowest, highest in cells],
        lower_bounds={row[0] for row in united},
        limits=limits,
        where=where,
        mean_buckets=mean,
        most_buckets=most,
        fake_share=min(fake_share, 1.0),
    )


def _united(steps: _Steps) -> Search[str]:
    """The relation of roots, after rounds that are repeated until none finds a lower root."""
    for number in itertools.count(1):
        previous, name = steps.relation(f"roots_{number - 1}"), f"roots_{number}"
        links = steps.relation("links")
        yield steps.step(name, template="united_roots", previous=previous, links=links)
        if not (yield from steps.changes(name)):
            break
    return steps.relation(name)


def _bounds(steps: _Steps, count: int) -> Search[str]:
    """The relation of bounds, after rounds of propagation for so many column groups."""
    cells, marginals = steps.relation("cells"), steps.relation("marginals")
    name = "bounds_0"
    yield steps.step(
        name, template="first_bounds", cells=cells, marginals=marginals, group_count=count
    )
    for number in range(1, ROUNDS + 1):
        previous, name = steps.relation(name), f"bounds_{number}"
        yield steps.step(name, template="next_bounds", previous=previous, group_count=count)
        if not (yield from steps.changes(name)):
            break
    return steps.relation(name)
