"""`init --from-arx`: plans of projects that are written here as ARX writes them.

Texts of criteria and of quality models are those of `toString` in the classes of ARX 3.9.2; what
its search finds in Adult is in `data/expected/arx.json`.
"""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import pytest

import sqlanon
from sqlanon.commands.options import Options
from sqlanon.errors import PlanError, PublishError
from sqlanon.families.solution import FullDomainSolution
from sqlanon.plan.yaml_file import parse
from tests.conftest import Command
from tests.discovery.plans import keys_of
from tests.paths import ROOT

pytestmark = pytest.mark.usefixtures("folder")

ADULT = ROOT / "tests" / "data" / "adult"
QI, SENSITIVE = "QUASI_IDENTIFYING_ATTRIBUTE", "SENSITIVE_ATTRIBUTE"
ROWS = [["age", "city", "illness", "name"]] + [
    [str(20 + n % 4), ["Ulm", "Bonn"][n % 2], ["flu", "ulcer", "none"][n % 3], f"person {n}"]
    for n in range(24)
]
AGES = [[str(age), "[20, 22[" if age < 22 else "[22, 24[", "*"] for age in range(20, 24)]
CITIES = [["Ulm", "*"], ["Bonn", "*"]]
ATTRIBUTES: list[dict[str, str]] = [
    {"name": "age", "type": QI, "datatype": "Integer"},
    {"name": "city", "type": QI, "datatype": "String"},
    {"name": "illness", "type": SENSITIVE, "datatype": "String"},
    {"name": "name", "type": "IDENTIFYING_ATTRIBUTE", "datatype": "String"},
]


def element(name: str, content: str) -> str:
    return f"<{name}>{content}</{name}>"


def ascii_of(text: str) -> str:
    """A text as ARX's writer has it, with all other characters as references."""
    return escape(text).encode("ascii", "xmlcharrefreplace").decode()


def table(rows: Iterable[Iterable[str]], delimiter: str = ";") -> str:
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return text.getvalue()


def entries(
    criteria: Iterable[str] = ("3-anonymity",),
    attributes: Iterable[Mapping[str, str]] = ATTRIBUTES,
    hierarchies: Mapping[str, list[list[str]]] | None = None,
    rows: Iterable[Iterable[str]] | None = ROWS,
    metric: str = "Loss (0.5/1.0/1.0)",
    limit: str = "0.25",
    weights: Mapping[str, str] | None = None,
    separator: str = ";",
) -> dict[str, bytes]:
    """The entries of a project that are read, by name."""
    weighed = [
        element("attribute", ascii_of(name)) + element("weight", weight)
        for name, weight in (weights or {}).items()
    ]
    config = "".join((
        element("relativeMaxOutliers", limit), element("metric", ascii_of(metric)),
        element("attributeWeights", "".join(element("attributeWeight", w) for w in weighed)),
        element("criteria", "".join(element("criterion", ascii_of(c)) for c in criteria)),
    ))  # fmt: skip
    described = ("".join(element(k, ascii_of(v)) for k, v in each.items()) for each in attributes)
    found = {
        "metadata.xml": element("metadata", element("vocabulary", "2.0")),
        "project.xml": element("project", element("separator", separator)),
        "input/config.xml": element("config", config),
        "input/definition.xml":
            element("definition", "".join(element("assigment", each) for each in described)),
        "project.dat": "Java",
    }  # fmt: skip
    if rows is not None:
        found["data/input.csv"] = table(rows, separator)
    usual = {"age": AGES, "city": CITIES}
    for name, levels in (usual if hierarchies is None else hierarchies).items():
        found[f"input/hierarchies/{name}.csv"] = table(levels, separator)
    return {name: content.encode() for name, content in found.items()}


def write(content: Mapping[str, bytes], file: str = "study.deid") -> Path:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as project:
        for name, data in content.items():
            project.writestr(name, data)
    return Path(file)


