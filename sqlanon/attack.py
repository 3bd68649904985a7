"""`attack` tries what an outsider would try on a published table, and tells what comes of it.

It reads what an outsider has: the published rows, the plan's columns and hierarchies, and, where
they are given, a population, background knowledge and another release. It never reads the source.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import ValidationError

from sqlanon.attacks import ATTACKS, Attack, Outcome, Relations
from sqlanon.audit import (
    TableReader,
    check_counts,
    check_published_columns,
    own_reference,
    own_solution,
    solved_levels,
    source_of,
    types_of,
    yardsticks,
)
from sqlanon.boundary import guarded
from sqlanon.engines import DuckDBEngine
from sqlanon.engines.base import drive
from sqlanon.errors import EngineError, PlanError, brief, did_you_mean
from sqlanon.methods import LabelingMethod
from sqlanon.plan import Identifier, Plan, values_place
from sqlanon.plan_file import load_plan
from sqlanon.plan_text import Places, plain_content
from sqlanon.privacy_models import of_class_size
from sqlanon.program import publication_of
from sqlanon.render import render
from sqlanon.session import Options, PlanLike, Session
from sqlanon.solution import PartitionSolution
from sqlanon.step import Step
from sqlanon.verify import TwoTables, verify_steps

AttackLike = str | Mapping[str, Any] | Attack
"""An attack: its name, a mapping of name and parameters, or the checked attack."""


@dataclass(frozen=True)
class AttackFinding:
    """What came of one form of an attack, on one attribute.

    Attributes:
        attack, variant: its name, and which form of it; empty where there is one alone.
        attribute: the sensitive attribute that was attacked; None where none was.
        parameters: of the attack, usual values included.
        tried: whether it could be tried; if not, `reason` says why, and there are no numbers.
        classes, rows: how many were attacked; rows are persons where the plan has a unit.
        classes_at_risk, rows_at_risk: how many of them the attack succeeds with.
        share: rows at risk of all rows, 0 to 1.
        certainty: how sure the attacker is at worst, 0 to 1.
        measured: further numbers of this attack, by name.
        riskiest: the classes where the attacker is surest: sizes and measures, and, where that is
            asked for, their quasi-identifiers.
        notes: what the numbers leave out.
    """

    attack: str
    variant: str
    attribute: str | None
    parameters: Mapping[str, Any]
    tried: bool
    reason: str | None = None
    classes: int | None = None
    classes_at_risk: int | None = None
    rows: int | None = None
    rows_at_risk: int | None = None
    share: float | None = None
    certainty: float | None = None
    measured: Mapping[str, Any] | None = None
    riskiest: tuple[Mapping[str, Any], ...] = field(default=(), repr=False)  # may hold cells
    notes: tuple[str, ...] = ()

    @property
    def succeeds(self) -> bool:
        """Whether rows are at risk."""
        return bool(self.rows_at_risk)

    def as_json(self) -> dict[str, Any]:
        """The finding as JSON can hold it."""
        return {**vars(self), "riskiest": [dict(one) for one in self.riskiest]}


@guarded
def attack(
    published: str,
    plan: PlanLike,
    options: Options | None = None,
    *,
    population: str | None = None,
    background: str | None = None,
    earlier: str | None = None,
    attacks: Sequence[AttackLike] = (),
    list_classes: int = 10,
    with_values: bool = False,
) -> list[AttackFinding]:
    """What each attack learns from a published table: a finding per attack, form and attribute.

    Args:
        published: a Parquet, CSV or JSON file, FILE.duckdb::TABLE, or a table of the connection.
        plan: tells quasi-identifiers, sensitive attributes and their hierarchies; all sensitive
            attributes are attacked, whether or not a promise looks at them.
        population: a table that contains the published persons and others; in place of the plan's.
        background: a table of what is known beforehand: the quasi-identifiers as they are
            published, the sensitive attribute, and `weight`; further columns tell profiles apart.
        earlier: another release of the same persons.
        attacks: which to try, by name or with parameters; all when none is given.
        list_classes: how many of the riskiest classes of each finding to list.
        with_values: list their quasi-identifiers too; they tell who is at risk.

    Raises:
        PlanError: an attack is not known or its parameters are wrong; the published table is empty;
            or one of the tables does not exist, lacks a column, or does not fit the published one.
        PrivacyViolation: an identifier stands in the published table.
    """
    options = options or Options()
    tries = wanted(attacks)
    checked = load_plan(plan, options.overrides)
    looked_at = _outside_view(checked, published, population, options)
    session = Session(looked_at, options)
    others = [name for name in (background, earlier) if name is not None]
    if checked.separates_sensitive:
        others += [values_place(name) for name in (published, earlier) if name is not None]
    tables = [source_of(name, checked, options) for name in others]
    with session.engine(*tables, publishes=False) as engine:
        outside = _Outside(engine, session, checked, published, population or "")
        outside.count()
        if background is not None:
            outside.read_background(background)
        if earlier is not None:
            outside.read_earlier(earlier)
        findings: list[AttackFinding] = []
        for attempted in tries:
            for relations, reason in outside.targets(attempted, len(findings)):
                why = reason or attempted.missing(relations)
                outcome: Outcome | str = why or drive(
                    engine,
                    attempted.attempt(
                        relations, list_classes=list_classes, with_values=with_values
                    ),
                )
                findings.append(_finding(attempted, relations, outcome))
        return findings


def wanted(attacks: Sequence[AttackLike]) -> list[Attack]:
    """The attacks that are asked for, each in all its forms; every attack when none is.

    Raises:
        PlanError: there is no attack of a name, or it has no such parameter.
    """
    known = {cls.model_fields["name"].default: cls for cls in ATTACKS}
    found: list[Attack] = []
    for asked in attacks or known:
        if isinstance(asked, Attack):
            found.append(asked)
            continue
        given = plain_content({"name": asked} if isinstance(asked, str) else asked, Places())
        name = given.get("name") if isinstance(given, dict) else None
        if not isinstance(name, str) or name not in known:
            raise PlanError(
                f"There is no attack '{brief(name)}'." if name else "An attack has no name.",
                where="--attack",
                fix=did_you_mean(name, known),
            )
        cls = known[name]
        for form in cls.forms:
            fault: PlanError | None = None
            try:
                found.append(cls.model_validate({**form, **given}))
            except ValidationError as error:
                fault = _fault(cls, error)
            if fault is not None:  # outside of the handler: pydantic's error holds all inputs
                raise fault
    return list(dict.fromkeys(found))


def _fault(cls: type[Attack], error: ValidationError) -> PlanError:
    """The first fault of an attack's parameters."""
    name = cls.model_fields["name"].default
    known = [field for field in cls.model_fields if field != "name"]
    found = error.errors()[0]
    key = str(found["loc"][0]) if found["loc"] else ""
    what = f"{key}: {found['msg']}." if key else f"{found['msg'].removeprefix('Value error, ')}."
    fix = f"`sqlanon explain {name}` tells what is allowed"
    if found["type"] == "extra_forbidden":
        what, fix = f"'{brief(key)}' is no parameter of this attack.", did_you_mean(key, known)
    return PlanError(what, where=f"--attack {name}", fix=fix)


