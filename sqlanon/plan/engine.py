"""Where a plan's steps run: DuckDB in this process, PostgreSQL, or Spark."""

from __future__ import annotations

import re
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema

from sqlanon.boundary.part import Part
from sqlanon.errors import brief
from sqlanon.hierarchies.base import short_form
from sqlanon.plan.tables import Text

SearchPlace = Literal["engine", "driver"]
"""Where the search runs: where the rows are, or in DuckDB in the process that asks."""


class _Engine(Part):
    """An engine, and what it can do: whoever needs something of it asks by its name here.

    Attributes:
        title: as readers know it.
        dialect: of its statements; a name in `sqlanon.dialects.dialect.DIALECTS`.
        file_formats: of the files that it reads as a source.
        path_becomes: what is made at a path that a plan publishes to; nothing, if only tables are
            published.
        takes: what a caller may hand it: a connection of DuckDB, or a session of Spark.
        has_tables: whether its tables are there without anything of the caller.
        shows_texts: whether texts of its rows may be looked at, to warn of them, and for pages.
        keeps_names: whether working relations are called as the steps that make them.
        recurses: whether one statement can repeat itself over the rows that it makes.
        searches_in_programs: whether a program without a solution can search.
        keeps_order: whether a table has its rows in the order in which they were inserted.
        has_strange_dates: whether it has dates that other databases write in another way.
        shows_metadata: whether it reads the metadata of Parquet files.
        reads_formats: whether it reads dates and numbers as a plan says that they are written.
        rounds_doubles: whether it makes decimals of floating-point numbers as DuckDB does.
    """

    title: ClassVar[str]
    dialect: ClassVar[str]
    file_formats: ClassVar[frozenset[str]] = frozenset()
    path_becomes: ClassVar[Literal["file", "folder", "nothing"]] = "nothing"
    takes: ClassVar[Literal["connection", "session", "nothing"]] = "nothing"
    has_tables: ClassVar[bool] = True
    shows_texts: ClassVar[bool] = False
    keeps_names: ClassVar[bool] = False
    recurses: ClassVar[bool] = False
    searches_in_programs: ClassVar[bool] = False
    keeps_order: ClassVar[bool] = False
    has_strange_dates: ClassVar[bool] = True
    shows_metadata: ClassVar[bool] = False
    reads_formats: ClassVar[bool] = False
    rounds_doubles: ClassVar[bool] = False


class DuckDBKeys(_Engine):
    """DuckDB, embedded in this process."""

    title: ClassVar[str] = "DuckDB"
    dialect: ClassVar[str] = "duckdb"
    file_formats: ClassVar[frozenset[str]] = frozenset({"parquet", "csv", "json"})
    path_becomes: ClassVar[Literal["file", "folder", "nothing"]] = "file"
    takes: ClassVar[Literal["connection", "session", "nothing"]] = "connection"
    has_tables: ClassVar[bool] = False
    shows_texts: ClassVar[bool] = True
    keeps_names: ClassVar[bool] = True
    recurses: ClassVar[bool] = True
    searches_in_programs: ClassVar[bool] = True
    keeps_order: ClassVar[bool] = True
    has_strange_dates: ClassVar[bool] = False
    shows_metadata: ClassVar[bool] = True
    reads_formats: ClassVar[bool] = True
    rounds_doubles: ClassVar[bool] = True
    search: ClassVar[SearchPlace] = "engine"
    placement: ClassVar[str] = ""
    name: Literal["duckdb"]


class _Server(_Engine):
    """A database that is not in this process."""

    search: SearchPlace

    @property
    def placement(self) -> str:
        """Where the plan runs, in words."""
        if self.search == "engine":
            return (
                f"in {self.title}, with the search; no combination of quasi-identifiers leaves it"
            )
        return (
            f"in {self.title}; the search runs here, so distinct combinations of quasi-identifiers,"
            " which are personal data, are read into the memory of this process"
        )


def _variable(name: str) -> str:
    """The name of an environment variable."""
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        raise ValueError(
            "this is not the name of an environment variable; write the URL into one, and its name"
            " here, such as CLINIC_DATABASE"
        )
    return name


