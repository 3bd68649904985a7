"""What kind of values an expression has: found from the query, and from the types of tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from sqlglot import exp
from sqlglot.optimizer.scope import Scope, traverse_scope

from sqlanon.dialects.dialect import Dialect, does_not_carry_over


@dataclass(frozen=True)
class Kind:
    """A kind of values.

    Attributes:
        name: text, integer, decimal, double, boolean, date, timestamp; empty if it is unknown.
        decimals: digits after the point, of a decimal where they are known.
        is_wide: whether a whole number may have more than 64 bits, as a sum may: some databases
            have it as a decimal.
    """

    name: str = ""
    decimals: int | None = None
    is_wide: bool = False


UNKNOWN, TEXT, INTEGER, DOUBLE = Kind(), Kind("text"), Kind("integer"), Kind("double")
BOOLEAN, DATE, WIDE = Kind("boolean"), Kind("date"), Kind("integer", is_wide=True)

_BY_TYPE = {
    exp.DType.VARCHAR: TEXT,
    exp.DType.TEXT: TEXT,
    exp.DType.TINYINT: INTEGER,
    exp.DType.SMALLINT: INTEGER,
    exp.DType.INT: INTEGER,
    exp.DType.BIGINT: INTEGER,
    exp.DType.INT128: WIDE,
    exp.DType.DOUBLE: DOUBLE,
    exp.DType.FLOAT: DOUBLE,
    exp.DType.BOOLEAN: BOOLEAN,
    exp.DType.DATE: DATE,
    exp.DType.TIMESTAMP: Kind("timestamp"),
    exp.DType.TIMESTAMPNTZ: Kind("timestamp"),
}


def kind_of_type(kind: exp.DataType) -> Kind:
    """The kind of a type of DuckDB's dialect."""
    if kind.this == exp.DType.DECIMAL:
        digits = [int(part.name) for part in kind.expressions]
        return Kind("decimal", digits[1] if len(digits) == 2 else 0 if digits else 3)
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
    exp.Explode: INTEGER,
    exp.MD5: TEXT,
    exp.GroupConcat: TEXT,
}

_ONE_OF = (exp.Greatest, exp.Least, exp.Coalesce, exp.Nullif)
_COMPUTED = (exp.Add, exp.Sub, exp.Mul, exp.Mod)
_AS_FIRST = (
    exp.Paren, exp.Alias, exp.Min, exp.Max, exp.Abs, exp.Neg, exp.Round, exp.Filter,
    exp.Window, exp.Distinct, exp.Lead, exp.Ordered,
)  # fmt: skip


@dataclass
class Kinds:
    """The kinds of all expressions of a query.

    Attributes:
        tree: the query.
        of_table: the kind of a column of a table that is not of the query itself.
    """

    tree: exp.Query
    of_table: Callable[[exp.Table, str], Kind]
    dialect: Dialect
    scopes: dict[int, Scope] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        for scope in traverse_scope(self.tree):
            self.scopes[id(scope.expression)] = scope

    def source(self, column: exp.Column) -> exp.Table | Scope | None:
        """The relation that a column is of, as far as the query tells."""
        select = column.find_ancestor(exp.Select)
        scope = self.scopes.get(id(select))
        while scope is not None:
            sources = {name.lower(): found for name, found in scope.sources.items()}
            here = {name.lower() for name, _ in scope.references}
            if column.table:
                if column.table.lower() in here:
                    return sources[column.table.lower()]
            else:
                having = [sources[name] for name in here if self._has(sources[name], column.name)]
                if having or len(here) == 1:
                    return having[0] if having else sources[next(iter(here))]
            scope = scope.parent
        return None

    def _has(self, source: exp.Table | Scope, name: str) -> bool:
        if isinstance(source, exp.Table):
            return self.of_table(source, name) != UNKNOWN
        return name.lower() in map(str.lower, self.columns(source))

    def columns(self, source: exp.Table | Scope) -> list[str]:
        """The names of the columns of a relation of the query.

        Raises:
            PlanError: the query does not tell.
        """
        if isinstance(source, exp.Table):
            raise does_not_carry_over(
                "all columns of a table, which are not named", self.dialect, "name the columns"
            )
        select = _first_select(source.expression)
        scope = self.scopes[id(select)]
        names: list[str] = []
        for projection in select.expressions:
            if not projection.is_star:
                names.append(projection.alias_or_name)
                continue
            only = projection.text("table").lower()
            for name, _ in scope.references:
                if only in ("", name.lower()):
                    names += self.columns(scope.sources[name])
        return names

    def projection(self, select: exp.Select, name: str) -> exp.Expr | None:
        """What a select returns under a name, if it is not by a star."""
        found = [p for p in select.expressions if p.alias_or_name.lower() == name.lower()]
        return found[0].unalias() if len(found) == 1 and not found[0].is_star else None

    def kind(self, node: exp.Expr | None) -> Kind:
        """The kind of an expression."""
        if isinstance(node, exp.Column):
            return self._of_column(node)
        if isinstance(node, exp.Literal):
            if node.is_string:
                return TEXT
            places = len(node.name.partition(".")[2])
            return Kind("decimal", places) if places else INTEGER
        if isinstance(node, exp.Cast):  # also a cast that is only tried
            return kind_of_type(node.to)
        if isinstance(node, exp.Anonymous):
            return {"getvariable": TEXT, "hash": WIDE}.get(node.name.lower(), UNKNOWN)
        for always, kind in _ALWAYS.items():
            if isinstance(node, always):
                return kind
        if isinstance(node, exp.Round):
            kind = self.kind(node.this)
            return Kind("decimal") if kind.name == "decimal" else kind
        if isinstance(node, exp.Sum):
            kind = self.kind(node.this)
            return WIDE if kind == INTEGER else kind
        if isinstance(node, _AS_FIRST):
            return self.kind(node.this)
        if isinstance(node, exp.Case):
            branches = [branch.args["true"] for branch in node.args["ifs"]]
            return self._common([*branches, node.args.get("default")])
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

    def _of_relation(self, source: exp.Table | Scope, name: str) -> Kind:
        """The kind of a column of a relation, also through stars."""
        if isinstance(source, exp.Table):
            return self.of_table(source, name)
        select = _first_select(source.expression)
        found = self.projection(select, name)
        if found is not None or not any(each.is_star for each in select.expressions):
            return self.kind(found)
        scope = self.scopes[id(select)]
        kinds = [self._of_relation(scope.sources[each], name) for each, _ in scope.references]
        return next((kind for kind in kinds if kind != UNKNOWN), UNKNOWN)


def _first_select(query: exp.Expr) -> exp.Select:
    """The select that names the columns of a query."""
    while not isinstance(query, exp.Select):
        query = query.this
    return query
