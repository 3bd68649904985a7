"""Renderings of templates as real runs ask for them: every template of some rooms, the first time.

A small table is published by every method with buckets and attacked in every way; what `render` is
asked for meanwhile is what the golden files hold.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import sqlanon
import sqlanon.sql.render as rendering
from sqlanon.attacks.base import AttackRelations
from sqlanon.attacks.histories import Histories
from sqlanon.sql.render import folded

ROOMS = ("attacks", "buckets", "presence", "slicing")
"""Folders of templates whose golden files come from here."""

ALSO = tuple(
    f"proof/{name}.sql"
    for name in (
        "joined_tables", "matched_pairs", "matched_parts", "external_table", "proof_of_dealing",
        "proof_of_part", "proof_of_rearrangement", "proof_of_tables",
    )
)  # fmt: skip

DISEASES = ("flu", "asthma", "ulcer", "gastritis")
AGES = ("21", "24", "27", "33", "35", "38")
ZIPS = ("4780", "4781", "4790", "4791")


def write(path: Path, rows: Sequence[Sequence[object]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def tables(folder: Path) -> None:
    """Twenty-four persons, half of them patients; two releases; what somebody knows beforehand."""
    persons = [(AGES[n % 6], ZIPS[(n * n + n // 6) % 4]) for n in range(24)]
    write(folder / "everybody.csv", [("age", "zip"), *persons])
    patients = [(*persons[n], DISEASES[(n + n // 8) % 4]) for n in range(0, 24, 2)]
    write(folder / "patients.csv", [("age", "zip", "disease"), *patients])
    write(folder / "zip.csv", [(z, f"{z[:3]}*", "*") for z in ZIPS])
    write(folder / "age.csv", [(a, f"{a[0]}x", "*") for a in AGES])
    write(
        folder / "disease.csv",
        [(d, "lung" if d in DISEASES[:2] else "gut", "*") for d in DISEASES],
    )  # fmt: skip


def plan_of(
    folder: Path,
    name: str,
    method: Mapping[str, Any],
    privacy: Sequence[Mapping[str, Any]],
    **others: Any,
) -> Path:
    """A plan in a file, with paths from its own folder."""
    columns: dict[str, Any] = {
        "age": {"role": "quasi-identifier", "hierarchy": "age.csv"},
        "zip": {"role": "quasi-identifier", "hierarchy": "zip.csv"},
        "disease": {"role": "sensitive", "hierarchy": "disease.csv"},
    }
    content = {
        "source": "patients.csv",
        "columns": columns,
        "privacy": list(privacy),
        "method": dict(method),
        "publish": f"{name}/{name}.csv",
        **others,
    }
    path = folder / f"{name}.yml"
    path.write_text(json.dumps(content), encoding="utf-8")  # JSON is YAML
    return path


@contextmanager
def watched(asked: list[tuple[str, dict[str, Any]]]) -> Iterator[None]:
    """Everything that is rendered meanwhile, by template and variables."""
    real = rendering._environment()

    class Watching:
        def get_template(self, name: str) -> Any:
            template = real.get_template(name)

            class Noting:
                def render(self, **inputs: Any) -> str:
                    asked.append((name, inputs))
                    return template.render(**inputs)

            return Noting()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rendering, "_environment", Watching)
        yield


def recorded(folder: Path) -> Iterator[tuple[str, str, str]]:
    """Path, name and text of each template's first rendering, and of the first with beliefs."""
    asked: list[tuple[str, dict[str, Any]]] = []
    tables(folder)
    with watched(asked):
        _runs(folder)
        _histories()
    seen: set[str] = set()
    for template, inputs in asked:
        mine = template.split("/")[0] in ROOMS or template in ALSO
        path = template.replace(".sql", ".distinct.sql") if inputs.get("distinct") else template
        if inputs.get("beliefs") and not template.startswith("attacks/sliced"):
            path = path.replace(".sql", ".beliefs.sql")
        if mine and path not in seen:
            seen.add(path)
            text = _rendered(template, inputs, folder)
            text = re.sub(r"'[0-9a-f]{64}'", f"'{64 * '0'}'", text)  # a plan's digest
            name = re.match(r"-- (\w+)[:,]", text)
            assert name, template
            yield path, name[1], text


