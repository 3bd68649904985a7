"""What a person sees: results on stdout, whole words, aligned numbers; no color in a pipe."""

from __future__ import annotations

import itertools
import json
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml
from rich.cells import cell_len

import sqlanon
from sqlanon.cli import output
from sqlanon.cli.layout import Commands, block_lines, pair_lines, table_lines, wrapped
from sqlanon.cli.options import app
from sqlanon.display.blocks import Styled
from tests.conftest import Command
from tests.paths import ROOT
from tests.plan.plans import plan_of
from tests.support.tables import write_csv

CLINIC = ROOT / "examples/clinic"
PUBLISHED = "patients_k5.parquet"

SUCCESSES = f"""\
init patients.csv
check plan.yml
solve plan.yml
compile plan.yml
compile plan.yml --dialect postgres
run plan.yml
run mondrian.yml
profile plan.yml
measure plan.yml
measure plan.yml --node sex=1
sweep plan.yml --over privacy.0.k=4,5
compare plan.yml --methods optimal,datafly
verify {PUBLISHED} --plan plan.yml
risk {PUBLISHED} --plan plan.yml --population-size 8000
attack {PUBLISHED} --plan plan.yml --attack homogeneity
lineage plan.yml
diff plan.yml plan.solution.json --solve
explain k-anonymity
explain slicing
explain
schema
hierarchy check plan.yml
hierarchy show plan.yml zip
""".splitlines()
"""Every command with arguments with which it succeeds in a folder of the clinic, after a run."""

ELSEWHERE = {"dbt plan", "dbt export", "report"}
"""Commands whose tests are with the projects and packages that they need."""
GROUPS = {"", "hierarchy", "dbt"}


def names() -> Iterator[str]:
    """Every command with its full name."""
    root: Any = typer.main.get_command(app)
    for name, command in root.commands.items():
        of_group = getattr(command, "commands", ())
        yield from (f"{name} {each}" for each in of_group) if of_group else [name]


def test_every_command_is_here_and_has_help(command: Command) -> None:
    """Groups list commands in whole sentences."""
    tried = [line.split() for line in SUCCESSES]
    assert {" ".join(words[: 1 + (words[0] in GROUPS)]) for words in tried} | ELSEWHERE == {
        *names()
    }
    for name, option in itertools.product([*GROUPS, *names()], ["-h", "--help"]):
        code, shown, errors = command(*name.split(), option, columns=80)
        assert (code, errors) == (0, "")
        assert shown.startswith("Usage: sqlanon")
        lines = shown.partition("Commands:\n")[2].splitlines()
        assert bool(lines) == (name in GROUPS)
        assert all(line.endswith(".") and not line.endswith("...") for line in lines), lines


def copied(to: Path) -> Path:
    """The clinic without what runs have left there."""
    left = shutil.ignore_patterns("target", "*.parquet", "*.solution.json")
    return Path(shutil.copytree(CLINIC, to, ignore=left))


@pytest.fixture(scope="module")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The clinic with what a run leaves."""
    folder = copied(tmp_path_factory.mktemp("clinic") / "clinic")
    sqlanon.run(folder / "plan.yml")
    return folder


@pytest.mark.sampled(0.1)
@pytest.mark.parametrize("arguments", SUCCESSES)
def test_results_go_to_stdout(
    arguments: str, clinic: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The result, without color, and nothing else; on a terminal, no word of it is broken."""
    monkeypatch.chdir(clinic)
    drawn_lines = Layouts(monkeypatch)
    code, piped, errors = command(*arguments.split())
    assert code == 0
    assert piped.strip()
    assert "\x1b" not in piped
    assert bool(errors) == arguments.startswith("init")  # which notes where the plan is
    assert drawn_lines.given or arguments == "schema"
    drawn_lines.no_word_is_broken(piped + errors)


