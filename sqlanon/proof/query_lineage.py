"""Where every column of one query comes from: through its common table expressions to the source.

A query is followed scope by scope. Each column has the source columns on which its value depends;
each relation those that decide which rows it has. Whatever cannot be followed is refused: a row as
a whole, columns without names, and any clause that this module does not know.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from sqlglot import exp

from sqlanon.plan.plan import Plan
from sqlanon.proof.relations import (
    NO_NAMES,
    Around,
    Cell,
    Names,
    Readable,
    Relation,
    bare,
    called,
    counting_columns,
    depending,
    file_columns,
    is_named,
    keys_of,
    name_of,
    path_read,
    reads_named,
    sources_of,
    unknown_clause,
)
from sqlanon.proof.source_select import population_columns, refusal, source_columns

_FOLLOWED = (exp.Query, exp.Table, exp.UDTF, exp.Column, exp.Func)
"""Nodes of a query that read something: each must have been looked at when the reader is done."""

_UNNAMED = (exp.Columns, exp.PositionalColumn, exp.Pivot, exp.Dot, exp.Var, exp.DateTrunc)
"""Forms that read a column without a node for it: `x.upper()`, and units such as `x` of a date."""

_OWN = "\0"
"""Stands for the columns that a select makes itself, which no relation has as its name."""


@dataclass
class QueryReader:
    """Follows the columns of a query.

    Attributes:
        catalog: the catalog of working tables.
        reads: the selects that read the source.
        reads_population: whether a select reads the population.
        followed: the nodes that were looked at.
    """

    plan: Plan
    readable: Readable
    step: str
    catalog: str
    reads: list[exp.Select] = field(default_factory=list)
    reads_population: bool = False
    followed: set[int] = field(default_factory=set)

    def relation(self, tree: exp.Query) -> Relation:
        """The columns and rows of a whole query.

        Raises:
            EngineError: they cannot be followed.
        """
        found = self._relation(tree, Around())
        for node in tree.walk():
            if isinstance(node, _FOLLOWED) and id(node) not in self.followed:
                raise self._refused(f"has a part that was not followed ({node.key})")
        if self.readable.population is not None and not self.reads_population:
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
            return source_columns(self.plan, tree, self.step)
        if start is not None and self._is_population(start.this, around):
            if around.outer or reads_named(start.this, around):
                raise self._refused("reads the population where its names may mean others")
            self.reads_population = True
            self._pass_over(tree)
            return population_columns(self.plan, tree, self.step)
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
        return not is_named(tree, around) and bare(tree) in self.readable.source

    def _is_population(self, tree: exp.Expr, around: Around) -> bool:
        """Whether this is the population; a table expression of its name hides it."""
        return not is_named(tree, around) and bare(tree) == self.readable.population

    def _pass_over(self, tree: exp.Expr) -> None:
        """Note that a part was looked at as a whole."""
        self.followed.update(id(node) for node in tree.walk())

    def _read(self, tree: exp.Expr, around: Around) -> Relation:
        """What stands after `from` or `join`."""
        self.followed.add(id(tree))
        if not name_of(tree):  # its row as a whole could be read by the name that it gets
            raise self._refused("reads a relation without a name")
        if bare(tree) in self.readable.queries:
            if around.outer or reads_named(tree, around):
                raise self._refused("has a hierarchy's query where its names may mean others")
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
            if isinstance(inner, exp.ReadCSV) and path_read(inner) in self.readable.files:
                self._pass_over(inner)
                return self._renamed(file_columns(inner), tree)
            if isinstance(inner, exp.GenerateSeries):
                used = self._used(inner, {}, around)
                return self._renamed(Relation({}, used, others=used), tree)
            raise self._refused(f"reads by {called(inner) or inner.key}")
        if is_named(tree, around):
            return self._renamed(around.tables[tree.name.lower()], tree)
        if not tree.catalog and tree.db == self.catalog:
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
        return replace(relation, columns=dict(zip(new, cells, strict=True)))

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
            rows |= sources_of(columns.values())
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
        return Relation(columns, rows)

    def _joined(self, tree: exp.Select, around: Around) -> tuple[dict[str, Relation], Names]:
        """The relations after `from` and `join`, by name, and what decides which rows they make."""
        start = tree.args.get("from_")
        scope: dict[str, Relation] = {}
        rows = NO_NAMES
        if start is not None:
            read = self._read(start.this, around)
            scope[name_of(start.this)] = read
            rows |= read.rows
        for join in tree.args.get("joins") or ():
            self._only(join)
            # What is joined may name the relations before it, which hide those around the query.
            read = self._read(join.this, replace(around, outer={**around.outer, **scope}))
            rows |= read.rows
            joined = name_of(join.this)
            if joined in scope:
                raise self._refused("has two relations of one name")
            scope[joined] = read
            matched = self._used(join.args.get("on"), scope, around)
            for name in join.args.get("using") or ():
                matched |= self._used(exp.column(name.name), scope, around)
            rows |= matched
            widened = scope if join.side in ("RIGHT", "FULL") else {joined: read}
            for name, relation in widened.items():
                scope[name] = depending(relation, matched)
            if join.kind in ("SEMI", "ANTI"):
                del scope[joined]
        return scope, rows

    def _chosen(
        self,
        tree: exp.Select,
        names: Mapping[str, Relation],
        made: Mapping[str, Cell],
        around: Around,
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
            rows |= kept or sources_of(made.values())
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
        self, tree: exp.Select, scope: Mapping[str, Relation], around: Around
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
                wanted = scope if is_star else {projection.table.lower(): None}
                for name in wanted:
                    relation = scope.get(name)
                    if relation is None or relation.others is not None:
                        raise self._refused("does not name its columns")
                    yield from relation.columns.items()
                continue
            inner = projection.this if isinstance(projection, exp.Alias) else projection
            if isinstance(inner.unnest(), exp.Explode | exp.Unnest):
                raise self._refused("unnests what may be several columns")
            seen = {**around.outer, **scope, _OWN: Relation(before)}
            cell = Cell(self._used(inner, seen, around), self._told(inner, seen))
            is_named_so = isinstance(projection, exp.Column) or projection.alias
            key = projection.alias_or_name.lower() if is_named_so else f"{_OWN}{number}"
            before[key] = cell
            yield key, cell

    def _keyed(
        self,
        clause: exp.Expr | None,
        names: Mapping[str, Relation],
        made: Mapping[str, Cell],
        around: Around,
    ) -> Names:
        """On what a clause depends whose keys may be numbers of columns, or all of them."""
        if clause is None:
            return NO_NAMES
        keys = keys_of(clause)
        if clause.args.get("all") or any(isinstance(key, exp.Var) for key in keys):
            return sources_of(made.values())
        numbers = [int(key.name) for key in keys if key.is_int]
        if any(not 0 < number <= len(made) for number in numbers):
            raise self._refused("names a column by a number that it does not have")
        cells = list(made.values())
        return self._used(clause, names, around) | sources_of(cells[n - 1] for n in numbers)

    # --- expressions

    def _used(
        self,
        tree: exp.Expr | None,
        scope: Mapping[str, Relation],
        around: Around,
    ) -> Names:
        """The source columns on which the value of an expression depends."""
        found: set[str] = set()
        waiting = [] if tree is None else [tree]
        while waiting:
            node = waiting.pop()
            self.followed.add(id(node))
            if isinstance(node, exp.Query):
                inner = self._relation(node, replace(around, outer={**around.outer, **scope}))
                found |= inner.rows | sources_of(inner.columns.values())
                found |= inner.others or NO_NAMES
            elif isinstance(node, exp.Column) and not node.is_star:
                found |= self._cell(node, scope).sources
            elif node.is_star or isinstance(node, _UNNAMED):
                if not (isinstance(node, exp.Star) and isinstance(node.parent, exp.Count)):
                    raise self._refused("does not name its columns")
            else:
                waiting += list(node.iter_expressions())
        return frozenset(found)

    def _cell(self, column: exp.Column, scope: Mapping[str, Relation]) -> Cell:
        """What a column stands for.

        Raises:
            EngineError: no relation has it; it may be a row as a whole.
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
        structs = [r.columns[table] for r in scope.values() if table in r.columns]
        sources = sources_of([*cells, *structs]).union(*others)
        return Cell(sources, cells[0].tree if cells else column)

    def _told(self, tree: exp.Expr, scope: Mapping[str, Relation]) -> exp.Expr:
        """An expression with columns of earlier relations replaced by what they stand for."""
        if isinstance(tree, exp.Column):
            return self._cell(tree, scope).tree.copy()

        def put(node: exp.Expr) -> exp.Expr:
            if not isinstance(node, exp.Column) or node.find_ancestor(exp.Query):
                return node
            made = self._cell(node, scope).tree.copy()
            is_one = isinstance(made, exp.Column | exp.Literal | exp.Func)
            return made if is_one else exp.paren(made)

        return tree.copy().transform(put)

    def _only(self, tree: exp.Expr) -> None:
        """Check that a part of a query has no clause that this module does not know."""
        unknown = unknown_clause(tree)
        if unknown:
            raise self._refused(f"has a form that is not known ({unknown})")

    def _refused(self, what: str) -> Exception:
        return refusal(self.step, what)
