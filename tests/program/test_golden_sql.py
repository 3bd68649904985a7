"""Whole texts that users sign, compared byte for byte: what they are made of is tested elsewhere.

`tests/golden/programs/` has each form of a release and a program; `privacy_models/`, `attacks/` and
`hierarchies/` one file each: the select of a model as `verify` asks it, of an attack, and the rule
of a kind of hierarchy. A changed file is a changed release. To write them anew, look at the
difference, and sign it:

    SQLANON_UPDATE_GOLDEN=1 pytest tests/program/test_golden_sql.py
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

import sqlanon
from sqlanon.attacks import ATTACKS
from sqlanon.hierarchies import HIERARCHY_KINDS
from sqlanon.plan.plan import Plan
from sqlanon.privacy_models import PRIVACY_MODELS
from sqlanon.registry import default_of
from tests.paths import ROOT, TESTS
from tests.support.golden_runs import Rendered, plan_of, plans_of, rendered, tables
from tests.support.searching import release_in_steps
from tests.support.secret_texts import KEY

GOLDEN = TESTS / "golden"
UPDATE = "SQLANON_UPDATE_GOLDEN"
FIXED = [
    (r"[0-9a-f]{64}", "0" * 64),
    (r"/\S*/golden\d+/", "/data/"),
    (r"sqlanon \d[\d.]*", "sqlanon"),
]
"""What differs from run to run: digests, the folder, the version."""

K = {"model": "k-anonymity", "k": 2}
PRESENT = {"model": "delta-presence", "dmin": 0, "dmax": 0.9}
JOINT = {"model": "l-diversity", "l": 2, "mode": "joint", "attribute": "disease"}
LINKED = {"role": "identifier", "action": "pseudonym", "key": "random"}
AGE_AND_ZIP = {
    name: {"role": "quasi-identifier", "hierarchy": f"{name}.csv"} for name in ("age", "zip")
}
VISITS = {"source": "visits.csv", "suppression": {"limit": 1}}
LATTICE: dict[str, dict[str, Any]] = {
    "masked_cells": {"suppression": {"limit": 0.2, "rows": "mask"}},
    "population": {"population": "everybody.csv", "privacy": [PRESENT]},
    "joint": {"privacy": [K, JOINT]},
    "unit": VISITS | {
        "unit": "person", "columns": AGE_AND_ZIP | {"disease": "sensitive", "person": "identifier"},
    },
    "linked_histories": VISITS | {
        "unit": {"column": "person", "histories": "linked", "rows": 2},
        "columns": AGE_AND_ZIP | {"disease": "sensitive", "person": LINKED},
    },
}  # fmt: skip
"""Releases of a lattice node that differ from that of the clinic, and the keys that make them."""

BUCKETS = ("dealt", "anatomy", "sliced")
"""Plans of `golden_runs` whose releases are kept."""


def compiled(
    folder: Path, name: str, *files: str, keys: dict[str, Any] | None = None, **options: Any
) -> str:
    """Files of a compiled plan, which is written and solved first if its keys are given."""
    if keys is not None:
        (folder / f"{name}.yml").write_text(json.dumps(keys), encoding="utf-8")
        sqlanon.solve(folder / f"{name}.yml")
    written = sqlanon.compile(folder / f"{name}.yml", **options)[1]
    place = written if "dialect" in options else written.parent
    found = [path for file in files or ("release.sql",) for path in sorted(place.glob(file))]
    return "\n".join(path.read_text(encoding="utf-8") for path in found)


def of_the_clinic(folder: Path) -> Iterator[tuple[str, str]]:
    """Its program for DuckDB and psql; one query of Snowflake and Spark."""
    left = shutil.ignore_patterns("target", "*.parquet", "*.solution.json")
    shutil.copytree(ROOT / "examples/clinic", folder, ignore=left)
    for name in ("plan", "mondrian"):
        sqlanon.solve(folder / f"{name}.yml")
    yield "clinic_program", compiled(folder, "plan", "sql/program.sql")
    with pytest.MonkeyPatch.context() as patch:
        release_in_steps(patch)
        steps = [file.name for file in sorted(sqlanon.compile(folder / "plan.yml")[1].glob("*_*"))]
        names = [name.partition("_")[2] for name in steps]
        steps = steps[names.index("published_classes.sql") : names.index("release.sql") + 1]
        yield "clinic_in_steps", compiled(folder, "plan", *(f"sql/{name}" for name in steps))
    sqlanon.compile(folder / "plan.yml")
    keys = yaml.safe_load((folder / "plan.yml").read_text(encoding="utf-8"))
    passes = {**keys, "method": {"name": "optimal", "passes": "auto"}}
    yield "clinic_passes", compiled(folder, "passes", keys=passes)
    refined = {**keys, "privacy": [{**K, "k": 5}], "method": {"name": "optimal", "refine": True}}
    steps = ["label_gains", "classes_of_round_0", "classes_of_round_1", "placed_combinations"]
    files = [f"sql/*_{name}.sql" for name in (*steps, "release")]
    yield "clinic_refined", compiled(folder, "refined", *files, keys=refined)
    yield "clinic_mondrian", compiled(folder, "mondrian")
    yield "clinic_snowflake", compiled(folder, "plan", dialect="snowflake")
    yield "clinic_dbt", of_dbt(folder)
    for engine, file in (("postgres", "sql/program.sql"), ("spark", "release.sql")):
        there = {"engine": engine, "source": {"table": "clinic.patients"},
                 "publish": {"table": "clinic.published"}}  # fmt: skip
        (folder / f"{engine}.yml").write_text(json.dumps({**keys, **there}), encoding="utf-8")
        shutil.copy(folder / "plan.solution.json", folder / f"{engine}.solution.json")
        yield f"clinic_{engine}", compiled(folder, engine, file)


def of_dbt(folder: Path) -> str:
    """What `dbt export` writes for the clinic, but for seeds and the package."""
    project = folder / "project"
    for place in ("models", "seeds"):
        (project / place).mkdir(parents=True)
    (project / "dbt_project.yml").write_text("{name: p, profile: p}", encoding="utf-8")
    (project / "models/patients.sql").write_text("select 1 as patient_id", encoding="utf-8")
    sqlanon.dbt_export(folder / "plan.yml", project, dialect="duckdb")
    files = [file for file in sorted(project.glob("models/**/*.sql")) if "anon" in str(file)]
    assert files
    return "\n".join(f"-- {file.name}\n{file.read_text(encoding='utf-8')}" for file in files)


def programs(folder: Path, patch: pytest.MonkeyPatch) -> Iterator[tuple[str, str]]:
    """Every text of `tests/golden/programs/`, by its name."""
    patch.setenv("SQLANON_PSEUDONYM_KEY", KEY)
    with pytest.MonkeyPatch.context() as same:  # a solution of DuckDB is that of another database
        same.setattr(Plan, "sha256", "ab" * 32)
        yield from of_the_clinic(folder / "clinic")
    tables(folder)
    plans = plans_of(folder)
    for name in BUCKETS:
        keys = json.loads(plans[name].read_text(encoding="utf-8"))
        yield name, compiled(folder, name, keys=keys)
    for name, keys in LATTICE.items():
        plan = plan_of(folder, name, {"name": "optimal"}, [K], publish=f"{name}.parquet")
        keys = json.loads(plan.read_text(encoding="utf-8")) | keys
        yield name, compiled(folder, name, keys=keys)


def of_models(texts: dict[str, list[Rendered]]) -> Iterator[tuple[str, str]]:
    """The select of each variant of a model, as `verify` asks it."""
    for cls in PRIVACY_MODELS:
        variants = dict.fromkeys(cls.model_validate(each).template for each in cls.reference_bounds)
        yield (
            default_of(cls, "model"),
            "\n".join(
                next(each.text for each in texts[variant] if each.inputs["excess"] is False)
                for variant in variants
            ),
        )


MAIN = {
    "background-knowledge": "background_knowledge_ruled_out", "minimality": "minimality_profiles",
}  # fmt: skip
"""The main select of attacks that have no template of their name."""


def of_attacks(texts: dict[str, list[Rendered]]) -> Iterator[tuple[str, str]]:
    """The main select of each attack."""
    for cls in ATTACKS:
        name = default_of(cls, "name")
        yield name, texts[f"attacks/{MAIN.get(name, name)}.sql"][0].text


def of_hierarchies(texts: dict[str, list[Rendered]]) -> Iterator[tuple[str, str]]:
    """The step of a hierarchy of each kind."""
    for key, kind in HIERARCHY_KINDS.items():
        yield key, texts[kind.template][0].text


@pytest.fixture(scope="module")
def goldens(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Every golden text, by the path of its file."""
    folder = tmp_path_factory.mktemp("golden")
    with pytest.MonkeyPatch.context() as patch:
        found = {f"programs/{name}": text for name, text in programs(folder, patch)}
    texts = rendered()
    for what, made in (("privacy_models", of_models), ("attacks", of_attacks),
                       ("hierarchies", of_hierarchies)):  # fmt: skip
        found |= {f"{what}/{name.replace('-', '_')}": text for name, text in made(texts)}
    for pattern, instead in FIXED:
        found = {name: re.sub(pattern, instead, text) for name, text in found.items()}
    return {f"{name}.sql": f"{text.strip()}\n" for name, text in found.items()}


def test_texts_are_the_golden_files(goldens: dict[str, str]) -> None:
    if os.environ.get(UPDATE):
        shutil.rmtree(GOLDEN)
        for path, text in goldens.items():
            (GOLDEN / path).parent.mkdir(parents=True, exist_ok=True)
            (GOLDEN / path).write_text(text, encoding="utf-8", newline="\n")
    there = {file.relative_to(GOLDEN).as_posix() for file in GOLDEN.rglob("*.sql")}
    assert there == goldens.keys(), f"{UPDATE}=1 writes them"
    for path, text in goldens.items():
        assert (GOLDEN / path).read_text(encoding="utf-8") == text, path
