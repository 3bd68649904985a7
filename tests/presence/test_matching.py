"""Matching buckets of original and fake tuples, beside brute force over all combinations."""

from __future__ import annotations

import itertools
import random
from collections import Counter, defaultdict
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sqlanon
from sqlanon.utility import matching as module
from sqlanon.utility.matching import Tuples, matching, sampled_fakes, sampled_originals
from tests.oracles.persons_relations import bench
from tests.plan.plans import plan_of
from tests.selection import examples
from tests.support.risk_tables import asked
from tests.support.tables import write_csv

Row = tuple[str | None, ...]
NAMES = ("part_1", 'the "b"', "select")
GROUPS = [[[0], [1], [2]], [[0, 1], [2]], [[1], [0, 2]], [[0, 1, 2]]]


def measured(
    rows: Sequence[Row], buckets: Sequence[int], groups: Sequence[Sequence[int]], *, overlaps: bool
) -> dict[str, float | None]:
    """What the statements say of these rows in these buckets."""
    distinct = {row: number for number, row in enumerate(dict.fromkeys(rows), 1)}
    names = ", ".join('"' + name.replace('"', '""') + '" varchar' for name in NAMES)
    combinations = [(number, *row) for row, number in distinct.items()]
    dealt = [(distinct[row], bucket) for row, bucket in zip(rows, buckets, strict=True)]
    with bench() as made:
        made.table("row_combinations", f"combination int, {names}", combinations)
        made.table("bucketed_rows", "combination int, bucket int", dealt)
        named = [[NAMES[place] for place in group] for group in groups]
        return asked(made.connection, matching(named, "combination", overlapping=overlaps))


def matches(
    rows: Sequence[Row], buckets: Sequence[int], groups: Sequence[Sequence[int]]
) -> tuple[list[int], list[int]]:
    """How many buckets every original and every fake tuple matches, by the definition."""
    inside: dict[int, list[Row]] = defaultdict(list)
    for row, bucket in zip(rows, buckets, strict=True):
        inside[bucket].append(row)

    def parts(row: Row) -> tuple[Row, ...]:
        return tuple(tuple(row[place] for place in group) for group in groups)

    counts: Counter[tuple[Row, ...]] = Counter()
    for of in inside.values():
        found = [{parts(row)[n] for row in of} for n in range(len(groups))]
        counts.update(itertools.product(*found))
    originals = {parts(row) for row in rows}
    return (
        [count for of, count in counts.items() if of in originals],
        [count for of, count in counts.items() if of not in originals],
    )


VALUES = st.sampled_from(["p", "q", "r", None])


