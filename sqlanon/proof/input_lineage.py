"""The proofs that what a plan reads gives no identifier another name: its hierarchies and views.

A hierarchy must not put an identifier into labels. And a plan names the columns of its source: if
that is a view, or has generated columns, several of them can come from one column of a table. What
a view calls `nick` may be computed from the `name` that the plan calls an identifier. DuckDB says
how its views and generated columns are made.
"""

from __future__ import annotations

import contextlib
import glob
import itertools
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.qualify import qualify
from sqlglot.optimizer.scope import Scope, traverse_scope

from sqlanon.errors import PlanError, united
from sqlanon.hierarchies.base import Hierarchy
from sqlanon.plan.columns import Identifier
from sqlanon.plan.plan import Plan
from sqlanon.plan.tables import Source
from sqlanon.source.reading import reader_options, source_parts
from sqlanon.sql.paths import is_remote
from sqlanon.sql.queries import READERS, PlanQuery, plan_query
from sqlanon.sql.render import text
from sqlanon.sql.tables import Parts
from sqlanon.sql.views import Catalog, Reads

_WILD = re.compile(r"[*?[{]")
"""Where a pattern begins to stand for several files, in DuckDB or in Spark."""

Look = Callable[[Parts], Reads]
"""Returns what a table or view reads in the end, by asking a database."""


def prove_hierarchies(plan: Plan, hierarchies: Mapping[str, Hierarchy], look: Look | None) -> None:
    """Check that no hierarchy puts an identifier into labels; PlanError for all that could.

    A query that reads the source or the population must name its columns one by one, without
    identifiers. If column names may differ from those of the plan (through a view, by another
    reader, or because the source is a query itself), it may not read them at all.
    """
    faults = []
    inputs = [_Input.of(plan, source, look) for source in (plan.source, plan.population) if source]
    for name, hierarchy in hierarchies.items():
        where = plan.where("columns", name, "hierarchy")
        try:
            if hierarchy.file_path:
                if any(_meet(one.files, _files(plan, hierarchy.file_path)) for one in inputs):
                    raise _may_disclose(where, "its file is that of the source or the population")
            elif hierarchy.select:
                _prove_query(plan, plan_query(hierarchy.select, where), where, inputs, look)
        except PlanError as error:
            faults.append(error)
    if faults:
        raise united(faults)


@dataclass(frozen=True)
class _Input:
    """The source or the population.

    Attributes:
        files: the files that it reads, each in all spellings by which it can be known.
        tables: the tables that it reads in the end, including itself if it is a table.
        is_known: whether these are known to be all.
        table: the table that it is, if it is one.
        call: what reads it, as SQL, if it is a file.
    """

    files: frozenset[str]
    tables: frozenset[Parts]
    is_known: bool
    table: Parts = ()
    call: str = ""

    @classmethod
    def of(cls, plan: Plan, source: Source, look: Look | None) -> _Input:
        if source.query is not None:
            query = plan_query(source.query, "source")
            reads = _reads(query.tables, look)
            paths = [*(file.path for file in query.files), *reads.files]
            return cls(_files(plan, *paths), reads.tables, reads.is_known)
        if parts := source_parts(plan, source):
            reads = _reads([parts], look)
            files = _files(plan, *reads.files, *filter(None, [source.database]))
            return cls(files, reads.tables | {parts}, reads.is_known, parts)
        options = "".join(f", {name} = {value}" for name, value in reader_options(source))
        call = f"read_{source.file_format}({text(source.path or '')}{options})"
        return cls(_files(plan, source.path or ""), frozenset(), True, call=call)


def _prove_query(
    plan: Plan, query: PlanQuery, where: str, inputs: list[_Input], look: Look | None
) -> None:
    identifiers = {n.lower() for n, c in plan.columns.items() if isinstance(c, Identifier)}
    is_read = False
    for one in inputs:
        for file in query.files:
            if not one.is_known:
                raise _may_disclose(where, "it reads a file, and what the source reads is unknown")
            if not _meet(one.files, _files(plan, file.path)):
                continue
            own = plan_query(f"from {one.call}", "source").files if one.call else ()
            ways = {(READERS[each.reader], each.options) for each in (file, *own)}
            if not own or len(ways) > 1:
                fix = f"read it as the plan does, by {one.call}" if one.call else ""
                raise _may_disclose(where, "it reads a file of the source in another way", fix)
            is_read = True
        for parts in query.tables:
            if one.table and _same(parts, one.table):
                is_read = True
                continue
            reads = _reads([parts], look)
            same_catalog = look is None and one.table[:1] == parts[:1] != ()  # may be a view of it
            if same_catalog or not (reads.is_known and one.is_known):
                raise _may_disclose(where, f"it is unknown what '{'.'.join(parts)}' reads")
            through = any(_same(mine, other) for mine in reads.tables for other in one.tables)
            if through or _meet(one.files, _files(plan, *reads.files)):
                raise _may_disclose(where, f"it reads the source through '{'.'.join(parts)}'")
    if is_read and identifiers:
        named = identifiers & query.names
        if named:
            raise _may_disclose(where, f"it names the identifier '{min(named)}'")
        if query.unnamed:
            raise _may_disclose(where, f"it reads columns that it does not name ({query.unnamed})")


