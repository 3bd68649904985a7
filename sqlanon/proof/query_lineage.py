"""Where every column of one query comes from: through its common table expressions to the source.

A query is followed scope by scope. Each column has the source columns on which its value depends;
each relation those that decide which rows it has. Whatever cannot be followed is refused: a row as
a whole, columns without names, and any clause that this module does not know.

Only a select of one form may read the source: columns by name, `'*'`, keyed hashes. A column may be
read by the expression for its type, which contains no other column; a row may be left out only
because a value is missing. If the plan publishes the rows in their order, the number of a row may
be read, too. Of the population, only quasi-identifiers may be read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

import sqlglot
from sqlglot import exp
from sqlglot.optimizer.scope import Scope, traverse_scope

from sqlanon.errors import EngineError
from sqlanon.plan.columns import Identifier
from sqlanon.plan.plan import Plan
from sqlanon.source.reading import column_as_read
from sqlanon.source.tables import row_choice
from sqlanon.sql.step import WORK_CATALOG, unused

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

_FOLLOWED = (exp.Query, exp.Table, exp.UDTF, exp.Column, exp.Func)
"""Nodes of a query that read something: each must have been looked at when the reader is done."""

_UNNAMED = (exp.Columns, exp.PositionalColumn, exp.Pivot, exp.Dot, exp.Var, exp.DateTrunc,
            exp.Cube, exp.Rollup, exp.GroupingSets)  # fmt: skip
"""Forms that read a column without a node for it: `x.upper()`, `cube (1)`, `x` of a date."""

_OWN = "\0"
"""Stands for the columns that a select makes itself, which no relation has as its name."""

_ROW_NUMBER = sqlglot.parse_one("row_number() over ()", dialect="duckdb")
"""The order of the source, where the plan publishes it."""

_STAR_TEXT = exp.Literal.string("*")
"""The text that replaces every value of an identifier."""


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
        key: columns that no two rows have alike; empty if none are known.
    """

    columns: Mapping[str, Cell]
    rows: Names = NO_NAMES
    others: Names | None = None
    key: Names = NO_NAMES


_Named = Mapping[str, Relation]
"""Relations by name in lower case."""


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
    tables: _Named = field(default_factory=dict)
    queries: tuple[exp.Expr, ...] = ()
    files: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Around:
    """What a query can name beside what it reads itself.

    Attributes:
        tables: common table expressions, by name in lower case.
        outer: the relations of the query around a subquery in an expression.
    """

    tables: _Named = field(default_factory=dict)
    outer: _Named = field(default_factory=dict)


def _sources_of(cells: Iterable[Cell]) -> Names:
    """The source columns on which any of these depends."""
    return NO_NAMES.union(*(cell.sources for cell in cells))


def bare(tree: exp.Expr) -> exp.Expr:
    """What stands after `from`, without its alias."""
    bare = tree.copy()
    bare.set("alias", None)
    return bare


def _is_named(tree: exp.Expr, around: Around) -> bool:
    """Whether this names a common table expression."""
    return (
        isinstance(tree, exp.Table)
        and isinstance(tree.this, exp.Identifier)
        and not tree.db
        and tree.name.lower() in around.tables
    )


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


def _key_of_groups(tree: exp.Select) -> Names:
    """The columns by which a select groups rows, if all are bare columns that it returns."""
    group = tree.args.get("group")
    keys = [] if group is None or group.args.get("all") else group.expressions
    is_known = all(isinstance(key, exp.Column) and key in tree.expressions for key in keys)
    is_multiplied = any(each.find(exp.Explode, exp.UDTF) for each in tree.expressions)
    return frozenset(k.name.lower() for k in keys) if is_known and not is_multiplied else NO_NAMES


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
    if not _is_named(read, around) or read.args.get("alias") or aggregate.find(exp.Query):
        return False
    columns = around.tables[read.name.lower()].columns
    return all(
        not column.table and column.name.lower() in columns
        for column in aggregate.find_all(exp.Column)
    )


def _name_of(tree: exp.Expr) -> str:
    """The name of what stands after `from`, in lower case: its alias, table or function."""
    return (tree.alias_or_name or called(tree.this)).lower()


