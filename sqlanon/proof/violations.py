"""The violations that no measure of a model would show, and the errors for them."""

from __future__ import annotations

from collections.abc import Iterable

from sqlanon.errors import PrivacyViolation
from sqlanon.sql.step import Search, Step


def held(steps: Iterable[Step]) -> Search[None]:
    """The steps, of which no proof may find a violation that no measure of a model would show.

    Raises:
        PrivacyViolation: one does.
    """
    for step in steps:
        violations = yield step
        kind = step.name.rstrip("_0123456789")
        if violations and kind in _FATAL:
            raise violated(kind)


def violated(kind: str) -> PrivacyViolation:
    """The error for a proof that found violations."""
    what, fix = _FATAL[kind]
    return PrivacyViolation(what, where="verify", fix=fix)


_FATAL = {
    "proof_of_tables": (
        "The two tables of the publication do not fit: they tell different numbers of rows of a"
        " bucket, or a value is listed twice or with no rows.",
        "publish both anew; they belong together",
    ),
    "proof_of_rearrangement": (
        "Buckets do not have the parts of the rows that were put into them.",
        "nothing was published; run again, and report this as a bug of sqlanon if it stays so",
    ),
    "proof_of_part": (
        "The published rows are no rearrangement of the source's: values are missing, too many,"
        " changed, or in a bucket where they do not belong.",
        "verify the table with the plan and the source that it was published from; if it is, do"
        " not use it",
    ),
    "matched_parts": (
        "A bucket has parts that rows of the source cannot have made together.",
        "verify the table with the plan and the source that it was published from; if it is, do"
        " not use it",
    ),
    "proof_of_dealing": (
        "The buckets are not as the method deals them: values are spread otherwise.",
        "verify the table with the plan that it was published by; if it is, do not use it",
    ),
    "proof_of_rows": (
        "The published table has no rows; an empty table proves nothing.",
        "raise the suppression limit only as far as something is left to publish",
    ),
    "proof_of_places": (
        "Published labels are of no one level, so the population cannot be divided among classes.",
        "verify with --plan, whose hierarchies tell labels, a table that holds labels of one level",
    ),
    "proof_of_regions": (
        "Published labels cannot be read as regions, or can be read in two ways, so the population"
        " cannot be divided among classes.",
        "verify the table with the plan that it was published by; if it is, rename values that look"
        " like an interval or 'or NULL', and labels that stand on two levels of a hierarchy",
    ),
    "proof_of_persons": (
        "Rows belong to nobody: the column that tells persons apart has missing values.",
        "leave these rows out, or give them persons",
    ),
    "proof_of_values": (
        "A sensitive attribute has published values that the source does not have.",
        "verify the table with the plan and the source that it was published from",
    ),
    "sliced_diversity": (
        "Over all buckets that a row matches, a sensitive value can be told too surely.",
        "leave the sensitive attribute alone in its column group, or ask for a smaller l",
    ),
    "proof_of_cover": (
        "Somebody of the population falls into no published class, and is known to be absent.",
        "generalize more, or ask for a dmin of 0",
    ),
}
"""Violations that no measure of a model would show."""
