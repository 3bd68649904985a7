"""Where every column of one query comes from: through its common table expressions to the source.

A query is followed scope by scope. Each column has the source columns on which its value depends;
each relation those that decide which rows it has. Whatever cannot be followed is refused: a row as
a whole, columns without names, and any clause that this module does not know.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
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
    alias_of,
    bare,
    depending,
    file_columns,
    is_named,
    sources_of,
)
from sqlanon.proof.source_select import ROW_NUMBER, check_source_select, is_star_text, refusal

_CLAUSES = frozenset(
    ("with_", "expressions", "from_", "joins", "where", "group", "having", "qualify", "windows",
     "order", "distinct", "limit", "offset")
)  # fmt: skip
_JOIN = frozenset(("this", "on", "using", "kind", "side"))
_SET = frozenset(("with_", "this", "expression", "distinct", "order", "limit", "offset"))


_OWN = "\0"
"""Stands for the columns that a select makes itself, which no relation has as its name."""

NOTHING = Around()


@dataclass
class QueryReader:
    """Follows the columns of a query.

    Attributes:
        catalog: the catalog of working tables.
        reads: the selects that read the source.
    """

    plan: Plan
    readable: Readable
    step: str
    catalog: str
    reads: list[exp.Select] = field(default_factory=list)

    def relation(
        self,
        tree: exp.Expr,
        around: Around = NOTHING,
    ) -> Relation:
        """The columns and rows of a query.

        Raises:
            EngineError: they cannot be followed.
        """
        if isinstance(tree, exp.Subquery):
            self._only(tree, frozenset(("this", "alias", "with_", "order", "limit", "offset")))
            return self.relation(tree.this, self._with(tree, around))
        around = self._with(tree, around)
        if isinstance(tree, exp.Values):
            return Relation({}, others=self._used(tree, {}, around))
        if isinstance(tree, exp.SetOperation):
            return self._united(tree, around)
        if not isinstance(tree, exp.Select):
            raise self._refused("has a part that is not a select")
        start = tree.args.get("from_")
        if start is not None and self._is_source(start.this, around):
            return self._source(tree)
        return self._selected(tree, around)

    # --- what is read

    def _with(self, tree: exp.Expr, around: Around) -> Around:
        """What a query can read, with its own table expressions; each can read those before it."""
        clause = tree.args.get("with_")
        for part in clause.expressions if clause is not None else ():
            made = self._renamed(self.relation(part.this, around), part)
            around = replace(around, tables={**around.tables, part.alias.lower(): made})
        return around

    def _is_source(self, tree: exp.Expr, around: Around) -> bool:
        """Whether this is the source; a table expression of its name hides it."""
        if is_named(tree, around) or (self.reads and bare(tree) == self.readable.population):
            return False
        return bare(tree) in self.readable.source

    def _source(self, tree: exp.Select) -> Relation:
        """The columns that a plain select reads from the source."""
        select = check_source_select(self.plan, tree, self.step)
        start = select.args["from_"].this
        alias = start.args.get("alias")
        if alias is not None and alias.columns:
            raise self._refused("renames the source's columns")
        name = start.alias_or_name or _called(start.this)
        if name.lower() in {column.lower() for column in self.plan.columns}:
            raise self._refused(f"names the source as its column '{name}'")
        self.reads.append(select)
        columns = {}
        for projection in select.expressions:
            inner = projection.this if isinstance(projection, exp.Alias) else projection
            named = projection.alias_or_name
            own = next((c for c in self.plan.columns if c.lower() == named.lower()), None)
            if own is None and inner == ROW_NUMBER:  # its place is allowed by `check_source_select`
                columns[named.lower()] = Cell(NO_NAMES, inner)
                continue
            if own is None:
                raise self._refused(f"reads the column '{named}', which the plan does not have")
            sources = NO_NAMES if is_star_text(inner) else frozenset((own,))
            columns[named.lower()] = Cell(sources, inner)
        where = select.args.get("where")
        filtered = {c.name.lower() for c in where.find_all(exp.Column)} if where else set()
        return Relation(columns, frozenset(c for c in self.plan.columns if c.lower() in filtered))

    def _read(self, tree: exp.Expr, around: Around) -> Relation:
        """What stands after `from` or `join`."""
        plain = bare(tree)
        if plain in self.readable.queries:
            return self._renamed(Relation({}, others=NO_NAMES), tree)
        if self._is_source(tree, around):
            raise self._refused("reads the source together with other columns")
        if self.readable.population is not None and plain == self.readable.population:
            names = self.plan.quasi_identifiers
            return Relation({n.lower(): Cell(NO_NAMES, exp.column(n)) for n in names})
        if isinstance(tree, exp.Subquery | exp.Values):
            return self._renamed(self.relation(tree, around), tree)
        if not isinstance(tree, exp.Table) or not isinstance(tree.this, exp.Identifier):
            inner = tree.this if isinstance(tree, exp.Table) else tree
            if isinstance(inner, exp.ReadCSV) and inner.name in self.readable.files:
                return self._renamed(file_columns(inner), tree)
            if isinstance(inner, exp.GenerateSeries):
                return self._renamed(Relation({}, others=self._used(inner, {}, around)), tree)
            raise self._refused(f"reads by {_called(inner) or inner.key}")
        self._only(tree, frozenset(("this", "alias", "db", "catalog")))
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
        if not names:
            return relation
        if relation.others is not None:
            columns = {n.lower(): Cell(relation.others, exp.column(n)) for n in names}
            return Relation(columns, relation.rows)
        cells = list(relation.columns.values())
        if len(names) > len(cells):
            raise self._refused("names more columns than there are")
        old = list(relation.columns)[len(names) :]
        return replace(
            relation,
            columns=dict(zip([*(n.lower() for n in names), *old], cells, strict=True)),
        )

    # --- selects

    def _united(self, tree: exp.SetOperation, around: Around) -> Relation:
        self._only(tree, _SET)
        parts = [self.relation(part, around) for part in (tree.this, tree.expression)]
        first, second = ([*part.columns.items()] for part in parts)
        if len(first) != len(second) or any(part.others is not None for part in parts):
            raise self._refused("unites selects of which the columns are not known")
        columns = {
            name: Cell(cell.sources | other.sources, cell.tree)
            for (name, cell), (_, other) in zip(first, second, strict=True)
        }
        rows = parts[0].rows | parts[1].rows
        if tree.args.get("distinct") or not isinstance(tree, exp.Union) or tree.args.get("limit"):
            rows |= sources_of(columns.values())
        return Relation(columns, rows)

    def _selected(self, tree: exp.Select, around: Around) -> Relation:
        self._only(tree, _CLAUSES)
        start = tree.args.get("from_")
        joins = tree.args.get("joins") or []
        scope: dict[str, Relation] = {}
        rows = NO_NAMES
        if start is not None:
            scope[alias_of(start.this)] = self._read(start.this, around)
            rows |= scope[alias_of(start.this)].rows
        for join in joins:
            self._only(join, _JOIN)
            read = self._read(join.this, around)
            rows |= read.rows
            if alias_of(join.this) in scope:
                raise self._refused("has two relations of one name")
            scope[alias_of(join.this)] = read
            matched = self._used(join.args.get("on"), scope, around)
            for name in join.args.get("using") or ():
                matched |= self._used(exp.column(name.name), scope, around)
            rows |= matched
            widened = scope if join.side in ("RIGHT", "FULL") else {alias_of(join.this): read}
            for name, relation in widened.items():
                scope[name] = depending(relation, matched)
            if join.kind in ("SEMI", "ANTI"):
                del scope[alias_of(join.this)]
        made: dict[str, Cell] = {}
        for name, cell in self._projected(tree, scope, around):
            if name in made:  # nothing can name it, but a union counts it
                made[name] = Cell(made[name].sources | cell.sources, made[name].tree)
                name = f"{name}{_OWN}{len(made)}"
            made[name] = cell
        names = {**around.outer, **scope, _OWN: Relation(made)}  # clauses may name what it makes
        for clause in ("where", "having", "qualify"):
            rows |= self._used(tree.args.get(clause), names, around)
        rows |= self._grouped(tree, names, made, around)
        distinct = tree.args.get("distinct")
        if distinct is not None:
            kept = self._used(distinct.args.get("on"), names, around)
            rows |= kept or sources_of(made.values())
        ordered = self._used(tree.args.get("order"), names, around)
        if tree.args.get("limit") or tree.args.get("offset") or distinct is not None:
            rows |= ordered
        for window in tree.args.get("windows") or ():
            rows |= self._used(window, names, around)
        counting = self._counting(tree, made)
        columns = {
            name: Cell(cell.sources | rows, cell.tree) if counts else cell
            for (name, cell), counts in zip(made.items(), counting, strict=True)
        }
        return Relation(columns, rows)

    def _projected(
        self, tree: exp.Select, scope: Mapping[str, Relation], around: Around
    ) -> Iterator[tuple[str, Cell]]:
        """The columns of a select, by name in lower case."""
        before: dict[str, Cell] = {}
        for number, projection in enumerate(tree.expressions):
            is_star = isinstance(projection, exp.Star)
            if is_star or (isinstance(projection, exp.Column) and projection.is_star):
                star = projection if is_star else projection.this
                if any(star.args.values()):
                    raise self._refused("does not name its columns")
                wanted = scope if is_star else {projection.table.lower(): None}
                for name in wanted:
                    relation = scope.get(name)
                    if relation is None or relation.others is not None:
                        raise self._refused("does not name its columns")
                    yield from relation.columns.items()
                continue
            inner = projection.this if isinstance(projection, exp.Alias) else projection
            seen = {**around.outer, **scope, _OWN: Relation(before)}
            cell = Cell(self._used(inner, seen, around), self._told(inner, seen))
            key = (projection.alias_or_name or f"#{number}").lower()
            before[key] = cell
            yield key, cell

    def _counting(self, tree: exp.Select, made: Mapping[str, Cell]) -> list[bool]:
        """For each column of a select, whether its value depends on which rows there are."""
        found = [
            bool(projection.find(exp.AggFunc, exp.AnonymousAggFunc, exp.Window))
            for projection in tree.expressions
        ]
        return found if len(found) == len(made) else [any(found)] * len(made)

    def _grouped(
        self,
        tree: exp.Select,
        names: Mapping[str, Relation],
        made: Mapping[str, Cell],
        around: Around,
    ) -> Names:
        group = tree.args.get("group")
        if group is None:
            return NO_NAMES
        if group.args.get("all"):
            return sources_of(made.values())
        cells = list(made.values())
        numbered = [cells[int(key.name) - 1] for key in group.expressions if key.is_int]
        return self._used(group, names, around) | sources_of(numbered)

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
            if isinstance(node, exp.Query):
                inner = self.relation(node, replace(around, outer={**around.outer, **scope}))
                found |= inner.rows | sources_of(inner.columns.values())
            elif isinstance(node, exp.Column):
                found |= self._cell(node, scope).sources
            elif isinstance(node, exp.Star | exp.Columns | exp.PositionalColumn | exp.Pivot):
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
        owners = [scope[table]] if table and table in scope else []
        if not table:
            owners = [relation for relation in scope.values() if name in relation.columns]
        cells = [owner.columns[name] for owner in owners if name in owner.columns]
        is_column = any(table in relation.columns for relation in scope.values())
        if not cells and owners and owners[0].others is not None and not is_column:
            return Cell(owners[0].others, column)
        if not cells:
            raise self._refused(f"reads '{column.name}', which no relation there has as a column")
        return Cell(sources_of(cells), cells[0].tree)

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

    def _only(self, tree: exp.Expr, allowed: Iterable[str]) -> None:
        """Check that a part of a query has no clause that this module does not know."""
        for name, value in tree.args.items():
            if value and name not in allowed:
                raise self._refused(f"has a form that is not known ({name.rstrip('_')})")

    def _refused(self, what: str) -> Exception:
        return refusal(self.step, what)


def _called(tree: exp.Expr) -> str:
    """The name of a function; empty if this is no call."""
    if isinstance(tree, exp.Anonymous):
        return tree.name.lower()
    return tree.sql_name().lower() if isinstance(tree, exp.Func) else ""
