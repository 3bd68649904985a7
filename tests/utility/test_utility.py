"""The measures of a publication, as a reader of its rows would compute them."""

from __future__ import annotations

import math
import operator
import random
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

import sqlanon
from sqlanon.engines.base import drive
from sqlanon.engines.duckdb import DuckDBEngine
from sqlanon.search.full_domain import FullDomainProblem
from sqlanon.utility.base import UtilityMeasure
from sqlanon.utility.measures import AnyUtilityMeasure, Loss
from tests.conftest import TinyPlan
from tests.oracles import full_domain as oracle
from tests.oracles.measures import AGGREGATES, Table, cost_of
from tests.support.tables import write_csv

Opened = Callable[[Any], AbstractContextManager[tuple[DuckDBEngine, FullDomainProblem]]]

Labels = dict[oracle.Value, tuple[oracle.Value, ...]]
EIGHT: Labels = {f"a{n}": (f"a{n}", f"b{n // 2}", f"c{n // 4}", "*") for n in range(8)}
WORDS: Labels = {w: (w, w[:1], "*") for w in ("xa", "xb", "ya", "za")}

E = {"model": "k-e-anonymity", "attribute": "label", "k": 3, "e": 0}


@pytest.mark.sampled(0.1)
@pytest.mark.parametrize(
    ("privacy", "divisor"),
    [
        ([E], 1),
        ([E, {"model": "k-anonymity", "k": 2}], 2),
        ([{"model": "alpha-k-anonymity", "attribute": "label", "alpha": 1, "k": 4}, E], 4),
        ([E, {"model": "l-diversity", "attribute": "label", "l": 3}], 1),
    ],
)
@pytest.mark.parametrize("method", ["optimal", "mondrian"])
def test_average_class_size_is_in_multiples_of_the_k_of_k_anonymity(
    privacy: list[dict[str, Any]], divisor: int, method: str, tiny_plan: TinyPlan
) -> None:
    """Two classes of six rows; the k of (k,e)-anonymity counts values."""
    keys: dict[str, Any] = {"privacy": privacy, "method": method}
    labels = [str(n % 5) for n in range(12)]
    tree: Labels = {"a0": ("a0", "*"), "a1": ("a1", "*")}
    plan = tiny_plan([(f"a{n % 2}",) for n in range(12)], [tree], labels=labels, **keys)
    plan["columns"]["label"] = "sensitive"
    utility = sqlanon.run(plan).manifest["utility"]
    assert utility["average_class_size"] == 6 / divisor


def bounds_of(label: str | None, least: float) -> tuple[float, float]:
    """The ends of an interval; a missing value has the place of the least one."""
    if label is None:
        return least, least
    ends = [float(end) for end in label.removesuffix(" or NULL").strip("[]").split(", ")]
    return least if label.endswith(" or NULL") else ends[0], ends[-1]


def loss_and_ncp(
    rows: Sequence[tuple[str | None, ...]], published: Sequence[tuple[str | None, ...]]
) -> tuple[float, float]:
    """Means over cells of numbers: values in the interval by all values, length by the range."""
    losses, lengths = [], []
    for place, _ in enumerate(rows[0]):
        column = {row[place] for row in rows}
        values = [float(value) for value in column if value is not None]
        least, most = min(values, default=0.0), max(values, default=0.0)
        for label in (row[place] for row in published):
            low, high = bounds_of(label, least)
            inside = sum(low <= value <= high for value in values)
            inside += None in column and (label or " or NULL").endswith(" or NULL")
            inside -= label is None and least in values  # the label of a missing value alone
            losses.append(inside / len(column) if inside > 1 else 0)
            lengths.append((high - low) / (most - least) if most > least else 0)
    return math.fsum(losses) / len(losses), math.fsum(lengths) / len(lengths)


def distribution(
    rows: Sequence[tuple[str | None, ...]],
    published: Sequence[tuple[str | None, ...]],
    covered: Callable[[int, str | None], Sequence[str | None]],
) -> float:
    """The mean distance of columns from what a reader of published labels makes of them.

    Args:
        covered: the values that a label of a column covers.
    """
    distances = []
    for place, _ in enumerate(rows[0]):
        read: Counter[str | None] = Counter()
        for row in published:
            values = covered(place, row[place])
            for value in values:
                read[value] += 1 / len(values) / len(published)  # type: ignore[assignment]
        before = Counter(row[place] for row in rows)
        shares = [abs(before[v] / len(rows) - read[v]) for v in before.keys() | read.keys()]
        distances.append(math.fsum(shares) / 2)
    return math.fsum(distances) / len(distances)


