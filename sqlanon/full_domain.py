"""The problem that full-domain methods search: a lattice, a frequency set, and questions about it.

A method asks through this class only: `score` (what would these nodes publish and suppress?) and
`value` (what would they lose?). Both are one statement for a whole batch of nodes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlanon.lattice import Node, node_count
from sqlanon.privacy_models import PrivacyModel, Relations
from sqlanon.render import render
from sqlanon.step import Search, Step
from sqlanon.utility import Cost, LevelMeasures, UtilityContext, UtilityMeasure, as_cost

BATCH_SIZE = 32
"""Nodes a statement: enough to make its fixed cost small, few enough to learn in between."""


@dataclass(frozen=True)
class NodeScore:
    """What a lattice node would publish.

    Attributes:
        class_count: published classes.
        published_rows, suppressed_rows: rows in them, and all others; they add up to the input.
        failing_rows: rows in classes that fail a model.
        hopeless_rows: rows in classes that fail a model which is monotone under suppression; no
            node below has fewer.
        all_classes: classes before suppression.
    """

    node: Node
    class_count: int
    published_rows: int
    suppressed_rows: int
    failing_rows: int
    hopeless_rows: int
    all_classes: int


@dataclass(frozen=True)
class Attribute:
    """A quasi-identifier as the search sees it: masks and measures per level, no values.

    Attributes:
        word: the packed key it stands in, 1 or more.
        masks: per level, the bits of the key that the level keeps.
        measures: per level, what it costs without suppression.
    """

    name: str
    weight: float
    word: int
    masks: tuple[int, ...]
    measures: tuple[LevelMeasures, ...]

    @property
    def top(self) -> int:
        """The highest level."""
        return len(self.masks) - 1


def judgements(
    models: Sequence[PrivacyModel],
    counted: Sequence[str],
    *,
    classes: str,
    class_key: Sequence[str],
    class_values: str = "class_values",
    table_values: str = "sqlanon.table_values",
    value_levels: str = "sqlanon.value_levels",
    prefix: str = "",
) -> list[dict[str, Any]]:
    """The models' selects over `classes`, each with the name of the relation it becomes.

    Args:
        models: the promises.
        counted: the attributes whose values are counted; the place of a model's attribute in this
            list ends the names of the relations that it reads, as in `class_values_1`.
        classes, class_key, class_values, table_values, value_levels: names of those relations.
        prefix: of the relations that the judgements become.
    """
    names = [model.model.replace("-", "_") for model in models]
    return [
        {
            "name": prefix + (name if names.count(name) == 1 else f"{name}_{number}"),
            "sql": model.sql(
                Relations(
                    class_key=class_key,
                    classes=classes,
                    class_values=_numbered(class_values, model, counted),
                    table_values=_numbered(table_values, model, counted),
                    value_levels=_numbered(value_levels, model, counted),
                )
            ),
        }
        for number, (name, model) in enumerate(zip(names, models, strict=True), start=1)
    ]


def _numbered(relation: str, model: PrivacyModel, counted: Sequence[str]) -> str:
    attribute = model.sensitive_attribute
    return "" if attribute is None else f"{relation}_{counted.index(attribute) + 1}"


@dataclass(frozen=True)
class FullDomainProblem:
    """A lattice of generalizations over a frequency set.

    Attributes:
        attributes: the quasi-identifiers, in the order of the plan.
        row_count: rows of the input.
        limit_rows: rows that may be suppressed.
        masked: suppressed rows stay, with '*' in every quasi-identifier.
        models: the privacy models; all must hold on every published class.
        objective: the measure to make small.
        k: smallest class size that the plan asks for, 1 without k-anonymity.
        limit_stated: whether the plan names a suppression limit.
        counted: columns that the frequency set carries for a measure.
    """

    attributes: tuple[Attribute, ...]
    row_count: int
    limit_rows: int
    masked: bool
    models: tuple[PrivacyModel, ...]
    objective: UtilityMeasure
    k: int
    limit_stated: bool
    counted: tuple[str, ...] = ()
    context: UtilityContext = field(init=False)

    def __post_init__(self) -> None:
        context = UtilityContext(
            row_count=self.row_count,
            limit_rows=self.limit_rows,
            k=self.k,
            words=self.words,
            weights={a.name: a.weight for a in self.attributes},
            heights={a.name: a.top for a in self.attributes},
            counted=self.counted,
        )
        object.__setattr__(self, "context", context)

    @property
    def words(self) -> int:
        """How many packed keys a row has."""
        return max(a.word for a in self.attributes)

    @property
    def tops(self) -> Node:
        """The top of the lattice: one class for all rows."""
        return tuple(a.top for a in self.attributes)

    @property
    def size(self) -> int:
        """Nodes of the lattice."""
        return node_count([a.top + 1 for a in self.attributes])

    def masks(self, node: Node) -> list[int]:
        """The node's mask for each packed key."""
        sums = [0] * self.words
        for attribute, level in zip(self.attributes, node, strict=True):
            sums[attribute.word - 1] += attribute.masks[level]
        return sums

    def satisfies(self, score: NodeScore) -> bool:
        """Whether the node may be published: within the limit, and not empty."""
        return score.suppressed_rows <= self.limit_rows and score.published_rows > 0

    def may_hold(self, score: NodeScore) -> bool:
        """Whether this node or one below it may be published; a search prunes on nothing else.

        False for a node means false for every node below it, whatever the models are.
        """
        return score.hopeless_rows <= self.limit_rows and score.hopeless_rows < self.row_count

    @property
    def is_monotone(self) -> bool:
        """Whether every node above a satisfying one satisfies: then `may_hold` is `satisfies`.

        Not so with masked rows: where fewer rows fail, the class of '*' may fall below k, and
        has to take in a whole satisfied class.
        """
        return all(map(self.prunes, self.models)) and not (self.masked and self.limit_rows)

    def prunes(self, model: PrivacyModel) -> bool:
        """Whether a node that fails this model has only nodes below it that fail it."""
        return model.monotone_under_generalization and (
            model.monotone_under_suppression or not self.limit_rows
        )

    def bound(self, node: Node, measure: UtilityMeasure | None = None) -> Cost:
        """Cost of the node if nothing were suppressed, from one-way counts alone."""
        levels = [a.measures[level] for a, level in zip(self.attributes, node, strict=True)]
        return (measure or self.objective).bound(levels, self.context)

    def score(
        self,
        nodes: Sequence[Node],
        *,
        frequency_set: str = "frequency_set",
        subsets: Sequence[int] | None = None,
    ) -> Search[list[NodeScore]]:
        """Ask what each of these nodes would publish; one statement.

        Args:
            nodes: the batch.
            frequency_set: the table to roll up from; it must not be coarser than any node.
            subsets: for each node, which part of the table to roll up from.
        """
        rows = yield Step(
            "scored_nodes",
            render(
                "search/scored_nodes.sql",
                **self._batch(nodes, frequency_set, subsets, None),
            ),
            "rows",
        )
        return [NodeScore(nodes[row[0]], *row[1:]) for row in rows]

    def value(
        self, nodes: Sequence[Node], measure: UtilityMeasure | None = None
    ) -> Search[dict[Node, tuple[Cost, Cost]]]:
        """Ask what each of these nodes would lose: (cost, lower bound); one statement."""
        measure = measure or self.objective
        levels = [
            (number, attribute.name, level)
            for number, node in enumerate(nodes)
            for attribute, level in zip(self.attributes, node, strict=True)
        ]
        rows = yield Step(
            "valued_nodes",
            render(
                "search/valued_nodes.sql",
                **self._batch(nodes, "frequency_set", None, measure),
                node_levels=levels,
                measure_title=measure.name,
                measure_sql=measure.sql(self.context),
            ),
            "rows",
        )
        return {nodes[number]: (as_cost(cost), as_cost(least)) for number, cost, least in rows}

    def _batch(
        self,
        nodes: Sequence[Node],
        frequency_set: str,
        subsets: Sequence[int] | None,
        measure: UtilityMeasure | None,
    ) -> dict[str, Any]:
        lowest = tuple(map(min, zip(*nodes, strict=True)))
        parts: list[list[int]] = [[] for _ in nodes] if subsets is None else [[s] for s in subsets]
        return {
            "nodes": [
                [number, *part, *self.masks(node)]
                for number, (node, part) in enumerate(zip(nodes, parts, strict=True))
            ],
            "node_table": None,
            "subsets": subsets is not None,
            "frequency_set": frequency_set,
            "roll_up": self.masks(lowest) if subsets is None and any(lowest) else None,
            "values_of": values_of(self.counted, self.models, measure),
            **self._decision_inputs(),
        }

    def _decision_inputs(self) -> dict[str, Any]:
        inputs = decision_inputs(self.models, self.counted, self.words, masked=self.masked)
        pruned = [
            judgement["name"]
            for judgement, model in zip(inputs["judgements"], self.models, strict=True)
            if self.prunes(model)
        ]
        return {**inputs, "pruning": True, "pruned": pruned}


def values_of(
    counted: Sequence[str], models: Sequence[PrivacyModel], measure: UtilityMeasure | None = None
) -> list[tuple[int, str]]:
    """The counted attributes that models or a measure read: number and name."""
    read = {model.sensitive_attribute for model in models} | {getattr(measure, "attribute", None)}
    return [(number, name) for number, name in enumerate(counted, start=1) if name in read]


def decision_inputs(
    models: Sequence[PrivacyModel], counted: Sequence[str], words: int, *, masked: bool
) -> dict[str, Any]:
    """Variables of the CTEs that decide which classes of a node are published."""
    key = ["node", *(f"class_{word}" for word in range(1, words + 1))]
    return {
        "words": words,
        "class_key": key,
        "masked": masked,
        "pruning": False,
        "judgements": judgements(models, counted, classes="classes", class_key=key),
        "star_values_of": values_of(counted, models),
        "star_judgements": judgements(
            models,
            counted,
            classes="star_classes",
            class_key=["node", "added_classes"],
            class_values="star_class_values",
            prefix="star_",
        ),
    }
