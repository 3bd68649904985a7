"""What must be true of the source before a search, and the error where it is not."""

from __future__ import annotations

from collections.abc import Iterable

from sqlanon.errors import PlanError
from sqlanon.plan.plan import Plan
from sqlanon.source.tables import row_count_name, unit_alias
from sqlanon.sql.step import Rows, Search, Step, quoted


def proven_steps(plan: Plan, steps: Iterable[Step]) -> Search[None]:
    """The steps, each proof among them without a violation.

    Raises:
        PlanError: a proof of `source_steps` found something.
    """
    for step in steps:
        error = source_problem(plan, step, (yield step))
        if error:
            raise error


def source_problem(plan: Plan, step: Step, problems: Rows) -> PlanError | None:
    """The error for what a proof of `source_steps` found; None where it found nothing."""
    if not problems:
        return None
    if step.name == "population_problems":
        ((combinations, rows),) = problems
        return PlanError(
            f"The population does not contain the source: of {combinations} combination(s) of"
            f" quasi-identifiers the source has more rows ({rows} too many).",
            where=plan.where("population"),
            fix="give a population that holds every row of the source, with the same types, written"
            " the same way",
        )
    if step.name == "listed_problems":
        attribute, count = problems[0]
        return PlanError(
            f"The promises name {count} value(s) of '{attribute}' that the source does not have.",
            where=plan.where("privacy"),
            fix="check their spelling; a value that is not there would protect nobody",
        )
    if step.name == "number_problems":
        attribute = problems[0][0]
        told = "; ".join(f"{name}: {problem} ({count} values)" for name, problem, count in problems)
        return PlanError(
            f"A promise compares the values of '{attribute}' as numbers, but not all are: {told}.",
            where=plan.where("columns", attribute),
            fix="write missing values as NULL, or choose a model that needs no order",
        )
    if step.name == "alike_values":
        attribute, texts, numbers = problems[0]
        return PlanError(
            f"A promise counts values of '{attribute}' apart that people hold equal: {texts} differ"
            f" from another one in white space, case or Unicode form alone, {numbers} are a number"
            " that another one is, too.",
            where=plan.where("columns", attribute),
            fix=f'write each value in one way, as in `source: {{query: "select'
            f' lower(trim({quoted(attribute)})) as {quoted(attribute)}, …"}}`; if they do differ:'
            f" `{attribute}: {{role: sensitive, compare: exact}}`",
        )
    return None


def require_persons(plan: Plan) -> Search[None]:
    """Every row belongs to somebody, where persons are counted.

    Raises:
        PlanError: a row belongs to nobody.
    """
    if plan.unit is None:
        return
    person = quoted(unit_alias(plan))
    ((nobody,),) = yield Step(
        "rows_of_nobody",
        f"select coalesce(sum({quoted(row_count_name(plan))}), 0)\n"
        f"from sqlanon.source_combinations\nwhere {person} is null",
        "rows",
    )
    if nobody:
        raise PlanError(
            f"{nobody} row(s) have no '{plan.unit}', so whose they are is not known.",
            where=plan.where("unit"),
            fix="leave these rows out in a `source: {query: …}`, or give them persons",
        )


def counted_rows(plan: Plan) -> Search[dict[str, int]]:
    """Ask for the rows of the source that count, and those that are left out for missing values.

    Nothing else of the source is recorded: a digest of its rows, or how many of them are distinct,
    would tell whoever knows the persons which of them have a row.
    """
    count = quoted(row_count_name(plan))
    ((rows,),) = yield Step(
        "counted_rows",
        f"select cast(coalesce(sum({count}), 0) as bigint)\nfrom sqlanon.source_combinations",
        "rows",
    )
    if rows == 0:
        dropped = " or every row misses a value" if plan.missing == "drop-rows" else ""
        raise PlanError(
            f"The source has no rows{dropped}.",
            where=plan.where("source"),
            fix="check the path, the reader options, and the step that writes the source",
        )
    left_out = 0
    if plan.missing == "drop-rows":
        ((total,),) = yield Step("all_rows", "select count(*)\nfrom sqlanon.source", "rows")
        left_out = int(total) - rows
    return {"rows": rows, "dropped": left_out}
