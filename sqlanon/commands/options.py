"""What every command takes: a plan, and options for its execution.

Every function that reads a plan has the keywords `connection`, `source` and `overrides`, which are
short for options of these names; `asked` merges them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import duckdb

from sqlanon.boundary.text import checked_text
from sqlanon.bounds import checked_memory, checked_threads
from sqlanon.engines.base import Progress
from sqlanon.engines.python_tables import kind_of
from sqlanon.plan.file import load_plan
from sqlanon.plan.overrides import Overrides, pairs
from sqlanon.plan.plan import Plan
from sqlanon.plan.tables import SOURCE_DATA

PlanLike = str | Path | Mapping[str, Any] | Plan
"""A plan: the path of its file, its content, or the checked plan."""


@dataclass(frozen=True)
class Options:
    """Options for the execution of a command.

    Attributes:
        overrides: keys to set in the plan before it is checked: a mapping such as
            {"privacy.0.k": 10}, or `key=value` texts, whose values are YAML.
        source: the rows, in place of the plan's source: a DataFrame of pandas or polars, a table of
            pyarrow or anything else with an Arrow stream, or a relation of DuckDB. It is copied
            once, as the table `temp.source_data`.
        target: folder for SQL files and the manifest; by default `target/<plan name>/` in the
            plan's folder.
        connection: the caller's DuckDB connection, to read from and publish to.
        session: the caller's SparkSession, for plans with `engine: spark`; also as connection.
        threads: the number of threads of DuckDB.
        memory_limit: the memory limit of DuckDB, such as 4GB.
        progress: called when a step starts, and when it has ended; `print` shows them.
        overwrite: replace an existing file or table even if no run of the plan wrote it.
        locked: publish by the solution next to the plan, without a search; only for `run`.
        report: write both editions of the report after publishing; only for `run`.
    """

    overrides: Overrides = field(default=(), repr=False)  # one may set the seed
    source: object = field(default=None, repr=False, compare=False)
    target: Path | None = None
    connection: duckdb.DuckDBPyConnection | None = None
    session: Any = None
    threads: int | None = None
    memory_limit: str | None = None
    progress: Callable[[Progress], None] | None = None
    overwrite: bool = False
    locked: bool = False
    report: bool = False

    def __post_init__(self) -> None:
        checked_threads(self.threads)
        checked_memory(self.memory_limit)
        if self.target is not None:
            checked_text(str(self.target), "--target")


@dataclass(frozen=True)
class Given:
    """A source of Python that `settled` has put in the place of a plan's."""

    table: object = field(repr=False, compare=False)


def asked(
    options: Options | None,
    *,
    connection: duckdb.DuckDBPyConnection | None = None,
    source: object = None,
    overrides: Overrides = (),
) -> Options:
    """The options with the keywords of a function.

    A keyword wins over the option of its name; keys of `overrides` are set after those of the
    options. A source sets the plan's key `source`, too.

    Raises:
        PlanError: the source is no table, or an override sets no key.
    """
    options = options or Options()
    given = options.source if source is None else source
    to_set = [*pairs(options.overrides), *pairs(overrides)]
    if given is not None and not isinstance(given, Given):
        kind_of(given)
        given = Given(given)
        to_set.append(("source", {"table": SOURCE_DATA}))
    connected: Any = options.connection if connection is None else connection
    session = options.session
    if any(cls.__name__ == "SparkSession" for cls in type(connected).__mro__):
        connected, session = None, connected
    return replace(options, connection=connected, session=session, source=given, overrides=to_set)


def settled(
    plan: PlanLike,
    options: Options | None,
    *,
    connection: duckdb.DuckDBPyConnection | None = None,
    source: object = None,
    overrides: Overrides = (),
) -> tuple[Plan, Options]:
    """The checked plan with all that the options set in it, and the options without that.

    Raises:
        PlanError: the plan is wrong, or see `asked`.
    """
    whole = asked(options, connection=connection, source=source, overrides=overrides)
    return load_plan(plan, whole.overrides), replace(whole, overrides=())
