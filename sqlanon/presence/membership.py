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

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from sqlanon.errors import PlanError
from sqlanon.presence.counting import decisions
from sqlanon.presence.decisions import DEFAULT_LIMITS, Limits, NoOutcomeError, Value
from sqlanon.presence.persons import PersonCell, Presence
from sqlanon.sql.render import render
from sqlanon.sql.step import Rows, Search, Step

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
    known: Sequence[int] | None = None,
    within: Sequence[tuple[int, int]] | None = None,
    lower_bounds: Collection[int] = (),
    limits: Limits = DEFAULT_LIMITS,
    where: str = "population",
    measures: Mapping[str, Any] | None = None,
) -> Presence:
    """Who is in a table, from given cells and counts.

    Args:
        cells: one per bucket and combination of values: bucket, a value of each column group,
            persons. No person may be in two cells.
        marginals: one per bucket, column group and value: these three (groups from 1), and rows.
        persons: persons of the population; by default, those of the cells.
        known: how many persons of each cell are in the table, if the caller knows; it proves that
            other outcomes exist, and does not change any probability.
        within: bounds of these numbers that are already known.
        lower_bounds: united buckets, about which an attacker may know more than the counts.
        limits: limits of the work on each component.
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
        decided = decisions(named, counts, known=known, within=within, limits=limits)
    except NoOutcomeError:
        raise lacking(where) from None
    found = tuple(
        PersonCell(bucket, tuple(values), count, decision, bucket in lower_bounds)
        for (bucket, *values, count), decision in zip(cells, decided, strict=True)
    )
    everybody = sum(cell.persons for cell in found) if persons is None else persons
    return Presence(found, rows, everybody, **(measures or {}))


def presence_of(
    cells: str,
    marginals: str,
    group_count: int,
    *,
    title: str = "membership",
    persons: int | None = None,
    lower_bounds: Collection[int] = (),
    limits: Limits = DEFAULT_LIMITS,
    where: str = "population",
    measures: Mapping[str, Any] | None = None,
) -> Search[Presence]:
    """Who is in a table, from relations of cells and counts: propagation in SQL, then counting.

    Args:
        cells: bucket, value_1 … of each column group, person_count.
        marginals: bucket, group_number, value, row_count.
        group_count: column groups.
        title: prefix of the names of all steps.

    The other arguments are those of `counted_presence`.

    Raises:
        PlanError: the population lacks members.
    """
    bounds = f"{title}_bounds_0"
    yield Step(
        bounds,
        render(
            "presence/first_bounds.sql",
            name=bounds, cells=cells, marginals=marginals, group_count=group_count,
        ),
    )  # fmt: skip
    for number in range(1, ROUNDS + 1):
        previous, bounds = bounds, f"{title}_bounds_{number}"
        sql = render(
            "presence/next_bounds.sql",
            name=bounds, previous=f"sqlanon.{previous}", group_count=group_count,
        )  # fmt: skip
        yield Step(bounds, sql)
        if not (yield from _changes(bounds)):
            break
    relation = f"sqlanon.{bounds}"
    name = f"{title}_contradictions"
    ((contradictions,),) = yield Step(
        name,
        render(
            "presence/contradictions.sql",
            name=name, bounds=relation, marginals=marginals, group_count=group_count,
        ),
        "rows",
    )  # fmt: skip
    if contradictions:
        raise lacking(where)
    name = f"{title}_counted_cells"
    rows = yield Step(
        name,
        render("presence/counted_cells.sql", name=name, bounds=relation, group_count=group_count),
        "rows",
    )
    name = f"{title}_counted_marginals"
    counts = yield Step(
        name, render("presence/counted_marginals.sql", name=name, marginals=marginals), "rows"
    )
    return counted_presence(
        [row[:-2] for row in rows],
        counts,
        persons=persons,
        within=[(lowest, highest) for *_, lowest, highest in rows],
        lower_bounds=lower_bounds,
        limits=limits,
        where=where,
        measures=measures,
    )


def presence(
    column_groups: Sequence[Sequence[str]],
    *,
    rows: str = "sqlanon.published_rows",
    bucket: str = "bucket",
    population: str = "sqlanon.population_combinations",
    population_count: str = "population_count",
    generalized: Collection[str] = (),
    levels: str = "sqlanon.hierarchy_levels",
    title: str = "membership",
    limits: Limits = DEFAULT_LIMITS,
    where: str = "population",
) -> Search[Presence]:
    """Who is in a bucketized publication.

    Args:
        column_groups: the published quasi-identifiers that stay together in each row; each group
            was permuted separately within every bucket.
        rows: the published rows, with all these columns and the bucket.
        bucket: the column that numbers the buckets; never null.
        population: distinct combinations of the same quasi-identifiers, and `population_count`.
        generalized: the columns that were published as labels of their hierarchies, with one level
            per bucket; other columns are published unchanged.
        levels: the labels of each value: attribute, value, label.
        title: prefix of the names of all steps.
        limits: limits of the work on each component.
        where: the place of the population, for errors.

    Raises:
        PlanError: the population lacks members.
    """
    columns = [name for group in column_groups for name in group]
    number_of = {name: number for number, name in enumerate(columns, start=1)}
    count = len(column_groups)
    values = [f"sqlanon.{title}_values_{number}" for number in range(1, count + 1)]
    matches = [f"sqlanon.{title}_matches_{number}" for number in range(1, count + 1)]
    combinations, candidates = f"sqlanon.{title}_combinations", f"sqlanon.{title}_candidates"

    def made(name: str, template: str, **inputs: Any) -> Step:
        """The table of a template."""
        return Step(f"{title}_{name}", render(template, name=f"{title}_{name}", **inputs))

    def asked(name: str, template: str, **inputs: Any) -> Step:
        """The question of a template."""
        return Step(f"{title}_{name}", render(template, name=f"{title}_{name}", **inputs), "rows")

    yield made(
        "combinations",
        "presence/combinations.sql",
        columns=columns, population=population, population_count=population_count,
    )  # fmt: skip
    for number, group in enumerate(column_groups, start=1):
        yield made(
            f"values_{number}",
            "presence/published_values.sql",
            group_number=number, columns=list(group), rows=rows, bucket=bucket,
        )  # fmt: skip
        yield made(
            f"matches_{number}",
            "presence/matches.sql",
            group_number=number,
            columns=[(number_of[name], name, name in generalized) for name in group],
            combinations=combinations,
            values=values[number - 1],
            levels=levels,
        )
    order = yield asked("match_counts", "presence/match_counts.sql", matches=matches)
    yield made(
        "candidates",
        "presence/candidates.sql",
        groups=[
            (number, [number_of[name] for name in column_groups[number - 1]], matches[number - 1])
            for number, _ in order
        ],
        group_count=count,
        combinations=combinations,
    )
    ((persons, matching, mean, most, several),) = yield asked(
        "matching_buckets",
        "presence/matching_buckets.sql",
        candidates=candidates, combinations=combinations,
    )  # fmt: skip
    if not matching:
        raise lacking(where)
    ((fake_share,),) = yield asked(
        "fake_tuples", "presence/fake_tuples.sql", candidates=candidates, values=values
    )
    roots = ""
    if several:
        yield made("links", "presence/links.sql", candidates=candidates, group_count=count)
        yield made("roots_0", "presence/roots.sql", values=values)
        roots = yield from _united(title)
    marginals = f"sqlanon.{title}_marginals"
    yield made("marginals", "presence/marginals.sql", values=values, roots=roots)
    yield made("cells", "presence/cells.sql", candidates=candidates, roots=roots, group_count=count)
    united: Rows = ()
    if several:
        united = yield asked(
            "united_buckets",
            "presence/united_buckets.sql",
            marginals=marginals, group_count=count,
        )  # fmt: skip
    return (
        yield from presence_of(
            f"sqlanon.{title}_cells",
            marginals,
            count,
            title=title,
            persons=persons,
            lower_bounds={row[0] for row in united},
            limits=limits,
            where=where,
            measures={
                "mean_buckets": mean,
                "most_buckets": most,
                "fake_share": min(fake_share, 1.0),
            },
        )
    )


def _united(title: str) -> Search[str]:
    """The relation of roots, after rounds that are repeated until none finds a lower root."""
    number = 0
    while True:
        previous, number = f"sqlanon.{title}_roots_{number}", number + 1
        name = f"{title}_roots_{number}"
        sql = render(
            "presence/united_roots.sql",
            name=name, previous=previous, links=f"sqlanon.{title}_links",
        )  # fmt: skip
        yield Step(name, sql)
        if not (yield from _changes(name)):
            return f"sqlanon.{name}"


def _changes(relation: str) -> Search[int]:
    """Number of rows that changed in the round that made a relation."""
    name = f"{relation}_changes"
    ((changes,),) = yield Step(
        name,
        render("presence/changes.sql", name=name, relation=f"sqlanon.{relation}"),
        "rows",
    )
    return int(changes)
