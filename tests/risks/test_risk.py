"""The command `risk`: its figures on sources and publications, with populations and weights."""

from __future__ import annotations

import json
import math
import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import pytest

import sqlanon
from sqlanon.errors import PlanError, PrivacyViolation
from tests.oracles import risk as oracle
from tests.support.doc_pages import copied_examples
from tests.support.tables import write_csv

pytestmark = pytest.mark.usefixtures("folder")

QI = ["sex", "born", "zip", "marital_status"]


def write(name: str, header: str, rows: Sequence[Sequence[Any]]) -> str:
    return write_csv(name, [header.split(","), *rows])


def selected(query: str) -> list[tuple[Any, ...]]:
    return duckdb.connect().execute(query).fetchall()


def table(seed: int = 1, rows: int = 60) -> list[tuple[str, str, str]]:
    rng = random.Random(seed)
    return [(rng.choice("abcde"), rng.choice("xyz"), rng.choice("12")) for _ in range(rows)]


def test_what_rows_prove() -> None:
    rows = table(rows=40)
    write("people.csv", "a,b,c", rows)
    found = sqlanon.risk("people.csv", quasi_identifiers=["a", "b", "c"])
    sizes = Counter(rows)
    assert found.value("rows") == 40
    assert found.value("classes") == len(sizes)
    assert found.value("smallest class") == min(sizes.values())
    assert found.value("sample uniques") == sum(n == 1 for n in sizes.values())
    assert found.value("highest prosecutor risk") == 1 / min(sizes.values())
    assert found.value("average prosecutor risk") == len(sizes) / 40
    assert found.value("highest SUDA score") == max(oracle.suda_scores(rows, 3))
    assert found.value("minimal sample uniques") == sum(map(len, oracle.minimal_sets(rows, 3)))
    assert {one.basis for one in found.figures} == {"proven"}
    (warning,) = found.warnings
    assert "--population-size" in warning
    with pytest.raises(KeyError):
        found.value("population uniques")


def test_a_population_is_measured_as_verify_measures_it() -> None:
    rows = table(rows=40)
    write("people.csv", "a,b,c", rows)
    others = table(2, 500)
    write("register.csv", "a,b,c", [*rows, *others])
    found = sqlanon.risk("people.csv", quasi_identifiers=["a", "b", "c"], population="register.csv")
    persons = Counter([*rows, *others])
    assert found.value("persons of the population") == 540
    assert found.value("highest journalist risk") == 1 / min(persons[row] for row in rows)
    share = sum(1 / persons[row] for row in rows) / 40
    assert found.value("marketer risk") == pytest.approx(share)
    models = ["journalist-risk", "marketer-risk", "prosecutor-risk", "average-risk"]
    verified = sqlanon.verify(
        "people.csv", quasi_identifiers=["a", "b", "c"], population="register.csv",
        promises=[{"model": model, "threshold": 1} for model in models],
    )  # fmt: skip
    names = ["highest journalist risk", "marketer risk", "highest prosecutor risk",
             "average prosecutor risk"]  # fmt: skip
    for finding, name in zip(verified, names, strict=True):
        assert found.value(name) == pytest.approx(float(finding.measured or 0))
    assert {one.basis for one in found.figures if one.name in names[:2]} == {"measured"}
    # three persons of whom the population has one, among nine others
    write("people.csv", "a,b,c", [("x", 1, 1)] * 3 + [("y", 1, 1)])
    write("register.csv", "a,b,c", [("x", 1, 1)] + [("y", 1, 1)] * 9)
    with pytest.raises(PlanError, match=r"^population  1 class\(es\) of the table are larger"):
        sqlanon.risk("people.csv", quasi_identifiers=["a", "b", "c"], population="register.csv")


