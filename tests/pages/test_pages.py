"""Pages: text is escaped, nothing is loaded, pictures say in words what they show."""

from __future__ import annotations

import base64
import hashlib
import re
import xml.etree.ElementTree as ET
from importlib.util import find_spec

import jinja2
import pytest

from sqlanon.pages.figures import AFTER, figure
from sqlanon.pages.html import cell_text, page_text, percent

SPEC = {
    "data": {"values": [{"label": "<script>alert(1)</script>", "rows": 7}]},
    "mark": {"type": "bar", "color": AFTER},
    "encoding": {
        "y": {"field": "label", "type": "nominal"},
        "x": {"field": "rows", "type": "quantitative"},
    },
}


def test_a_page_allows_its_own_style_and_script_alone() -> None:
    text = page_text("_page.html", title="a < b")
    assert "<title>a &lt; b</title>" in text
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy.startswith("default-src 'none';")
    for tag in ("style", "script"):
        (content,) = re.findall(f"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert not re.search(r"https?:|//[a-z]|\bsrc=|@import|url\(", text)
    with pytest.raises(jinja2.UndefinedError):  # without its title
        page_text("_page.html")


@pytest.mark.skipif(not find_spec("vl_convert"), reason="the extra `report` is not installed")
def test_a_picture_says_what_it_shows_and_holds_text_as_text() -> None:
    """The library that draws aborts the process at a character that XML does not allow."""
    drawn = figure(SPEC, "Rows & labels", "One bar.")
    root = ET.fromstring(drawn.svg)
    names = {"svg": "http://www.w3.org/2000/svg"}
    assert root.get("role") == "img"
    assert root.findtext("svg:title", namespaces=names) == "Rows & labels"
    assert root.findtext("svg:desc", namespaces=names) == "One bar."
    assert "<script>alert(1)</script>" in [*root.itertext()]
    assert "<script" not in drawn.svg
    spec = {**SPEC, "data": {"values": [{"label": "a\x00\x0b\x1b\ufffe", "rows": 7}]}}
    drawn = figure(spec, "Rows\x01", "One\x0bbar.")
    assert "a\\x00\\x0b\\x1b\\ufffe" in "".join(ET.fromstring(drawn.svg).itertext())
    assert cell_text("a\x0bb\u202e") == "a\\x0bb\\u202e"


def test_cells() -> None:
    """Percentages never round to all or nothing."""
    assert [cell_text(None), cell_text(1234, "count"), cell_text(0.5, "share")] == [
        "–", "1,234", "50.0 %",
    ]  # fmt: skip
    numbers = [cell_text(value, "number") for value in (180639.4, 4.63095, 8)]
    assert numbers == ["180,639", "4.631", "8"]
    shares = (0, 1, 0.325, 0.0075, 0.00001, 0.99999, 0.9987)
    assert [percent(share) for share in shares] == [
        "0 %", "100 %", "32.5 %", "0.75 %", "< 0.01 %", "> 99.99 %", "99.87 %",
    ]  # fmt: skip
