"""Hierarchies of every kind with hostile content: sound, or refused.

What is published is looked up by a reading of its own: every label must be one of the value's, by
the file or by what the rule says.
"""

from __future__ import annotations

import contextlib
import csv
from collections.abc import Callable
from datetime import datetime
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from tests.fuzz.common import (
    HOSTILE,
    Case,
    Kind,
    Outcome,
    published,
    require,
    require_classes,
    run,
    texts,
    write_parquet,
)  # fmt: skip
from tests.oracles.hierarchies import mask_labels, period
from tests.plan.plans import plan_of

K = 2

labels = st.one_of(st.sampled_from(["a", "b", "c", "A", "1", "*"]), texts)
numbers = st.one_of(
    st.integers(-200, 200).map(str),
    st.decimals(-1000, 1000, places=3, allow_nan=False).map(str),
    st.sampled_from(["1e3", " 7 ", "+5", "0x10", "1_000", "-0", "0.05", "99999999999999999999",
                     "nan", "inf", "", "1.", ".5", "12345678901234567890.123456789"]),
)  # fmt: skip
dates = st.one_of(
    st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31)).map(lambda d: d.isoformat(" ")),
    st.dates().map(str),
    st.sampled_from(["2020-02-30", "infinity", "-infinity", "epoch", "2020-1-1", "20200101",
                     "2020-01-01 10:00:00+02", "0001-01-01", "0044-03-15 (BC)", ""]),
)  # fmt: skip
PERIODS = ["day", "week", "month", "quarter", "year", "decade", "century"]
small = st.lists(st.integers(-5, 40), min_size=0, max_size=4)


@st.composite
def _files(draw: st.DrawFn) -> Case:
    """A table of labels: nested by making, then spoilt a little."""
    values = draw(st.lists(labels, min_size=2, max_size=5, unique=True))
    joins = [draw(labels) for _ in range(2)]
    rows = [[value, draw(st.sampled_from(joins)), "*"] for value in values]
    for _ in range(draw(st.integers(0, 2))):
        row = draw(st.sampled_from(rows))
        match draw(st.integers(0, 4)):
            case 0:
                row.append(draw(labels))
            case 1 if len(row) > 1:
                row.pop()
            case 2:
                rows.append(list(row))
            case 3:
                row[draw(st.integers(0, len(row) - 1))] = draw(labels)
            case _:
                rows.remove(row) if len(rows) > 1 else None
    delimiter = draw(st.sampled_from([";", ",", "\t"]))
    return {"form": "file", "rows": rows, "delimiter": delimiter, "values": values}


@st.composite
def _rules(draw: st.DrawFn) -> Case:
    form = draw(st.sampled_from(["intervals", "cut_points", "round", "mask", "date"]))
    rule: Any
    if form == "intervals":
        width = draw(st.sampled_from([1, 5, 0.5, "0.1", 7, 0, -1, 10**20]))
        rule = {"widths": draw(st.sampled_from([[width], [width, 10], [5, 10], [2, 6, 24]]))}
        for key in ("start", "lowest", "highest"):
            if draw(st.integers(0, 3)) == 0:
                rule[key] = draw(st.sampled_from([0, 5, -10, 18, 100, 0.5]))
    elif form == "cut_points":
        first = draw(small)
        rule = [sorted(set(first)) if draw(st.booleans()) else first]
        if draw(st.booleans()):
            rule.append(draw(st.one_of(small, st.just(rule[0][:1]))))
    elif form == "round":
        rule = draw(st.one_of(small, st.sampled_from([[2, 1, 0], [1, 0, -1], [0], [-2]])))
    elif form == "mask":
        rule = {"side": draw(st.sampled_from(["left", "right"]))}
        if draw(st.booleans()):
            rule["characters"] = draw(st.integers(0, 70))
    else:
        rule = draw(st.lists(st.sampled_from(PERIODS), min_size=1, max_size=4))
        if draw(st.booleans()):
            rule = sorted(set(rule), key=PERIODS.index)
    of = {"mask": labels, "date": dates}.get(form, numbers)
    return {"form": form, "rule": rule, "values": draw(st.lists(of, min_size=1, max_size=6))}


