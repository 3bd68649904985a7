"""Spark: steps run where the rows are, in a session of its own or in one of the caller.

Only calls that Spark Connect has are made of a session. Working relations are temporary views with
a random prefix in their names. A table is a checkpoint in the memory of the executors, or in their
private spill folders: where it is lost with its executor, the step that reads it fails. It is not
computed again, as its source could have changed since, and no run goes on with rows of two times.
"""

from __future__ import annotations

import contextlib
import re
import secrets
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

import pyarrow
from py4j.protocol import Py4JJavaError
from pyspark import StorageLevel
from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import DataFrame, SparkSession

from sqlanon.dialects.dialect import DIALECTS
from sqlanon.engines.base import Database, StagedRows
from sqlanon.engines.spark_files import Publications, Sources, catalog_table, escaped, name_of
from sqlanon.engines.spark_session import opened, result_settings, shares_files, with_settings
from sqlanon.engines.spark_types import arrow_rows, duckdb_type, spark_schema, widened
from sqlanon.errors import EngineError, SqlanonError
from sqlanon.plan.tables import Destination
from sqlanon.sql.paths import is_remote
from sqlanon.sql.step import Rows
from sqlanon.sql.tables import Parts, table_parts

_NO_SETTINGS: Mapping[str, str] = MappingProxyType({})


class Spark(Database):
    """A session of Spark, in which steps run.

    Args:
        master, settings, session: see `sqlanon.engines.spark_session.opened`.
        folder: that the paths of publications are relative to.
    """

    def __init__(
        self,
        master: str | None = None,
        settings: Mapping[str, str] = _NO_SETTINGS,
        *,
        session: SparkSession | None = None,
        time_zone: str = "UTC",
        folder: Path = Path(),
    ) -> None:
        self._own = f"sqlanon_{secrets.token_hex(8)}"
        self._views: set[str] = set()
        self._variables: dict[str, str] = {}
        self._last = ""
        self._undo = contextlib.ExitStack()
        try:
            self._session = self._undo.enter_context(opened(master, settings, session))
            settings_of_results = result_settings(self._session, time_zone)
            self._undo.enter_context(with_settings(self._session, settings_of_results))
            self.version = str(self._session.version)
            self._is_local = shares_files(self._session)
            self._sources = Sources(self._session)
            self._publications = Publications(
                self._session, folder, is_own=session is None, is_local=self._is_local
            )
            self._undo.callback(self._drop_all)
            self._undo.callback(self._publications.close)
        except BaseException:
            self.close()
            raise

    def relation(self, name: str) -> str:
        return f"{self._own}_{name}"

    def make(self, kind: Literal["view", "table"], relation: str, query: str) -> None:
        frame = self._frame(query)
        self._view(relation, self._kept(frame) if kind == "table" else frame)

    def rows(self, query: str, most: int | None = None) -> Rows:
        frame = self._frame(query)
        found = (frame if most is None else frame.limit(most)).toArrow()
        return list(zip(*(column.to_pylist() for column in found.columns), strict=True))

    def arrow(self, query: str) -> pyarrow.Table:
        return widened(self._frame(query).toArrow())

    def load(
        self,
        relation: str,
        rows: pyarrow.Table,
        types: Mapping[str, str],
        file: tuple[str, str] | None = None,
    ) -> None:
        found = arrow_rows(rows, types)
        self._view(relation, self._session.createDataFrame(found, spark_schema(found.schema)))

    def columns(self, table: Parts) -> dict[str, str] | None:
        try:
            fields = self._session.table(name_of(table)).schema.fields
        except AnalysisException:
            return None
        return {field.name: duckdb_type(field) for field in fields}

    def is_view(self, table: Parts) -> bool:
        found = catalog_table(self._session, table)
        return found is None or found.properties.get("Type") not in ("EXTERNAL", "MANAGED")

    def open_files(self, path: str) -> str | None:
        relation = self.relation(f"files_{len(self._views)}")
        reader = self._session.read.option("recursiveFileLookup", "true")
        if not re.fullmatch(r"[^*?]*\.(parquet|pq)", path):
            reader = reader.option("mergeSchema", "true")  # else columns of later files go unseen
        pattern = escaped(path, wildcards=True)
        self._view(relation, reader.parquet(pattern if is_remote(path) else f"file://{pattern}"))
        return relation

    def watch(self, relation: str, columns: Collection[str]) -> None:
        self._sources.watch(table_parts(relation), columns)

    def require_unchanged(self) -> None:
        self._sources.require_unchanged()

    def set_variable(self, name: str, value: str) -> None:
        # What Spark shows of a query has the values of its session variables, and of a table none.
        relation = self.relation(name)
        self.load(relation, pyarrow.table({"value": [value]}), {"value": "VARCHAR"})
        self._variables[f"system.session.{name}"] = f"(select value from {relation})"

    def stage(self, place: Destination, query: str) -> str:
        # Spark sees while it runs that classes are few, and sends them to the rows.
        with with_settings(self._session, {"spark.sql.adaptive.enabled": "true"}):
            files = self._publications.stage(place, self._frame(query))
        relation = self.relation(f"staged_{len(self._views)}")
        self._view(relation, self._session.read.parquet(*files))
        return relation

    def digest(self, place: Destination) -> str | None:
        return self._publications.digest(place)

    def existing_digest(self, place: Destination) -> str | None:
        return self._publications.existing_digest(place)

    def publish(self, staged: Sequence[StagedRows]) -> None:
        self._publications.publish(staged)

    def cancel(self) -> None:
        with contextlib.suppress(Exception):  # what has ended meanwhile cannot be stopped
            self._session.interruptAll()  # tags are those of a thread, and this is another one

    def refusal(self, error: Exception, where: str) -> SqlanonError:
        return as_error(error, where, self._last)

    def close(self) -> None:
        self._undo.close()

    def _frame(self, query: str) -> DataFrame:
        self._last = query
        for name, value in self._variables.items():
            query = query.replace(name, value)
        return self._session.sql(query)

    def _kept(self, frame: DataFrame) -> DataFrame:
        twice = StorageLevel.MEMORY_AND_DISK if self._is_local else StorageLevel.MEMORY_AND_DISK_2
        return frame.localCheckpoint(eager=True, storageLevel=twice)

    def _view(self, relation: str, frame: DataFrame) -> None:
        frame.createOrReplaceTempView(relation)
        self._views.add(relation)

    def _drop_all(self) -> None:
        with contextlib.suppress(Exception):  # the session may have ended
            for relation in sorted(self._views):
                self._session.catalog.dropTempView(relation)


