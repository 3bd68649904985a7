"""The problem that full-domain methods search: a lattice, a frequency set, and questions about it.

Methods ask their questions only through this class: `score` (what would these nodes publish and
suppress?) and `value` (what would they lose?). Each is one statement for a whole batch of nodes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from sqlanon.errors import EngineError
from sqlanon.hierarchies.base import CutKind
from sqlanon.privacy_models.promises import Promises
from sqlanon.search.decisions import counted_inputs, decision_inputs, kept_inputs
from sqlanon.search.lattice import Node
from sqlanon.sql.render import question, render
from sqlanon.sql.step import Search
from sqlanon.utility.base import (
    ClassSizes,
    Cost,
    LevelMeasures,
    UtilityContext,
    UtilityMeasure,
    as_cost,
)

BATCH_SIZE = 32
"""Nodes per statement: enough to keep its fixed cost small, few enough to prune between batches."""


@dataclass(frozen=True)
class NodeScore:
    """What a lattice node would publish.

    Attributes:
        class_count: published classes.
        published_rows, suppressed_rows: rows in these classes, and all other rows of the input.
        failing_rows: rows in classes that fail a model.
        all_classes: classes before suppression.
        unpublishable_rows: lower bound on the rows that no node below this one can publish.
        failing_published_classes: published classes that fail in comparison with the published
            rows, if a promise requires this comparison.
        covered_population: rows of the population that fall into a class; 0 if the plan has no
            population.
    """

    node: Node
    class_count: int
    published_rows: int
    suppressed_rows: int
    failing_rows: int
    all_classes: int
    unpublishable_rows: int
    failing_published_classes: int = 0
    covered_population: int = 0


@dataclass(frozen=True)
class Attribute:
    """A quasi-identifier as the search sees it: masks and measures for each level, but no values.

    Attributes:
        word: number of the packed key that contains it, from 1.
        kind: of its values, if the plan says it.
        masks: for each level, the bits of the key that the level keeps.
        measures: for each level, its cost without suppression.
    """

    name: str
    weight: float
    word: int
    masks: tuple[int, ...]
    measures: tuple[LevelMeasures, ...]
    kind: CutKind | None = None

    @property
    def top(self) -> int:
        """The highest level."""
        return len(self.masks) - 1


@dataclass(frozen=True)
class FullDomainProblem:
    """A lattice of generalizations over a frequency set.

    Attributes:
        attributes: the quasi-identifiers, in the order of the plan.
        row_count: rows of the input.
        limit_rows: rows that may be suppressed.
        masked: whether suppressed rows are kept, with '*' in every quasi-identifier.
        promises: the privacy models; all must hold for every published class.
        objective: the measure to minimize.
        k: smallest class size that the plan requires; 1 if it requires none.
        limit_stated: whether the plan states a suppression limit.
        population_rows: rows of the population; 0 if the plan has none.
        relation: the frequency set, or the part of it that is searched.
    """

    attributes: tuple[Attribute, ...]
    row_count: int
    limit_rows: int
    masked: bool
    promises: Promises
    objective: UtilityMeasure
    k: int
    limit_stated: bool
    population_rows: int = 0
    relation: str = "frequency_set"
    context: UtilityContext = field(init=False)

    def __post_init__(self) -> None:
        context = UtilityContext(
            row_count=self.row_count,
            limit_rows=self.limit_rows,
            k=self.promises.anonymity_k,
            words=self.words,
            weights={a.name: a.weight for a in self.attributes},
            heights={a.name: a.top for a in self.attributes},
            kinds={a.name: a.kind for a in self.attributes},
            class_values=self.promises.class_values_by_name,
            classes="label_classes" if self.promises.linked else "decided_classes",
        )
        object.__setattr__(self, "context", context)

    @property
    def words(self) -> int:
        """Number of packed keys of a row."""
        return max(a.word for a in self.attributes)

    @property
    def tops(self) -> Node:
        """The top node of the lattice, which puts all rows into one class."""
        return tuple(a.top for a in self.attributes)

    @property
    def size(self) -> int:
        """Number of nodes of the lattice."""
        return math.prod(a.top + 1 for a in self.attributes)

    def masks(self, node: Node) -> list[int]:
        """The node's mask for each packed key."""
        sums = [0] * self.words
        for attribute, level in zip(self.attributes, node, strict=True):
            sums[attribute.word - 1] += attribute.masks[level]
        return sums

    def satisfies(self, score: NodeScore) -> bool:
        """Whether the node may be published: within the suppression limit, and not empty."""
        return (
            score.suppressed_rows <= self.limit_rows
            and score.published_rows > 0
            and self.agrees(score)
        )

    def agrees(self, score: NodeScore) -> bool:
        """Whether the published classes together hold what the promises require of all of them.

        Where persons are counted, all rows must be published for a comparison with these.
        """
        compared = self.promises.unit is not None and self.promises.against_published.models
        return (
            score.failing_published_classes == 0
            and self.covers(score)
            and not (compared and score.suppressed_rows)
        )

    def may_hold(self, score: NodeScore) -> bool:
        """Whether this node or one below it may be publishable; the only criterion for pruning.

        If it is false for a node, it is false for every node below, whatever the models are.
        """
        return (
            score.unpublishable_rows <= self.limit_rows
            and score.unpublishable_rows < self.row_count
            and self.covers(score)
        )

    def covers(self, score: NodeScore) -> bool:
        """Whether every row of the population falls into a class, if a model requires it.

        A finer node has finer classes, so it covers no row that this one does not cover.
        """
        return score.covered_population == self.population_rows or not any(
            model.needs_cover for model in self.promises.models
        )

    @property
    def is_monotone(self) -> bool:
        """Whether `may_hold` and `satisfies` agree: all nodes above a satisfying one satisfy.

        This is not so with masked rows: if fewer rows fail, the class of '*' may fall below k and
        then has to absorb a whole satisfied class. Nor if persons are counted but the suppression
        limit counts rows; linked histories are suppressed with all rows of their persons.
        """
        promises, limited = self.promises, self.limit_rows > 0
        shared = promises.unit is not None and not promises.linked
        if limited and (self.masked or shared or promises.against_published.models):
            return False
        return all(
            model.bounds_excess and promises.is_monotone(model, limited=limited)
            for model in promises.models
        )

    def bound(
        self, node: Node, measure: UtilityMeasure | None = None, *, suppressed_rows: int = 0
    ) -> Cost:
        """Lower bound on the cost of the node with this many suppressed rows; one-way counts."""
        levels = [a.measures[level] for a, level in zip(self.attributes, node, strict=True)]
        return (measure or self.objective).bound(levels, self.context, suppressed_rows)

    def raised(self, least: Cost, suppressed_rows: int) -> Cost:
        """A lower bound by classes, for nodes that suppress this many rows or more.

        Where persons are counted, nothing is known of the rows of classes.
        """
        if self.promises.unit is not None:
            return least
        return self.objective.raised(least, self.row_count, suppressed_rows, self.limit_rows)

    def score(self, nodes: Sequence[Node]) -> Search[list[NodeScore]]:
        """Ask what each of these nodes would publish; one statement."""
        kept = self._kept
        rows = yield question("search/scored_nodes", **self.batch(nodes), **kept)
        names = ["class_count", "published_rows", "suppressed_rows", "failing_rows", "all_classes",
                 "unpublishable_rows"]  # fmt: skip
        names += ["failing_published_classes"] if kept["kept_checks"] else []
        names += ["covered_population"] if self.promises.population else []
        scores = [
            NodeScore(nodes[row[0]], **dict(zip(names, row[1:], strict=True))) for row in rows
        ]
        if any(s.published_rows + s.suppressed_rows != self.row_count for s in scores):
            raise EngineError(
                "Some classes of a node were not checked against every promise.",
                where="search",
                fix="nothing was published; report this as a bug of sqlanon",
            )
        return scores

    @cached_property
    def by_sizes(self) -> FullDomainProblem | None:
        """The problem without the promises for which values are counted, which takes most time.

        A node that may not hold these may not hold all. None if all promises, or none, remain.
        """
        promises = self.promises.of_sizes
        is_part = 0 < len(promises.models) < len(self.promises.models)
        return replace(self, promises=promises) if is_part else None

    def value(
        self, nodes: Sequence[Node], measure: UtilityMeasure | None = None
    ) -> Search[dict[Node, tuple[Cost, Cost]]]:
        """Ask what each of these nodes would lose: (cost, lower bound); one statement."""
        measure = measure or self.objective
        rows = yield question(
            "search/valued_nodes",
            **self.batch(nodes, measure),
            node_levels=self._levels(nodes),
            measure_title=measure.name,
            measure_sql=measure.sql(self.context),
        )
        return {nodes[number]: (as_cost(cost), as_cost(least)) for number, cost, least in rows}

    def measured(self, node: Node, measures: Sequence[UtilityMeasure]) -> Search[dict[str, Cost]]:
        """Ask what a node loses by each of these measures, by name; one statement.

        Args:
            measures: with costs of one number, and with no attribute of their own.
        """
        rows = yield question(
            "search/node_measures",
            **self.batch([node]),
            node_levels=self._levels([node]),
            measures=[
                (
                    f"by_{measure.name.replace('-', '_')}",
                    measure.name,
                    measure.sql(self.context),
                )
                for measure in measures
            ],
        )
        return {name: as_cost(cost) for name, cost in rows}

    def class_sizes(self, node: Node) -> Search[ClassSizes]:
        """Ask how large the published classes of a node are; one statement."""
        ((count, smallest, total),) = yield question(
            "search/node_class_sizes", **self.batch([node])
        )
        return ClassSizes(count, smallest or 0, total or 0)

    def _levels(self, nodes: Sequence[Node]) -> list[tuple[int, str, int]]:
        """Number, attribute and level of every node."""
        return [
            (number, attribute.name, level)
            for number, node in enumerate(nodes)
            for attribute, level in zip(self.attributes, node, strict=True)
        ]

    def one_class_sql(self) -> str:
        """The query for what the models measure if all rows form one class.

        Linked histories differ by their numbers of rows even then, so it counts no persons apart.
        """
        whole = replace(self, promises=replace(self.promises, linked=False))
        inputs = whole.batch([self.tops])
        inputs["model_checks"] = whole.promises.model_checks(inputs["class_key"], excess=True)
        return render("search/one_class.sql", **inputs)

    def batch(self, nodes: Sequence[Node], measure: UtilityMeasure | None = None) -> dict[str, Any]:
        """Template variables for the CTEs that decide which classes of nodes are published."""
        lowest = tuple(map(min, zip(*nodes, strict=True)))
        return {
            "nodes": [[number, *self.masks(node)] for number, node in enumerate(nodes)],
            "relation": self.relation,
            "node_table": None,
            "roll_up": self.masks(lowest) if any(lowest) else None,
            "chosen": False,
            **counted_inputs(self.promises, measure),
            **self._decisions,
        }

    @cached_property
    def _decisions(self) -> dict[str, Any]:
        """Template variables of every batch that say which classes are published."""
        return decision_inputs(
            self.promises,
            [(a.word, a.masks[0]) for a in self.attributes],
            masked=self.masked,
            pruning=True,
        )

    @cached_property
    def _kept(self) -> dict[str, Any]:
        """Template variables of every batch that compare published classes with each other."""
        return kept_inputs(self.promises, self.words, masked=self.masked)
