"""A query of DuckDB's dialect in another one, over tables that the user names."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from sqlanon.dialects.dialect import Dialect, dialect_of, does_not_carry_over
from sqlanon.dialects.kinds import INTEGER, UNKNOWN, Kind, Kinds, kind_of_type
from sqlanon.dialects.layout import laid_out
from sqlanon.dialects.queries import LISTED, Queries
from sqlanon.dialects.remembered import Remembered
from sqlanon.errors import PlanError, brief
from sqlanon.sql.step import unused
from sqlanon.sql.tables import table_name, table_parts


@dataclass(frozen=True)
class NamedTable:
    """A table of the other database.

    Attributes:
        name: as a plan names a table: `table`, `schema.table` or `database.schema.table`.
        types: DuckDB's type of each column, if it reads a table or a Parquet file; of a CSV file,
            the reader is told.
    """

    name: str
    types: Mapping[str, str] = field(default_factory=dict)


def transpile(sql: str, dialect: str, tables: Mapping[str, NamedTable]) -> str:
    """The query in another dialect.

    The comments at its beginning stay as they are, and so do those at the beginning of each named
    relation. What is not on the lists of `expressions` and `functions` is refused.

    Args:
        sql: one query, as sqlanon writes it for DuckDB.
        dialect: a name in `DIALECTS`.
        tables: what to read in place of each file (by its path in the SQL) and of each table (by
            its name in the SQL, as a plan writes it).

    Raises:
        PlanError: a part of it is not known to mean the same in the dialect; or it reads a file or
            a table for which none is named.
    """
    target = dialect_of(dialect)
    lines = sql.strip("\n").split("\n")
    first = next((n for n, line in enumerate(lines) if not line.startswith("--")), len(lines))
    body = "\n".join(lines[first:]).strip().removesuffix(";")

    def translate(query: str, read: dict[str, object]) -> str:
        return _translated(query, target, tables, read)

    if target.family in ("duckdb", "postgres", "spark"):
        written = _REMEMBERED.translated(body, dialect, tables, translate)
    else:
        written = translate(body, {})
    return "\n".join([*lines[:first], written]) + "\n"


_REMEMBERED = Remembered()


def _translated(
    body: str, target: Dialect, tables: Mapping[str, NamedTable], read: dict[str, object]
) -> str:
    """The query in another dialect; of the tables, those that it has read."""
    tree = _ordered_outside(_parsed(body))
    own = {cte.alias.lower() for cte in tree.find_all(exp.CTE)}
    reader = _Reader(target, tables, own, read)
    _name_columns(tree, target, reader)
    _check_names(tree, target)
    _check_relations(tree, target)
    kinds = Kinds(tree, reader.kind, reader.columns, target)
    reader.cast_as_read(tree, kinds)
    return laid_out(Queries(target, kinds, reader.name).write(tree))


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


def _name_columns(tree: exp.Query, dialect: Dialect, reader: _Reader) -> None:
    """Write the names of a relation's columns where they are made, and not behind its own name."""
    for values in list(tree.find_all(exp.Values)):
        _name_rows(values, dialect)
    for relation in list(tree.find_all(exp.CTE, exp.Subquery)):
        alias = relation.args.get("alias")
        if not isinstance(alias, exp.TableAlias) or not alias.columns:
            continue
        names = alias.columns
        select = relation.this
        while isinstance(select, exp.SetOperation | exp.Subquery):
            select = select.this
        made = _returned(select, reader) if isinstance(select, exp.Select) else []
        if len(made) != len(names) or any(column.is_star for column in made):
            raise does_not_carry_over("names of columns behind a relation", dialect)
        select.set(
            "expressions",
            [exp.alias_(column.unalias(), name.copy())
             for column, name in zip(made, names, strict=True)],
        )  # fmt: skip
        alias.set("columns", None)


def _returned(select: exp.Select, reader: _Reader) -> Sequence[exp.Expr]:
    """What a select returns; for all columns of one table, these."""
    read = select.args.get("from_")
    only = select.expressions[0] if len(select.expressions) == 1 else None
    is_all = isinstance(only, exp.Star) and not any(only.args.values())
    if (
        not is_all
        or read is None
        or select.args.get("joins")
        or not isinstance(read.this, exp.Table)
    ):
        return select.expressions
    names = reader.columns(read.this)
    return [exp.column(name, quoted=True) for name in names] or select.expressions


