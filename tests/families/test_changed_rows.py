"""`publish` of a column: one value a class, coded ends and rounding, against their definitions."""

from __future__ import annotations

import datetime
import random
from collections import Counter
from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest

import sqlanon
from sqlanon import Options
from sqlanon.errors import PlanError, PrivacyViolation
from sqlanon.families import release_by_place
from tests.methods import test_bucket_faults
from tests.oracles import changed_rows as oracle
from tests.plan import plans

Rows = list[tuple[Any, ...]]

pytestmark = pytest.mark.usefixtures("folder")

COLUMNS = {"person": "INTEGER", "age": "INTEGER", "sex": "VARCHAR", "cost": "DECIMAL(9, 3)",
           "stay": "DOUBLE", "born": "DATE", "seen": "DATE", "code": "VARCHAR"}  # fmt: skip
AGES = (*({"aggregate": by, "decimals": 2} for by in ("mean", "median", "sum")),
        *({"aggregate": by} for by in ("mode", "set")), {"aggregate": "interval", "round": 7},
        None)  # fmt: skip
NUMBERS = ({"aggregate": "mean", "decimals": 1}, {"aggregate": "median", "decimals": 0},
           {"aggregate": "sum", "decimals": 2}, {"aggregate": "mode"},
           {"aggregate": "interval", "round": 2.5}, {"aggregate": "interval", "round": 20},
           {"top": 90, "bottom": 18, "decimals": 2}, {"top": "auto", "decimals": 1},
           {"bottom": "auto", "top": "auto", "round": 5, "decimals": 0},
           {"round": 0.5, "top": 50, "decimals": 1}, {"round": 7, "decimals": 3})  # fmt: skip
DAYS = ({"aggregate": "median"}, {"aggregate": "mode"}, {"aggregate": "set"},
        {"aggregate": "interval", "round": "quarter"}, {"aggregate": "interval", "round": "year"},
        {"round": "month"}, {"round": "quarter"},
        {"round": "year", "top": "2000-01-01", "bottom": "1950-01-01"},
        {"top": "auto", "bottom": "auto"}, {"bottom": "1960-07-03"})  # fmt: skip


def table(draw: random.Random) -> list[dict[str, Any]]:
    """A few rows with missing values, ties, and values that are halfway between two others."""

    def day() -> datetime.date | None:
        day = datetime.date(1930 + draw.randint(0, 80), draw.randint(1, 12), 17)
        return draw.choice((None, day))

    rows = []
    for _ in range(draw.randint(40, 90)):
        cost = Decimal(draw.choice((-2125, -125, 5, 125, 1000, 12345, 99995))) / 1000
        rows.append(
            {
                "person": draw.randint(1, 25),
                "age": draw.choice((None, *range(18, 40))),
                "sex": draw.choice("fm"),
                "cost": draw.choice((None, cost, cost, Decimal(draw.randint(0, 100000)) / 1000)),
                "stay": draw.choice((None, 0.5, 2.5, -2.5, 7.0, 0.1, draw.randint(0, 99) / 4)),
                "born": day(),
                "seen": day(),
                "code": draw.choice((None, "a", "b", "b", "c", "c, d", '{e"}')),
            }
        )
    return rows


def rows_of(sql: str) -> Rows:
    return duckdb.connect().execute(sql).fetchall()


