"""The release of a lattice node as one query in labels: source, labels, classes, promises, rows.

The query is what a reviewer reads and what `run` executes; it reads the source and the files of
hierarchies by itself. Without a solution it reads the node that earlier steps of the program found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from sqlanon.families.changed_rows import changed_rows, raw_aliases
from sqlanon.families.header import level_words, release_lines, release_title, source_title
from sqlanon.families.labels_of_rows import (
    Column,
    LabeledRows,
    Labels,
    table_of_labels,
    text_of,
)
from sqlanon.families.placing import (
    LeveledSolution,
    Placing,
    from_table,
    levels_of,
    pass_lines,
    placing_of,
)
from sqlanon.plan.plan import Plan
from sqlanon.privacy_models.promises import ClassValues, CountedColumn
from sqlanon.proof.publication import row_aliases
from sqlanon.search.decisions import class_inputs
from sqlanon.source.frequency_set import Shape
from sqlanon.source.hierarchies import hierarchy_name
from sqlanon.source.reading import column_as_read, source_inputs
from sqlanon.source.tables import are_plain, place_name, required_columns, row_columns, row_limit
from sqlanon.sql.render import render, render_macro, templated
from sqlanon.sql.step import Step, quoted, unused


class Table(NamedTuple):
    """The source or the population, as a common table expression.

    Attributes:
        name: of the expression.
        hinted: whether a hint has the engine read it again wherever it is needed, and not keep
            its rows; only for files and tables, since a query may be costly.
        columns: name, action and expression.
        plain: whether every expression is the bare column.
        reader: variables of `source/_from.sql`.
        alias: another name for the table, if a column could have its name; or a query's name.
        required: columns that are not null in any row.
        row_number: a column with the number of the row, if it is needed.
        person, most_rows: the column of persons, and the most rows of a person; None for all.
        below: what the keyed hashes of a sample are below; empty without one.
    """

    name: str
    hinted: bool
    columns: Sequence[tuple[str, str, str]]
    plain: bool
    reader: dict[str, Any]
    alias: str
    required: Sequence[str] = ()
    row_number: str = ""
    person: str = ""
    below: str = ""
    most_rows: int | None = None


class CountedTable(NamedTuple):
    """The values of an attribute in the whole table, with its hierarchy if a model reads it."""

    name: str
    attribute: str
    text: str
    hierarchy: str
    rule: str
    levels: str
    level_count: int


class CountedValues(NamedTuple):
    """How often each value of an attribute occurs in each class.

    Attributes:
        name: of the relation.
        column: of the value; empty for a quasi-identifier, of which a class has one label.
        text: SQL for the value as text, where it is looked up in `table_values`.
        table_values: the relation with numbers of values, if a model reads them.
        known: other sensitive values that divide classes further: names and columns.
        totals: a relation of the classes that known values divide.
    """

    name: str
    column: str
    text: str
    table_values: str
    known: Sequence[tuple[str, str]]
    totals: str


@dataclass
class Counting:
    """What is counted in the classes.

    Attributes:
        source: the relation of source rows.
        row_count: the column of the source that counts rows; empty if each is one row.
        unit: the column of persons in the counted rows; None if rows are counted.
        unit_in_source: the same in the source.
        population: whether classes have a population.
        numbered: whether classes have a number, by which ties are broken.
        order: columns that give the order of these numbers.
        combined: columns by which rows are counted first; empty if classes are counted from rows.
        rows: the relation that values are counted from.
        key: columns that identify a class there.
        classes_from: the relation that classes are counted from.
        classes_first: whether classes are counted before values.
        tables, values: relations of values.
    """

    source: str
    unit: str | None
    unit_in_source: str | None
    population: bool
    numbered: bool
    row_count: str
    order: list[str] = field(default_factory=list)
    combined: list[str] = field(default_factory=list)
    rows: str = "generalized"
    key: Sequence[str] = ()
    classes_from: str = "generalized"
    classes_first: bool = True
    tables: list[CountedTable] = field(default_factory=list)
    values: list[CountedValues] = field(default_factory=list)


def release_sql(
    plan: Plan,
    shape: Shape,
    solution: LeveledSolution | None,
    more: Sequence[tuple[str, str]] = (),
) -> str:
    """The rows of a solution's node, or of the node that the program finds.

    They are the published rows; `person_rows` if the plan counts persons without their key, or
    `placed_rows` if it publishes other values in place of some.

    Args:
        more: further lines of the header.
    """
    return ReleaseQuery(plan, shape, solution).sql(more)


def changed_release(plan: Plan, shape: Shape, lines: Sequence[tuple[str, str]]) -> str:
    """The query that makes what is published of `placed_rows`: see `changed_rows`."""
    query = ReleaseQuery(plan, shape, None)
    return changed_rows(
        plan,
        query.aliases,
        release_title(plan),
        lines,
        source_order=query.row_number,
    )


def node_lines(plan: Plan, shape: Shape, solution: LeveledSolution | None) -> list[tuple[str, str]]:
    """What a release does, in words: see `release_lines`."""
    people_words = []
    if plan.population is not None:
        title = f"{source_title(plan.population)}, with the same labels"
        people_words.append(("population", title))
    if solution is not None:
        people_words += pass_lines(plan, solution)
    levels = None if solution is None else levels_of(solution)
    return release_lines(plan, level_words(plan, shape, levels), people_words)


def labels_of(plan: Plan, shape: Shape, solution: LeveledSolution) -> Labels:
    """How the release of a solution makes labels."""
    return ReleaseQuery(plan, shape, solution).labels


def population_inputs(plan: Plan, shape: Shape, solution: LeveledSolution) -> dict[str, Any]:
    """The parts of the release that give the population its labels, for a query of its own."""
    query = ReleaseQuery(plan, shape, solution)
    placing = query.placing(list(plan.quasi_identifiers))
    if placing is not None:
        placing = placing._replace(source="population", by_text={})
    return {
        "tables": [query.population()],
        "hierarchies": query.labels.tables(),
        "generalized": [query.people()] if placing is None else [],
        "placing": placing,
        "columns": [(name, query.aliases[name]) for name in plan.quasi_identifiers],
    }


def label_checks(plan: Plan, shape: Shape, solution: LeveledSolution) -> list[Step]:
    """The proof that every value has one label in each table of labels, if there are any.

    A quasi-identifier with one value for all needs no label of its own.
    """
    columns = []
    for name in plan.quasi_identifiers:
        hierarchy = shape.hierarchies[name]
        is_table = bool(hierarchy.file_path or hierarchy.select)
        top = shape.level_count(name) - 1
        levels = sorted({node[name] for node in solution.nodes} - {top})
        if is_table and levels:
            labels = ["label", *(f"label_{level}" for level in levels[1:])]
            table = table_of_labels(hierarchy, levels)
            columns.append((name, hierarchy_name(name), table, labels))
    if not columns:
        return []
    return [templated("source/proof_of_labels", "proof", columns=columns)]


class ReleaseQuery:
    """The parts of the query.

    Args:
        listed: a relation with all values of each column, if rules label values and not rows.
    """

    def __init__(
        self, plan: Plan, shape: Shape, solution: LeveledSolution | None, listed: str = ""
    ) -> None:
        self.plan, self.shape = plan, shape
        self.solution = solution
        self.nodes = () if solution is None else solution.nodes
        self.node = self.nodes[0] if self.nodes else None
        self.aliases = dict(row_aliases(plan))
        self.several = levels_of(solution) if solution is not None and solution.passes else {}
        varying = [name for name in plan.quasi_identifiers if not self.is_constant(name)]
        self.distinguishing = varying or list(plan.quasi_identifiers)
        labels = [self.aliases[name] for name in self.distinguishing]
        promises = plan.promises
        self.linked_labels = labels if promises.linked else []
        self.keys = ["history"] if promises.linked else labels
        self.masked = plan.suppression.rows == "mask"
        self.row_number = unused("row_number", plan.columns) if plan.order == "source" else ""
        self.numbered = self.masked or bool(promises.about_whole.models)
        self.source = unused("source", [*plan.columns, *self.aliases.values()])
        self.labels = Labels(
            plan,
            {name: shape.hierarchies[name] for name in plan.quasi_identifiers},
            self.node,
            {} if self.node is None else {n: shape.level_count(n) for n in plan.quasi_identifiers},
            shape.words,
            self.aliases,
            self.numbered,
            source=self.source,
            listed=listed,
            several=self.several,
        )

    def is_constant(self, name: str) -> bool:
        """Whether all rows have the same label, so that it does not distinguish classes."""
        top = self.shape.level_count(name) - 1
        levels = self.several.get(name) or [node[name] for node in self.nodes]
        return bool(levels) and all(level == top > 0 for level in levels)

    def sql(self, more: Sequence[tuple[str, str]]) -> str:
        plan = self.plan
        row_number, is_placed = self.row_number, bool(plan.changed_columns)
        name = "labeled_rows" if self.linked_labels else "generalized"
        placing = self.placing([*plan.staged_columns, *([row_number] if row_number else [])])
        tables, generalized = [self._source(row_number)], []
        order: dict[str, list[str]] = {}
        if placing is None:
            rows = self.labels.of_source(name, plan.staged_columns)
            if row_number:
                number = rows.prefix + quoted(row_number)
                rows.columns.append(Column(row_number, number, is_bare=True))
            raw = self.add_replaced(rows)
            generalized.append(rows)
            names, order = [column.name for column in rows.columns], rows.order
        else:
            placing, raw = self.with_replaced(placing)
            tables = [tables[0]._replace(hinted=False)]
            names = [name for name, _ in placing.published]
        if plan.population is not None:
            tables.append(self.population())
            generalized += [self.people()] if placing is None else []
        count = self.counting({} if self.linked_labels else order)
        published = [
            (name, self.aliases[name], name in plan.quasi_identifiers)
            for name in plan.staged_columns
        ]
        if is_placed:
            read = [self.aliases[name] for name in plan.staged_columns] + raw
            read += [row_number] if row_number else []
            labels = {self.aliases[name] for name in plan.quasi_identifiers}
            published = [(name, name, name in labels) for name in read]
        has_more = self.masked or plan.hides_persons or self.linked_labels or is_placed
        is_whole = not has_more and names == list(plan.staged_columns)
        return render(
            "release/release.sql",
            title=release_title(plan),
            lines=[*node_lines(plan, self.shape, self.solution), *more],
            placed=is_placed,
            place="place" if is_placed else place_name(plan) if plan.hides_persons else "",
            key=plan.person,
            tables=tables,
            hierarchies=self.labels.tables() if placing is None or placing.labeled else [],
            generalized=generalized,
            placing=placing,
            keys=self.keys,
            count=count,
            published=[] if is_whole else published,
            linked_labels=self.linked_labels,
            source_order=row_number,
            kept=[self.aliases[name] for name in plan.kept_columns],
            **self.decisions(),
        )

    def add_replaced(self, rows: LabeledRows) -> list[str]:
        """Add the values of labels in place of which others are published; return their names."""
        names = raw_aliases(self.plan, self.aliases)
        for name, alias in names.items():
            rows.columns.append(Column(alias, rows.prefix + quoted(name)))
        return [*names.values()]

    def decisions(self) -> dict[str, Any]:
        """Template variables of the promises, and of the classes that keep them."""
        promises = self.plan.promises
        made: dict[str, Any] = {"decided": self.numbered}
        made["values_counted"] = promises.class_values()
        relations: Any = {"table_values": "table_values", "value_levels": "value_levels"}
        relations["labels"] = [quoted(name) for name in self.keys]
        if self.numbered:
            key = ["node", "class_number"]
            return made | class_inputs(promises, key, masked=self.masked, **relations)
        judged = promises.model_checks(self.keys, **relations)
        return made | {"model_checks": judged, "masked": False}

    def with_replaced(self, placing: Placing) -> tuple[Placing, list[str]]:
        """The same with the values of labels that are replaced, and the names of these columns."""
        raw = raw_aliases(self.plan, self.aliases)
        values = [(alias, f"{self.source}.{quoted(name)}") for name, alias in raw.items()]
        return placing._replace(published=[*placing.published, *values]), [*raw.values()]

    def placing(self, kept: Sequence[str], row_count: str = "") -> Placing | None:
        """How passes place rows; None where one node does."""
        if self.solution is None or not self.solution.passes:
            return None
        if self.solution.rounds is not None:
            return from_table(self.plan, self.labels, kept)
        return placing_of(self.plan, self.shape, self.solution, self.labels, kept, row_count)

    def _source(self, row_number: str) -> Table:
        columns, required = row_columns(self.plan), required_columns(self.plan)
        return self._table(self.source, "source", columns, required, row_number)

    def people(self) -> LabeledRows:
        """The labels of the population."""
        return self.labels.of_population("generalized_population")

    def population(self) -> Table:
        """The population as it is read."""
        columns = [
            (name, "", column_as_read(self.plan, name, "population"))
            for name in self.plan.quasi_identifiers
        ]
        return self._table("population", "population", columns)

    def _table(
        self,
        name: str,
        which: Literal["source", "population"],
        columns: Sequence[tuple[str, str, str]],
        required: Sequence[str] = (),
        row_number: str = "",
    ) -> Table:
        reader = source_inputs(self.plan, which)
        kind = reader["kind"]
        own = reader["relation"][-1] if kind == "table" else f"read_{kind}"
        taken = {column.lower() for column in self.plan.columns}
        alias = ""
        if kind == "query" or own.lower() in taken:
            alias = unused(f"{which}_rows", self.plan.columns)
        plain = are_plain(columns)
        hinted = kind != "query" and not self.linked_labels
        table = Table(name, hinted, columns, plain, reader, alias, required, row_number)
        return table._replace(**row_limit(self.plan)) if which == "source" else table

    def counting(self, order: dict[str, list[str]], row_count: str = "") -> Counting:
        """What is counted.

        Args:
            order: per quasi-identifier the columns that order its labels.
            row_count: the column of the source that counts rows; empty if each is one row.
        """
        plan, promises = self.plan, self.plan.promises
        counted = promises.class_values()
        unit = None if plan.person is None else self.aliases[plan.person]
        is_population = plan.population is not None
        count = Counting(self.source, unit, plan.person, is_population, self.numbered, row_count)
        count.key = ["node", "class_number"] if self.numbered else self.keys
        looked_up = {one.column: one for one in counted if self._is_looked_up(one)}
        count.tables = [*map(self._table_values, looked_up)]
        is_simple = len(counted) <= 1 and not (
            self.numbered or unit or any(one.is_joint or one.is_generalized for one in counted)
        )
        if not is_simple:
            count.rows = "numbered_combinations" if self.numbered else "combinations"
        count.values = [self._values(one, count.rows) for one in counted]
        if is_simple:
            if count.values:
                count.classes_from, count.classes_first = count.values[0].name, False
            return count
        carried = {one.column for one in count.values} | {
            k for v in count.values for _, k in v.known
        }
        order = {n: columns for n, columns in order.items() if not self.is_constant(n)}
        ties = [column for name in order for column in order[name] if column not in self.keys]
        columns = [*self.keys, *ties, *sorted(carried - {""}), *([unit] if unit else [])]
        count.combined = list(dict.fromkeys(columns))
        count.classes_from = "combinations"
        if self.numbered:
            packed = sorted(set(self.shape.words.values()))
            names = [n for word in packed for n in reversed(order) if self.shape.words[n] == word]
            ordered = [column for name in names for column in order[name]]
            count.order = ordered or self.keys
        return count

    def _is_looked_up(self, one: ClassValues) -> bool:
        models = [m for m in self.plan.privacy if m.sensitive_attribute == one.column.name]
        return not one.is_generalized and any(model.reads_table_values for model in models)

    def _values(self, one: ClassValues, rows: str) -> CountedValues:
        column = "" if one.is_generalized else self.aliases[one.column.name]
        return CountedValues(
            one.name,
            column,
            text=self._text(one.column, f"{rows}.{quoted(column)}") if column else "",
            table_values=one.column.named("table_values") if self._is_looked_up(one) else "",
            known=[(known.named("value"), self.aliases[known.name]) for known in one.known],
            totals=one.totals,
        )

    def _text(self, column: CountedColumn, value: str) -> str:
        """SQL for the text of a value of a counted attribute that is not generalized."""
        return text_of(value, self.plan.release_types[column.name])

    def _table_values(self, column: CountedColumn) -> CountedTable:
        name, attribute = column.named("table_values"), column.name
        text = self._text(column, quoted(attribute))
        models = [m for m in self.plan.privacy if m.sensitive_attribute == attribute]
        if not any(model.needs_value_levels for model in models):
            return CountedTable(name, attribute, text, "", "", "", 0)
        hierarchy = self.shape.hierarchies[attribute]
        levels = self.shape.level_count(attribute)
        rule = render(
            hierarchy.template,
            values=render_macro("hierarchies/_exact.sql", "known_values", relation=name),
            rule=hierarchy.inputs,
            selected=[(level, f"level_{level}") for level in range(levels)],
        )
        relation = hierarchy_name(attribute)
        value_levels = column.named("value_levels")
        return CountedTable(name, attribute, text, relation, rule, value_levels, levels)
