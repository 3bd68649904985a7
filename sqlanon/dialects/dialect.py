"""The dialects: their names of types, what they do with names and NULLs, and who has tried them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from sqlglot import exp
from sqlglot.dialects.bigquery import BigQuery
from sqlglot.dialects.presto import Presto

from sqlanon.errors import PlanError, did_you_mean
from sqlanon.sql.render import CONTROL
from sqlanon.sql.step import MISREAD_WORDS, RESERVED_WORDS

Family = Literal["duckdb", "postgres", "spark", "bigquery", "snowflake", "trino"]
"""Dialects that share their functions: Databricks has those of Spark."""

EXECUTED = ("duckdb", "postgres", "spark")
"""The families that tests execute."""

_RESERVED = (
    RESERVED_WORDS | MISREAD_WORDS | {"current_role", "current_schema", "system_user", "user"}
    | BigQuery.Generator.RESERVED_KEYWORDS | Presto.Generator.RESERVED_KEYWORDS
)  # fmt: skip
"""Words that some dialect does not accept as bare names, or takes for calls."""

_RESERVED_BY_SNOWFLAKE = frozenset(
    """
    account all alter and any as between by case cast check column connect connection constraint
    create cross current current_date current_time current_timestamp current_user database delete
    distinct drop else exists false following for from full grant group gscluster having ilike in
    increment inner insert intersect into is issue join lateral left like localtime localtimestamp
    minus natural not null of on or order organization qualify regexp revoke right rlike row rows
    sample schema select set some start table tablesample then to trigger true try_cast union
    unique update using values view when whenever where with
    """.split()  # noqa: SIM905 - a list of words is read as one
)
"""Others stay bare there: a quoted name is not that of an ordinary table, which is in capitals."""


@dataclass(frozen=True)
class Dialect:
    """A dialect that programs are written in."""

    name: str  # as a user names it, and as sqlglot does
    title: str
    family: Family
    executed: bool  # by a test; else what is written is only parsed again
    types: Mapping[str, str]  # names; digits and decimals follow `decimal` in brackets
    # whether NULLs are last by default in ascending, and in descending order; None if settings
    # decide
    nulls_last: tuple[bool, bool] | None
    ignores_nulls: bool = True  # `greatest` and `least`, as DuckDB's do
    has_filter: bool = True  # of aggregates
    has_windows: bool = True  # with names
    keeps: bool = False  # whether a named relation can be `materialized`
    reserved: frozenset[str] = _RESERVED  # words that are no bare names
    longest_name: int = 0  # the bytes of a name that count; 0 if all do
    refused_in_names: str = ""  # characters

    @property
    def tried(self) -> str:
        """One sentence about what was tried, for the header of a file."""
        if self.executed:
            return f"tests of sqlanon execute such programs with {self.title}"
        return f"only translated to the SQL of {self.title}; no test of sqlanon executes it there"

    def identifier(self, name: str) -> str:
        """A name, quoted only if necessary; a PlanError if the dialect cannot have it."""
        return exp.to_identifier(name, quoted=self.quotes(name)).sql(dialect=self.name)

    def quotes(self, name: str) -> bool:
        """Whether a name has to be quoted; a bare one is all in small letters."""
        if CONTROL.search(name) or "\t" in name or set(name) & set(self.refused_in_names):
            raise does_not_carry_over("a name with such characters", self, "rename the column")
        if self.longest_name and len(name.encode()) > self.longest_name:
            raise does_not_carry_over(
                f"a name of more than {self.longest_name} bytes", self, "rename the column"
            )
        plain = name.isascii() and name.isidentifier() and name == name.lower()
        return not plain or name in self.reserved

    def literal(self, value: str) -> str:
        """A text as a literal."""
        return exp.Literal.string(value).sql(dialect=self.name)


def does_not_carry_over(what: str, dialect: Dialect, fix: str = "") -> PlanError:
    """The error for something that cannot be written in a dialect."""
    return PlanError(
        f"This does not carry over to {dialect.title}: {what}.",
        where=f"--dialect {dialect.name}",
        fix=fix or "run the plan with DuckDB, or leave out what needs this",
    )


_STANDARD = {
    "text": "varchar", "bigint": "bigint", "integer": "integer", "double": "double",
    "decimal": "decimal", "date": "date", "timestamp": "timestamp", "boolean": "boolean",
}  # fmt: skip
_SPARK = _STANDARD | {"text": "string", "integer": "int", "timestamp": "timestamp_ntz"}

_ALL = (
    Dialect("duckdb", "DuckDB", "duckdb", True, _STANDARD, (True, True), keeps=True),
    Dialect(
        "postgres", "PostgreSQL", "postgres", True,
        _STANDARD | {"text": "text", "double": "double precision", "decimal": "numeric"},
        (True, False), keeps=True, longest_name=63,
    ),
    Dialect("spark", "Spark", "spark", True, _SPARK, (False, True)),
    Dialect("databricks", "Databricks", "spark", False, _SPARK, (False, True), longest_name=255),
    Dialect(
        "bigquery", "BigQuery", "bigquery", False,
        {
            "text": "string", "bigint": "int64", "integer": "int64", "double": "float64",
            "decimal": "bignumeric", "date": "date", "timestamp": "datetime", "boolean": "bool",
        },
        (False, True), ignores_nulls=False, has_filter=False, longest_name=300,
        refused_in_names="!\"$()*,./;?@[\\]^`{}~",
    ),
    Dialect(
        "snowflake", "Snowflake", "snowflake", False,
        _STANDARD | {"decimal": "number", "timestamp": "timestamp_ntz"},
        None, ignores_nulls=False, has_filter=False, has_windows=False,
        reserved=_RESERVED_BY_SNOWFLAKE, longest_name=255,
    ),
    Dialect(
        "trino", "Trino", "trino", False, _STANDARD | {"timestamp": "timestamp(6)"},
        (True, True), ignores_nulls=False,
    ),
)  # fmt: skip

DIALECTS: Mapping[str, Dialect] = {dialect.name: dialect for dialect in _ALL}


def dialect_of(name: str) -> Dialect:
    """The dialect of this name; a PlanError if there is none."""
    if name not in DIALECTS:
        raise PlanError(
            "There is no such dialect.", where="--dialect", fix=did_you_mean(name, DIALECTS)
        )
    return DIALECTS[name]
