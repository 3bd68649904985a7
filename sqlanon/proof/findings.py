"""What a publication holds, measured from its own rows and nothing else."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Literal

from sqlanon.display.blocks import BAD, GOOD, Block, Styled, Table, cell_text, words
from sqlanon.display.tabular import Records
from sqlanon.errors import PrivacyViolation
from sqlanon.plan.plan import Plan
from sqlanon.plan.standards import Checklist
from sqlanon.presence.decisions import Limits
from sqlanon.presence.membership import presence
from sqlanon.privacy_models.base import Members, PrivacyModel
from sqlanon.privacy_models.promises import as_text
from sqlanon.proof.publication import Publication
from sqlanon.proof.steps import failing_step, measure_steps, verify_steps
from sqlanon.proof.violations import held
from sqlanon.source.tables import population_count_name
from sqlanon.sql.step import Search


@dataclass(frozen=True)
class Finding:
    """What the proof found about one model.

    Attributes:
        measured: the deciding measure of a class, such as the smallest class size; None if the
            publication is empty.
        measured_published: the same, with classes compared with the published rows instead of
            all rows of the source; None if the model compares with neither.
        measured_sides: of a promise with two bounds, by the name of each bound what decides it:
            (α,k)-anonymity that asks for alpha 0.5 and k 3 measures, say, alpha 0.4 and k 5.
        shown_by: what shows it: the rows, or the run that published them; nothing, if neither
            does because the rows do not show which of them are of one person.
        failing_classes, failing_rows: classes that break the promise, and their sizes, added up.
        readings: both readings of a bound that can be rounded; empty if there is one.
        members: what these sizes count: rows, or persons, of whom each counts in all her classes.
        failing: the largest of these classes: their sizes and measures, and, on request, their
            quasi-identifiers.
    """

    model: str
    parameters: Mapping[str, Any]
    measured: float | int | None
    satisfied: bool
    class_count: int
    failing_classes: int
    failing_rows: int
    measured_published: float | int | None = None
    measured_sides: Mapping[str, float | int | None] = field(default_factory=dict)
    failing: tuple[Mapping[str, Any], ...] = field(default=(), repr=False)  # may hold cells
    shown_by: Literal["rows", "run", "nothing"] = "rows"
    readings: str = ""
    members: Members = "rows"

    @property
    def verdict(self) -> str:
        """Whether the promise holds, in words."""
        if self.shown_by == "nothing":
            return "not shown"
        if self.shown_by == "run":
            return "proven by the run"
        return "holds" if self.satisfied else "fails"

    @property
    def _plain_sides(self) -> dict[str, float | int | str | None]:
        return {bound: plain(measure) for bound, measure in self.measured_sides.items()}

    @property
    def measured_text(self) -> str:
        """What was measured, in words: of two bounds, each by its name."""
        sides = [f"{bound} {as_text(measured)}" for bound, measured in self.measured_sides.items()]
        return ", ".join(sides) or as_text(self.measured)

    def as_json(self) -> dict[str, Any]:
        return {
            **vars(self),
            "measured": plain(self.measured),
            "measured_published": plain(self.measured_published),
            "measured_sides": self._plain_sides,
            "failing": [{key: plain(cell) for key, cell in one.items()} for one in self.failing],
        }

    def as_record(self) -> dict[str, Any]:
        """The finding as a row of a table; of two bounds, `sides` has both measures in words."""
        return {
            "model": self.model,
            "attribute": self.parameters.get("attribute"),
            "bounds": bounds_text(self.parameters),
            "measured": None if self.measured is None else float(self.measured),
            "sides": self.measured_text if self.measured_sides else None,
            "satisfied": self.satisfied,
            "class_count": self.class_count,
            "failing_classes": self.failing_classes,
            "failing_rows": self.failing_rows,
        }

    def as_manifest(self) -> dict[str, Any]:
        """The entry of the manifest's `privacy` list."""
        published = plain(self.measured_published)
        return {
            "model": self.model,
            "parameters": dict(self.parameters),
            "attribute": self.parameters.get("attribute"),
            "measured": plain(self.measured),
            **({"measured_published": published} if published is not None else {}),
            **({"measured_sides": self._plain_sides} if self.measured_sides else {}),
            "satisfied": self.satisfied,
        }


