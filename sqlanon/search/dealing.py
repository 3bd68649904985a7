"""The problem that dealing methods solve: rows dealt to buckets by a sensitive value.

Anatomy's greedy choice is a matter of counts alone, so it is made here, in Python, over the counts
of values; which row goes where follows in one statement.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from sqlanon.errors import NoSolutionError
from sqlanon.privacy_models.t_closeness import of_distance
from sqlanon.search.full_domain import counted_inputs
from sqlanon.search.partition import PartitionProblem, row_keys
from sqlanon.sql.render import render
from sqlanon.sql.step import Search, Step


class Turn(NamedTuple):
    """A run of buckets that are filled alike; values are known by their rank in frequency, from 1.

    Attributes:
        first_bucket: number of the first, from 1.
        bucket_count: how many there are.
        always: ranks 1 to this one give a row to each of them.
        sharing: the next so many ranks take turns, from the last to the first, round and round.
        chosen: how many of those give a row to each bucket.
        offset: picks of the round that the turn before has made already.
    """

    first_bucket: int
    bucket_count: int
    always: int
    sharing: int
    chosen: int
    offset: int

    def has(self, rank: int, bucket: int) -> bool:
        """Whether a bucket of the turn has a row of this rank."""
        if rank <= self.always or rank > self.always + self.sharing:
            return rank <= self.always
        first = self.offset + (bucket - self.first_bucket) * self.chosen
        place = self.always + self.sharing - rank
        return (place - first) % self.sharing < self.chosen


class Stratum(NamedTuple):
    """A quasi-identifier at a level: only rows with the same label there are dealt together."""

    name: str
    hierarchy: str
    level: int


class Leftover(NamedTuple):
    """The last row of a value, which goes to a bucket without that value."""

    rank: int
    bucket: int


def anatomy_turns(counts: Sequence[int], size: int) -> tuple[list[Turn], list[Leftover]]:
    """Anatomy: while `size` values have rows left, one row of each of the `size` largest.

    Of equally frequent values, those take turns that have not had one yet. So the values that are
    as frequent as the last one chosen shrink together, and one `Turn` stands for as many buckets
    as the order of the values stays what it is.

    Args:
        counts: rows per value, descending.
        size: rows of a bucket, of as many values; 2 or more.

    Returns:
        the turns, and where the last rows of the values that are left go.

    Raises:
        ValueError: a value is more frequent than one row in `size`, or counts are not descending.

    Source: Xiao and Tao 2006, Anatomy, figure 3.
    """
    left = list(counts)
    if left != sorted(left, reverse=True) or max(left, default=0) * size > sum(left):
        raise ValueError("counts must be descending, and none above one row in `size`")
    turns: list[Turn] = []
    bucket = 1
    while len(left) >= size and left[size - 1] > 0:
        turn = _turn(left, size, bucket)
        turns.append(turn)
        bucket += turn.bucket_count
        picks = turn.bucket_count * turn.chosen
        for rank in range(1, turn.always + 1):
            left[rank - 1] -= turn.bucket_count
        for place in range(turn.sharing):
            first = turn.offset + (place - turn.offset) % turn.sharing
            taken = -(-(turn.offset + picks - first) // turn.sharing)
            left[turn.always + turn.sharing - place - 1] -= max(0, taken)
    return turns, _leftovers(left, turns)


def _turn(left: Sequence[int], size: int, bucket: int) -> Turn:
    """The longest turn that keeps the values in the order of what they have left."""
    level = left[size - 1]
    always = sum(count > level for count in left)
    at_level = sum(count == level for count in left)
    sharing = at_level + sum(count == level - 1 for count in left) if level > 1 else at_level
    chosen, offset = size - always, sharing - at_level
    below = left[always + sharing] if always + sharing < len(left) else 0
    lowest_above = left[always - 1] if always else None

    def goes_on(step: int) -> bool:
        """Whether the values are in order still before this step, and after it."""
        picked = offset + step * chosen
        is_above = lowest_above is None or lowest_above - step > level - picked // sharing
        return is_above and level - (picked + chosen - 1) // sharing > below

    low, high = 1, 2
    while goes_on(high - 1):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if goes_on(middle - 1) else (low, middle)
    return Turn(bucket, low, always, sharing, chosen, offset)


def _leftovers(left: Sequence[int], turns: Sequence[Turn]) -> list[Leftover]:
    """For each value with a row left, a bucket without it; no two the same while there is one."""
    found: list[Leftover] = []
    for rank, count in enumerate(left, start=1):
        for _ in range(count):
            free = [
                bucket
                for turn in turns
                for bucket in range(
                    turn.first_bucket,
                    turn.first_bucket + min(turn.bucket_count, turn.sharing + len(left)),
                )
                if not turn.has(rank, bucket) and Leftover(rank, bucket) not in found
            ]
            taken = {leftover.bucket for leftover in found}
            found.append(Leftover(rank, min(free, key=lambda bucket: (bucket in taken, bucket))))
    return found


@dataclass(frozen=True)
class DealingProblem(PartitionProblem):
    """Rows to be dealt, and what must hold of every bucket.

    Attributes:
        attribute: the sensitive attribute that decides; number: among those that are counted.
        strata: quasi-identifiers and levels: only rows that are equal on these are dealt together.
        part_count: parts of rows that are permuted afterwards.
    """

    attribute: str = ""
    number: int = 0
    strata: tuple[Stratum, ...] = ()
    part_count: int = 0

    def dealt_rows_step(self) -> Step:
        """Stack-and-Deal: every row with its bucket; one statement."""
        return Step(
            "dealt_rows",
            render(
                "buckets/dealt_rows.sql",
                attribute=self.attribute,
                number=self.number,
                strata=list(self.strata),
                k=self.k,
                names=self.row_names,
                keys=row_keys(self.part_count),
            ),
        )

    def anatomized_rows_step(self, turns: Sequence[Turn], leftovers: Sequence[Leftover]) -> Step:
        """Anatomy: every row with its bucket, as the turns tell."""
        return Step(
            "dealt_rows",
            render(
                "buckets/anatomized_rows.sql",
                attribute=self.attribute,
                number=self.number,
                turns=list(turns),
                leftovers=list(leftovers),
                names=self.row_names,
                keys=row_keys(self.part_count),
            ),
        )

    def bucket_cells_step(self) -> Step:
        """What the buckets are made of, for the promises (and for labels, where there are any)."""
        return Step("class_cells", render("buckets/bucket_cells.sql", **self._cell_inputs()))

    def value_counts(self) -> Search[list[int]]:
        """Ask for the rows of each value of the attribute, the most frequent first."""
        sql = render("buckets/value_counts.sql", attribute=self.attribute, number=self.number)
        rows = yield Step("value_counts", sql, "rows")
        return [int(count) for (count,) in rows]

    def shown_distances_step(self, file: str) -> Step:
        """How far each bucket is from the table, written to a file; after `distances`."""
        sql = render("buckets/shown_distances.sql")
        options = "format csv, header true"
        return Step("shown_distances", sql, "copy", target=file, copy_options=options)

    def distances(self) -> Search[dict[str, float]]:
        """Measure every bucket; ask for the largest and mean distance, and the fewest values."""
        yield Step("bucket_distances", self._distances())
        sql = render("buckets/measured_distances.sql")
        ((largest, mean, fewest),) = yield Step("measured_distances", sql, "rows")
        return {
            "largest_distance": round(largest, 9),
            "mean_distance": round(mean, 9),
            "fewest_values": fewest,
        }

    def _distances(self) -> str:
        promises = replace(self.promises, models=(of_distance(self.attribute),))
        inputs = {
            "unit": False,
            "population": False,
            "judgements": promises.judgements(["class"]),
            "attributes_counted": counted_inputs(promises)["attributes_counted"],
        }
        return render("buckets/bucket_distances.sql", **inputs)

    def require_eligible(self, counts: Sequence[int]) -> None:
        """No value may have more rows than there can be buckets.

        Raises:
            NoSolutionError: a value is too frequent for buckets of k different values.
        """
        largest = sum(counts) // max(counts)
        if largest < self.k:
            raise NoSolutionError(
                f"A value of '{self.attribute}' is too frequent: buckets of {self.k} different"
                f" values each need every value in at most 1 of {self.k} rows, and one has"
                f" {max(counts):,} of {sum(counts):,}.",
                where="method anatomy",
                fix=f"ask for {largest} different values or less"
                if largest > 1
                else "choose another method; no two rows could be in one bucket for all of them",
            )

    def _cell_inputs(self) -> dict[str, Any]:
        counted = self.promises.counted
        return {
            "attributes": self.attributes,
            "names": self.row_names,
            "counted": [(number, name) for number, name in enumerate(counted, start=1)],
        }
