"""`sqlanon diff`: what a reviewer learns about two solutions, with figures counted by hand."""

from __future__ import annotations

import functools
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import sqlanon
from sqlanon.commands.options import Options
from sqlanon.errors import PlanError
from sqlanon.families.difference import SolutionDifference
from tests.conftest import Command
from tests.families.test_locked import partitioned, plan, write
from tests.publication.test_run_apart import rows_of

pytestmark = pytest.mark.usefixtures("folder")

SOLUTION = Path("open.solution.json")
FINE, COARSE = [0, 1, 2, 3] * 3, [0, 1, 2, 3] * 2
"""Ages with three rows each (level 0 holds k = 3), and with two (level 1 does)."""
MANY, FEW = ([n * 7 % 32 for n in range(count)] for count in (80, 20))


@functools.cache
def solution_of(ages: tuple[int, ...], made: str) -> bytes:
    """The solution of a plan in JSON, for rows of these ages."""
    sqlanon.solve(json.loads(made))
    return SOLUTION.read_bytes()


def solved(ages: list[int], name: str, made: dict[str, Any] | None = None) -> None:
    """Solve the plan for these ages, and keep the solution under a name."""
    write(ages)
    content = solution_of(tuple(ages), json.dumps(made or plan()))
    for place in (SOLUTION, Path(name)):
        place.write_bytes(content)


def changes(found: SolutionDifference) -> list[tuple[str, str, int | None]]:
    return [(column.column, column.change, column.steps) for column in found.columns]


def test_a_coarser_solution() -> None:
    solved(FINE, "fine.json")
    solved(COARSE, "coarse.json")
    found = sqlanon.diff(plan(), "fine.json", "coarse.json")
    assert changes(found) == [("age", "coarser", 1)]
    assert found.columns[0].before == "level 0 of 4, as in the source"
    assert found.columns[0].after == "level 1 of 4, intervals of width 2"
    assert (found.before.published_rows, found.after.published_rows) == (12, 8)
    assert (found.before.classes, found.after.classes) == (4, 2)
    assert found.rows_gained == -4
    assert found.decisions == ("age 0 → 1",)
    assert found.before.objective == found.after.objective == "loss"
    assert found.before.cost == [0]
    assert found.after.cost is not None
    assert found.after.cost[0] == 0.5  # every label stands for 2 of the 4 values
    assert not found.is_same
    assert not found.notes
    changed = {line for line in found.sql.splitlines() if line.startswith(("-", "+"))}
    assert {"--- fine.json", "+++ coarse.json"} <= changed
    assert any(line.startswith("+") and "intervals of width 2" in line for line in changed)
    assert not any("intervals of width 4" in line for line in changed)
    program, _ = sqlanon.compile(plan())
    release = set(program.release_sql.splitlines())
    added = {line[1:] for line in changed if line.startswith("+")} - {"++ coarse.json"}
    assert added <= release, "of the query that a reviewer reads"
    back = sqlanon.diff(plan(), "coarse.json", "fine.json")
    assert changes(back) == [("age", "finer", 1)]
    assert back.rows_gained == 4


def test_the_plans_own_solution_is_the_second() -> None:
    """Unless options make it one of another version."""
    solved(FINE, "fine.json")
    assert sqlanon.diff(plan(), "fine.json").is_same
    elsewhere = Options(target=Path("elsewhere"))
    assert sqlanon.diff(plan(), "fine.json", options=elsewhere).is_same
    other = Options(overrides=["privacy.0.k=6"])
    found = sqlanon.diff(plan(), "fine.json", options=other, solve=True)
    assert [found.before.is_of_plan, found.after.is_of_plan] == [False, True]
    assert changes(found) == [("age", "coarser", 1)]
    solved(COARSE, "coarse.json")
    found = sqlanon.diff(plan(), "fine.json")
    assert found.after.name == "open.solution.json"
    assert changes(found) == [("age", "coarser", 1)]


def test_the_search_is_the_second_and_writes_nothing() -> None:
    solved(COARSE, "coarse.json")
    write(FINE)
    reviewed = SOLUTION.read_bytes()
    found = sqlanon.diff(plan(), SOLUTION, solve=True)
    assert SOLUTION.read_bytes() == reviewed
    assert found.after.name == "the search"
    assert changes(found) == [("age", "finer", 1)]
    assert not Path("open.parquet").exists()
    assert sqlanon.run(plan()).manifest["solution"]["classes"] == found.after.classes
    assert len(rows_of()) == found.after.published_rows == 12


def test_the_same_decisions_with_other_counts() -> None:
    solved(FINE, "before.json")
    solved([*FINE, *FINE], "after.json")
    found = sqlanon.diff(plan(), "before.json", "after.json")
    assert not found.is_same
    assert found.decisions == ()
    assert changes(found) == [("age", "same", 0)]
    assert found.rows_gained == 12
    assert found.sql == ""


def test_a_solution_of_another_version_is_compared_as_far_as_possible() -> None:
    solved(FINE, "k3.json")
    other = plan(privacy=[{"model": "k-anonymity", "k": 6}])
    solved(FINE, "k6.json", other)
    found = sqlanon.diff(plan(), "k3.json", "k6.json")
    assert [found.before.is_of_plan, found.after.is_of_plan] == [True, False]
    assert "k6.json belongs to another version of the plan" in found.notes[0]
    assert changes(found) == [("age", "coarser", 1)]
    assert found.columns[0].after == "level 1 of 4"
    assert found.sql == ""


