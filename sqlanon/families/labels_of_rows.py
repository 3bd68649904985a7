"""The labels of a node as SQL: one expression, join or literal for each published column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sqlanon.hierarchies.base import Hierarchy
from sqlanon.plan.column_types import TEXT
from sqlanon.plan.plan import Plan
from sqlanon.source.hierarchies import hierarchy_name
from sqlanon.sql.render import render, render_macro
from sqlanon.sql.step import quoted, unused

_EXACT = "hierarchies/_exact.sql"
_MARK = "\x01"
_FITS = 84
"""Characters of an expression that fit on a line with its name."""

_READ_ALIKE = {
    "timestamp": frozenset({TEXT, "DATE", "TIMESTAMP"}),
    "decimal(37, 18)": frozenset(
        {TEXT, "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"}
    ),
}
"""Types whose values a rule can read directly; those of other types are read by their text."""


class Column(NamedTuple):
    """A column of the select: its name, its expression, and whether that is the bare column."""

    name: str
    expression: str
    is_bare: bool = False


class Join(NamedTuple):
    """A table of labels that is joined to the rows.

    Attributes:
        relation: the table: value, label, and the labels of coarser levels where they are needed.
        alias: its name in the select.
        value: SQL for the value of a row.
        null_safe: whether the table has a row for a missing value.
    """

    relation: str
    alias: str
    value: str
    null_safe: bool


@dataclass
class LabeledRows:
    """The select of a table's rows with the labels of a node.

    Attributes:
        name: of the relation that it becomes.
        table: the relation that it reads.
        prefix: its name with a dot, if columns of joined tables could be meant instead.
        hinted: whether the engine computes it wherever it is read, by a hint.
        columns: its columns.
        exacts: values that are read as numbers or times first, by name, since an expression reads
            them several times.
        joins: tables of labels.
        order: per quasi-identifier the columns that put its labels in the order of packed keys.
        last: whether no other relation of the query follows.
    """

    name: str
    table: str
    prefix: str
    hinted: bool
    columns: list[Column] = field(default_factory=list)
    exacts: list[tuple[str, str]] = field(default_factory=list)
    joins: list[Join] = field(default_factory=list)
    order: dict[str, list[str]] = field(default_factory=dict)
    last: bool = False


@dataclass(frozen=True)
class Labels:
    """How a node's labels are made from values.

    Attributes:
        hierarchies: by quasi-identifier.
        node: level of each quasi-identifier; None if the program finds it.
        aliases: names of columns within the query, which do not clash with its own.
        ordered: whether labels of coarser levels are needed, to order classes as a search does.
        source: the relation of source rows.
        listed: the relation that has every value of a column, of which rules label each once,
            because many rows repeat few values; empty if rules label every row.
        several: the levels of each quasi-identifier, if passes publish several; then each has a
            column of its own.
    """

    plan: Plan
    hierarchies: Mapping[str, Hierarchy]
    node: Mapping[str, int] | None
    level_counts: Mapping[str, int]
    words: Mapping[str, int]
    aliases: Mapping[str, str]
    ordered: bool
    source: str
    listed: str
    several: Mapping[str, Sequence[int]] = field(default_factory=dict)

    def levels(self, name: str) -> Sequence[int]:
        """The levels of an attribute whose labels the query needs, from the published one up."""
        if self.several:
            return self.several[name]
        assert self.node is not None
        top = self.level_counts[name] - 1
        level = self.node[name]
        return range(level, max(top, level + 1)) if self.ordered else range(level, level + 1)

    def is_joined(self, name: str) -> bool:
        """Whether the labels of an attribute are looked up in a table."""
        if self.node is None:
            return True
        hierarchy, top = self.hierarchies[name], self.level_counts[name] - 1
        is_table = not hierarchy.rule or bool(self.listed)
        return is_table and any(0 < level < top for level in self.levels(name))

    def reads_top(self, name: str) -> bool:
        """Whether the label of all values is read from the table of labels."""
        if self.node is None or self.hierarchies[name].top_label is not None:
            return False
        return 0 < self.level_counts[name] - 1 in self.levels(name)

    def top_label(self, name: str) -> str:
        """The label of all values of an attribute, as SQL."""
        top, label = self.level_counts[name] - 1, self.hierarchies[name].top_label
        column = "label" if self.levels(name)[0] == top else f"label_{top}"
        inputs = {"relation": hierarchy_name(name), "label": label, "column": column}
        return render_macro(_EXACT, "top_label", **inputs)

    def tables(self) -> list[tuple[str, str]]:
        """The tables of labels that the query reads: name and select."""
        made = []
        for name, hierarchy in self.hierarchies.items():
            if self.node is None:
                inputs = {"attribute": name, "word": self.words[name]}
                made.append((hierarchy_name(name), render("release/_chosen_labels.sql", **inputs)))
            elif self.is_joined(name) and hierarchy.rule:
                made.append((hierarchy_name(name), self._labels_of_values(name)))
            elif self.is_joined(name) or self.reads_top(name):
                made.append((hierarchy_name(name), table_of_labels(hierarchy, self.levels(name))))
        return made

    def _labels_of_values(self, name: str) -> str:
        """The select of the distinct values of a column, and their labels by its rule."""
        hierarchy = self.hierarchies[name]
        labels: list[tuple[str, str]] = []
        exact, inputs = "value", dict[str, Any]()
        if hierarchy.exact_type:
            inputs = {"type": hierarchy.exact_type, "value": "value", "through_text": False}
            exact = render_macro(_EXACT, "exact", **inputs)
        for level in self.levels(name):
            alias = "label" if not labels else f"label_{level}"
            labels.append((_label(hierarchy, level, exact), alias))
        value = text_of(quoted(name), self.plan.type_as_read(name))
        inputs = {"labels": labels, "value": value, "source": self.listed}
        return render("release/_labels_of_values.sql", **inputs)

    def of_source(self, name: str, columns: Sequence[str]) -> LabeledRows:
        """The select of the source: labels, and the columns that are not generalized.

        Args:
            name: of the relation that it becomes.
            columns: of the source, in order.
        """
        made = self._rows(name, self.source, hinted=not self.plan.promises.linked)
        for column in columns:
            if column in self.plan.quasi_identifiers:
                self._add(made, column, self.plan.type_as_read(column))
                continue
            alias = self.aliases[column]
            made.columns.append(Column(alias, made.prefix + quoted(column), alias == column))
        return made

    def of_population(self, name: str) -> LabeledRows:
        """The select of the population: labels alone.

        Args:
            name: of the relation that it becomes.
        """
        made = self._rows(name, "population", hinted=False)
        for column in self.plan.quasi_identifiers:
            self._add(made, column, self.plan.type_as_read(column, "population"))
        return made

    def of_combinations(self, name: str, table: str, columns: Sequence[str]) -> LabeledRows:
        """The select of combinations: their columns, and their labels at each of `several` levels.

        Args:
            name: of the relation that it becomes.
            table: the relation of combinations.
            columns: of that relation.
        """
        made = self._rows(name, table, hinted=False)
        made.columns += [Column(each, made.prefix + quoted(each), True) for each in columns]
        plan = self.plan
        for column in self.several:
            kind = plan.type_as_read(column, "population" if plan.population else "source")
            self._add(made, column, kind)
        return made

    def _rows(self, name: str, table: str, *, hinted: bool) -> LabeledRows:
        joined = any(map(self.is_joined, self.hierarchies))
        return LabeledRows(name, table, f"{table}." if joined else "", hinted)

    def _add(self, made: LabeledRows, name: str, kind: str) -> None:
        """Add the published labels of a quasi-identifier, whose values have the type `kind`."""
        alias, value = self.aliases[name], made.prefix + quoted(name)
        as_text = text_of(value, kind)
        relation = hierarchy_name(name)
        taken = {*self.plan.columns, *self.aliases.values(), made.table}
        table = unused(relation, taken)
        if self.is_joined(name):
            # A table of the program has a row for a missing value; one that is made here has none.
            made.joins.append(Join(relation, table, as_text, null_safe=self.node is None))
        hierarchy = self.hierarchies[name]
        joined = quoted(table)
        if self.node is None:
            made.columns.append(Column(alias, f"{joined}.label"))
            if self.ordered:
                code = unused(f"code_of_{alias}", taken)
                made.columns.append(Column(code, f"{joined}.code"))
                made.order[name] = [code]
            return
        top = self.level_counts[name] - 1
        exact = ""
        by_rule = hierarchy.rule and not self.listed
        if by_rule and any(0 < level < top for level in self.levels(name)):
            exact = self._exact(made, name, kind, taken)
        order: list[str] = []
        for level in self.levels(name):
            first = level == self.levels(name)[0]
            own = first and not self.several
            column = alias if own else unused(f"{alias}_level_{level}", taken)
            if level == 0:
                is_bare = as_text == value and column == name
                made.columns.append(Column(column, as_text, is_bare))
            elif level == top:
                made.columns.append(Column(column, self.top_label(name)))
            elif by_rule:
                made.columns.append(Column(column, _label(hierarchy, level, exact)))
            else:
                label = f"{joined}.label" if first else f"{joined}.label_{level}"
                made.columns.append(Column(column, label))
            order.insert(0, column)
        made.order[name] = order

    def _exact(self, made: LabeledRows, name: str, kind: str, taken: set[str]) -> str:
        """SQL for a value as the rule reads it; a column of its own if it is read repeatedly."""
        hierarchy, value = self.hierarchies[name], made.prefix + quoted(name)
        if not hierarchy.exact_type:
            return text_of(value, kind)
        through_text = kind not in _READ_ALIKE[hierarchy.exact_type]
        inputs = {"type": hierarchy.exact_type, "through_text": through_text}
        exact = render_macro(_EXACT, "exact", value=value, **inputs)
        labels = [
            _label(hierarchy, level, _MARK)
            for level in self.levels(name)
            if 0 < level < self.level_counts[name] - 1
        ]
        if sum(label.count(_MARK) for label in labels) == 1:
            return exact
        word = "time" if hierarchy.exact_type == "timestamp" else "number"
        column = unused(f"{name}_as_{word}", taken)
        bare = render_macro(_EXACT, "exact", value=quoted(name), **inputs)
        made.exacts.append((column, bare))
        return made.prefix + quoted(column)


def table_of_labels(hierarchy: Hierarchy, levels: Sequence[int]) -> str:
    """The select of a file, taxonomy or query: value, label of the first level, others' labels."""
    columns = [(0, "value"), (levels[0], "label")]
    columns += [(level, f"label_{level}") for level in levels[1:]]
    return render(hierarchy.template, values="", rule=hierarchy.inputs, selected=columns)


def text_of(value: str, kind: str) -> str:
    """SQL for the text of a value of this type."""
    return value if kind == TEXT else render_macro(_EXACT, "as_text", value=value)


def _label(hierarchy: Hierarchy, level: int, exact: str) -> str:
    """SQL for the label that a rule makes, on one line if it fits."""
    inputs = {"rule": hierarchy.inputs, "level": level, "exact": exact}
    expression = render_macro(hierarchy.rule, "label", **inputs)
    joined = expression.replace("\n    ||", " ||")
    return joined if "\n" not in joined and len(joined) <= _FITS else expression
