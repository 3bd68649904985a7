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
    def published(self) -> list[tuple[oracle.Row, bool]]:
        """Each row in labels, and whether it is published."""
        rows = oracle.generalized(self.rows, self.hierarchies, self.node)
        kept = oracle.kept(self.rows, self.hierarchies, self.node, self.size)
        return [*zip(rows, kept, strict=True)]

    @property
    def class_sizes(self) -> list[int]:
        """Of all classes, those of suppressed rows included."""
        return list(oracle.classes(self.rows, self.hierarchies, self.node).values())

    def mean(self, values: Sequence[float]) -> float:
        """Of values of the attributes, by weight."""
        weights = self.weights or [1.0] * len(values)
        return sum(w * x for w, x in zip(weights, values, strict=True)) / sum(weights)


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
    random: Mapping[str, Mapping[str, Sequence[Any]]] = field(default_factory=lambda: {"": {}})
    programs: Sequence[Mapping[str, Any]] = ({},)
    golden: Mapping[str, Mapping[str, Any]] = field(default_factory=lambda: {"": {}})


def loss(table: Table, **parameters: Any) -> float | list[float]:
    """Also `ncp`, of columns that are not of numbers or dates: by values."""
    asked = (table.rows, table.hierarchies, table.node, table.size, table.weights)
    return oracle.loss(*asked, **parameters)


def discernibility(table: Table, suppressed_rows: str = "charged") -> int:
    """Sum of squared class sizes (DM*); charged: a suppressed row costs n instead (DM)."""
    charged = suppressed_rows == "charged"
    sizes = table.class_sizes
    return sum(n * (sum(sizes) if charged and n < table.size else n) for n in sizes)


def average_class_size(
    table: Table, suppressed_rows: str = "excluded", k: int | None = None
) -> float:
    """Rows per class, in units of k."""
    sizes = table.class_sizes
    published = [n for n in sizes if n >= table.size]
    if suppressed_rows == "one-class":
        classes = len(published) + (len(published) < len(sizes))
        return sum(sizes) / classes / (k or table.k)
    return sum(published) / len(published) / (k or table.k) if published else math.inf


def average_generalization(table: Table) -> int:
    tops = oracle.hierarchy_heights(table.hierarchies)
    return sum(n * sum(table.node if n >= table.size else tops) for n in table.class_sizes)


def precision(table: Table, suppressed_rows: str = "charged") -> float:
    """1 - Sweeney's Prec: the mean of level/height over all cells; charged: suppressed are 1."""
    tops = oracle.hierarchy_heights(table.hierarchies)
    share = math.fsum(
        level / top if top else 0 for level, top in zip(table.node, tops, strict=True)
    )
    charged = [not kept and suppressed_rows == "charged" for _, kept in table.published]
    return math.fsum(len(tops) if each else share for each in charged) / len(charged) / len(tops)


def entropy(table: Table, suppressed_rows: str = "charged") -> float:
    """Non-uniform entropy in bits, summed over rows and attributes.

    charged: plus, per attribute, the entropy of its labels among the suppressed rows.
    """
    bits, published = [], table.published
    for i in range(len(table.node)):
        before = Counter(row[i] for row in table.rows)
        after = Counter(row[i] for row, _ in published)
        for row, (labels, _) in zip(table.rows, published, strict=True):
            bits.append(math.log2(after[labels[i]] / before[row[i]]))
        if suppressed_rows == "charged":
            counts = Counter(row[i] for row, kept in published if not kept)
            bits += [n * math.log2(counts.total() / n) for n in counts.values()]
    return math.fsum(bits)


def ambiguity(table: Table) -> float:
    """Mean over all rows of the number of leaf combinations a row covers; suppressed: all."""
    counts = oracle.leaf_counts(table.rows, table.hierarchies, table.node)
    combinations = [
        math.prod(
            covered[label] if kept else covered.total()
            for covered, label in zip(counts, row, strict=True)
        )
        for row, kept in table.published
    ]
    return sum(combinations) / len(combinations)


def distribution(table: Table) -> float:
    """Half the sum of differences of shares, a label's rows spread evenly over its values."""
    shown = [row for row, kept in table.published if kept]
    if not shown:
        return math.inf
    distances = []
    for place, hierarchy in enumerate(table.hierarchies):
        read = dict.fromkeys(hierarchy, 0.0)
        for row in shown:
            covered = [v for v in hierarchy if hierarchy[v][table.node[place]] == row[place]]
            for value in covered:
                read[value] += 1 / len(covered) / len(shown)
        before = Counter(row[place] for row in table.rows)
        distances.append(sum(abs(before[v] / len(table.rows) - read[v]) for v in hierarchy) / 2)
    return table.mean(distances)


def classification(table: Table, attribute: str) -> float:
    """Share of rows that are suppressed or do not have their class's (one) majority label."""
    assert attribute == "label"
    members: dict[oracle.Row, Counter[oracle.Value]] = {}
    for (row, _), label in zip(table.published, table.labels, strict=True):
        members.setdefault(row, Counter())[label] += 1
    kept = [max(c.values()) for c in members.values() if c.total() >= table.size]
    return 1 - sum(kept) / len(table.rows)


AGGREGATES = ("mean", "geometric-mean", "max", "sum", "rank")
CHARGED: Mapping[str, Any] = {
    "random": {"": {"suppressed_rows": ["charged", "ignored"]}},
    "programs": [{}, {"suppressed_rows": "ignored"}],
}
MEASURES: dict[str, Known] = {
    "loss": Known(
        loss,
        random={
            variant: {
                "variant": [variant],
                "aggregate": AGGREGATES,
                "leaves": ["hierarchy", "data"],
                "generalization_suppression_factor": [0.5, 0, 0.1, 0.75, 1],
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
    "discernibility": Known(discernibility, **CHARGED),
    "average-class-size": Known(
        average_class_size,
        random={"": {"suppressed_rows": ["excluded", "one-class"], "k": [None, 1]}},
        programs=[{}, {"suppressed_rows": "one-class", "k": 2}],
    ),
    "ncp": Known(loss),
    "average-generalization": Known(average_generalization),
    "height": Known(lambda table: sum(table.node)),
    "precision": Known(precision, **CHARGED),
    "entropy": Known(
        entropy, **CHARGED, golden={"": {}, "ignored": {"suppressed_rows": "ignored"}}
    ),
    "ambiguity": Known(ambiguity),
    "distribution": Known(distribution),
    "classification": Known(
        classification,
        random={"": {"attribute": ["label"]}},
        programs=[{"attribute": "diagnosis"}, {"attribute": "sex"}],
        golden={"": {"attribute": "disease"}},
    ),
}

OBJECTIVES: dict[str, st.SearchStrategy[dict[str, Any]]] = {
    f"{name}-{variant}" if variant else name: st.fixed_dictionaries(
        {"name": st.just(name), **{key: st.sampled_from(each) for key, each in choices.items()}}
    )
    for name, known in MEASURES.items()
    for variant, choices in known.random.items()
}
"""Random objectives, by name and variant."""


def cost_of(objective: Mapping[str, Any], table: Table) -> Cost:
    """What a node costs by an objective: one number, or several from the most important on."""
    parameters = {key: value for key, value in objective.items() if key != "name"}
    found = MEASURES[objective["name"]].cost(table, **parameters)
    return tuple(found) if isinstance(found, Sequence) else (float(found),)
