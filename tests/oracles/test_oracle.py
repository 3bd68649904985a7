"""The oracle itself, against numbers of the papers, and others worked out by hand."""

from itertools import product
from math import log2

import pytest

from tests.oracles import full_domain as oracle

# Four rows. At node (1, 0) the classes are (A, m) of 3 rows and (B, f) of 1, which k=2 suppresses.
ROWS: list[oracle.Row] = [("a", "m"), ("b", "m"), ("a", "m"), ("c", "f")]
HIERARCHIES: list[dict[oracle.Value, tuple[oracle.Value, ...]]] = [
    {v: (v, label, "*") for v, label in (("a", "A"), ("b", "A"), ("c", "B"), ("d", "B"))},
    {"m": ("m", "*"), "f": ("f", "*")},
]
NODE = (1, 0)


def table_of_sizes(*sizes: int) -> tuple[oracle.Table, oracle.Hierarchies]:
    """A table of one attribute whose classes at level 0 have the given sizes."""
    rows = [(str(i),) for i, size in enumerate(sizes) for _ in range(size)]
    return rows, [{str(i): (str(i), "*") for i in range(len(sizes))}]


# --- figures of the papers, as formulas.md gives them


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
    rows, hierarchies = table_of_sizes(*sizes)
    assert sorted(oracle.classes(rows, hierarchies, (0,)).values()) == sorted(sizes)
    assert oracle.suppressed_rows(rows, hierarchies, (0,), k) == 0
    assert oracle.suppressed_rows(rows, hierarchies, (0,), k + 1) != 0
    assert oracle.discernibility(rows, hierarchies, (0,), k) == expected
    assert oracle.discernibility(rows, hierarchies, (0,), k, charged=False) == expected


def test_datafly_that_cannot_succeed() -> None:
    with pytest.raises(ValueError, match="at the top"):
        oracle.datafly([("a", "m")], HIERARCHIES, 2, max_outliers=0)


# --- the four rows, by hand


def test_lattice() -> None:
    assert oracle.hierarchy_heights(HIERARCHIES) == (2, 1)
    nodes = oracle.all_nodes((2, 1))
    assert nodes == [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)]
    assert oracle.minimal_nodes([(2, 1), (2, 0), (0, 1), (1, 1)]) == [(0, 1), (2, 0)]
    assert oracle.lowest_height([(2, 1), (2, 0), (1, 1)]) == 2


def test_classes_and_suppression() -> None:
    assert oracle.classes(ROWS, HIERARCHIES, NODE) == {("A", "m"): 3, ("B", "f"): 1}
    assert oracle.suppressed_rows(ROWS, HIERARCHIES, NODE, 2) == 1
    assert oracle.suppressed_rows(ROWS, HIERARCHIES, NODE, 4) == 4
    # masked: one '*' row is fewer than 2, so the class of 3 goes too
    assert oracle.suppressed_rows(ROWS, HIERARCHIES, NODE, 2, masked=True) == 4
    # (0, 0): (a, m) 2, (b, m) 1, (c, f) 1: two '*' rows are enough
    assert oracle.suppressed_rows(ROWS, HIERARCHIES, (0, 0), 2, masked=True) == 2
    assert oracle.suppressed_rows(ROWS, HIERARCHIES, (2, 1), 2, masked=True) == 0
    assert oracle.suppressed_rows([("a", "m")], HIERARCHIES, (0, 0), 2, masked=True) is None


def test_smallest_satisfying_class_is_masked() -> None:
    rows, hierarchies = table_of_sizes(1, 5, 3, 4)
    assert oracle.suppressed_rows(rows, hierarchies, (0,), 3, masked=True) == 1 + 3


def test_satisfying_nodes() -> None:
    def satisfying(limit_rows: int, masked: bool = False) -> list[oracle.Node]:
        return oracle.satisfying_nodes(ROWS, HIERARCHIES, 2, limit_rows, masked)

    # suppressed at (0,0): 2, (0,1): 2, (1,0): 1, (1,1): 1, (2,0): 1, (2,1): 0
    assert satisfying(0) == [(2, 1)]
    assert satisfying(1) == [(1, 0), (1, 1), (2, 0), (2, 1)]
    assert oracle.minimal_nodes(satisfying(1)) == [(1, 0)]
    assert satisfying(2) == oracle.all_nodes((2, 1))
    # masked, the single outlier of the middle nodes takes all other rows with it
    assert satisfying(4, masked=True) == [(0, 0), (0, 1), (2, 1)]
    # every row suppressed is within the limit, but publishes nothing
    assert oracle.satisfying_nodes(ROWS, HIERARCHIES, 5, 4) == []


