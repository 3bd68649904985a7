"""What is known of a relation in a query: the source columns behind its columns and its rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from sqlglot import exp
from sqlglot.optimizer.scope import Scope, traverse_scope

Names = frozenset[str]
"""Names of source columns."""

NO_NAMES: Names = frozenset()

_CLAUSES: Mapping[type[exp.Expr], frozenset[str]] = {
    exp.Select: frozenset(
        ("with_", "expressions", "from_", "joins", "where", "group", "having", "qualify",
         "windows", "order", "distinct")
    ),
    exp.Subquery: frozenset(("this", "alias", "with_")),
    exp.SetOperation: frozenset(("this", "expression", "with_", "distinct")),
    exp.CTE: frozenset(("this", "alias", "materialized")),
    exp.Table: frozenset(("this", "alias", "db", "catalog")),
    exp.Join: frozenset(("this", "on", "using", "kind", "side")),
    exp.Group: frozenset(("expressions", "all")),
}  # fmt: skip
"""What is followed of each part of a query. No limit is: a number of rows can be a query."""


@dataclass(frozen=True)
class Cell:
    """A column: the source columns on which its value depends, and the expression that makes it."""

    sources: Names
    tree: exp.Expr


@dataclass(frozen=True)
class Relation:
    """A relation of a query.

    Attributes:
        columns: by name in lower case, in order.
        rows: the source columns that decide which rows it has.
        others: for a relation whose columns are not all known, on what any of them depends.
    """

    columns: Mapping[str, Cell]
    rows: Names = NO_NAMES
    others: Names | None = None


@dataclass(frozen=True)
class Readable:
    """What a query may read beside its own common table expressions.

    Attributes:
        source: all that can stand after `from` to read the source.
        population: the same for the population; None if there is none.
        tables: working tables that earlier steps made, by name in lower case.
        queries: the queries of hierarchies, as they stand after `from`.
        files: the files of hierarchies, as literals name them.
    """

    source: tuple[exp.Expr, ...] = ()
    population: exp.Expr | None = None
    tables: Mapping[str, Relation] = field(default_factory=dict)
    queries: tuple[exp.Expr, ...] = ()
    files: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Around:
    """What a query can name beside what it reads itself.

    Attributes:
        tables: common table expressions, by name in lower case.
        outer: the relations of the query around a subquery in an expression.
    """

    tables: Mapping[str, Relation] = field(default_factory=dict)
    outer: Mapping[str, Relation] = field(default_factory=dict)


def sources_of(cells: Iterable[Cell]) -> Names:
    """The source columns on which any of these depends."""
    return NO_NAMES.union(*(cell.sources for cell in cells))


def depending(relation: Relation, names: Names) -> Relation:
    """The relation, joined by these columns, on which its values then depend."""
    columns = {
        name: Cell(cell.sources | names, cell.tree) for name, cell in relation.columns.items()
    }
    others = None if relation.others is None else relation.others | names
    return replace(relation, columns=columns, others=others)


def bare(tree: exp.Expr) -> exp.Expr:
    """What stands after `from`, without its alias."""
    bare = tree.copy()
    bare.set("alias", None)
    return bare


def is_named(tree: exp.Expr, around: Around) -> bool:
    """Whether this names a common table expression."""
    return (
        isinstance(tree, exp.Table)
        and isinstance(tree.this, exp.Identifier)
        and not tree.db
        and tree.name.lower() in around.tables
    )


def unknown_clause(tree: exp.Expr) -> str:
    """A clause of a part of a query that is not followed; empty if there is none."""
    known = next(names for kind, names in _CLAUSES.items() if isinstance(tree, kind))
    unknown = [name for name, value in tree.args.items() if value and name not in known]
    return unknown[0].rstrip("_") if unknown else ""


def keys_of(clause: exp.Expr) -> list[exp.Expr]:
    """The keys of a clause that groups, orders, or keeps one row for each."""
    return [
        (key.this if isinstance(key, exp.Ordered) else key).unnest() for key in clause.expressions
    ]


def counting_columns(tree: exp.Select, count: int, around: Around) -> list[bool]:
    """For each of so many columns of a select, whether its value depends on which rows there are.

    A star stands for several; then it is all of them if it is any.
    """
    found = [
        any(
            not _is_of_inner(one, tree, around)
            for one in projection.find_all(exp.AggFunc, exp.AnonymousAggFunc, exp.Window)
        )
        for projection in tree.expressions
    ]
    return found if len(found) == count else [any(found)] * count


def _is_of_inner(aggregate: exp.Expr, tree: exp.Select, around: Around) -> bool:
    """Whether an aggregate is of the rows of a subquery, and not of those of the select around it.

    It is of the rows around if its columns are. So all of them must be columns of the one table
    expression that the subquery reads, by their bare names, which mean no other ones.
    """
    query = aggregate.find_ancestor(exp.Select)
    if query is None or query is tree or query.args.get("joins") or "from_" not in query.args:
        return False
    part: exp.Expr | None = query
    while part is not None and part is not tree:
        is_between = part is not query and isinstance(part, exp.Select | exp.SetOperation)
        if part.args.get("with_") or is_between:  # the name may mean another one there
            return False
        part = part.parent
    read = query.args["from_"].this
    if not is_named(read, around) or read.args.get("alias") or aggregate.find(exp.Query):
        return False
    columns = around.tables[read.name.lower()].columns
    return all(
        not column.table and column.name.lower() in columns
        for column in aggregate.find_all(exp.Column)
    )


def name_of(tree: exp.Expr) -> str:
    """The name of what stands after `from`, in lower case: its alias, table or function."""
    return (tree.alias_or_name or called(tree.this)).lower()


def called(tree: exp.Expr) -> str:
    """The name of a function; empty if this is no call."""
    if isinstance(tree, exp.Anonymous):
        return tree.name.lower()
    return tree.sql_name().lower() if isinstance(tree, exp.Func) else ""


def reads_named(tree: exp.Expr, around: Around) -> bool:
    """Whether a part that a plan wrote reads a common table expression around it by its names."""
    whole = exp.select("*").from_(tree)
    own = {
        id(table)
        for scope in traverse_scope(whole)
        for table, read in scope.selected_sources.values()
        if isinstance(read, Scope)
    }
    tables = whole.find_all(exp.Table)
    return any(is_named(table, around) and id(table) not in own for table in tables)


def path_read(reader: exp.ReadCSV) -> str:
    """The path that is given to a reader as a literal; empty if it is not one."""
    return reader.name if isinstance(reader.this, exp.Literal) else ""


def file_columns(reader: exp.ReadCSV) -> Relation:
    """The columns of a file of a hierarchy, which holds nothing of the source."""
    for option in reader.expressions:
        if isinstance(option, exp.EQ) and option.this.name == "columns":
            names = [part.this.name for part in option.expression.expressions]
            return Relation({name.lower(): Cell(NO_NAMES, exp.column(name)) for name in names})
    return Relation({}, others=NO_NAMES)
