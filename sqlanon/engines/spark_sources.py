"""What tells that rows were changed while a run reads them several times.

Spark reads a source anew in every pass. Where its rows are in files, a change shows in their names,
sizes or times; what has no files is asked for a digest of its rows.
"""

from __future__ import annotations

import contextlib
import urllib.parse
from collections.abc import Callable, Collection, Hashable
from dataclasses import dataclass, field

from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import DataFrame, SparkSession, functions
from pyspark.sql.types import DecimalType, MapType, VariantType

from sqlanon.engines.spark_files import escaped
from sqlanon.errors import PublishError

_UNHASHED = (MapType, VariantType)
"""Types of columns that have no hash; no plan reads them."""


@dataclass
class Sources:
    """The tables and files that a run reads, as they were when they were first read."""

    session: SparkSession
    _seen: dict[str, tuple[Callable[[], Hashable], Hashable]] = field(default_factory=dict)

    def watch(self, called: str, rows: DataFrame, columns: Collection[str]) -> None:
        """Remember the rows of a relation.

        Args:
            called: in SQL; it is read again by this name.
            columns: those that the plan names, in small letters; all if there are none of these.
        """
        files = sorted(rows.inputFiles())
        if files:
            # A catalog may refuse who reads its files without it.
            with contextlib.suppress(PySparkException):
                self._remember(called, lambda: self._state_of_files(files))
                return
        self._remember(called, lambda: _digest(self.session.table(called), columns))

    def require_unchanged(self) -> None:
        """Check that nothing changed since.

        Raises:
            PublishError: rows, or the files that they are in, are others now.
        """
        for look, before in self._seen.values():
            try:
                is_same = look() == before
            except AnalysisException:  # it is gone
                is_same = False
            if not is_same:
                raise PublishError(
                    "The rows that the run reads were changed meanwhile.",
                    where="source",
                    fix="run again, when nobody writes to them; nothing was published",
                )

    def _remember(self, called: str, look: Callable[[], Hashable]) -> None:
        if called not in self._seen:
            self._seen[called] = look, look()

    def _state_of_files(self, files: list[str]) -> Hashable:
        """Names, times of change and sizes of files.

        Raises:
            AnalysisException: a file is gone.
        """
        paths = [escaped(urllib.parse.unquote(file)) for file in files]
        found = self.session.read.format("binaryFile").load(paths)
        told = found.select("path", "modificationTime", "length").collect()
        return tuple(sorted(map(tuple, told)))


def _digest(rows: DataFrame, columns: Collection[str]) -> Hashable:
    """Number and digest of rows, in any order."""
    hashed = [one.name for one in rows.schema.fields if not isinstance(one.dataType, _UNHASHED)]
    named = [name for name in hashed if name.lower() in columns] or hashed
    place = functions.xxhash64(*(rows[f"`{name.replace('`', '``')}`"] for name in named))
    ((count, total),) = rows.select(
        functions.count("*"), functions.sum(place.cast(DecimalType(38, 0)))
    ).collect()
    return count, total