METHODS: list[dict[str, Any]] = [
    {"name": "mondrian", "partitioning": "relaxed"},
    {"name": "mondrian", "partitioning": "relaxed", "labels": "region"},
    {"name": "mondrian"},
    {"name": "stack-and-deal", "publish_as": "classes"},
]
FREQUENCY = {"model": "l-diversity", "kind": "frequency", "l": 3}


@pytest.mark.sampled(0.1, by="method")
@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_a_partition_loses_what_a_reader_of_its_rows_computes(
    seed: int, method: dict[str, Any]
) -> None:
    """Classes with the same labels are one; `loss` counts values, and `ncp` takes lengths."""
    dealt = method["name"] == "stack-and-deal"
    draw = random.Random(seed)
    values = [*draw.sample(range(60), draw.choice([2, 3, 6])), *draw.choice([[], [None]])]
    cells = [
        tuple(None if v is None else f"{v}" for v in draw.choices(values, k=2))
        for _ in range(draw.choice([12, 24, 39]))
    ]
    write_csv("rows.csv", ["abs", *((a, b, f"s{n % 3}") for n, (a, b) in enumerate(cells))])
    numbers = {"role": "quasi-identifier", "type": "numeric"}
    result = sqlanon.run(
        {
            "source": "rows.csv",
            "columns": {"a": numbers, "b": numbers, "s": "sensitive"},
            "privacy": [FREQUENCY if dealt else {"model": "k-anonymity", "k": 3}],
            "method": {"ends": "exact", **method},
            "publish": "published.parquet",
        }
    )
    rows = [row[:2] for row in result.published.fetchall()]
    sizes = Counter(rows).values()
    utility = result.manifest["utility"]
    assert result.manifest["solution"]["classes"] == len(sizes)
    assert utility["discernibility"] == sum(size**2 for size in sizes)
    k = 1 if dealt else 3
    assert utility["average_class_size"] == pytest.approx(len(rows) / len(sizes) / k)
    loss, ncp = loss_and_ncp(cells, rows)

    def covered(place: int, label: str | None) -> list[str | None]:
        low, high = bounds_of(label, -1)
        ends_missing = (label or " or NULL").endswith(" or NULL")
        return [
            value
            for value in {row[place] for row in cells}
            if (ends_missing if value is None else label and low <= float(value) <= high)
        ]

    assert utility["distribution"] == pytest.approx(distribution(cells, rows, covered))
    standing_for = sum(len(covered(0, a)) * len(covered(1, b)) for a, b in rows)
    assert utility["ambiguity"] == pytest.approx(standing_for / len(rows))
    bits = 0.0
    for place in range(2):
        counts = Counter(row[place] for row in cells)
        bits += sum(math.log2(sum(counts[v] for v in covered(place, row[place]))) for row in rows)
        bits -= sum(math.log2(counts[row[place]]) for row in cells)
    assert utility["entropy"] == pytest.approx(bits, abs=1e-6)
    assert utility["loss"] == pytest.approx(loss)
    assert utility["ncp"] == pytest.approx(ncp)


def test_levels_of_a_partition_are_those_of_its_labels(tiny_plan: TinyPlan) -> None:
    """The first character and the length of a label tell its level."""
    draw = random.Random(1)
    cells = [(draw.choice([*EIGHT]), draw.choice([*WORDS])) for _ in range(40)]
    result = sqlanon.run(
        tiny_plan(
            cells, [EIGHT, WORDS], privacy=[{"model": "k-anonymity", "k": 3}], method="mondrian"
        )
    )
    rows = result.published.fetchall()
    levels = [("abc*".index(a[0]), 2 if w == "*" else 2 - len(w)) for a, w in rows]
    assert all(sum(column) > 0 for column in zip(*levels, strict=True))
    assert result.manifest["utility"]["average_generalization"] == sum(map(sum, levels))


def test_classes_with_the_same_labels_are_one() -> None:
    """Four classes of three are dealt; of one zip code, so that a reader sees one class of 12."""
    Path("rows.csv").write_text("zip,s\n" + "".join(f"1,s{n % 3}\n" for n in range(12)))
    plan = {
        "source": "rows.csv",
        "columns": {"zip": "quasi-identifier", "s": "sensitive"},
        "privacy": [FREQUENCY],
        "method": {"name": "stack-and-deal", "publish_as": "classes"},
        "publish": "published.parquet",
    }
    manifest = sqlanon.run(plan).manifest
    assert manifest["solution"]["classes"] == 1
    assert manifest["utility"]["discernibility"] == 144
    assert manifest["utility"]["average_class_size"] == 12
    assert sqlanon.solve(plan).counted == "buckets"