def _name_rows(values: exp.Values, dialect: Dialect) -> None:
    """Have a select in the place of rows of constants: its columns are those of one row."""
    rows = [row.expressions for row in values.expressions]
    read = values.find_ancestor(exp.From, exp.Join)
    select = read.parent if isinstance(read, exp.From) else None
    above = select.parent if select is not None else None
    if isinstance(above, exp.CTE) and select is not None and above.args["alias"].columns:
        names, place = above.args["alias"].columns, select  # a CTE of rows and nothing else
    else:
        alias = values.args.get("alias")
        names, place = alias.columns if alias else [], values
    if len(names) != len(rows[0]) or not all(_is_constant(cell) for row in rows for cell in row):
        raise does_not_carry_over(
            "rows of values without names, or of more than constants", dialect
        )
    made = [exp.alias_(max(cells, key=_tells).copy(), name.copy())
            for cells, name in zip(zip(*rows, strict=True), names, strict=True)]  # fmt: skip
    listed = exp.select(*made)
    listed.meta[LISTED] = rows
    if place is values:
        called = exp.TableAlias(this=values.args["alias"].this)
        place.replace(exp.Subquery(this=listed, alias=called))
    else:
        place.replace(listed)
        above.args["alias"].set("columns", None)  # type: ignore[union-attr]


def _is_constant(cell: exp.Expr) -> bool:
    if isinstance(cell, exp.Cast | exp.Neg | exp.Paren):
        return _is_constant(cell.this)
    return isinstance(cell, exp.Literal | exp.Null | exp.Boolean)


def _tells(cell: exp.Expr) -> tuple[bool, int]:
    """How much a constant tells of the kind of its column."""
    return not isinstance(cell, exp.Null), len(cell.unnest().name.partition(".")[2])


def _check_names(tree: exp.Query, dialect: Dialect) -> None:
    """Refuse names that differ only in case: DuckDB takes them as one, other databases do not."""
    spellings: dict[str, str] = {}
    for name in tree.find_all(exp.Identifier):
        if spellings.setdefault(name.name.lower(), name.name) != name.name:
            raise does_not_carry_over(
                f"the name '{brief(name.name)}' in two spellings",
                dialect,
                "write it as the source does everywhere in the plan",
            )


def _check_relations(tree: exp.Query, dialect: Dialect) -> None:
    """Refuse what is read other than tables and queries: of these alone the columns are known."""
    for clause in tree.find_all(exp.From, exp.Join):
        read = clause.this
        inner = read.this if isinstance(read, exp.Subquery) else read
        if not isinstance(inner, exp.Table | exp.Select | exp.SetOperation):
            raise does_not_carry_over(f"{inner.key.upper()} as a relation", dialect)


