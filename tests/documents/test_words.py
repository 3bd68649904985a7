"""Words that read oddly stay out: of documents, code, messages, SQL and the names of tests."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tests.paths import ROOT

FOLDERS = (
    "benchmarks", "dbt_package", "docs", "examples", "hierarchies", "sql_templates", "sqlanon",
    "tests",
)  # fmt: skip
SUFFIXES = {".py", ".sql", ".md", ".html", ".yml"}

ODD = (
    r"\b(is|are|was|were|be|been|being) told\b",
    r"\btold\b(?! apart)",
    r"\btells? (nobody|nothing|how|apart|of|more)\b",
    r"\b(of|for|by|to|as|against|that|some(body|one)|any(body|one)) who knows?\b",
    r"\b(hopeless|unheld|yardsticks?|standing_digest|speaking_names|laid_out|unfit|kin)\b",
    r"\b([Jj]udge?ments?|[Ww]ays\.py|way_of|decided_by|runs_elsewhere|program_elsewhere)\b",
    r"\brooms\b",
    r"what must hold of the result|a table and a worry|the order of rows tells",
    r"leave the house|[Ii]nside the house|[Ww]hom suppression hits|under a name of no meaning",
    r"[Ww]hom it trusts|an author must see to|suppressed rows are charged|more of the rare ones",
    r"where most codes part|by its name a key|as persons are found by|too surely|more surely",
    r"was in the way|found an error in itself|has no connection left|Nothing answers there",
    r"It refused the session|make it first|is no table\.|is no plain name|Two tables of the plan",
    r"would plan relations|are one in the other|does not see the folder|than which not a number",
    r"<int range>|<str>|<path>",
)
"""Words and turns that no text may have."""

ITSELF = Path(__file__).relative_to(ROOT)


def texts() -> Iterator[tuple[Path, str]]:
    """The texts that a reader may see, by their paths; data and papers' tables are as they are."""
    files = [*ROOT.glob("*.md"), *(file for name in FOLDERS for file in (ROOT / name).rglob("*"))]
    for file in files:
        path = file.relative_to(ROOT)
        if file.suffix in SUFFIXES and path != ITSELF and "target" not in path.parts:
            yield path, file.read_text(encoding="utf-8")


def test_no_text_has_an_odd_word() -> None:
    odd = re.compile("|".join(ODD))
    found = [
        f"{path}:{number}: {match[0]}"
        for path, text in texts()
        if odd.search(text)
        for number, line in enumerate(text.splitlines(), start=1)
        if (match := odd.search(line))
    ]
    assert not found, "\n".join(found)