@pytest.mark.sampled(0.1)
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(
    "method",
    [
        {"name": "optimal"},
        {"name": "optimal", "passes": "auto"},
        {"name": "optimal", "passes": "auto", "refine": True},
        {"name": "mondrian", "ends": "exact"},
    ],
    ids=["node", "passes", "refined", "mondrian"],
)
def test_a_distribution_is_what_a_reader_of_labels_reconstructs(
    seed: int, method: dict[str, Any], tiny_plan: TinyPlan
) -> None:
    """Labels of hierarchies, of which some cover values that no row has, and suppressed rows."""
    draw = random.Random(seed)
    held = draw.sample([*EIGHT], 6)
    rows = [(draw.choice(held), draw.choice([*WORDS])) for _ in range(30)]
    plan = tiny_plan(
        rows, [EIGHT, WORDS], method=method, privacy=[{"model": "k-anonymity", "k": 3}],
        suppression={"limit": 0.2} if method["name"] == "optimal" else {},
    )  # fmt: skip
    if method["name"] == "mondrian":
        for name in ("a", "b"):
            plan["columns"][name]["type"] = "categorical"
    result = sqlanon.run(plan)

    def covered(place: int, label: str | None) -> list[str | None]:
        return [v for v, path in (EIGHT, WORDS)[place].items() if label in path]

    expected = distribution(rows, result.published.fetchall(), covered)
    assert result.manifest["utility"]["distribution"] == pytest.approx(expected)


def plan_of(values: Sequence[str], k: int, column: dict[str, Any]) -> dict[str, Any]:
    """A plan over one column, cut with exact ends."""
    write_csv("rows.csv", [["a"], *([value] for value in values)])
    return {
        "source": "rows.csv",
        "columns": {"a": {"role": "quasi-identifier", **column}},
        "privacy": [{"model": "k-anonymity", "k": k}],
        "method": {"name": "mondrian", "ends": "exact"},
        "publish": "published.parquet",
    }


def test_a_named_set_is_read_as_its_members() -> None:
    """Two values in one class: three and five rows, of which a reader makes four and four."""
    result = sqlanon.run(plan_of(["x"] * 3 + ["y"] * 5 + ["z"] * 8, 5, {"type": "nominal"}))
    assert {label for (label,) in result.published.fetchall()} == {"{x, y}", "z"}
    assert result.manifest["utility"]["distribution"] == pytest.approx(1 / 16)


def test_ten_to_nine_and_a_billion() -> None:
    """Values 0, 1 and a billion, two classes: by values two of three, by lengths next to nothing.

    The same node of a hierarchy loses the same by both measures.
    """
    Path("a.csv").write_text("0;low;*\n1;low;*\n1000000000;high;*\n")
    values = ["0"] * 2 + ["1"] * 2 + ["1000000000"] * 4
    plan = plan_of(values, 3, {"type": "numeric", "hierarchy": "a.csv"})
    for method in (plan["method"], "optimal"):
        utility = sqlanon.run({**plan, "method": method}).manifest["utility"]
        assert utility["loss"] == pytest.approx(4 * (2 / 3) / 8), method
        assert utility["ncp"] == pytest.approx(4 * 1e-9 / 8), method


