"""Membership: who is in the table, by the number of persons who match each published row."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Any, ClassVar, Literal, get_args

from pydantic import Field, model_validator

from sqlanon.attacks.base import Attack, AttackRelations, Form, Outcome, ask
from sqlanon.attacks.control import controlled
from sqlanon.attacks.overlapping import overlapping_membership
from sqlanon.bounds import Count, Number
from sqlanon.presence.decisions import Limits
from sqlanon.presence.membership import presence
from sqlanon.presence.persons import Presence, Risk
from sqlanon.sql.step import Search


class Membership(Attack):
    """Infer whether a person of the population is in the table.

    If F persons of the population fall into a class of f rows, the probability is f / F for each of
    them. Persons who fall into no class are certainly not in the table: theirs is 0. For buckets
    with independently permuted columns, the probability is counted exactly: the share of all sets
    of persons with the published counts that contain the person.
    At risk: persons whose probability is above dmax or below dmin; in permuted buckets, if that is
    proven. They put as many rows of their class at risk, at most all of it; those in no class as
    many rows of the table. Persons who need more than `states` have certain bounds; those whom the
    bounds do not prove to be within dmin and dmax are not safe: possibly at risk if an estimate has
    them outside, else unknown.
    If labels overlap, who is certainly in the table is exact, and other persons of such classes are
    never safe.
    Requires: one row per person, or `unit` and a key of persons or their number in each class; a
    population that contains the table.
    Source: Nergiz, Atzori and Clifton, SIGMOD 2007; of buckets the Copenhagen thesis, Algorithm 5.
    """

    source: ClassVar[str] = "Nergiz, Atzori and Clifton 2007, Hiding the presence of individuals"
    forms: ClassVar[tuple[Form, ...]] = (
        Form(
            needs=("population",),
            measures={"persons": "sum", "persons_in": "sum", "persons_at_risk": "sum"},
            on_values=False,
        ),
    )
    by_quasi_identifiers: ClassVar[bool] = True

    name: Literal["membership"] = "membership"
    dmin: Annotated[
        Number, Field(ge=0, le=1, description="lowest acceptable probability, 0 to dmax")
    ] = Decimal("0")
    dmax: Annotated[
        Number, Field(ge=0, le=1, description="highest acceptable probability, dmin to 1")
    ] = Decimal("0.9")
    states: Annotated[
        Count, Field(ge=0, description="maximum states of the exact count of a component")
    ] = Limits.states

    @model_validator(mode="after")
    def _ordered(self) -> Membership:
        if self.dmin > self.dmax:
            raise ValueError("dmin must not be above dmax")
        return self

    @property
    def promise(self) -> str:
        return (
            "a person of the population is in the table with a probability below"
            f" {self.dmin} or above {self.dmax}"
        )

    def missing(self, relations: AttackRelations) -> str | None:
        reason = super().missing(relations)
        if reason is None and relations.hides_counts:
            return "the table does not show how many persons a class has"
        if reason is None and not relations.column_groups:
            return "only the plan's solution, which is missing, shows which columns stay together"
        return reason

    def attempt(self, relations: AttackRelations) -> Search[Outcome]:
        if relations.overlapping:
            low, high = Fraction(self.dmin), Fraction(self.dmax)
            found = yield from overlapping_membership(relations, self.title(relations), low, high)
            return (yield from self._with_absent(relations, found))
        if relations.rows_are_whole:
            found = yield from super().attempt(relations)
            found = yield from self._with_absent(relations, found)
            return (yield from controlled(found, relations, self.title(relations)))
        names = [name for name, _ in relations.quasi_identifiers]
        groups = [[name for name in group if name in names] for group in relations.column_groups]
        shown = yield from presence(
            [group for group in groups if group],
            rows=relations.rows,
            population=relations.population,
            population_count=relations.population_count,
            generalized=relations.generalized,
            title=f"membership_{relations.number}",
            limits=Limits(states=self.states),
        )
        return self._outcome(shown, relations)

    def _with_absent(self, relations: AttackRelations, found: Outcome) -> Search[Outcome]:
        """The outcome of classes, with the persons who fall into none of them."""
        ((persons,),) = yield ask(
            "membership_population",
            f"{self.title(relations)}_population",
            population=relations.population,
            population_count=relations.population_count,
        )
        counts = {key: int(count or 0) for key, count in found.measured.items()}
        absent = int(persons) - counts["persons"]
        at_risk = absent if self.dmin > 0 else 0
        unsafe = found.rows_at_risk if found.rows_not_safe is None else found.rows_not_safe
        note = (
            f"{at_risk:,} persons of the population are in no class, so they are known to be out."
        )
        return replace(
            found,
            rows_at_risk=min(found.rows, found.rows_at_risk + at_risk),
            rows_not_safe=min(found.rows, unsafe + at_risk),
            measured={
                "persons": int(persons),
                "persons_counted": counts.get("persons_counted", counts["persons"]) + absent,
                "persons_in": counts["persons_in"],
                "persons_out": absent,
                "persons_at_risk": counts["persons_at_risk"] + at_risk,
                "persons_possibly_at_risk": 0,
                "persons_unknown": counts.get("persons_unknown", 0),
            },
            notes=(*found.notes, *([note] if at_risk else [])),
        )

    def _outcome(self, found: Presence, relations: AttackRelations) -> Outcome:
        """The outcome of counting, bucket by bucket."""
        low, high = Fraction(self.dmin), Fraction(self.dmax)
        sure: dict[int, Fraction] = defaultdict(Fraction)
        by_risk: dict[Risk, Counter[int]] = {kind: Counter() for kind in get_args(Risk)}
        for cell in found.cells:
            if cell.is_sure or not cell.is_lower_bound:
                sure[cell.bucket] = max(sure[cell.bucket], cell.decision.lower)
            if (risk := cell.risk(low, high)) is not None:
                by_risk[risk][cell.bucket] += cell.persons
        absent = found.unmatched_persons if low > 0 else 0
        totals = {kind: counts.total() for kind, counts in by_risk.items()}
        totals["certain"] += absent
        at_risk = by_risk["certain"]
        not_safe = at_risk + by_risk["possible"] + by_risk["unknown"]
        ranked = sorted(not_safe, key=lambda b: (-sure[b], -at_risk[b], -by_risk["possible"][b], b))
        riskiest: list[dict[str, Any]] = [
            {
                "class_size": found.bucket_rows[bucket],
                "rows_at_risk": (at_risk & found.bucket_rows)[bucket],
                "certainty": float(sure[bucket]),
                "persons_at_risk": at_risk[bucket],
                **({"bucket": bucket} if relations.with_values else {}),
            }
            for bucket in ranked[: relations.list_classes]
        ]
        notes = []
        if found.exact_share < 1:
            notes.append(
                f"The probability of {found.exact_persons:,} of {found.persons:,} persons is exact;"
                f" {totals['possible']:,} others may be at risk as an estimate has it, and of"
                f" {totals['unknown']:,} it is not known. None of these counts as safe."
            )
        if found.lower_bound_persons:
            notes.append(
                f"{found.lower_bound_persons:,} persons match several buckets, which are counted as"
                " one: an attacker may know more about them."
            )
        return Outcome(
            classes=len(found.bucket_rows),
            classes_at_risk=len(at_risk),
            rows=found.rows,
            rows_at_risk=min(found.rows, (at_risk & found.bucket_rows).total() + absent),
            rows_not_safe=min(found.rows, (not_safe & found.bucket_rows).total() + absent),
            certainty=float(found.highest_certain),
            measured={
                "persons": found.persons,
                "persons_counted": found.exact_persons,
                "persons_in": found.sure_in,
                "persons_out": found.sure_out,
                "persons_perhaps_in": found.perhaps_sure_in,
                "persons_at_risk": totals["certain"],
                "persons_possibly_at_risk": totals["possible"],
                "persons_unknown": totals["unknown"],
                "matching_buckets": found.mean_buckets,
                "most_matching_buckets": found.most_buckets,
                "fake_share": found.fake_share,
            },
            riskiest=tuple(riskiest),
            notes=tuple(notes),
        )