@dataclass(frozen=True)
class _Reader:
    """Knows the tables that stand for those that DuckDB reads."""

    dialect: Dialect
    tables: Mapping[str, NamedTable]
    relations: set[str]
    read: dict[str, object]

    def name(self, node: exp.Table) -> str:
        """The name of a relation: one of the query's own, or the table that the user named."""
        if isinstance(node.this, exp.GenerateSeries):
            return self._series(node.this)
        if self._is_own(node):
            return self.dialect.identifier(node.name)
        parts = table_parts(self._named(node).name)
        if not all(parts) or len(parts) > 3:
            raise PlanError(
                "The name of a table has one to three parts.",
                where=f"--dialect {self.dialect.name}",
                fix="write database.schema.table, schema.table or table",
            )
        if len(parts) == 1 and parts[0].lower() in self.relations:
            raise PlanError(
                f"The query itself has a relation '{brief(parts[0])}'.",
                where=f"--dialect {self.dialect.name}",
                fix="name the table with its schema",
            )
        if self.dialect.family == "spark" and not re.fullmatch(r"\w+", parts[-1], re.ASCII):
            raise does_not_carry_over(
                "the name of the table", self.dialect, "use letters, digits and underscores"
            )
        written = ".".join(map(self.dialect.identifier, parts))
        is_called = node.alias or isinstance(node.this, exp.Func)
        if is_called or parts[-1] == node.name:
            return written
        return f"{written} as {self.dialect.identifier(node.name)}"

    def kind(self, node: exp.Table, column: str) -> Kind:
        """The kind of a column of a table."""
        if isinstance(node.this, exp.GenerateSeries):
            return INTEGER if column.lower() in self.columns(node) else UNKNOWN
        if self._is_own(node):
            return UNKNOWN
        named = self._named(node)
        if column in named.types:
            return _kind_of(named.types[column])
        types = {name.lower(): kind for name, kind in named.types.items()}
        if column.lower() in types:
            return _kind_of(types[column.lower()])
        read_as = _type_as_read(node, column)
        return kind_of_type(read_as) if read_as else UNKNOWN

    def columns(self, node: exp.Table) -> Sequence[str]:
        """The names of a table's columns in their order; none if they are not known."""
        if isinstance(node.this, exp.GenerateSeries):
            return [column.name.lower() for column in node.args["alias"].columns]
        return [] if self._is_own(node) else list(self._named(node).types)

    def _series(self, node: exp.GenerateSeries) -> str:
        """Whole numbers as a relation."""
        first, end = node.args["start"], node.args["end"]
        parts = {name for name, part in node.args.items() if part}
        if parts != {"start", "end", "is_end_exclusive"} or not all(
            isinstance(each, exp.Literal) and each.is_int for each in (first, end)
        ):
            raise does_not_carry_over("a series of this kind", self.dialect)
        if self.dialect.family == "postgres":
            return f"generate_series({first.name}, {int(end.name) - 1})"
        if self.dialect.family not in ("duckdb", "spark"):
            raise does_not_carry_over("a series of numbers", self.dialect)
        return f"range({first.name}, {end.name})"

    def cast_as_read(self, tree: exp.Query, kinds: Kinds) -> None:
        """Cast the columns of files to the types with which DuckDB reads them."""
        for column in list(tree.find_all(exp.Column)):
            table = kinds.source(column)
            is_option = column.find_ancestor(exp.ReadCSV) is not None
            if is_option or not isinstance(table, exp.Table):
                continue
            if column.is_star and isinstance(table.this, exp.ReadCSV):
                raise does_not_carry_over("all columns of a file", self.dialect, "name them")
            read_as = _type_as_read(table, column.name)
            if read_as is not None:
                made = exp.Cast(this=column.copy(), to=read_as)
                named = isinstance(column.parent, exp.Select) and column.arg_key == "expressions"
                column.replace(exp.alias_(made, column.name, quoted=True) if named else made)

    def _is_own(self, node: exp.Table) -> bool:
        return not node.db and not _path(node) and node.name.lower() in self.relations

    def _named(self, node: exp.Table) -> NamedTable:
        path = _path(node)
        parts = [part.name for part in node.parts]
        called = path or table_name(tuple(parts))
        if called not in self.tables or (isinstance(node.this, exp.Func) and not path):
            raise PlanError(
                f"No table is named for '{brief(called)}'.",
                where=f"--dialect {self.dialect.name}",
                fix="name the table that holds its rows in the other database",
            )
        found = self.read[called] = self.tables[called]
        return found


_DUCKDB_TYPE = re.compile(r"[A-Z]+(\(\d+(, ?\d+)?\))?( WITH TIME ZONE)?(\[\d*\])*")
"""As DuckDB writes the types that it describes; other databases write theirs in small letters."""


@functools.cache
def _kind_of(type_name: str) -> Kind:
    """The kind of a type of DuckDB, by its name.

    A name that only another database has is of no known kind, also if it begins like one of DuckDB:
    a text with a collation of its own equality is no text, as its groups merge what differs.
    """
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
    """The type that a reader of CSV files is told for a column; None if it is told none."""
    if not isinstance(node.this, exp.ReadCSV):
        return None
    options = {option.this.name.lower(): option.expression for option in node.this.expressions
               if isinstance(option, exp.EQ)}  # fmt: skip
    for name in ("columns", "types"):
        for pair in options[name].expressions if name in options else ():
            if pair.this.name.lower() == column.lower():
                return exp.DataType.build(pair.expression.name, dialect="duckdb")
    is_all = options.get("all_varchar")
    others = options.get("auto_type_candidates")
    guessed = [kind.name.lower() for kind in others.expressions] if others else []
    is_text = (isinstance(is_all, exp.Boolean) and bool(is_all.this)) or guessed == ["varchar"]
    return exp.DataType.build("text") if is_text and "columns" not in options else None
