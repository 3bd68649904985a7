"""All promises of a plan together: what must be counted for them, and their selects.

The search, the release, the proof and a bare `verify` build relations of the same names; the
selects over them come from here, so that all four check promises in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import NamedTuple

from sqlanon.privacy_models.base import ClassRelations, Members, PrivacyModel
from sqlanon.sql.render import render
from sqlanon.sql.step import quoted, split, words


class ModelCheck(NamedTuple):
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


class CountedColumn(NamedTuple):
    """A column whose values are counted.

    Attributes:
        word: stands for it in generated names, such as `value_of_diagnosis`.
    """

    name: str
    word: str

    def named(self, what: str) -> str:
        """The generated name of this of its columns or relations: `table_values_of_diagnosis`."""
        return f"{what}_of_{self.word}"


class ClassValues(NamedTuple):
    """How often the values of an attribute occur in each class.

    Attributes:
        column: the attribute.
        is_joint: whether the classes are divided by the other sensitive attributes, `known`.
        is_generalized: whether the attribute is a quasi-identifier, so that every class has one
            published value of it; its code is 0.
    """

    column: CountedColumn
    is_joint: bool
    known: tuple[CountedColumn, ...]
    is_generalized: bool

    @property
    def kind(self) -> str:
        """Begins the name of its relation."""
        return "joint_values" if self.is_joint else "class_values"

    @property
    def value(self) -> str:
        """The column of codes in rows that are counted; of a quasi-identifier one code, 0."""
        return "0" if self.is_generalized else self.column.named("value")

    @property
    def name(self) -> str:
        """The relation: one row per class (divided by known values) and value."""
        return self.column.named(self.kind)

    @property
    def totals(self) -> str:
        """The relation of the divided classes; empty if they are not divided."""
        return self.column.named("joint_classes") if self.is_joint else ""


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
    def places_persons(self) -> bool:
        """Whether passes place rows by the persons of a class; by those of the population if not.

        A population has one row a person, so its rows are counted.
        """
        return self.unit is not None and not self.population

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
        """One name per model, of the relation that checks it."""
        names = [model.model.replace("-", "_") for model in self.models]
        return [
            name if names.count(name) == 1 else f"{name}_{number}"
            for number, name in enumerate(names, start=1)
        ]

    @property
    def columns(self) -> dict[str, CountedColumn]:
        """The counted columns by name."""
        pairs = zip(self.counted, words(self.counted), strict=True)
        return {name: CountedColumn(name, word) for name, word in pairs}

    def named(self, what: str, attribute: str) -> str:
        """The generated name of this of an attribute's relations: `class_values_of_diagnosis`."""
        return self.columns[attribute].named(what)

    @property
    def class_values_by_name(self) -> dict[str, str]:
        """The relation of the values in classes, by counted attribute."""
        return {name: column.named("class_values") for name, column in self.columns.items()}

    def class_values(self, measure_attribute: str | None = None) -> list[ClassValues]:
        """What models, or a measure of utility, count in the classes."""
        found = []
        columns = self.columns
        for name, column in columns.items():
            models = [model for model in self.models if model.sensitive_attribute == name]
            is_generalized = name in self.generalized and bool(models)
            if name == measure_attribute or any(not model.is_joint for model in models):
                found.append(ClassValues(column, False, (), is_generalized))
            if any(model.is_joint for model in models):
                found.append(ClassValues(column, True, self._known(name), is_generalized))
        return found

    @property
    def attributes(self) -> list[str]:
        """The attributes that models look at."""
        looked_at = {model.sensitive_attribute for model in self.models}
        return [name for name in self.counted if name in looked_at]

    def _known(self, attribute: str) -> tuple[CountedColumn, ...]:
        """The sensitive attributes that count as known where this one is looked at."""
        return tuple(
            column
            for name, column in self.columns.items()
            if name != attribute and name in self.sensitive
        )

    def model_checks(
        self,
        class_key: Sequence[str],
        *,
        classes: str = "classes",
        class_values: str = "class_values",
        joint_values: str = "joint_values",
        joint_classes: str = "joint_classes",
        table_values: str = "sqlanon.table_values",
        value_levels: str = "sqlanon.value_levels",
        whole_classes: str | None = None,
        table_scope: Sequence[str] = (),
        labels: Sequence[str] = (),
        scope: Sequence[str] = (),
        prefix: str = "",
        excess: bool = False,
    ) -> list[ModelCheck]:
        """The models' selects, in the order of the plan.

        Args:
            class_key: columns that identify a class.
            classes: name of the classes' relation.
            class_values, joint_values, joint_classes, table_values, value_levels: names of
                relations that the word of the model's attribute ends.
            whole_classes: what models about all classes together read, each its own, numbered from
                1; `classes` when not given.
            table_scope: the part of the key that the table's values have too.
            labels: as in `ClassRelations`.
            scope: the part of the key that identifies a publication.
            prefix: of the checks' names.
            excess: whether rows are to be counted that no finer classes can keep.
        """
        made: list[ModelCheck] = []
        whole_count = 0
        for name, model in zip(self.names, self.models, strict=True):
            key = list(class_key)
            attribute = model.sensitive_attribute
            ending = "" if attribute is None else self.named("", attribute)
            values, read = class_values + ending, classes
            counts_excess = (
                excess
                and model.bounds_excess
                and (model.monotone_under_suppression or not self.shares_persons)
            )
            if model.is_joint:
                key += [known.named("value") for known in self._known(attribute or "")]
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
                    labels=labels,
                    scope=scope,
                    excess=counts_excess,
                    unit=self.unit is not None,
                    shares_persons=self.shares_persons,
                )
            )
            if model.is_joint:
                header, parts = split(sql)
                columns = (model.deciding_measure, *model.bounds_measured.values())
                joint = render(
                    "privacy_models/_joint.sql",
                    model_sql=parts,
                    class_key=class_key,
                    measures={quoted(column): aggregate for column, aggregate in columns},
                    excess=counts_excess,
                )
                sql = f"{header}\n{joint}"
            made.append(
                ModelCheck(f"{prefix}{name}", sql, model, counts_excess, model.judges_whole_table)
            )
        return made

    @property
    def about_whole(self) -> Promises:
        """Those about all classes together."""
        return self._only(lambda model: model.judges_whole_table)

    @property
    def of_sizes(self) -> Promises:
        """Those for which no values are counted."""
        return self._only(
            lambda model: model.sensitive_attribute is None and not model.judges_whole_table
        )

    @property
    def pruning(self) -> Promises:
        """Those by which a search may prune even where rows are suppressed."""
        return self._only(
            lambda model: (
                model.monotone_under_suppression
                and not (self.shares_persons and model.judges_whole_table)
            )
        )

    def is_monotone(self, model: PrivacyModel, *, limited: bool = False) -> bool:
        """Whether classes that hold the model can be joined."""
        return (
            model.monotone_under_generalization
            and (model.monotone_under_suppression or not limited)
            and (model.monotone_with_shared_persons or not self.shares_persons)
        )

    @property
    def against_published(self) -> Promises:
        """Those that must also hold in comparison with the published rows alone."""
        return self._only(lambda model: model.compares_with_published)

    def _only(self, is_kept: Callable[[PrivacyModel], bool]) -> Promises:
        return replace(self, models=tuple(filter(is_kept, self.models)))


def as_text(measured: float | int | None) -> str:
    """A measure as messages show it: integers in full, other numbers to six digits."""
    if measured is None:
        return "nothing"
    return f"{measured:,}" if isinstance(measured, int) else f"{measured:.6g}"