def test_weights_and_households() -> None:
    rng = random.Random(5)
    rows = [(*row, f"h{n // 3}" if n < 57 else "", rng.randint(10, 400) / 10)
            for n, row in enumerate(table())]  # fmt: skip
    write("survey.csv", "a,b,c,home,weight", rows)
    found = sqlanon.risk(
        "survey.csv", quasi_identifiers=["a", "b", "c"], weight="weight", household="home"
    )
    sizes = Counter(row[:3] for row in rows)
    weights: dict[tuple[str, ...], float] = {}
    for *key, _, weight in rows:
        weights[tuple(key)] = weights.get(tuple(key), 0) + weight
    risks = [oracle.individual_risk(sizes[row[:3]], weights[row[:3]]) for row in rows]
    model = "Benedetti and Franconi"
    assert found.value("highest individual risk", model) == pytest.approx(max(risks))
    assert found.value("rows that are expected to be found", model) == pytest.approx(sum(risks))
    homes: dict[str, list[float]] = {}
    for n, (row, risk) in enumerate(zip(rows, risks, strict=True)):
        homes.setdefault(row[3] or f"alone {n}", []).append(1 - risk)
    of_homes = [1 - math.prod(each) for each in homes.values()]
    assert found.value("highest household risk") == pytest.approx(max(of_homes))
    expected = found.value("households that are expected to be found")
    assert expected == pytest.approx(sum(of_homes))
    alone = sum(n == 1 for n in Counter((*row[:3], row[4]) for row in rows).values())
    assert any(
        f"The weight is a quasi-identifier: with it {alone} rows" in w for w in found.warnings
    )


def test_equal_weights_of_a_sample() -> None:
    """Every figure says whether it is proven or estimated."""
    rows = table()
    write("people.csv", "a,b,c", rows)
    found = sqlanon.risk("people.csv", quasi_identifiers=["a", "b", "c"], population_size=600)
    risks = [oracle.individual_risk(n, 10 * n) for n in Counter(rows).values()]
    expected = sum(n * r for n, r in zip(Counter(rows).values(), risks, strict=True))
    model = "Benedetti and Franconi, equal weights"
    assert found.value("highest individual risk", model) == pytest.approx(max(risks))
    assert found.value("rows that are expected to be found", model) == pytest.approx(expected)
    assert {one.basis for one in found.figures} == {"proven", "estimated"}
    assert all(bool(one.model) == (one.basis == "estimated") for one in found.figures)
    titles = [block.title for block in found.displayed()]
    assert all(title.split(":")[0] in ("proven", "estimated", "measured") for title in titles)
    content = json.loads(json.dumps(found.as_json()))
    assert {one["basis"] for one in content["figures"]} == {"proven", "estimated"}
    assert content["special_uniques"]["basis"] == "proven"
    assert len(found.records()) == len(found.figures)
    assert "<table>" in found._repr_html_()


@pytest.mark.parametrize("weight", ["", "0.5", "-3", "many", "NaN", "inf"])
def test_a_weight_that_stands_for_nobody_is_refused(weight: str) -> None:
    write("survey.csv", "a,b,weight", [("x", "y", 10), ("x", "y", weight)])
    with pytest.raises(PlanError, match="1 rows have no weight") as refused:
        sqlanon.risk("survey.csv", quasi_identifiers=["a", "b"], weight="weight")
    assert "survey.csv" not in str(refused.value.what)


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({}, "quasi-identifiers are required"),
        ({"quasi_identifiers": ["a", "zip"]}, "no quasi-identifier 'zip'"),
        ({"quasi_identifiers": ["a"], "weight": "w"}, "no weight 'w'"),
        ({"quasi_identifiers": ["a"], "household": "h"}, "no household 'h'"),
        ({"quasi_identifiers": ["a"], "population_size": 59}, "The population has 59 persons"),
        ({"quasi_identifiers": ["a"], "population": "none.csv"}, "does not exist"),
        ({"quasi_identifiers": ["a"], "plan": {}}, "both say what the table is"),
        ({"quasi_identifiers": ["a"], "largest_set": 0}, "largest_set"),
        ({"quasi_identifiers": ["a"], "k": 0}, "k must be a whole number"),
        ({"quasi_identifiers": ["a"], "population_size": 0}, "population_size"),
    ],
)
def test_what_cannot_be_asked(keywords: dict[str, Any], message: str) -> None:
    write("people.csv", "a,b,c", table())
    with pytest.raises(PlanError, match=message):
        sqlanon.risk("people.csv", **keywords)


def test_an_empty_table_has_no_risk() -> None:
    write("people.csv", "a,b", [])
    with pytest.raises((PlanError, PrivacyViolation)):
        sqlanon.risk("people.csv", quasi_identifiers=["a", "b"])


