"""From a chosen lattice node to the rows of the publication, as steps. Nothing is executed here."""

from __future__ import annotations

from sqlanon.plan.plan import Plan
from sqlanon.search.full_domain import counted_inputs, decision_inputs
from sqlanon.solution.file import FullDomainSolution
from sqlanon.source.frequency_set import Shape
from sqlanon.source.hierarchies import level_titles
from sqlanon.sql.render import render
from sqlanon.sql.step import Step, unused


def chosen_node_step(plan: Plan, shape: Shape, solution: FullDomainSolution) -> Step:
    """The node of a solution, written out for the reader."""
    levels = []
    for name in plan.quasi_identifiers:
        level, count = solution.node[name], shape.level_count(name)
        title = level_titles(shape.hierarchies[name], count)[level]
        levels.append((name, level, count - 1, title))
    return Step("chosen_node", render("release/chosen_node.sql", levels=levels))


def release_steps(plan: Plan, shape: Shape, staged: str) -> list[Step]:
    """Classes, decisions, labels, and the copy of the published rows to the file `staged`."""
    words = shape.word_count
    attributes = [(name, shape.words[name]) for name in plan.quasi_identifiers]
    taken = list(plan.columns)
    inputs = {
        "attributes": attributes,
        "keys": [unused(f"class_{word}", taken) for word in range(1, words + 1)],
        "position": unused("position", taken),
        "published": unused("published", taken),
        "masked": plan.suppression.rows == "mask",
    }
    return [
        Step(
            "decided_classes",
            render(
                "release/decided_classes.sql",
                promises=[model.promise for model in plan.privacy],
                frequency_set="frequency_set",
                node_table=None,
                chosen=True,
                nodes=[],
                roll_up=None,
                subsets=False,
                **counted_inputs(plan.promises),
                **decision_inputs(plan.promises, words, masked=plan.suppression.rows == "mask"),
            ),
        ),
        Step("published_classes", render("release/published_classes.sql", **inputs)),
        Step(
            "published",
            render(
                "release/published.sql",
                **inputs,
                name_numbers={name: n for n, (name, _) in enumerate(attributes, start=1)},
                row_number=unused("row_number", taken),
                kept=list(plan.kept_columns),
                columns=[(name, name in plan.quasi_identifiers) for name in plan.published_columns],
                order=plan.order,
            ),
            "copy",
            target=staged,
            copy_options=copy_options(plan),
        ),
    ]


def copy_options(plan: Plan) -> str:
    """The format of the published file, as an SQL clause."""
    return "format csv, header true" if plan.publish.is_csv else "format parquet"
