"""Labels of nominal columns: what they name, and that they are read as they were written."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sqlanon
from sqlanon import PlanError, PrivacyViolation
from sqlanon.sql.render import render
from tests.methods import test_ends
from tests.methods.test_bucket_faults import write
from tests.oracles import sets
from tests.plan.plans import plan_of
from tests.selection import examples

Value = str | None
PlanMapping = dict[str, Any]

pytestmark = pytest.mark.usefixtures("folder")

ODD = (
    "a", "b", "a, b", "a,b", '"', '""', '", "', 'a, "b", c', "{a}", "{a, b}", "{", "}", "[a, b]",
    "2 of 3 values", "{2 of 3 values}", "x or NULL", "NULL", " or NULL", "", " ", " a", "a ", ",",
    ", ", "a\nb", "\r\n", "\t", "of", "b, x", "*", "(a, *]", "é", "e\u0301", "'", "%", "\\",
)  # fmt: skip
letters = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
texts = st.sampled_from(ODD) | st.text(st.sampled_from('ab, "{}\n\r') | letters, max_size=6)


def plan(values: Sequence[Value], k: int = 2, **method: Any) -> PlanMapping:
    """A plan over rows with these values, published in the order of the source."""
    rows = [(value, f"{n}") for n, value in enumerate(values)]
    write("rows.parquet", dict.fromkeys(("city", "kept"), "varchar"), rows)  # it holds every text
    city = {"role": "quasi-identifier", "type": "nominal"} | method.pop("city", {})
    columns = {"city": city, "kept": "insensitive"}
    made = plan_of(columns, privacy=[{"model": "k-anonymity", "k": k}], order="source")
    return made | {"method": {"name": "mondrian", **method}, "publish": "published.parquet"}


def labels_of(values: Sequence[Value], k: int = 2, **method: Any) -> list[Value]:
    """The labels that are published, row by row."""
    sqlanon.run(plan(values, k, **method))
    return [row["city"] for row in test_ends.published()]


@examples(25)
@given(data=st.data())
def test_labels_are_sets_of_any_texts(data: st.DataObject) -> None:
    """A label names the values of its rows, in their order, and a reader gets these values."""
    values = data.draw(st.lists(texts | st.none(), min_size=1, max_size=7, unique=True))
    rows = data.draw(st.lists(st.sampled_from(values), min_size=2, max_size=30))
    names = data.draw(st.integers(1, 5))
    values_of: dict[Value, set[Value]] = defaultdict(set)
    for row, label in zip(rows, labels_of(rows, names=names, ends="exact"), strict=True):
        values_of[label].add(row)
    total = len({*rows} - {None})
    for label, found in values_of.items():
        known, is_null = sets.read(label)
        assert is_null == (None in found)
        if known is None:
            assert f" of {total} values}}" in str(label)
            continue
        assert set(known) == found - {None}
        in_order = sorted((value for value in found if value is not None), key=str.encode)
        missing: list[Value] = [None] if None in found else []
        assert label == sets.write([*missing, *in_order], total, names)


def test_a_set_names_no_value_of_few() -> None:
    """Of 4 rows `b` and 1 of `rare`, with k = 4, no label names either; `x or NULL` is a value."""
    rows = ["a"] * 4 + ["b"] * 4 + ["rare"] + ["x"] * 5 + ["x or NULL"] * 4
    assert set(labels_of(rows, 4)) == {"a", "{2 of 5 values}", "x", '{"x or NULL"}'}
    assert set(labels_of(rows, 4, ends="exact")) == {"a", "{b, rare}", "x", '{"x or NULL"}'}


TREE = """\
Ulm,Swabia,south,*
Augsburg,Swabia,south,*
Passau,Passau,south,*
Kiel,coast,north,*
Rostock,coast,north,*
north,other,north,*
"""


def test_more_than_the_names_is_the_lowest_ancestor() -> None:
    """`south` covers its three; of the north the label is a value, too, and so it is not used."""
    rows = [line.partition(",")[0] for line in TREE.splitlines() for _ in range(2)]
    column = {"hierarchy": "tree.csv"}
    Path("tree.csv").write_text(TREE, encoding="utf-8")
    assert set(labels_of(rows, 6, city=column, names=2)) == {"south", "{3 of 6 values}"}
    # rare values are not named
    assert set(labels_of(rows, 6, city=column)) == {"south", "{3 of 6 values}"}
    # siblings are neighbors: along the alphabet, Augsburg would be with Kiel
    named = Counter(labels_of(rows, 6, city=column, names=3, ends="exact"))
    assert named == {"{Kiel, Rostock, north}": 6, "{Passau, Augsburg, Ulm}": 6}
    for label in ("{south}", "south or NULL"):  # which would be read as something else
        Path("tree.csv").write_text(TREE.replace("south", label), encoding="utf-8")
        assert set(labels_of(rows, 6, city=column, names=2)) == {"{3 of 6 values}"}, label


def test_sets_do_not_locate_a_population() -> None:
    with_population = plan(["a", "b"] * 5) | {"population": "rows.parquet"}
    with_population["privacy"] = [{"model": "delta-presence", "dmin": 0, "dmax": 1}]
    with pytest.raises(PlanError, match="do not name all of their values"):
        sqlanon.run(with_population)
    assert not Path("published.parquet").exists()


def test_ncp_counts_every_value_of_a_label_that_names_none() -> None:
    """12 rows of two values each, which are named or not, and 12 of one: 2/5 or 1, and 0."""
    rows = [*"aaabbbcccddd", *"e" * 12]
    for method, loss, labels in (
        ({"ends": "exact"}, 12 * 0.4 / 24, {"{a, b}", "{c, d}", "e"}),
        ({"names": 1}, 12 / 24, {"{2 of 5 values}", "e"}),
    ):
        utility = sqlanon.run(plan(rows, 6, **method)).manifest["utility"]
        assert utility["ncp"] == pytest.approx(loss)
        assert {row["city"] for row in test_ends.published()} == labels


def reading(order: Sequence[Value], labels: Sequence[Value]) -> duckdb.DuckDBPyConnection:
    """The values in their order, each also a label of all, and a publication with these labels."""
    bare = duckdb.connect()
    bare.execute("create schema sqlanon")
    bare.execute(
        "create table sqlanon.value_places (attribute_number integer, kind varchar,"
        " value varchar, place integer, position double, place_count integer)"
    )
    bare.execute(
        "create table sqlanon.label_places (attribute_number integer, place integer,"
        " level integer, label varchar, first_place integer, last_place integer)"
    )
    bare.execute("create table sqlanon.published_rows (city varchar)")
    places = [(1, "nominal", value, place, None, len(order)) for place, value in enumerate(order)]
    bare.executemany("insert into sqlanon.value_places values (?, ?, ?, ?, ?, ?)", places)
    inside = [(1, n, 1, value, 0, len(order) - 1) for value in order for n in range(len(order))]
    bare.executemany("insert into sqlanon.label_places values (?, ?, ?, ?, ?, ?)", inside)
    bare.executemany("insert into sqlanon.published_rows values (?)", [(v,) for v in labels])
    return bare


@examples(150)
@given(data=st.data())
def test_attacks_read_what_was_written(data: st.DataObject) -> None:
    """Of any texts: the values that attacks find in a label are those that it was written of."""
    order: list[Value] = [None] if data.draw(st.booleans()) else []
    order += data.draw(st.lists(texts, min_size=2, max_size=8, unique=True))
    total = sum(value is not None for value in order)
    subsets = data.draw(
        st.lists(
            st.lists(st.integers(0, len(order) - 1), min_size=1, unique=True).map(sorted),
            min_size=1,
            max_size=5,
        )
    )
    most = data.draw(st.integers(1, 6))
    wanted: dict[Value, set[int]] = defaultdict(set)
    for members in subsets:
        listed = [order[place] for place in members]
        known = [place for place in members if order[place] is not None]
        is_named = len(known) <= most
        covered = set(members) if is_named else {n for n, v in enumerate(order) if v is not None}
        covered |= {place for place in members if order[place] is None}
        wanted[sets.write(listed, total, most)] |= covered
    with reading(order, list(wanted)) as bare:
        names = render(
            "attacks/persons_labels.sql",
            title="labels",
            rows="sqlanon.published_rows",
            persons="",
            quasi_identifiers=[("city", "city")],
            by="places",
        )
        found: dict[Value, set[int]] = defaultdict(set)
        for _, _, label, value, place in bare.execute(names).fetchall():
            assert order[place] == value
            found[label].add(place)
        assert found == wanted
        ranges = render("proof/label_ranges.sql", quasi_identifiers=["city"], sets=True)
        located: dict[Value, list[int]] = defaultdict(list)
        ends: dict[Value, set[int]] = defaultdict(set)
        for _, label, first, last in bare.execute(ranges).fetchall():
            located[label] += range(first, last + 1)
            ends[label].add(last)
        assert {label: sorted(places) for label, places in located.items()} == {
            label: sorted(places) for label, places in wanted.items()
        }
        assert ends == {  # neighbors are one range
            label: {n for n in places if n + 1 not in places} for label, places in wanted.items()
        }


def test_a_label_that_is_none_is_not_read() -> None:
    """Neither values nor a label: the proof of regions then finds it."""
    with reading(["a", "b"], ["{c, d}", "c", "[a, b]"]) as bare:
        ranges = render("proof/label_ranges.sql", quasi_identifiers=["city"], sets=True)
        assert {row[2:] for row in bare.execute(ranges).fetchall()} == {(None, None)}


@pytest.mark.parametrize("label", ["rare", "{a, rare}", '{"ra,re", b} or NULL', "rare or NULL"])
def test_a_name_of_few_stops_the_run(label: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault in the labels is found on the staged rows, and nothing is published."""
    test_ends.mislabel(monkeypatch, "city", label)
    with pytest.raises(PrivacyViolation):
        sqlanon.run(plan(["a", "b"] * 5 + ["rare", "ra,re"], 3))
    assert not Path("published.parquet").exists()
