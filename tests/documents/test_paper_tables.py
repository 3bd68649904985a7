"""Each check of a figure of `paper_figures` is done here by the function of its name."""

from __future__ import annotations

import csv
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import accumulate, combinations
from math import prod
from pathlib import Path
from typing import Any

import pytest

import sqlanon
from sqlanon.errors import PrivacyViolation
from sqlanon.search.lattice import nodes_of_height
from tests.support.paper_figures import FOLDER, Figure, Row, figure, figures, number, project, write

Check = dict[str, Any]
CHECKS = [
    pytest.param(found, check, id=f"{found.name}-{number}-{check['do']}")
    for found in figures().values()
    for number, check in enumerate(found.entry.get("checks", []), start=1)
]


def test_every_table_is_checked() -> None:
    """Here, or where its file says."""
    assert len(figures()) == 64
    for name, found in figures().items():
        place = found.entry.get("checked_in", "")
        assert found.entry.get("checks") or name in (FOLDER / place).read_text(encoding="utf-8")


@pytest.mark.sampled(0.1)
@pytest.mark.parametrize(("found", "check"), CHECKS)
def test_table(found: Figure, check: Check, folder: Path) -> None:
    for name, text in found.files.items():
        Path(name).write_text(text, encoding="utf-8")
    globals()[f"check_{check['do']}"](found, check)


# --- what sqlanon does with a table


def plan_of(check: Check, publish: str = "published.csv") -> dict[str, Any]:
    """The plan of a check; its source and its population as files."""
    source, printed = check.get("source"), check.get("printed", False)
    content = {
        "source": "source.csv" if source else {"query": "select 'nothing' as nothing"},
        "publish": publish,
        **check["plan"],
    }
    names = list(content["columns"])
    if source:
        rows = [{**row, **check.get("also", {})} for row in figure(source).table(printed=printed)]
        content["columns"] = {n: role for n, role in content["columns"].items() if n in rows[0]}
        write("source.csv", list(rows[0]), rows)
    if "population" in check:
        persons = figure(check["population"]).persons()
        write("population.csv", [name for name in persons[0] if name in names], persons)
        content["population"] = "population.csv"
    return content


def read(file: str) -> list[Row]:
    """The rows of a published file."""
    with Path(file).open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def check_run(found: Figure, check: Check) -> None:
    """A run publishes this figure, at this node, at this cost."""
    result = sqlanon.run(plan_of(check))
    published = read("published.csv")
    if "published" in check:
        right = figure(check["published"]).table()
        shared = [name for name in right[0] if name in published[0]]
        assert Counter(project(published, *shared)) == Counter(project(right, *shared))
    assert result.manifest["solution"].get("node") == check.get("node")
    assert_measured(check, result.manifest["privacy"], result.manifest["utility"])


def assert_measured(
    check: Check, promises: Sequence[dict[str, Any]], utility: Mapping[str, float] | None = None
) -> None:
    """Each promise is kept, and by how much; at what loss of utility."""
    measured = [pytest.approx(number(value)) for value in check["measured"]]
    assert [promise["measured"] for promise in promises] == measured
    assert all(promise["satisfied"] for promise in promises)
    for name, value in check.get("utility", {}).items() if utility else ():
        assert utility is not None
        assert utility[name] == pytest.approx(number(value)), name


def check_verify(found: Figure, check: Check) -> None:
    """The figure as a publication."""
    rows = found.table()
    names = [name for name in check["plan"]["columns"] if name in rows[0]]
    write("shown.csv", names, rows)
    content = plan_of(check)
    content["columns"] = {name: content["columns"][name] for name in names}
    findings = sqlanon.verify("shown.csv", content)
    count = len(findings)
    assert [finding.measured for finding in findings] == [
        pytest.approx(number(measured)) for measured in check["measured"]
    ]
    assert [f.satisfied for f in findings] == check.get("satisfied", [True] * count)
    assert [f.failing_classes for f in findings] == check.get("failing", [0] * count)