def called(tree: exp.Expr) -> str:
    """The name of a function; empty if this is no call."""
    if isinstance(tree, exp.Anonymous):
        return tree.name.lower()
    return tree.sql_name().lower() if isinstance(tree, exp.Func) else ""


def _reads_named(tree: exp.Expr, around: Around) -> bool:
    """Whether a part that a plan wrote reads a common table expression around it by its names."""
    whole = exp.select("*").from_(tree)
    own = {
        id(table)
        for scope in traverse_scope(whole)
        for table, read in scope.selected_sources.values()
        if isinstance(read, Scope)
    }
    tables = whole.find_all(exp.Table)
    return any(_is_named(table, around) and id(table) not in own for table in tables)


def _file_columns(reader: exp.ReadCSV) -> Relation:
    """The columns of a file of a hierarchy, which holds nothing of the source."""
    for option in reader.expressions:
        if isinstance(option, exp.EQ) and option.this.name == "columns":
            names = [part.this.name for part in option.expression.expressions]
            return Relation({name.lower(): Cell(NO_NAMES, exp.column(name)) for name in names})
    return Relation({}, others=NO_NAMES)


# --- the form of what reads the source


def refusal(step: str, what: str) -> EngineError:
    """The error for SQL of which it cannot be proven that no identifier is published."""
    return EngineError(
        f"It cannot be proven that no identifier is published: the step {what}.",
        where=f"step {step}",
        fix="nothing was written; if the plan is plain, report this as a bug of sqlanon",
    )


def _without_row_choice(plan: Plan, tree: exp.Query, step: str) -> exp.Query:
    """The select that reads the source, inside the one that chooses the rows of a person."""
    choice = row_choice(plan, "select 1")
    if not choice:
        return tree
    around = tree.copy()
    inner = None
    start = around.args.get("from_")
    while start is not None and isinstance(start.this, exp.Subquery):
        inner = start.this
        start = inner.this.args.get("from_")
    select = None if inner is None else inner.this
    if inner is not None:
        inner.set("this", exp.select("1"))
    if not isinstance(select, exp.Query) or around != sqlglot.parse_one(choice, dialect="duckdb"):
        raise refusal(step, "does not choose rows by their keyed hashes")
    return select


def row_choices(plan: Plan, tree: exp.Query) -> list[exp.Expr]:
    """The numbers of rows by which the rows of a person are chosen, where the plan limits them.

    Only these windows and the keyed hashes of pseudonyms may read the key.
    """
    choice = row_choice(plan, "select 1")
    if not choice:
        return []
    around = sqlglot.parse_one(choice, dialect="duckdb")
    expected = [*around.find_all(exp.Window), *around.find_all(exp.Where)]
    return [part for part in tree.find_all(exp.Window, exp.Where) if part in expected]


def check_source_rows(plan: Plan, tree: exp.Query, step: str) -> None:
    """Check for one plain select from the source alone; around it only rows may be chosen."""
    select = _without_row_choice(plan, tree, step)
    _source_columns(plan, select, step)
    tables = list(select.find_all(exp.Table))
    alias = unused("source", plan.columns)
    plain = f"{WORK_CATALOG}.source" + (f" AS {alias}" if alias != "source" else "")
    if [table.sql(dialect="duckdb") for table in tables] != [plain]:
        raise refusal(step, "reads something other than the source")


