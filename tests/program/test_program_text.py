"""Solved programs of regions and buckets: their releases make the rows of `run`, and what a
reviewer reads has nothing that nothing reads, and everything once.

A node's release reads nothing but the source; `test_program.py` compares it.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import pytest
import sqlglot
from sqlglot import exp

import sqlanon
from sqlanon.families import release_by_place
from sqlanon.program.program import Program
from sqlanon.sql.step import WORK_CATALOG, group_words, words
from tests.program.test_sql_style import faults_of
from tests.support.golden_runs import plan_of, plans_of, tables
from tests.support.searching import release_in_steps
from tests.support.secret_texts import SEED

K = {"model": "k-anonymity", "k": 2}
DISTINCT = {"model": "l-diversity", "l": 2, "attribute": "disease"}
HALF = {"model": "delta-presence", "dmin": 0.1, "dmax": 0.9}
EVERYBODY = {"population": "everybody.csv"}
COLUMNS: dict[str, Any] = {
    "age": {"role": "quasi-identifier", "type": "numeric"},
    "zip": {"role": "quasi-identifier", "hierarchy": "zip.csv"},
    "disease": {"role": "sensitive", "hierarchy": "disease.csv"},
}
"""A column that is cut in two, and one that is cut along its hierarchy."""
SETS = COLUMNS | {"zip": {**COLUMNS["zip"], "type": "nominal"}}
ONLY_SETS = SETS | {"age": {"role": "quasi-identifier", "type": "nominal"}}
"""Columns of which sets are published."""
FURTHER: dict[str, tuple[dict[str, Any], list[dict[str, Any]], dict[str, Any]]] = {
    "extremes": ({"name": "mondrian", "labels": "region"}, [K, DISTINCT], {}),
    "sets": ({"name": "mondrian", "names": 2}, [K], {"columns": SETS}),
    "only_sets": ({"name": "mondrian", "names": 2}, [K], {"columns": ONLY_SETS}),
    "rounds": ({"name": "mondrian", "execution": "rounds"}, [K], {}),
    "relaxed": ({"name": "mondrian", "partitioning": "relaxed"}, [K, DISTINCT], {}),
    "people": ({"name": "mpalm"}, [K, HALF], EVERYBODY),
    "found_k": ({"name": "k-mondrian"}, [HALF], EVERYBODY),
    "split": ({"name": "dimension-splitting"}, [K, DISTINCT], {}),
    "one_column": ({"name": "slicing", "columns": "one-attribute-per-column"}, [K], {}),
    "lattice": ({"name": "optimal"}, [K, DISTINCT], {}),
}
"""Methods and options that the golden runs have not: method, promises, other keys."""
BUCKETS = {
    "dealt": "stack-and-deal", "classes": "stack-and-deal", "anatomy": "anatomy",
    "permuted": "anatomy", "bucketized": "bucketization", "sliced": "slicing",
    "beside": "slicing", "combined": "combined", "regions": "mondrian", "coarser": "mondrian",
    "overlapping": "slicing",
}  # fmt: skip
"""The golden runs, and their methods."""


@pytest.fixture(scope="module")
def plans(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Plans by their names, beside their tables."""
    folder = tmp_path_factory.mktemp("programs")
    tables(folder)
    found = plans_of(folder)
    assert found.keys() == BUCKETS.keys()
    for name, (method, privacy, others) in FURTHER.items():
        columns = {} if name == "lattice" else {"columns": COLUMNS}
        found[name] = plan_of(folder, name, method, privacy, **columns | others)
    return found