def _check(case: Case, folder: Path) -> Outcome:
    values = [value for value in case["values"] for _ in range(2)]
    form = case["form"]
    hierarchy: Any = {form: case.get("rule")}
    if form == "file":
        with Path("h.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, delimiter=case["delimiter"]).writerows(case["rows"])
        hierarchy = {"file": "h.csv", "delimiter": case["delimiter"], "header": False}
    rows = [[value, f"{number}"] for number, value in enumerate(values)]
    require(write_parquet("rows.parquet", ["v", "id"], rows), "no table for a plain header")
    plan = plan_of({
        "v": {"role": "quasi-identifier", "hierarchy": hierarchy}, "id": "insensitive"
    }, method="samarati")  # fmt: skip
    # values that occur twice would be published as they are, were k not more than two
    plan["privacy"][0]["k"] = 3 if len(values) > 2 else 2
    hidden = [value for value in case["values"] if len(value) > 12 and value not in HOSTILE]
    if run(plan, hidden=hidden) is None:
        return "refused"
    _, found = published("out.parquet")
    require(sorted(int(row[1]) for row in found) == list(range(len(values))), "rows were lost")
    require_classes([row[:1] for row in found], K)
    reading = _READINGS[form]
    for label, number in found:
        value = values[int(number)]
        require(reading(case, value, label), f"a label of a {form} is not one of its value's")
    return "accepted"


def _of_file(case: Case, value: str, label: str) -> bool:
    with Path("h.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.reader(file, delimiter=case["delimiter"]) if row]
    own = [row for row in rows if row[0] == value]
    require(len(own) == 1, "a value with no row or with several was published")
    for level in range(1, len(own[0])):
        pairs = {(row[level - 1], row[level]) for row in rows if len(row) > level}
        require(len(pairs) == len({finer for finer, _ in pairs}), "levels that do not nest")
    require(len({row[-1] for row in rows}) == 1, "a top of several values was published")
    return label in own[0]


def _number(text: str) -> Decimal | None:
    with contextlib.suppress(InvalidOperation):
        return Decimal(text.strip())
    return None


def _of_intervals(case: Case, value: str, label: str) -> bool:
    exact = _number(value)
    if label in (value, "*") or exact is None:
        return label in (value, "*")
    if label[0] in "<>":
        sign, bound = label.split()
        return exact < Decimal(bound) if sign == "<" else sign == ">=" and exact >= Decimal(bound)
    low, high = map(Decimal, label[1:-1].split(", "))
    return label[0] == "[" and label[-1] == ")" and low <= exact < high


def _of_round(case: Case, value: str, label: str) -> bool:
    exact = _number(value)
    if label in (value, "*") or exact is None:
        return label in (value, "*")
    errors = [Decimal(10) ** -places / 2 for places in case["rule"]]
    return any(abs(Decimal(label) - exact) <= sum(errors[: n + 1]) for n in range(len(errors)))


def _of_mask(case: Case, value: str, label: str) -> bool:
    rule = {"side": case["rule"]["side"], "characters": len(value) + 1}
    return label in {value, *mask_labels({"mask": rule}, value)}


def _of_date(case: Case, value: str, label: str) -> bool:
    if label in (value, "*"):
        return True
    try:
        day = datetime.fromisoformat(value).date()
    except ValueError:
        return True  # written in a way that Python does not read
    return label in {period(day, name) for name in PERIODS}


_READINGS: dict[str, Callable[[Case, str, str], bool]] = {
    "file": _of_file, "intervals": _of_intervals,
    "cut_points": _of_intervals, "round": _of_round, "mask": _of_mask, "date": _of_date,
}  # fmt: skip


HIERARCHIES = Kind("hierarchies", 45, st.one_of(_files(), _rules(), _rules()), _check)
"""A hierarchy is sound or refused, and what is published are labels of the rows' values."""
