"""What a proof reads: the published rows, their classes, and their promises."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from sqlanon.privacy_models.base import PrivacyModel
from sqlanon.privacy_models.promises import CountedColumn, Promises
from sqlanon.proof.rearrangement import Dealt, Rearranged
from sqlanon.search.scales import CutAttribute
from sqlanon.search.slicing import SlicedPromise
from sqlanon.sql.paths import file_to_read
from sqlanon.sql.render import render, shipped
from sqlanon.sql.step import Step, unused


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
    rooms: Sequence[str] = ("privacy_models", "proof", "attacks"),
) -> list[tuple[str, str]]:
    """Columns, and names for them that do not clash with those of templates.

    Args:
        word: begins the other name of a column that clashes.
        rooms: the folders of the templates.
    """
    words, numbered = _template_names(tuple(rooms))
    names: list[tuple[str, str]] = []
    for number, name in enumerate(columns, start=1):
        clashes = name.lower() in words or numbered.fullmatch(name.lower())
        names.append((name, unused(f"{word}_{number}", columns) if clashes else name))
    return names


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
    """What the proof reads: published rows, and their promises.

    `table_values_N` of each counted attribute must exist, made from the source, or from the
    published table if there is no source; with a population, also `population_combinations` and
    `hierarchy_levels`.

    Attributes:
        relation: SQL that reads the published rows.
        quasi_identifiers: the columns that form classes.
        promises: the promises about the rows.
        levels: levels of the hierarchies at which a population is compared with the rows; if None,
            those of the `chosen_node` of a program; if empty, found from the labels.
        sliced: promises about column groups that are permuted separately; after `tuples_step`.
        tables: the two tables from which the rows are read, if there are two.
        rearranged: the rows behind the buckets, while they are available.
        dealt: what dealing promises about its buckets, if rows were dealt.
        persons: of a publication without a key of the persons whom its promises count.
        most_rows: the most rows that a person may have, if linked histories are cut to it.
        ends: the attributes whose published ranges end at no value of too few persons; only where
            the source is there.
        least_persons: how many persons must have a value at which a range ends.
        person: the column of persons in the combinations of the source, if persons are counted.
        escaped: the columns of text in which no formula may stand.
        located: for a partition, the quasi-identifiers whose labels are located in the population
            by `value_places` and `label_places`; otherwise empty.
    """

    relation: str
    quasi_identifiers: Sequence[str]
    promises: Promises
    levels: Mapping[str, int] | None = None
    located: Sequence[str] = ()
    tables: TwoTables | None = None
    sliced: Sequence[SlicedPromise] = ()
    rearranged: Rearranged | None = None
    dealt: Dealt | None = None
    persons: HiddenPersons | None = None
    most_rows: int | None = None
    escaped: Sequence[str] = ()

    @property
    def unit(self) -> str | None:
        """The column of persons in the rows that are counted; None if rows are counted."""
        return None if self.hides_persons else self.promises.unit

    @property
    def hides_persons(self) -> bool:
        """Whether persons are counted of whom only the number in each class is known."""
        return self.persons is not None and not self.persons.rows

    ends: Sequence[CutAttribute] = ()
    least_persons: int = 0
    person: str | None = None

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

    def proven(self) -> list[tuple[str, str, PrivacyModel]]:
        """Name, select and model of every proof.

        Every promise has one proof, and some have a second one against the published rows.
        """
        models = self.promises.models
        among = self.judged(table_values="sqlanon.published_table_values")
        proofs = [
            (name, sql, model) for (name, sql), model in zip(self.judged(), models, strict=True)
        ]
        return proofs + [
            (f"{name}_among_published", sql, model)
            for (name, sql), model in zip(among, models, strict=True)
            if model.compares_with_published
        ]

    def judged(self, table_values: str = "sqlanon.table_values") -> list[tuple[str, str]]:
        """Name and select of every promise over the published classes."""
        made = self.promises.judgements(
            self.class_key,
            classes="sqlanon.published_equivalence_classes",
            class_values="sqlanon.published_class_values",
            joint_values="sqlanon.published_joint_values",
            joint_classes="sqlanon.published_joint_classes",
            table_values=table_values,
        )
        return [(judgement.name, judgement.select) for judgement in made]


@cache
def _template_names(rooms: tuple[str, ...]) -> tuple[frozenset[str], re.Pattern[str]]:
    """Every word of the templates, and a pattern of the names that they make with numbers.

    A column with such a name could clash with theirs.
    """
    folder = shipped("sql_templates")
    files = [folder / "_keys.sql", folder / "search" / "_decided_classes.sql"]
    for room in rooms:
        files += (folder / room).glob("*.sql")
    texts = [file.read_text(encoding="utf-8").lower() for file in files]
    texts = [re.sub(r"--.*|\{#.*?#\}", "", text) for text in texts]
    words = frozenset(word for text in texts for word in re.findall(r"\w+", text))
    numbered = {stem for text in texts for stem in re.findall(r"(\w+?)_\{\{", text)}
    named = {what for text in texts for what in re.findall(r"named\(\"(\w+)\"\)", text)}
    stems = "|".join(sorted(numbered | named))
    return words, re.compile(rf"({stems})(_\d+|_of_\w+)+")
