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


def minimal_nodes(nodes: Iterable[Node]) -> list[Node]:
    """The nodes that generalize no other of the given nodes."""
    given = set(nodes)

    def is_above(node: Node, other: Node) -> bool:
        return node != other and all(a >= b for a, b in zip(node, other, strict=True))

    return sorted(node for node in given if not any(is_above(node, other) for other in given))


def lowest_height(nodes: Iterable[Node]) -> int:
    """The smallest height among the nodes; ValueError when there is none."""
    return min(map(sum, nodes))


# --- classes and suppression


def generalized(rows: Table, hierarchies: Hierarchies, node: Node) -> list[Row]:
    """The rows with each value replaced by its label at the node's level."""
    return [
        tuple(h[value][level] for value, h, level in zip(row, hierarchies, node, strict=True))
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


# --- loss, of which every method asks


def kept(rows: Table, hierarchies: Hierarchies, node: Node, k: int) -> list[bool]:
    """For each row: is it published?"""
    table = generalized(rows, hierarchies, node)
    sizes = Counter(table)
    return [sizes[row] >= k for row in table]


def leaf_counts(
    rows: Table, hierarchies: Hierarchies, node: Node, leaves: str = "hierarchy"
) -> list[Counter[Value]]:
    """For each attribute: how many leaves each label covers. Their total is the attribute's D."""
    return [
        Counter(
            hierarchy[value][level]
            for value in (hierarchy if leaves == "hierarchy" else {row[i] for row in rows})
        )
        for i, (hierarchy, level) in enumerate(zip(hierarchies, node, strict=True))
    ]


def loss(
    rows: Table,
    hierarchies: Hierarchies,
    node: Node,
    k: int,
    weights: Sequence[float] = (),
    variant: str = "ghinita",
    aggregate: str = "mean",
    leaves: str = "hierarchy",
    generalization_suppression_factor: float = 0.5,
) -> float | list[float]:
    """The attributes' losses in one number, or for aggregate 'rank' their descending list.

    Of each it is the mean loss of its cells over all input rows; 0 where D = 1. The factor weighs
    generalization against suppression: 0 charges only generalization, 0.5 both in full, 1 only
    suppression.
    """
    of_suppression = min(1.0, 2 * generalization_suppression_factor)
    of_generalization = min(1.0, 2 - 2 * generalization_suppression_factor)

    def cost(covered: int, domain: int, is_kept: bool) -> float:
        if domain == 1:
            return 0.0
        if variant == "ghinita":
            found = 0.0 if covered == 1 else of_generalization * covered / domain
        elif variant == "iyengar":
            found = of_generalization * (covered - 1) / (domain - of_generalization)
        else:
            found = of_generalization * (covered - 1) / domain
        # a suppressed cell costs 1 in full, and where of_generalization < 1 always in full
        return found if is_kept else found + of_suppression * (1 - found)

    table = generalized(rows, hierarchies, node)
    cells = [*zip(table, kept(rows, hierarchies, node, k), strict=True)]
    losses = [
        math.fsum(cost(counts[row[i]], counts.total(), is_kept) for row, is_kept in cells)
        / len(rows)
        for i, counts in enumerate(leaf_counts(rows, hierarchies, node, leaves))
    ]
    weights = weights or [1.0] * len(losses)
    weighted = [w * x for w, x in zip(weights, losses, strict=True)]
    if aggregate == "geometric-mean":
        shares = [w / sum(weights) for w in weights]
        return math.prod(math.pow(1 + x, s) for x, s in zip(losses, shares, strict=True)) - 1
    if aggregate == "rank":
        return sorted(weighted, reverse=True)
    return {"mean": sum(weighted) / sum(weights), "max": max(weighted), "sum": sum(weighted)}[
        aggregate
    ]
