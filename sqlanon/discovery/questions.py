"""What `init` asks a person, with what each answer costs: roles, hierarchies, k, and promises."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sqlanon.discovery.hierarchies import ProposedHierarchy, proposed_hierarchies
from sqlanon.discovery.purposes import Purpose
from sqlanon.discovery.roles import ProposedRole, number, percent, proposed_roles, unit_of
from sqlanon.discovery.survey import Survey
from sqlanon.hierarchies.base import Hierarchy
from sqlanon.plan.file import load_plan
from sqlanon.plan.tables import Source
from sqlanon.sql.render import question, render
from sqlanon.sql.step import Search

Answers = Mapping[str, str]
"""Answers by the keys of their questions; what is not answered is as it is proposed."""

ROLES = {
    "identifier": "not published",
    "quasi-identifier": "generalized by a hierarchy",
    "sensitive": "published as it is, with a promise about it",
    "insensitive": "published as it is",
    "unit": "not published; its values identify persons, who can have several rows",
}
"""What can be chosen for a column, and what becomes of it."""

PROMISE = "promise"
"""The key of the question about sensitive attributes; `k` is that of k, and `role of NAME` and
`hierarchy of NAME` are those of columns."""

_CHOICES_OF_K = (2, 3, 5, 10, 12, 20, 50)


@dataclass(frozen=True)
class Question:
    """A question about a proposal.

    Attributes:
        key: what it decides.
        text: what is asked, without a value of a row.
        answers: what can be answered, with its meaning and cost.
        proposed: the answer that is proposed.
    """

    key: str
    text: str
    answers: Mapping[str, str]
    proposed: str


@dataclass(frozen=True)
class Questions:
    """All questions about the proposal for a table.

    Attributes:
        bits: of each hierarchy that a column can have, what its levels between the value and `*`
            tell, in the sample; nothing where that is not measured.
    """

    survey: Survey
    source: Source
    purpose: Purpose
    bits: Mapping[str, Sequence[Sequence[float]]]

    def after(self, answers: Answers) -> list[Question]:
        """The questions in their order: later ones follow from the answers to earlier ones."""
        proposed = proposed_roles(self.survey, self.purpose)
        roles = proposed_roles(self.survey, self.purpose, chosen_roles(answers))
        known = [self.survey.columns[n] for n, r in roles.items() if r.role == "quasi-identifier"]
        hierarchies = (self._hierarchy(column.name) for column in known)
        unit = unit_of(roles)
        count = self.survey.columns[unit].distinct if unit else self.survey.table.rows
        k = self._k(count, sum(column.bits for column in known))
        return [
            *(self._role(name, role) for name, role in proposed.items()),
            *(each for each in hierarchies if len(each.answers) > 1),
            k,
            *self._promises(roles, int(answers.get("k", k.proposed)), counts_persons=bool(unit)),
        ]

    def accepted(self, answers: Answers) -> Answers:
        """The answers that are among those of the questions."""
        return {
            one.key: answers[one.key]
            for one in self.after(answers)
            if answers.get(one.key) in one.answers
        }

    def _role(self, name: str, role: ProposedRole) -> Question:
        column = self.survey.columns[name]
        alone = f"{column.sampled_once / self.survey.table.sampled_rows:.0%}"
        text = f"{name} ({role.reason}; {column.bits:.1f} bits, {alone} of the rows are alone with"
        proposed = "unit" if role.is_unit else role.role
        return Question(f"role of {name}", f"{text} their value)", ROLES, proposed)

    def _hierarchy(self, name: str) -> Question:
        column = self.survey.columns[name]
        choices = proposed_hierarchies(column, self.source)
        answers = {}
        for place, choice in enumerate(choices):
            left = ", ".join(f"{bits:.1f}" for bits in self.bits[name][place])
            answers[f"{place}"] = choice.reason + (f": {left} bits are left" if left else "")
        text = f"what {name} is generalized to ({column.bits:.1f} bits)"
        return Question(f"hierarchy of {name}", text, answers, "0")

    def _k(self, count: int, bits: float) -> Question:
        proposed, _ = self.purpose.k_of(count)
        answers = {
            f"{k}": f"k = {k}: nobody is found with a probability above {1 / k:.2g}; classes can"
            f" tell {math.log2(count / k):.1f} of {bits:.1f} bits"
            for k in sorted({*_CHOICES_OF_K, proposed})
            if k == proposed or 2 * k <= count
        }
        text = f"k, the fewest that share their quasi-identifiers (of {number(count)})"
        return Question("k", text, answers, f"{proposed}")

    def _promises(
        self, roles: Mapping[str, ProposedRole], k: int, *, counts_persons: bool
    ) -> Iterator[Question]:
        columns = [self.survey.columns[n] for n, r in roles.items() if r.role == "sensitive"]
        if not columns:
            return
        answers = {"proposed": "for each the one that fits its frequencies"}
        for l in range(2, min(3, k, *(column.distinct for column in columns)) + 1):  # noqa: E741
            most = max(chance_of_fewer(column.shares, k, l) for column in columns)
            answers[f"{l}"] = (
                f"{l} values in each class: of classes of {k} that chance makes up to"
                f" {percent(most)} have fewer, and are joined with others"
            )
        if not counts_persons:
            answers["t"] = "in each class nearly the shares that values have in the table"
        names = ", ".join(column.name for column in columns)
        yield Question(PROMISE, f"what is promised of {names}", answers, "proposed")


def chosen_roles(answers: Answers) -> dict[str, str]:
    """The answers about roles, by column."""
    begin = "role of "
    return {k.removeprefix(begin): role for k, role in answers.items() if k.startswith(begin)}


def chosen_hierarchy(
    choices: Sequence[ProposedHierarchy], name: str, answers: Answers
) -> ProposedHierarchy:
    """The hierarchy of a column, of those that fit it."""
    return choices[int(answers.get(f"hierarchy of {name}", 0))]


def chance_of_fewer(shares: Sequence[float], k: int, l: int) -> float:  # noqa: E741
    """The probability that k rows have fewer than l different values, for l of 2 or 3.

    Args:
        shares: of the values.
    """
    same = sum(share**k for share in shares)
    if l == 2:
        return same
    pairs = sum((one + other) ** k for one, other in itertools.combinations(shares, 2))
    return pairs - (len(shares) - 2) * same


def label_bits(survey: Survey, source: Source) -> Search[dict[str, list[list[float]]]]:
    """Ask what the levels of each hierarchy that a column can have tell, in the sample."""
    found: dict[str, list[list[float]]] = {}
    for name, column in survey.columns.items():
        found[name] = []
        for choice in proposed_hierarchies(column, source):
            bits: list[float] = []
            if isinstance(choice.rule, dict) and "query" not in choice.rule:
                rows = yield question(
                    "discovery/label_bits",
                    alias=column.alias,
                    levels=choice.levels - 1,
                    rule=_rendered(choice),
                )
                bits = [each for (each,) in rows]
            found[name].append(bits)
    return found


def _rendered(choice: ProposedHierarchy) -> str:
    """The SQL of the labels of a rule."""
    column = {"role": "quasi-identifier", "hierarchy": choice.rule}
    plan = load_plan({
        "source": "any.csv", "columns": {"any": column},
        "privacy": [{"model": "k-anonymity", "k": 2}], "publish": "any.parquet",
    })  # fmt: skip
    hierarchy: Hierarchy = plan.hierarchies["any"].with_levels(choice.levels)
    return render(hierarchy.template, values="known_values", rule=hierarchy.inputs)
