"""What tests of privacy models share: relations for their SQL, and models of random parameters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any, NamedTuple

import duckdb
from hypothesis import strategies as st

from sqlanon.privacy_models.alpha_k_anonymity import AlphaKAnonymity
from sqlanon.privacy_models.average_risk import AverageRisk
from sqlanon.privacy_models.base import ClassRelations, PrivacyModel
from sqlanon.privacy_models.beta_likeness import BetaLikeness
from sqlanon.privacy_models.delta_disclosure import DeltaDisclosure
from sqlanon.privacy_models.delta_presence import DeltaPresence
from sqlanon.privacy_models.journalist_risk import JournalistRisk
from sqlanon.privacy_models.k_anonymity import KAnonymity
from sqlanon.privacy_models.k_e_anonymity import KEAnonymity
from sqlanon.privacy_models.k_map import KMap
from sqlanon.privacy_models.l_diversity import LDiversity
from sqlanon.privacy_models.marketer_risk import MarketerRisk
from sqlanon.privacy_models.prosecutor_risk import ProsecutorRisk
from sqlanon.privacy_models.t_closeness import TCloseness

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
        values: the sensitive value of each row, or of each person and value.
        population: rows of the population in the class; as many as rows when not given.
        persons: the size of the class where persons with several values are counted.
    """

    values: tuple[Value, ...]
    population: int | None = None
    persons: int | None = None

    @property
    def size(self) -> int:
        return len(self.values) if self.persons is None else self.persons

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

    def table(self, node: str) -> list[Value]:
        """The sensitive value of every row of the table that a publication is compared with."""
        node = node if self.scoped else "all"
        parts = [(key[0], c.values) for key, c in self.classes.items()]
        if self.reference is not None:
            parts = [(other, tuple(values)) for other, values in self.reference.items()]
        told = [value for other, values in parts for value in values if node in (other, "all")]
        return [*told, *self.suppressed]


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
select {node}coded_values.*, table_rows.row_count
from table_rows
join coded_values on coded_values.text is not distinct from table_rows.text;
create or replace temp table class_values as
select node, class, value, row_count as value_count
from class_rows
join coded_values on coded_values.text is not distinct from class_rows.text;
create or replace temp table value_classes as
select node, class, cast(sum(value_count) as bigint) as class_size
from class_values
group by node, class
"""


def quiet_connection() -> duckdb.DuckDBPyConnection:
    """A connection that leaves the other processor to others."""
    return duckdb.connect(config={"threads": 1})


def build(connection: duckdb.DuckDBPyConnection, tables: Tables) -> None:
    """Make the relations, in place of those of before."""
    keys = list(tables.classes)
    found = list(tables.classes.values())
    rows = [(*key, *n) for key in keys for n in Counter(tables.classes[key].values).items()]
    sizes = [[c.size for c in found], [c.population_size for c in found]]
    _unnest(
        connection,
        "classes",
        ("node varchar", "class varchar", "class_size bigint", "population_size bigint"),
        [[key[0] for key in keys], [key[1] for key in keys], *sizes],
    )
    _unnest(
        connection,
        "class_rows",
        ("node varchar", "class varchar", "text varchar", "row_count bigint"),
        _columns(rows, 4),
    )
    nodes = sorted({key[0] for key in keys}) if tables.scoped else ["all"]
    table_rows = [(node, *n) for node in nodes for n in Counter(tables.table(node)).items()]
    _unnest(
        connection,
        "table_rows",
        ("node varchar", "text varchar", "row_count bigint"),
        _columns(table_rows, 3),
    )
    connection.execute(_DERIVED.format(node="node, " if tables.scoped else ""))
    codes = {
        text: code
        for code, text in connection.execute("select value, text from coded_values").fetchall()
    }
    levels = [
        (codes[value], level, label, path[level + 1] if level + 1 < len(path) else None)
        for value, path in tables.tree.items()
        if value in codes
        for level, label in enumerate(path)
    ]
    _unnest(
        connection,
        "value_levels",
        ("value bigint", "level integer", "label varchar", "coarser_label varchar"),
        _columns(levels, 4),
    )


def _unnest(
    connection: duckdb.DuckDBPyConnection,
    name: str,
    columns: Sequence[str],
    values: Sequence[Sequence[Any]],
) -> None:
    """A table of these columns, each given as `name type` and a list."""
    selected = ", ".join(
        f"unnest(${place}::{column.split()[1]}[]) as {column.split()[0]}"
        for place, column in enumerate(columns, start=1)
    )
    connection.execute(
        f"create or replace temp table {name} as select {selected}", [list(v) for v in values]
    )


def _columns(rows: Sequence[Sequence[Any]], width: int) -> list[list[Any]]:
    return [[row[place] for row in rows] for place in range(width)]


def ask(
    connection: duckdb.DuckDBPyConnection,
    model: PrivacyModel,
    *,
    excess: bool = False,
    scoped: bool = False,
) -> dict[Key, Judged]:
    """The verdicts of the model's SQL over the relations that were built last."""
    sql = model.sql(
        ClassRelations(
            class_key=("node", "class"),
            classes="classes",
            class_values="class_values",
            value_classes="value_classes",
            table_values="table_values",
            value_levels="value_levels",
            table_scope=("node",) if scoped else (),
            scope=("node",),
            excess=excess,
        )
    )
    column = model.decided_by[0]
    rows = connection.execute(
        f"select node, class, {column}, satisfied, {'excess_rows' if excess else 'null'}"
        f" from ({sql}) as judged"
    ).fetchall()
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
        tables = replace(tables, scoped=False)  # only for comparisons are tables told apart
    build(connection, tables)
    found = ask(connection, model, excess=excess, scoped=tables.scoped)
    assert found.keys() == tables.classes.keys(), "one row per class"
    return found


