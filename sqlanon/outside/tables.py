"""What an outsider has: published rows, the plan's columns and hierarchies, and other tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sqlanon.attacks.base import LABEL_TABLES, Attack, AttackRelations
from sqlanon.attacks.overlapping import fitting_classes
from sqlanon.errors import EngineError, PlanError
from sqlanon.outside.given import UNREADABLE, Given
from sqlanon.outside.known import (
    of_persons,
    persons_step,
    read_known_rows,
    read_register,
    readable_step,
)
from sqlanon.outside.overlap import bound_pairs
from sqlanon.plan.plan import Plan
from sqlanon.plan.tables import values_place
from sqlanon.privacy_models.k_anonymity import of_class_size
from sqlanon.proof.outside import (
    FindHierarchies,
    OutsideTables,
    check_counts,
    check_published_columns,
    own_reference,
    reference_models,
    types_of,
)
from sqlanon.proof.plan_publication import publication_of
from sqlanon.proof.publication import Publication, TwoTables
from sqlanon.proof.steps import classes_step, verify_steps
from sqlanon.source.columns import check_population
from sqlanon.sql.render import render
from sqlanon.sql.step import Search, Step, changed


def counting_all(plan: Plan) -> Plan:
    """The plan with promises that require the values of all sensitive attributes to be counted."""
    about = tuple(model for model in reference_models(plan, (), ()) if model.sensitive_attribute)
    return plan.model_copy(update={"privacy": about or (of_class_size(2),)})


class Outside:
    """What an outsider has, as relations.

    Args:
        plan: the plan as the outsider has it, with the published table in place of the source.
        own_plan: the plan as it was given.
        given: the tables.
        find_hierarchies: finds the hierarchies of the plan.
    """

    def __init__(
        self, plan: Plan, own_plan: Plan, given: Given, find_hierarchies: FindHierarchies
    ) -> None:
        self._tables = OutsideTables(plan)
        self._register = plan if own_plan.unit is not None and plan.population else None
        if given.only_persons:
            plan = plan.model_copy(update={"population": None})
        self._plan = plan
        self._own_plan = own_plan
        self._given = given
        self._find_hierarchies = find_hierarchies
        self._population = given.population or own_plan.where("population")
        self._classes_by_rows = _CLASSES
        self._background_attribute = self._overlapping = self._known = ""
        self._made: set[str] = set()
        publication = publication_of(plan, _TABLE, _COUNTS)
        self._publication = replace(publication, levels=given.levels)
        names = list(plan.quasi_identifiers)
        self._by_rows = publication
        if own_plan.publishes_buckets:
            self._by_rows = replace(publication, quasi_identifiers=names)
        self._rows_are_whole = not own_plan.labeled_in_buckets and any(
            set(names) <= set(group) for group in given.column_groups
        )

    def prepare(self) -> Search[None]:
        """Read all tables, and count classes and values, and the population by them.

        Raises:
            PlanError: a column is missing, a table cannot be read, the published table is empty or
                its labels cannot be read, or the population lacks persons of it.
            PrivacyViolation: the published table contains an identifier.
        """
        yield from self._count()
        if self._given.background:
            yield from self._read_background(self._given.background)
        if self._given.earlier:
            yield from self._read_earlier(self._given.earlier)

    def _count(self) -> Search[None]:
        plan, published = self._plan, self._given.published
        yield from self._tables.read("published_table", "the table that is attacked", plan.source)
        yield from self._check_columns()
        plan = self._plan = yield from check_population(plan, self._population)
        self._known = yield from read_known_rows(self._tables, self._own_plan, self._given)
        if self._register and plan.population is None:
            self._register = yield from read_register(self._register, self._population)
        names = list((self._register or plan).quasi_identifiers)
        reference = own_reference(
            plan, self._publication, self._find_hierarchies, self._known, names
        )
        yield from changed(reference, self._note)
        if self._register and plan.population is not None:
            yield persons_step(self._register)
        overlaps = False
        for step in verify_steps(self._publication, with_models=False):
            if step.name == "population_regions":
                yield from bound_pairs(self._publication, self._population)
            found = yield step
            if found and step.name == _REGIONS:
                overlaps = True
            elif found and step.name in UNREADABLE:
                what, fix = UNREADABLE[step.name]
                raise PlanError(what, where=published, fix=fix)
        if self._publication.hides_persons:
            yield classes_step(self._publication, _ROW_CLASSES)
        if self._known and plan.population is None:
            yield readable_step(self._publication, self._own_plan, self._given)
        if overlaps:
            relations = self._relations(_CLASSES, self._publication)
            self._overlapping, self._classes_by_rows = yield from fitting_classes(relations)
        if plan.publishes_buckets and self._rows_are_whole:
            self._classes_by_rows = "sqlanon.linked_classes"
            sql = render(
                "attacks/linked_classes.sql",
                quasi_identifiers=self._by_rows.renames,
                unit=self._publication.unit,
                population=self._population_relation,
                population_count=self._by_rows.population_count,
            )
            yield Step("linked_classes", sql)
        counts_persons = not self._relations(_CLASSES, self._publication).hides_counts
        if plan.population is not None and self._rows_are_whole and counts_persons:
            yield from self._check_members()

    def _note(self, step: Step) -> Step:
        self._made.add(step.name)
        return step

    def _read(self, name: str, holds: str, table: str) -> Search[list[str]]:
        """Make a view of a further table, and return the names of its columns.

        Args:
            name: name of the view.
            holds: what the table contains, for readers of the SQL.
            table: the table as the caller wrote it.

        Raises:
            PlanError: it cannot be read.
        """
        try:
            yield from self._tables.read(name, holds, self._given.sources[table])
            types = yield from types_of(f"sqlanon.{name}")
        except EngineError as error:
            raise PlanError(
                f"The table cannot be read: {error.what}",
                where=table,
                fix="check the file format and the name of the table",
            ) from None
        return list(types)

    def _read_earlier(self, table: str) -> Search[None]:
        """Read another release of the same persons, with both tables if the plan makes two.

        Raises:
            PlanError: one of them does not exist or cannot be read.
        """
        holds, plan = "another release of the same persons", self._own_plan
        if not plan.separates_sensitive:
            yield from self._read("earlier_rows", holds, table)
            return
        yield from self._read("earlier_table", holds, table)
        yield from self._read(
            "earlier_counts", "its sensitive values, with counts", values_place(table)
        )
        tables = TwoTables(
            "sqlanon.earlier_table",
            "sqlanon.earlier_counts",
            plan.publication_columns,
            plan.dealt_attribute or "",
        )
        sql = render("proof/published_rows.sql", relation=tables.relation, columns=[])
        yield Step("earlier_rows", sql, "view")

    def _read_background(self, table: str) -> Search[None]:
        """Read the background knowledge, and find the classes that it is about.

        Raises:
            PlanError: a column is missing, a weight is invalid, or no profile falls into a class.
        """
        columns = yield from self._read("background", "what is known beforehand", table)
        lower = {name.lower(): name for name in columns}
        plan = self._plan
        for name in (*plan.quasi_identifiers, "weight"):
            if name.lower() not in lower:
                raise PlanError(
                    f"The background has no column '{name}'.",
                    where=table,
                    fix="give it the plan's quasi-identifiers, one sensitive attribute and weight",
                )
        if "weight" in {name.lower() for name in plan.columns}:
            raise PlanError(
                "The plan has a column 'weight', which clashes with the weights of the background.",
                where=table,
                fix="attack a copy of the table in which this column has another name",
            )
        about = [name for name in plan.sensitive_attributes if name.lower() in lower]
        if len(about) != 1:
            raise PlanError(
                f"The background has {len(about)} of the plan's sensitive attributes, not one.",
                where=table,
                fix="give it exactly one of " + ", ".join(plan.sensitive_attributes),
            )
        (attribute,) = about
        names = list(plan.quasi_identifiers)
        used = {name.lower() for name in (*names, attribute, "weight")}
        sql = render(
            "attacks/background_weights.sql",
            quasi_identifiers=names,
            attribute=attribute,
            others=[name for name in columns if name.lower() not in used],
        )
        yield Step("background_weights", sql)
        sql = render("attacks/background_problems.sql")
        ((rows, wrong, repeated),) = yield Step("background_problems", sql, "rows")
        for count, what, fix in (
            (not rows, "The background has no rows.", "leave it out, or add rows"),
            (
                wrong,
                f"{wrong} row(s) of the background have a weight that is not a number, 0 or more.",
                "give every row a weight, such as 0, 0.25 or 3",
            ),
            (
                repeated,
                f"{repeated} row(s) of the background repeat a value of the same profile.",
                "give each value of a profile one row, or add a column that distinguishes profiles",
            ),
        ):
            if count:
                raise PlanError(what, where=table, fix=fix)
        if self._rows_are_whole:
            yield from self._make_profiles(attribute, table)

    def _make_profiles(self, attribute: str, table: str) -> Search[None]:
        number = self._plan.counted_columns.index(attribute) + 1
        sql = render(
            "attacks/profiles.sql",
            name="profiles",
            attribute=attribute,
            class_columns=self._publication.renames,
            class_key=self._publication.class_key,
            class_values=f"sqlanon.published_class_values_{number}",
            table_values=f"sqlanon.table_values_{number}",
            quasi_identifiers=list(self._plan.quasi_identifiers),
        )
        yield Step("profiles", sql)
        sql = render("attacks/profile_counts.sql")
        ((known, found),) = yield Step("profile_counts", sql, "rows")
        if not found:
            raise PlanError(
                f"None of the {known} profile(s) of the background falls into a published class.",
                where=table,
                fix="write quasi-identifiers as the table publishes them, such as 130**",
            )
        self._background_attribute = attribute

    def targets(
        self, attempted: Attack, before: int
    ) -> Iterator[tuple[AttackRelations, str | None]]:
        """For each attribute to attack, what the attack reads, or why it cannot be tried.

        Args:
            before: number of attempts made before.
        """
        plan = self._plan
        attributes = plan.sensitive_attributes if attempted.on_values else ("",)
        by_rows = attempted.by_quasi_identifiers
        publication = self._by_rows if by_rows else self._publication
        relations = self._relations(self._classes_by_rows if by_rows else _CLASSES, publication)
        if not attributes:
            yield relations, "the plan has no sensitive attribute"
        for place, attribute in enumerate(attributes, start=1):
            found = replace(relations, number=before + place)
            if attribute:
                number = plan.counted_columns.index(attribute) + 1
                has_levels = attribute in plan.hierarchies
                found = replace(
                    found,
                    attribute=attribute,
                    classes=self._value_classes(found.classes),
                    class_values=f"sqlanon.published_class_values_{number}",
                    table_values=f"sqlanon.table_values_{number}",
                    value_levels=f"sqlanon.value_levels_{number}" if has_levels else "",
                    profiles="sqlanon.profiles" if attribute == self._background_attribute else "",
                    companions=(companions := self._companions(attribute)),
                    named_key=[
                        *relations.named_key,
                        *((name, f"companion_{n}") for n, name in enumerate(companions, start=1)),
                    ],
                )
            is_hidden = plan.publishes_buckets and not plan.separates_sensitive
            if attribute and is_hidden and not self._given.column_groups:
                yield found, "only the plan's solution, which is missing, shows its column group"
            else:
                yield found, None

    def _relations(self, classes: str, publication: Publication) -> AttackRelations:
        """What all attacks read."""
        plan = self._plan
        has_classes = self._population_relation and not plan.publishes_buckets
        return AttackRelations(
            class_key=publication.class_key,
            classes=classes,
            named_key=publication.renames,
            rows="sqlanon.published_rows",
            quasi_identifiers=[
                (name, alias)
                for name, alias in self._by_rows.renames
                if name in plan.quasi_identifiers
            ],
            column_groups=self._given.column_groups,
            generalized=plan.labeled_in_buckets,
            overlapping=self._overlapping,
            labels=self._label_extent,
            label_tables=LABEL_TABLES & self._made,
            unit=self._publication.unit,
            population=self._population_relation,
            population_count=self._by_rows.population_count,
            population_classes="sqlanon.population_classes" if has_classes else "",
            earlier="sqlanon.earlier_rows" if self._given.earlier else "",
            **of_persons(plan, self._own_plan, self._known, self._register),
        )

    def _value_classes(self, classes: str) -> str:
        """The classes with the size that their values are counted against.

        Without a key of persons, a reader has rows, and does not know which are of one person.
        """
        return f"sqlanon.{_ROW_CLASSES}" if self._publication.hides_persons else classes

    def _companions(self, attribute: str) -> list[str]:
        """The quasi-identifiers that stay together with a sensitive attribute in buckets."""
        plan = self._plan
        if not plan.publishes_buckets or plan.separates_sensitive:
            return []
        group = next((group for group in self._given.column_groups if attribute in group), ())
        return [name for name in group if name in plan.quasi_identifiers]

    @property
    def _label_extent(self) -> str:
        """The extent of the labels of the plan's method."""
        population = self._own_plan.population is not None
        return self._own_plan.method.label_extent(population=population) or ""

    @property
    def _population_relation(self) -> str:
        return "" if self._plan.population is None else "sqlanon.population_combinations"

    def _check_columns(self) -> Search[None]:
        """Check that the published table has the columns of the plan, and no identifier."""
        plan, published = counting_all(self._own_plan), self._given.published
        if plan.separates_sensitive:
            held = "the sensitive values of each bucket, with counts"
            yield from self._read(_COUNTS.partition(".")[2], held, values_place(published))
            yield from check_counts(self._publication, values_place(published))
            without = plan.model_copy(update={"privacy": (of_class_size(2),)})
            yield from check_published_columns(without, _TABLE, published)
        yield from check_published_columns(plan, self._publication.relation, published)

    def _check_members(self) -> Search[None]:
        sql = render("attacks/lacking_classes.sql", classes=self._classes_by_rows)
        ((lacking,),) = yield Step("lacking_classes", sql, "rows")
        if lacking:
            unread = ", or their labels cannot be read" if self._overlapping else ""
            raise PlanError(
                f"The population lacks members of the published table: {lacking} class(es) have"
                f" more rows than the population has persons{unread}.",
                where=self._population,
                fix="give a population that contains everyone in the published table",
            )


_TABLE = "sqlanon.published_table"

_COUNTS = "sqlanon.published_counts"
"""The second table of a publication whose sensitive values are in a separate table."""

_CLASSES = "sqlanon.published_equivalence_classes"

_ROW_CLASSES = "published_row_classes"
"""The same, with the number of rows where that of persons is published."""

_REGIONS = "proof_of_regions"
"""The proof that nobody fits two classes; where it fails, labels overlap."""
