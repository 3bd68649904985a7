"""What a report says: of the publication by itself, and of the source behind it.

`published_facts` asks the published rows alone, `source_facts` also the source; the external
edition is made without the second. Both are asked after the proof.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from sqlanon.discovery.statistics import is_number
from sqlanon.families.base import Family
from sqlanon.families.header import range_widths
from sqlanon.families.lattice_view import LatticeView
from sqlanon.families.solution import Solution
from sqlanon.families.suppressed import SuppressedGroups, shown_from
from sqlanon.pages.counts import (
    MOST_BINS,
    Bar,
    Counted,
    Counting,
    Kind,
    Sizes,
    column_kinds,
    counted_values,
    read_ranges,
    reconstructed_values,
    sizes_of,
    together,
)
from sqlanon.pages.risks import page_risk, proven_only
from sqlanon.plan.columns import Identifier
from sqlanon.plan.plan import Plan
from sqlanon.proof.publication import class_aliases, publication_of, renamed
from sqlanon.risks.figures import Risk
from sqlanon.risks.table import Classes, class_size_counts
from sqlanon.source.tables import counted_aliases, row_count_name, unit_alias
from sqlanon.sql.render import question, templated
from sqlanon.sql.step import Search, Step, quoted

_COMBINATIONS = "sqlanon.published_combinations"
_ROWS = "sqlanon.published_rows"

_TREE_ROUNDS = 7


class Disclosed(NamedTuple):
    """The value that most rows have in whose class everybody has the same value.

    Attributes:
        rows: such rows with this value.
        all_rows: all such rows.
    """

    value: str | None
    rows: int
    all_rows: int


@dataclass(frozen=True)
class PublishedFacts:
    """What published rows show by themselves.

    Attributes:
        rows: published rows.
        sizes: of the classes; in persons if the plan has a unit.
        columns: of each column that is counted its values; None if they are too many.
        risk: of its rows.
        row_sizes: the sizes in rows, if the rows do not show the persons of their classes.
        disclosed: by sensitive attribute, what classes of a single value disclose.
        widths: of ranges, in words, by column.
    """

    rows: int
    sizes: Sizes
    columns: Mapping[str, Counted | None]
    risk: Risk
    row_sizes: Sizes | None = None
    disclosed: Mapping[str, Disclosed] = field(default_factory=dict)
    widths: Mapping[str, str] = field(default_factory=dict)

    @property
    def shown(self) -> PublishedFacts:
        """The same as the publication itself shows it: rows, where it shows no persons."""
        return replace(
            self, sizes=self.row_sizes or self.sizes, risk=proven_only(self.risk)
        )  # fmt: skip


@dataclass(frozen=True)
class SourceFacts:
    """What only the source shows.

    Attributes:
        sizes: of the source's classes, if its rows were published unchanged.
        risk: of such rows.
        columns: the values of columns before, where they are counted; for sensitive attributes
            both before and after.
        groups: suppression by group.
        losses: of each quasi-identifier, where labels can be compared.
        titles: of each quasi-identifier the levels of its hierarchy in words, where it has levels.
        lattice: nodes of the lattice, if there is one.
        rows_of_persons: how many persons have how many rows, by their number of rows, rising.
    """

    sizes: Sizes
    risk: Risk
    columns: Mapping[str, Counted]
    groups: tuple[SuppressedGroups, ...] = ()
    losses: Mapping[str, float] = field(default_factory=dict)
    titles: Mapping[str, Sequence[str]] = field(default_factory=dict)
    lattice: LatticeView | None = None
    rows_of_persons: Mapping[int, int] = field(default_factory=dict)


def published_facts(plan: Plan) -> Search[PublishedFacts]:
    """Ask what the published rows show; after `verify_steps`."""
    counted = "select count(*)\nfrom sqlanon.published_rows"
    ((rows,),) = yield Step("published_row_count", counted, "rows")
    published = publication_of(plan, _ROWS)
    classes = Classes(
        [] if plan.form.bucket else published.renames, plan.promises.members,
        person="" if published.unit is None else "person",
        by_history=plan.promises.linked,
    )  # fmt: skip
    sizes = yield from class_size_counts("published_class_sizes", classes.relation)
    row_sizes = None
    if plan.hides_persons and plan.persons_column is None:
        key = list(class_aliases(plan).values())
        row_sizes = yield from class_size_counts(
            "published_row_sizes", _COMBINATIONS, key, "cast(sum(row_count) as bigint)"
        )
    types = plan.publication_types
    typed = [(name, is_number(types[name])) for name in counted_columns(plan)]
    kinds = yield from column_kinds("published_column_kinds", _ROWS, typed)
    columns: dict[str, Counted | None] = {}
    for name in counted_columns(plan):
        if name in plan.form.labeled and not plan.form.bucket and plan.engine.shows_texts:
            alias = _published(plan, name).column
            columns[name] = yield from read_ranges(name, alias, shown_from(plan))
            if columns[name] is not None:
                continue
        kind = kinds[name]
        if kind.how == "nothing":
            columns[name] = None
            continue
        counting = _published(plan, name)
        columns[name] = yield from counted_values(name, counting, None, kind, shown_from(plan))
    risk = yield from page_risk(plan, classes, sizes)
    disclosed = {}
    for name in plan.sensitive_attributes if not plan.form.bucket else ():
        key = list(plan.form.class_key)
        for row in (yield question("pages/disclosed_values", key=key, attribute=name)):
            disclosed[name] = Disclosed(*row)
    fewest = shown_from(plan)
    return PublishedFacts(
        int(rows), sizes_of(sizes, fewest), columns, risk,
        sizes_of(row_sizes, fewest) if row_sizes else None, disclosed,
        (yield from range_widths(plan)),
    )  # fmt: skip


def source_facts(
    plan: Plan,
    prepared: Family[Any],
    solution: Solution,
    groups: Sequence[SuppressedGroups],
    losses: Mapping[str, float],
) -> Search[SourceFacts]:
    """Ask what the source shows; after the proof and the measured steps."""
    names, rows = list(plan.quasi_identifiers), row_count_name(plan)
    person = unit_alias(plan) if plan.unit else ""
    named, own = renamed(names), [(name, name) for name in names]
    classes = Classes(
        named, plan.promises.members, relation="sqlanon.source_classes", in_combinations=own,
        combinations="sqlanon.source_combinations", row_count=rows, person=person, title="source_",
    )  # fmt: skip
    inputs = {"quasi_identifiers": named, "row_count": rows, "person": person}
    yield templated("pages/source_classes", **inputs)
    sizes = yield from class_size_counts("source_class_sizes", classes.relation)
    columns = yield from _values_before_and_after(plan, prepared, solution, groups)
    if solution.suppressed_rows:
        for name, alias in counted_aliases(plan):
            if name in plan.sensitive_attributes:
                columns[name] = yield from _values_before(plan, name, alias)
    lattice = yield from prepared.lattice(solution)
    persons: dict[int, int] = {}
    if plan.person is not None:
        persons = dict((yield question("discovery/rows_of_persons", person=quoted(plan.person))))
    return SourceFacts(
        sizes_of(sizes, shown_from(plan)), (yield from page_risk(plan, classes, sizes)), columns,
        tuple(groups), losses, prepared.level_titles, lattice, persons,
    )  # fmt: skip


def tree_regions(file: Path) -> list[dict[str, Any]]:
    """The regions of the first rounds in the file of a partition tree.

    It has values only where the published regions show them.
    """
    if not file.is_file():
        return []
    regions = []
    with file.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            if int(row["round"]) > _TREE_ROUNDS:
                break
            counts = {key: int(row[key] or 0) for key in ("round", "region", "parent")}
            rows, is_class = int(row["row_count"]), row["is_class"] == "true"
            attribute = row["attribute"]
            ends = list(dict.fromkeys(filter(None, (row.get("lowest"), row.get("highest")))))
            regions.append(
                {**counts, "attribute": attribute, "rows": rows, "is_class": is_class,
                 "values": row.get("label") or " to ".join(ends)}
            )  # fmt: skip
    return regions


def counted_columns(plan: Plan) -> list[str]:
    """The published columns whose values may be named: no identifier, and no key of persons."""
    return [
        name
        for name in plan.published_columns
        if not isinstance(plan.columns[name], Identifier) and name != plan.person
    ]


def _published(plan: Plan, name: str) -> Counting:
    """How the published values of a column are counted: with few rows where there are fewer.

    Where no key of persons is published, a reader has rows, and so has the page.
    """
    key = None if plan.hides_persons else plan.person
    if plan.form.bucket or name not in plan.quasi_identifiers:
        members = f"count(distinct {quoted(key)})" if key else "count(*)"
        return Counting(_ROWS, name, members=members)
    rows = "sum(row_count)"
    members = "count(distinct person)" if key else rows
    return Counting(_COMBINATIONS, class_aliases(plan)[name], rows, members)


def _values_before_and_after(
    plan: Plan, prepared: Family[Any], solution: Solution, groups: Sequence[SuppressedGroups]
) -> Search[dict[str, Counted]]:
    """The values of generalized columns in the source, and as a reader reconstructs them.

    Where suppression by group is known, by its groups, of which the rows that are not suppressed
    are counted; else a value that all suppressed rows could have must have so many rows more.
    """
    distances = yield from prepared.column_distances(solution)
    levels: dict[str, int] = {}
    if distances and prepared.level_titles:
        levels = dict((yield question("pages/group_levels", most=MOST_BINS)))
    few = {one.attribute: one for one in groups if len(one.groups) + one.others <= MOST_BINS}
    fewest, unit = shown_from(plan), unit_alias(plan) if plan.unit else ""
    columns: dict[str, Counted] = {}
    for name in plan.quasi_identifiers:
        if name not in plan.form.labeled:
            continue
        if name not in distances:
            changed = plan.changed_columns.get(name)
            if changed is not None and not changed.is_label:
                columns[name] = yield from _values_before(plan, name, name)
            continue
        if name in few:
            kind = Kind("labels", level=few[name].level)
            read = yield from reconstructed_values(name, kind, 0)
            found = _of_groups(few[name], read, fewest)
        else:
            level = levels.get(name)
            kind = (
                (yield from _source_kind(plan, name, name))
                if level is None
                else Kind("labels", level=level)
            )
            if kind.how == "nothing":
                continue
            least = fewest + solution.suppressed_rows
            found = yield from reconstructed_values(name, kind, least, unit)
        columns[name] = replace(found, distance=distances[name])
    return columns


def _of_groups(groups: SuppressedGroups, read: Counted, fewest: int) -> Counted:
    """The groups of a quasi-identifier as its values, with the rows that are read as them."""
    left = {bar.label: bar.reconstructed or 0.0 for bar in read.bars}
    bars = [
        Bar(one.label, one.rows, one.rows - one.suppressed_rows, left.pop(one.label, 0.0))
        for one in groups.groups
    ]
    kept = groups.other_rows - groups.other_suppressed_rows
    others = Bar(None, groups.other_rows, kept, sum(left.values())) if groups.others else None
    return together(bars, others, groups.others, fewest)


def _source_kind(plan: Plan, name: str, column: str) -> Search[Kind]:
    """How the values of a column of the source are counted."""
    typed = [(column, is_number(plan.type_as_read(name)))]
    kinds = yield from column_kinds("source_column_kinds", "sqlanon.source_combinations", typed)
    return kinds[column]


def _values_before(plan: Plan, name: str, column: str) -> Search[Counted]:
    """The values of a column whose labels are none of a hierarchy, before and after."""
    kind = yield from _source_kind(plan, name, column)
    if name in plan.changed_columns:
        kind = kind._replace(is_typed=False)
    rows = f"sum({quoted(row_count_name(plan))})"
    members = f"count(distinct {quoted(unit_alias(plan))})" if plan.unit else rows
    source = Counting("sqlanon.source_combinations", column, rows, members)
    published = _published(plan, name)
    return (yield from counted_values(name, published, source, kind, shown_from(plan)))
