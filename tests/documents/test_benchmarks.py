"""The command `python -m benchmarks`: its cases, a result, and the page of the one checked in."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks import page
from benchmarks.__main__ import main
from benchmarks.cases import CASES
from benchmarks.tables import MANY


def test_a_quick_run_of_the_cheapest_case(tmp_path: Path) -> None:
    output = tmp_path / "result.json"
    main(["--quick", "--only", "version", "--output", str(output)])
    (row,) = json.loads(output.read_text(encoding="utf-8"))["cases"]
    assert row["case"] == "version"
    for what in ("sqlanon", "floor"):
        assert row[what]["cpu_seconds"] > 0
        assert row[what]["peak_gigabytes"] > 0


def test_the_page_has_the_tables_of_the_result() -> None:
    result = json.loads(page.RESULT.read_text(encoding="utf-8"))
    assert result["rows"] == MANY
    assert [row["case"] for row in result["cases"]] == [case.name for case in CASES]
    text = page.PAGE.read_text(encoding="utf-8")
    assert page.with_tables(text, result) == text
    for table in page.tables(result).values():
        assert table in text
