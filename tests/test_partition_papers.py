"""Partitions that papers print, or that follow from the counts that they state."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml

import sqlanon

FOLDER = Path(__file__).parent / "paper_tables"


def cases(file: str) -> list[Any]:
    """Every case of a file, with its table."""
    content = yaml.safe_load((FOLDER / file).read_text(encoding="utf-8"))
    return [
        pytest.param(table, case, id=f"{table['name']}-{number}")
        for table in content["tables"]
        for number, case in enumerate(table["cases"])
    ]


def plan(table: dict[str, Any], keys: dict[str, Any], **others: Any) -> dict[str, Any]:
    """The plan of a case."""
    kinds = table["quasi_identifiers"] | keys.get("types", {})
    names = keys.get("order", list(kinds))
    promises: list[dict[str, Any]] = []
    if "k" in keys:
        promises.append({"model": "k-anonymity", "k": keys["k"]})
    if "dmax" in keys:
        promises.append({"model": "delta-presence", "dmin": keys["dmin"], "dmax": keys["dmax"]})
    return {
        "source": "rows.parquet",
        "columns": {
            name: {
                "role": "quasi-identifier",
                "type": kinds[name],
                "weight": keys.get("weights", {}).get(name, 1),
            }
            for name in names
        },
        "privacy": promises,
        "method": {
            "name": keys.get("method", "mondrian"),
            **({"cut": keys["cut"]} if "cut" in keys else {}),
        },
        "publish": "published.parquet",
        **others,
    }


def write(file: str, names: list[str], rows: list[list[Any]]) -> None:
    """A Parquet file of these rows."""
    values = ", ".join(
        "(" + ", ".join(f"'{v}'" if isinstance(v, str) else str(v) for v in row) + ")"
        for row in rows
    )
    duckdb.execute(f"copy (from (values {values}) as t ({', '.join(names)})) to '{file}'")


@pytest.mark.parametrize("execution", ["recursive", "rounds"])
@pytest.mark.parametrize(("table", "case"), cases("mondrian.yml"))
def test_mondrian(
    table: dict[str, Any],
    case: dict[str, Any],
    execution: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    write("rows.parquet", list(table["quasi_identifiers"]), table["rows"])
    content = plan(table, case["keys"])
    content["method"]["execution"] = execution
    published = sqlanon.run(content).published.fetchall()
    expected = {tuple(entry["label"]): entry["rows"] for entry in case["labels"]}
    assert Counter(published) == expected


@pytest.mark.parametrize(("table", "case"), cases("mpalm.yml"))
def test_mpalm_and_k_mondrian(
    table: dict[str, Any], case: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names = list(table["quasi_identifiers"])
    people = table["population"]
    write("people.parquet", names, [person[:-1] for person in people])
    write("rows.parquet", names, [person[:-1] for person in people if person[-1]])
    result = sqlanon.run(plan(table, case["keys"], population="people.parquet"))
    rows = Counter(result.published.fetchall())
    labels = sorted(rows)
    if "labels" in case:
        assert [list(label) for label in labels] == case["labels"]
    order = case["keys"].get("order", names)
    places = {name: place for place, name in enumerate(names)}
    presence = []
    for label in labels:
        inside = [
            person
            for person in people
            if all(
                covers(text, str(person[places[name]]))
                for name, text in zip(order, label, strict=True)
            )
        ]
        presence.append([rows[label], len(inside)])
    assert presence == case["presence"]
    finding = result.manifest["privacy"][-1]
    assert finding["measured"] == pytest.approx(max(t / p for t, p in presence))
    if "k" in case:
        assert result.manifest["solution"]["k"] == case["k"]


def covers(label: str, value: str) -> bool:
    """Whether a label stands for a value: both have as many digits."""
    if label == "*":
        return True
    lowest, _, highest = label.strip("[]").partition(", ")
    return lowest <= value <= (highest or lowest)
