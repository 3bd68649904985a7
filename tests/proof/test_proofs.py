"""Each proof by itself: over tables of a few rows, what is a violation and what is none."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

import sqlanon
from sqlanon.privacy_models.promises import CountedColumn
from sqlanon.proof.findings import Finding, violation
from sqlanon.sql.render import render
from sqlanon.sql.step import Step

Violations = list[tuple[Any, ...]]


@pytest.fixture
def engine() -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection with an empty working catalog."""
    with duckdb.connect() as connection:
        connection.execute("attach ':memory:' as sqlanon")
        yield connection


def violations(
    engine: duckdb.DuckDBPyConnection, template: str, tables: dict[str, str], **inputs: Any
) -> Violations:
    """What a proof finds; a table is columns and rows, such as `(a, b) values (1, 2)`."""
    for name, content in tables.items():
        columns, values = content.split(" values ")
        engine.execute(
            f"create or replace table sqlanon.{name} as"
            f" select * from (values {values}) as t {columns}"
        )
    return engine.execute(Step("proof", render(template, **inputs), "proof").select).fetchall()


@pytest.mark.parametrize(
    ("covered", "found"),
    [("(3), (1)", [(5, 4)]), ("(3), (2)", []), ("(1)", [(5, 1)]), ("(5)", [])],
)
def test_everybody_must_be_in_a_class(
    covered: str, found: Violations, engine: duckdb.DuckDBPyConnection
) -> None:
    tables = {
        "population_combinations": "(a, people) values ('x', 3), ('y', 2)",
        "published_equivalence_classes": f"(population_size) values {covered}",
    }
    template = "proof/proof_of_cover.sql"
    assert violations(engine, template, tables, population_count="people") == found


def test_rows_must_be_somebodys(engine: duckdb.DuckDBPyConnection) -> None:
    template = "proof/proof_of_persons.sql"
    inputs = {"is_hidden": False, "is_known": True, "count": "", "quasi_identifiers": []}
    for nobody, found in (("(null, 2), (null, 1)", [(3,)]), ("(null, 3)", [(3,)]), ("('', 2)", [])):
        rows = {"published_combinations": f"(person, row_count) values ('p', 4), {nobody}"}
        assert violations(engine, template, rows, **inputs) == found


@pytest.mark.parametrize("persons", range(3))
def test_each_person_is_a_violation(persons: int, engine: duckdb.DuckDBPyConnection) -> None:
    """With two combinations, with more than two rows, or with nobody like them."""
    rows = "values ('s', 'x', 2), (null, 'x', 0)" + "".join(
        f", ('p{n}', 'y', 1), ('p{n}', '{n}', 2)" for n in range(persons)
    )
    people = f"(a, n, people) values ('x', 2, 3), ('y', {persons}, 1), ('y', 1, 0), ('y', 0, 0)"
    inputs = {"quasi_identifiers": ["a"], "row_count": "n", "population_count": "people"}
    unit, nobody = {**inputs, "unit_alias": "person"}, {**inputs, "unit_alias": ""}
    kept, published = f"(person, a, n) {rows}", f"(person, a, row_count) {rows}"
    for template, table, content, names, found in (
        ("source/proof_of_unchanging_persons", "source", kept, unit, (persons,)),
        ("proof/proof_of_row_limit", "published", published, {"most": 2}, (persons,)),
        ("source/proof_of_population", "source", people, nobody, (1, persons)),
    ):
        shown = violations(engine, f"{template}.sql", {f"{table}_combinations": content}, **names)
        assert shown == ([found] if persons else []), template


def test_rows_are_those_of_persons(engine: duckdb.DuckDBPyConnection) -> None:
    template, inputs = "proof/proof_of_person_rows.sql", {"rows": "sqlanon.person_rows"}
    of_persons = "(k, a, b) values ('p', '1', 2), ('q', '1', 2), ('q', null, 3)"
    for published, differing in (
        ("('1', 2), ('1', 2), (null, 3)", []),
        ("('1', 2), (null, 3)", [(1,)]),
        ("('1', 2), ('1', 2), ('', 3)", [(2,)]),
        ("('1', 2), ('1', 2), ('1', 2), (null, 3)", [(1,)]),
    ):
        tables = {"published_rows": f"(a, b) values {published}", "person_rows": of_persons}
        names = {"columns": ["a", "b"], "is_text": False, "side": "side", **inputs}
        assert violations(engine, template, tables, **names) == differing


