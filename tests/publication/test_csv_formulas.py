"""What spreadsheets would take for formulas: `publish: {csv_formulas: escape}`."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import pytest

import sqlanon
from sqlanon.errors import PlanError, PrivacyViolation
from tests.plan import plans
from tests.support.secret_texts import SEED_VARIABLE, secret_text

WRITTEN = {
    "=1+1": "'=1+1", "+cmd|' /C calc'!A0": "'+cmd|' /C calc'!A0", "-1-1": "'-1-1",
    "@SUM(1)": "'@SUM(1)", "\t=2": "'\t=2", "\r=3": "'\r=3", "\n=4": "'\n=4", "-": "'-",
    "-5": "-5", "+1,000.5": "+1,000.5", "-1e-05": "-1e-05", "+.5": "+.5", "'=6": "'=6",
    "a=1": "a=1", " =1": " =1", "": "", "[-5, 0)": "[-5, 0)",
}  # fmt: skip
"""Text, and how it is written: the rules of the documentation, value by value."""

TEXTS = list(WRITTEN)
ROWS = [
    {
        "key": f"=k{n // 2}", "age": str(-20 + n % 2), "place": ("=x", "-y")[n % 2],
        "note": TEXTS[n % len(TEXTS)], "ill": TEXTS[n // 2 % len(TEXTS)],
    }
    for n in range(8 * len(TEXTS))
]  # fmt: skip
"""Two places with two ages, in both of which all notes and illnesses are."""


@pytest.fixture(autouse=True)
def own_source(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SEED_VARIABLE, secret_text(7))
    write_rows("rows.csv", ROWS)


def write_rows(name: str, rows: list[dict[str, str]]) -> None:
    with Path(name).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), quoting=csv.QUOTE_ALL)
        writer.writeheader()
        writer.writerows(rows)


def read_rows(name: str) -> list[dict[str, str]]:
    with Path(name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def plan_of(path: str = "open/o.csv", **keys: Any) -> dict[str, Any]:
    columns = {
        "key": "identifier",
        "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [5, 10]}},
        "place": "quasi-identifier",
        "note": "insensitive",
        "ill": {"role": "sensitive", "compare": "exact"},
    }
    promises = [{"model": "k-anonymity", "k": 4}, {"model": "l-diversity", "l": 3}]
    keys = {"source": "rows.csv", "privacy": promises, **keys}
    return plans.plan_of(columns, publish={"path": path, "csv_formulas": "escape"}, **keys)


K_MAP = [{"model": "k-map", "k": 4}, {"model": "k-anonymity", "k": 2}]
FORMS: dict[str, dict[str, Any]] = {
    "lattice": {"order": "source"},
    "mask": {"suppression": {"limit": 0.5, "rows": "mask"}},
    "population": {"population": "rows.csv", "privacy": K_MAP},
    "table": {"source": "rows.parquet"},
    "persons": {"unit": "key"},
    "cut": {"unit": "key", "method": "mondrian"},
    "cut with a population": {"method": "mondrian", "population": "rows.csv", "privacy": K_MAP},
    "dealt": {"method": "stack-and-deal"},
    "classes": {"method": {"name": "stack-and-deal", "publish_as": "classes"}},
    "two tables": {"method": "anatomy"},
    "sliced": {"method": "slicing"},
    "buckets": {"method": "bucketization"},
}


@pytest.mark.sampled(0.3)
@pytest.mark.parametrize("form", FORMS)
def test_no_cell_is_a_formula(form: str) -> None:
    duckdb.sql(
        "copy (select * replace (cast(age as integer) as age) from read_csv('rows.csv',"
        " all_varchar = true, header = true)) to 'rows.parquet'"
    )
    plan = plan_of(**FORMS[form])
    sqlanon.run(plan)
    rows = read_rows("open/o.csv")
    assert Counter(row["note"] for row in rows) == Counter(WRITTEN[row["note"]] for row in ROWS)
    assert {row["place"] for row in rows} <= {"'=x", "'-y", "*", "['-y, '=x]"}
    found = Counter(row["ill"] for row in rows if "ill" in row)
    if form == "two tables":
        for row in read_rows("open/o_values.csv"):
            found[row["ill"]] += int(row["row_count"])
    assert found == Counter(WRITTEN[row["ill"]] for row in ROWS)
    for with_source in (False, True):
        proven = sqlanon.verify("open/o.csv", plan, with_source=with_source)
        assert all(finding.satisfied for finding in proven)
    sqlanon.attack("open/o.csv", plan)


def test_without_it_cells_stay_as_they_are() -> None:
    stays, escaped = sqlanon.load_plan({**plan_of(), "publish": "open/o.csv"}), plan_of()
    kept = sqlanon.run({**escaped, "publish": {"path": "open/o.csv", "csv_formulas": "keep"}})
    assert {row["note"] for row in read_rows("open/o.csv")} == set(TEXTS)
    assert kept.plan.sha256 == stays.sha256 != sqlanon.load_plan(escaped).sha256
    for publish in ("o.parquet", "o.duckdb::t"):
        with pytest.raises(PlanError, match="Only in a CSV file"):
            sqlanon.run(plan_of(publish))


@pytest.mark.parametrize("label", ["=all", "@x"])
def test_a_label_of_a_file_may_be_no_formula(label: str) -> None:
    """A file lists values as they are in the source, so neither they nor labels are changed."""
    Path("places.csv").write_text(f"=x,{label},*\n-y,{label},*\n", encoding="utf-8")
    plan = plan_of(privacy=[{"model": "k-anonymity", "k": 70}])
    plan["columns"] |= {
        "place": {"role": "quasi-identifier", "hierarchy": "places.csv"}, "age": "insensitive"
    }  # fmt: skip
    with pytest.raises(PrivacyViolation, match="formula"):
        sqlanon.run(plan)
    assert not Path("open/o.csv").exists()
    Path("places.csv").write_text("=x,all,*\n-y,all,*\n", encoding="utf-8")
    sqlanon.run(plan)
    assert {row["place"] for row in read_rows("open/o.csv")} == {"all"}


def test_verify_looks_at_the_cells() -> None:
    plan = plan_of()
    sqlanon.run(plan)
    rows = read_rows("open/o.csv")
    rows[0]["note"] = "=evil()"
    write_rows("open/other.csv", rows)
    with pytest.raises(PrivacyViolation, match="formula"):
        sqlanon.verify("open/other.csv", plan, manifest=False)


@pytest.mark.parametrize(("one", "other"), [("=x", "'=x"), ("＝x", "=x"), ("-1 000", "-1000")])
def test_values_that_a_reader_would_take_for_the_same_count_once(one: str, other: str) -> None:
    """An apostrophe is not shown: it makes no two values of one, nor one of two."""
    rows = [{**row, "ill": (one, other)[n // 2 % 2]} for n, row in enumerate(ROWS)]
    write_rows("rows.csv", rows)
    plan = plan_of(privacy=[{"model": "l-diversity", "kind": "distinct", "l": 2}])
    plan["columns"]["ill"] = "sensitive"
    with pytest.raises((PlanError, sqlanon.NoSolutionError)):
        sqlanon.run(plan)
