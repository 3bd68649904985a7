"""What a reviewer of a solved program reads: nothing that nothing reads, and everything once.

pytest tests/program/test_program_text.py
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlglot
from sqlglot import exp

import sqlanon
from sqlanon.program.program import Program
from sqlanon.sql.step import WORK_CATALOG, Step, group_words, words
from tests.program.test_sql_style import is_too_long
from tests.support.golden_runs import plan_of, plans_of, tables

K = {"model": "k-anonymity", "k": 2}
DISTINCT = {"model": "l-diversity", "l": 2, "attribute": "disease"}
HALF = {"model": "delta-presence", "dmin": 0.1, "dmax": 0.9}
COLUMNS: dict[str, Any] = {
    "age": {"role": "quasi-identifier", "type": "numeric"},
    "zip": {"role": "quasi-identifier", "hierarchy": "zip.csv"},
    "disease": {"role": "sensitive", "hierarchy": "disease.csv"},
}
"""A column that is cut in two, and one that is cut along its hierarchy."""
TREES = COLUMNS | {"age": {"role": "quasi-identifier", "hierarchy": "age.csv"}}
"""Two columns that are cut along their hierarchies."""
SETS = COLUMNS | {"zip": {**COLUMNS["zip"], "type": "nominal"}}
ONLY_SETS = SETS | {"age": {"role": "quasi-identifier", "type": "nominal"}}
"""Columns of which sets are published."""
FURTHER: dict[str, tuple[dict[str, Any], list[dict[str, Any]], dict[str, Any]]] = {
    "extremes": ({"name": "mondrian", "labels": "region"}, [K, DISTINCT], {}),
    "sets": ({"name": "mondrian", "names": 2}, [K], {"columns": SETS}),
    "only_sets": ({"name": "mondrian", "names": 2}, [K], {"columns": ONLY_SETS}),
    "rounds": ({"name": "mondrian", "execution": "rounds"}, [K], {}),
    "relaxed": ({"name": "mondrian", "partitioning": "relaxed"}, [K, DISTINCT], {}),
    "people": ({"name": "mpalm"}, [K, HALF], {"population": "everybody.csv"}),
    "found_k": ({"name": "k-mondrian"}, [HALF], {"population": "everybody.csv"}),
    "split": ({"name": "dimension-splitting"}, [K, DISTINCT], {}),
    "one_column": ({"name": "slicing", "columns": "one-attribute-per-column"}, [K], {}),
    "lattice": ({"name": "optimal"}, [K, DISTINCT], {}),
}
"""Methods and options that the golden runs have not: method, promises, other keys."""


class Programs(dict[str, Program]):
    """The solved programs of plans, by their names; each is solved when it is asked for."""

    def __init__(self, plans: dict[str, Path]) -> None:
        self.plans = plans

    def __missing__(self, name: str) -> Program:
        sqlanon.solve(self.plans[name])
        self[name], _ = sqlanon.compile(self.plans[name])
        return self[name]


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Programs:
    folder = tmp_path_factory.mktemp("programs")
    tables(folder)
    plans = plans_of(folder)
    for name, (method, privacy, others) in FURTHER.items():
        columns = {} if name == "lattice" else {"columns": COLUMNS}
        plans[name] = plan_of(folder, name, method, privacy, **columns | others)
    return Programs(plans)


NAMES = [
    "dealt", "classes", "anatomy", "permuted", "bucketized", "sliced", "beside", "combined",
    "regions", "coarser", "overlapping", *FURTHER,
]  # fmt: skip
PARTED = [name for name in NAMES if name != "lattice"]


def test_every_plan_is_read(programs: Programs) -> None:
    assert sorted(programs.plans) == sorted(NAMES)


def tree_of(step: Step) -> exp.Expr:
    """The query of a step."""
    return sqlglot.parse_one(step.sql, dialect="duckdb")


def read_by(text: str) -> set[str]:
    """The relations of the working catalog that a text reads."""
    return set(re.findall(rf"\b{WORK_CATALOG}\.(\w+|\"[^\"]+\")", text))


def unread_steps(program: Program) -> list[str]:
    """Steps that no later statement reads, and that are no proof and no copy."""
    texts = [step.sql for step in program.steps]
    found = []
    for number, step in enumerate(program.steps):
        later = "\n".join([*texts[number + 1 :], *program.closing])
        named = {name.strip('"') for name in read_by(re.sub(r"--.*", "", later))}
        if step.kind in ("table", "view") and step.name not in named:
            found.append(step.name)
    return found


def unread_ctes(tree: exp.Expr) -> list[str]:
    """Common table expressions that nothing in their statement reads, besides themselves."""
    found = []
    for cte in tree.find_all(exp.CTE):
        readers = [
            table
            for table in tree.find_all(exp.Table)
            if table.name == cte.alias and not table.db and cte not in ancestors(table)
        ]
        if not readers:
            found.append(cte.alias)
    return found


def ancestors(node: exp.Expr) -> Iterator[exp.Expr]:
    """The expressions around one."""
    while node.parent is not None:
        node = node.parent
        yield node


def noop_aliases(tree: exp.Expr) -> list[str]:
    """Tables and columns that are called as they are called anyway."""
    tables = [t for t in tree.find_all(exp.Table) if t.alias and t.alias == t.name]
    columns = [
        a
        for a in tree.find_all(exp.Alias)
        if isinstance(a.this, exp.Column) and a.this.name == a.alias
    ]
    return [node.sql(dialect="duckdb") for node in (*tables, *columns)]


def headers_of(program: Program) -> Iterator[str]:
    """Comments of two lines or more, and the first lines of all headers of steps."""
    for step in program.steps:
        yield step.header.split("\n")[0]
        for block in re.findall(r"(?:^ *--.*\n){2,}", step.sql + "\n", re.MULTILINE):
            yield re.sub(r"^ +", "", block, flags=re.MULTILINE)


@pytest.mark.sampled(0.1)
@pytest.mark.parametrize("name", NAMES)
def test_every_step_is_read(name: str, programs: Programs) -> None:
    """By a later step; a proof is a reader's, and the release is what it is all for."""
    assert unread_steps(programs[name]) == []


