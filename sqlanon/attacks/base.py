"""The base class of all attacks: what the attacker wants and has, parameters, and one template.

The template reads `classes` (class key, class_size) and, for attacks on a sensitive attribute,
`class_values` (class key, value, value_count). It returns one row per class with the key,
class_size, rows_at_risk, certainty and broken. An attack that needs more than one select overrides
`attempt`. All attacks read the published rows and what else an outsider can have; none reads the
source.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from sqlanon.bounds import Number
from sqlanon.sql.render import render
from sqlanon.sql.step import Search, Step

LABEL_TABLES = frozenset({"hierarchy_levels", "label_places", "value_places"})
"""The relations that say what values a published label covers."""


@dataclass(frozen=True)
class AttackRelations:
    """Names of the relations that an attack reads; a name is empty if there is no such relation.

    Attributes:
        class_key: columns that identify a class: the published quasi-identifiers, under names that
            do not clash with those of a template, or the bucket.
        classes: one row per class: key, class_size, and population_size if there is a population.
        class_values: one row per class and sensitive value: key, value (a code), value_count.
        table_values: one row per sensitive value of the published table: value, row_count, text,
            table_size.
        value_levels: one row per value and level of the sensitive hierarchy: value, level, label.
        named_key: the published names of the key's columns, and their names in the key.
        attribute: the sensitive attribute that is attacked; empty if there is none.
        number: suffix of the names that an attempt makes, so that they are unique.
        rows: the published rows, as they were read.
        quasi_identifiers: published columns that link rows with persons, and names for them that
            do not clash with those of a template.
        column_groups: published columns that stay together in each row; if there are several
            groups, each is permuted independently within a bucket.
        generalized: the quasi-identifiers that buckets contain as labels of a hierarchy.
        companions: quasi-identifiers in the column group of the attribute, if there are several
            groups; they disclose more about it than its bucket.
        overlapping: if labels overlap, the classes that each person of the population fits: one row
            per person (a combination of quasi-identifiers) and class; otherwise empty.
        labels: the extent of the method's labels, tight or region; empty if it states none.
        label_tables: those of `LABEL_TABLES` that were made.
        unit: the column that identifies persons; None if every row is a person.
        population: combinations of the population's quasi-identifiers, with the number of persons
            who have them.
        population_count: the column of this number.
        population_classes: one row per published combination of quasi-identifiers that some person
            of the population has: key, population_size.
        profiles: background knowledge, one row per class, profile and value.
        earlier: the rows of another release of the same persons.
        pseudonym: the published column that joins the rows of a person; empty if there is none.
        persons: the published column with the number of persons of a class; empty if there is none.
        person: the column that identifies persons in the source; empty if every row is a person.
        known: the rows of persons, as the attacker may know them; empty if there are none.
        register: if these are the persons of a population, the quasi-identifiers that it has, which
            never change for a person; otherwise empty.
        required: columns without a missing value in any published row.
        readable: how labels are compared with known values: as ranges of places, or as labels of
            levels; empty if rows are published unchanged, in buckets.
        k: the smallest class size that the plan allows.
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
    companions: Sequence[str] = ()
    overlapping: str = ""
    labels: str = ""
    label_tables: frozenset[str] = frozenset()
    unit: str | None = None
    population: str = ""
    population_count: str = ""
    population_classes: str = ""
    profiles: str = ""
    earlier: str = ""
    pseudonym: str = ""
    persons: str = ""
    person: str = ""
    known: str = ""
    register: Sequence[str] = ()
    required: Sequence[str] = ()
    readable: Literal["ranges", "levels", ""] = ""
    k: int = 1

    @property
    def rows_are_whole(self) -> bool:
        """Whether the quasi-identifiers of a row are known to be those of one person."""
        names = {name for name, _ in self.quasi_identifiers}
        return not self.generalized and any(names <= set(group) for group in self.column_groups)

    @property
    def hides_counts(self) -> bool:
        """Whether a person may have several rows, and nothing shows how many persons there are."""
        return bool(self.person) and not (self.pseudonym or self.persons)


@dataclass(frozen=True)
class Outcome:
    """The result of an attack.

    Attributes:
        classes, rows: how many were attacked; rows are persons if the plan has a unit and the table
            shows them or their number.
        classes_at_risk: classes with rows at risk.
        rows_at_risk: rows whose secret the attacker learns, or learns more about than allowed.
        rows_not_safe: rows at risk, and rows for which the attack could not rule it out; this is
            what a threshold is compared with. None if every row was decided.
        certainty: the highest certainty that the attacker reaches, 0 to 1.
        measured: further measures of this attack, by name.
        riskiest: classes with rows at risk, those with the highest certainty first: sizes,
            measures, and, on request, their quasi-identifiers.
        notes: what the numbers do not include, in sentences.
    """

    classes: int
    classes_at_risk: int
    rows: int
    rows_at_risk: int
    certainty: float
    measured: Mapping[str, float | None]
    riskiest: tuple[Mapping[str, Any], ...] = ()
    notes: tuple[str, ...] = ()
    rows_not_safe: int | None = None