def test_numbers_of_persons_are_those_of_classes(engine: duckdb.DuckDBPyConnection) -> None:
    template = "proof/proof_of_persons.sql"
    inputs = {"is_hidden": True, "count": "n", "quasi_identifiers": [("a", "a")]}
    known = "(a, class_size) values ('x', 2), (null, 3)"
    for published, alone, counted in (
        ("('x', 2), ('x', 2), (null, 3), (null, 3), (null, 3)", [], []),
        ("('x', 2), ('x', 3), ('x', 3), (null, 3), (null, 3), (null, 3)", [(1,)], [(1,)]),
        ("('x', 1), ('x', 1), (null, 3), (null, 3), (null, 3)", [], [(1,)]),
        ("('x', 2), (null, 3), (null, 3), (null, 3)", [(1,)], []),
        ("('x', null), ('x', null), (null, 3), (null, 3), (null, 3)", [(1,)], [(1,)]),
        ("('x', 0), (null, 3), (null, 3), (null, 3)", [(1,)], [(1,)]),
        ("('x', 2), ('x', 2), ('y', 1), (null, 3), (null, 3), (null, 3)", [], [(1,)]),
    ):
        tables = {"published_rows": f"(a, n) values {published}"}
        assert violations(engine, template, tables, **inputs, is_known=False) == alone
        tables["published_equivalence_classes"] = known
        assert violations(engine, template, tables, **inputs, is_known=True) == counted


def test_labels_must_be_known_to_the_population(engine: duckdb.DuckDBPyConnection) -> None:
    template, names = "proof/proof_of_places.sql", {"quasi_identifiers": ["a", "b"]}
    known = "(attribute, value, label) values ('a', '1', 'x'), ('a', null, null), ('b', '1', 'y')"
    tables = {"published_rows": "(a, b) values ('x', 'y'), (null, 'y')", "population_labels": known}
    assert violations(engine, template, tables, **names) == []
    tables["published_rows"] = "(a, b) values ('x', 'x'), ('y', null), ('z', 'y')"
    found = violations(engine, template, tables, **names)
    assert sorted(found) == [("a", 2), ("b", 2)]


def test_regions_must_be_readable_and_apart(engine: duckdb.DuckDBPyConnection) -> None:
    template = "proof/proof_of_regions.sql"
    read = "(attribute_number, label, first_place) values (1, 'x', 0), (2, 'y', 3)"
    tables = {"label_ranges": read, "population_regions": "(combination) values (1), (2), (3)"}
    assert violations(engine, template, tables) == []
    for more, found in (("(2)", [(None, 1)]), ("(2), (3), (3)", [(None, 2)])):
        tables["population_regions"] = f"(combination) values (1), (2), (3), {more}"
        assert violations(engine, template, tables) == found
    tables = {
        "label_ranges": "(attribute_number, label, first_place) values (1, 'x', 0), (2, 'y', null)",
        "population_regions": "(combination) values (1)",
    }
    assert violations(engine, template, tables) == [(2, 1)]


def test_values_must_be_those_of_the_source(engine: duckdb.DuckDBPyConnection) -> None:
    template, of = "proof/proof_of_values.sql", {"column": CountedColumn("ill", "ill")}
    tables = {
        "table_values_of_ill": "(value, text) values (1, 'flu'), (2, null)",
        "published_combinations": "(text_of_ill, row_count) values ('flu', 2), (null, 1)",
    }
    assert violations(engine, template, tables, **of) == []
    tables["published_combinations"] = "(text_of_ill, row_count) values ('flu', 2), ('flu ', 3)"
    assert violations(engine, template, tables, **of) == [(3,)]