def plan_of(**changes: Any) -> sqlanon.ArxPlan:
    return sqlanon.from_arx(write(entries(**changes)), force=True)


def test_a_project_is_a_plan_that_runs() -> None:
    made = plan_of(criteria=["3-anonymity", "distinct-2-diversity for attribute 'illness'"])
    assert made.warnings == []
    assert parse(Path("study.yml").read_bytes(), "study.yml")[0] == {
        "source": {"path": "study_arx/input.csv", "delimiter": ";"},
        "columns": {
            "age": {"role": "quasi-identifier", "hierarchy": "study_arx/1_age.csv"},
            "city": {"role": "quasi-identifier", "hierarchy": "study_arx/2_city.csv"},
            "illness": "sensitive",
            "name": "identifier",
        },
        "privacy": [
            {"model": "k-anonymity", "k": 3},
            {"model": "l-diversity", "l": 2, "attribute": "illness"},
        ],
        "method": {
            "name": "optimal",
            "objective": {"name": "loss", "variant": "iyengar", "aggregate": "geometric-mean",
                          "generalization_suppression_factor": pytest.approx(0.5)},
        },
        "suppression": {"limit": pytest.approx(0.25)},
        "publish": "study_anonymous.parquet",
    }  # fmt: skip
    run = sqlanon.run("study.yml")
    assert run.published.columns == ["age", "city", "illness"]
    assert run.manifest["rows"]["suppressed"] == 0
    of_map = keys_of(plan_of(criteria=["(3)-map"]).plan)
    assert of_map["population"]["path"] == "study_arx/input.csv"
    run = sqlanon.run("study.yml", Options(overwrite=True))
    assert run.manifest["privacy"][0]["satisfied"]


CASES = {
    "basic-3.0-likeness for attribute 'occupation'": 0,
    "shannon-entropy-5.0-diversity for attribute 'occupation'": 20,
    "5-anonymity": 26,
}
"""Criteria, and the case of `arx.json` that has each alone."""


@pytest.mark.sampled(0.1, by=lambda case: case["criterion"] == "5-anonymity")
@pytest.mark.parametrize("criterion", CASES)
def test_adult_gets_the_levels_that_arx_finds(criterion: str) -> None:
    """And their loss, to which suppressed rows belong."""

    def rows_of(file: str) -> list[list[str]]:
        text = (ADULT / file).read_text(encoding="utf-8")
        return list(csv.reader(io.StringIO(text), delimiter=";"))

    expected = json.loads((ROOT / "tests/data/expected/arx.json").read_text())
    case = expected["optimum_cases"][CASES[criterion]]
    rows = rows_of("adult.csv")
    levels = {name: rows_of(f"adult_hierarchy_{name}.csv") for name in case["qi"]}
    is_loss = case["metric"]["name"] == "loss"
    made = plan_of(
        criteria=[criterion], rows=rows, hierarchies=levels,
        attributes=[{"name": n, "type": QI if n in levels else SENSITIVE} for n in rows[0]],
        metric="Loss (0.5/1.0/1.0)" if is_loss else "Non-monotonic non-uniform entropy",
        limit=str(case["suppression_limit"]),
    )  # fmt: skip
    solution = sqlanon.solve(made.path)
    assert isinstance(solution, FullDomainSolution)
    assert [solution.node[name] for name in case["qi"]] == case["expected_transformation"]
    assert solution.cost == pytest.approx([case["expected_loss"]], rel=1e-8)


