"""Dimension splitting: cut whole attributes from the top down, with the same cuts for every row."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from sqlanon.methods.partition import LabelingMethod, PartitionResult
from sqlanon.search.partition import PartitionProblem
from sqlanon.search.scales import Interval, Scale, Split
from sqlanon.sql.step import Search, SoFar, Step, reporting

_FEWEST, _MOST = 8, 512
"""Intervals whose cuts are tried in one statement: twice as many as before while all are used."""


class DimensionSplitting(LabelingMethod):
    """Single-dimensional top-down generalization: every attribute becomes a list of intervals.

    The widest interval of all attributes is cut in all rows at once: at the median or a quartile,
    or into all children of a label. Only cuts whose classes hold every promise are allowable. The
    one with the best measure of the first promise is chosen, then the most even one. An interval
    without an allowable cut is closed for good. Classes are the cross product of intervals.
    """

    guarantee: ClassVar[str] = (
        "holds the promise; greedy; if the promises are monotone, no interval can be cut further"
    )
    source: ClassVar[str] = "the splitter of the Aalborg report on l-diversity, corrected"
    name: Literal["dimension-splitting"] = "dimension-splitting"

    def search(self, problem: PartitionProblem) -> Search[PartitionResult | None]:
        scales = yield from problem.scales()
        intervals = [Interval(scale.number, 0, scale.last_place) for scale in scales]
        closed: set[Interval] = set()
        # The best cut of each interval that was tried, if any; cuts of the same attribute are made
        # in other rows, and cuts of others make finer classes of these.
        tried: dict[Interval, Split | None] = {}
        most = _FEWEST
        while widest := self._widest(scales, intervals, closed):
            if widest[0] not in tried:
                most = _FEWEST if tried else min(2 * most, _MOST)
                batch = widest[: most if problem.is_monotone else 1]
                so_far = SoFar(len(closed), "intervals cannot be cut further", len(intervals))
                tried = yield from reporting(self._tried(problem, scales, intervals, batch), so_far)
            cut = tried.pop(widest[0])
            if cut is None:
                closed.add(widest[0])  # finer classes in other places cannot make its cuts hold
                continue
            intervals.remove(cut.interval)
            intervals = sorted([*intervals, *cut.pieces])
            attribute = cut.interval.attribute_number
            tried = {
                one: found for one, found in tried.items() if one.attribute_number == attribute
            }
        yield problem.intervals_step(intervals)
        yield problem.intervals_proof_step()
        yield problem.split_cells_step()
        judged = yield from problem.judged()
        if judged.failing_classes or not judged.covers:
            return None
        is_cut = len(intervals) > len(scales)
        label = "no interval can be cut further" if is_cut else "one class: no interval can be cut"
        return PartitionResult(label=label, classes=judged.class_count, intervals=tuple(intervals))

    def class_steps(self, problem: PartitionProblem, result: PartitionResult | None) -> list[Step]:
        return [
            problem.intervals_step(() if result is None else result.intervals),
            problem.intervals_proof_step(),
            problem.split_cells_step(),
        ]

    def _tried(
        self,
        problem: PartitionProblem,
        scales: list[Scale],
        intervals: list[Interval],
        batch: list[Interval],
    ) -> Search[dict[Interval, Split | None]]:
        """The best allowable cut of each interval of a batch; one statement."""
        splits = [
            Split(interval, pieces)
            for interval in batch
            for pieces in scales[interval.attribute_number - 1].candidates(interval)
        ]
        outcomes = (yield from problem.try_splits(intervals, splits)) if splits else []
        best: dict[Interval, tuple[tuple[Any, ...], Split]] = {}
        for number, (split, outcome) in enumerate(zip(splits, outcomes, strict=True)):
            scale = scales[split.interval.attribute_number - 1]
            order = (outcome.rank, scale.unevenness(split.pieces), number)
            if outcome.holds and (split.interval not in best or order < best[split.interval][0]):
                best[split.interval] = order, split
        return {interval: best[interval][1] if interval in best else None for interval in batch}

    def _widest(
        self, scales: list[Scale], intervals: list[Interval], closed: set[Interval]
    ) -> list[Interval]:
        """The open intervals, the widest first."""
        found = [
            (-scale.width(interval), interval)
            for interval in intervals
            for scale in [scales[interval.attribute_number - 1]]
            if interval not in closed and len(scale.present(interval)) > 1
        ]
        return [interval for _, interval in sorted(found)]
