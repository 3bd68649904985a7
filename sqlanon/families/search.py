"""The search as a generator: rule out what is impossible, then let the method search."""

from __future__ import annotations

from typing import Protocol

from sqlanon.errors import EngineError, NoSolutionError
from sqlanon.methods.full_domain import FullDomainResult
from sqlanon.methods.partition import PartitionResult
from sqlanon.plan.plan import Plan
from sqlanon.privacy_models.promises import Promises, as_text
from sqlanon.search.full_domain import FullDomainProblem
from sqlanon.source.checks import Several, several_values
from sqlanon.sql.render import question
from sqlanon.sql.step import Search, Step

ONE_VALUE = (
    "ask for a model that judges each value alone, such as distinct or frequency l-diversity,"
    " alpha-k-anonymity or beta-likeness; or leave each person one value in a `source: {query: …}`"
)
"""What to do where persons have several values, and a model needs one."""


class Problem(Protocol):
    """What the check before a search needs: one class of all rows."""

    @property
    def row_count(self) -> int:
        """Rows of the input."""

    @property
    def promises(self) -> Promises:
        """The privacy models, and what they look at."""

    @property
    def limit_rows(self) -> int:
        """Rows that may be suppressed."""

    def one_class_sql(self) -> str:
        """The query for what the models measure if all rows form one class."""


def search_partition(
    plan: Plan, problem: Problem, search: Search[PartitionResult | None]
) -> Search[PartitionResult]:
    """The partition that the plan's method finds.

    Args:
        search: the search of the method.

    Raises:
        NoSolutionError: not even one class of all rows holds the promise, or the classes of the
            method do not.
    """
    failing = yield from precheck(plan, problem)
    partition = yield from search
    if partition is None:
        raise NoSolutionError(
            f"The classes that {plan.method.name} makes of {problem.row_count:,} rows do not"
            " all hold the promise." + "".join(f" {sentence}" for sentence in failing),
            where=plan.where("method"),
            fix="ask for less under privacy, or choose another method",
        )
    return partition


def search_lattice(
    plan: Plan, problem: FullDomainProblem, search: Search[FullDomainResult | None]
) -> Search[FullDomainResult]:
    """The node that the plan's method finds.

    Args:
        search: the search of the method.

    Raises:
        NoSolutionError: not even one class of all rows holds the promise, or no node holds it
            within the suppression limit.
    """
    failing = yield from precheck(plan, problem)
    result = yield from search
    if result is None:
        limit = plan.suppression.limit or 0
        fix = "raise suppression.limit, or ask for less under privacy"
        if problem.promises.linked:
            least = max(plan.k, 2)
            ((rare, persons),) = yield question("search/rare_numbers_of_rows", least=least)
            failing.append(
                f"Of {persons:,} persons, {rare:,} ({rare / persons:.1%}) have a number of rows"
                f" that fewer than {least} persons have, which no level hides."
            )
            fix = (
                "publish fewer rows of each person (a smaller `rows` of `unit`), or leave out its"
                " `histories`, so that no row of a person can be joined with another"
            )
        raise NoSolutionError(
            f"No node of the lattice ({problem.size:,} nodes) holds the promise with at most"
            f" {problem.limit_rows:,} of {problem.row_count:,} rows suppressed (limit {limit})."
            + "".join(f" {sentence}" for sentence in failing),
            where=plan.where("suppression"),
            fix=fix,
        )
    if problem.limit_stated and not problem.satisfies(result.score):
        raise EngineError(
            f"The method {plan.method.name} chose a node that does not hold the promise within the"
            " limit.",
            where="search",
            fix="nothing was published; report this as a bug of sqlanon",
        )
    return result


def precheck(plan: Plan, problem: Problem) -> Search[list[str]]:
    """Check one class of all rows: a monotone model that fails there fails everywhere.

    Returns:
        one sentence for each model that fails there but may hold if rows are suppressed.

    Raises:
        NoSolutionError: a model needs more rows suppressed than the limit allows.
    """
    rows = yield Step("one_class", problem.one_class_sql(), "rows")
    if len(rows) != 1:
        raise EngineError(
            "Not all rows fall into one class at the top of the lattice.",
            where="search",
            fix="some values are equal but written differently, such as 0.0 and -0.0: make them the"
            " same in a `source: {query: …}`",
        )
    (row,) = rows
    failing = []
    for number, model in enumerate(plan.privacy):
        measured, satisfied, excess = row[3 * number : 3 * number + 3]
        if satisfied:
            continue
        column = model.deciding_measure[0].replace("_", " ")
        about = f" of '{model.sensitive_attribute}'" if model.sensitive_attribute else ""
        several = Several()
        if model.needs_one_value and problem.promises.unit is not None:
            several = yield from several_values(plan, model)
            if several.classes and several.rows > problem.limit_rows:
                raise NoSolutionError(
                    f"{model.model}{about} needs one value a person in every class. In"
                    f" {several.classes:,} class(es), persons have several, however fine the"
                    " classes are.",
                    where=plan.where("privacy", number),
                    fix=ONE_VALUE,
                )
            if several.persons and model.compares_with_table:
                raise NoSolutionError(
                    f"{model.model}{about} compares classes with the table, where"
                    f" {several.persons:,} person(s) have several values; it needs one value a"
                    " person.",
                    where=plan.where("privacy", number),
                    fix=ONE_VALUE,
                )
        failing.append(
            f"{model.model}{about} needs one value a person in every class, and {several.persons:,}"
            f" person(s) of the table have several: {ONE_VALUE}."
            if several.persons
            else f"With all rows in one class, {column}{about} is {as_text(measured)}, and"
            f" {model.model} fails; it would hold {model.suggestion(measured)}."
            if measured is not None
            else f"With all rows in one class, {model.model} fails."
        )
        if excess is None and problem.promises.is_monotone(model) and not problem.limit_rows:
            excess = problem.row_count  # all classes fail together, and no row may be suppressed
        if excess is not None and excess > problem.limit_rows:
            raise NoSolutionError(
                f"No generalization can hold {model.model}{about} here: even with all"
                f" {problem.row_count:,} rows in one class, {column} is {as_text(measured)}."
                + (f" {model.readings}." if model.readings else ""),
                where=plan.where("privacy", number),
                fix=f"ask for {model.suggestion(measured)}, or publish these rows with others",
            )
    return failing
