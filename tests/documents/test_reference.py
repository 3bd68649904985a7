"""Generated pages are what the code says now, and what the checked-in benchmarks found."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import sqlanon
from benchmarks import page as benchmarks
from benchmarks.__main__ import main
from benchmarks.cases import CASES
from benchmarks.tables import MANY
from tests.reference_pages import WRITE, cli_commands, pages, twin

PAGES = pages()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_generated_page_is_current(page: Path) -> None:
    assert page.read_text(encoding="utf-8") == PAGES[page], f"{WRITE} writes it"


def test_every_command_has_a_function_of_python_and_help_of_its_parameters() -> None:
    found = [name for name, _ in cli_commands()]
    assert len({twin(name) for name in found}) == len(found) >= 16
    assert {twin(name) for name in found} <= set(sqlanon.__all__)
    for name, command in cli_commands():
        assert command.help, name
        for parameter in command.params:
            assert parameter.help, f"{name}: {parameter.name}"


def test_a_quick_run_of_the_cheapest_benchmark(tmp_path: Path) -> None:
    output = tmp_path / "result.json"
    main(["--quick", "--only", "version", "--output", str(output)])
    (row,) = json.loads(output.read_text(encoding="utf-8"))["cases"]
    assert row["case"] == "version"
    for what in ("sqlanon", "floor"):
        assert row[what]["cpu_seconds"] > 0
        assert row[what]["peak_gigabytes"] > 0


def test_the_page_of_benchmarks_has_the_tables_of_the_result() -> None:
    result = json.loads(benchmarks.RESULT.read_text(encoding="utf-8"))
    assert result["rows"] == MANY
    assert [row["case"] for row in result["cases"]] == [case.name for case in CASES]
    text = benchmarks.PAGE.read_text(encoding="utf-8")
    assert benchmarks.with_tables(text, result) == text
    for table in benchmarks.tables(result).values():
        assert table in text
