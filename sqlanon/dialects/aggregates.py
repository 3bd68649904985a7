"""Aggregates and windows in a dialect, and the order of what they read."""

from __future__ import annotations

from sqlglot import exp

from sqlanon.dialects.dialect import does_not_carry_over
from sqlanon.dialects.functions import cast, function
from sqlanon.dialects.groups import order_of_groups
from sqlanon.dialects.layout import LINE, SOFT, Doc, Group, Nest, call, joined, listed
from sqlanon.dialects.numbers import Numbers

_FRAMES = frozenset(
    [
        "rows between unbounded preceding and current row",
        "rows between unbounded preceding and 1 preceding",
        "rows between unbounded preceding and 1 following",
        "rows between current row and unbounded following",
    ]
)
"""What a window may span, apart from what it spans without being told."""

_RANKS = (exp.RowNumber, exp.DenseRank)


class Aggregates(Numbers):
    """Writes aggregates and windows."""

    def _extreme(self, node: exp.Expr) -> Doc:
        return function(node.key, self.dialect, self.in_order(node.this))

    def _counted(self, node: exp.Expr) -> Doc:
        if isinstance(node.this, exp.Star):
            return "count(*)"
        if not isinstance(node.this, exp.Distinct):
            return call("count", self.write(node.this))
        self.expect(node.this, "expressions")
        if len(node.this.expressions) != 1:
            raise does_not_carry_over("a count of several columns together", self.dialect)
        return ("count(distinct ", self.write(node.this.expressions[0]), ")")

    def _estimated(self, node: exp.Expr) -> Doc:
        """A count of different values or a quantile: what DuckDB estimates, others count."""
        value = self.write(node.this)
        if self.dialect.family == "duckdb":
            raise does_not_carry_over("an estimate", self.dialect)
        if isinstance(node, exp.ApproxDistinct):
            return ("count(distinct ", value, ")")
        if self.kinds.kind(node.this).name not in ("integer", "decimal", "double"):
            raise does_not_carry_over("a quantile of what is no number", self.dialect)
        return function("quantile_disc", self.dialect, value, self.write(node.args["quantile"]))

    def _summed(self, node: exp.Expr) -> Doc:
        """A sum; the order of doubles decides its last digits."""
        if not isinstance(node.this, exp.Order):
            return function("sum", self.dialect, self.write(node.this))
        value = node.this.this
        if self.kinds.kind(value).name in ("integer", "decimal"):
            return function("sum", self.dialect, self.write(value))
        if self.dialect.family != "spark":
            return call("sum", self._in_its_order(node.this))
        none = cast("null", self.dialect.types["double"])
        added = "(total, each) -> coalesce(total + each.value, total, each.value)"
        return call("aggregate", self._sorted_structs(node.this), none, added)

    def _listed(self, node: exp.Expr) -> Doc:
        """A list of all values, in an order, with those that are missing."""
        if not isinstance(node.this, exp.Order):
            raise does_not_carry_over("a list without an order", self.dialect)
        if self.dialect.family != "spark":
            name = "list" if self.dialect.family == "duckdb" else "array_agg"
            return call(name, self._in_its_order(node.this))
        return call("transform", self._sorted_structs(node.this), "each -> each.value")

    def _chained(self, node: exp.Expr) -> Doc:
        """Texts as one, in an order."""
        values, separator = node.this, node.args["separator"]
        if not isinstance(values, exp.Order):
            raise does_not_carry_over("texts that are joined", self.dialect)
        keys = listed([self.ordered(key, in_window=True) for key in values.expressions])
        parts = self.as_text(values.this), self.write(separator), keys
        return Group(function("string_agg", self.dialect, *parts))

    def _in_its_order(self, order: exp.Order) -> Doc:
        """What an aggregate reads, and its order."""
        if self.dialect.family not in ("duckdb", "postgres"):
            raise does_not_carry_over("an aggregate that reads in an order", self.dialect)
        keys = listed([self.ordered(key) for key in order.expressions])
        return (self.write(order.this), LINE, "order by ", Nest(keys))

    def _sorted_structs(self, order: exp.Order) -> Doc:
        """For Spark, whose aggregates have no order: a sorted array of keys and values."""
        directions = {bool(key.args.get("desc")) for key in order.expressions}
        if len(directions) != 1:
            raise does_not_carry_over("an order up and down", self.dialect)
        descends = directions.pop()
        parts: list[Doc] = []
        for key in order.expressions:
            self.expect(key, "this", "desc", "nulls_first")
            last = bool(key.args.get("nulls_first")) == descends  # in the order before a reversal
            parts.append((self.write(key.this), " is null" if last else " is not null"))
            parts.append(self.write(key.this))
        parts.append((self.write(order.this), " as value"))
        found = call("array_sort", call("collect_list", call("struct", *parts)))
        return call("reverse", found) if descends else found

    def _filtered(self, node: exp.Expr) -> Doc:
        aggregate, condition = node.this, node.args["expression"].this
        if self.dialect.has_filter:
            inner = Nest((SOFT, "where ", self.write(condition)))
            return (self.write(aggregate), " filter (", Group((inner, SOFT)), ")")
        counts = isinstance(aggregate.this, exp.Star)
        if isinstance(aggregate.this, exp.Distinct | exp.Order):
            raise does_not_carry_over("a filtered aggregate of this kind", self.dialect)
        value = "1" if counts else self.write(aggregate.this)
        chosen = Group(("case when ", self.write(condition), LINE, "then ", value, " end"))
        name = {exp.LogicalAnd: "bool_and", exp.LogicalOr: "bool_or"}.get(
            type(aggregate), aggregate.key
        )
        return function(name, self.dialect, chosen)

    def _window(self, node: exp.Expr) -> Doc:
        named = node.args.get("alias")
        if isinstance(node.this, exp.RowNumber) and not (named or node.args.get("order")):
            return (self.write(node.this), " over ", self._in_no_order(node))
        if named is None:
            return (self.write(node.this), " over ", self.window(node))
        if self.dialect.has_windows:
            written = (self.write(node.this), " over ", self.dialect.identifier(named.name))
            # Spark would take a minus that follows for a part of the window's name
            is_first = self.dialect.family == "spark" and isinstance(node.parent, exp.Binary)
            return ("(", *written, ")") if is_first else written
        select = node.find_ancestor(exp.Select)
        assert select is not None
        (found,) = [w for w in select.args["windows"] if w.name.lower() == named.name.lower()]
        return (self.write(node.this), " over ", self.window(found))

    def _in_no_order(self, node: exp.Expr) -> Doc:
        """A window whose rows are numbered, in no order: they get one if they are groups."""
        keys = None if node.args.get("partition_by") else order_of_groups(node, self.kinds)
        if keys is None:
            raise does_not_carry_over(
                "a number of each row in the order of a file", self.dialect,
                "leave out `order: source`; rows are then in the order of the published values",
            )  # fmt: skip
        ordered = listed([self.ordered(key, in_window=True) for key in keys])
        return Group(("(order by ", Nest(ordered), ")"))

    def window(self, node: exp.Expr) -> Doc:
        """What a window is, in brackets."""
        parts: list[Doc] = []
        if node.args.get("partition_by"):
            columns = [self.write(column) for column in node.args["partition_by"]]
            parts.append(Group(("partition by ", Nest(listed(columns)))))
        if node.args.get("order"):
            keys = [self.ordered(key, in_window=True) for key in node.args["order"].expressions]
            parts.append(Group(("order by ", Nest(listed(keys)))))
        frame = node.args.get("spec")
        if frame is not None:
            told = frame.sql().lower()
            if told not in _FRAMES:
                raise does_not_carry_over("a frame of a window", self.dialect)
            parts.append(told)
        return Group(("(", Nest((SOFT, joined(parts, LINE))), SOFT, ")"))

    def ordered(self, node: exp.Expr, *, in_window: bool = False) -> Doc:
        """A key of an order."""
        self.expect(node, "this", "desc", "nulls_first")
        key, descends = self.in_order(node.this), bool(node.args.get("desc"))
        found: Doc = (key, " desc") if descends else key
        first = bool(node.args.get("nulls_first"))
        if self.dialect.nulls_last and first != self.dialect.nulls_last[descends]:
            return found
        if in_window and self.dialect.family == "bigquery":
            return (key, f" is {'not ' if first else ''}null, ", found)
        return (found, f" nulls {'first' if first else 'last'}")
