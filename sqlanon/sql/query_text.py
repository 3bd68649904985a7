"""The text of a query: DuckDB's syntax tree of it, and the places that are replaced."""

from __future__ import annotations

import atexit
import functools
import json
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Never

import duckdb

from sqlanon.errors import PlanError
from sqlanon.sql.render import text
from sqlanon.sql.step import quoted
from sqlanon.sql.tables import Parts

Tree = dict[str, Any]
"""A node of DuckDB's syntax tree, as serialized to JSON."""


@dataclass(frozen=True)
class QueriedFile:
    """A file that a query reads.

    Attributes:
        path: the path as the query writes it.
        reader: the function that reads it.
        options: names and values of the reader's options, except `hive_partitioning = false`,
            sorted by name; a value is the parser's tree.
    """

    path: str
    reader: str
    options: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Splice:
    """Bytes of the query that are replaced.

    Attributes:
        node: the node of the tree that these bytes belong to.
        kind: path, table, file (a file instead of a table), text, or hive (the option that is
            added after the paths, at `start`).
    """

    start: int
    end: int
    node: Tree
    kind: str
    value: Any


# --- DuckDB's parser

LOCK = threading.Lock()


@functools.cache
def parser() -> duckdb.DuckDBPyConnection:
    """A connection that only parses; it holds no data."""
    connection = duckdb.connect()
    connection.execute("set enable_external_access = false")
    connection.execute("set lock_configuration = true")
    # A connection that outlives its module makes the database print errors when the process ends.
    atexit.register(parser.cache_clear)
    return connection


def parsed(query: str, where: str) -> list[Tree]:
    """The syntax trees of the selects in a text."""
    try:
        query.encode()
    except UnicodeEncodeError:
        refuse(where, "The query contains a surrogate (half of a character).", "remove it")
    with LOCK:
        try:
            kinds = [statement.type for statement in parser().extract_statements(query)]
        except duckdb.Error:
            kinds = None
        if kinds is not None and any(kind != duckdb.StatementType.SELECT for kind in kinds):
            refuse(
                where, "The query is not a select.", "write a single select and no other statement"
            )
        (answer,) = parser().execute("select json_serialize_sql(?::varchar)", [query]).fetchall()[0]
    tree = json.loads(answer)
    if tree["error"] or kinds is None:
        message = str(tree.get("error_message") or "").split("\n", 1)[0]
        parsed = tree.get("error_type") == "parser" or kinds is None
        what = f"cannot be parsed: {message[:200]}" if parsed else "is not a plain select"
        refuse(
            where,
            f"The query {what.rstrip('.')}.",
            "write a single select in DuckDB's SQL; try it in the DuckDB shell first",
        )
    return list(tree["statements"])


def without_places(tree: Any) -> Any:
    """The tree without positions in the text."""
    if isinstance(tree, dict):
        return {k: without_places(v) for k, v in tree.items() if not k.startswith("query_location")}
    if isinstance(tree, list):
        return [without_places(item) for item in tree]
    return tree


def twin_nodes(tree: Any, twin: Any) -> dict[int, Tree]:
    """The nodes of a copy, by the identity of the original nodes."""
    found: dict[int, Tree] = {}
    if isinstance(tree, dict):
        found[id(tree)] = twin
        for key, value in tree.items():
            found |= twin_nodes(value, twin[key])
    elif isinstance(tree, list):
        for one, other in zip(tree, twin, strict=True):
            found |= twin_nodes(one, other)
    return found


def refuse(where: str, what: str, fix: str) -> Never:
    """Raise the error for a query that is refused."""
    raise PlanError(what, where=where, fix=fix)


# --- replacing

_HIVE = "hive_partitioning = false"


def replacement_of(
    splice: Splice, path: Callable[[str], str], table: Callable[[Parts], str]
) -> tuple[str, Tree]:
    """The text that is inserted, and its syntax tree."""
    if splice.kind == "table":
        made = table(splice.value)
        return made, _relation(made)
    if splice.kind == "file":
        reader, name, alias = splice.value
        made = f"{reader}({path(name)}, {_HIVE})"
        if not splice.node["alias"]:
            made += f" as {quoted(alias)}"
        return made, _relation(made)
    if splice.kind == "hive":
        return f", {_HIVE}", _argument(f"select f({_HIVE})")
    made = path(splice.value) if splice.kind == "path" else text(splice.value)
    return made, _argument(f"select f({made})")["expression"]


def _relation(made: str) -> Tree:
    (statement,) = parsed(f"select * from {made}", "query")
    return dict(statement["node"]["from_table"])


def _argument(select: str) -> Tree:
    (statement,) = parsed(select, "query")
    return dict(statement["node"]["select_list"][0]["arguments"][0])


def put_into(node: Tree, splice: Splice, meant: Tree) -> None:
    """Change the node of the expected tree to what was inserted."""
    if splice.kind == "hive":
        node["arguments"].insert(1, meant)
        return
    kept = {"alias": node["alias"]} if node.get("alias") else {}
    if splice.kind in ("table", "file"):
        kept |= {key: node[key] for key in ("column_name_alias", "sample")}
    node.clear()
    node.update({**meant, **kept})


# --- reading

_SPACE = r"(?:\s|--[^\n\r]*|/\*.*?\*/)*"
_WORD = r"""(?:"(?:[^"]|"")*"|'(?:[^']|'')*'|[A-Za-z_\u0080-\U0010ffff][\w$\u0080-\U0010ffff]*)"""
NAME = re.compile(rf"{_WORD}(?:{_SPACE}\.{_SPACE}{_WORD})*", re.DOTALL)
NOWHERE = 2**63


def option_of(argument: Tree) -> tuple[str, Tree]:
    """The name and value of a reader's option, `name = value` or `name := value`."""
    value = argument["expression"]
    if argument["name"]:
        return argument["name"].lower(), value
    left = value.get("left", {})
    if value.get("type") == "COMPARE_EQUAL" and len(left.get("column_names", ())) == 1:
        return left["column_names"][0].lower(), value["right"]
    return "", value


def is_text_literal(tree: Tree) -> bool:
    """Whether a node is a text constant."""
    return bool(tree["class"] == "CONSTANT" and tree["literal"]["kind"] == "STRING")


def is_literal(tree: Tree) -> bool:
    """A constant; or a list, struct or map of constants."""
    if tree["class"] == "CONSTANT":
        return True
    made = tree["class"] == "FUNCTION" and tree["qualified_name"]["path"][-1] in (
        "list_value", "struct_pack", "map", "row",
    )  # fmt: skip
    return made and all(is_literal(one["expression"]) for one in tree["arguments"])


@functools.cache
def false_literal() -> Tree:
    """The node of `false`."""
    return option_of(_argument(f"select f({_HIVE})"))[1]
