"""What every attack is: what the attacker wants and has, parameters, one template of its name.

The template reads `classes` (class key, class_size) and, for attacks on a sensitive attribute,
`class_values` (class key, value, value_count); it returns one row per class with the key,
class_size, rows_at_risk, certainty and broken. An attack that needs more than one select overrides
`attempt`. All of them see the published rows and what an outsider can have beside them; none reads
the source.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict

from sqlanon.sql.render import render
from sqlanon.sql.step import Search, Step


@dataclass(frozen=True)
class AttackRelations:
    """Names of the relations that an attack reads; an empty name where there is no such relation.

    Attributes:
        class_key: columns that tell classes apart: the published quasi-identifiers, under names
            that do not clash with a template's own, or the bucket.
        classes: one row per class: key, class_size, and population_size where there is one.
        class_values: one row per class and sensitive value: key, value (a code), value_count.
        table_values: one row per sensitive value of the published table: value, row_count, text.
        value_levels: one row per value and level of the sensitive hierarchy: value, level, label.
        named_key: the columns of the key as they are published, and their names in it.
        attribute: the sensitive attribute that is attacked; empty where none is.
        number: ends the names of what an attempt makes, so that no two are called the same.
        rows: the published rows, as they were read.
        quasi_identifiers: published columns by which rows are linked with persons, and names of
            them that do not clash with a template's own.
        column_groups: published columns that keep together row by row; where there are several,
            each is permuted by itself inside a bucket.
        generalized: those of the quasi-identifiers that buckets hold as labels of a hierarchy.
        labels: what the method says of its labels, tight or region; empty where it says nothing.
        unit: the column that tells persons apart; None where every row is a person.
        population: combinations of the population's quasi-identifiers, and how many persons have
            them.
        population_count: the column of that count.
        population_classes: one row per published combination of quasi-identifiers that somebody of
            the population has: key, population_size.
        profiles: what is known beforehand, one row per class, profile and value.
        earlier: the rows of another release of the same persons.
    """

    class_key: Sequence[str]
    classes: str
    class_values: str = ""
    table_values: str = ""
    value_levels: str = ""
    named_key: Sequence[tuple[str, str]] = ()
    attribute: str = ""
    number: int = 1
    rows: str = ""
    quasi_identifiers: Sequence[tuple[str, str]] = ()
    column_groups: Sequence[Sequence[str]] = ()
    generalized: Sequence[str] = ()
    labels: str = ""
    unit: str | None = None
    population: str = ""
    population_count: str = ""
    population_classes: str = ""
    profiles: str = ""
    earlier: str = ""

    @property
    def rows_are_whole(self) -> bool:
        """Whether the quasi-identifiers of a row are those of one person, as far as is known."""
        names = {name for name, _ in self.quasi_identifiers}
        return not self.generalized and any(names <= set(group) for group in self.column_groups)


@dataclass(frozen=True)
class Outcome:
    """What an attack came to.

    Attributes:
        classes, rows: how many were attacked; rows are persons where the plan has a unit.
        classes_at_risk: classes with rows at risk.
        rows_at_risk: rows whose secret the attacker learns, or gets nearer to than allowed.
        certainty: how sure the attacker is at worst, 0 to 1.
        measured: further numbers of this attack, by name.
        riskiest: the classes with rows at risk, those of the highest certainty first: sizes,
            measures, and, where that is asked for, their quasi-identifiers.
        notes: what the numbers leave out, in sentences.
    """

    classes: int
    classes_at_risk: int
    rows: int
    rows_at_risk: int
    certainty: float
    measured: Mapping[str, float | None]
    riskiest: tuple[Mapping[str, Any], ...] = ()
    notes: tuple[str, ...] = ()


PERMUTED = "quasi-identifiers are permuted apart, or may be, so that no row has those of one person"
"""Why rows cannot be told by their quasi-identifiers."""


class Attack(BaseModel):
    """A way to learn what a publication should hide.

    Attributes:
        source: the paper.
        forms: parameters of the forms that are tried when the attack is only named.
        by_quasi_identifiers: whether classes are those of the published quasi-identifiers even
            where the publication has buckets.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    source: ClassVar[str]
    forms: ClassVar[tuple[Mapping[str, Any], ...]] = ({},)
    by_quasi_identifiers: ClassVar[bool] = False

    @property
    def on_values(self) -> bool:
        """Whether a sensitive attribute is attacked, each by itself."""
        return True

    @property
    def needs_population(self) -> bool:
        """Whether the attacker needs a table that contains the published persons and others."""
        return False

    @property
    def needs_background(self) -> bool:
        """Whether the attacker needs a table of what is known beforehand."""
        return False

    @property
    def needs_earlier(self) -> bool:
        """Whether the attacker needs another release of the same persons."""
        return False

    @property
    def needs_value_levels(self) -> bool:
        """Whether the sensitive attribute needs a hierarchy."""
        return False

    @property
    def measures(self) -> tuple[tuple[str, Literal["min", "max", "sum"]], ...]:
        """Further columns of the template, and how those of all classes are brought together."""
        return ()

    @property
    def variant(self) -> str:
        """Which form of the attack it is; empty where there is one alone."""
        return ""

    @property
    def template(self) -> str:
        """File of the attack's SQL, below `sql_templates/`."""
        return f"attacks/{self.name.replace('-', '_')}.sql"

    @property
    def parameters(self) -> dict[str, Any]:
        """The attack's parameters, usual values included; decimals as numbers."""
        return {name: _plain(value) for name, value in self if name != "name"}

    @property
    def promise(self) -> str:
        """One sentence: what the attacker does, and when that counts as a success."""
        raise NotImplementedError  # pragma: no cover - every attack states its own

    def title(self, relations: AttackRelations) -> str:
        """Name of the relation that the attempt makes."""
        parts = ("attack_of", self.name.replace("-", "_"), self.variant.replace("-", "_"))
        return "_".join((*filter(None, parts), str(relations.number)))

    def missing(self, relations: AttackRelations) -> str | None:
        """Why the attack cannot be tried with these relations; None where it can."""
        if self.needs_population and not relations.population:
            return "it needs a population: give --population, or name one in the plan"
        if self.needs_background and not relations.profiles:
            return "it needs what is known beforehand: give --background"
        if self.needs_earlier and not relations.earlier:
            return "it needs another release of the same persons: give --earlier"
        if self.needs_value_levels and not relations.value_levels:
            return f"'{relations.attribute}' has no hierarchy in the plan"
        return None

    def sql(self, relations: AttackRelations) -> str:
        """The attack's select, one row per class: key, class_size, rows_at_risk, certainty, broken.

        Variables of the template are the fields of `Relations`, the parameters, `title`, `promise`
        and `source`.
        """
        return render(
            self.template,
            **vars(relations),
            **self.model_dump(exclude={"name"}),
            title=self.title(relations),
            promise=self.promise,
            source=self.source,
        )

    def attempt(
        self, relations: AttackRelations, *, list_classes: int = 0, with_values: bool = False
    ) -> Search[Outcome | str]:
        """Carry the attack out: the outcome, or, where it cannot be tried, the reason.

        Args:
            relations: what there is to read; `missing` has said nothing against it.
            list_classes: how many of the riskiest classes to list.
            with_values: whether their quasi-identifiers are listed too; they tell who is at risk.
        """
        title = self.title(relations)
        yield Step(title, self.sql(relations))
        return (
            yield from summary(
                title,
                relations.class_key,
                self.measures,
                list_classes=list_classes,
                with_values=with_values,
            )
        )


