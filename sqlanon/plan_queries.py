"""Queries that a plan gives: each is one select, what it reads is known, and nothing else runs.

DuckDB's own parser reads them, on a connection of its own that holds nothing, so that the text that
is checked cannot mean something else to the engine. What is not on a list here is refused: kinds of
nodes, table functions, functions. `PlanQuery.text` puts files and tables into the author's text;
what comes out is parsed again and must mean the same.
"""

from __future__ import annotations

import atexit
import copy
import functools
import json
import os
import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Never

import duckdb

from sqlanon.errors import PlanError, did_you_mean
from sqlanon.render import CONTROL, text
from sqlanon.step import WORK_CATALOG, quoted

Tree = dict[str, Any]
"""A node of DuckDB's syntax tree, as its JSON tells it."""

Parts = tuple[str, ...]
"""The name of a table: table; schema and table; or database, schema and table."""

READERS = {
    "read_csv": "csv",
    "read_csv_auto": "csv",
    "read_parquet": "parquet",
    "parquet_scan": "parquet",
    "read_json": "json",
    "read_json_auto": "json",
    "read_ndjson": "json",
    "read_ndjson_auto": "json",
}
"""The functions by which a query may read files, and the kind of file each reads."""

_MADE = frozenset({"range", "generate_series", "unnest"})
"""The other table functions: they make rows of their arguments and read nothing."""

_ENDINGS = (
    (".parquet", "read_parquet"),
    (".csv", "read_csv"),
    (".tsv", "read_csv"),
    (".json", "read_json"),
    (".jsonl", "read_json"),
    (".ndjson", "read_json"),
)
"""Which function reads a file that a query names in place of a table."""

_WRITING = re.compile(r"(store_)?rejects(_.*)?")
"""Options of readers that make tables."""

_NODES = frozenset(
    """
    SELECT_NODE SET_OPERATION_NODE RECURSIVE_CTE_NODE
    BASE_TABLE TABLE_FUNCTION JOIN SUBQUERY EXPRESSION_LIST EMPTY PIVOT
    ORDER_MODIFIER LIMIT_MODIFIER LIMIT_PERCENT_MODIFIER DISTINCT_MODIFIER
    ORDER_DEFAULT ASCENDING DESCENDING
    """.split()  # noqa: SIM905 - a list of words is read as one
)
"""What selects are made of. Not: SHOW_REF (describe, summarize), and whatever DuckDB adds."""

_EXPRESSIONS = frozenset(
    """
    COLUMN_REF CONSTANT FUNCTION WINDOW CAST TYPE CASE COLLATE LAMBDA SUBQUERY BETWEEN CONJUNCTION
    COMPARISON OPERATOR STAR POSITIONAL_REFERENCE
    """.split()  # noqa: SIM905 - a list of words is read as one
)
"""What expressions are made of. Not: PARAMETER, DEFAULT, and whatever DuckDB adds."""

_REFUSED = frozenset(
    """
    age ago assert_true cast_to_type current_catalog current_localtime current_localtimestamp
    current_role current_user get_block_size index_key json_serialize_plan make_type
    parse_duckdb_log_message reservoir_quantile session_user user version
    """.split()  # noqa: SIM905 - a list of words is read as one
)
"""Functions that DuckDB holds consistent, and that read the clock (`age` of one value does), the
session or the engine, name types by text, draw lots, or stop with a message of their own."""

_SESSION_WORDS = frozenset(
    """
    current_catalog current_date current_role current_schema current_time current_timestamp
    current_user localtime localtimestamp session_user
    """.split()  # noqa: SIM905 - a list of words is read as one
)
"""Words that are read as columns, and stand for the clock or the session where no column is so
called."""

_WORDS = frozenset(
    """
    type class join_type ref_type setop_type materialized null_order aggregate_handling
    with_ordinality start end exclude_clause syntax_type limit_type function_name qualified_name
    schema catalog nearest_order_type subquery_type comparison_type
    """.split()  # noqa: SIM905 - a list of words is read as one
)
"""Keys of the tree that hold words of the parser, and no name of the author's."""


