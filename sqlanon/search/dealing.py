"""The problem that dealing methods solve: rows are dealt to buckets by a sensitive value.

The greedy choice of anatomy depends only on the counts of values, so it is made here, in Python.
One statement then assigns the rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from sqlanon.errors import NoSolutionError
from sqlanon.privacy_models.t_closeness import of_distance
from sqlanon.search.decisions import counted_inputs
from sqlanon.search.partition import PartitionProblem
from sqlanon.search.parts import Parts, row_keys
from sqlanon.sql.render import question, render
from sqlanon.sql.step import CSV_OPTIONS, Search, Step

BUCKET_DISTANCES = "bucket_distances.csv"
"""File in the target folder that shows the distance of dealt buckets from the table."""


class Turn(NamedTuple):
    """A run of buckets that are filled in the same way; values are given by frequency rank, from 1.

    Attributes:
        first_bucket: number of the first bucket, from 1.
        bucket_count: number of buckets.
        always: ranks from 1 to this one give a row to each bucket.
        sharing: this many of the next ranks take turns cyclically, from the last to the first.
        chosen: how many of the ranks that take turns give a row to each bucket.
        offset: picks of the cycle that the previous turn has already made.
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
    """A quasi-identifier at a level: only rows that share their label there are dealt together.

    Attributes:
        word: stands for it in generated names, such as `label_of_age`.
    """

    name: str
    word: str
    hierarchy: str
    level: int

    def named(self, what: str) -> str:
        """The generated name of this of its columns or relations."""
        return f"{what}_of_{self.word}"


class Leftover(NamedTuple):
    """A leftover row of a value, which goes to a bucket without that value."""

    rank: int
    bucket: int


def anatomy_turns(counts: Sequence[int], size: int) -> tuple[list[Turn], list[Leftover]]:
    """Anatomy: while `size` values have rows left, take one row of each of the `size` largest.

    Equally frequent values take turns. So the values that are as frequent as the last one chosen
    shrink together, and one `Turn` describes all buckets for which the order of the values does
    not change.

    Args:
        counts: rows per value, descending.
        size: rows of a bucket, all with different values; 2 or more.

    Returns:
        the turns, and the buckets of the leftover rows.

    Raises:
        ValueError: a value has more than one row in `size`, or the counts are not descending.

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
    """The longest turn that keeps the order of the values by remaining rows."""
    level = left[size - 1]
    always = sum(count > level for count in left)
    at_level = sum(count == level for count in left)
    sharing = at_level + sum(count == level - 1 for count in left) if level > 1 else at_level
    chosen, offset = size - always, sharing - at_level
    below = left[always + sharing] if always + sharing < len(left) else 0
    lowest_above = left[always - 1] if always else None

    def goes_on(step: int) -> bool:
        """Whether the values are still in order before and after this step."""
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
    """A bucket without the value for each leftover row; distinct buckets as long as possible."""
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
    """Rows to be dealt, and what must hold for every bucket.

    Attributes:
        attribute: the sensitive attribute whose values decide the dealing.
        strata: quasi-identifiers and levels: only rows with equal labels are dealt together.
        apart: whether no bucket gets a value twice, by `Turn`s; else values are stacked.
        parts: the columns of each part of a row that is permuted afterwards.
    """

    attribute: str = ""
    strata: tuple[Stratum, ...] = ()
    apart: bool = False
    parts: Parts = ()

    @property
    def has_dealt_rows(self) -> bool:
        return True

    @property
    def splits_attributes(self) -> bool:
        return False

    @property
    def made(self) -> str:
        return "rows are dealt to them (step dealt_rows)"

    @property
    def has_kinds(self) -> bool:
        """Where only dealt values are counted, the stack alone tells which buckets have them."""
        is_parted = self.apart or self.strata or self.attributes
        return not is_parted and len(self.counted) == 1

    def measured_steps(self) -> list[Step]:
        """The contents of the buckets, for the promises (and for labels, if there are any)."""
        if not self.has_kinds:
            inputs = {"attributes": self.attributes, "counted": self.counted}
            sql = render("buckets/bucket_cells.sql", names=self.row_names, **inputs)
            return [Step("class_cells", sql)]
        sql = render("buckets/stacked_cells.sql", column=self.counted[0], k=self.k)
        return [Step("class_cells", sql), Step("bucket_kinds", render("buckets/bucket_kinds.sql"))]

    def dealt_rows_step(self) -> Step:
        """Stack-and-Deal: every row with its bucket; one statement."""
        return self._dealt("dealt_rows", strata=list(self.strata), k=self.k)

    def anatomized_rows_step(self, turns: Sequence[Turn], leftovers: Sequence[Leftover]) -> Step:
        """Anatomy: every row with its bucket, according to the turns."""
        return self._dealt("anatomized_rows", turns=list(turns), leftovers=list(leftovers))

    def _dealt(self, template: str, **inputs: object) -> Step:
        inputs |= {"values": self._table_values, "keys": row_keys(self.parts)}
        sql = render(
            f"buckets/{template}.sql", attribute=self.attribute, names=self.row_names, **inputs
        )
        return Step("dealt_rows", sql)

    @property
    def _table_values(self) -> str:
        """The relation with the values of the attribute."""
        return self.promises.named("table_values", self.attribute)

    def value_counts(self) -> Search[list[int]]:
        """Ask for the rows of each value of the attribute, the most frequent first."""
        inputs = {"attribute": self.attribute, "values": self._table_values}
        rows = yield question("buckets/value_counts", **inputs)
        return [int(count) for (count,) in rows]

    def reader_steps(self, folder: str, *, with_values: bool) -> list[Step]:
        """The copy of each bucket's distance from the table to a file."""
        sql = render("buckets/shown_distances.sql")
        file = f"{folder}/{BUCKET_DISTANCES}"
        return [Step("shown_distances", sql, "copy", target=file, copy_options=CSV_OPTIONS)]

    def measures(self) -> Search[dict[str, Any]]:
        """The largest and mean distance of buckets from the table, and the fewest values of one."""
        yield Step("bucket_distances", self._distances())
        ((largest, mean, fewest),) = yield question("buckets/measured_distances")
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
            "model_checks": self.model_checks(promises, ["class"]),
            "values_counted": counted_inputs(promises)["values_counted"],
            "kinds": self.has_kinds,
        }
        return render("buckets/bucket_distances.sql", **inputs)

    def require_eligible(self, counts: Sequence[int]) -> None:
        """Check that no value has more rows than there can be buckets.

        Raises:
            NoSolutionError: a value is too frequent for buckets of k different values.
        """
        largest = sum(counts) // max(counts)
        if largest < self.k:
            raise NoSolutionError(
                f"A value of '{self.attribute}' is too frequent: for buckets of {self.k} different"
                f" values, no value may have more than 1 of {self.k} rows, and one has"
                f" {max(counts):,} of {sum(counts):,}.",
                where="method anatomy",
                fix=f"ask for {largest} different values or fewer"
                if largest > 1
                else "choose another method; buckets of even two different values are impossible",
            )
