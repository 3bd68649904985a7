"""The catalog of Spark: how its tables and views are named and described."""

from __future__ import annotations

import itertools
import urllib.parse
from dataclasses import dataclass
from pathlib import Path

from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

from sqlanon.dialects.dialect import DIALECTS
from sqlanon.sql.tables import Parts

_SPARK = DIALECTS["spark"]


@dataclass(frozen=True)
class Described:
    """A table or view, as the catalog describes it.

    Attributes:
        columns: their names and Spark's types.
        told: what else is known of it; nothing of a temporary view.
    """

    columns: list[tuple[str, str]]
    told: dict[str, str]


def described(session: SparkSession, table: Parts) -> Described | None:
    """A table or view; None if there is none."""
    try:
        rows = session.sql(f"describe table extended {name_of(table)}").collect()
    except AnalysisException:
        return None
    columns = [(row[0], row[1]) for row in itertools.takewhile(lambda row: row[0], rows)]
    return Described(columns, {row[0]: row[1] for row in rows[len(columns) :]})


def local_folder(location: str) -> Path | None:
    """The path of a location in the catalog; None if it is on another file system."""
    found = urllib.parse.urlparse(location)
    return Path(urllib.parse.unquote(found.path)) if found.scheme == "file" else None


def name_of(table: Parts) -> str:
    """The name of a table in SQL."""
    return ".".join(map(_SPARK.identifier, table))


def text_of(value: str) -> str:
    """A text as a literal in SQL."""
    return _SPARK.literal(value)
