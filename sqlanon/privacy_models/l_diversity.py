"""l-diversity: every class holds at least l well-represented sensitive values."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import Field

from sqlanon.bounds import AnyNumber, Number
from sqlanon.privacy_models.base import MeasuredBounds, Members, SensitiveModel, at_least, at_most


class LDiversity(SensitiveModel):
    """Every equivalence class holds at least l well-represented values of a sensitive attribute.

    Guarantee: distinct: l different values. entropy: an effective number of values, exp(entropy),
    of l. frequency: no value has more than one row in l. recursive: the most frequent value has
    less than c times the rows of the l-th and all rarer ones; values in `harmless` may be disclosed
    (pd), each value in `never_excluded` has a share of at least c2 of every class (npd).
    Requires: one row per person, or `unit`; then distinct also asks for l - 1 persons without each
    value, and entropy and recursive for one value a person. A missing value is a value of its own.
    Source: Machanavajjhala, Kifer, Gehrke and Venkitasubramaniam, ACM TKDD 1(1), 2007; frequency:
    Xiao and Tao, Anatomy, VLDB 2006.
    """

    measure = ("diversity", "min")
    bound = "l"
    reference_bounds = (
        {"kind": "distinct", "l": 1},
        {"kind": "entropy", "l": 1},
        {"kind": "frequency", "l": 1},
        {"kind": "recursive", "l": 2, "c": 1},
    )
    variants = ("kind",)
    rules = (
        (
            "kind not in ('distinct', 'recursive') or l == l | int",
            "l must be a whole number for distinct and recursive l-diversity",
        ),
        ("kind != 'recursive' or c is not none", "recursive l-diversity needs c, as in `c: 3`"),
        (
            "kind == 'recursive' or (c is none and c2 is none and not harmless"
            " and not never_excluded)",
            "c, c2, harmless and never_excluded belong to `kind: recursive`",
        ),
        (
            "(never_excluded | length > 0) == (c2 is not none)",
            "never_excluded and c2 go together",
        ),
    )
    source = "Machanavajjhala et al. 2007, l-diversity, ACM TKDD 1(1)"

    model: Literal["l-diversity"] = "l-diversity"
    kind: Literal["distinct", "entropy", "frequency", "recursive"] = Field(
        "distinct", description="how values are counted"
    )
    l: Annotated[  # noqa: E741 - the paper's letter
        Number, Field(ge=1, description="values; whole for distinct and recursive, 1 or more")
    ]
    c: Annotated[Number, Field(gt=0)] | None = Field(None, description="recursive: above 0")
    harmless: tuple[str, ...] = Field((), description="recursive: values that may be disclosed")
    never_excluded: tuple[str, ...] = Field(
        (), description="recursive: values that must stay possible in every class"
    )
    c2: Annotated[Number, Field(gt=0, le=1)] | None = Field(
        None, description="recursive: smallest share of each value in never_excluded"
    )

    def __init__(self, l: AnyNumber, attribute: str | None = None, **keys: Any) -> None:  # noqa: E741
        self._set_keys(l=l, attribute=attribute, **keys)

    @property
    def template(self) -> str:
        return f"privacy_models/l_diversity_{self.kind}.sql"

    @property
    def bounds_measured(self) -> MeasuredBounds:
        """C is the infimum of what holds; c2 the smallest share of a value never excluded."""
        if not self.never_excluded:
            return {}
        return {"c": ("least_c", "max"), "c2": ("least_share", "min")}

    @property
    def monotone_under_suppression(self) -> bool:
        """True of distinct alone: a superset of a passing class passes.

        Not so in joint mode: a superset can have a part that fails.
        """
        return self.kind == "distinct" and not self.is_joint

    @property
    def holds_by_upper_bounds(self) -> bool:
        return self.kind in ("distinct", "frequency") and not self.is_joint

    @property
    def needs_one_value(self) -> bool:
        return self.kind == "entropy" or (self.kind == "recursive" and self.l > 1)

    @property
    def listed_values(self) -> tuple[str, ...]:
        return (*self.harmless, *self.never_excluded)

    @property
    def one_row_in(self) -> Decimal | None:
        return self.l if self.kind == "frequency" and not self.is_joint else None

    @property
    def needed_values(self) -> int:
        return math.ceil(self.l)

    def promise(self, members: Members) -> str:
        if self.kind == "distinct":
            without = self.needed_values - 1
            others = f", and at least {without} person{'s' * (without != 1)} without each of them"
            values = f"at least {self.l} different values of {self.attribute}"
            return f"every class holds {values}{others if members == 'persons' else ''}"
        if self.kind == "entropy":
            return (
                f"in every class {self.attribute} is as uncertain as {self.l} values of equal"
                " frequency"
            )
        if self.kind == "frequency":
            return f"in every class no {self.attribute} has more than one in {self.l} {members}"
        return (
            f"in every class the most frequent {self.attribute} has less than {self.c} times the"
            f" {members} of number {self.l} in frequency and all rarer ones"
        )

    def suggestion(self, measured: float | None) -> str:
        if measured is None or (self.never_excluded and measured * float(self.c or 0) > 1):
            return "a smaller c2"
        if self.kind == "recursive":
            return f"c above {at_least(1 / measured)}" if measured else "a smaller l"
        if self.kind in ("entropy", "frequency"):
            return f"l = {at_most(measured)} or less"
        return f"l = {measured:g} or less"
