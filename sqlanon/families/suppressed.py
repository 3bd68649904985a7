"""Suppression by group: of each group of a quasi-identifier, its rows and those suppressed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sqlanon.display.blocks import Percent, Table
from sqlanon.plan.plan import Plan
from sqlanon.proof.publication import class_aliases
from sqlanon.search.full_domain import Attribute, FullDomainProblem
from sqlanon.search.lattice import Node
from sqlanon.sql.render import question
from sqlanon.sql.step import Rows, Search

MOST_GROUPS = 20
"""Groups of a quasi-identifier that are named; a level with more labels is too fine."""

FEWEST_ROWS = 5
"""Rows that a value needs to be shown if no promise of the plan sets a smallest class."""


def shown_from(plan: Plan) -> int:
    """The published rows (persons, with `unit`) that a value needs so that a summary shows it."""
    return plan.k if plan.k > 1 else FEWEST_ROWS


@dataclass(frozen=True)
class Group:
    """Source rows with one label of a quasi-identifier.

    Attributes:
        label: the label; None for a missing value.
        rows: rows of the source.
        suppressed_rows: those of them that are not published.
    """

    label: str | None
    rows: int
    suppressed_rows: int

    @property
    def share(self) -> float:
        """The share of its rows that is suppressed, 0 to 1."""
        return self.suppressed_rows / self.rows


@dataclass(frozen=True)
class SuppressedGroups:
    """The groups of one quasi-identifier, and how many rows of each are suppressed.

    Attributes:
        attribute: the quasi-identifier.
        level: the level of its hierarchy whose labels are the groups.
        groups: those that may be named, the largest first; see `shown_from`.
        others: number of all other groups, whose labels are withheld.
        other_rows, other_suppressed_rows: their rows, and those of them that are not published.
    """

    attribute: str
    level: int
    groups: tuple[Group, ...]
    others: int
    other_rows: int
    other_suppressed_rows: int


class _GroupedAttribute(NamedTuple):
    """A quasi-identifier in the template: its names, its key, its levels."""

    number: int
    name: str
    alias: str
    word: int
    level: int
    group_level: int
    group_mask: int


def suppressed_groups(
    plan: Plan, problem: FullDomainProblem, node: Node | None
) -> Search[list[SuppressedGroups]]:
    """Ask for the groups of every quasi-identifier; one statement, after the proof.

    Args:
        node: the published levels; None if passes publish several, by `placed_set`.
    """
    placed, node = node is None, node or (0,) * len(problem.attributes)
    aliases = class_aliases(plan)
    levels = [_group_level(attribute) for attribute in problem.attributes]
    attributes = [
        _GroupedAttribute(
            place + 1, one.name, aliases[one.name], one.word, node[place], level, one.masks[level]
        )
        for place, (one, level) in enumerate(zip(problem.attributes, levels, strict=True))
    ]
    found = yield question(
        "release/suppressed_groups",
        attributes=attributes,
        placed=placed,
        masks=problem.masks(node),
        rolled_up=problem.masks(tuple(map(min, node, levels))),
        shown_from=shown_from(plan),
        most=MOST_GROUPS,
        **problem.batch([node]),
    )
    return [_groups(attribute, found) for attribute in attributes]


def _groups(attribute: _GroupedAttribute, found: Rows) -> SuppressedGroups:
    own = [row[1:] for row in found if row[0] == attribute.name]
    groups = [Group(label, *counts) for label, is_shown, _, *counts in own if is_shown]
    (others,) = [counts for _, is_shown, *counts in own if not is_shown] or [[0, 0, 0]]
    return SuppressedGroups(attribute.name, attribute.group_level, tuple(groups), *others)


def _group_level(attribute: Attribute) -> int:
    """The finest level with few labels; else that with the fewest, but more than one."""
    counts = [measures.value_count for measures in attribute.measures]
    several = [level for level, count in enumerate(counts) if count > 1]
    few = [level for level in several if counts[level] <= MOST_GROUPS]
    return few[0] if few else several[-1] if several else 0


MOST_LISTED = 5
"""Groups that a summary lists of those that suppression hits most."""


def most_suppressed(found: Sequence[SuppressedGroups], share: Percent) -> Iterator[Table]:
    """The groups of which suppression leaves out the largest shares; nothing if none is above all.

    Args:
        share: the share of all rows that is suppressed.
    """
    groups = [(one.attribute, each) for one in found for each in one.groups if each.share > share]
    groups.sort(key=lambda one: (-one[1].share, -one[1].rows, one[0], str(one[1].label)))
    if groups:
        yield Table(
            f"suppressed most ({share} of all rows are)",
            ["column", "group", "rows", "suppressed", "share"],
            [
                [attribute, "(missing)" if each.label is None else each.label, each.rows,
                 each.suppressed_rows, Percent(each.share)]
                for attribute, each in groups[:MOST_LISTED]
            ],
        )  # fmt: skip
