"""solve, as a generator: prepare the problem, rule out the impossible, let the method search."""

from __future__ import annotations

from sqlanon.errors import NoSolutionError
from sqlanon.full_domain import FullDomainProblem, judgements, values_of
from sqlanon.methods import FullDomainResult
from sqlanon.plan import Plan
from sqlanon.render import render
from sqlanon.step import Search, Step, quoted


def search(plan: Plan, problem: FullDomainProblem) -> Search[FullDomainResult]:
    """The node that the plan's method finds.

    Raises:
        NoSolutionError: the promise cannot be held, even by one class of all rows, or no node
            holds it within the suppression limit.
    """
    yield from _precheck(plan, problem)
    result = yield from plan.method.search(problem)
    if result is None:
        limit = plan.suppression.limit or 0
        raise NoSolutionError(
            f"No node of the lattice ({problem.size:,} nodes) holds the promise with at most"
            f" {problem.limit_rows:,} of {problem.row_count:,} rows suppressed (limit {limit}).",
            where=plan.where("suppression"),
            fix="raise suppression.limit, or ask for less under privacy",
        )
    return result


def _precheck(plan: Plan, problem: FullDomainProblem) -> Search[None]:
    """One class of all rows: what fails there fails everywhere, if the model is monotone."""
    yield Step("one_class", render("search/one_class.sql"))
    for relation, name in values_of(problem.counted, problem.models):
        yield Step(
            f"one_class_values_{relation}",
            render("search/one_class_values.sql", number=relation, attribute=name),
        )
    entries = judgements(
        problem.models,
        problem.counted,
        classes="sqlanon.one_class",
        class_key=["node"],
        class_values="sqlanon.one_class_values",
    )
    for number, (entry, model) in enumerate(zip(entries, problem.models, strict=True)):
        ((measured, _, failing, _),) = yield Step(
            f"one_class_{entry['name']}",
            render(
                "verify/measured.sql",
                name=f"one_class_{entry['name']}",
                model_sql=entry["sql"],
                column=quoted(model.measure[0]),
                aggregate=model.measure[1],
            ),
            "rows",
        )
        if failing and problem.prunes(model):
            raise NoSolutionError(
                f"No generalization can hold {model.model} here: even with all"
                f" {problem.row_count:,} rows in one class, {model.measure[0]} is {measured}.",
                where=plan.where("privacy", number),
                fix=f"ask for {model.feasible(measured)}, or publish more rows together",
            )
