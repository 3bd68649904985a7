"""The published rows of a plan that counts persons and publishes no key of them.

The rows are made with the key first, as a private relation that the promises are proven on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlanon.families.header import release_title
from sqlanon.plan.plan import Plan
from sqlanon.source.tables import place_name, unit_alias
from sqlanon.sql.render import question, render
from sqlanon.sql.step import CSV_OPTIONS, PERSON_ROWS, Search, Step


def copy_options(plan: Plan) -> str:
    """The format of the published file, as an SQL clause."""
    return CSV_OPTIONS if plan.publish.is_csv else "format parquet"


def released(plan: Plan, rows: str, lines: Sequence[tuple[str, str]], staged: str) -> list[Step]:
    """The step `release`, after `person_rows` if the plan counts persons without their key.

    Args:
        rows: the query of the rows: what is published, or `person_rows`.
        lines: what becomes of every column, for the header of the release.
        staged: file that the published rows are copied to.
    """
    if not plan.hides_persons:
        return [Step("release", rows, "copy", target=staged, copy_options=copy_options(plan))]
    sql = render("release/release_of_persons.sql", title=release_title(plan), lines=list(lines),
                 rows="sqlanon.person_rows", **person_inputs(plan))  # fmt: skip
    return [
        Step(PERSON_ROWS, rows),
        Step("release", sql, "copy", target=staged, copy_options=copy_options(plan)),
    ]


def person_inputs(plan: Plan) -> dict[str, Any]:
    """Template variables for the columns of `person_rows`, and for what is published of them."""
    return {
        "columns": [n for n in plan.form.columns if n != plan.persons_column],
        "persons": plan.persons_column or "",
        "place": place_name(plan),
        "key": plan.person,
        "order": list(plan.kept_columns),
    }


def released_persons(plan: Plan) -> Search[dict[str, int]]:
    """How many persons the source has, and the release; after `person_rows`.

    Empty if the plan counts rows, or publishes a key of persons. A person is suppressed if no row
    of the person is published.
    """
    if plan.person is None or not plan.hides_persons:
        return {}
    counts = []
    for relation, person in (("source_combinations", unit_alias(plan)), (PERSON_ROWS, plan.person)):
        ((count,),) = yield question("release/counted_persons", relation=relation, person=person)
        counts.append(int(count))
    there, published = counts
    return {"input": there, "published": published, "suppressed": there - published}