@dataclass(frozen=True)
class QueriedFile:
    """A file that a query reads.

    Attributes:
        path: as the query writes it.
        reader: the function that reads it.
        options: of the reader but for `hive_partitioning = false`: name and value, the value as the
            parser's tree, in the order of their names.
    """

    path: str
    reader: str
    options: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class _Splice:
    """Bytes of the query that are replaced.

    Attributes:
        node: the tree's node whose text it is.
        kind: path, table, file (a file in place of a table), text, or hive (the option that is
            added after the paths, at `start`).
    """

    start: int
    end: int
    node: Tree
    kind: str
    value: Any


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
    _splices: tuple[_Splice, ...]

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
        twins = _twins(self._tree, expected)
        raw = self.query.encode()
        for splice in sorted(self._splices, key=lambda one: (one.start, one.end), reverse=True):
            new, meant = _replacement(splice, path, table)
            raw = raw[: splice.start] + new.encode() + raw[splice.end :]
            _put(twins[id(splice.node)], splice, meant)
        made = raw.decode().strip()
        # As part of a larger text, where it will stand.
        around = _statements(f"from (\n{made}\n) as q", self.where)
        found = [one["node"]["from_table"]["subquery"]["node"] for one in around]
        if _bare(found) != [_bare(expected["node"])]:
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
    statements = _statements(shortened, where)
    if len(statements) != 1:
        _refuse(
            where,
            f"The query is {len(statements)} statements, not one select.",
            "give one select, with no semicolon in it",
        )
    reader = _Reader(shortened, where)
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


# --- DuckDB's parser

_LOCK = threading.Lock()


@functools.cache
def _parser() -> duckdb.DuckDBPyConnection:
    """A connection that parses, and holds nothing."""
    connection = duckdb.connect()
    connection.execute("set enable_external_access = false")
    connection.execute("set lock_configuration = true")
    # A connection that outlives its module makes the database complain at the end of the process.
    atexit.register(_parser.cache_clear)
    return connection


def _statements(query: str, where: str) -> list[Tree]:
    """The selects of a text, as the parser reads them."""
    try:
        query.encode()
    except UnicodeEncodeError:
        _refuse(where, "The query holds half a character (a surrogate).", "remove it")
    with _LOCK:
        try:
            kinds = [statement.type for statement in _parser().extract_statements(query)]
        except duckdb.Error:
            kinds = None
        if kinds is not None and any(kind != duckdb.StatementType.SELECT for kind in kinds):
            _refuse(where, "The query is not a select.", "give one select, and no other statement")
        (told,) = _parser().execute("select json_serialize_sql(?::varchar)", [query]).fetchall()[0]
    tree = json.loads(told)
    if tree["error"] or kinds is None:
        message = str(tree.get("error_message") or "").split("\n", 1)[0]
        parsed = tree.get("error_type") == "parser" or kinds is None
        what = f"cannot be parsed: {message[:200]}" if parsed else "is not a plain select"
        _refuse(
            where,
            f"The query {what.rstrip('.')}.",
            "give one select in DuckDB's SQL; try it in a shell of DuckDB's first",
        )
    return list(tree["statements"])


def _bare(tree: Any) -> Any:
    """The tree without places in the text."""
    if isinstance(tree, dict):
        return {k: _bare(v) for k, v in tree.items() if not k.startswith("query_location")}
    if isinstance(tree, list):
        return [_bare(item) for item in tree]
    return tree


def _twins(tree: Any, twin: Any) -> dict[int, Tree]:
    """The nodes of a copy, by the identity of the nodes they are copies of."""
    found: dict[int, Tree] = {}
    if isinstance(tree, dict):
        found[id(tree)] = twin
        for key, value in tree.items():
            found |= _twins(value, twin[key])
    elif isinstance(tree, list):
        for one, other in zip(tree, twin, strict=True):
            found |= _twins(one, other)
    return found


def _refuse(where: str, what: str, fix: str) -> Never:
    raise PlanError(what, where=where, fix=fix)


# --- replacing

_HIVE = "hive_partitioning = false"


