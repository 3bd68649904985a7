"""The utility measures, as the tests know them: what a node costs by each, and parameters to try.

Everything that tests need to know of a measure stands in its entry of `MEASURES`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from tests.oracles import full_domain as oracle

Cost = tuple[float, ...]


@dataclass(frozen=True)
class Table:
    """What a node makes of a table.

    Attributes:
        size: of the smallest class that is published.
        k: of the plan.
        labels: of each row, in an insensitive column `label`.
    """

    rows: oracle.Table
    hierarchies: oracle.Hierarchies
    node: oracle.Node
    size: int
    k: int
    weights: Sequence[float]
    labels: Sequence[oracle.Value]

    @property
    def asked(self) -> tuple[oracle.Table, oracle.Hierarchies, oracle.Node, int]:
        """As the functions of `oracle` take it."""
        return self.rows, self.hierarchies, self.node, self.size

    @property
    def class_sizes(self) -> list[int]:
        """Of all classes, those of suppressed rows included."""
        return list(oracle.classes(self.rows, self.hierarchies, self.node).values())


@dataclass(frozen=True)
class Known:
    """A measure as tests know it.

    Attributes:
        cost: what a node costs: less is better; with the parameters of the measure, as a plan
            states them.
        random: by variant, random parameters that every method is tried with.
        programs: parameters that a program which searches by itself is tried with, on a table of
            the columns `sex` and `diagnosis`.
        golden: by variant, the parameters of golden files; "" is the plain one.
    """

    cost: Callable[..., float | Sequence[float]]
    random: Mapping[str, Mapping[str, st.SearchStrategy[Any]]]
    programs: Sequence[Mapping[str, Any]] = ({},)
    golden: Mapping[str, Mapping[str, Any]] = field(default_factory=lambda: {"": {}})


def loss(table: Table, **parameters: Any) -> float | list[float]:
    factor = float(parameters.pop("generalization_suppression_factor", 0.5))
    return oracle.loss(
        *table.asked,
        weights=table.weights or None,
        generalization_suppression_factor=factor,
        **parameters,
    )


def discernibility(table: Table, suppressed_rows: str = "charged") -> float:
    return oracle.discernibility(*table.asked, charged=suppressed_rows == "charged")


def average_class_size(
    table: Table, suppressed_rows: str = "excluded", k: int | None = None
) -> float:
    divisor = k or table.k
    sizes = table.class_sizes
    published = sum(size >= table.size for size in sizes)
    if suppressed_rows == "one-class":
        return len(table.rows) / (published + (published < len(sizes))) / divisor
    if not published:
        return math.inf
    return oracle.average_class_size(*table.asked) * table.size / divisor


def ncp(table: Table) -> float:
    """Of columns that are not of numbers or dates: by values, as `loss`."""
    found = oracle.loss(*table.asked, weights=table.weights or None)
    assert isinstance(found, float)
    return found


def average_generalization(table: Table) -> float:
    tops = [max(map(len, hierarchy.values())) - 1 for hierarchy in table.hierarchies]
    return float(
        sum(
            size * (oracle.height(table.node) if size >= table.size else sum(tops))
            for size in table.class_sizes
        )
    )


def height(table: Table) -> float:
    return float(oracle.height(table.node))


def precision(table: Table, suppressed_rows: str = "charged") -> float:
    return 1 - oracle.precision(*table.asked, charged=suppressed_rows == "charged")


def entropy(table: Table, suppressed_rows: str = "charged") -> float:
    return oracle.entropy(*table.asked, charged=suppressed_rows == "charged")


def ambiguity(table: Table) -> float:
    return oracle.ambiguity(*table.asked)


def distribution(table: Table) -> float:
    """Half the sum of differences of shares, a label's rows spread evenly over its values."""
    labels = oracle.generalized(table.rows, table.hierarchies, table.node)
    sizes = Counter(labels)
    kept = [row for row in labels if sizes[row] >= table.size]
    if not kept:
        return math.inf
    distances = []
    for place, hierarchy in enumerate(table.hierarchies):
        read: Counter[oracle.Value] = Counter()
        for row in kept:
            covered = [v for v in hierarchy if hierarchy[v][table.node[place]] == row[place]]
            for value in covered:
                read[value] += 1 / len(covered) / len(kept)  # type: ignore[assignment]
        before = Counter(row[place] for row in table.rows)
        distances.append(
            sum(abs(before[value] / len(table.rows) - read[value]) for value in hierarchy) / 2
        )
    weights = table.weights or [1] * len(distances)
    pairs = zip(weights, distances, strict=True)
    return sum(weight * distance for weight, distance in pairs) / sum(weights)


