"""The proof: what a publication promises, measured from its own rows and nothing else."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

from sqlanon.errors import PrivacyViolation
from sqlanon.paths import file_to_read
from sqlanon.promises import CountedAttribute, Promises, as_text
from sqlanon.rearranged import Dealt, Rearranged
from sqlanon.render import render, shipped
from sqlanon.sliced import Sliced, text_rows_step
from sqlanon.step import Search, Step, quoted, unused


@dataclass(frozen=True)
class Finding:
    """What verify found about one model.

    Attributes:
        measured: the deciding class measure, such as the smallest class size; None when empty.
        measured_published: the same, with classes compared with the published rows instead of
            all rows of the source; None where a model compares with neither.
        failing_classes, failing_rows: how many break the promise.
        failing: the largest of those classes: their sizes and measures, and, where that is asked
            for, their quasi-identifiers.
    """

    model: str
    parameters: Mapping[str, Any]
    measured: float | int | None
    satisfied: bool
    class_count: int
    failing_classes: int
    failing_rows: int
    measured_published: float | int | None = None
    failing: tuple[Mapping[str, Any], ...] = field(default=(), repr=False)  # may hold cells

    def as_manifest(self) -> dict[str, Any]:
        """The entry of the manifest's `privacy` list."""
        published = plain(self.measured_published)
        return {
            "model": self.model,
            "parameters": dict(self.parameters),
            "attribute": self.parameters.get("attribute"),
            "measured": plain(self.measured),
            **({"measured_published": published} if published is not None else {}),
            "satisfied": self.satisfied,
        }


def plain(measured: float | int | None) -> float | int | str | None:
    """The measure as JSON can hold it."""
    if isinstance(measured, float) and not math.isfinite(measured):
        return "infinity" if measured > 0 else str(measured)
    return measured


def file_relation(path: str) -> str:
    """The SQL that reads a published file: the text in it for CSV, the types in it otherwise."""
    file, layout = file_to_read(path), "hive_partitioning = false"
    if path.lower().endswith(".csv"):
        layout += (
            ", delim = ',', quote = '\"', escape = '\"', comment = '', skip = 0, header = true"
        )
        layout += ", allow_quoted_nulls = false"  # an empty text is not a missing value
        return f"read_csv({file}, {layout}, all_varchar = true)"
    return f"read_parquet({file}, {layout})"


@dataclass(frozen=True)
class TwoTables:
    """A publication whose sensitive values stand apart, with counts per bucket.

    Attributes:
        rows, counts: SQL that reads each table.
        columns: of the first.
        attribute: whose values the second one counts.
    """

    rows: str
    counts: str
    columns: tuple[str, ...]
    attribute: str

    @property
    def count(self) -> str:
        """The second table's column of counts."""
        return unused("row_count", [self.attribute])

    @property
    def relation(self) -> str:
        """SQL that reads both as one: every row with some value of its bucket."""
        sql = render(
            "verify/joined_tables.sql",
            rows=self.rows,
            counts=self.counts,
            columns=list(self.columns),
            attribute=self.attribute,
            count=self.count,
            row_number=unused("row_number", self.columns),
            value_count=unused("value_count", [self.attribute, self.count]),
            last_row=unused("last_row", [self.attribute, self.count]),
        )
        return f"(\n{Step('joined_tables', sql).select}\n)"


