"""What models of a sensitive attribute share: the attribute, and who is thought to know others."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from sqlanon.privacy_models.base import PrivacyModel


class SensitiveModel(PrivacyModel):
    """A promise about how the values of a sensitive attribute are spread over every class."""

    attribute: Annotated[
        str | None,
        Field(description="the sensitive attribute; may be left out where the plan has only one"),
    ] = None
    mode: Literal["each", "joint"] = Field(
        "each",
        description="each: classes are those of the quasi-identifiers; joint: the other sensitive"
        " attributes count as known too, and divide the classes further",
    )

    @property
    def sensitive_attribute(self) -> str | None:
        return self.attribute

    @property
    def is_joint(self) -> bool:
        return self.mode == "joint"

    @property
    def monotone_under_generalization(self) -> bool:
        return True

    @property
    def monotone_under_suppression(self) -> bool:
        """A passing class that joins a failing one can make a larger failing one."""
        return False


class ReferenceModel(SensitiveModel):
    """A promise that compares the values of every class with those of the whole table."""

    reference: Literal["original", "published"] = Field(
        "original",
        description="original: the table is the whole input; published: the classes must also hold"
        " in comparison with the published rows, which is what others can verify",
    )

    @property
    def compares_with_table(self) -> bool:
        return True

    @property
    def compares_with_published(self) -> bool:
        return self.reference == "published"
