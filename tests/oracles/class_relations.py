"""What tests of privacy models share: relations for their SQL."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

import duckdb

from sqlanon.privacy_models.base import ClassRelations, PrivacyModel

Value = str | None
"""A sensitive value as text; None where it is missing."""

Key = tuple[str, Value]
"""A publication and a class in it: `scope` is the first of the two."""

Tree = Mapping[Value, tuple[Value, ...]]
"""A sensitive hierarchy: the labels of each value, the value itself first and the root last."""


@dataclass(frozen=True)
class Class:
    """An equivalence class.

    Attributes:
        values: the sensitive value of each row.
        population: rows of the population in the class; as many as rows when not given.
        persons: whose each row is, where persons are counted and not rows.
    """

    values: tuple[Value, ...]
    population: int | None = None
    persons: tuple[str, ...] | None = None

    @property
    def size(self) -> int:
        return len(self.values if self.persons is None else set(self.persons))

    @property
    def counts(self) -> Counter[Value]:
        """How many rows, or persons, have each value."""
        if self.persons is None:
            return Counter(self.values)
        return Counter(value for _, value in set(zip(self.persons, self.values, strict=True)))

    @property
    def shares(self) -> dict[Value, Fraction]:
        """Of the rows or persons; together more than 1 where persons have several values."""
        return {value: Fraction(n, self.size) for value, n in self.counts.items()}

    @property
    def has_several(self) -> bool:
        """Whether a person has several values."""
        return self.counts.total() > self.size

    @property
    def population_size(self) -> int:
        return self.size if self.population is None else self.population


@dataclass(frozen=True)
class Tables:
    """Publications, and what their classes are compared with.

    Attributes:
        classes: by publication and name of the class.
        suppressed: values of rows of the table that are in no class.
        reference: the values of the table of each publication, where these are not all their rows.
        tree: a hierarchy over all values of the table.
        scoped: whether each publication is compared with its own rows alone.
    """

    classes: Mapping[Key, Class]
    suppressed: Sequence[Value] = ()
    reference: Mapping[str, Sequence[Value]] | None = None
    tree: Tree = field(default_factory=dict)
    scoped: bool = False

    def table(self, node: str) -> Class:
        """All rows of the table that a publication is compared with; suppressed ones of others."""
        node = node if self.scoped else "all"
        parts = [(key[0], c) for key, c in self.classes.items()]
        if self.reference is not None:
            parts = [(other, Class(tuple(values))) for other, values in self.reference.items()]
        shown = [part for other, part in parts if node in (other, "all")]
        values = (*(value for part in shown for value in part.values), *self.suppressed)
        if not self.counts_persons:
            return Class(values)
        persons = [person for part in shown for person in part.persons or ()]
        return Class(values, None, (*persons, *(f"{n}." for n in range(len(self.suppressed)))))

    @property
    def counts_persons(self) -> bool:
        """Whether persons are counted."""
        return any(c.persons is not None for c in self.classes.values())


class Judged(NamedTuple):
    """What the SQL says of a class; `excess_rows` is None where it was not asked for."""

    measure: Any
    satisfied: bool
    excess_rows: int | None


_DERIVED = """
create or replace temp table coded_values as
select
    row_number() over (order by number nulls last, text nulls last) as value, text, number,
    row_number() over (order by number nulls last, text nulls last) as place
from (
    select text, try_cast(text as double) as number
    from (select text from class_rows union select text from table_rows)
);
create or replace temp table table_values as
select {node}coded_values.*, table_rows.row_count, table_rows.table_size
from table_rows
join coded_values on coded_values.text is not distinct from table_rows.text;
create or replace temp table class_values as
select node, class, value, row_count as value_count
from class_rows
join coded_values on coded_values.text is not distinct from class_rows.text
"""


def quiet_connection() -> duckdb.DuckDBPyConnection:
    """A connection that leaves the other processor to others."""
    return duckdb.connect(config={"threads": 1})


def build(connection: duckdb.DuckDBPyConnection, tables: Tables) -> None:
    """Make the relations, in place of those of before."""

    def make(name: str, columns: str, rows: Sequence[Sequence[Any]]) -> None:
        named = [column.split() for column in columns.split(", ")]
        selected = ", ".join(f"unnest(?::{kind}[]) as {column}" for column, kind in named)
        lists = [[row[place] for row in rows] for place in range(len(named))]
        connection.execute(f"create or replace temp table {name} as select {selected}", lists)

    classes, key = tables.classes.items(), "node varchar, class varchar"
    sizes = [(*place, c.size, c.population_size) for place, c in classes]
    make("classes", f"{key}, class_size bigint, population_size bigint", sizes)
    counts = [(*place, *n) for place, c in classes for n in c.counts.items()]
    make("class_rows", f"{key}, text varchar, row_count bigint", counts)
    nodes = sorted({place[0] for place, _ in classes}) if tables.scoped else ["all"]
    whole = [(node, tables.table(node)) for node in nodes]
    rows = [(node, *n, part.size) for node, part in whole for n in part.counts.items()]
    columns = "node varchar, text varchar, row_count bigint, table_size bigint"
    make("table_rows", columns, rows)
    connection.execute(_DERIVED.format(node="node, " if tables.scoped else ""))
    codes = connection.execute("select text, value from coded_values").fetchall()
    levels = [
        (code, level, *labels)
        for value, code in codes
        for level, labels in enumerate(pairwise([*tables.tree.get(value, ()), None]))
    ]
    columns = "value bigint, level integer, label varchar, coarser_label varchar"
    make("value_levels", columns, levels)


def ask(
    connection: duckdb.DuckDBPyConnection, model: PrivacyModel, *, excess: bool = False, **more: Any
) -> dict[Key, Judged]:
    """The verdicts of the model's SQL over the relations that were built last."""
    more |= {name: name for name in ("classes", "class_values", "table_values", "value_levels")}
    key = ("node", "class")
    sql = model.sql(ClassRelations(class_key=key, scope=key[:1], excess=excess, **more))
    column = model.deciding_measure[0]
    wanted = f"node, class, {column}, satisfied, {'excess_rows' if excess else 'null'}"
    rows = connection.execute(f"select {wanted} from ({sql}) as judged").fetchall()
    found = {(row[0], row[1]): Judged(*row[2:]) for row in rows}
    assert len(found) == len(rows), "one row per class"
    assert all(judged.satisfied in (True, False) for judged in found.values()), "never null"
    return found


def judge(
    connection: duckdb.DuckDBPyConnection,
    model: PrivacyModel,
    tables: Tables,
    *,
    excess: bool = False,
) -> dict[Key, Judged]:
    """The verdicts of the model's SQL over these tables: one for each class."""
    if not model.compares_with_table:
        tables = replace(tables, scoped=False)  # only for comparisons do tables have a scope
    build(connection, tables)
    more = {"unit": tables.counts_persons, "table_scope": ("node",) if tables.scoped else ()}
    found = ask(connection, model, excess=excess, **more)
    assert found.keys() == tables.classes.keys(), "one row per class"
    return found