def exit_code(findings: Sequence[AttackFinding], attacks: Sequence[AttackLike]) -> int:
    """0: no row is at risk; 1: an attack succeeds; 2: one that was asked for could not be tried.

    Of an attack that is asked for by name alone, one form at least must have been tried.
    """
    if any(finding.succeeds for finding in findings):
        return 1
    tried = {finding.attack for finding in findings if finding.tried}
    asked = {tries.name for tries in wanted(attacks)} if attacks else set()
    return 0 if tried and asked <= tried else 2


def _outside_view(plan: Plan, published: str, population: str | None, options: Options) -> Plan:
    """The plan as an outsider has it: the published table stands in place of the source."""
    # A key of pseudonyms is not needed, and no identifier is looked at.
    columns = {n: c for n, c in plan.columns.items() if not isinstance(c, Identifier)}
    update: dict[str, Any] = {"source": source_of(published, plan, options), "columns": columns}
    if population is not None:
        update["population"] = source_of(population, plan, options)
    return _counting_all(plan).model_copy(update=update)


def _counting_all(plan: Plan) -> Plan:
    """The plan with promises that have the values of all sensitive attributes counted."""
    about = tuple(model for model in yardsticks(plan, (), ()) if model.sensitive_attribute)
    return plan.model_copy(update={"privacy": about or (of_class_size(2),)})


