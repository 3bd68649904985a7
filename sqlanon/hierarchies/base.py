"""What every hierarchy is: its levels, its titles, and the inputs of its template."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

Number = Annotated[Decimal, Field(max_digits=24, decimal_places=9)]
"""A number in a rule: up to 15 digits before the decimal point and 9 after it."""

Text = Annotated[str, Field(min_length=1)]


def short_form(
    key: str, long: Any, *, bare: Any = str, types: tuple[type, ...] = (str,)
) -> BeforeValidator:
    """Lets a bare value stand for the mapping with this one key, also in the JSON Schema.

    Args:
        key: of the mapping.
        long: type that the mapping is read as.
        bare: type of the bare value, for the schema.
        types: Python types that a bare value may have.
    """

    def lengthen(value: Any) -> Any:
        return {key: value} if isinstance(value, types) else value

    return BeforeValidator(lengthen, json_schema_input_type=bare | long)


class Hierarchy(BaseModel):
    """A generalization hierarchy of one quasi-identifier."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    template: ClassVar[str]

    @property
    def level_count(self) -> int | None:
        """Levels, level 0 and the top included; None when only the data can tell."""
        raise NotImplementedError  # pragma: no cover - every kind states its own

    @property
    def level_titles(self) -> list[str] | None:
        """What each level above 0 and below the top holds, in words; None when unknown."""
        return None

    def with_levels(self, count: int) -> Hierarchy:
        """The same hierarchy, its number of levels fixed where only the data could tell it."""
        return self
