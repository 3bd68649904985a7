"""Proofs that buckets have the rows of the source: nothing dropped, duplicated, moved or changed.

During a run, the parts of every bucket are compared with those of the rows that were put into it.
With a source but without the seed, everything that follows from the source alone is made again and
compared; for the rest it is proven that rows of the source could have been dealt this way.
"""

from __future__ import annotations

import itertools
from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlanon.plan.plan import Plan
from sqlanon.source.hierarchies import hierarchy_name
from sqlanon.sql.render import render
from sqlanon.sql.step import Search, Step, StepKind, unused

MATCHED_PAIRS = 20_000
"""Largest number of pairs of parts in a bucket for which the proof decides whether rows match."""

_FETCHED = 200_000
"""Pairs that are fetched at once; more only if a single bucket has more."""


def dealing_proofs(plan: Plan) -> list[Step]:
    """The proof that buckets are as the plan's method deals them, if it deals rows."""
    if not plan.method.deals_rows:
        return []
    sql = render(
        "proof/proof_of_dealing.sql",
        attribute=plan.dealt_attribute or "",
        size=plan.bucket_size,
        distinct=plan.method.keeps_values_apart,
        strata=[(n, hierarchy_name(n), level) for n, level in plan.method.strata.items()],
        combination="" if plan.form.bucket else _combination(plan),
    )
    return [Step("proof_of_dealing", sql, "proof")]


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
        return self._step("proof_of_rearrangement", "proof", parts=list(map(list, self.parts)))

    def exact_steps(self) -> list[Step]:
        """The same proof value by value, part by part."""
        return [
            self._part_step(number, part, by_bucket=True)
            for number, part in enumerate(self.parts, start=1)
        ]

    def seedless_steps(self, dealt: str | None) -> list[Step]:
        """Proofs of what does not depend on the seed: parts of the table, and how values are dealt.

        Args:
            dealt: the sensitive attribute by whose values the rows were dealt; None if only rows
                at cuts were dealt.
        """
        parts = [
            self._part_step(number, part, by_bucket=False)
            for number, part in enumerate(self.parts, start=1)
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
        for (one, first), (two, second) in itertools.combinations(enumerate(self.parts, 1), 2):
            name = f"matched_parts_{one}_{two}"
            yield self._step(
                name, "table", "matched_parts", name=name, first=list(first), second=list(second),
                most=MATCHED_PAIRS, fetched=_FETCHED,
            )  # fmt: skip
            last = f"select max(run)\nfrom sqlanon.{name}"
            ((runs,),) = yield Step(f"runs_of_{name}", last, "rows")
            for run in range(0 if runs is None else runs + 1):
                sql = render("proof/matched_pairs.sql", name=name, run=run)
                pairs = yield Step(f"pairs_of_{name}", sql, "rows")
                for _, group in itertools.groupby(pairs, key=lambda row: row[0]):
                    impossible += not _fits([row[1:] for row in group])
        return impossible

    def _part_step(self, number: int, part: Sequence[str], *, by_bucket: bool) -> Step:
        name = f"proof_of_part_{number}"
        return self._step(
            name, "proof", "proof_of_part", name=name, part=list(part), by_bucket=by_bucket
        )

    def _step(self, step: str, kind: StepKind, template: str = "", **inputs: object) -> Step:
        sql = render(
            f"proof/{template or step}.sql", rows=self.rows, combinations=self.combinations,
            combination=self.combination, **inputs,
        )  # fmt: skip
        return Step(step, sql, kind)


def rearranged_of(plan: Plan, groups: Sequence[Sequence[str]]) -> Rearranged | None:
    """The rows behind the plan's buckets, by column group; None if it publishes no buckets."""
    if not plan.form.bucket:
        return None
    combined = any(model.presence is not None for model in plan.privacy)
    return Rearranged(
        rows="dealt_rows" if plan.method.deals_rows else "bucketed_rows",
        combinations="generalized_combinations" if combined else "row_combinations",
        combination=_combination(plan),
        parts=groups,
    )


def _combination(plan: Plan) -> str:
    """The column with the number of a distinct row."""
    return unused("combination", plan.published_columns)


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

    It is a flow through first and second parts, along the shortest paths that have room.
    """
    if sum(firsts.values()) != sum(seconds.values()):
        return False
    start, end = "start", "end"
    room: dict[str, dict[str, int]] = defaultdict(dict)

    def move(path: Sequence[tuple[str, str]]) -> int:
        amount = min(room[one][other] for one, other in path)
        for one, other in path:
            room[one][other] -= amount
            room[other][one] = room[other].get(one, 0) + amount
        return amount

    for first, count in firsts.items():
        room[start][f"first {first}"] = count
    for second, count in seconds.items():
        room[f"second {second}"][end] = count
    lacking = sum(firsts.values())
    for (first, second), count in most.items():
        one, other = f"first {first}", f"second {second}"
        room[one][other] = count
        lacking -= move([(start, one), (one, other), (other, end)])
    while lacking:
        came: dict[str, str] = {start: start}
        queue = deque([start])
        while queue and end not in came:
            node = queue.popleft()
            found = [other for other, left in room[node].items() if left and other not in came]
            came |= dict.fromkeys(found, node)
            queue += found
        if end not in came:
            return False
        path, node = [], end
        while node != start:
            path.append((came[node], node))
            node = came[node]
        lacking -= move(path)
    return True
