"""Values that readers take for the same: every character, compared with Unicode."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

import duckdb
import pytest

from sqlanon.dialects.transpile import NamedTable, transpile
from sqlanon.sql.render import shared_macro
from tests.support.servers import opened

IGNORABLE = [
    (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5),
    (0x180B, 0x180F), (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164),
    (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
]  # fmt: skip
"""Default_Ignorable_Code_Point of DerivedCoreProperties.txt, Unicode 14 to 16."""


def macro(name: str, *inputs: str) -> str:
    return shared_macro("_plain_text.sql", name)(*inputs).strip()


def plain(texts: Sequence[str]) -> list[tuple[str, bool]]:
    """What the rule makes of texts, and whether it has letters that the rule does not know."""
    rows = duckdb.execute(
        f"select {macro('plain', 'composed')} as plain, regexp_matches(plain, {macro('unknown')})"
        f" from (select i, {macro('composed', 'text')} as composed from (select unnest(range("
        "len($texts))) as i, unnest($texts) as text)) order by i",
        {"texts": list(texts)},
    ).fetchall()
    return [(text, known) for text, known in rows]


def case_folded(text: str) -> str:
    """The text by NFKC case folding, as Python knows it."""
    for _ in range(3):
        text = unicodedata.normalize("NFKC", text).casefold()
    return unicodedata.normalize("NFKC", text)


def test_ignorable_characters_are_nothing() -> None:
    points = [0x2800, *(point for first, last in IGNORABLE for point in range(first, last + 1))]
    assert {text for text, _ in plain([f"fl{chr(point)}u" for point in points])} == {"flu"}
    assert {text for text, _ in plain([chr(point) for point in points])} == {""}


def test_every_character_is_as_its_case_folding_or_unknown() -> None:
    """Between letters, so that a combining mark has one to stand on; unknown if it has another."""
    known = (chr(point) for point in range(1, 0x110000))
    points = [text for text in known if unicodedata.category(text) not in ("Cn", "Co", "Cs")]
    found = dict(zip(points, plain([f"a{text}a" for text in points]), strict=True))
    others = {text: form for text in points if (form := case_folded(text)) != text}
    folded = zip(others, plain([f"a{form}a" for form in others.values()]), strict=True)
    apart = [one for one, (text, _) in folded if text != found[one][0] and not found[one][1]]
    assert apart == ["İ"]  # which DuckDB takes for i, and Unicode for i with a dot above
    assert {text for text, (_, is_unknown) in found.items() if is_unknown} <= others.keys()


def test_different_words_stay_different() -> None:
    words = ["flu", "flú", "flü", "fly", "grippe", "ﺍ", "5", "6", "あ", "ア", "+", "-", "1⁄2", "12"]
    assert len({text for text, _ in plain(words)}) == len(words)


@pytest.mark.parametrize("dialect", ["postgres", "spark"])
def test_other_databases_have_the_same_rule(dialect: str) -> None:
    """Every listed letter, alone; Spark, which cannot compose letters, those without a mark."""
    known = macro("plain", "composed")
    letters = sorted({letter for letter in known if not letter.isascii()})
    letters += ["Fl\u3164u\u2800", "\uff26\uff2c\uff35 \u2161", "5\u338e", "a", " ", "1'000"]
    if dialect == "spark":
        letters = [
            text for text in letters
            if all(unicodedata.normalize("NFD", one) == one and unicodedata.category(one)[0] != "M"
                   for one in text + plain([text])[0][0])
        ]  # fmt: skip
    query = (
        f"with composed_values as (select i, {macro('composed', 't')} as composed from texts),\n"
        f"plain_values as (select i, {known} as plain from composed_values)\n"
        f"select i, plain, regexp_matches(plain, {macro('unknown')}) as is_unknown"
        " from plain_values order by i"
    )
    types = {"i": "BIGINT", "t": "VARCHAR"}
    with opened(dialect) as database:
        database.make("texts", types, list(enumerate(letters)))
        rows = database.ask(transpile(query, dialect, {"texts": NamedTable("texts", types)}))
    assert [(text, bool(unknown)) for _, text, unknown in rows] == plain(letters)