class Layouts:
    """What a command lays out, to be laid out again for terminals."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.given: list[tuple[Any, ...]] = []

        def recorded(function: Callable[..., Any], *given: Any) -> Any:
            self.given.append((function, *given[:-1]))
            return function(*given)

        for function in (block_lines, wrapped):
            monkeypatch.setattr(output, function.__name__, partial(recorded, function))

    def no_word_is_broken(self, piped: str) -> None:
        """Nor is a line too wide, but for one that is a single word."""
        for function, *given in self.given:
            for width in (80, 120):
                lines = [str(line) for line in function(*given, width)]
                assert {*" ".join(lines).split()} <= {*piped.split()}
                too_wide = [line for line in lines if cell_len(line) > width]
                assert all(len(line.split()) == 1 for line in too_wide), too_wide


def test_long_names_are_not_broken(
    folder: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Columns of 60 and 90 characters, as they come out of databases and forms."""
    age, illness = "age_".ljust(60, "x"), "diagnosis_".ljust(90, "y")
    write_csv("visits.csv", [(age, illness), *((20 + n % 9, "abc"[n % 3]) for n in range(90))])
    columns = {
        age: {"role": "quasi-identifier", "hierarchy": {"intervals": [3, 9]}}, illness: "sensitive"
    }  # fmt: skip
    privacy = [{"model": "k-anonymity", "k": 12}, {"model": "l-diversity", "l": 2}]
    plan = plan_of(columns, "visits.csv", privacy=privacy, publish="published.csv")
    Path("plan.yml").write_text(json.dumps(plan))
    table, finer = "published.csv --plan plan.yml", "--set privacy.0.k=40"
    for arguments in (
        "run plan.yml", "check plan.yml", "lineage plan.yml", f"verify {table}",
        f"verify {table} {finer} --no-manifest --show-values", f"attack {table} --show-values",
        f"diff plan.yml plan.solution.json --solve {finer}",
    ):  # fmt: skip
        with monkeypatch.context() as patched:
            drawn_lines = Layouts(patched)
            ended = command(*arguments.split())
            assert ended.code in (0, 1)
            assert age in ended.out + ended.err or illness in ended.out + ended.err
            drawn_lines.no_word_is_broken(ended.out + ended.err)


@pytest.mark.parametrize("setting", ["TERM=xterm-256color", "NO_COLOR=1", "TERM=dumb"])
def test_color_is_for_terminals_that_want_it(setting: str) -> None:
    main, terminal = os.openpty()
    code = "from sqlanon.cli.output import print_blocks, Sentences;"
    code += " print_blocks([Sentences(['holds'], style='good')])"
    usual = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    environment = usual | {"TERM": "xterm"} | dict([setting.split("=")])
    subprocess.run([sys.executable, "-c", code], stdout=terminal, env=environment, check=True)
    shown = os.read(main, 1_000)
    assert b"holds" in shown
    assert (b"\x1b[32m" in shown) == (setting == "TERM=xterm-256color")


LONG = "a_column_with_a_very_long_name_as_they_come_out_of_databases"
LAYOUTS: list[tuple[Any, ...]] = [
    (  # decimal points stand below each other
        ["name", "n", "share", "last"],
        [["a", 1, 0.5, "x"], ["bb", 1_234_567, 12.25, None], ["c", None, 3.0, "y"]], None,
        "name          n  share  last", "a             1   0.5   x",
        "bb    1,234,567  12.25  -", "c             -   3     y",
    ),
    (  # cells wrap between words
        ["attack", "on", "share"],
        [["background-knowledge ruled-out", "diagnosis", 0.0123393]], 46,
        "attack                on             share", "background-knowledge  diagnosis  0.0123393",
        "ruled-out",
    ),
    (  # what does not fit is listed as pairs
        ["column", "what became of it", "rows"], [[LONG, "level 1 of 4", 3]] * 2, 70,
        "column", f"  {LONG}", "what became of it  level 1 of 4", "rows               3", "",
        "column", f"  {LONG}", "what became of it  level 1 of 4", "rows               3",
    ),
    (  # wide characters and control characters
        ["名前", "n"], [["東京都 千代田区", 1], ["a\x1b[31mb", 22]], 20,
        "名前              n", "東京都 千代田区   1", "a\\x1b[31mb       22",
    ),
]  # fmt: skip
"""Names of columns, rows, how many characters there are for a line, and the lines."""


