"""What `check` and `run` warn of: the names of warnings, and a warning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from sqlanon.errors import did_you_mean

IDENTIFYING_CONTENT = "identifying-content"
FREE_TEXT = "free-text"
NEARLY_UNIQUE = "nearly-unique"
REPEATING_PERSON = "repeating-person"
JOINED_ROWS = "joined-rows"
EXACT_ENDS = "exact-ends"
DOMINANT_VALUE = "dominant-value"
CLASS_OF_K = "class-of-k"

KINDS = (
    IDENTIFYING_CONTENT, FREE_TEXT, NEARLY_UNIQUE, REPEATING_PERSON, JOINED_ROWS, EXACT_ENDS,
    DOMINANT_VALUE, CLASS_OF_K,
)  # fmt: skip
"""The kinds of warnings; the name of a warning is KIND.COLUMN."""


_UNUSED = "unused-acknowledgment"


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


OF_RELEASES = (DOMINANT_VALUE, CLASS_OF_K)
"""The kinds of which only a release shows whether there is a warning."""


def marked(
    acknowledged: Sequence[str], warnings: Sequence[PlanWarning], *, is_released: bool = True
) -> tuple[PlanWarning, ...]:
    """The warnings, marked if the plan acknowledges them, and one for each that is not there.

    What confirms a rule of a standard is of no warning.
    """
    own = [replace(w, acknowledged=w.name in acknowledged) for w in warnings]
    names = {warning.name for warning in warnings}
    unused = [name for name in dict.fromkeys(acknowledged) if name not in names]
    kinds = KINDS if is_released else [kind for kind in KINDS if kind not in OF_RELEASES]
    unused = [name for name in unused if name.partition(".")[0] in kinds]
    return (*own, *(_unused(name, warnings) for name in unused))


def _unused(name: str, warnings: Sequence[PlanWarning]) -> PlanWarning:
    column = name.partition(".")[2]
    near = [w.name for w in warnings if w.column == column] or [w.name for w in warnings]
    return PlanWarning(
        f"{_UNUSED}.{name}",
        column,
        f"The plan acknowledges '{name}', of which there is no warning. "
        + (did_you_mean(name, near) or "Leave it out."),
    )
