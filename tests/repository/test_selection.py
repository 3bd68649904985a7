"""The same cases of a sampled function are tried in every run, and one of each kind."""

from __future__ import annotations

import ast
import random
from typing import Any

import pytest

from tests.paths import TESTS
from tests.selection import selected

CASES: list[dict[str, Any]] = [{"k": n // 4, "l": n % 4} for n in range(40)]


def test_a_share_of_the_cases_is_the_same_in_every_run() -> None:
    kept = selected(CASES, 0.3, (), "test_a")
    assert len(kept) == 12
    random.seed(1)
    assert selected(CASES, 0.3, (), "test_a") == kept
    assert selected(CASES, 0.3, (), "test_b") != kept, "by the function's name, not its place"
    assert selected(CASES, 0.001, (), "test_a") <= kept


@pytest.mark.parametrize("by", ["k", lambda case: case["k"] % 3, ("k", "l")])
def test_of_every_kind_there_is_one(by: Any) -> None:
    kept = [CASES[place] for place in selected(CASES, 0.01, by, "test_a")]
    for way in by if isinstance(by, tuple) else (by,):
        kinds = [{case[way] if isinstance(way, str) else way(case) for case in cases}
                 for cases in (kept, CASES)]  # fmt: skip
        assert kinds[0] == kinds[1]
    assert len(kept) <= 10


CLOCKS = {"today", "now", "utcnow", "time_ns"}


def test_no_case_depends_on_the_day() -> None:
    """What a module makes when it is collected reads no clock and no random number of its own."""
    for file in TESTS.rglob("test_*.py"):
        for statement in ast.parse(file.read_text(encoding="utf-8")).body:
            decorators = getattr(statement, "decorator_list", [])
            parts = decorators if isinstance(statement, ast.FunctionDef) else [statement]
            if isinstance(statement, ast.ClassDef | ast.Import | ast.ImportFrom):
                continue
            for node in (node for part in parts for node in ast.walk(part)):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                    called, owner = node.func.attr, ast.unparse(node.func.value)
                    assert called not in CLOCKS, f"{file.name}: {ast.unparse(node)}"
                    assert owner != "random" or (called == "Random" and node.args), file.name
