"""Characters replaced by `*`, one more per level."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from sqlanon.boundary.part import Part
from sqlanon.bounds import Levels
from sqlanon.hierarchies.base import Hierarchy, short_form
from sqlanon.sql.render import text
from sqlanon.sql.step import Step

_Side = Literal["right", "left"]


class MaskKeys(Part):
    """Which side loses characters first, and how many characters the values have."""

    side: _Side = Field("right", description="where masking begins")
    characters: Levels | None = Field(
        None, ge=1, description="length of the longest value; found in the data when not given"
    )


class Mask(Hierarchy):
    """Characters replaced by `*`, one more per level, from the right or the left; then `*`."""

    template = "hierarchies/mask.sql"
    rule = "hierarchies/_mask.sql"
    key = "mask"
    mask: Annotated[MaskKeys, short_form("side", MaskKeys, bare=_Side)]

    def __init__(self, side: _Side = "right", *, characters: int | None = None) -> None:
        self._set_keys(mask={"side": side, "characters": characters})

    @property
    def inputs(self) -> dict[str, Any]:
        return self.mask.model_dump()

    def label_examples(self, level: int) -> list[str]:
        kept = "1234567890"[: max((self.mask.characters or 0) - level, 0)]
        return [kept + "*" * level if self.mask.side == "right" else "*" * level + kept]

    def counting_step(self, attribute: str) -> Step | None:
        if self.mask.characters is not None:
            return None
        return Step(
            "longest_value",
            "select greatest(coalesce(max(length(value)), 1), 1) + 1\n"
            f"from sqlanon.source_values\nwhere attribute = {text(attribute)}",
            "rows",
        )

    def with_levels(self, count: int) -> Mask:
        return Mask(self.mask.side, characters=count - 1)

    @property
    def level_titles(self) -> list[str] | None:
        if self.mask.characters is None:
            return None
        side = self.mask.side
        return [
            f"{n} character{'s' if n > 1 else ''} masked from the {side}"
            for n in range(1, self.mask.characters)
        ]
