"""All promises of a plan together: what must be counted for them, and their selects.

The search, the release, the proof and a bare `verify` build relations of the same names; the
selects over them come from here, so that all four check promises in the same way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import NamedTuple

from sqlanon.privacy_models.base import ClassRelations, Members, PrivacyModel
from sqlanon.sql.render import render
from sqlanon.sql.step import quoted, split, words


class Judgement(NamedTuple):
    """The select of one model over the classes of a relation.

    Attributes:
        name: of the relation that it becomes.
        sql: returns one row per class: the key, the measure, satisfied.
        counts_excess: whether it returns `excess_rows` too.
        judges_whole_table: whether it is about all classes together, and comes after the others.
    """

    name: str
    sql: str
    model: PrivacyModel
    counts_excess: bool
    judges_whole_table: bool

    @property
    def select(self) -> str:
        """The select without its header, for a place where the promise is stated already."""
        return split(self.sql)[1]


class CountedAttribute(NamedTuple):
    """An attribute whose values are counted in every class.

    Attributes:
        number: ends the names of its relations, as in `class_values_1`.
        known: numbers of the attributes that divide its classes further, in joint mode.
        is_joint, is_each: whether a model looks at it so.
        is_generalized: whether it is a quasi-identifier, so that every class has one published
            value of it; its code is 0.
    """

    number: int
    name: str
    known: tuple[int, ...]
    is_joint: bool
    is_each: bool
    is_generalized: bool


@dataclass(frozen=True)
class Promises:
    """The privacy models of a plan, and what they look at.

    Attributes:
        models: in the order of the plan.
        counted: attributes whose values the frequency set carries, for models or for a measure.
        sensitive: the sensitive attributes; in joint mode, all but the model's own count as known.
        generalized: the quasi-identifiers.
        unit: the column that identifies persons; None if every row is a person.
        shares_persons: whether a person may be in several classes: then classes that are joined
            have fewer persons than both together, and few promises are monotone.
        population: whether classes have a population.
        linked: whether a class is the persons whose published histories are equal.
    """

    models: tuple[PrivacyModel, ...]
    counted: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()
    generalized: tuple[str, ...] = ()
    unit: str | None = None
    shares_persons: bool = False
    population: bool = False
    linked: bool = False

    @property
    def presence(self) -> tuple[Decimal, Decimal] | None:
        """The least and the largest chance of a person of the population, by all models."""
        bounds = [model.presence for model in self.models if model.presence is not None]
        return (max(low for low, _ in bounds), min(high for _, high in bounds)) if bounds else None

    @property
    def anonymity_k(self) -> int:
        """The largest k of k-anonymity, alone or in (α,k)-anonymity; 1 without."""
        return max((model.anonymity_k for model in self.models), default=1)

    @property
    def members(self) -> Members:
        """What sizes of classes count."""
        return "rows" if self.unit is None else "persons"

    @property
    def sentences(self) -> list[str]:
        """What each model promises, in the order of the plan."""
        return [model.promise(self.members) for model in self.models]

    @property
    def names(self) -> list[str]:
        """One name per model, of the relation that holds its judgement."""
        names = [model.model.replace("-", "_") for model in self.models]
        return [
            name if names.count(name) == 1 else f"{name}_{number}"
            for number, name in enumerate(names, start=1)
        ]

    def attributes(self, measure_attribute: str | None = None) -> list[CountedAttribute]:
        """The attributes that models, or a measure of utility, look at."""
        found = []
        for number, name in enumerate(self.counted, start=1):
            models = [model for model in self.models if model.sensitive_attribute == name]
            is_each = any(not model.is_joint for model in models) or name == measure_attribute
            is_joint = any(model.is_joint for model in models)
            if is_each or is_joint:
                known = tuple(
                    other
                    for other, other_name in enumerate(self.counted, start=1)
                    if other != number and other_name in self.sensitive
                )
                is_generalized = name in self.generalized and bool(models)
                found.append(
                    CountedAttribute(number, name, known, is_joint, is_each, is_generalized)
                )
        return found

    def judgements(
        self,
        class_key: Sequence[str],
        *,
        classes: str = "classes",
        class_values: str = "class_values",
        joint_values: str = "joint_values",
        joint_classes: str = "joint_value_classes",
        table_values: str = "sqlanon.table_values",
        value_levels: str = "sqlanon.value_levels",
        whole_classes: str | None = None,
        table_scope: Sequence[str] = (),
        scope: Sequence[str] = (),
        prefix: str = "",
        excess: bool = False,
        speaking_names: bool = False,
        codes: Sequence[str] = (),
    ) -> list[Judgement]:
        """The models' selects, in the order of the plan.

        Args:
            class_key: columns that identify a class.
            classes: name of the classes' relation.
            class_values, joint_values, joint_classes, table_values, value_levels: names of
                relations that the number of the model's attribute ends.
            whole_classes: what models about all classes together read, each its own, numbered from
                1; `classes` when not given.
            table_scope: the part of the key that the table's values have too.
            scope: the part of the key that identifies a publication.
            prefix: of the judgements' names.
            excess: whether rows are to be counted that no finer classes can keep.
            speaking_names: whether names of relations end with the attribute, not its number.
            codes: the columns with the codes of the counted values; `value_1` … when not given.
        """
        made: list[Judgement] = []
        whole_count = 0
        endings = [f"_{number}" for number in range(1, len(self.counted) + 1)]
        if speaking_names:
            endings = [f"_of_{word}" for word in words(self.counted)]
        for name, model in zip(self.names, self.models, strict=True):
            key = list(class_key)
            attribute = model.sensitive_attribute
            ending = "" if attribute is None else endings[self.counted.index(attribute)]
            values, read = class_values + ending, classes
            counts_excess = (
                excess
                and model.bounds_excess
                and (model.monotone_under_suppression or not self.shares_persons)
            )
            if model.is_joint:
                known = next(a.known for a in self.attributes() if a.name == attribute)
                key += [codes[number - 1] if codes else f"value_{number}" for number in known]
                values, read = joint_values + ending, joint_classes + ending
            if model.judges_whole_table and whole_classes:
                whole_count += 1
                read = f"{whole_classes}_{whole_count}"
            sql = model.sql(
                ClassRelations(
                    class_key=key,
                    classes=read,
                    class_values=values,
                    table_values=table_values + ending,
                    value_levels=value_levels + ending,
                    table_scope=table_scope,
                    scope=scope,
                    excess=counts_excess,
                    unit=self.unit is not None,
                    shares_persons=self.shares_persons,
                )
            )
            if model.is_joint:
                header, parts = split(sql)
                joint = render(
                    "privacy_models/_joint.sql",
                    model_sql=parts,
                    class_key=class_key,
                    measures={
                        quoted(column): aggregate
                        for column, aggregate in (model.decided_by, *model.sides.values())
                    },
                    excess=counts_excess,
                )
                sql = f"{header}\n{joint}"
            made.append(
                Judgement(f"{prefix}{name}", sql, model, counts_excess, model.judges_whole_table)
            )
        return made

    @property
    def about_whole(self) -> Promises:
        """Those about all classes together."""
        models = tuple(model for model in self.models if model.judges_whole_table)
        return replace(self, models=models)

    @property
    def pruning(self) -> Promises:
        """Those by which a search may prune even where rows are suppressed."""
        models = tuple(
            model
            for model in self.models
            if model.monotone_under_suppression
            and not (self.shares_persons and model.judges_whole_table)
        )
        return replace(self, models=models)

    def is_monotone(self, model: PrivacyModel, *, limited: bool = False) -> bool:
        """Whether classes that hold the model can be joined.

        Args:
            limited: whether rows may be suppressed, and no more of them on the way up.
        """
        return (
            model.monotone_under_generalization
            and (model.monotone_under_suppression or not limited)
            and (model.monotone_with_shared_persons or not self.shares_persons)
        )

    @property
    def against_published(self) -> Promises:
        """Those that must also hold in comparison with the published rows alone."""
        models = tuple(model for model in self.models if model.compares_with_published)
        return replace(self, models=models)


def as_text(measured: float | int | None) -> str:
    """A measure as messages show it: integers in full, other numbers to six digits."""
    if measured is None:
        return "nothing"
    return f"{measured:,}" if isinstance(measured, int) else f"{measured:.6g}"