def check_buckets(found: Figure, check: Check) -> None:
    """A run publishes these buckets, and the figure is verified as a publication of the plan."""
    content = plan_of(check)
    result = sqlanon.run(content)
    published = read("published.csv")
    bare = "bucket" not in found.columns
    right = [{"bucket": "1", **row} for row in found.table()] if bare else found.table()
    assert parts(published, check["groups"]) == parts(right, check["groups"])
    assert_measured(check, result.manifest["privacy"], result.manifest["utility"])
    if "height" in check:
        assert check["height"] == sum(
            row[name] not in found.labels(file)
            for row in published
            for name, file in check["files"].items()
        )
    write("shown.csv", list(published[0]), [{**row, **check.get("also", {})} for row in right])
    findings = sqlanon.verify("shown.csv", content, with_source=True, manifest=False)
    assert all(finding.satisfied for finding in findings)
    assert_measured(check, [vars(finding) for finding in findings])


def parts(rows: Sequence[Row], groups: Sequence[Sequence[str]]) -> list[list[list[Any]]]:
    """Of each bucket the parts of each group of columns; buckets in any order."""
    return sorted(
        [sorted(project([row for row in rows if row["bucket"] == b], *group)) for group in groups]
        for b in {row["bucket"] for row in rows}
    )


def check_two_tables(found: Figure, check: Check) -> None:
    """Two tables as a publication."""
    values = figure(check["values"]).rows()
    content = plan_of(check, "open/shown.csv")
    Path("open").mkdir()
    write("open/shown.csv", ["bucket", "zip", "age"], found.rows())
    two_values(check["values"])
    findings = sqlanon.verify("open/shown.csv", content)
    assert_measured(check, [vars(finding) for finding in findings])
    source = figure(check["source"]).rows()
    assert Counter(project(found.rows(), "zip", "age")) == Counter(project(source, "zip", "age"))
    assert Counter(project(values, "salary")) == Counter(project(source, "salary"))


def check_attack(found: Figure, check: Check) -> None:
    """An attack on the figure as a publication."""
    rows = found.table()
    content = plan_of(check)
    shown = "shown.csv"
    if content.get("method") == {"name": "anatomy", "permute": True}:
        Path("open").mkdir()
        shown = content["publish"] = "open/shown.csv"
        (values,) = (c["values"] for c in found.entry["checks"] if c["do"] == "two_tables")
        two_values(values)
    write(shown, [name for name in rows[0] if name in content["columns"] or name == "bucket"], rows)
    content["columns"] = {n: r for n, r in content["columns"].items() if n in (*rows[0], "salary")}
    population = content.get("population")
    if content.get("method") != "combined":  # the plan of other buckets has no population
        content.pop("population", None)
    (finding,) = sqlanon.attack(shown, content, population=population, attacks=check["attacks"])
    assert finding.tried, finding.reason
    for name, value in check["outcome"].items():
        assert getattr(finding, name) == pytest.approx(number(value)), name
    reported = finding.measured or {}
    assert {name: reported[name] for name in check.get("reported", {})} == check.get("reported", {})


def two_values(name: str) -> None:
    """Write the second table of an anatomy: no value is twice in a bucket."""
    rows = figure(name).rows()
    assert len({*project(rows, "bucket", "salary")}) == len(rows)
    write("open/shown_values.csv", ["bucket", "salary", "row_count"],
          [{**row, "row_count": "1"} for row in rows])  # fmt: skip


# --- what is counted


