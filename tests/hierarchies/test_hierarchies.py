"""Hierarchies from files and rules: the labels they give, what stops a run, and how they are shown.

A rule's labels are compared with a few lines of Python; files with what is written in them.
"""

from __future__ import annotations

import csv
import itertools
import json
import random
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

import sqlanon
from sqlanon.cli.output import Output
from sqlanon.errors import HierarchyError
from sqlanon.hierarchies import AnyHierarchy
from sqlanon.hierarchies.base import Hierarchy
from sqlanon.source.hierarchies import hierarchy_name, hierarchy_step
from sqlanon.sql.render import shipped
from tests.conftest import Command
from tests.oracles.hierarchies import KINDS
from tests.paths import TESTS
from tests.plan import plans
from tests.selection import examples
from tests.support.tables import write_csv

Labels = dict[str | None, tuple[str | None, ...]]
"""Per value its labels, from level 1 to the top."""

_RULE: TypeAdapter[Hierarchy] = TypeAdapter(AnyHierarchy)


@pytest.fixture(scope="module")
def database() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.execute("attach ':memory:' as sqlanon")
    return connection


def labels_of(
    database: duckdb.DuckDBPyConnection, rule: Any, values: Iterable[str | None]
) -> Labels:
    """What a rule makes of values: its template, executed."""
    hierarchy = _RULE.validate_python(rule)
    table = f"sqlanon.{hierarchy_name('a')}"
    database.execute(f"drop table if exists {table}")
    database.execute(
        "create or replace table sqlanon.source_values as"
        " select 'a' as attribute, unnest($values::varchar[]) as value, 1 as row_count",
        {"values": list(dict.fromkeys(values))},
    )
    for statement in hierarchy_step("a", hierarchy).statements():
        database.execute(statement)
    rows = database.execute(f"select * from {table}").fetchall()
    assert len({row[0] for row in rows}) == len(rows)
    return {row[0]: row[1:] for row in rows}


def assert_nested(labels: Labels) -> None:
    """Every label has one coarser label, and the last level is one value."""
    for level in range(len(next(iter(labels.values()))) - 1):
        coarser = {(row[level], row[level + 1]) for row in labels.values() if row[0] is not None}
        assert len(coarser) == len({finer for finer, _ in coarser})
    assert {row[-1] for row in labels.values()} == {"*"}


# Rules against a few lines of Python


@pytest.mark.parametrize("kind", KINDS)
@examples(25)
@given(data=st.data())
def test_labels_agree_with_python(
    kind: str, database: duckdb.DuckDBPyConnection, folder: Path, data: st.DataObject
) -> None:
    """Of a rule, a missing value is one of its own below the top; of a file, what stands in it."""
    known = KINDS[kind]
    hierarchy, values = data.draw(known.cases)
    for name, content in known.files.items():
        Path(name).write_text(content, "utf-8")
    if known.files:
        labels = {row[0]: row[1:] for row in shown(hierarchy, values)}
    else:
        labels = labels_of(database, hierarchy, [*values, None])
        assert labels.pop(None)[:-1] == (None,) * (len(labels[values[0]]) - 1)
    assert_nested(labels)
    assert {value: labels[value] for value in values} == {
        value: known.labels(hierarchy, value) for value in values
    }


def test_intervals_of_big_small_and_oddly_written_numbers(
    database: duckdb.DuckDBPyConnection,
) -> None:
    expected = {
        "9223372036854775807": "[9223372036854775805, 9223372036854775810)",
        "-9223372036854775808": "[-9223372036854775810, -9223372036854775805)",
        "1e3": "[1000, 1005)",
        " 7 ": "[5, 10)",
        "9.999999999999999": "[5, 10)",
        **dict.fromkeys(["+3", "-0", "1e-19", "0.30000000000000004"], "[0, 5)"),
    }
    labels = labels_of(database, {"intervals": [5]}, expected)
    assert labels == {value: (label, "*") for value, label in expected.items()}


