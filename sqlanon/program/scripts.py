"""What the statements of a program are in the shell of another database: `Script`.

A script stands for the database when the steps of a program are executed: it writes down what the
engine asks of it, and answers no question.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Literal

from sqlanon.boundary.secrets import Secret
from sqlanon.dialects.dialect import dialect_of
from sqlanon.dialects.steps import csv_layout
from sqlanon.errors import PlanError
from sqlanon.plan.plan import Plan
from sqlanon.plan.tables import Destination, Source
from sqlanon.sql.paths import PathMap
from sqlanon.sql.step import Rows, Step, references, split
from sqlanon.sql.tables import Parts, table_name, table_parts


class Script(ABC):
    """Writes the statements around the queries of a program; queries are in its dialect.

    Args:
        plan: whose program it is, with the types of its columns. Working relations are called by a
            part of its digest, so that the program is the same each time.
        staged: where the rows of copies are published, by the copies' targets.
        types_of: DuckDB's type of each column of a table of the user that the plan reads in a
            query; None if there is no such table.

    Attributes:
        most_plans: how often relations may be planned for one step.
    """

    version = ""
    dialect: ClassVar[str]
    most_plans: ClassVar[float] = math.inf

    def __init__(
        self,
        plan: Plan,
        staged: Mapping[str, Destination],
        types_of: Callable[[Parts], Mapping[str, str] | None],
    ) -> None:
        dialect = dialect_of(self.dialect)
        self.identifier, self.literal = dialect.identifier, dialect.literal
        self.plan = plan
        self.own = f"sqlanon_{plan.sha256[:16]}"
        self._types_of = types_of
        self._paths = {place: path for path, place in staged.items()}
        self._types: dict[str, Mapping[str, str]] = {}
        self._planned: dict[str, int] = {}
        self._written: list[str] = []
        self._made = ""
        self._staged: list[tuple[Destination, str]] = []
        for which, source in self._sources().items():
            if source.table is not None:
                self._types[source.table] = plan.types.get(which, {})

    # --- what is written down

    def taken(self) -> tuple[str, ...]:
        """The statements since they were last taken."""
        found, self._written = tuple(self._written), []
        return found

    def published(self) -> list[str]:
        """The statements that publish what was staged, if the last relation has a row."""
        return self.closing(self._made, self._staged)

    def count_plans(self, step: Step) -> None:
        """Count how often the shell plans relations for a step.

        A relation is planned as often as it is read, with all that it reads itself; so rounds that
        each read the one before several times are planned times without number.

        Raises:
            PlanError: too often.
        """
        read = references(step.select)
        count = 1 + sum(self._planned.get(name, 1) for name in read)
        self._planned[step.name.lower()] = count
        if count > self.most_plans:
            raise PlanError(
                f"The step {step.name} cannot be in a program: its shell would plan its views again"
                f" {count:,} times.",
                where=self.plan.where("engine"),
                fix="publish with `sqlanon run`, which plans each relation once",
            )

    # --- what an engine asks of a database

    def make(self, kind: Literal["view", "table"], relation: str, query: str) -> None:
        """A working relation, whose statement begins with what its step says of itself."""
        header, query = split(query)
        self._write(header, self.made(kind, relation, query))
        self._made = relation

    def stage(self, place: Destination, query: str) -> str:
        """The name of staged rows as a table."""
        header, query = split(query)
        relation, statements = self.staged(place, self._paths[place], query)
        self._write(header, statements)
        self._staged.append((place, relation))
        return relation

    def rows(self, query: str, most: int | None = None) -> Rows:
        """None; a question of the program itself, such as one that stops it, asks for all."""
        if most is None:
            self._written.append(query.rstrip("\n") + ";")
        return []

    def load(self, relation: str, rows: Any, types: Collection[str], file: tuple[str, str]) -> None:
        """A local file, which the shell reads."""
        self._written += self.file(relation, *file, [*types])

    def open_files(self, path: str) -> str:
        """The files of a source as a relation."""
        places = PathMap(self.plan.folder)
        for which, source in self._sources().items():
            if source.path and places.absolute(source.path) == path:
                relation = self.relation(f"{which}_files")
                self._types[relation] = self.plan.types[which]
                self._written += self.files(relation, source)
                return relation
        raise AssertionError("the plan reads no such files")

    def columns(self, table: Parts) -> Mapping[str, str] | None:
        """DuckDB's type of each column of a table of the user; None if there is none."""
        return self._types.get(table_name(table)) or self._types_of(table)

    watch = set_variable = cancel = close = staticmethod(lambda *_: None)
    """There are no rows to watch, no secrets, and nothing that runs or is open."""

    def _sources(self) -> dict[str, Source]:
        found = {"source": self.plan.source, "population": self.plan.population}
        return {which: source for which, source in found.items() if source is not None}

    def _write(self, header: str, statements: list[str]) -> None:
        first, *others = statements
        self._written += [f"{header}\n{first}" if header else first, *others]

    # --- what differs from shell to shell

    def sql(self, name: str) -> str:
        """The name of a table, as a plan writes it, in SQL."""
        return ".".join(map(self.identifier, table_parts(name)))

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
    def secret_setting(self, secret: Secret) -> str:
        """How a session gets a secret, in words."""

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
