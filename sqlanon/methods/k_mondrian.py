"""k-Mondrian: the smallest k whose Mondrian partition as a whole holds all promises."""

from __future__ import annotations

from typing import ClassVar, Literal

from sqlanon.methods.partition import MultidimensionalMethod, PartitionResult
from sqlanon.search.partition import PartitionProblem
from sqlanon.sql.step import Search


class KMondrian(MultidimensionalMethod):
    """Mondrian by class size alone, with the smallest k whose classes all hold the promises.

    It is made for δ-presence. A larger k may fail where a smaller one holds, so k is increased from
    that of the plan (or 2). The partition for k is the same for every k up to the size of its
    smallest class, so the next k to try is that size plus 1, and no k is missed.
    """

    guarantee: ClassVar[str] = (
        "holds the promise; of all partitions by class size, the one with the smallest k"
    )
    source: ClassVar[str] = "Nergiz, Atzori and Clifton 2007; LeFevre, DeWitt and Ramakrishnan 2006"
    name: Literal["k-mondrian"] = "k-mondrian"

    @property
    def is_cut_by_promises(self) -> bool:
        return False

    def search(self, problem: PartitionProblem) -> Search[PartitionResult | None]:
        k = max(2, problem.k)
        while True:
            judged = yield from problem.judged_for(self.cutting, problem.by_class_size(k))
            if not judged.failing_classes and judged.covers:
                label = f"the smallest k that holds the promise is {k}"
                return PartitionResult(label, judged.class_count, judged.rounds, k)
            if judged.class_count <= 1:
                return None
            k = judged.smallest_class + 1
