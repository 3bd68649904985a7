"""From the source to a full-domain problem: packed keys and the frequency set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from sqlanon.errors import HierarchyError
from sqlanon.hierarchies.base import Hierarchy
from sqlanon.plan.plan import Plan
from sqlanon.search.full_domain import Attribute, FullDomainProblem
from sqlanon.source.checks import counted_rows, proven_steps, require_persons
from sqlanon.source.hierarchies import (
    hierarchy_error,
    hierarchy_problems,
    known_level_count,
    label_digests,
    with_known_levels,
)
from sqlanon.source.tables import (
    counted_aliases,
    population_count_name,
    row_count_name,
    source_steps,
    unit_alias,
)
from sqlanon.sql.render import templated
from sqlanon.sql.step import Rows, Search, Step
from sqlanon.utility.base import LevelMeasures

WORD_BITS = 62
"""Bits of a packed key: a signed 64-bit integer without the sign and one more bit."""


@dataclass(frozen=True)
class Shape:
    """What must be known of the hierarchies to write SQL over packed keys.

    Attributes:
        hierarchies: by quasi-identifier, with a known number of levels.
        words: by quasi-identifier, the number of its packed key, from 1.
        labels: by quasi-identifier, the digest of its labels; empty where no search reads them.
    """

    hierarchies: Mapping[str, Hierarchy]
    words: Mapping[str, int]
    labels: Mapping[str, str] = field(default_factory=dict)

    @property
    def word_count(self) -> int:
        """How many packed keys a row has."""
        return max(self.words.values())

    def level_count(self, attribute: str) -> int:
        """The number of levels of an attribute, including level 0 and the top."""
        return known_level_count(attribute, self.hierarchies[attribute])


def coding_steps(plan: Plan, shape: Shape) -> list[Step]:
    """Steps for packed keys: bits of levels, codes of values and labels, and the frequency set."""
    words = shape.word_count
    return [
        templated("source/level_codes", words=list(shape.words.items())),
        templated("source/value_codes", words=words),
        templated("source/generalized_values", words=words),
        templated("source/level_measures"),
        templated(
            "source/frequency_set",
            attributes=[
                (name, f"codes_{number}", shape.words[name])
                for number, name in enumerate(plan.quasi_identifiers, start=1)
            ],
            counted=[
                (column, alias)
                for column, (_, alias) in zip(
                    plan.promises.columns.values(), counted_aliases(plan), strict=True
                )
            ],
            words=words,
            unit_alias=unit_alias(plan) if plan.unit else None,
            row_count=row_count_name(plan),
            population_count=population_count_name(plan) if plan.population else None,
        ),
    ]


def prepare(
    plan: Plan, hierarchies: Mapping[str, Hierarchy]
) -> Search[tuple[FullDomainProblem, Shape, dict[str, int]]]:
    """Build the frequency set and the coded hierarchies, and ask for what a search needs.

    Returns:
        the problem, the shape of its keys, and the row counts of the input.

    Raises:
        HierarchyError: a hierarchy is not nested, lacks a value, or has no single top value.
        PlanError: the source is empty.
    """
    yield from proven_steps(plan, source_steps(plan))
    counts = yield from counted_rows(plan)
    yield from require_persons(plan)
    known = yield from with_known_levels(plan, hierarchies)
    problems = yield from hierarchy_problems(plan, known)
    if problems:
        raise hierarchy_error(plan, problems)
    labels = yield from label_digests(known)
    yield level_bits_step()
    bits = yield Step(
        "code_widths",
        "select attribute, cast(sum(bits) as integer)\nfrom sqlanon.level_bits\n"
        "group by attribute_number, attribute\norder by attribute_number",
        "rows",
    )
    shape = Shape(known, _words(plan, bits), labels)
    yield from proven_steps(plan, coding_steps(plan, shape))
    codes = yield Step(
        "level_masks",
        "select attribute, mask\nfrom sqlanon.level_codes\norder by attribute_number, level",
        "rows",
    )
    measures = yield Step(
        "level_costs", "select *\nfrom sqlanon.level_measures\norder by attribute, level", "rows"
    )
    attributes = tuple(
        Attribute(
            name=name,
            weight=column.weight,
            kind=column.kind,
            word=shape.words[name],
            masks=tuple(mask for attribute, mask in codes if attribute == name),
            measures=tuple(LevelMeasures(*row) for row in measures if row[0] == name),
        )
        for name, column in plan.quasi_identifiers.items()
    )
    rows = counts["rows"]
    problem = FullDomainProblem(
        attributes=attributes,
        row_count=rows,
        limit_rows=plan.suppression.limit_rows(rows) if plan.may_suppress else 0,
        masked=plan.suppression.rows == "mask",
        promises=replace(
            plan.promises, shares_persons=(yield from _shares_persons(plan, shape.word_count))
        ),
        objective=plan.objective,
        k=plan.k,
        limit_stated=plan.suppression.limit is not None or not plan.may_suppress,
        population_rows=(yield from _population_rows(plan)),
    )
    return problem, shape, counts


def _shares_persons(plan: Plan, words: int) -> Search[bool]:
    """Whether any person has rows with several combinations of quasi-identifiers."""
    if not plan.promises.shares_persons:
        return False
    keys = ", ".join(f"key_{word}" for word in range(1, words + 1))
    ((several,),) = yield Step(
        "persons_of_several_combinations",
        "select count(*)\nfrom (\n    select person\n    from (\n"
        f"        select distinct person, {keys}\n        from sqlanon.frequency_set\n"
        "        where person is not null\n"
        "    ) as combinations\n    group by person\n    having count(*) > 1\n) as persons",
        "rows",
    )
    return bool(several)


def _population_rows(plan: Plan) -> Search[int]:
    if plan.population is None:
        return 0
    ((rows,),) = yield Step(
        "population_rows",
        "select sum(population_count)\nfrom sqlanon.frequency_set",
        "rows",
    )
    return int(rows)


def level_bits_step() -> Step:
    """The number of bits that each level of each hierarchy needs in a packed key."""
    return templated("source/level_bits")


def _words(plan: Plan, bits: Rows) -> dict[str, int]:
    """The number of the packed key of each attribute; keys are filled in the order of the plan."""
    words: dict[str, int] = {}
    word, used = 1, 0
    for attribute, width in bits:
        if attribute not in plan.quasi_identifiers:
            continue
        if width > WORD_BITS:
            raise HierarchyError(
                f"The hierarchy of '{attribute}' needs {width} bits per value; a packed key"
                f" holds at most {WORD_BITS}.",
                where=plan.where("columns", attribute, "hierarchy"),
                fix="leave out levels, or mask fewer characters",
            )
        if used + width > WORD_BITS:
            word, used = word + 1, 0
        words[attribute] = word
        used += width
    return words
