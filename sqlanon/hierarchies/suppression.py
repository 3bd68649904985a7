"""The hierarchy of a quasi-identifier without one in the plan: the value, then `*`."""

from __future__ import annotations

from typing import ClassVar

from sqlanon.hierarchies.base import CutKind, Hierarchy


class SuppressionHierarchy(Hierarchy):
    """The value, then `*`: what a quasi-identifier without a hierarchy gets."""

    template: ClassVar[str] = "hierarchies/suppression.sql"
    key: ClassVar[str] = "none"
    cut_kind: ClassVar[CutKind | None] = None

    @property
    def level_count(self) -> int:
        return 2
