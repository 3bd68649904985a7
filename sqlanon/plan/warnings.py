"""What `check` and `run` warn of: the names of warnings, and a warning."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

IDENTIFYING_CONTENT = "identifying-content"
FREE_TEXT = "free-text"
NEARLY_UNIQUE = "nearly-unique"
REPEATING_PERSON = "repeating-person"
JOINED_ROWS = "joined-rows"
EXACT_ENDS = "exact-ends"

KINDS = (
    IDENTIFYING_CONTENT, FREE_TEXT, NEARLY_UNIQUE, REPEATING_PERSON, JOINED_ROWS, EXACT_ENDS,
)  # fmt: skip
"""The kinds of warnings; the name of a warning is KIND.COLUMN."""


@dataclass(frozen=True)
class PlanWarning:
    """What may be wrong with a plan, by what its source has. It stops nothing.

    Attributes:
        name: the kind and the column, as in `free-text.notes`; a plan acknowledges it by this name.
        column: the column of the plan.
        text: what was seen and what to do; counts as shares, no value of the source.
        acknowledged: whether the plan acknowledges it.
    """

    name: str
    column: str
    text: str
    acknowledged: bool = False

    def as_manifest(self) -> dict[str, Any]:
        """The warning as a manifest and `check --json` have it."""
        return asdict(self)
