"""Publications that count persons and publish no key of them: `unit`, and what verify finds.

`test_persons_brute_force` tries every method and model.
"""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import duckdb
import pytest
import sqlglot
import yaml

import sqlanon
from sqlanon.errors import EngineError, PlanError, PrivacyViolation
from sqlanon.proof.lineage import check_key_is_counted
from sqlanon.sql.step import Step
from tests.conftest import Command

Row = tuple[str, str, int, str, int]
"""Key of the person, town, age, illness, cost."""

COLUMNS: dict[str, Any] = {
    "person": "identifier",
    "town": "quasi-identifier",
    "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [10, 30]}},
    "illness": "sensitive",
    "cost": "insensitive",
}


def rows_of(seed: int, persons: int = 30) -> list[Row]:
    """Random rows: 1 to 5 for each person, with a town and an age that may change."""
    draw = random.Random(f"persons {seed}")
    rows = []
    for n in range(persons):
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


def label_fits(label: str, value: str) -> bool:
    """Whether a published label covers a value: itself, everything, a range or a half-open one."""
    if label in (value, "*"):
        return True
    if not (label[0] in "[(" and label[-1] in "])"):
        return False
    low, high = (float(end) for end in label[1:-1].split(", "))
    number = float(value)
    return low <= number and (number <= high if label[-1] == "]" else number < high)


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
        "a person known to be in the table is found with a chance of at most 0.5, in all but a"
        " share of 0.1 of the persons",
        "every class holds at least 2 different values of illness, and at least 1 person without"
        " each of them",
        "in every class no illness has more than one in 1.1 persons",
    )
    written = plan_of(source="source.csv", publish="out.csv", privacy=privacy)
    Path("p.yml").write_text(yaml.safe_dump(written), encoding="utf-8")
    with connection_of(rows_of(1)) as connection:
        connection.execute("copy source to 'source.csv'")
    sqlanon.run("p.yml")
    sqlanon.report("p.yml")
    for name in ("publication.json", "release.sql", "sql/program.sql", "report.html"):
        text = (Path("target/p") / name).read_text(encoding="utf-8")
        reported = " ".join(text.replace("--", "").split())
        assert [each for each in sentences if each[1:] not in reported] == [], name
    (proof,) = Path("target/p/sql").glob("*_proof_of_k_anonymity.sql")
    assert sentences[0] in " ".join(proof.read_text("utf-8").replace("--", "").split())

    def called(*arguments: str) -> str:
        ended = command(*arguments)
        return " ".join((ended.out + ended.err).split())

    assert all(each in called("check", "p.yml") for each in sentences)
    assert "persons are counted in place of rows" in called("explain", "k-anonymity")
    shown = called(
        "verify", "out.csv", "--plan", "p.yml", "--no-manifest", "--set", "privacy.0.k=30"
    )
    assert "failing persons" in shown
    assert re.search(r"classes fail \(\d+ persons\)", shown)
    assert "failing rows" not in shown


