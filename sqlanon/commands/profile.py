"""What the source of a plan, published as it is, would hold of every model."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from sqlanon.boundary import guarded
from sqlanon.commands.session import Options, PlanLike, Session
from sqlanon.engines.base import drive
from sqlanon.methods.optimal import Optimal
from sqlanon.plan.file import load_plan
from sqlanon.proof.findings import plain
from sqlanon.proof.findings import verify as verify_search
from sqlanon.proof.outside import yardsticks
from sqlanon.release.program import publication_of
from sqlanon.source.hierarchies import hierarchy_problems, with_known_levels
from sqlanon.sql.render import render
from sqlanon.sql.step import Step


@dataclass(frozen=True)
class Profile:
    """The risks of a table as it stands.

    Attributes:
        classes: class_count, row_count, unique_count, smallest, median and largest class size.
        uniqueness: share of rows whose quasi-identifiers no other row has, 0 to 1.
        measured: one entry per model and attribute: what a publication of these rows would hold.
        unknown_values: rows with a value that its hierarchy lacks, by attribute.
    """

    classes: dict[str, int]
    uniqueness: float
    measured: list[dict[str, Any]]
    unknown_values: dict[str, int]


@guarded
def profile(plan: PlanLike, options: Options | None = None) -> Profile:
    """What the source of a plan, published as it is, would hold of every model; nothing is changed.

    Raises:
        PlanError: the source is empty, or not what the plan says.
    """
    options = options or Options()
    checked = load_plan(plan, options.overrides)
    as_it_is = {"privacy": tuple(yardsticks(checked, (), ())), "method": Optimal()}
    looked_at = checked.model_copy(update=as_it_is)
    session = Session(looked_at, options)
    with session.engine(publishes=False) as engine:
        session.read_source(engine)
        if looked_at.counted_columns:
            rows = engine.execute(Step("ordered", _ORDERED, "rows"))
            ordered, numeric = [row[0] for row in rows], [row[0] for row in rows if row[1]]
            privacy = tuple(yardsticks(checked, ordered, numeric))
            looked_at = looked_at.model_copy(update={"privacy": privacy})
        hierarchies = session.hierarchies(copy=True)
        known = drive(engine, with_known_levels(looked_at, hierarchies))
        problems = drive(engine, hierarchy_problems(looked_at, known))
        publication = replace(
            publication_of(looked_at, "sqlanon.source_rows"),
            quasi_identifiers=list(looked_at.quasi_identifiers),
            located=[],
            levels=dict.fromkeys(looked_at.quasi_identifiers, 0),
        )
        findings = drive(engine, verify_search(publication, own_reference=True))
        step = Step("class_sizes", render("proof/class_sizes.sql"), "rows")
        (sizes,) = engine.execute(step)
    names = ("class_count", "row_count", "unique_count", "smallest", "median", "largest")
    classes = dict(zip(names, map(int, sizes), strict=True))
    return Profile(
        classes=classes,
        uniqueness=classes["unique_count"] / classes["row_count"],
        measured=[
            {
                "model": finding.model,
                **{key: finding.parameters[key] for key in _TOLD if key in finding.parameters},
                "measure": model.decided_by[0],
                "measured": plain(finding.measured),
            }
            for finding, model in zip(findings, looked_at.privacy, strict=True)
        ],
        unknown_values={row[0]: row[3] for row in problems if "without a row" in row[2]},
    )


_ORDERED = (
    "select attribute, count(number) > 0\nfrom sqlanon.counted_values\nwhere text is not null\n"
    "group by attribute\nhaving count(number) in (0, count(*))"
    " and not bool_or(coalesce(isnan(number) or isinf(number), false))"
)
"""The attributes whose values are all finite numbers, or none; and which of both."""

_TOLD = ("attribute", "kind", "distance", "l", "absent")
"""Parameters that tell which yardstick it is; the others are bounds that a profile does not use."""
