"""How the texts of a column are read: as dates, as numbers, and what means a missing value."""

from __future__ import annotations

import re
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from sqlanon.boundary.part import Part

_DIRECTIVES = {
    "d": "[0-9]{1,2}", "m": "[0-9]{1,2}", "Y": "[0-9]{4}", "y": "[0-9]{2}", "b": "[A-Za-z]{3}",
    "H": "[0-9]{1,2}", "I": "[0-9]{1,2}", "M": "[0-9]{2}", "S": "[0-9]{2}", "p": "[AaPp][Mm]",
}  # fmt: skip
"""What a format can consist of, as DuckDB's `strptime` has it, and the text of each."""

_DATE = ({"d", "m", "Y"}, {"d", "m", "y"}, {"d", "b", "Y"}, {"d", "b", "y"})
_TIME: tuple[set[str], ...] = (
    set(), {"H", "M"}, {"H", "M", "S"}, {"I", "M", "p"}, {"I", "M", "S", "p"},
)  # fmt: skip
_SPACES = "[ \\x{a0}\\x{202f}]"
"""A space, also one at which no line ends."""


def _literal(text: str) -> str:
    """The regular expression of a text."""
    return re.sub(r"[][.$*+?(){}|^\\]", r"\\\g<0>", text)


def _format(text: str) -> str:
    """The format, if it is one of a whole date, with or without a time.

    Raises:
        ValueError: it is none.
    """
    found = re.findall(r"%(.)", text)
    is_whole = any({*found} == date | time for date in _DATE for time in _TIME)
    if not is_whole or len({*found}) < len(found) or not re.fullmatch(r"(%\w|[ ./,:T-])+", text):
        raise ValueError(
            "must be a format of a date, such as %d.%m.%Y, %m/%d/%Y, %d-%b-%y or %Y-%m-%d %H:%M"
        )
    return text


class NumberFormat(Part):
    """How numbers are written."""

    decimal: Literal[".", ","] = Field(".", description="the decimal point")
    thousands: Literal[".", ",", " ", "'"] | None = Field(
        None, description="what separates thousands"
    )
    unit: Annotated[str, Field(min_length=1, max_length=8, pattern=r"^[^0-9\s+-]+$")] | None = (
        Field(None, description="text before or after each number, such as € or %; it is left out")
    )

    @model_validator(mode="after")
    def _differ(self) -> Self:
        if self.decimal == self.thousands:
            raise ValueError("decimal and thousands must differ")
        return self


_Code = Annotated[
    str,
    BeforeValidator(
        lambda code: str(code) if type(code) is int else code, json_schema_input_type=str | int
    ),
    Field(min_length=1, max_length=40),
]


class Reading(Part):
    """How the texts of a column are read. A text that does not fit stops the run."""

    date: Annotated[str, AfterValidator(_format)] | None = Field(
        None,
        description="the format of dates, such as %d.%m.%Y, %m/%d/%Y, %d-%b-%y (English months) or"
        " %Y-%m-%d %H:%M:%S",
    )
    first_year: int | None = Field(
        None,
        ge=1800,
        le=2100,
        description="the first year that years of two digits can mean; 1969 when not given",
    )
    number: NumberFormat | None = Field(
        None, description="how numbers are written, as in {decimal: ',', thousands: '.', unit: €}"
    )
    missing: tuple[_Code, ...] = Field(
        (), description="what stands for a missing value, such as n/a or -9"
    )

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        if self.date is not None and self.number is not None:
            raise ValueError("must have date or number, not both")
        if self.first_year is not None and "%y" not in (self.date or ""):
            raise ValueError("has first_year, which is for dates with %y")
        if self.date is None and self.number is None and not self.missing:
            raise ValueError("must have date, number or missing")
        return self

    @property
    def reads_text(self) -> bool:
        """Whether texts become values of another type."""
        return self.date is not None or self.number is not None

    def type_of(self, kind: str) -> str:
        """The type of the values that are read from a column of this type."""
        if self.date is not None:
            return "TIMESTAMP" if re.search("%[HI]", self.date) else "DATE"
        return "DOUBLE" if self.number is not None else kind

    @property
    def pattern(self) -> str:
        """The regular expression of DuckDB that a text must match as a whole."""
        if self.date is not None:
            parts = re.split(r"%(.)", self.date)
            parts[::2] = map(_literal, parts[::2])
            parts[1::2] = (_DIRECTIVES[part] for part in parts[1::2])
            return "".join(parts)
        written = self.number or NumberFormat()
        digits = "[0-9]+"
        if written.thousands:
            mark = _SPACES if written.thousands == " " else _literal(written.thousands)
            digits = f"([0-9]{{1,3}}({mark}[0-9]{{3}})+|[0-9]+)"
        number = f"{digits}({_literal(written.decimal)}[0-9]+)?"
        if written.unit:
            unit = _literal(written.unit)
            number = f"({unit}{_SPACES}?)?[+-]?{number}({_SPACES}?{unit})?"
        return f"[+-]?{number}"

    @property
    def what(self) -> str:
        """What the texts are, for a message."""
        if self.date is not None:
            return f"date written as {self.date}"
        written = self.number or NumberFormat()
        thousands = f", and {written.thousands!r} between thousands" if written.thousands else ""
        unit = f", in {written.unit}" if written.unit else ""
        return f"number with {written.decimal!r} as the decimal point{thousands}{unit}"
