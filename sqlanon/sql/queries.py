"""The queries of a plan, checked with DuckDB's own parser: what they may do, and what they read."""

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
    """A query that is a single select, and what it reads.

    Attributes:
        query: the text, as written in the plan.
        where: place in the plan, for messages.
        files: the files that it reads by functions, or by names such as 'x.csv'.
        tables: the names of tables as written, without common table expressions.
        functions: the functions that it calls, in lower case, including operators.
        names: all names in it, in lower case: columns, aliases and fields, but not tables.
        unnamed: the first form by which it reads columns without naming them; empty if none.
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
        """The query as it runs: the author's text with new names for its files and tables.

        Files are read without `hive_partitioning` unless the query asks for it. No literal spans
        several lines. The text contains no semicolon and ends no line inside a literal.

        Args:
            path: the SQL literal for a file's path.
            table: the SQL for the name of a table.

        Raises:
            PlanError: the text cannot be rewritten with the same meaning.
        """
        expected = copy.deepcopy(self._tree)
        twins = twin_nodes(self._tree, expected)
        raw = self.query.encode()
        for splice in sorted(self._splices, key=lambda one: (one.start, one.end), reverse=True):
            new, meant = replacement_of(splice, path, table)
            raw = raw[: splice.start] + new.encode() + raw[splice.end :]
            put_into(twins[id(splice.node)], splice, meant)
        made = raw.decode().strip()
        # Parse it as part of a larger text, as it will be used.
        around = parsed(f"from (\n{made}\n) as q", self.where)
        found = [one["node"]["from_table"]["subquery"]["node"] for one in around]
        if without_places(found) != [without_places(expected["node"])]:
            raise PlanError(
                "The query is written in a form whose files, tables or texts cannot be replaced.",
                where=self.where,
                fix="write it plainly: no parentheses around paths, no comments inside names, and"
                " texts of several lines in single quotes",
            )
        return made


def plan_query(query: str, where: str) -> PlanQuery:
    """Check a query of the plan, and find what it reads.

    Args:
        where: place in the plan, for messages.

    Raises:
        PlanError: it is not a single select, or does something that a plan's query may not do.
    """
    try:
        return _checked(query, where)
    except RecursionError:
        raise PlanError(
            "The query is nested too deeply.", where=where, fix="turn parts of it into views"
        ) from None


@functools.lru_cache(maxsize=256)
def _checked(query: str, where: str) -> PlanQuery:
    shortened = query.rstrip().rstrip(";").rstrip()
    statements = parsed(shortened, where)
    if len(statements) != 1:
        refuse(
            where,
            f"The query has {len(statements)} statements.",
            "write a single select without semicolons",
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
    found.text(text, table_sql)  # so that a query that cannot be rewritten is refused here
    return found


def query_in_sql(query: str, where: str) -> str:
    """A query of the plan as it appears in a step."""
    return plan_query(query, where).text(path_literal, table_sql)
