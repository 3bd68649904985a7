"""The figures of a risk, and the word that each carries: proven, estimated, or measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sqlanon.display.blocks import WARNING, Block, Percent, Sentences, Table
from sqlanon.display.tabular import Tabular

Basis = Literal["proven", "estimated", "measured"]
"""proven: counted in the rows. estimated: by a model that is named. measured: what linking with a
population that was given finds."""

BASES: Mapping[Basis, str] = {
    "proven": "proven: counted in these rows",
    "measured": "measured: found by linking these rows with the population that was given",
    "estimated": "estimated: by the model that is named, and no proof",
}
"""What each word means, in the order in which figures are shown."""


@dataclass(frozen=True)
class Figure:
    """One figure of a risk.

    Attributes:
        name: what it is.
        value: the figure; None if there is none, and `note` says why.
        unit: what it counts, or `share`.
        basis: how it is known.
        model: the model that estimates it; empty if it is not estimated.
        note: what is known of its error.
    """

    name: str
    value: float | None
    unit: str
    basis: Basis
    model: str = ""
    note: str = ""

    @property
    def known(self) -> str:
        """Its word, with the model if it is estimated."""
        return f"{self.basis} ({self.model})" if self.model else self.basis

    @property
    def shown(self) -> float | None:
        """The figure as it is printed: shares in percent, others as whole numbers."""
        if self.value is None:
            return None
        return Percent(self.value) if self.unit == "share" else round(self.value)

    def as_json(self) -> dict[str, Any]:
        """The figure as a JSON object."""
        return dict(vars(self))


@dataclass(frozen=True)
class SinglingSet:
    """A set of columns on which rows are alone, and on no smaller one.

    Attributes:
        columns: the set.
        rows: the rows, or persons, that it singles out.
    """

    columns: tuple[str, ...]
    rows: int


@dataclass(frozen=True)
class ColumnScore:
    """What a column has to do with rows being singled out.

    Attributes:
        column: its name.
        sets: minimal sample uniques, each a row and a set, of which it is a column.
        contribution: the share of the SUDA scores that comes from these, 0 to 1; the shares of all
            columns add up to more than 1.
    """

    column: str
    sets: int
    contribution: float


@dataclass(frozen=True)
class Risk(Tabular):
    """The risk of the persons of a table.

    Attributes:
        figures: each with its word: proven, estimated or measured.
        columns: what singles rows out, by column, the strongest first; proven.
        sets: the sets of columns that single out most rows; proven.
        largest_set: columns of the largest sets that were looked at.
        warnings: what makes the figures too low.
    """

    figures: Sequence[Figure]
    columns: Sequence[ColumnScore]
    sets: Sequence[SinglingSet]
    largest_set: int
    warnings: Sequence[str] = ()

    def value(self, name: str, model: str = "") -> float | None:
        """The figure of this name, estimated by this model if several estimate it.

        Raises:
            KeyError: there is no such figure.
        """
        for one in self.figures:
            if one.name == name and model in ("", one.model):
                return one.value
        raise KeyError(name)

    def records(self) -> list[dict[str, Any]]:
        """One row for each figure."""
        return [
            {**one.as_json(), "value": None if one.value is None else float(one.value)}
            for one in self.figures
        ]

    def as_json(self) -> dict[str, Any]:
        return {
            "figures": [one.as_json() for one in self.figures],
            "special_uniques": {
                "basis": "proven",
                "largest_set": self.largest_set,
                "columns": [dict(vars(one)) for one in self.columns],
                "sets": [{"columns": list(one.columns), "rows": one.rows} for one in self.sets],
            },
            "warnings": list(self.warnings),
        }

    def displayed(self) -> Sequence[Block]:
        """The figures, and what singles rows out."""
        blocks: list[Block] = []
        for basis, title in BASES.items():
            figures = [one for one in self.figures if one.basis == basis]
            columns = ["figure", "model", "value", "unit", "note"]
            rows = [[one.name, one.model, one.shown, one.unit, one.note] for one in figures]
            if basis != "estimated":
                columns, rows = [columns[0], *columns[2:]], [[row[0], *row[2:]] for row in rows]
            if figures:
                blocks.append(Table(title, columns, rows))
        if self.columns:
            of_columns = [[one.column, one.sets, Percent(one.contribution)] for one in self.columns]
            of_sets = [[", ".join(one.columns), one.rows] for one in self.sets]
            title = f"proven: what singles rows out, by up to {self.largest_set} columns"
            blocks += [
                Table(title, ["column", "minimal sets", "part of SUDA scores"], of_columns),
                Table("proven: the sets of columns that single out most rows",
                      ["columns", "rows"], of_sets),
            ]  # fmt: skip
        if self.warnings:
            blocks.append(Sentences(list(self.warnings), "warnings", style=WARNING))
        return blocks