PROMISES: dict[str, list[dict[str, Any]]] = {
    "5-anonymity": [{"model": "k-anonymity", "k": 5}],
    "(5)-map": [{"model": "k-map", "k": 5}],
    "(5)-map estimated as (3)-anonymity (Poisson)": [{"model": "k-anonymity", "k": 3}],
    "distinct-3-diversity": [{"model": "l-diversity", "l": 3}],
    "shannon-entropy-2.5-diversity": [{"model": "l-diversity", "kind": "entropy", "l": "2.5"}],
    "entropy-3.0-diversity": [{"model": "l-diversity", "kind": "entropy", "l": 3}],
    "recursive-(4.0,3)-diversity": [{"model": "l-diversity", "kind": "recursive", "c": 4, "l": 3}],
    "0.2-closeness with equal ground-distance": [{"model": "t-closeness", "t": "0.2"}],
    "0.2-closeness with ordered distance":
        [{"model": "t-closeness", "t": "0.2", "distance": "ordered"}],
    "0.2-closeness with hierarchical ground-distance":
        [{"model": "t-closeness", "t": "0.2", "distance": "hierarchical"}],
    "1.5-disclosure privacy": [{"model": "delta-disclosure", "absent": "ignore", "delta": "1.5"}],
    "basic-1.0E-4-likeness": [{"model": "beta-likeness", "beta": "0.0001"}],
    "enhanced-2.0-likeness": [{"model": "beta-likeness", "kind": "enhanced", "beta": 2}],
    "(0.2)-avg-reidentification-risk": [{"model": "average-risk", "threshold": "0.2"}],
    "(0.05, 0.09090909090909091 (0.1), 0.25)-avg-reidentification-risk": [
        {"model": "average-risk", "threshold": "0.05"},
        {"model": "prosecutor-risk", "threshold": "0.1", "share": "0.25"},
    ],
    "(0.01)-sample-uniqueness": [{"model": "prosecutor-risk", "threshold": "0.5", "share": "0.01"}],
}  # fmt: skip
"""Criteria and what they promise, without the attribute of those of values."""


def of_illness(criterion: str) -> str:
    is_of_values = any(word in criterion for word in ("diversity", "closeness", "likeness", "priv"))
    return criterion + " for attribute 'illness'" * is_of_values


@pytest.mark.parametrize("criterion", PROMISES)
def test_each_criterion_is_its_promise(criterion: str) -> None:
    illnesses = [["flu", "disease", "*"], ["ulcer", "disease", "*"], ["none", "health", "*"]]
    hierarchies = {"age": AGES, "city": CITIES, "illness": illnesses}
    made = plan_of(criteria=[of_illness(criterion)], hierarchies=hierarchies)
    attribute = {"attribute": "illness"} if of_illness(criterion) != criterion else {}
    assert [
        {k: v if isinstance(v, int) else str(v) for k, v in p.items()}
        for p in keys_of(made.plan)["privacy"]
    ] == [{**promise, **attribute} for promise in PROMISES[criterion]]
    plan = sqlanon.load_plan(made.path)
    assert (plan.population is not None) == (criterion == "(5)-map") == bool(made.warnings)
    has_hierarchy = "hierarchical" in criterion
    assert ("hierarchy" in keys_of(made.plan)["columns"]["illness"]) == has_hierarchy
    assert Path("study_arx/3_illness.csv").exists() == has_hierarchy


NOT_CARRIED_OVER = {
    "Inclusion": "write a query of them as `source`",
    "(0.05,0.15)-presence": "{model: delta-presence, dmin: 0.05, dmax: 0.15, ",
    "grassberger-entropy-5.0-diversity for attribute 'illness'": "add l-diversity",
    "(1.0E-4)-population-uniqueness (dankar)": "an estimated population",
    "(2.0,1.0E-6)-DP": "no differential privacy",
    "profitability (prosecutor)[benefit=1, loss=2, gain=3, cost=4]": "no costs and benefits",
    "no-attack-profitability (journalist)": "no costs and benefits",
    "(5)-map estimated as (unknown)-anonymity (Poisson)": "no such promise",
    "(5)-map estimated as (1)-anonymity (Poisson)": "it holds for all rows",
    "distinct-2-diversity for attribute 'city'": "not sensitive",
    "distinct-2-diversity for attribute 'it's'": "unknown",
    "something new": "no such promise",
}


