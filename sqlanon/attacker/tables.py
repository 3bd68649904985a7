"""An attacker's tables: published rows, the plan's columns and hierarchies, and other tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from sqlanon.attacks.base import LABEL_TABLES, Attack, AttackRelations, ask, counted_rows, make
from sqlanon.attacks.overlapping import fitting_classes
from sqlanon.errors import PlanError, did_you_mean
from sqlanon.plan.plan import Plan
from sqlanon.plan.tables import Source, values_place
from sqlanon.privacy_models.k_anonymity import of_class_size
from sqlanon.proof.external_tables import (
    ExternalTables,
    FindHierarchies,
    check_counts,
    check_published_columns,
    own_reference,
    types_of,
)
from sqlanon.proof.profile import reference_models
from sqlanon.proof.publication import Publication, TwoTables, publication_of
from sqlanon.proof.steps import classes_step, regions_step, verify_steps
from sqlanon.source.checks import proven_steps
from sqlanon.source.columns import check_population
from sqlanon.source.tables import (
    population_count_name,
    population_steps,
    required_columns,
    unit_alias,
)
from sqlanon.sql.render import render, templated
from sqlanon.sql.step import Search, Step, changed

MOST_PAIRS = 5_000_000
"""Pairs of a person and a class that are listed where labels overlap; more take minutes."""

DRAWN_PERSONS = 500
"""Persons from whom the number of pairs is estimated."""


@dataclass(frozen=True)
class AttackerInput:
    """The tables that an attacker is given, and what the plan's solution says of them.

    Attributes:
        published: the published table, as the caller wrote it.
        sources: how to read the tables, by their names as the caller wrote them.
        nodes: the lattice nodes that the plan's solution publishes, if known.
        column_groups: columns that stay together; empty if only the plan's solution could show
            them, and it is missing.
        population, background, earlier: further tables; empty if there are none.
        only_persons: whether only attacks on persons with several rows have the population, because
            no other is asked for or histories are linked; then it may lack quasi-identifiers, which
            change, and is not divided among classes.
        hold_out: rows of the source that were kept out of the run; empty if there are none.
        source: the plan's source, if the quasi-identifiers of its rows are known; otherwise None.
        list_classes: how many of the riskiest classes to list for each finding.
        with_values: whether to list their quasi-identifiers, too; they show who is at risk.
    """

    published: str
    sources: Mapping[str, Source]
    nodes: Sequence[Mapping[str, int]]
    column_groups: Sequence[Sequence[str]]
    population: str = ""
    background: str = ""
    earlier: str = ""
    hold_out: str = ""
    only_persons: bool = False
    source: Source | None = None
    list_classes: int = 0
    with_values: bool = False


def counting_all(plan: Plan) -> Plan:
    """The plan with promises that require the values of all sensitive attributes to be counted."""
    about = tuple(model for model in reference_models(plan, (), ()) if model.sensitive_attribute)
    return plan.model_copy(update={"privacy": about or (of_class_size(2),)})


class AttackerTables:
    """The attacker's tables as relations.

    Args:
        plan: the plan as the attacker has it, with the published table in place of the source.
        own_plan: the plan as it was given.
        attacker_input: the tables.
        find_hierarchies: finds the hierarchies of the plan.
    """

    def __init__(
        self,
        plan: Plan,
        own_plan: Plan,
        attacker_input: AttackerInput,
        find_hierarchies: FindHierarchies,
    ) -> None:
        self._tables = ExternalTables(plan)
        self._register = plan if own_plan.unit is not None and plan.population else None
        if attacker_input.only_persons:
            plan = plan.model_copy(update={"population": None})
        self._plan = plan
        self._own_plan = own_plan
        self._input = attacker_input
        self._find_hierarchies = find_hierarchies
        self._population = attacker_input.population or own_plan.where("population")
        self._classes_by_rows = _CLASSES
        self._background_attribute = self._overlapping = self._known = self._held_out = ""
        self._made: set[str] = set()
        publication = publication_of(plan, _TABLE, _COUNTS)
        # Of another population it is unknown who waits: there labels must be of one level.
        is_other = bool(attacker_input.population) and len(attacker_input.nodes) > 1
        self._nodes = () if is_other else attacker_input.nodes
        self._publication = replace(
            publication, nodes=self._nodes, placed_from=own_plan.placed_from, sets=True
        )
        names = list(plan.quasi_identifiers)
        self._by_rows = publication
        if own_plan.form.bucket:
            self._by_rows = replace(publication, quasi_identifiers=names)
        self._rows_are_whole = not own_plan.labeled_in_buckets and any(
            set(names) <= set(group) for group in attacker_input.column_groups
        )

    def prepare(self) -> Search[None]:
        """Read all tables, and count classes and values, and the population by them.

        Raises:
            PlanError: a column is missing, a table cannot be read, the published table is empty or
                its labels cannot be read, or the population lacks persons of it.
            PrivacyViolation: the published table contains an identifier.
        """
        yield from self._count()
        if self._input.background:
            yield from self._read_background(self._input.background)
        if self._input.earlier:
            yield from self._read_earlier(self._input.earlier)

    def _count(self) -> Search[None]:
        plan, published = self._plan, self._input.published
        holds = "the table that is attacked"
        yield from self._tables.read("published_table", holds, plan.source, published)
        yield from self._check_columns()
        plan = self._plan = yield from check_population(plan, self._population)
        self._known = yield from self._read_known_rows()
        if self._register and plan.population is None:
            self._register = yield from self._read_register(self._register)
        names = list((self._register or plan).quasi_identifiers)
        if self._input.hold_out:
            yield from self._read_held_out(self._input.hold_out)
        known = [*filter(None, ["" if plan.population else self._known, self._held_out])]
        reference = own_reference(plan, self._publication, self._find_hierarchies, known, names)
        yield from changed(reference, self._note)
        if self._register and plan.population is not None:
            yield _persons_step(self._register)
        overlaps = False
        for step in verify_steps(self._publication, with_models=False):
            if step.name == "population_regions":
                yield from self._check_pairs()
            found = yield step
            if found and step.name == _REGIONS:
                overlaps = True
            elif found and step.name in _UNREADABLE:
                what, fix = _UNREADABLE[step.name]
                raise PlanError(what, where=published, fix=fix)
        if self._publication.hides_persons:
            yield classes_step(self._publication, _ROW_CLASSES)
        if self._known and plan.population is None:
            yield self._readable_step()
        if overlaps:
            relations = self._relations(_CLASSES, self._publication)
            self._overlapping, self._classes_by_rows = yield from fitting_classes(relations)
        if plan.form.bucket and self._rows_are_whole:
            self._classes_by_rows = "sqlanon.linked_classes"
            yield make(
                "linked_classes",
                "linked_classes",
                quasi_identifiers=self._by_rows.renames,
                unit=self._publication.unit,
                population=self._population_relation,
                population_count=self._by_rows.population_count,
            )
        counts_persons = not self._relations(_CLASSES, self._publication).hides_counts
        if plan.population is not None and self._rows_are_whole and counts_persons:
            yield from self._check_members()

    def _note(self, step: Step) -> Step:
        self._made.add(step.name)
        return step

    def _read_known_rows(self) -> Search[str]:
        """The relation of known rows: of the source, or persons of a population; or empty.

        Raises:
            PlanError: the rows of the source cannot be compared with the published rows.
        """
        plan, source = self._own_plan, self._input.source
        where = plan.where("source")
        has_population = plan.population is not None or self._input.population
        if source is None:
            return "sqlanon.known_persons" if has_population and plan.unit is not None else ""
        if has_population:
            raise PlanError(
                "A population and the rows of the source are not known together.",
                where=where,
                fix="attack once with the population, and once with the source",
            )
        if source.query:
            raise PlanError(
                "The source is a query, whose rows are not read again.",
                where=where,
                fix="write its rows to a file, and name the file in a plan for the attack",
            )
        holds = "the source, of which rows are known"
        yield from self._tables.read("known_rows", holds, source, where)
        return "sqlanon.known_rows"

    def _read_held_out(self, table: str) -> Search[None]:
        """Read the rows that were kept out of the run, which have the columns of the source.

        Raises:
            PlanError: a column is missing, or they cannot be compared with the published rows.
        """
        plan = self._plan
        if plan.unit is not None:
            raise PlanError(
                "Rows that were kept out are not compared with `unit`.",
                where=table,
                fix="leave out --hold-out (hold_out), or attack without `unit`",
            )
        columns = yield from self._read("held_out_rows", "rows that were kept out", table)
        lower = {name.lower() for name in columns}
        for name in (*plan.quasi_identifiers, *plan.sensitive_attributes):
            if name.lower() not in lower:
                raise PlanError(
                    f"The rows that were kept out have no column '{name}'.",
                    where=table,
                    fix=did_you_mean(name, columns)
                    or "give rows as the source of the plan has them",
                )
        self._held_out = "sqlanon.held_out_rows"

    def _read_register(self, plan: Plan) -> Search[Plan]:
        """Make the view of the population's persons; the plan with the columns that it has.

        Raises:
            PlanError: the population has no quasi-identifier, or cannot be read.
        """
        plan = yield from check_population(plan, self._population, partly=True)
        columns = {name: plan.columns[name] for name in plan.types["population"]}
        plan = plan.model_copy(update={"columns": columns})
        yield from proven_steps(plan, [*population_steps(plan), _persons_step(plan)])
        return plan

    def _readable_step(self) -> Step:
        """The step that says which values of the source each label covers."""
        names = list(self._own_plan.quasi_identifiers)
        if self._publication.located:
            inputs = {"quasi_identifiers": names, "sets": True}
            return templated("proof/label_ranges", **inputs)
        levels = [level for node in self._nodes for level in node.items()]
        inputs = {"quasi_identifiers": names, "levels": levels}
        return templated("proof/population_labels", chosen=False, **inputs)

    def _check_pairs(self) -> Search[None]:
        """Check on some persons that labels do not overlap too much to locate all of them.

        Raises:
            PlanError: there would be too many pairs of a person and a class.
        """
        population = "sqlanon.population_combinations"
        names = list(self._publication.located)
        inputs = {"population": population, "quasi_identifiers": names, "most": DRAWN_PERSONS}
        yield make("drawn_persons", "drawn_persons", **inputs)
        yield regions_step(self._publication, "drawn_regions", "drawn_persons")
        ((persons, pairs),) = yield ask("fitting_pairs", "fitting_pairs", population=population)
        if pairs > max(MOST_PAIRS, persons):  # without overlaps, nobody fits two classes
            raise PlanError(
                "Attacks with this population were not tried: labels overlap, and there are about"
                f" {pairs:,} pairs of a person and a class that the person fits, more than"
                f" {MOST_PAIRS:,}.",
                where=self._population,
                fix="leave the population out to try the other attacks; of what these would find,"
                " nothing is known to be safe",
            )

    def _read(self, name: str, holds: str, table: str) -> Search[list[str]]:
        """Make a view of a further table, and return the names of its columns.

        Args:
            name: name of the view.
            holds: what the table contains, for readers of the SQL.
            table: the table as the caller wrote it.

        Raises:
            PlanError: it cannot be read.
        """
        yield from self._tables.read(name, holds, self._input.sources[table], table)
        return list((yield from types_of(f"sqlanon.{name}")))

    def _read_earlier(self, table: str) -> Search[None]:
        """Read another release of the same persons, with both tables if the plan makes two."""
        holds, plan = "another release of the same persons", self._own_plan
        if not plan.form.apart:
            yield from self._read("earlier_rows", holds, table)
            return
        counts = "its sensitive values, with counts"
        yield from self._read("earlier_table", holds, table)
        yield from self._read("earlier_counts", counts, values_place(table))
        tables = TwoTables(
            "sqlanon.earlier_table",
            "sqlanon.earlier_counts",
            plan.form.columns,
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
        lower = {name.lower() for name in columns}
        plan = self._plan
        names = list(plan.quasi_identifiers)
        for name in (*names, "weight"):
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
        used = {name.lower() for name in (*names, attribute, "weight")}
        yield make(
            "background_weights",
            "background_weights",
            quasi_identifiers=names,
            attribute=attribute,
            others=[name for name in columns if name.lower() not in used],
        )
        ((rows, wrong, repeated),) = yield ask("background_problems", "background_problems")
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
        if not self._rows_are_whole:
            return
        named = plan.promises.columns[attribute].named
        yield make(
            "profiles",
            "profiles",
            attribute=attribute,
            class_columns=self._publication.renames,
            class_key=self._publication.class_key,
            class_values=f"sqlanon.{named('published_class_values')}",
            table_values=f"sqlanon.{named('table_values')}",
            quasi_identifiers=names,
        )
        ((known, is_found),) = yield ask("profile_counts", "profile_counts")
        if not is_found:
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
        attributes = plan.sensitive_attributes if attempted.own_form.on_values else ("",)
        by_rows = attempted.by_quasi_identifiers
        publication = self._by_rows if by_rows else self._publication
        relations = self._relations(self._classes_by_rows if by_rows else _CLASSES, publication)
        if not attributes:
            yield relations, "the plan has no sensitive attribute"
        for place, attribute in enumerate(attributes, start=1):
            found = replace(relations, number=before + place)
            if attribute:
                named = plan.promises.columns[attribute].named
                has_levels = attribute in plan.hierarchies
                found = replace(
                    found,
                    attribute=attribute,
                    classes=self._value_classes(found.classes),
                    class_values=f"sqlanon.{named('published_class_values')}",
                    table_values=f"sqlanon.{named('table_values')}",
                    value_levels=f"sqlanon.{named('value_levels')}" if has_levels else "",
                    profiles="sqlanon.profiles" if attribute == self._background_attribute else "",
                    companions=(companions := self._companions(attribute)),
                    named_key=[
                        *relations.named_key,
                        *((name, f"companion_{n}") for n, name in enumerate(companions, start=1)),
                    ],
                )
            is_hidden = plan.form.bucket and not plan.form.apart
            if attribute and is_hidden and not self._input.column_groups:
                yield found, "only the plan's solution, which is missing, shows its column group"
            else:
                yield found, None

    def _relations(self, classes: str, publication: Publication) -> AttackRelations:
        """What all attacks read."""
        plan, own_plan = self._plan, self._own_plan
        method = own_plan.method
        labels = method.label_extent(population=own_plan.population is not None)
        register = self._register
        readable: Literal["ranges", "levels"] = "levels" if own_plan.form.leveled else "ranges"
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
            column_groups=self._input.column_groups,
            generalized=plan.labeled_in_buckets,
            overlapping=self._overlapping,
            labels=labels or "",
            by_size=method.makes_passes or not method.is_cut_by_promises,
            label_tables=LABEL_TABLES & self._made,
            unit=self._publication.unit,
            population=self._population_relation,
            population_count=self._by_rows.population_count,
            earlier="sqlanon.earlier_rows" if self._input.earlier else "",
            pseudonym="" if plan.hides_persons else plan.person or "",
            persons=plan.persons_column or "",
            person=(plan.person if register is None else unit_alias(register)) or "",
            known=self._known,
            register=[] if register is None else list(register.quasi_identifiers),
            required=required_columns(own_plan),
            held_out=self._held_out,
            readable="" if own_plan.form.bucket else readable,
            k=own_plan.k,
            list_classes=self._input.list_classes,
            with_values=self._input.with_values,
        )

    def _value_classes(self, classes: str) -> str:
        """The classes with the size that their values are counted against.

        Without a key of persons, a reader has rows, and does not know which are of one person.
        """
        return f"sqlanon.{_ROW_CLASSES}" if self._publication.hides_persons else classes

    def _companions(self, attribute: str) -> list[str]:
        """The quasi-identifiers that stay together with a sensitive attribute in buckets."""
        plan = self._plan
        if not plan.form.bucket or plan.form.apart:
            return []
        group = next((group for group in self._input.column_groups if attribute in group), ())
        return [name for name in group if name in plan.quasi_identifiers]

    @property
    def _population_relation(self) -> str:
        return "" if self._plan.population is None else "sqlanon.population_combinations"

    def _check_columns(self) -> Search[None]:
        """Check that the published table has the columns of the plan, and no identifier."""
        plan, published = counting_all(self._own_plan), self._input.published
        if plan.form.apart:
            held = "the sensitive values of each bucket, with counts"
            yield from self._read(_COUNTS.partition(".")[2], held, values_place(published))
            yield from check_counts(self._publication, values_place(published))
        yield from check_published_columns(plan, _TABLE, published)

    def _check_members(self) -> Search[None]:
        lacking = yield from counted_rows(
            "lacking_classes", self._classes_by_rows, "population_size < class_size"
        )
        if lacking:
            unread = ", or their labels cannot be read" if self._overlapping else ""
            raise PlanError(
                f"The population lacks members of the published table: {lacking} class(es) have"
                f" more rows than the population has persons{unread}.",
                where=self._population,
                fix="give a population that contains everyone in the published table",
            )


def _persons_step(plan: Plan) -> Step:
    """The view of the persons of a population, by the quasi-identifiers that it has."""
    return templated(
        "attacks/known_persons",
        "view",
        quasi_identifiers=list(plan.quasi_identifiers),
        population_count=population_count_name(plan),
        person=unit_alias(plan),
    )


_TABLE = "sqlanon.published_table"

_COUNTS = "sqlanon.published_counts"
"""The second table of a publication whose sensitive values are in a separate table."""

_CLASSES = "sqlanon.published_equivalence_classes"

_ROW_CLASSES = "published_row_classes"
"""The same, with the number of rows where that of persons is published."""

_REGIONS = "proof_of_regions"
"""The proof that nobody fits two classes; where it fails, labels overlap."""

_UNREADABLE = {
    "proof_of_rows": (
        "The published table has no rows, so there is nothing to attack.",
        "attack the table that was published",
    ),
    "proof_of_tables": (
        "The two tables of the publication have different numbers of rows for a bucket.",
        "attack both tables as they were published together",
    ),
    "proof_of_persons": (
        "The persons of classes cannot be counted: rows have no person, or a class does not have"
        " one number of persons in all its rows.",
        "attack the table that was published, or leave `unit` out of the plan",
    ),
    "proof_of_places": (
        "The published labels are not of one level, or no person of the population has some of"
        " them, so the population cannot be divided among classes.",
        "attack the table with the plan that published it, and a population that contains everyone"
        " in the table, of passes the plan's own; or without a population",
    ),
}
"""Violations after which the results of attacks would be wrong."""