def _finding(attempted: Attack, relations: Relations, outcome: Outcome | str) -> AttackFinding:
    common: dict[str, Any] = {
        "attack": attempted.name,
        "variant": attempted.variant,
        "attribute": relations.attribute or None,
        "parameters": attempted.parameters,
    }
    if isinstance(outcome, str):
        return AttackFinding(**common, tried=False, reason=outcome)
    share = outcome.rows_at_risk / outcome.rows if outcome.rows else 0.0
    names = {alias: name for name, alias in relations.named_key}
    told = {**vars(outcome), "riskiest": tuple(_named(one, names) for one in outcome.riskiest)}
    return AttackFinding(**common, tried=True, share=share, **told)


def _column_groups(plan: Plan, session: Session) -> Sequence[Sequence[str]]:
    """Columns that stay together; none where only a solution tells that is not beside the plan."""
    if plan.column_groups:
        return plan.column_groups
    solution = own_solution(plan, session)
    return solution.column_groups if isinstance(solution, PartitionSolution) else ()


def _named(one: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """A class with its columns called as they are published, unless a number is called so."""
    told = {}
    for key, value in one.items():
        name = names.get(key, key)
        told[key if name in one else name] = value
    return told


class _Outside:
    """What an outsider has, as relations of an open engine."""

    def __init__(
        self, engine: DuckDBEngine, session: Session, plan: Plan, published: str, population: str
    ) -> None:
        self._engine = engine
        self._reader = TableReader(engine, session.plan)
        self._session = session
        self._plan = session.plan
        self._own_plan = plan
        self._published = published
        self._population = population or plan.where("population")
        self._classes_by_rows = _CLASSES
        self._background_attribute = ""
        self.has_earlier = False
        publication = publication_of(self._plan, _TABLE, _COUNTS)
        of_population = plan.model_copy(update={"population": session.plan.population})
        self._publication = replace(publication, levels=solved_levels(of_population, session))
        names = list(self._plan.quasi_identifiers)
        self._by_rows = publication
        if plan.publishes_buckets:
            self._by_rows = replace(publication, quasi_identifiers=names)
        self._column_groups = _column_groups(plan, session)
        self._rows_are_whole = not plan.labeled_in_buckets and any(
            set(names) <= set(group) for group in self._column_groups
        )

    def count(self) -> None:
        """Count classes and values from the published rows, and the population by them.

        Raises:
            PlanError: a column is missing, the table is empty, its labels cannot be read, or the
                population lacks persons of the table.
            PrivacyViolation: an identifier stands in the table.
        """
        plan, engine = self._plan, self._engine
        self._reader.read("published_table", "the table that is attacked", plan.source)
        self._check_columns()
        self._session.check_population(engine, self._population)
        plan = self._plan = self._session.plan  # now with the types of the population
        drive(engine, own_reference(self._session, plan, self._publication))
        for step in verify_steps(self._publication, with_models=False):
            if engine.execute(step) and step.name in _UNREADABLE:
                what, fix = _UNREADABLE[step.name]
                raise PlanError(what, where=self._published, fix=fix)
        if plan.publishes_buckets and self._rows_are_whole:
            self._classes_by_rows = "sqlanon.linked_classes"
            sql = render(
                "attacks/linked_classes.sql",
                quasi_identifiers=self._by_rows.renames,
                unit=plan.unit,
                population=self._population_relation,
                population_count=self._by_rows.population_count,
            )
            engine.execute(Step("linked_classes", sql))
        if plan.population is not None and self._rows_are_whole:
            self._check_members()

    def read(self, name: str, holds: str, table: str) -> list[str]:
        """Make a view of a further table; the names of its columns.

        Args:
            name: of the view.
            holds: what the table is, for the SQL's reader.
            table: as the published table may be given.

        Raises:
            PlanError: it does not exist or cannot be read.
        """
        source = source_of(table, self._own_plan, self._session.options)
        try:
            self._reader.read(name, holds, source)
            return list(types_of(self._engine, f"sqlanon.{name}"))
        except EngineError as error:
            raise PlanError(
                f"The table cannot be read: {error.what}",
                where=table,
                fix="check the kind of file and the table's name",
            ) from None

    def read_earlier(self, table: str) -> None:
        """Read another release of the same persons: both its tables, where the plan makes two.

        Raises:
            PlanError: one of them does not exist or cannot be read.
        """
        holds, plan = "another release of the same persons", self._own_plan
        self.has_earlier = True
        if not plan.separates_sensitive:
            self.read("earlier_rows", holds, table)
            return
        self.read("earlier_table", holds, table)
        self.read("earlier_counts", "its sensitive values, with counts", values_place(table))
        tables = TwoTables(
            "sqlanon.earlier_table",
            "sqlanon.earlier_counts",
            plan.publication_columns,
            plan.dealt_attribute or "",
        )
        sql = render("verify/published_rows.sql", relation=tables.relation)
        self._engine.execute(Step("earlier_rows", sql, "view"))

    def read_background(self, table: str) -> None:
        """Read what is known beforehand, and the classes that it is about.

        Raises:
            PlanError: a column is missing, a weight is none, or no profile falls into a class.
        """
        columns = self.read("background", "what is known beforehand", table)
        lower = {name.lower(): name for name in columns}
        plan = self._plan
        for name in (*plan.quasi_identifiers, "weight"):
            if name.lower() not in lower:
                raise PlanError(
                    f"The background has no column '{name}'.",
                    where=table,
                    fix="it needs the plan's quasi-identifiers, one sensitive attribute and weight",
                )
        if "weight" in {name.lower() for name in plan.columns}:
            raise PlanError(
                "The plan has a column 'weight', so that the background's own cannot be told.",
                where=table,
                fix="attack a copy of the table in which that column is called otherwise",
            )
        about = [name for name in plan.sensitive_attributes if name.lower() in lower]
        if len(about) != 1:
            raise PlanError(
                f"The background has {len(about)} of the plan's sensitive attributes.",
                where=table,
                fix="give it one of " + ", ".join(plan.sensitive_attributes),
            )
        (attribute,) = about
        used = {name.lower() for name in (*plan.quasi_identifiers, attribute, "weight")}
        names = list(plan.quasi_identifiers)
        sql = render(
            "attacks/background_weights.sql",
            quasi_identifiers=names,
            attribute=attribute,
            others=[name for name in columns if name.lower() not in used],
        )
        self._engine.execute(Step("background_weights", sql))
        sql = render("attacks/background_problems.sql")
        ((rows, wrong, repeated),) = self._engine.execute(Step("background_problems", sql, "rows"))
        for count, what, fix in (
            (not rows, "The background has no rows.", "leave it out, or give it rows"),
            (
                wrong,
                f"{wrong} row(s) of the background have a weight that is no number of 0 or more.",
                "give every row a weight, such as 0, 0.25 or 3",
            ),
            (
                repeated,
                f"{repeated} row(s) of the background say once more how likely a value is for the"
                " same profile.",
                "give each value one row, or tell profiles apart by one more column",
            ),
        ):
            if count:
                raise PlanError(what, where=table, fix=fix)
        if self._rows_are_whole:
            self._make_profiles(attribute, table)

    def _make_profiles(self, attribute: str, table: str) -> None:
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
        self._engine.execute(Step("profiles", sql))
        sql = render("attacks/profile_counts.sql")
        ((known, found),) = self._engine.execute(Step("profile_counts", sql, "rows"))
        if not found:
            raise PlanError(
                f"None of the {known} profile(s) of the background falls into a published class.",
                where=table,
                fix="write quasi-identifiers as the table publishes them, such as 130**",
            )
        self._background_attribute = attribute

    def targets(self, attempted: Attack, before: int) -> Iterator[tuple[Relations, str | None]]:
        """What an attack reads, for each attribute that it is tried on; or why there is nothing.

        Args:
            before: how many attempts there were before.
        """
        plan = self._plan
        attributes = plan.sensitive_attributes if attempted.on_values else ("",)
        publication = self._by_rows if attempted.by_quasi_identifiers else self._publication
        relations = Relations(
            class_key=publication.class_key,
            classes=self._classes_by_rows if attempted.by_quasi_identifiers else _CLASSES,
            named_key=publication.renames,
            rows="sqlanon.published_rows",
            quasi_identifiers=[
                (name, alias)
                for name, alias in self._by_rows.renames
                if name in plan.quasi_identifiers
            ],
            column_groups=self._column_groups,
            generalized=plan.labeled_in_buckets,
            labels=self._label_extent,
            unit=plan.unit,
            population=self._population_relation,
            population_count=self._by_rows.population_count,
            earlier="sqlanon.earlier_rows" if self.has_earlier else "",
        )
        if self._population_relation and not plan.publishes_buckets:
            relations = replace(relations, population_classes="sqlanon.population_classes")
        if not attributes:
            yield relations, "the plan has no sensitive attribute"
        for place, attribute in enumerate(attributes, start=1):
            found = replace(relations, number=before + place)
            if attribute:
                number = plan.counted_columns.index(attribute) + 1
                has_levels = attribute in plan.hierarchies
                is_known = attribute == self._background_attribute
                found = replace(
                    found,
                    attribute=attribute,
                    class_values=f"sqlanon.published_class_values_{number}",
                    table_values=f"sqlanon.table_values_{number}",
                    value_levels=f"sqlanon.value_levels_{number}" if has_levels else "",
                    profiles="sqlanon.profiles" if is_known else "",
                )
            yield found, self._beside(attribute)

    def _beside(self, attribute: str) -> str | None:
        """Why buckets do not tell how a sensitive value is spread, as columns stand beside it."""
        plan = self._plan
        if not attribute or not plan.publishes_buckets or plan.separates_sensitive:
            return None
        if not self._column_groups:
            return "which columns stand beside it the plan's solution would tell, if it were there"
        group = next((group for group in self._column_groups if attribute in group), ())
        others = [name for name in group if name not in plan.sensitive_attributes]
        if not others:
            return None
        return f"{' and '.join(others)} stands beside it, and tells more than a bucket does"

    @property
    def _label_extent(self) -> str:
        """What the plan's method says of its labels."""
        method, population = self._own_plan.method, self._own_plan.population is not None
        if not isinstance(method, LabelingMethod):
            return ""
        return method.label_extent(population=population)

    @property
    def _population_relation(self) -> str:
        return "" if self._plan.population is None else "sqlanon.population_combinations"

    def _check_columns(self) -> None:
        """The published table has the columns of the plan's, and no identifier."""
        plan, engine = _counting_all(self._own_plan), self._engine
        if plan.separates_sensitive:
            held = "the sensitive values of each bucket, with counts"
            self.read(_COUNTS.partition(".")[2], held, values_place(self._published))
            check_counts(engine, self._publication, values_place(self._published))
            without = plan.model_copy(update={"privacy": (of_class_size(2),)})
            check_published_columns(engine, without, _TABLE, self._published)
        check_published_columns(engine, plan, self._publication.relation, self._published)

    def _check_members(self) -> None:
        sql = render("attacks/lacking_classes.sql", classes=self._classes_by_rows)
        ((lacking,),) = self._engine.execute(Step("lacking_classes", sql, "rows"))
        if lacking:
            raise PlanError(
                f"The population lacks members of the published table: {lacking} class(es) have"
                " more rows than the population has persons.",
                where=self._population,
                fix="give a population that contains everybody who is published",
            )


_TABLE = "sqlanon.published_table"

_COUNTS = "sqlanon.published_counts"
"""The second table, of a publication whose sensitive values stand apart."""

_CLASSES = "sqlanon.published_equivalence_classes"

_UNREADABLE = {
    "proof_of_rows": (
        "The published table has no rows; there is nothing to attack.",
        "attack the table that was published",
    ),
    "proof_of_tables": (
        "The two tables of the publication tell different numbers of rows of a bucket.",
        "attack both as they were published together",
    ),
    "proof_of_persons": (
        "Rows belong to nobody: the column that tells persons apart has missing values.",
        "attack the table that was published, or leave `unit` out of the plan",
    ),
    "proof_of_places": (
        "Published labels are of no one level, or the population has nobody with some of them, so"
        " that it cannot be divided among classes.",
        "attack the table with the plan that it was published by, and a population that contains"
        " everybody who is published; or without a population",
    ),
    "proof_of_regions": (
        "Published labels cannot be read as regions, or can be read in two ways, so the population"
        " cannot be divided among classes.",
        "attack the table with the plan that it was published by, or without a population",
    ),
}
"""Violations after which no attack would count what it should."""
