"""The list of breakages fits the code; `python -m tests.mutations` tries them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mutations.breakages import BREAKAGES, Breakage
from tests.mutations.command import Trial, as_table, faults, place_of, tried
from tests.paths import ROOT

SAMPLE = Breakage(
    "sample", "a.py", "a < b", "a <= b", "a line is one too long", ("tests/test_a.py::test_a",)
)


def test_every_breakage_has_its_text_and_its_tests() -> None:
    assert faults() == []
    assert len(BREAKAGES) >= 50


def test_faults_of_a_list_are_told(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "a.py").write_text("a < b\n", encoding="utf-8")
    (tmp_path / "tests/test_a.py").write_text("def test_a(): pass\n", encoding="utf-8")
    assert faults([SAMPLE], tmp_path) == []
    for spoilt, told in (
        (SAMPLE._replace(old="a > b"), "its text is not in a.py"),
        (SAMPLE._replace(file="b.py"), "its text is not in b.py"),
        (SAMPLE._replace(new="a < b"), "it breaks nothing"),
        (SAMPLE._replace(tests=()), "it names no test"),
        (SAMPLE._replace(tests=("tests/test_a.py::test_b",)), "there is no test"),
        (SAMPLE._replace(tests=("tests/test_b.py::test_a",)), "there is no test"),
    ):
        assert any(told in fault for fault in faults([spoilt], tmp_path))
    assert any("twice" in fault for fault in faults([SAMPLE, SAMPLE], tmp_path))


def test_a_text_must_stand_once_or_be_counted() -> None:
    assert place_of(SAMPLE, "if a < b:") == 3
    assert place_of(SAMPLE, "a < b; a < b") is None
    assert place_of(SAMPLE._replace(nth=2), "a < b; a < b") == 7
    assert place_of(SAMPLE._replace(nth=3), "a < b; a < b") is None


@pytest.mark.sampled(0.1)
@pytest.mark.parametrize(
    ("test", "state"),
    [("assert not f(1, 1)", "red"), ("assert f(1, 2)", "lives"), ("syntax error", "no test ran")],
)
def test_a_breakage_is_tried_and_mended(test: str, state: str, tmp_path: Path) -> None:
    folder = tmp_path / "tree"
    (folder / "tests").mkdir(parents=True)
    (folder / "pyproject.toml").write_text("", encoding="utf-8")
    code = "def f(a, b):\n    return a < b\n"
    (folder / "a.py").write_text(code, encoding="utf-8")
    quick = folder / "tests/mutations"
    quick.mkdir()
    for name in ("__init__.py", "quick.py"):
        content = (ROOT / "tests/mutations" / name).read_text(encoding="utf-8")
        (quick / name).write_text(content, encoding="utf-8")
    (folder / "tests/test_a.py").write_text(
        f"from a import f\n\ndef test_a():\n    {test}\n", encoding="utf-8"
    )
    trial = tried(SAMPLE, folder)
    assert trial.state == state
    assert (folder / "a.py").read_text(encoding="utf-8") == code
    if state == "red":
        assert trial.test == "tests/test_a.py::test_a"
    assert tried(SAMPLE._replace(old="gone"), folder).state == "stale"


def test_the_table_tells_what_lives() -> None:
    red = Trial(SAMPLE, "red", "tests/test_a.py::test_a[1]", 0.1)
    table = as_table([red, Trial(SAMPLE, "lives", "", 0.1)]).split("\n")
    assert table[0] == "1 of 2 breakages turn a named test red."
    assert table[-2] == "| sample | `a.py` | a line is one too long | `test_a.py::test_a` |"
    assert table[-1] == "| sample | `a.py` | a line is one too long | **lives** |"