def test_two_tables_must_fit(engine: duckdb.DuckDBPyConnection) -> None:
    template = "proof/proof_of_tables.sql"
    of = {"rows": "sqlanon.rows", "counts": "sqlanon.counts", "count": "n", "attribute": "ill"}
    tables = {
        "rows": "(bucket) values (1), (1), (2), (2)",
        "counts": "(bucket, ill, n) values (1, 'x', 1), (1, 'y', 1), (2, 'x', 2)",
    }
    assert violations(engine, template, tables, **of) == []
    tables["counts"] = "(bucket, ill, n) values (1, 'x', 1), (2, 'x', 2), (3, 'x', 1)"
    assert violations(engine, template, tables, **of) == [(1, 2, 1), (3, None, 1)]
    tables["counts"] = "(bucket, ill, n) values (1, 'x', 2)"
    assert violations(engine, template, tables, **of) == [(2, 2, None)]
    tables["counts"] = "(bucket, ill, n) values (1, 'x', 2), (2, 'x', 1), (2, 'x', 1)"
    assert violations(engine, template, tables, **of) == [(2, 2, 2)]
    tables["counts"] = "(bucket, ill, n) values (1, 'x', 2), (2, 'x', 2), (2, null, 0)"
    assert violations(engine, template, tables, **of) == [(2, 2, 2)]


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
    template = "proof/proof_of_dealing.sql"
    inputs = {"attribute": "v", "distinct": False, "combination": ""}
    drawn, seen = random.Random(5), Counter[bool]()
    tables = {"h": "(level_0, level_1) values ('p', 'x'), ('q', 'y'), ('r', 'z')"}
    for _ in range(60):
        rows = [
            (drawn.randrange(3), drawn.choice("ab"), drawn.choice("pqr"))
            for _ in range(drawn.randint(3, 14))
        ]
        tables["published_rows"] = "(bucket, v, q) values " + ", ".join(map(repr, rows))
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


def test_buckets_have_no_value_twice(engine: duckdb.DuckDBPyConnection) -> None:
    inputs = {"attribute": "v", "distinct": True, "combination": "", "strata": [], "size": 0}
    for rows, found in (
        ("(1, 'a'), (1, 'b'), (2, 'a'), (2, null)", []),
        ("(1, 'a'), (1, 'b'), (1, 'a'), (2, null)", [(1, 3)]),
        ("(1, 'a'), (2, null), (2, null)", [(2, 2)]),
    ):
        tables = {"published_rows": f"(bucket, v) values {rows}"}
        assert violations(engine, "proof/proof_of_dealing.sql", tables, **inputs) == found


def test_a_table_without_rows_proves_nothing(engine: duckdb.DuckDBPyConnection) -> None:
    template = "proof/proof_of_rows.sql"
    assert violations(engine, template, {"published_rows": "(a) values (null)"}) == []
    engine.execute("delete from sqlanon.published_rows")
    assert len(violations(engine, template, {})) == 1


def test_every_class_must_be_judged_and_hold(engine: duckdb.DuckDBPyConnection) -> None:
    """A class that fails, and one that the model says nothing of; a missing value is a value."""
    tables = {
        "classes": "(a, class_size) values ('x', 5), (null, 5), ('y', 1), ('z', 5)",
        "judged": "(a, measure, satisfied) values ('x', 5, true), (null, 5, true), ('y', 1, false)",
    }
    judged: dict[str, Any] = {
        "name": "model", "classes": "sqlanon.classes", "class_key": ["a"], "column": "measure",
        "model_sql": "select * from sqlanon.judged",
    }  # fmt: skip
    said = {"promise": "every class has 5 rows", "source": "nobody"}
    found = violations(engine, "proof/proof.sql", tables, **judged, **said)
    assert sorted(found) == [("y", 1, 1), ("z", 5, None)]
    listed = violations(
        engine, "proof/failing_classes.sql", tables, **judged, most=9, with_values=True
    )
    assert listed == [(5, None, "z"), (1, 1, "y")]
    counted = violations(engine, "proof/measured.sql", tables, **judged, aggregate="min", sides={})
    assert counted == [(1, 4, 2, 6)]