def _replacement(
    splice: _Splice, path: Callable[[str], str], table: Callable[[Parts], str]
) -> tuple[str, Tree]:
    """The text that is put in, and what it means."""
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
    (statement,) = _statements(f"select * from {made}", "query")
    return dict(statement["node"]["from_table"])


def _argument(select: str) -> Tree:
    (statement,) = _statements(select, "query")
    return dict(statement["node"]["select_list"][0]["arguments"][0])


def _put(node: Tree, splice: _Splice, meant: Tree) -> None:
    """Make the node of the expected tree mean what was put in."""
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
_NAME = re.compile(rf"{_WORD}(?:{_SPACE}\.{_SPACE}{_WORD})*", re.DOTALL)
_NOWHERE = 2**63


class _Reader:
    """Walks the tree of a query, refuses what may not be there, and notes what is."""

    def __init__(self, query: str, where: str) -> None:
        self._raw = query.encode()
        self._where = where
        self._aliases: set[str] = set()
        self._rows: list[str] = []
        self._unnamed: list[str] = []
        self.files: list[QueriedFile] = []
        self.tables: list[Parts] = []
        self.functions: set[str] = set()
        self.names: set[str] = set()
        self.splices: list[_Splice] = []

    def unnamed_form(self) -> str:
        """The first form by which columns are read without being named."""
        for name in self._rows:
            if name in self._aliases:
                return f"'{name}', a whole row"
        return self._unnamed[0] if self._unnamed else ""

    def read(self, tree: Any, scope: frozenset[str]) -> None:
        """Read a node and all below it.

        Args:
            scope: the common table expressions that may be named here, in lower case.
        """
        if isinstance(tree, list):
            for item in tree:
                self.read(item, scope)
        elif isinstance(tree, dict):
            self._read_node(tree, scope)
        elif isinstance(tree, str):
            self._note(tree)

    def _read_node(self, node: Tree, scope: frozenset[str]) -> None:
        kind = node.get("class")
        if kind is not None:
            if kind not in _EXPRESSIONS:
                self._refuse_kind(str(node.get("type")))
            if self._is_whole(node, kind):
                return
        elif isinstance(node.get("type"), str):
            if node["type"] not in _NODES:
                self._refuse_kind(node["type"])
            if node.get("sample"):
                self._refuse_sample()
            if node["type"] == "TABLE_FUNCTION":
                self._read_function_call(node, scope)
                return
            if node["type"] == "BASE_TABLE":
                self._read_table(node, scope)
                return
            self._note_form(node)
        if "cte_map" in node:
            for entry in node["cte_map"]["map"]:
                name = entry["key"].lower()
                inner = entry["value"]["query_node"]
                recursive = inner["type"] == "RECURSIVE_CTE_NODE"
                self._note(entry["key"])
                self._aliases.add(name)
                self._read_values(
                    {k: v for k, v in entry["value"].items() if k != "query_node"}, scope
                )
                self.read(inner, scope | {name} if recursive else scope)
                scope |= {name}
        self._read_values(node, scope)

    def _read_values(self, node: Tree, scope: frozenset[str]) -> None:
        for key, value in node.items():
            if key != "cte_map" and key not in _WORDS:
                self.read(value, scope)
        if node.get("alias") and "class" not in node:
            self._aliases.add(node["alias"].lower())

    def _is_whole(self, node: Tree, kind: str) -> bool:
        """Whether nothing below an expression is left to be read."""
        if kind == "CONSTANT":
            self._read_constant(node)
            return True
        if kind in ("FUNCTION", "WINDOW"):
            self._check_function(node)
        elif kind == "COLUMN_REF":
            names = [name.lower() for name in node["column_names"]]
            if len(names) == 1 and names[0] in _SESSION_WORDS:
                self._refuse_function(names[0])
            self._rows.append(names[-1])
        elif kind in ("STAR", "POSITIONAL_REFERENCE"):
            self._unnamed.append("a star" if kind == "STAR" else "a column by its place")
        elif kind == "TYPE":
            self.read(node["children"], frozenset())
            return True
        return False

    def _read_constant(self, node: Tree) -> None:
        literal = node["literal"]
        self._note(node["alias"])
        value = literal.get("text")
        if not isinstance(value, str) or not CONTROL.search(value):
            return
        if literal["kind"] != "STRING" or node["query_location"] >= _NOWHERE:
            self._refuse_control()
        self._splice(node, node, "text", value)

    def _read_table(self, node: Tree, scope: frozenset[str]) -> None:
        parts = tuple(node["qualified_name"]["path"])
        for part in parts:
            self._refuse_control_in(part)
        self._note_relation(node, parts[-1])
        if node.get("at_clause"):
            _refuse(
                self._where,
                "The query reads a table as it was at another time.",
                "leave out `at (…)`",
            )
        if len(parts) == 1 and parts[0].lower() in scope:
            return
        if node["query_location"] >= _NOWHERE:
            _refuse(self._where, "The query names a table by `table …`.", "write `from …`")
        reader = file_reader(parts[0]) if len(parts) == 1 else ""
        place = self._name_at(node["query_location"])
        if reader:
            self.files.append(QueriedFile(parts[0], reader, ()))
            alias = re.split(r"[/\\]", parts[0])[-1].split(".", 1)[0]
            self._aliases.add(alias.lower())
            self._splice(place, node, "file", (reader, parts[0], alias))
            return
        self._check_name(parts)
        self.tables.append(parts)
        self._splice(place, node, "table", parts)

    def _check_name(self, parts: Parts) -> None:
        lower = [part.lower() for part in parts]
        told = ".".join(parts)
        if len(parts) > 3:
            _refuse(self._where, f"'{told}' is no name of a table.", "write database.schema.table")
        if lower[0] == WORK_CATALOG:
            _refuse(
                self._where,
                f"'{told}' is a working table of sqlanon.",
                "name the file or table that it comes from",
            )
        inner = {"system", "information_schema", "pg_catalog"}
        catalog = re.fullmatch(r"(duckdb|pragma|sqlite|pg)_\w+", lower[-1])
        if inner & set(lower[:-1]) or catalog:
            _refuse(
                self._where,
                f"'{told}' is a table of the database's own.",
                "read files and tables with data; give a table of such a name another",
            )

    def _name_at(self, start: int) -> Tree:
        """The place of a table's name; the parser's place has its alias, too."""
        found = _NAME.match(self._raw[start:].decode(errors="replace"))
        length = len(found[0].encode()) if found else 0
        return {"query_location": start, "query_location_length": length}

    def _read_function_call(self, node: Tree, scope: frozenset[str]) -> None:
        call = node["function"]
        path = [name.lower() for name in call["qualified_name"]["path"]]
        name = path[-1]
        self._note_relation(node, name)
        if len(path) > 1 or (name not in READERS and name not in _MADE):
            told = ".".join(path)
            _refuse(
                self._where,
                f"The query reads by {told}.",
                f"read files by {', '.join(sorted({*READERS} - {'parquet_scan'}))}; rows are also"
                f" made by {', '.join(sorted(_MADE))} and values",
            )
        self.functions.add(name)
        if name in READERS:
            self._read_call_of_reader(name, call)
        self.read(call["arguments"], scope)

    def _read_call_of_reader(self, name: str, call: Tree) -> None:
        arguments = call["arguments"]
        paths = self._paths(arguments)
        options: dict[str, str] = {}
        for argument in arguments[1:]:
            option, value = _option(argument)
            if not option or not _is_literal(value):
                _refuse(
                    self._where,
                    f"An option of {name} is not written out.",
                    "write options as `name = value`, each value a literal",
                )
            if _WRITING.fullmatch(option):
                _refuse(self._where, f"The option {option} makes a table.", "leave it out")
            options[option] = json.dumps(_bare(value), sort_keys=True)
        if "hive_partitioning" not in options:
            given = arguments[0]["expression"]
            end = given["query_location"] + given["query_location_length"]
            self._splice({"query_location": end, "query_location_length": 0}, call, "hive", None)
        elif options["hive_partitioning"] == json.dumps(_bare(_false()), sort_keys=True):
            del options["hive_partitioning"]
        for path in paths:
            value = path["literal"]["text"]
            self._refuse_control_in(value)
            self.files.append(QueriedFile(value, name, tuple(sorted(options.items()))))
            self._splice(path, path, "path", value)

    def _paths(self, arguments: list[Tree]) -> list[Tree]:
        """The literals of the paths that a reader gets."""
        found = [argument["expression"] for argument in arguments[:1] if not argument["name"]]
        for tree in found:
            if tree["class"] == "FUNCTION" and tree["qualified_name"]["path"] == ["list_value"]:
                found = [item["expression"] for item in tree["arguments"]]
        written = (_is_text(item) and item["query_location"] < _NOWHERE for item in found)
        if not found or not all(written):
            _refuse(
                self._where,
                "A file that the query reads is not written out.",
                "give the path as a literal, or a list of literals, before all options",
            )
        return found

    def _check_function(self, node: Tree) -> None:
        path = [name.lower() for name in node["qualified_name"]["path"]]
        if len(path) > 1:
            _refuse(
                self._where,
                f"The query calls {'.'.join(path)}.",
                "call built-in functions by their bare name, f(x) for x.f()",
            )
        if path[0] not in allowed_functions():
            self._refuse_function(path[0])
        self.functions.add(path[0])

    def _refuse_function(self, name: str) -> Never:
        _refuse(
            self._where,
            f"The query calls {name}.",
            "a plan's query may call DuckDB's own functions that depend on their arguments alone:"
            " no clock, chance, setting, sequence, file or error, and no macro",
        )

    def _refuse_kind(self, kind: str) -> Never:
        told = kind.lower().replace("_", " ").removesuffix(" node").removesuffix(" ref")
        _refuse(
            self._where,
            f"The query has a part that a plan's query may not have ({told}).",
            "give one plain select: no parameters, describe, show or summarize, no writing",
        )

    def _refuse_sample(self) -> Never:
        _refuse(
            self._where,
            "The query takes a sample, another one each time.",
            "filter by the data, such as `where hash(id) % 10 = 0`",
        )

    def _refuse_control(self) -> Never:
        _refuse(
            self._where,
            "The query has a line break or control character where only plain text may stand.",
            "rename the column or file; write texts in single quotes",
        )

    def _refuse_control_in(self, value: str) -> None:
        if CONTROL.search(value):
            self._refuse_control()

    def _note(self, name: str) -> None:
        self._refuse_control_in(name)
        if name:
            self.names.add(name.lower())

    def _note_relation(self, node: Tree, name: str) -> None:
        """The names of a table or a reader's rows."""
        for alias in (name, node["alias"]):
            if alias:
                self._refuse_control_in(alias)
                self._aliases.add(alias.lower())
        for column in node["column_name_alias"]:
            self._note(column)
        if node["column_name_alias"]:
            self._unnamed.append("a list of column names after a table")

    def _note_form(self, node: Tree) -> None:
        if node["type"] == "JOIN" and node["ref_type"] == "NATURAL":
            self._unnamed.append("a natural join")
        elif node["type"] == "PIVOT":
            self._unnamed.append("a pivot")

    def _splice(self, place: Tree, node: Tree, kind: str, value: Any) -> None:
        start = place["query_location"]
        end = start + place["query_location_length"]
        self.splices.append(_Splice(start, end, node, kind, value))


