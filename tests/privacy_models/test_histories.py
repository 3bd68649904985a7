"""Linked histories: the class is the persons whose published histories are equal.

`test_persons_brute_force` has the definitions, and tries every method and model.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import duckdb
import pytest

import sqlanon
from sqlanon import Options
from sqlanon.commands.verify import promised
from sqlanon.errors import NoSolutionError, PlanError, PrivacyViolation
from sqlanon.plan.file import load_plan
from tests.paths import ROOT
from tests.support.tables import write_csv

LABELS: dict[str, dict[str, tuple[str, ...]]] = {
    "a": {v: (v, {"p": "pq", "q": "pq", "r": "rs", "s": "rs"}[v], "*") for v in "pqrs"},
    "b": {v: (v, "*") for v in "xyz"},
}
"""By quasi-identifier and value, the labels of its levels."""

PSEUDONYM = {"role": "identifier", "action": "pseudonym", "key": "random"}
LINKED = {"column": "who", "histories": "linked"}

Row = tuple[str, str, str, str]
"""Person, a, b, and the sensitive value."""


def written(rows: Sequence[Row], **keys: Any) -> dict[str, Any]:
    """The plan of a table that is written into the current folder."""
    write_csv("rows.csv", [("who", "a", "b", "s"), *rows])
    for name, labels in LABELS.items():
        write_csv(f"{name}.csv", labels.values())
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


def test_equal_rows_count_as_often_as_they_occur() -> None:
    # {x, x, y} and {z, z, y} differ; a sum of hashes in which equal rows cancel would unite them
    persons = {"w1": "xxy", "w2": "xxy", "w3": "zzy", "w4": "xyy"}
    rows = [(who, "p", b, "1") for who, events in persons.items() for b in events]
    manifest = sqlanon.run(written(rows, suppression={"limit": "0.5"})).manifest
    assert manifest["persons"] == {"input": 4, "published": 2, "suppressed": 2}
    assert manifest["rows"] == {"input": 12, "published": 6, "suppressed": 6, "dropped": 0}
    assert published() == {(("p", "x", "1"), ("p", "x", "1"), ("p", "y", "1")): 2}


EIGHT = [(f"w{n}", "pq"[n % 2], b, str(n % 3)) for n in range(8) for b in "xy"]
"""Eight persons with two rows each; four of them have each history."""


def test_a_changed_row_breaks_the_proof() -> None:
    plan = written(EIGHT, privacy=[{"model": "k-anonymity", "k": 4}])
    sqlanon.run(plan)
    rows = "select row_number() over () as n, * from 'out.parquet'"
    moved = "select who, a, case when n = 1 then 'z' else b end as b, s"
    changed = {
        "moved": f"{moved} from ({rows})",
        "missing": f"select * exclude (n) from ({rows}) where n > 1",
        "more": f"from 'out.parquet' union all select * exclude (n) from ({rows}) where n = 1",
    }
    bare = promised({"path": "out.parquet"}, ["a", "b"], [], plan["privacy"], unit="who")
    for checked in (plan, bare):
        (held,) = sqlanon.verify("out.parquet", checked)
        assert (held.satisfied, held.measured, held.class_count) == (True, 4, 2)
    for name, query in changed.items():
        duckdb.sql(f"copy ({query}) to '{name}.parquet'")
        for checked in (plan, bare):
            (found,) = sqlanon.verify(f"{name}.parquet", checked, manifest=False)
            assert (found.satisfied, found.measured, found.class_count) == (False, 1, 3)
            assert (found.failing_classes, found.failing_rows) == (2, 4)


def test_rows_of_a_person_are_cut() -> None:
    """To two; which ones, `test_persons_brute_force` checks."""
    rows = [(f"w{n}", "p", b, str(v)) for n in range(6) for v, b in enumerate("xyxyz"[: 1 + n % 5])]
    plan = written(rows, unit={**LINKED, "rows": 2}, suppression={"limit": "0.9"})
    counted = sqlanon.run(plan, Options(report=True)).manifest["rows"]
    assert counted["cut"] == len(rows) - sum(min(2, 1 + n % 5) for n in range(6))
    assert counted["published"] + counted["suppressed"] + counted["cut"] == len(rows)
    assert all(len(person) <= 2 for person in published())
    sqlanon.verify("out.parquet", plan)
    duckdb.sql("copy (from 'out.parquet' union all from 'out.parquet') to 'twice.parquet'")
    with pytest.raises(PrivacyViolation, match="more published rows than the plan allows"):
        sqlanon.verify("twice.parquet", plan, manifest=False)
    with pytest.raises(PlanError, match="by a key that no run keeps"):
        sqlanon.report(plan)
    with pytest.raises(PlanError, match="by a key that is not known here"):
        sqlanon.verify("out.parquet", plan, with_source=True)


def test_the_choice_of_rows_depends_on_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [(f"w{n}", "p", "x", str(v)) for n in range(8) for v in range(12)]
    plan = written(rows, unit={**LINKED, "rows": 3})
    found = []
    for key in ("0123456789abcdef" * 4, "0123456789abcdef" * 4, "fedcba9876543210" * 4):
        keys = SimpleNamespace(token_hex=lambda count, key=key: key)
        monkeypatch.setattr("sqlanon.source.secrets.secrets", keys)
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


def test_the_hospital() -> None:
    """A node that a prototype in Python counted: 106 of 1,200 persons are lost with their rows."""
    hierarchies = {
        "birth_date": {"date": ["year", "decade"]},
        "zip": {"mask": "right"},
        "admitted": {"date": ["month", "quarter", "year"]},
    }
    quasi = {name: {"role": "quasi-identifier", "hierarchy": h} for name, h in hierarchies.items()}
    names = "patient_id, birth_date, sex, zip, admitted, ward"
    read = f"read_csv('{ROOT}/examples/hospital/visits.csv', delim = ';', all_varchar = true)"
    plan = {
        "source": {"query": f"select {names} from {read}"},
        "columns": {
            "patient_id": PSEUDONYM,
            **dict.fromkeys(("sex", "ward"), "quasi-identifier"),
            **quasi,
        },
        "unit": {**LINKED, "column": "patient_id"},
        "privacy": [{"model": "k-anonymity", "k": 5}],
        "suppression": {"limit": 0.3},
        "publish": "out.parquet",
    }
    node = {"birth_date": 3, "sex": 0, "zip": 3, "admitted": 3, "ward": 1}
    found = sqlanon.measure(plan, node=node)
    assert found["rows"] == {"input": 3000, "published": 2378, "suppressed": 622}
    capped = {**plan, "unit": {**LINKED, "column": "patient_id", "rows": 3}}
    manifest = sqlanon.run(capped).manifest
    assert (manifest["rows"]["cut"], manifest["persons"]["input"]) == (513, 1200)
    assert max(len(person) for person in published()) == 3


@pytest.mark.parametrize(
    ("keys", "shown"),
    [
        ({"privacy": [{"model": "average-risk", "threshold": 0.5}],
          "suppression": {"limit": "0.1"}}, "which of two histories"),
        ({"suppression": {"rows": "mask", "limit": "0.1"}}, "kept with '\\*'"),
        ({"method": "mondrian"}, "makes each row alike"),
        ({"population": "rows.csv"}, "population"),
    ],
)  # fmt: skip
def test_what_linked_histories_do_not_go_with(keys: dict[str, Any], shown: str) -> None:
    with pytest.raises(PlanError, match=shown):
        load_plan(written(EIGHT, **keys))
