"""What tests of attacks on persons share: their paper tables, and relations made by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from typing import Any

import duckdb
import pytest
import yaml

from sqlanon.attacks.base import LABEL_TABLES, Attack, AttackRelations, NotTriedError, Outcome
from sqlanon.attacks.findings import AttackFinding
from sqlanon.commands.attack import attack
from sqlanon.engines.base import drive
from sqlanon.registry import default_of
from sqlanon.sql.step import Rows, Step
from tests.paths import TESTS
from tests.support.tables import write_csv

Value = str | None
Row = tuple[Value, ...]
Tree = Mapping[Value, Sequence[str]]


# --- paper tables


def paper_cases(name: str) -> list[Any]:
    """Table and case of a paper table's file, for `parametrize`."""
    text = (TESTS / f"paper_tables/attacks/{name}.yml").read_text(encoding="utf-8")
    return [
        pytest.param(table, case, id=f"{table['name'].split(',')[0]}-{case['parameters']}")
        for table in yaml.safe_load(text)["tables"]
        for case in table["cases"]
    ]


def attacked(cls: type[Attack], table: Mapping[str, Any], case: Mapping[str, Any]) -> AttackFinding:
    """Write the table's files into the current folder, and attack them as the command does."""
    columns: dict[str, Any] = {}
    for name, rows in table.get("hierarchies", {}).items():
        columns[name] = {"role": "quasi-identifier", "hierarchy": write_csv(f"{name}.csv", rows)}
    for name, kind in table.get("types", {}).items():
        columns[name] = {"role": "quasi-identifier", "type": kind}
    names = list(columns)
    plan: dict[str, Any] = {
        "source": {"path": "source.csv"},
        "columns": {**columns, table["attribute"]: "sensitive"},
        "privacy": [{"model": "k-anonymity", "k": 2}],
        "publish": "published.csv",
    }
    if "types" in table:
        plan["method"] = {"name": "mondrian", "labels": "tight", "ends": "exact"}
    for release in {"published", "earlier"} & table.keys():
        write_csv(f"{release}.csv", [[*names, table["attribute"]], *table[release]])
    (finding,) = attack(
        "published.csv", plan,
        population=write_csv("population.csv", [names, *table["population"]]),
        earlier="earlier.csv" if "earlier" in table else None,
        attacks=[cls.model_validate({"name": default_of(cls, "name"), **case["parameters"]})],
        with_values=True,
    )  # fmt: skip
    return finding


def assert_as_printed(finding: AttackFinding, case: Mapping[str, Any]) -> None:
    """The finding is that of a paper table's case."""
    assert finding.tried, finding.reason
    outcome = {name: getattr(finding, name) for name in case["outcome"]}
    pairs = [(outcome, case["outcome"]), (finding.measured or {}, case.get("measured", {}))]
    pairs += zip(finding.riskiest, case["riskiest"], strict=True)
    for shown, expected in pairs:
        for name, value in expected.items():
            assert as_number(shown[name]) == pytest.approx(as_number(value)), name


def as_number(value: Any) -> Any:
    """1/3 as a number; what is none as it is."""
    try:
        return float(Fraction(value))
    except (TypeError, ValueError):
        return value


# --- relations made by hand


class Bench:
    """An engine with relations that a test has made."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self.connection = connection
        self.made: set[str] = set()

    def execute(self, step: Step) -> Rows:
        """Execute a step; rows come back of a question alone."""
        for statement in step.statements():
            found = self.connection.execute(statement)
        return found.fetchall() if step.kind == "rows" else []

    def table(self, name: str, columns: str, rows: Sequence[Sequence[Any]]) -> None:
        """Make a table of these columns, as `a varchar, n bigint`."""
        self.made.add(name)
        self.connection.execute(f"create table sqlanon.{name} ({columns})")
        if rows:
            marks = ", ".join("?" * len(rows[0]))
            self.connection.executemany(f"insert into sqlanon.{name} values ({marks})", rows)

    def ask(self, select: str) -> list[tuple[Any, ...]]:
        """The rows of a select."""
        return self.connection.execute(select).fetchall()

    def places(
        self,
        orders: Sequence[Sequence[Value]],
        trees: Mapping[int, Tree],
        nominal: Sequence[int] = (),
    ) -> None:
        """Make value_places and label_places.

        Args:
            orders: of each attribute the values in their order, a missing one first.
            trees: by number of the attribute, from 1, the labels of each value, itself first.
            nominal: numbers of the attributes whose labels are sets.
        """
        places = [
            (number, place, value)
            for number, values in enumerate(orders, start=1)
            for place, value in enumerate(values)
        ]
        kinds = dict.fromkeys(nominal, "nominal") | dict.fromkeys(trees, "categorical")
        self.table(
            "value_places",
            "attribute_number integer, value varchar, place integer, kind varchar,"
            " position double, place_count integer",
            [
                (n, value, place, kinds.get(n, "ordinal"), None, len(orders[n - 1]))
                for n, place, value in places
            ],
        )
        self.table(
            "label_places",
            "attribute_number integer, place integer, level integer, label varchar",
            [
                (n, place, level, label)
                for n, place, value in places
                if n in trees
                for level, label in enumerate(trees[n][value])
            ],
        )

    def releases(
        self, population: Sequence[Row], rows: Sequence[Row], earlier: Sequence[Row] = ()
    ) -> AttackRelations:
        """Make the relations of a release: quasi-identifiers `q1`, `q2` …, then `s`."""
        names = [f"q{n}" for n in range(1, len(rows[0]))]
        typed = ", ".join(f"{name} varchar" for name in names)
        counted = [(*row, n) for row, n in Counter(population).items()]
        self.table("people", f"{typed}, n bigint", counted)
        self.table("rows_", f"{typed}, s varchar", rows)
        self.table("earlier", f"{typed}, s varchar", earlier)
        sizes = Counter(row[:-1] for row in rows)
        self.table("classes", f"{typed}, class_size bigint", [(*k, n) for k, n in sizes.items()])
        codes = {text: code for code, text in enumerate(dict.fromkeys(r[-1] for r in rows))}
        self.table("table_values", "value bigint, text varchar", [(c, t) for t, c in codes.items()])
        valued = [(*row[:-1], codes[row[-1]], n) for row, n in Counter(rows).items()]
        self.table("class_values", f"{typed}, value bigint, value_count bigint", valued)
        pairs = [(name, name) for name in names]
        return AttackRelations(
            class_key=names, named_key=pairs, quasi_identifiers=pairs, attribute="s",
            classes="sqlanon.classes", class_values="sqlanon.class_values",
            table_values="sqlanon.table_values", rows="sqlanon.rows_",
            population="sqlanon.people", population_count="n",
            earlier="sqlanon.earlier" if earlier else "",
        )  # fmt: skip

    def attempt(self, attack: Attack, relations: AttackRelations) -> Outcome | str:
        """Carry an attack out; or say why it cannot be tried."""
        assert attack.missing(relations) is None
        known = replace(relations, label_tables=LABEL_TABLES & self.made)
        try:
            return drive(self, attack.attempt(known))  # type: ignore[arg-type]
        except NotTriedError as error:
            return str(error)


@contextmanager
def bench() -> Iterator[Bench]:
    """A fresh engine that leaves the other processor to others."""
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.execute("attach ':memory:' as sqlanon")
        yield Bench(connection)
