"""What a proof reads: the published rows of a plan, their classes, and their promises."""

from __future__ import annotations

import re
import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from sqlanon.plan.column_types import is_formula
from sqlanon.plan.draft import BUCKET
from sqlanon.plan.plan import Plan
from sqlanon.plan.tables import values_place
from sqlanon.privacy_models.promises import CountedColumn, ModelCheck, Promises
from sqlanon.proof.rearrangement import dealing_proofs, rearranged_of
from sqlanon.search.scales import CutAttribute
from sqlanon.search.slicing import SlicedPromise, sliced_promises
from sqlanon.source.tables import person_alias
from sqlanon.sql.paths import file_to_read
from sqlanon.sql.render import render, shipped, templated
from sqlanon.sql.step import Step, quoted, unused


def file_relation(path: str) -> str:
    """The SQL that reads a published file: all columns as text for CSV, else with their types."""
    file, layout = file_to_read(path), "hive_partitioning = false"
    if path.lower().endswith(".csv"):
        layout += (
            ", delim = ',', quote = '\"', escape = '\"', comment = '', skip = 0, header = true"
        )
        layout += ", allow_quoted_nulls = false"  # an empty text is not a missing value
        return f"read_csv({file}, {layout}, all_varchar = true)"
    return f"read_parquet({file}, {layout})"


def renamed(
    columns: Sequence[str],
    word: str = "quasi_identifier",
    folders: Sequence[str] = ("privacy_models", "proof", "attacks", "risks"),
) -> list[tuple[str, str]]:
    """Columns, and names for them that do not clash with those of templates.

    Args:
        word: begins the other name of a column that clashes.
        folders: those of the templates.
    """
    words, numbered = _template_names(tuple(folders))
    names: list[tuple[str, str]] = []
    for number, name in enumerate(columns, start=1):
        clashes = name.lower() in words or numbered.fullmatch(name.lower())
        names.append((name, unused(f"{word}_{number}", columns) if clashes else name))
    return names


def class_aliases(plan: Plan) -> dict[str, str]:
    """The columns that distinguish published classes, and their names within queries."""
    return dict(renamed(plan.form.class_key))


def row_aliases(plan: Plan) -> list[tuple[str, str]]:
    """The columns of a release, and their names within its queries."""
    return renamed(plan.staged_columns, "column", ("privacy_models", "release"))