# --- random models

_S: dict[str, Any] = {"attribute": st.just("s")}


def _decimals(*numbers: str) -> st.SearchStrategy[Decimal]:
    return st.sampled_from([Decimal(number) for number in numbers])


_RISK: dict[str, Any] = {"threshold": _decimals("0.1", "0.2", "0.25", "0.34", "0.5", "0.75", "1")}
_SHARES: dict[str, Any] = {"share": _decimals("0.05", "0.2", "0.25", "0.5")}
_CLOSE: dict[str, Any] = {**_S, "t": _decimals("0", "0.1", "0.15", "0.25", "0.3", "0.5", "1")}
_RECURSIVE: dict[str, Any] = {
    **_S,
    "kind": st.just("recursive"),
    "l": st.integers(1, 4).map(Decimal),
    "c": _decimals("0.5", "1", "1.5", "2", "4"),
}
_LISTED = st.sampled_from([("1",), ("1", "2"), ("2", "10", "x"), ("absent",)])
_BETA: dict[str, Any] = {**_S, "beta": _decimals("0.25", "0.5", "1", "2")}
_DELTA: dict[str, Any] = {**_S, "delta": _decimals("0.5", "1", "1.5", "2", "3")}

RANDOM_MODELS: dict[str, st.SearchStrategy[PrivacyModel]] = {
    "k-anonymity": st.builds(KAnonymity, k=st.integers(2, 6)),
    "k-map": st.builds(KMap, k=st.integers(2, 9)),
    "alpha-k-anonymity": st.builds(
        AlphaKAnonymity, **_S, k=st.integers(2, 4), alpha=_decimals("0.3", "0.5", "0.75", "1")
    ),
    "alpha-k-anonymity listed": st.builds(
        AlphaKAnonymity,
        **_S, k=st.integers(2, 4), alpha=_decimals("0.2", "0.5"), values=_LISTED,
    ),
    "l-diversity distinct": st.builds(LDiversity, **_S, l=st.integers(1, 4).map(Decimal)),
    "l-diversity entropy": st.builds(
        LDiversity, **_S, kind=st.just("entropy"), l=_decimals("1", "1.5", "2", "2.5", "3")
    ),
    "l-diversity frequency": st.builds(
        LDiversity, **_S, kind=st.just("frequency"), l=_decimals("1", "1.5", "2", "2.5", "3")
    ),
    "l-diversity recursive": st.builds(LDiversity, **_RECURSIVE),
    "l-diversity recursive pd": st.builds(LDiversity, **_RECURSIVE, harmless=_LISTED),
    "l-diversity recursive npd": st.builds(
        LDiversity,
        **_RECURSIVE,
        harmless=st.one_of(st.just(()), _LISTED),
        never_excluded=st.sampled_from([("1",), ("1", "2"), ("2", "2")]),
        c2=_decimals("0.1", "0.25", "0.4"),
    ),
    "t-closeness equal": st.builds(TCloseness, **_CLOSE),
    "t-closeness ordered": st.builds(TCloseness, **_CLOSE, distance=st.just("ordered")),
    "t-closeness hierarchical": st.builds(TCloseness, **_CLOSE, distance=st.just("hierarchical")),
    "delta-presence": st.builds(
        DeltaPresence, dmin=st.just(Decimal(0)), dmax=_decimals("0.25", "0.5", "0.75", "1")
    ),
    "delta-presence dmin": st.builds(
        DeltaPresence,
        dmin=_decimals("0.1", "0.25", "0.5"),
        dmax=_decimals("0.5", "0.75", "1"),
        suppressed=st.sampled_from(["violation", "ignore"]),
    ),
    "delta-disclosure": st.builds(DeltaDisclosure, **_DELTA),
    "delta-disclosure ignore": st.builds(DeltaDisclosure, **_DELTA, absent=st.just("ignore")),
    "beta-likeness basic": st.builds(BetaLikeness, **_BETA),
    "beta-likeness enhanced": st.builds(BetaLikeness, **_BETA, kind=st.just("enhanced")),
    "k-e-anonymity": st.builds(
        KEAnonymity, **_S, k=st.integers(2, 3), e=_decimals("0", "0.2", "1.5", "2.5", "9")
    ),
    "average-risk": st.builds(AverageRisk, **_RISK),
    "prosecutor-risk": st.builds(ProsecutorRisk, **_RISK),
    "prosecutor-risk share": st.builds(ProsecutorRisk, **_RISK, **_SHARES),
    "journalist-risk": st.builds(JournalistRisk, **_RISK),
    "journalist-risk share": st.builds(JournalistRisk, **_RISK, **_SHARES),
    "marketer-risk": st.builds(MarketerRisk, **_RISK),
}  # fmt: skip
"""Models with random parameters, by name and variant; every model is among them."""
