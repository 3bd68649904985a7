"""What `run` and `solve` report at their end, against counts of their own."""

from __future__ import annotations

import csv
import json
import random
import re
import shlex
import shutil
from collections import Counter
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest

import sqlanon
from sqlanon.cli.layout import Commands
from sqlanon.cli.output import print_blocks
from tests.conftest import Command
from tests.paths import ROOT

CLINIC = ROOT / "examples/clinic"


@pytest.fixture
def clinic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The clinic in a folder of the current one."""
    left = shutil.ignore_patterns("target", "*.parquet", "*.solution.json")
    shutil.copytree(CLINIC, tmp_path / "clinic", ignore=left)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "clinic"


def shown(command: Command, *arguments: str) -> tuple[int, list[str]]:
    """The exit code of a command, and the lines of its result."""
    ended = command(*arguments)
    return ended.code, ended.out.splitlines()


def test_columns_and_suppression_of_a_run(
    clinic: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counted again from the source and from the published file; what it shows, it keeps nowhere.

    A group of which too few rows are published is not named in the terminal either.
    """
    results: list[sqlanon.RunResult] = []
    run = sqlanon.run

    def kept(*given: Any, **options: Any) -> sqlanon.RunResult:
        results.append(run(*given, **options))
        return results[0]

    monkeypatch.setattr(sqlanon, "run", kept)
    text = command("run", "clinic/plan.yml").out
    (result,) = results
    columns = {one.name: one for one in result.columns}
    with (clinic / "patients.csv").open(encoding="utf-8") as file:
        patients = list(csv.DictReader(file))
    assert list(columns) == list(patients[0])
    left_out = {name for name, one in columns.items() if one.published_as is None}
    assert left_out == {"patient_id", "name"}
    assert columns["born"].published_as == "by decade, such as 1980s"
    assert columns["marital_status"].loss == 1
    assert columns["diagnosis"].loss is None
    assert columns["sex"].loss == pytest.approx(55 / 2_000)  # only what is suppressed is lost
    decades = Counter(f"{patient['born'][:3]}0s" for patient in patients)
    rows = duckdb.execute(f"select born from '{clinic / 'patients_k5.parquet'}'").fetchall()
    published = Counter(label for (label,) in rows)
    (born,) = [one for one in result.suppressed_groups if one.attribute == "born"]
    found = {group.label: (group.rows, group.suppressed_rows) for group in born.groups}
    assert found == {
        label: (rows, rows - published[label])
        for label, rows in decades.items()
        if published[label] >= 5
    }
    hidden = {label: rows for label, rows in decades.items() if published[label] < 5}
    assert (born.others, born.other_rows) == (len(hidden), sum(hidden.values()))
    assert "2010s" in hidden
    assert "2010s" not in text
    assert "born            1930s      97          22  22.7 %" in text
    manifest = (clinic / "target/plan/manifest.json").read_text()
    assert "1930s" not in manifest
    assert "606**" not in manifest


@pytest.mark.parametrize("plan", ["plan.yml", "anatomy.yml"])
def test_the_next_commands_work(plan: str, clinic: Path, command: Command) -> None:
    if plan == "anatomy.yml":
        text = (clinic / "plan.yml").read_text().splitlines()
        changed = ("method", "suppression", "publish")
        kept = [each for each in text if not each.startswith(changed) and "k-anonymity" not in each]
        kept += ["method: anatomy", "publish: two/tables.parquet"]
        (clinic / plan).write_text("\n".join(kept))
    code, lines = shown(command, "solve", f"clinic/{plan}", "--set", "time_zone=UTC")
    assert code == 0
    assert lines[-1] == f"  sqlanon run clinic/{plan} --set time_zone=UTC"
    solution = next(line for line in lines if line.startswith("solution"))
    assert Path(solution.split()[1]).is_file()
    code, lines = shown(command, *shlex.split(lines[-1])[1:])
    assert code == 0
    files = lines[lines.index("files") + 1 : lines.index("next") - 1]
    assert len(files) == (6 if plan == "anatomy.yml" else 5)
    assert all(Path(line.split()[-1]).is_file() for line in files)
    following = lines[lines.index("next") + 1 :]
    assert [shlex.split(line)[1] for line in following] == ["verify", "attack", "report"]
    for line in following[:2]:
        assert shown(command, *shlex.split(line)[1:])[0] in (0, 1)