def _source_columns(plan: Plan, tree: exp.Query, step: str) -> Relation:
    """The columns that a select reads from the source, in the only form that is allowed."""
    parts = {name for name, value in tree.args.items() if value}
    if not isinstance(tree, exp.Select) or parts - {"expressions", "where"} != {"from_"}:
        raise refusal(step, "is not a plain select")
    _check_named(plan, tree.args["from_"].this, step)
    actions = {
        name.lower(): column.action
        for name, column in plan.columns.items()
        if isinstance(column, Identifier) and not (plan.hides_persons and name == plan.person)
    }
    columns: dict[str, Cell] = {}
    for projection in tree.expressions:
        inner = projection.this if isinstance(projection, exp.Alias) else projection
        name = projection.alias_or_name
        numbers = plan.order == "source" and name not in plan.columns and inner == _ROW_NUMBER
        if isinstance(projection, exp.Column):
            _check_plain(projection, actions, step)
        elif not (numbers or inner == _STAR_TEXT or _is_as_read(plan, name, inner, actions)):
            raise refusal(step, f"computes '{name}' from columns that it does not name")
        if name.lower() in columns:
            raise refusal(step, f"reads the column '{name}' twice")
        own = next((c for c in plan.columns if c.lower() == name.lower()), None)
        if own is None and not numbers:
            raise refusal(step, f"reads the column '{name}', which the plan does not have")
        sources = NO_NAMES if own is None or inner == _STAR_TEXT else frozenset((own,))
        columns[name.lower()] = Cell(sources, inner)
    where = tree.args["where"].this if "where" in parts else None
    conditions = where.flatten(unnest=False) if isinstance(where, exp.And) else [where]
    for condition in filter(None, conditions):
        column = condition.find(exp.Column)
        if column is None or condition != column.is_(exp.null()).not_():
            raise refusal(step, "filters by more than missing values")
        _check_plain(column, actions, step)
    filtered = {c.name.lower() for c in where.find_all(exp.Column)} if where else set()
    return Relation(columns, frozenset(c for c in plan.columns if c.lower() in filtered))


def _population_columns(plan: Plan, tree: exp.Select, step: str) -> Relation:
    """The columns that a plain select reads from the population: quasi-identifiers alone.

    The population may have a column of any other name, which would hide one of the same name that
    the query makes or has around it; so no other name may stand there.
    """
    if any(value and name not in ("expressions", "from_") for name, value in tree.args.items()):
        raise refusal(step, "has no plain select of the population")
    _check_named(plan, tree.args["from_"].this, step)
    known = {name.lower(): name for name in plan.quasi_identifiers}
    columns: dict[str, Cell] = {}
    for projection in tree.expressions:
        if projection.find(exp.Star, exp.Columns, exp.PositionalColumn, exp.Query):
            raise refusal(step, "does not name the population's columns one by one")
        for column in projection.find_all(exp.Column):
            if len(column.parts) != 1 or column.name.lower() not in known:
                raise refusal(step, f"reads '{column.name}' of the population")
        inner = projection.this if isinstance(projection, exp.Alias) else projection
        named = projection.alias_or_name.lower()
        if named in columns or not isinstance(projection, exp.Alias | exp.Column):
            raise refusal(step, "has a column of the population without a name of its own")
        read = frozenset(known[column.name.lower()] for column in projection.find_all(exp.Column))
        columns[named] = Cell(read, inner)  # as of the source, whose rows are in the population
    return Relation(columns)


def _check_named(plan: Plan, start: exp.Expr, step: str) -> None:
    """Check the name and alias of what is read."""
    alias = start.args.get("alias")
    if alias is not None and alias.columns:  # would mean others by their place
        raise refusal(step, "renames the columns that it reads")
    # The name of a column that is missing would mean whole rows.
    if _name_of(start) in {column.lower() for column in plan.columns}:
        raise refusal(step, f"names what it reads as its column '{_name_of(start)}'")


def _check_plain(column: exp.Column, actions: Mapping[str, str], step: str) -> None:
    """Check that a column is read by its bare name, and is not an identifier."""
    if not isinstance(column.this, exp.Identifier) or len(column.parts) != 1:
        raise refusal(step, "does not name the source's columns one by one")
    if column.name.lower() in actions:
        raise refusal(step, f"reads the identifier '{column.name}'")


def _is_as_read(plan: Plan, name: str, tree: exp.Expr, actions: Mapping[str, str]) -> bool:
    """Whether this is the only expression by which a column of the plan may be read."""
    action = actions.get(name.lower())
    if name not in plan.columns or action not in (None, "pseudonym"):
        return False
    read = keyed_hash(plan, name) if action else column_as_read(plan, name)
    return bool(tree == sqlglot.parse_one(read, dialect="duckdb"))


def keyed_hash(plan: Plan, name: str) -> str:
    """The only expression that may read an identifier: its hash, with the key, twice."""
    column = column_as_read(plan, name)
    key = "getvariable('sqlanon_pseudonym_key')"
    return f"sha256({key} || sha256({key} || cast({column} as varchar)))"


# --- the columns of a query


