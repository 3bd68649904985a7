"""The command `risk`: its figures on sources and publications, with populations and weights."""

from __future__ import annotations

import json
import math
import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import pytest

import sqlanon
from sqlanon.errors import PlanError, PrivacyViolation
from tests.oracles import risk as oracle
from tests.plan.plans import plan_of
from tests.support.doc_pages import copied_examples
from tests.support.tables import write_csv

pytestmark = pytest.mark.usefixtures("folder")


def write(name: str, header: str, rows: Sequence[Sequence[Any]]) -> str:
    return write_csv(name, [header.split(","), *rows])


def selected(query: str) -> list[tuple[Any, ...]]:
    return duckdb.connect().execute(query).fetchall()


def table(seed: int = 1, rows: int = 60) -> list[tuple[str, str, str]]:
    rng = random.Random(seed)
    return [(rng.choice("abcde"), rng.choice("xyz"), rng.choice("12")) for _ in range(rows)]


def test_what_rows_prove_and_equal_weights_estimate() -> None:
    """Of columns that have names of the templates, too."""
    rows, names = table(rows=40), ["members", "value", "row_key"]
    write("people.csv", ",".join(names), rows)
    found = sqlanon.risk("people.csv", quasi_identifiers=names, population_size=400)
    sizes = Counter(rows)
    smallest = min(sizes.values())
    expected = {
        "rows": 40, "classes": len(sizes), "smallest class": smallest,
        "sample uniques": sum(n == 1 for n in sizes.values()),
        "highest prosecutor risk": 1 / smallest, "average prosecutor risk": len(sizes) / 40,
        "highest SUDA score": max(oracle.suda_scores(rows, 3)),
        "minimal sample uniques": sum(map(len, oracle.minimal_sets(rows, 3))),
    }  # fmt: skip
    assert {name: found.value(name) for name in expected} == expected
    risks = [oracle.individual_risk(sizes[row], 10 * sizes[row]) for row in rows]
    model = "Benedetti and Franconi, equal weights"
    assert found.value("highest individual risk", model) == pytest.approx(max(risks))
    assert found.value("rows that are expected to be found", model) == pytest.approx(sum(risks))
    assert all(bool(one.model) == (one.basis == "estimated") for one in found.figures)
    titles = {block.title.split(":")[0] for block in found.displayed()}
    assert titles == {"proven", "estimated"}
    content = json.loads(json.dumps(found.as_json()))
    assert {one["basis"] for one in content["figures"]} == titles
    assert len(found.records()) == len(found.figures)
    assert "<table>" in found._repr_html_()
    bare = sqlanon.risk(duckdb.read_csv("people.csv", all_varchar=True), quasi_identifiers=names)
    assert {one.basis for one in bare.figures} == {"proven"}
    assert "--population-size" in bare.warnings[0]
    with pytest.raises(KeyError):
        bare.value("population uniques")


def test_a_population_is_measured_as_verify_measures_it() -> None:
    rows, others = table(rows=40), table(2, 500)
    write("people.csv", "a,b,c", rows)
    write("register.csv", "a,b,c", [*rows, *others])
    about: dict[str, Any] = {"quasi_identifiers": [*"abc"], "population": "register.csv"}
    found = sqlanon.risk("people.csv", **about)
    persons = Counter([*rows, *others])
    assert found.value("persons of the population") == 540
    assert found.value("highest journalist risk") == 1 / min(persons[row] for row in rows)
    share = sum(1 / persons[row] for row in rows) / 40
    assert found.value("marketer risk") == pytest.approx(share)
    names = {
        "journalist-risk": "highest journalist risk", "marketer-risk": "marketer risk",
        "prosecutor-risk": "highest prosecutor risk", "average-risk": "average prosecutor risk",
    }  # fmt: skip
    verified = sqlanon.verify(
        "people.csv", promises=[{"model": model, "threshold": 1} for model in names], **about
    )
    for finding, name in zip(verified, names.values(), strict=True):
        assert found.value(name) == pytest.approx(float(finding.measured or 0))
    bases = {one.basis for one in found.figures if one.name in list(names.values())[:2]}
    assert bases == {"measured"}
    # three persons of whom the population has one, among nine others
    write("people.csv", "a,b,c", [("x", 1, 1)] * 3 + [("y", 1, 1)])
    write("register.csv", "a,b,c", [("x", 1, 1)] + [("y", 1, 1)] * 9)
    with pytest.raises(PlanError, match=r"^population  1 class\(es\) of the table are larger"):
        sqlanon.risk("people.csv", **about)


def test_weights_and_households() -> None:
    rng = random.Random(5)
    rows = [
        (*row, f"h{n // 3}" if n < 57 else "", rng.randint(10, 400) / 10)
        for n, row in enumerate(table())
    ]
    write("survey.csv", "class_size,share,p,household,weight", rows)
    names = ["class_size", "share", "p"]
    found = sqlanon.risk(
        "survey.csv", quasi_identifiers=names, weight="weight", household="household"
    )
    sizes = Counter(row[:3] for row in rows)
    weights: dict[tuple[str, ...], float] = defaultdict(float)
    for *key, _, weight in rows:
        weights[tuple(key)] += weight
    risks = [oracle.individual_risk(sizes[row[:3]], weights[row[:3]]) for row in rows]
    homes: dict[str, list[float]] = {}
    for n, (row, risk) in enumerate(zip(rows, risks, strict=True)):
        homes.setdefault(row[3] or f"alone {n}", []).append(1 - risk)
    of_homes = [1 - math.prod(each) for each in homes.values()]
    model = "Benedetti and Franconi"
    for kind, each, name in (
        ("individual", risks, "rows"), ("household", of_homes, "households"),
    ):  # fmt: skip
        assert found.value(f"highest {kind} risk", model) == pytest.approx(max(each))
        expected = found.value(f"{name} that are expected to be found", model)
        assert expected == pytest.approx(sum(each))
    alone = sum(n == 1 for n in Counter((*row[:3], row[4]) for row in rows).values())
    shown = f"The weight is a quasi-identifier: with it {alone} rows"
    assert any(shown in warning for warning in found.warnings)


