"""What every command takes: a plan, and options for its execution."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, ParamSpec, TypedDict, TypeVar, Unpack, get_args, get_type_hints

import duckdb

from sqlanon.boundary import guarded
from sqlanon.boundary.text import checked_text
from sqlanon.bounds import checked_budget, checked_memory, checked_threads
from sqlanon.engines.base import Progress
from sqlanon.engines.python_tables import kind_of
from sqlanon.errors import PlanError
from sqlanon.plan.plan import Plan
from sqlanon.plan.tables import SOURCE_DATA, Source
from sqlanon.plan.yaml_file import Overrides, pairs

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
        budget: how long the search may take, such as 30s or 5min: then it returns the best node
            found. It replaces the time that the plan gives its method, and changes no digest.
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
    budget: str | None = None
    progress: Callable[[Progress], None] | None = None
    overwrite: bool = False
    locked: bool = False
    report: bool = False

    def __post_init__(self) -> None:
        checked_threads(self.threads)
        checked_memory(self.memory_limit)
        if checked_budget(self.budget) and self.locked:
            raise PlanError(
                "By a reviewed solution, nothing is searched, so there is no time to limit.",
                where="--budget",
                fix="leave out --budget, or --locked",
            )
        if self.target is not None:
            checked_text(str(self.target), "--target")


class Connected(TypedDict, total=False):
    """Keywords of every function that reads a plan, short for the options of these names."""

    connection: duckdb.DuckDBPyConnection | None
    overrides: Overrides


class Inputs(TypedDict, total=False):
    """Keywords of every function that reads the source of a plan, in the same way."""

    connection: duckdb.DuckDBPyConnection | None
    source: object
    overrides: Overrides


_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")


def command(function: Callable[_Parameters, _Result]) -> Callable[_Parameters, _Result]:
    """The function of a command, guarded; its signature lists the keywords of its `inputs`.

    Another keyword is a TypeError, as of any function: a misspelled one must not be ignored.
    """
    signature = inspect.signature(function)
    own = [one for name, one in signature.parameters.items() if name != "inputs"]
    (inputs,) = get_args(get_type_hints(function)["inputs"])
    defaults = {one.name: one.default for one in fields(Options)}
    keywords = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=defaults[name],
            annotation=annotation.__forward_arg__,
        )
        for name, annotation in inputs.__annotations__.items()
    ]
    parameters = sorted([*keywords, *own], key=lambda one: one.kind)
    shown = signature.replace(parameters=parameters)
    function.__signature__ = shown  # type: ignore[attr-defined]
    inner = guarded(function)

    @functools.wraps(inner)
    def checked(*arguments: _Parameters.args, **keywords: _Parameters.kwargs) -> _Result:
        shown.bind(*arguments, **keywords)
        return inner(*arguments, **keywords)

    return checked


def merged_options(options: Options | None, **inputs: Unpack[Inputs]) -> Options:
    """The options with the keywords of a function.

    A keyword wins over the option of its name; keys of `overrides` are set after those of the
    options. A source takes the place of the plan's, too, and leaves it how columns are read.
    """
    merged = options or Options()
    overrides = [*pairs(merged.overrides), *pairs(inputs.get("overrides", ()))]
    if inputs.get("connection") is not None:
        merged = replace(merged, connection=inputs["connection"])
    if inputs.get("source") is not None:
        merged = replace(merged, source=inputs["source"])
    if merged.source is not None:
        kind_of(merged.source)
        # another place, whose columns are read as the plan says
        places = {name: one for name, one in Source.model_fields.items() if name != "read"}
        for name, place in places.items():
            value = SOURCE_DATA if name == "table" else place.get_default(call_default_factory=True)
            overrides.append((f"source.{name}", value))
    if any(cls.__name__ == "SparkSession" for cls in type(merged.connection).__mro__):
        merged = replace(merged, connection=None, session=merged.connection)
    return replace(merged, overrides=overrides)