def test_null_is_a_value_of_its_own_below_the_top(database: duckdb.DuckDBPyConnection) -> None:
    """Whatever a query lists for it, and where it is the only value."""
    query = "values ('3', 'odd', 'any'), (null, 'x', 'any')"
    missing = labels_of(database, {"query": query, "columns": 3}, ["3", None])[None]
    assert missing == (None, "any")
    for rule in ({"intervals": [5]}, {"mask": {"characters": 2}}, {"query": query, "columns": 3}):
        assert labels_of(database, rule, [None])[None] == (None, "any" if "query" in rule else "*")


def test_what_does_not_fit_a_rule_gets_no_label(database: duckdb.DuckDBPyConnection) -> None:
    for rule in ({"intervals": [5]}, {"cut_points": [[5]]}, {"round": [0]}):
        labels = labels_of(database, rule, ["1,5", "abc", "", "NaN", "inf", "0x10", "1e40", "4"])
        assert {value for value, row in labels.items() if row != (None, None)} == {"4"}
    labels = labels_of(
        database, {"date": ["year"]}, ["2024-13-01", "01/02/2024", "2024", "soon", "", "12:30"]
    )
    assert set(labels.values()) == {(None, None)}
    labels = labels_of(database, {"mask": {"characters": 3}}, ["abcd", "abc"])
    assert labels["abcd"][-1] is None
    assert labels["abc"][-1] == "*"


# Whole plans


def plan_over(rules: Mapping[str, Any], source: Any, **columns: str) -> dict[str, Any]:
    """A plan whose quasi-identifiers have these hierarchies."""
    quasi = {n: {"role": "quasi-identifier", "hierarchy": rule} for n, rule in rules.items()}
    return plans.plan_of(quasi | columns, source)


def plan_of(hierarchy: Any, values: Iterable[str | None]) -> dict[str, Any]:
    """A plan over `rows.csv`, which is written; None becomes an empty field."""
    cells = [("" if value is None else '"' + value.replace('"', '""') + '"') for value in values]
    Path("rows.csv").write_text("a,b\n" + "".join(f"{cell},1\n" for cell in cells), "utf-8")
    return plan_over({"a": hierarchy}, "rows.csv", b="insensitive")


def shown(hierarchy: Any, values: Iterable[str | None]) -> list[tuple[Any, ...]]:
    plan = plan_of(hierarchy, values)
    assert sqlanon.check_hierarchies(plan) == []
    return sorted(sqlanon.show_hierarchy(plan, "a"), key=str)


@pytest.mark.sampled(0.1, by="ending")
@pytest.mark.parametrize("delimiter", [";", ",", "|"])
@pytest.mark.parametrize("header", [False, True])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_hierarchy_files_as_other_tools_write_them(
    delimiter: str, header: bool, ending: str, mark: str, folder: Path
) -> None:
    rows = [("1, x", 'low "1"', "*"), ("2", "low; 2", "*"), ("3", "Zoë", "*")]
    with open("h.csv", "w", encoding="utf-8", newline="") as file:
        file.write(mark)
        writer = csv.writer(file, delimiter=delimiter, lineterminator=ending)
        writer.writerows([("value", "group", "all")] * header + rows)
    hierarchy = "h.csv" if delimiter != "|" else {"file": "h.csv", "delimiter": "|"}
    assert shown(hierarchy, [row[0] for row in rows]) == sorted(rows)


@pytest.mark.parametrize(
    "content",
    [
        "1, x, y;low;*",  # more commas than semicolons; one row, no end of line
        "value;group;all\n1, x, y;low;*\n",
        "\n1, x, y;low;*\n\n2;low;*\n\n",  # blank lines
        "1, x, y;low;*\n;unused;*\n",  # a row for the empty value
    ],
)
def test_delimiter_and_header_are_found_out(content: str, folder: Path) -> None:
    (folder / "h.csv").write_text(content, "utf-8")
    assert ("1, x, y", "low", "*") in shown("h.csv", ["1, x, y"])


