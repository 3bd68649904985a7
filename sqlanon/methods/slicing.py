"""Slicing: columns that belong together stay together, and the groups are permuted in buckets."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from sqlanon.bounds import Count
from sqlanon.errors import NoSolutionError
from sqlanon.methods.partition import PartitionResult, RegionBucketMethod
from sqlanon.search.column_groups import found_groups, one_attribute_per_column
from sqlanon.search.partition import PartitionProblem
from sqlanon.search.slicing import (
    ALONE,
    Sliced,
    sliced_promises,
    text_rows_step,
    tuples_step,
    untold_of_companions,
)
from sqlanon.sql.step import Search, asked


class Slicing(RegionBucketMethod):
    """Buckets of neighbors, within which groups of columns are permuted apart from each other.

    Closely tied columns stay in one group, so that what they say together survives. Where the plan
    promises l-diversity of `kind: frequency`, the check of Li et al. is made, too: over all buckets
    that a row's values match, no sensitive value has a probability above 1 / l.
    """

    guarantee: ClassVar[str] = (
        "holds the promise in every bucket, and l-diverse slicing over all; no allowable cut left"
    )
    source: ClassVar[str] = "Li, Li, Zhang and Molloy 2012, Slicing, IEEE TKDE 24(3)"
    name: Literal["slicing"] = "slicing"
    columns: (
        Annotated[tuple[tuple[str, ...], ...], Field(min_length=1)]
        | Literal["found", "one-attribute-per-column"]
    ) = Field(
        "found",
        description="groups of columns, each column in one; found: by k-medoids over mean-square"
        " contingency; or every column by itself",
    )
    column_count: Annotated[Count, Field(ge=2)] = Field(
        3, description="found: groups wanted, 2 or more; the sensitive attribute is in the last"
    )
    sensitive: Literal["alone", "grouped"] = Field(
        "alone",
        description="found: whether the sensitive attributes are a group of their own, or closely"
        " tied columns stay beside the first of them, which tell more of it",
    )
    bins: Annotated[Count, Field(ge=1, le=10_000)] = Field(
        10, description="found: intervals of numeric columns, for the contingency, 1 or more"
    )

    @property
    def is_one_statement(self) -> bool:
        return super().is_one_statement and self.columns != "found"

    @property
    def is_sliced(self) -> bool:
        return True

    def column_groups(
        self, quasi_identifiers: Sequence[str], sensitive: Sequence[str], others: Sequence[str]
    ) -> tuple[tuple[str, ...], ...]:
        if isinstance(self.columns, tuple):
            return self.columns
        if self.columns == "found":
            return ()
        return one_attribute_per_column((*quasi_identifiers, *others, *sensitive))

    def search(self, problem: PartitionProblem) -> Search[PartitionResult | None]:
        sensitive = problem.promises.sensitive
        if self.columns == "found":
            numeric = {a.name for a in problem.attributes if a.kind == "numeric"}
            groups = yield from self._found(problem.columns, sensitive, numeric)
        else:
            roles = {a.name for a in problem.attributes} | set(sensitive)
            groups = self.column_groups(
                [a.name for a in problem.attributes],
                sensitive,
                [name for name in problem.columns if name not in roles],
            )
        untold = untold_of_companions(problem.promises.models, groups, sensitive)
        if untold is not None:
            raise NoSolutionError(untold, where="method slicing", fix=ALONE)
        result = yield from super().search(problem)
        if result is None:
            return None
        yield from asked(problem.row_steps(len(groups)))
        yield problem.bucketed_rows_step(len(groups))
        yield text_rows_step(
            "bucketed_text",
            "sqlanon.bucketed_rows",
            problem.columns,
            problem.row_names["combination"],
        )
        for sliced in sliced_promises(problem.promises.models, groups, sensitive):
            yield tuples_step(sliced)
            yield from _check(sliced)
        return PartitionResult(
            result.label, result.class_count, result.rounds, column_groups=tuple(groups)
        )

    def _found(
        self, columns: Sequence[str], sensitive: Sequence[str], numeric: Container[str]
    ) -> Search[tuple[tuple[str, ...], ...]]:
        """The groups that the ties between columns suggest."""
        if self.sensitive == "grouped":
            attributes = [(name, name in numeric) for name in columns]
            found = yield from found_groups(
                attributes, self.column_count, sensitive[0], bins=self.bins, where="method"
            )
            return found.groups
        attributes = [(name, name in numeric) for name in columns if name not in sensitive]
        if self.column_count == 2:
            return (tuple(name for name, _ in attributes), tuple(sensitive))
        found = yield from found_groups(
            attributes, self.column_count - 1, bins=self.bins, where="method"
        )
        return (*found.groups, tuple(sensitive))


def _check(sliced: Sliced) -> Search[None]:
    """Whether no value of a sensitive attribute can be told too surely.

    Raises:
        NoSolutionError: a value can.
    """
    probability = yield from sliced.largest_probability("sqlanon.bucketed_text")
    if probability is not None and probability * float(sliced.l) > 1 + 1e-9:
        others = " and ".join(sliced.companions)
        raise NoSolutionError(
            f"Over the buckets that a row matches, a value of '{sliced.sensitive}' can be told with"
            f" probability {probability:.4f}, and at most 1/{sliced.l} is promised."
            + (f" In its group stands {others}, too." if others else ""),
            where="method slicing",
            fix="leave the sensitive attribute alone in its group, or ask for a smaller l",
        )
