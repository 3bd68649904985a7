"""The list of breakages fits the code; `python -m tests.mutations` tries them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.mutations.breakages import BREAKAGES, Breakage
from tests.mutations.command import faults, place_of, tried
from tests.mutations.rules import of_python, of_template
from tests.paths import ROOT

SAMPLE = Breakage(
    "sample", "a.py", "a < b", "a <= b", "a line is one too long", ("tests/test_a.py::test_a",)
)


def test_every_breakage_has_its_text_and_its_tests() -> None:
    assert faults() == []
    assert len(BREAKAGES) >= 50


def test_faults_of_a_list_are_reported() -> None:
    one = BREAKAGES[0]
    for spoilt, message in (
        (one._replace(old="gone"), "its text is not in"),
        (one._replace(new=one.old), "it breaks nothing"),
        (one._replace(tests=()), "it names no test"),
        (one._replace(tests=("tests/conftest.py::test_gone",)), "there is no test"),
    ):
        assert message in faults([spoilt])[0]
    assert "twice" in faults([one, one])[0]
    for nth, place in ((None, None), (1, 0), (2, 7), (3, None)):
        assert place_of(SAMPLE._replace(nth=nth), "a < b; a < b") == place


@pytest.mark.parametrize(
    ("test", "state"),
    [("assert not f(1, 1)", "red"), ("assert f(1, 2)", "lives"), ("syntax error", "no test ran")],
)
def test_a_breakage_is_tried_and_mended(test: str, state: str, tmp_path: Path) -> None:
    folder = tmp_path / "tree"
    (folder / "tests/mutations").mkdir(parents=True)
    (folder / "pyproject.toml").touch()
    code = "def f(a, b):\n    return a < b\n"
    (folder / "a.py").write_text(code, encoding="utf-8")
    for name in ("selection.py", "mutations/__init__.py", "mutations/quick.py"):
        shutil.copy(ROOT / "tests" / name, folder / "tests" / name)
    (folder / "tests/test_a.py").write_text(
        f"from a import f\n\ndef test_a():\n    {test}\n", encoding="utf-8"
    )
    trial = tried(SAMPLE, folder)
    assert trial.state == state
    assert (folder / "a.py").read_text(encoding="utf-8") == code
    if state == "red":
        assert trial.test == "tests/test_a.py::test_a"
    assert tried(SAMPLE._replace(old="gone"), folder).state == "stale"


RULES = [
    ("if a < b and not c:\n    raise Fault('no')", [
        "if a <= b and not c:", "if a < b or not c:", "if a < b and (c):",
        "if not (a < b and not c):", "pass",
    ]),
    ("return any(n for n in found) if 3 in found else True", [
        "return all(n for n in found)", "if 4 in found", "if 3 not in found", "if not (3 in found)",
        "else False",
    ]),
    ("call(text, strict=True)", ["pass"]),
    ("'a text'", []),
]  # fmt: skip


@pytest.mark.parametrize(("code", "broken"), RULES)
def test_rules_for_python(code: str, broken: list[str]) -> None:
    body = "".join(f"    {line}\n" for line in code.split("\n"))
    content = f"def f(a: int = 2) -> int:\n    x: int\n{body}"
    found = [content[: m.start] + m.new + content[m.end :] for m in of_python("f.py", content)]
    assert len({*found}) == len(found) == len(broken)
    for text in found:
        compile(text, "f.py", "exec")
    assert all(any(part in text for text in found) for part in broken)


def test_rules_for_templates() -> None:
    content = """{# a < b #}-- where a = 1
select min(a) as b, count(distinct c) as d, 'x = 3' as e, cast(f as decimal(38, 9)) as f,
    substr(digest, 1, 15) as g, substr(h, greatest(length(h) - 8, 1), 2) as i
from {{ table }} as t2
left join u on u.a = t2.a
    and u.b between 1 and 2
    and u.c is null
where a <= 7 and b > 8 {% if c == 1 %}or d <> 9{% endif %}

union all
select 1
"""
    found = [content[: m.start] + m.new + content[m.end :] for m in of_template("f.sql", content)]
    kept = next(line for line in content.split("\n") if "-- where" in line)
    for part in (kept, "'x = 3'", "decimal(38, 9)", "substr(digest, 1, 15)", ", 1), "):
        assert all(part in text for text in found)
    for part in (
        "select max(a)", "count(c)", "inner join u", "u.a <> t2.a", "between 2 and 2",
        "between 1 and 3", "is not null", "a < 7", "a <= 8 ", "7 or b", "b >= 8", "and d = 9"[4:],
        "\nunion\n", "select 2\n", "1), 3)", "- 9, 1",
    ):  # fmt: skip
        assert any(part in text for text in found), part
    assert any("u.c" not in text for text in found), "a condition is lost"
