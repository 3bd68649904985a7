"""Skewness: a value is much more likely in the class than in the table."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from sqlanon.attacks.base import Form
from sqlanon.attacks.control import GuessingAttack
from sqlanon.bounds import Number


class Skewness(GuessingAttack):
    """Estimate a person's values by the shares in the class instead of those in the table.

    The gain of a value is its share in the class divided by its share in the published table, which
    anyone who has the file knows. At a gain of 2, the class makes the value twice as likely.
    At risk: rows of values whose gain is above the threshold.
    Requires: one row per person. Only gains are measured: a value that becomes less likely makes
    others more likely.
    Source: Li, Li and Venkatasubramanian, ICDE 2007, section 3.
    """

    source: ClassVar[str] = "Li, Li and Venkatasubramanian 2007, t-closeness, section 3"
    forms: ClassVar[tuple[Form, ...]] = (Form(measures={"largest_gain": "max"}),)

    name: Literal["skewness"] = "skewness"
    gain: Annotated[
        Number, Field(ge=1, description="largest acceptable gain of a value, 1 or more")
    ] = Decimal(2)

    @property
    def promise(self) -> str:
        return f"a value is more than {self.gain} times as likely in a class as in the table"