NO_ROW = "source rows hold a value without a row"
TWO_ROWS = "value has more than one row"
NO_LABEL = "value has no label"
TWO_LABELS = "label below has more than one label here"
TWO_TOPS = "top level is not one single value"
HIDDEN = {"1": "secret1", "2": "secret2", "low": "secretlow"}


@pytest.mark.parametrize(
    ("content", "problems"),
    [
        ("1;low;*\n1;high;*\n2;low;*\n2;low;*\n3;low;*\n", [(TWO_ROWS, 0, 2, {"2": 3, "1": 1})]),
        ("1;low;x;*\n2;low;y;*\n", [(TWO_LABELS, 2, 1, {"low": 4})]),
        (
            "1;low;*\n2;low;+\n",
            [(TWO_LABELS, 2, 1, {"low": 4}), (TWO_TOPS, 2, 2, {"+": 3, "*": 1})],
        ),
        ("1;low;*\n", [(NO_ROW, 0, 3, {"2": 3})]),
        ("1;;*\n2;low;*\n", [(NO_LABEL, 1, 1, {"1": 1})]),
        ("1;low;*\n2;low;\n", [(NO_LABEL, 2, 1, {"2": 3})]),
    ],
)
def test_an_unsound_file_stops_the_run_and_names_no_value(
    content: str, problems: list[tuple[str, int, int, dict[str, int]]], folder: Path
) -> None:
    """Values are named only where they are asked for, those of most rows first."""
    for shown_as, hidden in HIDDEN.items():
        content = content.replace(shown_as, hidden)
    (folder / "h.csv").write_text(content, "utf-8")
    plan = plan_of({"file": "h.csv", "header": False}, ["secret1", *["secret2"] * 3])
    found = sqlanon.check_hierarchies(plan, values=9)
    named = {(p.problem, p.level): [*p.values] for p in found}
    assert not any(p.values for p in sqlanon.check_hierarchies(plan))
    with pytest.raises(HierarchyError) as caught:
        sqlanon.run(plan)
    assert (caught.value.exit_code, caught.value.where) == (2, "columns.a.hierarchy")
    for problem, level, affected, values in problems:
        assert named[problem, level] == [(HIDDEN.get(v, v), rows) for v, rows in values.items()]
        assert f"a, level {level}: {problem} ({affected})" in caught.value.what
    assert "secret" not in str(caught.value)
    assert "hierarchy check" in caught.value.fix
    assert not (folder / "out.parquet").exists()


@pytest.mark.parametrize(
    ("hierarchy", "values", "level", "count"),
    [
        ({"intervals": [5, 10]}, ["1", "secret1", "secret2", ""], 3, 3),
        ({"cut_points": [[5]]}, ["1", "secret"], 1, 1),
        ({"round": [1]}, ["1", "secret"], 2, 1),
        ({"date": ["month", "year"]}, ["2024-01-01", "secret", "2024-02-30"], 1, 2),
        ({"mask": {"characters": 5, "side": "left"}}, ["12345", "secret"], 5, 1),
    ],
)
def test_a_value_that_does_not_fit_its_rule_stops_the_run(
    hierarchy: Any, values: list[str], level: int, count: int, folder: Path
) -> None:
    source = {"query": f"select unnest({[*values, *values]!r}) as a"}
    with pytest.raises(HierarchyError) as caught:
        sqlanon.run(plan_over({"a": hierarchy}, source))
    assert f"a, level {level}: {NO_LABEL} ({count})" in caught.value.what
    assert "secret" not in str(caught.value)
    assert "2024-02-30" not in str(caught.value)


