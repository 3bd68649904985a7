"""Publications that count persons and publish no key of them: `unit`, and what verify finds.

`test_persons_brute_force` tries every method and model.
"""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import pytest
import sqlglot
import yaml

import sqlanon
from sqlanon import Options
from sqlanon.commands.verify import promised
from sqlanon.errors import EngineError, NoSolutionError, PlanError, PrivacyViolation
from sqlanon.proof.lineage import check_key_is_counted
from sqlanon.sql.step import Step
from tests.conftest import Command
from tests.paths import ROOT
from tests.plan import plans
from tests.support.tables import write_csv

Row = tuple[str, str, int, str, int]
"""Key of the person, town, age, illness, cost."""

COLUMNS: dict[str, Any] = {
    "person": "identifier",
    "town": "quasi-identifier",
    "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [10, 30]}},
    "illness": "sensitive",
    "cost": "insensitive",
}


def rows_of(seed: int) -> list[Row]:
    """Random rows of 30 persons: 1 to 5 for each, with a town and an age that may change."""
    draw = random.Random(f"persons {seed}")
    rows: list[Row] = []
    for n in range(30):
        town, age = draw.choice("ab"), draw.randrange(20, 80, 5)
        for _ in range(draw.randint(1, 5)):
            moved = draw.choice("ab") if draw.random() < 0.3 else town
            aged = age + draw.choice((0, 0, 0, 5))
            rows.append((f"key-{n}", moved, aged, draw.choice("xyz"), draw.randrange(3)))
    draw.shuffle(rows)
    return rows


def connection_of(rows: list[Row]) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.execute(
        "create table source (person varchar, town varchar, age int, illness varchar, cost int)"
    )
    connection.executemany("insert into source values (?, ?, ?, ?, ?)", rows)
    return connection


def plan_of(method: str = "optimal", **changes: Any) -> dict[str, Any]:
    is_full = method in ("optimal", "incognito", "samarati", "datafly")
    return {
        "source": {"table": "source"},
        "columns": COLUMNS,
        "unit": "person",
        "privacy": [{"model": "k-anonymity", "k": 4}],
        "method": method,
        "publish": {"table": "out"},
        **({"suppression": {"limit": 0.3}} if is_full else {}),
        **changes,
    }


def test_the_number_of_persons_can_be_left_out_or_renamed() -> None:
    with connection_of(rows_of(1)) as connection:
        for count in ("patients", "none"):
            unit = {"column": "person", "count": count}
            sqlanon.run(plan_of(unit=unit), connection=connection)
            names = [name for name, *_ in connection.execute("describe out").fetchall()]
            assert names == [*list(COLUMNS)[1:], *([count] if count != "none" else [])]
        plan = plan_of(unit={"column": "person", "count": "none"})
        (proven,) = sqlanon.verify("out", plan, connection=connection)
        assert (proven.verdict, proven.measured) == ("proven by the run", None)
        (unknown,) = sqlanon.verify("out", plan, connection=connection, manifest=False)
        assert (unknown.verdict, unknown.satisfied) == ("not shown", False)
        assert (unknown.failing_classes, unknown.failing_rows) == (0, 0)
        (shown,) = sqlanon.verify(
            "out", plan, connection=connection, manifest=False, with_source=True
        )
        assert shown.verdict == "holds"


def test_sentences_say_whom_they_count(command: Command) -> None:
    """With a key of persons no sentence about a promise says that rows are counted."""
    privacy = [
        {"model": "k-anonymity", "k": 4},
        {"model": "alpha-k-anonymity", "alpha": 0.9, "k": 2},
        {"model": "prosecutor-risk", "threshold": 0.5, "share": 0.1},
        {"model": "l-diversity", "l": 2},
        {"model": "l-diversity", "kind": "frequency", "l": 1.1},
    ]
    sentences = (
        "every published row shares its quasi-identifiers with at least 3 other persons (k = 4)",
        "every class has at least 2 persons, and no illness a share above 0.9",
        "in all but a share of 0.1 of the persons",
        "and at least 1 person without each of them",
        "in every class no illness has more than one in 1.1 persons",
    )
    written = plan_of(source="source.csv", publish="out.csv", privacy=privacy)
    Path("p.yml").write_text(yaml.safe_dump(written), encoding="utf-8")
    with connection_of(rows_of(1)) as connection:
        connection.execute("copy source to 'source.csv'")
    sqlanon.run("p.yml")
    sqlanon.report("p.yml")

    def called(*arguments: str) -> str:
        ended = command(*arguments)
        return ended.out + ended.err

    for file in ("publication.json", "release.sql", "sql/program.sql", "report.html", ""):
        text = Path("target/p", file).read_text("utf-8") if file else called("check", "p.yml")
        reported = " ".join(text.replace("--", "").split())
        assert [each for each in sentences if each[1:] not in reported] == [], file
    verified = ("verify", "out.csv", "--plan", "p.yml", "--no-manifest", "--set", "privacy.0.k=30")
    shown = " ".join(called(*verified).split())
    assert re.search(r"failing persons.*classes fail \(\d+ persons\)", shown)
    assert "failing rows" not in shown


