"""Intersection: what two releases of the same persons disclose together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar, Literal

from sqlanon.attacks.base import (
    Attack,
    AttackRelations,
    Form,
    NotTriedError,
    Outcome,
    ask,
    make,
)
from sqlanon.attacks.persons import located, persons_step
from sqlanon.sql.step import Search, Step

_MEASURES = (
    "persons",
    "persons_in_both",
    "persons_known",
    "persons_shrunk",
    "values_lost",
    "persons_inconsistent",
    "signatures_changed",
    "largest_m",
)
"""The columns of `intersection_measures.sql`."""


class Intersection(Attack):
    """Intersect the values of a person's classes in two releases.

    The attacker knows the quasi-identifiers of a person, and that the person is in both releases
    with the same value. The candidates are the values that the person's classes in both releases
    have. The attack succeeds if only one candidate is left. If none is left, the value has changed,
    or the person is not in both releases; this is reported as inconsistent, and never as safe. The
    `certainty` is a heuristic: it weights each candidate by its rows in one class times its rows in
    the other, as if the releases were independent.

    The attack also reports the largest m for which both releases are m-unique (no class has a value
    twice, and each has m rows or more), how many persons have classes with different signatures
    (sets of values), and `m_invariance`: this m if no signature differs, otherwise 0. If the
    buckets of a release overlap, the signature of a person is that of all buckets that the person
    can be in.

    Requires: a population with one row per person, and the earlier release, with the same columns.
    Source: Ganta, Kasiviswanathan and Smith, KDD 2008; Xiao and Tao, SIGMOD 2007.
    """

    source: ClassVar[str] = (
        "Ganta, Kasiviswanathan and Smith 2008, Composition attacks, KDD; Xiao and Tao 2007,"
        " m-invariance, SIGMOD"
    )
    forms: ClassVar[tuple[Form, ...]] = (Form(needs=("earlier", "population")),)

    name: Literal["intersection"] = "intersection"

    @property
    def promise(self) -> str:
        return (
            "a person has a value that the person's classes in both releases have; it is disclosed"
            " if there is only one"
        )

    def attempt(self, relations: AttackRelations) -> Search[Outcome]:
        title = self.title(relations)
        persons, candidates = f"{title}_persons", f"{title}_candidates"
        yield persons_step(relations, title)
        releases = []
        for release, rows in (("earlier", relations.earlier), ("later", relations.rows)):
            made = f"{title}_{release}"
            releases.append((release, f"{made}_classes", f"{made}_values"))
            yield from located(relations, rows, persons, made)
            yield make(
                "intersection_values",
                f"{made}_values",
                rows=rows,
                key=relations.named_key,
                attribute=relations.attribute,
                unit=relations.unit,
            )
        yield make(
            "intersection_candidates",
            candidates,
            class_key=relations.class_key,
            releases=releases,
            persons=persons,
        )
        _, in_later, values = releases[1]
        inputs = {"located": in_later, "counts": values, "candidates": candidates}
        yield Step(title, self.sql(relations, **inputs))
        (row,) = yield ask(
            "intersection_measures",
            f"{title}_measures",
            persons=persons,
            candidates=candidates,
            class_key=relations.class_key,
            counts=[values for _, _, values in releases],
        )
        measured = dict(zip(_MEASURES, row, strict=True))
        if not measured["persons_in_both"]:
            raise NotTriedError("no person of the population can be in both releases")
        if measured["persons_inconsistent"] == measured["persons_in_both"]:
            raise NotTriedError(
                "the releases contradict each other for every person: values have changed, or no"
                " one is in both"
            )
        is_invariant = not measured["signatures_changed"]
        outcome = yield from self.summary(relations)
        return replace(
            outcome,
            measured={**measured, "m_invariance": measured["largest_m"] if is_invariant else 0},
            rows_not_safe=min(
                outcome.rows, outcome.rows_at_risk + int(measured["persons_inconsistent"])
            ),
            notes=_notes(measured),
        )


def _notes(measured: Mapping[str, float]) -> tuple[str, ...]:
    """What the counts of rows do not include."""
    notes = []
    absent = int(measured["persons"] - measured["persons_in_both"])
    inconsistent = int(measured["persons_inconsistent"])
    if absent:
        notes.append(f"{absent:,} person(s) of the population cannot be in both releases.")
    if inconsistent:
        notes.append(
            f"For {inconsistent:,} person(s) no value is left: it has changed, or they are not in"
            " both releases. This does not mean that they are safe."
        )
    return tuple(notes)
