"""What templates render in real runs: texts for the golden files, and for the rules of style.

A small table is published by every method, proven and attacked in every way; `rendered` has each
text that templates made meanwhile.
"""

from __future__ import annotations

import csv
import functools
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import sqlanon
import sqlanon.sql.render as rendering
from sqlanon import Options
from sqlanon.attacks.base import AttackRelations
from sqlanon.attacks.histories import Histories
from sqlanon.errors import PlanError
from sqlanon.families import release_by_place
from sqlanon.plan.engine import DuckDBKeys
from sqlanon.plan.file import load_plan
from sqlanon.privacy_models.base import ClassRelations
from sqlanon.search import partition
from sqlanon.source.hierarchies import hierarchy_step
from sqlanon.source.hierarchy_files import resolve_hierarchies
from sqlanon.sql.paths import written
from sqlanon.sql.render import folded
from tests.oracles.hierarchies import KINDS
from tests.oracles.measures import MEASURES
from tests.oracles.models import KNOWN
from tests.paths import ROOT
from tests.support.secret_texts import KEY, SEED, SEED_VARIABLE
from tests.support.tables import write_csv

DISEASES = ("flu", "asthma", "ulcer", "gastritis")
AGES = ("21", "24", "27", "33", "35", "38")
ZIPS = ("4780", "4781", "4790", "4791")


