"""What a person sees: results on stdout, whole words, aligned numbers; no color in a pipe."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml
from rich.cells import cell_len
from rich.text import Text

import sqlanon
from sqlanon import cli
from sqlanon.cli import output
from sqlanon.cli.layout import block_lines, pair_lines, table_lines, wrapped
from sqlanon.cli.options import app
from sqlanon.commands.measure import lost
from sqlanon.display.blocks import Styled
from tests.conftest import Command
from tests.paths import ROOT
from tests.plan.plans import plan_of
from tests.support.tables import write_csv

CLINIC = ROOT / "examples/clinic"
PUBLISHED = "patients_k5.parquet"

SUCCESSES: dict[str, list[list[str]]] = {
    "init": [["patients.csv"]],
    "check": [["plan.yml"]],
    "solve": [["plan.yml"]],
    "compile": [["plan.yml"], ["plan.yml", "--dialect", "postgres"]],
    "run": [["plan.yml"], ["mondrian.yml"]],
    "profile": [["plan.yml"]],
    "measure": [["plan.yml"], ["plan.yml", "--node", "sex=1"]],
    "sweep": [["plan.yml", "--over", "privacy.0.k=4,5"]],
    "compare": [["plan.yml", "--methods", "optimal,datafly"]],
    "verify": [[PUBLISHED, "--plan", "plan.yml"]],
    "risk": [[PUBLISHED, "--plan", "plan.yml", "--population-size", "8000"]],
    "attack": [[PUBLISHED, "--plan", "plan.yml", "--attack", "homogeneity"]],
    "lineage": [["plan.yml"]],
    "diff": [["plan.yml", "plan.solution.json", "--solve"]],
    "explain": [["k-anonymity"], ["slicing"], []],
    "schema": [[]],
    "hierarchy check": [["plan.yml"]],
    "hierarchy show": [["plan.yml", "zip"]],
}
"""Arguments of each command with which it succeeds, in a folder of the clinic, after a run."""

ELSEWHERE = {"dbt plan", "dbt export", "report"}
"""Commands whose tests are with the projects and packages that they need."""


def names(group: Any = None, before: str = "") -> Iterator[str]:
    """Every command with its full name."""
    root: Any = group or typer.main.get_command(app)
    for name, command in root.commands.items():
        if hasattr(command, "commands"):
            yield from names(command, f"{name} ")
        else:
            yield before + name


def test_every_command_is_here() -> None:
    assert {*SUCCESSES, *ELSEWHERE} == {*names()}


def test_shared_options_are_declared_once() -> None:
    code = "".join(file.read_text(encoding="utf-8") for file in Path(cli.__path__[0]).glob("*.py"))
    for option in ("--set", "--target", "--threads", "--memory-limit", "--json", "--show-values"):
        declared = re.findall(rf'Option\(\s*"{option}"', code)
        assert len(declared) == (2 if option == "--show-values" else 1), option


@pytest.fixture(scope="module")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The clinic with what a run leaves."""
    folder = tmp_path_factory.mktemp("clinic") / "clinic"
    left = shutil.ignore_patterns("target", "*.parquet", "*.solution.json")
    shutil.copytree(CLINIC, folder, ignore=left)
    sqlanon.run(folder / "plan.yml")
    return folder


