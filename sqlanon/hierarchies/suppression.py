"""The hierarchy of a quasi-identifier without one in the plan: the value, then `*`."""

from __future__ import annotations

from sqlanon.hierarchies.base import Hierarchy


class SuppressionHierarchy(Hierarchy):
    """The value, then `*`: what a quasi-identifier without a hierarchy gets."""

    template = "hierarchies/suppression.sql"
    key = "none"
    cut_kind = None

    @property
    def level_count(self) -> int:
        return 2
