"""Background knowledge: what the attacker knows about a person, combined with the class."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from sqlanon.attacks.base import PERMUTED, AttackRelations, Form, Outcome
from sqlanon.attacks.sliced import BeliefAttack
from sqlanon.bounds import Count, Number
from sqlanon.errors import PlanError
from sqlanon.sql.step import Search


class BackgroundKnowledge(BeliefAttack):
    """Combine the values of a class with what is known about a person in it.

    ruled-out: the attacker can rule out any `ruled_out` values, in the worst case those that
    disclose most: the certainty of a value is highest if the most frequent other values are ruled
    out. At risk: rows of values whose certainty then reaches the threshold.
    weights: a table says how likely each value is for a person, f(s|q). The posterior belief is
    n_s w_s / (sum of n w), with w_s = f(s|q) / f(s|q*); the prior is f(s|q), scaled to sum to 1.
    At risk: rows of values that are disclosed positively (prior below rho1, posterior above
    rho2), and rows of all other values if one is disclosed negatively (prior above 1 - rho1,
    posterior below 1 - rho2).
    Requires: one row per person.
    Source: Machanavajjhala, Kifer, Gehrke and Venkitasubramaniam, TKDD 2007, sections 3 and 4.
    """

    source: ClassVar[str] = "Machanavajjhala et al. 2007, l-diversity, Theorem 3.2"
    forms: ClassVar[tuple[Form, ...]] = (
        Form({"knowledge": "ruled-out"}, others=("relative_to", "rho1", "rho2")),
        Form(
            {"knowledge": "weights"},
            needs=("background",),
            measures={"profiles": "sum", "inconsistent_profiles": "sum"},
            others=("ruled_out", "threshold"),
        ),
    )

    name: Literal["background-knowledge"] = "background-knowledge"
    knowledge: Literal["ruled-out", "weights"] = Field(
        "ruled-out", description="what the attacker knows"
    )
    ruled_out: Annotated[
        Count, Field(ge=1, description="ruled-out: how many values the attacker can rule out")
    ] = 1
    threshold: Annotated[
        Number, Field(gt=0, le=1, description="ruled-out: certainty from which rows are at risk")
    ] = Decimal(1)
    relative_to: Literal["given", "class"] = Field(
        "given",
        description="weights: given: the weights are f(s|q) / f(s|q*); class: the weights are"
        " f(s|q), and f(s|q*) is their mean over the profiles of the class",
    )
    rho1: Annotated[
        Number, Field(gt=0, lt=1, description="weights: a prior belief below this is no knowledge")
    ] = Decimal("0.5")
    rho2: Annotated[
        Number, Field(gt=0, lt=1, description="weights: a posterior belief above this is knowledge")
    ] = Decimal("0.9")

    @model_validator(mode="after")
    def _in_order(self) -> BackgroundKnowledge:
        if self.rho1 >= self.rho2:
            raise ValueError("rho1 is not below rho2; give a rho1 below rho2, such as 0.5 and 0.9")
        return self

    @property
    def on_beliefs(self) -> bool:
        return self.knowledge == "ruled-out"

    @property
    def variant(self) -> str:
        return self.knowledge

    @property
    def template(self) -> str:
        return f"background_knowledge_{self.knowledge.replace('-', '_')}"

    @property
    def promise(self) -> str:
        if self.knowledge == "ruled-out":
            return (
                f"an attacker who rules out any {self.ruled_out} value(s) knows another with a"
                f" certainty of at least {self.threshold}"
            )
        return (
            f"a belief below {self.rho1} rises above {self.rho2}, or one above"
            f" {1 - self.rho1} falls below {1 - self.rho2}"
        )

    def missing(self, relations: AttackRelations) -> str | None:
        if self.knowledge == "weights" and not relations.rows_are_whole:
            return PERMUTED
        return super().missing(relations)

    def attempt(self, relations: AttackRelations) -> Search[Outcome]:
        outcome = yield from super().attempt(relations)
        if self.knowledge == "ruled-out":
            return outcome
        excluded = int(outcome.measured["inconsistent_profiles"] or 0)
        profiles = int(outcome.measured["profiles"] or 0)
        if excluded == profiles:
            raise PlanError(
                f"The weights rule out every value of '{relations.attribute}' in every class with"
                " a profile.",
                where="--background",
                fix="a weight of 0 rules out a value; give the values of the rows weights above 0",
            )
        if not excluded:
            return outcome
        note = (
            f"The background contradicts the table for {excluded} of {profiles} profiles: it rules"
            " out every value of their classes, so they have no posterior belief, and no row"
            " counts as safe."
        )
        return replace(outcome, notes=(*outcome.notes, note), rows_not_safe=outcome.rows)