def _option(argument: Tree) -> tuple[str, Tree]:
    """The name and value of a reader's option, `name = value` or `name := value`."""
    value = argument["expression"]
    if argument["name"]:
        return argument["name"].lower(), value
    left = value.get("left", {})
    if value.get("type") == "COMPARE_EQUAL" and len(left.get("column_names", ())) == 1:
        return left["column_names"][0].lower(), value["right"]
    return "", value


def _is_text(tree: Tree) -> bool:
    return bool(tree["class"] == "CONSTANT" and tree["literal"]["kind"] == "STRING")


def _is_literal(tree: Tree) -> bool:
    """A constant; or a list, struct or map of constants."""
    if tree["class"] == "CONSTANT":
        return True
    made = tree["class"] == "FUNCTION" and tree["qualified_name"]["path"][-1] in (
        "list_value", "struct_pack", "map", "row",
    )  # fmt: skip
    return made and all(_is_literal(one["expression"]) for one in tree["arguments"])


@functools.cache
def _false() -> Tree:
    return _option(_argument(f"select f({_HIVE})"))[1]


def file_reader(name: str) -> str:
    """The function that reads a file of this name; empty where the name is that of a table.

    A bare name in a query is a file if it ends like one: `from 'x.csv'`. A table of such a name
    is written with its schema: `from main."x.csv"`.
    """
    plain = name.lower().removesuffix(".gz").removesuffix(".zst")
    return next((reader for ending, reader in _ENDINGS if plain.endswith(ending)), "")