def test_null_is_a_value_of_its_own() -> None:
    hierarchies: oracle.Hierarchies = [{None: (None, "*"), "None": ("None", "*")}]
    rows = [(None,), (None,), ("None",)]
    assert oracle.classes(rows, hierarchies, (0,)) == {(None,): 2, ("None",): 1}
    # iyengar, D = 2, level 1: every cell (2-1)/(2-1)
    assert oracle.loss(rows, hierarchies, (1,), 2, variant="iyengar") == 1


def test_discernibility_and_average_class_size() -> None:
    assert oracle.discernibility(ROWS, HIERARCHIES, NODE, 2) == 3 * 3 + 4 * 1
    assert oracle.discernibility(ROWS, HIERARCHIES, NODE, 2, charged=False) == 3 * 3 + 1 * 1
    assert oracle.average_class_size(ROWS, HIERARCHIES, NODE, 2) == 3 / 1 / 2


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
def test_attribute_losses(variant: str, leaves: str, factor: float, expected: list[float]) -> None:
    losses = oracle.attribute_losses(ROWS, HIERARCHIES, NODE, 2, variant, leaves, factor)
    assert losses == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("weights", "aggregate", "expected"),
    [  # iyengar: L = 1/2, 1/4
        (None, "mean", 3 / 8),
        (None, "geometric-mean", (3 / 2 * 5 / 4) ** 0.5 - 1),
        (None, "max", 1 / 2),
        (None, "sum", 3 / 4),
        (None, "rank", [1 / 2, 1 / 4]),
        ((1, 3), "mean", (1 / 2 + 3 / 4) / 4),
        ((1, 3), "geometric-mean", (3 / 2) ** 0.25 * (5 / 4) ** 0.75 - 1),
        ((1, 3), "max", 3 / 4),
        ((1, 3), "sum", 5 / 4),
        ((1, 3), "rank", [3 / 4, 1 / 2]),
    ],
)
def test_loss_aggregates(
    weights: tuple[float, ...] | None, aggregate: str, expected: float | list[float]
) -> None:
    value = oracle.loss(ROWS, HIERARCHIES, NODE, 2, weights, "iyengar", aggregate)
    assert value == pytest.approx(expected, rel=1e-12)


def test_a_constant_attribute_loses_nothing() -> None:
    hierarchies: oracle.Hierarchies = [{"x": ("x", "*")}]
    for variant, level, k in product(("ghinita", "iyengar", "xiao-tao"), (0, 1), (1, 2)):
        assert oracle.attribute_losses([("x",)], hierarchies, (level,), k, variant) == [0]


def test_a_label_of_one_leaf_is_a_leaf() -> None:
    hierarchies: oracle.Hierarchies = [{"a": ("a", "A"), "b": ("b", "B"), "c": ("c", "B")}]
    # NCP at level 1: A 0, B 2/3
    assert oracle.loss([("a",), ("b",)], hierarchies, (1,), 1) == pytest.approx(1 / 3)


def test_precision() -> None:
    # kept rows 1/2 and 0/1, the suppressed row 1 and 1
    assert oracle.precision(ROWS, HIERARCHIES, NODE, 2) == 1 - (3 * 1 / 2 + 2) / 8
    assert oracle.precision(ROWS, HIERARCHIES, NODE, 2, charged=False) == 1 - (4 * 1 / 2) / 8
    assert oracle.height(NODE) == 1


def test_entropy() -> None:
    # a is 2 of the 3 A (two rows), b 1 of 3, c all of B, sex is as it was; the suppressed part
    # is one row, which has no entropy
    expected = 2 * log2(3 / 2) + log2(3)
    assert oracle.entropy(ROWS, HIERARCHIES, NODE, 2) == pytest.approx(expected)
    assert oracle.entropy(ROWS, HIERARCHIES, NODE, 2, charged=False) == pytest.approx(expected)
    # nothing generalized; (b, m) and (c, f) suppressed: 1 bit for each of four cells
    assert oracle.entropy(ROWS, HIERARCHIES, (0, 0), 2) == 4
    assert oracle.entropy(ROWS, HIERARCHIES, (0, 0), 2, charged=False) == 0


def test_ambiguity() -> None:
    # kept rows 2 * 1, the suppressed row 4 * 2 (in the data 3 * 2)
    assert oracle.ambiguity(ROWS, HIERARCHIES, NODE, 2) == (3 * 2 + 8) / 4
    assert oracle.ambiguity(ROWS, HIERARCHIES, NODE, 2, leaves="data") == (3 * 2 + 6) / 4


def test_classification() -> None:
    # (A, m) has labels y, n, y: one is not the majority; one row is suppressed
    assert oracle.classification(ROWS, HIERARCHIES, NODE, 2, ["y", "n", "y", "n"]) == 2 / 4
    # a tie has one majority: y, n at (a, m); b and c are suppressed
    assert oracle.classification(ROWS, HIERARCHIES, (0, 0), 2, ["y", "y", "n", "n"]) == 3 / 4
