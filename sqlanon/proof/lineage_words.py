"""What becomes of each column of a plan, in words: for tables, and for the header of a release."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlanon.plan.columns import Identifier
from sqlanon.plan.draft import BUCKET
from sqlanon.plan.plan import Plan
from sqlanon.proof.source_select import keyed_hash
from sqlanon.source.hierarchies import Generalized
from sqlanon.source.reading import column_as_read
from sqlanon.sql.step import quoted


@dataclass(frozen=True)
class Decider:
    """A source column that decides which rows are kept, and why."""

    name: str
    why: str


def becomes(plan: Plan, labels: Mapping[str, Generalized]) -> dict[str, Generalized]:
    """What becomes of every published column.

    Args:
        labels: what the solution makes of quasi-identifiers.
    """
    found = {}
    for name in plan.published_columns:
        column = plan.columns[name]
        read = column_as_read(plan, name)
        if isinstance(column, Identifier) and column.action == "star":
            found[name] = Generalized("one value for all", "'*'")
        elif isinstance(column, Identifier):
            found[name] = Generalized("keyed hash", keyed_hash(plan, name))
        elif name in labels:
            found[name] = labels[name]
        elif plan.publishes_buckets:
            found[name] = Generalized("as in the source, exchanged within a bucket", read)
        else:
            found[name] = Generalized("as in the source", read)
    for name, ends in plan.bound_columns.items():
        for end, which in zip(ends, ("lower", "upper"), strict=True):
            found[end] = Generalized(f"{which} end of the interval of {name}", quoted(end))
    if plan.persons_column is not None:
        count = f"count(distinct {quoted(plan.person or '')})"
        found[plan.persons_column] = Generalized("number of persons of the class", count)
    if plan.publishes_buckets:
        found[BUCKET] = Generalized("number of the bucket", BUCKET)
    return found


def unsolved(plan: Plan) -> dict[str, Generalized]:
    """What becomes of quasi-identifiers as long as no solution says it."""
    names = plan.labeled_in_buckets if plan.publishes_buckets else plan.quasi_identifiers
    return {name: Generalized("generalized", quoted(name)) for name in names}


def decided_by(plan: Plan) -> tuple[Decider, ...]:
    """The columns that decide which rows are kept."""
    why: dict[str, list[str]] = {}
    if not plan.method.makes_partition:
        for name in plan.quasi_identifiers:
            why.setdefault(name, []).append("rows with the same labels are one class")
        for model in plan.privacy:
            about = (model.sensitive_attribute,) if model.sensitive_attribute else ()
            for name in (*about, *(plan.sensitive_attributes if model.is_joint else ())):
                why.setdefault(name, []).append(f"{model.model} judges the values of a class")
        if plan.person is not None:
            why.setdefault(plan.person, []).append("persons are counted, not rows")
    if plan.unit is not None and plan.unit.rows is not None:
        for name in plan.published_columns:
            why.setdefault(name, []).append(
                f"a keyed hash of the row chooses the {plan.unit.rows} rows of a person"
            )
    if plan.missing == "drop-rows":
        for name in (*plan.quasi_identifiers, *plan.sensitive_attributes):
            why.setdefault(name, []).append("rows without a value are left out")
    return tuple(
        Decider(name, "; ".join(dict.fromkeys(why[name]))) for name in plan.columns if name in why
    )
