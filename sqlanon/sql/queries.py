"""The queries of a plan, checked with DuckDB's own parser: what they may do, and what they read."""

from __future__ import annotations

import atexit
import copy
import functools
import json
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any, Literal, Never

import duckdb

from sqlanon.errors import PlanError
from sqlanon.sql.render import CONTROL, path_literal, text
from sqlanon.sql.step import WORK_CATALOG, quoted
from sqlanon.sql.tables import Parts, table_sql

Tree = dict[str, Any]
"""A node of DuckDB's syntax tree, as serialized to JSON."""

SpliceKind = Literal["path", "table", "file", "text", "hive"]
"""What is replaced: `file` stands in place of a table, `hive` is an option that is added."""


@dataclass(frozen=True)
class QueriedFile:
    """A file that a query reads."""

    path: str  # as the query writes it
    reader: str  # the function that reads it
    # names and values, but for `hive_partitioning = false`, by name; a value is the parser's tree
    options: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class _Splice:
    """Bytes of the query that are replaced."""

    start: int
    end: int
    node: Tree  # that these bytes belong to
    kind: SpliceKind
    value: Any


@dataclass(frozen=True)
class PlanQuery:
    """A query that is a single select, and what it reads."""

    query: str  # the text, as written in the plan
    where: str  # place in the plan, for messages
    files: tuple[QueriedFile, ...]  # that it reads by functions, or by names such as 'x.csv'
    tables: tuple[Parts, ...]  # as written, without common table expressions
    functions: frozenset[str]  # that it calls, in lower case, including operators
    names: frozenset[str]  # of columns, aliases and fields, but not tables, in lower case
    unnamed: str  # the first form by which it reads columns without naming them; or empty
    _tree: Tree
    _splices: tuple[_Splice, ...]

    def text(self, path: Callable[[str], str], table: Callable[[Parts], str]) -> str:
        """The query as it runs: the author's text with new names for its files and tables.

        Files are read without `hive_partitioning` unless the query asks for it. No literal spans
        several lines. The text contains no semicolon and ends no line inside a literal.
        """
        copies: dict[int, Any] = {}
        expected = copy.deepcopy(self._tree, copies)
        raw = self.query.encode()
        for splice in sorted(self._splices, key=lambda one: (one.start, one.end), reverse=True):
            new, meant = _replacement_of(splice, path, table)
            raw = raw[: splice.start] + new.encode() + raw[splice.end :]
            _put_into(copies[id(splice.node)], splice, meant)
        made = raw.decode().strip()
        # Parse it as part of a larger text, as it will be used.
        around = _parsed(f"from (\n{made}\n) as q", self.where)
        found = [one["node"]["from_table"]["subquery"]["node"] for one in around]
        if _without_places(found) != [_without_places(expected["node"])]:
            raise PlanError(
                "The query is written in a form whose files, tables or texts cannot be replaced.",
                where=self.where,
                fix="write it plainly: no parentheses around paths, no comments inside names, and"
                " texts of several lines in single quotes",
            )
        return made


