"""The risk of a publication and its source: what class sizes prove, and what models estimate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlanon.pages.html import Column, Table, cell_text
from sqlanon.plan.plan import Plan
from sqlanon.risks.figures import Figure
from sqlanon.risks.population_uniques import Sample
from sqlanon.risks.table import class_figures, population_size, sample_figures
from sqlanon.source.tables import population_count_name
from sqlanon.sql.step import Search


def risk_figures(plan: Plan, sizes: Mapping[int, int]) -> Search[tuple[Figure, ...]]:
    """The figures of classes, as `sqlanon risk` has them.

    Models estimate something only with a population of which each person is in one class.

    Args:
        sizes: the number of classes of each size, by size.
    """
    figures = [*class_figures(sizes, plan.promises.members, plan.k)]
    if plan.population is not None and not plan.hides_persons:
        persons = yield from population_size(population_count_name(plan))
        if Sample(sizes, persons).share <= 1:
            figures += sample_figures(Sample(sizes, persons), plan.k)
    return tuple(figures)


def proven_only(figures: Sequence[Figure]) -> tuple[Figure, ...]:
    """The figures that rows show by themselves."""
    return tuple(one for one in figures if one.basis == "proven")


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


def _cell(one: Figure) -> str | None:
    if one.value is None:
        return None
    is_share = one.unit == "share"
    return cell_text(one.value if is_share else round(one.value), "share" if is_share else "count")
