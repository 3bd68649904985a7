"""What kind of values an expression has: found from the query, and from the types of tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from sqlglot import exp
from sqlglot.optimizer.scope import Scope, traverse_scope

from sqlanon.dialects.dialect import Dialect, does_not_carry_over


@dataclass(frozen=True)
class Kind:
    """A kind of values.

    Attributes:
        name: text, integer, decimal, double, boolean, date, timestamp, list; empty if it is
            unknown.
        decimals: digits after the point, of a decimal where they are known; of a double, all of
            its digits if it is of single precision.
        is_wide: whether a whole number may have more than 64 bits, as a sum may: some databases
            have it as a decimal.
    """

    name: str = ""
    decimals: int | None = None
    is_wide: bool = False


UNKNOWN, TEXT, INTEGER, DOUBLE = Kind(), Kind("text"), Kind("integer"), Kind("double")
BOOLEAN, DATE, TIMESTAMP = Kind("boolean"), Kind("date"), Kind("timestamp")
SINGLE = Kind("double", 7)
WIDE = Kind("integer", is_wide=True)

_BY_TYPE = {
    exp.DType.VARCHAR: TEXT,
    exp.DType.TEXT: TEXT,
    exp.DType.TINYINT: INTEGER,
    exp.DType.SMALLINT: INTEGER,
    exp.DType.INT: INTEGER,
    exp.DType.BIGINT: INTEGER,
    exp.DType.INT128: WIDE,
    exp.DType.DOUBLE: DOUBLE,
    exp.DType.FLOAT: SINGLE,
    exp.DType.BOOLEAN: BOOLEAN,
    exp.DType.DATE: DATE,
    exp.DType.TIMESTAMP: TIMESTAMP,
    exp.DType.TIMESTAMPNTZ: TIMESTAMP,
}


def kind_of_type(kind: exp.DataType) -> Kind:
    """The kind of a type of DuckDB's dialect."""
    if kind.this == exp.DType.DECIMAL:
        digits = [int(part.name) for part in kind.expressions]
        return Kind("decimal", digits[1] if len(digits) == 2 else 0 if digits else 3)
    if kind.this in (exp.DType.ARRAY, exp.DType.LIST):
        return Kind("list")
    return _BY_TYPE.get(kind.this, UNKNOWN) if not kind.expressions else UNKNOWN


_ALWAYS: Mapping[type[exp.Expr], Kind] = {
    exp.Count: INTEGER,
    exp.RowNumber: INTEGER,
    exp.DenseRank: INTEGER,
    exp.Length: INTEGER,
    exp.Year: INTEGER,
    exp.Quarter: INTEGER,
    exp.Month: INTEGER,
    exp.Day: INTEGER,
    exp.IntDiv: INTEGER,
    exp.Div: DOUBLE,
    exp.Ln: DOUBLE,
    exp.Log: DOUBLE,
    exp.Exp: DOUBLE,
    exp.DPipe: TEXT,
    exp.Substring: TEXT,
    exp.Repeat: TEXT,
    exp.TimeToStr: TEXT,
    exp.Chr: TEXT,
    exp.SHA2: TEXT,
    exp.Collate: TEXT,
    exp.Boolean: BOOLEAN,
    exp.Predicate: BOOLEAN,
    exp.Connector: BOOLEAN,
    exp.Not: BOOLEAN,
    exp.LogicalAnd: BOOLEAN,
    exp.LogicalOr: BOOLEAN,
    exp.Avg: DOUBLE,
    exp.Concat: TEXT,
    exp.StrPosition: INTEGER,
    exp.GenerateSeries: INTEGER,
    exp.Split: TEXT,
    exp.SplitPart: TEXT,
    exp.StartsWith: BOOLEAN,
    exp.MD5: TEXT,
    exp.BitwiseAnd: INTEGER,
    exp.BitwiseLeftShift: INTEGER,
    exp.Pow: DOUBLE,
    exp.Sqrt: DOUBLE,
    exp.TimeToUnix: DOUBLE,
    exp.GroupConcat: TEXT,
    exp.ArrayAgg: Kind("list"),
    exp.Left: TEXT,
    exp.Lower: TEXT,
    exp.RegexpExtract: TEXT,
    exp.RegexpReplace: TEXT,
    exp.Replace: TEXT,
    exp.Translate: TEXT,
    exp.Trim: TEXT,
    exp.ApproxDistinct: INTEGER,
}

_ONE_OF = (exp.Greatest, exp.Least, exp.Coalesce, exp.Nullif)
_COMPUTED = (exp.Add, exp.Sub, exp.Mul, exp.Mod)
_AS_FIRST = (
    exp.Paren, exp.Alias, exp.Min, exp.Max, exp.Abs, exp.Neg, exp.Round, exp.Filter,
    exp.Window, exp.Distinct, exp.Lag, exp.Lead, exp.Ordered, exp.Order, exp.Floor, exp.Ceil,
    exp.PercentileDisc, exp.ApproxQuantile, exp.Explode,
)  # fmt: skip