@examples(150)
@given(
    rows=st.lists(st.tuples(VALUES, VALUES, VALUES), min_size=1, max_size=14),
    draw=st.randoms(use_true_random=False),
    groups=st.sampled_from(GROUPS),
)
def test_counts_are_those_of_the_definition(
    rows: list[Row], draw: random.Random, groups: list[list[int]]
) -> None:
    """Above the limit, tuples are looked up part by part; here, all originals are."""
    buckets = [draw.randint(1, 4) for _ in rows]
    originals, fakes = matches(rows, buckets, groups)
    means = ("original_buckets", "original_buckets_low", "original_buckets_high")
    of_originals = {
        "original_tuples": len(originals),
        **dict.fromkeys(means, pytest.approx(sum(originals) / len(originals))),
        "most_original_buckets": max(originals),
    }
    assert measured(rows, buckets, groups, overlaps=True) == {
        **of_originals,
        "fake_tuples": len(fakes),
        "fake_tuples_low": len(fakes),
        "fake_tuples_high": len(fakes),
        "fake_buckets": pytest.approx(sum(fakes) / len(fakes)) if fakes else None,
        "most_fake_buckets": max(fakes, default=None),
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MOST_COMPOSED", 0)
        found = measured(rows, buckets, groups, overlaps=True)
    assert {name: found[name] for name in of_originals} == of_originals
    assert (found["fake_tuples_low"] or 0) <= len(fakes) <= (found["fake_tuples_high"] or 0)
    # products count the tuples of a strict partition
    strict = [1 + (row[0] == "p") + 2 * (row[2] in ("p", None)) for row in rows]
    found = measured(rows, strict, groups, overlaps=False)
    assert found == measured(rows, strict, groups, overlaps=True)


def test_samples_of_originals_come_near_the_mean() -> None:
    """150 tables of 4,000 tuples, of which 500 are drawn: the interval has the mean of all."""
    draw, held = random.Random(7), 0
    for _ in range(150):
        of_all = [min(1 + int(draw.expovariate(0.3)), 40) for _ in range(4000)]
        found = sampled_originals(list(Counter(draw.sample(of_all, 500)).items()), 4000)
        assert found.count == 4000
        assert found.most is None
        assert 4000 <= found.few <= found.pairs <= found.many
        held += found.few <= sum(of_all) <= found.many
    assert held >= 146


def test_samples_come_near_the_count() -> None:
    """300 tables: the interval has the number of fakes, more often than it promises."""
    held = close = 0
    draw = random.Random(5)
    for _ in range(300):
        groups = draw.choice(GROUPS[:3])
        size = draw.randint(6, 30)
        rows: list[Row] = [tuple(draw.choice("pqrstu") for _ in range(3)) for _ in range(size)]
        buckets = [draw.randint(1, 4) for _ in rows]
        originals, fakes = matches(rows, buckets, groups)
        parts = {
            (bucket, number, ord(row[group[0]] or "") * 1000 + ord(row[group[-1]] or ""))
            for row, bucket in zip(rows, buckets, strict=True)
            for number, group in enumerate(groups, 1)
        }
        own, pairs = len(originals), sum(originals)
        exact = Tuples(own, own, own, pairs, None, pairs, pairs)
        found = sampled_fakes(sorted(parts), exact, samples=600)
        assert found.low <= found.count <= found.high
        assert (found.most, found.pairs) == (None, sum(fakes))
        held += found.low <= len(fakes) <= found.high
        close += abs(found.count - len(fakes)) <= 0.1 * (len(fakes) + own)
    assert held >= 297
    assert close >= 290


def test_a_number_may_have_any_length() -> None:
    """120 columns of 1,000 values each: 10^360 tuples, more than a float can be."""
    parts = [(1, group, part) for group in range(1, 121) for part in range(1000)]
    found = sampled_fakes(parts, Tuples(1000, 1000, 1000, 1000, 1, 1000, 1000), samples=20)
    assert found.high == 1000**120 - 1000
    assert found.mean == 1.0


@pytest.mark.parametrize("partitioning", ["strict", "relaxed"])
def test_a_run_reports_what_its_buckets_hide(partitioning: str) -> None:
    draw = random.Random(3)
    rows = [
        (str(draw.randint(20, 29)), draw.choice("ABCDE"), draw.choice("xyz"), str(n))
        for n in range(120)
    ]
    write_csv("rows.csv", [("age", "zip", "illness", "visits"), *rows])
    groups = [["age"], ["zip", "visits"], ["illness"]]  # visits are of no tuple
    columns = {
        "age": {"role": "quasi-identifier", "type": "numeric"},
        "zip": {"role": "quasi-identifier", "type": "ordinal"},
        "illness": "sensitive",
        "visits": "insensitive",
    }
    method = {"name": "slicing", "columns": groups, "partitioning": partitioning}
    promises = [{"model": "k-anonymity", "k": 6}]
    planned = plan_of(columns, "rows.csv", privacy=promises, method=method)
    result = sqlanon.run(planned)
    inside = defaultdict(list)
    for row in result.records():
        inside[row["bucket"]].append(row)
    counts: Counter[tuple[str, str]] = Counter()
    for of in inside.values():
        counts.update(itertools.product({row["age"] for row in of}, {row["zip"] for row in of}))
    own = {row[:2] for row in rows}
    fakes = [count for of, count in counts.items() if of not in own]
    utility = result.manifest["utility"]
    assert (utility["original_tuples"], utility["fake_tuples"]) == (len(own), len(fakes))
    assert utility["most_fake_buckets"] == max(fakes)
    assert (max(counts.values()) > 1) == (partitioning == "relaxed")
    assert partitioning == "relaxed" or sqlanon.measure(planned)["utility"] == utility
