"""Labels of nominal columns: what they name, and that they are read as they were written."""

from __future__ import annotations

import csv
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
from tests.oracles import sets
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


def write_rows(rows: Sequence[Sequence[Value]], names: str = "city kept") -> None:
    """The rows as a Parquet file, which holds every text."""
    columns = ", ".join(f"{name} varchar" for name in names.split())
    with duckdb.connect() as bare:
        bare.execute(f"create table rows ({columns})")
        marks = ", ".join("?" * len(rows[0]))
        bare.executemany(f"insert into rows values ({marks})", rows)
        bare.execute("copy rows to 'rows.parquet'")


def plan(columns: PlanMapping, k: int = 2, **method: Any) -> PlanMapping:
    """A plan over the rows, published in the order of the source."""
    quasi = {"role": "quasi-identifier"}
    return {
        "source": "rows.parquet",
        "columns": {name: quasi | {"type": "nominal"} | keys for name, keys in columns.items()}
        | {"kept": "insensitive"},
        "privacy": [{"model": "k-anonymity", "k": k}],
        "method": {"name": "mondrian", **method},
        "publish": "published.parquet",
        "order": "source",
    }


def published() -> list[Value]:
    """The labels, row by row."""
    return [row["city"] for row in test_ends.published()]


# --- written


@examples(25)
@given(data=st.data())
def test_labels_are_sets_of_any_texts(data: st.DataObject) -> None:
    """A label names the values of its rows, in their order, and a reader gets these values."""
    values = data.draw(st.lists(texts | st.none(), min_size=1, max_size=7, unique=True))
    rows = data.draw(st.lists(st.sampled_from(values), min_size=2, max_size=30))
    names = data.draw(st.integers(1, 5))
    write_rows([(value, str(n)) for n, value in enumerate(rows)])
    sqlanon.run(plan({"city": {"type": "nominal"}}, names=names, ends="exact"))
    labels = published()
    values_of: dict[Value, set[Value]] = defaultdict(set)
    for row, label in zip(rows, labels, strict=True):
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
    write_rows([(value, str(n)) for n, value in enumerate(rows)])
    sqlanon.run(plan({"city": {}}, k=4))
    assert set(published()) == {"a", "{2 of 5 values}", "x", '{"x or NULL"}'}
    sqlanon.run(plan({"city": {}}, k=4, ends="exact"))
    assert set(published()) == {"a", "{b, rare}", "x", '{"x or NULL"}'}


TREE = {
    "Ulm": ("Ulm", "Swabia", "south", "*"),
    "Augsburg": ("Augsburg", "Swabia", "south", "*"),
    "Passau": ("Passau", "Passau", "south", "*"),
    "Kiel": ("Kiel", "coast", "north", "*"),
    "Rostock": ("Rostock", "coast", "north", "*"),
    "north": ("north", "other", "north", "*"),
}


def write_tree() -> PlanMapping:
    """The hierarchy as a file, and a column with it."""
    with Path("tree.csv").open("w", encoding="utf-8", newline="") as lines:
        csv.writer(lines).writerows(TREE.values())
    return {"type": "nominal", "hierarchy": "tree.csv"}


def test_siblings_are_neighbors() -> None:
    """Along the alphabet, Augsburg would be with Kiel."""
    rows = [name for name in TREE for _ in range(3)]
    write_rows([(value, str(n)) for n, value in enumerate(rows)])
    column = write_tree()
    sqlanon.run(plan({"city": column}, k=5, ends="exact"))
    assert Counter(published()) == {"{Kiel, Rostock, north}": 9, "{Passau, Augsburg, Ulm}": 9}


def test_more_than_the_names_is_the_lowest_ancestor() -> None:
    """`south` covers its three; of the north the label is a value, too, and so it is not used."""
    rows = [name for name in TREE for _ in range(2)]
    write_rows([(value, str(n)) for n, value in enumerate(rows)])
    column = write_tree()
    sqlanon.run(plan({"city": column}, k=6, names=2))
    assert set(published()) == {"south", "{3 of 6 values}"}
    sqlanon.run(plan({"city": column}, k=6))  # rare values are not named
    assert set(published()) == {"south", "{3 of 6 values}"}
    sqlanon.run(plan({"city": column}, k=6, names=3, ends="exact"))
    assert {tuple(sorted(sets.read(label)[0] or [])) for label in published()} == {
        ("Augsburg", "Passau", "Ulm"),
        ("Kiel", "Rostock", "north"),
    }
    tree = Path("tree.csv").read_text(encoding="utf-8")
    for label in ("{south}", "south or NULL"):  # which would be read as something else
        Path("tree.csv").write_text(tree.replace("south", label), encoding="utf-8")
        sqlanon.run(plan({"city": column}, k=6, names=2))
        assert set(published()) == {"{3 of 6 values}"}, label


def test_sets_do_not_locate_a_population() -> None:
    write_rows([("a", "1"), ("b", "2")] * 5)
    with_population = plan({"city": {}}) | {"population": "rows.parquet"}
    with_population["privacy"] = [{"model": "delta-presence", "dmin": 0, "dmax": 1}]
    with pytest.raises(PlanError, match="do not name all of their values"):
        sqlanon.run(with_population)
    assert not Path("published.parquet").exists()


def test_ncp_counts_every_value_of_a_label_that_names_none() -> None:
    """12 rows of two values each, which are named or not, and 12 of one: 2/5 or 1, and 0."""
    rows = ["a"] * 3 + ["b"] * 3 + ["c"] * 3 + ["d"] * 3 + ["e"] * 12
    write_rows([(value, str(n)) for n, value in enumerate(rows)])
    named = sqlanon.run(plan({"city": {}}, k=6, ends="exact")).manifest["utility"]
    assert set(published()) == {"{a, b}", "{c, d}", "e"}
    assert named["ncp"] == pytest.approx(12 * 0.4 / 24)
    counted = sqlanon.run(plan({"city": {}}, k=6, names=1)).manifest["utility"]
    assert set(published()) == {"{2 of 5 values}", "e"}
    assert counted["ncp"] == pytest.approx(12 / 24)


# --- read


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


@pytest.mark.sampled(0.5)
@pytest.mark.parametrize("label", ["rare", "{a, rare}", '{"ra,re", b} or NULL', "rare or NULL"])
def test_a_name_of_few_stops_the_run(label: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault in the labels is found on the staged rows, and nothing is published."""
    write_rows([(value, str(n)) for n, value in enumerate(["a", "b"] * 5 + ["rare", "ra,re"])])
    test_ends.mislabel(monkeypatch, "city", label)
    with pytest.raises(PrivacyViolation):
        sqlanon.run(plan({"city": {}}, k=3))
    assert not Path("published.parquet").exists()
