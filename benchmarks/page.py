"""The tables and pictures of `docs/benchmarks.md`, by a result."""

from __future__ import annotations

import json
from typing import Any

from benchmarks.cases import CASES, FLOORS, OTHERS, Case
from benchmarks.measure import ROOT

PAGE = ROOT / "docs/benchmarks.md"
RESULT = ROOT / "benchmarks/result.json"
"""The result that the page shows."""

BY_NAME = {case.name: case for case in CASES}
HEADS = ("", "CPU s", "GB", "nodes", "floor", "CPU s", "GB", "CPU / floor")
OTHER_HEADS = ("other tool", "CPU s", "GB", "CPU / other")
CURVES = ("rows", "attributes")
"""What the pictures have on their horizontal axes."""


def write(result: dict[str, Any]) -> None:
    """Write the tables into the page, the pictures beside it, and the result that they show."""
    from examples.papers import charts  # here, so that tables need no library of charts

    RESULT.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8"), result), encoding="utf-8")
    for curve in CURVES:
        points = [
            {"x": place, "y": row[what]["cpu_seconds"], "series": name}
            for what, name in (("sqlanon", "sqlanon"), ("floor", FLOORS["query"]))
            for place, row in on_curve(result, curve)
        ]
        title = f"Full-domain generalization: CPU seconds by {curve}"
        log = "xy" if curve == "rows" else "y"
        chart = charts.line_chart(points, title=title, x=curve, y="CPU seconds", logarithmic=log)
        picture = PAGE.with_name(f"benchmarks_{curve}.svg")
        picture.write_text(charts.svg(chart), encoding="utf-8")


def with_tables(page: str, result: dict[str, Any]) -> str:
    """The text of the page, with a result's tables between their comments."""
    for name, table in tables(result).items():
        before, rest = page.split(f"<!-- {name} -->\n")
        _, after = rest.split(f"<!-- end of {name} -->\n")
        page = f"{before}<!-- {name} -->\n\n{table}\n<!-- end of {name} -->\n{after}"
    return page


def tables(result: dict[str, Any]) -> dict[str, str]:
    """The tables of a result, by the names of their comments."""
    others = any("other" in row for row in result["cases"])
    heads = (*HEADS, *(OTHER_HEADS if others else ()))
    rows = [line(row, others) for row in result["cases"] if _case(row).curve[0] != "attributes"]
    attributes = [
        f"| {place} | {row['nodes_checked']:,} | {row['sqlanon']['cpu_seconds']:.2f} |"
        f" {row['sqlanon']['peak_gigabytes']:.2f} | {row['floor']['cpu_seconds']:.2f} |"
        f" {row['solution']} |"
        for place, row in on_curve(result, "attributes")
    ]
    about = (
        f"sqlanon {result['commit']}, DuckDB {result['duckdb']}, Python {result['python']},"
        f" {result['cores']} cores; the median of {result['repeat']}."
    )
    return {
        "cases": "\n".join([about, "", _heads(heads), *rows, ""]),
        "attributes": "\n".join([
            _heads(("attributes", "nodes checked", "CPU s", "GB", "floor, CPU s", "solution")),
            *attributes, "",
        ]),
    }  # fmt: skip


def line(row: dict[str, Any], others: bool = True) -> str:
    """The row of a case, if need be with cells for another tool."""
    case, mine, floor = _case(row), row["sqlanon"], row["floor"]
    cells = [
        case.title, f"{mine['cpu_seconds']:.2f}", f"{mine['peak_gigabytes']:.2f}",
        f"{row['nodes_checked']:,}" if "nodes_checked" in row else "",
        case.floor.replace("import", FLOORS["import"]), f"{floor['cpu_seconds']:.2f}",
        f"{floor['peak_gigabytes']:.2f}", f"{mine['cpu_seconds'] / floor['cpu_seconds']:.1f}",
    ]  # fmt: skip
    if others and (other := row.get("other")):
        cells += [OTHERS[case.other], f"{other['cpu_seconds']:.2f}",
                  f"{other['peak_gigabytes']:.2f}",
                  f"{mine['cpu_seconds'] / other['cpu_seconds']:.2f}"]  # fmt: skip
    elif others:
        cells += [""] * len(OTHER_HEADS)
    return f"| {' | '.join(cells)} |"


def on_curve(result: dict[str, Any], curve: str) -> list[tuple[int, dict[str, Any]]]:
    """The places and rows of a growth curve, in order."""
    points = ((_case(row).curve, row) for row in result["cases"])
    found = [(place, row) for (name, place), row in points if name == curve]
    return sorted(found, key=lambda each: each[0])


def _heads(names: tuple[str, ...]) -> str:
    return f"| {' | '.join(names)} |\n|{'---|' * len(names)}"


def _case(row: dict[str, Any]) -> Case:
    return BY_NAME[row["case"]]
