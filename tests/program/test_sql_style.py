"""The style of the SQL that people read and sign: of every template, and of compiled programs."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import jinja2
import pytest
import sqlglot
from sqlglot import TokenType, exp
from sqlglot.dialects.duckdb import DuckDB

from sqlanon.sql import render
from sqlanon.sql.render import folded
from tests.paths import ROOT, TESTS
from tests.support.golden_runs import rendered

GOLDEN = TESTS / "golden" / "programs"
WIDTH = 100

LITERAL = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|\S+")
"""What cannot be broken: a path, a name or a value of the user, or a word of a comment."""

SETTINGS = frozenset({"Calendar", "TimeZone"})
"""Settings, as DuckDB spells them."""

KNOWN_LETTERS = ROOT / "sql_templates/_plain_text.sql"
"""The only template with letters that are not ASCII."""


def faults_of(text: str) -> list[str]:
    """What the style does not allow, with line numbers; the text may be a whole program."""
    faults = [] if text.endswith("\n") and not text.endswith("\n\n") else ["final newline"]
    lines = text.removesuffix("\n").split("\n")
    for number, line in enumerate(lines, start=1):
        words = LITERAL.findall(line.strip().removeprefix("--"))
        found = {
            "long": len(line) > WIDTH and max(map(len, words)) <= WIDTH - 12,
            "trailing space": line != line.rstrip(),
            "tab or carriage return": "\t" in line or "\r" in line,
            "indentation": (len(line) - len(line.lstrip(" "))) % 4,
            "nothing after select": not line and lines[number - 2].endswith("select"),
        }
        faults += [f"line {number}: {fault}" for fault, is_there in found.items() if is_there]
    for token in DuckDB().tokenize(text):
        is_name = token.token_type in (TokenType.IDENTIFIER, TokenType.STRING)
        written = text[token.start : token.end + 1]
        if not is_name and written != written.lower() and written not in SETTINGS:
            faults.append(f"line {token.line}: {written} is not in lower case")
    # sqlglot reads no query in the values of a type
    readable = re.sub(r"create type (\S+) as enum \((.*?)\n\);", r"create table \1 as \2;", text,
                      flags=re.DOTALL)  # fmt: skip
    for number, tree in enumerate(sqlglot.parse(readable.strip(), dialect="duckdb"), start=1):
        if tree is None or isinstance(tree, exp.Command):
            faults.append(f"statement {number}: sqlglot does not read it")
    return faults


def found_in(faults: Callable[[str], object]) -> dict[str, object]:
    """What a rule finds in the texts, by template; nothing, if they keep it."""
    return {
        template: found
        for template, texts in rendered().items()
        if not Path(template).name.startswith("_")
        for each in texts
        if (found := faults(each.text))
    }


def test_every_text_keeps_the_style() -> None:
    assert found_in(lambda text: faults_of(f"{text}\n")) == {}
    strange = set(KNOWN_LETTERS.read_text(encoding="utf-8"))
    assert found_in(lambda text: {c for c in text if not c.isascii()} - strange) == {}
    code = re.compile(r"--.*|'[^']*'|\"[^\"]*\"")
    assert found_in(lambda text: re.findall(r"\b[A-Z][A-Z_]+\b", code.sub("", text))) == {}
    dangling = re.compile(r",\s*(?:\)|$|\b(?:from|where|group by|order by|having)\b)")
    assert found_in(lambda text: dangling.findall(re.sub(r"--.*", "", text))) == {}
    assert found_in(lambda text: "\n\n\n" in text) == {}


def test_published_rows_are_ordered_last() -> None:
    """Only the outermost order by is a promise; a join may mix what is ordered below it."""
    for file in GOLDEN.glob("*.sql"):
        text = file.read_text(encoding="utf-8")
        if text.startswith("-- release: ") and text.count(";") <= 1:
            tree = sqlglot.parse_one(text.rstrip().rstrip(";"), dialect="duckdb")
            assert tree.args.get("order"), file.name


def test_long_lines_are_broken_between_words() -> None:
    names = [f"a_column_{number}" for number in range(9)]
    listed = ", ".join(names)
    held = "from k_anonymity where satisfied"
    first, *items, last = folded(f'    select distinct {listed}, "a-class" {held}').split("\n")
    assert (first, last) == ("    select distinct", f"    {held}")
    assert " ".join(map(str.strip, items)) == f'{listed}, "a-class"'
    compared = f"select {' + '.join(names)} is distinct from {names[0]}, {listed}"
    assert "is distinct from" in folded(compared)
    inside = f"select {listed}, extract(year from {names[0]}) as year\nfrom k_anonymity"
    assert "extract(year from a_column_0) as year\nfrom k_anonymity" in folded(inside)
    reads = f"-- reads:   {'patient ' * 14}".rstrip()
    column = f"--   age   {'years ' * 20}".rstrip()
    one, two, three, four, select = folded(f"{reads}\n{column}\nselect 1").split("\n")
    assert two.startswith("--   patient")
    assert four.startswith("--         years")
    assert (f"{one} {two[5:]}", f"{three} {four[11:]}") == (reads, column)
    assert select == "select 1"
    marked = f"-- file \x1c{'a b ' * 30}\x1f\nselect 1"
    assert folded(marked) == marked, "a path stays in one piece"


def test_literals_names_and_comments_stay_in_one_piece() -> None:
    for odd in ("'…'", "'it''s, …'", r"e'it\'s, …'", '"it""s, …"', "$$it's, …$$", r"'…\'",
                "$q$it's, $$ …$q$", "/* it's, … */ 1", "/* /* it's */, … */ 1"):  # fmt: skip
        held = odd.replace("…", 12 * "from a, (b, c), ")
        for sql in (f"select a, {held} as odd, b from t", f"select a, {held} as odd,\nb from t"):
            assert held in folded(sql)
            assert (over := held.replace("a, ", "a,\n")) in folded(sql.replace(held, over))


def test_a_template_that_changed_is_compiled_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Compiled templates are where Python's own are, and nowhere if that cannot be written."""
    monkeypatch.setattr(sys, "pycache_prefix", None)
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(render, "shipped", lambda folder: tmp_path)
    template, made_of = tmp_path / "one.sql", render._environment.__wrapped__
    template.write_text("select {{ 1 }}")
    assert made_of().get_template("one.sql").render() == "select 1"
    (kept,) = (tmp_path / "__pycache__").iterdir()
    compiled = kept.read_bytes()
    template.write_text("select {{ 2 }}")
    assert made_of().get_template("one.sql").render() == "select 2"
    assert kept.read_bytes() != compiled
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    with monkeypatch.context() as patch:
        patch.delattr(jinja2.Environment, "compile")
        assert made_of().get_template("one.sql").render() == "select 2", "what is there is read"
    shutil.rmtree(tmp_path / "__pycache__")
    assert made_of().get_template("one.sql").render() == "select 2"
    assert not (tmp_path / "__pycache__").exists()
