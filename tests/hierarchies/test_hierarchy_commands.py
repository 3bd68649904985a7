"""`hierarchy check --show-values` names what lacks a row; `hierarchy show` draws a tree."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from pathlib import Path

import pytest

import sqlanon
from sqlanon.cli.output import Output
from tests.conftest import Command

PLAN = """\
source: rows.csv
columns: {town: {role: quasi-identifier, hierarchy: %s}}
privacy: [{model: k-anonymity, k: 2}]
publish: out.csv
"""
TOWNS = "Bonn;west;DE;*\nKöln;west;DE;*\nJena;east;DE;*\nLinz;north;AT;*\n"


def made(folder: Path, values: list[str], hierarchy: str) -> str:
    """A plan over a column with these values."""
    (folder / "rows.csv").write_text("town\n" + "".join(f'"{v}"\n' for v in values), "utf-8")
    (folder / "h.csv").write_text(hierarchy, "utf-8")
    (folder / "plan.yml").write_text(PLAN % "{file: h.csv, header: false}", "utf-8")
    return str(folder / "plan.yml")


def test_a_tree_has_the_rows_and_values_of_every_node(tmp_path: Path, command: Command) -> None:
    plan = made(tmp_path, ["Jena", "Bonn", "Köln", "Bonn", ""], TOWNS)
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
    listed = [line.split(";") for line in TOWNS.splitlines()]
    assert sorted(row for row in json.loads(output) if row[0]) == sorted(listed)
    with pytest.raises(sqlanon.PlanError) as caught:
        sqlanon.show_hierarchy(plan, "twon")
    assert caught.value.fix == "Did you mean 'town'?"


def test_a_terminal_gets_a_screenful_and_no_control_characters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    numbers = [str(number) for number in range(100)]
    long = "x" * 300 + "\x1b[31m"
    plan = made(tmp_path, numbers, "".join(f"{number};{long};*\n" for number in numbers))
    for name, value in (("is_terminal", True), ("width", 80), ("height", 24)):
        monkeypatch.setattr(Output, name, value)
    _, output, _ = command("hierarchy", "show", plan, "town")
    plain = re.sub(r"\x1b\[[0-9;]*m", "", output)
    assert len(plain.splitlines()) == 22
    assert max(map(len, plain.splitlines())) <= 80
    assert "\x1b[31m" not in output
    assert "… 83 more" in plain


def test_named_values_are_those_with_most_rows(tmp_path: Path, command: Command) -> None:
    """Where they are asked for; which values each problem has: test_hierarchies."""
    random.seed(4)
    values = [f"v{random.randint(0, 60)}" for _ in range(500)]
    plan = made(tmp_path, values, "other;*\n")
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