def test_a_command_that_is_long_goes_on_in_further_lines(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    parts = [["sqlanon", "verify", "a file.parquet"], ["--plan", "p" * 60], ["--set", "k='x y'"]]
    print_blocks([Commands("", [parts])])
    piped = capsys.readouterr().out
    assert len(piped.splitlines()) == 1
    monkeypatch.setattr("sqlanon.cli.output.Output.room", 80)
    print_blocks([Commands("", [parts])])
    shown = capsys.readouterr().out
    assert [line.endswith(" \\") for line in shown.splitlines()] == [True, True, False]
    flat = [word for part in parts for word in part]
    assert shlex.split(piped) == shlex.split(shown.replace("\\\n", "")) == flat


def test_warnings_are_on_stderr(clinic: Path, command: Command) -> None:
    assert shown(command, "solve", "clinic/plan.yml")[0] == 0
    _, output, errors = command("solve", "clinic/plan.yml", "--set", "privacy.0.k=10", "--json")
    assert json.loads(output)["method"] == "optimal"
    assert errors.startswith("Another solution replaces plan.solution.json")


def middle_width(ranges: list[tuple[float, float]]) -> float:
    """The width that half of the rows do not exceed."""
    widths = sorted(high - low for low, high in ranges)
    return widths[(len(widths) - 1) // 2]


def test_how_wide_ranges_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers and dates, counted again from the published labels; the report says the same."""
    monkeypatch.chdir(tmp_path)
    draw = random.Random(4)
    people = tmp_path / "people.csv"
    people.write_text("age,born\n" + "".join(
        f"{int(draw.gauss(50, 20))},{date(1950, 1, 1) + timedelta(days=draw.randrange(20_000))}\n"
        for _ in range(90)
    ))  # fmt: skip
    born = {"role": "quasi-identifier", "hierarchy": {"date": ["month", "year"]}}
    result = sqlanon.run({
        "source": str(people), "columns": {"age": "quasi-identifier", "born": born},
        "privacy": [{"model": "k-anonymity", "k": 5}], "method": "mondrian",
        "publish": str(tmp_path / "p.parquet"),
    }, sqlanon.Options(target=tmp_path / "target"))  # fmt: skip
    words = {one.name: one.published_as or "" for one in result.columns}
    ages, dates = zip(*result.published.fetchall(), strict=True)
    ends = [re.findall(r"-?\d+", label) for label in ages]
    width = middle_width([(float(each[0]), float(each[-1])) for each in ends])
    assert width > 0
    assert words["age"].endswith(f"; for half of the rows no wider than {width:g}")
    days = [re.findall(r"(\d{4})-(\d\d)", label) for label in dates]
    months = [[int(year) * 12 + int(month) for year, month in each] for each in days]
    width = middle_width([(each[0], each[-1]) for each in months])
    said = re.fullmatch(r".* no wider than ([\d.]+) (years|months)", words["born"])
    assert said is not None
    assert float(said[1]) * (12 if said[2] == "years" else 1) == pytest.approx(width, rel=0.02)
    for edition in ("internal", "external"):
        page = result.report(edition=edition).read_text(encoding="utf-8")
        for name in ("age", "born"):
            assert words[name].partition("; ")[2] in page


def test_half_of_the_rows_have_one_value(clinic: Path) -> None:
    """Twelve persons are a class; of the other six, all of one age have one value."""
    Path("ages.csv").write_text("age,s\n" + "1,x\n1,y\n" * 6 + "2,x\n3,y\n" * 3)
    result = sqlanon.run({
        "source": "ages.csv", "columns": {"age": "quasi-identifier", "s": "sensitive"},
        "privacy": [{"model": "k-anonymity", "k": 3}, {"model": "l-diversity", "l": 2}],
        "method": "mondrian", "publish": "p.parquet",
    })  # fmt: skip
    assert (result.columns[0].published_as or "").endswith("; for half of the rows one value")