def check_presence(found: Figure, check: Check) -> None:
    """Of each class the rows of the table by the persons of the population; δ-presence of it."""
    printed = check.get("printed", False)
    inside = figure(check["of"]).table() if "of" in check else found.table(printed=printed)
    people = figure(check.get("population", found.name)).persons(printed=printed)
    for name, file in check.get("generalized", {}).items():
        labels = found.labels(file)
        inside, people = (
            [{**row, name: labels.get(row[name], row[name])} for row in rows]
            for rows in (inside, people)
        )
    if "labels" in check:
        (name,) = check["by"]
        inside, people = (
            [{name: check["labels"][row[name]]} for row in rows] for rows in (inside, people)
        )
    by = check["by"]
    present = Counter(project(inside, *by))
    shares = {
        " ".join(key): (present[key], count) for key, count in Counter(project(people, *by)).items()
    }
    right = {key: tuple(map(int, share.split("/"))) for key, share in check["shares"].items()}
    assert shares == right

    low, high = check.get("bounds", [0.1, 0.9])
    every = sorted(Fraction(*share) for share in right.values())
    if not every[0]:
        with pytest.raises(PrivacyViolation, match="known to be absent"):
            delta_presence(inside, people, by, low, high)
        low = 0
    finding = delta_presence(inside, people, by, low, high)
    assert finding.measured == pytest.approx(float(every[-1]))
    assert finding.failing_classes == check["failing"]
    assert finding.satisfied == (not check["failing"])
    # and no share is less, or more, than the table says
    least, most = math.floor(every[0] * 10**9) / 10**9, math.ceil(every[-1] * 10**9) / 10**9
    assert delta_presence(inside, people, by, least, most).satisfied


def delta_presence(
    inside: Sequence[Row], people: Sequence[Row], by: Sequence[str], low: float, high: float
) -> Any:
    """What `verify` says of rows whose quasi-identifiers are these columns."""
    write("shown.csv", [*by, "all"], [{**row, "all": "*"} for row in inside])
    write("people.csv", [*by, "all"], [{**row, "all": "*"} for row in people])
    (finding,) = sqlanon.verify("shown.csv", {
        "source": {"query": "select 'nothing' as nothing"}, "population": "people.csv",
        "columns": dict.fromkeys([*by, "all"], "quasi-identifier"), "publish": "elsewhere.csv",
        "privacy": [{"model": "delta-presence", "dmin": low, "dmax": high}],
    })  # fmt: skip
    return finding


def check_same(found: Figure, check: Check) -> None:
    """The same rows as another figure, or one of its buckets, in any order."""
    bucket = check.get("bucket")
    other = [row for row in figure(check["as"]).rows() if bucket in (None, row.get("bucket"))]
    ours, theirs = (project(rows, *found.columns) for rows in (found.rows(), other))
    assert Counter(ours) == Counter(theirs)


def check_generalized(found: Figure, check: Check) -> None:
    """The rows of another figure, generalized; the levels of other columns are 0."""
    rows = figure(check["source"]).rows()
    for name, file in check["files"].items():
        labels = found.labels(file, check["levels"][name])
        rows = [{**row, name: labels[row[name]]} for row in rows]
    right = Counter(project(found.rows(), *found.columns))
    assert right == Counter(project(rows, *found.columns))


def check_hierarchies(found: Figure, check: Check) -> None:
    """The hierarchies that other checks read are those of the figure."""
    for name, file in check["files"].items():
        levels = [
            tuple(text for text in row[1:] if text)
            for row in project(found.rows(), *found.columns)
            if row[0] == name
        ]
        write("source.csv", [name], [{name: level[0]} for level in levels])
        content = {
            "source": "source.csv",
            "columns": {name: {"role": "quasi-identifier", "hierarchy": file}},
            "privacy": [{"model": "k-anonymity", "k": 2}],
            "publish": "published.csv",
        }
        assert sqlanon.check_hierarchies(content) == []
        assert sorted(map(tuple, sqlanon.show_hierarchy(content, name))) == sorted(levels)


def check_nodes(found: Figure, check: Check) -> None:
    """All nodes, and the order in which they are tried: by height."""
    nodes = [tuple(map(int, row)) for row in project(found.rows(), *found.columns)]
    spans = [max(node[place] for node in nodes) for place in range(len(nodes[0]))]
    assert nodes == [
        tuple(node) for height in range(sum(spans) + 1) for node in nodes_of_height(spans, height)
    ]
    assert [sum(node) for node in nodes] == check["heights"]


def check_parts(found: Figure, check: Check) -> None:
    """The parts of the rows are those of another figure; all buckets together."""
    rows = found.rows(printed=check.get("printed", False))
    for group in check["groups"]:
        ours, theirs = project(rows, *group), project(figure(check["of"]).rows(), *group)
        assert (Counter(ours) == Counter(theirs)) is not check.get("differ", False)


