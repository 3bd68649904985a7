"""From classes to the published rows: a label for each class and column."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sqlanon.families.header import release_lines, release_title
from sqlanon.families.persons import released
from sqlanon.families.solution import LABEL_WORDS, PartitionSolution
from sqlanon.methods.base import LabelExtent
from sqlanon.plan.plan import Plan
from sqlanon.search.partition import PartitionProblem
from sqlanon.search.scales import CutAttribute
from sqlanon.source.tables import place_name
from sqlanon.sql.render import question, render, templated
from sqlanon.sql.step import Search, Step, unused

_BOUND_TYPES = {"numeric": "double", "date": "timestamp"}
"""SQL types of the columns with the ends of intervals."""


@dataclass(frozen=True)
class ClassLabels:
    """The publication of classes with labels of their own.

    Attributes:
        title: what the classes are.
        problem: its `class_cells` hold the classes.
    """

    plan: Plan
    problem: PartitionProblem
    title = "regions"

    @cached_property
    def position(self) -> str:
        """The column of `class_labels` with the place of a class by its labels.

        Classes with the same labels have one place; for readers they are one.
        """
        return unused("class_position", self.plan.columns)

    def steps(self, solution: PartitionSolution | None, staged: str) -> list[Step]:
        """Boxes of classes, their labels, and the published rows in the file `staged`."""
        plan, problem = self.plan, self.problem
        return [
            *([problem.relaxed_rows_step()] if problem.is_relaxed else []),
            *(problem.tree_steps() if self._extent == "region" else []),
            self._regions_step(),
            templated(
                "partition/class_labels",
                attributes=problem.attributes,
                titles={a.number: self._title(a) for a in problem.attributes},
                trees=problem.trees,
                **self._set_inputs,
                key=class_key(plan),
                position=self.position,
                bounds=[
                    (attribute, *plan.form.bounds[attribute.name], _BOUND_TYPES[attribute.kind])
                    for attribute in problem.attributes
                    if attribute.name in plan.form.bounds
                ],
            ),
            *self._release_steps(staged),
        ]

    def words(self) -> dict[str, str]:
        """What becomes of the columns that a release generalizes."""
        bounds = self.plan.form.bounds
        changed = {}
        for one in self.problem.attributes:
            grid = f", with ends {one.grid.description}" if one.grid else ""
            changed[one.name] = f"{LABEL_WORDS[one.kind]}{grid}"
            if one.name in bounds:
                least, greatest = bounds[one.name]
                above = "the line above" if one.grid else "the greatest value of"
                changed[least] = "the least value of this interval"
                changed[greatest] = f"{above} this interval"
        return changed

    def measured_steps(self) -> list[Step]:
        """What measures read, and the release need not."""
        attributes, labels = (
            self.problem.attributes,
            {**self._set_inputs, "trees": self.problem.trees},
        )
        measured = [a.number for a in attributes if a.kind in ("numeric", "date")]
        return [
            self._regions_step(),
            templated("partition/class_covers", **labels, measured=measured),
            templated("partition/reconstructed_values", **labels),
        ]

    def measure_inputs(self) -> dict[str, dict[str, Any]]:
        """What measures may look at, and the inputs of their templates.

        Labels have levels where all of them are labels of hierarchies.
        """
        is_tree = len(self.problem.trees) == len(self.problem.attributes)
        return {"classes": {}, "labels": {}} | ({"levels": {"levels": []}} if is_tree else {})

    def class_count(self, solution: PartitionSolution) -> Search[int]:
        """Classes as a reader counts them."""
        ((classes,),) = yield question("partition/published_class_count", position=self.position)
        return int(classes)

    @property
    def shows_regions(self) -> bool:
        """Whether labels show the boxes that cuts bound, and not only the extent of rows."""
        return self._extent == "region"

    @property
    def ends(self) -> list[CutAttribute]:
        """The attributes whose labels are ranges or sets."""
        return [a for a in self.problem.attributes if a.kind != "categorical"]

    @property
    def _extent(self) -> LabelExtent | None:
        return self.plan.method.label_extent(population=self.plan.population is not None)

    @property
    def _sets(self) -> list[CutAttribute]:
        """The attributes whose labels are sets of values."""
        return [a for a in self.problem.attributes if a.kind == "nominal"]

    @property
    def _set_inputs(self) -> dict[str, Any]:
        """Variables of the templates that read sets."""
        names = self.plan.method.most_names
        return {"sets": self._sets, "names": names, "labels": self._extent}

    def _title(self, attribute: CutAttribute) -> str:
        """What the label of a class is."""
        if attribute.kind == "nominal":
            of_more = "the label that covers them" if attribute.hierarchy else "their number"
            rare = f", or of one that fewer than {attribute.least_persons} have"
            return (
                f"a single value, or the set of its values; of more than"
                f" {self.plan.method.most_names}{rare if attribute.least_persons else ''},"
                f" {of_more}"
            )
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

    def _regions_step(self) -> Step:
        """The boxes of all classes, column by column."""
        attributes = self.problem.attributes
        sql = (
            render("partition/split_regions.sql", attributes=attributes)
            if self.problem.splits_attributes
            else render("partition/class_regions.sql", labels=self._extent, attributes=attributes)
        )
        return Step("class_regions", sql)

    def _classes_and_boxes(self) -> list[tuple[str, str]]:
        """Where the classes and their boxes come from."""
        made = [("classes", f"{self.problem.made}; class_cells holds them")]
        is_region = self._extent == "region" and self.problem.cutting is not None
        box = "of these intervals" if self.problem.splits_attributes else "of their rows"
        box = "that the cuts bound" if is_region else box
        boxes = f"those {box}, one per class and column; class_regions holds them"
        return [*made, ("boxes", boxes)]

    def _release_steps(self, staged: str) -> list[Step]:
        plan, problem = self.plan, self.problem
        taken = list(plan.columns)
        changed = {name: f"{words}, from class_labels" for name, words in self.words().items()}
        lines = release_lines(plan, changed, self._classes_and_boxes())
        columns = [name for name in plan.form.columns if name != plan.persons_column]
        rows = render(
            "partition/release.sql",
            title=release_title(plan),
            lines=lines,
            attributes=problem.attributes,
            places=[(a.place, unused(a.place, taken)) for a in problem.attributes],
            dealt=problem.has_dealt_rows,
            combination=problem.row_names["combination"],
            key=class_key(plan),
            position=self.position,
            place=place_name(plan) if plan.hides_persons else "",
            person=plan.person,
            row_number=unused("row_number", taken),
            kept=[name for name in plan.staged_columns if name not in plan.quasi_identifiers],
            columns=[(name, name not in plan.kept_columns) for name in columns],
            order=plan.order,
        )
        return released(plan, rows, lines, staged)


def class_key(plan: Plan) -> str:
    """The column of `class_labels` with the number of a class."""
    return unused("class", plan.columns)
