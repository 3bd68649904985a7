"""Proofs that buckets have the rows of the source: nothing dropped, duplicated, moved or changed.

During a run, the parts of every bucket are compared with those of the rows that were put into it.
With a source but without the seed, everything that follows from the source alone is made again and
compared; for the rest it is proven that rows of the source could have been dealt this way.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlanon.sql.render import render
from sqlanon.sql.step import Search, Step

MATCHED_PAIRS = 20_000
"""Largest number of pairs of parts in a bucket for which the proof decides whether rows match."""

_FETCHED = 200_000
"""Pairs that are fetched at once; more only if a single bucket has more."""


@dataclass(frozen=True)
class Dealt:
    """What dealing promises about its buckets in addition to the models.

    Attributes:
        attribute: the sensitive attribute that decided the dealing.
        size: the fewest rows of a bucket; a stratum with fewer rows is one bucket.
        distinct: whether no bucket has a value twice; otherwise the frequencies of a value in any
            two buckets (of one stratum) differ by at most one.
        strata: quasi-identifier, table of its hierarchy, and level, which together define strata.
        combination: the column with the number of a distinct row, if buckets are read from
            `dealt_rows`; empty if they are published.
    """

    attribute: str
    size: int
    distinct: bool
    strata: Sequence[tuple[str, str, int]] = ()
    combination: str = ""

    def proof_step(self) -> Step:
        """The proof that the buckets are as the method deals them."""
        if self.distinct:
            sql = render("proof/proof_of_distinct_values.sql", attribute=self.attribute)
        else:
            sql = render(
                "proof/proof_of_dealing.sql",
                attribute=self.attribute,
                size=self.size,
                strata=list(self.strata),
                combination=self.combination,
            )
        return Step("proof_of_dealing", sql, "proof")


@dataclass(frozen=True)
class Rearranged:
    """The rows behind published buckets.

    Attributes:
        rows: the relation of rows with their buckets; it and `combinations` must exist.
        combinations: the relation of their values.
        combination: its column with the number of a distinct row.
        parts: the columns that stay together; parts are permuted separately in every bucket.
    """

    rows: str
    combinations: str
    combination: str
    parts: Sequence[Sequence[str]]

    def digest_step(self) -> Step:
        """The proof that all buckets have the parts of their rows, by digests of 64 bits."""
        sql = render("proof/proof_of_rearrangement.sql", **self._inputs(), parts=self._parts)
        return Step("proof_of_rearrangement", sql, "proof")

    def exact_steps(self) -> list[Step]:
        """The same proof value by value, part by part."""
        return [
            self._part_step(number, part, by_bucket=True)
            for number, part in enumerate(self._parts, start=1)
        ]

    def seedless_steps(self, dealt: str | None) -> list[Step]:
        """Proofs of what does not depend on the seed: parts of the table, and how values are dealt.

        Args:
            dealt: the sensitive attribute by whose values the rows were dealt; None if only rows
                at cuts were dealt.
        """
        parts = [
            self._part_step(number, part, by_bucket=False)
            for number, part in enumerate(self._parts, start=1)
        ]
        if dealt is None:
            return parts
        return [*parts, self._part_step(len(parts) + 1, [dealt], by_bucket=True)]

    def impossible_buckets(self) -> Search[int]:
        """Ask, for each two parts, how many buckets no rows of the source could have made.

        Each part of a bucket comes from one of its rows. So there must be a number of rows for each
        pair of parts, at most what the source has of the pair, such that these numbers sum to the
        frequency of each part. This is decided for buckets of up to `MATCHED_PAIRS` pairs.
        """
        impossible = 0
        for first, second in itertools.combinations(range(len(self._parts)), 2):
            name = f"matched_parts_{first + 1}_{second + 1}"
            yield Step(
                name,
                render(
                    "proof/matched_parts.sql",
                    **self._inputs(),
                    name=name,
                    first=self._parts[first],
                    second=self._parts[second],
                    most=MATCHED_PAIRS,
                    fetched=_FETCHED,
                ),
            )
            last = f"select max(run)\nfrom sqlanon.{name}"
            ((runs,),) = yield Step(f"runs_of_{name}", last, "rows")
            for run in range(0 if runs is None else runs + 1):
                sql = render("proof/matched_pairs.sql", name=name, run=run)
                pairs = yield Step(f"pairs_of_{name}", sql, "rows")
                for _, group in itertools.groupby(pairs, key=lambda row: row[0]):
                    impossible += not _fits([row[1:] for row in group])
        return impossible

    @property
    def _parts(self) -> list[list[str]]:
        return [list(part) for part in self.parts]

    def _inputs(self) -> dict[str, object]:
        return {
            "rows": self.rows,
            "combinations": self.combinations,
            "combination": self.combination,
        }

    def _part_step(self, number: int, part: Sequence[str], *, by_bucket: bool) -> Step:
        name = f"proof_of_part_{number}"
        sql = render(
            "proof/proof_of_part.sql",
            **self._inputs(),
            name=name,
            part=list(part),
            by_bucket=by_bucket,
        )
        return Step(name, sql, "proof")


def _fits(pairs: Sequence[tuple[int, int, int | None, int | None, int]]) -> bool:
    """Whether the pairs of one bucket can be chosen so that every part is used up.

    Args:
        pairs: first and second part, how often the bucket has each, and how often the source has
            both in one row; the partner of a part without one is None.
    """
    firsts = {first: count for first, _, count, *_ in pairs if count is not None}
    seconds = {second: count for _, second, _, count, _ in pairs if count is not None}
    rows = {(first, second): most for first, second, _, _, most in pairs if most}
    return fits(firsts, seconds, rows)


def fits(
    firsts: Mapping[int, int], seconds: Mapping[int, int], most: Mapping[tuple[int, int], int]
) -> bool:
    """Whether whole numbers up to `most` per pair sum to these counts of first and second parts.

    The search uses augmenting paths, breadth first: forward along pairs that can take more rows,
    and back along pairs that have some.
    """
    if sum(firsts.values()) != sum(seconds.values()):
        return False
    partners: dict[int, list[int]] = {first: [] for first in firsts}
    owners: dict[int, list[int]] = {second: [] for second in seconds}
    free, wanted, taken = dict(firsts), dict(seconds), dict.fromkeys(most, 0)
    for first, second in most:
        partners[first].append(second)
        owners[second].append(first)
        amount = min(free[first], wanted[second], most[first, second])
        taken[first, second] = amount
        free[first] -= amount
        wanted[second] -= amount
    for start in firsts:
        while free[start]:
            path = _path(start, partners, owners, wanted, most, taken)
            if path is None:
                return False
            room = min(
                most[pair] - taken[pair] if forward else taken[pair] for pair, forward in path
            )
            amount = min(free[start], wanted[path[-1][0][1]], room)
            for pair, forward in path:
                taken[pair] += amount if forward else -amount
            free[start] -= amount
            wanted[path[-1][0][1]] -= amount
    return True


def _path(
    start: int,
    partners: Mapping[int, Sequence[int]],
    owners: Mapping[int, Sequence[int]],
    wanted: Mapping[int, int],
    most: Mapping[tuple[int, int], int],
    taken: Mapping[tuple[int, int], int],
) -> list[tuple[tuple[int, int], bool]] | None:
    """Pairs from a first part to a second one that is still wanted; True for forward pairs."""
    came: dict[int, tuple[int, int] | None] = {start: None}  # by which second part, to a first
    seen: dict[int, int] = {}  # from which first part, to a second one
    queue = deque([start])
    while queue:
        first = queue.popleft()
        for second in partners[first]:
            if second in seen or taken[first, second] == most[first, second]:
                continue
            seen[second] = first
            if wanted[second]:
                return _back(second, came, seen)
            for other in owners[second]:
                if other not in came and taken[other, second]:
                    came[other] = (other, second)
                    queue.append(other)
    return None


def _back(
    second: int, came: Mapping[int, tuple[int, int] | None], seen: Mapping[int, int]
) -> list[tuple[tuple[int, int], bool]]:
    path: list[tuple[tuple[int, int], bool]] = []
    while True:
        first = seen[second]
        path.append(((first, second), True))
        back = came[first]
        if back is None:
            return path[::-1]
        path.append((back, False))
        second = back[1]
