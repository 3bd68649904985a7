"""Local recoding by passes: each row has the levels of the first node that places it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from sqlanon.errors import EngineError, NoSolutionError, PlanError
from sqlanon.families.leveled import LeveledFamily
from sqlanon.families.refining import coded_inputs, first_classes, refine, refining_steps
from sqlanon.families.search import precheck, search_lattice
from sqlanon.families.solution import (
    LatticeCounts,
    PassesSolution,
    PassOfSolution,
    not_held,
    of_input,
    require_same_input,
)
from sqlanon.families.suppressed import SuppressedGroups, suppressed_groups
from sqlanon.methods.passes import only_pass, search_passes
from sqlanon.search.decisions import class_inputs, counted_inputs
from sqlanon.search.passes import WaitingRows
from sqlanon.sql.render import question, render, templated
from sqlanon.sql.step import Search, asked
from sqlanon.utility.base import ClassSizes, UtilityContext, UtilityMeasure
from sqlanon.utility.measures import STANDARD_MEASURES

_OF_LEVELS = frozenset({"height", "average-generalization", "precision", "entropy"})
"""The measures that read the levels and rows of labels, which have a template for passes."""


@dataclass(frozen=True)
class PassesFamily(LeveledFamily[PassesSolution]):
    """Several lattice nodes: each places rows that no node before has placed."""

    solution_kind: ClassVar[type[PassesSolution]] = PassesSolution

    # --- search

    def search(self) -> Search[PassesSolution]:
        plan, problem, method = self.plan, self.problem, self.method
        row_count = problem.population_rows or problem.row_count
        rows = WaitingRows(problem, plan.placed_from, 1, row_count)
        if method.passes.most > 1:
            yield from precheck(plan, problem)
            passes = yield from search_passes(rows, method.passes, method.next_pass)
        else:
            found = yield from search_lattice(plan, problem, method.search(problem))
            passes = yield from only_pass(rows, found.node, found.checked)
        if not passes:
            raise NoSolutionError(
                f"No pass places a row: no class of {plan.placed_from:,} is cheaper than"
                " suppression.",
                where=plan.where("method", "passes"),
                fix="ask for less under privacy, or for smaller classes (`size`)",
            )
        names = [attribute.name for attribute in problem.attributes]
        solution = PassesSolution(
            **of_input(plan, self.shape, self.counts),
            label=f"{len(passes)} pass(es), each {method.pass_label}; together they are greedy"
            if method.passes.most > 1
            else f"one node, {found.label}",
            passes=[
                PassOfSolution(
                    node=dict(zip(names, one.node, strict=True)),
                    charge=float(one.charge),
                    rows=one.rows,
                    loss=one.loss,
                )
                for one in passes
            ],
            size=plan.placed_from,
            objective=plan.objective.name,
            cost=None,
            classes=0,
            published_rows=0,
            suppressed_rows=problem.row_count,
            lattice=LatticeCounts(
                nodes=problem.size,
                checked=sum(one.checked for one in passes),
                satisfying=None,
                minimal=None,
            ),
            words=dict(self.shape.words),
            masks=self._masks,
        )
        yield first_classes(plan, solution)
        if method.refines:
            solution = yield from refine(plan, solution)
        solution = yield from self._counted(solution)
        if not solution.published_rows:
            raise NoSolutionError(
                "Every class that a pass makes breaks a promise by its sensitive values.",
                where=plan.where("privacy"),
                fix=f"place larger classes than {plan.placed_from:,} (`size` of `passes`), or ask"
                " for less under privacy",
            )
        allowed = method.allowed_rows(problem)
        if solution.suppressed_rows > allowed:
            *_, failing = yield from self._sizes()
            by_values = (
                f" Of them, {failing:,} are in classes that break a promise by their sensitive"
                " values: they are not searched again, as that would tell their values."
                if failing
                else ""
            )
            raise NoSolutionError(
                f"{solution.suppressed_rows:,} of {problem.row_count:,} rows are left when no pass"
                f" places more; {allowed:,} may be suppressed.{by_values}",
                where=plan.where("suppression"),
                fix="raise suppression.limit, place larger classes (`size` of `passes`), or ask for"
                " less under privacy",
            )
        return solution

    def applied(self, reviewed: PassesSolution) -> Search[PassesSolution]:
        now = reviewed.model_copy(update=of_input(self.plan, self.shape, self.counts))
        require_same_input(self.plan, reviewed, now)
        keys = {"words": dict(self.shape.words), "masks": self._masks}
        now = now.model_copy(update=keys)
        yield from asked(refining_steps(self.plan, now))
        now = yield from self._counted(now)
        allowed = self.method.allowed_rows(self.problem)
        if now.suppressed_rows > allowed:
            raise not_held(
                self.plan,
                f"{now.suppressed_rows:,} of {self.problem.row_count:,} rows would have to be"
                f" suppressed, and {allowed:,} may be",
            )
        return now

    def chosen(
        self, node: Mapping[str, int] | None, own: Callable[[], PassesSolution]
    ) -> Search[tuple[PassesSolution, bool]]:
        """The passes of the solution."""
        if node:
            raise PlanError(
                "Passes have several nodes, and each places some of the rows.",
                where="--node",
                fix="leave out --node, or measure a plan without `passes`",
            )
        found = own()
        yield from asked(refining_steps(self.plan, found))
        found = yield from self._counted(found)
        return found, found.suppressed_rows <= self.method.allowed_rows(self.problem)

    @property
    def _masks(self) -> dict[str, list[int]]:
        return {a.name: list(a.masks) for a in self.problem.attributes}

    def _counted(self, solution: PassesSolution) -> Search[PassesSolution]:
        """The solution with the counts and the cost of the data as it is now."""
        yield from self._classes(solution)
        count, _, _, published, rows, _ = yield from self._sizes()
        if rows != self.problem.row_count:
            raise EngineError(
                "Some rows were neither placed nor left.",
                where="search",
                fix="nothing was published; report this as a bug of sqlanon",
            )
        counted = solution.model_copy(
            update={
                "classes": count,
                "published_rows": published,
                "suppressed_rows": rows - published,
            }
        )
        cost = yield from self._value(self.plan.objective)
        return counted.model_copy(update={"cost": [cost]})

    def _classes(self, solution: PassesSolution) -> Search[None]:
        """Place the rows, and judge their classes."""
        problem, promises = self.problem, self.plan.promises
        numbered = list(enumerate(problem.attributes, start=1))
        yield templated(
            "passes/placed_set",
            **coded_inputs(solution),
            unit=promises.unit is not None,
            by_person=promises.places_persons,
            population=promises.population,
            carried=counted_inputs(promises)["carried"],
            rounds=solution.rounds or 0,
        )
        yield templated(
            "passes/placed_classes",
            attributes=[(number, a.top) for number, a in numbered],
            values_counted=counted_inputs(promises)["values_counted"],
            **class_inputs(promises, ["node", "class_1"], masked=False),
        )
        kinds = {name: kind or "any" for name, kind in problem.context.kinds.items()}
        yield templated(
            "passes/class_covers",
            attributes=[(number, a.name, a.weight, a.top) for number, a in numbered],
            scales=[(n, k) for n, k in kinds.items() if k in ("numeric", "date", "any")],
        )
        named = [(number, a.name, "", 0, a.weight) for number, a in numbered]
        yield templated("release/reconstructed_values", attributes=named, placed=True)

    # --- measures

    def _value(self, measure: UtilityMeasure) -> Search[float]:
        """What all passes lose by a measure."""
        problem = self.problem
        context = UtilityContext(
            row_count=problem.row_count,
            limit_rows=problem.limit_rows,
            k=problem.promises.anonymity_k,
            words=1,
            weights=problem.context.weights,
            heights={},
            kinds={},
        )
        template = f"passes/{measure.name.replace('-', '_')}.sql"
        of_levels = measure.name in _OF_LEVELS
        ((cost,),) = yield question(
            "passes/valued_classes",
            measure_title=measure.name,
            measure_sql=render(template) if of_levels else measure.region_sql(context, {}),
        )
        return float(cost)

    def measure(self, solution: PassesSolution) -> Search[dict[str, Any]]:
        """The utility measures; null for those that look at the levels of one node alone.

        A label that passes publish at several levels has the highest.
        """
        utility: dict[str, Any] = {}
        for measure in STANDARD_MEASURES:
            is_known = measure.on_regions in ("classes", "labels") or measure.name in _OF_LEVELS
            cost = (yield from self._value(measure)) if is_known else None
            value = None if cost is None else measure.reported((cost,))
            utility[measure.name.replace("-", "_")] = value
        return utility

    def _sizes(self) -> Search[tuple[int, ...]]:
        (row,) = yield question("passes/placed_class_sizes", unit=self.plan.unit is not None)
        return row

    def class_sizes(self, solution: PassesSolution) -> Search[ClassSizes]:
        count, smallest, total, *_ = yield from self._sizes()
        return ClassSizes(count, smallest or 0, total)

    def column_losses(self, solution: PassesSolution) -> Search[dict[str, float]]:
        ((losses,),) = yield question(
            "passes/valued_classes",
            measure_title="loss of each quasi-identifier",
            measure_sql=render("partition/column_losses.sql"),
        )
        return {a.name: loss for a, loss in zip(self.problem.attributes, losses, strict=True)}

    def suppressed_groups(self, solution: PassesSolution) -> Search[list[SuppressedGroups]]:
        if any(column.is_label for column in self.plan.changed_columns.values()):
            return []  # the rows do not show which labels they had
        return (yield from suppressed_groups(self.plan, self.problem, None))

    def class_count(self, solution: PassesSolution) -> Search[int]:
        return solution.classes
        yield  # rows of several passes with the same labels are one class

    def description(self, solution: PassesSolution | None) -> tuple[str, str]:
        assert solution is not None, "without one, the steps of the release are refused"
        return "passes", f"{len(solution.passes)} (found by {solution.method}: {solution.label})"
