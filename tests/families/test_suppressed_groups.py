"""Suppression by group, and what each column loses: compared with the rows themselves."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from sqlanon.commands.options import Options
from sqlanon.commands.run import _verify_staged
from sqlanon.commands.session import execute_rest, open_session
from sqlanon.commands.solve import Clock, Solved, search
from sqlanon.engines.base import drive
from sqlanon.engines.duckdb import DuckDBEngine
from sqlanon.families.solution import Solution
from sqlanon.families.suppressed import FEWEST_ROWS, MOST_GROUPS, SuppressedGroups
from sqlanon.plan.file import load_plan
from sqlanon.program.program import program_steps
from tests.conftest import AdultPlan, PlanMapping, TinyPlan
from tests.oracles import full_domain as oracle

Labels = dict[oracle.Value, tuple[oracle.Value, ...]]


@contextmanager
def proven(plan: PlanMapping) -> Iterator[tuple[DuckDBEngine, Solved]]:
    """What a run has when it has proven the rows that it is about to publish."""
    session = open_session(plan, Options())
    with session.working_files(publishes=True), session.embedded() as engine:
        session.bind(engine)
        found = search(session, engine, Clock())
        program = session.compile(found.stated, found.prepared)
        execute_rest(engine, program_steps(program))
        _verify_staged(session, engine, found.solution)
        execute_rest(engine, found.prepared.measured_steps())
        yield engine, found


def hit(plan: PlanMapping) -> tuple[list[SuppressedGroups], Solution, list[tuple[Any, ...]]]:
    """The groups, the solution, and the quasi-identifiers of the proven rows."""
    with proven(plan) as (engine, found):
        groups = drive(engine, found.prepared.suppressed_groups(found.solution))
        names = ", ".join(f'"{name}"' for name in load_plan(plan).quasi_identifiers)
        rows = engine.connection.execute(f"select {names} from sqlanon.published_rows").fetchall()
    return groups, found.solution, rows


def counted(
    rows: oracle.Table,
    hierarchies: list[Labels],
    solution: Solution,
    published: list[tuple[Any, ...]],
    k: int,
    persons: list[str] | None = None,
) -> list[dict[Any, tuple[int, int]]]:
    """Rows and suppressed rows of every group that may be named, and of all others by False."""
    node = tuple(solution.published_levels.values())
    classes = set(published)
    is_kept = [label in classes for label in oracle.generalized(rows, hierarchies, node)]
    persons = persons or [str(n) for n in range(len(rows))]
    expected = []
    for place, hierarchy in enumerate(hierarchies):
        values = [row[place] for row in rows]
        sizes = [len({hierarchy[v][n] for v in values}) for n in range(len(hierarchy[values[0]]))]
        level = next(n for n, size in enumerate(sizes) if 1 < size <= MOST_GROUPS)
        groups: dict[Any, list[int]] = defaultdict(lambda: [0, 0])
        kept: dict[Any, set[str]] = defaultdict(set)
        for value, is_published, person in zip(values, is_kept, persons, strict=True):
            group = hierarchy[value][level]
            groups[group][0] += 1
            groups[group][1] += not is_published
            if is_published:
                kept[group].add(person)
        shown: dict[Any, tuple[int, int]] = {}
        for group, (size, suppressed) in groups.items():
            name = group if len(kept[group]) >= k else False
            before = shown.get(name, (0, 0))
            shown[name] = (before[0] + size, before[1] + suppressed)
        expected.append(shown)
    return expected


def shown(groups: list[SuppressedGroups]) -> list[dict[Any, tuple[int, int]]]:
    """The same, as sqlanon tells it."""
    return [
        {
            **{group.label: (group.rows, group.suppressed_rows) for group in one.groups},
            **({False: (one.other_rows, one.other_suppressed_rows)} if one.others else {}),
        }
        for one in groups
    ]


def test_a_third_of_the_smallest_race_of_adult(adult_plan: AdultPlan) -> None:
    """1.8 % of all rows are suppressed, but 32.5 % of race Other and 0.8 % of White."""
    groups, solution, _ = hit(adult_plan(sensitive="salary-class", suppression={"limit": 0.02}))
    assert solution.suppressed_rows / 30_162 == pytest.approx(0.018, abs=0.0005)
    race = next(one for one in groups if one.attribute == "race")
    shares = {group.label: group.share for group in race.groups}
    assert shares["Other"] == pytest.approx(0.325, abs=0.0005)
    assert shares["White"] == pytest.approx(0.008, abs=0.0005)


HIERARCHIES: list[Labels] = [
    {**{f"a{n}": (f"a{n}", f"a{n // 2}*", "*") for n in range(5)}, None: (None, None, "*")},
    {f"b{n}": (f"b{n}", f"b{n // 8}*", "*") for n in range(24)},
    {f"c{n}": (f"c{n}", "*") for n in range(3)},
]


@pytest.mark.sampled(0.1, by=("kept", "unit"))
@pytest.mark.parametrize(("kept", "unit"), [("drop", False), ("drop", True), ("mask", False)])
@pytest.mark.parametrize("drawn", range(3))
def test_groups_are_those_of_the_rows(
    drawn: int, kept: str, unit: bool, tiny_plan: TinyPlan
) -> None:
    draw = random.Random(f"{drawn} {kept} {unit}")
    rows: list[oracle.Row] = [
        tuple(
            list(hierarchy)[min(size - 1, int(draw.expovariate(4 / size)))]
            for hierarchy, size in zip(HIERARCHIES, (6, 24, 3), strict=True)
        )
        for _ in range(draw.randint(60, 160))
    ]
    rows += [(None, "b23", "c0"), ("a0", "b22", "c1")]
    persons = [f"p{draw.randrange(60) if unit else n}" for n in range(len(rows))]
    k = draw.choice([2, 3, 4])
    plan = tiny_plan(rows, HIERARCHIES, labels=persons, suppression={"limit": 0.3, "rows": kept})
    plan["privacy"] = [{"model": "k-anonymity", "k": k}]
    if unit:
        plan |= {"unit": "label", "columns": plan["columns"] | {"label": "identifier"}}
    groups, solution, published = hit(plan)
    expected = counted(rows, HIERARCHIES, solution, published, k, persons)
    assert shown(groups) == expected
    assert sum(less for _, less in expected[0].values()) == solution.suppressed_rows > 0


def test_few_rows_are_not_named_and_the_largest_groups_are(tiny_plan: TinyPlan) -> None:
    """A population can promise k-map for classes of one row: such rows are not named either.

    A column whose labels are many on every level is shown by its largest groups.
    """
    hierarchy: Labels = {f"a{n:02}": (f"a{n:02}", "*") for n in range(30)}
    sizes = (FEWEST_ROWS, FEWEST_ROWS - 1, 1)
    rows: list[oracle.Row] = [(f"a{n:02}",) for n, size in enumerate(sizes) for _ in range(size)]
    plan = tiny_plan(rows, [hierarchy], privacy=[{"model": "k-map", "k": 5}], population="all.csv")
    Path("all.csv").write_text("a\n" + "a00\na01\na02\n" * 5, encoding="utf-8")
    groups, _, _ = hit(plan)
    assert shown(groups) == [{"a00": (FEWEST_ROWS, 0), False: (FEWEST_ROWS, 0)}]
    assert groups[0].others == 2
    rows = [(value,) for n, value in enumerate(hierarchy) for _ in range(n + 2)]
    ((found,), _, _) = hit(tiny_plan(rows, [hierarchy]))
    assert [group.label for group in found.groups] == [*hierarchy][: 29 - MOST_GROUPS : -1]
    assert (found.others, found.other_rows) == (10, sum(n + 2 for n in range(10)))


# --- what each column loses


@pytest.mark.parametrize("kept", ["drop", "mask"])
def test_columns_lose_what_their_labels_cover(kept: str, tiny_plan: TinyPlan) -> None:
    """0 for a label of one value, else its values by all values; suppressed cells cost 1."""
    draw = random.Random(kept)
    rows: list[oracle.Row] = [
        tuple(draw.choice(list(tree)[: 5 + 4 * place]) for place, tree in enumerate(HIERARCHIES))
        for _ in range(90)
    ]
    rows += [(None, "b23", "c0")]
    plan = tiny_plan(rows, HIERARCHIES, suppression={"limit": 0.2, "rows": kept})
    with proven(plan) as (engine, found):
        losses = drive(engine, found.prepared.column_losses(found.solution))
        loss = drive(engine, found.prepared.measure(found.solution))["loss"]
    node = tuple(found.solution.published_levels.values())
    sizes = oracle.classes(rows, HIERARCHIES, node)
    labels = oracle.generalized(rows, HIERARCHIES, node)
    assert 0 < found.solution.suppressed_rows == sum(n for n in sizes.values() if n < 2)
    for place, (name, level) in enumerate(found.solution.published_levels.items()):
        hierarchy = HIERARCHIES[place]
        known = [v for v in hierarchy if v is not None or None in {row[place] for row in rows}]
        covered = Counter(hierarchy[v][level] for v in known)
        shares = {label: n / len(known) if n > 1 else 0 for label, n in covered.items()}
        costs = [1.0 if sizes[label] < 2 else shares[label[place]] for label in labels]
        assert losses[name] == pytest.approx(sum(costs) / len(costs)), name
    assert sum(losses.values()) / 3 == pytest.approx(loss)


@pytest.mark.parametrize("method", [{"name": "mondrian", "labels": "region"}, {"name": "anatomy"}])
def test_the_loss_of_a_partition_is_the_mean_of_its_columns(
    method: dict[str, Any], tiny_plan: TinyPlan
) -> None:
    """No group loses a row; values that are published as they are lose nothing."""
    draw = random.Random(1)
    values = [tuple(draw.choice(list(tree)[:5]) for tree in HIERARCHIES[1:]) for _ in range(60)]
    plan = tiny_plan(
        values, HIERARCHIES[1:], labels=[f"s{n % 4}" for n in range(60)], method=method
    )
    plan |= {"privacy": [{"model": "l-diversity", "l": 3}], "publish": "published/rows.csv"}
    plan["columns"]["label"] = "sensitive"
    with proven(plan) as (engine, found):
        assert drive(engine, found.prepared.suppressed_groups(found.solution)) == []
        losses = drive(engine, found.prepared.column_losses(found.solution))
        loss = drive(engine, found.prepared.measure(found.solution))["loss"]
    assert (loss is None) == (losses == {}) == (method["name"] == "anatomy")
    if loss is not None:
        assert losses.keys() == {"a", "b"}
        assert sum(losses.values()) / 2 == pytest.approx(loss)