def summary(
    title: str,
    class_key: Sequence[str],
    measures: Sequence[tuple[str, str]] = (),
    *,
    list_classes: int = 0,
    with_values: bool = False,
    notes: tuple[str, ...] = (),
) -> Search[Outcome]:
    """Bring the rows of an attack's relation together: one per class, or per person.

    Args:
        title: the relation, in the working catalog.
        class_key: its columns that tell classes (or persons) apart.
        measures: further columns, and the aggregate of each.
        list_classes, with_values: as in `Attack.attempt`.
        notes: of the outcome.
    """
    sql = render("attacks/summary.sql", name=f"{title}_summary", relation=title, measures=measures)
    ((classes, at_risk, rows, rows_at_risk, certainty, *measured),) = yield Step(
        f"{title}_summary", sql, "rows"
    )
    riskiest: tuple[Mapping[str, Any], ...] = ()
    if at_risk and list_classes:
        sql = render(
            "attacks/riskiest_classes.sql",
            name=f"{title}_riskiest",
            relation=title,
            class_key=class_key,
            measures=[name for name, _ in measures],
            most=list_classes,
            with_values=with_values,
        )
        names = ["class_size", "rows_at_risk", "certainty", *(name for name, _ in measures)]
        names += class_key if with_values else ()
        listed = yield Step(f"{title}_riskiest", sql, "rows")
        riskiest = tuple(dict(zip(names, row, strict=True)) for row in listed)
    return Outcome(
        classes=classes,
        classes_at_risk=at_risk,
        rows=int(rows),
        rows_at_risk=int(rows_at_risk),
        certainty=certainty,
        measured={name: value for (name, _), value in zip(measures, measured, strict=True)},
        riskiest=riskiest,
        notes=notes,
    )


def _plain(value: Any) -> Any:
    """A parameter as JSON has it: decimals as numbers."""
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return list(value) if isinstance(value, tuple) else value