def test_linkage_by_rows_is_a_bound_where_no_number_of_persons_is_shown() -> None:
    """A class has at least k persons and at most as many as rows, so 1 / rows <= p <= 1 / k."""
    plan = plan_of(unit={"column": "person", "count": "none"})
    tried: list[str | dict[str, Any]] = [{"name": "linkage", "threshold": t} for t in (0.2, 0.25)]
    with connection_of(rows_of(4)) as connection:
        connection.execute("create table people as select distinct town, age from source")
        sqlanon.run(plan_of(publish={"table": "counted"}), connection=connection)
        ((persons,),) = connection.execute("select min(persons) from counted").fetchall()
        sqlanon.run(plan, connection=connection)
        sizes = Counter(connection.execute("select town, age from out").fetchall()).values()
        found = sqlanon.attack("out", plan, connection=connection, attacks=tried)
        others = sqlanon.attack(
            "out", plan, connection=connection, attacks=["linkage", "membership"],
            population="people",
        )  # fmt: skip
    alone = [one for one in found if one.tried]
    for one, threshold, is_safe in zip(alone, (0.2, 0.25), (False, True), strict=True):
        assert one.certainty == 1 / min(sizes) <= 1 / persons <= 1 / 4
        at_risk = sum(size for size in sizes if 1 / size > threshold)
        assert (one.rows, one.rows_at_risk) == (sum(sizes), at_risk)
        assert one.rows_not_safe == (0 if is_safe else sum(sizes))
        assert "at least 4, by a promise" in one.notes[0]
    tried_others = {(one.attack, one.variant): one.tried for one in others}
    assert not tried_others["membership", ""]
    assert tried_others["linkage", "journalist"]  # a class may have more rows than persons fit it


CHANGES = [
    (False, "update out set persons = persons + 1 where rowid = 0", "persons of classes cannot"),
    (False, "update out set persons = null", "persons of classes cannot"),
    (False, "update out set persons = 1000", "persons of classes cannot"),
    (True, "update out set illness = 'other' where rowid = 0", "published rows are others"),
    (True, "update out set persons = persons - 1", "persons of classes cannot"),
    (True, "insert into out from out limit 1", "published rows are others"),
]
"""With or without the source, what is done to a publication, and what `verify` says."""


def test_verify_finds_changed_rows_and_numbers_of_persons() -> None:
    with connection_of(rows_of(2)) as connection:
        sqlanon.run(plan_of(), connection=connection)
        connection.execute("create table good as from out")
        for with_source, change, message in CHANGES:
            connection.execute("create or replace table out as from good")
            connection.execute(change)
            with pytest.raises(PrivacyViolation, match=message):
                sqlanon.verify(
                    "out", plan_of(), connection=connection, manifest=False,
                    with_source=with_source,
                )  # fmt: skip
        # a class of many rows, and of fewer persons than k, as its own column says
        connection.execute("create or replace table out as from good")
        connection.execute("update out set persons = 3")
        (found,) = sqlanon.verify("out", plan_of(), connection=connection, manifest=False)
        assert (found.measured, found.satisfied) == (3, False)


def test_a_file_alone_shows_bounds_on_shares() -> None:
    """Six persons, one of them with three rows of flu: 5 of 6 could have it, and 3 do."""
    rows: list[Row] = [("p0", "a", 30, "flu", 1)] * 3
    rows += [(f"p{n}", "a", 30, "flu" if n < 3 else "cold", 1) for n in range(1, 6)]
    frequency = {"model": "l-diversity", "kind": "frequency", "l": 2}
    privacy: list[dict[str, Any]] = [{"model": "k-anonymity", "k": 6}, frequency]
    bounds: list[tuple[dict[str, Any], str]] = [
        (frequency, "not shown"),  # 5 rows of 6 persons
        ({**frequency, "l": 1.2}, "holds"),  # 6 / 5
        ({"model": "delta-disclosure", "delta": 9}, "not shown"),  # rows are no bound from below
    ]
    with connection_of(rows) as connection:
        manifest = sqlanon.run(plan_of(privacy=privacy), connection=connection).manifest
        assert [p["measured"] for p in manifest["privacy"]] == [6, 2]  # 3 of 6 persons
        for promise, verdict in bounds:
            plan = plan_of(privacy=[privacy[0], promise])
            size, share = sqlanon.verify("out", plan, connection=connection, manifest=False)
            assert (size.verdict, share.verdict) == ("holds", verdict)
            if verdict == "holds":
                assert share.measured == pytest.approx(1.2)


