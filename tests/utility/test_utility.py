"""The measures of a publication, as a reader of its rows would compute them."""

from __future__ import annotations

import math
import operator
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

import pytest
from pydantic import TypeAdapter

import sqlanon
from sqlanon.engines.base import drive
from sqlanon.utility.base import UtilityMeasure
from sqlanon.utility.measures import AnyUtilityMeasure, Loss
from tests.conftest import Open, TinyPlan
from tests.oracles import full_domain as oracle
from tests.oracles.measures import MEASURES, Table, cost_of
from tests.plan.plans import plan_of
from tests.support.tables import write_csv

pytestmark = pytest.mark.usefixtures("folder")
Labels = dict[oracle.Value, tuple[oracle.Value, ...]]
EIGHT: Labels = {f"a{n}": (f"a{n}", f"b{n // 2}", f"c{n // 4}", "*") for n in range(8)}
WORDS: Labels = {w: (w, w[:1], "*") for w in ("xa", "xb", "ya", "za")}

E = {"model": "k-e-anonymity", "attribute": "label", "k": 3, "e": 0}
ALPHA = {"model": "alpha-k-anonymity", "attribute": "label", "alpha": 1, "k": 4}


@pytest.mark.parametrize(
    ("method", "privacy", "divisor"),
    [("optimal", [E], 1), ("mondrian", [E], 1), ("mondrian", [ALPHA, E], 4)],
)
def test_average_class_size_is_in_multiples_of_the_k_of_k_anonymity(
    method: str, privacy: list[dict[str, Any]], divisor: int, tiny_plan: TinyPlan
) -> None:
    """Two classes of six rows; the k of (k,e)-anonymity counts values."""
    labels = [str(n % 5) for n in range(12)]
    rows = [(f"a{n % 2}",) for n in range(12)]
    tree: Labels = {"a0": ("a0", "*"), "a1": ("a1", "*")}
    plan = tiny_plan(rows, [tree], labels=labels, privacy=privacy, method=method)
    plan["columns"]["label"] = "sensitive"
    assert sqlanon.run(plan).manifest["utility"]["average_class_size"] == 6 / divisor


def distribution(
    rows: Sequence[tuple[str | None, ...]],
    published: Sequence[tuple[str | None, ...]],
    covered: Callable[[int, str | None], Sequence[str | None]],
) -> float:
    """The mean distance of columns from what a reader makes of the values that labels cover."""
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
    privacy = [FREQUENCY if dealt else {"model": "k-anonymity", "k": 3}]
    plan = plan_of({"a": numbers, "b": numbers, "s": "sensitive"}, "rows.csv", privacy=privacy)
    result = sqlanon.run(plan | {"method": {"ends": "exact", **method}})
    rows = [row[:2] for row in result.published.fetchall()]
    sizes = Counter(rows).values()
    utility = result.manifest["utility"]
    assert result.manifest["solution"]["classes"] == len(sizes)
    assert utility["discernibility"] == sum(size**2 for size in sizes)
    k = 1 if dealt else 3
    assert utility["average_class_size"] == pytest.approx(len(rows) / len(sizes) / k)
    columns = [{row[place] for row in cells} for place in range(2)]

    def covered(place: int, label: str | None) -> list[str | None]:
        has_missing = (label or "NULL").endswith("NULL")
        shown = (label or "-2").removesuffix(" or NULL").strip("[]").split(", ")
        low, high = -1 if has_missing else float(shown[0]), float(shown[-1])
        numbers = [value for value in columns[place] if value and low <= float(value) <= high]
        return [*numbers, None] if has_missing else [*numbers]

    assert utility["distribution"] == pytest.approx(distribution(cells, rows, covered))
    standing_for = sum(len(covered(0, a)) * len(covered(1, b)) for a, b in rows)
    assert utility["ambiguity"] == pytest.approx(standing_for / len(rows))
    bits, losses, lengths = 0.0, [], []
    for place, column in enumerate(columns):
        counts = Counter(row[place] for row in cells)
        bits -= sum(math.log2(counts[row[place]]) for row in cells)
        places: dict[str | None, float] = {v: float(v) for v in column if v is not None}
        places |= {None: min(places.values(), default=0)}  # of a missing value: the least one's
        width = max(places.values()) - places[None]
        for row in rows:
            shown = covered(place, row[place])
            bits += math.log2(sum(counts[v] for v in shown))
            losses.append(len(shown) / len(column) if len(shown) > 1 else 0)
            ends = [places[v] for v in shown]
            lengths.append((max(ends) - min(ends)) / width if width else 0)
    assert utility["entropy"] == pytest.approx(bits, abs=1e-6)
    assert utility["loss"] == pytest.approx(math.fsum(losses) / len(losses))
    assert utility["ncp"] == pytest.approx(math.fsum(lengths) / len(lengths))


def test_classes_with_the_same_labels_are_one() -> None:
    """Four classes of three are dealt; of one zip code, so that a reader sees one class of 12."""
    write_csv("rows.csv", [("zip", "s"), *((1, f"s{n % 3}") for n in range(12))])
    method = {"name": "stack-and-deal", "publish_as": "classes"}
    columns = {"zip": "quasi-identifier", "s": "sensitive"}
    plan = plan_of(columns, "rows.csv", privacy=[FREQUENCY], method=method)
    manifest = sqlanon.run(plan).manifest
    sizes = [manifest["utility"][name] for name in ("discernibility", "average_class_size")]
    assert (manifest["solution"]["classes"], *sizes) == (1, 144, 12)
    assert sqlanon.solve(plan).counted == "buckets"


