"""The minimal sets of columns that single rows out, in the sample of a survey."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from sqlanon.discovery.roles import proposed_role
from sqlanon.discovery.survey import Survey
from sqlanon.sql.render import render
from sqlanon.sql.step import Search, Step

SINGLING_SHARE = 0.05
"""Share of rows from which a set of columns is told to single people out."""

_MOST_COLUMNS = 12
_LARGEST_SET = 3
_MOST_SETS = 6


@dataclass(frozen=True)
class SinglingSet:
    """A minimal set of columns that single rows out.

    Attributes:
        columns: the columns; without any of them fewer than `SINGLING_SHARE` are singled out.
        share: the share of sampled rows that no other sampled row equals in these columns.
    """

    columns: tuple[str, ...]
    share: float


def singling_sets(survey: Survey) -> Search[tuple[SinglingSet, ...]]:
    """Ask for the minimal sets of columns that single rows out: the strongest of each size.

    Every column is tried alone. Of those that are not identifiers, and that do not single rows out
    alone, the ones with the most values are tried together, two and three at a time.
    """
    table = survey.table
    least = SINGLING_SHARE * table.sampled_rows
    single = {name: column.statistics.sampled_once for name, column in survey.columns.items()}
    found = [
        SinglingSet((name,), count / table.sampled_rows)
        for name, count in single.items()
        if count >= least
    ]
    others = sorted(
        (column.statistics for name, column in survey.columns.items()
         if single[name] < least and proposed_role(column).role != "identifier"),
        key=lambda statistics: -statistics.sampled_distinct,
    )  # fmt: skip
    names = [column.name for column in others[:_MOST_COLUMNS]]
    for size in range(2, _LARGEST_SET + 1):
        minimal = [set(one.columns) for one in found]
        sets = [
            each
            for each in itertools.combinations(names, size)
            if not any(smaller <= set(each) for smaller in minimal)
        ]
        if not sets:
            break
        aliased = [[table.aliases[name] for name in each] for each in sets]
        rows = yield Step("single_rows", render("discovery/single_rows.sql", sets=aliased), "rows")
        counts = {int(number): int(count) for number, count in rows}
        found += [
            SinglingSet(each, counts[number] / table.sampled_rows)
            for number, each in enumerate(sets, start=1)
            if counts[number] >= least
        ]
    found.sort(key=lambda one: (len(one.columns), -one.share, one.columns))
    sizes = itertools.groupby(found, key=lambda one: len(one.columns))
    return tuple(one for _, same in sizes for one in itertools.islice(same, _MOST_SETS))