_OURS = re.compile(r"\Asqlanon: [^\n]*\Z")

_NAMES = ("UNRESOLVED_COLUMN", "TABLE_OR_VIEW_NOT_FOUND", "PATH_NOT_FOUND")
"""Errors about what a plan names."""


def as_error(error: Exception, where: str, query: str) -> SqlanonError:
    """The error for what Spark raised, by its condition: messages of Spark quote cells.

    Args:
        query: that was asked. It has sqlanon's own messages as literals; any other may be of cells.
    """
    if isinstance(error, SqlanonError):
        return error
    condition, state, parameters = _condition(error)
    if condition.startswith("USER_RAISED_EXCEPTION"):
        ours = next((text for text in parameters.values() if _OURS.match(text)), "")
        if ours and DIALECTS["spark"].literal(ours) in query:
            fix = "fix what the message names; nothing was published"
            return EngineError(ours.removeprefix("sqlanon: "), where=where, fix=fix)
    if condition.startswith(_NAMES):
        fix = "check the names of tables, columns and paths in the plan"
    elif not condition:
        fix = "look into the logs of Spark; its message may quote cells. Nothing was published"
    else:
        fix = "read the step in what `sqlanon compile` writes; Spark's message may quote cells"
    shown = ", ".join(filter(None, (condition or type(error).__name__, state)))
    return EngineError(f"Spark refused the step ({shown}).", where=where, fix=fix)


def _condition(error: Exception) -> tuple[str, str, dict[str, Any]]:
    """The condition of an error, its SQLSTATE, and what fills its message."""
    with contextlib.suppress(Exception):  # asked of Spark, which may have ended
        if isinstance(error, PySparkException):
            return (
                str(error.getCondition() or ""),
                str(error.getSqlState() or ""),
                dict(error.getMessageParameters() or {}),
            )
        if isinstance(error, Py4JJavaError):
            cause = error.java_exception
            while cause.getCause() is not None:
                cause = cause.getCause()
            return str(cause.getClass().getSimpleName()), "", {}
    return "", "", {}