def tables(folder: Path) -> None:
    """Twenty-four persons, half of them patients; two releases; what somebody knows beforehand."""
    persons = [(AGES[n % 6], ZIPS[(n * n + n // 6) % 4]) for n in range(24)]
    write_csv(folder / "everybody.csv", [("age", "zip"), *persons])
    patients = [(*persons[n], DISEASES[(n + n // 8) % 4]) for n in range(0, 24, 2)]
    write_csv(folder / "patients.csv", [("age", "zip", "disease"), *patients])
    write_csv(folder / "zip.csv", [(z, f"{z[:3]}*", "*") for z in ZIPS])
    write_csv(folder / "age.csv", [(a, f"{a[0]}x", "*") for a in AGES])
    visits = [(n % 12, *patients[n % 12]) for n in range(30)]
    write_csv(folder / "visits.csv", [("person", "age", "zip", "disease"), *visits])
    write_csv(
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


SAMPLED: dict[str, dict[str, Any]] = {
    "listed_parts": {},
    "group_order": {},
    "original_matches": {"part_count": 2, "order": [2, 1], "samples": 20_000},
}
"""Templates of what is sampled in large tables, and their inputs."""


class Rendered(NamedTuple):
    """A text that a template made, and the variables that it was given."""

    text: str
    inputs: dict[str, Any]


MOST = 12
"""Texts of a template that are kept."""


@contextmanager
def watched(found: dict[str, list[dict[str, Any]]]) -> Iterator[None]:
    """The variables of everything that is rendered meanwhile, by template."""
    real = rendering._environment()

    class Watching:
        def get_template(self, name: str) -> Any:
            template = real.get_template(name)

            class Noting:
                def render(self, **inputs: Any) -> str:
                    found.setdefault(name, []).append(inputs)
                    return template.render(**inputs)

                module = property(lambda self: template.module)

            return Noting()

        def __getattr__(self, name: str) -> Any:
            return getattr(real, name)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rendering, "_environment", Watching)
        yield


@functools.cache
def rendered() -> dict[str, list[Rendered]]:
    """The first texts of every template, all different, with `/data` for the folder of the runs."""
    found: dict[str, list[dict[str, Any]]] = {}
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        patch.chdir(name)
        patch.setenv("SQLANON_PSEUDONYM_KEY", KEY)
        patch.setenv(SEED_VARIABLE, SEED)
        folder = Path(name)
        tables(folder)
        with watched(found):
            _runs(folder)
            _lattices(folder)
            _others(folder)
            _models()
            _histories()
        patch.setattr(rendering, "folded", lambda sql: folded(sql.replace(name, "/data")))
        texts: dict[str, dict[str, Rendered]] = {}
        for template, inputs in ((t, i) for t, each in found.items() for i in each):
            kept = texts.setdefault(template, {})
            if len(kept) < MOST:
                text = rendering.render(template, **inputs)
                kept.setdefault(text, Rendered(written(text), inputs))
    return {template: [*kept.values()] for template, kept in texts.items()}


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
    write_csv(folder / "background.csv", known)
    for name in ("regions", "anatomy", "permuted", "sliced", "combined", "beside", "classes"):
        sqlanon.attack(
            str(folder / name / f"{name}.csv"),
            plans[name],
            population=str(folder / "everybody.csv") if name != "beside" else None,
            background=str(folder / "background.csv") if name == "regions" else None,
            earlier=str(folder / "coarser/coarser.csv") if name == "regions" else None,
        )


def _lattices(folder: Path) -> None:
    """Nodes by every measure, with every kind of hierarchy; persons; a survey; a report."""
    for known in KINDS.values():
        for name, content in known.files.items():
            (folder / name).write_text(content, encoding="utf-8")
    k = [{"model": "k-anonymity", "k": 2}]
    for name, measure in MEASURES.items():
        for parameters in measure.golden.values():
            objective = {"name": name, **parameters}
            plan = plan_of(folder, name, {"name": "optimal", "objective": objective}, k)
            sqlanon.solve(plan)
    for known in KINDS.values():
        job = {"role": "quasi-identifier", "hierarchy": known.rule}
        kinds = load_plan(plan_of(folder, "kinds", {"name": "optimal"}, k, columns={"job": job}))
        hierarchy_step("job", resolve_hierarchies(kinds, None)["job"])


def _others(folder: Path) -> None:
    """Further forms of cuts and of nodes, persons, a survey, pages, and questions of commands."""
    k = [{"model": "k-anonymity", "k": 2}]
    values = {"model": "l-diversity", "l": 2, "attribute": "disease"}
    tree = {"model": "t-closeness", "distance": "hierarchical", "t": 1, "attribute": "disease"}
    half = {"model": "delta-presence", "dmin": 0, "dmax": 0.9}
    columns: dict[str, Any] = {
        "age": {"role": "quasi-identifier", "type": "numeric"},
        "zip": {"role": "quasi-identifier", "hierarchy": "zip.csv"},
        "disease": {"role": "sensitive", "hierarchy": "disease.csv"},
    }
    everybody: dict[str, Any] = {"population": "everybody.csv"}
    of_persons = {"source": "visits.csv", "suppression": {"limit": 1}}
    pseudonym = {"role": "identifier", "action": "pseudonym", "key": "random"}
    linked = {"column": "person", "histories": "linked", "rows": 2}
    further: dict[str, tuple[dict[str, Any], list[dict[str, Any]], dict[str, Any]]] = {
        "extremes": ({"name": "mondrian", "labels": "region"}, [*k, values], {"columns": columns}),
        "rounds": ({"name": "mondrian", "execution": "rounds"}, k, {"columns": columns}),
        "everybody": ({"name": "mpalm"}, [*k, half], {"columns": columns, **everybody}),
        "split": ({"name": "dimension-splitting"}, [*k, values], {"columns": columns}),
        "cut_persons": ({"name": "mondrian"}, k,
                        {"source": "visits.csv", "unit": "person",
                         "columns": columns | {"person": "identifier"}}),
        "masked": ({"name": "optimal"}, [*k, tree], {"suppression": {"limit": 1, "rows": "mask"}}),
        "joint": ({"name": "incognito"}, [*k, {**values, "mode": "joint"}], {
            "columns": columns | {"age": "quasi-identifier"}, "suppression": {"limit": 0.9}}),
        "groups": ({"name": "optimal"}, k, {"columns": columns | {
            "age": {"role": "quasi-identifier", "hierarchy": {"groups": {"of": 2, "round": 2}}}}}),
        "present": ({"name": "samarati"}, [half], everybody),
        "unit": ({"name": "optimal"}, [*k, values], {
            **of_persons, "unit": "person", "columns": columns | {"age": columns["zip"] | {
                "hierarchy": "age.csv"}, "person": "identifier"}}),
        "passes": ({"name": "optimal", "passes": {"size": 3}}, [*k, values], {
            **of_persons, "columns": columns | {"age": columns["zip"] | {
                "hierarchy": "age.csv"}, "person": "identifier"}}),
        "passes_of_persons": ({"name": "optimal", "passes": "auto"}, k, {
            **of_persons, "unit": "person", "columns": columns | {"age": columns["zip"] | {
                "hierarchy": "age.csv"}, "person": "identifier"}}),
        "refined": ({"name": "optimal", "refine": True}, k, {
            **of_persons, "unit": "person", "columns": columns | {"age": columns["zip"] | {
                "hierarchy": "age.csv"}, "person": "identifier"}}),
        "linked": ({"name": "optimal"}, k, {
            **of_persons, "unit": linked, "columns": columns | {"age": columns["zip"] | {
                "hierarchy": "age.csv"}, "person": pseudonym}}),
    }  # fmt: skip
    for name, (method, privacy, keys) in further.items():
        plan = plan_of(folder, name, method, privacy, publish=f"{name}/{name}.parquet", **keys)
        with suppress(PlanError):
            sqlanon.compile(plan)  # the program that searches
        sqlanon.run(plan, Options(report=True))
        sqlanon.verify(f"{name}/{name}.parquet", plan, with_source=name != "linked")
    sqlanon.verify("unit/unit.parquet", sqlanon.promised(
        {"path": "unit/unit.parquet"}, ["age"], ["disease"], [{"model": "k-anonymity", "k": 99}]
    ), list_failing=3)  # fmt: skip
    sqlanon.init("visits.csv", choose=lambda _: {"role of person": "unit"})
    sqlanon.init(ROOT / "examples/hospital/visits.csv", histories=True)
    sqlanon.init(ROOT / "examples/hospital/visits.csv", standard="hipaa-safe-harbor")
    sqlanon.profile(plan)
    sqlanon.risk("patients.csv", quasi_identifiers=["age", "zip"], population="everybody.csv")
    sqlanon.risk(
        "visits.csv", quasi_identifiers=["zip", "disease"], weight="age", household="person"
    )
    cells = {
        "born": [f"199{n % 4}-02-0{n % 5 + 1}" for n in range(24)],
        "cost": [str(n % 7) for n in range(24)],
        "sex": ["f", "m"] * 12,
    }
    write_csv(folder / "costs.csv", [tuple(cells), *zip(*cells.values(), strict=True)])
    quasi_identifier = {"role": "quasi-identifier"}
    several = plan_of(folder, "several", {"name": "optimal"}, [
        {"model": "alpha-k-anonymity", "alpha": 1, "k": 2, "attribute": "sex", "values": ["f"]},
        {"model": "k-e-anonymity", "k": 2, "e": 1, "attribute": "cost"},
    ], source={"path": "costs.csv", "types": {"born": "DATE"}}, suppression={"limit": 0.9},
       columns={"born": quasi_identifier | {"hierarchy": {"date": ["month", "year", "decade"]}},
                "sex": "sensitive", "cost": "sensitive"},
       publish="costs.duckdb::costs")  # fmt: skip
    sqlanon.run(several)
    changed = plan_of(folder, "changed", {"name": "optimal"}, k, source="costs.csv", columns={
        "sex": quasi_identifier | {"publish": "mode"},
        "cost": {"role": "sensitive", "publish": "mean"},
        "born": {"role": "insensitive", "publish": {"round": "quarter", "top": "1994-01-01"}},
    })  # fmt: skip
    sqlanon.run(changed)
    sqlanon.run(plan_of(folder, "kinds", {"name": "mondrian"}, k, source="costs.csv",
                        columns=dict.fromkeys(cells, quasi_identifier)))  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:  # as many rows are released
        patch.setattr(release_by_place, "_MANY_ROWS", 1)
        patch.setattr(release_by_place, "ROWS_EACH", 0)
        patch.setattr(partition, "ROWS_EACH", 0)
        for name, privacy in (("counted_in_steps", [*k, values]), ("in_steps", k)):
            sqlanon.run(plan_of(folder, name, {"name": "optimal"}, privacy, columns=columns | {
                "age": quasi_identifier}, suppression={"limit": 0.9}))  # fmt: skip
        sqlanon.run(changed)
        sqlanon.run(plan_of(
            folder, "passes_in_steps", {"name": "optimal", "passes": "auto"}, k,
            columns=columns | {"age": columns["zip"] | {"hierarchy": "age.csv"}},
            suppression={"limit": 1},
        ))  # fmt: skip
        periods = {"aggregate": "interval", "round": "year"}
        of_class = {"sex": "quasi-identifier", "born": {"role": "insensitive", "publish": periods},
                    "cost": {"role": "sensitive", "publish": "set"}}  # fmt: skip
        sqlanon.run(plan_of(folder, "of_class", {"name": "optimal"}, k, source="costs.csv",
                            columns=of_class))  # fmt: skip
        sqlanon.run(plan_of(folder, "dealt_in_steps", {"name": "stack-and-deal"}, k))
        patch.setattr(DuckDBKeys, "keeps_order", False)  # as in other databases
        sqlanon.run(plan_of(folder, "of_classes", {"name": "optimal"}, k))
    sqlanon.check_hierarchies(several)
    sqlanon.show_hierarchy(several, "born")
    for name, inputs in SAMPLED.items():
        rendering.render(f"slicing/{name}.sql", **inputs)


def _models() -> None:
    """Every model as `verify` asks it, with the parameters of its golden file."""
    for known in KNOWN.values():
        for parameters in known.module.GOLDEN.values():
            about = {"attribute": "diagnosis"} if known.about_values else {}
            model = known.cls.model_validate({**parameters, **about})
            relations = ClassRelations(
                class_key=["age", "sex"],
                classes="sqlanon.published_equivalence_classes",
                class_values="sqlanon.published_class_values_of_diagnosis",
                table_values="sqlanon.table_values_of_diagnosis",
                value_levels="sqlanon.value_levels_of_diagnosis",
                labels=["age", "sex"],
            )
            model.sql(relations)


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
