"""Intersection: what two releases of the same persons tell together."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Literal

from sqlanon.attacks.base import Attack, AttackRelations, Outcome, summary
from sqlanon.attacks.persons import known_labels, located, persons_step
from sqlanon.sql.render import render
from sqlanon.sql.step import Search, Step

_TOLD = (
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
    """A person who is in two releases has a value that both of the person's classes have.

    The attacker knows a person's quasi-identifiers, and that the person is in both releases with
    the same value. What is sure are the candidates: values of the person's class in the one that
    its class in the other has, too. The attack succeeds where one is left. Where none is, the value
    has changed, or the person is not in both: told as inconsistent, and never as safe. Beside that
    `certainty` is a heuristic: it weighs each candidate by its rows in the one class times its rows
    in the other, as if the releases were independent.

    Told, too: the largest m for which both releases are m-unique (no class has a value twice, and
    each has m rows or more), whose signature (set of values of the class) differs, and
    `m_invariance`: that m where nobody's does, else 0. In a release whose buckets overlap, a
    person's signature is that of all buckets that the person can be in.

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
            "a person's value is one that the person's classes in both releases have; one left is a"
            " success"
        )

    def attempt(
        self, relations: AttackRelations, *, list_classes: int = 0, with_values: bool = False
    ) -> Search[Outcome | str]:
        title = self.title(relations)
        persons, candidates = f"{title}_persons", f"{title}_candidates"
        known = yield from known_labels(title)
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
        told = yield from _told(relations, title)
        if not told["persons_in_both"]:
            return "nobody of the population can be in both releases"
        if told["persons_inconsistent"] == told["persons_in_both"]:
            return (
                "the releases contradict each other for everybody: values have changed, or nobody"
                " is in both"
            )
        outcome = yield from summary(
            title,
            relations.class_key,
            self.measures,
            list_classes=list_classes,
            with_values=with_values,
            notes=_notes(told),
        )
        return replace(outcome, measured={**outcome.measured, **told})


def _values_step(relations: AttackRelations, rows: str, title: str) -> Step:
    """The sensitive values of each class of a release, as text: codes differ between releases."""
    sql = render(
        "attacks/intersection_values.sql",
        title=title,
        rows=rows,
        key=relations.named_key,
        attribute=relations.attribute,
        unit=relations.unit,
    )
    return Step(title, sql)


def _told(relations: AttackRelations, title: str) -> Search[dict[str, float | None]]:
    """What the two releases tell of all persons together, and of m-invariance."""
    name = f"{title}_told"
    sql = render(
        "attacks/intersection_persons.sql",
        name=name,
        persons=f"{title}_persons",
        candidates=f"{title}_candidates",
    )
    (row,) = yield Step(name, sql, "rows")
    told: dict[str, float | None] = dict(zip(_TOLD, row, strict=True))
    name = f"{title}_uniqueness"
    sql = render(
        "attacks/intersection_uniqueness.sql",
        name=name,
        class_key=relations.class_key,
        counts=[f"{title}_{release}_values" for release in ("earlier", "later")],
    )
    ((largest_m,),) = yield Step(name, sql, "rows")
    told["largest_m"] = largest_m
    told["m_invariance"] = 0 if told["signatures_changed"] else largest_m
    return told


def _notes(told: dict[str, float | None]) -> tuple[str, ...]:
    """What the counts of rows leave out."""
    notes = []
    elsewhere = int(told["persons"] or 0) - int(told["persons_in_both"] or 0)
    inconsistent = int(told["persons_inconsistent"] or 0)
    if elsewhere:
        notes.append(f"{elsewhere:,} person(s) of the population cannot be in both releases.")
    if inconsistent:
        notes.append(
            f"For {inconsistent:,} person(s) no value is left: it has changed, or they are not in"
            " both releases. That is no sign of safety."
        )
    return tuple(notes)