def test_linkage_by_rows_is_a_bound_where_no_number_of_persons_is_shown() -> None:
    """A class has at least k persons and at most as many as rows, so 1 / rows <= p <= 1 / k."""
    rows = rows_of(4)
    plan = plan_of(unit={"column": "person", "count": "none"})
    tried: list[str | dict[str, Any]] = [{"name": "linkage", "threshold": t} for t in (0.2, 0.25)]
    with connection_of(rows) as connection:
        connection.execute("create table people as select distinct town, age from source")
        sqlanon.run(plan, connection=connection)
        published = connection.execute("select town, age from out").fetchall()
        found = sqlanon.attack("out", plan, connection=connection, attacks=tried)
        others = sqlanon.attack(
            "out", plan, connection=connection, attacks=["linkage", "membership"],
            population="people",
        )  # fmt: skip
    persons = defaultdict(set)
    for label in set(published):
        for key, town, age, *_ in rows:
            if label_fits(label[0], town) and label_fits(label[1], str(age)):
                persons[label].add(key)
    sizes = Counter(published)
    true = max(1 / len(members) for members in persons.values())
    for alone, threshold, is_safe in zip(
        [one for one in found if one.tried], (0.2, 0.25), (False, True), strict=True
    ):
        assert alone.certainty == 1 / min(sizes.values()) <= true <= 1 / 4
        at_risk = sum(size for size in sizes.values() if 1 / size > threshold)
        assert (alone.rows, alone.rows_at_risk) == (len(published), at_risk)
        assert alone.rows_not_safe == (0 if is_safe else len(published))
        assert "at least 4, by a promise" in alone.notes[0]
    by_name = {(one.attack, one.variant): one for one in others}
    assert not by_name["membership", ""].tried
    assert "how many persons a class has" in (by_name["membership", ""].reason or "")
    assert by_name["linkage", "journalist"].tried  # a class may have more rows than persons fit it


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
    privacy = [{"model": "k-anonymity", "k": 6}, frequency]
    with connection_of(rows) as connection:
        plan = plan_of(privacy=privacy)
        manifest = sqlanon.run(plan, connection=connection).manifest
        assert [p["measured"] for p in manifest["privacy"]] == [6, 2]  # 3 of 6 persons
        size, share = sqlanon.verify("out", plan, connection=connection, manifest=False)
        assert (size.verdict, share.verdict) == ("holds", "not shown")  # 5 rows of 6 persons
        bound = {**frequency, "l": 1.2}
        plan = plan_of(privacy=[{"model": "k-anonymity", "k": 6}, bound])
        size, share = sqlanon.verify("out", plan, connection=connection, manifest=False)
        assert (size.verdict, share.verdict) == ("holds", "holds")  # 6 / 5
        assert share.measured == pytest.approx(1.2)
        spread = {"model": "delta-disclosure", "delta": 9}  # rows alone do not bound it from below
        plan = plan_of(privacy=[{"model": "k-anonymity", "k": 6}, spread])
        _, spread_found = sqlanon.verify("out", plan, connection=connection, manifest=False)
        assert spread_found.verdict == "not shown"


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


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"columns": {**COLUMNS, "person": "insensitive"}}, "could be joined by 'person'"),
        ({"columns": {**COLUMNS, "person": {"role": "identifier", "action": "pseudonym"}}},
         "could be joined by 'person'"),
        ({"unit": {"column": "person", "rows": 3}}, "only linked histories"),
        ({"unit": {"column": "person", "count": "cost"}}, "already a column 'cost'"),
        ({"unit": {"column": "person", "histories": "linked"}}, "'person' is not published"),
        ({"unit": {"column": "person", "histories": "linked", "count": "n"}}, "leave out `count`"),
        ({"unit": {"column": "person", "histories": "linked"}, "suppression": None,
          "method": "mondrian",
          "columns": {**COLUMNS, "person": "insensitive"}}, "by itself"),
        ({"unit": {"column": "person", "histories": "linked"},
          "columns": {**COLUMNS, "person": {"role": "identifier", "action": "pseudonym"}}},
         "can be joined by them"),
        ({"unit": "nobody"}, "no column 'nobody'"),
        ({"unit": "town"}, "could be joined by 'town'"),
        ({"order": "source"}, "order of the source"),
        ({"suppression": {"limit": 0.1, "rows": "mask"}}, "where persons are counted"),
        ({"unit": {"column": "person", "rows": 0}}, "rows"),
    ],
)  # fmt: skip
def test_plans_of_persons_that_are_refused(changes: dict[str, Any], message: str) -> None:
    content = {key: value for key, value in plan_of(**changes).items() if value is not None}
    with pytest.raises(PlanError) as refused:
        sqlanon.Plan(**content)
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
    pseudonym = {"role": "identifier", "action": "pseudonym", "key": "random"}
    result = sqlanon.run({
        "source": "rows.csv", "method": method, "publish": "linked.parquet",
        "columns": {"q": "quasi-identifier", "s": "sensitive", "pid": pseudonym},
        "unit": {"column": "pid", "histories": "linked"},
        "privacy": [{"model": "k-anonymity", "k": 2}, promise],
        "suppression": {"limit": 0.7 if published == 2 else 0.2},
    })  # fmt: skip
    assert result.manifest["rows"]["published"] == published
    assert all(finding.satisfied for finding in result.verify())
    assert sqlanon.load_plan(result.plan, {"privacy.0.k": 3}).k == 3
