"""What the relations of steps are called in another database, and steps over them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from sqlanon.dialects.transpile import NamedTable, transpile
from sqlanon.errors import PlanError
from sqlanon.sql.paths import unmarked
from sqlanon.sql.step import Step


def translated(step: Step, dialect: str, tables: Mapping[str, NamedTable], where: str) -> str:
    """The query of a step in another dialect; see `transpile`.

    Args:
        where: the line of the plan that names the engine, for the error.

    Raises:
        PlanError: a part of it does not carry over, or a table is not known.
    """
    try:
        return transpile(step.sql, dialect, tables)
    except PlanError as error:
        if not error.where.startswith("--dialect"):
            raise
        refusal = PlanError(
            f"{error.what} It is asked by the step {step.name}.",
            where=where,
            fix="search here, with `engine: {search: driver}`, if it does not yet; or run the plan"
            " with `engine: duckdb`",
        )
    raise refusal


def unused_name(name: str, relation: Callable[[str], str], known: Iterable[NamedTable]) -> str:
    """What a new working relation is called: plain letters, and a number if that is taken.

    Args:
        relation: what the database calls a working relation.
        known: the other relations.
    """
    plain = re.sub(r"[^a-z0-9_]", "_", name.lower())[:44]
    taken = {table.name for table in known}
    called, number = relation(plain), 1
    while called in taken:
        number += 1
        called = relation(f"{plain}_{number}")
    return called


class Tables(Mapping[str, NamedTable]):
    """What stands for each relation, by what steps call it; others are found when they are read.

    Args:
        find: finds a table or files of the user by what SQL calls them; None if there are none.

    Attributes:
        known: those that were made or found.
    """

    def __init__(self, find: Callable[[str], NamedTable | None]) -> None:
        self.known: dict[str, NamedTable] = {}
        self._find = find

    def __getitem__(self, called: str) -> NamedTable:
        key = unmarked(called) or called
        if key not in self.known:
            found = self._find(called)
            if found is None:
                raise KeyError(called)
            self.known[key] = found
        return self.known[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.known)

    def __len__(self) -> int:
        return len(self.known)
