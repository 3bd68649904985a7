"""What `run` and `solve` report at their end, against counts of their own."""

from __future__ import annotations

import itertools
import json
import random
import re
import shlex
import shutil
from datetime import date, timedelta
from pathlib import Path

import pytest

import sqlanon
from sqlanon.cli.layout import Commands
from sqlanon.cli.output import print_blocks
from tests.conftest import Command
from tests.paths import ROOT
from tests.support.tables import write_csv


@pytest.fixture
def clinic(folder: Path) -> Path:
    """The clinic in a folder of the current one."""
    left = shutil.ignore_patterns("target", "*.parquet", "*.solution.json")
    shutil.copytree(ROOT / "examples/clinic", folder / "clinic", ignore=left)
    return folder / "clinic"


def test_columns_of_a_run(clinic: Path) -> None:
    """What a summary shows of suppressed groups, no file keeps."""
    result = sqlanon.run(clinic / "plan.yml")
    columns = {one.name: one for one in result.columns}
    left_out = {name for name, one in columns.items() if one.published_as is None}
    assert left_out == {"patient_id", "name"}
    assert columns["born"].published_as == "by decade, such as 1980s"
    assert (columns["marital_status"].loss, columns["diagnosis"].loss) == (1, None)
    assert columns["sex"].loss == pytest.approx(55 / 2_000)  # only what is suppressed is lost
    (born,) = [one for one in result.suppressed_groups if one.attribute == "born"]
    labels = {str(group.label) for group in born.groups}
    text = result._repr_html_()
    assert "1930s" in labels
    assert "1930s" in text
    assert "2010s" not in text, "of few published rows"
    manifest = (clinic / "target/plan/manifest.json").read_text()
    assert not any(label in manifest for label in (*labels, "606**"))


@pytest.mark.parametrize("plan", ["plan.yml", "anatomy.yml"])
def test_the_next_commands_work(plan: str, clinic: Path, command: Command) -> None:
    def lines_of(*arguments: str) -> list[str]:
        ended = command(*arguments)
        assert ended.code == 0 or arguments[0] == "attack"
        return ended.out.splitlines()

    if plan == "anatomy.yml":
        text = (clinic / "plan.yml").read_text().splitlines()
        changed = ("method", "suppression", "publish")
        kept = [each for each in text if not each.startswith(changed) and "k-anonymity" not in each]
        kept += ["method: anatomy", "publish: two/tables.parquet"]
        (clinic / plan).write_text("\n".join(kept))
    lines = lines_of("solve", f"clinic/{plan}", "--set", "time_zone=UTC")
    assert lines[-1] == f"  sqlanon run clinic/{plan} --set time_zone=UTC"
    solution = next(line for line in lines if line.startswith("solution"))
    assert Path(solution.split()[1]).is_file()
    lines = lines_of(*shlex.split(lines[-1])[1:])
    files = lines[lines.index("files") + 1 : lines.index("next") - 1]
    assert len(files) == (6 if plan == "anatomy.yml" else 5)
    assert all(Path(line.split()[-1]).is_file() for line in files)
    following = [shlex.split(line)[1:] for line in lines[lines.index("next") + 1 :]]
    assert [name for name, *_ in following] == ["verify", "attack", "report"]
    for arguments in following[:2]:
        lines_of(*arguments)
    if plan == "plan.yml":
        _, out, err = command("solve", "clinic/plan.yml", "--set", "privacy.0.k=10", "--json")
        assert json.loads(out)["method"] == "optimal"
        assert err.startswith("Another solution replaces plan.solution.json")


def test_a_command_that_is_long_goes_on_in_further_lines(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    parts = [["sqlanon", "verify", "a file.parquet"], ["--plan", "p" * 60], ["--set", "k='x y'"]]
    for room, ends in ((None, [False]), (80, [True, True, False])):
        monkeypatch.setattr("sqlanon.cli.output.Output.room", room)
        print_blocks([Commands("", [parts])])
        shown = capsys.readouterr().out
        assert [line.endswith(" \\") for line in shown.splitlines()] == ends
        assert shlex.split(shown.replace("\\\n", "")) == [*itertools.chain(*parts)]


def test_how_wide_ranges_are(folder: Path) -> None:
    """Numbers and dates, counted again from the published labels; the report says the same."""
    draw = random.Random(4)
    write_csv("people.csv", [("age", "born"), *(
        (int(draw.gauss(50, 20)), date(1950, 1, 1) + timedelta(days=draw.randrange(20_000)))
        for _ in range(90)
    )])  # fmt: skip
    born = {"role": "quasi-identifier", "hierarchy": {"date": ["month", "year"]}}
    result = sqlanon.run({
        "source": "people.csv", "columns": {"age": "quasi-identifier", "born": born},
        "privacy": [{"model": "k-anonymity", "k": 5}], "method": "mondrian",
        "publish": "p.parquet",
    })  # fmt: skip
    words = {one.name: one.published_as or "" for one in result.columns}
    ages, dates = zip(*result.published.fetchall(), strict=True)
    ends = [[int(each) for each in re.findall(r"-?\d+", label)] for label in ages]
    days = [re.findall(r"(\d{4})-(\d\d)", label) for label in dates]
    months = [[int(year) * 12 + int(month) for year, month in each] for each in days]
    # that half of the rows do not exceed
    years, width = (sorted(each[-1] - each[0] for each in of)[44] for of in (ends, months))
    assert years > 0
    assert words["age"].endswith(f"; for half of the rows no wider than {years}")
    said = re.fullmatch(r".* no wider than ([\d.]+) (years|months)", words["born"])
    assert said is not None
    assert float(said[1]) * (12 if said[2] == "years" else 1) == pytest.approx(width, rel=0.02)
    for edition in ("internal", "external"):
        page = result.report(edition=edition).read_text(encoding="utf-8")
        assert all(text.partition("; ")[2] in page for text in words.values())


def test_half_of_the_rows_have_one_value(folder: Path) -> None:
    """Twelve persons are a class; of the other six, all of one age have one value."""
    Path("ages.csv").write_text("age,s\n" + "1,x\n1,y\n" * 6 + "2,x\n3,y\n" * 3)
    result = sqlanon.run({
        "source": "ages.csv", "columns": {"age": "quasi-identifier", "s": "sensitive"},
        "privacy": [{"model": "k-anonymity", "k": 3}, {"model": "l-diversity", "l": 2}],
        "method": "mondrian", "publish": "p.parquet",
    })  # fmt: skip
    assert (result.columns[0].published_as or "").endswith("; for half of the rows one value")
