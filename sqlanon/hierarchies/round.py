"""Decimals rounded to fewer and fewer digits."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from typing import Annotated, Any

from pydantic import Field, model_validator

from sqlanon.hierarchies.base import Hierarchy
from sqlanon.hierarchies.grid import Grid, number_grid

_EXAMPLE = Decimal("2134567891.123456789")


class Rounding(Hierarchy):
    """Decimals rounded to fewer and fewer digits, for coordinates: `[2, 1, 0]`.

    Each level rounds the level below, half away from zero, so that the levels nest. Negative
    digits round to tens (-1), hundreds (-2) and so on. In Python `Rounding(1, 0, -1)`.
    """

    template = "hierarchies/round.sql"
    rule = "hierarchies/_round.sql"
    exact_type = "decimal(37, 18)"
    key = "round"
    cut_kind = "numeric"
    round: tuple[Annotated[int, Field(ge=-9, le=9)], ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _nested(self) -> Rounding:
        if list(self.round) != sorted(set(self.round), reverse=True):
            raise ValueError(
                "the digits do not decrease from level to level; write for example [2, 1, 0]"
            )
        return self

    def __init__(self, *digits: int) -> None:
        self._set_keys(round=digits)

    @property
    def inputs(self) -> dict[str, Any]:
        return {"digits": self.round}

    @property
    def grids(self) -> tuple[Grid, ...]:
        return tuple(number_grid(Decimal(1).scaleb(-digits)) for digits in self.round)

    def label_examples(self, level: int) -> list[str]:
        places = self.round[level - 1]
        number = _EXAMPLE.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
        return [f"{number:f}"]

    @property
    def level_titles(self) -> list[str]:
        return [f"rounded to {digits} decimal places" for digits in self.round]
