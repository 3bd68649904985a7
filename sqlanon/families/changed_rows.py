"""The published rows of a plan that publishes other values in place of those of some columns.

The rows are placed first, as a private relation: each with the place of its class, with labels, and
with its values as they are read. The release makes one value a class of them, codes and rounds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sqlanon.families.persons import copy_options, released
from sqlanon.plan.changes import ChangedColumn
from sqlanon.plan.plan import Plan
from sqlanon.proof.lineage import PERSON_ROWS, PLACED_ROWS
from sqlanon.source.tables import place_name
from sqlanon.sql.render import render
from sqlanon.sql.step import Step, unused


class Published(NamedTuple):
    """A published column.

    Attributes:
        name: its name.
        alias: its name within the queries.
        number: its number among the columns, from 1.
        raw: the column of `placed_rows` with its values as they are read; of a label that is
            published as it is, the label.
        column: what is published in place of its values; None for the values, or labels.
    """

    name: str
    alias: str
    number: int
    raw: str
    column: ChangedColumn | None


def raw_aliases(plan: Plan, aliases: Mapping[str, str]) -> dict[str, str]:
    """The columns of `placed_rows` with the values of labels that are replaced, by their names."""
    taken = [*plan.columns, *aliases.values()]
    names = [name for name, column in plan.changed_columns.items() if column.is_label]
    return {name: unused(f"value_of_{aliases[name]}", taken) for name in names}


def changed_rows(
    plan: Plan,
    aliases: Mapping[str, str],
    title: str,
    lines: Sequence[tuple[str, str]],
    *,
    has_classes: bool,
    source_order: str = "",
) -> str:
    """The query that makes what is published of `placed_rows`: the release, or `person_rows`.

    Args:
        aliases: the names of columns within the queries.
        title, lines: of the header.
        has_classes: whether labels are those of `published_classes`, and not of the rows.
        source_order: the column with the number of a row, if rows stay in the order of the source.
    """
    raw, changed = raw_aliases(plan, aliases), plan.changed_columns
    columns = [
        Published(name, aliases[name], number, raw.get(name, aliases[name]), changed.get(name))
        for number, name in enumerate(plan.published_columns, start=1)
    ]
    labels = [c for c in columns if c.name in plan.quasi_identifiers and c.column is None]
    of_class = [c for c in columns if c.column is not None and c.column.change.aggregate]
    coded = [c for c in columns if c.column is not None and c not in of_class]
    persons: dict[str, Any] = {"person": "", "place": "", "key": ""}
    if plan.hides_persons and plan.person is not None:
        persons = {
            "person": aliases[plan.person],
            "place": place_name(plan),
            "key": plan.person,
        }
    return render(
        "release/changed_rows.sql",
        title=title,
        lines=list(lines),
        columns=columns,
        labels=labels,
        aggregated=of_class,
        coded=coded,
        class_key=[aliases[name] for name in plan.form.class_key],
        classes=has_classes,
        least=plan.least_persons,
        source_order=source_order,
        **persons,
    )


def changed_steps(
    plan: Plan, placed: str, changed: str, lines: Sequence[tuple[str, str]], staged: str
) -> list[Step]:
    """The steps `placed_rows` and `release`, with `person_rows` between if the plan counts persons.

    Args:
        placed: the query of `placed_rows`.
        changed: the query of what is made of them.
        lines: of the header of the release.
        staged: file that the published rows are copied to.
    """
    return [Step(PLACED_ROWS, placed), *released(plan, changed, lines, staged)]