@pytest.mark.sampled(0.1)
@pytest.mark.parametrize("kind", ["numeric", "date", None])
def test_ncp_of_nodes_is_that_of_brute_force(
    kind: str | None, tiny_plan: TinyPlan, opened: Opened
) -> None:
    """Numbers, dates, and what is neither, with missing values and suppressed rows; 100 nodes a
    kind or more."""
    checked = 0
    for seed in range(12):
        draw = random.Random(seed)
        known = draw.sample(range(100), 8)
        written = "2026-01-01 00:{:02}:{:02}" if kind == "date" else "{2}"
        texts = {n: written.format(n // 60, n % 60, n) for n in known}
        tree: Labels = {
            text: (text, f"g{i // 2}", f"h{i // 4}", "*")
            for i, text in enumerate(texts[n] for n in sorted(known))
        }
        held = draw.sample(known, draw.choice([1, 4, 7]))
        rows = [(texts[draw.choice(held)], draw.choice([*WORDS])) for _ in range(20)]
        weights = [draw.choice([1, 2.5]), draw.choice([1, 0.5])]
        limit = draw.choice([0, 1])
        plan = tiny_plan(
            rows, [tree, WORDS], weights=weights, suppression={"limit": limit},
            method={"name": "optimal", "objective": "ncp"},
        )  # fmt: skip
        if kind:
            plan["columns"]["a"]["type"] = kind
        nodes = list(product(range(4), range(3)))
        with opened(plan) as (engine, problem):
            found = drive(engine, problem.value(nodes))
        numbers = {text: n for n, text in texts.items()}
        used = [numbers[row[0]] for row in rows]
        for node in nodes:
            labels = [(tree[a][node[0]], WORDS[b][node[1]]) for a, b in rows]
            sizes = Counter(labels)
            costs = {True: 0.0, False: 0.0}
            for (a, b), label in zip(rows, labels, strict=True):
                alike = [v for v, path in tree.items() if path[node[0]] == tree[a][node[0]]]
                below = [numbers[v] for v in alike if v in {row[0] for row in rows}]
                if kind is None:
                    first, whole = len(alike) / len(tree) if len(alike) > 1 else 0, 1
                else:
                    width = max(used) - min(used)
                    first = (max(below) - min(below)) / width if width else 0
                    whole = 1 if width else 0
                same = sum(path[node[1]] == WORDS[b][node[1]] for path in WORDS.values())
                second = same / len(WORDS) if same > 1 else 0
                for charged in (True, False):
                    lost = charged and sizes[label] < 2
                    costs[charged] += weights[0] * (whole if lost else first)
                    costs[charged] += weights[1] * (1 if lost else second)
            (cost,), (bound,) = found[node]
            assert cost == pytest.approx(costs[True] / len(rows) / sum(weights)), (seed, node)
            assert bound == pytest.approx(costs[False] / len(rows) / sum(weights)), (seed, node)
            checked += 1
    assert checked >= 100


MEASURE: TypeAdapter[UtilityMeasure] = TypeAdapter(AnyUtilityMeasure)
COMPARED: list[dict[str, Any]] = [
    *({"name": "loss", "aggregate": aggregate} for aggregate in AGGREGATES),
    *({"name": "loss", "variant": v, "leaves": "data"} for v in ("ghinita", "iyengar")),
    {"name": "loss", "variant": "xiao-tao", "generalization_suppression_factor": 0.3},
    {"name": "discernibility"},
    {"name": "discernibility", "suppressed_rows": "ignored"},
    {"name": "average-class-size"},
    {"name": "average-class-size", "suppressed_rows": "one-class", "k": 1},
    {"name": "average-generalization"},
    {"name": "height"},
    {"name": "precision"},
    {"name": "precision", "suppressed_rows": "ignored"},
    {"name": "entropy"},
    {"name": "entropy", "suppressed_rows": "ignored"},
    {"name": "ambiguity"},
    {"name": "distribution"},
]
UNBOUNDED = ("average-class-size", "distribution")
"""Of which less is known of the nodes above than of a node itself, if that suppresses nothing."""


def test_costs_of_all_nodes_are_those_of_brute_force(tiny_plan: TinyPlan, opened: Opened) -> None:
    """And no node at or above another costs less than what is said of that one.

    One column has a single value, which loses nothing by any measure of its leaves.
    """
    draw = random.Random(1)
    alone: Labels = {"one": ("one", "*")}
    rows = [(draw.choice([*EIGHT]), draw.choice([*WORDS]), "one") for _ in range(16)]
    weights = [2.0, 0.5, 1.0]
    hierarchies = [EIGHT, WORDS, alone]
    nodes = list(product(range(4), range(3), range(2)))
    tables = {node: Table(rows, hierarchies, node, 2, 2, weights, ()) for node in nodes}
    lost = {node: table.class_sizes.count(1) / len(rows) for node, table in tables.items()}
    for limit in (0.125, 1):
        plan = tiny_plan(rows, hierarchies, weights=weights, suppression={"limit": limit})
        with opened(plan) as (engine, problem):
            values = {
                str(each): drive(engine, problem.value(nodes, MEASURE.validate_python(each)))
                for each in COMPARED
            }
        for objective, node in product(COMPARED, nodes):
            found = values[str(objective)]
            cost, least = found[node]
            assert cost == pytest.approx(cost_of(objective, tables[node])), (objective, node)
            above = [n for n in nodes if all(map(operator.ge, n, node)) and lost[n] <= limit]
            assert all(least[0] <= found[n][0][0] + 1e-9 for n in above), (objective, node)
            if not lost[node] and objective["name"] == "distribution":
                assert least == pytest.approx((max(0, cost[0] / 2 - limit),)), node
            elif not lost[node] and objective["name"] not in UNBOUNDED:
                assert least == pytest.approx(cost), (objective, node)


def test_a_variant_of_loss_has_two_names() -> None:
    """`ncp` was the name of what is Ghinita's zero and scale, before the measure had it."""
    assert Loss.model_validate({"variant": "ncp"}) == Loss(variant="ghinita") == Loss()
