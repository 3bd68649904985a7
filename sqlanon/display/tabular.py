"""Results as rows: for pandas, polars and pyarrow, which are imported when they are asked for."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from typing import Any, TypeVar

from sqlanon.boundary import guarded
from sqlanon.display.blocks import Displayed
from sqlanon.errors import EngineError

_Item = TypeVar("_Item")


class Tabular(Displayed):
    """A result with rows."""

    def records(self) -> list[dict[str, Any]]:
        """The rows, each with the same keys: texts, numbers, truth values and None."""
        raise NotImplementedError  # pragma: no cover - every class states its own

    @guarded
    def df(self) -> Any:
        """The rows as a `pandas.DataFrame`.

        Raises:
            EngineError: pandas is not installed.
        """
        return needed("pandas").DataFrame.from_records(self.records())

    @guarded
    def pl(self) -> Any:
        """The rows as a `polars.DataFrame`.

        Raises:
            EngineError: polars is not installed.
        """
        return needed("polars").DataFrame(self.records(), infer_schema_length=None)

    @guarded
    def arrow(self) -> Any:
        """The rows as a `pyarrow.Table`.

        Raises:
            EngineError: pyarrow is not installed.
        """
        return needed("pyarrow").Table.from_pylist(self.records())


class Records(list[_Item], Tabular):
    """A list of results, which is a table, too.

    Args:
        items: the results.
        title: what they are of, for readers.
    """

    def __init__(self, items: Iterable[_Item], title: str) -> None:
        super().__init__(items)
        self.title = title


def needed(package: str) -> Any:
    """A package that sqlanon itself does not need.

    Raises:
        EngineError: it is not installed.
    """
    try:
        return importlib.import_module(package)
    except ImportError:
        pass
    raise EngineError(
        f"{package} is not installed.",
        where=package,
        fix=f"pip install {package}, or pip install 'sqlanon[notebook]' for pandas, polars and"
        " pyarrow",
    )