@dataclass
class QueryReader:
    """Follows the columns of a query.

    Attributes:
        reads: the selects that read the source.
        of_plan: the population, and the queries of hierarchies, as the plan's check allowed them.
        followed: the nodes that were looked at.
    """

    plan: Plan
    readable: Readable
    step: str
    reads: list[exp.Select] = field(default_factory=list)
    of_plan: list[exp.Expr] = field(default_factory=list)
    followed: set[int] = field(default_factory=set)

    def relation(self, tree: exp.Query) -> Relation:
        """The columns and rows of a whole query; EngineError if they cannot be followed."""
        found = self._relation(tree, Around())
        for node in tree.walk():
            if isinstance(node, _FOLLOWED) and id(node) not in self.followed:
                raise self._refused(f"has a part that was not followed ({node.key})")
        population = self.readable.population
        if population is not None and population not in map(bare, self.of_plan):
            raise self._refused("does not read the population")
        return found

    def _relation(self, tree: exp.Expr, around: Around) -> Relation:
        """The columns and rows of a part of the query."""
        self.followed.add(id(tree))
        if isinstance(tree, exp.Subquery):
            self._only(tree)
            return self._relation(tree.this, self._with(tree, around))
        around = self._with(tree, around)
        if isinstance(tree, exp.Values):
            return Relation({}, others=self._used(tree, {}, around))
        if isinstance(tree, exp.SetOperation):
            return self._united(tree, around)
        if not isinstance(tree, exp.Select):
            raise self._refused("has a part that is not a select")
        start = tree.args.get("from_")
        if start is not None and self._is_source(start.this, around):
            self.reads.append(tree)
            self._pass_over(tree)
            return _source_columns(self.plan, tree, self.step)
        if start is not None and self._is_population(start.this, around):
            if around.outer or _reads_named(start.this, around):
                raise self._refused("reads the population where its names may mean others")
            self.of_plan.append(start.this)
            self._pass_over(tree)
            return _population_columns(self.plan, tree, self.step)
        return self._selected(tree, around)

    # --- what is read

    def _with(self, tree: exp.Expr, around: Around) -> Around:
        """What a query can read, with its own table expressions; each can read those before it."""
        clause = tree.args.get("with_")
        if clause is not None and clause.recursive:
            raise self._refused("has a table expression that reads itself")
        for part in clause.expressions if clause is not None else ():
            self._only(part)
            if part.alias.lower() in around.tables:  # upper case may make them two
                raise self._refused("has two table expressions of one name")
            made = self._renamed(self._relation(part.this, around), part)
            around = replace(around, tables={**around.tables, part.alias.lower(): made})
        return around

    def _is_source(self, tree: exp.Expr, around: Around) -> bool:
        """Whether this is the source; a table expression of its name hides it."""
        if self.reads and self._is_population(tree, around):
            return False
        return not _is_named(tree, around) and bare(tree) in self.readable.source

    def _is_population(self, tree: exp.Expr, around: Around) -> bool:
        """Whether this is the population; a table expression of its name hides it."""
        return not _is_named(tree, around) and bare(tree) == self.readable.population

    def _pass_over(self, tree: exp.Expr) -> None:
        """Note that a part was looked at as a whole."""
        self.followed.update(id(node) for node in tree.walk())

    def _read(self, tree: exp.Expr, around: Around) -> Relation:
        """What stands after `from` or `join`."""
        self.followed.add(id(tree))
        if not _name_of(tree):  # its row as a whole could be read by the name that it gets
            raise self._refused("reads a relation without a name")
        if bare(tree) in self.readable.queries:
            if around.outer or _reads_named(tree, around):
                raise self._refused("has a hierarchy's query where its names may mean others")
            self.of_plan.append(tree)
            self._pass_over(tree)
            return self._renamed(Relation({}, others=NO_NAMES), tree)
        if self._is_source(tree, around):
            raise self._refused("reads the source together with other columns")
        if self._is_population(tree, around):
            raise self._refused("reads the population together with other columns")
        if isinstance(tree, exp.Subquery | exp.Values):
            return self._renamed(self._relation(tree, around), tree)
        if not isinstance(tree, exp.Table):
            raise self._refused(f"reads by {called(tree) or tree.key}")
        self._only(tree)
        inner = tree.this
        if not isinstance(inner, exp.Identifier):
            if isinstance(inner, exp.ReadCSV) and inner.name in self.readable.files:
                self._pass_over(inner)
                return self._renamed(_file_columns(inner), tree)
            if isinstance(inner, exp.GenerateSeries):
                used = self._used(inner, {}, around)
                return self._renamed(Relation({}, used, others=used), tree)
            raise self._refused(f"reads by {called(inner) or inner.key}")
        if _is_named(tree, around):
            return self._renamed(around.tables[tree.name.lower()], tree)
        if not tree.catalog and tree.db == WORK_CATALOG:
            made = self.readable.tables.get(tree.name.lower())
            if made is not None:
                return self._renamed(made, tree)
        raise self._refused(f"reads {tree.name}, which is not a part of it")

    def _renamed(self, relation: Relation, tree: exp.Expr) -> Relation:
        """The relation with the column names that an alias gives."""
        alias = tree.args.get("alias")
        names = [name.name for name in alias.columns] if alias is not None else []
        if relation.others is not None:  # it may have more columns than these
            columns = {n.lower(): Cell(relation.others, exp.column(n)) for n in names}
            return replace(relation, columns=columns)
        cells = list(relation.columns.values())
        if len(names) > len(cells):
            raise self._refused("names more columns than there are")
        new = [*(name.lower() for name in names), *list(relation.columns)[len(names) :]]
        if len({*new}) < len(new) or any(_OWN in name for name in new):
            raise self._refused("has columns without names of their own")
        key = NO_NAMES if names else relation.key
        return replace(relation, columns=dict(zip(new, cells, strict=True)), key=key)

    # --- selects

    def _united(self, tree: exp.SetOperation, around: Around) -> Relation:
        self._only(tree)
        parts = [self._relation(part, around) for part in (tree.this, tree.expression)]
        first, second = ([*part.columns.items()] for part in parts)
        if len(first) != len(second) or any(part.others is not None for part in parts):
            raise self._refused("unites selects of which the columns are not known")
        columns = {
            name: Cell(cell.sources | other.sources, cell.tree)
            for (name, cell), (_, other) in zip(first, second, strict=True)
        }
        rows = parts[0].rows | parts[1].rows
        if tree.args.get("distinct") or not isinstance(tree, exp.Union):
            rows |= _sources_of(columns.values())
        return Relation(columns, rows)

    def _selected(self, tree: exp.Select, around: Around) -> Relation:
        self._only(tree)
        scope, rows = self._joined(tree, around)
        made: dict[str, Cell] = {}
        for name, cell in self._projected(tree, scope, around):
            if name in made:  # nothing may name it, but a union counts it
                made[name] = Cell(made[name].sources | cell.sources, made[name].tree)
                name = f"{name}{_OWN}{len(made)}"
            made[name] = cell
        names = {**around.outer, **scope, _OWN: Relation(made)}  # clauses may name what it makes
        rows |= self._chosen(tree, names, made, around)
        counting = counting_columns(tree, len(made), around)
        columns = {
            name: Cell(cell.sources | rows, cell.tree) if counts else cell
            for (name, cell), counts in zip(made.items(), counting, strict=True)
        }
        return Relation(columns, rows, key=_key_of_groups(tree))

    def _joined(self, tree: exp.Select, around: Around) -> tuple[dict[str, Relation], Names]:
        """The relations after `from` and `join`, by name, and what decides which rows they make."""
        start = tree.args.get("from_")
        scope: dict[str, Relation] = {}
        rows = NO_NAMES
        if start is not None:
            read = self._read(start.this, around)
            scope[_name_of(start.this)] = read
            rows |= read.rows
        for join in tree.args.get("joins") or ():
            self._only(join)
            # What is joined may name the relations before it, which hide those around the query.
            read = self._read(join.this, replace(around, outer={**around.outer, **scope}))
            joined = _name_of(join.this)
            if joined in scope:
                raise self._refused("has two relations of one name")
            scope[joined] = read
            matched = self._used(join.args.get("on"), scope, around)
            for name in join.args.get("using") or ():
                matched |= self._used(exp.column(name.name), scope, around)
            if join.side == "LEFT" and self._has_one_row(join, read, joined, scope):
                matched |= read.rows  # which decide the values of its columns, and no rows
            else:
                rows |= read.rows | matched
            widened = scope if join.side in ("RIGHT", "FULL") else {joined: read}
            for name, relation in widened.items():
                cells = relation.columns.items()
                columns = {n: Cell(cell.sources | matched, cell.tree) for n, cell in cells}
                others = None if relation.others is None else relation.others | matched
                scope[name] = replace(relation, columns=columns, others=others)
            if join.kind in ("SEMI", "ANTI"):
                del scope[joined]
        return scope, rows

    def _has_one_row(self, join: exp.Join, read: Relation, joined: str, scope: _Named) -> bool:
        """Whether at most one joined row matches: its key equals the same columns of the others."""
        on, found = join.args.get("on"), set[str]()
        for condition in on.flatten(unnest=False) if isinstance(on, exp.And) else [on]:
            sides = [condition.this, condition.expression] if type(condition) is exp.EQ else []
            own = [s for s in sides if isinstance(s, exp.Column) and s.table.lower() == joined]
            others = [s for s in sides if isinstance(s, exp.Column) and s not in own]
            if len(own) == len(others) == 1 and all(side.table for side in sides):
                first, second = (self._cell(side, scope) for side in sides)
                found |= {own[0].name.lower()} if first.tree == second.tree else set()
        return bool(read.key) and read.key <= found

    def _chosen(
        self, tree: exp.Select, names: _Named, made: Mapping[str, Cell], around: Around
    ) -> Names:
        """On what its clauses let depend which rows a select has, and which of them come first."""
        rows = NO_NAMES
        for clause in ("where", "having", "qualify"):
            rows |= self._used(tree.args.get(clause), names, around)
        group, distinct = tree.args.get("group"), tree.args.get("distinct")
        if group is not None:
            self._only(group)
            rows |= self._keyed(group, names, made, around)
        if distinct is not None:
            kept = self._keyed(distinct.args.get("on"), names, made, around)
            rows |= kept or _sources_of(made.values())
        ordered = self._keyed(tree.args.get("order"), names, made, around)
        if distinct is not None or tree.parent is not None:  # numbers and lists follow the order
            rows |= ordered
        for window in tree.args.get("windows") or ():
            rows |= self._used(window, names, around)
        for projection in tree.expressions:
            if projection.find(exp.Explode, exp.UDTF):  # makes several rows of one, or none
                rows |= self._used(projection, names, around)
        return rows

    def _projected(
        self, tree: exp.Select, scope: _Named, around: Around
    ) -> Iterator[tuple[str, Cell]]:
        """The columns of a select, by name in lower case."""
        before: dict[str, Cell] = {}
        for number, projection in enumerate(tree.expressions):
            is_star = isinstance(projection, exp.Star)
            if is_star or (isinstance(projection, exp.Column) and projection.is_star):
                star = projection if is_star else projection.this
                merges = any(join.args.get("using") for join in tree.args.get("joins") or ())
                if any(star.args.values()) or (is_star and merges) or projection.args.get("db"):
                    raise self._refused("does not name its columns")
                self.followed.add(id(projection))
                for name in scope if is_star else [projection.table.lower()]:
                    relation = scope.get(name)
                    if relation is None or relation.others is not None:
                        raise self._refused("does not name its columns")
                    yield from relation.columns.items()
                continue
            inner = projection.this if isinstance(projection, exp.Alias) else projection
            unnested = inner.unnest()
            is_of_numbers = isinstance(unnested.this, exp.GenerateSeries)
            if isinstance(unnested, exp.Explode | exp.Unnest) and not is_of_numbers:
                raise self._refused("unnests what may be several columns")
            seen = {**around.outer, **scope, _OWN: Relation(before)}
            cell = Cell(self._used(inner, seen, around), self._expanded(inner, seen))
            is_named_so = isinstance(projection, exp.Column) or projection.alias
            key = projection.alias_or_name.lower() if is_named_so else f"{_OWN}{number}"
            before[key] = cell
            yield key, cell

    def _keyed(
        self, clause: exp.Expr | None, names: _Named, made: Mapping[str, Cell], around: Around
    ) -> Names:
        """On what a clause depends whose keys may be numbers of columns, or all of them."""
        if clause is None:
            return NO_NAMES
        cells = list(made.values())
        if clause.args.get("all"):
            return _sources_of(cells)
        used = NO_NAMES
        for key in clause.expressions:
            value = (key.this if isinstance(key, exp.Ordered) else key).unnest()
            if isinstance(value, exp.Var):  # sqlglot also takes a column `all` for `order by all`
                alike = (r.columns["all"] for r in names.values() if "all" in r.columns)
                used |= _sources_of([*cells, *alike])
                continue
            if value.is_int and not 0 < int(value.name) <= len(cells):
                raise self._refused("names a column by a number that it does not have")
            placed = cells[int(value.name) - 1 :][:1] if value.is_int else []
            used |= self._used(key, names, around) | _sources_of(placed)
        return used

    # --- expressions

    def _used(self, tree: exp.Expr | None, scope: _Named, around: Around) -> Names:
        """The source columns on which the value of an expression depends."""
        found: set[str] = set()
        waiting = [] if tree is None else [tree]
        while waiting:
            node = waiting.pop()
            self.followed.add(id(node))
            if isinstance(node, exp.Query):
                inner = self._relation(node, replace(around, outer={**around.outer, **scope}))
                found |= inner.rows | _sources_of(inner.columns.values())
                found |= inner.others or NO_NAMES
            elif isinstance(node, exp.Column) and not node.is_star:
                found |= self._cell(node, scope, around.outer).sources
            elif node.is_star or isinstance(node, _UNNAMED):
                if not (isinstance(node, exp.Star) and isinstance(node.parent, exp.Count)):
                    raise self._refused("does not name its columns")
            else:
                waiting += list(node.iter_expressions())
        return frozenset(found)

    def _cell(self, column: exp.Column, scope: _Named, outer: _Named | None = None) -> Cell:
        """What a column stands for; refused if no relation has it: it may be a row as a whole.

        Columns of the query's own relations may hide the outer ones around it: a part of a column
        that is called like one of them.
        """
        name, table = column.name.lower(), column.table.lower()
        if len(column.parts) > 2:
            raise self._refused(f"reads a part of '{column.table}'")
        if not table and name in scope and name not in scope[name].columns:
            raise self._refused(f"reads '{column.name}', which may be a row as a whole")
        owners = list(scope.values())
        if table:
            owners = [scope[table]] if table in scope else []
        cells = [owner.columns[name] for owner in owners if name in owner.columns]
        if not cells and not (table and owners and owners[0].others is not None):
            raise self._refused(f"reads '{column.name}', which no relation there has as a column")
        # It may also be a column that is not known, or a part of a column with the table's name.
        others = [owner.others for owner in owners if owner.others is not None]
        is_own = bool(cells) and table in scope and scope[table] is not (outer or {}).get(table)
        structs = [] if is_own else [r.columns[table] for r in scope.values() if table in r.columns]
        sources = _sources_of([*cells, *structs]).union(*others)
        return Cell(sources, cells[0].tree if cells else column)

    def _expanded(self, tree: exp.Expr, scope: _Named) -> exp.Expr:
        """An expression with columns of earlier relations replaced by what they stand for.

        What counts in a window is left as it is: its text would double with every pass.
        """
        if isinstance(tree, exp.Column):
            return self._cell(tree, scope).tree.copy()
        if tree.find(exp.Window):
            return tree.copy()

        def put(node: exp.Expr) -> exp.Expr:
            if not isinstance(node, exp.Column) or node.find_ancestor(exp.Query):
                return node
            made = self._cell(node, scope).tree.copy()
            is_one = isinstance(made, exp.Column | exp.Literal | exp.Func)
            return made if is_one else exp.paren(made)

        return tree.copy().transform(put)

    def _only(self, tree: exp.Expr) -> None:
        """Check that a part of a query has no clause that this module does not know."""
        known = next(names for kind, names in _CLAUSES.items() if isinstance(tree, kind))
        for name, value in tree.args.items():
            if value and name not in known:
                raise self._refused(f"has a form that is not known ({name.rstrip('_')})")

    def _refused(self, what: str) -> Exception:
        return refusal(self.step, what)