def test_what_is_not_carried_over_is_said() -> None:
    """Without a promise there is one, and a warning."""
    made = plan_of(criteria=["3-anonymity", *NOT_CARRIED_OVER])
    assert keys_of(made.plan)["privacy"] == [{"model": "k-anonymity", "k": 3}]
    text = " ".join(Path("study.yml").read_text().replace("\n#", "").split())
    for warning, (criterion, why) in zip(made.warnings, NOT_CARRIED_OVER.items(), strict=True):
        assert warning.startswith(f"'{criterion}' is not carried over: ")
        assert why in warning
        assert f"WARNING: {' '.join(warning.split())}" in text
    sqlanon.check("study.yml")
    made = plan_of(criteria=["(2.0,1.0E-6)-DP"])
    assert keys_of(made.plan)["privacy"] == [{"model": "k-anonymity", "k": 5}]
    assert made.warnings[1].startswith("No criterion is carried over, so k = 5")


def test_an_order_is_that_of_arx_or_not_taken() -> None:
    criteria = ["3-anonymity", of_illness("0.2-closeness with ordered distance")]
    for kind, locale, is_ordered in (
        ("Integer", "DE", True), ("Decimal", "EN", True), ("String", "", True),
        ("Decimal", "DE", False), ("Date/Time", "EN", False), ("Ordinal", "EN", False),
    ):  # fmt: skip
        attributes = [*ATTRIBUTES[:2], {**ATTRIBUTES[2], "datatype": kind, "locale": locale}]
        made = plan_of(criteria=criteria, attributes=attributes)
        is_taken = len(keys_of(made.plan)["privacy"]) == 2
        assert is_taken == is_ordered == (made.warnings == []), kind


IGNORED = {"suppressed_rows": "ignored"}
METRICS: dict[str, Any] = {
    "Average equivalence class size":
        {"name": "average-class-size", "suppressed_rows": "one-class", "k": 1},
    "Height": "height",
    "Ambiguity": "ambiguity",
    "Non-monotonic discernability": "discernibility",
    "Monotonic discernability (DM*)": {"name": "discernibility", **IGNORED},
    "Non-monotonic precision": "precision",
    "Monotonic precision": {"name": "precision", **IGNORED},
    "Non-uniform entropy": {"name": "entropy", **IGNORED},
    "Non-monotonic non-uniform entropy": "entropy",
    "Classification accuracy": {"name": "classification", "attribute": "illness"},
    "KL-Divergence": None,
    "EntropyBasedInformationLoss": None,
}  # fmt: skip


def test_a_quality_model_is_the_equal_measure() -> None:
    attributes = [*ATTRIBUTES[:2], {**ATTRIBUTES[2], "response": "true"}, ATTRIBUTES[3]]
    for metric, objective in METRICS.items():
        made = plan_of(metric=metric, attributes=attributes)
        assert keys_of(made.plan)["method"].get("objective") == objective, metric
        assert (made.warnings == []) == (objective is not None), metric
        sqlanon.check("study.yml")


def test_weights_levels_and_aggregates() -> None:
    limited = {**ATTRIBUTES[0], "min": "1", "max": "All"}
    mean = {**ATTRIBUTES[1], "microaggregationFunction": "Mode"}
    weights = {"age": "1.0", "city": "0.25"}
    made = plan_of(attributes=[limited, mean, *ATTRIBUTES[2:]], weights=weights)
    assert [warning.split(" ")[-1] for warning in made.warnings] == ["over.", "label."]
    equal = plan_of(weights={"age": "0.5", "city": "0.5"})
    for plan, expected in ((made.plan, [None, 0.25]), (equal.plan, [None, None])):
        columns = keys_of(plan)["columns"]
        assert [columns[name].get("weight") for name in ("age", "city")] == expected


