"""No special uniques: no published row is alone on a few of its quasi-identifiers."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from sqlanon.bounds import Count
from sqlanon.privacy_models.base import Members, PrivacyModel


class SpecialUniques(PrivacyModel):
    """No row is alone on `size` of its quasi-identifiers, nor on fewer.

    Guarantee: an attacker who knows up to `size` quasi-identifiers of a person, whichever these
    are, finds two rows or more that they fit. Who knows more can find a single one: this is the
    weaker alternative to k-anonymity, from which it follows for every size. With as many as there
    are quasi-identifiers it is k-anonymity with k = 2.
    Requires: one row per person. With fewer than all quasi-identifiers, a lattice node for all
    rows: no suppressed row, as others can be alone without it.
    Source: Elliot, Manning and Ford 2002, special uniques; the rule is that of mu-Argus for
    combinations of key variables (Hundepool et al. 2012).
    """

    measure = ("unique_sets", "max")
    bound = "size"
    reference_bounds = ({"size": 1},)
    source = "Elliot, Manning and Ford 2002, a computational algorithm for special uniques"
    monotone_under_generalization: ClassVar[bool] = True
    # a row that is alone is so in every finer node, so on the way up fewer are
    monotone_under_suppression: ClassVar[bool] = True
    monotone_with_shared_persons: ClassVar[bool] = True

    model: Literal["special-uniques"] = "special-uniques"
    size: Annotated[
        Count, Field(ge=1, description="quasi-identifiers that are known at once, 1 or more")
    ]

    def __init__(self, size: int) -> None:
        self._set_keys(size=size)

    def reads_labels(self, count: int) -> bool:
        return self.size < count

    def promise(self, members: Members) -> str:
        one = "person" if members == "persons" else "row"
        which = "one quasi-identifier"
        if self.size > 1:
            which = f"{self.size} quasi-identifiers or fewer"
        return f"no {one} is alone on {which}, whichever is known"

    def suggestion(self, measured: float) -> str:
        return "with a second row, as a single one is alone on every quasi-identifier"
