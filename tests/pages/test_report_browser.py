"""Reports in headless Chromium: nothing is loaded or complained about, all can be read."""

from __future__ import annotations

import importlib.util
import json
import shutil
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import sqlanon
from tests.support.hospital import WITH_REPORT, hospital, write

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip

MISSING = [
    *(name for name in ("selenium", "vl_convert") if importlib.util.find_spec(name) is None),
    *(name for name in ("chromium", "chromedriver") if shutil.which(name) is None),
]
pytestmark = pytest.mark.skipif(bool(MISSING), reason=f"missing, .ci/run installs it: {MISSING}")


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A browser with a profile of its own, that keeps a log of what it complains about."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = str(shutil.which("chromium"))
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    service = webdriver.ChromeService(executable_path=shutil.which("chromedriver"))
    driver = webdriver.Chrome(options=options, service=service)
    try:
        yield driver
    finally:
        driver.quit()


NAMES = {"internal": 7, "external": 6, "partition": 7, "sweep": 4, "compare": 1}
"""The pages that are looked at, and how many pictures each has."""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Makes an edition of a report, that of a partition, or a page of a sweep or a comparison."""
    folder = tmp_path_factory.mktemp("reported")
    long = "A ward whose name takes more than one line of the labels in a picture"
    rows = [(*row[:2], row[2].replace("Celle", long), *row[3:]) for row in hospital()]
    plan = write(folder / "node", rows)
    editions = cache(lambda: sqlanon.run(plan, WITH_REPORT).reports)

    @cache
    def made(name: str) -> Path:
        if name in ("internal", "external"):
            return editions()[name == "external"]
        if name == "partition":
            cut = write(folder / "cut", hospital()[:240], method="mondrian", suppression={})
            return sqlanon.run(cut, WITH_REPORT).reports[0]
        page = folder / f"{name}.html"
        if name == "sweep":
            sqlanon.sweep(plan, {"privacy.0.k": [2, 4, 20]}, page=page)
        else:
            sqlanon.compare(plan, ["optimal", "datafly"], page=page)
        return page

    return made


def requests(browser: Any) -> list[str]:
    """What the browser asked for since the last call."""
    entries = [json.loads(one["message"])["message"] for one in browser.get_log("performance")]
    sent = [one["params"] for one in entries if one["method"] == "Network.requestWillBeSent"]
    return [one["request"]["url"] for one in sent]


@pytest.mark.sampled(0.1)
@pytest.mark.parametrize("name", NAMES)
def test_a_page_in_a_browser(name: str, browser: Any, page: Callable[[str], Path]) -> None:
    """At the widths of a phone, a tablet and a desk, light and dark."""
    address = page(name).as_uri()
    browser.get_log("browser")
    requests(browser)
    browser.get(address)
    pictures = browser.execute_script(
        "return [...document.querySelectorAll('figure svg')].map(svg => {"
        " const box = svg.getBoundingClientRect(); return [box.width, box.height,"
        " svg.querySelectorAll('path, line').length] })"
    )
    assert len(pictures) == NAMES[name]
    assert all(width > 100 and height > 30 and marks > 2 for width, height, marks in pictures)
    browser.execute_script("document.querySelectorAll('details').forEach(one => one.open = true)")
    for width in (360, 768, 1440):
        screen = {"width": width, "height": 844, "deviceScaleFactor": 2, "mobile": width < 500}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
        for scheme in ("light", "dark"):
            media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
            browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
            assert browser.execute_script(_FAINT) == [], (width, scheme)
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width
        assert browser.execute_script(_OVERFLOWING) == [], width
        assert browser.execute_script(_CLIPPED) == [], width
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    assert [entry["message"] for entry in browser.get_log("browser")] == []
    assert [url for url in requests(browser) if not url.startswith("data:")] == [address]


def test_a_node_of_the_lattice_is_chosen(browser: Any, page: Callable[[str], Path]) -> None:
    """By its name and by its point; without the script, the table has the same numbers."""
    browser.get(page("internal").as_uri())
    shown = "return document.querySelector('output').textContent"
    first = browser.execute_script(shown)
    rows = browser.execute_script(_ROWS)
    assert rows[0][1] == "chosen"
    assert f"loss {rows[0][3]}" in first
    browser.execute_script(
        "const [select] = document.querySelectorAll('select'); select.selectedIndex = arguments[0];"
        "select.dispatchEvent(new Event('change'))", len(rows) - 1
    )  # fmt: skip
    last = browser.execute_script(shown)
    assert last.startswith(f"height {rows[-1][2]} · loss {rows[-1][3]}")
    browser.execute_script(
        "[...document.querySelectorAll('.choosable')].pop().dispatchEvent(new Event('click'))"
    )
    assert browser.execute_script(shown) == first
    assert "age: intervals of width 10" in first
    press = (
        "document.querySelector('[data-choose] .picture').dispatchEvent(new KeyboardEvent("
        "'keydown', {key: arguments[0]}))"
    )
    browser.execute_script(press, "ArrowRight")
    second = browser.execute_script(shown)
    assert f"loss {rows[1][3]}" in second
    assert second != first
    browser.execute_script(press, "ArrowLeft")
    assert browser.execute_script(shown) == first
    heights = browser.execute_script(
        "return [...document.querySelectorAll('.choosable')].map(point =>"
        " point.getBoundingClientRect().left)"
    )
    by_place = sorted(zip(heights, [int(row[2]) for row in reversed(rows)], strict=True))
    assert by_place == sorted(by_place, key=lambda each: each[1])


def test_a_region_of_a_partition_is_chosen(browser: Any, page: Callable[[str], Path]) -> None:
    """The first row is the whole table, and the mark of each row is as wide as its share."""
    browser.get(page("partition").as_uri())
    rows = browser.execute_script(_ROWS)
    marks = "[...document.querySelectorAll('[data-choose] .choosable')].reverse()"
    widths = browser.execute_script(f"return {marks}.map(m => m.getBoundingClientRect().width)")
    assert rows[0][0] == "the whole table"
    assert len(rows) == len(widths) > 3
    for row, width in zip(rows, widths, strict=True):
        assert width / widths[0] == pytest.approx(int(row[3]) / int(rows[0][3]), abs=0.01)


_ROWS = (
    "return [...document.querySelector('[data-choose] tbody').rows]"
    ".map(row => [...row.cells].map(cell => cell.textContent))"
)

_OVERFLOWING = """
return [...document.querySelectorAll("main *, header *")].filter((element) => {
  if (element.closest(".scrolls, .picture, pre, .unseen, .skip, select")) return false;
  return element.getBoundingClientRect().right > document.documentElement.clientWidth + 1;
}).map((element) => element.tagName + " " + element.textContent.slice(0, 40));
"""
"""The elements that reach beyond the page, but for those that are scrolled by themselves."""

_CLIPPED = """
const outside = [];
for (const svg of document.querySelectorAll("figure svg")) {
  const frame = svg.getBoundingClientRect();
  for (const text of svg.querySelectorAll("text")) {
    const box = text.getBoundingClientRect();
    const isIn = box.left >= frame.left - 1 && box.right <= frame.right + 1
      && box.top >= frame.top - 1 && box.bottom <= frame.bottom + 1;
    if (!isIn && text.textContent.trim()) outside.push(text.textContent);
    if (/.{8}…$/.test(text.textContent)) outside.push(text.textContent);
  }
}
return outside;
"""
"""The texts in pictures that are not wholly in them, or that end in dots in place of letters."""

_FAINT = """
const parts = (color) => color.match(/[\\d.]+/g).map(Number);
const light = (color) => parts(color).slice(0, 3)
  .map((c) => c / 255).map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
  .reduce((sum, c, n) => sum + c * [0.2126, 0.7152, 0.0722][n], 0);
const ground = (element) => {
  for (let at = element; at; at = at.parentElement) {
    const color = getComputedStyle(at).backgroundColor;
    if (parts(color).length < 4 || parts(color)[3] > 0) return color;
  }
  return "rgb(255, 255, 255)";
};
const faint = new Set();
for (const element of document.querySelectorAll("body *")) {
  const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  if (!own || element.closest("script, style, title, desc, .skip")) continue;
  const style = getComputedStyle(element);
  const inPicture = element.closest("svg");
  const pair = [light(inPicture ? style.fill : style.color), light(ground(element))].sort();
  const contrast = (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
  const name = element.tagName + " " + element.textContent.slice(0, 30);
  if (contrast < 4.5) faint.add(name + " " + contrast.toFixed(2));
}
return [...faint];
"""
"""The texts whose contrast with their background is below that of WCAG AA."""
