"""What a release tells its reviewers: each column, what is left out, the promises."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlanon.plan.columns import Identifier
from sqlanon.plan.plan import Plan

_ACTIONS = {
    "star": "an identifier: * in every row",
    "pseudonym": "an identifier: a keyed hash of its value",
}
"""What becomes of identifiers that are published."""


def release_title(plan: Plan) -> str:
    """What the release is, in a line."""
    return f"what {plan.file} publishes, in a staging file until it is proven"


def release_lines(
    plan: Plan, changed: Mapping[str, str], made_of: Sequence[tuple[str, str]] = ()
) -> list[tuple[str, str]]:
    """Titles and words for the header of a release.

    Args:
        changed: published columns that are not as in the source, in words.
        made_of: further titles and words: what the columns are made of.
    """
    actions = {
        name: column.action
        for name, column in plan.columns.items()
        if isinstance(column, Identifier)
    }
    told = [
        (name, changed.get(name) or _ACTIONS.get(actions.get(name, ""), "as in the source"))
        for name in plan.publication_columns
    ]
    dropped = [name for name, action in actions.items() if action == "drop"]
    if dropped:
        kind = "identifiers" if len(dropped) > 1 else "an identifier"
        told.append(("left out", f"{', '.join(dropped)}: {kind}"))
    if plan.missing == "drop-rows":
        told.append(
            ("left out", "rows with a missing quasi-identifier or sensitive value (source_rows)")
        )
    return [*told, *made_of, *(("promise", model.promise) for model in plan.privacy)]
