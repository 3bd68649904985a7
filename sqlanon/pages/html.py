"""Writes a page from its template: styles and script inline, text escaped, nothing loaded."""

from __future__ import annotations

import base64
import functools
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import jinja2
from markupsafe import Markup, escape
from pygments import lex
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Keyword, Name, Number, String

from sqlanon.errors import printable
from sqlanon.version import __version__

_TEMPLATES = Path(__file__).parent / "templates"

Kind = Literal["text", "count", "share", "number"]
"""What the cells of a column are: shares are shown in percent, numbers with four digits."""


@dataclass(frozen=True)
class Column:
    """A column of a table: its title, and what its cells are."""

    title: str
    kind: Kind = "text"


@dataclass(frozen=True)
class Table:
    """A table of a page.

    Attributes:
        caption: what it shows, in a line.
        rows: one cell per column; None is shown as a dash.
    """

    caption: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Any]]


def page_text(template: str, **inputs: Any) -> str:
    """The HTML of a page."""
    return _environment().get_template(template).render(version=__version__, **inputs)


def percent(share: float) -> str:
    """A share, 0 to 1, in percent: exact at both ends, else with one or two digits that matter."""
    if share in (0, 1):
        return f"{share * 100:.0f} %"
    if share < 0.0001:
        return "< 0.01 %"
    if share > 0.9999:
        return "> 99.99 %"
    digits = 2 if share < 0.01 or share > 0.99 else 1
    return f"{share * 100:.{digits}f} %"


def cell_text(value: Any, kind: Kind = "text") -> str:
    """A cell of a table as text."""
    if value is None:
        return "–"
    if isinstance(value, bool | str) or kind == "text":
        return printable(str(value))
    if kind == "share":
        return percent(value)
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


@functools.cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        undefined=jinja2.StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(cell=cell_text, percent=percent)
    style, script = _content("page.css"), _content("page.js")
    environment.globals.update(
        style=Markup(style),
        script=Markup(script),
        style_digest=_digest(style),
        script_digest=_digest(script),
    )
    return environment


def _content(name: str) -> str:
    return (_TEMPLATES / name).read_text(encoding="utf-8")


def _digest(content: str) -> str:
    """The digest by which a page's policy allows its own style or script, and no other."""
    return "sha256-" + base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()


MOST_CHARACTERS = 200_000
"""A longer text is shown without marks, which would make a page of it large."""

_CLASSES = ((Comment, "c"), (String, "s"), (Number, "m"), (Keyword, "k"), (Name.Tag, "k"))


def code(text: str, language: Literal["sql", "yaml", "json"]) -> Markup:
    """The text as HTML for a `pre` element, with words, texts, numbers and comments marked."""
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