@pytest.mark.sampled(0.1)
@pytest.mark.parametrize("name", NAMES)
def test_every_cte_is_read(name: str, programs: Programs) -> None:
    found = {step.name: unread_ctes(tree_of(step)) for step in programs[name].steps}
    assert {step: ctes for step, ctes in found.items() if ctes} == {}


@pytest.mark.sampled(0.5)
@pytest.mark.parametrize("name", PARTED)
def test_no_alias_says_nothing(name: str, programs: Programs) -> None:
    found = {step.name: noop_aliases(tree_of(step)) for step in programs[name].steps}
    assert {step: aliases for step, aliases in found.items() if aliases} == {}


@pytest.mark.sampled(0.1)
@pytest.mark.parametrize("name", NAMES)
def test_every_header_stands_once(name: str, programs: Programs) -> None:
    counted = Counter(headers_of(programs[name]))
    if name == "rounds":  # says everything once a round
        counted = Counter(header for header in counted.elements() if "\n" not in header)
    assert [header for header, count in counted.items() if count > 1] == []


@pytest.mark.sampled(0.1)
@pytest.mark.parametrize("name", NAMES)
def test_no_line_is_long(name: str, programs: Programs) -> None:
    lines = [
        line
        for step in programs[name].steps
        for statement in step.statements()
        for line in statement.split("\n")
    ]
    assert [line for line in lines if is_too_long(line)] == []


@pytest.mark.sampled(0.1)
@pytest.mark.parametrize("name", PARTED)
def test_release_tells_of_every_column(name: str, programs: Programs) -> None:
    """Its header names each, in words, and every promise."""
    (release,) = [step for step in programs[name].steps if step.name == "release"]
    query = tree_of(release)
    assert isinstance(query, exp.Select)
    for column in query.named_selects:
        shown = rf"^--   (?:\w+, )*{column}(?:, \w+)* +\S"  # several, if the same is said of them
        assert re.search(shown, release.header, re.MULTILINE), column
    assert "--   promise " in release.header
    assert "not published" not in release.header  # nothing is, in these plans


def test_words_for_columns() -> None:
    """One for each, no two alike, and a part of a plain name."""
    assert words(["age", "Marital-Status", "tôwn", 'the "age"', "order"]) == [
        "age", "marital_status", "town", "the_age", "order",
    ]  # fmt: skip
    assert words(["a b", "A-B", "x"]) == ["column_1", "column_2", "x"]
    assert words(["Größe", "年齢", "1st", "", "n" * 25]) == [f"column_{n}" for n in range(1, 6)]
    assert words(["column 2", "1", "b"]) == ["column_1", "column_2", "b"]
    assert group_words([["age", "zip"], ["x"], ["y" * 20, "z" * 20]]) == ["age_zip", "x", "part_3"]
    assert group_words([["a", "b c"], ["a b", "c"]]) == ["part_1", "part_2"]


def test_what_nothing_reads_is_found() -> None:
    text = "with a as (select 1 as b), c as (select b as b from a as a) select 1 as d"
    tree = sqlglot.parse_one(text, dialect="duckdb")
    assert unread_ctes(tree) == ["c"]
    assert sorted(noop_aliases(tree)) == ["a AS a", "b AS b"]
    one, other = Step("one", "-- one: x\nselect 1"), Step("other", "-- one: x\nselect 2")
    program = Program("", (), (one, other), ("select * from sqlanon.other",))
    assert unread_steps(program) == ["one"]
    assert Counter(headers_of(program)) == {"-- one: x": 2}