@pytest.mark.sampled(0.1)
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(
    "method",
    [
        {"name": "optimal", "passes": "auto"},
        {"name": "optimal", "passes": "auto", "refine": True},
        {"name": "mondrian", "ends": "exact"},
    ],
    ids=["passes", "refined", "mondrian"],
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

    published, utility = result.published.fetchall(), result.manifest["utility"]
    assert utility["distribution"] == pytest.approx(distribution(rows, published, covered))
    if method["name"] == "mondrian":  # the first character and the length of a label tell its level
        levels = [("abc*".index(a[0]), 2 if w == "*" else 2 - len(w)) for a, w in published]
        assert utility["average_generalization"] == sum(map(sum, levels))


def test_a_named_set_is_read_as_its_members() -> None:
    """Two values in one class: three and five rows, of which a reader makes four and four."""
    write_csv("rows.csv", ["a", *"xxxyyyyyzzzzzzzz"])
    columns = {"a": {"role": "quasi-identifier", "type": "nominal"}}
    plan = plan_of(columns, "rows.csv", privacy=[{"model": "k-anonymity", "k": 5}])
    result = sqlanon.run(plan | {"method": {"name": "mondrian", "ends": "exact"}})
    assert {label for (label,) in result.published.fetchall()} == {"{x, y}", "z"}
    assert result.manifest["utility"]["distribution"] == pytest.approx(1 / 16)


def share(
    tree: Labels, value: oracle.Value, level: int, numbers: Mapping[oracle.Value, int] | None = None
) -> float:
    """What a label covers of its column: by length, or by values where there are no numbers."""
    alike = [v for v, path in tree.items() if path[level] == tree[value][level]]
    if not numbers:
        return len(alike) / len(tree) if len(alike) > 1 else 0
    below = [numbers[v] for v in alike if v in numbers]
    width = max(numbers.values()) - min(numbers.values())
    return (max(below) - min(below)) / width if width else 0


@pytest.mark.sampled(0.1)
@pytest.mark.parametrize("kind", ["numeric", "date", None])
def test_ncp_of_nodes_is_that_of_brute_force(
    kind: str | None, tiny_plan: TinyPlan, opened: Open
) -> None:
    """Numbers, dates, and what is neither, with suppressed rows."""
    for seed in range(12):
        draw = random.Random(seed)
        known = draw.sample(range(100), 8)
        written = "2026-01-01 00:{:02}:{:02}" if kind == "date" else "{2}"
        numbers = {written.format(n // 60, n % 60, n): n for n in sorted(known)}
        tree: Labels = {
            text: (text, f"g{i // 2}", f"h{i // 4}", "*") for i, text in enumerate(numbers)
        }
        held = draw.sample([*numbers], draw.choice([1, 4, 7]))
        rows = [(draw.choice(held), draw.choice([*WORDS])) for _ in range(20)]
        weights = [draw.choice([1, 2.5]), draw.choice([1, 0.5])]
        plan = tiny_plan(
            rows, [tree, WORDS], weights=weights, suppression={"limit": draw.choice([0, 1])},
            method={"name": "optimal", "objective": "ncp"},
        )  # fmt: skip
        if kind:
            plan["columns"]["a"]["type"] = kind
        nodes = list(product(range(4), range(3)))
        with opened(plan) as (engine, problem):
            found = drive(engine, problem.value(nodes))
        own: dict[oracle.Value, int] = (
            {text: numbers[str(text)] for text, _ in rows} if kind else {}
        )
        width = max(own.values()) - min(own.values()) if kind else 1
        whole = weights[0] * (width > 0) + weights[1]
        for node in nodes:
            labels = [(tree[a][node[0]], WORDS[b][node[1]]) for a, b in rows]
            sizes = Counter(labels)
            costs = [
                weights[0] * share(tree, a, node[0], own) + weights[1] * share(WORDS, b, node[1])
                for a, b in rows
            ]
            kept = [sizes[label] > 1 for label in labels]
            charged = [c if is_kept else whole for c, is_kept in zip(costs, kept, strict=True)]
            shown = [sum(each) / len(rows) / sum(weights) for each in (charged, costs)]
            assert [found[node][0][0], found[node][1][0]] == pytest.approx(shown), (seed, node)


MEASURE: TypeAdapter[UtilityMeasure] = TypeAdapter(AnyUtilityMeasure)
COMPARED: list[dict[str, Any]] = [
    {"name": "loss", "variant": "ghinita", "leaves": "data"},
    *(
        {"name": name, **parameters}
        for name, known in MEASURES.items()
        if name != "classification"
        for parameters in known.programs
    ),
]
UNBOUNDED = ("average-class-size", "distribution")
"""Of which less is known of the nodes above than of a node itself, if that suppresses nothing."""


def test_costs_of_all_nodes_are_those_of_brute_force(tiny_plan: TinyPlan, opened: Open) -> None:
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
