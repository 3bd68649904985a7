"""Reads the syntax tree of a plan's query, node by node, and refuses what a query must not do."""

from __future__ import annotations

import json
import re
from typing import Any, Never

from sqlanon.sql.query_counts import check_counts, check_rows
from sqlanon.sql.query_functions import (
    EXPRESSIONS,
    NODES,
    READERS,
    REFUSED_WORDS,
    SESSION_WORDS,
    TABLE_FUNCTIONS,
    WRITING,
    allowed_functions,
    file_reader,
)
from sqlanon.sql.query_text import (
    NAME,
    NOWHERE,
    QueriedFile,
    Splice,
    Tree,
    false_literal,
    is_literal,
    is_text_literal,
    option_of,
    refuse,
    without_places,
)
from sqlanon.sql.render import CONTROL
from sqlanon.sql.step import WORK_CATALOG
from sqlanon.sql.tables import Parts


class QueryReader:
    """Walks the tree of a query, refuses what is not allowed, and records what the query reads."""

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
        self.splices: list[Splice] = []

    def unnamed_form(self) -> str:
        """The first form by which columns are read without being named; empty if none."""
        for name in self._rows:
            if name in self._aliases:
                return f"'{name}', a whole row"
        return self._unnamed[0] if self._unnamed else ""

    def read(self, tree: Any, scope: frozenset[str]) -> None:
        """Read a node and everything below it.

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
            if kind not in EXPRESSIONS:
                self._refuse_kind(str(node.get("type")))
            if self._is_read(node, kind):
                return
        elif isinstance(node.get("type"), str):
            if node["type"] not in NODES:
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
            if key != "cte_map" and key not in REFUSED_WORDS:
                self.read(value, scope)
        if node.get("alias") and "class" not in node:
            self._aliases.add(node["alias"].lower())

    def _is_read(self, node: Tree, kind: str) -> bool:
        """Whether an expression has been read completely, with everything below it."""
        if kind == "CONSTANT":
            self._read_constant(node)
            return True
        if kind in ("FUNCTION", "WINDOW"):
            self._check_function(node)
        elif kind == "COLUMN_REF":
            names = [name.lower() for name in node["column_names"]]
            if len(names) == 1 and names[0] in SESSION_WORDS:
                self._refuse_function(names[0])
            self._rows.append(names[-1])
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
        if literal["kind"] != "STRING" or node["query_location"] >= NOWHERE:
            self._refuse_control()
        self._splice(node, node, "text", value)

    def _read_table(self, node: Tree, scope: frozenset[str]) -> None:
        parts = tuple(node["qualified_name"]["path"])
        for part in parts:
            self._refuse_control_in(part)
        self._note_relation(node, parts[-1])
        if node.get("at_clause"):
            refuse(
                self._where,
                "The query reads a table as of another time.",
                "leave out `at (…)`",
            )
        if len(parts) == 1 and parts[0].lower() in scope:
            return
        if node["query_location"] >= NOWHERE:
            refuse(self._where, "The query uses `table …`.", "write `from …`")
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
        name = ".".join(parts)
        if len(parts) > 3:
            refuse(
                self._where, f"'{name}' is not the name of a table.", "write database.schema.table"
            )
        if lower[0] == WORK_CATALOG:
            refuse(
                self._where,
                f"'{name}' is a working table of sqlanon.",
                "name the file or table that it is made from",
            )
        inner = {"system", "information_schema", "pg_catalog"}
        catalog = re.fullmatch(r"(duckdb|pragma|sqlite|pg)_\w+", lower[-1])
        if inner & set(lower[:-1]) or catalog:
            refuse(
                self._where,
                f"'{name}' is a system table of the database.",
                "read files and tables with data; rename your own table if it has such a name",
            )

    def _name_at(self, start: int) -> Tree:
        """The place of a table's name; the parser's place also includes the alias."""
        found = NAME.match(self._raw[start:].decode(errors="replace"))
        length = len(found[0].encode()) if found else 0
        return {"query_location": start, "query_location_length": length}

    def _read_function_call(self, node: Tree, scope: frozenset[str]) -> None:
        call = node["function"]
        path = [name.lower() for name in call["qualified_name"]["path"]]
        name = path[-1]
        self._note_relation(node, name)
        if len(path) > 1 or (name not in READERS and name not in TABLE_FUNCTIONS):
            called = ".".join(path)
            refuse(
                self._where,
                f"The query uses the table function {called}.",
                f"read files with {', '.join(sorted({*READERS} - {'parquet_scan'}))}; make rows"
                f" with {', '.join(sorted(TABLE_FUNCTIONS))} or values",
            )
        self.functions.add(name)
        if name in READERS:
            self._read_call_of_reader(name, call)
        else:
            check_rows(call, self._where)
        self.read(call["arguments"], scope)

    def _read_call_of_reader(self, name: str, call: Tree) -> None:
        arguments = call["arguments"]
        paths = self._paths(arguments)
        options: dict[str, str] = {}
        for argument in arguments[1:]:
            option, value = option_of(argument)
            if not option or not is_literal(value):
                refuse(
                    self._where,
                    f"An option of {name} is not a literal.",
                    "write options as `name = value`, each value a literal",
                )
            if WRITING.fullmatch(option):
                refuse(self._where, f"The option {option} creates a table.", "leave it out")
            options[option] = json.dumps(without_places(value), sort_keys=True)
        if "hive_partitioning" not in options:
            given = arguments[0]["expression"]
            end = given["query_location"] + given["query_location_length"]
            self._splice({"query_location": end, "query_location_length": 0}, call, "hive", None)
        elif options["hive_partitioning"] == json.dumps(
            without_places(false_literal()), sort_keys=True
        ):
            del options["hive_partitioning"]
        for path in paths:
            value = path["literal"]["text"]
            self._refuse_control_in(value)
            self.files.append(QueriedFile(value, name, tuple(sorted(options.items()))))
            self._splice(path, path, "path", value)

    def _paths(self, arguments: list[Tree]) -> list[Tree]:
        """The literals of the paths that are passed to a reader."""
        found = [argument["expression"] for argument in arguments[:1] if not argument["name"]]
        for tree in found:
            if tree["class"] == "FUNCTION" and tree["qualified_name"]["path"] == ["list_value"]:
                found = [item["expression"] for item in tree["arguments"]]
        written = (is_text_literal(item) and item["query_location"] < NOWHERE for item in found)
        if not found or not all(written):
            refuse(
                self._where,
                "The path of a file that the query reads is not a literal.",
                "give the path as a literal, or a list of literals, before all options",
            )
        return found

    def _check_function(self, node: Tree) -> None:
        path = [name.lower() for name in node["qualified_name"]["path"]]
        if len(path) > 1:
            refuse(
                self._where,
                f"The query calls {'.'.join(path)}.",
                "call built-in functions by their bare name, as f(x) instead of x.f()",
            )
        if path[0] not in allowed_functions():
            self._refuse_function(path[0])
        check_counts(node, self._where)
        self.functions.add(path[0])

    def _refuse_function(self, name: str) -> Never:
        refuse(
            self._where,
            f"The query calls {name}.",
            "a plan's query may call built-in functions of DuckDB whose result depends only on the"
            " arguments: no clock, randomness, setting, sequence, file, error or macro",
        )

    def _refuse_kind(self, kind: str) -> Never:
        named = kind.lower().replace("_", " ").removesuffix(" node").removesuffix(" ref")
        refuse(
            self._where,
            f"The query has a part that is not allowed in a plan's query ({named}).",
            "write a single select without parameters, describe, show, summarize or writing",
        )

    def _refuse_sample(self) -> Never:
        refuse(
            self._where,
            "The query takes a random sample, which differs each time.",
            "filter by the data, such as `where hash(id) % 10 = 0`",
        )

    def _refuse_control(self) -> Never:
        refuse(
            self._where,
            "The query has a line break or control character where only plain text is allowed.",
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
        """Note the names of a table or of the result of a reader."""
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
        self.splices.append(Splice(start, end, node, kind, value))