def _reads(tables: Iterable[Parts], look: Look | None) -> Reads:
    found = Reads()
    for parts in tables:
        found |= look(parts) if look else Reads(frozenset({parts}))
    return found


def _same(one: Parts, other: Parts) -> bool:
    """Whether two names can be those of one table; a shorter one leaves parts unknown."""
    mine, others = ([part.lower() for part in parts] for parts in (one, other))
    return mine[-1] == others[-1] and (len(mine) < 3 or len(others) < 3 or mine == others)


def _files(plan: Plan, *paths: str) -> frozenset[str]:
    """The files of paths and patterns, by path and by their identity in the file system."""
    found: set[str] = set()
    for path in paths:
        found.add(path if is_remote(path) else os.path.normpath(plan.folder / path))
        matches = glob.glob(path, root_dir=plan.folder, recursive=True)
        for file in (plan.folder / match for match in {*matches, path}):
            with contextlib.suppress(OSError):
                status = file.stat()
                found |= {str(file.resolve()), f"{status.st_dev}:{status.st_ino}"}
    return frozenset(found)


def _meet(files: frozenset[str], others: frozenset[str]) -> bool:
    """Whether two can be one file; elsewhere, a pattern can match all that begins like it."""
    far = ([_WILD.split(path.partition("://")[2]) for path in paths if is_remote(path)]
           for paths in (files, others))  # fmt: skip
    return bool(files & others) or any(
        one == other or (ends and one.startswith(other)) or (end and other.startswith(one))
        for (one, *end), (other, *ends) in itertools.product(*far)
    )


def _may_disclose(where: str, why: str, fix: str = "") -> PlanError:
    return PlanError(
        f"The hierarchy can put an identifier into its labels: {why}.",
        where=where,
        fix=fix or "read another file or table, or name the columns one by one without identifiers",
    )


# --- views and generated columns

_Names = frozenset[str]


@dataclass(frozen=True)
class _Origin:
    """Where a column comes from, down to columns of tables.

    Attributes:
        sources: the columns on which its value depends.
        carried: those that it hands on, as they are or by an expression of this column alone.
    """

    sources: _Names = frozenset()
    carried: _Names = frozenset()

    @classmethod
    def united(cls, origins: Iterable[_Origin]) -> _Origin:
        found = list(origins)
        return cls(
            frozenset().union(*(one.sources for one in found)),
            frozenset().union(*(one.carried for one in found)),
        )

    @classmethod
    def of(cls, name: str) -> _Origin:
        return cls(frozenset({name}), frozenset({name}))


_Columns = Mapping[str, _Origin]
"""By name in lower case, in order."""

_OF_TABLE = frozenset(("this", "alias", "db", "catalog", "joins"))
"""What is followed of a table in a view: not a sample, a pivot or a version."""

_SCANS = frozenset(("pandas_scan", "arrow_scan", "arrow_scan_dumb"))
"""The functions that read an object of Python which was registered as a view."""

_UNNAMED = (exp.Columns, exp.Pivot, exp.PositionalColumn, exp.TableColumn)
"""Forms that read columns without their names, such as a row as a whole."""

_HANDS_ON = (exp.Coalesce, exp.Case, exp.If)
"""Expressions whose value is that of one of several."""


class _UnfollowedError(Exception):
    """A view has a form that is not followed."""