@pytest.mark.parametrize("weight", ["", "0.5", "-3", "many", "NaN", "inf"])
def test_a_weight_that_stands_for_nobody_is_refused(weight: str) -> None:
    write("survey.csv", "a,b,weight", [("x", "y", 10), ("x", "y", weight)])
    with pytest.raises(PlanError, match="1 rows have no weight"):
        sqlanon.risk("survey.csv", quasi_identifiers=["a", "b"], weight="weight")


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"quasi_identifiers": []}, "quasi-identifiers are required"),
        ({"quasi_identifiers": ["a", "zip"]}, "no quasi-identifier 'zip'"),
        ({"weight": "w"}, "no weight 'w'"),
        ({"household": "h"}, "no household 'h'"),
        ({"population_size": 59}, "The population has 59 persons"),
        ({"population": "none.csv"}, "does not exist"),
        ({"plan": {}}, "both say what the table is"),
        ({"largest_set": 0}, "largest_set"),
        ({"k": 0}, "k must be a whole number"),
        ({"weight": 3}, "no weight '3'"),
        ({"quasi_identifiers": [3]}, "must be text"),
        ({"population_size": 0}, "population_size"),
    ],
)
def test_what_cannot_be_asked(keywords: dict[str, Any], message: str) -> None:
    write("people.csv", "a,b,c", table())
    with pytest.raises(PlanError, match=message):
        sqlanon.risk("people.csv", **{"quasi_identifiers": ["a"], **keywords})


def test_an_empty_table_has_no_risk() -> None:
    write("people.csv", "a,b", [])
    with pytest.raises((PlanError, PrivacyViolation)):
        sqlanon.risk("people.csv", quasi_identifiers=["a", "b"])


def test_a_source_and_its_publication() -> None:
    """The labels of the publication divide the population, as in `verify`."""
    folder = copied_examples(Path()) / "examples/clinic"
    plan, rows = folder / "plan.yml", folder / "patients_k5.parquet"
    sqlanon.run(plan)
    source = sqlanon.risk(folder / "patients.csv", plan)
    published = sqlanon.risk(rows, plan, population_size=8000)
    assert (source.value("rows"), source.value("sample uniques")) == (2000, 2000)
    assert source.columns[0].column == "born"
    assert published.value("smallest class") == 5
    assert published.value("population uniques", "Dankar's rule") == 0
    assert (published.columns, published.sets) == ((), ())
    assert [(published.value("rows"),)] == selected(f"select count(*) from '{rows}'")
    keys: dict[str, Any] = {"population": "residents.csv"}
    promises = [[{"model": "k-map", "k": 10}], [{"model": "journalist-risk", "threshold": 1}]]
    mapped, risk = ({**keys, "privacy": privacy} for privacy in promises)
    sqlanon.run(plan, overrides=mapped)
    found = sqlanon.risk(rows, plan, overrides=mapped)
    (measured,) = sqlanon.verify(rows, plan, manifest=False, overrides=risk)
    assert found.value("persons of the population") == 8000
    assert found.value("highest journalist risk") == measured.measured
    buckets = {"method": "anatomy", "publish": "some/rows.parquet"}
    diverse = [{"model": "l-diversity", "l": 2, "attribute": "diagnosis"}]
    with pytest.raises(PlanError, match="The rows of buckets have no classes"):
        sqlanon.risk(folder / "patients.csv", plan, overrides={**buckets, "privacy": diverse})


def test_persons_with_several_rows() -> None:
    """Classes count persons, in the source by their key and in a publication by its column."""
    visits = f"{copied_examples(Path())}/examples/hospital/visits.csv"
    duckdb.execute(f"copy (select patient_id, sex, zip from '{visits}') to 'visits.csv'")
    columns = {"patient_id": "identifier"} | dict.fromkeys(("sex", "zip"), "quasi-identifier")
    plan = plan_of(columns, "visits.csv", privacy=[{"model": "k-anonymity", "k": 5}])
    plan |= {"unit": "patient_id", "suppression": {"limit": 0.9}, "publish": "visits.parquet"}
    sqlanon.run(plan)
    source = sqlanon.risk("visits.csv", plan, population_size=10**6)
    counted = "select count(distinct patient_id) as n from 'visits.csv' group by sex, zip"
    assert [(source.value("smallest class"),)] == selected(f"select min(n) from ({counted})")
    assert any("several classes" in warning for warning in source.warnings)
    assert source.figures[0].note == "in several classes, counted in each"
    asked: list[dict[str, Any]] = [{"weight": "zip"}, {"household": "zip"}]
    for keywords in asked:
        with pytest.raises(PlanError, match="of rows, and the plan counts persons"):
            sqlanon.risk("visits.csv", plan, population_size=10**6, **keywords)
    with_modes = columns | {"patient_id": {"role": "insensitive", "publish": "mode"}}
    source = sqlanon.risk("visits.csv", {**plan, "columns": with_modes, "unit": None})
    assert [(source.value("classes"),)] == selected(f"select count(*) from ({counted})")
    published = sqlanon.risk("visits.parquet", plan).value("smallest class")
    assert [(published,)] == selected("select min(persons) from 'visits.parquet'")