class Findings(Records[Finding]):
    """What the proof found about every model of a table.

    Attributes:
        standard: the check list of a standard, if there is one.
    """

    def __init__(
        self, items: Iterable[Finding], title: str, standard: Checklist | None = None
    ) -> None:
        super().__init__(items, title)
        self.standard = standard

    def records(self) -> list[dict[str, Any]]:
        return [finding.as_record() for finding in self]

    def as_json(self) -> list[dict[str, Any]] | dict[str, Any]:
        """The findings; with a standard, those of the promises and its check list."""
        promises = [finding.as_json() for finding in self]
        if self.standard is None:
            return promises
        return {"promises": promises, "standard": self.standard.as_json()}

    def displayed(self) -> Sequence[Block]:
        """The promises with what they measure, and the largest classes that fail each of them."""
        listed = [] if self.standard is None else self.standard.displayed()
        return [*(self._promises() if self else []), *listed]

    def _promises(self) -> list[Block]:
        rows = [
            [*promise_cells(vars(one)), verdict(one.satisfied, one.verdict),
             one.failing_classes, one.failing_rows]
            for one in self
        ]  # fmt: skip
        counted = ["failing classes", f"failing {self[0].members}"]
        blocks: list[Block] = [Table(self.title, [*PROMISE_COLUMNS, *counted], rows)]
        for one in self:
            if one.failing:
                about = " ".join(promise_cells(vars(one))[:2])
                title = f"failing: {about}, the {len(one.failing)} largest of {one.failing_classes}"
                cells = [list(each.values()) for each in one.failing]
                blocks.append(Table(title, list(map(words, one.failing[0])), cells))
        return blocks


PROMISE_COLUMNS = ("promise", "bound", "measured", "verdict")
"""Headings of `promise_cells`, and of the verdict after them."""


def promise_cells(entry: Mapping[str, Any]) -> list[Any]:
    """The model with its attribute, its bounds, and what was measured, or that of each bound.

    Args:
        entry: the fields of a finding, or its entry in a manifest.
    """
    about = entry["parameters"].get("attribute")
    sides = entry.get("measured_sides") or {}
    measured = ", ".join(f"{bound} {cell_text(number)}" for bound, number in sides.items())
    return [
        entry["model"] + (f" of {about}" if about else ""),
        bounds_text(entry["parameters"]),
        measured or entry["measured"],
    ]


def verdict(holds: bool, text: str = "") -> Styled:
    """Whether a promise holds, as a cell with this text or a plain one."""
    return Styled(text or ("holds" if holds else "fails"), GOOD if holds else BAD)


def measured_alone(
    plan: Plan, model: PrivacyModel, entry: Mapping[str, Any]
) -> tuple[float | int | str | None, Mapping[str, Any]]:
    """What the rows alone show of what an entry of a manifest measured, and of both bounds."""
    about_values = model.sensitive_attribute is not None
    if plan.hides_persons and (about_values or plan.persons_column is None):
        return None, {}  # it depends on which rows are of one person
    if model.needs_population:
        return None, {}
    if model.compares_with_table:
        return entry.get("measured_published"), {}
    return entry["measured"], entry.get("measured_sides") or {}


def bounds_text(parameters: Mapping[str, Any]) -> str:
    """The parameters of a model without its attribute, in words such as `k = 5`."""
    return _listed({name: value for name, value in parameters.items() if name != "attribute"})


def plain(measured: float | int | None) -> float | int | str | None:
    """The measure as a JSON value."""
    if isinstance(measured, float) and not math.isfinite(measured):
        return "infinity" if measured > 0 else str(measured)
    return measured


def proven_findings(
    publication: Publication,
    *,
    own_reference: bool = False,
    list_failing: int = 0,
    with_values: bool = False,
    proven_by_run: bool = False,
) -> Search[list[Finding]]:
    """Ask what a publication holds; return all findings, also those of promises that fail.

    Args:
        own_reference: whether classes are compared with the publication itself; then nothing is
            compared twice, and only the measures are needed.
        list_failing: how many failing classes to list for each promise.
        with_values: whether to list their quasi-identifiers, too; they show who is at risk.
        proven_by_run: whether the run is known that proved these rows with the persons whose they
            are.

    Raises:
        PrivacyViolation: the publication has no rows, or does not fit the population.
    """
    of_models = {f"proof_of_{name}" for name, _ in publication.proven()}
    yield from held(verify_steps(publication, with_models=not own_reference), of_models)
    findings = []
    models, persons = publication.promises.models, publication.persons
    against_table = measure_steps(publication)
    against_published = measure_steps(publication, "sqlanon.published_table_values")
    for number, model in enumerate(models):
        ((measured, class_count, failing_classes, failing_rows, *sides),) = yield (
            against_table[number]
        )
        for promise in publication.sliced:
            if (promise.sensitive, promise.l) == (model.sensitive_attribute, model.one_row_in):
                measured = yield from promise.diversity("sqlanon.published_text", measured)
        measured_published = None
        if model.compares_with_table and own_reference:
            measured_published = measured
        elif model.compares_with_table:
            ((measured_published, _, failing, rows, *_),) = yield against_published[number]
            if model.compares_with_published and failing > failing_classes:
                failing_classes, failing_rows = failing, rows
        failing_list: tuple[Mapping[str, Any], ...] = ()
        if failing_classes and list_failing:
            failing_list = yield from failing_steps(
                publication, number, list_failing, with_values=with_values
            )
        finding = Finding(
            model=model.model,
            parameters=model.parameters,
            measured=measured,
            measured_published=measured_published,
            measured_sides=dict(zip(model.bounds_measured, sides, strict=True)),
            satisfied=failing_classes == 0 and measured == measured,  # NaN proves nothing
            class_count=class_count,
            failing_classes=failing_classes,
            failing_rows=int(failing_rows),
            failing=failing_list,
            readings=model.readings,
            members=publication.promises.members,
        )
        if persons is not None and publication.hides_persons:
            is_shown = persons.count and _is_shown(finding, model)
            finding = finding if is_shown else replace(
                finding, measured=None, measured_published=None, measured_sides={},
                satisfied=proven_by_run, failing_classes=0, failing_rows=0, failing=(),
                shown_by="run" if proven_by_run else "nothing",
            )  # fmt: skip
        findings.append(finding)
    return findings