def classification(table: Table, attribute: str) -> float:
    assert attribute == "label"
    return oracle.classification(*table.asked, labels=table.labels)


AGGREGATES = ("mean", "geometric-mean", "max", "sum", "rank")
CHARGED = st.sampled_from(["charged", "ignored"])
MEASURES: dict[str, Known] = {
    "loss": Known(
        loss,
        random={
            variant: {
                "variant": st.just(variant),
                "aggregate": st.sampled_from(AGGREGATES),
                "leaves": st.sampled_from(["hierarchy", "data"]),
                "generalization_suppression_factor": st.sampled_from([0.5, 0, 0.1, 0.75, 1]),
            }
            for variant in ("ghinita", "iyengar", "xiao-tao")
        },
        programs=[
            *({"aggregate": aggregate} for aggregate in AGGREGATES),
            {"variant": "iyengar", "leaves": "data"},
            {"variant": "xiao-tao", "generalization_suppression_factor": 0.3},
            {"aggregate": "rank", "generalization_suppression_factor": 0.8},
        ],
        golden={
            "": {},
            "rank": {"aggregate": "rank", "leaves": "data"},
            "iyengar": {"variant": "iyengar", "aggregate": "geometric-mean"},
        },
    ),
    "discernibility": Known(
        discernibility,
        random={"": {"suppressed_rows": CHARGED}},
        programs=[{}, {"suppressed_rows": "ignored"}],
    ),
    "average-class-size": Known(
        average_class_size,
        random={
            "": {
                "suppressed_rows": st.sampled_from(["excluded", "one-class"]),
                "k": st.sampled_from([None, 1]),
            }
        },
        programs=[{}, {"suppressed_rows": "one-class", "k": 2}],
    ),
    "ncp": Known(ncp, random={"": {}}),
    "average-generalization": Known(average_generalization, random={"": {}}),
    "height": Known(height, random={"": {}}),
    "precision": Known(
        precision,
        random={"": {"suppressed_rows": CHARGED}},
        programs=[{}, {"suppressed_rows": "ignored"}],
    ),
    "entropy": Known(
        entropy,
        random={"": {"suppressed_rows": CHARGED}},
        programs=[{}, {"suppressed_rows": "ignored"}],
        golden={"": {}, "ignored": {"suppressed_rows": "ignored"}},
    ),
    "ambiguity": Known(ambiguity, random={"": {}}),
    "distribution": Known(distribution, random={"": {}}),
    "classification": Known(
        classification,
        random={"": {"attribute": st.just("label")}},
        programs=[{"attribute": "diagnosis"}, {"attribute": "sex"}],
        golden={"": {"attribute": "disease"}},
    ),
}

OBJECTIVES: dict[str, st.SearchStrategy[dict[str, Any]]] = {
    f"{name}-{variant}" if variant else name: st.fixed_dictionaries(
        {"name": st.just(name), **parameters}
    )
    for name, known in MEASURES.items()
    for variant, parameters in known.random.items()
}
"""Random objectives, by name and variant."""


def cost_of(objective: Mapping[str, Any], table: Table) -> Cost:
    """What a node costs by an objective: one number, or several from the most important on."""
    parameters = {key: value for key, value in objective.items() if key != "name"}
    found = MEASURES[objective["name"]].cost(table, **parameters)
    return tuple(found) if isinstance(found, Sequence) else (found,)