@dataclass(frozen=True)
class Publication:
    """What verify looks at: published rows, and what is promised of them.

    `table_values_N` of each counted attribute must exist, made from the source, or, without one,
    from the published table itself; with a population also `population_combinations` and
    `hierarchy_levels`.

    Attributes:
        relation: SQL that reads the published rows.
        quasi_identifiers: the columns that form classes.
        promises: what is promised of them.
        levels: of the hierarchies, at which a population is compared with the rows; of the
            `chosen_node` of a program when None; found from the labels when empty.
        sliced: promises about column groups that are permuted apart; after their `tuples_step`.
        tables: the two tables that the rows are read from, where there are two.
        rearranged: which rows stand behind the buckets, while these are at hand.
        dealt: what dealing promises of its buckets, where rows were dealt.
        located: of a partition: the quasi-identifiers whose labels tell which values of a
            population they stand for, by `value_places` and `label_places`; of others, none.
    """

    relation: str
    quasi_identifiers: Sequence[str]
    promises: Promises
    levels: Mapping[str, int] | None = None
    located: Sequence[str] = ()
    tables: TwoTables | None = None
    sliced: Sequence[Sliced] = ()
    rearranged: Rearranged | None = None
    dealt: Dealt | None = None

    @property
    def renames(self) -> list[tuple[str, str]]:
        """Quasi-identifiers, and their names beside the columns of a model."""
        taken = _words_of_templates()
        names: list[tuple[str, str]] = []
        for number, name in enumerate(self.quasi_identifiers, start=1):
            clashes = name.lower() in taken or _NUMBERED.fullmatch(name.lower())
            alias = unused(f"quasi_identifier_{number}", self.quasi_identifiers)
            names.append((name, alias if clashes else name))
        return names

    @property
    def class_key(self) -> list[str]:
        """The columns of `published_equivalence_classes` that tell classes apart."""
        return [alias for _, alias in self.renames]

    @property
    def population_count(self) -> str:
        """The count in `population_combinations`."""
        return unused("population_count", self.quasi_identifiers)

    @property
    def needs_cover(self) -> bool:
        """Whether everybody of the population must fall into a published class."""
        return any(m.needs_cover and not m.allows_suppression for m in self.promises.models)

    @property
    def sensitive(self) -> list[CountedAttribute]:
        """The attributes that promises look at, but quasi-identifiers."""
        return [a for a in self.promises.attributes() if not a.is_generalized]

    @property
    def carried(self) -> list[tuple[int, str]]:
        """Number and name of attributes whose values promises look at or take as known."""
        numbers: set[int] = set()
        for attribute in self.promises.attributes():
            numbers |= {attribute.number, *(attribute.known if attribute.is_joint else ())}
        return [(number, self.promises.counted[number - 1]) for number in sorted(numbers)]

    def values(self) -> list[_Values]:
        """The relations of class values that the promises read."""
        key = self.class_key
        found = []
        for attribute in self.promises.attributes():
            number = attribute.number
            if attribute.is_each:
                totals = f"published_value_classes_{number}" if self.promises.unit else ""
                found.append(
                    _Values(
                        f"published_class_values_{number}",
                        number,
                        attribute.name,
                        [],
                        totals,
                        key,
                        attribute.is_generalized,
                        False,
                    )
                )
            if attribute.is_joint:
                found.append(
                    _Values(
                        f"published_joint_values_{number}",
                        number,
                        attribute.name,
                        list(attribute.known),
                        f"joint_published_value_classes_{number}",
                        [*key, *(f"value_{other}" for other in attribute.known)],
                        attribute.is_generalized,
                        True,
                    )
                )
        return found

    def proven(self) -> list[tuple[str, str, str]]:
        """Name, select and deciding column of every proof.

        There is one of every promise, and of some another one against the published rows.
        """
        models = self.promises.models
        among = self.judged(table_values="sqlanon.published_table_values")
        proofs = [
            (name, sql, model.decided_by[0])
            for (name, sql), model in zip(self.judged(), models, strict=True)
        ]
        return proofs + [
            (f"{name}_among_published", sql, model.decided_by[0])
            for (name, sql), model in zip(among, models, strict=True)
            if model.compares_with_published
        ]

    def judged(
        self, schema: str = "sqlanon.", table_values: str = "sqlanon.table_values"
    ) -> list[tuple[str, str]]:
        """Name and select of every promise over the published classes."""
        made = self.promises.judgements(
            self.class_key,
            classes=f"{schema}published_equivalence_classes",
            class_values=f"{schema}published_class_values",
            joint_values=f"{schema}published_joint_values",
            value_classes=f"{schema}published_value_classes",
            joint_classes=f"{schema}joint_published_value_classes",
            table_values=table_values,
        )
        return [(judgement.name, judgement.sql) for judgement in made]


class _Values(NamedTuple):
    """A relation of class values: its name, what it counts, and the relation of its classes."""

    title: str
    number: int
    attribute: str
    known: list[int]
    totals: str
    key: list[str]
    is_generalized: bool
    is_joint: bool


@cache
def _words_of_templates() -> frozenset[str]:
    """Every word of the templates: a column of one of these names could be taken for theirs."""
    folder = shipped("sql_templates")
    files = [folder / "_keys.sql", *(folder / "privacy_models").glob("*.sql")]
    files += [*(folder / "verify").glob("*.sql"), *(folder / "attacks").glob("*.sql")]
    texts = (file.read_text(encoding="utf-8").lower() for file in files)
    return frozenset(word for text in texts for word in re.findall(r"\w+", text))


_NUMBERED = re.compile(
    r"(value|text|labels|first|last|place|places|prefix|ranges|located|numbered|rows|matched)(_\d+)+"
)
"""Names that templates make with a number."""