@pytest.mark.parametrize(
    ("intervals", "found"),
    [
        ("(1, 0, 1), (1, 2, 3)", []),
        ("(1, 0, 1), (1, 1, 3)", [(1, "value is in no interval, or in several", 1)]),
        ("(1, 0, 1), (1, 3, 3)", [(1, "value is in no interval, or in several", 1)]),
        ("(1, 0, 1), (1, 2, 9)", [(1, "interval ends at no value", 1)]),
    ],
)
def test_every_value_must_be_in_one_interval(
    intervals: str, found: Violations, engine: duckdb.DuckDBPyConnection
) -> None:
    tables = {
        "cells": "(place_1) values (0), (1), (2), (3)",
        "places": "(attribute_number, place) values (1, 0), (1, 1), (1, 2), (1, 3)",
        "intervals": f"(attribute_number, first_place, last_place) values {intervals}",
    }
    template = "partition/proof_of_intervals.sql"
    assert (
        violations(engine, template, tables, attributes=[{"number": 1, "place": "place_1"}])
        == found
    )


def test_one_promise_that_fails_is_a_violation_wherever_it_stands() -> None:
    def finding(failing: int) -> Finding:
        return Finding("k-anonymity", {"k": 2}, 2 - failing, not failing, 3, failing, failing)

    assert violation([finding(0), finding(0)], "verify") is None
    for failing in ([1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]):
        error = violation([finding(each) for each in failing], "verify")
        assert error is not None
        assert str(error).count("1 of 3 classes fail") == sum(failing)


@pytest.mark.parametrize(
    ("published", "found"),
    [
        ("('b', 1, 7, 2)", 0),  # one or two of the two candidates
        ("('b', 1, 7, 3)", 1),  # more rows than candidates
        ("('b', 1, 7, 0)", 1),  # fewer than must be in the table
        ("('b', 1, 8, 1)", 1),  # a value that no candidate has
        ("('b', 1, 7, 3), ('b', 1, 8, 1), ('b', 1, 7, 1)", 2),
    ],
)
def test_published_values_must_be_those_of_candidates(
    published: str, found: int, engine: duckdb.DuckDBPyConnection
) -> None:
    tables = {
        "bounds": "(bucket, value_1, lowest, highest) values ('b', 7, 1, 1), ('b', 7, 0, 1)",
        "marginals": f"(bucket, group_number, value, row_count) values {published}",
    }
    of = {"name": "n", "bounds": "sqlanon.bounds", "marginals": "sqlanon.marginals"}
    shown = violations(engine, "presence/contradictions.sql", tables, group_count=1, **of)
    assert shown == [(found,)]


def test_classes_that_fail_against_the_published_rows_alone() -> None:
    """Of all rows half have x: both classes are within 0.2 of that. Of the published ones 16 of 25
    have, from which class B with 2 of 5 is 0.24 away."""
    kept = ["A,x"] * 14 + ["A,y"] * 6 + ["B,x"] * 2 + ["B,y"] * 3
    Path("rows.csv").write_text("\n".join(["a,ill", *kept, *["C,y"] * 7, ""]), encoding="utf-8")
    Path("given.csv").write_text("\n".join(["a,ill", *kept, ""]), encoding="utf-8")
    for reference, failing in (("original", 0), ("published", 1)):
        plan = {
            "source": "rows.csv",
            "columns": {"a": "quasi-identifier", "ill": "sensitive"},
            "privacy": [{"model": "t-closeness", "t": 0.2, "reference": reference}],
            "suppression": {"limit": 0.5},
            "publish": "published.csv",
        }
        (found,) = sqlanon.verify("given.csv", plan, with_source=True)
        assert found.measured == pytest.approx(0.2)
        assert found.measured_published == pytest.approx(0.24)
        assert found.failing_classes == failing
        assert found.failing_rows == 5 * failing
        assert found.satisfied is (failing == 0)
