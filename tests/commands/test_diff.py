"""`sqlanon diff`: what a reviewer learns about two solutions, with figures counted by hand."""

from __future__ import annotations

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


def solved(ages: list[int], name: str, made: dict[str, Any] | None = None) -> None:
    """Solve the plan for these ages, and keep the solution under a name."""
    write(ages)
    sqlanon.solve(made or plan())
    if Path(name) != SOLUTION:
        shutil.copy(SOLUTION, name)


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
    assert (found.rows_gained, found.decisions) == (-4, ("age 0 → 1",))
    # every label stands for 2 of the 4 values
    assert (found.before.cost, (found.after.cost or [])[0]) == ([0], 0.5)
    assert not found.is_same
    assert not found.notes
    changed = {line for line in found.sql.splitlines() if line.startswith(("-", "+"))}
    assert {"--- fine.json", "+++ coarse.json"} <= changed
    added = {line[1:] for line in changed if line.startswith("+")} - {"++ coarse.json"}
    assert any("intervals of width 2" in line for line in added)
    program, _ = sqlanon.compile(plan())
    assert added <= {*program.release_sql.splitlines()}, "of the query that a reviewer reads"
    back = sqlanon.diff(plan(), "coarse.json", "fine.json")
    assert (changes(back), back.rows_gained) == ([("age", "finer", 1)], 4)


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
    assert sqlanon.diff(plan(), "fine.json").after.name == "open.solution.json"


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


def test_solutions_of_other_rows_versions_levels_and_methods() -> None:
    """They are compared as far as possible; only those of this plan show SQL."""
    solved(FINE, "fine.json")
    solved(FINE * 2, "twice.json")
    found = sqlanon.diff(plan(), "fine.json", "twice.json")
    assert (found.is_same, found.decisions, found.sql) == (False, (), "")
    assert (changes(found), found.rows_gained) == ([("age", "same", 0)], 12)

    solved(FINE, "k6.json", plan(privacy=[{"model": "k-anonymity", "k": 6}]))
    found = sqlanon.diff(plan(), "fine.json", "k6.json")
    assert [found.before.is_of_plan, found.after.is_of_plan] == [True, False]
    assert "k6.json belongs to another version of the plan" in found.notes[0]
    assert changes(found) == [("age", "coarser", 1)]
    assert (found.columns[0].after, found.sql) == ("level 1 of 4", "")

    age = {"role": "quasi-identifier", "hierarchy": {"intervals": [4, 8]}}
    solved(COARSE, "three.json", plan(columns=plan()["columns"] | {"age": age}))
    assert changes(sqlanon.diff(plan(), "fine.json", "three.json")) == [("age", "other", None)]

    solved(MANY, "regions.json", partitioned({"name": "mondrian", "ends": "exact"}))
    found = sqlanon.diff(plan(), "fine.json", "regions.json")
    assert found.decisions == ("method optimal → mondrian",)
    assert changes(found) == [("age", "other", None), ("town", "other", None)]
    assert found.columns[1].before is None


@pytest.mark.parametrize("method", ["dimension-splitting", "mondrian"])
def test_regions_and_whole_attributes_that_are_cut(method: str) -> None:
    made = partitioned({"name": method, "ends": "exact"})
    solved(FEW, "few.json", made)
    solved(MANY, "many.json", made)
    assert sqlanon.diff(made, "many.json").is_same
    found = sqlanon.diff(made, "many.json", "few.json")
    many, few = (json.loads(Path(f"{name}.json").read_text()) for name in ("many", "few"))
    if method == "mondrian":
        assert changes(found) == [("age", "other", None), ("town", "other", None)]
        assert found.decisions == tuple(
            f"{key} {many[key]} → {few[key]}" for key in ("rounds", "classes")
        )
        other = sqlanon.diff(made, "many.json", "many.json")
        assert changes(other) == [("age", "same", 0), ("town", "same", 0)]
        return
    cuts = [[entry[0] for entry in each["intervals"]].count(1) for each in (many, few)]
    assert cuts[0] > cuts[1]
    assert changes(found)[0] == ("age", "coarser", cuts[0] - cuts[1])
    assert found.rows_gained == -60
    assert "(1, 0, " in found.sql


def test_what_is_not_there_or_no_solution() -> None:
    write(FINE)
    with pytest.raises(PlanError, match=r"(?s)does not exist.*sqlanon solve"):
        sqlanon.diff(plan(), "open.solution.json")
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
    with pytest.raises(PlanError, match=r"(?s)no solution yet.*run `sqlanon solve`"):
        sqlanon.diff(plan(), "reviewed.json")
    with pytest.raises(PlanError, match="three solutions"):
        sqlanon.diff(plan(), "reviewed.json", "reviewed.json", solve=True)


def test_commands(command: Command) -> None:
    """A file of somebody else has escape sequences, which would show another verdict."""
    Path("open.yml").write_text(json.dumps(plan()))

    def run(arguments: str) -> tuple[int, str]:
        return command(*arguments.split())[:2]

    solved(FINE, "fine.json", plan())
    assert run("diff open.yml fine.json") == (0, "The solutions are identical.\n")
    write(COARSE)
    code, out = run("diff open.yml fine.json --solve")
    assert code == 0
    for part in ("1 coarser", "published rows   12", "-4", "decided\nage 0 → 1", "+++ the search"):
        assert part in out
    code, out = run("diff open.yml fine.json --solve --json")
    found = json.loads(out)
    assert (code, found["rows_gained"], found["columns"][0]["change"]) == (0, -4, "coarser")
    write([*FINE, *FINE])
    assert "The solutions decide the same" in run("diff open.yml fine.json --solve")[1]
    assert run("diff open.yml none.json")[0] == 2
    assert "columns that decide which rows are kept" in run("lineage open.yml")[1]
    hidden = "loss\x1b[2K\x9b2J\u202e"
    changed = {"objective": hidden, "method": f"optimal{hidden}", "input": {hidden: 12}}
    Path("odd.json").write_text(json.dumps(json.loads(Path("fine.json").read_text()) | changed))
    code, out = run("diff open.yml odd.json fine.json")
    assert code == 0
    assert "\\x1b[2K" in out
    assert not {"\x1b", "\x9b", "\u202e"} & {*out}
