"""A hospital's table with values that must not be shown, and a plan that publishes it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from sqlanon.commands.options import Options
from tests.support.tables import write_csv

K = 4
WITH_REPORT = Options(report=True, overwrite=True)

Row = tuple[str, ...]

COLUMNS = ("person-name", "age", "town", "diagnosis", "cost", "remark")

ROLES: dict[str, Any] = {
    "person-name": "identifier",
    "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [10, 20]}},
    "town": {"role": "quasi-identifier", "hierarchy": "towns.csv"},
    "diagnosis": "sensitive",
    "cost": "insensitive",
    "remark": "insensitive",
}

TOWNS = ("Ahlen", "Bonn", "Celle", "Dahme")

COMMENT = "canary-comment: Dr. Quincke asked for this"


def hospital(seed: int = 1) -> list[Row]:
    """Persons whose values are frequent, rare, or of one person alone; some will be suppressed."""
    draw = random.Random(seed)
    rows: list[Row] = []
    for n in range(240):
        diagnosis = draw.choice(("flu", "asthma", "ulcer", "gastritis"))
        if n % 40 == 0:
            diagnosis = f"rare-diagnosis-{n // 80}"  # twice each
        age, town = str(draw.randint(20, 59)), draw.choice(TOWNS)
        cost, remark = f"{1000 + draw.random() * 9000:.2f}", "ok" if n % 3 else f"remark-{n:03}"
        rows.append((f"Name-{n:03}", age, town, diagnosis, cost, remark))
    return [*rows, *outliers(seed)]


def outliers(seed: int) -> list[Row]:
    """Rows that fit no class and are left out."""
    return [
        (f"Outlier-{seed}-{n}", str(93 + 2 * n), f"Elsewhere-{seed}", f"suppressed-{seed}-{n}",
         f"{777000 + seed * 10 + n}.25", f"hidden-{seed}-{n}")
        for n in range(3)
    ]  # fmt: skip


def write(folder: Path, rows: Sequence[Row], **keys: Any) -> Path:
    """The source in a folder of its own, its hierarchy, and the plan."""
    (folder / "canary-ward-7").mkdir(parents=True)
    write_csv(folder / "canary-ward-7" / "canary-source.csv", [COLUMNS, *rows])
    towns = sorted({row[2] for row in rows} | {"Unused-Town"})
    known = {town: "west" if town in TOWNS[:2] else "east" for town in towns}
    (folder / "towns.csv").write_text(
        "".join(f"{town};{known[town]};*\n" for town in towns), encoding="utf-8"
    )
    content = {
        "source": "canary-ward-7/canary-source.csv",
        "columns": ROLES,
        "privacy": [
            {"model": "k-anonymity", "k": K},
            {"model": "l-diversity", "attribute": "diagnosis", "kind": "recursive", "c": 9, "l": 2,
             "harmless": ["flu"]},
            {"model": "t-closeness", "attribute": "diagnosis", "t": 0.9},
        ],
        "suppression": {"limit": 0.05},
        "publish": "published.parquet",
        **keys,
    }  # fmt: skip
    path = folder / "canary-plan.yml"
    path.write_text(f"# {COMMENT}\n{yaml.safe_dump(content, sort_keys=False)}", encoding="utf-8")
    return path
