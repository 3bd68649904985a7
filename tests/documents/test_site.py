"""The website of the docs: it builds, no link of it is broken, and no page loads from elsewhere."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from tests.paths import ROOT

BIN = Path(sys.executable).parent
CONFIGURATION = ROOT / "docs/zensical.toml"


class Page(HTMLParser):
    """The links, the loaded files and the anchors of a page."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.loaded: set[str] = set()
        self.anchors: set[str] = set()
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.anchors.add(given.get("id", ""))
        if tag == "a" and "href" in given:
            self.links.add(given["href"])
        elif tag == "link" and given.get("rel") != "canonical":
            self.loaded.add(given["href"])
        elif "src" in given:
            self.loaded.add(given["src"])


def listed(nav: Any) -> list[str]:
    """The pages of the navigation, in order."""
    if isinstance(nav, str):
        return [nav]
    values = nav if isinstance(nav, list) else nav.values()
    return [page for value in values for page in listed(value)]


def test_every_page_is_in_the_navigation_once() -> None:
    pages = listed(tomllib.loads(CONFIGURATION.read_text(encoding="utf-8"))["project"]["nav"])
    folders = ("docs", "examples", "hierarchies", "dbt_package")
    there = [*ROOT.glob("*.md"), *(page for f in folders for page in (ROOT / f).rglob("*.md"))]
    there = [page for page in there if "target" not in page.parts]
    names = [*(page.relative_to(ROOT).as_posix() for page in there), "tests/data/README.md"]
    assert sorted(pages) == sorted(names), "docs/zensical.toml lists the pages of the website"


@pytest.mark.skipif(not (BIN / "zensical").exists(), reason="zensical is missing: extra `docs`")
def test_no_link_is_broken_and_nothing_is_loaded_from_elsewhere(tmp_path: Path) -> None:
    path = f"{BIN}{os.pathsep}{os.environ['PATH']}"
    subprocess.run([ROOT / ".ci/site", tmp_path], env={**os.environ, "PATH": path}, check=True)
    site = tmp_path
    pages = {file: Page(file) for file in site.rglob("*.html") if file.name != "404.html"}
    assert len(pages) > 30
    for file, page in pages.items():
        assert not [name for name in page.loaded if urlsplit(name).netloc], file
        for link in page.links | page.loaded:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            target = target / "index.html" if target.is_dir() else target
            assert target.exists(), f"{file.relative_to(site)}: {link}"
            if parts.fragment and target in pages:
                assert unquote(parts.fragment) in pages[target].anchors, f"{file}: {link}"
    for style in site.rglob("*.css"):
        assert "@import" not in style.read_text(encoding="utf-8"), style.name
