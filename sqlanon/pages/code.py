"""Code for pages: SQL, YAML and JSON with their words, texts, numbers and comments marked."""

from __future__ import annotations

from typing import Literal

from markupsafe import Markup, escape
from pygments import lex
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Keyword, Name, Number, String

Language = Literal["sql", "yaml", "json"]

MOST_CHARACTERS = 200_000
"""A longer text is shown without marks, which would make a page of it large."""

_CLASSES = ((Comment, "c"), (String, "s"), (Number, "m"), (Keyword, "k"), (Name.Tag, "k"))


def code(text: str, language: Language) -> Markup:
    """The text as HTML for a `pre` element."""
    if len(text) > MOST_CHARACTERS:
        return escape(text)
    pieces = []
    for token, piece in lex(text, get_lexer_by_name(language, stripnl=False)):
        name = next((name for kind, name in _CLASSES if token in kind), "")
        is_marked = name and not piece.isspace()
        pieces.append(
            Markup('<span class="{}">{}</span>').format(name, piece) if is_marked else escape(piece)
        )
    return Markup("").join(pieces)
