"""A sample: who is in it is what a keyed hash in plain Python says, and nothing else is read."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sqlanon
from sqlanon import PlanError
from sqlanon.errors import NoSolutionError, SqlanonError
from tests.plan.plans import plan_of
from tests.selection import example_count

KEY = "0123456789abcdef" * 3
NAMES = ("who", "age", "ward", "note")
Row = tuple[str | None, ...]
PlanMapping = dict[str, Any]


@pytest.fixture(autouse=True)
def key(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The secret."""
    monkeypatch.setenv("SQLANON_PSEUDONYM_KEY", KEY)


def write(rows: Sequence[Row]) -> None:
    """The rows as a file that holds every text."""
    with duckdb.connect() as bare:
        bare.execute(f"create table rows ({', '.join(f'{name} varchar' for name in NAMES)})")
        bare.executemany("insert into rows values (?, ?, ?, ?)", rows)
        bare.execute("copy rows to 'rows.parquet'")


def plan(share: object = 0.1, *, unit: bool = False, **keys: Any) -> PlanMapping:
    """A plan over the rows; with `unit` of persons, whose number is not published."""
    columns = {
        "who": "identifier",
        "age": {"role": "quasi-identifier", "type": "ordinal"},
        "ward": "quasi-identifier",
        "note": "insensitive",
    }
    if unit:
        keys = {"unit": {"column": "who", "count": "none"}, **keys}
    return plan_of(**{"columns": columns, "sample": {"share": share},
                      "publish": "published.csv", **keys})  # fmt: skip


def is_drawn(texts: Sequence[str | None], share: object, secret: str = KEY) -> bool:
    """Whether a person, or a row with the number of its copy, is drawn."""
    parts = "".join("|:" if text is None else f"|{len(text)}:{text}" for text in texts)
    digits = hashlib.sha256(f"{secret}|sample{parts}".encode()).hexdigest()[:15]
    return Fraction(int(digits, 16), 16**15) < Fraction(str(share))


def drawn(rows: Sequence[Row], share: object, *, unit: bool, secret: str = KEY) -> Counter[Row]:
    """The published values of the sample: age, ward and note."""
    found: Counter[Row] = Counter()
    copies: Counter[Row] = Counter()
    for who, *published in rows:
        row = tuple(published)
        copies[row] += 1
        found[row] += is_drawn([who] if unit else [*row, str(copies[row])], share, secret)
    return +found


def published() -> Counter[Row]:
    reader = "read_csv('published.csv', all_varchar = true)"
    return Counter(duckdb.execute(f"select age, ward, note from {reader}").fetchall())


PEOPLE = [
    (f"p{n % 800}", str(20 + n % 800 % 5), "xyz"[n % 800 % 3], None if n % 7 == 0 else f"n{n % 4}")
    for n in range(2_400)
]