PERMUTED = (
    "quasi-identifiers are, or may be, permuted separately, so a row may combine those of"
    " several persons"
)
"""Why rows cannot be identified by their quasi-identifiers."""


class Attack(BaseModel):
    """A way to learn what a publication should hide.

    Attributes:
        source: the paper.
        forms: parameters of the forms that are tried if only the name of the attack is given.
        by_quasi_identifiers: whether classes are those of the published quasi-identifiers even
            if the publication has buckets.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    at_most: Annotated[Number, Field(ge=0, le=1)] | None = Field(
        None,
        description="threshold: the largest share of rows at risk that is accepted, 0 to 1; with"
        " a threshold, an attack that cannot be tried fails",
    )
    source: ClassVar[str]
    forms: ClassVar[tuple[Mapping[str, Any], ...]] = ({},)
    by_quasi_identifiers: ClassVar[bool] = False

    @property
    def on_values(self) -> bool:
        """Whether the attack is on a sensitive attribute; then each one is attacked separately."""
        return True

    @property
    def needs_population(self) -> bool:
        """Whether the attacker needs a table that contains the published persons and others."""
        return False

    @property
    def needs_background(self) -> bool:
        """Whether the attacker needs a table of background knowledge."""
        return False

    @property
    def needs_earlier(self) -> bool:
        """Whether the attacker needs another release of the same persons."""
        return False

    @property
    def needs_unit(self) -> bool:
        """Whether persons must be able to have several rows."""
        return False

    @property
    def needs_value_levels(self) -> bool:
        """Whether the sensitive attribute needs a hierarchy."""
        return False

    @property
    def on_beliefs(self) -> bool:
        """Whether the attack is also defined by p(t, s), for an attribute with companions."""
        return False

    @property
    def measures(self) -> tuple[tuple[str, Literal["min", "max", "sum"]], ...]:
        """Further columns of the template, and how each is aggregated over all classes."""
        return ()

    @property
    def variant(self) -> str:
        """The form of the attack; empty if there is only one."""
        return ""

    @property
    def template(self) -> str:
        """File of the attack's SQL in `sql_templates/`."""
        return f"attacks/{self.name.replace('-', '_')}.sql"

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters without the threshold, also default values; decimals as numbers."""
        return {name: _plain(value) for name, value in self if name not in ("name", "at_most")}

    @property
    def promise(self) -> str:
        """One sentence: what the attacker does, and when the attack succeeds."""
        raise NotImplementedError  # pragma: no cover - every attack states its own

    def title(self, relations: AttackRelations) -> str:
        """Name of the relation that the attempt makes."""
        parts = ("attack_of", self.name.replace("-", "_"), self.variant.replace("-", "_"))
        return "_".join((*filter(None, parts), str(relations.number)))

    def missing(self, relations: AttackRelations) -> str | None:
        """Why the attack cannot be tried with these relations; None if it can."""
        if self.needs_earlier and not relations.earlier:
            return "needs --earlier"
        if self.needs_population and not relations.population:
            return "needs --population"
        if self.needs_background and not relations.profiles:
            return "needs --background"
        if self.needs_value_levels and not relations.value_levels:
            return f"'{relations.attribute}' has no hierarchy in the plan"
        if relations.companions and not self.on_beliefs:
            others = " and ".join(relations.companions)
            return f"its column group also contains {others}, which discloses more"
        return None

    def sql(self, relations: AttackRelations) -> str:
        """The attack's select, one row per class: key, class_size, rows_at_risk, certainty, broken.

        The variables of the template are the fields of `AttackRelations`, the parameters, `title`,
        `promise` and `source`.
        """
        return render(
            self.template,
            **vars(relations),
            **self.model_dump(exclude={"name", "at_most"}),
            title=self.title(relations),
            promise=self.promise,
            source=self.source,
        )

    def attempt(
        self, relations: AttackRelations, *, list_classes: int = 0, with_values: bool = False
    ) -> Search[Outcome | str]:
        """Carry out the attack. Return its outcome, or the reason why it cannot be tried.

        Args:
            relations: the relations to read; `missing` returned None for them.
            list_classes: how many of the riskiest classes to list.
            with_values: whether to list their quasi-identifiers, too; they show who is at risk.
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
    """Summarize the relation of an attack, which has one row per class or per person.

    Args:
        title: the relation, in the working catalog.
        class_key: its columns that identify a class (or a person).
        measures: further columns, and the aggregate of each.
        list_classes, with_values: as in `Attack.attempt`.
        notes: the notes of the outcome.
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
    """A parameter as a JSON value: decimals become numbers."""
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return list(value) if isinstance(value, tuple) else value
