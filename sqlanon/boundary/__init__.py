"""The boundary of the package: exceptions of public functions disclose no data.

Exceptions of libraries quote cells, inputs and whole files: in their messages, in their attributes,
and in the chain of causes of another exception. Modules turn them into errors of sqlanon where they
know what went wrong; the rest is caught here.
"""

from __future__ import annotations

import functools
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import ParamSpec, TypeVar

from sqlanon.errors import EngineError, InternalError, PlanError, PublishError, SqlanonError
from sqlanon.version import __version__

_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")

_PACKAGE = Path(__file__).parents[1]


def guarded(function: Callable[_Parameters, _Result]) -> Callable[_Parameters, _Result]:
    """The same function, which raises only errors of sqlanon, without foreign causes.

    Ctrl-C and other exceptions that are not an `Exception` pass through.
    """

    @functools.wraps(function)
    def inside(*args: _Parameters.args, **kwargs: _Parameters.kwargs) -> _Result:
        try:
            return function(*args, **kwargs)
        except SqlanonError as error:
            _cut_chain(error)
            raise
        except Exception as error:
            refusal = _own_error(error)
        except BaseException as stop:
            _cut_chain(stop)
            raise
        raise refusal  # outside of the handler, so that the exception is not its context

    return inside


def _own_error(error: Exception) -> SqlanonError:
    """The error for an exception that no module expected."""
    if isinstance(error, MemoryError):
        return EngineError(
            "The memory of the process is full.",
            where="",
            fix="give more memory, or a smaller --memory-limit, beyond which DuckDB spills to disk",
        )
    if isinstance(error, RecursionError):
        return PlanError(
            "Something in the plan or in one of its queries is nested too deeply.",
            where=_place(error),
            fix="write it with fewer parentheses or levels",
        )
    if _is_of_the_system(error):
        return PublishError(
            f"A file could not be read or written ({type(error).__name__}).",
            where=Path(str(getattr(error, "filename", None) or "")).name,
            fix="check that the file exists, that its folder can be written, and that the disk"
            " is not full",
        )
    return InternalError(
        f"This is a bug of sqlanon {__version__}: {type(error).__name__} in {_place(error)}.",
        where="",
        fix="report this line and the command; they contain none of your data",
    )


def _place(error: Exception) -> str:
    """The innermost line of the package that an exception passed through."""
    place = "the command line"
    for frame, line in traceback.walk_tb(error.__traceback__):
        file = Path(frame.f_code.co_filename)
        if file.is_relative_to(_PACKAGE) and file != Path(__file__):
            name = file.relative_to(_PACKAGE.parent).with_suffix("")
            place = f"{'.'.join(name.parts)}:{line}"
    return place


def _is_of_the_system(error: BaseException) -> bool:
    """Whether an exception contains only an error of the operating system and a path."""
    return isinstance(error, OSError) and type(error).__module__ == "builtins"


def _cut_chain(error: BaseException) -> None:
    """Remove foreign exceptions from the chain of causes; our own and the system's may stay."""
    seen: set[int] = set()
    waiting = [error]
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, PlanError):
            waiting += one.faults
        for link in ("__cause__", "__context__"):
            cause = getattr(one, link)
            if cause is None:
                continue
            if isinstance(cause, SqlanonError) or _is_of_the_system(cause):
                waiting.append(cause)
            else:
                suppressed = one.__suppress_context__
                setattr(one, link, None)
                one.__suppress_context__ = suppressed
