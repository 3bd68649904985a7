"""Dimension splitting: cut whole attributes from the top down, with the same cuts for every row."""

from __future__ import annotations

from typing import ClassVar, Literal

from sqlanon.methods.partition import LabelingMethod, PartitionResult
from sqlanon.search.partition import PartitionProblem
from sqlanon.search.scales import Interval, Scale, Split
from sqlanon.sql.step import Search, SoFar, Step, reporting

_BATCH = 8
"""Number of intervals whose cuts are tried in one statement."""


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
        while True:
            batch = self._widest(problem, scales, intervals, closed)
            if not batch:
                break
            splits = [
                Split(interval, pieces)
                for interval in batch
                for pieces in scales[interval.attribute_number - 1].candidates(interval)
            ]
            so_far = SoFar(len(closed), "intervals cannot be cut further", len(intervals))
            asking = problem.try_splits(intervals, splits)
            outcomes = (yield from reporting(asking, so_far)) if splits else []
            for interval in batch:
                scale = scales[interval.attribute_number - 1]
                held = [
                    (outcome.rank, scale.unevenness(split.pieces), number, split)
                    for number, (split, outcome) in enumerate(zip(splits, outcomes, strict=True))
                    if split.interval == interval and outcome.holds
                ]
                if held:
                    best = min(held, key=lambda entry: entry[:3])[-1]
                    intervals = [other for other in intervals if other != interval]
                    intervals = sorted([*intervals, *best.pieces])
                    break
                closed.add(interval)  # finer classes in other places cannot make its cuts hold
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

    def _widest(
        self,
        problem: PartitionProblem,
        scales: list[Scale],
        intervals: list[Interval],
        closed: set[Interval],
    ) -> list[Interval]:
        """A batch of open intervals, the widest first.

        If the promises are not monotone, a cut that fails now could hold later, so the batch has
        only one interval.
        """
        found = [
            (-scale.width(interval), interval)
            for interval in intervals
            for scale in [scales[interval.attribute_number - 1]]
            if interval not in closed and len(scale.present(interval)) > 1
        ]
        most = _BATCH if problem.is_monotone else 1
        return [interval for _, interval in sorted(found)[:most]]