def test_hierarchies_from_a_query_and_from_rule_files(folder: Path) -> None:
    Path("places.csv").write_text("city,land\nBonn,DE\nKöln,DE\nGraz,AT\n", "utf-8")
    query = "select city, land, '*' as everything from 'places.csv';"
    assert shown({"query": query}, ["Bonn", "Graz", None]) == sorted(
        [("Bonn", "DE", "*"), ("Köln", "DE", "*"), ("Graz", "AT", "*"), (None, None, "*")], key=str
    )
    rows = shown("postal-codes/five-digits.yml", ["02139", "10115"])
    assert rows[0] == ("02139", "0213*", "021**", "02***", "0****", "*")
    (folder / "own.yml").write_text("# own\nintervals: [0.5]\n", "utf-8")
    assert shown("own.yml", ["0.7"]) == [("0.7", "[0.5, 1.0)", "*")]
    (folder / "own.yml").write_text("taxonomy: work.txt\n", "utf-8")
    with pytest.raises(sqlanon.PlanError, match="only names another file") as caught:
        shown("own.yml", ["a"])
    assert caught.value.where == "own.yml:1  hierarchy"


def test_typed_values_of_a_parquet_file(folder: Path) -> None:
    """Dates and numbers of every type have the labels of their texts."""
    dates = {
        "date": ["2024-01-31", "2024-02-01", "2025-01-01", "2025-01-02"],
        "timestamp": ["2024-01-31 23:59:59", "2024-02-01 00:00:00"] * 2,
        "timestamp_ns": ["2024-01-31 23:59:59.123456789", "2024-02-01 00:00:00"] * 2,
        "varchar": ["2024-01-31", "2024-2-1", "2024-02-01T10:00:00", "2024-01-31"],
    }
    numbers = ["integer", "double", "decimal(9, 2)", "bigint", "utinyint"]
    columns = [f"unnest({values!r})::{kind} as d_{kind}" for kind, values in dates.items()]
    columns += [f"unnest([3, 4, 7, 12])::{kind} as n{n}" for n, kind in enumerate(numbers)]
    duckdb.connect().execute(f"copy (select {', '.join(columns)}) to 'rows.parquet'")
    rules: dict[str, Any] = {f"d_{kind}": {"date": ["month", "decade"]} for kind in dates}
    rules |= {f"n{n}": {"intervals": [5, 10]} for n, _ in enumerate(numbers)}
    plan = plan_over(rules, "rows.parquet")
    months = {(f"{year}-{month:02d}", "2020s", "*") for year in (2024, 2025) for month in (1, 2)}
    for kind, values in dates.items():
        rows = sqlanon.show_hierarchy(plan, f"d_{kind}")
        assert len(rows) == len(set(values))
        assert {row[1:] for row in rows} <= months
    for n, _ in enumerate(numbers):
        rows = sqlanon.show_hierarchy(plan, f"n{n}")
        assert {row[1] for row in rows} == {"[0, 5)", "[5, 10)", "[10, 15)"}
    assert sqlanon.run(plan).manifest["rows"]["published"] == 4


# Shipped hierarchies


def test_the_shipped_hierarchies_are_sound(folder: Path) -> None:
    root = shipped("hierarchies")
    values = {}
    for path in sorted(root.rglob("*.csv")):
        with path.open(encoding="utf-8", newline="") as lines:
            _, *rows = csv.reader(lines)
        assert {row[-1] for row in rows} == {"*"}
        values[path.relative_to(root).as_posix()] = [row[0] for row in rows]
    assert {"age.csv", "adult/education.csv"} <= set(values)
    names = [f"c{n}" for n, _ in enumerate(values)]
    columns = itertools.zip_longest(*values.values(), fillvalue="")
    write_csv("rows.csv", [names, *columns])
    plan = plan_over(dict(zip(names, values, strict=True)), "rows.csv")
    assert sqlanon.check_hierarchies(plan) == []
    with (TESTS / "data/adult/adult.csv").open(encoding="utf-8") as lines:
        for name, *own in zip(*csv.reader(lines, delimiter=";"), strict=True):
            assert {*own} <= {*values[f"adult/{name}.csv"]}
    days = ("1969-07-20", "1969-07", "1969-Q3", "1969", "1960s", "*")
    assert shown("dates.yml", days[:1]) == [days]
    (folder / "adult").mkdir()
    (folder / "adult/sex.csv").write_text("Female;person;*\n", "utf-8")  # one beside the plan wins
    assert shown("adult/sex.csv", ["Female"]) == [("Female", "person", "*")]


# The commands `hierarchy show` and `hierarchy check`