def verify_steps(publication: Publication, *, with_models: bool = True) -> list[Step]:
    """Proofs over a publication: each is a table of violations, and no row means it holds.

    Args:
        publication: the rows and their promises.
        with_models: make the proofs of the models; without them their measures can be asked, but
            not in comparison with the published rows.
    """
    promises, renames = publication.promises, publication.renames
    steps = [
        Step(
            "published_rows",
            render("verify/published_rows.sql", relation=publication.relation),
            "view",
        ),
        Step("proof_of_rows", render("verify/proof_of_rows.sql"), "proof"),
        *_table_proofs(publication),
        *([publication.rearranged.digest_step()] if publication.rearranged else []),
        *([publication.dealt.proof_step()] if publication.dealt else []),
        Step(
            "published_combinations",
            render(
                "verify/published_combinations.sql",
                quasi_identifiers=renames,
                attributes=publication.carried,
                rows="sqlanon.published_rows",
                unit=promises.unit,
            ),
        ),
    ]
    if promises.population:
        steps += _region_steps(publication) if publication.located else _level_steps(publication)
    steps.append(
        Step(
            "published_equivalence_classes",
            render(
                "verify/published_equivalence_classes.sql",
                quasi_identifiers=renames,
                combinations="sqlanon.published_combinations",
                unit=promises.unit,
                population=promises.population,
            ),
        )
    )
    if publication.needs_cover:
        sql = render("verify/proof_of_cover.sql", population_count=publication.population_count)
        steps.append(Step("proof_of_cover", sql, "proof"))
    if promises.unit is not None:
        steps.append(Step("proof_of_persons", render("verify/proof_of_persons.sql"), "proof"))
    for attribute in publication.sensitive:
        sql = render(
            "verify/proof_of_values.sql", number=attribute.number, attribute=attribute.name
        )
        steps.append(Step(f"proof_of_values_{attribute.number}", sql, "proof"))
    steps += _value_steps(publication)
    if publication.sliced and with_models:
        groups = [group for each in publication.sliced for group in each.every_group]
        columns = list(dict.fromkeys(name for group in groups for name in group))
        steps.append(text_rows_step("published_text", "sqlanon.published_rows", columns))
        steps += [each.proof_step("sqlanon.published_text") for each in publication.sliced]
    if not with_models:
        return steps
    steps += _published_value_steps(publication)
    for name, sql, column in publication.proven():
        proof = render(
            "verify/proof.sql",
            name=name,
            classes="sqlanon.published_equivalence_classes",
            class_key=publication.class_key,
            model_sql=sql,
            column=quoted(column),
        )
        steps.append(Step(f"proof_of_{name}", proof, "proof"))
    return steps


def _table_proofs(publication: Publication) -> list[Step]:
    """That the two tables of a publication fit each other, where there are two."""
    tables = publication.tables
    if tables is None:
        return []
    sql = render(
        "verify/proof_of_tables.sql",
        rows=tables.rows,
        counts=tables.counts,
        count=tables.count,
        attribute=tables.attribute,
    )
    return [Step("proof_of_tables", sql, "proof")]


def _level_steps(publication: Publication) -> list[Step]:
    """The population by the published labels, where a column has labels of one level."""
    renames = publication.renames
    return [
        Step(
            "population_labels",
            render(
                "verify/population_labels.sql",
                quasi_identifiers=publication.quasi_identifiers,
                chosen=publication.levels is None,
                levels=list((publication.levels or {}).items()),
            ),
        ),
        Step(
            "proof_of_places",
            render(
                "verify/proof_of_places.sql",
                quasi_identifiers=publication.quasi_identifiers,
            ),
            "proof",
        ),
        Step(
            "population_classes",
            render(
                "verify/population_classes.sql",
                quasi_identifiers=renames,
                population_count=publication.population_count,
            ),
        ),
    ]


def _region_steps(publication: Publication) -> list[Step]:
    """The population by the published regions: each label tells where its region lies."""
    aliases = dict(publication.renames)
    inputs = {
        "quasi_identifiers": [(name, aliases[name]) for name in publication.located],
        "key": publication.renames,
    }
    count = publication.population_count
    return [
        Step(
            "label_ranges",
            render("verify/label_ranges.sql", quasi_identifiers=publication.located),
        ),
        Step(
            "population_regions",
            render("verify/population_regions.sql", population_count=count, **inputs),
        ),
        Step("proof_of_regions", render("verify/proof_of_regions.sql"), "proof"),
        Step("population_classes", render("verify/region_classes.sql", **inputs)),
    ]