def check_subsets(found: Figure, check: Check) -> None:
    """Which sets of persons have the published counts."""
    persons = {row["name"]: (row["zip"], row["age"]) for row in figure(check["persons"]).rows()}
    published = project(figure(check["published"]).rows(), "zip", "age")
    counts = [Counter(values) for values in zip(*published, strict=True)]
    fitting = {}
    for chosen in combinations(persons, len(published)):
        of_them = zip(*(persons[name] for name in chosen), strict=True)
        fitting[" ".join(chosen)] = [Counter(values) for values in of_them] == counts
    assert fitting == {row["subset"]: row["fits"] == "yes" for row in found.rows()}


def check_gamma(found: Figure, check: Check) -> None:
    """He's gamma: the product of the shares of a person's values in his bucket."""
    gammas = set()
    for bucket in {row["bucket"] for row in found.rows()}:
        inside = project([row for row in found.rows() if row["bucket"] == bucket], "zip", "age")
        counts = [Counter(values) for values in zip(*inside, strict=True)]
        shares = [c[v] for c, v in zip(counts, check["person"], strict=True)]
        gammas |= {prod(Fraction(n, len(inside)) for n in shares)} if all(shares) else set()
    assert gammas == {Fraction(check["gamma"])}


def check_distances(found: Figure, check: Check) -> None:
    """The earth mover's distance of ordered values: what is moved past each of them."""
    shares = {
        row["table"]: [Fraction(row[name]) / 10 for name in found.columns[1:]]
        for row in found.rows()
    }
    for pair, distance in check["ordered"].items():
        first, second = (shares[name] for name in pair.split())
        sums = accumulate(p - q for p, q in zip(first, second, strict=True))
        moved = sum(map(abs, sums)) / (len(first) - 1)
        assert moved == Fraction(str(distance)), pair


def check_frequencies(found: Figure, check: Check) -> None:
    """How many different values each column has, and how often each combination occurs."""
    rows = figure(check["of"]).rows() if "of" in check else found.rows()
    for name, file in check.get("files", {}).items():
        labels = found.labels(file)
        rows = [{**row, name: labels[row[name]]} for row in rows]
    names = list(check["distinct"])
    assert {name: len({row[name] for row in rows}) for name in names} == check["distinct"]
    counted = Counter(project(rows, *names))
    assert counted == {
        tuple(row[name] for name in names): int(row["occurs"]) for row in found.rows()
    }


# --- Adult


def test_attributes_and_races_of_adult(adult: Path) -> None:
    """CPH figure 6.1. `Never-worked` is of nobody whose values are all known: 7 work classes are
    reported of 8 in the hierarchy. Aalborg figure 3.1: one race is so frequent that entropy
    l-diversity of 2 holds nowhere, which `test_largest_l_of_adult` shows."""
    with (adult / "adult.csv").open(encoding="utf-8", newline="") as lines:
        columns, *rows = csv.reader(lines, delimiter=";")
    values = dict(zip(columns, map(Counter, zip(*rows, strict=True)), strict=True))
    names = {"gender": "sex", "work class": "workclass"}
    for row in figure("CPH figure 6.1").rows():
        name = row["attribute"].lower()
        name = names.get(name, name.replace(" ", "-"))
        levels = (adult / f"adult_hierarchy_{name}.csv").read_text(encoding="utf-8").splitlines()
        found = (len(values[name]), levels[0].count(";"))
        printed = (int(row["values"]), int(row["height"]))
        assert found == ((72, 4) if name == "age" else printed), name
        if name == "workclass":
            assert len(levels) == 8
    races = values["race"]
    reported = figure("Aalborg figure 3.1").rows()
    assert races == {row["race"]: int(row["persons"]) for row in reported}
    assert (
        1.7 < math.exp(-sum(n / len(rows) * math.log(n / len(rows)) for n in races.values())) < 1.75
    )