def test_hierarchies_with_other_levels_are_not_compared() -> None:
    solved(FINE, "four.json")
    age = {"role": "quasi-identifier", "hierarchy": {"intervals": [4, 8]}}
    solved(COARSE, "three.json", plan(columns=plan()["columns"] | {"age": age}))
    assert changes(sqlanon.diff(plan(), "four.json", "three.json")) == [("age", "other", None)]


def test_whole_attributes_that_are_cut() -> None:
    made = partitioned({"name": "dimension-splitting", "ends": "exact"})
    solved(MANY, "many.json", made)
    solved(FEW, "few.json", made)
    found = sqlanon.diff(made, "many.json", "few.json")
    many, few = (
        [entry[0] for entry in json.loads(Path(name).read_text())["intervals"]].count(1)
        for name in ("many.json", "few.json")
    )
    assert many > few
    assert changes(found)[0] == ("age", "coarser", many - few)
    assert found.rows_gained == -60
    assert "(1, 0, " in found.sql


def test_regions_say_what_they_record() -> None:
    made = partitioned({"name": "mondrian", "ends": "exact"})
    solved(FEW, "few.json", made)
    solved(MANY, "many.json", made)
    assert sqlanon.diff(made, "many.json").is_same
    found = sqlanon.diff(made, "many.json", "few.json")
    stated = [json.loads(Path(name).read_text()) for name in ("many.json", "few.json")]
    assert changes(found) == [("age", "other", None), ("town", "other", None)]
    rounds, classes = ([each[key] for each in stated] for key in ("rounds", "classes"))
    assert found.decisions == (
        f"rounds {rounds[0]} → {rounds[1]}", f"classes {classes[0]} → {classes[1]}",
    )  # fmt: skip
    other = sqlanon.diff(made, "many.json", "many.json")
    assert changes(other) == [("age", "same", 0), ("town", "same", 0)]


def test_two_methods() -> None:
    solved(FINE, "node.json")
    solved(MANY, "regions.json", partitioned({"name": "mondrian", "ends": "exact"}))
    found = sqlanon.diff(plan(), "node.json", "regions.json")
    assert found.decisions == ("method optimal → mondrian",)
    assert changes(found) == [("age", "other", None), ("town", "other", None)]
    assert found.columns[1].before is None


# --- bad input


def test_what_is_not_there_or_no_solution() -> None:
    write(FINE)
    with pytest.raises(PlanError, match="does not exist") as refusal:
        sqlanon.diff(plan(), "open.solution.json")
    assert "sqlanon solve" in refusal.value.fix
    solved(FINE, "reviewed.json")
    with pytest.raises(PlanError, match=r"Did you mean 'reviewed\.json'"):
        sqlanon.diff(plan(), "reviewd.json")
    for content in (b"name,age\nsecret1,2\n", b"{}", b"[1]", b"\xff", b"[" * 100_000):
        Path("other.json").write_bytes(content)
        with pytest.raises(PlanError, match="not the file of a solution") as refusal:
            sqlanon.diff(plan(), "reviewed.json", "other.json")
        assert refusal.value.where == "other.json"
        assert "secret" not in str(refusal.value)
    SOLUTION.unlink()
    with pytest.raises(PlanError, match="no solution yet") as refusal:
        sqlanon.diff(plan(), "reviewed.json")
    assert "run `sqlanon solve`" in refusal.value.fix
    with pytest.raises(PlanError, match="three solutions"):
        sqlanon.diff(plan(), "reviewed.json", "reviewed.json", solve=True)


# --- the command line


def test_commands(command: Command) -> None:
    def run(*arguments: str) -> tuple[int, str]:
        return command(*arguments)[:2]

    Path("open.yml").write_text(json.dumps(plan()))
    write(FINE)
    assert run("solve", "open.yml")[0] == 0
    shutil.copy(SOLUTION, "fine.json")
    assert run("diff", "open.yml", "fine.json") == (0, "The solutions are identical.\n")
    write(COARSE)
    code, out = run("diff", "open.yml", "fine.json", "--solve")
    assert code == 0
    for part in ("1 coarser", "published rows   12", "-4", "decided\nage 0 → 1", "+++ the search"):
        assert part in out
    code, out = run("diff", "open.yml", "fine.json", "--solve", "--json")
    found = json.loads(out)
    assert (code, found["rows_gained"], found["columns"][0]["change"]) == (0, -4, "coarser")
    write([*FINE, *FINE])
    code, out = run("diff", "open.yml", "fine.json", "--solve")
    assert "The solutions decide the same" in out
    assert run("run", "open.yml", "--locked")[0] == 0
    write(COARSE)
    assert run("run", "open.yml", "--locked")[0] == 1
    code, out = run("lineage", "open.yml", "--json")
    assert code == 0
    assert [column["name"] for column in json.loads(out)["columns"]] == ["age", "town", "illness"]
    code, out = run("lineage", "open.yml")
    assert "columns that decide which rows are kept" in out
    assert run("diff", "open.yml", "none.json")[0] == 2


def test_what_a_file_says_does_not_reach_the_terminal_as_a_command(command: Command) -> None:
    """Somebody else's solution, whose escape sequences would show another verdict."""
    hidden = "loss\x1b[2K\x9b2J\u202e"
    Path("plan.yml").write_text(json.dumps(plan()))
    solved(FINE, "fine.json", plan())
    found = json.loads(Path("fine.json").read_text())
    found |= {"objective": hidden, "method": f"optimal{hidden}", "input": {hidden: 12}}
    Path("odd.json").write_text(json.dumps(found))
    code, out, _ = command("diff", "plan.yml", "odd.json", "fine.json")
    assert code == 0
    assert "\\x1b[2K" in out
    assert not {"\x1b", "\x9b", "\u202e"} & {*out}
