"""The control of an attack: what it gets right of people whose rows were kept out of the run.

What holds for most people can be inferred of anybody, whether or not a row is published. Only what
an attack gets right beyond that is a risk of the publication.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

from sqlanon.attacks.base import AttackRelations, Outcome, ask, make
from sqlanon.attacks.persons import located
from sqlanon.attacks.sliced import BeliefAttack
from sqlanon.sql.step import Search

_DEVIATIONS = 1.959963984540054
"""Standard deviations of a normal distribution within which 95 % of it are."""


class Rate(NamedTuple):
    """A rate of success, estimated from trials: the middle and half the width of its interval."""

    value: float
    error: float


class Excess(NamedTuple):
    """A risk beyond that of the control, and its interval of 95 %; each 0 to 1."""

    value: float
    low: float
    high: float


def success_rate(right: int, trials: int) -> Rate:
    """The interval of 95 % of a rate, after Wilson (1927).

    Args:
        right: trials that succeeded.
        trials: 1 or more.
    """
    squared, observed = _DEVIATIONS**2, right / trials
    scale = 1 + squared / trials
    spread = math.sqrt(observed * (1 - observed) / trials + squared / (4 * trials**2))
    return Rate((observed + squared / (2 * trials)) / scale, _DEVIATIONS / scale * spread)


def excess(attack: Rate, control: Rate) -> Excess:
    """The risk beyond the control: (r - r0) / (1 - r0), with the error that both rates give it.

    Source: Giomi, Boenisch, Wehmeyer and Tasnádi, Anonymeter, PoPETs 2023(2), section 4.
    """
    rest = 1 - control.value
    value = (attack.value - control.value) / rest
    error = math.hypot(attack.error / rest, control.error * (attack.value - 1) / rest**2)
    return Excess(*(min(max(each, 0.0), 1.0) for each in (value, value - error, value + error)))


class GuessingAttack(BeliefAttack):
    """An attack that guesses a value of everyone in a class; its control is people in no class.

    A row that was kept out is guessed rightly if every class that it fits discloses its value; one
    that fits none is not.
    """

    def attempt(self, relations: AttackRelations) -> Search[Outcome]:
        outcome = yield from super().attempt(relations)
        if relations.companions:
            return outcome
        inputs = {"tau": None, "level": 0, "gain": None, **dict(self)}
        title = self.title(relations)
        return (yield from controlled(outcome, relations, title, "held_out_rows_guessed", **inputs))


def controlled(
    outcome: Outcome, relations: AttackRelations, title: str,
    template: str = "held_out_rows_linked", **inputs: object,
) -> Search[Outcome]:  # fmt: skip
    """The outcome of an attack, with what it gets right of rows that were kept out, and the excess.

    Args:
        title: of the attack's relation.
        template: counts the rows that were kept out, and those that the attack gets right; by
            default those that it takes to be in the table, as they fit only classes at risk.
    """
    if not relations.held_out:
        return outcome
    yield make("held_out_persons", f"{title}_persons", **vars(relations))
    yield from located(relations, relations.rows, f"{title}_persons", title, partly=True)
    ((rows, right),) = yield ask(template, f"{title}_control", **{**vars(relations), **inputs})
    if not rows:
        return outcome
    found = excess(
        success_rate(outcome.rows_at_risk, outcome.rows), success_rate(int(right), int(rows))
    )
    measured = {
        **outcome.measured,
        "held_out": int(rows), "held_out_guessed": int(right),
        "excess": found.value, "excess_low": found.low, "excess_high": found.high,
    }  # fmt: skip
    return replace(outcome, measured=measured)
