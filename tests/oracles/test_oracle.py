"""The oracle itself, against numbers of the papers, and others worked out by hand."""

from dataclasses import replace
from math import log2
from typing import Any

import pytest

from tests.oracles import full_domain as oracle
from tests.oracles.measures import Table, cost_of

# Four rows. At node (1, 0) the classes are (A, m) of 3 rows and (B, f) of 1, which k=2 suppresses.
ROWS: list[oracle.Row] = [("a", "m"), ("b", "m"), ("a", "m"), ("c", "f")]
HIERARCHIES: list[dict[oracle.Value, tuple[oracle.Value, ...]]] = [
    {v: (v, label, "*") for v, label in (("a", "A"), ("b", "A"), ("c", "B"), ("d", "B"))},
    {"m": ("m", "*"), "f": ("f", "*")},
]
NODE = (1, 0)
TABLE = Table(ROWS, HIERARCHIES, NODE, 2, 2, (), ["y", "n", "y", "n"])


@pytest.mark.parametrize(
    ("sizes", "k", "expected"),
    [
        ((3, 3, 3, 3), 3, 36),  # TUM Table 2
        ((6, 6), 6, 72),  # TUM Table 3
        ((3, 5), 3, 34),  # CPH fig 2.3
        ((8,), 8, 64),  # CPH fig 5.4
    ],
)
def test_tables_of_the_papers(sizes: tuple[int, ...], k: int, expected: int) -> None:
    rows: oracle.Table = [(str(i),) for i, size in enumerate(sizes) for _ in range(size)]
    hierarchies: oracle.Hierarchies = [{str(i): (str(i), "*") for i in range(len(sizes))}]
    assert oracle.suppressed_rows(rows, hierarchies, (0,), k) == 0
    assert oracle.suppressed_rows(rows, hierarchies, (0,), k + 1) != 0
    for suppressed in ("charged", "ignored"):
        objective = {"name": "discernibility", "suppressed_rows": suppressed}
        assert cost_of(objective, Table(rows, hierarchies, (0,), k, k, (), ())) == (expected,)


def test_classes_suppression_and_nodes() -> None:
    assert oracle.classes(ROWS, HIERARCHIES, NODE) == {("A", "m"): 3, ("B", "f"): 1}
    # a missing value is one of its own
    missing: oracle.Hierarchies = [{None: (None, "*"), "None": ("None", "*")}]
    assert oracle.classes([(None,), (None,), ("None",)], missing, (0,)) == {
        (None,): 2,
        ("None",): 1,
    }
    # masked: one '*' row is fewer than 2, so the class of 3 goes too; at (0, 0) two are enough
    for node, masked, expected in (
        (NODE, False, 1), (NODE, True, 4), ((0, 0), True, 2), ((2, 1), True, 0),
    ):  # fmt: skip
        assert oracle.suppressed_rows(ROWS, HIERARCHIES, node, 2, masked) == expected
    assert oracle.suppressed_rows([("a", "m")], HIERARCHIES, (0, 0), 2, masked=True) is None

    def satisfying(limit_rows: int, masked: bool = False) -> list[oracle.Node]:
        return oracle.satisfying_nodes(ROWS, HIERARCHIES, 2, limit_rows, masked)

    # suppressed at (0,0): 2, (0,1): 2, (1,0): 1, (1,1): 1, (2,0): 1, (2,1): 0
    assert satisfying(0) == [(2, 1)]
    assert satisfying(1) == [(1, 0), (1, 1), (2, 0), (2, 1)]
    assert oracle.minimal_nodes(satisfying(1)) == [(1, 0)]
    assert satisfying(2) == [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)]
    # masked, the single outlier of the middle nodes takes all other rows with it
    assert satisfying(4, masked=True) == [(0, 0), (0, 1), (2, 1)]
    # every row suppressed is within the limit, but publishes nothing
    assert oracle.satisfying_nodes(ROWS, HIERARCHIES, 5, 4) == []