@dataclass(frozen=True)
class TwoTables:
    """A publication whose sensitive values are in a separate table, with counts per bucket.

    Attributes:
        rows, counts: SQL that reads each table.
        columns: columns of the first table.
        attribute: the attribute whose values the second table counts.
    """

    rows: str
    counts: str
    columns: tuple[str, ...]
    attribute: str

    @property
    def count(self) -> str:
        """The column of counts in the second table."""
        return unused("row_count", [self.attribute])

    @property
    def relation(self) -> str:
        """SQL that reads both tables as one: every row with some value of its bucket."""
        sql = render(
            "proof/joined_tables.sql",
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
class HiddenPersons:
    """The persons of a publication that has no key of them.

    Attributes:
        rows: the relation of the published rows with the persons, while a run has it; else empty.
        columns: the published columns, without the number of persons.
        count: the published column with the number of persons of the class; empty without one.
        is_text: whether the published values are text.
    """

    rows: str
    columns: tuple[str, ...]
    count: str
    is_text: bool


@dataclass(frozen=True)
class Publication:
    """Published rows, and what must be proven of them.

    `table_values_N` of each counted attribute must exist, made from the source, or from the
    published table if there is no source; with a population, also `population_combinations` and
    `hierarchy_levels`.

    Attributes:
        relation: SQL that reads the published rows.
        quasi_identifiers: the columns that form classes.
        promises: the promises about the rows.
        nodes: levels of the hierarchies at which a population is compared with the rows, of several
            passes in their order; if None, those of the `chosen_node` of a program; if empty, found
            from the labels.
        placed_from: rows of the population that a class of a pass has at least.
        located: for a partition, the quasi-identifiers whose labels are located in the population
            by `value_places` and `label_places`; otherwise empty.
        sets: whether labels may be sets: the plan of a run with a population has none.
        tables: the two tables from which the rows are read, if there are two.
        sliced: promises about column groups that are permuted separately; after `tuples_step`.
        persons: of a publication without a key of the persons whom its promises count.
        most_rows: the most rows that a person may have, if linked histories are cut to it.
        row_proofs: what else is proven of the rows, whatever they promise.
    """

    relation: str
    quasi_identifiers: Sequence[str]
    promises: Promises
    nodes: Sequence[Mapping[str, int]] | None = None
    placed_from: int = 1
    located: Sequence[str] = ()
    sets: bool = False
    tables: TwoTables | None = None
    sliced: Sequence[SlicedPromise] = ()
    persons: HiddenPersons | None = None
    most_rows: int | None = None
    row_proofs: Sequence[Step] = ()

    @property
    def hides_persons(self) -> bool:
        """Whether persons are counted of whom only the number in each class is known."""
        return self.persons is not None and not self.persons.rows

    @property
    def unit(self) -> str | None:
        """The column of persons in the rows that are counted; None if rows are counted."""
        return None if self.hides_persons else self.promises.unit

    @property
    def counted_rows(self) -> str:
        """The rows on which promises are judged: published ones, or these with their persons."""
        known = self.persons is not None and self.persons.rows
        return known or "sqlanon.published_rows"

    @property
    def shown_count(self) -> str:
        """The column with the number of persons of a class, if only it shows them; else empty."""
        return self.persons.count if self.persons is not None and self.hides_persons else ""

    @property
    def renames(self) -> list[tuple[str, str]]:
        """Quasi-identifiers, and names for them that do not clash with those of a model."""
        return renamed(self.quasi_identifiers)

    @property
    def class_key(self) -> list[str]:
        """The columns of `published_equivalence_classes` that identify a class."""
        if self.promises.linked:
            return ["history"]
        return [alias for _, alias in self.renames]

    @property
    def population_count(self) -> str:
        """The column of counts in `population_combinations`."""
        return unused("population_count", self.quasi_identifiers)

    @property
    def needs_cover(self) -> bool:
        """Whether every person of the population must fall into a published class."""
        return any(m.needs_cover and not m.allows_suppression for m in self.promises.models)

    @property
    def sensitive(self) -> list[CountedColumn]:
        """The attributes of promises other than quasi-identifiers."""
        promises = self.promises
        names = [name for name in promises.attributes if name not in promises.generalized]
        return [promises.columns[name] for name in names]

    @property
    def carried(self) -> list[CountedColumn]:
        """The attributes whose values promises count or assume to be known."""
        read = {c for each in self.promises.class_values() for c in (each.column, *each.known)}
        return [column for column in self.promises.columns.values() if column in read]

    def proven(self) -> list[tuple[str, ModelCheck]]:
        """Name and select of every proof: one of each promise, some against the rows, too."""
        among = self.judged(table_values="sqlanon.published_table_values")
        return [(one.name, one) for one in self.judged()] + [
            (f"{one.name}_among_published", one)
            for one in among
            if one.model.compares_with_published
        ]

    def judged(self, table_values: str = "sqlanon.table_values") -> list[ModelCheck]:
        """The select of every promise over the published classes."""
        return self.promises.model_checks(
            self.class_key,
            labels=[quoted(name) for name in self.class_key],
            classes="sqlanon.published_equivalence_classes",
            class_values="sqlanon.published_class_values",
            joint_values="sqlanon.published_joint_values",
            joint_classes="sqlanon.published_joint_classes",
            table_values=table_values,
        )


def publication_of(
    plan: Plan, relation: str, counts: str = "", *, groups: Sequence[Sequence[str]] = ()
) -> Publication:
    """What must be proven of a plan's publication.

    Args:
        relation: SQL that reads the published rows.
        counts: SQL that reads the published values, if they are in a separate table.
        groups: the column groups, if the source is available to prove what they hide.
    """
    if not plan.form.bucket:
        return Publication(
            relation,
            list(plan.form.class_key),
            plan.promises,
            placed_from=plan.placed_from,
            located=list(() if plan.form.leveled else plan.quasi_identifiers),
            persons=persons_of(plan),
            most_rows=None if plan.unit is None else plan.unit.rows,
            row_proofs=[*_cells_proof(plan), *_changes_proof(plan)],
        )
    # Values are unchanged, so a population has no classes to fall into.
    models = tuple(model for model in plan.privacy if not model.needs_population)
    promises = replace(plan.promises, models=models, generalized=(), population=False)
    found = Publication(relation, [BUCKET], promises, row_proofs=_cells_proof(plan))
    if plan.form.apart:
        tables = TwoTables(relation, counts, plan.form.columns, plan.form.apart)
        return replace(found, relation=tables.relation, tables=tables)
    if plan.method.is_sliced and groups:
        return replace(found, sliced=sliced_promises(models, groups, promises.sensitive))
    return found


def persons_of(plan: Plan, rows: str = "") -> HiddenPersons | None:
    """The persons of a publication without a key of them; None if it has one, or counts rows.

    Args:
        rows: the relation of the published rows with the persons, while a run has it.
    """
    if not plan.hides_persons:
        return None
    count = plan.persons_column or ""
    columns = tuple(name for name in plan.form.columns if name != count)
    return HiddenPersons(rows, columns, count, is_text=plan.publish.is_csv)


def staged_publication(
    plan: Plan,
    groups: Sequence[Sequence[str]],
    staged: str,
    *,
    nodes: Sequence[Mapping[str, int]] | None,
    ends: Sequence[CutAttribute] = (),
) -> Publication:
    """The publication in the file `staged`, and in the file of values next to it if there is one.

    Args:
        groups: the column groups.
        nodes: the levels of the columns, of each pass; None if the program finds them.
        ends: the attributes whose published ranges end at no value of too few persons.
    """
    rows, counts = file_relation(staged), file_relation(values_place(staged))
    found = publication_of(plan, rows, counts, groups=groups)
    proofs = [*found.row_proofs]
    if plan.hides_persons:  # of whom the file shows no key
        proofs = [*_cells_proof(plan), *_changes_proof(plan, "sqlanon.person_rows")]
    if ends:
        proofs.insert(0, _ends_proof(plan, ends))
    rearranged = rearranged_of(plan, groups) if groups else None
    if rearranged is not None:
        proofs.append(rearranged.digest_step())
    proofs += dealing_proofs(plan)
    persons = persons_of(plan, "sqlanon.person_rows")
    return replace(found, nodes=nodes, persons=persons, row_proofs=proofs)


def _cells_proof(plan: Plan) -> list[Step]:
    """The proof that no cell is a formula, if the plan escapes formulas."""
    if not plan.escaped_columns:
        return []
    tests = [is_formula(f"cast({quoted(name)} as varchar)") for name in plan.escaped_columns]
    return [templated("proof/proof_of_cells", "proof", tests=tests)]


def _changes_proof(plan: Plan, person_rows: str = "") -> list[Step]:
    """The proof that published values are coded and rounded as the plan says.

    Nothing here depends on the types of the source, which are not known to a reader.

    Args:
        person_rows: the relation of the published rows with the persons, while a run has it.
    """
    columns = [c for c in plan.changed_columns.values() if c.change.aggregate is None]
    ranges = [
        CutAttribute(number, c.name, "", "numeric", 1.0, grid=c.grid)
        for number, c in enumerate(plan.changed_columns.values(), start=1)
        if c.grid
    ]
    proofs = [_ends_proof(plan, ranges)] if ranges else []
    if columns:
        proofs.append(
            templated(
                "proof/proof_of_published_values",
                "proof",
                columns=columns,
                rows=person_rows or "sqlanon.published_rows",
                person=plan.person if person_rows else "",
                least=plan.least_persons,
            )
        )
    return proofs


def _ends_proof(plan: Plan, ends: Sequence[CutAttribute]) -> Step:
    """The proof that published ranges end at no value of too few persons."""
    inputs = {"least_persons": plan.least_persons, "unit_alias": person_alias(plan)}
    return templated("proof/proof_of_ends", "proof", attributes=list(ends), **inputs)


@cache
def _template_names(folders: tuple[str, ...]) -> tuple[frozenset[str], re.Pattern[str]]:
    """Every word of the templates, and a pattern of the names that they make with numbers.

    A column with such a name could clash with theirs.
    """
    folder = shipped("sql_templates")
    files = [folder / "_keys.sql", folder / "search" / "_decided_classes.sql"]
    for name in folders:
        files += (folder / name).glob("*.sql")
    text = "\n".join(file.read_text(encoding="utf-8") for file in files).lower()
    text = re.sub(r"--.*|\{#(?s:.*?)#\}", "", text)
    between = str.maketrans(dict.fromkeys(string.punctuation.replace("_", ""), " "))
    words = frozenset(text.translate(between).split())
    numbered = {word.removesuffix("_") for word in words if word.endswith("_")}
    named = re.findall(r"named\(\"(\w+)\"\)", text)
    stems = "|".join(sorted({*numbered, *named} - {""}))
    return words, re.compile(rf"({stems})(_\d+|_of_\w+)+")