class PostgreSQLKeys(_Server):
    """PostgreSQL, where the source is a table, and the publication becomes one."""

    title: ClassVar[str] = "PostgreSQL"
    dialect: ClassVar[str] = "postgres"
    name: Literal["postgres"]
    url_env: Annotated[Text, AfterValidator(_variable)] | None = Field(
        None,
        description="the environment variable that holds the URL of the database; when neither this"
        " nor `service` is given, PGHOST, PGDATABASE and so on decide",
    )
    service: Text | None = Field(
        None, description="a service of the file pg_service.conf, in place of a URL"
    )
    search: SearchPlace = Field(
        "engine",
        description="engine: no combination of quasi-identifiers leaves the database; driver: the"
        " distinct combinations are read once, and searched here in memory",
    )


def _plain(settings: Any) -> Any:
    """Settings as Spark takes them: texts."""
    if not isinstance(settings, dict):
        return settings
    words = {True: "true", False: "false"}
    return {
        key: words[value] if isinstance(value, bool) else str(value)
        for key, value in settings.items()
    }


_SETTING = re.compile(
    r"spark\.(?:cores\.max|default\.parallelism|network\.timeout|speculation|task\.cpus"
    r"|task\.maxFailures"
    r"|driver\.(?:bindAddress|blockManager\.port|host|maxResultSize|port)"
    r"|executor\.(?:heartbeatInterval|instances)"
    r"|(?:driver|executor)\.(?:cores|memory|memoryOverhead|memoryOverheadFactor)"
    r"|dynamicAllocation\.\w+"
    r"|memory\.(?:fraction|storageFraction|offHeap\.enabled|offHeap\.size)"
    r"|sql\.(?:autoBroadcastJoinThreshold|broadcastTimeout|shuffle\.partitions"
    r"|files\.(?:maxPartitionBytes|maxPartitionNum|minPartitionNum|openCostInBytes)"
    r"|adaptive\.(?:advisoryPartitionSizeInBytes|enabled"
    r"|(?:coalescePartitions|skewJoin)\.\w+)))"
)
"""Settings that say how much Spark takes. Others load code, write what Spark reads into logs, or
hold passwords; those are the business of whoever runs a plan, and not of whoever writes one."""


def _sizes(settings: dict[str, str]) -> dict[str, str]:
    for name in settings:
        if not _SETTING.fullmatch(name):
            raise ValueError(
                f"a plan cannot set '{brief(name)}', but only how much memory, how many cores and"
                " partitions Spark takes; write others into spark-defaults.conf, or give a session"
            )
    return settings


def _without_secret(master: str) -> str:
    if re.search(r";(?!use_ssl=|user_agent=|user_id=)", master):
        raise ValueError(
            "what follows the address in a URL, such as a token, would be a secret in a plan; write"
            " it into SPARK_REMOTE or give a session"
        )
    return master


_DRIVER = WithJsonSchema({"enum": ["driver"], "type": "string"})


def _in_driver(search: SearchPlace) -> SearchPlace:
    """The place of the search, which Spark does not do."""
    if search == "engine":
        raise ValueError(
            "Spark does not search: each question would be a job, which takes a third of a second"
            " before it reads a row. Leave this out: the distinct combinations are read once, and"
            " searched here. If they may not leave the database, use PostgreSQL"
        )
    return search


class SparkKeys(_Server):
    """Spark, where the source is a table or Parquet files, and the publication becomes such."""

    title: ClassVar[str] = "Spark"
    dialect: ClassVar[str] = "spark"
    file_formats: ClassVar[frozenset[str]] = frozenset({"parquet"})
    path_becomes: ClassVar[Literal["file", "folder", "nothing"]] = "folder"
    takes: ClassVar[Literal["connection", "session", "nothing"]] = "session"
    name: Literal["spark"]
    master: Annotated[Text, AfterValidator(_without_secret)] | None = Field(
        None,
        description="such as local[2] or spark://HOST:7077; when not given, the configuration of"
        " Spark decides",
    )
    settings: Annotated[dict[str, str], BeforeValidator(_plain), AfterValidator(_sizes)] = Field(
        default_factory=dict, description="settings of Spark, such as spark.executor.memory: 8g"
    )
    search: Annotated[SearchPlace, AfterValidator(_in_driver), _DRIVER] = Field(
        "driver",
        description="the distinct combinations of quasi-identifiers are read once, and searched"
        " here in memory",
    )


EngineKeys = Annotated[
    Annotated[DuckDBKeys | PostgreSQLKeys | SparkKeys, Field(discriminator="name")],
    short_form("name", DuckDBKeys | PostgreSQLKeys | SparkKeys),
]
"""The key `engine` of a plan; a bare name stands for the mapping."""
