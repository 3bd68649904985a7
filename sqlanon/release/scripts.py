"""What the statements of a program are in the shell of another database: `Script`."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import ClassVar, Literal

from sqlanon.dialects.dialect import dialect_of
from sqlanon.dialects.reads import csv_layout
from sqlanon.errors import PlanError
from sqlanon.plan.plan import Plan
from sqlanon.plan.tables import Destination, Source
from sqlanon.sql.tables import table_parts
from sqlanon.system.secrets import Secret


class Script(ABC):
    """Writes the statements around the queries of a program; queries are in its dialect.

    Args:
        plan: whose program it is. Working relations are called by a part of its digest, so that
            the program is the same each time.

    Attributes:
        most_plans: how often relations may be planned for one step.
    """

    dialect: ClassVar[str]
    most_plans: ClassVar[float] = math.inf

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.own = f"sqlanon_{plan.sha256[:16]}"

    def sql(self, name: str) -> str:
        """The name of a table, as a plan writes it, in SQL."""
        return ".".join(map(dialect_of(self.dialect).identifier, table_parts(name)))

    @abstractmethod
    def relation(self, name: str) -> str:
        """What a working relation is called, as a plan names a table."""

    @abstractmethod
    def header(self, file: str) -> list[str]:
        """Lines about how to execute the program, each with its title.

        Args:
            file: the program, from the plan's folder.
        """

    @abstractmethod
    def given(self, secret: Secret) -> str:
        """How a secret is given to the session, in words."""

    @abstractmethod
    def opening(self, secrets: Iterable[Secret]) -> list[str]:
        """The statements before the first step."""

    @abstractmethod
    def made(self, kind: Literal["view", "table"], relation: str, query: str) -> list[str]:
        """The statements that make a working relation."""

    @abstractmethod
    def staged(self, place: Destination, path: str, query: str) -> tuple[str, list[str]]:
        """The name of staged rows as a table, and the statements that write them.

        Args:
            place: where they will be published.
            path: of the file that DuckDB would write.
        """

    @abstractmethod
    def file(self, relation: str, path: str, reader: str, columns: Sequence[str]) -> list[str]:
        """The statements that read a local file of texts, such as that of a hierarchy.

        Args:
            path: from the plan's folder.
            reader: how DuckDB reads it.
        """

    @abstractmethod
    def files(self, relation: str, source: Source) -> list[str]:
        """The statements that make the files of a source a relation."""

    @abstractmethod
    def closing(self, proven: str, staged: Sequence[tuple[Destination, str]]) -> list[str]:
        """The statements that publish staged rows, if there is a row in `proven`."""


def csv_file(reader: str, path: str) -> tuple[str, str]:
    """The delimiter of a CSV file, and whether its first line has names: true or false.

    Args:
        reader: as DuckDB reads it.
        path: for the message.

    Raises:
        PlanError: DuckDB would look at the file to find its layout.
    """
    layout = csv_layout(reader)
    if layout is None:
        raise PlanError(
            f"The program cannot read '{path}' as DuckDB does.",
            where="hierarchies",
            fix="name the file as a hierarchy (`file:`), or load it into the database",
        )
    delimiter, header = layout
    return delimiter, str(header).lower()
