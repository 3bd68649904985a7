"""The tables of a plan: where the rows come from, and where the published table goes."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from sqlanon.boundary.part import Part
from sqlanon.bounds import PathText
from sqlanon.plan.readings import Reading
from sqlanon.sql.paths import is_pattern

Text = Annotated[str, Field(min_length=1)]

_Character = Annotated[str, Field(max_length=1)]

_Encoding = Annotated[
    Literal["utf-8", "utf-16", "latin-1"],
    BeforeValidator(
        lambda name: name.lower() if isinstance(name, str) else name,
        json_schema_input_type=Literal["utf-8", "utf-16", "latin-1"],
    ),
]


SOURCE_DATA = "temp.source_data"
"""The table of a plan whose rows are given in Python, by `source=`."""


class Location(Part):
    """A file, or a table of a DuckDB file."""

    path: PathText | None = None

    @property
    def database(self) -> str | None:
        """The DuckDB file that `path` names, if any: FILE.duckdb::TABLE."""
        return self.path.split("::", 1)[0] if self.path and "::" in self.path else None

    @property
    def database_table(self) -> str:
        """Table inside `database`, as the plan writes it (schema.table or table)."""
        return (self.path or "").split("::", 1)[1]


class Source(Location):
    """Where the rows come from: a file or glob, a table of a DuckDB file, or a query.

    In a plan, a bare string is the path; `hospital.duckdb::main.patients` names a table of a
    DuckDB file. CSV columns are read as text (a postal code keeps its leading zeros) unless
    `types` says otherwise.
    """

    path: PathText | None = Field(
        None, description="CSV, Parquet or JSON file or glob, or FILE.duckdb::TABLE"
    )
    query: Text | None = Field(None, description="a select; its columns are the source's columns")
    table: Text | None = Field(None, description="a table of the caller's own connection")
    format: Literal["csv", "parquet", "json"] | None = Field(
        None, description="kind of file, if the file's name does not show it"
    )
    delimiter: Annotated[Text, Field(max_length=1)] | None = Field(
        None, description="CSV: character between the fields"
    )
    header: bool = Field(True, description="CSV: the first line names the columns")
    quote: _Character | None = Field(None, description="CSV: character around fields")
    escape: _Character | None = Field(
        None, description="CSV: character before a quote inside a field"
    )
    encoding: _Encoding | None = Field(None, description="CSV: utf-8 when not given")
    null_text: str | None = Field(None, description="CSV: text that means a missing value")
    types: dict[str, str] = Field(default_factory=dict, description="CSV: column types, by column")
    read: dict[str, Reading] = Field(
        default_factory=dict,
        description="how the texts of columns are read, by column: formats of dates and numbers,"
        " and what means missing",
    )
    glob: bool = Field(
        True,
        description="whether * and ? in the path are wildcards; brackets never are",
    )
    hive_partitioning: bool = Field(
        False, description="whether folders named COLUMN=VALUE are columns of the source"
    )

    @property
    def is_pattern(self) -> bool:
        """Whether the path matches several files."""
        return self.path is not None and self.glob and is_pattern(self.path)

    @property
    def is_file(self) -> bool:
        """Whether the rows are read from files, whose text has no collation."""
        return self.path is not None and self.database is None

    @property
    def csv_delimiter(self) -> str:
        """The plan's delimiter; otherwise a tab for .tsv files and a comma for all others."""
        is_tabbed = ".tsv" in (self.path or "").lower()
        return self.delimiter or ("\t" if is_tabbed else ",")

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


def table_alone(place: Source | Destination) -> str:
    """The name of a table without its schemas; empty for a file."""
    whole = place.database_table if place.database is not None else place.table or ""
    return whole.rpartition(".")[2]


def values_place(path: str) -> str:
    """Where the counts of sensitive values are published, next to a table at `path`."""
    stem, _, ending = path.rpartition(".")
    is_file = "::" not in path and Source.model_construct(path=path).file_format
    return f"{stem}_values.{ending}" if is_file else f"{path}_values"


class Destination(Location):
    """Where the published table goes: a Parquet or CSV file, or a table of a DuckDB file."""

    path: PathText | None = Field(None, description="FILE.parquet, FILE.csv or FILE.duckdb::TABLE")
    table: Text | None = Field(None, description="a table of the caller's own connection")
    csv_formulas: Literal["keep", "escape"] = Field(
        "keep",
        description="escape: in a CSV file, text that a spreadsheet would take for a formula begins"
        " with an apostrophe; keep: it is published as it is",
    )

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts of the table's name, with the database of the caller's if it has one."""
        whole = self.database_table if self.database is not None else self.table or ""
        return tuple(whole.split("."))

    @property
    def of_values(self) -> Destination:
        """Where the table with counts of sensitive values goes: NAME_values next to NAME."""
        if self.table is not None:
            return Destination(path=None, table=f"{self.table}_values")
        return Destination(path=values_place(self.path or ""), table=None)

    @property
    def is_temporary(self) -> bool:
        """Whether it lives only as long as the caller's connection: `temp.NAME`."""
        return self.table is not None and self.table.lower().startswith("temp.")

    @property
    def is_csv(self) -> bool:
        """Whether the rows are written as CSV; everything else is staged as Parquet."""
        return self.path is not None and self.path.lower().endswith(".csv")


def names_file(table: str) -> bool:
    """Whether the name of a table is that of a file."""
    return "::" in table or "/" in table or bool(Source.model_construct(path=table).file_format)