def _value_steps(publication: Publication) -> list[Step]:
    """The values of the sensitive attributes, of the publication and of each of its classes."""
    steps = []
    unit = publication.promises.unit
    for values in publication.values():
        inputs = {"title": values.title, "number": values.number, "attribute": values.attribute}
        steps.append(
            Step(
                values.title,
                render(
                    "verify/published_class_values.sql",
                    **inputs,
                    known=values.known,
                    is_generalized=values.is_generalized,
                    quasi_identifiers=publication.renames,
                    combinations="sqlanon.published_combinations",
                    unit=unit,
                ),
            )
        )
        if values.totals:
            sql = render(
                "verify/published_value_classes.sql",
                title=values.totals,
                values_table=values.title,
                class_key=values.key,
            )
            steps.append(Step(values.totals, sql))
    return steps


def _published_value_steps(publication: Publication) -> list[Step]:
    """The values of the publication as a whole, for promises to be compared with."""
    steps = []
    unit = publication.promises.unit
    models = publication.promises.models
    compared = {model.sensitive_attribute for model in models if model.compares_with_table}
    for attribute in publication.sensitive:
        if attribute.name not in compared:
            continue
        number, name = attribute.number, attribute.name
        sql = render("verify/published_table_values.sql", number=number, attribute=name, unit=unit)
        steps.append(Step(f"published_table_values_{number}", sql))
    return steps


def measure_steps(
    publication: Publication, table_values: str = "sqlanon.table_values"
) -> list[Step]:
    """For each model, the question of what the publication measures; after `verify_steps`."""
    judged = publication.judged(table_values=table_values)
    return [
        Step(
            f"measured_{name}",
            render(
                "verify/measured.sql",
                name=f"measured_{name}",
                classes="sqlanon.published_equivalence_classes",
                class_key=publication.class_key,
                model_sql=sql,
                column=quoted(model.decided_by[0]),
                aggregate=model.decided_by[1],
            ),
            "rows",
        )
        for (name, sql), model in zip(judged, publication.promises.models, strict=True)
    ]


def verify(
    publication: Publication,
    *,
    own_reference: bool = False,
    list_failing: int = 0,
    with_values: bool = False,
) -> Search[list[Finding]]:
    """Ask what a publication holds; all findings are returned, also of promises that fail.

    Args:
        publication: the rows and their promises.
        own_reference: whether the table that classes are compared with is the publication itself;
            then there is nothing to compare twice, and the measures alone are asked.
        list_failing: how many failing classes of each promise to list.
        with_values: whether their quasi-identifiers are listed too; they tell who is at risk.

    Raises:
        PrivacyViolation: the publication has no rows, or does not fit the population.
    """
    yield from held(verify_steps(publication, with_models=not own_reference))
    findings = []
    against_table = measure_steps(publication)
    against_published = measure_steps(publication, "sqlanon.published_table_values")
    for number, (model, step, other) in enumerate(
        zip(publication.promises.models, against_table, against_published, strict=True)
    ):
        ((measured, class_count, failing_classes, failing_rows),) = yield step
        for sliced in publication.sliced:
            if sliced.is_of(model):
                measured = yield from sliced.diversity("sqlanon.published_text", measured)
        measured_published = None
        if model.compares_with_table and own_reference:
            measured_published = measured
        elif model.compares_with_table:
            ((measured_published, _, failing, rows),) = yield other
            if model.compares_with_published and failing > failing_classes:
                failing_classes, failing_rows = failing, rows
        failing_list: tuple[Mapping[str, Any], ...] = ()
        if failing_classes and list_failing:
            failing_list = yield from failing_steps(
                publication, number, list_failing, with_values=with_values
            )
        findings.append(
            Finding(
                model=model.model,
                parameters=model.parameters,
                measured=measured,
                measured_published=measured_published,
                satisfied=failing_classes == 0 and measured == measured,  # NaN proves nothing
                class_count=class_count,
                failing_classes=failing_classes,
                failing_rows=int(failing_rows),
                failing=failing_list,
            )
        )
    return findings


def failing_steps(
    publication: Publication, number: int, most: int, *, with_values: bool
) -> Search[tuple[Mapping[str, Any], ...]]:
    """The largest classes that fail a promise: against the table, else among the published."""
    column = publication.promises.models[number].decided_by[0]
    names = ["class_size", column, *(publication.quasi_identifiers if with_values else ())]
    for table_values in ("sqlanon.table_values", "sqlanon.published_table_values"):
        name, sql = publication.judged(table_values=table_values)[number]
        rows = yield Step(
            f"failing_classes_of_{name}",
            render(
                "verify/failing_classes.sql",
                name=f"failing_classes_of_{name}",
                classes="sqlanon.published_equivalence_classes",
                class_key=publication.class_key,
                model_sql=sql,
                column=quoted(column),
                most=most,
                with_values=with_values,
            ),
            "rows",
        )
        if rows:
            break
    return tuple(dict(zip(names, row, strict=True)) for row in rows)


