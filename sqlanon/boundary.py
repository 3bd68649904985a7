"""The boundary of the package: what a public function raises tells nothing that it should not.

Exceptions of libraries quote cells, inputs and whole files: in their words, in what they hold, and
in the chain of causes behind another exception. Modules turn them into errors of sqlanon where
they know what went wrong; what is left is caught here.
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

_PACKAGE = Path(__file__).parent


def guarded(function: Callable[_Parameters, _Result]) -> Callable[_Parameters, _Result]:
    """The same function; it raises errors of sqlanon alone, with nothing foreign behind them.

    Ctrl-C and other exceptions that are no `Exception` pass.
    """

    @functools.wraps(function)
    def inside(*args: _Parameters.args, **kwargs: _Parameters.kwargs) -> _Result:
        try:
            return function(*args, **kwargs)
        except SqlanonError as error:
            _cut_chain(error)
            raise
        except Exception as error:
            told = _told(error)
        except BaseException as stop:
            _cut_chain(stop)
            raise
        raise told  # outside of the handler, so that the exception is not its context

    return inside


def _told(error: Exception) -> SqlanonError:
    """What is said of an exception that no module expected."""
    if isinstance(error, MemoryError):
        return EngineError(
            "The memory of the process is full.",
            where="",
            fix="give more memory, or a smaller --memory-limit, beyond which rows go to disk",
        )
    if isinstance(error, RecursionError):
        return PlanError(
            "Something in the plan or in a query of it is nested too deeply.",
            where=_place(error),
            fix="write it with fewer parentheses or levels",
        )
    if _is_of_the_system(error):
        return PublishError(
            f"A file could not be read or written ({type(error).__name__}).",
            where=Path(str(getattr(error, "filename", None) or "")).name,
            fix="check that the file exists, that its folder can be written, and free disk space",
        )
    return InternalError(
        f"sqlanon {__version__} has a fault: {type(error).__name__} in {_place(error)}.",
        where="",
        fix="report this line and the command; nothing of your data stands in it",
    )


def _place(error: Exception) -> str:
    """The innermost line of the package that an exception passed."""
    place = "the command line"
    for frame, line in traceback.walk_tb(error.__traceback__):
        file = Path(frame.f_code.co_filename)
        if file.is_relative_to(_PACKAGE) and file != Path(__file__):
            name = file.relative_to(_PACKAGE.parent).with_suffix("")
            place = f"{'.'.join(name.parts)}:{line}"
    return place


def _is_of_the_system(error: BaseException) -> bool:
    """Whether an exception tells no more than the system's error and a path."""
    return isinstance(error, OSError) and type(error).__module__ == "builtins"


def _cut_chain(error: BaseException) -> None:
    """Take from the chain of causes whatever may hold values; our own and the system's may stay."""
    seen: set[int] = set()
    waiting = [error]
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        for link in ("__cause__", "__context__"):
            behind = getattr(one, link)
            if behind is None:
                continue
            if isinstance(behind, SqlanonError) or _is_of_the_system(behind):
                waiting.append(behind)
            else:
                suppressed = one.__suppress_context__
                setattr(one, link, None)
                one.__suppress_context__ = suppressed