def plan_query(query: str, where: str) -> PlanQuery:
    """Check a query at a place of the plan, and find what it reads.

    A PlanError if it is not a single select, or does something that a plan's query may not do.
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
    statements = _parsed(shortened, where)
    if len(statements) != 1:
        raise PlanError(
            f"The query has {len(statements)} statements.",
            where=where,
            fix="write a single select without semicolons",
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
    found.text(text, table_sql)  # so that a query that cannot be rewritten is refused here
    return found


def query_in_sql(query: str, where: str) -> str:
    """A query of the plan as it appears in a step."""
    return plan_query(query, where).text(path_literal, table_sql)


# --- DuckDB's parser

_LOCK = threading.Lock()


@functools.cache
def _parser() -> duckdb.DuckDBPyConnection:
    """A connection that only parses; it holds no data."""
    connection = duckdb.connect()
    connection.execute("set enable_external_access = false")
    connection.execute("set lock_configuration = true")
    # A connection that outlives its module makes the database print errors when the process ends.
    atexit.register(_parser.cache_clear)
    return connection


def _parsed(query: str, where: str) -> list[Tree]:
    """The syntax trees of the selects in a text."""
    try:
        query.encode()
    except UnicodeEncodeError:
        raise PlanError(
            "The query contains a surrogate (half of a character).", where=where, fix="remove it"
        ) from None
    with _LOCK:
        try:
            kinds = [statement.type for statement in _parser().extract_statements(query)]
        except duckdb.Error:
            kinds = None
        if kinds is not None and any(kind != duckdb.StatementType.SELECT for kind in kinds):
            raise PlanError(
                "The query is not a select.",
                where=where,
                fix="write a single select and no other statement",
            )
        question = "select json_serialize_sql(?::varchar)"
        (answer,) = _parser().execute(question, [query]).fetchall()[0]
    tree = json.loads(answer)
    if tree["error"] or kinds is None:
        message = str(tree.get("error_message") or "").split("\n", 1)[0]
        is_unparsed = tree.get("error_type") == "parser" or kinds is None
        what = f"cannot be parsed: {message[:200]}" if is_unparsed else "is not a plain select"
        raise PlanError(
            f"The query {what.rstrip('.')}.",
            where=where,
            fix="write a single select in DuckDB's SQL; try it in the DuckDB shell first",
        )
    return list(tree["statements"])


def _without_places(tree: Any) -> Any:
    """The tree without positions in the text."""
    if isinstance(tree, dict):
        return {
            k: _without_places(v) for k, v in tree.items() if not k.startswith("query_location")
        }
    if isinstance(tree, list):
        return [_without_places(item) for item in tree]
    return tree


# --- replacing

_HIVE = "hive_partitioning = false"


def _replacement_of(
    splice: _Splice, path: Callable[[str], str], table: Callable[[Parts], str]
) -> tuple[str, Tree]:
    """The text that is inserted, and its syntax tree."""
    if splice.kind == "hive":
        return f", {_HIVE}", _argument(_HIVE)
    if splice.kind in ("path", "text"):
        made = path(splice.value) if splice.kind == "path" else text(splice.value)
        return made, _argument(made)["expression"]
    if splice.kind == "table":
        made = table(splice.value)
    else:
        reader, name, alias = splice.value
        made = f"{reader}({path(name)}, {_HIVE})"
        if not splice.node["alias"]:
            made += f" as {quoted(alias)}"
    (statement,) = _parsed(f"select * from {made}", "query")
    return made, dict(statement["node"]["from_table"])


def _argument(made: str) -> Tree:
    (statement,) = _parsed(f"select f({made})", "query")
    return dict(statement["node"]["select_list"][0]["arguments"][0])


def _put_into(node: Tree, splice: _Splice, meant: Tree) -> None:
    """Change the node of the expected tree to what was inserted."""
    if splice.kind == "hive":
        node["arguments"].insert(1, meant)
        return
    kept = {"alias": node["alias"]} if node.get("alias") else {}
    if splice.kind in ("table", "file"):
        kept |= {key: node[key] for key in ("column_name_alias", "sample")}
    node.clear()
    node.update({**meant, **kept})


# --- what a query may use: nodes of the tree, functions, and readers of files

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

_TABLE_FUNCTIONS = frozenset({"range", "generate_series", "unnest"})
"""The other table functions: they make rows from their arguments and read nothing."""

_READER_OF = {
    ".parquet": "read_parquet",
    ".csv": "read_csv",
    ".tsv": "read_csv",
    ".json": "read_json",
    ".jsonl": "read_json",
    ".ndjson": "read_json",
}
"""The function that reads a file that a query names instead of a table, by extension."""

_WRITING = re.compile(r"(store_)?rejects(_.*)?")
"""Options of readers that create tables."""

_NODES = frozenset(
    """
    SELECT_NODE SET_OPERATION_NODE RECURSIVE_CTE_NODE
    BASE_TABLE TABLE_FUNCTION JOIN SUBQUERY EXPRESSION_LIST EMPTY PIVOT
    ORDER_MODIFIER LIMIT_MODIFIER LIMIT_PERCENT_MODIFIER DISTINCT_MODIFIER
    ORDER_DEFAULT ASCENDING DESCENDING
    """.split()  # noqa: SIM905 - a list of words is read as one
)
"""The nodes of selects; not SHOW_REF (describe, summarize), nor anything that DuckDB may add."""

_EXPRESSIONS = frozenset(
    """
    COLUMN_REF CONSTANT FUNCTION WINDOW CAST TYPE CASE COLLATE LAMBDA SUBQUERY BETWEEN CONJUNCTION
    COMPARISON OPERATOR STAR POSITIONAL_REFERENCE
    """.split()  # noqa: SIM905 - a list of words is read as one
)
"""The classes of expressions; not PARAMETER or DEFAULT, nor anything that DuckDB may add."""

_REFUSED = frozenset(
    """
    age ago assert_true cast_to_type current_catalog current_localtime current_localtimestamp
    current_role current_user get_block_size index_key json_serialize_plan make_type
    parse_duckdb_log_message reservoir_quantile session_user user version
    """.split()  # noqa: SIM905 - a list of words is read as one
)
"""Functions that DuckDB lists as consistent, but that read the clock (as `age` of one value does),
the session or the engine, name types by text, use randomness, or raise their own errors."""

_SESSION_WORDS = frozenset(
    """
    current_catalog current_date current_role current_schema current_time current_timestamp
    current_user localtime localtimestamp session_user
    """.split()  # noqa: SIM905 - a list of words is read as one
)
"""Words that are parsed as columns, and mean the clock or the session if no column has the name."""

_PARSER_WORDS = frozenset(
    """
    type class join_type ref_type setop_type materialized null_order aggregate_handling
    with_ordinality start end exclude_clause syntax_type limit_type function_name qualified_name
    schema catalog nearest_order_type subquery_type comparison_type
    """.split()  # noqa: SIM905 - a list of words is read as one
)
"""Keys of the tree that hold words of the parser, not names that the author wrote."""


def file_reader(name: str) -> str:
    """The function that reads a file of this name; empty if the name is that of a table.

    A bare name in a query is a file if it has such an extension: `from 'x.csv'`. A table of this
    name is written with its schema: `from main."x.csv"`.
    """
    plain = name.lower().removesuffix(".gz").removesuffix(".zst")
    return next((reader for end, reader in _READER_OF.items() if plain.endswith(end)), "")


@functools.cache
def allowed_functions() -> frozenset[str]:
    """The functions that a plan's query may call: those whose result depends only on the arguments.

    These are built-in scalar, aggregate and window functions that DuckDB lists as consistent, and
    macros of its main schema, except names that begin with two underscores and `_REFUSED`. What is
    done with an argument and a time zone is consistent too, as a run sets the plan's time zone.
    """
    with _LOCK:
        rows = _parser().execute("""
            select lower(function_name), bool_and(
                function_type in ('scalar', 'aggregate', 'window') and (
                    stability = 'CONSISTENT'
                    or stability = 'CONSISTENT_WITHIN_QUERY' and len(parameter_types) > 0
                    and list_has_any(
                        parameter_types || [return_type],
                        ['TIMESTAMP WITH TIME ZONE', 'TIMESTAMPTZ_NS', 'TIME WITH TIME ZONE']
                    )
                )
                or function_type = 'macro' and schema_name = 'main'
            )
            from duckdb_functions()
            where function_type not in ('pragma', 'table', 'table_macro')
            group by all
        """)
        found = rows.fetchall()
    allowed = {name for name, consistent in found if consistent and not name.startswith("__")}
    return frozenset(allowed - _REFUSED | {"unnest"})


# --- counts that decide how long a text or a list becomes

# The memory limit of DuckDB does not cover the texts and lists that a function returns: a query
# with `repeat(name, 1000000000)` would take all memory of the machine.

_MOST = 1_000
"""The largest count that a query may name: characters, repetitions or list elements."""

_MOST_ROWS = 10_000_000
"""The largest number in a table function that makes rows, which are not all in memory at once."""

_COUNTS = {
    "repeat": (1,), "lpad": (1,), "rpad": (1,), "list_resize": (1,), "array_resize": (1,),
    "bitstring": (1,), "approx_top_k": (1,), "to_base": (2,), "equi_width_bins": (2,), "bar": (3,),
    "range": (0, 1, 2), "generate_series": (0, 1, 2),
}  # fmt: skip
"""Functions whose result is as long as an argument says, and the positions of such arguments."""

_LENGTHS = frozenset(
    """
    length len strlen char_length character_length length_grapheme octet_length array_length
    list_count
    """.split()  # noqa: SIM905 - a list of words is read as one
)
"""Functions that count what a value already has."""

_WIDTHS = {
    "format": re.compile(r"\{[^{}]*(\{|\d{4})"),
    "printf": re.compile(r"%[^a-zA-Z%]*(\*|\d{4})"),
}
"""Widths in templates: computed from an argument, or 1,000 characters and more."""


def _is_small(tree: Tree) -> bool:
    """Whether a count is at most `_MOST`, or at most what a value already has, or a sum of both."""
    number = _number(tree)
    if number is not None:
        return abs(number) <= _MOST
    if tree["class"] == "CAST":
        return _is_small(tree["child"])
    if tree["class"] != "FUNCTION":
        return False
    name = tree["qualified_name"]["path"][-1].lower()
    arguments = _expressions(tree)
    if name == "least":
        return any(map(_is_small, arguments))
    if name in ("+", "-", "greatest"):
        return all(map(_is_small, arguments))
    return name in _LENGTHS


def _number(tree: Tree) -> Decimal | None:
    """The value of a number or NULL; None for anything else."""
    if tree["class"] != "CONSTANT":
        return None
    kind, written = tree["literal"]["kind"], tree["literal"]["text"]
    if kind == "NULL_LITERAL":
        return Decimal(0)
    try:
        return Decimal(written.replace("_", "")) if kind in ("INTEGER", "NUMERIC") else None
    except InvalidOperation:
        return Decimal("Infinity")


def _expressions(call: Tree) -> list[Tree]:
    return [argument["expression"] for argument in call["arguments"]]


# --- reading

_SPACE = r"(?:\s|--[^\n\r]*|/\*.*?\*/)*"
_WORD = r"""(?:"(?:[^"]|"")*"|'(?:[^']|'')*'|(?:[A-Za-z_]|[^\x00-\x7f])(?:[\w$]|[^\x00-\x7f])*)"""
_NAME = re.compile(rf"{_WORD}(?:{_SPACE}\.{_SPACE}{_WORD})*", re.DOTALL)
_NOWHERE = 2**63


