"""The queries of a plan, checked by DuckDB's own parser: what they may do, and what they read."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable
from dataclasses import dataclass

from sqlanon.errors import PlanError
from sqlanon.sql.query_reader import QueryReader
from sqlanon.sql.query_text import (
    QueriedFile,
    Splice,
    Tree,
    parsed,
    put_into,
    refuse,
    replacement_of,
    twin_nodes,
    without_places,
)
from sqlanon.sql.render import path_literal, text
from sqlanon.sql.tables import Parts, table_sql


@dataclass(frozen=True)
class PlanQuery:
    """A query that is one select and reads what is told here.

    Attributes:
        query: the text, as the plan has it.
        where: place in the plan, for messages.
        files: what it reads by functions, or by names such as 'x.csv'.
        tables: the names of tables as written; no common table expression among them.
        functions: that it calls, in lower case, operators included.
        names: every name that stands in it, in lower case: columns, aliases, fields; not tables.
        unnamed: the first form by which it reads columns without naming them, in words; else empty.
    """

    query: str
    where: str
    files: tuple[QueriedFile, ...]
    tables: tuple[Parts, ...]
    functions: frozenset[str]
    names: frozenset[str]
    unnamed: str
    _tree: Tree
    _splices: tuple[Splice, ...]

    def text(self, path: Callable[[str], str], table: Callable[[Parts], str]) -> str:
        """The query as it runs: the author's text, its files and tables as they are to be named.

        Files are read without `hive_partitioning` unless the query asks for it. No literal spans
        lines. The text holds no semicolon and ends no line inside anything.

        Args:
            path: the SQL literal for a file's path.
            table: the SQL for the name of a table.

        Raises:
            PlanError: the text cannot be put together so that it means the same.
        """
        expected = copy.deepcopy(self._tree)
        twins = twin_nodes(self._tree, expected)
        raw = self.query.encode()
        for splice in sorted(self._splices, key=lambda one: (one.start, one.end), reverse=True):
            new, meant = replacement_of(splice, path, table)
            raw = raw[: splice.start] + new.encode() + raw[splice.end :]
            put_into(twins[id(splice.node)], splice, meant)
        made = raw.decode().strip()
        # As part of a larger text, where it will stand.
        around = parsed(f"from (\n{made}\n) as q", self.where)
        found = [one["node"]["from_table"]["subquery"]["node"] for one in around]
        if without_places(found) != [without_places(expected["node"])]:
            raise PlanError(
                "The query is written in a way that its files, tables or texts cannot be put into.",
                where=self.where,
                fix="write it plainly: no parentheses around paths, names without comments inside,"
                " texts of several lines in single quotes",
            )
        return made


def plan_query(query: str, where: str) -> PlanQuery:
    """What a query of the plan's reads.

    Args:
        where: place in the plan, for messages.

    Raises:
        PlanError: it is not one select, or does something that a query of a plan may not.
    """
    try:
        return _checked(query, where)
    except RecursionError:
        raise PlanError(
            "The query is nested too deeply.", where=where, fix="make views of its parts"
        ) from None


@functools.lru_cache(maxsize=256)
def _checked(query: str, where: str) -> PlanQuery:
    shortened = query.rstrip().rstrip(";").rstrip()
    statements = parsed(shortened, where)
    if len(statements) != 1:
        refuse(
            where,
            f"The query is {len(statements)} statements, not one select.",
            "give one select, with no semicolon in it",
        )
    reader = QueryReader(shortened, where)
    reader.read(statements[0]["node"], frozenset())
    found = PlanQuery(
        query=shortened,
        where=where,
        files=tuple(reader.files),
        tables=tuple(dict.fromkeys(reader.tables)),
        functions=frozenset(reader.functions),
        names=frozenset(reader.names),
        unnamed=reader.unnamed_form(),
        _tree=statements[0],
        _splices=tuple(reader.splices),
    )
    found.text(text, table_sql)  # so that what cannot be put together is told here
    return found


def query_in_sql(query: str, where: str) -> str:
    """A query of the plan's as it stands in a step."""
    return plan_query(query, where).text(path_literal, table_sql)
