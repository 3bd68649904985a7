"""The plan: what to publish, what identifies people, and what must hold. Parameters only.

`plan_file` reads a plan from YAML; everything after it receives the frozen `Plan` of this module.
The same classes give the JSON Schema that editors check plans with.
"""

from __future__ import annotations

import math
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Discriminator, Field, Tag

from sqlanon.hierarchy import AnyHierarchy, Hierarchy, SuppressionHierarchy
from sqlanon.methods import AnyMethod, Optimal
from sqlanon.privacy_models import AnyPrivacyModel


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Source(_Frozen):
    """Where the rows come from: a file or glob, a table of a DuckDB file, or a query.

    In a plan, a bare string is the path; `hospital.duckdb::main.patients` names a table of a
    DuckDB file. CSV columns are read as text (a postal code keeps its leading zeros) unless
    `types` says otherwise.
    """

    path: str | None = Field(None, description="CSV, Parquet or JSON file or glob, or FILE::TABLE")
    query: str | None = Field(None, description="a select; its columns are the source's columns")
    table: str | None = Field(None, description="a table of the caller's own connection")
    format: Literal["csv", "parquet", "json"] | None = Field(
        None, description="kind of file, where the file's name does not tell"
    )
    delimiter: str | None = Field(None, description="CSV: character between the fields")
    header: bool = Field(True, description="CSV: the first line names the columns")
    quote: str | None = Field(None, description="CSV: character around fields")
    escape: str | None = Field(None, description="CSV: character before a quote inside a field")
    encoding: str | None = Field(None, description="CSV: utf-8 (default), utf-16 or latin-1")
    null_text: str | None = Field(None, description="CSV: text that stands for a missing value")
    types: dict[str, str] = Field(default_factory=dict, description="CSV: column types, by column")

    @property
    def database(self) -> str | None:
        """The DuckDB file that the source is a table of, if it is one."""
        return self.path.split("::", 1)[0] if self.path and "::" in self.path else None

    @property
    def database_table(self) -> str:
        """Table inside `database`, as the plan writes it (schema.table or table)."""
        return (self.path or "").split("::", 1)[1]

    @property
    def file_format(self) -> str:
        """csv, parquet or json, from `format` or the file's name; empty when unknown."""
        if self.format:
            return self.format
        name = (self.path or "").lower().removesuffix(".gz").removesuffix(".zst")
        for ending, kind in (
            (".parquet", "parquet"), (".pq", "parquet"), (".json", "json"), (".jsonl", "json"),
            (".ndjson", "json"), (".csv", "csv"), (".tsv", "csv"), (".txt", "csv"),
        ):  # fmt: skip
            if name.endswith(ending):
                return kind
        return ""


def _string_to(key: str) -> BeforeValidator:
    return BeforeValidator(lambda value: {key: value} if isinstance(value, str) else value)


class Identifier(_Frozen):
    """A column that identifies a person on its own; it never leaves the database as it is."""

    role: Literal["identifier"]
    action: Literal["drop", "star", "pseudonym"] = Field(
        "drop",
        description="drop: not published; star: every value becomes '*'; pseudonym: a keyed hash,"
        " its key read from the environment variable SQLANON_PSEUDONYM_KEY",
    )


class QuasiIdentifier(_Frozen):
    """A column that identifies a person together with others; it is generalized."""

    role: Literal["quasi-identifier"]
    hierarchy: AnyHierarchy = Field(
        SuppressionHierarchy(), description="a file, or a rule; without one: the value, then '*'"
    )
    weight: Annotated[float, Field(ge=0, allow_inf_nan=False)] = Field(
        1.0, description="importance of the attribute in the loss, 0 or more"
    )


class SensitiveAttribute(_Frozen):
    """A column that nobody should learn about a person; it is published as it is."""

    role: Literal["sensitive"]
    hierarchy: AnyHierarchy | None = Field(
        None, description="only where a model asks how near values are to each other"
    )


class InsensitiveAttribute(_Frozen):
    """A column that neither identifies nor harms; it is published as it is."""

    role: Literal["insensitive"]


def _role(value: Any) -> Any:
    return value.get("role") if isinstance(value, dict) else getattr(value, "role", None)


Column = Annotated[
    Annotated[Identifier, Tag("identifier")]
    | Annotated[QuasiIdentifier, Tag("quasi-identifier")]
    | Annotated[SensitiveAttribute, Tag("sensitive")]
    | Annotated[InsensitiveAttribute, Tag("insensitive")],
    Discriminator(_role),
    _string_to("role"),
]


class Suppression(_Frozen):
    """How many rows may be suppressed, and what becomes of them."""

    limit: Annotated[Decimal, Field(ge=0, le=1)] | None = Field(
        None, description="largest fraction of the input rows, 0 to 1; 0 when not given"
    )
    rows: Literal["drop", "mask"] = Field(
        "drop", description="drop: left out; mask: kept with '*' in every quasi-identifier"
    )

    def limit_rows(self, row_count: int) -> int:
        """The limit in rows of an input of `row_count` rows: floor(limit * rows), exact."""
        return math.floor((self.limit or Decimal(0)) * row_count)