def test_layouts() -> None:
    for columns, rows, room, *expected in LAYOUTS:
        assert [line.plain for line in table_lines(columns, rows, room)] == expected


def test_lines_of_wide_characters_and_pairs() -> None:
    assert wrapped("東京都 千代田区 x", 8) == ["東京都", "千代田区", "x"]
    lines = pair_lines([("promise", Styled("holds", "good")), ("n", 1_000), ("", "a b c")], 11)
    assert [line.plain for line in lines] == ["promise", "  holds", "n  1,000", "   a b c"]


def test_an_error_on_a_terminal(
    clinic: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every fault with its place, what is wrong and the fix, on lines of their own."""
    monkeypatch.chdir(clinic)
    wrong = ["check", "plan.yml", "--set", "columns.sex=quasi-identifer"]
    wrong += ["--set", "columns.zip={role: quasi-identifier, hierarchy: {mask: rihgt}}"]
    piped = command(*wrong)
    monkeypatch.setattr("sqlanon.cli.output.Output.room", 60)
    shown = command(*wrong)
    assert (piped.code, shown.code) == (2, 2)
    assert shown.err.splitlines()[0] == "2 faults"
    assert "  Fix: Did you mean 'quasi-identifier'?\n" in shown.err
    assert {*shown.err.split()} == {*piped.err.split()}
    assert all(cell_len(line) <= 60 for line in shown.err.splitlines()), shown.err


@pytest.mark.parametrize("name", [one["name"] for one in sqlanon.explain()])
def test_the_piece_of_a_plan_that_is_explained_fits_one(name: str) -> None:
    piece = yaml.safe_load(sqlanon.explain(name)["plan"].replace("COLUMN", "job"))
    role = "insensitive" if name == "classification" else "sensitive"
    columns = {"age": "quasi-identifier", "job": role}
    plan = plan_of(columns, "rows.csv", population="people.csv", publish="open.csv")
    plan["privacy"] += piece.pop("privacy", [])
    if piece.get("method") in ("stack-and-deal", "bucketization", "anatomy", "slicing"):
        del plan["population"]
        plan |= {"privacy": [{"model": "l-diversity", "l": 3}], "publish": "open/open.csv"}
    if piece.get("method") == "combined":
        plan["privacy"] += [{"model": "delta-presence", "dmin": 0, "dmax": 0.5}]
    loaded = sqlanon.load_plan({**plan, **piece})
    known = [*(m.model for m in loaded.privacy), loaded.method.name, loaded.objective.name]
    assert name in [*known, *(attack.name for attack in loaded.attacks)]


# --- what `run` and `solve` report at their end


def test_columns_of_a_run(folder: Path) -> None:
    """What a summary shows of suppressed groups, no file keeps."""
    result = sqlanon.run(copied(folder / "clinic") / "plan.yml")
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
    manifest = (result.target / "manifest.json").read_text()
    assert not any(label in manifest for label in (*labels, "606**"))


@pytest.mark.parametrize("plan", ["plan.yml", "anatomy.yml"])
def test_the_next_commands_work(plan: str, folder: Path, command: Command) -> None:
    clinic = copied(folder / "clinic")

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
        output.print_blocks([Commands("", [parts])])
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
    columns, k5 = {"age": "quasi-identifier", "born": born}, [{"model": "k-anonymity", "k": 5}]
    result = sqlanon.run(plan_of(columns, "people.csv", privacy=k5, method="mondrian"))
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
    columns = {"age": "quasi-identifier", "s": "sensitive"}
    privacy = [{"model": "k-anonymity", "k": 3}, {"model": "l-diversity", "l": 2}]
    result = sqlanon.run(plan_of(columns, "ages.csv", privacy=privacy, method="mondrian"))
    assert (result.columns[0].published_as or "").endswith("; for half of the rows one value")
