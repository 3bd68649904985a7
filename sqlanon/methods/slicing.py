"""Slicing: correlated columns stay together, and column groups are permuted within buckets."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from sqlanon.bounds import Count
from sqlanon.errors import NoSolutionError
from sqlanon.methods.partition import PartitionResult, RegionBucketMethod, RelaxableMethod
from sqlanon.search.column_groups import found_groups, one_attribute_per_column
from sqlanon.search.partition import PartitionProblem
from sqlanon.search.slicing import (
    SlicedPromise,
    sliced_promises,
    text_rows_step,
    tuples_step,
    unkept_promise,
)
from sqlanon.sql.step import Search, asked


class Slicing(RelaxableMethod, RegionBucketMethod):
    """Put similar rows into buckets, and permute column groups independently within each bucket.

    Strongly correlated columns stay in one group, so that their correlation survives. If the plan
    promises l-diversity of `kind: frequency`, the check of Li et al. is also made: over all buckets
    that the values of a row match, no sensitive value has a probability above 1 / l.
    """

    guarantee: ClassVar[str] = (
        "holds the promise in every bucket, and l-diverse slicing over all buckets; no allowable"
        " cut is left"
    )
    source: ClassVar[str] = "Li, Li, Zhang and Molloy 2012, Slicing, IEEE TKDE 24(3)"
    is_sliced: ClassVar[bool] = True
    name: Literal["slicing"] = "slicing"
    columns: (
        Annotated[tuple[tuple[str, ...], ...], Field(min_length=1)]
        | Literal["found", "one-attribute-per-column"]
    ) = Field(
        "found",
        description="column groups, with each column in one of them; found: by k-medoids over"
        " mean-square contingency; one-attribute-per-column: every column is its own group",
    )
    column_count: Annotated[Count, Field(ge=2)] = Field(
        3, description="found: number of groups; the sensitive attribute is in the last"
    )
    sensitive: Literal["alone", "grouped"] = Field(
        "alone",
        description="found: alone: the sensitive attributes are a group of their own; grouped:"
        " columns that correlate with the first of them stay with it, and disclose more about it",
    )
    bins: Annotated[Count, Field(ge=1, le=10_000)] = Field(
        10, description="found: intervals into which numeric columns are divided to compare them"
    )

    def __init__(
        self,
        columns: Sequence[Sequence[str]] | Literal["found", "one-attribute-per-column"] = "found",
        **keys: Any,
    ) -> None:
        self._set_keys(columns=columns, **keys)

    @property
    def is_one_statement(self) -> bool:
        return super().is_one_statement and self.columns != "found"

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
        unkept = unkept_promise(problem.promises.models, groups, sensitive)
        if unkept is not None:
            raise NoSolutionError(unkept[0], where="method slicing", fix=unkept[1])
        result = yield from super().search(problem)
        if result is None:
            return None
        yield from asked(problem.bucketed_steps(groups))
        yield text_rows_step(
            "bucketed_text",
            "sqlanon.bucketed_rows",
            problem.columns,
            problem.row_names["combination"],
        )
        for promise in sliced_promises(problem.promises.models, groups, sensitive):
            yield tuples_step(promise)
            yield from _check(promise)
        repeats = yield from problem.repeats_rows()
        found = {"column_groups": tuple(map(tuple, groups)), "repeats_rows": repeats}
        return result.model_copy(update=found)

    def _found(
        self, columns: Sequence[str], sensitive: Sequence[str], numeric: Container[str]
    ) -> Search[tuple[tuple[str, ...], ...]]:
        """The groups that follow from the correlations of columns."""
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


def _check(promise: SlicedPromise) -> Search[None]:
    """Check that no value of the sensitive attribute has too high a probability.

    Raises:
        NoSolutionError: a value has.
    """
    probability = yield from promise.largest_probability("sqlanon.bucketed_text")
    if probability is not None and probability * float(promise.l) > 1 + 1e-9:
        others = " and ".join(promise.companions)
        raise NoSolutionError(
            f"Over the buckets that a row matches, a value of '{promise.sensitive}' has a"
            f" probability of {probability:.4f}, but the plan promises at most 1/{promise.l}."
            + (f" Its column group also contains {others}." if others else ""),
            where="method slicing",
            fix="leave the sensitive attribute alone in its group, or ask for a smaller l",
        )
