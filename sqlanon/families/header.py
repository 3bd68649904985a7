"""What a release does, in words: the header that a reviewer reads first."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter

from sqlanon.display.blocks import cell_text
from sqlanon.hierarchies.base import Hierarchy
from sqlanon.plan.columns import Identifier
from sqlanon.plan.plan import Plan
from sqlanon.plan.tables import Source
from sqlanon.proof.lineage import deciding_columns
from sqlanon.proof.publication import class_aliases
from sqlanon.source.frequency_set import Shape
from sqlanon.source.hierarchies import known_level_count, level_title
from sqlanon.source.tables import required_columns
from sqlanon.sql.render import question
from sqlanon.sql.step import Search

_LONGEST = 40
"""Characters of the longest label that is shown as an example."""

_SAME = "as in the source"
_PERSONS = "the number of persons of the class"
_ACTIONS = {"star": "'*' in every row", "pseudonym": "a keyed hash"}
"""What becomes of identifiers that are published."""


@dataclass(frozen=True)
class PublishedColumn:
    """What became of a column.

    Attributes:
        name: of a column of the source or, without a role, of one that the method adds.
        role: as in the plan; None for a column that is added.
        published_as: how it is published, in words; None if it is not published.
        loss: 0 to 1: the share of its values that a label covers, with suppressed rows as 1; None
            for all but quasi-identifiers, and where labels cannot be compared.
    """

    name: str
    role: str | None
    published_as: str | None
    loss: float | None


def published_columns(
    plan: Plan, words: Mapping[str, str], losses: Mapping[str, float], widths: Mapping[str, str]
) -> tuple[PublishedColumn, ...]:
    """What became of every column.

    Args:
        words: of the columns that are generalized or made.
        losses: of quasi-identifiers.
        widths: of ranges, in words.
    """
    published = {name: words.get(name, _action(plan, name)) for name in plan.form.columns}
    published = {**words, **published}
    published |= {name: f"{published[name]}; {width}" for name, width in widths.items()}
    added = [name for name in published if name not in plan.columns]
    return tuple(
        PublishedColumn(name, column.role, published.get(name), losses.get(name))
        for name, column in plan.columns.items()
    ) + tuple(PublishedColumn(name, None, published[name], None) for name in added)


def _action(plan: Plan, name: str) -> str:
    """What is published of a column that is not generalized."""
    if name == plan.persons_column:
        return _PERSONS
    if name in plan.changed_columns:
        return plan.changed_columns[name].words
    column = plan.columns.get(name)
    return _ACTIONS[column.action] if isinstance(column, Identifier) else _SAME


def release_title(plan: Plan) -> str:
    """What the release is, in a line."""
    order = "source" if plan.order == "source" else "published values"
    return f"what {plan.file} publishes of {source_title(plan.source)}, in the order of the {order}"


def source_title(source: Source) -> str:
    """A name of a table for readers."""
    return source.path or source.table or "a query"


def release_lines(
    plan: Plan, changed: Mapping[str, str], made_of: Sequence[tuple[str, str]] = ()
) -> list[tuple[str, str]]:
    """What becomes of every column, what is not published, and what is promised: title and words.

    Args:
        changed: published columns that are not as in the source, in words.
        made_of: further titles and words: what the columns are made of.
    """
    lines = [*_columns(plan, changed), *_not_published(plan), *made_of]
    if plan.person is not None:
        lines.append(("counted", f"persons, by {plan.person}, and not rows"))
    if plan.unit is not None and plan.unit.is_linked:
        lines.append(("class", "the persons whose rows have the same labels, all rows together"))
    if plan.sample is not None:
        lines.append(("sample", f"a share of {plan.sample.share}, drawn by a keyed hash"))
    if plan.unit is not None and plan.unit.rows is not None:
        lines.append(("cut", f"to {plan.unit.rows} rows of a person, chosen by a keyed hash"))
    deciding = ", ".join(decider.name for decider in deciding_columns(plan))
    if deciding:
        lines.append(("decides", f"which rows are kept: {deciding}"))
    return lines + [("promise", promise) for promise in plan.promises.sentences]


def _columns(plan: Plan, changed: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    alike: list[str] = []
    for name in plan.form.columns:
        words = changed.get(name, _action(plan, name))
        if words == _SAME:
            alike.append(name)
            continue
        yield from _as_in_the_source(alike)
        alike = []
        yield name, words
    yield from _as_in_the_source(alike)


def _as_in_the_source(names: list[str]) -> Iterator[tuple[str, str]]:
    if names:
        yield ", ".join(names), _SAME


def _not_published(plan: Plan) -> Iterator[tuple[str, str]]:
    lacking = []
    dropped = [name for name in plan.columns if name not in plan.published_columns]
    if dropped:
        kind = "an identifier" if len(dropped) == 1 else "identifiers"
        lacking.append(f"{', '.join(dropped)} ({kind})")
    required = required_columns(plan)
    if required:
        lacking.append(f"rows without a value of {' or '.join(required)}")
    if not plan.keeps_every_row:
        lacking.append("rows of classes that break a promise")
    if lacking:
        yield "not published", "; ".join(lacking)
    if plan.suppression.rows == "mask":
        yield "masked", "rows of classes that break a promise: '*' in every quasi-identifier"


def level_words(
    plan: Plan, shape: Shape, levels: Mapping[str, Sequence[int]] | None
) -> dict[str, str]:
    """What each quasi-identifier is published as, with examples of labels.

    Args:
        levels: of each quasi-identifier; None if the program finds them.
    """
    if levels is None:
        words = "its label at the level that was found (chosen_node)"
        return dict.fromkeys(plan.quasi_identifiers, words)
    found = {
        name: "; or ".join(
            level_text(plan, name, shape.hierarchies[name], level) for level in levels[name]
        )
        for name in plan.quasi_identifiers
    }
    for name, column in plan.changed_columns.items():
        if name in found:
            found[name] = f"{column.words}, in place of its label ({found[name]})"
    return found


def raised_words(node: Mapping[str, int]) -> str:
    """The levels of a node that are not the source's, in words."""
    raised = [f"{name} to level {level}" for name, level in node.items() if level]
    return ", ".join(raised) or "all as in the source"


