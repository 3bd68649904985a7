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

PAPER_TABLES = TESTS / "paper_tables/attacks"


# --- paper tables


def paper_cases(name: str) -> list[Any]:
    """Table and case of a paper table's file, for `parametrize`."""
    paper = yaml.safe_load((PAPER_TABLES / f"{name}.yml").read_text(encoding="utf-8"))
    assert paper["attack"] == name
    return [
        pytest.param(table, case, id=f"{table['name'].split(',')[0]}-{case['parameters']}")
        for table in paper["tables"]
        for case in table["cases"]
    ]


def attacked(cls: type[Attack], table: Mapping[str, Any], case: Mapping[str, Any]) -> AttackFinding:
    """Write the table's files into the current folder, and attack them as the command does."""
    hierarchies = table.get("hierarchies", {})
    names = [*hierarchies, *table.get("types", {})]
    columns: dict[str, Any] = {}
    for name in names:
        columns[name] = {"role": "quasi-identifier"}
        if name in hierarchies:
            write_csv(f"{name}.csv", hierarchies[name])
            columns[name]["hierarchy"] = f"{name}.csv"
        else:
            columns[name]["type"] = table["types"][name]
    columns[table["attribute"]] = "sensitive"
    plan: dict[str, Any] = {
        "source": {"path": "source.csv"},
        "columns": columns,
        "privacy": [{"model": "k-anonymity", "k": 2}],
        "publish": "published.csv",
    }
    if "types" in table:
        plan["method"] = {"name": "mondrian", "labels": "tight", "ends": "exact"}
    write_csv("population.csv", [names, *table["population"]])
    for release in ("published", "earlier"):
        if release in table:
            write_csv(f"{release}.csv", [[*names, table["attribute"]], *table[release]])
    (finding,) = attack(
        "published.csv",
        plan,
        population="population.csv",
        earlier="earlier.csv" if "earlier" in table else None,
        attacks=[cls.model_validate({"name": default_of(cls, "name"), **case["parameters"]})],
        with_values=True,
    )
    return finding


def assert_as_printed(finding: AttackFinding, case: Mapping[str, Any]) -> None:
    """The finding is that of a paper table's case."""
    assert finding.tried, finding.reason
    for name, expected in case["outcome"].items():
        assert getattr(finding, name) == pytest.approx(float(Fraction(expected))), name
    for shown, expected in zip(finding.riskiest, case["riskiest"], strict=True):
        for name, value in expected.items():
            assert as_number(shown[name]) == pytest.approx(as_number(value)), name
    for name, value in case.get("measured", {}).items():
        assert (finding.measured or {})[name] == pytest.approx(as_number(value)), name


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
        numbered = list(enumerate(orders, start=1))
        kinds = dict.fromkeys(nominal, "nominal") | dict.fromkeys(trees, "categorical")
        self.table(
            "value_places",
            "attribute_number integer, value varchar, place integer, kind varchar,"
            " position double, place_count integer",
            [
                (n, value, place, kinds.get(n, "ordinal"), None, len(values))
                for n, values in numbered
                for place, value in enumerate(values)
            ],
        )
        self.table(
            "label_places",
            "attribute_number integer, place integer, level integer, label varchar",
            [
                (n, place, level, label)
                for n, values in numbered
                if n in trees
                for place, value in enumerate(values)
                for level, label in enumerate(trees[n][value])
            ],
        )

    def releases(
        self, population: Sequence[Row], rows: Sequence[Row], earlier: Sequence[Row] = ()
    ) -> AttackRelations:
        """Make the relations of a release: quasi-identifiers `q1`, `q2` …, then `s`."""
        names = [f"q{n}" for n in range(1, len(rows[0]))]
        typed = ", ".join(f"{name} varchar" for name in names)
        self.table(
            "people", f"{typed}, n bigint", [(*row, n) for row, n in Counter(population).items()]
        )
        self.table("rows_", f"{typed}, s varchar", rows)
        self.table("earlier", f"{typed}, s varchar", earlier)
        sizes = Counter(row[:-1] for row in rows)
        self.table("classes", f"{typed}, class_size bigint", [(*k, n) for k, n in sizes.items()])
        codes = {text: code for code, text in enumerate(dict.fromkeys(r[-1] for r in rows))}
        self.table("table_values", "value bigint, text varchar", [(c, t) for t, c in codes.items()])
        self.table(
            "class_values",
            f"{typed}, value bigint, value_count bigint",
            [(*row[:-1], codes[row[-1]], n) for row, n in Counter(rows).items()],
        )
        pairs = [(name, name) for name in names]
        return AttackRelations(
            class_key=names,
            classes="sqlanon.classes",
            named_key=pairs,
            class_values="sqlanon.class_values",
            table_values="sqlanon.table_values",
            attribute="s",
            rows="sqlanon.rows_",
            quasi_identifiers=pairs,
            population="sqlanon.people",
            population_count="n",
            earlier="sqlanon.earlier" if earlier else "",
        )

    def attempt(self, attack: Attack, relations: AttackRelations) -> Outcome | str:
        """Carry an attack out; or say why it cannot be tried."""
        assert attack.missing(relations) is None
        known = replace(relations, label_tables=LABEL_TABLES & self.made)
        try:
            return drive(self, attack.attempt(known))  # type: ignore[arg-type]
        except NotTriedError as error:
            return str(error)


Tree = Mapping[Value, Sequence[str]]


@contextmanager
def bench() -> Iterator[Bench]:
    """A fresh engine that leaves the other processor to others."""
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.execute("attach ':memory:' as sqlanon")
        yield Bench(connection)