def _rendered(template: str, inputs: dict[str, Any], folder: Path) -> str:
    """The text with `/data` for the folder, whose length is not to say where lines are folded."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rendering, "folded", lambda sql: folded(sql.replace(str(folder), "/data")))
        return rendering.render(template, **inputs)


def plans_of(folder: Path) -> dict[str, Path]:
    """A plan for every method with buckets, and two for regions, by their names."""
    k = {"model": "k-anonymity", "k": 2}
    half = {"model": "l-diversity", "kind": "frequency", "l": 2}
    present = {"model": "delta-presence", "dmin": 0, "dmax": 0.8}
    everybody = {"population": "everybody.csv"}
    return {
        "dealt": plan_of(folder, "dealt", {"name": "stack-and-deal", "within": {"age": 1}}, [k]),
        "classes": plan_of(
            folder, "classes", {"name": "stack-and-deal", "publish_as": "classes"}, [k]
        ),
        "anatomy": plan_of(folder, "anatomy", {"name": "anatomy"}, [half]),
        "permuted": plan_of(folder, "permuted", {"name": "anatomy", "permute": True}, [half]),
        "bucketized": plan_of(folder, "bucketized", {"name": "bucketization"}, [k]),
        "sliced": plan_of(folder, "sliced", {"name": "slicing"}, [half]),
        "beside": plan_of(
            folder, "beside", {"name": "slicing", "columns": [["zip"], ["age", "disease"]]}, [k]
        ),
        "combined": plan_of(folder, "combined", {"name": "combined"}, [present], **everybody),
        "regions": plan_of(folder, "regions", {"name": "mondrian"}, [k]),
        "coarser": plan_of(folder, "coarser", {"name": "mondrian"}, [{**k, "k": 3}]),
        "overlapping": plan_of(
            folder,
            "overlapping",
            {"name": "slicing", "partitioning": "relaxed", "columns": "one-attribute-per-column"},
            [k],
            columns={
                "age": {"role": "quasi-identifier", "type": "numeric"},
                "zip": {"role": "quasi-identifier", "hierarchy": "zip.csv"},
                "disease": "sensitive",
            },
        ),
    }


def _runs(folder: Path) -> None:
    plans = plans_of(folder)
    for plan in plans.values():
        sqlanon.run(plan)
    for name in ("dealt", "anatomy", "bucketized"):
        sqlanon.verify(str(folder / name / f"{name}.csv"), plans[name], with_source=True)
    known = [("age", "zip", "disease", "weight")]
    with (folder / "regions/regions.csv").open(encoding="utf-8") as file:
        classes = sorted({(row["age"], row["zip"]) for row in csv.DictReader(file)})
    known += [(*one, d, "1") for one in classes for d in DISEASES]
    write(folder / "background.csv", known)
    for name in ("regions", "anatomy", "permuted", "sliced", "combined", "beside", "classes"):
        sqlanon.attack(
            str(folder / name / f"{name}.csv"),
            plans[name],
            population=str(folder / "everybody.csv") if name != "beside" else None,
            background=str(folder / "background.csv") if name == "regions" else None,
            earlier=str(folder / "coarser/coarser.csv") if name == "regions" else None,
        )


def _histories() -> None:
    """What `histories` asks, of cuts, of levels, and without a key; answers are made up."""
    cuts = AttackRelations(
        class_key=["age", "zip"],
        classes="",
        rows="sqlanon.published_rows",
        quasi_identifiers=[("age", "age"), ("zip", "zip")],
        pseudonym="patient",
        person="patient",
        known="sqlanon.known_rows",
        required=["age"],
        readable="ranges",
        k=2,
    )
    answers: dict[str, list[tuple[Any, ...]]] = {
        "shape": [(4, 9, 3, True, 6, False, 4)],
        "unreadable": [(0,)],
        "matchings": [(1, [[1, 1, 1], [1, 2, 1]])],
        "summary": [(2, 1, 4, 1, 1.0, 1, 1, 0)],
    }
    levels, without_key = replace(cuts, readable="levels"), replace(cuts, pseudonym="")
    alone = replace(without_key, known="", persons="persons")
    for relations in (cuts, levels, without_key, alone):
        for rows in ("none", 3, "all"):
            search = Histories.model_validate({"rows": rows}).attempt(relations)
            step = next(search)
            with suppress(StopIteration):
                while True:
                    endings = [end for end in answers if step.name.endswith(end)]
                    step = search.send(answers[endings[0]] if endings else [(1,)])
    counted = {"population_count": "population_count", "person": "person"}
    rendering.render("attacks/known_persons.sql", quasi_identifiers=["age", "zip"], **counted)
