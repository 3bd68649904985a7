"""Writes whole queries in a dialect: the clauses of a select, named relations, set operations."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sqlglot import exp

from sqlanon.dialects.dialect import Dialect, does_not_carry_over
from sqlanon.dialects.expressions import Expressions
from sqlanon.dialects.groups import all_keys
from sqlanon.dialects.kinds import Kinds
from sqlanon.dialects.layout import LINE, Doc, Group, Nest, Stack, joined, laid_out, listed
from sqlanon.sql.render import comment
from sqlanon.sql.step import unused

_SETS: Mapping[type[exp.Expr], str] = {
    exp.Union: "union", exp.Intersect: "intersect", exp.Except: "except",
}  # fmt: skip

_SHORT = (exp.Column, exp.Count, exp.Literal)
"""Of these a select can have several on a line."""

LISTED = "rows"
"""Under this name, a select that stands for a list of rows has them."""

_DEEPEST = 10_000
"""Rounds of a recursion: more than there are cuts of a partition one after another."""

_MATERIALIZES = ("duckdb", "postgres")
"""Where a named relation can be computed once, and kept."""

_JOINS = {
    ("", "", ""): "join", ("", "INNER", ""): "inner join", ("LEFT", "", ""): "left join",
    ("", "CROSS", ""): "cross join", ("FULL", "OUTER", ""): "full outer join",
    ("FULL", "", ""): "full outer join",
}  # fmt: skip
"""By side, kind and method."""


class Queries:
    """Writes queries.

    Args:
        table: writes the name of a table that is not of the query itself.
    """

    def __init__(self, dialect: Dialect, kinds: Kinds, table: Callable[[exp.Table], str]) -> None:
        self.dialect, self.kinds, self.table = dialect, kinds, table
        self._unnamed = 0
        self.parts = Expressions(dialect, kinds, self.write)

    def write(self, node: exp.Expr) -> Doc:
        """A query, without brackets.

        Raises:
            PlanError: a part of it is not known to mean the same in the dialect.
        """
        if LISTED in node.meta:
            return self._listed(node)
        if isinstance(node, exp.Select):
            return Stack(self._select(node))
        if isinstance(node, exp.SetOperation):
            return Stack(self._set(node))
        if isinstance(node, exp.Subquery):
            self.parts.expect(node, "this")
            return Stack(("(", Nest((LINE, self.write(node.this))), LINE, ")"))
        raise does_not_carry_over(f"the statement {node.key.upper()}", self.dialect)

    def _listed(self, node: exp.Expr) -> Doc:
        """Rows of constants."""
        written = [[laid_out(self.parts.write(cell)) for cell in row] for row in node.meta[LISTED]]
        names = [self.dialect.identifier(column.alias) for column in node.expressions]
        if self.dialect.family not in ("duckdb", "postgres", "spark"):
            first = [f"{cell} as {name}" for cell, name in zip(written[0], names, strict=True)]
            selects: list[Doc] = [("select ", ", ".join(row)) for row in (first, *written[1:])]
            return Stack(joined(selects, (LINE, "union all", LINE)))
        rows = Nest((LINE, listed([f"({', '.join(row)})" for row in written])))
        inner = Nest((LINE, "values", rows))
        name = f"{unused('listed', names)} ({', '.join(names)})"
        return Stack(("select *", LINE, "from (", inner, LINE, f") as {name}"))

    def _with(self, node: exp.Expr) -> list[Doc]:
        clause = node.args.get("with_")
        if clause is None:
            return []
        self.parts.expect(clause, "expressions", "recursive")
        written: list[Doc] = []
        for relation in clause.expressions:
            self.parts.expect(relation, "this", "alias", "materialized")
            self.parts.expect(relation.args["alias"], "this")
            told = [(f"-- {comment(line.strip())}", LINE) for line in comments_of(relation)]
            body = Nest((LINE, *told, self.write(relation.this)))
            name = self.dialect.identifier(relation.alias)
            if clause.args.get("recursive") and _reads_itself(relation):
                self._check_recursion(relation)
                if self.dialect.family == "spark":  # which else stops after 100 of them
                    name += f" max recursion level {_DEEPEST}"
            written.append((f"{name} as {self._hint(relation)}(", body, LINE, ")"))
        word = "with recursive " if clause.args.get("recursive") else "with "
        return [(word, listed(written))]

    def _hint(self, relation: exp.CTE) -> str:
        """What the database is told of how often a relation is to be computed."""
        is_postgres = self.dialect.family == "postgres"
        if relation.args.get("materialized") and self.dialect.keeps:
            return "materialized "
        if is_postgres and (_lists_values(relation) or _makes_codes(relation)):
            return "materialized "
        return "not materialized " if is_postgres and _is_read_again(relation) else ""

    def _check_recursion(self, relation: exp.CTE) -> None:
        """Refuse a recursion that is more than a join with the rows of the round before."""
        union = relation.this
        last = union.expression if isinstance(union, exp.Union) else None
        is_join = (
            isinstance(last, exp.Select)
            and not union.args.get("distinct")
            and not any(last.args.get(part) for part in ("with_", "group", "distinct", "having"))
            and not last.find(exp.AggFunc, exp.Window, exp.Subquery, exp.Exists)
            and all(join.side == "" for join in last.args.get("joins") or ())
            and self.dialect.family in ("duckdb", "postgres", "spark")
        )
        if not is_join:
            raise does_not_carry_over("a recursion of this kind", self.dialect)

    def _select(self, node: exp.Select) -> Doc:
        self.parts.expect(
            node, "with_", "expressions", "distinct", "from_", "joins", "where", "group", "having",
            "windows", "order", "limit",
        )  # fmt: skip
        distinct = node.args.get("distinct")
        if distinct is not None:
            self.parts.expect(distinct)
        lines = self._with(node)
        columns: list[Doc] = [self._projection(column) for column in node.expressions]
        word = "select distinct" if distinct else "select"
        written = Nest((LINE, listed(columns)))
        if len(columns) == 1:
            lines.append((f"{word} ", columns[0]))
        elif all(isinstance(column.unalias(), _SHORT) for column in node.expressions):
            lines.append(Group((word, written)))
        else:
            lines.append((word, written))
        if node.args.get("from_"):
            lines.append(("from ", self._relation(node.args["from_"].this)))
        lines += [self._join(join) for join in node.args.get("joins") or ()]
        if node.args.get("where"):
            lines.append(self._conditions("where", node.args["where"].this))
        if node.args.get("group"):
            lines.append(self._group(node))
        if node.args.get("having"):
            lines.append(self._conditions("having", node.args["having"].this))
        if node.args.get("windows") and self.dialect.has_windows:
            windows: list[Doc] = [
                (f"{self.dialect.identifier(window.name)} as ", self.parts.window(window))
                for window in node.args["windows"]
            ]
            lines.append(("window ", listed(windows)))
        if node.args.get("order"):
            lines.append(Group(("order by", Nest((LINE, listed(self._keys(node)))))))
        if node.args.get("limit"):
            lines.append(self._first_rows(node))
        return joined(lines, LINE)

    def _set(self, node: exp.SetOperation) -> Doc:
        self.parts.expect(node, "with_", "this", "expression", "distinct")
        is_distinct = bool(node.args.get("distinct"))
        word = _SETS[type(node)] + ("" if is_distinct else " all")
        if is_distinct and self.dialect.family == "bigquery":
            word += " distinct"
        sides = []
        for side in (node.this, node.expression):
            nested = isinstance(side, exp.SetOperation) and type(side) is not type(node)
            written = self.write(side)
            sides.append(("(", Nest((LINE, written)), LINE, ")") if nested else written)
        return joined([*self._with(node), sides[0], word, sides[1]], LINE)

    def _projection(self, node: exp.Expr) -> Doc:
        if not isinstance(node, exp.Alias):
            return self.parts.write(node)
        return (self.parts.write(node.this), f" as {self.dialect.identifier(node.alias)}")

    def _relation(self, node: exp.Expr) -> Doc:
        alias = node.args.get("alias")
        if alias is not None:
            self.parts.expect(alias, "this", "columns")
        named = f" as {self.dialect.identifier(alias.name)}" if alias else ""
        if alias is not None and alias.columns:  # of a series
            named += f" ({self.dialect.identifier(alias.columns[0].name)})"
        if isinstance(node, exp.Subquery):
            if not named:  # which some databases ask for
                self._unnamed += 1
                named = f" as unnamed_{self._unnamed}"
            self.parts.expect(node, "this", "alias")
            return Stack(("(", Nest((LINE, self.write(node.this))), LINE, ")", named))
        assert isinstance(node, exp.Table)
        self.parts.expect(node, "this", "alias", "db", "catalog")
        return f"{self.table(node)}{named}"

    @property
    def _may_join_nulls(self) -> bool:
        """Whether a full join can have NULLs as equal values."""
        return self.dialect.family in ("duckdb", "postgres", "spark")

    def _join(self, node: exp.Join) -> Doc:
        self.parts.expect(node, "this", "on", "side", "kind")
        words = _JOINS.get((node.side.upper(), node.kind.upper(), node.method.upper()))
        lacks_on = words not in (None, "cross join") and node.args.get("on") is None
        is_full = words is not None and "full" in words and node.find(exp.NullSafeEQ) is not None
        if words is None or lacks_on or (is_full and not self._may_join_nulls):
            raise does_not_carry_over("a join of this kind", self.dialect)
        joined_to: Doc = (f"{words} ", self._relation(node.this))
        if node.args.get("on") is None:
            return joined_to
        conditions = self._conditions("on", node.args["on"])
        return (joined_to, Nest(Stack((LINE, conditions))))

    def _conditions(self, word: str, condition: exp.Expr) -> Doc:
        """What must hold, one condition a line."""
        each = condition.flatten(unnest=False) if isinstance(condition, exp.And) else [condition]
        parts, texts = list(each), []
        if word == "on" and self.dialect.family == "postgres":  # one comparison is hashed faster
            texts = [part for part in parts if self.parts.compares_texts(part)]
        written = [self.parts.write(part) for part in parts if part not in texts]
        if texts:
            written.insert(0, self.parts.same(texts))
        nested = Nest(joined(written, (LINE, "and ")))
        return Stack((f"{word} ", nested if word != "on" else joined(written, (LINE, "and "))))

    def _group(self, node: exp.Select) -> Doc:
        group = node.args["group"]
        self.parts.expect(group, "expressions", "all")
        if group.args.get("all"):
            keys = [self.parts.write(key) for key in all_keys(node, self.dialect)]
            return Group(("group by", Nest((LINE, listed(keys)))))
        aliases = {p.alias.lower(): p.this for p in node.expressions if isinstance(p, exp.Alias)}
        for key in group.expressions:
            same = aliases.get(key.name.lower()) if isinstance(key, exp.Column) else None
            if same is not None and not key.table and same.name.lower() != key.name.lower():
                # some databases would take the column, others what it becomes
                raise does_not_carry_over(
                    "grouping by a name of two meanings", self.dialect, "write the column's table"
                )
        keys = [self.parts.write(self._grouped(node, key)) for key in group.expressions]
        return Group(("group by", Nest((LINE, listed(keys)))))

    def _grouped(self, node: exp.Select, key: exp.Expr) -> exp.Expr:
        """What a key stands for, if it is the place of a column."""
        if not isinstance(key, exp.Literal):
            return key
        place = int(key.name) if key.is_int else 0
        column = node.expressions[place - 1].unalias() if place <= len(node.expressions) else key
        if isinstance(column, exp.Literal | exp.Star) or place < 1:
            raise does_not_carry_over("grouping by a number", self.dialect)
        found: exp.Expr = column
        return found

    def _first_rows(self, node: exp.Select) -> Doc:
        """As many rows of an order as a number tells."""
        limit = node.args["limit"]
        self.parts.expect(limit, "expression")
        if not (isinstance(limit.expression, exp.Literal) and node.args.get("order")):
            raise does_not_carry_over("some rows in no order", self.dialect)
        return f"limit {int(limit.expression.name)}"

    def _keys(self, node: exp.Select) -> list[Doc]:
        """The keys of the order of a query; what it returns under a name stands for the name."""
        keys: list[exp.Ordered] = []
        # Spark takes names within the key of a group for those that the query returns
        by_name = self.dialect.family == "spark" and node.args.get("group") is not None
        for key in node.args["order"].expressions:
            if isinstance(key.this, exp.Var) and key.this.name.upper() == "ALL":
                keys += [key_of(column, key) for column in self._returned(node)]
            elif isinstance(key.this, exp.Column) and not key.this.table:
                found = self.kinds.projection(node, key.this.name)
                keys.append(key if found is None or by_name else key_of(found, key))
            else:
                keys.append(key)
        constants = (exp.Literal, exp.Null, exp.Boolean)  # a number would be a place
        kept = [key for key in keys if not isinstance(key.this, constants)]
        return [self.parts.ordered(key) for key in kept]

    def _returned(self, node: exp.Select) -> list[exp.Expr]:
        """The columns that a select returns, a star by the columns that it stands for."""
        found: list[exp.Expr] = []
        for projection in node.expressions:
            if not projection.is_star:
                found.append(projection.unalias())
                continue
            only = projection.text("table").lower()
            scope = self.kinds.scopes[id(node)]
            for name, _ in scope.references:
                if only in ("", name.lower()):
                    for column in self.kinds.columns(self.kinds.read(scope)[name.lower()]):
                        made = exp.column(column, table=name)
                        made.parent = node  # its kind is found from where it stands
                        found.append(made)
        return found


def key_of(value: exp.Expr, key: exp.Ordered) -> exp.Ordered:
    """The key of an order with another value, which stays where it is in its query."""
    made = exp.Ordered(desc=key.args.get("desc"), nulls_first=key.args.get("nulls_first"))
    made.args["this"] = value
    return made


def _is_read_again(relation: exp.CTE) -> bool:
    """Whether a relation of plain rows is read several times.

    PostgreSQL would write them to disk, and read them with one process.
    """
    select = relation.this
    is_plain = isinstance(select, exp.Select) and not any(
        select.args.get(part) for part in ("distinct", "group", "order", "limit", "with_")
    ) and not select.find(exp.AggFunc, exp.Window, exp.Subquery, exp.Exists)  # fmt: skip
    if not is_plain or not select.args.get("from_"):
        return False
    name = relation.alias.lower()
    return sum(table.name.lower() == name for table in relation.root().find_all(exp.Table)) > 1


def _lists_values(relation: exp.CTE) -> bool:
    """Whether a relation has a row for each distinct value of a column.

    PostgreSQL would compute its labels for each row that it is joined with.
    """
    source = relation.this.args.get("from_")
    values = source.this.this if source and isinstance(source.this, exp.Subquery) else None
    return isinstance(values, exp.Select) and bool(values.args.get("distinct"))


def _makes_codes(relation: exp.CTE) -> bool:
    """Whether a relation joins rows to codes that are parts of keys.

    PostgreSQL would look for rows of such a code before it is made, by all other conditions.
    """
    select = relation.this
    is_plain = isinstance(select, exp.Select) and not select.args.get("group")
    columns = select.expressions if is_plain and select.args.get("joins") else []
    return any(column.find(exp.BitwiseAnd) for column in columns)


def _reads_itself(relation: exp.CTE) -> bool:
    tables = relation.this.find_all(exp.Table)
    return any(table.name.lower() == relation.alias.lower() for table in tables)


def comments_of(relation: exp.CTE) -> list[str]:
    """The comments at the beginning of a named relation."""
    first = relation.this
    while isinstance(first, exp.SetOperation) and not first.args.get("with_"):
        first = first.this
    own = first.args.get("with_")
    told = [*(first.comments or ()), *(own.comments or () if own else ())]
    return [line for line in told if line.strip()]