class Publication(_Frozen):
    """Where the published table goes: a Parquet or CSV file, or a table of a DuckDB file."""

    path: str | None = Field(None, description="FILE.parquet, FILE.csv or FILE.duckdb::TABLE")
    table: str | None = Field(None, description="a table of the caller's own connection")

    @property
    def database(self) -> str | None:
        """The DuckDB file that receives the table, if it is one."""
        return self.path.split("::", 1)[0] if self.path and "::" in self.path else None

    @property
    def database_table(self) -> str:
        """Table inside `database`, as the plan writes it (schema.table or table)."""
        return (self.path or "").split("::", 1)[1]

    @property
    def is_csv(self) -> bool:
        """Whether the rows are written as CSV; everything else is staged as Parquet."""
        return self.path is not None and self.path.lower().endswith(".csv")


class Plan(_Frozen):
    """A whole plan, checked; the fields are the keys of the YAML file."""

    source: Annotated[Source, _string_to("path")]
    columns: dict[str, Column] = Field(min_length=1, description="the role of every source column")
    missing: Literal["value", "drop-rows"] = Field(
        "value",
        description="value: NULL is one more value; drop-rows: rows with a NULL in a"
        " quasi-identifier or sensitive attribute are left out",
    )
    privacy: tuple[AnyPrivacyModel, ...] = Field(min_length=1, description="what must hold")
    method: AnyMethod = Field(default_factory=Optimal, description="how the publication is found")
    suppression: Suppression = Field(default_factory=Suppression)
    publish: Annotated[Publication, _string_to("path")]
    order: Literal["sorted", "source"] = Field(
        "sorted",
        description="sorted: by the published values, as the order of the source can identify;"
        " source: the rows stay in the order of the source",
    )
    seed: int | None = Field(None, description="only methods that permute rows use it")

    # Set by plan_file; no part of the YAML and of the schema.
    _name: str = "plan"
    _folder: Path = Path()
    _sha256: str = ""
    _lines: dict[tuple[str | int, ...], int] = {}
    _file: str = ""

    @property
    def name(self) -> str:
        """The plan's short name: its file's name without endings."""
        return self._name

    @property
    def folder(self) -> Path:
        """The folder that paths in the plan start from."""
        return self._folder

    @property
    def sha256(self) -> str:
        """Digest of the plan as it counts: of its keys and values, not of its layout."""
        return self._sha256

    def where(self, *keys: str | int) -> str:
        """`file:line  key` of a place in the plan, for error messages."""
        spot = keys
        while spot and spot not in self._lines:
            spot = spot[:-1]
        line = self._lines.get(spot)
        path = ".".join(str(key) for key in keys)
        return f"{self._file}:{line}  {path}" if line and self._file else path

    @property
    def quasi_identifiers(self) -> dict[str, QuasiIdentifier]:
        """The quasi-identifiers, in the order of the plan."""
        return {n: c for n, c in self.columns.items() if isinstance(c, QuasiIdentifier)}

    @property
    def k(self) -> int:
        """The smallest class size that all models of the plan allow; 1 where none asks for one."""
        return max(model.minimum_class_size for model in self.privacy)

    @property
    def hierarchies(self) -> dict[str, Hierarchy]:
        """The hierarchies of quasi-identifiers, and those that sensitive attributes have."""
        return {
            name: column.hierarchy
            for name, column in self.columns.items()
            if isinstance(column, QuasiIdentifier | SensitiveAttribute)
            and column.hierarchy is not None
        }

    @property
    def sensitive_attributes(self) -> tuple[str, ...]:
        """The sensitive attributes, in the order of the plan."""
        return tuple(n for n, c in self.columns.items() if isinstance(c, SensitiveAttribute))

    @property
    def published_columns(self) -> tuple[str, ...]:
        """The columns of the publication, in the order of the plan."""
        return tuple(
            n
            for n, c in self.columns.items()
            if not (isinstance(c, Identifier) and c.action == "drop")
        )

    @property
    def has_pseudonyms(self) -> bool:
        """Whether an identifier is published as a keyed hash."""
        return any(
            isinstance(c, Identifier) and c.action == "pseudonym" for c in self.columns.values()
        )

    @property
    def kept_columns(self) -> tuple[str, ...]:
        """Published columns that are not generalized: they are carried along row by row."""
        return tuple(n for n in self.published_columns if n not in self.quasi_identifiers)

    @property
    def counted_columns(self) -> tuple[str, ...]:
        """Other columns that the frequency set carries, because a measure reads them."""
        attributes = [model.sensitive_attribute for model in self.privacy]
        attributes.append(getattr(self.method.objective, "attribute", None))
        return tuple(dict.fromkeys(name for name in attributes if name is not None))
