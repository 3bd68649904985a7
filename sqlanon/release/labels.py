"""The steps from classes to the published rows: a label for each class and column."""

from __future__ import annotations

from sqlanon.methods.base import LabelExtent
from sqlanon.plan.plan import Plan
from sqlanon.release.full_domain import copy_options
from sqlanon.release.header import release_lines, release_title
from sqlanon.release.persons import released
from sqlanon.search.partition import PartitionProblem
from sqlanon.search.scales import CutAttribute
from sqlanon.source.tables import place_name
from sqlanon.sql.render import render
from sqlanon.sql.step import Step, unused

_BOUND_TYPES = {"numeric": "double", "date": "timestamp"}
"""SQL types of the columns with the ends of intervals."""


def label_steps(plan: Plan, problem: PartitionProblem, staged: str) -> list[Step]:
    """Boxes of classes, their labels, and the copy of the published rows to the file `staged`."""
    key, position = label_keys(plan)
    return [
        *([problem.relaxed_rows_step()] if problem.deals_ties(plan.method.cutting) else []),
        *([problem.tree_step()] if _shows_regions(plan) else []),
        regions_step(plan, problem),
        Step(
            "class_labels",
            render(
                "partition/class_labels.sql",
                attributes=problem.attributes,
                titles={a.number: _title(plan, problem, a) for a in problem.attributes},
                trees=problem.trees,
                sets=set_attributes(plan, problem),
                labels=label_extent(plan),
                key=key,
                position=position,
                bounds=[
                    (attribute, *plan.bound_columns[attribute.name], _BOUND_TYPES[attribute.kind])
                    for attribute in problem.attributes
                    if attribute.name in plan.bound_columns
                ],
            ),
        ),
        *_release_steps(plan, problem, key, position, staged),
    ]


def label_keys(plan: Plan) -> tuple[str, str]:
    """The columns of `class_labels` for the number of a class, and for its place by its labels."""
    return unused("class", plan.columns), unused("class_position", plan.columns)


def label_extent(plan: Plan) -> LabelExtent | None:
    """The extent of the labels of the plan's method."""
    return plan.method.label_extent(population=plan.population is not None)


def _shows_regions(plan: Plan) -> bool:
    """Whether labels are those of regions, so that the tree of cuts decides them."""
    return plan.method.cuts_regions and label_extent(plan) == "region"


def set_attributes(plan: Plan, problem: PartitionProblem) -> list[int]:
    """Numbers of the attributes whose labels are sets of values."""
    if not plan.method.labels_are_sets:
        return []
    return [a.number for a in problem.attributes if a.kind in ("categorical", "ordinal")]


def label_trees(plan: Plan, problem: PartitionProblem) -> list[int]:
    """Numbers of the attributes whose labels are those of a hierarchy."""
    sets = set_attributes(plan, problem)
    return [number for number in problem.trees if number not in sets]


def _title(plan: Plan, problem: PartitionProblem, attribute: CutAttribute) -> str:
    """What the label of a class is."""
    if attribute.number in set_attributes(plan, problem):
        return "the set of its values, or a single value"
    if attribute.kind == "categorical":
        return "the lowest label of its hierarchy that covers the box of the class"
    if attribute.grid:
        return "the interval [line, next line) of its grid that holds the box of the class"
    if attribute.least_persons:
        return (
            "the interval [lowest, highest] of the box of the class, or a single value; ( and )"
            f" leave out the value, where the box ends at one that fewer than"
            f" {attribute.least_persons} have, and '*' is no end"
        )
    return "the interval [lowest, highest] of the box of the class, or a single value"


def label_words(plan: Plan, problem: PartitionProblem) -> dict[str, str]:
    """What becomes of the columns that a release generalizes."""
    sets, trees = set_attributes(plan, problem), label_trees(plan, problem)
    changed = {}
    for attribute in problem.attributes:
        number = attribute.number
        what = "set" if number in sets else "label" if number in trees else "interval"
        grid = f", on a grid {attribute.grid.told}" if attribute.grid else ""
        changed[attribute.name] = f"the {what} of its class{grid}"
        for bound, end in zip(
            plan.bound_columns.get(attribute.name, ()), ("least", "greatest"), strict=False
        ):
            one = (
                "the line above" if end == "greatest" and attribute.grid else f"the {end} value of"
            )
            changed[bound] = f"{one} this interval"
    return changed


def _reads_boxes(plan: Plan, problem: PartitionProblem) -> bool:
    """Whether labels read the boxes of classes; sets of their rows' values do not."""
    are_sets = len(set_attributes(plan, problem)) == len(problem.attributes)
    return not are_sets or label_extent(plan) == "region"


def regions_step(plan: Plan, problem: PartitionProblem) -> Step:
    """The boxes of all classes, column by column."""
    inputs = {"attributes": problem.attributes}
    if plan.method.cuts_attributes:
        return Step("class_regions", render("partition/split_regions.sql", **inputs))
    sql = render("partition/class_regions.sql", labels=label_extent(plan), **inputs)
    return Step("class_regions", sql)


def _boxes(plan: Plan, problem: PartitionProblem) -> list[tuple[str, str]]:
    """Where the classes and their boxes come from."""
    if plan.method.deals_rows:
        made, box = "rows are dealt to them (step dealt_rows)", "of their rows"
    elif plan.method.cuts_attributes:
        made, box = "whole columns are cut into intervals (step intervals)", "of these intervals"
    elif _shows_regions(plan):
        made, box = "the table is cut repeatedly (step regions)", "that the cuts bound"
    else:
        made, box = "the table is cut repeatedly (step regions)", "of their rows"
    boxes = ("boxes", f"those {box}, one per class and column; class_regions holds them")
    classes = ("classes", f"{made}; class_cells holds them")
    return [classes, boxes] if _reads_boxes(plan, problem) else [classes]


def _release_steps(
    plan: Plan, problem: PartitionProblem, key: str, position: str, staged: str
) -> list[Step]:
    taken = list(plan.columns)
    changed = {
        name: f"{words}, from class_labels" for name, words in label_words(plan, problem).items()
    }
    kept = [name for name in plan.staged_columns if name not in plan.quasi_identifiers]
    lines = release_lines(plan, changed, _boxes(plan, problem))
    columns = [name for name in plan.publication_columns if name != plan.persons_column]
    rows = render(
        "partition/release.sql",
        title=release_title(plan),
        told=lines,
        attributes=problem.attributes,
        places=[(a.place, unused(a.place, taken)) for a in problem.attributes],
        dealt=plan.method.deals_rows or problem.deals_ties(plan.method.cutting),
        combination=problem.row_names["combination"],
        key=key,
        position=position,
        place=place_name(plan) if plan.hides_persons else "",
        person=plan.person,
        row_number=unused("row_number", taken),
        kept=kept,
        columns=[(name, name not in plan.kept_columns) for name in columns],
        order=plan.order,
    )
    return released(plan, rows, lines, staged, copy_options(plan))