def held(steps: Iterable[Step]) -> Search[None]:
    """The steps, of which no proof may find a violation that no measure of a model would show.

    Raises:
        PrivacyViolation: one does.
    """
    for step in steps:
        violations = yield step
        kind = step.name.rstrip("_0123456789")
        if violations and kind in _FATAL:
            raise violated(kind)


def violated(kind: str) -> PrivacyViolation:
    """The error for a proof that found violations."""
    what, fix = _FATAL[kind]
    return PrivacyViolation(what, where="verify", fix=fix)


_FATAL = {
    "proof_of_tables": (
        "The two tables of the publication do not fit: they tell different numbers of rows of a"
        " bucket, or a value is listed twice or with no rows.",
        "publish both anew; they belong together",
    ),
    "proof_of_rearrangement": (
        "Buckets do not have the parts of the rows that were put into them.",
        "nothing was published; run again, and report this as a bug of sqlanon if it stays so",
    ),
    "proof_of_part": (
        "The published rows are no rearrangement of the source's: values are missing, too many,"
        " changed, or in a bucket where they do not belong.",
        "verify the table with the plan and the source that it was published from; if it is, do"
        " not use it",
    ),
    "matched_parts": (
        "A bucket has parts that rows of the source cannot have made together.",
        "verify the table with the plan and the source that it was published from; if it is, do"
        " not use it",
    ),
    "proof_of_dealing": (
        "The buckets are not as the method deals them: values are spread otherwise.",
        "verify the table with the plan that it was published by; if it is, do not use it",
    ),
    "proof_of_rows": (
        "The published table has no rows; an empty table proves nothing.",
        "raise the suppression limit only as far as something is left to publish",
    ),
    "proof_of_places": (
        "Published labels are of no one level, so the population cannot be divided among classes.",
        "verify with --plan, whose hierarchies tell labels, a table that holds labels of one level",
    ),
    "proof_of_regions": (
        "Published labels cannot be read as regions, or can be read in two ways, so the population"
        " cannot be divided among classes.",
        "verify the table with the plan that it was published by; if it is, rename values that look"
        " like an interval or 'or NULL', and labels that stand on two levels of a hierarchy",
    ),
    "proof_of_persons": (
        "Rows belong to nobody: the column that tells persons apart has missing values.",
        "leave these rows out, or give them persons",
    ),
    "proof_of_values": (
        "A sensitive attribute has published values that the source does not have.",
        "verify the table with the plan and the source that it was published from",
    ),
    "sliced_diversity": (
        "Over all buckets that a row matches, a sensitive value can be told too surely.",
        "leave the sensitive attribute alone in its column group, or ask for a smaller l",
    ),
    "proof_of_cover": (
        "Somebody of the population falls into no published class, and is known to be absent.",
        "generalize more, or ask for a dmin of 0",
    ),
}
"""Violations that no measure of a model would show."""


def violation(findings: Sequence[Finding], where: str) -> PrivacyViolation | None:
    """The error for findings that do not all hold; None when they do."""
    broken = [finding for finding in findings if not finding.satisfied]
    if not broken:
        return None
    told = "; ".join(
        f"{finding.model} {_listed(finding.parameters)}: {finding.failing_classes} of"
        f" {finding.class_count} classes fail ({finding.failing_rows} rows),"
        f" measured {as_text(finding.measured)}"
        for finding in broken
    )
    return PrivacyViolation(
        f"The rows do not hold the promise: {told}.",
        where=where,
        fix="do not publish this table; generalize or suppress more, then verify again",
    )


def _listed(parameters: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in parameters.items())


def final_proofs(publication: Publication) -> list[str]:
    """Queries that end a program: failing classes of the publication at its final place."""
    promises = publication.promises
    proofs = []
    for (name, sql), model in zip(publication.judged(schema=""), promises.models, strict=True):
        attribute = model.sensitive_attribute
        proofs.append(
            render(
                "verify/final_proof.sql",
                name=f"proof_of_{name}",
                class_key=publication.class_key,
                relation=publication.relation,
                rows="published_rows",
                combinations="published_combinations",
                attributes=publication.carried,
                quasi_identifiers=publication.renames,
                unit=promises.unit,
                population=promises.population,
                values_of=[
                    v
                    for v in publication.values()
                    if v.attribute == attribute and v.is_joint == model.is_joint
                ],
                model_sql=sql,
            )
        )
    return proofs
