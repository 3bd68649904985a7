"""What a report says: of the publication by itself, and of the source behind it.

`published_facts` asks the published rows alone, `source_facts` also the source; the external
edition is made without the second. Both are asked after the proof.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sqlanon.discovery.statistics import is_number
from sqlanon.families.base import Family
from sqlanon.families.lattice_view import LatticeView
from sqlanon.families.solution import Solution
from sqlanon.families.suppressed import SuppressedGroups, shown_from
from sqlanon.pages.counts import (
    MOST_VALUES,
    Bar,
    Counted,
    Counting,
    Kind,
    Sizes,
    class_sizes,
    column_kinds,
    counted_values,
    together,
)
from sqlanon.pages.risks import asked_figures, proven_only
from sqlanon.plan.columns import Identifier
from sqlanon.plan.plan import Plan
from sqlanon.proof.publication import renamed
from sqlanon.risks.figures import Figure
from sqlanon.source.tables import counted_aliases, row_count_name, unit_alias
from sqlanon.sql.render import render
from sqlanon.sql.step import Search, Step, quoted

_CLASSES = "sqlanon.published_equivalence_classes"
_COMBINATIONS = "sqlanon.published_combinations"
_ROWS = "sqlanon.published_rows"

_AS_THEY_ARE = Kind("values")

_TREE_ROUNDS = 7


@dataclass(frozen=True)
class PublishedFacts:
    """What published rows show by themselves.

    Attributes:
        rows: published rows.
        sizes: of the classes; in persons if the plan has a unit.
        columns: of each column that is counted its values; None if they are too many.
        row_sizes: the sizes in rows, if the rows do not show the persons of their classes.
        figures: of the risk.
    """

    rows: int
    sizes: Sizes
    columns: Mapping[str, Counted | None]
    row_sizes: Sizes | None = None
    figures: tuple[Figure, ...] = ()

    @property
    def shown(self) -> PublishedFacts:
        """The same as the publication itself shows it: rows, where it shows no persons."""
        return replace(
            self, sizes=self.row_sizes or self.sizes, figures=proven_only(self.figures)
        )  # fmt: skip


@dataclass(frozen=True)
class SourceFacts:
    """What only the source shows.

    Attributes:
        sizes: of the source's classes, if its rows were published unchanged.
        columns: the values of columns before, where they are counted; for sensitive attributes
            both before and after.
        groups: suppression by group.
        losses: of each quasi-identifier, where labels can be compared.
        lattice: nodes of the lattice, if there is one.
        rows_of_persons: how many persons have how many rows, by their number of rows, rising.
        figures: of the risk, if its rows were published unchanged.
    """

    sizes: Sizes
    columns: Mapping[str, Counted]
    groups: tuple[SuppressedGroups, ...] = ()
    losses: Mapping[str, float] = field(default_factory=dict)
    lattice: LatticeView | None = None
    rows_of_persons: Mapping[int, int] = field(default_factory=dict)
    figures: tuple[Figure, ...] = ()


def published_facts(plan: Plan) -> Search[PublishedFacts]:
    """Ask what the published rows show; after `verify_steps`."""
    counted = "select count(*)\nfrom sqlanon.published_rows"
    ((rows,),) = yield Step("published_row_count", counted, "rows")
    sizes = yield from class_sizes(
        "published_class_sizes", _CLASSES, (), "class_size", shown_from(plan)
    )
    assert sizes is not None  # an empty publication is not proven
    row_sizes = None
    if plan.hides_persons and plan.persons_column is None:
        key = [alias for _, alias in renamed(list(plan.form.class_key))]
        row_sizes = yield from class_sizes(
            "published_row_sizes", _COMBINATIONS, key, "cast(sum(row_count) as bigint)",
            shown_from(plan),
        )  # fmt: skip
    types = plan.publication_types
    names = [name for name in counted_columns(plan) if name not in _labeled(plan)]
    typed = [(name, is_number(types[name])) for name in names]
    kinds = yield from column_kinds("published_column_kinds", _ROWS, typed)
    columns: dict[str, Counted | None] = {}
    for name in counted_columns(plan):
        kind = kinds.get(name, _AS_THEY_ARE)
        if kind.how == "nothing":
            columns[name] = None
            continue
        counting = _published(plan, name)
        columns[name] = yield from counted_values(name, counting, None, kind, shown_from(plan))
    figures = yield from asked_figures(plan, "published_size_counts", _CLASSES)
    return PublishedFacts(int(rows), sizes, columns, row_sizes, figures)


def source_facts(
    plan: Plan,
    prepared: Family[Any],
    solution: Solution,
    groups: Sequence[SuppressedGroups],
    losses: Mapping[str, float],
) -> Search[SourceFacts]:
    """Ask what the source shows; after the proof and the measured steps."""
    combinations = prepared.combinations
    counted = f"count(distinct {quoted(combinations.person)})" if plan.unit else (
        f"cast(sum({quoted(combinations.rows)}) as bigint)"
    )  # fmt: skip
    sizes = yield from class_sizes(
        "source_class_sizes",
        combinations.relation,
        combinations.key,
        counted,
        shown_from(plan),
        counted=combinations.rows,
    )
    assert sizes is not None  # an empty source is refused
    columns = {one.attribute: _before(one, shown_from(plan)) for one in groups}
    for name in plan.quasi_identifiers:
        if name not in columns and name in _labeled(plan):
            columns[name] = yield from _values_before(plan, name)
    if solution.suppressed_rows:
        for name, alias in counted_aliases(plan):
            if name in plan.sensitive_attributes:
                columns[name] = yield from _values_before(plan, name, alias)
    lattice = yield from prepared.lattice(solution)
    persons: dict[int, int] = {}
    if plan.person is not None:
        sql = render("discovery/rows_of_persons.sql", person=quoted(plan.person))
        persons = dict((yield Step("rows_of_persons", sql, "rows")))
    figures = yield from asked_figures(
        plan, "source_size_counts", combinations.relation, combinations.key, counted,
        combinations.rows,
    )  # fmt: skip
    return SourceFacts(sizes, columns, tuple(groups), losses, lattice, persons, figures)


def tree_regions(file: Path) -> list[dict[str, Any]]:
    """The regions of the first rounds in the file of a partition tree; no value of it."""
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
            regions.append({**counts, "attribute": attribute, "rows": rows, "is_class": is_class})
    return regions


def counted_columns(plan: Plan) -> list[str]:
    """The published columns whose values may be named: no identifier, and no key of persons."""
    return [
        name
        for name in plan.published_columns
        if not isinstance(plan.columns[name], Identifier) and name != plan.person
    ]


def _labeled(plan: Plan) -> tuple[str, ...]:
    """The quasi-identifiers that are published as labels."""
    return plan.form.labeled


def _published(plan: Plan, name: str) -> Counting:
    """How the published values of a column are counted: with few rows where there are fewer.

    Where no key of persons is published, a reader has rows, and so has the page.
    """
    key = None if plan.hides_persons else plan.person
    if plan.form.bucket or name not in plan.quasi_identifiers:
        members = f"count(distinct {quoted(key)})" if key else "count(*)"
        return Counting(_ROWS, name, members=members)
    aliases = dict(renamed(list(plan.form.class_key)))
    rows = "sum(row_count)"
    members = "count(distinct person)" if key else rows
    return Counting(_COMBINATIONS, aliases[name], rows, members)


def _before(groups: SuppressedGroups, fewest: int) -> Counted:
    """The groups of a quasi-identifier as its values before."""
    bars = [Bar(one.label, one.rows, one.rows - one.suppressed_rows) for one in groups.groups]
    rest = bars[MOST_VALUES:]
    values = groups.others + len(rest)
    before = groups.other_rows + sum(bar.source or 0 for bar in rest)
    after = groups.other_rows - groups.other_suppressed_rows
    others = Bar(None, before, after + sum(bar.published or 0 for bar in rest))
    return together(bars[:MOST_VALUES], others if values else None, values, fewest)


def _values_before(plan: Plan, name: str, alias: str = "") -> Search[Counted]:
    """The values of a column in the source; with an alias, of one that is published unchanged."""
    column = alias or name
    relation = "sqlanon.source_combinations"
    typed = [(column, is_number(plan.type_as_read(name)))]
    kinds = yield from column_kinds("source_column_kinds", relation, typed)
    rows = f"sum({quoted(row_count_name(plan))})"
    members = f"count(distinct {quoted(unit_alias(plan))})" if plan.unit else rows
    source = Counting(relation, column, rows, members)
    published = _published(plan, name) if alias else None
    return (yield from counted_values(name, published, source, kinds[column], shown_from(plan)))
