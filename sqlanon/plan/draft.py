"""The keys of a plan, and what follows from them, before they are checked as a whole."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, Self

from pydantic import AfterValidator, BeforeValidator, Field, PrivateAttr, model_validator

from sqlanon.attacks import AnyAttack
from sqlanon.boundary.part import Part
from sqlanon.boundary.text import Places
from sqlanon.bounds import MOST_COLUMNS, MOST_ROWS_OF_A_PERSON, Number
from sqlanon.hierarchies.base import Hierarchy, short_form
from sqlanon.methods import AnyMethod
from sqlanon.methods.optimal import Optimal
from sqlanon.plan.changes import ChangedColumn
from sqlanon.plan.column_types import TEXT, published_type
from sqlanon.plan.columns import Column, Identifier, QuasiIdentifier, SensitiveAttribute
from sqlanon.plan.engine import DuckDBKeys, EngineKeys
from sqlanon.plan.readings import Reading
from sqlanon.plan.standards import Standard
from sqlanon.plan.tables import Destination, Source, Text
from sqlanon.plan.warnings import PlanWarning
from sqlanon.privacy_models import AnyPrivacyModel
from sqlanon.privacy_models.promises import Promises
from sqlanon.registry import default_of
from sqlanon.utility.base import UtilityMeasure

BUCKET = "bucket"
"""The column with the number of the bucket."""

Types = Mapping[str, Mapping[str, str]]
"""The types of the columns of `source` and `population`, by name."""


class Suppression(Part):
    """How many rows may be suppressed, and what happens to them."""

    limit: Annotated[Number, Field(ge=0, le=1)] | None = Field(
        None, description="largest fraction of the input rows, 0 to 1; 0 when not given"
    )
    rows: Literal["drop", "mask"] = Field(
        "drop", description="drop: suppressed; mask: kept with '*' in every quasi-identifier"
    )

    def limit_rows(self, row_count: int) -> int:
        """The limit as a number of rows: floor(limit * row_count), computed exactly."""
        return math.floor((self.limit or Decimal(0)) * row_count)


class Sample(Part):
    """The rows of which alone anything is read: drawn at random, person by person."""

    share: Annotated[Number, Field(gt=0, lt=1)] = Field(
        description="probability of a person, or of a row without `unit`, to be drawn, by a keyed"
        " hash whose key is read from the environment variable SQLANON_PSEUDONYM_KEY"
    )

    @property
    def below(self) -> str:
        """The least 15 hexadecimal digits of a hash that is not drawn."""
        return f"{math.ceil(Decimal(self.share) * 16**15):015x}"


class Unit(Part):
    """The person whom the promises count, where persons have several rows."""

    column: Text = Field(description="the column that identifies persons")
    count: Text = Field(
        "persons",
        description="the published column with the number of persons of the class, the same in"
        " every row of it; none: no such column",
    )
    histories: Literal["linked"] | None = Field(
        None,
        description="linked: the key is published, so the rows of a person can be joined, and the"
        " promises judge persons whose published histories are equal; when not given, no key is"
        " published, and no row of a person can be joined with another",
    )
    rows: Annotated[int, Field(ge=1, le=MOST_ROWS_OF_A_PERSON)] | None = Field(
        None,
        description="with linked histories: at most this many rows of a person are published,"
        " chosen by a keyed hash; when not given, all",
    )

    @property
    def is_linked(self) -> bool:
        """Whether the rows of a person can be joined in the publication."""
        return self.histories == "linked"

    @model_validator(mode="after")
    def _keys_of_histories(self) -> Self:
        if self.rows is not None and not self.is_linked:
            raise ValueError("only linked histories are cut to a number of rows; leave out `rows`")
        if "count" in self.model_fields_set and self.is_linked:
            raise ValueError("linked histories have a key to count persons by; leave out `count`")
        return self


def _zone(name: str) -> str:
    """The name of a time zone; whether it exists is checked later."""
    if not re.fullmatch(r"UTC|[A-Za-z]+(/[A-Za-z0-9_+-]+){1,2}", name):
        raise ValueError(
            "this is not the name of a time zone; write UTC or REGION/CITY, such as Europe/Berlin"
        )
    return name


def _with_name(method: Any) -> Any:
    """The method; a mapping without a name is `optimal`."""
    is_unnamed = isinstance(method, dict) and "name" not in method
    return {"name": default_of(Optimal, "name"), **method} if is_unnamed else method


class PublicationForm(NamedTuple):
    """What a published table looks like; made from the plan alone.

    Attributes:
        columns: of the table: `published_columns`, the ends of intervals, the number of the bucket,
            and that of the persons of the class, without the attribute that is `apart`.
        class_key: the columns that distinguish classes.
        labeled: the quasi-identifiers of which labels are published.
        leveled: those that have one level of their hierarchy for all rows.
        bounds: the columns with the ends of intervals, by quasi-identifier; of attributes that the
            plan alone shows to be numeric or dates.
        bucket: the column with the number of the bucket, where parts of rows are permuted within
            buckets; None otherwise.
        apart: the sensitive attribute that is counted by bucket in a table of its own, if one is.
    """

    columns: tuple[str, ...]
    class_key: tuple[str, ...]
    labeled: tuple[str, ...]
    leveled: tuple[str, ...]
    bounds: Mapping[str, tuple[str, str]]
    bucket: str | None
    apart: str | None


class Draft(Part):
    """A plan whose keys are valid one by one; `Plan` is checked as a whole.

    The fields are the keys of the YAML file.
    """

    source: Annotated[Source, short_form("path", Source)]
    population: Annotated[Source, short_form("path", Source)] | None = Field(
        None,
        description="a table that contains the source's persons and others, one row each, with the"
        " same quasi-identifiers; for models that ask who else a row could belong to",
    )
    columns: dict[str, Column] = Field(
        min_length=1, max_length=MOST_COLUMNS, description="the role of every source column"
    )
    unit: Annotated[Unit, short_form("column", Unit)] | None = Field(
        None,
        description="the column that identifies persons: promises count persons, not rows; when"
        " not given, every row is a person",
    )
    sample: Sample | None = Field(
        None,
        description="publish a random sample of the persons, or of the rows without `unit`; it is"
        " drawn before anything is counted",
    )
    missing: Literal["value", "drop-rows"] = Field(
        "value",
        description="value: NULL is one more value; drop-rows: rows with a NULL in a"
        " quasi-identifier or sensitive attribute are left out",
    )
    privacy: tuple[AnyPrivacyModel, ...] = Field(min_length=1, description="what must hold")
    standard: Annotated[Standard, short_form("name", Standard)] | None = Field(
        None, description="a check list that must be proven or confirmed before rows are published"
    )
    method: Annotated[AnyMethod, BeforeValidator(_with_name)] = Field(
        default_factory=Optimal, description="how the publication is found; optimal when not named"
    )
    suppression: Suppression = Field(default_factory=Suppression)
    publish: Annotated[Destination, short_form("path", Destination)]
    order: Literal["sorted", "source"] = Field(
        "sorted",
        description="sorted: by the published values, as the order of the source can identify;"
        " source: the rows stay in the order of the source",
    )
    attacks: tuple[AnyAttack, ...] = Field(
        (), description="what `sqlanon attack` tries, and the share of rows that may be at risk"
    )
    engine: EngineKeys = Field(
        default_factory=lambda: DuckDBKeys(name="duckdb"),
        description="where the plan runs: duckdb, postgres or spark; the same plan publishes the"
        " same rows on each",
    )
    acknowledge: tuple[Text, ...] = Field(
        (),
        description="warnings of `check` and `run` that were looked at, each by its name, such as"
        " free-text.notes, and rules of the `standard` that are confirmed; the manifest marks them",
    )
    time_zone: Annotated[str, AfterValidator(_zone)] = Field(
        "UTC",
        description="name of the time zone, such as Europe/Berlin, in which points in time become"
        " dates and text",
    )

    # Set by sqlanon.plan.plan; not part of the YAML or the schema.
    _name: str = "plan"
    _folder: Path = Path()
    _sha256: str = ""
    _places: Places = Places()
    _warnings: tuple[PlanWarning, ...] = ()  # set by a session
    _types: Types = PrivateAttr(default_factory=dict)

    def with_warnings(self, warnings: tuple[PlanWarning, ...]) -> Self:
        """The plan, and what it is warned of."""
        warned = self.model_copy()
        warned._warnings = warnings
        return warned

    @property
    def warnings(self) -> tuple[PlanWarning, ...]:
        """What `check` and `run` warn of, acknowledged or not; empty before either has looked."""
        return self._warnings

    def with_types(self, types: Types) -> Self:
        """The plan, and the types of the columns that it reads."""
        typed = self.model_copy()
        typed._types = types
        return typed

    def of_publication(self, published: Source, **others: Any) -> Self:
        """The plan that reads a publication as its source, with other values of its keys.

        It reads no identifier and draws no sample, so the key of pseudonyms is not needed.
        """
        columns = {n: c for n, c in self.columns.items() if not isinstance(c, Identifier)}
        update = {"source": published, "columns": columns, "sample": None}
        return self.model_copy(update={**update, **others})

    def __eq__(self, other: object) -> bool:
        """Whether two plans have the same keys and values, wherever they were read from."""
        return isinstance(other, Draft) and self.__dict__ == other.__dict__

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        """What `repr` shows of a plan: none of the values that it lists."""
        yield "name", self.name
        yield "columns", list(self.columns)

    @property
    def name(self) -> str:
        """The plan's short name: the name of its file without extensions."""
        return self._name

    @property
    def file(self) -> str:
        """The name of the plan's file, or of the plan itself if it has no file."""
        return self._places.file or self._name

    @property
    def folder(self) -> Path:
        """The folder that paths in the plan are relative to."""
        return self._folder

    @property
    def sha256(self) -> str:
        """Digest of what decides what is published.

        That is all keys but `attacks`, `acknowledge` and `engine`.
        """
        return self._sha256

    @property
    def places(self) -> Places:
        """Where the keys of the plan are, for error messages."""
        return self._places

    def where(self, *keys: str | int) -> str:
        """`file:line  key` of a place in the plan, for error messages."""
        return self._places.where(keys)

    @classmethod
    def model_json_schema(cls, *arguments: Any, **options: Any) -> dict[str, Any]:
        """The JSON Schema of plans, short forms included."""
        schema = super().model_json_schema(*arguments, **options)
        for title, definition in schema["$defs"].items():
            tags = [k for k, v in definition.get("properties", {}).items() if "const" in v]
            if tags and title != Optimal.__name__:  # the only method that need not be named
                definition["required"] = [
                    *tags,
                    *sorted({*definition.get("required", [])} - {*tags}),
                ]
        return schema

    @property
    def may_suppress(self) -> bool:
        """Whether the promises can hold where rows are suppressed."""
        count = len(self.quasi_identifiers)
        return all(m.allows_suppression and not m.reads_labels(count) for m in self.privacy)

    @property
    def k(self) -> int:
        """The smallest class size that all models of the plan allow; 1 if none sets a minimum."""
        return max((model.minimum_class_size for model in self.privacy), default=1)

    @property
    def least_placed(self) -> int:
        """The smallest class by the count that decides which rows wait: see `placed_from`."""
        if self.population is None:
            return self.k
        return max((model.minimum_population for model in self.privacy), default=1)

    @property
    def placed_from(self) -> int:
        """What a class of a pass has at least: persons of the population, persons, or rows."""
        reads_values = any(model.sensitive_attribute for model in self.privacy)
        return self.method.placed_from(self.least_placed, reads_values=reads_values)

    @property
    def least_persons(self) -> int:
        """How many persons must have a value for it to be printed as the end of a range."""
        return max(2, self.k)

    @property
    def hierarchies(self) -> dict[str, Hierarchy]:
        """The hierarchies of quasi-identifiers and of sensitive attributes that have one."""
        return {
            name: column.hierarchy
            for name, column in self.columns.items()
            if isinstance(column, QuasiIdentifier | SensitiveAttribute)
            and column.hierarchy is not None
        }

    @property
    def bucket_size(self) -> int:
        """The fewest rows of a dealt bucket: the largest class size or number of values needed."""
        about = [m for m in self.privacy if m.sensitive_attribute == self.dealt_attribute]
        return max(self.k, *(model.needed_values for model in about), 1)

    @property
    def has_pseudonyms(self) -> bool:
        """Whether an identifier is published as a keyed hash."""
        return any(
            isinstance(c, Identifier) and c.action == "pseudonym" for c in self.columns.values()
        )

    @property
    def reads_pseudonym_key(self) -> bool:
        """Whether steps read the key of pseudonyms: to make them, or to choose rows."""
        is_cut = self.unit is not None and self.unit.rows is not None
        return self.has_pseudonyms or is_cut or self.sample is not None

    @property
    def has_random_pseudonyms(self) -> bool:
        """Whether the key of pseudonyms is drawn anew in every run, and kept nowhere."""
        return not (self.has_pseudonyms or self.sample) or any(
            isinstance(c, Identifier) and c.key == "random" for c in self.columns.values()
        )

    @property
    def objective(self) -> UtilityMeasure:
        """The measure that the method minimizes; the loss if it minimizes none."""
        return self.method.minimized

    @property
    def label_attribute(self) -> str | None:
        """The column that the objective predicts, if any."""
        return getattr(self.objective, "attribute", None)

    @property
    def counted_columns(self) -> tuple[str, ...]:
        """Further columns of the frequency set, which a model or measure reads."""
        names = [*self.promised_columns, self.label_attribute, self.dealt_attribute]
        return tuple(dict.fromkeys(name for name in names if name is not None))

    @property
    def promised_columns(self) -> tuple[str, ...]:
        """Columns whose values a promise counts or treats as known."""
        names = [model.sensitive_attribute for model in self.privacy]
        if any(model.is_joint for model in self.privacy):
            names += self.sensitive_attributes
        return tuple(dict.fromkeys(name for name in names if name is not None))

    @property
    def promises(self) -> Promises:
        """The privacy models, and what must be counted for them."""
        return Promises(
            models=self.privacy,
            counted=self.counted_columns,
            sensitive=self.sensitive_attributes,
            generalized=tuple(self.quasi_identifiers),
            unit=self.person,
            shares_persons=self.hides_persons,
            population=self.population is not None,
            linked=self.unit is not None and self.unit.is_linked,
        )

    # --- the columns, and what becomes of them

    @property
    def types(self) -> Types:
        """Types of the columns of `source` and of `population`; a column without a type is text.

        For the source these are `read_columns`, for the population the quasi-identifiers.
        """
        return self._types

    def type_as_read(self, name: str, table: Literal["source", "population"] = "source") -> str:
        """The type of a column's values as sqlanon reads them from a table."""
        return published_type(self.types.get(table, {}).get(name, TEXT))

    def table(self, name: Literal["source", "population"]) -> Source:
        """The source, or the population; the source if there is none."""
        return self.source if name == "source" or self.population is None else self.population

    @property
    def readings(self) -> dict[str, Reading]:
        """How the texts of columns are read, of the source and the population."""
        return {**(self.population.read if self.population else {}), **self.source.read}

    @property
    def quasi_identifiers(self) -> dict[str, QuasiIdentifier]:
        """The quasi-identifiers, in the order of the plan."""
        return {n: c for n, c in self.columns.items() if isinstance(c, QuasiIdentifier)}

    @property
    def sensitive_attributes(self) -> tuple[str, ...]:
        """The sensitive attributes, in the order of the plan."""
        return tuple(n for n, c in self.columns.items() if isinstance(c, SensitiveAttribute))

    def escapes(self, name: str) -> bool:
        """Whether a column is read so that no text in it is a formula to a spreadsheet.

        Where a file or a query holds the labels of values, values have to be as they stand there.
        """
        column = self.columns[name]
        hierarchy = getattr(column, "hierarchy", None)
        is_listed = hierarchy is not None and bool(hierarchy.file_path or hierarchy.select)
        escapes_formulas = self.publish.csv_formulas == "escape"
        return escapes_formulas and not is_listed and not isinstance(column, Identifier)

    @property
    def person(self) -> str | None:
        """The column that identifies persons, whom promises then count; None if they count rows."""
        return None if self.unit is None else self.unit.column

    def action_on(self, name: str) -> str:
        """What becomes of a column where the source is read; empty if its values stay.

        A key of persons that is not published stays as it is until persons are counted.
        """
        column = self.columns[name]
        is_counted = self.hides_persons and name == self.person
        return column.action if isinstance(column, Identifier) and not is_counted else ""

    @property
    def hides_persons(self) -> bool:
        """Whether promises count persons, and no key of them is published."""
        return self.unit is not None and not self.unit.is_linked

    @property
    def persons_column(self) -> str | None:
        """The published column with the number of persons of each class, if there is one."""
        if self.unit is None or self.unit.is_linked or self.unit.count == "none":
            return None
        return self.unit.count

    @property
    def read_columns(self) -> tuple[str, ...]:
        """The columns whose values are read: all but dropped and starred identifiers.

        The column that identifies persons is read to count them, also if it is not published.
        """
        return tuple(
            n
            for n, c in self.columns.items()
            if n == self.person or not (isinstance(c, Identifier) and c.action != "pseudonym")
        )

    @property
    def staged_columns(self) -> tuple[str, ...]:
        """The columns that leave `source_rows`: the published ones, and the key of persons.

        A key that is not published only leaves it to be counted.
        """
        hidden = self.person if self.hides_persons else None
        published = {*self.published_columns}
        return tuple(n for n in self.columns if n in published or n == hidden)

    @property
    def published_columns(self) -> tuple[str, ...]:
        """The columns of the publication, in the order of the plan."""
        return tuple(
            n
            for n, c in self.columns.items()
            if not (isinstance(c, Identifier) and c.action == "drop")
        )

    @property
    def changed_columns(self) -> dict[str, ChangedColumn]:
        """The columns of which other values are published, or one value a class."""
        found = {}
        for name, column in self.columns.items():
            change = None if isinstance(column, Identifier) else column.publish
            if change is not None:
                is_label = isinstance(column, QuasiIdentifier)
                found[name] = ChangedColumn(name, change, self.type_as_read(name), is_label)
        return found

    @property
    def form(self) -> PublicationForm:
        """What the published table looks like."""
        method, names = self.method, tuple(self.quasi_identifiers)
        bucket = BUCKET if method.publishes_buckets else None
        apart = self.dealt_attribute if method.separates_sensitive else None
        bounds = {
            name: (f"{name}_lo", f"{name}_hi")
            for name, column in self.quasi_identifiers.items()
            if method.publishes_bounds and column.kind in ("numeric", "date")
        }
        kept = [
            each
            for name in self.published_columns
            if name != apart
            for each in (name, *bounds.get(name, ()))
        ]
        generalized = {*names, *sum(bounds.values(), ())}
        aggregated = (n for n, c in self.changed_columns.items() if c.change.aggregate)
        distinguishing = generalized.union(aggregated)
        is_labeled = bucket is None or method.cuts_along_hierarchies
        return PublicationForm(
            columns=(*kept, *filter(None, (bucket, self.persons_column))),
            class_key=(bucket,) if bucket else tuple(n for n in kept if n in distinguishing),
            labeled=names if is_labeled else (),
            leveled=() if method.makes_partition else names,
            bounds=bounds,
            bucket=bucket,
            apart=apart,
        )

    @property
    def release_types(self) -> dict[str, str]:
        """The types of the columns of the release, as `describe` names them; labels are text.

        A sensitive attribute in a separate table comes last.
        """
        read = {
            name: self.type_as_read(name)
            for name in self.types.get("source", {})
            if not isinstance(self.columns[name], Identifier)
        }
        form = self.form
        ends = {
            end: "DOUBLE" if self.quasi_identifiers[name].kind == "numeric" else "TIMESTAMP"
            for name, bounds in form.bounds.items()
            for end in bounds
        }
        added = {self.persons_column or "": "BIGINT"}
        if form.bucket:
            added[form.bucket] = "INTEGER"
        types = {**read, **dict.fromkeys(form.labeled, TEXT), **ends, **added}
        types |= {name: column.published_type for name, column in self.changed_columns.items()}
        apart = (form.apart,) if form.apart else ()
        return {name: types.get(name, TEXT) for name in (*form.columns, *apart)}

    @property
    def publication_types(self) -> dict[str, str]:
        """The types of the columns of the staged rows; everything in a CSV file is text."""
        types = self.release_types
        return dict.fromkeys(types, TEXT) if self.publish.is_csv else types

    @property
    def escaped_columns(self) -> tuple[str, ...]:
        """The published columns of text in which no formula may stand; none unless they escape."""
        if self.publish.csv_formulas == "keep":
            return ()
        return tuple(name for name, kind in self.release_types.items() if kind == TEXT)

    @property
    def staged_types(self) -> dict[str, str]:
        """The types of the released rows, with the key of persons where it is not published."""
        types, key = self.release_types, self.person
        if key is None or not self.hides_persons:
            return types
        return {**types, key: self.type_as_read(key)}

    @property
    def labeled_in_buckets(self) -> tuple[str, ...]:
        """The quasi-identifiers that buckets hold as labels of hierarchies."""
        return self.form.labeled if self.form.bucket else ()

    @property
    def keeps_every_row(self) -> bool:
        """Whether no row may be suppressed: partitions keep all, and masked rows are published."""
        return self.suppression.rows == "mask" or not self.form.leveled

    @property
    def dealt_attribute(self) -> str | None:
        """The sensitive attribute that the method deals by, if any."""
        return self.method.dealt_attribute

    @property
    def column_groups(self) -> tuple[tuple[str, ...], ...]:
        """The groups of published columns; each group is permuted separately in every bucket.

        There is one group where nothing is permuted, and none where only a search finds the groups.
        """
        if not self.form.bucket:
            return (self.published_columns,)
        roles = (*self.quasi_identifiers, *self.sensitive_attributes)
        others = [name for name in self.published_columns if name not in roles]
        return self.method.column_groups(
            tuple(self.quasi_identifiers), self.sensitive_attributes, others
        )

    def published_parts(self, groups: Sequence[Sequence[str]]) -> list[list[str]]:
        """The parts of a published row that are permuted separately, if any."""
        if not self.form.bucket:
            return []
        columns = self.form.columns
        parts = [[name for name in group if name in columns] for group in groups]
        return [part for part in parts if part]

    @property
    def kept_columns(self) -> tuple[str, ...]:
        """Published columns that are not generalized: each row keeps its values."""
        return tuple(n for n in self.published_columns if n not in self.quasi_identifiers)
