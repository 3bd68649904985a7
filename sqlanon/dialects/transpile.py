"""A query of DuckDB's dialect in another one, over tables that the user names."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import sqlglot
from sqlglot import exp, generator
from sqlglot.errors import SqlglotError

from sqlanon.dialects.allowed import check
from sqlanon.dialects.clauses import expand
from sqlanon.dialects.dialect import EXECUTED, Dialect, dialect_of, does_not_carry_over
from sqlanon.dialects.generators import raw, written
from sqlanon.dialects.kinds import COLUMNS, INTEGER, UNKNOWN, Kind, annotate, kind_of_type
from sqlanon.dialects.rules import rewrite
from sqlanon.dialects.steps import reader_options
from sqlanon.errors import EngineError, PlanError, brief
from sqlanon.sql.paths import unmarked
from sqlanon.sql.step import Step, split, unused
from sqlanon.sql.tables import table_name, table_parts


@dataclass(frozen=True)
class NamedTable:
    """A table of the other database.

    Attributes:
        name: as a plan names a table: `table`, `schema.table` or `database.schema.table`.
        types: DuckDB's type of each column; of a CSV file, its reader has them.
    """

    name: str
    types: Mapping[str, str] = field(default_factory=dict)


class Tables(dict[str, NamedTable]):
    """What stands for each relation, by what steps call it; others are found when they are read."""

    def __init__(self, find: Callable[[str], NamedTable | None]) -> None:
        super().__init__()
        self._find = find  # a table or files of the user; None if there are none

    def __missing__(self, called: str) -> NamedTable:
        key = unmarked(called) or called
        found = self.get(key) or self._find(called)
        if found is None:
            raise KeyError(called)
        self[key] = found
        return found


def transpile(sql: str, dialect: str, tables: Mapping[str, NamedTable]) -> str:
    """The query in another dialect, or a PlanError for what is not known to mean the same there.

    sqlglot parses it, infers the types of its expressions, and writes it in the other dialect.
    Between, what is not on the lists of `allowed` is refused, and `rules` change what sqlglot's
    generator would write with another meaning. The comments at its beginning stay as they are, and
    so do those at the beginning of each named relation.

    Args:
        sql: one query, as sqlanon writes it for DuckDB.
        dialect: a name in `DIALECTS`.
        tables: what to read in place of each file (by its path in the SQL) and of each table (by
            its name in the SQL, as a plan writes it).
    """
    target = dialect_of(dialect)
    header, body = split(sql)
    shape, numbers, rows = _without_numbers(body.strip().removesuffix(";"), dialect)
    read, translation = _TRANSLATED.get((shape, dialect), (None, ""))
    if read is None or any(_find(tables, name) != table for name, table in read.items()):
        read = {}
        translation = _translated(shape, target, tables, read)
        if len(_TRANSLATED) >= _MOST:
            _TRANSLATED.clear()
        _TRANSLATED[shape, dialect] = (read, translation)
    translation = _with_numbers(translation, numbers, rows)
    return "\n".join([*filter(None, [header]), translation]) + "\n"


def transpile_step(step: Step, dialect: str, tables: Mapping[str, NamedTable], where: str) -> str:
    """The query of a step in another dialect; errors name the step, and where the engine is."""
    try:
        return transpile(step.sql, dialect, tables)
    except PlanError as error:
        if not error.where.startswith("--dialect"):
            raise
        raise PlanError(
            f"{error.what} It is asked by the step {step.name}.",
            where=where,
            fix="search here, with `engine: {search: driver}`, if it does not yet; or run the plan"
            " with `engine: duckdb`",
        ) from None


def unused_name(name: str, relation: Callable[[str], str], known: Iterable[NamedTable]) -> str:
    """What a new working relation is called: plain letters, and a number if that is taken."""
    plain = re.sub(r"[^a-z0-9_]", "_", name.lower())[:44]
    taken = {table.name for table in known}
    called, number = relation(plain), 1
    while called in taken:
        number += 1
        called = relation(f"{plain}_{number}")
    return called


# --- translations that are kept

_TRANSLATED: dict[tuple[str, str], tuple[dict[str, NamedTable], str]] = {}
"""Translations and the tables that they read, by query and dialect.