def _option_of(argument: Tree) -> tuple[str, Tree]:
    """The name and value of a reader's option, `name = value` or `name := value`."""
    value = argument["expression"]
    if argument["name"]:
        return argument["name"].lower(), value
    left = value.get("left", {})
    if value.get("type") == "COMPARE_EQUAL" and len(left.get("column_names", ())) == 1:
        return left["column_names"][0].lower(), value["right"]
    return "", value


def _is_text_literal(tree: Tree) -> bool:
    return bool(tree["class"] == "CONSTANT" and tree["literal"]["kind"] == "STRING")


def _is_literal(tree: Tree) -> bool:
    """Whether a node is a constant; or a list, struct or map of constants."""
    if tree["class"] == "CONSTANT":
        return True
    made = tree["class"] == "FUNCTION" and tree["qualified_name"]["path"][-1] in (
        "list_value", "struct_pack", "map", "row",
    )  # fmt: skip
    return made and all(map(_is_literal, _expressions(tree)))


@functools.cache
def _false() -> str:
    """The parser's tree of `false`."""
    return _as_json(_option_of(_argument(_HIVE))[1])


def _as_json(tree: Tree) -> str:
    return json.dumps(_without_places(tree), sort_keys=True)


@dataclass
class _Reader:
    """Walks the tree of a query, refuses what is not allowed, and records what the query reads."""

    query: str
    where: str
    files: list[QueriedFile] = field(default_factory=list)
    tables: list[Parts] = field(default_factory=list)
    functions: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    splices: list[_Splice] = field(default_factory=list)
    _aliases: set[str] = field(default_factory=set)
    _last_names: list[str] = field(default_factory=list)
    _unnamed: list[str] = field(default_factory=list)

    def unnamed_form(self) -> str:
        """The first form by which columns are read without being named; empty if none."""
        for name in self._last_names:
            if name in self._aliases:
                return f"'{name}', a whole row"
        return self._unnamed[0] if self._unnamed else ""

    def read(self, tree: Any, scope: frozenset[str]) -> None:
        """Read a node and all below it, which may name these common table expressions."""
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
            if self._is_read(node, kind):
                return
        elif isinstance(node.get("type"), str):
            if node["type"] not in _NODES:
                self._refuse_kind(node["type"])
            if node.get("sample"):
                self._refuse(
                    "The query takes a random sample, which differs each time.",
                    "filter by the data, such as `where hash(id) % 10 = 0`",
                )
            if node["type"] == "TABLE_FUNCTION":
                self._read_function_call(node, scope)
                return
            if node["type"] == "BASE_TABLE":
                self._read_table(node, scope)
                return
            if node["type"] == "JOIN" and node["ref_type"] == "NATURAL":
                self._unnamed.append("a natural join")
            elif node["type"] == "PIVOT":
                self._unnamed.append("a pivot")
        for entry in node["cte_map"]["map"] if "cte_map" in node else ():
            name = entry["key"].lower()
            inner = entry["value"]["query_node"]
            recursive = inner["type"] == "RECURSIVE_CTE_NODE"
            self._note(entry["key"])
            self._aliases.add(name)
            others = {key: value for key, value in entry["value"].items() if key != "query_node"}
            self._read_values(others, scope)
            self.read(inner, scope | {name} if recursive else scope)
            scope |= {name}
        self._read_values(node, scope)

    def _read_values(self, node: Tree, scope: frozenset[str]) -> None:
        for key, value in node.items():
            if key != "cte_map" and key not in _PARSER_WORDS:
                self.read(value, scope)
        if node.get("alias") and "class" not in node:
            self._aliases.add(node["alias"].lower())

    # --- expressions

    def _is_read(self, node: Tree, kind: str) -> bool:
        """Whether an expression has been read completely, with everything below it."""
        if kind == "CONSTANT":
            self._read_constant(node)
            return True
        if kind in ("FUNCTION", "WINDOW"):
            self._check_function(node)
        elif kind == "COLUMN_REF":
            names = [name.lower() for name in node["column_names"]]
            if len(names) == 1 and names[0] in _SESSION_WORDS:
                self._refuse_function(names[0])
            self._last_names.append(names[-1])
        elif kind in ("STAR", "POSITIONAL_REFERENCE"):
            self._unnamed.append("a star" if kind == "STAR" else "a column by position")
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
            self._check_plain(value)
        self._splice(node, node, "text", value)

    def _check_function(self, node: Tree) -> None:
        path = [name.lower() for name in node["qualified_name"]["path"]]
        if len(path) > 1:
            self._refuse(
                f"The query calls {'.'.join(path)}.",
                "call built-in functions by their bare name, as f(x) instead of x.f()",
            )
        if path[0] not in allowed_functions():
            self._refuse_function(path[0])
        self._check_counts(path[0], _expressions(node))
        self.functions.add(path[0])

    def _check_counts(self, name: str, arguments: list[Tree]) -> None:
        """Refuse the call of a function whose result can be of any length."""
        if name in _WIDTHS:
            template = arguments[0] if arguments else None
            if (
                template is None
                or not _is_text_literal(template)
                or _WIDTHS[name].search(template["literal"]["text"])
            ):
                self._refuse(
                    f"The query calls {name} with a width that is not known to be small.",
                    "write the template as a literal, in which each width is a number below 1,000",
                )
        counts = [arguments[place] for place in _COUNTS.get(name, ()) if place < len(arguments)]
        if not all(map(_is_small, counts)):
            rows = f"; or make rows, `from {name}(…)`" if name in _TABLE_FUNCTIONS else ""
            self._refuse(
                f"The query calls {name} with a count that is not known to be small.",
                f"write a number of at most {_MOST:,}, the length(…) of a text, or"
                f" least(…, {_MOST}){rows}",
            )

    # --- relations

    def _read_table(self, node: Tree, scope: frozenset[str]) -> None:
        parts = tuple(node["qualified_name"]["path"])
        for part in parts:
            self._check_plain(part)
        self._note_relation(node, parts[-1])
        if node.get("at_clause"):
            self._refuse("The query reads a table as of another time.", "leave out `at (…)`")
        if len(parts) == 1 and parts[0].lower() in scope:
            return
        start = node["query_location"]
        if start >= _NOWHERE:
            self._refuse("The query uses `table …`.", "write `from …`")
        # the parser's place also includes the alias
        found = _NAME.match(self.query.encode()[start:].decode(errors="replace"))
        length = len(found[0].encode()) if found else 0
        place = {"query_location": start, "query_location_length": length}
        reader = file_reader(parts[0]) if len(parts) == 1 else ""
        if reader:
            self._check_path(parts[0])
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
        name = ".".join(parts)
        if len(parts) > 3:
            self._refuse(f"'{name}' is not the name of a table.", "write database.schema.table")
        if lower[0] == WORK_CATALOG:
            self._refuse(
                f"'{name}' is a working table of sqlanon.",
                "name the file or table that it is made from",
            )
        inner = {"system", "information_schema", "pg_catalog"}
        catalog = re.fullmatch(r"(duckdb|pragma|sqlite|pg)_\w+", lower[-1])
        if inner & set(lower[:-1]) or catalog:
            self._refuse(
                f"'{name}' is a system table of the database.",
                "read files and tables with data; rename your own table if it has such a name",
            )

    def _read_function_call(self, node: Tree, scope: frozenset[str]) -> None:
        call = node["function"]
        path = [name.lower() for name in call["qualified_name"]["path"]]
        name = path[-1]
        self._note_relation(node, name)
        if len(path) > 1 or (name not in READERS and name not in _TABLE_FUNCTIONS):
            self._refuse(
                f"The query uses the table function {'.'.join(path)}.",
                f"read files with {', '.join(sorted({*READERS} - {'parquet_scan'}))}; make rows"
                f" with {', '.join(sorted(_TABLE_FUNCTIONS))} or values",
            )
        self.functions.add(name)
        if name in READERS:
            self._read_call_of_reader(name, call)
        else:
            numbers = [number for number in map(_number, _expressions(call)) if number is not None]
            if any(abs(number) > _MOST_ROWS for number in numbers):
                self._refuse(
                    f"The query makes rows with a number above {_MOST_ROWS:,}.",
                    f"give numbers of at most {_MOST_ROWS:,}",
                )
        self.read(call["arguments"], scope)

    def _read_call_of_reader(self, name: str, call: Tree) -> None:
        arguments = call["arguments"]
        paths = self._paths(arguments)
        options: dict[str, str] = {}
        for argument in arguments[1:]:
            option, value = _option_of(argument)
            if not option or not _is_literal(value):
                self._refuse(
                    f"An option of {name} is not a literal.",
                    "write options as `name = value`, each value a literal",
                )
            if _WRITING.fullmatch(option):
                self._refuse(f"The option {option} creates a table.", "leave it out")
            options[option] = _as_json(value)
        if "hive_partitioning" not in options:
            path = arguments[0]["expression"]
            end = path["query_location"] + path["query_location_length"]
            self._splice({"query_location": end, "query_location_length": 0}, call, "hive", None)
        elif options["hive_partitioning"] == _false():
            del options["hive_partitioning"]
        for path in paths:
            value = path["literal"]["text"]
            self._check_path(value)
            self.files.append(QueriedFile(value, name, tuple(sorted(options.items()))))
            self._splice(path, path, "path", value)

    def _paths(self, arguments: list[Tree]) -> list[Tree]:
        """The literals of the paths that are passed to a reader."""
        found = [argument["expression"] for argument in arguments[:1] if not argument["name"]]
        for tree in found:
            if tree["class"] == "FUNCTION" and tree["qualified_name"]["path"] == ["list_value"]:
                found = _expressions(tree)
        written = (_is_text_literal(item) and item["query_location"] < _NOWHERE for item in found)
        if not found or not all(written):
            self._refuse(
                "The path of a file that the query reads is not a literal.",
                "give the path as a literal, or a list of literals, before all options",
            )
        return found

    # --- refusing and noting

    def _refuse(self, what: str, fix: str) -> Never:
        raise PlanError(what, where=self.where, fix=fix)

    def _refuse_function(self, name: str) -> Never:
        self._refuse(
            f"The query calls {name}.",
            "a plan's query may call built-in functions of DuckDB whose result depends only on the"
            " arguments: no clock, randomness, setting, sequence, file, error or macro",
        )

    def _refuse_kind(self, kind: str) -> Never:
        named = kind.lower().replace("_", " ").removesuffix(" node").removesuffix(" ref")
        self._refuse(
            f"The query has a part that is not allowed in a plan's query ({named}).",
            "write a single select without parameters, describe, show, summarize or writing",
        )

    def _check_plain(self, value: str) -> None:
        if CONTROL.search(value):
            self._refuse(
                "The query has a line break or control character where only plain text is allowed.",
                "rename the column or file; write texts in single quotes",
            )

    def _check_path(self, path: str) -> None:
        self._check_plain(path)
        if path.startswith("file:/"):  # as in paths of plans
            self._refuse("The query names a file by a URL.", "write the path without 'file:'")

    def _note(self, name: str) -> None:
        self._check_plain(name)
        if name:
            self.names.add(name.lower())

    def _note_relation(self, node: Tree, name: str) -> None:
        """Note the names of a table or of the result of a reader."""
        for alias in (name, node["alias"]):
            if alias:
                self._check_plain(alias)
                self._aliases.add(alias.lower())
        for column in node["column_name_alias"]:
            self._note(column)
        if node["column_name_alias"]:
            self._unnamed.append("a list of column names after a table")

    def _splice(self, place: Tree, node: Tree, kind: SpliceKind, value: Any) -> None:
        start = place["query_location"]
        end = start + place["query_location_length"]
        self.splices.append(_Splice(start, end, node, kind, value))