def test_hierarchies_of_arx_that_a_plan_cannot_have() -> None:
    """Without levels, without a top, of missing values, or in another encoding; odd names."""
    cities = [["Ulm", "South"], ["Bonn", "Rhine, West"], ["", ""]]
    attributes = [{"name": n, "type": QI} for n in ("a/../b", "größe")] + [ATTRIBUTES[2]]
    rows = [["a/../b", "größe", "illness"], *(row[:3] for row in ROWS[1:])]
    content = entries(
        attributes=attributes, rows=rows, hierarchies={"größe": cities}, separator=","
    )
    name = "input/hierarchies/größe.csv"
    content[name] = content[name].decode().replace("South", "Süd").encode("cp1252")
    made = sqlanon.from_arx(write(content), "out.yml")
    assert [warning.split(" ", 3)[-1] for warning in made.warnings] == [
        "levels in ARX; here it has one, '*'.", "'größe' is read as Windows-1252.",
        "'größe' has no single top, so it gets '*'.",
    ]  # fmt: skip
    assert Path("out_arx/1_größe.csv").read_text(encoding="utf-8") == (
        '"Ulm";"Süd";"*"\n"Bonn";"Rhine, West";"*"\n'
    )
    assert sqlanon.run("out.yml").manifest["rows"]["suppressed"] == 0


def test_a_large_lattice_gets_a_minute() -> None:
    names = [f"c{n}" for n in range(17)]
    made = plan_of(
        attributes=[{"name": name, "type": QI} for name in names], rows=[names, ["1"] * 17],
        hierarchies={name: [["1", "*"]] for name in names},
    )  # fmt: skip
    assert keys_of(made.plan)["method"]["budget"] == {"seconds": 60}  # 2**17 = 131,072 nodes


def test_the_input_can_lie_beside_the_project() -> None:
    project = write(entries(rows=None))
    with pytest.raises(PlanError, match=r"holds no input, and there is no file 'study\.csv'"):
        sqlanon.from_arx(project)
    Path("study.csv").write_text(table(ROWS), encoding="utf-8")
    Path("plans").mkdir()
    made = sqlanon.from_arx(project, "plans/study.yml")
    assert keys_of(made.plan)["source"]["path"] == "../study.csv"
    assert sqlanon.run("plans/study.yml").manifest["rows"]["suppressed"] == 0


