"""Sweeps and comparisons: every run is what its plan alone gives, and nothing is left behind."""

from __future__ import annotations

import csv
import itertools
import json
import random
import re
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path
from typing import Any
from unittest.mock import Mock, patch

import duckdb
import pytest

import sqlanon
from sqlanon import Options
from sqlanon.commands.comparison import listed
from sqlanon.engines.duckdb import DuckDBEngine
from sqlanon.engines.remembering import RememberingEngine
from sqlanon.methods import METHODS
from sqlanon.pages.compared import Axes, ComparedRun, with_front
from sqlanon.registry import default_of
from sqlanon.sql.step import Step
from tests.conftest import Command, PlanMapping
from tests.plan.plans import plan_of
from tests.support.tables import write_csv

DISEASES = ("flu", "asthma", "ulcer", "gastritis", "angina")


@pytest.fixture
def hospital(folder: Path) -> PlanMapping:
    """Sixty patients among a hundred and twenty persons, so that every method has what it needs."""
    draw = random.Random(15)
    ages, zips = [str(age) for age in range(20, 36)], ["4780", "4781", "4790", "4791"]
    persons = [(draw.choice(ages), draw.choice(zips)) for _ in range(120)]
    write_csv("everybody.csv", [("age", "zip"), *persons])
    patients = [(*person, DISEASES[n % 5]) for n, person in enumerate(persons[::2])]
    write_csv("patients.csv", [("age", "zip", "disease"), *patients])
    write_csv("age.csv", [(age, f"{age[0]}x", "*") for age in ages])
    write_csv("zip.csv", [(place, f"{place[:3]}*", "*") for place in zips])
    columns: dict[str, Any] = {
        name: {"role": "quasi-identifier", "hierarchy": f"{name}.csv"} for name in ("age", "zip")
    }
    return plan_of(
        columns | {"disease": "sensitive"}, "patients.csv", suppression={"limit": 0.1},
        privacy=[{"model": "k-anonymity", "k": 3}], publish="published.csv",
    )  # fmt: skip


SAME = ("method", "label", "levels", "classes", "published_rows", "suppressed_rows", "cost",
        "utility")  # fmt: skip


def found_of(run: ComparedRun) -> dict[str, Any]:
    """What a run found, apart from risks and seconds."""
    return {name: getattr(run, name) for name in SAME}


def alone(plan: PlanMapping, *overrides: str) -> dict[str, Any]:
    """What `solve` and `measure` say of a plan, as far as a run says it, too."""
    options = Options(overrides=overrides)
    solution = sqlanon.solve(plan, options)
    measured = sqlanon.measure(plan, options)
    assert measured["satisfies"]
    rows, cost = measured["rows"], solution.recorded_cost
    values = (
        solution.method, solution.label, measured["node"], measured["classes"], rows["published"],
        rows["suppressed"], None if cost is None else tuple(cost), measured["utility"],
    )  # fmt: skip
    return dict(zip(SAME, values, strict=True))


@pytest.mark.sampled(0.1)
@pytest.mark.parametrize("method", [default_of(cls, "name") for cls in METHODS])
def test_methods_find_what_they_find_alone(hospital: PlanMapping, method: str) -> None:
    """In an engine in which other methods were before, and then once more."""
    plan = hospital | ({"population": "everybody.csv"} if method in ("mpalm", "combined") else {})
    if method == "combined":
        plan |= {"privacy": [{"model": "delta-presence", "dmin": 0, "dmax": 0.8}]}
    place = ["publish.path=anatomy/published.csv"] * (method == "anatomy")
    expected = alone(plan, f"method={method}", *place)
    other = "slicing" if method in ("optimal", "mondrian") else "mondrian"
    for run in sqlanon.compare(plan, [other, method, "optimal", method]).rows:
        if run.method == method:
            assert found_of(run) == expected, run.reason