def made(values: list[str], hierarchy: str) -> str:
    """The file of a plan over a column with these values."""
    write_csv("rows.csv", [["town"], *([value] for value in values)])
    Path("h.csv").write_text(hierarchy, "utf-8")
    plan = plan_over({"town": {"file": "h.csv", "header": False}}, "rows.csv")
    Path("plan.yml").write_text(json.dumps(plan), "utf-8")
    return "plan.yml"


def test_a_tree_has_the_rows_and_values_of_every_node(folder: Path, command: Command) -> None:
    towns = "Bonn;west;DE;*\nKöln;west;DE;*\nJena;east;DE;*\nLinz;north;AT;*\n"
    plan = made(["Jena", "Bonn", "Köln", "Bonn", ""], towns)
    code, output, errors = command("hierarchy", "show", plan, "town")
    assert (code, errors) == (0, "")
    assert re.sub(" +", " ", output).splitlines() == [
        "town: 4 levels, 5 values, 5 rows",
        " rows values",
        "* 5 5",
        "├─ AT 0 1",
        "│ └─ north 0 1",
        "│ └─ Linz 0",
        "├─ DE 4 3",
        "│ ├─ east 1 1",
        "│ │ └─ Jena 1",
        "│ └─ west 3 2",
        "│ ├─ Bonn 2",
        "│ └─ Köln 1",
        "└─ (missing) 1 1",
        " └─ (missing) 1 1",
        " └─ (missing) 1",
    ]
    assert len({len(line) for line in output.splitlines()[2:5]}) == 1  # in columns
    _, output, errors = command("hierarchy", "show", plan, "town", "--limit", "8")
    assert len(output.splitlines()) == 2 + 8
    assert "--all" in errors
    _, whole, errors = command("hierarchy", "show", plan, "town", "--limit", "2", "--all")
    assert (len(whole.splitlines()), errors) == (15, "")
    _, output, _ = command("hierarchy", "show", plan, "town", "--json")
    listed = [line.split(";") for line in towns.splitlines()]
    assert sorted(row for row in json.loads(output) if row[0]) == sorted(listed)
    with pytest.raises(sqlanon.PlanError) as caught:
        sqlanon.show_hierarchy(plan, "twon")
    assert caught.value.fix == "Did you mean 'town'?"


def test_a_terminal_gets_a_screenful_and_no_control_characters(
    folder: Path, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    numbers = [str(number) for number in range(100)]
    long = "x" * 300 + "\x1b[31m"
    plan = made(numbers, "".join(f"{number};{long};*\n" for number in numbers))
    for name, value in (("is_terminal", True), ("width", 80), ("height", 24)):
        monkeypatch.setattr(Output, name, value)
    _, output, _ = command("hierarchy", "show", plan, "town")
    plain = re.sub(r"\x1b\[[0-9;]*m", "", output)
    assert len(plain.splitlines()) == 22
    assert max(map(len, plain.splitlines())) <= 80
    assert "\x1b[31m" not in output
    assert "… 83 more" in plain


def test_named_values_are_those_with_most_rows(folder: Path, command: Command) -> None:
    """Where they are asked for; which values each problem has is tested above."""
    random.seed(4)
    values = [f"v{random.randint(0, 60)}" for _ in range(500)]
    plan = made(values, "other;*\n")
    most = sorted(Counter(values).items(), key=lambda pair: (-pair[1], pair[0]))
    code, output, errors = command("hierarchy", "check", plan)
    assert code == 2
    assert not re.search(r"\bv\d", output + errors)
    code, output, errors = command("hierarchy", "check", plan, "--show-values")
    assert (code, errors) == (2, "")
    shown = [line.split() for line in output.splitlines() if line.startswith("v")][1:]
    assert shown == [[value, str(count)] for value, count in most[:20]]
    shown_as = ("--show-values", "--limit", "3", "--json")
    _, output, _ = command("hierarchy", "check", plan, *shown_as)
    (found,) = json.loads(output)
    assert found["values"] == [list(pair) for pair in most[:3]]
