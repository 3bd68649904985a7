"""l-diverse slicing: whether column groups, matched with each other, disclose a sensitive value.

A promise about single buckets does not rule this out. An attacker with the other values of a row
can find all buckets in which these values occur, and in each bucket the share of a sensitive value
among the rows with the same values in its column group.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from sqlanon.privacy_models.base import PrivacyModel
from sqlanon.search.parts import parts_of
from sqlanon.sql.render import question, render
from sqlanon.sql.step import Search, Step, unused


@dataclass(frozen=True)
class SlicedPromise:
    """The promise that no value of a sensitive attribute has a probability above 1 / l.

    Attributes:
        number: number of the promise, from 1.
        groups: the column groups other than that of the sensitive attribute.
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
        """The relation of the other values of the rows."""
        return f"sqlanon.source_tuples_{self.number}"

    def largest_probability(self, rows: str) -> Search[float | None]:
        """Ask for the highest probability of any value; None if no row matches a bucket."""
        ((*_, probability),) = yield question("slicing/sliced_matches", **self._inputs(rows))
        return None if probability is None else float(probability)

    def diversity(self, rows: str, of_buckets: float) -> Search[float]:
        """Ask for the l that holds in every bucket and over all buckets that a row matches.

        If the sensitive attribute is alone in its group, this is the l of the buckets: D(t, B)[s]
        is then the share of s in B, which is at most 1 / l, and p(t, s) is a mean of these shares,
        weighted by p(t, B), which sum to 1. So p(t, s) is at most 1 / l as well, and no query is
        needed.

        Args:
            of_buckets: the smallest l of all buckets.
        """
        if not self.companions:
            return of_buckets
        probability = yield from self.largest_probability(rows)
        return of_buckets if probability is None else min(of_buckets, 1 / probability)

    def proof_step(self, rows: str) -> Step:
        """The rows that match a value with too high a probability; none if the promise holds."""
        sql = render("slicing/proof_of_sliced_diversity.sql", **self._inputs(rows), l=self.l)
        return Step(f"proof_of_sliced_diversity_{self.number}", sql, "proof")

    @property
    def names(self) -> dict[str, str]:
        """Names of generated columns that do not clash with those of the source."""
        columns = [name for group in self.every_group for name in group]
        wanted = ("part", "part_rows", "value", "value_rows", "row_count")
        return {name: unused(name, columns) for name in wanted}

    def _inputs(self, rows: str) -> dict[str, object]:
        return {
            "rows": rows,
            "tuples": self.tuples,
            "parts": parts_of([*self.groups, *([self.companions] if self.companions else [])]),
            "companions": list(self.companions),
            "sensitive": self.sensitive,
            "names": self.names,
        }


def sliced_promises(
    models: Iterable[PrivacyModel], groups: Sequence[Sequence[str]], sensitive: Sequence[str]
) -> list[SlicedPromise]:
    """The promises that a value has at most one row in l, for a table sliced into these groups.

    Args:
        models: the models of the plan; only those that bound the share of a value are used.
        groups: all columns, by group.
        sensitive: the sensitive attributes; attackers are assumed to know none of them.
    """
    found: list[SlicedPromise] = []
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
            SlicedPromise(
                number=len(found) + 1,
                groups=tuple(group for group in known if group),
                companions=tuple(other for other in own if other not in sensitive),
                sensitive=name,
                l=odds,
            )
        )
    return found


def unkept_promise(
    models: Iterable[PrivacyModel], groups: Sequence[Sequence[str]], sensitive: Sequence[str]
) -> tuple[str, str] | None:
    """Why the column groups do not keep a promise about single buckets, and how to fix it.

    An attacker with another column of the group of the attribute sees which few values of the
    bucket occur with it. For this case only a bound on shares is proven (`SlicedPromise`). Which
    values of two groups stand in one row is chance.
    """
    for model in models:
        name = model.sensitive_attribute
        if name is None:
            continue
        own = next(group for group in groups if name in group)
        if model.is_joint and not {*sensitive} <= {*own}:
            return (
                f"{model.model} of '{name}' with `mode: joint` is a promise about the values that"
                " stand in one row, but the sensitive attributes are in several column groups.",
                "put them into one group, or leave out `mode: joint`",
            )
        others = [other for other in own if other not in sensitive]
        if others and model.one_row_in is None:
            return (
                f"{model.model} of '{name}' is a promise about whole buckets, but its column group"
                f" also contains {' and '.join(others)}, which discloses more about it.",
                "leave the sensitive attribute alone in its group, or promise l-diversity of kind"
                " frequency",
            )
    return None


def tuples_step(promise: SlicedPromise) -> Step:
    """The distinct combinations of the values that rows have other than the sensitive one."""
    columns = [name for group in (*promise.groups, promise.companions) for name in group]
    name = promise.tuples.removeprefix("sqlanon.")
    return Step(
        name,
        render(
            "slicing/source_tuples.sql",
            name=name,
            columns=columns,
            row_count=promise.names["row_count"],
        ),
    )


def text_rows_step(name: str, rows: str, columns: Sequence[str], combination: str = "") -> Step:
    """The rows of the buckets as text, whatever the types of their columns.

    Args:
        combination: the column with the number of a distinct row in `row_combinations`, if the
            rows have only this number.
    """
    inputs = {"name": name, "rows": rows, "columns": list(columns), "combination": combination}
    return Step(name, render("slicing/text_rows.sql", **inputs), "view")