@pytest.mark.sampled(0.3, by=("many", lambda case: BUCKETS[case["name"]]))
@pytest.mark.parametrize("many", [False, True], ids=["few", "many"])
@pytest.mark.parametrize("name", BUCKETS)
def test_release_makes_the_rows_of_run(
    name: str, many: bool, plans: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(plans[name].parent)
    monkeypatch.setenv("SQLANON_PERMUTATION_SEED", SEED)
    result = sqlanon.run(plans[name], sqlanon.Options(overwrite=True))
    published = result.published.fetchall()
    if many:  # the same rows are released in steps
        release_in_steps(monkeypatch)
        result = sqlanon.run(plans[name], sqlanon.Options(overwrite=True))
        assert result.published.fetchall() == published
    program = (result.target / "sql/program.sql").read_text(encoding="utf-8")
    release = (result.target / "release.sql").read_text(encoding="utf-8")
    lines = release.rstrip().removesuffix(";").split("\n")
    query = "\n".join(lines[next(n for n, line in enumerate(lines) if line[:2] != "--") :])
    before = program[: program.index(query)].removesuffix("copy (\n")
    with duckdb.connect() as bare:
        bare.execute("set variable sqlanon_permutation_seed = $seed", {"seed": SEED})
        for statement in bare.extract_statements(before):
            bare.execute(statement)
        rows = bare.execute(query).fetchall()
    assert len(published) > 10
    assert [tuple(map(str, row)) for row in rows] == [tuple(map(str, row)) for row in published]


@pytest.mark.parametrize(("distinct", "looked_up"), [(5, True), (6, False)])
def test_values_are_looked_up_where_32_rows_are_equal(
    distinct: int, looked_up: bool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On average: 160 rows have 5 distinct ones at most. Their number is not recorded."""
    monkeypatch.setattr(release_by_place, "_MANY_ROWS", 1)
    rows = f"select i % {distinct} as age, i % {distinct} as illness from range(160) as r (i)"
    duckdb.sql(f"copy ({rows}) to 'many.parquet'")
    columns = {"age": "quasi-identifier", "illness": "sensitive"}
    plan = {"source": "many.parquet", "columns": columns, "privacy": [K],
            "method": "stack-and-deal", "publish": "published.parquet"}  # fmt: skip
    solution = sqlanon.solve(plan)
    assert solution.as_json()["repeats_rows"] is looked_up
    assert distinct not in solution.as_json().values()
    result = sqlanon.run(plan)
    assert bool([*result.target.glob("sql/*_joined_parts.sql")]) is looked_up


def unread_steps(program: Program) -> list[str]:
    """Steps that no later statement reads, and that are no proof and no copy."""
    texts = [re.sub(r"--.*", "", step.sql) for step in program.steps]
    found = []
    for number, step in enumerate(program.steps):
        later = "\n".join([*texts[number + 1 :], *program.closing])
        read = re.findall(rf"\b{WORK_CATALOG}\.(\w+|\"[^\"]+\")", later)
        if step.kind in ("table", "view") and step.name not in {name.strip('"') for name in read}:
            found.append(step.name)
    return found


def unread_ctes(tree: exp.Expr) -> list[str]:
    """Common table expressions that nothing in their statement reads, besides themselves."""
    tables = [table for table in tree.find_all(exp.Table) if not table.db]
    return [
        cte.alias
        for cte in tree.find_all(exp.CTE)
        if not any(table.name == cte.alias and not is_in(table, cte) for table in tables)
    ]


def is_in(node: exp.Expr | None, around: exp.Expr) -> bool:
    return node is not None and (node is around or is_in(node.parent, around))


@pytest.mark.sampled(0.35)
@pytest.mark.parametrize("name", [*BUCKETS, *FURTHER])
def test_everything_in_a_program_is_read_and_every_column_explained(
    name: str, plans: dict[str, Path]
) -> None:
    sqlanon.solve(plans[name])
    program, _ = sqlanon.compile(plans[name])
    assert unread_steps(program) == []
    trees = {step.name: sqlglot.parse_one(step.sql, dialect="duckdb") for step in program.steps}
    assert {step: found for step, tree in trees.items() if (found := unread_ctes(tree))} == {}
    statements = "\n".join(each for step in program.steps for each in step.statements())
    assert faults_of(f"{statements}\n") == []
    counted = Counter(step.header.split("\n")[0] for step in program.steps)
    assert [header for header, count in counted.items() if count > 1] == []
    (header,) = [step.header for step in program.steps if step.name == "release"]
    query = trees["release"]
    assert isinstance(query, exp.Select)
    for column in query.named_selects if name != "lattice" else ():
        shown = rf"^--   (?:\w+, )*{column}(?:, \w+)* +\S"  # several, if the same is said of them
        assert re.search(shown, header, re.MULTILINE), column


def test_words_for_columns() -> None:
    """One for each, no two alike, and a part of a plain name."""
    assert words(["Marital-Status", "tôwn", "order"]) == ["marital_status", "town", "order"]
    assert words(["a b", "A-B", "x"]) == ["column_1", "column_2", "x"]
    assert words(["Größe", "年齢", "1st", "", "n" * 25]) == [f"column_{n}" for n in range(1, 6)]
    assert words(["column 2", "1", "b"]) == ["column_1", "column_2", "b"]
    assert group_words([["age", "zip"], ["x"], ["y" * 20, "z" * 20]]) == ["age_zip", "x", "part_3"]
    assert group_words([["a", "b c"], ["a b", "c"]]) == ["part_1", "part_2"]