def test_grid_is_what_each_plan_gives(hospital: PlanMapping) -> None:
    """Files hold the same."""
    over: dict[str, list[Any]] = {"privacy.k": [5, 61], "suppression.limit": [0, 0.1]}
    found = sqlanon.sweep(hospital, over, output="runs.csv")
    assert [(*run.parameters.values(),) for run in found.rows] == [
        *itertools.product(*over.values())
    ]
    for run in found.rows:
        k, limit = run.parameters.values()
        overrides = (f"privacy.0.k={k}", f"suppression.limit={limit}")
        if k == 61:
            assert run.status == "no-solution"
            with pytest.raises(sqlanon.NoSolutionError) as error:
                sqlanon.solve(hospital, Options(overrides=overrides))
            assert error.value.what == run.reason
            assert (run.classes, run.utility, run.highest_risk) == (None, None, None)
            assert not run.on_front
        else:
            assert found_of(run) == alone(hospital, *overrides)
    found.write("runs.parquet")
    names = [*found.records()[0]]
    for read in ("from 'runs.parquet'", "from read_csv('runs.csv')"):
        relation = duckdb.connect().execute(read)
        assert [column[0] for column in relation.description or ()] == names
        for row, other in zip(relation.fetchall(), found.records(), strict=True):
            assert row == pytest.approx(tuple(other.values()))
    types = dict(zip(names, map(str, found.relation().types), strict=True))
    assert (types["privacy.k"], types["loss"], types["on_front"]) == ("BIGINT", "DOUBLE", "BOOLEAN")
    assert json.loads(found.records()[0]["levels"]) == found.rows[0].levels


def test_what_a_run_reads_is_made_anew(hospital: PlanMapping) -> None:
    """Other hierarchies, other rows, another source: steps of equal names with other texts."""
    write_csv("few.csv", [("age", "zip", "disease"), *[("20", "4780", "flu")] * 7])
    keys: dict[str, list[Any]] = {
        "columns.age.hierarchy": [{"intervals": w} for w in ([5, 10], [4, 8], [5, 10])],
        "source": ["patients.csv", "few.csv"],
        "columns.zip.weight": [1, 5],
    }
    for key, values in keys.items():
        found = sqlanon.sweep(hospital, {key: values})
        for run, value in zip(found.rows, values, strict=True):
            if value != values[0]:
                assert found_of(run) == alone(hospital, f"{key}={json.dumps(value)}"), (key, value)
        first, *_, last = map(found_of, found.rows)
        assert (first == last) == (values[0] == values[-1])