def test_files_have_no_key_and_are_proven_from_their_bytes(folder: Path) -> None:
    """The release is one query without the key."""
    connection_of(rows_of(4)).execute("copy source to 'source.csv'")
    for place in ("out.csv", "out.duckdb::out", "out.parquet"):
        plan = plan_of(source="source.csv", publish=place)
        target = sqlanon.run(plan).target
        for with_source in (False, True):
            found = sqlanon.verify(place, plan, manifest=False, with_source=with_source)
            assert [f.satisfied for f in found] == [True]
    released = duckdb.connect().execute((target / "release.sql").read_text()).fetchall()
    assert released == duckdb.connect().execute("from 'out.parquet'").fetchall()
    for file in folder.rglob("*"):
        if file.is_file() and file.name != "source.csv":
            assert b"key-" not in file.read_bytes(), file


@pytest.mark.parametrize(
    "sql",
    [
        "select person as town from sqlanon.source_rows",
        "select upper(person) as person from sqlanon.source_rows",
        "select min(person) as least from sqlanon.source_rows",
        "select (select max(person) from sqlanon.source_rows) as town",
    ],
)
def test_no_step_makes_another_column_of_the_key(sql: str) -> None:
    plan = sqlanon.Plan(**plan_of())
    tree = sqlglot.parse_one(sql, dialect="duckdb")
    assert isinstance(tree, sqlglot.exp.Query)
    with pytest.raises(EngineError, match="from the key"):
        check_key_is_counted(plan, tree, Step("some", sql))


PSEUDONYM = {"role": "identifier", "action": "pseudonym"}
LINKED = {"column": "person", "histories": "linked"}
SHOWN: dict[str, Any] = {"unit": LINKED, "columns": {**COLUMNS, "person": "insensitive"}}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"columns": {**COLUMNS, "person": "insensitive"}}, "could be joined by 'person'"),
        ({"columns": {**COLUMNS, "person": PSEUDONYM}}, "could be joined by 'person'"),
        ({"unit": {"column": "person", "rows": 3}}, "only linked histories"),
        ({"unit": {"column": "person", "count": "cost"}}, "already a column 'cost'"),
        ({"unit": LINKED}, "'person' is not published"),
        ({"unit": {**LINKED, "count": "n"}}, "leave out `count`"),
        ({**SHOWN, "method": "mondrian"}, "by itself"),
        ({**SHOWN, "method": {"name": "mondrian"}}, "makes each row alike"),
        ({**SHOWN, "suppression": {"rows": "mask", "limit": 0.1}}, "kept with '*'"),
        ({**SHOWN, "privacy": [{"model": "average-risk", "threshold": 0.5}]}, "of two histories"),
        ({**SHOWN, "population": "rows.csv"}, "population"),
        ({"unit": LINKED, "columns": {**COLUMNS, "person": PSEUDONYM}}, "can be joined by them"),
        ({"unit": "nobody"}, "no column 'nobody'"),
        ({"unit": "town"}, "could be joined by 'town'"),
        ({"order": "source"}, "order of the source"),
        ({"suppression": {"limit": 0.1, "rows": "mask"}}, "where persons are counted"),
        ({"unit": {"column": "person", "rows": 0}}, "rows"),
    ],
)
def test_plans_of_persons_that_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(PlanError) as refused:
        sqlanon.load_plan(plan_of(**changes))
    assert message in str(refused.value)


def test_columns_that_join_rows_are_warned_of() -> None:
    """The number of an insurance is one for all rows of a person; an illness is not."""
    with connection_of(rows_of(6)) as connection:
        connection.execute("alter table source add column insurance varchar")
        connection.execute("update source set insurance = 'i' || person")
        columns = {**COLUMNS, "insurance": "insensitive"}
        warned = sqlanon.check(plan_of(columns=columns), connection=connection).warnings
        assert [w.name for w in warned if w.name.startswith("joined")] == ["joined-rows.insurance"]


def test_persons_of_a_population_do_not_change() -> None:
    with connection_of(rows_of(8)) as connection:
        connection.execute("create table people as select distinct town, age from source")
        plan = plan_of(privacy=[{"model": "k-map", "k": 2}], population={"table": "people"})
        with pytest.raises(PlanError, match="differ from row to row"):
            sqlanon.run(plan, connection=connection)


