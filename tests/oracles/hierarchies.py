"""The kinds of hierarchies, as the tests know them: rules, and their labels in plain Python.

Everything that tests need to know of a kind stands in its entry of `KINDS`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from hypothesis import strategies as st

Labels = tuple[str | None, ...]
"""Of a value, from level 1 to the top."""


@dataclass(frozen=True)
class Known:
    """A kind as tests know it.

    Attributes:
        rule: a hierarchy of this kind as a plan states it, which its golden file shows.
        cases: random hierarchies, each with the values to be labeled.
        labels: the labels of a value by such a hierarchy.
        files: what `rule` and `cases` read, by name.
    """

    rule: Any
    cases: st.SearchStrategy[tuple[Any, list[str]]]
    labels: Callable[[Any, str], Labels]
    files: Mapping[str, str] = field(default_factory=dict)


def plain(number: Decimal) -> str:
    return format(number, "f")


# --- intervals

ENDS = ("lowest", "highest")
numbers = st.decimals(min_value=-(10**7), max_value=10**7, places=6).map(lambda n: n + 0)


@st.composite
def interval_cases(draw: st.DrawFn) -> tuple[Any, list[str]]:
    """Also values on limits, and a hair below them."""
    widths = [Decimal(draw(st.sampled_from(["0.1", "0.5", "1", "2.5", "5", "1000"])))]
    for factor in draw(st.lists(st.integers(2, 5), max_size=3)):
        widths.append(widths[-1] * factor)
    rule = {
        "widths": widths,
        "start": draw(st.sampled_from(["0", "0.05", "-3", "7"])),
        "lowest": draw(st.sampled_from([None, "-20", "0.25", "17"])),
        "highest": draw(st.sampled_from([None, "18", "90.5"])),
    }
    values = draw(st.lists(numbers, min_size=1, max_size=20))
    values += [n * widths[0] + Decimal(str(rule["start"])) for n in range(-3, 4)]
    values += [Decimal(str(rule[end])) for end in ENDS if rule[end] is not None]
    values += [value - Decimal("1e-17") for value in values[-9:]]
    return {"intervals": rule}, [plain(value) for value in values]


def interval_labels(hierarchy: Any, value: str) -> Labels:
    """Limits have as many decimals as the rule has."""
    rule, number = hierarchy["intervals"], Decimal(value)
    start = Decimal(rule["start"])
    lowest, highest = ([] if rule[end] is None else [Decimal(rule[end])] for end in ENDS)
    given = [*rule["widths"], start, *lowest, *highest]
    last = Decimal(1).scaleb(-max(0, *(-n.as_tuple().exponent for n in given)))

    def label(width: Decimal) -> str:
        low = start + math.floor((number - start) / width) * width
        if any(number < end for end in lowest):
            return f"< {plain(*lowest)}"
        if any(number >= end for end in highest):
            return f">= {plain(*highest)}"
        limits = max([low, *lowest]), min([low + width, *highest])
        return f"[{', '.join(plain(limit.quantize(last)) for limit in limits)})"

    return (*map(label, rule["widths"]), "*")


# --- cut points


@st.composite
def cut_point_cases(draw: st.DrawFn) -> tuple[Any, list[str]]:
    """Also values on the cut points."""
    points = st.decimals(min_value=-1000, max_value=1000, places=2)
    finest = sorted(draw(st.lists(points, min_size=1, max_size=8, unique=True)))
    levels = [finest, finest[:: draw(st.integers(1, 3))]]
    rule: dict[str, Any] = {"cut_points": levels}
    if draw(st.booleans()):
        rule["labels"] = [[f"range {n}" for n in range(len(level) + 1)] for level in levels]
    values = draw(st.lists(numbers, min_size=1, max_size=20))
    return rule, [plain(value) for value in [*values, *finest]]


def cut_point_labels(hierarchy: Any, value: str) -> Labels:
    def label(level: int) -> str:
        cuts = hierarchy["cut_points"][level]
        place = sum(cut <= Decimal(value) for cut in cuts)
        if "labels" in hierarchy:
            return str(hierarchy["labels"][level][place])
        if place == 0:
            return f"< {cuts[0]}"
        return f"[{cuts[place - 1]}, {cuts[place]})" if place < len(cuts) else f">= {cuts[-1]}"

    return label(0), label(1), "*"


# --- groups whose beginnings are known


@st.composite
def group_cases(draw: st.DrawFn) -> tuple[Any, list[str]]:
    """Also values on the points; how points are found: tests/hierarchies/test_groups.py."""
    width = Decimal(draw(st.sampled_from(["0.5", "1", "2.5", "100"])))
    places = draw(st.lists(st.integers(-50, 50), min_size=1, max_size=8, unique=True))
    points = [place * width for place in sorted(places)]
    values = [*draw(st.lists(numbers, min_size=1, max_size=20)), *points]
    rule = {"of": draw(st.integers(2, 9)), "round": width, "points": points}
    return {"groups": rule}, [plain(value) for value in values]


def group_labels(hierarchy: Any, value: str) -> Labels:
    points = hierarchy["groups"]["points"]
    return cut_point_labels({"cut_points": [points, points]}, value)[1:]


# --- masks

texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=8)


@st.composite
def mask_cases(draw: st.DrawFn) -> tuple[Any, list[str]]:
    values = [*draw(st.lists(texts, min_size=1, max_size=12)), "*", "a*", "02139", "Zoë", "東京都"]
    side = draw(st.sampled_from(["right", "left"]))
    characters = max(map(len, values)) + draw(st.integers(0, 2))
    return {"mask": {"side": side, "characters": characters}}, values


def mask_labels(hierarchy: Any, value: str) -> Labels:
    found = []
    for level in range(1, hierarchy["mask"]["characters"]):
        masked = "*" * min(level, len(value))
        is_left = hierarchy["mask"]["side"] == "left"
        kept = value[level:] if is_left else value[: max(len(value) - level, 0)]
        found.append(masked + kept if is_left else kept + masked)
    return (*found, "*")


# --- dates


@st.composite
def date_cases(draw: st.DrawFn) -> tuple[Any, list[str]]:
    """Also days around a change of year, of weeks that lie in two years."""
    days = draw(st.lists(st.dates(), min_size=1, max_size=20))
    days += [date(2020, 12, 31) + timedelta(n) for n in range(5)]
    periods = [["day", "month", "quarter", "year", "decade", "century"],
               ["day", "week"], ["week"], ["quarter", "century"]]  # fmt: skip
    ends = ("", " 23:59:59.999999", "T00:00:00")
    values = [f"{day.isoformat()}{end}" for day in days for end in ends]
    return {"date": draw(st.sampled_from(periods))}, values


def date_labels(hierarchy: Any, value: str) -> Labels:
    day = date.fromisoformat(value[:10])
    return (*(period(day, name) for name in hierarchy["date"]), "*")


def period(day: date, name: str) -> str:
    iso = day.isocalendar()
    return {
        "day": day.isoformat(),
        "week": f"{iso.year:04d}-W{iso.week:02d}",
        "month": f"{day.year:04d}-{day.month:02d}",
        "quarter": f"{day.year:04d}-Q{(day.month + 2) // 3}",
        "year": f"{day.year:04d}",
        "decade": f"{day.year // 10 * 10}s",
        "century": f"{day.year // 100 * 100}-{day.year // 100 * 100 + 99}",
    }[name]


# --- rounding


@st.composite
def round_cases(draw: st.DrawFn) -> tuple[Any, list[str]]:
    decimals = st.decimals(min_value=-(10**6), max_value=10**6, places=5)
    values = draw(st.lists(decimals, min_size=1, max_size=20))
    values += [Decimal(n) / 2 for n in range(-5, 6)] + [Decimal("2.445"), Decimal("-45")]
    digits = draw(st.lists(st.integers(-3, 6), min_size=1, max_size=4, unique=True))
    return {"round": sorted(digits, reverse=True)}, [plain(value) for value in values]


def round_labels(hierarchy: Any, value: str) -> Labels:
    rounded, found = Decimal(value), []
    for places in hierarchy["round"]:
        rounded = rounded.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP) + 0
        found.append(plain(rounded.quantize(Decimal(1).scaleb(-max(places, 0)))))
    return (*found, "*")


# --- what is listed: in files, or by a query


def listed(rule: Any, levels: Mapping[str, Labels]) -> dict[str, Any]:
    """Its one case: every value is labeled as it is listed."""
    return {
        "cases": st.just((rule, list(levels))),
        "labels": lambda hierarchy, value: levels[value],
    }


FILE = "it's a hierarchy.csv"
TREE = "it's a taxonomy.txt"
LEAVES: dict[str, Labels] = {
    "a": ("a", "a", "*"), "c": ("c", "b", "*"), "e": ("d", "b", "*"), "f": ("d", "b", "*"),
}  # fmt: skip
QUERY = {"query": "select * from (values ('a', '*')) as labels", "columns": 2}

KINDS: dict[str, Known] = {
    "file": Known(
        FILE, **listed(FILE, {"Rome": ("Italy", "*"), "Oslo": ("Norway", "*")}),
        files={FILE: "Rome;Italy;*\nOslo;Norway;*\n"},
    ),
    "intervals": Known(
        {"intervals": {"widths": [2.5, 5], "start": 1, "lowest": 0, "highest": 90}},
        interval_cases(), interval_labels,
    ),
    "cut_points": Known(
        {"cut_points": [[1, 5], [5]], "labels": [["none", "some", "all"], ["-", "+"]]},
        cut_point_cases(), cut_point_labels,
    ),
    "groups": Known(
        {"groups": {"of": 5, "round": 10, "points": [20, 50, 60]}}, group_cases(), group_labels
    ),
    "mask": Known({"mask": {"side": "left", "characters": 3}}, mask_cases(), mask_labels),
    "date": Known({"date": ["month", "quarter", "decade"]}, date_cases(), date_labels),
    "round": Known({"round": [1, -1]}, round_cases(), round_labels),
    "query": Known(QUERY, **listed(QUERY, {"a": ("*",)})),
    "taxonomy": Known(
        {"taxonomy": TREE}, **listed({"taxonomy": TREE}, LEAVES),
        files={TREE: "*: a, b\nb: c, d\nd: e, f\n"},
    ),
}  # fmt: skip
