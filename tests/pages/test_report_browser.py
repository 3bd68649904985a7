"""Reports in a browser: nothing is loaded, nothing is complained about, everything can be read.

Headless Chromium is driven by selenium; without either these tests are skipped.

    pytest tests/pages/test_report_browser.py
"""

from __future__ import annotations

import importlib.util
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import sqlanon
from tests.support.hospital import WITH_REPORT, hospital, write

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip

pytestmark = [
    pytest.mark.skipif(
        any(importlib.util.find_spec(name) is None for name in ("selenium", "vl_convert")),
        reason="selenium or the extra `report` is not installed; .ci/run installs both",
    ),
    pytest.mark.skipif(
        shutil.which("chromium") is None or shutil.which("chromedriver") is None,
        reason="Chromium is not installed; .ci/run installs it",
    ),
]


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


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Both editions of a report."""
    plan = write(tmp_path_factory.mktemp("reported"), hospital())
    return dict(zip(("internal", "external"), sqlanon.run(plan, WITH_REPORT).reports, strict=True))


def requests(browser: Any) -> list[str]:
    """What the browser asked for since the last call."""
    messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    return [
        message["params"]["request"]["url"]
        for message in messages
        if message["method"] == "Network.requestWillBeSent"
    ]


@pytest.mark.sampled(0.1)
@pytest.mark.parametrize("edition", ["internal", "external"])
def test_a_page_in_a_browser(edition: str, browser: Any, pages: dict[str, Path]) -> None:
    browser.get_log("browser")
    requests(browser)
    address = pages[edition].as_uri()
    browser.set_window_size(1200, 900)
    browser.get(address)
    pictures = browser.execute_script(
        "return [...document.querySelectorAll('figure svg')].map(svg => {"
        " const box = svg.getBoundingClientRect(); return [box.width, box.height,"
        " svg.querySelectorAll('path, line').length] })"
    )
    assert len(pictures) == (7 if edition == "internal" else 6)
    assert all(width > 100 and height > 30 and marks > 2 for width, height, marks in pictures)
    for scheme in ("light", "dark"):
        media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
        assert browser.execute_script(_FAINT) == [], scheme
    phone = {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", phone)
    assert browser.execute_script("return document.documentElement.scrollWidth") <= 390
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    assert [entry["message"] for entry in browser.get_log("browser")] == []
    assert [url for url in requests(browser) if not url.startswith("data:")] == [address]


def test_a_node_of_the_lattice_is_chosen(browser: Any, pages: dict[str, Path]) -> None:
    """By its name and by its point; without the script, the table has the same numbers."""
    browser.get(pages["internal"].as_uri())
    shown = "return document.querySelector('output').textContent"
    first = browser.execute_script(shown)
    rows = browser.execute_script(
        "return [...document.querySelector('[data-choose] tbody').rows]"
        ".map(row => [...row.cells].map(cell => cell.textContent))"
    )
    assert rows[0][1] == "chosen"
    assert f"loss {rows[0][3]}" in first
    place = len(rows) - 1
    browser.execute_script(
        "const [select] = document.querySelectorAll('select'); select.selectedIndex = arguments[0];"
        "select.dispatchEvent(new Event('change'))", place
    )  # fmt: skip
    assert browser.execute_script(shown).startswith(
        f"height {rows[place][2]} · loss {rows[place][3]}"
    )
    browser.execute_script(
        "[...document.querySelectorAll('.choosable')].pop().dispatchEvent(new Event('click'))"
    )
    assert browser.execute_script(shown) == first
    heights = browser.execute_script(
        "return [...document.querySelectorAll('.choosable')].map(point =>"
        " point.getBoundingClientRect().left)"
    )
    by_place = sorted(zip(heights, [int(row[2]) for row in reversed(rows)], strict=True))
    assert [height for _, height in by_place] == sorted(height for _, height in by_place)


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