@pytest.mark.sampled(0.01, by=lambda case: min(case["seed"], 6))
@pytest.mark.parametrize("seed", range(36))
def test_published_rows_are_those_of_the_definition(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every row, also of `release.sql`, which is one query; `verify` sees them hold.

    The first six seeds take every change of a number and of a day in turn, others draw them.
    """
    counted = ("rows", "many rows", "persons")[seed % 3]
    if counted == "many rows":
        monkeypatch.setattr(release_by_place, "_MANY_ROWS", 1)
        monkeypatch.setattr(release_by_place, "ROWS_EACH", 0)
    draw = random.Random(seed)
    rows = table(draw)
    test_bucket_faults.write("people.parquet", COLUMNS, [tuple(row.values()) for row in rows])

    def one_of(options: tuple[Any, ...], number: int) -> Any:
        return options[number % len(options)] if seed < 6 else draw.choice(options)

    k = draw.randint(2, 4)
    changes: dict[str, Any] = {
        "age": (age := one_of(AGES, seed)),
        "cost": one_of(NUMBERS, 2 * seed),
        "stay": one_of(NUMBERS, 2 * seed + 1),
        "born": one_of(DAYS, 2 * seed),
        "seen": one_of(DAYS, 2 * seed + 1),
        "code": one_of(({"aggregate": "mode"}, {"aggregate": "set"}, None), seed),
    }
    changes = {name: change for name, change in changes.items() if change is not None}
    roles = {"person": "identifier", "age": "quasi-identifier", "sex": "quasi-identifier"}
    columns: dict[str, Any] = {name: {"role": roles.get(name, "insensitive")} for name in COLUMNS}
    for name, change in changes.items():
        columns[name]["publish"] = change
    if age:
        columns["age"]["hierarchy"] = {"intervals": [5, 10]}
    plan = plan_of(columns, k, suppression={"limit": draw.choice((0.1, 0.5))})
    if counted == "persons":
        plan["unit"] = {"column": "person", "count": "none"}
    result = sqlanon.run(plan)
    node = result.manifest["solution"]["node"]
    published = [name for name in COLUMNS if name != "person"]

    def label(row: oracle.Row) -> tuple[Any, ...]:
        sex = row["sex"] if node["sex"] == 0 else "*"
        if node["age"] == (3 if age else 1):
            return "*", sex
        width = (1, 5, 10)[node["age"]]
        return None if row["age"] is None else str(row["age"] // width), sex

    expected = oracle.published(
        rows, label, ["age", "sex"], changes, published, k, "person" if "unit" in plan else None
    )
    found = rows_of("from 'open.parquet'")
    ours, theirs = Counter(found), Counter(expected)
    assert ours == theirs, (changes, node, k, ours - theirs, theirs - ours)
    assert rows_of(Path(result.target / "release.sql").read_text().rstrip(";\n")) == found
    of_class = [n for n, name in enumerate(published)
                if n < 2 or "aggregate" in changes.get(name, {})]  # fmt: skip
    keys = [[(row[n] is None, row[n]) for n in of_class] for row in found]
    assert keys == sorted(keys)
    assert all(finding.satisfied for finding in sqlanon.verify("open.parquet", plan))


def plan_of(columns: dict[str, Any], k: int = 3, **others: Any) -> dict[str, Any]:
    made = plans.plan_of(columns, "people.parquet", privacy=[{"model": "k-anonymity", "k": k}])
    return made | {"publish": "open.parquet"} | others


def source(select: str = "", **columns: Iterable[Any]) -> None:
    """The rows of a query, or columns with these values."""
    lists = (f"unnest({[*values]}) as {name}" for name, values in columns.items())
    select = select or f"select {', '.join(lists)}".replace("None", "null")
    duckdb.connect().execute(f"copy ({select}) to 'people.parquet' (format parquet)")


def shown(publish: Any, role: str = "insensitive") -> dict[str, Any]:
    """A column with other values in place of its own."""
    return {"role": role, "publish": publish}


def test_many_rows_of_diverse_classes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The place of a class depends on them, and its label does not; of b all have the same."""
    monkeypatch.setattr(release_by_place, "_MANY_ROWS", 1)
    monkeypatch.setattr(release_by_place, "ROWS_EACH", 0)
    source(c="aaabbbbdd", s="yxxxxxxyx", x=range(1, 10))
    columns = {"c": "quasi-identifier", "s": "sensitive", "x": shown("median")}
    plan = plan_of(columns, 2, suppression={"limit": 0.5})
    plan["privacy"].append({"model": "l-diversity", "l": 2})
    sqlanon.run(plan)
    found = [" ".join(map(str, row)) for row in rows_of("from 'open.parquet'")]
    assert found == [*["a x 2.00"] * 2, "a y 2.00", "d x 8.00", "d y 8.00"]


@pytest.mark.parametrize("unit", [False, True])
def test_a_value_of_fewer_than_k_is_missing(unit: bool) -> None:
    """Of class a two rows have a value, of b three, but of two persons; a median of four is low."""
    source(c="aaabbbcccc", person=range(1, 11), x=[1, 2, None, 1, 1.5, 0.5, 4, 1, 2, 3])
    columns = {"c": "quasi-identifier", "person": "identifier", "x": shown("median")}
    plan = plan_of(columns)
    if unit:
        source("select c, x, case when person = 5 then 4 else person end as person"
               " from 'people.parquet' union all values ('b', null, 11)")  # fmt: skip
        plan["unit"] = {"column": "person", "count": "none"}
    measured = sqlanon.run(plan).manifest["aggregated"]["x"]
    assert [measured[name] for name in ("aggregate", "classes", "withheld_rows")] == [
        "median", *((1, 5) if unit else (2, 2)),
    ]  # fmt: skip
    of_b = None if unit else Decimal(1)
    found = rows_of("select distinct c, x from 'open.parquet' order by c")
    assert found == [("a", None), ("b", of_b), ("c", Decimal(2))]


def test_halves_are_rounded_away_from_zero() -> None:
    """0.125 is 0.1 and no half; -0.75 and 0.05 are halves of a tenth."""
    source(c="aabbccdd", x=[1, 2, 0, 0.25, -1.25, -0.25, 0.05, 0.05])
    changed = shown({"aggregate": "mean", "decimals": 1})
    sqlanon.run(plan_of({"c": "quasi-identifier", "x": changed}, k=2))
    found = rows_of("select distinct c, cast(x as varchar) from 'open.parquet' order by c")
    assert found == [("a", "1.5"), ("b", "0.1"), ("c", "-0.8"), ("d", "0.1")]


def test_twice_a_multiple_may_exceed_32_or_64_bits() -> None:
    """Numbers are read in billionths: 2 is 2e9 of them, and five billions are 5e18."""
    source(c="aaaa", x=[-1.5, 0.9, 1, 3.5e9])
    for multiple, expected in ((2, [-2, 0, 2, 3_500_000_000]), (5 * 10**9, [0, 0, 0, 5 * 10**9])):
        sqlanon.run(plan_of({"c": "quasi-identifier", "x": shown({"round": multiple})}))
        assert rows_of("select x from 'open.parquet' order by x") == [(x,) for x in expected]


def test_an_end_is_shared_by_k() -> None:
    """Of 9 8 8 7 ... 1 the highest that three reach is 8, the lowest 3; the least mode counts."""
    source(c="a" * 10, x=[9, 8, 8, 7, 6, 5, 4, 3, 2, 1], y=[*"zbqbaz", *[None] * 4])
    ends = shown({"top": "auto", "bottom": "auto", "decimals": 0})
    sqlanon.run(plan_of({"c": "quasi-identifier", "x": ends, "y": shown("mode")}))
    found = rows_of("select x, y from 'open.parquet' order by x")
    assert found == [(Decimal(x), "b") for x in (3, 3, 3, 4, 5, 6, 7, 8, 8, 8)]


def test_columns_that_are_aggregated_one_by_one_are_caught() -> None:
    """Groups of three on each column by itself: every mean is of three rows, no pair of means is.

    x has the groups {1, 2, 3} and {4, 5, 6} of its values, y those of its own.
    """
    source(c=[1] * 6, x=range(1, 7), y=[4, 6, 2, 5, 1, 3])
    plan = plan_of({"c": "quasi-identifier", "x": shown("mean"), "y": shown("mean")})
    sqlanon.run(plan)
    assert rows_of("select distinct x, y from 'open.parquet'") == [(Decimal("3.5"), Decimal("3.5"))]
    means = ", ".join(f"cast(({n} - 1) // 3 * 3 + 2 as decimal(38, 2)) as {n}" for n in "xy")
    rows_of(f"copy (select c, {means} from 'people.parquet') to 'one_by_one.parquet'")
    (finding,) = sqlanon.verify("one_by_one.parquet", plan, manifest=False)
    assert (finding.measured, finding.satisfied) == (1, False)


def test_classes_with_equal_labels_and_means_are_one() -> None:
    """Two decades with one sum and one sex: a reader cannot tell their rows apart."""
    age = shown({"aggregate": "sum", "decimals": 0}, "quasi-identifier")
    age["hierarchy"] = {"intervals": [10]}
    columns = {"age": age, "sex": "quasi-identifier", "cost": "insensitive"}
    source(age=[21, 25, 29, 11, 19, 15, 12, 18], cost=[9, 2, 8, 5, 6, 1, 7, 3], sex="a" * 8)
    result = sqlanon.run(plan_of(columns))
    assert result.manifest["solution"]["node"] == {"age": 1, "sex": 0}
    assert rows_of("select age, sex, cost from 'open.parquet'") == [
        (Decimal(75), "a", number) for number in (1, 2, 3, 5, 6, 7, 8, 9)
    ]
    (finding,) = sqlanon.verify("open.parquet", plan_of(columns))
    assert (finding.measured, finding.class_count) == (8, 1)


def test_columns_may_have_the_names_of_templates() -> None:
    """The key is one of the words of sets, a label stands behind one value; one person has w."""
    source(name=[*"aabbcd"], x=[*"uvwwuv"], value=[1, 1, 2, 2, 31, 32])
    value = {"role": "quasi-identifier", "hierarchy": {"intervals": [10]}}
    plan = plan_of({"name": "identifier", "x": shown("set"), "value": value}, 2, unit="name")
    assert sqlanon.run(plan).manifest["solution"]["node"] == {"value": 1}
    rows = rows_of("select x, value from 'open.parquet'")
    assert rows == [("{3 of 3 values}", "[0, 10)")] * 4 + [("{u, v}", "[30, 40)")] * 2


def test_what_is_left_of_a_column_is_measured() -> None:
    """IL of 1 2 3 | 10 11 12 13 30: 2 + 262.8 of 620.0 are left within the classes (by hand).

    One row has 30 of the 76 of its class; the other class has exactly k rows.
    """
    parts = [1, 2, 3], [10, 11, 12, 13, 30]
    source(x=[*parts[0], *parts[1]], c="aaabbbbb")
    columns: dict[str, Any] = {"c": "quasi-identifier", "x": shown("mean", "sensitive")}
    manifest = sqlanon.run(plan_of(columns)).manifest
    squares = sum((x - sum(part) / len(part)) ** 2 for part in parts for x in part)
    total = sum((x - 82 / 8) ** 2 for part in parts for x in part)
    measured = manifest["aggregated"]["x"]
    assert measured["sse"] == pytest.approx(squares, rel=1e-8)
    assert measured["sst"] == pytest.approx(total, rel=1e-8)
    assert measured["il"] == pytest.approx(squares / total, rel=1e-8)
    assert measured["largest_share"] == pytest.approx(0.5)
    assert measured["smallest_class"] == 3
    assert [one["name"] for one in manifest["warnings"]] == ["class-of-k.x"]


def test_a_person_with_most_of_a_sum_is_warned_of() -> None:
    """60 of 100, in two rows of one person; the plan counts persons."""
    source(x=[40, 20, 10, 10, 20], c="aaaaa", person=[1, 1, 2, 3, 4])
    columns = {"c": "quasi-identifier", "person": "identifier", "x": shown("sum", "sensitive")}
    counted = {"column": "person", "count": "none"}
    manifest = sqlanon.run(plan_of(columns, unit=counted)).manifest
    assert manifest["aggregated"]["x"]["largest_share"] == 0.6
    assert manifest["aggregated"]["x"]["smallest_class"] == 4
    assert [one["name"] for one in manifest["warnings"]] == ["dominant-value.x"]
    source(x=[40, 20, 10, 10, 20], c="aaaaa", person=[1, 1, None, 3, 4])
    with pytest.raises(PlanError, match=r"1 row\(s\) have no 'person'"):
        sqlanon.run(plan_of(columns, unit=counted))


CODED: dict[str, Any] = {
    "values": {"top": 50, "bottom": 10, "round": 5},
    "ends": {"top": "auto", "bottom": "auto"},
    "days": {"round": "quarter", "top": "1999-10-01"},
    "tens": {"aggregate": "interval", "round": 10},
    "quarters": {"aggregate": "interval", "round": "quarter"},
}


@pytest.mark.sampled(0.01, by=("kind", "published"))
@pytest.mark.parametrize(
    ("published", "change", "fault"),
    [
        ([10, 10, 20, 35, 50, 50], "values", ""),
        ([10, 10, 20, 35, 50, 55], "values", "above the top"),
        ([5, 10, 20, 35, 50, 50], "values", "below the bottom"),
        ([10, 10, 20, 32, 50, 50], "values", "no multiple"),
        ([1, 1, 7, 9, 9], "ends", ""),
        ([1, 1, 7, 8, 9], "ends", "one row at the top"),
        ([1, 2, 7, 9, 9], "ends", "one row at the bottom"),
        (["x", 1, 1, 9, 9], "ends", "no number"),
        (["1950-01-01", "1960-04-01", "1999-10-01"], "days", ""),
        (["1950-01-01", "1960-05-01", "1999-10-01"], "days", "no first month"),
        (["1950-01-01", "1960-04-02", "1999-10-01"], "days", "no first day"),
        (["[10, 20)", "[10, 30)", "[-20, 0)"] * 2, "tens", ""),
        (["[10, 21)"] * 2, "tens", "no multiple"),
        (["[10, 20]"] * 2, "tens", "another end"),
        (["[2000-01, 2000-07)"] * 2, "quarters", ""),
        (["[2000-01, 2000-06)"] * 2, "quarters", "no quarter"),
        (["[2000-01-01, 2000-07-01)"] * 2, "quarters", "days"),
    ],
)
@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_coded_values_are_proven_from_the_file(
    published: list[Any], change: str, fault: str, kind: str
) -> None:
    """A table with these published values and one quasi-identifier is verified, or is not."""
    cells = ", ".join(f"('{value}', 'a')" for value in published)
    table = f"select * from (values {cells}) as t (x, c)"
    duckdb.connect().execute(f"copy ({table}) to 'open.{kind}' (format {kind})")
    columns = {"x": shown(CODED[change]), "c": "quasi-identifier"}
    plan = plan_of(columns, k=2, publish=f"open.{kind}")
    if not fault:
        assert all(finding.satisfied for finding in sqlanon.verify(f"open.{kind}", plan))
        plan["columns"] = {"y": columns["x"], "c": "quasi-identifier"}
        with pytest.raises(PlanError, match="no column 'y'"):
            sqlanon.verify(f"open.{kind}", plan)
        return
    words = "Published values are not as the plan"
    if "aggregate" in CODED[change]:
        words = "end at values .* or not on the grid"
    with pytest.raises(PrivacyViolation, match=words):
        sqlanon.verify(f"open.{kind}", plan)


def test_a_set_names_four_values_that_enough_have() -> None:
    """Class b has a value that one row has; c five values; d some that look like sets."""
    values = {"a": [*"wxyzwx"], "b": ["x", "once", "x"], "c": [*"vwxyz"],
              "d": ["{d}", "{d}", "a, b", "a, b", "", "", "v"]}  # fmt: skip
    cells = [(c, x) for c, own in values.items() for x in own]
    source(c=[c for c, _ in cells], x=[x for _, x in cells])
    sqlanon.run(plan_of({"c": "quasi-identifier", "x": shown("set")}, k=2))
    assert rows_of("select distinct c, x from 'open.parquet' order by c") == [
        ("a", "{w, x, y, z}"),
        ("b", "{2 of 9 values}"),
        ("c", "{5 of 9 values}"),
        ("d", '{"", "a, b", v, "{d}"}'),
    ]


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "text": ({"x": "mean"}, "3 row\\(s\\) have values of 'x' that are no numbers"),
    "NaN": ({"nan": "median"}, "1 row\\(s\\) have values of 'nan' that are no numbers"),
    "large": ({"large": "sum"}, "1 row\\(s\\) have values of 'large'"),
    "dates": ({"day": "mean"}, "dates have no mean"),
    "numbers of dates": ({"day": {"top": 90}}, "its values are dates, and the plan gives numbers"),
    "no first day": ({"endless": {"round": "year"}}, "1 row\\(s\\) have values of 'endless'"),
    "no last day": ({"endless": {"top": "auto"}}, "1 row\\(s\\) have values of 'endless'"),
    "truth": ({"truth": "sum"}, "BOOLEAN are neither numbers nor dates"),
    "dates of numbers": ({"n": {"top": "2000-01-01"}}, "its values are numbers"),
    "interval of text": ({"x": {"aggregate": "interval", "round": 5}}, "3 row\\(s\\) have values"),
    "exact ends": (
        {"n": {"aggregate": "interval", "round": 1}},
        "4 of 4 values that fewer than 2 have are lines of the grid '1'",
    ),
    "few": ({"few": {"top": "auto"}}, "Only 3 rows have a value of 'few', fewer than twice the 2"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_values_that_cannot_be_changed_are_refused_before_the_search(case: str) -> None:
    """One error that says why and no value, for text, NaN, wrong types and too few values."""
    source(
        "select 'a' as c, unnest(['secret-1', 'secret-2', 'secret-3', '4']) as x,"
        " unnest([1.5, 'nan'::double, null, 2]) as nan, unnest([1, 2, 3, 1e15]) as large,"
        " date '2000-01-01' + cast(unnest(range(4)) as int) as day, unnest(range(4)) as n,"
        " true as truth, unnest([1, 2, 3, null]) as few,"
        " case when n = 0 then date 'infinity' else day end as endless"
    )
    changes, message = REFUSED[case]
    names = ("x", "nan", "large", "day", "n", "few", "truth", "endless")
    columns: dict[str, Any] = dict.fromkeys(names, "insensitive")
    columns |= {name: shown(change) for name, change in changes.items()}
    with pytest.raises(PlanError, match=message) as error:
        sqlanon.run(plan_of({"c": "quasi-identifier", **columns}, k=2))
    assert "secret" not in str(error.value)
    assert len(error.value.faults) == 1
    assert not Path("open.parquet").exists()


KEYS: dict[str, tuple[Any, str]] = {
    "exact ends": ("interval", "would be values of single persons"),
    "nothing": ({}, "nothing is said of the values"),
    "two": ({"aggregate": "mean", "top": 3}, "one value a class is neither coded"),
    "exchanged": ({"top": 1, "bottom": 2}, "`top` is below `bottom`"),
    "mixed": ({"top": 1, "bottom": "2000-01-01"}, "numbers and dates are mixed"),
    "no multiple": ({"round": 100, "top": 90}, "must be multiples"),
    "no first day": ({"round": "month", "top": "2000-01-02"}, "first days of a month"),
    "digits": ({"round": 0.05, "decimals": 1}, "with 1 digits"),
    "unused digits": ({"aggregate": "mode", "decimals": 1}, "only numbers that are computed"),
    "true": ({"bottom": True}, "this is no end of values"),
    "infinite": ({"top": float("inf")}, "this is no end of values"),
    "week": ({"round": "week"}, "nothing can be rounded to this"),
    "zero": ({"round": 0}, "nothing can be rounded to this"),
    "unknown": ("average", "cannot be 'average'"),
}
LABEL = {"role": "quasi-identifier", "publish": {"top": 90}}
PLANS: dict[str, tuple[dict[str, Any], str]] = {
    "diversity": ({"privacy": [{"model": "l-diversity", "l": 2}]}, "A promise is about the values"),
    "mondrian": ({"method": "mondrian"}, "labels of its own"),
    "buckets": ({"method": "bucketization"}, "deals to buckets"),
    "masked": ({"suppression": {"rows": "mask", "limit": 1}}, "Rows that are kept with"),
    "linked": ({"unit": {"column": "p", "histories": "linked"}}, "Linked histories"),
    "population": ({"population": "people.parquet"}, "A population is compared"),
    "label": ({"columns": {"c": LABEL}}, "coded or rounded by its hierarchy"),
}


@pytest.mark.parametrize("case", [*KEYS, *PLANS])
def test_what_does_not_fit_is_refused_with_the_reason(case: str) -> None:
    key = {"role": "identifier", "action": "pseudonym", "key": "random"}
    change, reason = KEYS.get(case, ("mean", ""))
    others, message = PLANS.get(case, ({}, reason))
    columns = {"c": "quasi-identifier", "x": shown(change, "sensitive")}
    with pytest.raises(PlanError, match=message) as error:
        sqlanon.load_plan(plan_of(columns | {"p": key}) | others)
    assert len(error.value.faults) == 1


def test_the_same_bytes_on_any_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sums of doubles depend on the order of the rows; these are of decimals."""
    source(
        "select i % 7 as c, (i * 7919 % 100003) / 7.0 as x, (i * 31 % 1009) / 3.0 as y,"
        " (i * 37 % 1013) / 9.0 as z, chr(cast(65 + i * i % 7 as int)) as s"
        " from range(150000) as t (i)"
    )
    changes = {"x": "mean", "y": {"top": "auto", "bottom": "auto"},
               "z": {"aggregate": "interval", "round": 10}, "s": "set"}  # fmt: skip
    columns = {"c": "quasi-identifier"} | {name: shown(by) for name, by in changes.items()}
    found = []
    for rows in (1, 10**9):  # the two write the same rows, labels in another encoding
        monkeypatch.setattr(release_by_place, "_MANY_ROWS", rows)
        results = [sqlanon.run(plan_of(columns), Options(threads=threads)) for threads in (1, 8)]
        assert len({result.manifest["published"]["sha256"] for result in results}) == 1
        found.append(rows_of("from 'open.parquet'"))
    assert found[0] == found[1]


def test_every_form_publishes_the_same_rows() -> None:
    """`program.sql` in a bare DuckDB, also without a solution; tables and orders."""
    rows = [tuple(row.values()) for row in table(random.Random("forms"))]
    test_bucket_faults.write("people.parquet", COLUMNS, rows)
    columns: dict[str, Any] = {
        "stay": "insensitive",
        "code": shown("set"),
        "person": "identifier",
        "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [10]}, "publish": "median"},
        "sex": "quasi-identifier",
        "cost": shown({"aggregate": "sum", "decimals": 1}, "sensitive"),
        "born": shown({"round": "quarter", "bottom": "auto"}),
        "seen": "identifier",
    }
    plan = plan_of(columns, suppression={"limit": 0.3})

    def published(place: str, **keys: Any) -> Rows:
        sqlanon.run(plan | keys | {"publish": place})
        found = sqlanon.verify(place, plan | keys | {"publish": place})
        assert all(one.satisfied for one in found)
        file, _, rows = place.partition("::")
        with duckdb.connect(file if rows else ":memory:") as connection:
            select = f"select {shared} from {rows or repr(place)}"
            return connection.execute(select).fetchall()

    shared = "age, sex, cost, born, stay, code"
    expected = published("open.parquet")
    assert published("other.duckdb::main.rows") == expected
    assert Counter(published("sorted.parquet", order="source")) == Counter(expected)
    persons = published("persons.parquet", unit="person")
    assert persons == published("uncounted.parquet", unit={"column": "person", "count": "none"})
    for key in ("value", "total"):  # names of columns of the templates
        called = {key if name == "person" else name: role for name, role in columns.items()}
        query = f"select * rename (person as {key}) from 'people.parquet'"
        keys = {"columns": called, "source": {"query": query}, "unit": key}
        assert persons == published(f"{key}.parquet", **keys)
    for is_solved in (True, False):
        Path("open.parquet").unlink()
        if not is_solved:
            Path("open.solution.json").unlink()
            sqlanon.compile(plan)
        duckdb.connect().execute(Path("target/open/sql/program.sql").read_text())
        assert rows_of(f"select {shared} from 'open.parquet'") == expected
