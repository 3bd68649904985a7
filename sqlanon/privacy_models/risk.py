"""What models of re-identification risk share: the source, and a threshold."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field

from sqlanon.bounds import Number
from sqlanon.privacy_models.base import PrivacyModel


class RiskModel(PrivacyModel):
    """A bound on the chance that an attacker names the person of a published row rightly."""

    source = "El Emam 2013, Guide to the de-identification of personal health data"

    threshold: Annotated[Number, Field(gt=0, le=1, description="highest risk, above 0 to 1")]

    @property
    def monotone_under_generalization(self) -> bool:
        return True

    @property
    def monotone_under_suppression(self) -> bool:
        """False of shares and means: the smallest class left out may be larger than needed."""
        return not self.judges_whole_table


class ShareRiskModel(RiskModel):
    """A bound on risk that a share of the rows may exceed."""

    share: Annotated[
        Number,
        Field(ge=0, lt=1, description="share of rows that may exceed the threshold, 0 to 1"),
    ] = Decimal(0)

    @property
    def decided_by(self) -> tuple[str, Literal["min", "max"]]:
        return ("risky_share", "max") if self.share else self.measure

    @property
    def judges_whole_table(self) -> bool:
        return self.share > 0
