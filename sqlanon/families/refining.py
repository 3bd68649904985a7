"""Refining: the classes that passes make, each with columns at lower levels as far as they hold.

A class goes down one level in the column by which its rows gain most, if all its parts are large
enough; so do its parts. All classes are looked at together, in rounds, until none changes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from sqlanon.families.placing import placed_labels
from sqlanon.families.solution import PassesSolution
from sqlanon.plan.plan import Plan
from sqlanon.proof.publication import row_aliases
from sqlanon.sql.render import render
from sqlanon.sql.step import Search, Step, asked

_WHOLE = 1_000_000_000
"""What a row loses at most: losses are whole numbers, so that sums in any order are the same."""


class CodedAttribute(NamedTuple):
    """A quasi-identifier, with the number of its packed key, and what each level keeps of it."""

    number: int
    name: str
    word: int
    masks: list[int]


def coded_attributes(solution: PassesSolution) -> list[CodedAttribute]:
    """The quasi-identifiers as a solution records them."""
    return [
        CodedAttribute(number, name, word, solution.masks[name])
        for number, (name, word) in enumerate(solution.words.items(), start=1)
    ]


def placed_inputs(plan: Plan, solution: PassesSolution) -> dict[str, Any]:
    """Template variables of how passes place packed keys."""
    attributes = coded_attributes(solution)
    words = max(solution.words.values())
    nodes = []
    for number, node in enumerate(solution.nodes, start=1):
        masks = [0] * words
        for one in attributes:
            masks[one.word - 1] += one.masks[node[one.name]]
        nodes.append((number, [*node.values()], masks))
    return {
        "size": solution.size,
        "unit": plan.unit is not None,
        "words": words,
        "nodes": nodes,
        "attributes": attributes,
    }


def refine(plan: Plan, solution: PassesSolution) -> Search[PassesSolution]:
    """Refine the classes of passes until none changes; the solution with the number of rounds."""
    yield from asked(_first_steps(plan, solution))
    rounds = changed = 0
    while not rounds or changed:
        rounds += 1
        yield _round_step(plan, solution, rounds)
        counted = render("passes/refined_rows.sql", round=rounds)
        ((changed,),) = yield Step("refined_rows", counted, "rows")
    return solution.model_copy(update={"rounds": rounds - 1})


def refining_steps(plan: Plan, solution: PassesSolution) -> list[Step]:
    """The classes of passes as the recorded rounds refine them; none if they are not refined."""
    if solution.rounds is None:
        return []
    rounds = range(1, solution.rounds + 1)
    made = [_round_step(plan, solution, number) for number in rounds]
    return [*_first_steps(plan, solution), *made]


def refined_steps(plan: Plan, solution: PassesSolution) -> list[Step]:
    """From packed keys to the labels of each combination, in the rounds that are recorded."""
    sql = render(
        "release/refined_combinations.sql",
        labels=placed_labels(plan, dict(row_aliases(plan))),
        attributes=coded_attributes(solution),
        words=max(solution.words.values()),
        rounds=solution.rounds,
    )
    return [*refining_steps(plan, solution), Step("placed_combinations", sql)]


def _first_steps(plan: Plan, solution: PassesSolution) -> list[Step]:
    total = sum(column.weight for column in plan.quasi_identifiers.values())
    weights = [
        (name, round(_WHOLE * column.weight / total))
        for name, column in plan.quasi_identifiers.items()
    ]
    classes = render("passes/first_classes.sql", **placed_inputs(plan, solution))
    return [
        Step("label_gains", render("passes/label_gains.sql", weights=weights)),
        Step("classes_of_round_0", classes),
    ]


def _round_step(plan: Plan, solution: PassesSolution, number: int) -> Step:
    sql = render(
        "passes/next_classes.sql",
        round=number,
        size=plan.k,
        unit=plan.unit is not None,
        words=max(solution.words.values()),
        attributes=coded_attributes(solution),
    )
    return Step(f"classes_of_round_{number}", sql)