@pytest.mark.parametrize(
    ("method", "unit"),
    [("optimal", False), ("mondrian", True), ("bucketization", False)],
)
def test_the_sample_is_that_of_the_keyed_hash(method: str, unit: bool) -> None:
    """Every person whole or not at all; as many as a fair draw has; recorded without the key."""
    write(PEOPLE)
    asked = plan(0.2, unit=unit, method=method)
    if method == "bucketization":
        asked["columns"]["note"] = "sensitive"
    result = sqlanon.run(asked)
    wanted = drawn(PEOPLE, 0.2, unit=unit)
    if method == "bucketization":  # whose values are permuted
        assert published().total() == wanted.total()
    else:
        assert published() == wanted
        assert not published() - Counter(row[1:] for row in PEOPLE)
        assert not wanted - drawn(PEOPLE, 0.3, unit=unit)
    count, total = (wanted.total() // 3, 800) if unit else (wanted.total(), 2_400)
    assert abs(count - 0.2 * total) < 5 * math.sqrt(total * 0.2 * 0.8)
    of = "persons" if unit else "rows"
    assert result.manifest["sample"] == {"share": "0.2", "of": of, "drawn": count}
    assert result.manifest["rows"]["input"] == wanted.total()
    deciding = [one.name for one in sqlanon.lineage(result.plan).deciding if "draws" in one.why]
    assert deciding == (["who"] if unit else ["age", "ward", "note"])
    sqlanon.verify("published.csv", asked, with_source=True)
    for file in filter(Path.is_file, Path().rglob("*")):
        assert KEY.encode() not in file.read_bytes(), file


def test_a_program_draws_the_same_whatever_the_order_of_the_source() -> None:
    write(PEOPLE)
    sqlanon.run(plan())
    program, _ = sqlanon.compile(plan())
    expected = Path("published.csv").read_bytes()
    Path("published.csv").unlink()
    write(PEOPLE[::-1])
    with duckdb.connect() as bare:
        bare.execute("set variable sqlanon_pseudonym_key = $key", {"key": KEY})
        for statement in bare.extract_statements(program.sql):
            bare.execute(statement)
    assert Path("published.csv").read_bytes() == expected


@settings(
    max_examples=example_count(15), deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)  # fmt: skip
@given(data=st.data())
def test_rows_of_any_texts(data: st.DataObject, monkeypatch: pytest.MonkeyPatch) -> None:
    """Equal rows are drawn one by one; a missing value is no empty text; another key, others."""
    texts = st.sampled_from(["a", "|", "1:a", "é", "x y", '"', ","])
    row = st.tuples(st.sampled_from("pqrst"), st.just("7"), texts, texts | st.none())
    rows = data.draw(st.lists(row, min_size=1, max_size=40))
    unit = data.draw(st.booleans())
    share = data.draw(st.sampled_from(["0.5", "0.25", "0.999", "0.6180339887498948482"]))
    secret = data.draw(st.sampled_from([KEY, KEY[::-1]]))
    monkeypatch.setenv("SQLANON_PSEUDONYM_KEY", secret)
    write(rows)
    wanted = drawn(rows, share, unit=unit, secret=secret)
    members = {who for who, *_ in rows if is_drawn([who], share, secret)}
    columns = plan()["columns"] | {"ward": "insensitive"}
    planned = plan(Decimal(share), unit=unit, columns=columns)
    if (len(members) if unit else wanted.total()) < 2:
        with pytest.raises(SqlanonError):
            sqlanon.run(planned)
    else:
        sqlanon.run(planned)
        assert published() == wanted


def test_presence_is_that_of_the_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    """One class of 800 persons in a population of 1,600: half would be present, a tenth is."""
    people = [(f"p{n}", "20", "x", "n") for n in range(800)]
    write(people)
    Path("everybody.csv").write_text("age,ward\n" + "20,x\n" * 1_600)
    presence = [{"model": "delta-presence", "dmin": 0, "dmax": 0.1}]
    keys: PlanMapping = {"population": "everybody.csv", "privacy": presence}
    sqlanon.run(plan(0.1, **keys))
    assert published() == drawn(people, 0.1, unit=False)
    monkeypatch.delenv("SQLANON_PSEUDONYM_KEY")  # which no reader of the publication has
    assert sqlanon.verify("published.csv", plan(0.1, **keys))[0].satisfied
    with pytest.raises(NoSolutionError, match=r"presence is 0\.5"):
        sqlanon.run({name: key for name, key in plan(**keys).items() if name != "sample"})


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"order": "source"}, "Which of two equal rows"),
        ({"missing": "drop-rows"}, "look like rows that are not drawn"),
        ({"sample": {"share": 0}}, "give a number above 0"),
        ({"sample": {"share": 1}}, "give a number below 1"),
        ({}, "samples need a key"),
    ],
)
def test_refused(keys: PlanMapping, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    write(PEOPLE[:10])
    if not keys:
        monkeypatch.delenv("SQLANON_PSEUDONYM_KEY")
    with pytest.raises(PlanError, match=said):
        sqlanon.run(plan() | keys)
    assert not Path("published.csv").exists()