@pytest.mark.sampled(0.1)
@pytest.mark.parametrize(
    ("name", "arguments"),
    [(name, arguments) for name, listed in SUCCESSES.items() for arguments in listed],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_results_go_to_stdout(
    name: str, arguments: list[str], clinic: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The result, without color, and nothing else; on a terminal, no word of it is broken."""
    monkeypatch.chdir(clinic)
    drawn_lines = Layouts(monkeypatch)
    code, piped, errors = command(*name.split(), *arguments)
    assert code == 0
    assert piped.strip()
    assert "\x1b" not in piped
    assert (errors == "") == (name != "init")  # which notes where the plan is
    assert drawn_lines.given or name == "schema"
    drawn_lines.no_word_is_broken(piped + errors)


class Layouts:
    """What a command lays out, to be laid out again for terminals."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.given: list[tuple[Any, ...]] = []
        for function in (block_lines, wrapped):
            monkeypatch.setattr(output, function.__name__, self._recorded(function))

    def _recorded(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def inside(*given: Any) -> Any:
            self.given.append((function, *given[:-1]))
            return function(*given)

        return inside

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
    rows = [(20 + number % 9, "abc"[number % 3]) for number in range(90)]
    write_csv("visits.csv", [(age, illness), *rows])
    column = {"role": "quasi-identifier", "hierarchy": {"intervals": [3, 9]}}
    privacy = [{"model": "k-anonymity", "k": 12}, {"model": "l-diversity", "l": 2}]
    columns = {age: column, illness: "sensitive"}
    plan = plan_of(columns, "visits.csv", privacy=privacy, publish="published.csv")
    Path("plan.yml").write_text(json.dumps(plan))
    table = ["published.csv", "--plan", "plan.yml"]
    for arguments in (
        *([name, "plan.yml"] for name in ("run", "check", "lineage")),
        ["verify", *table],
        ["verify", *table, "--set", "privacy.0.k=40", "--no-manifest", "--show-values"],
        ["attack", *table, "--show-values"],
        ["diff", "plan.yml", "plan.solution.json", "--solve", "--set", "privacy.0.k=40"],
    ):
        with monkeypatch.context() as patched:
            drawn_lines = Layouts(patched)
            ended = command(*arguments)
            assert ended.code in (0, 1)
            assert age in ended.out + ended.err or illness in ended.out + ended.err
            drawn_lines.no_word_is_broken(ended.out + ended.err)


@pytest.mark.parametrize("setting", ["TERM=xterm-256color", "NO_COLOR=1", "TERM=dumb"])
def test_color_is_for_terminals_that_want_it(setting: str) -> None:
    """What a terminal gets, in a process of its own."""
    pty = pytest.importorskip("pty")
    child, terminal = pty.fork()
    if child == 0:
        name, _, value = setting.partition("=")
        os.environ.pop("NO_COLOR", None)
        os.environ |= {"TERM": "xterm", name: value}
        code = "from sqlanon.cli.output import print_blocks, Sentences;"
        code += " print_blocks([Sentences(['holds'], style='good')])"
        os.execv(sys.executable, [sys.executable, "-c", code])
    shown = b""
    with contextlib.suppress(OSError):  # the end, as Linux tells it
        while more := os.read(terminal, 1_000):
            shown += more
    os.waitpid(child, 0)
    assert b"holds" in shown
    assert (b"\x1b[32m" in shown) == (setting == "TERM=xterm-256color")


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help(option: str, command: Command) -> None:
    """Groups list commands in whole sentences."""
    groups = ("", "hierarchy", "dbt")
    for name in (*groups, *SUCCESSES, *ELSEWHERE):
        code, shown, errors = command(*name.split(), option, columns=80)
        assert (code, errors) == (0, "")
        assert shown.startswith("Usage: sqlanon")
        lines = shown.partition("Commands:\n")[2].splitlines()
        assert bool(lines) == (name in groups)
        assert all(line.endswith(".") and not line.endswith("...") for line in lines), lines


def text_of(lines: list[Text]) -> list[str]:
    return [line.plain for line in lines]


def test_numbers_are_aligned_at_their_decimal_points() -> None:
    rows: list[list[Any]] = [
        ["a", 1, 0.5, "x"],
        ["bb", 1_234_567, 12.25, None],
        ["c", None, 3.0, "y"],
    ]
    assert text_of(table_lines(["name", "n", "share", "last"], rows, None)) == [
        "name          n  share  last",
        "a             1   0.5   x",
        "bb    1,234,567  12.25  -",
        "c             -   3     y",
    ]


def test_cells_wrap_between_words() -> None:
    rows = [["background-knowledge ruled-out", "diagnosis", 24, 0.0123393]]
    assert text_of(table_lines(["attack", "on", "rows at risk", "share"], rows, 60)) == [
        "attack                on         rows at risk      share",
        "background-knowledge  diagnosis            24  0.0123393",
        "ruled-out",
    ]


def test_a_table_that_does_not_fit_is_listed_as_pairs() -> None:
    name = "a_column_with_a_very_long_name_as_they_come_out_of_databases"
    rows = [[name, "level 1 of 4", 3], [f"{name}_2", "as in the source", 12]]
    shown = text_of(table_lines(["column", "what became of it", "rows"], rows, 70))
    assert shown == [
        "column",
        f"  {name}",
        "what became of it  level 1 of 4",
        "rows               3",
        "",
        "column",
        f"  {name}_2",
        "what became of it  as in the source",
        "rows               12",
    ]


def test_wide_characters_and_control_characters() -> None:
    shown = text_of(table_lines(["名前", "n"], [["東京都 千代田区", 1], ["a\x1b[31mb", 22]], 20))
    assert shown == ["名前              n", "東京都 千代田区   1", "a\\x1b[31mb       22"]
    assert wrapped("東京都 千代田区 x", 8) == ["東京都", "千代田区", "x"]


def test_pairs_and_styles() -> None:
    lines = pair_lines([("promise", Styled("holds", "good")), ("n", 1_000), ("", "a b c")], 11)
    assert text_of(lines) == ["promise", "  holds", "n  1,000", "   a b c"]
    assert "good" in [span.style for span in lines[1].spans]


def test_explain_lists_all_names_by_kind() -> None:
    listed = sqlanon.explain()
    kinds = ["privacy model", "method", "utility measure", "attack"]
    assert list(dict.fromkeys(one["kind"] for one in listed)) == kinds
    for one in listed:
        explained = sqlanon.explain(one["name"])
        assert explained["kind"] == one["kind"]
        assert explained["text"].startswith(one["summary"])
        assert one["summary"].endswith(".")


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


def test_measures_have_a_unit_and_a_direction() -> None:
    table = lost({"loss": 0.5, "precision": 0.25, "height": None, "original_tuples": 3})
    assert [*table.rows] == [
        ["loss", 0.5, "share, 0 to 1", "lower"],
        ["precision", 0.25, "share, 0 to 1", "higher"],
        ["original_tuples", 3, None, None],
    ]
