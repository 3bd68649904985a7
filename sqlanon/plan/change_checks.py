"""The checks of what a plan publishes in place of the values of columns."""

from __future__ import annotations

from collections.abc import Iterator

from sqlanon.errors import PlanError
from sqlanon.plan.changes import ChangedColumn
from sqlanon.plan.draft import Draft


def check_changes(plan: Draft) -> Iterator[PlanError]:
    """The faults of `publish` of columns that do not fit the rest of the plan."""
    for name, column in plan.changed_columns.items():
        where = plan.where("columns", name, "publish")
        for is_so, what, fix in _refused(plan, name, column):
            if is_so:
                yield PlanError(what, where=where, fix=fix)


def _refused(plan: Draft, name: str, column: ChangedColumn) -> Iterator[tuple[bool, str, str]]:
    """Whether something is so that does not fit: what is wrong, and a remedy."""
    is_of_class, method = column.change.aggregate is not None, plan.method.name
    leave_out = "leave out `publish`, or choose optimal, incognito, samarati or datafly"
    yield (
        plan.form.bucket is not None,
        f"{method} publishes the values of the source, which it deals to buckets, and its proof"
        f" compares them with the source; so '{name}' cannot be published otherwise.",
        leave_out,
    )
    yield (
        plan.form.bucket is None and not plan.form.leveled,
        f"{method} gives each class labels of its own, from which a reader and `verify` find its"
        f" region; '{name}' cannot be published otherwise.",
        leave_out,
    )
    yield (
        column.is_label and not is_of_class,
        f"'{name}' is a quasi-identifier: its labels are coded or rounded by its hierarchy, which"
        " the search knows.",
        "write a hierarchy, such as `{intervals: …}` or `{round: …}`, and leave out `publish`",
    )
    yield (
        name in plan.promised_columns,
        f"A promise is about the values of '{name}', and other values would be published: after"
        " that it would say nothing of them.",
        "leave out `publish`, or the promise about the column",
    )
    yield (
        plan.promises.linked,
        "Linked histories have rows of several labels in a class, so they have not one value a"
        f" class, and the values of '{name}' are those of one history.",
        "leave out `histories:`, or `publish`",
    )
    yield (
        is_of_class and plan.suppression.rows == "mask",
        f"Rows that are kept with '*' have no class of their own whose {column.change.aggregate}"
        f" of '{name}' could be published.",
        "write `rows: drop`",
    )
    yield (
        is_of_class and plan.population is not None,
        f"A population is compared with published labels, and has no {column.change.aggregate} of"
        f" '{name}' in a class.",
        "leave out `publish`, or the population and the models that need it",
    )