@functools.cache
def allowed_functions() -> frozenset[str]:
    """The functions that a query of a plan may call: those whose result their arguments decide.

    Built-in scalar, aggregate and window functions that DuckDB holds consistent, and macros of its
    main schema; not those that begin with two underscores, and none of `_REFUSED`.
    """
    with _LOCK:
        rows = (
            _parser()
            .execute(
                "select lower(function_name), bool_and(\n"
                "    stability = 'CONSISTENT' and function_type in ('scalar', 'aggregate',"
                " 'window')\n"
                "    or function_type = 'macro' and schema_name = 'main'\n"
                ") from duckdb_functions()\n"
                "where function_type not in ('pragma', 'table', 'table_macro')\n"
                "group by all"
            )
            .fetchall()
        )
    allowed = {name for name, consistent in rows if consistent and not name.startswith("__")}
    return frozenset(allowed - _REFUSED | {"unnest"})


# --- names of tables


def table_sql(parts: Sequence[str]) -> str:
    """The name of a table in SQL."""
    return ".".join(map(quoted, parts))


def table_parts(name: str) -> Parts:
    """The parts of a table's name as a plan writes it; a part in double quotes may hold dots."""
    return tuple(
        part[1:-1].replace('""', '"') if part.startswith('"') else part
        for part in re.findall(r'(?:\A|(?<=\.))("(?:[^"]|"")*"(?=\.|\Z)|[^.]*)', name)
    )