FREQUENT: list[Any] = [
    {"model": "l-diversity", "kind": "frequency", "l": 1.25},
    {"model": "alpha-k-anonymity", "alpha": 0.8, "k": 2},
]


@pytest.mark.sampled(0.1, by=("method", "promise"))
@pytest.mark.parametrize("method", ["optimal", "incognito", "samarati", "datafly"])
@pytest.mark.parametrize(
    ("promise", "values", "published"),
    [({"model": "l-diversity", "l": 2}, ["x", "y", "xy", "xz"], 2)]
    # four of five persons with the same six values, so that each of these is too frequent by one
    + [(promise, [*["abcdef"] * 4, "ghijkl"], 30) for promise in FREQUENT],
)  # fmt: skip
def test_linked_persons_with_several_values_hide_no_node(
    promise: dict[str, Any], values: list[str], published: int, method: str
) -> None:
    """Of the first, persons with one value are a class, and the others are suppressed.

    Of the others, a sixth person stands apart, and is suppressed with six of 36 rows.
    """
    persons = [("a", each) for each in values] + [("b", "abcdef")] * (published == 30)
    rows = [f"{q},{n},{s}" for n, (q, each) in enumerate(persons) for s in each]
    Path("rows.csv").write_text("\n".join(["q,pid,s", *rows, ""]))
    columns = {"q": "quasi-identifier", "s": "sensitive", "pid": RANDOM_KEY}
    plan = plans.plan_of(columns, "rows.csv", method=method, unit={**HISTORIES, "column": "pid"})
    plan["privacy"].append(promise)
    plan["suppression"] = {"limit": 0.7 if published == 2 else 0.2}
    result = sqlanon.run(plan)
    assert result.manifest["rows"]["published"] == published
    assert all(finding.satisfied for finding in result.verify())
    assert sqlanon.load_plan(result.plan, {"privacy.0.k": 3}).k == 3


# --- linked histories: the class is the persons whose published histories are equal

LABELS: dict[str, dict[str, tuple[str, ...]]] = {
    "a": {v: (v, {"p": "pq", "q": "pq", "r": "rs", "s": "rs"}[v], "*") for v in "pqrs"},
    "b": {v: (v, "*") for v in "xyz"},
}
"""By quasi-identifier and value, the labels of its levels."""

RANDOM_KEY = {"role": "identifier", "action": "pseudonym", "key": "random"}
HISTORIES = {"column": "who", "histories": "linked"}


def written(rows: Sequence[tuple[str, str, str, str]], **keys: Any) -> dict[str, Any]:
    """The plan of a table of persons, a, b and sensitive values, which is written here."""
    write_csv("rows.csv", [("who", "a", "b", "s"), *rows])
    for name, labels in LABELS.items():
        write_csv(f"{name}.csv", labels.values())
    columns = {
        "who": RANDOM_KEY,
        "a": {"role": "quasi-identifier", "hierarchy": "a.csv"},
        "b": {"role": "quasi-identifier", "hierarchy": "b.csv"},
        "s": "sensitive",
    }
    source = {"path": "rows.csv", "delimiter": ","}
    return plans.plan_of(columns, source, **{"unit": HISTORIES, **keys})


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
    plan = written(rows, unit={**HISTORIES, "rows": 2}, suppression={"limit": "0.9"})
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
    with pytest.raises(PlanError, match="on a key that is not known here"):
        sqlanon.verify("out.parquet", plan, with_source=True)


def test_the_choice_of_rows_depends_on_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [(f"w{n}", "p", "x", str(v)) for n in range(8) for v in range(12)]
    plan = written(rows, unit={**HISTORIES, "rows": 3})
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
    sqlanon.run(written(rows, unit={**HISTORIES, "rows": 1}))


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
    columns = {"patient_id": RANDOM_KEY, "sex": "quasi-identifier", "ward": "quasi-identifier"}
    plan = plans.plan_of(
        columns | quasi,
        {"query": f"select {names} from {read}"},
        unit={**HISTORIES, "column": "patient_id"},
        privacy=[{"model": "k-anonymity", "k": 5}],
        suppression={"limit": 0.3},
    )
    node = {"birth_date": 3, "sex": 0, "zip": 3, "admitted": 3, "ward": 1}
    found = sqlanon.measure(plan, node=node)
    assert found["rows"] == {"input": 3000, "published": 2378, "suppressed": 622}
    capped = {**plan, "unit": {**HISTORIES, "column": "patient_id", "rows": 3}}
    manifest = sqlanon.run(capped).manifest
    assert (manifest["rows"]["cut"], manifest["persons"]["input"]) == (513, 1200)
    assert max(len(person) for person in published()) == 3
