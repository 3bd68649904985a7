"""Full-domain k-anonymization by brute force: the reference the tests compare the package with.

Standard library only, no SQL, nothing of the package. Every function reads the rows themselves;
nothing is cached, rolled up or pruned. Definitions: formulas.md sections 0, 1.2, 2 and 6.

A table is a list of quasi-identifier tuples (None is a value of its own). A hierarchy maps each
value to its labels, level 0 (the value) first; a value without an entry is a KeyError.
"Suppressed" in a measure means: in a class of fewer than k rows. The measures need >= 1 row.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import product

Value = str | None
Row = tuple[Value, ...]
Table = Sequence[Row]
Hierarchies = Sequence[dict[Value, tuple[Value, ...]]]
Node = tuple[int, ...]


# --- the lattice


def hierarchy_heights(hierarchies: Hierarchies) -> Node:
    """The top level of each hierarchy, which together are the top node of the lattice."""
    return tuple(len(next(iter(hierarchy.values()))) - 1 for hierarchy in hierarchies)


def all_nodes(heights: Sequence[int]) -> list[Node]:
    """Every lattice node, in lexicographic order."""
    return list(product(*(range(height + 1) for height in heights)))


def height(node: Node) -> int:
    """The sum of the node's levels."""
    return sum(node)


def minimal_nodes(nodes: Iterable[Node]) -> list[Node]:
    """The nodes that generalize no other of the given nodes."""
    given = set(nodes)

    def is_above(node: Node, other: Node) -> bool:
        return node != other and all(a >= b for a, b in zip(node, other, strict=True))

    return sorted(node for node in given if not any(is_above(node, other) for other in given))


def lowest_height(nodes: Iterable[Node]) -> int:
    """The smallest height among the nodes; ValueError when there is none."""
    return min(height(node) for node in nodes)


# --- classes and suppression


def generalized(rows: Table, hierarchies: Hierarchies, node: Node) -> list[Row]:
    """The rows with each value replaced by its label at the node's level."""
    return [
        tuple(
            hierarchy[value][level]
            for value, hierarchy, level in zip(row, hierarchies, node, strict=True)
        )
        for row in rows
    ]


def classes(rows: Table, hierarchies: Hierarchies, node: Node) -> Counter[Row]:
    """The size of each equivalence class."""
    return Counter(generalized(rows, hierarchies, node))


def suppressed_rows(
    rows: Table, hierarchies: Hierarchies, node: Node, k: int, masked: bool = False
) -> int | None:
    """How many rows are suppressed so that every published class has at least k rows.

    masked: suppressed rows stay in the release as a class of '*', so that class too must have
    0 or >= k rows (Sweeney 2002, step 4): where it has fewer, the smallest satisfying class is
    suppressed with it; None when no class satisfies.
    """
    sizes = classes(rows, hierarchies, node).values()
    suppressed = sum(size for size in sizes if size < k)
    if masked and 0 < suppressed < k:
        satisfying = [size for size in sizes if size >= k]
        return suppressed + min(satisfying) if satisfying else None
    return suppressed


def satisfying_nodes(
    rows: Table, hierarchies: Hierarchies, k: int, limit_rows: int, masked: bool = False
) -> list[Node]:
    """Every node that suppresses at most limit_rows rows and publishes at least one."""
    found = []
    for node in all_nodes(hierarchy_heights(hierarchies)):
        suppressed = suppressed_rows(rows, hierarchies, node, k, masked)
        if suppressed is not None and suppressed <= limit_rows and suppressed < len(rows):
            found.append(node)
    return found


def datafly(rows: Table, hierarchies: Hierarchies, k: int, max_outliers: int) -> Node:
    """The node Datafly stops at: generalize the attribute with most values until few rows fail.

    ValueError when more than max_outliers rows fail even at the top node.
    """
    top = hierarchy_heights(hierarchies)
    node = tuple(0 for _ in hierarchies)
    while sum(size for size in classes(rows, hierarchies, node).values() if size < k) > (
        max_outliers
    ):
        if node == top:
            raise ValueError("more than max_outliers rows are in too small classes at the top")
        table = generalized(rows, hierarchies, node)
        distinct = [
            len({row[i] for row in table}) if node[i] < top[i] else 0 for i in range(len(node))
        ]
        chosen = distinct.index(max(distinct))  # the first one of a tie
        node = tuple(level + (i == chosen) for i, level in enumerate(node))
    return node


# --- measures


def _kept(rows: Table, hierarchies: Hierarchies, node: Node, k: int) -> list[bool]:
    """For each row: is it published?"""
    sizes = classes(rows, hierarchies, node)
    return [sizes[row] >= k for row in generalized(rows, hierarchies, node)]


def _leaf_counts(
    rows: Table, hierarchies: Hierarchies, node: Node, leaves: str
) -> list[Counter[Value]]:
    """For each attribute: how many leaves each label covers. Their total is the attribute's D."""
    if leaves not in ("hierarchy", "data"):
        raise ValueError(leaves)
    return [
        Counter(
            hierarchy[value][level]
            for value in (hierarchy if leaves == "hierarchy" else {row[i] for row in rows})
        )
        for i, (hierarchy, level) in enumerate(zip(hierarchies, node, strict=True))
    ]


def discernibility(
    rows: Table, hierarchies: Hierarchies, node: Node, k: int, charged: bool = True
) -> int:
    """Sum of squared class sizes (DM*); charged: a suppressed row costs n instead (DM)."""
    sizes = classes(rows, hierarchies, node).values()
    return sum(size * (len(rows) if charged and size < k else size) for size in sizes)


