"""Figures of definitions that can be read in two ways, as the documents decide them."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import pytest

import sqlanon
from tests.support.secret_texts import SEED


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SQLANON_PERMUTATION_SEED", SEED)


def run(ages: list[int], column: dict[str, Any], **keys: Any) -> sqlanon.RunResult:
    """Publish ages with two rows of each label."""
    lines = [f"{age},v{number}" for number, age in enumerate(ages)]
    Path("ages.csv").write_text("\n".join(["age,ill", *lines]) + "\n")
    return sqlanon.run(
        {
            "source": "ages.csv",
            "columns": {"age": {"role": "quasi-identifier", **column}, "ill": "sensitive"},
            "privacy": [{"model": "k-anonymity", "k": 2}],
            "publish": "open.csv",
            **keys,
        }
    )


def published() -> set[str]:
    rows = duckdb.execute("select age from read_csv('open.csv', all_varchar = true)").fetchall()
    return {row[0] for row in rows}


def test_a_level_of_round_rounds_the_level_below() -> None:
    """349 is 350 and then 400, although it is nearer to 300; so is 440."""
    run([349, 351], {"hierarchy": {"round": [-1, -2]}})
    assert published() == {"350"}
    run([349, 440], {"hierarchy": {"round": [-1, -2]}})
    assert published() == {"400"}


@pytest.mark.parametrize(
    ("stated", "cost"),
    [({}, Fraction(2, 3) / 2), ({"type": "numeric"}, Fraction(20 - 10, 90 - 10) / 2)],
    ids=["categories", "numbers"],
)
def test_ncp_of_a_hierarchy_file_of_numbers(stated: dict[str, Any], cost: Fraction) -> None:
    """Two of three values, or 10 of 80 years, in one half of the rows; 90 stays alone."""
    Path("tree.csv").write_text("10,young,*\n20,young,*\n90,old,*\n")
    found = run([10, 20, 90, 90], {"hierarchy": "tree.csv", **stated})
    assert published() == {"young", "old"}
    assert found.manifest["utility"]["ncp"] == pytest.approx(float(cost))


@pytest.mark.parametrize(("suppressed", "precision"), [("charged", 0.4), ("ignored", 0.5)])
def test_precision_of_suppressed_rows(suppressed: str, precision: float) -> None:
    """Level 1 of 2; of five rows one is left out, which costs all, or as much as the others."""
    young = "".join(f"{age},young,*\n" for age in (10, 20, 30, 40))
    Path("tree.csv").write_text(f"{young}90,old,*\n")
    found = run(
        [10, 20, 30, 40, 90],
        {"hierarchy": "tree.csv"},
        method={
            "name": "optimal",
            "objective": {"name": "precision", "suppressed_rows": suppressed},
        },
        suppression={"limit": 0.2},
    )
    assert published() == {"young"}
    assert found.manifest["utility"]["precision"] == pytest.approx(precision)


def test_other_sensitive_attributes_are_not_known_to_who_attacks_slices() -> None:
    """A second one that differs in every row, in the same group, leaves p(nurse, flu) at 1/2."""
    rows = [
        f"{place},nurse,{ill},{number}"
        for place in ("a", "b")
        for number, ill in enumerate(("flu", "gout"))
    ]
    Path("staff.csv").write_text("\n".join(["zip,job,ill,income", *rows]) + "\n")
    found = sqlanon.run(
        {
            "source": "staff.csv",
            "columns": {
                "zip": "quasi-identifier",
                "job": "quasi-identifier",
                "ill": "sensitive",
                "income": "sensitive",
            },
            "privacy": [
                {"model": "l-diversity", "kind": "frequency", "l": 2, "attribute": "ill"},
                {"model": "k-anonymity", "k": 2},
            ],
            "method": {"name": "slicing", "columns": [["zip"], ["job", "ill", "income"]]},
            "publish": "open.parquet",
        }
    )
    assert found.manifest["privacy"][0]["measured"] == pytest.approx(2)