def table_name(parts: Parts) -> str:
    """The name of a table as a plan writes it: what `table_parts` takes apart."""
    return ".".join(
        '"' + part.replace('"', '""') + '"' if "." in part or part.startswith('"') else part
        for part in parts
    )


# --- tables of a caller's connection


def resolved(connection: duckdb.DuckDBPyConnection, parts: Parts, where: str) -> Parts:
    """Database, schema and table that a name means on a connection, as its catalog writes them.

    Raises:
        PlanError: there is none, or a Python object alone; or more than one could be meant.
    """
    return _found(_relations(connection), _Path.of(connection), parts, where)


@dataclass(frozen=True)
class _Path:
    """Where a connection looks for tables: schemas of databases, in lower case."""

    schemas: frozenset[tuple[str, str]]

    @classmethod
    def of(cls, connection: duckdb.DuckDBPyConnection) -> _Path:
        rows = connection.execute(
            "select database_name, schema_name from system.main.duckdb_schemas()\n"
            "where in_search_path(database_name, schema_name)"
        ).fetchall()
        return cls(frozenset((database.lower(), schema.lower()) for database, schema in rows))

    def has(self, parts: Parts, relation: Parts) -> bool:
        """Whether a name of one to three parts can mean this relation."""
        named = tuple(part.lower() for part in parts)
        database, schema, table = (part.lower() for part in relation)
        if named[-1] != table:
            return False
        if len(named) == 1:
            return (database, schema) in self.schemas
        if len(named) == 2:
            in_path = database in {looked for looked, _ in self.schemas}
            is_schema = named[0] == schema and in_path
            default = schema == "main" or (database, schema) in self.schemas
            return is_schema or (named[0] == database and default)
        return named == (database, schema, table)


def _relations(connection: duckdb.DuckDBPyConnection) -> dict[Parts, str]:
    """Every table and view of a connection; of views, the SQL that made them."""
    rows = connection.execute(
        "select database_name, schema_name, table_name, '' from system.main.duckdb_tables()\n"
        "where not internal\nunion all\n"
        "select database_name, schema_name, view_name, sql from system.main.duckdb_views()\n"
        "where not internal"
    ).fetchall()
    return {(database, schema, name): sql for database, schema, name, sql in rows}