def average_class_size(rows: Table, hierarchies: Hierarchies, node: Node, k: int) -> float:
    """Published rows per published class, in units of k; ZeroDivisionError without a class."""
    published = [size for size in classes(rows, hierarchies, node).values() if size >= k]
    return sum(published) / len(published) / k


def attribute_losses(
    rows: Table,
    hierarchies: Hierarchies,
    node: Node,
    k: int,
    variant: str = "ghinita",
    leaves: str = "hierarchy",
    generalization_suppression_factor: float = 0.5,
) -> list[float]:
    """For each attribute the mean loss of its cells over all input rows; 0 where D = 1.

    The factor weighs generalization against suppression: 0 charges only generalization,
    0.5 both in full, 1 only suppression.
    """
    of_suppression = min(1.0, 2 * generalization_suppression_factor)
    of_generalization = min(1.0, 2 - 2 * generalization_suppression_factor)

    def generalization_cost(covered: int, domain: int) -> float:
        if variant == "ghinita":
            return 0.0 if covered == 1 else of_generalization * covered / domain
        if variant == "iyengar":
            return of_generalization * (covered - 1) / (domain - of_generalization)
        if variant == "xiao-tao":
            return of_generalization * (covered - 1) / domain
        raise ValueError(variant)

    table = generalized(rows, hierarchies, node)
    kept = _kept(rows, hierarchies, node, k)
    losses = []
    for i, counts in enumerate(_leaf_counts(rows, hierarchies, node, leaves)):
        domain = counts.total()
        costs = []
        for row, row_is_kept in zip(table, kept, strict=True):
            cost = generalization_cost(counts[row[i]], domain) if domain > 1 else 0.0
            # a suppressed cell costs 1 in full, and where of_generalization < 1 always in full
            costs.append(cost if row_is_kept else cost + of_suppression * (1 - cost))
        losses.append(math.fsum(costs) / len(rows) if domain > 1 else 0.0)
    return losses


def loss(
    rows: Table,
    hierarchies: Hierarchies,
    node: Node,
    k: int,
    weights: Sequence[float] | None = None,
    variant: str = "ghinita",
    aggregate: str = "mean",
    leaves: str = "hierarchy",
    generalization_suppression_factor: float = 0.5,
) -> float | list[float]:
    """The attributes' losses in one number, or for aggregate 'rank' their descending list."""
    losses = attribute_losses(
        rows, hierarchies, node, k, variant, leaves, generalization_suppression_factor
    )
    weights = [1.0] * len(losses) if weights is None else weights
    weighted = [w * x for w, x in zip(weights, losses, strict=True)]
    if aggregate == "mean":
        return sum(weighted) / sum(weights)
    if aggregate == "geometric-mean":
        shares = [w / sum(weights) for w in weights]
        return math.prod(math.pow(1 + x, s) for x, s in zip(losses, shares, strict=True)) - 1
    if aggregate == "max":
        return max(weighted)
    if aggregate == "sum":
        return sum(weighted)
    if aggregate == "rank":
        return sorted(weighted, reverse=True)
    raise ValueError(aggregate)


def precision(
    rows: Table, hierarchies: Hierarchies, node: Node, k: int, charged: bool = True
) -> float:
    """Sweeney's Prec, 1 - mean of level/height over all cells; charged: suppressed cells are 1."""
    shares = [
        level / top if top else 0.0
        for level, top in zip(node, hierarchy_heights(hierarchies), strict=True)
    ]
    cells = []
    for row_is_kept in _kept(rows, hierarchies, node, k):
        cells += shares if row_is_kept or not charged else [1.0] * len(shares)
    return 1 - math.fsum(cells) / len(cells)


def entropy(
    rows: Table, hierarchies: Hierarchies, node: Node, k: int, charged: bool = True
) -> float:
    """Non-uniform entropy in bits, summed over rows and attributes.

    charged: plus, per attribute, the entropy of its labels among the suppressed rows.
    """
    table = generalized(rows, hierarchies, node)
    kept = _kept(rows, hierarchies, node, k)
    bits = []
    for i in range(len(node)):
        before = Counter(row[i] for row in rows)
        after = Counter(row[i] for row in table)
        for row, label_row in zip(rows, table, strict=True):
            bits.append(math.log2(after[label_row[i]] / before[row[i]]))
        if charged:
            suppressed = [row[i] for row, is_kept in zip(table, kept, strict=True) if not is_kept]
            counts = Counter(suppressed)
            bits += [math.log2(len(suppressed) / counts[label]) for label in suppressed]
    return math.fsum(bits)


def ambiguity(
    rows: Table, hierarchies: Hierarchies, node: Node, k: int, leaves: str = "hierarchy"
) -> float:
    """Mean over all rows of the number of leaf combinations a row covers; suppressed: all."""
    counts = _leaf_counts(rows, hierarchies, node, leaves)
    kept = _kept(rows, hierarchies, node, k)
    combinations = [
        math.prod(
            covered[label] if is_kept else covered.total()
            for covered, label in zip(counts, row, strict=True)
        )
        for row, is_kept in zip(generalized(rows, hierarchies, node), kept, strict=True)
    ]
    return sum(combinations) / len(rows)


def classification(
    rows: Table, hierarchies: Hierarchies, node: Node, k: int, labels: Sequence[Value]
) -> float:
    """Share of rows that are suppressed or do not have their class's (one) majority label."""
    members: dict[Row, list[Value]] = {}
    for row, label in zip(generalized(rows, hierarchies, node), labels, strict=True):
        members.setdefault(row, []).append(label)
    penalized = 0
    for of_class in members.values():
        majority = Counter(of_class).most_common(1)[0][1]
        penalized += len(of_class) if len(of_class) < k else len(of_class) - majority
    return penalized / len(rows)
