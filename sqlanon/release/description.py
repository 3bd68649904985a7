"""What a release does, in words: the header of the query that a reviewer reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sqlanon.plan.columns import Identifier
from sqlanon.plan.plan import Plan
from sqlanon.plan.tables import Source
from sqlanon.source.frequency_set import Shape
from sqlanon.source.hierarchies import level_titles
from sqlanon.source.tables import required_columns

_LONGEST = 40
"""Characters of the longest label that is shown as an example."""


def described(plan: Plan, shape: Shape, node: Mapping[str, int] | None) -> list[tuple[str, str]]:
    """What becomes of every column, what is left out, and what is promised: title and words."""
    lines = [*_columns(plan, shape, node), *_left_out(plan)]
    if plan.population is not None:
        lines.append(("population", f"{source_title(plan.population)}, with the same labels"))
    lines += [("promise", model.promise) for model in plan.privacy]
    width = min(max(len(title) for title, _ in lines), 24)
    return [(title.ljust(width), words) for title, words in lines]


def source_title(source: Source) -> str:
    """A name of a table for readers."""
    return source.path or source.table or "a query"


def _columns(plan: Plan, shape: Shape, node: Mapping[str, int] | None) -> Iterator[tuple[str, str]]:
    alike: list[str] = []
    for name in plan.published_columns:
        column = plan.columns[name]
        if name in plan.quasi_identifiers:
            words = level_words(plan, shape, name, node)
        elif isinstance(column, Identifier):
            words = "one value for all" if column.action == "star" else "a keyed hash"
        else:
            words = "as in the source"
        if words == "as in the source":
            alike.append(name)
            continue
        yield from _as_in_the_source(alike)
        alike = []
        yield name, words
    yield from _as_in_the_source(alike)


def _as_in_the_source(names: list[str]) -> Iterator[tuple[str, str]]:
    if names:
        yield ", ".join(names), "as in the source"


def level_words(plan: Plan, shape: Shape, name: str, node: Mapping[str, int] | None) -> str:
    """What a quasi-identifier is published as, with examples of labels."""
    if node is None:
        return "its label at the level that the program finds"
    level, hierarchy = node[name], shape.hierarchies[name]
    title = level_titles(hierarchy, shape.level_count(name))[level]
    if level == 0 or level == shape.level_count(name) - 1:
        return title
    file = plan.hierarchies[name].file_path
    if file and hierarchy.level_titles is None:
        title = f"level {level} of {file}"
    examples = [e for e in hierarchy.label_examples(level) if len(e) <= _LONGEST]
    return f"{title}, such as {' and '.join(examples)}" if examples else title


def _left_out(plan: Plan) -> Iterator[tuple[str, str]]:
    dropped = [name for name in plan.columns if name not in plan.published_columns]
    left_out = []
    if dropped:
        kind = "an identifier" if len(dropped) == 1 else "identifiers"
        left_out.append(f"{', '.join(dropped)} ({kind})")
    required = required_columns(plan)
    if required:
        left_out.append(f"rows without a value of {' or '.join(required)}")
    if plan.suppression.rows != "mask":
        left_out.append("rows of classes that break a promise")
    if left_out:
        yield "left out", "; ".join(left_out)
    if plan.suppression.rows == "mask":
        yield "masked", "rows of classes that break a promise: '*' in every quasi-identifier"
