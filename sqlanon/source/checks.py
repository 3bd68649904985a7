"""What must be true of the source before a search, and the errors if it is not."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from sqlanon.errors import PlanError
from sqlanon.plan.plan import Plan
from sqlanon.privacy_models.base import PrivacyModel
from sqlanon.source.grids import too_fine
from sqlanon.source.tables import counted_aliases, required_columns, row_count_name, unit_alias
from sqlanon.sql.render import question
from sqlanon.sql.step import Rows, Search, Step, quoted


def proven_steps(plan: Plan, steps: Iterable[Step]) -> Search[None]:
    """Yield the steps, and stop at the first proof with violations.

    Raises:
        PlanError: a proof of `source_steps` found violations.
    """
    for step in steps:
        error = source_problem(plan, step, (yield step))
        if error:
            raise error


def source_problem(plan: Plan, step: Step, problems: Rows) -> PlanError | None:
    """The error for the violations that a proof of `source_steps` found; None if there are none."""
    if not problems:
        return None
    if step.name == "proof_of_population":
        ((combinations, rows),) = problems
        return PlanError(
            f"The population does not contain the source, which has more rows of {combinations}"
            f" combination(s) of quasi-identifiers ({rows} too many).",
            where=plan.where("population"),
            fix="give a population that contains every row of the source, with the same types and"
            " spelling",
        )
    if step.name == "proof_of_whole_persons":
        ((persons,),) = problems
        return PlanError(
            f"{persons:,} person(s) of the population lack a value, and `missing: drop-rows` drops"
            " their rows: no published row can be theirs.",
            where=plan.where("population"),
            fix="leave them out in a `population: {query: …}`, or leave out `missing:`",
        )
    if step.name == "proof_of_unchanging_persons":
        ((persons,),) = problems
        return PlanError(
            f"{persons:,} person(s) have quasi-identifiers that differ from row to row; a"
            " population, which has one row per person, cannot be compared with them.",
            where=plan.where("population"),
            fix="leave out the population and the models that need it, or publish the changing"
            " columns in another role",
        )
    if step.name == "proof_of_dates":
        attribute, count = problems[0]
        return PlanError(
            f"{count:,} row(s) have a date of '{attribute}' before the year 1, after 9999 or"
            " without an end, which databases write in different ways.",
            where=plan.where("columns", attribute),
            fix="write another date, or NULL, in a `source: {query: …}`",
        )
    if step.name == "proof_of_changed_values":
        attribute, unread, present, rare, lines = problems[0]
        where = plan.where("columns", attribute, "publish")
        if unread:
            column = plan.changed_columns[attribute]
            what = "dates" if column.computed == "date" else "numbers"
            verb = "coded or rounded" if column.change.aggregate is None else "aggregated"
            return PlanError(
                f"{unread:,} row(s) have values of '{attribute}' that are no {what} which can be"
                f" {verb}: text, NaN, infinity, or 16 digits and"
                " more before the decimal point.",
                where=where,
                fix="write them as NULL in a `source: {query: …}`, or leave out `publish`",
            )
        if lines:
            grid = plan.changed_columns[attribute].grid
            return too_fine(plan, attribute, grid, lines, rare, where, "write a larger `round`")
        members = "persons" if plan.unit else "rows"
        return PlanError(
            f"Only {present:,} {members} have a value of '{attribute}', fewer than twice the"
            f" {plan.least_persons} that must share each end.",
            where=where,
            fix="give `top` and `bottom` as values, or leave out the column",
        )
    if step.name == "proof_of_listed_values":
        attribute, count = problems[0]
        return PlanError(
            f"The promises name {count} value(s) of '{attribute}' that the source does not have.",
            where=plan.where("privacy"),
            fix="check their spelling; a value that does not occur protects nobody",
        )
    if step.name == "proof_of_numbers":
        attribute = problems[0][0]
        listed = "; ".join(
            f"{name}: {problem} ({count} values)" for name, problem, count in problems
        )
        return PlanError(
            f"A promise compares the values of '{attribute}' as numbers, but some are not:"
            f" {listed}.",
            where=plan.where("columns", attribute),
            fix="write missing values as NULL, or choose a model that needs no order",
        )
    if step.name == "proof_of_distinct_values":
        attribute, texts, numbers, unknown = problems[0]
        if unknown and not texts and not numbers:
            return PlanError(
                f"A promise counts values of '{attribute}' as different, and {unknown} have letters"
                " that Unicode takes for forms of others (NFKC), such as mathematical letters,"
                " units in one letter or Arabic presentation forms.",
                where=plan.where("columns", attribute),
                fix="write them with plain letters; if their forms really matter:"
                f" `{attribute}: {{role: sensitive, compare: exact}}`",
            )
        if not texts:
            typed = (
                f"`source: {{path: …, types: {{{attribute}: double}}}}`"
                if plan.source.is_file and plan.source.file_format == "csv"
                else f'`source: {{query: "select cast({quoted(attribute)} as double) as'
                f' {quoted(attribute)}, …"}}`'
            )
            return PlanError(
                f"A promise counts values of '{attribute}' as different that a reader would take"
                f" for the same: {numbers} are the same number as another value, written"
                " differently, and the column is text.",
                where=plan.where("columns", attribute),
                fix=f"read it as numbers, as in {typed}; if they are codes that really differ:"
                f" `{attribute}: {{role: sensitive, compare: exact}}`, without a promise that"
                " compares numbers",
            )
        return PlanError(
            f"A promise counts values of '{attribute}' as different that a reader would take for"
            f" the same: {texts} differ from another value only in white space, case, Unicode"
            f" form or separators of thousands, and {numbers} are the same number as another"
            " value.",
            where=plan.where("columns", attribute),
            fix=f'write each value in only one way, as in `source: {{query: "select'
            f' lower(trim({quoted(attribute)})) as {quoted(attribute)}, …"}}`; if they really'
            f" differ: `{attribute}: {{role: sensitive, compare: exact}}`",
        )
    return None


def require_persons(plan: Plan) -> Search[None]:
    """Check that every row belongs to a person, if persons are counted.

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
            f"{nobody} row(s) have no '{plan.person}', so it is unknown whose they are.",
            where=plan.where("unit"),
            fix="leave out these rows in a `source: {query: …}`, or fill in the column",
        )