A search asks the same again, with other rows of nodes and other masks of bits. Such numbers are
replaced by marks before a query is translated, and put in again afterwards.
"""

_MOST = 500
"""How many translations are kept."""

_CELL = r"(?:-?\d+|'[^'\\\n]*')"
_ROW = rf"\({_CELL}(?:, {_CELL})*\)"
_PART = re.compile(
    r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*|(?<=& )(?P<mask>\d+)\b"
    rf"|\bvalues(?P<space>\s+)(?P<rows>{_ROW}(?:,\s*{_ROW})*)"
)
_FIRST = 9_000_000_000_000_000_000
"""Marks begin here: numbers of 64 bits, as wide as any that they stand for."""


def _find(tables: Mapping[str, NamedTable], name: str) -> NamedTable | None:
    try:
        return tables[name]
    except KeyError:
        return None


def _without_numbers(body: str, dialect: str) -> tuple[str, dict[str, str], dict[str, list[str]]]:
    """A query with marks, and what they stand for: masks, and rows."""
    numbers: dict[str, str] = {}
    rows: dict[str, list[str]] = {}
    count = 0

    def marked(found: re.Match[str]) -> str:
        nonlocal count
        if found["mask"]:
            count += 1
            numbers[str(_FIRST + count)] = found["mask"]
            return str(_FIRST + count)
        if not found["rows"]:
            return found[0]
        listed = re.findall(_ROW, found["rows"])
        kinds = {tuple("'" in cell for cell in re.findall(_CELL, row)) for row in listed}
        if len(kinds) != 1:
            return found[0]
        marks = [f"'{_FIRST + count + n}'" if is_text else str(_FIRST + count + n)
                 for n, is_text in enumerate(kinds.pop(), start=1)]  # fmt: skip
        count += len(marks)
        rows[f"({', '.join(marks)})"] = listed
        return f"values{found['space']}({', '.join(marks)})"

    if str(_FIRST)[:9] in body or dialect == "bigquery":  # which names the cells of rows
        return body, {}, {}
    return _PART.sub(marked, body), numbers, rows


def _with_numbers(written: str, numbers: Mapping[str, str], rows: Mapping[str, list[str]]) -> str:
    for mark, listed in rows.items():
        # Marks are wider than most numbers, so a row of many can have been broken into lines.
        row = re.escape(mark[1:-1]).replace(r",\ ", r",\s+")
        found = re.search(rf"\(\s*{row}\s*\)", written)
        assert found is not None, "the translation has the marks of the query"
        margin = written[written.rfind("\n", 0, found.start()) + 1 : found.start()]
        made = f",\n{margin}".join(listed)
        written = written[: found.start()] + made + written[found.end() :]
    for mark, number in numbers.items():
        written = written.replace(mark, number)
    return written


# --- one translation


def _translated(
    body: str, target: Dialect, tables: Mapping[str, NamedTable], read: dict[str, NamedTable]
) -> str:
    """The query in another dialect; notes the tables that it has read."""
    if not generator.__file__.endswith(".py"):
        raise EngineError(
            "It has compiled sqlglot, and dialects extend its classes.",
            where="sqlglotc",
            fix="`pip uninstall sqlglotc`; sqlglot alone does the same",
        )
    tree = _ordered_outside(_parsed(body))
    nodes = list(tree.walk())
    relations = [node for node in nodes if isinstance(node, exp.CTE)]
    reader = _Reader(target, tables, {each.alias.lower() for each in relations}, read)
    for node in nodes:
        if isinstance(node, exp.Table):
            reader.name(node)
    _name_relations(relations, [node for node in nodes if isinstance(node, exp.Subquery)])
    check(tree, target)
    returned = annotate(tree)
    expand(tree, target, returned)
    rewrite(tree, target)
    return written(tree, target)


def _parsed(body: str) -> exp.Query:
    try:
        trees = sqlglot.parse(body, dialect="duckdb")
    except SqlglotError:
        trees = []
    if len(trees) != 1 or not isinstance(trees[0], exp.Query):
        raise PlanError(
            "This is not one query.", where="--dialect", fix="report this as a bug of sqlanon"
        )
    return trees[0]


def _ordered_outside(tree: exp.Query) -> exp.Query:
    """A select in place of a union that has an order: of its columns alone some can order."""
    if not isinstance(tree, exp.SetOperation) or not tree.args.get("order"):
        return tree
    names = {name.name.lower() for name in tree.find_all(exp.Identifier)}
    alias = exp.TableAlias(this=exp.to_identifier(unused("united", names)))
    order = tree.args["order"].pop()
    return exp.select("*").from_(exp.Subquery(this=tree, alias=alias)).order_by(*order.expressions)


def _name_relations(relations: Iterable[exp.CTE], subqueries: Iterable[exp.Subquery]) -> None:
    """Name subqueries; and the columns of values behind these, not behind the named relation."""
    for number, subquery in enumerate(subqueries, start=1):
        if isinstance(subquery.parent, exp.From | exp.Join) and not subquery.alias:
            subquery.set("alias", exp.TableAlias(this=exp.to_identifier(f"unnamed_{number}")))
    for relation in relations:
        source = relation.this.args.get("from_")
        values = source.this if source and isinstance(source.this, exp.Values) else None
        if values is not None and not values.alias_column_names:
            columns = relation.args["alias"].columns
            name = exp.to_identifier("listed")
            values.set("alias", exp.TableAlias(this=name, columns=columns))
            relation.args["alias"].set("columns", None)


@dataclass(frozen=True)
class _Reader:
    """Knows the tables that stand for those that DuckDB reads."""

    dialect: Dialect
    tables: Mapping[str, NamedTable]
    relations: set[str]
    read: dict[str, NamedTable]

    def name(self, node: exp.Table) -> None:
        """Put the table that the user named in the place of what DuckDB reads."""
        if isinstance(node.this, exp.GenerateSeries):
            self._name_series(node)
            return
        if not node.db and not _path(node) and node.name.lower() in self.relations:
            return
        named = self._named(node)
        kinds = {column: _kind_of(kind) for column, kind in named.types.items()}
        self._cast_columns(node, kinds)
        parts = self._parts(named)
        alias = node.alias or ("" if _path(node) or parts[-1] == node.name else node.name)
        made = exp.Table()
        for key, part in zip(("this", "db", "catalog"), reversed(parts), strict=False):
            made.set(key, exp.to_identifier(part))
        if alias:
            made.set("alias", exp.TableAlias(this=exp.to_identifier(alias)))
        made.meta[COLUMNS] = kinds
        for key in ("joins", "sample", "pivots"):  # the second and third are refused later
            if node.args.get(key):
                made.set(key, node.args[key])
        node.replace(made)

    def _parts(self, named: NamedTable) -> tuple[str, ...]:
        parts = table_parts(named.name)
        what, fix = "", ""
        if not all(parts) or len(parts) > 3:
            what = "The name of a table has one to three parts."
            fix = "write database.schema.table, schema.table or table"
        elif len(parts) == 1 and parts[0].lower() in self.relations:
            what = f"The query itself has a relation '{brief(parts[0])}'."
            fix = "name the table with its schema"
        if what:
            raise PlanError(what, where=f"--dialect {self.dialect.name}", fix=fix)
        if self.dialect.family == "spark" and not re.fullmatch(r"\w+", parts[-1], re.ASCII):
            raise does_not_carry_over(
                "the name of the table", self.dialect, "use letters, digits and underscores"
            )
        return parts

    def _named(self, node: exp.Table) -> NamedTable:
        path = _path(node)
        called = path or table_name(tuple(part.name for part in node.parts))
        found = _find(self.tables, called)
        if found is None or (isinstance(node.this, exp.Func) and not path):
            raise PlanError(
                f"No table is named for '{brief(called)}'.",
                where=f"--dialect {self.dialect.name}",
                fix="name the table that holds its rows in the other database",
            )
        self.read[called] = found
        return found

    def _name_series(self, node: exp.Table) -> None:
        """Whole numbers as a relation."""
        series, columns = node.this, node.args["alias"].columns if node.alias else []
        first, end = series.args["start"], series.args["end"]
        parts = {name for name, part in series.args.items() if part}
        is_known = parts == {"start", "end", "is_end_exclusive"} and len(columns) == 1
        if not is_known or not all(isinstance(each, exp.Literal) for each in (first, end)):
            raise does_not_carry_over("a series of this kind", self.dialect)
        if self.dialect.family not in EXECUTED:
            raise does_not_carry_over("a series of numbers", self.dialect)
        is_postgres = self.dialect.family == "postgres"
        series_sql = (f"generate_series({first.name}, {int(end.name) - 1})" if is_postgres
                else f"range({first.name}, {end.name})")  # fmt: skip
        node.set("this", raw(series_sql))
        node.meta[COLUMNS] = {columns[0].name: INTEGER}

    def _cast_columns(self, node: exp.Table, kinds: dict[str, Kind]) -> None:
        """Cast the columns of a file to the types with which DuckDB reads them, its kinds."""
        select = node.find_ancestor(exp.Select)
        if not isinstance(node.this, exp.ReadCSV) or select is None:
            return
        for column in list(select.find_all(exp.Column)):
            is_option = column.find_ancestor(exp.ReadCSV) is not None
            is_own = column.find_ancestor(exp.Select) is select and not column.table
            if is_option or not (is_own or column.table == node.alias != ""):
                continue
            if column.is_star or (is_own and select.args.get("joins")):
                raise does_not_carry_over("all columns of a file", self.dialect, "name them")
            read_as = _type_as_read(node, column.name)
            if read_as is not None:
                kinds.setdefault(column.name, kind_of_type(read_as))
                made = exp.Cast(this=column.copy(), to=read_as)
                named = column.parent is select and column.arg_key == "expressions"
                column.replace(exp.alias_(made, column.name, quoted=True) if named else made)


_DUCKDB_TYPE = re.compile(r"[A-Z]+(\(\d+(, ?\d+)?\))?( WITH TIME ZONE)?(\[\d*\])*")
"""As DuckDB writes the types that it describes; other databases write theirs in small letters."""


@functools.cache
def _kind_of(type_name: str) -> Kind:
    """The kind of a type of DuckDB, by its name."""
    # A name that only another database has is of no known kind, also if it begins like one of
    # DuckDB: a text with a collation of its own equality is no text, as its groups merge what
    # differs.
    if not _DUCKDB_TYPE.fullmatch(type_name):
        return UNKNOWN
    return kind_of_type(exp.DataType.build(type_name, dialect="duckdb"))


def _path(node: exp.Table) -> str:
    """The path of the file that a reader reads; empty if it is not a reader."""
    call = node.this
    if isinstance(call, exp.ReadCSV | exp.ReadParquet):
        first = call.this if isinstance(call, exp.ReadCSV) else call.expressions[0]
        if isinstance(first, exp.Literal) and first.is_string:
            return first.name
    return ""


def _type_as_read(node: exp.Table, column: str) -> exp.DataType | None:
    """The type that the call of a CSV reader names for a column; None if it names none."""
    options = reader_options(node.this)
    for name in ("columns", "types"):
        for pair in options[name].expressions if name in options else ():
            if pair.this.name.lower() == column.lower():
                return exp.DataType.build(pair.expression.name, dialect="duckdb")
    is_all = options.get("all_varchar")
    others = options.get("auto_type_candidates")
    guessed = [kind.name.lower() for kind in others.expressions] if others else []
    is_text = (isinstance(is_all, exp.Boolean) and bool(is_all.this)) or guessed == ["varchar"]
    return exp.DataType.build("text") if is_text and "columns" not in options else None
