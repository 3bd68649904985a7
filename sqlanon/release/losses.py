"""What each quasi-identifier of a lattice node loses."""

from __future__ import annotations

from sqlanon.proof.publication import renamed
from sqlanon.search.full_domain import FullDomainProblem
from sqlanon.search.lattice import Node
from sqlanon.sql.render import render
from sqlanon.sql.step import Search, Step


def column_losses(problem: FullDomainProblem, node: Node) -> Search[dict[str, float]]:
    """Ask for the loss of every quasi-identifier, 0 to 1; one statement, after the proof.

    Args:
        node: the published levels.
    """
    names = renamed([attribute.name for attribute in problem.attributes])
    sql = render(
        "release/column_losses.sql",
        attributes=[(name, alias, level) for (name, alias), level in zip(names, node, strict=True)],
        row_count=problem.row_count,
    )
    return dict((yield Step("column_losses", sql, "rows")))
