"""The labels of passes in a release: each combination has those of the pass that places it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sqlanon.families.header import raised_words
from sqlanon.families.labels_of_rows import LabeledRows, Labels, text_of
from sqlanon.families.solution import FullDomainSolution, PassesSolution
from sqlanon.plan.plan import Plan
from sqlanon.source.frequency_set import Shape
from sqlanon.source.tables import placed_labels
from sqlanon.sql.step import quoted, unused

LeveledSolution = FullDomainSolution | PassesSolution
"""A solution that publishes levels of hierarchies: of one node, or of passes."""


class PlacingPass(NamedTuple):
    """A pass in the query.

    Attributes:
        members: the column with the rows or persons that wait and have the same labels.
        member: the number of a person among those of a class, if persons are counted.
        keys: the labels at its node, by which rows are counted.
        labels: the columns with all labels at its node.
        words: what it does, for a comment.
    """

    number: int
    members: str
    member: str
    keys: Sequence[str]
    labels: Sequence[str]
    words: str


class Placing(NamedTuple):
    """How the query places rows: each combination in the first pass with enough rows of its label.

    Attributes:
        source: the relation whose rows get labels.
        counted_in: the relation whose rows are counted: the same, or the population.
        columns: the quasi-identifiers.
        by_text: those that both relations have in different types, as SQL for their texts there.
        person: the column of persons, if they are counted; else empty.
        counted: SQL for the rows of a combination, and `row_count` the name of that column.
        size: rows or persons that a class needs to be placed.
        labels: columns with the labels of quasi-identifiers, and the aliases of these.
        published: columns of placed rows: name and expression.
        labeled: the combinations with their labels at every level that a pass publishes; None if
            an earlier step has made the table of placed combinations.
        last: whether no other relation of the query follows.
    """

    source: str
    counted_in: str
    columns: Sequence[str]
    by_text: Mapping[str, tuple[str, str]]
    person: str
    counted: str
    row_count: str
    size: int
    labeled: LabeledRows | None
    passes: Sequence[PlacingPass]
    labels: Sequence[tuple[str, str]]
    published: Sequence[tuple[str, str]]
    last: bool = False


def levels_of(solution: LeveledSolution) -> dict[str, list[int]]:
    """The levels of each quasi-identifier that labels have, or may have if they are refined."""
    levels = {name: {node[name] for node in solution.nodes} for name in solution.words}
    if solution.rounds is None:
        return {name: sorted(own) for name, own in levels.items()}
    return {name: [*range(max(own) + 1)] for name, own in levels.items()}


def pass_lines(plan: Plan, solution: LeveledSolution) -> list[tuple[str, str]]:
    """The lines of a header on passes, and on how their classes are refined."""
    lines = [(f"pass {n}", words) for n, words in enumerate(pass_words(plan, solution), start=1)]
    if solution.rounds is None:
        return lines
    what = "persons" if plan.unit is not None else "rows"
    words = (
        f"each class goes down a level in the column by which its rows gain most, while all its"
        f" parts have {plan.k:,} {what} (rounds: {solution.rounds}); placed_combinations has"
        " the labels"
    )
    return [*lines, ("refined", words)]


def pass_words(plan: Plan, solution: LeveledSolution) -> list[str]:
    """What each pass places, in words."""
    found = []
    of_population = "" if plan.population is None else " of the population"
    for one in solution.passes:
        node = raised_words(one.node)
        found.append(f"{one.rows:,} rows{of_population}, mean loss {one.loss:.4f}: {node}")
    return found


def from_table(plan: Plan, labels: Labels, kept: Sequence[str]) -> Placing:
    """The parts of a query that reads the table of placed combinations, which a step has made.

    Args:
        kept: the columns of placed rows, in order; quasi-identifiers get their labels.
    """
    label_of = placed_labels(plan, labels.aliases)
    published = [
        (
            labels.aliases.get(name, name),
            f"placed_combinations.{quoted(label_of[name])}"
            if name in label_of
            else f"{labels.source}.{quoted(name)}",
        )
        for name in kept
    ]
    return Placing(
        source=labels.source,
        counted_in="population" if plan.population else labels.source,
        columns=list(plan.quasi_identifiers),
        by_text=_compared_by_text(plan, labels.source),
        person="",
        counted="",
        row_count="",
        size=plan.placed_from,
        labeled=None,
        passes=[],
        labels=[],
        published=published,
    )


def _compared_by_text(plan: Plan, source: str) -> dict[str, tuple[str, str]]:
    """Texts of the quasi-identifiers that the population has in another type than the source."""
    types = {
        name: (plan.type_as_read(name, "population"), plan.type_as_read(name))
        for name in (plan.quasi_identifiers if plan.population else ())
    }
    return {
        name: (
            text_of(f"placed_combinations.{quoted(name)}", of_population),
            text_of(f"{source}.{quoted(name)}", of_source),
        )
        for name, (of_population, of_source) in types.items()
        if of_population != of_source
    }


def placing_of(
    plan: Plan,
    shape: Shape,
    solution: LeveledSolution,
    labels: Labels,
    kept: Sequence[str],
    row_count: str = "",
) -> Placing:
    """The parts of the query.

    Args:
        labels: how labels are made, with the names of columns.
        kept: the columns of placed rows, in order; quasi-identifiers get their labels.
        row_count: the column of the source that counts rows; empty if each is one row.
    """
    names = list(plan.quasi_identifiers)
    aliases = labels.aliases
    taken = [*plan.columns, *aliases.values()]
    levels = labels.several
    counted = unused("row_count", taken)
    person = (plan.person or "") if plan.population is None else ""
    raw = [*names, *([person] if person else []), counted]
    labeled = labels.of_combinations("labeled_combinations", "value_combinations", raw)
    columns = {
        name: dict(zip(levels[name], reversed(labeled.order[name]), strict=True)) for name in names
    }
    passes: list[PlacingPass] = []
    for number, (node, words) in enumerate(
        zip(solution.nodes, pass_words(plan, solution), strict=True), start=1
    ):
        varying = [n for n in names if not 0 < node[n] == shape.level_count(n) - 1]
        passes.append(
            PlacingPass(
                number,
                unused(f"members_{number}", taken),
                unused(f"member_{number}", taken),
                [columns[name][node[name]] for name in varying],
                [columns[name][node[name]] for name in names],
                f"pass {number}: {words}",
            )
        )
    label_of = placed_labels(plan, aliases)
    return from_table(plan, labels, kept)._replace(
        person=person,
        counted=f"cast(sum({quoted(row_count)}) as bigint)" if row_count else "count(*)",
        row_count=counted,
        labeled=labeled,
        passes=passes,
        labels=[(label_of[name], aliases[name]) for name in names],
    )