_FUNCTIONS = {"getvariable": TEXT, "nfc_normalize": TEXT, "hash": WIDE, "isfinite": BOOLEAN}
"""Kinds of what functions return that sqlglot has no class for."""

_KNOWN: dict[object, Kind | None] = {}


def _always(node: type[object]) -> Kind | None:
    """The kind that all expressions of a class have."""
    if node not in _KNOWN:
        kinds = (kind for always, kind in _ALWAYS.items() if issubclass(node, always))
        _KNOWN[node] = next(kinds, None)
    return _KNOWN[node]


Source: TypeAlias = "exp.Table | Scope"
"""A relation: a table that is not of the query itself, or a query."""


@dataclass
class Kinds:
    """The kinds of all expressions of a query.

    Attributes:
        tree: the query.
        of_table: the kind of a column of a table that is not of the query itself.
        columns_of: the columns of such a table; none if they are not known.
    """

    tree: exp.Query
    of_table: Callable[[exp.Table, str], Kind]
    columns_of: Callable[[exp.Table], Sequence[str]]
    dialect: Dialect
    scopes: dict[int, Scope] = field(init=False, default_factory=dict)
    _read: dict[int, dict[str, Source]] = field(init=False, default_factory=dict)
    _found: dict[tuple[int, str], Kind] = field(init=False, default_factory=dict)
    _named: dict[int, list[str]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        for scope in traverse_scope(self.tree):
            self.scopes[id(scope.expression)] = scope

    def read(self, scope: Scope) -> dict[str, Source]:
        """What a select reads, by its names in lower case."""
        found = self._read.get(id(scope))
        if found is None:
            sources = {name.lower(): source for name, source in scope.sources.items()}
            found = {name.lower(): sources[name.lower()] for name, _ in scope.references}
            self._read[id(scope)] = found
        return found

    def source(self, column: exp.Column) -> Source | None:
        """The relation that a column is of, as far as the query tells."""
        select = column.find_ancestor(exp.Select)
        scope = self.scopes.get(id(select))
        while scope is not None:
            here = self.read(scope)
            if column.table:
                if column.table.lower() in here:
                    return here[column.table.lower()]
            else:
                having = [source for source in here.values() if self._has(source, column.name)]
                if having or len(here) == 1:
                    return having[0] if having else next(iter(here.values()))
            scope = scope.parent
        return None

    def _has(self, source: Source, name: str) -> bool:
        if isinstance(source, exp.Table):
            return self._of_relation(source, name) != UNKNOWN
        return name.lower() in map(str.lower, self.columns(source))

    def columns(self, source: Source) -> list[str]:
        """The names of the columns of a relation of the query.

        Raises:
            PlanError: the query does not tell.
        """
        found = self._named.get(id(source))
        if found is None:
            found = self._named[id(source)] = self._columns(source)
        return found

    def _columns(self, source: Source) -> list[str]:
        if isinstance(source, exp.Table):
            known = self.columns_of(source)
            if not known:
                raise does_not_carry_over(
                    "all columns of a table, which are not named", self.dialect, "name the columns"
                )
            return list(known)
        select = _first_select(source.expression)
        scope = self.scopes[id(select)]
        names: list[str] = []
        for projection in select.expressions:
            if not projection.is_star:
                names.append(projection.alias_or_name)
                continue
            only = projection.text("table").lower()
            for name, relation in self.read(scope).items():
                if only in ("", name):
                    names += self.columns(relation)
        return names

    def projection(self, select: exp.Select, name: str) -> exp.Expr | None:
        """What a select returns under a name, if it is not by a star."""
        found = [p for p in select.expressions if p.alias_or_name.lower() == name.lower()]
        return found[0].unalias() if len(found) == 1 and not found[0].is_star else None

    def origins(self, column: exp.Column) -> list[exp.Expr]:
        """What a column of a relation of the query is made of, in each of its selects.

        None, if the query does not tell, or has it from a table.
        """
        source = self.source(column)
        if source is None or isinstance(source, exp.Table):
            return []
        queries, found = [source.expression], list[exp.Expr]()
        place = [name.lower() for name in self.columns(source)].index(column.name.lower())
        while queries:
            query = queries.pop()
            if isinstance(query, exp.SetOperation):
                queries += [query.this, query.expression]
            elif isinstance(query, exp.Subquery):
                queries.append(query.this)
            elif any(each.is_star for each in query.expressions):
                read = self.read(self.scopes[id(query)])
                named = [p for p in query.expressions if p.alias_or_name == column.name]
                if named:
                    found += [named[0].unalias()]
                    continue
                if len(read) != 1:
                    return []
                inner = exp.column(column.name, table=next(iter(read)))
                inner.parent = query
                found.append(inner)
            else:
                found.append(query.expressions[place].unalias())
        return found

    def is_whole(self, node: exp.Expr | None) -> bool:
        """Whether a number has no fraction, whatever its kind; a NULL has none."""
        if isinstance(node, exp.Floor | exp.Ceil | exp.Null) or is_error(node):
            return True
        if isinstance(node, exp.Case):
            branches = [branch.args["true"] for branch in node.args["ifs"]]
            return all(map(self.is_whole, [*branches, node.args.get("default") or exp.Null()]))
        if isinstance(node, (*_ONE_OF, exp.Add, exp.Sub, exp.Mul)):
            parts = [node.this, node.args.get("expression"), *node.expressions]
            return all(self.is_whole(part) for part in parts if part is not None)
        if isinstance(node, (*_AS_FIRST, exp.Sum)) and not isinstance(node, exp.Round):
            return self.is_whole(node.this)
        if isinstance(node, exp.Column) and self.kind(node).name != "integer":
            origins = self.origins(node)
            return bool(origins) and all(map(self.is_whole, origins))
        return self.kind(node).name == "integer"

    def kind(self, node: exp.Expr | None) -> Kind:
        """The kind of an expression."""
        if isinstance(node, exp.Column):
            return self._of_column(node)
        if isinstance(node, exp.Literal):
            return _of_literal(node)
        if isinstance(node, exp.Cast):  # also a cast that is only tried
            return kind_of_type(node.to)
        if isinstance(node, exp.Anonymous):
            return _FUNCTIONS.get(node.name.lower(), UNKNOWN)
        always = _always(type(node))
        if always is not None:
            return always
        if isinstance(node, exp.Round):
            kind = self.kind(node.this)
            return Kind("decimal") if kind.name == "decimal" else kind
        if isinstance(node, exp.Sum):
            kind = self.kind(node.this)
            return WIDE if kind == INTEGER else kind
        if isinstance(node, _AS_FIRST):
            return self.kind(node.this)
        if isinstance(node, exp.Case):
            branches = [*(branch.args["true"] for branch in node.args["ifs"]),
                        node.args.get("default")]  # fmt: skip
            return self._common([each for each in branches if not is_error(each)])
        if isinstance(node, (*_ONE_OF, *_COMPUTED)):
            kind = self._common([node.this, node.args.get("expression"), *node.expressions])
            is_decimal = kind.name == "decimal" and isinstance(node, _COMPUTED)
            return Kind("decimal") if is_decimal else kind
        if isinstance(node, exp.Subquery):
            first = _first_select(node)
            return self.kind(first.expressions[0].unalias())
        return UNKNOWN

    def _common(self, parts: list[exp.Expr | None]) -> Kind:
        """The kind of a value that is one of several; of numbers the widest."""
        kinds = [self.kind(part) for part in parts if part and not isinstance(part, exp.Null)]
        names = {kind.name for kind in kinds}
        if names == {"integer"}:
            return WIDE if WIDE in kinds else INTEGER
        if len(names) == 1 and names != {"decimal"}:
            return kinds[0]
        if "double" in names and names <= {"double", "decimal", "integer"}:
            return DOUBLE
        if "decimal" in names and names <= {"decimal", "integer"}:
            places = [0 if kind.name == "integer" else kind.decimals for kind in kinds]
            known = [place for place in places if place is not None]
            return Kind("decimal", max(known) if len(known) == len(places) else None)
        return UNKNOWN

    def _of_column(self, column: exp.Column) -> Kind:
        source = self.source(column)
        return UNKNOWN if source is None else self._of_relation(source, column.name)

    def _of_relation(self, source: Source, name: str) -> Kind:
        """The kind of a column of a relation, also through stars."""
        key = (id(source), name.lower())
        found = self._found.get(key)
        if found is None:
            self._found[key] = UNKNOWN  # of a relation that reads itself, its first query tells
            found = self._found[key] = self._looked_up(source, name)
        return found

    def _looked_up(self, source: Source, name: str) -> Kind:
        if isinstance(source, exp.Table):
            return self.of_table(source, name)
        select = _first_select(source.expression)
        found = self.projection(select, name)
        if found is not None or not any(each.is_star for each in select.expressions):
            return self.kind(found)
        read = self.read(self.scopes[id(select)])
        kinds = [self._of_relation(each, name) for each in read.values()]
        return next((kind for kind in kinds if kind != UNKNOWN), UNKNOWN)


def _of_literal(node: exp.Literal) -> Kind:
    if node.is_string:
        return TEXT
    if not node.name.replace(".", "", 1).isdecimal():  # it has an exponent
        return DOUBLE
    places = len(node.name.partition(".")[2])
    return Kind("decimal", places) if places else INTEGER


def is_error(node: exp.Expr | None) -> bool:
    """Whether an expression stops the query, and so has no value."""
    return isinstance(node, exp.Anonymous) and node.name.lower() == "error"


def _first_select(query: exp.Expr) -> exp.Select:
    """The select that names the columns of a query."""
    while not isinstance(query, exp.Select):
        query = query.this
    return query