def prove_views(plan: Plan, look_up: Callable[[], Catalog]) -> None:
    """Check that no column of the source that may leave is made of an identifier.

    Args:
        look_up: opens the catalog of the connection that has the source; only if it is a table.

    Raises:
        PlanError: names the first column that is; or the view cannot be followed, and the plan has
            an identifier.
    """
    named = source_parts(plan, plan.source)
    identifiers = [name for name, one in plan.columns.items() if isinstance(one, Identifier)]
    if not named or not identifiers:
        return
    catalog = look_up()
    source = catalog.resolved(named)
    try:
        found = _Follower(catalog).columns(source)
    except _UnfollowedError:
        raise PlanError(
            f"It cannot be followed how '{source[-1]}' makes its columns, so one of them may be an"
            " identifier by another name.",
            where=plan.where("source"),
            fix="name the table below, or make one of the view; or write the view's select into the"
            " plan as `source: {query: …}`, where it is reviewed",
        ) from None
    for name, column in plan.columns.items():
        if isinstance(column, Identifier):
            continue
        own = found.get(name.lower(), _Origin()).sources
        for identifier in identifiers:
            secret = found.get(identifier.lower(), _Origin())
            if own & secret.carried or (secret.sources and secret.sources <= own):
                raise PlanError(
                    f"'{source[-1]}' makes '{name}' of what the plan calls the identifier"
                    f" '{identifier}'.",
                    where=plan.where("columns", name),
                    fix="give it the role identifier, or read a view without it; if it may be"
                    f" published, leave '{identifier}' out of the view",
                )


@dataclass
class _Follower:
    """Follows the columns of views; `numbers` name values that are made of no column."""

    catalog: Catalog
    numbers: Iterator[int] = field(default_factory=itertools.count)

    def columns(self, parts: Parts, above: frozenset[Parts] = frozenset()) -> _Columns:
        """The columns of a table or view."""
        made = self.catalog.columns.get(parts)
        if parts in above or made is None:
            raise _UnfollowedError
        try:
            select = self.catalog.select(parts)
            if not select:
                return _of_table(parts, made)
            tree = _expression(select)
            if not isinstance(tree, exp.Query):
                raise _UnfollowedError
            if _is_scan(tree):
                return _of_table(parts, dict.fromkeys(made, ""))
            files = {file.path for file in plan_query(select, "view").files}
            found = self._selected(tree, parts, files, above | {parts})
        except (PlanError, SqlglotError):
            raise _UnfollowedError from None
        if len(found) != len(made):
            raise _UnfollowedError
        return dict(zip(made, found, strict=True))

    def _selected(
        self, tree: exp.Query, view: Parts, files: set[str], above: frozenset[Parts]
    ) -> list[_Origin]:
        """The columns of the select of a view, in order."""
        leaves = {
            id(table): table
            for scope in traverse_scope(tree)
            for table in scope.sources.values()
            if isinstance(table, exp.Table)
        }
        read: dict[str, _Columns] = {}
        for number, table in enumerate(leaves.values()):
            if any(value for key, value in table.args.items() if key not in _OF_TABLE):
                raise _UnfollowedError
            name = f"relation_{number}"
            if isinstance(table.this, exp.Identifier) and table.name not in files:
                parts = tuple(part.name for part in table.parts)
                read[name] = self.columns(self.catalog.resolved(parts, view), above)
            else:
                relation = table.this.sql(dialect="duckdb")
                names = self.catalog.columns_of(relation)
                read[name] = {each: _Origin.of(f"{relation}.{each}") for each in names}
            if not table.alias:
                table.set("alias", exp.TableAlias(this=exp.to_identifier(table.name or name)))
            table.set("this", exp.to_identifier(name))
            table.set("db", None)
            table.set("catalog", None)
        for column in tree.find_all(exp.Column):
            column.set("db", None)
            column.set("catalog", None)
        known: dict[str, object] = {
            name: dict.fromkeys(columns, "varchar") for name, columns in read.items()
        }
        whole = qualify(tree, dialect="duckdb", schema=known, quote_identifiers=False)
        scopes = traverse_scope(whole)
        by_query = {id(scope.expression): scope for scope in scopes}
        return _Selects(by_query, read, self.numbers).columns(scopes[-1])


