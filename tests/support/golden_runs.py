"""What templates render in real runs: texts for the golden files, and for the rules of style.

A small table is published by every method, proven and attacked in every way; `rendered` has each
text that templates made meanwhile.
"""

from __future__ import annotations

import csv
import functools
import json
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import jinja2
import pytest

import sqlanon
import sqlanon.sql.render as rendering
from sqlanon import Options
from sqlanon.attacks.base import AttackRelations
from sqlanon.attacks.histories import Histories
from sqlanon.errors import PlanError
from sqlanon.plan.engine import DuckDBKeys
from sqlanon.plan.file import load_plan
from sqlanon.privacy_models.base import ClassRelations
from sqlanon.source.hierarchies import hierarchy_step
from sqlanon.source.hierarchy_files import resolve_hierarchies
from sqlanon.sql.paths import written
from sqlanon.sql.render import folded
from tests.oracles.hierarchies import KINDS
from tests.oracles.measures import MEASURES
from tests.oracles.models import KNOWN
from tests.paths import ROOT
from tests.support.searching import release_in_steps
from tests.support.secret_texts import KEY, SEED, SEED_VARIABLE
from tests.support.tables import write_csv

DISEASES = ("flu", "asthma", "ulcer", "gastritis")
AGES = ("21", "24", "27", "33", "35", "38")
ZIPS = ("4780", "4781", "4790", "4791")


QUASI_IDENTIFIER = {"role": "quasi-identifier"}
COLUMNS: dict[str, Any] = {
    "age": {**QUASI_IDENTIFIER, "hierarchy": "age.csv"},
    "zip": {**QUASI_IDENTIFIER, "hierarchy": "zip.csv"},
    "disease": {"role": "sensitive", "hierarchy": "disease.csv"},
}
OF_PERSONS = {**COLUMNS, "person": "identifier"}
NUMERIC = {**COLUMNS, "age": {**QUASI_IDENTIFIER, "type": "numeric"}}
K2 = {"model": "k-anonymity", "k": 2}


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
    places = [(d, "lung" if d in DISEASES[:2] else "gut", "*") for d in DISEASES]
    write_csv(folder / "disease.csv", places)


def plan_of(
    folder: Path,
    name: str,
    method: Mapping[str, Any],
    privacy: Sequence[Mapping[str, Any]],
    **others: Any,
) -> Path:
    """A plan in a file, with paths from its own folder."""
    content = {
        "source": "patients.csv",
        "columns": COLUMNS,
        "privacy": list(privacy),
        "method": dict(method),
        "publish": f"{name}/{name}.csv",
        **others,
    }
    path = folder / f"{name}.yml"
    path.write_text(json.dumps(content), encoding="utf-8")  # JSON is YAML
    return path


class Rendered(NamedTuple):
    """A text that a template made, and the variables that it was given."""

    text: str
    inputs: dict[str, Any]


MOST = 12
"""Texts of a template that are kept."""


