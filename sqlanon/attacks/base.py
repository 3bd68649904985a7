"""The base class of attacks: what an attack needs, its parameters, and its template.

The template reads `classes` (class key, class_size) and, for attacks on a sensitive attribute,
`class_values` (class key, value, value_count). It returns one row per class with the key,
class_size, rows_at_risk, certainty and broken. An attack with more than one select overrides
`attempt`. Attacks read the published rows and the attacker's other tables.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

from pydantic import Field

from sqlanon.boundary.part import Part
from sqlanon.bounds import Number
from sqlanon.sql.render import render
from sqlanon.sql.step import Search, Step

LABEL_TABLES = frozenset({"hierarchy_levels", "label_places", "value_places"})
"""The relations that say what values a published label covers."""


@dataclass(frozen=True)
class AttackRelations:
    """What an attack reads and lists; the name of a relation is empty if there is none.

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
        by_size: whether sizes alone decide which classes there are, and no sensitive value.
        label_tables: those of `LABEL_TABLES` that were made.
        unit: the column that identifies persons; None if every row is a person.
        population: combinations of the population's quasi-identifiers, with the number of persons
            who have them.
        population_count: the column of this number.
        beliefs: how likely each value is for a person in the class, where companions disclose more
            than a class does: one row per class, belief and value, with its share.
        profiles: background knowledge, one row per class, profile and value.
        earlier: the rows of another release of the same persons.
        pseudonym: the published column that joins the rows of a person; empty if there is none.
        persons: the published column with the number of persons of a class; empty if there is none.
        person: the column that identifies persons in the source; empty if every row is a person.
        known: the rows of persons, as the attacker may know them; empty if there are none.
        register: if these are the persons of a population, the quasi-identifiers that it has, which
            never change for a person; otherwise empty.
        required: columns without a missing value in any published row.
        held_out: rows that were kept out of the run, as the control of an attack; empty if there
            are none.
        readable: how labels are compared with known values: as ranges of places, or as labels of
            levels; empty if rows are published unchanged, in buckets.
        k: the smallest class size that the plan allows.
        list_classes: how many of the riskiest classes to list.
        with_values: whether to list their quasi-identifiers, too; they show who is at risk.
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
    by_size: bool = False
    label_tables: frozenset[str] = frozenset()
    unit: str | None = None
    population: str = ""
    population_count: str = ""
    beliefs: str = ""
    profiles: str = ""
    earlier: str = ""
    pseudonym: str = ""
    persons: str = ""
    person: str = ""
    known: str = ""
    register: Sequence[str] = ()
    required: Sequence[str] = ()
    held_out: str = ""
    readable: Literal["ranges", "levels", ""] = ""
    k: int = 1
    list_classes: int = 0
    with_values: bool = False

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


class NotTriedError(Exception):
    """Why an attack cannot be tried, found while it was."""


Need = Literal["earlier", "population", "background", "hierarchy", "unit"]

_NEEDED: Mapping[Need, tuple[str, str]] = {
    "unit": ("person", "the plan has no `unit`: every row is a person of its own"),
    "earlier": ("earlier", "needs --earlier"),
    "population": ("population", "needs --population"),
    "background": ("profiles", "needs --background"),
    "hierarchy": ("value_levels", "'{attribute}' has no hierarchy in the plan"),
}
"""For each need, the field of `AttackRelations` that is then set, and the message if it is not."""

Measures = Mapping[str, Literal["min", "max", "sum"]]
"""Columns of an attack's relation, and how each is aggregated over all classes."""


class Form(NamedTuple):
    """A form of an attack.

    Attributes:
        parameters: those that make the form.
        needs: what the attacker, or the plan, must have besides the published table.
        measures: further columns of the template.
        on_values: whether the attack is on a sensitive attribute; then each is attacked separately.
        others: parameters that only other forms read.
    """

    parameters: Mapping[str, Any] = MappingProxyType({})
    needs: tuple[Need, ...] = ()
    measures: Measures = MappingProxyType({})
    on_values: bool = True
    others: tuple[str, ...] = ()