def level_text(plan: Plan, name: str, hierarchy: Hierarchy, level: int) -> str:
    """The labels of a level in words, with examples."""
    count = known_level_count(name, hierarchy)
    title = level_title(plan, name, hierarchy, count, level)
    if level in (0, count - 1):
        return title
    examples = [e for e in hierarchy.label_examples(level) if len(e) <= _LONGEST]
    return f"{title}, such as {' and '.join(examples)}" if examples else title


def range_widths(plan: Plan) -> Search[dict[str, str]]:
    """Ask how wide published ranges are, where they are not all alike: in words, by column.

    With one node for all rows, ranges are those of a level.
    """
    if not (plan.method.makes_partition or plan.placed_from > 1):
        return {}
    aliases = class_aliases(plan).items()
    columns = [(name, alias) for name, alias in aliases if name in plan.form.labeled]
    if not columns or plan.form.bucket or not plan.engine.shows_texts:
        return {}
    rows = yield question("release/range_widths", columns=columns)
    found: dict[str, str] = {}
    for name, each in itertools.groupby(rows, key=itemgetter(0)):
        _, (is_number, *_), widths, counts = zip(*each, strict=True)
        if None in widths or widths[0] < 0 or widths[0] == widths[-1]:
            continue
        narrower = itertools.accumulate(counts)
        median = next(w for w, n in zip(widths, narrower, strict=True) if 2 * n >= sum(counts))
        if median < math.inf:
            width = (
                f"no wider than {_width(median, is_number=is_number)}" if median else "one value"
            )
            found[name] = f"for half of the rows {width}"
    return found


def _width(width: float, *, is_number: bool) -> str:
    """A width of numbers, or of years."""
    if is_number:
        return cell_text(width)
    for unit, each in (("years", 1), ("months", 12)):
        if width * each >= 2:
            return f"{round(width * each, 1):g} {unit}"
    return f"{365.2425 * width:.0f} days"
