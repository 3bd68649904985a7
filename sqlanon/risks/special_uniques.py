"""What singles rows out: minimal sample uniques, SUDA scores, and the part of each column."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlanon.errors import PlanError
from sqlanon.risks.figures import ColumnScore, SinglingSet
from sqlanon.sql.render import question, render
from sqlanon.sql.step import Search, Step

MOST_SETS = 20_000
"""Sets of columns that are looked at."""

_MOST_COLUMNS = 60
_SHOWN_SETS = 10


@dataclass(frozen=True)
class SudaScores:
    """What singles rows out.

    Attributes:
        rows: rows, or persons, that are alone on some set.
        minimal_sets: minimal sample uniques, each a row and a set.
        highest_score: the highest SUDA score of a row; 0 if no row has one.
        scale: the sum over rows of score ^ -`exponent`.
        exponent: of DIS-SUDA: 1 + (8 - columns) / 20.
        columns: by column, the strongest first.
        sets: the sets that single out most rows.
    """

    rows: int = 0
    minimal_sets: int = 0
    highest_score: float = 0.0
    scale: float = 0.0
    exponent: float = 0.0
    columns: tuple[ColumnScore, ...] = ()
    sets: tuple[SinglingSet, ...] = ()

    def dis_suda(self, uniques: int, intrusion: float) -> float:
        """The DIS-SUDA score of the row with the highest score, 0 to 1.

        Args:
            uniques: sample uniques.
            intrusion: P(correct match | unique match), above 0.

        Source: Elliot and Skinner; as sdcMicro 5.8 computes it.
        """
        if not self.rows:
            return 0.0
        scaled = math.pow(self.highest_score, self.exponent) * self.scale
        return 1 / (1 + (uniques / intrusion - uniques) / scaled)


def special_uniques(
    names: Sequence[tuple[str, str]],
    largest: int,
    relation: str = "sqlanon.published_combinations",
    row_count: str = "row_count",
    person: str = "",
    title: str = "",
) -> Search[SudaScores]:
    """Ask which rows are alone on few columns.

    The score of a row is the sum of (columns - size)! over the minimal sets on which it is alone.

    Args:
        names: the columns, and their names in the combinations.
        largest: columns of the largest sets that are looked at, 1 or more.
        relation: the combinations.
        row_count, person: their columns; with `person`, persons are counted, and not rows.
        title: what the names of relations begin with.

    Source: Elliot, Manning and Ford, A computational algorithm for handling the special uniques
    problem, Int. J. Uncertainty, Fuzziness and Knowledge-Based Systems 10(5), 2002.
    """
    count = len(names)
    largest = min(largest, count)
    looked_at = sum(math.comb(count, size) for size in range(1, largest + 1))
    if count > _MOST_COLUMNS or looked_at > MOST_SETS:
        raise PlanError(
            f"{count} columns have {looked_at:,} sets of up to {largest}; up to {MOST_SETS:,} of at"
            f" most {_MOST_COLUMNS} columns are looked at.",
            where="--largest-set",
            fix="give a smaller --largest-set, or fewer quasi-identifiers",
        )
    coded, uniques = f"{title}coded_combinations", f"{title}special_uniques"
    sql = render(
        "risks/coded_combinations.sql", columns=[alias for _, alias in names], relation=relation,
        row_count=row_count, person=person, title=coded,
    )  # fmt: skip
    yield Step(coded, sql)
    numbers = range(1, count + 1)
    sizes = range(1, largest + 1)
    sets = [list(each) for size in sizes for each in itertools.combinations(numbers, size)]
    sql = render(
        "risks/special_uniques.sql", title=uniques, coded=coded, sets=sets, person=bool(person),
        column_names=[f"column_{n}" for n in numbers],
    )  # fmt: skip
    yield Step(uniques, sql)
    rows = yield question("risks/special_unique_sets", uniques=uniques)
    own = [name for name, _ in names]
    found = [(members_of(own, mask), int(singled)) for mask, singled in rows]
    weights = [math.factorial(count - size) for size in sizes]
    exponent = 1 + (8 - count) / 20
    inputs = {"uniques": uniques, "weights": weights, "exponent": exponent}
    ((singled_rows, highest, scale),) = yield question("risks/special_unique_scores", **inputs)
    return SudaScores(
        rows=singled_rows,
        minimal_sets=sum(singled for _, singled in found),
        highest_score=highest or 0.0,
        scale=scale or 0.0,
        exponent=exponent,
        columns=tuple(_scores(own, found)),
        sets=tuple(SinglingSet(*each) for each in found[:_SHOWN_SETS]),
    )


def members_of(names: Sequence[str], mask: int) -> tuple[str, ...]:
    """The columns of a set; the first column is the highest bit."""
    last = len(names) - 1
    return tuple(name for place, name in enumerate(names) if mask >> (last - place) & 1)


def _scores(
    names: Sequence[str], found: Sequence[tuple[tuple[str, ...], int]]
) -> Iterator[ColumnScore]:
    """The part of each column, the strongest first."""
    count = len(names)
    scores = {members: rows * math.factorial(count - len(members)) for members, rows in found}
    total = sum(scores.values())
    columns = [
        ColumnScore(
            name,
            sum(rows for members, rows in found if name in members),
            sum(score for members, score in scores.items() if name in members) / total,
        )
        for name in names if total
    ]  # fmt: skip
    yield from sorted(columns, key=lambda one: -one.contribution)