@pytest.mark.parametrize(
    ("variant", "leaves", "factor", "expected"),
    [
        # (three kept cells + one suppressed) / 4; A covers 2 of 4 leaves, m 1 of 2
        ("iyengar", "hierarchy", 0.5, [(3 * 1 / 3 + 1) / 4, 1 / 4]),
        ("ghinita", "hierarchy", 0.5, [(3 * 2 / 4 + 1) / 4, 1 / 4]),
        ("xiao-tao", "hierarchy", 0.5, [(3 * 1 / 4 + 1) / 4, 1 / 4]),
        # in the data A covers 2 of 3 leaves
        ("iyengar", "data", 0.5, [(3 * 1 / 2 + 1) / 4, 1 / 4]),
        ("ghinita", "data", 0.5, [(3 * 2 / 3 + 1) / 4, 1 / 4]),
        ("xiao-tao", "data", 0.5, [(3 * 1 / 3 + 1) / 4, 1 / 4]),
        # s = 1/2: the suppressed B costs 1/3 + 1/2 * 2/3 (1/2 + 1/2 * 1/2), f 0 + 1/2
        ("iyengar", "hierarchy", 0.25, [(3 * 1 / 3 + 2 / 3) / 4, 1 / 8]),
        ("ghinita", "hierarchy", 0.25, [(3 * 2 / 4 + 3 / 4) / 4, 1 / 8]),
        # s = 0: a suppressed cell costs what it would cost if kept
        ("iyengar", "hierarchy", 0.0, [1 / 3, 0]),
        # g = 1/2: a kept A costs 1/2 * 1 / (4 - 1/2) = 1/7, a suppressed cell 1
        ("iyengar", "hierarchy", 0.75, [(3 * 1 / 7 + 1) / 4, 1 / 4]),
        ("ghinita", "hierarchy", 0.75, [(3 * 1 / 4 + 1) / 4, 1 / 4]),
        ("xiao-tao", "hierarchy", 0.75, [(3 * 1 / 8 + 1) / 4, 1 / 4]),
        # g = 0: only suppression costs
        ("iyengar", "hierarchy", 1.0, [1 / 4, 1 / 4]),
        ("ghinita", "hierarchy", 1.0, [1 / 4, 1 / 4]),
    ],
)
def test_losses_of_attributes(
    variant: str, leaves: str, factor: float, expected: list[float]
) -> None:
    loss = oracle.loss(ROWS, HIERARCHIES, NODE, 2, (), variant, "rank", leaves, factor)
    assert loss == pytest.approx(expected, rel=1e-12)
    constant: oracle.Hierarchies = [{"x": ("x", "*")}]
    assert oracle.loss([("x",)], constant, (1,), 1, (), variant, "mean", leaves, factor) == 0


COSTS: list[tuple[dict[str, Any], oracle.Node, float | list[float]]] = [
    # of loss by Iyengar: L = 1/2, 1/4
    ({"name": "loss", "variant": "iyengar"}, NODE, (1 / 2 + 3 / 4) / 4),
    ({"name": "loss", "variant": "iyengar", "aggregate": "geometric-mean"}, NODE,
     (3 / 2) ** 0.25 * (5 / 4) ** 0.75 - 1),
    ({"name": "loss", "variant": "iyengar", "aggregate": "max"}, NODE, 3 / 4),
    ({"name": "loss", "variant": "iyengar", "aggregate": "sum"}, NODE, 5 / 4),
    ({"name": "loss", "variant": "iyengar", "aggregate": "rank"}, NODE, [3 / 4, 1 / 2]),
    ({"name": "discernibility"}, NODE, 3 * 3 + 4 * 1),
    ({"name": "discernibility", "suppressed_rows": "ignored"}, NODE, 3 * 3 + 1 * 1),
    ({"name": "average-class-size"}, NODE, 3 / 1 / 2),
    # kept rows 1/2 and 0/1, the suppressed row 1 and 1
    ({"name": "precision"}, NODE, (3 * 1 / 2 + 2) / 8),
    ({"name": "precision", "suppressed_rows": "ignored"}, NODE, (4 * 1 / 2) / 8),
    # a is 2 of the 3 A (two rows), b 1 of 3, c all of B, sex is as it was; the suppressed part
    # is one row, which has no entropy
    ({"name": "entropy"}, NODE, 2 * log2(3 / 2) + log2(3)),
    # nothing generalized; (b, m) and (c, f) suppressed: 1 bit for each of four cells
    ({"name": "entropy"}, (0, 0), 4),
    ({"name": "entropy", "suppressed_rows": "ignored"}, (0, 0), 0),
    ({"name": "ambiguity"}, NODE, (3 * 2 + 8) / 4),  # kept rows 2 * 1, the suppressed row 4 * 2
    # (A, m) has labels y, n, y: one is not the majority; one row is suppressed
    ({"name": "classification", "attribute": "label"}, NODE, 2 / 4),
]  # fmt: skip


@pytest.mark.parametrize(("objective", "node", "expected"), COSTS, ids=repr)
def test_costs_of_four_rows(
    objective: dict[str, Any], node: oracle.Node, expected: float | list[float]
) -> None:
    listed = expected if isinstance(expected, list) else [expected]
    found = cost_of(objective, replace(TABLE, node=node, weights=(1, 3)))
    assert list(found) == pytest.approx(listed, rel=1e-12)