def test_rows_of_python() -> None:
    relation = duckdb.sql("select range % 3 as a, range % 2 as b from range(12)")
    assert sqlanon.risk(relation, quasi_identifiers=["a", "b"]).value("classes") == 6


def test_columns_with_the_names_of_the_templates() -> None:
    header = "class_size,weight,members,household,share,value,row_key,others,p,code"
    rows = [tuple(map(str, random.Random(n).choices(range(1, 4), k=10))) for n in range(50)]
    write("people.csv", header, rows)
    names = header.split(",")
    found = sqlanon.risk(
        "people.csv", quasi_identifiers=names[:4] + names[5:], weight="weight",
        household="share", population_size=500,
    )  # fmt: skip
    assert found.value("rows") == 50


def test_a_source_and_its_publication() -> None:
    folder = copied_examples(Path()) / "examples/clinic"
    plan = folder / "plan.yml"
    sqlanon.run(plan)
    source = sqlanon.risk(folder / "patients.csv", plan)
    published = sqlanon.risk(folder / "patients_k5.parquet", plan, population_size=8000)
    assert (source.value("rows"), source.value("sample uniques")) == (2000, 2000)
    assert source.columns[0].column == "born"
    assert published.value("smallest class") == 5
    assert published.value("population uniques", "Dankar's rule") == 0
    assert (published.columns, published.sets) == ((), ())
    counted = selected(f"select count(*) from '{folder}/patients_k5.parquet'")
    assert published.value("rows") == counted[0][0]


def test_a_publication_with_a_population() -> None:
    """The labels of the publication divide the population, as in `verify`."""
    folder = copied_examples(Path()) / "examples/clinic"
    plan = folder / "plan.yml"
    changed = {"population": "residents.csv", "privacy": [{"model": "k-map", "k": 10}]}
    sqlanon.run(plan, overrides=changed)
    found = sqlanon.risk(folder / "patients_k5.parquet", plan, overrides=changed)
    promise = [{"model": "journalist-risk", "threshold": 1}]
    (measured,) = sqlanon.verify(
        folder / "patients_k5.parquet", plan, manifest=False,
        overrides={**changed, "privacy": promise},
    )  # fmt: skip
    assert found.value("persons of the population") == 8000
    assert found.value("highest journalist risk") == measured.measured


def test_persons_with_several_rows() -> None:
    """Classes count persons, in the source by their key and in a publication by its column."""
    folder = copied_examples(Path()) / "examples/hospital"
    with open(f"{folder}/visits.csv", encoding="utf-8") as lines:
        names = next(lines).strip().split(";")
    plan = {
        "source": {"path": f"{folder}/visits.csv", "delimiter": ";"},
        "unit": "patient_id",
        "columns": {
            **dict.fromkeys(names, "insensitive"),
            **{"sex": "quasi-identifier", "zip": "quasi-identifier", "patient_id": "identifier"},
        },
        "privacy": [{"model": "k-anonymity", "k": 5}],
        "suppression": {"limit": 0.9},
        "publish": "visits.parquet",
    }
    sqlanon.run(plan)
    source = sqlanon.risk(f"{folder}/visits.csv", plan, population_size=10**6)
    counted = selected(
        "select min(n) from (select count(distinct patient_id) as n"
        f" from read_csv('{folder}/visits.csv') group by sex, zip)"
    )
    assert source.value("smallest class") == counted[0][0]
    assert any("several classes" in warning for warning in source.warnings)
    assert source.figures[0].note == "in several classes, counted in each"
    published = sqlanon.risk("visits.parquet", plan)
    rows = selected("select min(persons) from 'visits.parquet'")
    assert published.value("smallest class") == rows[0][0]


def test_buckets_have_no_classes() -> None:
    folder = copied_examples(Path()) / "examples/clinic"
    change = {
        "method": "anatomy",
        "publish": "some/rows.parquet",
        "privacy": [{"model": "l-diversity", "l": 2, "attribute": "diagnosis"}],
    }
    with pytest.raises(PlanError, match="The rows of buckets have no classes"):
        sqlanon.risk(folder / "patients.csv", folder / "plan.yml", overrides=change)