def _found(relations: dict[Parts, str], path: _Path, parts: Parts, where: str) -> Parts:
    found = [relation for relation in relations if path.has(parts, relation)]
    told = ".".join(parts)
    if not found:
        names = {r[-1] for r in relations if len(parts) > 1 or path.has(r[-1:], r)}
        raise PlanError(
            f"The connection has no table or view '{told}'.",
            where=where,
            fix=f"{did_you_mean(parts[-1], names)} An object of Python's is no table: make one of"
            " it, such as `connection.register(name, object)`".strip(),
        )
    if len(found) > 1:
        raise PlanError(
            f"'{told}' can mean {len(found)} tables of the connection.",
            where=where,
            fix="name it with its database and schema: "
            + " or ".join(table_sql(one) for one in sorted(found)),
        )
    return found[0]


@dataclass(frozen=True)
class Reads:
    """What a relation reads in the end.

    Attributes:
        tables: database, schema and name of tables.
        files: paths that views read.
        is_known: whether all of it could be told.
    """

    tables: frozenset[Parts] = frozenset()
    files: frozenset[str] = frozenset()
    is_known: bool = True

    def __or__(self, other: Reads) -> Reads:
        return Reads(
            self.tables | other.tables,
            self.files | other.files,
            self.is_known and other.is_known,
        )


def view_sources(connection: duckdb.DuckDBPyConnection, parts: Parts) -> Reads:
    """What a table or view reads, through all views below it, itself included.

    A view whose SQL a plan's query could not be (a macro, another table function) is not known.

    Args:
        parts: database, schema and name, as `resolved` tells them.
    """
    return _sources(_relations(connection), _Path.of(connection), parts, frozenset())


def _sources(
    relations: dict[Parts, str], path: _Path, parts: Parts, above: frozenset[Parts]
) -> Reads:
    reads = Reads(tables=frozenset({parts}))
    if parts in above or parts not in relations:
        return reads if parts in above else reads | Reads(is_known=False)
    sql = relations[parts]
    if not sql:
        return reads
    made = _VIEW.match(sql)
    try:
        if made is None:
            return reads | Reads(is_known=False)
        query = plan_query(sql[made.end() :], "view")
        # A view looks beside itself first, then where the connection looks.
        beside = _Path(frozenset({(parts[0].lower(), parts[1].lower())}))
        for table in query.tables:
            near = [one for one in relations if len(table) < 3 and beside.has(table, one)]
            below = near[0] if near else _found(relations, path, table, "view")
            reads |= _sources(relations, path, below, above | {parts})
    except PlanError:
        return reads | Reads(is_known=False)
    paths = (file.path for file in query.files)  # a view's paths start where the process is
    return reads | Reads(
        files=frozenset(path if "://" in path else os.path.abspath(path) for path in paths)
    )


_COLUMN = r'(?:"(?:[^"]|"")*"|[^\s".,()]+)'
_VIEW = re.compile(
    rf"CREATE (?:TEMP(?:ORARY)? )?VIEW (?:IF NOT EXISTS )?{_COLUMN}(?:\.{_COLUMN})*"
    rf"\s*(?:\({_COLUMN}(?:, {_COLUMN})*\))?\s+AS\s+",
    re.IGNORECASE,
)
"""What stands before the select of a view."""


def refuse_macros(connection: duckdb.DuckDBPyConnection) -> None:
    """No macro or function of the connection stands in place of one of DuckDB's own.

    Raises:
        PlanError: with the first that does.
    """
    # No function is called here but by its full name: it could be one of those.
    rows = connection.execute(
        "select internal, database_name, schema_name, function_name\n"
        "from system.main.duckdb_functions()"
    ).fetchall()
    own = {row[-1].lower() for row in rows if row[0]}
    for place in sorted(row[1:] for row in rows if not row[0] and row[-1].lower() in own):
        raise PlanError(
            f"The connection has a macro or function '{place[-1]}', which stands in place of"
            " DuckDB's own.",
            where="connection",
            fix=f"drop it (drop macro {table_sql(place)}), or use another connection",
        )