def _is_shown(finding: Finding, model: PrivacyModel) -> bool:
    """Whether a promise can be judged if only the number of persons of each class is known.

    As many rows as have a value are at most as many persons, which bounds what a person is known
    to have; other promises need the persons themselves.
    """
    return model.sensitive_attribute is None or (finding.satisfied and model.holds_by_upper_bounds)


def failing_steps(
    publication: Publication, number: int, most: int, *, with_values: bool
) -> Search[tuple[Mapping[str, Any], ...]]:
    """The largest classes that fail a promise: against the table, else among published rows."""
    column = publication.promises.models[number].deciding_measure[0]
    with_values = with_values and not publication.promises.linked  # a history is no row of labels
    names = ["class_size", column, *(publication.quasi_identifiers if with_values else ())]
    for values in ("sqlanon.table_values", "sqlanon.published_table_values"):
        rows = yield failing_step(publication, number, values, most, with_values=with_values)
        if rows:
            break
    return tuple(dict(zip(names, row, strict=True)) for row in rows)


_MORE_STATES = 15
"""Times as many states as the search may count: cells are in another order here, and the order
decides how many states a count takes."""


def presence_findings(plan: Plan) -> Search[list[Finding]]:
    """What a permuted publication holds of the plan's promises about a population.

    To be asked after `verify_steps`, while the combinations of the population and the hierarchies
    exist. Only certain results count: a person whose probability could not be counted makes a
    promise fail.
    """
    models = [model for model in plan.privacy if model.presence is not None]
    if not models or not plan.form.bucket:
        return []
    names = list(plan.quasi_identifiers)
    states = _MORE_STATES * plan.method.counted_states
    found = yield from presence(
        [[name] for name in names],
        population_count=population_count_name(plan),
        generalized=names,
        title="presence",
        limits=Limits(states, exchanges=0, nodes=0, probes=0, steps=0),
        where=plan.where("population"),
    )
    findings = []
    for model in models:
        low, high = (Fraction(bound) for bound in model.presence or (0, 1))
        outside = {cell.bucket for cell in found.cells if cell.outside(low, high)[1]}
        _, possible = found.persons_outside(low, high)
        # Who matches no bucket is not in the table, which a dmin above 0 does not allow.
        is_missed = low > 0 and found.unmatched_persons > 0
        lowest = 0 if is_missed else min(cell.decision.lower for cell in found.cells)
        highest = max(cell.decision.upper for cell in found.cells)
        findings.append(
            Finding(
                model=model.model,
                parameters=model.parameters,
                measured=float(highest),
                measured_sides={"dmin": float(lowest), "dmax": float(highest)},
                satisfied=possible == 0,
                class_count=len({cell.bucket for cell in found.cells}),
                failing_classes=len(outside),
                failing_rows=possible,
            )
        )
    return findings


def in_plan_order(plan: Plan, findings: Sequence[Finding]) -> list[Finding]:
    """The findings in the order of the plan's promises."""
    order = [(promise.model, dict(promise.parameters)) for promise in plan.privacy]
    return sorted(findings, key=lambda found: order.index((found.model, dict(found.parameters))))


def violation(findings: Sequence[Finding], where: str) -> PrivacyViolation | None:
    """The error if not all findings hold; otherwise None."""
    broken = [finding for finding in findings if not finding.satisfied]
    if not broken:
        return None
    if all(finding.shown_by == "nothing" for finding in broken):
        names = ", ".join(dict.fromkeys(finding.model for finding in broken))
        return PrivacyViolation(
            f"The rows alone do not show whether they hold {names}: it depends on which of them are"
            " of one person.",
            where=where,
            fix="give --with-source, or the manifest of the run that published them",
        )
    failures = "; ".join(
        f"{finding.model} {_listed(finding.parameters)}: {finding.failing_classes} of"
        f" {finding.class_count} classes fail ({finding.failing_rows} {finding.members}),"
        f" measured {finding.measured_text}"
        + (f" ({finding.readings})" if finding.readings else "")
        for finding in broken
    )
    return PrivacyViolation(
        f"The rows do not hold the promise: {failures}.",
        where=where,
        fix="do not publish this table; generalize or suppress more, then verify again",
    )


def _listed(parameters: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in parameters.items())
