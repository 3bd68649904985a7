"""Each proof by itself: over tables of a few rows, what is a violation and what is none."""

from __future__ import annotations

import contextlib
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import pytest

import sqlanon
from sqlanon.commands.run import _check_counted
from sqlanon.engines.tables import holds_others
from sqlanon.errors import PrivacyViolation
from sqlanon.privacy_models.promises import CountedColumn
from sqlanon.proof.findings import Finding, violation
from sqlanon.sql.render import render
from sqlanon.sql.step import Step
from tests.plan import plans

pytestmark = pytest.mark.usefixtures("folder")

Violations = list[tuple[Any, ...]]
DIVERSE = [{"model": "k-anonymity", "k": 2}, {"model": "l-diversity", "l": 2}]


def plan_of(source: str = "rows.parquet", **keys: Any) -> dict[str, Any]:
    """A plan of two columns."""
    columns = {"a": "quasi-identifier", "ill": "sensitive"}
    return plans.plan_of(columns, source, **{"privacy": DIVERSE, **keys})


@pytest.fixture
def engine() -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection with an empty working catalog."""
    with duckdb.connect() as connection:
        connection.execute("attach ':memory:' as sqlanon")
        yield connection


def violations(
    engine: duckdb.DuckDBPyConnection, template: str, tables: dict[str, str], **inputs: Any
) -> Violations:
    """What a proof finds; a table `t (a, b)` has rows such as `(1, 2), (3, 4)`."""
    for name, rows in tables.items():
        table, columns = name.split(" ", 1)
        made = f"select * from (values {rows}) as t {columns}"
        engine.execute(f"create or replace table sqlanon.{table} as {made}")
    select = Step("proof", render(f"{template}.sql", **inputs), "proof").select
    return engine.execute(select).fetchall()


PERSONS: dict[str, Any] = {
    "is_hidden": True, "is_known": False, "count": "n", "quasi_identifiers": [("a", "a")]
}  # fmt: skip
COUNTS = {"rows": "sqlanon.rows", "counts": "sqlanon.counts", "count": "n", "attribute": "ill"}
MEMBERSHIP = {
    "name": "n", "bounds": "sqlanon.bounds", "marginals": "sqlanon.marginals", "group_count": 1
}  # fmt: skip
PLACES = [("a", 2), ("b", 2)]
APART = [(1, "value is in no interval, or in several", 1)]
# a template, its inputs, its tables, the one that varies, and what is found by its rows
CASES: dict[str, tuple[str, dict[str, Any], dict[str, str], str, dict[str, Violations]]] = {
    "everybody is in a class": (
        "proof/proof_of_cover",
        {"population_count": "people"},
        {"population_combinations (a, people)": "('x', 3), ('y', 2)"},
        "published_equivalence_classes (population_size)",
        {"(3), (1)": [(5, 4)], "(3), (2)": [], "(1)": [(5, 1)], "(5)": []},
    ),
    "rows are somebody's": (
        "proof/proof_of_persons",
        {"is_hidden": False, "is_known": True, "count": "", "quasi_identifiers": []},
        {},
        "published_combinations (person, row_count)",
        {"('p', 4), (null, 2), (null, 1)": [(3,)], "('p', 4), ('', 2)": []},
    ),
    "rows are those of persons": (
        "proof/proof_of_person_rows",
        {"columns": ["a", "b"], "is_text": False, "side": "side", "rows": "sqlanon.person_rows"},
        {"person_rows (k, a, b)": "('p', '1', 2), ('q', '1', 2), ('q', null, 3)"},
        "published_rows (a, b)",
        {
            "('1', 2), ('1', 2), (null, 3)": [],
            "('1', 2), (null, 3)": [(1,)],
            "('1', 2), ('1', 2), ('', 3)": [(2,)],
        },
    ),
    "numbers of persons, alone": (
        "proof/proof_of_persons",
        PERSONS,
        {},
        "published_rows (a, n)",
        {
            "('x', 2), ('x', 2), (null, 3), (null, 3), (null, 3)": [],
            "('x', 2), ('x', 3), ('x', 3), (null, 3), (null, 3), (null, 3)": [(1,)],
            "('x', 1), ('x', 1), (null, 3), (null, 3), (null, 3)": [],
            "('x', 1.5), ('x', 1.5), (null, 3), (null, 3), (null, 3)": [(1,)],
            "('x', 2), (null, 3), (null, 3), (null, 3)": [(1,)],
            "('x', null), ('x', null), (null, 3), (null, 3), (null, 3)": [(1,)],
            "('x', 0), (null, 3), (null, 3), (null, 3)": [(1,)],
        },
    ),
    "numbers of persons, with their classes": (
        "proof/proof_of_persons",
        {**PERSONS, "is_known": True},
        {"published_equivalence_classes (a, class_size)": "('x', 2), (null, 3)"},
        "published_rows (a, n)",
        {
            "('x', 2), ('x', 2), (null, 3), (null, 3), (null, 3)": [],
            "('x', 1), ('x', 1), (null, 3), (null, 3), (null, 3)": [(1,)],
            "('x', 2), (null, 3), (null, 3), (null, 3)": [],
            "('x', null), ('x', null), (null, 3), (null, 3), (null, 3)": [(1,)],
            "('x', 2), ('x', 2), ('y', 1), (null, 3), (null, 3), (null, 3)": [(1,)],
        },
    ),
    "labels are known to the population": (
        "proof/proof_of_places",
        {"quasi_identifiers": ["a", "b"]},
        {"population_labels (attribute, label)": "('a', 'x'), ('a', null), ('b', 'y')"},
        "published_rows (a, b)",
        {"('x', 'y'), (null, 'y')": [], "('x', 'x'), ('y', null), ('z', 'y')": PLACES},
    ),
    "regions are apart": (
        "proof/proof_of_regions",
        {},
        {"label_ranges (attribute_number, label, first_place)": "(1, 'x', 0), (2, 'y', 3)"},
        "population_regions (combination)",
        {"(1), (2), (3)": [], "(1), (2), (3), (2), (3), (3)": [(None, 2)]},
    ),
    "regions are readable": (
        "proof/proof_of_regions",
        {},
        {"population_regions (combination)": "(1)"},
        "label_ranges (attribute_number, label, first_place)",
        {"(1, 'x', 0), (2, 'y', null)": [(2, 1)]},
    ),
    "values are those of the source": (
        "proof/proof_of_values",
        {"column": CountedColumn("ill", "ill")},
        {"table_values_of_ill (value, text)": "(1, 'flu'), (2, null)"},
        "published_combinations (text_of_ill, row_count)",
        {"('flu', 2), (null, 1)": [], "('flu', 2), ('flu ', 3)": [(3,)]},
    ),
    "two tables fit": (
        "proof/proof_of_tables",
        COUNTS,
        {"rows (bucket)": "(1), (1), (2), (2)"},
        "counts (bucket, ill, n)",
        {
            "(1, 'x', 1), (1, 'y', 1), (2, 'x', 2)": [],
            "(1, 'x', 1), (2, 'x', 2), (3, 'x', 1)": [(1, 2, 1), (3, None, 1)],
            "(1, 'x', 2), (2, 'x', 1), (2, 'x', 1)": [(2, 2, 2)],
            "(1, 'x', 2), (2, 'x', 2), (2, null, 0)": [(2, 2, 2)],
        },
    ),
    "no value twice in a bucket": (
        "proof/proof_of_dealing",
        {"attribute": "v", "distinct": True, "combination": "", "strata": [], "size": 0},
        {},
        "published_rows (bucket, v)",
        {
            "(1, 'a'), (1, 'b'), (2, 'a'), (2, null)": [],
            "(1, 'a'), (1, 'b'), (1, 'a'), (2, null)": [(1, 3)],
            "(1, 'a'), (2, null), (2, null)": [(2, 2)],
        },
    ),
    "every value is in one interval": (
        "partition/proof_of_intervals",
        {"attributes": [{"number": 1, "place": "place_1"}]},
        {
            "cells (place_1)": "(0), (1), (2), (3)",
            "places (attribute_number, place)": "(1, 0), (1, 1), (1, 2), (1, 3)",
        },
        "intervals (attribute_number, first_place, last_place)",
        {
            "(1, 0, 1), (1, 2, 3)": [],
            "(1, 0, 1), (1, 1, 3)": APART,
            "(1, 0, 1), (1, 3, 3)": APART,
            "(1, 0, 1), (1, 2, 9)": [(1, "interval ends at no value", 1)],
        },
    ),
    "values are those of candidates": (
        "presence/contradictions",
        MEMBERSHIP,
        {"bounds (bucket, value_1, lowest, highest)": "('b', 7, 1, 1), ('b', 7, 0, 1)"},
        "marginals (bucket, group_number, value, row_count)",
        {
            "('b', 1, 7, 2)": [(0,)],  # one or two of the two candidates
            "('b', 1, 7, 3)": [(1,)],  # more rows than candidates
            "('b', 1, 7, 0)": [(1,)],  # fewer than must be in the table
            "('b', 1, 8, 1)": [(1,)],  # a value that no candidate has
            "('b', 1, 7, 3), ('b', 1, 8, 1), ('b', 1, 7, 1)": [(2,)],
        },
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_proof_finds_its_violations(name: str, engine: duckdb.DuckDBPyConnection) -> None:
    template, inputs, tables, varying, by_rows = CASES[name]
    for rows, expected in by_rows.items():
        found = violations(engine, template, {**tables, varying: rows}, **inputs)
        assert sorted(found, key=str) == expected, rows


@pytest.mark.parametrize("persons", range(3))
def test_each_person_is_a_violation(persons: int, engine: duckdb.DuckDBPyConnection) -> None:
    """With two combinations, with more than two rows, or with nobody like them."""
    rows = "('s', 'x', 2), (null, 'x', 0)" + "".join(
        f", ('p{n}', 'y', 1), ('p{n}', '{n}', 2)" for n in range(persons)
    )
    people = f"('x', 2, 3), ('y', {persons}, 1), ('y', 1, 0), ('y', 0, 0)"
    inputs = {"quasi_identifiers": ["a"], "row_count": "n", "population_count": "people"}
    for template, table, content, more, found in (
        ("source/proof_of_unchanging_persons", "source_combinations (person, a, n)", rows,
         {**inputs, "unit_alias": "person"}, (persons,)),
        ("proof/proof_of_row_limit", "published_combinations (person, a, row_count)", rows,
         {"most": 2}, (persons,)),
        ("source/proof_of_population", "source_combinations (a, n, people)", people,
         {**inputs, "unit_alias": ""}, (1, persons)),
    ):  # fmt: skip
        shown = violations(engine, template, {table: content}, **more)
        assert shown == ([found] if persons else []), template


def test_a_table_without_rows_proves_nothing(engine: duckdb.DuckDBPyConnection) -> None:
    assert violations(engine, "proof/proof_of_rows", {"published_rows (a)": "(null)"}) == []
    engine.execute("delete from sqlanon.published_rows")
    assert len(violations(engine, "proof/proof_of_rows", {})) == 1


def grouped_strata(sizes: Counter[str], least: int) -> dict[str, int]:
    """Labels of fewer rows than `least` are stratum 0; too small, it takes the smallest other."""
    other = sorted((n, label) for label, n in sizes.items() if n >= least)
    small = sum(n for n in sizes.values() if n < least)
    strata = {label: place for place, (_, label) in enumerate(other, 1)}
    if other and 0 < small < least:
        strata[other[0][1]] = 0
    return {label: strata.get(label, 0) for label in sizes}


def test_buckets_of_a_stratum_have_each_value_about_equally_often(
    engine: duckdb.DuckDBPyConnection,
) -> None:
    template = "proof/proof_of_dealing"
    inputs = {"attribute": "v", "distinct": False, "combination": ""}
    drawn, seen = random.Random(5), Counter[bool]()
    tables = {"h (level_0, level_1)": "('p', 'x'), ('q', 'y'), ('r', 'z')"}
    for _ in range(60):
        rows = [
            (drawn.randrange(3), drawn.choice("ab"), drawn.choice("pqr"))
            for _ in range(drawn.randint(3, 14))
        ]
        tables["published_rows (bucket, v, q)"] = ", ".join(map(repr, rows))
        of_label = grouped_strata(Counter(label for _, _, label in rows), 3)
        for strata in ([], [("q", "h", 1)]):
            dealt = [(of_label[q] if strata else 0, bucket, v) for bucket, v, q in rows]
            counted = Counter(dealt)
            uneven = 0
            for stratum, value in {(stratum, value) for stratum, _, value in dealt}:
                buckets = {bucket for s, bucket, _ in dealt if s == stratum}
                counts = [counted[stratum, bucket, value] for bucket in buckets]
                uneven += max(counts) - min(counts) > 1
            within = {b: len({s for s, bucket, _ in dealt if bucket == b}) for b in range(3)}
            found = violations(engine, template, tables, strata=strata, size=3, **inputs)
            assert sum(bucket is None for _, bucket, _ in found) == uneven
            mixed = {bucket: n for _, bucket, n in found if bucket is not None}
            assert mixed == {bucket: n for bucket, n in within.items() if n > 1}
            seen[bool(found)] += 1
    assert min(seen.values()) > 10


def test_every_class_must_be_judged_and_hold(engine: duckdb.DuckDBPyConnection) -> None:
    """A class that fails, and one that the model says nothing of; a missing value is a value."""
    tables = {
        "classes (a, class_size)": "('x', 5), (null, 5), ('y', 1), ('z', 5)",
        "judged (a, measure, satisfied)": "('x', 5, true), (null, 5, true), ('y', 1, false)",
    }
    judged: dict[str, Any] = {
        "name": "model", "classes": "sqlanon.classes", "class_key": ["a"], "column": "measure",
        "model_sql": "select * from sqlanon.judged",
    }  # fmt: skip
    said = {"promise": "every class has 5 rows", "source": "nobody"}
    found = violations(engine, "proof/proof", tables, **judged, **said)
    assert sorted(found) == [("y", 1, 1), ("z", 5, None)]
    listed = violations(engine, "proof/failing_classes", tables, **judged, most=9, with_values=True)
    assert listed == [(5, None, "z"), (1, 1, "y")]
    counted = violations(engine, "proof/measured", tables, **judged, aggregate="min", sides={})
    assert counted == [(1, 4, 2, 6)]


def test_one_promise_that_fails_is_a_violation_wherever_it_stands() -> None:
    def finding(failing: int) -> Finding:
        return Finding("k-anonymity", {"k": 2}, 2 - failing, not failing, 3, failing, failing)

    assert violation([finding(0), finding(0)], "verify") is None
    for failing in ([1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]):
        error = violation([finding(each) for each in failing], "verify")
        assert error is not None
        assert str(error).count("1 of 3 classes fail") == sum(failing)


def test_classes_that_fail_against_the_published_rows_alone() -> None:
    """Of all rows half have x: both classes are within 0.2 of that. Of the published ones 16 of 25
    have, from which class B with 2 of 5 is 0.24 away."""
    kept = ["A,x"] * 14 + ["A,y"] * 6 + ["B,x"] * 2 + ["B,y"] * 3
    Path("rows.csv").write_text("\n".join(["a,ill", *kept, *["C,y"] * 7, ""]), encoding="utf-8")
    Path("given.csv").write_text("\n".join(["a,ill", *kept, ""]), encoding="utf-8")
    for reference, failing in (("original", 0), ("published", 1)):
        promise = {"model": "t-closeness", "t": 0.2, "reference": reference}
        plan = plan_of("rows.csv", privacy=[promise], suppression={"limit": 0.5})
        (found,) = sqlanon.verify("given.csv", plan, with_source=True)
        assert found.measured == pytest.approx(0.2)
        assert found.measured_published == pytest.approx(0.24)
        assert found.failing_classes == failing
        assert found.failing_rows == 5 * failing
        assert found.satisfied is (failing == 0)


# --- what the publication looks at


def write(select: str, file: str) -> None:
    duckdb.execute(f"copy ({select}) to '{file}'")


CLASSES = "select unnest({}) as a, unnest(['flu', 'cold', 'flu', 'cold']) as ill"


def test_an_empty_text_and_a_missing_value_of_a_csv_are_two_classes() -> None:
    """Two rows each: taken for one, they would be a class of four."""
    write(CLASSES.format("['', '', null, null]"), "rows.parquet")
    found = sqlanon.run(plan_of(publish="out.csv")).manifest
    assert [entry["measured"] for entry in found["privacy"]] == [2, 2]
    assert found["solution"]["classes"] == 2


def test_a_published_value_must_be_one_of_the_source() -> None:
    write(CLASSES.format("['x', 'x', 'x', 'x']"), "rows.parquet")
    sqlanon.run(plan_of())
    assert all(each.satisfied for each in sqlanon.verify("out.parquet", plan_of()))
    write("select 'x' as a, unnest(['flu', 'cold', 'flu', 'measles']) as ill", "made.parquet")
    with pytest.raises(PrivacyViolation, match="values that the source does not have") as refused:
        sqlanon.verify("made.parquet", plan_of(), with_source=True)
    assert "measles" not in str(refused.value)


def test_what_else_is_in_a_database_keeps_it_from_being_replaced() -> None:
    others = ("sequence s", "view v as select 1", "table u (i int)", "type e as enum ('x')")
    for number, content in enumerate([*others, "macro f() as 1"]):
        place = Path(f"{number}.duckdb")
        duckdb.connect(place).execute("create table t (a int)")
        assert not holds_others(place, [("t",)])
        duckdb.connect(place).execute(f"create {content}")
        assert holds_others(place, [("t",)]), content


def test_staged_columns_have_the_planned_types() -> None:
    write("select 'x' as a, unnest([1, 2, 3, 4]) as ill", "rows.parquet")
    plan = sqlanon.run(plan_of()).plan
    solution: Any = SimpleNamespace(published_rows=4, suppressed_rows=0)
    staged = {"a": "VARCHAR", "ill": "INTEGER"}
    assert dict(plan.publication_types) == staged
    for kind in ("INTEGER", "BIGINT", "VARCHAR"):
        columns = [{"name": n, "type": t} for n, t in {**staged, "ill": kind}.items()]
        with contextlib.ExitStack() as refused:
            if kind != "INTEGER":
                refused.enter_context(pytest.raises(PrivacyViolation, match="or another type"))
            _check_counted(plan, solution, {"rows": 4, "columns": columns})