@functools.cache
def rendered() -> dict[str, list[Rendered]]:
    """The first texts of every template, all different, with `/data` for the folder of the runs."""
    found: dict[str, list[dict[str, Any]]] = {}
    real = jinja2.Template.render

    def noting(template: jinja2.Template, **inputs: Any) -> str:
        if template.environment is rendering._environment():
            found.setdefault(str(template.name), []).append(inputs)
        return real(template, **inputs)

    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        patch.chdir(name)
        patch.setenv("SQLANON_PSEUDONYM_KEY", KEY)
        patch.setenv(SEED_VARIABLE, SEED)
        folder = Path(name)
        tables(folder)
        with pytest.MonkeyPatch.context() as watching:
            watching.setattr(jinja2.Template, "render", noting)
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
    half = {"model": "l-diversity", "kind": "frequency", "l": 2}
    present = {"model": "delta-presence", "dmin": 0, "dmax": 0.8}
    relaxed = {"partitioning": "relaxed", "columns": "one-attribute-per-column"}
    methods: dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = {
        "dealt": ({"name": "stack-and-deal", "within": {"age": 1}}, K2, {}),
        "classes": ({"name": "stack-and-deal", "publish_as": "classes"}, K2, {}),
        "anatomy": ({"name": "anatomy"}, half, {}),
        "permuted": ({"name": "anatomy", "permute": True}, half, {}),
        "bucketized": ({"name": "bucketization"}, K2, {}),
        "sliced": ({"name": "slicing"}, half, {}),
        "beside": ({"name": "slicing", "columns": [["zip"], ["age", "disease"]]}, K2, {}),
        "combined": ({"name": "combined"}, present, {"population": "everybody.csv"}),
        "regions": ({"name": "mondrian"}, K2, {}),
        "coarser": ({"name": "mondrian"}, {**K2, "k": 3}, {}),
        "overlapping": (
            {"name": "slicing", **relaxed}, K2, {"columns": {**NUMERIC, "disease": "sensitive"}},
        ),
    }  # fmt: skip
    return {
        name: plan_of(folder, name, method, [promise], **keys)
        for name, (method, promise, keys) in methods.items()
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
    for name, measure in MEASURES.items():
        for parameters in measure.golden.values():
            objective = {"name": name, **parameters}
            sqlanon.solve(plan_of(folder, name, {"name": "optimal", "objective": objective}, [K2]))
    for known in KINDS.values():
        columns = {"job": {**QUASI_IDENTIFIER, "hierarchy": known.rule}}
        kinds = load_plan(plan_of(folder, "kinds", {"name": "optimal"}, [K2], columns=columns))
        hierarchy_step("job", resolve_hierarchies(kinds, None)["job"])


def _others(folder: Path) -> None:
    """Further forms of cuts and of nodes, persons, a survey, pages, and questions of commands."""
    k, optimal = [K2], {"name": "optimal"}
    values = {"model": "l-diversity", "l": 2, "attribute": "disease"}
    tree = {"model": "t-closeness", "distance": "hierarchical", "t": 1, "attribute": "disease"}
    half = {"model": "delta-presence", "dmin": 0, "dmax": 0.9}
    numeric: dict[str, Any] = {"columns": NUMERIC}
    everybody: dict[str, Any] = {"population": "everybody.csv"}
    visits = {"source": "visits.csv", "suppression": {"limit": 1}, "columns": OF_PERSONS}
    of_unit = {**visits, "unit": "person"}
    cut_persons = {"source": "visits.csv", "unit": "person",
                   "columns": {**NUMERIC, "person": "identifier"}}  # fmt: skip
    joint = {"columns": {**COLUMNS, "age": "quasi-identifier"}, "suppression": {"limit": 0.9}}
    pseudonym = {"role": "identifier", "action": "pseudonym", "key": "random"}
    linked = {
        **visits,
        "unit": {"column": "person", "histories": "linked", "rows": 2},
        "columns": {**COLUMNS, "person": pseudonym},
    }
    groups = {**QUASI_IDENTIFIER, "hierarchy": {"groups": {"of": 2, "round": 2}}}
    further: dict[str, tuple[dict[str, Any], list[dict[str, Any]], dict[str, Any]]] = {
        "extremes": ({"name": "mondrian", "labels": "region"}, [*k, values], numeric),
        "rounds": ({"name": "mondrian", "execution": "rounds"}, k, numeric),
        "everybody": ({"name": "mpalm"}, [*k, half], numeric | everybody),
        "split": ({"name": "dimension-splitting"}, [*k, values], numeric),
        "cut_persons": ({"name": "mondrian"}, k, cut_persons),
        "masked": (optimal, [*k, tree], {"suppression": {"limit": 1, "rows": "mask"}}),
        "joint": ({"name": "incognito"}, [*k, {**values, "mode": "joint"}], joint),
        "groups": (optimal, k, {"columns": {**COLUMNS, "age": groups}}),
        "present": ({"name": "samarati"}, [half], everybody),
        "unit": (optimal, [*k, values], of_unit),
        "passes": ({**optimal, "passes": {"size": 3}}, [*k, values], visits),
        "passes_of_persons": ({**optimal, "passes": "auto"}, k, of_unit),
        "refined": ({**optimal, "refine": True}, k, of_unit),
        "linked": (optimal, k, linked),
    }
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
    known = ["zip", "disease"]
    sqlanon.risk("visits.csv", quasi_identifiers=known, weight="age", household="person")
    costs = [(f"199{n % 4}-02-0{n % 5 + 1}", str(n % 7), "fm"[n % 2]) for n in range(24)]
    write_csv(folder / "costs.csv", [("born", "cost", "sex"), *costs])
    dates = {"date": ["month", "year", "decade"]}
    several = plan_of(
        folder, "several", optimal,
        [
            {"model": "alpha-k-anonymity", "alpha": 1, "k": 2, "attribute": "sex", "values": ["f"]},
            {"model": "k-e-anonymity", "k": 2, "e": 1, "attribute": "cost"},
        ],
        source={"path": "costs.csv", "types": {"born": "DATE"}}, suppression={"limit": 0.9},
        columns={"born": {**QUASI_IDENTIFIER, "hierarchy": dates}, "sex": "sensitive",
                 "cost": "sensitive"},
        publish="costs.duckdb::costs",
    )  # fmt: skip
    sqlanon.run(several)
    changes = {
        "sex": {**QUASI_IDENTIFIER, "publish": "mode"},
        "cost": {"role": "sensitive", "publish": "mean"},
        "born": {"role": "insensitive", "publish": {"round": "quarter", "top": "1994-01-01"}},
    }
    changed = plan_of(folder, "changed", optimal, k, source="costs.csv", columns=changes)
    sqlanon.run(changed)
    kinds = dict.fromkeys(("born", "cost", "sex"), "quasi-identifier")
    cut = {"name": "mondrian"}
    sqlanon.run(plan_of(folder, "kinds", cut, k, source="costs.csv", columns=kinds))
    with pytest.MonkeyPatch.context() as patch:  # as many rows are released
        release_in_steps(patch)
        for name, privacy in (("counted_in_steps", [*k, values]), ("in_steps", k)):
            sqlanon.run(plan_of(folder, name, optimal, privacy, **joint))
        sqlanon.run(changed)
        passes, all_rows = {**optimal, "passes": "auto"}, {"limit": 1}
        sqlanon.run(plan_of(folder, "passes_in_steps", passes, k, suppression=all_rows))
        periods = {"aggregate": "interval", "round": "year"}
        of_class = {"sex": "quasi-identifier", "born": {"role": "insensitive", "publish": periods},
                    "cost": {"role": "sensitive", "publish": "set"}}  # fmt: skip
        sqlanon.run(plan_of(folder, "of_class", optimal, k, source="costs.csv", columns=of_class))
        sqlanon.run(plan_of(folder, "dealt_in_steps", {"name": "stack-and-deal"}, k))
        patch.setattr(DuckDBKeys, "keeps_order", False)  # as in other databases
        sqlanon.run(plan_of(folder, "of_classes", optimal, k))
    sqlanon.check_hierarchies(several)
    sqlanon.show_hierarchy(several, "born")
    rendering.render("slicing/listed_parts.sql")  # of what is sampled in large tables
    rendering.render("slicing/group_order.sql")
    rendering.render("slicing/original_matches.sql", part_count=2, order=[2, 1], samples=20_000)


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
