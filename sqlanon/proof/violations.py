"""The violations that no measure of a model shows, and their errors."""

from __future__ import annotations

from collections.abc import Container, Iterable

from sqlanon.errors import PrivacyViolation
from sqlanon.sql.step import Search, Step


def held(steps: Iterable[Step], measured: Container[str] = ()) -> Search[None]:
    """Execute steps; raise PrivacyViolation if a proof finds a violation.

    Args:
        measured: the proofs whose violations the measures of models show.
    """
    for step in steps:
        violations = yield step
        if violations and step.kind == "proof" and step.name not in measured:
            raise violated(step.name)


def violated(proof: str) -> PrivacyViolation:
    """The error for a proof that found violations."""
    what, fix = next((_FATAL[k] for k in _FATAL if f"{proof}_".startswith(f"{k}_")), _OTHER)
    return PrivacyViolation(what, where="verify", fix=fix)


_OTHER = ("A proof of the published rows found a violation.", "do not publish these rows")


_OTHER_PLAN = (
    "verify the table with the plan that published it; if it is the right one, do not use the table"
)
_OTHER_SOURCE = (
    "verify the table with the plan and the source that it was published from; if these are right,"
    " do not use it"
)

_FATAL = {
    "proof_of_tables": (
        "The two tables of the publication do not match: they have different numbers of rows for a"
        " bucket, or a value is listed twice or with no rows.",
        "publish both tables again; they belong together",
    ),
    "proof_of_rearrangement": (
        "Buckets do not have the parts of the rows that were put into them.",
        "nothing was published; run again, and report this as a bug of sqlanon if it persists",
    ),
    "proof_of_part": (
        "The published rows are not a rearrangement of those of the source: values are missing,"
        " duplicated, changed, or in a bucket where they do not belong.",
        _OTHER_SOURCE,
    ),
    "matched_parts": (
        "A bucket has parts that cannot all come from rows of the source.",
        _OTHER_SOURCE,
    ),
    "proof_of_dealing": (
        "The buckets are not as the method deals them: values are distributed differently.",
        _OTHER_PLAN,
    ),
    "proof_of_rows": (
        "The published table has no rows; an empty table proves nothing.",
        "set a suppression limit that leaves rows to publish",
    ),
    "proof_of_places": (
        "The published labels are not of one level, so the population cannot be divided among"
        " classes.",
        "verify with --plan, whose hierarchies define the labels, a table with labels of one level",
    ),
    "proof_of_regions": (
        "Published labels cannot be read as regions, or are ambiguous, so the population cannot be"
        " divided among classes.",
        "verify the table with the plan that published it; if it is the right one, rename values"
        " that look like an interval or 'or NULL', and labels that are on two levels",
    ),
    "proof_of_ends": (
        "Published labels end at values that fewer than k persons have or not on the grid, or name"
        " such.",
        "if it was published, verify it with its plan; else run again, as the source may have"
        " changed, or write `grid:` for the column",
    ),
    "proof_of_persons": (
        "The persons of classes cannot be counted: rows have no person, or a class does not have"
        " one number of persons in all its rows.",
        "verify the table as it was published; in a table with a key, fill in missing values",
    ),
    "proof_of_person_rows": (
        "The published rows are others than those of which the promises were proven.",
        "verify the table that was published; in a run, this is a bug of sqlanon",
    ),
    "proof_of_row_limit": ("A person has more published rows than the plan allows.", _OTHER_PLAN),
    "proof_of_cells": (
        "Published text begins like a formula of a spreadsheet, and the plan escapes formulas.",
        "change the labels in the file or query of a hierarchy that begin with =, +, -, @, a tab or"
        " a line end; escape the values of its column in a `source: {query: …}`",
    ),
    "proof_of_published_values": (
        "Published values are not as the plan codes or rounds them: they are beyond an"
        " end, no multiples, or fewer than k share an end.",
        _OTHER_PLAN,
    ),
    "proof_of_values": (
        "A sensitive attribute has published values that the source does not have.",
        "verify the table with the plan and the source that it was published from",
    ),
    "proof_of_sliced_diversity": (
        "Over all buckets that a row matches, a sensitive value has too high a probability.",
        "leave the sensitive attribute alone in its column group, or ask for a smaller l",
    ),
    "proof_of_cover": (
        "A person of the population falls into no published class, and is known to be absent.",
        "generalize more, or ask for a dmin of 0",
    ),
}
"""For each violation that no measure of a model shows: what is wrong, and how to fix it."""