class Several(NamedTuple):
    """How many persons have several values of a sensitive attribute.

    Attributes:
        persons: of the table.
        classes, rows: the finest classes in which persons have several values, and their rows.
    """

    persons: int = 0
    classes: int = 0
    rows: int = 0


def several_values(plan: Plan, model: PrivacyModel) -> Search[Several]:
    """Ask how many persons have several values of the attribute of a model."""
    aliases = dict(counted_aliases(plan))
    attribute = model.sensitive_attribute or ""
    known = [n for n in plan.sensitive_attributes if model.is_joint and n != attribute]
    (found,) = yield question(
        "source/several_values",
        attribute=attribute,
        value=aliases[attribute],
        person=unit_alias(plan),
        key=[*plan.quasi_identifiers, *(aliases[name] for name in known)],
        row_count=row_count_name(plan),
    )
    return Several(*found)


def counted_rows(plan: Plan) -> Search[dict[str, int]]:
    """Ask how many rows are used, lack a required value, and are cut from histories.

    Nothing else about the source is recorded: a digest of its rows, or the number of distinct rows,
    would reveal to an attacker with the persons which of them have a row.
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
    if plan.unit is not None and plan.unit.rows is not None:
        present = " and ".join(f"{quoted(name)} is not null" for name in required_columns(plan))
        complete = f" filter (where {present})" if present else ""
        counted = f"select count(*), count(*){complete}\nfrom sqlanon.source"
        ((total, read),) = yield Step("all_rows", counted, "rows")
        return {"rows": rows, "dropped": int(total) - int(read), "cut": int(read) - rows}
    left_out = 0
    if plan.missing == "drop-rows":
        ((total,),) = yield Step("all_rows", "select count(*)\nfrom sqlanon.source", "rows")
        left_out = int(total) - rows
    return {"rows": rows, "dropped": left_out}
