"""Linked histories: the class is the persons whose published histories are equal.

The definitions are written here in plain Python, from multirelational k-anonymity (Nergiz, Clifton
and Nergiz): a history is the multiset of the labels of a person's rows, a class is the persons with
one history, every promise is judged on such classes, and failing persons lose all their rows.
"""

from __future__ import annotations

import csv
import itertools
import random
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pytest
from class_relations import Class
from models import RUNS, draw, verdict

import sqlanon
from sqlanon import Options
from sqlanon.commands.verify import promised
from sqlanon.errors import NoSolutionError, PlanError, PrivacyViolation
from sqlanon.plan.file import load_plan

LABELS: dict[str, dict[str, tuple[str, ...]]] = {
    "a": {v: (v, {"p": "pq", "q": "pq", "r": "rs", "s": "rs"}[v], "*") for v in "pqrs"},
    "b": {v: (v, "*") for v in "xyz"},
}
"""By quasi-identifier and value, the labels of its levels."""

NODES = list(itertools.product(range(3), range(2)))
PSEUDONYM = {"role": "identifier", "action": "pseudonym", "key": "random"}
LINKED = {"column": "who", "histories": "linked"}

Row = tuple[str, str, str, str]
"""Person, a, b, and the sensitive value."""

History = tuple[tuple[tuple[str, ...], int], ...]
"""The labels of a person's rows, and how many rows have each."""


class Expected(NamedTuple):
    """What a node publishes, by the definitions."""

    persons: frozenset[str]
    classes: int
    published_rows: int
    failing_rows: int


def histories(rows: Sequence[Row], node: Sequence[int]) -> dict[str, History]:
    """The history of each person at a node."""
    found: dict[str, Counter[tuple[str, ...]]] = defaultdict(Counter)
    for who, a, b, _ in rows:
        found[who][LABELS["a"][a][node[0]], LABELS["b"][b][node[1]]] += 1
    return {who: tuple(sorted(counts.items())) for who, counts in found.items()}


def expected(rows: Sequence[Row], node: Sequence[int], models: Sequence[Any]) -> Expected:
    """What a node publishes: the persons of the classes that hold every promise."""
    value = {who: s for who, _, _, s in rows}  # a person has one value in these tables
    classes: dict[History, list[str]] = defaultdict(list)
    for who, history in histories(rows, node).items():
        classes[history].append(who)
    table = Class(tuple(value.values())).shares
    held = [
        members
        for members in classes.values()
        if all(verdict(m, Class(tuple(value[w] for w in members)), table, {})[1] for m in models)
    ]
    persons = frozenset(itertools.chain(*held))
    published = sum(who in persons for who, *_ in rows)
    return Expected(persons, len(held), published, len(rows) - published)


def loss(rows: Sequence[Row], node: Sequence[int], persons: frozenset[str]) -> Fraction:
    """The share of the values that labels cover; a suppressed row loses everything."""
    covered = [
        {label: sum(level[node[place]] == label for level in levels.values())
         for label in {level[node[place]] for level in levels.values()}}
        for place, levels in enumerate(LABELS.values())
    ]  # fmt: skip
    total = Fraction(0)
    for who, *values, _ in rows:
        for place, (levels, value) in enumerate(zip(LABELS.values(), values, strict=True)):
            leaves = covered[place][levels[value][node[place]]]
            share = Fraction(0) if leaves == 1 else Fraction(leaves, len(levels))
            total += share if who in persons else 1
    return total / len(rows) / len(LABELS)


def random_rows(choose: random.Random, persons: int) -> list[Row]:
    """A table with one to five rows a person; many persons are alike."""
    kinds = [
        [(choose.choice("pqrs"), choose.choice("xyz")) for _ in range(choose.randint(1, 5))]
        for _ in range(choose.randint(1, 4))
    ]
    rows = []
    for number in range(persons):
        s = str(number + 1) if number < 3 else choose.choice("1123")  # promises name them
        events = [
            (a if choose.random() < 0.9 else choose.choice("pqrs"), b)
            for a, b in choose.choice(kinds)
        ]
        rows += [(f"w{number}", a, b, s) for a, b in events]
    choose.shuffle(rows)
    return rows


