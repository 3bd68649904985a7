"""The risk of a publication and its source: what rows prove, and what models estimate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sqlanon.pages.html import Column, Table, cell_text
from sqlanon.plan.plan import Plan
from sqlanon.risks.figures import Figure, Risk
from sqlanon.risks.table import Classes, Questions, population_size, table_risk
from sqlanon.source.tables import population_count_name
from sqlanon.sql.step import Search

_MOST_CLASSES = 200_000
"""Classes up to which a page says what singles rows out, which takes a second."""

_LARGEST_SET = 3
_MOST_COLUMNS = 49
"""Columns with at most 20,000 sets of up to three."""


def page_risk(plan: Plan, classes: Classes, sizes: Mapping[int, int]) -> Search[Risk]:
    """The risk of classes, as `sqlanon risk` has it.

    Models estimate something only with a population of which each person is in one class.

    Args:
        sizes: the number of classes of each size, by size.
    """
    population = None
    if plan.population is not None and not plan.hides_persons:
        persons = yield from population_size(population_count_name(plan))
        rows = sum(size * count for size, count in sizes.items())
        population = persons if persons >= rows else None
    is_large = len(classes.names) > _MOST_COLUMNS or sum(sizes.values()) > _MOST_CLASSES
    if is_large or not plan.engine.shows_texts:
        classes = replace(classes, names=())
    questions = Questions(population, population_count="", k=plan.k, largest_set=_LARGEST_SET)
    return (yield from table_risk(classes, questions, sizes))


def proven_only(risk: Risk) -> Risk:
    """What rows show by themselves."""
    return replace(risk, figures=[one for one in risk.figures if one.basis == "proven"])


def risk_table(published: Sequence[Figure], source: Sequence[Figure] | None) -> Table:
    """The figures before and after, each with its word."""
    sides = [published] if source is None else [source, published]
    cells = [{(one.name, one.known): _cell(one) for one in side} for side in sides]
    rows = [
        (name, known, *(side.get((name, known)) for side in cells))
        for name, known in dict.fromkeys(key for side in cells for key in side)
    ]
    heads = ["publication"] if source is None else ["source, unchanged", "publication"]
    columns = [Column("figure"), Column("how it is known"), *(Column(h, "share") for h in heads)]
    has_estimates = any(one.model for side in sides for one in side)
    caption = "Risk of persons: proven from rows" + (
        ", or estimated by the model that is named" if has_estimates else ""
    )
    return Table(caption, columns, rows)


def singling_tables(risk: Risk, members: str) -> list[Table]:
    """What singles out members of the source, rows or persons; nothing if none is alone."""
    if not risk.columns:
        return []
    shares = [(one.column, one.sets, one.contribution) for one in risk.columns]
    sets = [(", ".join(one.columns), one.rows) for one in risk.sets]
    title = f"Proven: what singles out {members} of the source, by up to {risk.largest_set} columns"
    columns = (Column("column"), Column("minimal sets", "count"),
               Column("part of SUDA scores", "share"))  # fmt: skip
    return [
        Table(title, columns, shares),
        Table(f"Proven: the sets of columns that single out most {members} of the source",
              (Column("columns"), Column(members, "count")), sets),
    ]  # fmt: skip


def _cell(one: Figure) -> str | None:
    if one.value is None:
        return None
    is_share = one.unit == "share"
    return cell_text(one.value if is_share else round(one.value), "share" if is_share else "count")