@pytest.mark.parametrize(
    "keys",
    [
        {"suppression": {"limit": 0.3, "rows": "mask"},
         "privacy": [{"model": "k-anonymity", "k": 5}]},
        {"method": "mondrian"},
        {"method": "stack-and-deal"},
    ],
    ids=lambda keys: "-".join(map(str, keys)),
)  # fmt: skip
def test_risks_of_the_published_rows(hospital: PlanMapping, keys: dict[str, Any]) -> None:
    """Classes are counted in what `run` publishes."""
    plan = {**hospital, **keys}
    (run,) = sqlanon.sweep(plan, {"missing": ["value"]}).rows
    sqlanon.run(plan)
    with Path("published.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    sizes = Counter(row.get("bucket", (row["age"], row["zip"])) for row in rows)
    assert run.smallest_class == min(sizes.values())
    assert run.highest_risk == 1 / min(sizes.values())
    assert run.average_risk == len(sizes) / len(rows)
    assert (("*", "*") in sizes) == ("suppression" in keys)


@pytest.mark.parametrize("method", ["optimal", "mondrian"])
def test_persons_are_counted(hospital: PlanMapping, method: str) -> None:
    """Everybody has two rows: a class of four rows is one of two persons."""
    with Path("patients.csv").open(encoding="utf-8") as file:
        names, *rows = csv.reader(file)
    write_csv("visits.csv", [("person", *names), *((n % 60, *r) for n, r in enumerate(rows * 2))])
    columns = {"person": "identifier", **hospital["columns"]}
    plan = {**hospital, "source": "visits.csv", "columns": columns}
    for unit in ({}, {"unit": "person"}):
        (run,) = sqlanon.sweep(plan | unit, {"method": [method]}).rows
        rows_each = 2 if unit else 1
        assert run.average_risk == (run.classes or 0) * rows_each / (run.published_rows or 1)
    assert (run.smallest_class or 0) >= 3


@pytest.mark.parametrize("more_is_better", [False, True])
def test_front_by_brute_force(more_is_better: bool) -> None:
    draw = random.Random(4)
    axes = Axes("precision" if more_is_better else "loss", "highest", more_is_better)
    numbers = [None, *range(1, 6)]
    for _ in range(30):
        runs = [
            ComparedRun(
                {}, "optimal", "found",
                highest_risk=draw.choice(numbers), utility={axes.measure: draw.choice(numbers)},
            )
            for _ in range(draw.randint(1, 12))
        ]  # fmt: skip
        for run in with_front(runs, axes):
            mine = axes.place(run)
            beaten = mine is None or any(
                other is not None and other != mine and other[0] <= mine[0] and other[1] <= mine[1]
                for other in map(axes.place, runs)
            )
            assert run.on_front is not beaten


def test_objective_and_comparable_measures(hospital: PlanMapping) -> None:
    """The cost is by the plan's objective; the measures are those of all methods."""
    objective = {"name": "loss", "variant": "iyengar", "aggregate": "geometric-mean"}
    plan = {**hospital, "method": {"name": "optimal", "objective": objective}}
    regions = {"name": "mondrian", "labels": "region"}
    optimal, incognito, mondrian = sqlanon.compare(plan, ["optimal", "incognito", regions]).rows
    assert mondrian.parameters == {"method": "mondrian labels region"}
    own = alone(plan)
    assert optimal.cost == incognito.cost == own["cost"] == (own["utility"]["loss"],)
    assert optimal.loss("loss") != own["cost"][0]
    plain = sqlanon.measure({**plan, "method": "optimal"}, node=dict(optimal.levels or {}))
    assert (optimal.utility, mondrian.cost) == (plain["utility"], None)


def test_the_source_is_read_once(hospital: PlanMapping) -> None:
    before = sorted(Path().rglob("*"))
    progress: list[sqlanon.Progress] = []
    execute = DuckDBEngine.execute
    with patch.object(DuckDBEngine, "execute", autospec=True, side_effect=execute) as executed:
        found = sqlanon.sweep(hospital, {"privacy.k": [2, 3, 5]}, Options(progress=progress.append))
    steps = [call.args[1] for call in executed.call_args_list]
    made = Counter(step.name for step in steps)
    assert made["source_combinations"] == made["frequency_set"] == made["hierarchy_levels"] == 1
    assert sum("sqlanon.source_rows" in step.sql for step in steps) == 1
    assert all(run.status == "found" for run in found.rows)
    assert sorted(Path().rglob("*")) == before, "no solution, no target folder"
    assert [each.run for each in (progress[0], progress[-1])] == ["run 1 of 3", "run 3 of 3"]
    assert str(progress[0]).startswith("run 1 of 3: ")


def test_an_engine_that_remembers() -> None:
    """A relation is made again if its text is another one, or that of something it reads."""
    database = Mock(**{"execute.return_value": [(1,)]})
    engine = RememberingEngine(database)

    def run(*steps: Step) -> list[str]:
        engine.begin()
        database.reset_mock()
        for step in steps:
            engine.execute(step)
        assert [entry.step for entry in engine.journal] == list(steps)
        return [f"{call} {step.name}" for call, (step,), _ in database.mock_calls]

    source, other = Step("source", "select 1", "view"), Step("source", "select 2", "view")
    table = Step("the table", "select * from sqlanon.source")
    question = Step("count", 'select count(*) from sqlanon."the table"', "rows")
    all_made = ["execute source", "execute the table", "execute count"]
    assert run(source, table, question) == all_made
    assert run(source, table, question) == []
    replaced = ["drop source", "execute source", "drop the table", *all_made[1:]]
    assert run(other, table, question) == replaced
    assert run(source, table, question) == replaced[:-1], "the answer is known"
    assert run(source) == []
    assert run(question) == ["execute count"], "of a table that this run has not made"


def test_interrupted(hospital: PlanMapping) -> None:
    """Ctrl-C in the second run: no file, and the caller's connection has nothing of ours."""

    def stop(progress: sqlanon.Progress) -> None:
        if progress.run == "run 2 of 2":
            raise KeyboardInterrupt

    connection = duckdb.connect()
    connection.execute("create table patients as from 'patients.csv'")
    plan = {**hospital, "source": {"table": "patients"}}
    over = {"privacy.k": [2, 3]}
    before = sorted(Path().rglob("*"))
    with pytest.raises(KeyboardInterrupt):
        sqlanon.sweep(
            plan, over, Options(progress=stop), connection=connection, output="runs.csv"
        )  # fmt: skip
    assert sorted(Path().rglob("*")) == before
    left = "select database_name from duckdb_databases() where not internal"
    assert connection.execute(left).fetchall() == [("memory",)]
    again = sqlanon.sweep(plan, over, connection=connection)
    assert [run.status for run in again.rows] == ["found", "found"]


def test_page(hospital: PlanMapping) -> None:
    """Curves with the front, every run, and gaps with their reasons; names are text."""
    pytest.importorskip("vl_convert", reason="the extra `report` is not installed")
    page = Path("runs.html")
    over: dict[str, list[Any]] = {"privacy.k": [2, 5, 61], "suppression.limit": [0, 0.1]}
    found = sqlanon.sweep(hospital, over, page=page)
    text = page.read_text(encoding="utf-8")
    assert text.count("<svg") == text.count("<figure>") == 4
    assert len(found.gaps) == 2
    assert all(f"<td>{run.reason}</td>" in text for run in found.gaps)
    assert f"{len(found.front)} of 6 runs are on the front" in text
    labels = ["2, 0", "2, 0.1", "5, 0", "5, 0.1"]
    figure = ET.fromstring(text[text.index("<svg") :].split("</svg>")[0] + "</svg>")
    drawn = [element.text for element in figure.iter("{http://www.w3.org/2000/svg}text")]
    assert [label for label in drawn if label in labels] == labels
    assert not any(disease in text for disease in DISEASES)
    sqlanon.compare(hospital, ["optimal", "samarati"], page=page)
    svg = page.read_text(encoding="utf-8").partition("<svg")[2].partition("</svg>")[0]
    zeros = re.findall(r">0(?:\.0+)?<", svg)
    assert len(zeros) == 2, "both axes begin at 0, though all risks are one"
    hospital["columns"]["zip"]["hierarchy"] = "<i>.csv"
    Path("zip.csv").rename("<i>.csv")
    sqlanon.sweep(hospital, {"columns.zip.hierarchy": ["<i>.csv"]}, page=page)
    assert "<i>" not in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"over": {"privacy.kk": [2]}}, r"No promise of the plan has 'kk'.*\n.*Did you mean 'k'"),
        ({"over": {"suppression.limt": [0]}}, r"--over suppression\.limt .*\n.* mean 'limit'"),
        ({"over": {"privacy.4.k": [2]}}, "a list with 1 item"),
        ({"over": {"privacy.k": [2, 0]}}, r"--over privacy\[0\]\.k .*cannot be 0"),
        ({"over": {"privacy.k": []}}, "no list of values"),
        ({"over": {"privacy.k": "2"}}, "no list of values"),
        ({"over": {}}, "one key or two, not 0"),
        ({"over": {key: [2] for key in ("unit", "missing", "order")}}, "one key or two, not 3"),
        ({"over": {"privacy.k": range(2, 2000)}}, "1,998 runs"),
        ({"over": ["=2"]}, "does not say what to try"),
        ({"over": ["privacy.k=2,,3"]}, "A value is missing"),
        ({"over": ["privacy.k=2", "privacy.k=3"]}, "given twice"),
        ({"output": "patients.csv"}, "would be replaced"),
        ({"output": "./published.csv"}, "would be replaced"),
        ({"output": "runs.html"}, "of no kind"),
        ({"output": "nowhere/runs.csv"}, "cannot be written there"),
        ({"methods": "mondrain"}, "--methods .*\n.*Did you mean 'mondrian'"),
        ({"methods": [{"name": "mondrian", "lables": "tight"}]}, "--methods .*\n.* mean 'labels'"),
        ({"methods": []}, "no method to compare"),
        ({"methods": [5]}, "--methods"),
    ],
)
def test_sweeps_that_cannot_be(
    hospital: PlanMapping, keywords: dict[str, Any], message: str
) -> None:
    """All of them before anything runs: there is no source."""
    if "output" not in keywords:
        Path("patients.csv").unlink()
    call: Any = sqlanon.compare
    if "methods" not in keywords:
        call, keywords = sqlanon.sweep, {"over": {"privacy.k": [2]}, **keywords}
    with pytest.raises(sqlanon.PlanError, match=message):
        call(hospital, **keywords)


