"""The limits of what a plan may ask for: numbers, names, paths, threads and memory.

A number beyond them is almost certainly a mistake, and databases and machines fail unpredictably.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Annotated

from pydantic import AfterValidator, Field

from sqlanon.errors import PlanError, brief

MOST_LEVELS = 250
"""Levels of a hierarchy; each is a column in SQL."""

MOST_COLUMNS = 2_000
"""Columns of a plan."""

MOST_ROWS_OF_A_PERSON = 1_000
"""Rows of a person that linked histories may publish."""

MOST_THREADS = 512

MOST_NAMES = 4
"""Values that the label of a set names, unless a plan says otherwise."""

_MOST = 1_000_000_000

Count = Annotated[int, Field(le=_MOST)]
"""A number of rows, values or steps."""

Number = Annotated[Decimal, Field(le=_MOST, decimal_places=25)]
"""A parameter of a model or an attack, exact; SQL contains all of its digits."""

AnyNumber = int | float | Decimal | str
"""A number that is given in Python: text and decimals are exact, a float is what it prints."""

Levels = Annotated[int, Field(le=MOST_LEVELS)]
"""A number of levels."""

LEAST_MEMORY = 64 * 1000**2
"""Bytes that DuckDB needs to do anything at all."""

_MEMORY = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)\s*([KMGT]?)(i?)B", re.ASCII | re.IGNORECASE)
_MOST_MEMORY = 10**15
_DURATION = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)\s*(ms|s|min|h)", re.ASCII)
_SECONDS = {"ms": 0.001, "s": 1.0, "min": 60.0, "h": 3600.0}
_LONGEST_PATH = 4096
_LONGEST_PART = 255


def _path(path: str) -> str:
    """The path, if it is possible in a file system."""
    if not path.isprintable():
        raise ValueError("a path contains a character that cannot be printed; rename the file")
    if path.startswith("file:/"):  # it would be read, and no check would know which file it is
        raise ValueError("a path is the URL of a file; write the path without 'file:'")
    parts = path.split("::", 1)[0].split("/")
    if len(path) > _LONGEST_PATH or any(len(part.encode()) > _LONGEST_PART for part in parts):
        raise ValueError(
            f"a name in a path has more than {_LONGEST_PART} bytes, or the path more than"
            f" {_LONGEST_PATH:,} characters; use a shorter one"
        )
    return path


PathText = Annotated[str, Field(min_length=1), AfterValidator(_path)]
"""The path of a file as a plan names it."""


def _weight(weight: float) -> float:
    if 0 < weight < 1e-6:
        raise ValueError("a weight must be 0, or at least 0.000001; give weights such as 1 and 2")
    return weight


Weight = Annotated[float, Field(ge=0, le=1e6, allow_inf_nan=False), AfterValidator(_weight)]
"""0, or 0.000001 to 1,000,000, so that weighted losses can be added and compared."""


def checked_threads(threads: int | None) -> int | None:
    """The number of threads, if it is possible.

    Raises:
        PlanError: it is not a whole number from 1 to `MOST_THREADS`.
    """
    if threads is None or (type(threads) is int and 1 <= threads <= MOST_THREADS):
        return threads
    raise PlanError(
        f"The number of threads must be a whole number from 1 to {MOST_THREADS}.",
        where="--threads",
        fix="give at most the number of cores, or leave it out to use all cores",
    )


def checked_memory(limit: str | None) -> str | None:
    """The memory limit, if DuckDB can work with it.

    Raises:
        PlanError: it is not a size, or less than `LEAST_MEMORY`.
    """
    if limit is None:
        return None
    if not isinstance(limit, str) or not _MEMORY.fullmatch(limit.strip()):
        raise PlanError(
            f"Invalid memory limit '{brief(str(limit))}'."
            if isinstance(limit, str)
            else "The memory limit must be text.",
            where="--memory-limit",
            fix="give a number and a unit, such as 4GB or 800MB",
        )
    size = memory_size(limit.strip())
    if size > _MOST_MEMORY:
        raise PlanError(
            f"No machine has {limit.strip()} of memory.",
            where="--memory-limit",
            fix="give a limit such as 4GB, or leave it out",
        )
    if size < LEAST_MEMORY:
        raise PlanError(
            f"DuckDB cannot work with a memory limit of {limit.strip()}.",
            where="--memory-limit",
            fix=f"give {LEAST_MEMORY // 1000**2}MB or more",
        )
    return limit.strip()


def checked_budget(budget: str | None) -> float | None:
    """The seconds of a budget of time, such as `30s` or `5min`.

    Raises:
        PlanError: it is not a time, or no time at all, or more than a plan may give.
    """
    if budget is None:
        return None
    found = _DURATION.fullmatch(budget.strip()) if isinstance(budget, str) else None
    seconds = float(found[1]) * _SECONDS[found[2]] if found else 0.0
    if not 0 < seconds <= _MOST:
        raise PlanError(
            f"'{brief(budget)}' is no time that a search can take.",
            where="--budget",
            fix="give a number above 0 and a unit, such as 30s, 5min or 1.5h",
        )
    return seconds


def memory_size(limit: str) -> int:
    """The bytes of a size such as '4GB' or '953.6 MiB', as DuckDB reads and writes it."""
    found = _MEMORY.fullmatch(limit)
    if found is None:
        raise ValueError("no size of memory")
    number, unit, binary = found.groups()
    power = " KMGT".index(unit.upper() or " ")
    return int(float(number) * (1024 if binary else 1000) ** power)