GOOD = entries()
BILLION_LAUGHS = b'<!DOCTYPE c [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><c>&b;</c>'
HOSTILE: dict[str, tuple[dict[str, bytes], str]] = {
    "another zip": ({"a.txt": b""}, "has no input/config.xml, so it is no project of ARX"),
    "no definition": (
        {k: v for k, v in GOOD.items() if "definition" not in k}, "has no input/definition.xml",
    ),
    "cut XML": ({**GOOD, "input/config.xml": b"<config><a>"}, "input/config.xml cannot be read"),
    "no text": ({**GOOD, "project.xml": b"\xff\xfe"}, "project.xml cannot be read"),
    "entities": ({**GOOD, "input/config.xml": BILLION_LAUGHS}, "input/config.xml cannot be read"),
    "no number": (entries(limit="a lot"), "relativeMaxOutliers cannot be read"),
    "a number without end": (entries(limit="1E999999999"), "relativeMaxOutliers cannot be read"),
    "path out": ({**GOOD, "../../etc/x": b""}, "an entry whose path leaves the project"),
    "path out of Windows": ({**GOOD, "a\\..\\x": b""}, "an entry whose path leaves the project"),
    "absolute path": ({**GOOD, "/etc/x": b""}, "an entry whose path leaves the project"),
    "bomb": ({**GOOD, "data/input.csv": bytes(40 * 1024**2)}, "more than 100 times its own size"),
    "long XML": (
        {**GOOD, "input/config.xml": b"<a/>" * 1_100_000}, "input/config.xml is larger than 4 MiB",
    ),
    "uneven levels": (
        entries(hierarchies={"age": [["20", "*"], ["21"]]}),
        "the hierarchy of 'age' cannot be read",
    ),
    "no columns": (entries(attributes=[]), "columns"),
    "many entries": (
        {**GOOD, **{f"{n}": b"" for n in range(10_001)}}, "more than 10,000 entries",
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_projects_are_one_error(folder: Path, kind: str) -> None:
    content, message = HOSTILE[kind]
    with pytest.raises(PlanError) as raised:
        sqlanon.from_arx(write(content))
    assert message in str(raised.value)
    assert "person" not in str(raised.value)
    assert [file.name for file in folder.iterdir()] == ["study.deid"]


def test_what_is_damaged_leaves_nothing(folder: Path) -> None:
    for entry in ("input/config.xml", "input/hierarchies/age.csv", "data/input.csv"):
        data = bytearray(write(GOOD).read_bytes())
        at = data.index(entry.encode()) + len(entry)
        data[at + 4 : at + 12] = bytes(8)
        Path("study.deid").write_bytes(data)
        with pytest.raises(PlanError, match="a damaged one"):
            sqlanon.from_arx("study.deid")
    Path("study.deid").write_bytes(b"PK, but no zip")
    for file, output, said in (
        ("study.deid", None, "is no zip, or a damaged one"), ("other.deid", None, "is no file"),
        (str(write(GOOD, "good.deid")), ".study.yml", "cannot be the name of a plan"),
    ):  # fmt: skip
        with pytest.raises(PlanError, match=said):
            sqlanon.from_arx(file, output)
    assert {file.name for file in folder.iterdir()} == {"good.deid", "study.deid"}


def test_nothing_is_replaced_without_force() -> None:
    plan_of()
    with pytest.raises(PlanError, match=r"'study\.yml' exists"):
        sqlanon.from_arx("study.deid")
    Path("study.yml").unlink()
    with pytest.raises(PlanError, match="'study_arx' exists"):
        sqlanon.from_arx("study.deid")
    Path("study_arx/of an earlier project.csv").touch()
    sqlanon.from_arx("study.deid", force=True)
    files = {file.name for file in Path("study_arx").iterdir()}
    assert files == {"1_age.csv", "2_city.csv", "input.csv"}
    with pytest.raises(PublishError, match="could not be written"):
        sqlanon.from_arx("study.deid", "no folder/study.yml")


def test_values_with_every_delimiter_keep_their_levels() -> None:
    ages = [["20;21", "a, b, c", "*"], ['2"2', "a, b, c", "*"], ["x,y", "d", "*"]]
    rows = [["age", "city", "illness", "name"], *([a[0], "Ulm", "flu", "n"] for a in ages * 2)]
    made = plan_of(criteria=["2-anonymity"], rows=rows, hierarchies={"age": ages, "city": CITIES})
    run = sqlanon.run(made.path)
    assert run.manifest["rows"]["suppressed"] == 0
    assert {row[0] for row in run.published.fetchall()} == {"20;21", '2"2', "x,y"}


def test_on_the_command_line(command: Command) -> None:
    write(entries(criteria=["3-anonymity", "Inclusion"]))
    arguments = ("init", "--from-arx", "study.deid")
    done = command(*arguments, "--output", "a plan.yml", columns=500)
    assert done.code == 0
    assert done.out.splitlines()[2].split() == ["age", "quasi-identifier", "file"]
    assert "Warning: 'Inclusion' is not carried over" in done.err
    assert "Then: sqlanon run 'a plan.yml'" in done.err
    found = json.loads(command(*arguments, "--json").out)
    assert (found["plan"], len(found["warnings"])) == ("study.yml", 1)
    refused = command(*arguments, "--for", "research", "--force")
    assert (refused.code, refused.out) == (2, "")
    assert "nothing is proposed" in refused.err
    Path("study.deid").write_text("no zip")
    assert command(*arguments, "--force").code == 2