def test_a_key_of_two_promises(hospital: PlanMapping) -> None:
    hospital["population"] = "everybody.csv"
    hospital["privacy"].append({"model": "k-map", "k": 3})
    message = r"2 promises have 'k'.\n.*privacy\.0\.k \(k-anonymity\), privacy\.1\.k \(k-map\)"
    with pytest.raises(sqlanon.PlanError, match=message):
        sqlanon.sweep(hospital, {"privacy.k": [2]})
    found = sqlanon.sweep(hospital, {"privacy.1.k": [3, 5]})
    assert [run.status for run in found.rows] == ["found", "found"]


def test_gaps(hospital: PlanMapping) -> None:
    """Methods that do not fit; what the data does not fit, for reasons that name no value; a source
    that fits no run is an error."""
    found = sqlanon.compare(hospital, ["mpalm", "datafly", "combined"])
    assert [run.status for run in found.rows] == ["refused", "found", "refused"]
    assert [run.method for run in found.gaps] == ["mpalm", "combined"]
    for run in found.gaps:
        with pytest.raises(sqlanon.PlanError) as error:
            sqlanon.load_plan(hospital, [f"method={run.method}"])
        assert error.value.what == run.reason
    write_csv("ill.csv", [(disease, "*") for disease in DISEASES])
    ill = {"role": "quasi-identifier", "type": "ordinal", "hierarchy": "ill.csv"}
    plan = {**hospital, "columns": {"age": "insensitive", "zip": "insensitive", "disease": ill}}
    over = {"columns.disease.type": ["ordinal", "numeric"], "method": ["mondrian"]}
    found = sqlanon.sweep(plan, over)
    assert [run.status for run in found.rows] == ["found", "refused"]
    assert "cut by numbers" in (found.rows[1].reason or "")
    assert not any(disease in json.dumps(found.records()) for disease in DISEASES)
    Path("zip.csv").write_text("4780,*\n")
    with pytest.raises(sqlanon.HierarchyError, match="zip"):
        sqlanon.sweep(hospital, {"privacy.k": [2, 3]})
    Path("patients.csv").unlink()
    with pytest.raises(sqlanon.PlanError, match=r"'patients\.csv' does not exist"):
        sqlanon.sweep(hospital, {"privacy.k": [2, 3]})


def test_lists_of_values() -> None:
    assert listed("0.5,true, a,2", "--over") == [0.5, True, "a", 2]
    mondrian = {"name": "mondrian", "labels": "region"}
    assert listed("{name: mondrian, labels: region},a", "--over") == [mondrian, "a"]
    assert listed("[1,2],'a,b'", "--over") == [[1, 2], "a,b"]


def test_on_the_command_line(hospital: PlanMapping, command: Command) -> None:
    Path("plan.yml").write_text(json.dumps(hospital), encoding="utf-8")
    _, out, err = command("sweep", "plan.yml", "--over", "privacy.k=2,5,61", "--output", "k.csv")
    assert max(map(len, out.partition("k = 61: ")[0].splitlines())) <= 80
    assert "k = 61: No generalization can hold k-anonymity here" in out
    assert err == "3 runs written to k.csv\n"
    _, out, err = command("compare", "plan.yml", "--methods", "optimal,mpalm", "--json")
    found = json.loads(out)
    assert (found["measure"], found["risk"], found["keys"]) == ("loss", "highest", ["method"])
    assert err == ""
    assert [run["status"] for run in found["runs"]] == ["found", "refused"]
    assert all(found["runs"][0][name] for name in ("classes", "utility"))
