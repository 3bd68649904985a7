"""l-diverse slicing: whether groups of columns, matched with each other, tell a sensitive value.

A promise about single buckets does not say it: who knows a row's other values finds all buckets in
which these occur, and in each the share of a sensitive value among the rows with what stands in its
group.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from sqlanon.privacy_models.base import PrivacyModel
from sqlanon.sql.render import render
from sqlanon.sql.step import Search, Step, unused


@dataclass(frozen=True)
class Sliced:
    """The promise that no value of a sensitive attribute is told with a probability above 1 / l.

    Attributes:
        number: of the promise, from 1.
        groups: the column groups without the sensitive attribute's.
        companions: the other columns of its group.
        sensitive: the attribute.
        l: 1 or more.
    """

    number: int
    groups: tuple[tuple[str, ...], ...]
    companions: tuple[str, ...]
    sensitive: str
    l: Decimal  # noqa: E741 - the paper's letter

    @property
    def every_group(self) -> tuple[tuple[str, ...], ...]:
        """All column groups."""
        return (*self.groups, (*self.companions, self.sensitive))

    @property
    def tuples(self) -> str:
        """The relation of the rows' other values."""
        return f"sqlanon.source_tuples_{self.number}"

    def largest_probability(self, rows: str) -> Search[float | None]:
        """Ask how surely a value can be told at most; None where no row matches a bucket."""
        sql = render("slicing/sliced_matches.sql", **self._inputs(rows))
        ((*_, probability),) = yield Step("sliced_matches", sql, "rows")
        return None if probability is None else float(probability)

    def is_of(self, model: PrivacyModel) -> bool:
        """Whether it is what this model promises of a sliced table."""
        return (model.sensitive_attribute, model.one_row_in) == (self.sensitive, self.l)

    def diversity(self, rows: str, of_buckets: float) -> Search[float]:
        """Ask for the l that holds of every bucket and over all buckets that rows match.

        With the sensitive attribute alone in its group that is the l of the buckets. D(t, B)[s] is
        then the share of s in B, at most 1 / l of the buckets, and p(t, s) is a mean of these,
        weighted by p(t, B), which add up to 1. So it is at most 1 / l, too, and nothing is asked.

        Args:
            of_buckets: the least of their l.
        """
        if not self.companions:
            return of_buckets
        probability = yield from self.largest_probability(rows)
        return of_buckets if probability is None else min(of_buckets, 1 / probability)

    def proof_step(self, rows: str) -> Step:
        """Rows of which a value can be told too surely; no row means that it holds."""
        sql = render("slicing/sliced_diversity.sql", **self._inputs(rows), l=self.l)
        return Step(f"sliced_diversity_{self.number}", sql, "proof")

    @property
    def names(self) -> dict[str, str]:
        """Names of columns that stand beside those of the source."""
        columns = [name for group in self.every_group for name in group]
        wanted = ("part", "part_rows", "value", "value_rows", "row_count")
        return {name: unused(name, columns) for name in wanted}

    def _inputs(self, rows: str) -> dict[str, object]:
        return {
            "rows": rows,
            "tuples": self.tuples,
            "groups": [list(group) for group in self.groups],
            "companions": list(self.companions),
            "sensitive": self.sensitive,
            "names": self.names,
        }


def sliced_promises(
    models: Iterable[PrivacyModel], groups: Sequence[Sequence[str]], sensitive: Sequence[str]
) -> list[Sliced]:
    """The promises of one row in l, for a table that is sliced into these groups.

    Args:
        models: of which those are taken that bound the share of a value.
        groups: all columns.
        sensitive: the sensitive attributes; nobody is taken to know one of them.
    """
    found: list[Sliced] = []
    for model in models:
        name, odds = model.sensitive_attribute, model.one_row_in
        if name is None or odds is None:
            continue
        own = next(group for group in groups if name in group)
        known = [
            tuple(column for column in group if column not in sensitive)
            for group in groups
            if name not in group
        ]
        found.append(
            Sliced(
                number=len(found) + 1,
                groups=tuple(group for group in known if group),
                companions=tuple(other for other in own if other not in sensitive),
                sensitive=name,
                l=odds,
            )
        )
    return found


ALONE = "leave the sensitive attribute alone in its group, or promise l-diversity of kind frequency"
"""How to mend a promise that column groups do not keep."""


def untold_of_companions(
    models: Iterable[PrivacyModel], groups: Sequence[Sequence[str]], sensitive: Sequence[str]
) -> str | None:
    """Why a promise about single buckets says nothing, as columns stand beside its attribute.

    Who knows such a column sees the few values of the bucket that stand beside it. Only a bound on
    shares is proven for that (`Sliced`).
    """
    for model in models:
        name = model.sensitive_attribute
        if name is None or model.one_row_in is not None:
            continue
        own = next(group for group in groups if name in group)
        others = [other for other in own if other not in sensitive]
        if others:
            return (
                f"{model.model} of '{name}' is about whole buckets, and in its column group stands"
                f" {' and '.join(others)}, too, which tells more of it."
            )
    return None


def tuples_step(sliced: Sliced) -> Step:
    """The distinct combinations of what rows have besides their sensitive value."""
    columns = [name for group in (*sliced.groups, sliced.companions) for name in group]
    name = sliced.tuples.removeprefix("sqlanon.")
    return Step(
        name,
        render(
            "slicing/source_tuples.sql",
            name=name,
            columns=columns,
            row_count=sliced.names["row_count"],
        ),
    )


def text_rows_step(name: str, rows: str, columns: Sequence[str], combination: str = "") -> Step:
    """The rows of buckets as text, however they are stored.

    Args:
        combination: the number of a distinct row in `row_combinations`, where the rows have only
            that.
    """
    inputs = {"name": name, "rows": rows, "columns": list(columns), "combination": combination}
    return Step(name, render("slicing/text_rows.sql", **inputs), "view")
