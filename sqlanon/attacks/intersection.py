"""Intersection: what two releases of the same persons disclose together."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Literal

from sqlanon.attacks.base import Attack, AttackRelations, Outcome, summary
from sqlanon.attacks.persons import known_labels, located, persons_step
from sqlanon.sql.render import render
from sqlanon.sql.step import Search, Step

_MEASURES = (
    "persons",
    "persons_in_both",
    "persons_known",
    "persons_shrunk",
    "values_lost",
    "persons_inconsistent",
    "signatures_changed",
)
"""The columns of `intersection_persons.sql`."""


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

    name: Literal["intersection"] = "intersection"

    @property
    def needs_population(self) -> bool:
        return True

    @property
    def needs_earlier(self) -> bool:
        return True

    @property
    def promise(self) -> str:
        return (
            "a person has a value that the person's classes in both releases have; it is disclosed"
            " if there is only one"
        )

    def attempt(
        self, relations: AttackRelations, *, list_classes: int = 0, with_values: bool = False
    ) -> Search[Outcome | str]:
        title = self.title(relations)
        persons, candidates = f"{title}_persons", f"{title}_candidates"
        known = known_labels(relations)
        yield persons_step(relations, title)
        for release, rows in (("earlier", relations.earlier), ("later", relations.rows)):
            yield from located(relations, rows, known, persons, f"{title}_{release}")
            yield _values_step(relations, rows, f"{title}_{release}_values")
        yield Step(
            f"{title}_beliefs",
            render(
                "attacks/intersection_beliefs.sql",
                title=f"{title}_beliefs",
                class_key=relations.class_key,
                releases=[
                    (release, f"{title}_{release}_classes", f"{title}_{release}_values")
                    for release in ("earlier", "later")
                ],
            ),
        )
        yield Step(
            candidates,
            render(
                "attacks/intersection_candidates.sql",
                title=candidates,
                beliefs=f"{title}_beliefs",
                persons=persons,
            ),
        )
        yield Step(
            title,
            render(
                self.template,
                title=title,
                classes=relations.classes,
                class_key=relations.class_key,
                located=f"{title}_later_classes",
                counts=f"{title}_later_values",
                candidates=candidates,
                promise=self.promise,
                source=self.source,
            ),
        )
        measured = yield from _measured(relations, title)
        if not measured["persons_in_both"]:
            return "no person of the population can be in both releases"
        if measured["persons_inconsistent"] == measured["persons_in_both"]:
            return (
                "the releases contradict each other for every person: values have changed, or no"
                " one is in both"
            )
        outcome = yield from summary(
            title,
            relations.class_key,
            self.measures,
            list_classes=list_classes,
            with_values=with_values,
            notes=_notes(measured),
        )
        open_rows = int(measured["persons_inconsistent"] or 0)
        return replace(
            outcome,
            measured={**outcome.measured, **measured},
            rows_not_safe=min(outcome.rows, outcome.rows_at_risk + open_rows),
        )


def _values_step(relations: AttackRelations, rows: str, title: str) -> Step:
    """The sensitive values of each class of a release, as text because codes are per release."""
    sql = render(
        "attacks/intersection_values.sql",
        title=title,
        rows=rows,
        key=relations.named_key,
        attribute=relations.attribute,
        unit=relations.unit,
    )
    return Step(title, sql)


def _measured(relations: AttackRelations, title: str) -> Search[dict[str, float | None]]:
    """The measures of both releases over all persons, and m-invariance."""
    name = f"{title}_told"
    sql = render(
        "attacks/intersection_persons.sql",
        name=name,
        persons=f"{title}_persons",
        candidates=f"{title}_candidates",
    )
    (row,) = yield Step(name, sql, "rows")
    measured: dict[str, float | None] = dict(zip(_MEASURES, row, strict=True))
    name = f"{title}_uniqueness"
    sql = render(
        "attacks/intersection_uniqueness.sql",
        name=name,
        class_key=relations.class_key,
        counts=[f"{title}_{release}_values" for release in ("earlier", "later")],
    )
    ((largest_m,),) = yield Step(name, sql, "rows")
    measured["largest_m"] = largest_m
    measured["m_invariance"] = 0 if measured["signatures_changed"] else largest_m
    return measured


def _notes(measured: dict[str, float | None]) -> tuple[str, ...]:
    """What the counts of rows do not include."""
    notes = []
    elsewhere = int(measured["persons"] or 0) - int(measured["persons_in_both"] or 0)
    inconsistent = int(measured["persons_inconsistent"] or 0)
    if elsewhere:
        notes.append(f"{elsewhere:,} person(s) of the population cannot be in both releases.")
    if inconsistent:
        notes.append(
            f"For {inconsistent:,} person(s) no value is left: it has changed, or they are not in"
            " both releases. This does not mean that they are safe."
        )
    return tuple(notes)
