"""Pictures: SVG of Vega-Lite charts, with text kept as text, in the colors of the page.

Charts are written in the colors of this module. The page's style gives each of them another tone on
a dark screen, so a chart that uses other colors looks the same on both.
"""

from __future__ import annotations

import functools
import logging
import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Any

from markupsafe import Markup

from sqlanon.errors import printable

INK, MUTED, LINE = "#1b1f24", "#57606a", "#d0d7de"
"""Text, axis labels, and grid lines."""

BEFORE, AFTER, WARNING = "#848e9a", "#0b5394", "#b42318"
"""Marks for the source, for the publication, and for what needs a look."""

SERIES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
"""Colors of series (Okabe and Ito), which people with any color vision can distinguish."""

WIDTH = 340
"""Width of a chart that fits a phone, in pixels; wider ones are scrolled there."""

_VEGA_LITE = "6.1"
_SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"

_SVG = "http://www.w3.org/2000/svg"

_DIGITS = re.compile(r"\b\d+\.\d{2,}(?=[^<>]*>)")
"""A number in an attribute with more digits than a screen shows."""

_UNREAD = ("class", "role", "font-family", "pointer-events", "stroke-miterlimit", "version")

_USUAL = {
    "opacity": "1",
    "stroke-width": "1",
    "font-weight": "normal",
    "transform": "translate(0,0)",
}

_CONFIG: dict[str, Any] = {
    "aria": False,
    "background": None,
    "font": "system-ui, sans-serif",
    "view": {"stroke": None},
    "axis": {
        "labelColor": MUTED, "titleColor": MUTED, "gridColor": LINE, "domainColor": LINE,
        "tickColor": LINE, "labelFontSize": 11, "titleFontSize": 11, "titleFontWeight": "normal",
        "labelLimit": 150,
    },
    "legend": {
        "labelColor": INK, "labelFontSize": 11, "title": None, "orient": "top", "symbolType":
        "square", "offset": 4,
    },
    "text": {"color": INK, "fontSize": 11},
}  # fmt: skip


@dataclass(frozen=True)
class Figure:
    """A picture for a page.

    Attributes:
        title: what it shows, in a line.
        description: what a reader sees in it, for those who do not see it.
        svg: the picture, with both in it.
    """

    title: str
    description: str
    svg: Markup


def figure(spec: Mapping[str, Any], title: str, description: str) -> Figure:
    """Draw a Vega-Lite chart; without the package that draws, a sentence stands in its place."""
    title, description = printable(title), printable(description)
    library = _library()
    if library is None:
        return Figure(title, description, Markup("<p>{}</p>").format(f"Not drawn: {_MISSING}"))
    whole = {"$schema": _SCHEMA, "config": _CONFIG, "padding": 2, **_drawable(spec)}
    drawn: str = library.vegalite_to_svg(whole, vl_version=_VEGA_LITE)
    return Figure(title, description, _trimmed(drawn, title, description))


def _drawable(part: Any) -> Any:
    """The part of a chart without characters that XML does not allow.

    The library does not refuse them: it ends the process.
    """
    if isinstance(part, str):
        return printable(part)
    if isinstance(part, Mapping):
        return {key: _drawable(value) for key, value in part.items()}
    if isinstance(part, list | tuple):
        return [_drawable(value) for value in part]
    return part


@functools.cache
def _library() -> ModuleType | None:
    """The package that draws; None, and a warning, if it is not installed."""
    try:
        return import_module("vl_convert")
    except ImportError:
        _LOGGER.warning("The page has tables and no pictures: %s", _MISSING)
        return None


_LOGGER = logging.getLogger("sqlanon")

_MISSING = "pip install 'sqlanon[report]' installs what draws them."


def _trimmed(drawn: str, title: str, description: str) -> Markup:
    """The SVG for a page: with its title and description, without what nothing reads."""
    ET.register_namespace("", _SVG)
    root = ET.fromstring(_DIGITS.sub(lambda found: f"{float(found[0]):.1f}", drawn))
    for parent in root.iter():
        for name in list(parent.attrib):
            if name in _UNREAD or name.startswith("aria-") or parent.get(name) == _USUAL.get(name):
                del parent.attrib[name]
        for child in list(parent):
            is_path = child.tag == f"{{{_SVG}}}path"
            if is_path and not child.get("fill") and not child.get("stroke"):
                parent.remove(child)  # frames that are not drawn
    root.set("role", "img")
    root.set("aria-label", f"{title}. {description}")
    for place, (tag, text) in enumerate((("title", title), ("desc", description))):
        element = ET.Element(f"{{{_SVG}}}{tag}")
        element.text = text
        root.insert(place, element)
    return Markup(ET.tostring(root, encoding="unicode"))