class Attack(Part):
    """A way to learn what a publication should hide.

    Attributes:
        source: the paper.
        forms: those that are tried if only the name of the attack is given.
        by_quasi_identifiers: whether classes are those of the published quasi-identifiers even
            if the publication has buckets.
    """

    name: str
    at_most: Annotated[Number, Field(ge=0, le=1)] | None = Field(
        None,
        description="threshold: the largest share of rows at risk that is accepted, 0 to 1; with"
        " a threshold, an attack that cannot be tried fails",
    )
    source: ClassVar[str]
    forms: ClassVar[tuple[Form, ...]] = (Form(),)
    by_quasi_identifiers: ClassVar[bool] = False

    @property
    def own_form(self) -> Form:
        """The form of the attack with these parameters."""
        of_all = (each for each in self.forms if each.parameters.items() <= dict(self).items())
        return next(of_all, self.forms[0])

    @property
    def on_beliefs(self) -> bool:
        """Whether the attack is also defined by p(t, s), for an attribute with companions."""
        return False

    @property
    def variant(self) -> str:
        """The form of the attack; empty if there is only one."""
        return ""

    @property
    def template(self) -> str:
        """File of the attack's SQL in `sql_templates/attacks/`, without its suffix."""
        return self.name.replace("-", "_")

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of the form, also default values; decimals as numbers."""
        hidden = ("name", "at_most", *self.own_form.others)
        return {name: _plain(value) for name, value in self if name not in hidden}

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
        for need, (field, message) in _NEEDED.items():
            if need in self.own_form.needs and not getattr(relations, field):
                return message.format(attribute=relations.attribute)
        if relations.companions and not self.on_beliefs:
            others = " and ".join(relations.companions)
            return f"its column group also contains {others}, which discloses more"
        return None

    def sql(self, relations: AttackRelations, **inputs: Any) -> str:
        """The attack's select, one row per class: key, class_size, rows_at_risk, certainty, broken.

        The variables of the template are the fields of `AttackRelations`, the parameters, `title`,
        `promise` and `source`, and the inputs, which go before others of the same name.
        """
        own = {"title": self.title(relations), "promise": self.promise, "source": self.source}
        variables = {**vars(relations), **dict(self), **own, **inputs}
        return render(f"attacks/{self.template}.sql", **variables)

    def attempt(self, relations: AttackRelations) -> Search[Outcome]:
        """Carry out the attack.

        Args:
            relations: the relations to read; `missing` returned None for them.

        Raises:
            NotTriedError: it cannot be tried.
        """
        yield Step(self.title(relations), self.sql(relations))
        return (yield from self.summary(relations))

    def summary(self, relations: AttackRelations) -> Search[Outcome]:
        """Summarize the attack's relation, which has one row per class or per person."""
        title, measures = self.title(relations), self.own_form.measures
        ((classes, at_risk, rows, rows_at_risk, certainty, *measured),) = yield ask(
            "summary", f"{title}_summary", relation=title, measures=measures
        )
        riskiest: tuple[Mapping[str, Any], ...] = ()
        if at_risk and relations.list_classes:
            listed = yield ask(
                "riskiest_classes",
                f"{title}_riskiest",
                relation=title,
                class_key=relations.class_key,
                measures=list(measures),
                most=relations.list_classes,
                with_values=relations.with_values,
            )
            columns = ["class_size", "rows_at_risk", "certainty", *measures]
            columns += relations.class_key if relations.with_values else ()
            riskiest = tuple(dict(zip(columns, row, strict=True)) for row in listed)
        return Outcome(
            classes=classes,
            classes_at_risk=at_risk,
            rows=int(rows),
            rows_at_risk=int(rows_at_risk),
            certainty=certainty,
            measured=dict(zip(measures, measured, strict=True)),
            riskiest=riskiest,
        )


def make(template: str, title: str, **inputs: Any) -> Step:
    """The step that makes a table by a template of attacks."""
    return Step(title, render(f"attacks/{template}.sql", title=title, **inputs))


def ask(template: str, title: str, **inputs: Any) -> Step:
    """The step that asks for the rows of a template of attacks."""
    return Step(title, render(f"attacks/{template}.sql", title=title, **inputs), "rows")


def counted_rows(title: str, relation: str, condition: str = "") -> Search[int]:
    """Ask for the number of rows of a relation, or of those for which a condition holds."""
    ((count,),) = yield ask("count", title, relation=relation, condition=condition)
    return int(count)


def _plain(value: Any) -> Any:
    """A parameter as a JSON value: decimals become numbers."""
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return list(value) if isinstance(value, tuple) else value
