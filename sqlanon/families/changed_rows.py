"""The published rows of a plan that publishes other values in place of those of some columns.

The rows are placed first, as a private relation: each with the place of its class, with labels, and
with its values as they are read. The release makes one value a class of them, codes and rounds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sqlanon.bounds import MOST_NAMES
from sqlanon.families.persons import released
from sqlanon.plan.changes import ChangedColumn
from sqlanon.plan.plan import Plan
from sqlanon.plan.warnings import CLASS_OF_K, DOMINANT_VALUE, PlanWarning
from sqlanon.proof.lineage import CHANGED_CLASSES
from sqlanon.proof.publication import row_aliases
from sqlanon.source.tables import place_name
from sqlanon.sql.render import render
from sqlanon.sql.step import PLACED_ROWS, Search, Step, unused


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
    source_order: str = "",
) -> str:
    """The query that makes what is published of `placed_rows`: the release, or `person_rows`.

    Args:
        aliases: the names of columns within the queries.
        title, lines: of the header.
        source_order: the column with the number of a row, if rows stay in the order of the source.
    """
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
        columns=_columns(plan, aliases),
        class_key=[aliases[name] for name in plan.form.class_key],
        source_order=source_order,
        **_class_inputs(plan, aliases),
        **persons,
    )


def _class_inputs(
    plan: Plan, aliases: Mapping[str, str], *, has_classes: bool = False
) -> dict[str, Any]:
    """Template variables of what classes publish in place of values.

    Args:
        has_classes: whether labels are those of `published_classes`, and not of the rows.
    """
    columns = _columns(plan, aliases)
    of_class = _of_class(columns)
    return {
        "labels": [c for c in columns if c.name in plan.quasi_identifiers and c.column is None],
        "aggregated": of_class,
        "coded": [c for c in columns if c.column is not None and c not in of_class],
        "classes": has_classes,
        "least": plan.least_persons,
        "most_names": MOST_NAMES,
    }


def is_by_class(plan: Plan) -> bool:
    """Whether classes have one value of each changed column, and the labels that order them.

    Then rows can be put in order before it is known what their class publishes.
    """
    columns = plan.changed_columns.values()
    return bool(columns) and all(c.change.aggregate and not c.is_label for c in columns)


def classes_step(plan: Plan, aliases: Mapping[str, str], rows: str) -> Step:
    """The published classes with their one value of each changed column.

    Args:
        rows: `ordered_rows`; or `placed_rows`, if what classes publish decides their order.
    """
    inputs = _class_inputs(plan, aliases, has_classes=True)
    key = [aliases[name] for name in plan.form.class_key] if rows == PLACED_ROWS else []
    sql = render("release/changed_classes.sql", rows=rows, class_key=key, person="", **inputs)
    return Step(CHANGED_CLASSES, sql)


def ordered_steps(plan: Plan, aliases: Mapping[str, str], placed: str) -> list[Step]:
    """The steps from `placed_rows` to `ordered_rows`, whose classes are looked up by their place.

    Args:
        placed: the query of `placed_rows`.
    """
    inputs = _class_inputs(plan, aliases, has_classes=True)
    read = {name: inputs[name] for name in ("labels", "aggregated", "coded", "least")}
    columns = _columns(plan, aliases)
    ordered = render("release/ordered_placed_rows.sql", columns=columns, person="", **read)
    classes = [classes_step(plan, aliases, PLACED_ROWS)] if inputs["aggregated"] else []
    return [Step(PLACED_ROWS, placed), *classes, Step("ordered_rows", ordered)]


def _columns(plan: Plan, aliases: Mapping[str, str]) -> list[Published]:
    """The published columns, in order."""
    raw, changed = raw_aliases(plan, aliases), plan.changed_columns
    return [
        Published(name, aliases[name], number, raw.get(name, aliases[name]), changed.get(name))
        for number, name in enumerate(plan.published_columns, start=1)
    ]


def _of_class(columns: Sequence[Published]) -> list[Published]:
    """Those of which one value is published a class."""
    return [c for c in columns if c.column is not None and c.column.change.aggregate]


def aggregated_values(plan: Plan, rows: str) -> Search[dict[str, dict[str, Any]]]:
    """What is left of the values of which one is published a class; after the release.

    Of numbers also the sums of squares within classes (`sse`) and about the mean (`sst`), and their
    quotient `il`, with nine digits: the rest depends on the order in which rows are added.

    Args:
        rows: the step that has the rows of published classes as they are read.
    """
    aliases = dict(row_aliases(plan))
    columns = _of_class(_columns(plan, aliases))
    if not columns:
        return {}
    sql = render(
        "release/aggregated_values.sql",
        columns=columns,
        rows=rows,
        person=aliases[plan.person] if plan.person is not None else "",
        least=plan.least_persons,
    )
    found = {}
    for name, *counts, share, sse, sst in (yield Step("aggregated_values", sql, "rows")):
        measures = dict(zip(("classes", "withheld_rows", "smallest_class"), counts, strict=True))
        found[name] = {"aggregate": plan.changed_columns[name].change.aggregate, **measures}
        if share is not None or sst is not None:
            il = 0.0 if not sst else sse / sst
            numbers = {"largest_share": share, "sse": sse, "sst": sst, "il": il}
            found[name] |= {n: None if v is None else float(f"{v:.9g}") for n, v in numbers.items()}
    return found


def warnings_of_classes(
    plan: Plan, aggregated: Mapping[str, Mapping[str, Any]]
) -> list[PlanWarning]:
    """The warnings of means and sums that show nearly what single persons have.

    Args:
        aggregated: the result of `aggregated_values`.
    """
    found, members = [], "persons" if plan.unit else "rows"
    for name, measures in aggregated.items():
        kind, least = measures["aggregate"], measures["smallest_class"]
        share = measures.get("largest_share") or 0.0
        if kind not in ("mean", "sum") or least is None:
            continue
        if share > _DOMINANT:
            text = (
                f"In a class, one of the {members} has {share:.0%} of the sum of '{name}', so the"
                f" {kind} shows about what it is. Generalize more, or code it at the top."
            )
            found.append(PlanWarning(f"{DOMINANT_VALUE}.{name}", name, text))
        if least == plan.least_persons:
            text = (
                f"The smallest class with a {kind} of '{name}' has {least} {members} with a value:"
                f" who knows {least - 1} of the values learns the last. Ask for a larger k."
            )
            found.append(PlanWarning(f"{CLASS_OF_K}.{name}", name, text))
    return found


_DOMINANT = 0.5
"""The share of a sum from which on it is known roughly whose it is."""


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