def written(rows: Sequence[Row], **keys: Any) -> dict[str, Any]:
    """The plan of a table that is written into the current folder."""
    with Path("rows.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("who", "a", "b", "s"), *rows])
    for name, labels in LABELS.items():
        with Path(f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(labels.values())
    return {
        "source": {"path": "rows.csv", "delimiter": ","},
        "columns": {
            "who": PSEUDONYM,
            "a": {"role": "quasi-identifier", "hierarchy": "a.csv"},
            "b": {"role": "quasi-identifier", "hierarchy": "b.csv"},
            "s": "sensitive",
        },
        "unit": LINKED,
        "privacy": [{"model": "k-anonymity", "k": 2}],
        "publish": "out.parquet",
        **keys,
    }


def published(path: str = "out.parquet") -> Counter[tuple[tuple[str, ...], ...]]:
    """The published persons, each as the sorted list of the rows of a pseudonym."""
    found = defaultdict(list)
    for who, *row in duckdb.connect().execute(f"select * from '{path}'").fetchall():
        found[who].append(tuple(row))
    return Counter(tuple(sorted(rows)) for rows in found.values())


def with_labels(
    rows: Sequence[Row], node: Mapping[str, int], persons: frozenset[str]
) -> Counter[tuple[tuple[str, ...], ...]]:
    """The same of what a node should publish."""
    found = defaultdict(list)
    for who, a, b, s in rows:
        if who in persons:
            found[who].append((LABELS["a"][a][node["a"]], LABELS["b"][b][node["b"]], s))
    return Counter(tuple(sorted(labels)) for labels in found.values())


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SQLANON_PSEUDONYM_KEY", raising=False)
    return tmp_path


COMPLETE = ("optimal", "incognito", "samarati")
OF_PERSONS = [
    title
    for title in RUNS
    if title.split()[0]
    in ("k-anonymity", "l-diversity", "alpha-k-anonymity", "t-closeness", "beta-likeness",
        "delta-disclosure", "k-e-anonymity")
    and "hierarchical" not in title
]  # fmt: skip
"""Models of classes and of values, by title; a person has one value in these tables."""


@pytest.mark.parametrize("title", OF_PERSONS)
@pytest.mark.parametrize("method", [*COMPLETE, "datafly"])
def test_every_method_and_model_against_the_definitions(method: str, title: str) -> None:
    for seed in range(3):
        choose = random.Random(f"{method} {title} {seed}")
        rows = random_rows(choose, choose.randint(4, 16))
        limit = choose.choice(["0", "0.2", "0.5"])
        entries = [draw(title, choose)]
        if choose.random() < 0.5 and title != "k-anonymity":
            entries.append({"model": "k-anonymity", "k": 2})
        key = choose.choice([PSEUDONYM, "insensitive"])
        plan = written(rows, method=method, privacy=entries, suppression={"limit": limit})
        plan["columns"] = {**plan["columns"], "who": key}
        models = load_plan(plan).privacy
        by_node = {node: expected(rows, node, models) for node in NODES}
        most = int(Fraction(limit) * len(rows))
        satisfying = [n for n, e in by_node.items() if e.failing_rows <= most and e.persons]
        try:
            result = sqlanon.run(plan, Options(overwrite=True))
        except NoSolutionError:
            assert not (satisfying and method in COMPLETE)
            continue
        found = result.manifest["solution"]
        node = (found["node"]["a"], found["node"]["b"])
        assert node in satisfying
        own = by_node[node]
        assert found["classes"] == own.classes
        rows_of = result.manifest["rows"]
        assert (rows_of["published"], rows_of["suppressed"]) == (
            own.published_rows, own.failing_rows)  # fmt: skip
        assert published() == with_labels(rows, found["node"], own.persons)
        for one in result.suppressed_groups:
            groups = [(group.rows, group.suppressed_rows) for group in one.groups]
            groups.append((one.other_rows, one.other_suppressed_rows))
            assert [sum(n) for n in zip(*groups, strict=True)] == [len(rows), own.failing_rows]
        costs = {n: loss(rows, n, by_node[n].persons) for n in satisfying}
        assert result.manifest["utility"]["loss"] == pytest.approx(float(costs[node]), abs=1e-9)
        if method == "optimal":
            assert costs[node] == min(costs.values())
        assert all(entry["satisfied"] for entry in result.manifest["privacy"])
        for finding, model in zip(sqlanon.verify("out.parquet", plan), models, strict=True):
            assert finding.satisfied or model.compares_with_table  # there, with published rows
            assert finding.class_count == own.classes


def test_equal_rows_count_as_often_as_they_occur() -> None:
    # {x, x, y} and {z, z, y} differ; a sum of hashes in which equal rows cancel would unite them
    rows = [(who, "p", b, "1") for who in ("w1", "w2") for b in "xxy"]
    rows += [(who, "p", b, "1") for who, events in (("w3", "zzy"), ("w4", "xyy")) for b in events]
    result = sqlanon.run(written(rows, suppression={"limit": "0.5"}), Options(overwrite=True))
    assert result.manifest["persons"] == {"input": 4, "published": 2, "suppressed": 2}
    assert result.manifest["rows"] == {"input": 12, "published": 6, "suppressed": 6, "dropped": 0}
    assert published() == {(("p", "x", "1"), ("p", "x", "1"), ("p", "y", "1")): 2}


EIGHT = [(f"w{n}", "pq"[n % 2], b, str(n % 3)) for n in range(8) for b in "xy"]
"""Eight persons with two rows each; four of them have each history."""


def test_a_changed_row_breaks_the_proof() -> None:
    plan = written(EIGHT, privacy=[{"model": "k-anonymity", "k": 4}])
    sqlanon.run(plan)
    rows = "select row_number() over () as n, * from 'out.parquet'"
    moved = "select who, a, case when n = 1 then 'z' else b end as b, s"
    duckdb.sql(f"copy ({moved} from ({rows})) to 'moved.parquet'")
    duckdb.sql(f"copy (select * exclude (n) from ({rows}) where n > 1) to 'missing.parquet'")
    again = "select * from 'out.parquet' union all"
    duckdb.sql(f"copy ({again} select * exclude (n) from ({rows}) where n = 1) to 'more.parquet'")
    bare = promised({"path": "out.parquet"}, ["a", "b"], [], plan["privacy"], unit="who")
    assert bare.unit is not None
    assert bare.unit.is_linked
    for checked in (plan, bare):
        (held,) = sqlanon.verify("out.parquet", checked)
        assert (held.satisfied, held.measured, held.class_count) == (True, 4, 2)
    for path in ("moved.parquet", "missing.parquet", "more.parquet"):
        for checked in (plan, bare):
            (found,) = sqlanon.verify(path, checked, manifest=False)
            assert (found.satisfied, found.measured, found.class_count) == (False, 1, 3)
            assert found.failing_classes == 2
            assert found.failing_rows == 4


def test_rows_of_a_person_are_cut() -> None:
    rows = [(f"w{n}", "p", b, str(v)) for n in range(6) for v, b in enumerate("xyxyz"[: 1 + n % 5])]
    unit = {**LINKED, "rows": 2}
    result = sqlanon.run(written(rows, unit=unit, suppression={"limit": "0.9"}))
    kept = sum(min(2, 1 + n % 5) for n in range(6))
    assert result.manifest["rows"]["input"] == len(rows)
    assert result.manifest["rows"]["cut"] == len(rows) - kept
    assert result.manifest["rows"]["published"] + result.manifest["rows"]["suppressed"] == kept
    whole = published()
    assert all(len(person) <= 2 for person in whole)
    assert sum(whole.values()) == result.manifest["persons"]["published"]
    sqlanon.verify("out.parquet", written(rows, unit=unit, suppression={"limit": "0.9"}))
    twice = "select * from 'out.parquet' union all select * from 'out.parquet'"
    duckdb.sql(f"copy ({twice}) to 'twice.parquet'")
    with pytest.raises(PrivacyViolation, match="more published rows than the plan allows"):
        sqlanon.verify(
            "twice.parquet",
            written(rows, unit=unit, suppression={"limit": "0.9"}),
            manifest=False,
        )


def test_the_choice_of_rows_depends_on_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [(f"w{n}", "p", "x", str(v)) for n in range(8) for v in range(12)]
    plan = written(rows, unit={**LINKED, "rows": 3})
    found = []
    for key in ("0123456789abcdef" * 4, "0123456789abcdef" * 4, "fedcba9876543210" * 4):
        monkeypatch.setattr("sqlanon.source.secrets.secrets.token_hex", lambda count, key=key: key)
        sqlanon.run(plan, Options(overwrite=True))
        found.append(published())
    assert found[0] == found[1] != found[2]


def test_persons_with_numbers_of_rows_of_their_own() -> None:
    rows = [(f"w{n}", "p", "x", "1") for n in range(10) for _ in range(n + 1)]
    with pytest.raises(NoSolutionError) as caught:
        sqlanon.run(written(rows))
    assert "Of 10 persons, 10 (100.0%) have a number of rows that fewer than 2" in str(caught.value)
    assert "a smaller `rows`" in str(caught.value)
    sqlanon.run(written(rows, unit={**LINKED, "rows": 1}))


HOSPITAL = Path(__file__).parents[1] / "examples/hospital/visits.csv"


def hospital(**unit: Any) -> dict[str, Any]:
    """The visits of the example, with the five columns of a history."""
    columns = "patient_id, birth_date, sex, zip, admitted, ward"
    read = f"read_csv('{HOSPITAL}', delim = ';', all_varchar = true)"
    duckdb.sql(f"copy (select {columns} from {read}) to 'visits.csv'")
    return {
        "source": {"path": "visits.csv", "delimiter": ","},
        "columns": {
            "patient_id": PSEUDONYM,
            "birth_date": {"role": "quasi-identifier", "hierarchy": {"date": ["year", "decade"]}},
            "sex": "quasi-identifier",
            "zip": {"role": "quasi-identifier", "hierarchy": {"mask": "right"}},
            "admitted": {
                "role": "quasi-identifier",
                "hierarchy": {"date": ["month", "quarter", "year"]},
            },
            "ward": "quasi-identifier",
        },
        "unit": {"column": "patient_id", "histories": "linked", **unit},
        "privacy": [{"model": "k-anonymity", "k": 5}],
        "suppression": {"limit": 0.3},
        "publish": "out.parquet",
    }


def test_the_hospital() -> None:
    """A node that a prototype in Python counted: 106 of 1,200 persons are lost with their rows."""
    node = {"birth_date": 3, "sex": 0, "zip": 3, "admitted": 3, "ward": 1}
    found = sqlanon.measure(hospital(), node=node)
    assert found["rows"] == {"input": 3000, "published": 2378, "suppressed": 622}


def test_the_hospital_with_three_rows_a_person() -> None:
    rows = sqlanon.run(hospital(rows=3)).manifest
    assert rows["rows"]["cut"] == 513
    assert rows["rows"]["published"] + rows["rows"]["suppressed"] == 3000 - 513
    assert rows["persons"]["input"] == 1200
    assert max(len(person) for person in published()) == 3


def test_reports(tmp_path: Path) -> None:
    rows = [*EIGHT, ("w8", "s", "z", "1")]
    plan = written(rows, suppression={"limit": "0.5"})
    first = sqlanon.run(plan)
    assert sqlanon.report(plan)
    assert first.manifest["persons"] == {"input": 9, "published": 8, "suppressed": 1}
    capped = written(rows, suppression={"limit": "0.5"}, unit={**LINKED, "rows": 1})
    sqlanon.run(capped, Options(overwrite=True, report=True))
    with pytest.raises(PlanError, match="by a key that no run keeps"):
        sqlanon.report(capped)
    with pytest.raises(PlanError, match="by a key that is not known here"):
        sqlanon.verify("out.parquet", capped, with_source=True)


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        ({"privacy": [{"model": "average-risk", "threshold": 0.5}],
          "suppression": {"limit": "0.1"}}, "which of two histories"),
        ({"suppression": {"rows": "mask", "limit": "0.1"}}, "kept with '\\*'"),
        ({"method": "mondrian"}, "makes each row alike"),
        ({"population": "rows.csv"}, "population"),
    ],
)  # fmt: skip
def test_what_linked_histories_do_not_go_with(keys: dict[str, Any], told: str) -> None:
    with pytest.raises(PlanError, match=told):
        load_plan(written(EIGHT, **keys))
