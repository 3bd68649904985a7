"""What must be proven of a plan's publication."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sqlanon.plan.draft import BUCKET
from sqlanon.plan.plan import Plan
from sqlanon.plan.tables import values_place
from sqlanon.proof.publication import HiddenPersons, Publication, TwoTables, file_relation
from sqlanon.proof.rearrangement import Dealt, Rearranged
from sqlanon.search.scales import CutAttribute
from sqlanon.search.slicing import sliced_promises
from sqlanon.source.hierarchies import hierarchy_name
from sqlanon.source.tables import person_alias
from sqlanon.sql.step import unused


def publication_of(
    plan: Plan, relation: str, counts: str = "", *, groups: Sequence[Sequence[str]] = ()
) -> Publication:
    """What must be proven of a plan's publication.

    Args:
        relation: SQL that reads the published rows.
        counts: SQL that reads the published values, if they are in a separate table.
        groups: the column groups, if the source is available to prove what they hide.
    """
    if plan.publishes_buckets:  # values are unchanged, so a population has no classes to fall into
        models = tuple(model for model in plan.privacy if not model.needs_population)
        promises = replace(plan.promises, models=models, generalized=(), population=False)
        if not plan.separates_sensitive:
            sliced = (
                sliced_promises(promises.models, groups, promises.sensitive)
                if plan.is_sliced and groups
                else []
            )
            return Publication(
                relation, [BUCKET], promises, sliced=sliced, escaped=plan.escaped_columns
            )
        columns, attribute = plan.publication_columns, plan.dealt_attribute or ""
        tables = TwoTables(relation, counts, columns, attribute)
        return Publication(
            tables.relation, [BUCKET], promises, tables=tables, escaped=plan.escaped_columns
        )
    located = plan.quasi_identifiers if plan.method.makes_partition else ()
    most_rows = None if plan.unit is None else plan.unit.rows
    return Publication(relation, list(plan.class_columns), plan.promises, located=list(located),
                       persons=persons_of(plan), most_rows=most_rows,
                       escaped=plan.escaped_columns)  # fmt: skip


def persons_of(plan: Plan, rows: str = "") -> HiddenPersons | None:
    """The persons of a publication without a key of them; None if it has one, or counts rows.

    Args:
        rows: the relation of the published rows with the persons, while a run has it.
    """
    if not plan.hides_persons:
        return None
    count = plan.persons_column or ""
    columns = tuple(name for name in plan.publication_columns if name != count)
    return HiddenPersons(rows, columns, count, is_text=plan.publish.is_csv)


def staged_publication(
    plan: Plan,
    groups: Sequence[Sequence[str]],
    staged: str,
    *,
    levels: Mapping[str, int] | None,
    ends: Sequence[CutAttribute] = (),
) -> Publication:
    """The publication in the file `staged`, and in the file of values next to it if there is one.

    Args:
        groups: the column groups.
        levels: the level of each column; None if the program finds it, or if there is none.
        ends: the attributes whose published ranges end at no value of too few persons.
    """
    rows, counts = file_relation(staged), file_relation(values_place(staged))
    publication = publication_of(plan, rows, counts, groups=groups)
    persons = persons_of(plan, "sqlanon.person_rows")
    publication = replace(
        publication, dealt=dealt_of(plan), levels=levels, ends=ends, persons=persons
    )
    if ends:
        least, person = plan.least_persons, person_alias(plan)
        publication = replace(publication, least_persons=least, person=person)
    return replace(publication, rearranged=rearranged_of(plan, groups) if groups else None)


def rearranged_of(plan: Plan, groups: Sequence[Sequence[str]]) -> Rearranged | None:
    """The rows behind the plan's buckets, as its steps make them; None if it has no buckets.

    Args:
        groups: the column groups.
    """
    if not plan.publishes_buckets:
        return None
    combined = any(model.presence is not None for model in plan.privacy)
    return Rearranged(
        rows="dealt_rows" if plan.method.deals_rows else "bucketed_rows",
        combinations="generalized_combinations" if combined else "row_combinations",
        combination=unused("combination", plan.published_columns),
        parts=groups,
    )


def dealt_of(plan: Plan) -> Dealt | None:
    """What the plan's method promises about the buckets that it deals; None if it deals none."""
    if not plan.method.deals_rows:
        return None
    combination = unused("combination", plan.published_columns)
    return Dealt(
        attribute=plan.dealt_attribute or "",
        size=plan.bucket_size,
        distinct=plan.method.keeps_values_apart,
        strata=[(n, hierarchy_name(n), level) for n, level in plan.method.strata.items()],
        combination="" if plan.publishes_buckets else combination,
    )
