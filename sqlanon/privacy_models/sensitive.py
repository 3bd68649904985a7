"""What models of a sensitive attribute share: the attribute, and no pruning under suppression."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from sqlanon.privacy_models.base import PrivacyModel


class SensitiveModel(PrivacyModel):
    """A promise about how the values of a sensitive attribute are spread over every class."""

    attribute: Annotated[
        str | None,
        Field(description="the sensitive attribute; may be left out where the plan has only one"),
    ] = None

    @property
    def sensitive_attribute(self) -> str | None:
        return self.attribute

    @property
    def monotone_under_generalization(self) -> bool:
        return True

    @property
    def monotone_under_suppression(self) -> bool:
        """A passing class that joins a failing one can make a larger failing one."""
        return False
