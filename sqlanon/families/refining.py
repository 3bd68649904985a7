"""The classes that passes make, and how they are refined: columns at lower levels, while they hold.

A class goes down one level in the column by which its rows gain most, if all its parts are large
enough; so do its parts. All classes are looked at together, in rounds, until none changes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from sqlanon.families.solution import PassesSolution
from sqlanon.plan.plan import Plan
from sqlanon.proof.publication import row_aliases
from sqlanon.source.tables import placed_labels
from sqlanon.sql.render import question, render, templated
from sqlanon.sql.step import Search, Step, unused

_WHOLE = 1_000_000_000
"""What a row loses at most: losses are whole numbers, so that sums in any order are the same."""


class CodedAttribute(NamedTuple):
    """A quasi-identifier, with the number of its packed key, and what each level keeps of it."""

    number: int
    name: str
    word: int
    masks: list[int]


def coded_inputs(solution: PassesSolution) -> dict[str, Any]:
    """Template variables of packed keys, as a solution records them."""
    attributes = [
        CodedAttribute(number, name, word, solution.masks[name])
        for number, (name, word) in enumerate(solution.words.items(), start=1)
    ]
    return {"words": max(solution.words.values()), "attributes": attributes}


def first_classes(plan: Plan, solution: PassesSolution) -> Step:
    """The classes that the nodes of passes make."""
    promises = plan.promises
    inputs = coded_inputs(solution) | {
        "size": solution.size,
        "unit": promises.places_persons,
        "population": promises.population,
    }
    nodes = []
    for number, node in enumerate(solution.nodes, start=1):
        masks = [0] * inputs["words"]
        for one in inputs["attributes"]:
            masks[one.word - 1] += one.masks[node[one.name]]
        nodes.append((number, [*node.values()], masks))
    sql = render("passes/first_classes.sql", nodes=nodes, **inputs)
    return Step("classes_of_round_0", sql)


def refine(plan: Plan, solution: PassesSolution) -> Search[PassesSolution]:
    """Refine the first classes until none changes; the solution says in how many rounds."""
    yield _gains(plan)
    rounds = changed = 0
    while not rounds or changed:
        rounds += 1
        yield _round_step(plan, solution, rounds)
        ((changed,),) = yield question("passes/refined_rows", round=rounds)
    label = f"{solution.label}; rounds of refining: {rounds - 1}"
    return solution.model_copy(update={"rounds": rounds - 1, "label": label})


def refining_steps(plan: Plan, solution: PassesSolution) -> list[Step]:
    """The classes of passes, as the recorded rounds refine them."""
    first = first_classes(plan, solution)
    if solution.rounds is None:
        return [first]
    rounds = range(1, solution.rounds + 1)
    return [first, _gains(plan), *(_round_step(plan, solution, number) for number in rounds)]


def refined_steps(plan: Plan, solution: PassesSolution) -> list[Step]:
    """From packed keys to the labels of each combination, in the rounds that are recorded."""
    sql = render(
        "release/refined_combinations.sql",
        labels=placed_labels(plan, dict(row_aliases(plan))),
        **coded_inputs(solution),
        keys=[unused(f"key_{n}", plan.columns) for n in range(1, max(solution.words.values()) + 1)],
        rounds=solution.rounds,
    )
    return [*refining_steps(plan, solution), Step("placed_combinations", sql)]


def _gains(plan: Plan) -> Step:
    total = sum(column.weight for column in plan.quasi_identifiers.values())
    weights = [
        (name, round(_WHOLE * column.weight / total))
        for name, column in plan.quasi_identifiers.items()
    ]
    return templated("passes/label_gains", weights=weights)


def _round_step(plan: Plan, solution: PassesSolution, number: int) -> Step:
    sql = render(
        "passes/next_classes.sql",
        round=number,
        size=plan.k,
        unit=plan.unit is not None,
        **coded_inputs(solution),
    )
    return Step(f"classes_of_round_{number}", sql)