@dataclass
class _Selects:
    """The selects of one view, whose columns all name their relations.

    Attributes:
        scopes: by the query that they are of.
        read: the columns of what it reads.
        numbers: for names of values that are made of no column.
        followed: the columns of scopes that were followed; None while they are.
    """

    scopes: Mapping[int, Scope]
    read: Mapping[str, _Columns]
    numbers: Iterator[int]
    followed: dict[int, list[_Origin] | None] = field(default_factory=dict)

    def columns(self, scope: Scope) -> list[_Origin]:
        """The columns of a select, or of several that are united."""
        key = id(scope.expression)
        if key not in self.followed:
            self.followed[key] = None
            self.followed[key] = self._columns(scope)
        found = self.followed[key]
        if found is None:  # it reads itself
            raise _UnfollowedError
        return found

    def _columns(self, scope: Scope) -> list[_Origin]:
        tree = scope.expression
        if isinstance(tree, exp.SetOperation):
            parts = [self.columns(part) for part in scope.set_operation_scopes]
            if tree.args.get("by_name") or len({len(part) for part in parts}) != 1:
                raise _UnfollowedError
            return [_Origin.united(cells) for cells in zip(*parts, strict=True)]
        if not isinstance(tree, exp.Select) or tree.find(*_UNNAMED):
            raise _UnfollowedError
        return [self._made(projection) for projection in tree.expressions]

    def _made(self, projection: exp.Expr) -> _Origin:
        """Where the value of an expression comes from."""
        if isinstance(projection.unalias(), exp.Star) or projection.is_star:
            raise _UnfollowedError
        found = _origin(projection, self._cell)
        if found.sources or not projection.find(exp.Func):
            return found
        return _Origin.of(f"made {next(self.numbers)}")  # a number of a row, or drawn

    def _cell(self, column: exp.Column) -> _Origin:
        """Where a column comes from, and those that a condition makes equal to it."""
        scope = self._scope_of(column)
        name = (column.table.lower(), column.name.lower())
        same, pairs = {name}, _equal_columns(scope.expression)
        while more := {two for one in pairs for two in one if one & same} - same:
            same |= more
        found = [self._found(scope, *each) for each in same]
        return _Origin.united(one for one in found if one is not None)

    def _scope_of(self, column: exp.Column) -> Scope:
        scope = self.scopes.get(id(column.find_ancestor(exp.Query)))
        while scope is not None and column.table not in scope.sources:
            scope = scope.parent
        if scope is None:  # such as the parameter of a function
            raise _UnfollowedError
        return scope

    def _found(self, scope: Scope, table: str, name: str) -> _Origin | None:
        """Where a column of a relation of a select comes from; None if it is of another select."""
        source = scope.sources.get(table)
        if source is None:
            return None
        if isinstance(source, exp.Table):
            columns = self.read.get(source.name, {})
        elif source.is_udtf:
            own = _Origin.united(map(self._cell, source.expression.find_all(exp.Column)))
            return own if own.sources else _Origin.of(f"{id(source)}.{name}")
        else:
            query = source.expression
            if not isinstance(query, exp.Query):
                raise _UnfollowedError
            names = [each.lower() for each in query.named_selects]
            if names.count(name) != 1:
                raise _UnfollowedError
            columns = dict(zip(names, self.columns(source), strict=True))
        if name not in columns:
            raise _UnfollowedError
        return columns[name]


def _origin(tree: exp.Expr, cell: Callable[[exp.Column], _Origin]) -> _Origin:
    """Where the value of an expression comes from, by where its columns come from."""
    if isinstance(tree, exp.Column):
        return cell(tree)
    if isinstance(tree, exp.Query):
        return _Origin.united(map(cell, tree.find_all(exp.Column)))
    parts = [part for part in tree.iter_expressions() if part.find(exp.Column)]
    found = _Origin.united(_origin(part, cell) for part in parts)
    return found if len(parts) == 1 or isinstance(tree, _HANDS_ON) else _Origin(found.sources)


def _equal_columns(tree: exp.Expr) -> list[set[tuple[str, str]]]:
    """The pairs of columns, by relation and name, that conditions make equal."""
    return [
        {(side.table.lower(), side.name.lower()) for side in (equal.this, equal.expression)}
        for equal in tree.find_all(exp.EQ)
        if isinstance(equal.this, exp.Column) and isinstance(equal.expression, exp.Column)
    ]


def _of_table(parts: Parts, made: Mapping[str, str]) -> _Columns:
    """The columns of a table, by what generates them, or a default, which names no column."""
    trees = {name: _expression(sql) for name, sql in made.items()}

    def of(name: str) -> _Origin:
        tree = trees.get(name)
        if tree is None or not tree.find(exp.Column):
            return _Origin.of(".".join((*parts, name)))
        return _origin(tree, lambda column: of(column.name.lower()))

    return {name: of(name) for name in made}


def _expression(sql: str) -> exp.Expr | None:
    return sqlglot.parse_one(sql, dialect="duckdb") if sql else None


def _is_scan(tree: exp.Query) -> bool:
    """Whether a view has the columns of a file or an object of Python, under their own names."""
    given = {name for name, value in tree.args.items() if value}
    if given != {"expressions", "from_"} or tree.expressions != [exp.Star()]:
        return False
    read = tree.args["from_"].this.this
    return isinstance(read, exp.Anonymous) and read.name.lower() in _SCANS
