"""What of a plan dbt cannot do as sqlanon does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sqlanon.errors import PlanError
from sqlanon.hierarchies.base import Hierarchy
from sqlanon.plan.columns import Identifier
from sqlanon.plan.plan import Plan
from sqlanon.privacy_models.base import PrivacyModel


def check_exportable(plan: Plan, found: Mapping[str, Hierarchy] | None = None) -> None:
    """Check that a plan, with hierarchies as they stand in their files, can be exported."""
    for is_so, what, key, fix in _refused(plan, found or plan.hierarchies):
        if is_so:
            raise PlanError(f"dbt cannot have {what}.", where=plan.where(key), fix=fix)


def _refused(
    plan: Plan, hierarchies: Mapping[str, Hierarchy]
) -> Iterator[tuple[bool, str, str, str]]:
    """Whether something is so that cannot be exported: what, the key of the plan, and a remedy."""
    columns = plan.columns.values()
    kinds = {kind for types in plan.types.values() for kind in types.values()}
    method = plan.method.name
    inside = "run the plan inside dbt, as docs/dbt.md describes; or choose the method optimal"
    yield (
        plan.form.bucket is not None,
        f"the buckets of {method}, because a secret seed deals them and a project has none",
        "method",
        inside,
    )
    partition = f"the partition of {method}, because it is not one level for each column"
    yield not plan.form.leveled, partition, "method", inside
    refined = "refined classes, because their rounds need tables that are no models"
    yield plan.method.refines, refined, "method", "leave out `refine`, or `sqlanon run` the plan"
    masked = "`rows: mask`, because no test of the package knows masked rows"
    yield plan.suppression.rows == "mask", masked, "suppression", "write `rows: drop`"
    rows = "rows left out up to a number, because its test knows a share of them"
    unlimited = plan.suppression.limit is None and plan.may_suppress
    yield unlimited and plan.method.outlier_rows(plan.k) > 0, rows, "suppression", "write a `limit`"
    read = "`read` of a source, because it is written for DuckDB"
    yield bool(plan.readings), read, "source", "make dates and numbers of the texts in a model"
    ordered = "`order: source`, because a table has no order"
    yield plan.order == "source", ordered, "order", "leave `order` out"
    yield (
        plan.promises.linked,
        "linked histories, because the tests of the package judge classes of rows",
        "unit",
        "leave out `histories`, or run the plan with `sqlanon run`",
    )
    yield (
        plan.sample is not None,
        "a sample, because its key must not be in a project",
        "sample",
        "draw it in a model of your own, or run the plan with `sqlanon run`",
    )
    yield (
        any(isinstance(c, Identifier) and c.action == "pseudonym" for c in columns),
        "pseudonyms, because their key must not be in a project",
        "columns",
        "drop these identifiers, or hash them in a model of your own",
    )
    yield (
        any("TIME ZONE" in kind or kind == "TIMESTAMPTZ_NS" for kind in kinds),
        "points in time with a time zone, because their text depends on the session",
        "columns",
        "cast them to timestamp in a `source: {query: …}`",
    )
    yield (
        any(hierarchy.select for hierarchy in hierarchies.values()),
        "a hierarchy that is a query, because its seed would be a file with values of the source in"
        " the project",
        "columns",
        "write this hierarchy as a file, from what is known of the values without the source",
    )
    yield (
        any(
            model.needs_value_levels and not _is_read(hierarchies, model) for model in plan.privacy
        ),
        "a hierarchy of a sensitive attribute that is a rule",
        "columns",
        "write this hierarchy as a file",
    )
    yield (
        any(
            model.sensitive_attribute in plan.quasi_identifiers and model.reads_table_values
            for model in plan.privacy
        ),
        "a promise that compares labels of a quasi-identifier with the values of the table",
        "privacy",
        "run the plan with `sqlanon run`",
    )


def _is_read(hierarchies: Mapping[str, Hierarchy], model: PrivacyModel) -> bool:
    """Whether the hierarchy of a model's attribute is read from a file."""
    return bool(hierarchies[model.sensitive_attribute or ""].file_path)
