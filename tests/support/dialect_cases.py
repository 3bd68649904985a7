"""Queries that other databases are to answer as DuckDB does, over tables that DuckDB has made.

Every privacy model, every kind of hierarchy, a release, and the proofs of a program. The tables are
small and random, with NULLs, ties, spaces, upper and lower case, and letters of other scripts; the
names of their columns are such that most databases want them quoted.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb

from sqlanon.dialects.transpile import NamedTable
from sqlanon.hierarchies import HIERARCHY_KINDS
from sqlanon.privacy_models.promises import Promises
from sqlanon.sql.render import render, text
from sqlanon.sql.step import Rows, quoted
from tests.oracles.hierarchies import KINDS, LEAVES
from tests.oracles.models import KNOWN, draw
from tests.paths import TESTS

AGE, STATUS, ORDER = 'Größe "x"', "marital-status", "order"
KEY = [AGE, STATUS, ORDER]
TEXTS = [None, *"aAbéZ_%𝒳", "e\u0301", " a", "a ", "", "東京", "it's", 'a"b', "a\\b"]


@dataclass(frozen=True)
class Case:
    """A query, and the tables that it reads by their names in it."""

    name: str
    sql: str
    reads: Mapping[str, str]
    is_ordered: bool = False


@dataclass
class Tables:
    """Tables in DuckDB, of types and rows by name, which other databases get as they are."""

    connection: duckdb.DuckDBPyConnection
    made: dict[str, tuple[dict[str, str], Rows]] = field(default_factory=dict)

    def make(self, name: str, sql: str) -> None:
        """The table of a query."""
        self.connection.execute(f"create or replace table {name} as {sql}")
        described = self.connection.execute(f"describe {name}").fetchall()
        types = {row[0]: row[1] for row in described}
        self.made[name] = types, self.connection.execute(f"from {name}").fetchall()

    def ask(self, case: Case) -> Rows:
        """The rows of a case as DuckDB answers its own text."""
        for called, name in case.reads.items():
            if called.isidentifier():
                self.connection.execute(f"create or replace temp view {called} as from {name}")
            elif called.endswith(".csv") and not Path(called).exists():
                self.connection.execute(f"copy {name} to '{called}' (header, delim ',')")
        return self.connection.execute(case.sql).fetchall()

    def named(self, case: Case) -> dict[str, NamedTable]:
        """The tables of a case as they are given to `transpile`."""
        return {called: NamedTable(name, self.made[name][0]) for called, name in case.reads.items()}


def random_rows(choose: random.Random, count: int) -> list[tuple[Any, ...]]:
    """Quasi-identifiers, two sensitive values, and a person; some combinations are frequent."""
    keys = [tuple(choose.choice(TEXTS) for _ in KEY) for _ in range(25)]
    values = [[None, "1", "2", "2.0", "10", "-3.5"], [None, "x", "X", "1", " x"]]
    return [
        (*choose.choice(keys[: choose.randint(1, 25)]), *map(choose.choice, values),
         choose.randint(1, count // 2))
        for _ in range(count)
    ]  # fmt: skip


COUNTS = {"": "count(*)", "person_": "count(distinct person)"}
"""What is counted, by what the names of its relations begin with."""


def model_tables(tables: Tables, choose: random.Random) -> None:
    """The relations that models read: of rows, and of persons."""
    key = ", ".join(map(quoted, KEY))
    lists = ", ".join(f"unnest(?::varchar[]) as {name}" for name in (*map(quoted, KEY), "s", "o"))
    tables.connection.execute(
        f"create or replace table all_rows as select {lists}, unnest(?::bigint[]) as person",
        [*zip(*random_rows(choose, 300), strict=True)],
    )
    sizes = "cast(hash(count(*)) % 4 * count(*) as bigint)"
    for counts, counted in COUNTS.items():
        for name, other in (("s", "o"), ("o", "s")):
            tables.make(
                f"the_{counts}table_values_of_{name}",
                f"select row_number() over (order by {name} nulls last) as value, {name} as text,"
                f" try_cast({name} as double) as number, row_number() over"
                f" (order by try_cast({name} as double) nulls last, {name} nulls last) as place,"
                f" {counted} as row_count, (select {counted} from all_rows) as table_size"
                f" from all_rows group by {name}",
            )
            coded = f"the_{counts}table_values_of_{name}"
            joined = f"all_rows join {coded} on text is not distinct from {name}"
            with_other = f"select {key}, {other} as value_of_{other}"
            for relation, sql in {
                "class_values": f"select {key}, value, {counted} as value_count from {joined}",
                "joint_values": f"{with_other}, value, {counted} as value_count from {joined}",
                "joint_classes": f"{with_other}, {counted} as class_size from all_rows",
            }.items():
                tables.make(f"the_{counts}{relation}_of_{name}", f"{sql} group by all")
        tables.make(
            f"the_{counts}classes",
            f"select {key}, {counted} as class_size, {sizes} as population_size"
            f" from all_rows group by {key}",
        )
    levels = ((0, "text", "text[1:1]"), (1, "text[1:1]", "'*'"), (2, "'*'", "null"))
    for name in ("s", "o"):
        selects = (
            f"select value, {level} as level, {label} as label, {coarser} as coarser_label"
            f" from the_table_values_of_{name}"
            for level, label, coarser in levels
        )
        tables.make(
            f"the_value_levels_of_{name}", f"from ({' union all '.join(selects)}) order by all"
        )


def model_cases(choose: random.Random) -> Iterator[Case]:
    """Every model with the parameters of its golden file and with random ones; also joint, and
    where persons are counted."""
    entries: list[tuple[str, dict[str, Any]]] = []
    for known in KNOWN.values():
        entries += [(name, {"model": known.name, **known.about, **golden})
                    for name, golden in known.module.GOLDEN.items()]  # fmt: skip
        for title in known.titled(known.module.RUNS):
            entry = draw(title, choose)
            entries.append((f"{title} of random parameters", entry))
            if known.may_be_joint:
                entries.append((f"{title}, joint", {**entry, "mode": "joint"}))
    for n, (name, entry) in enumerate(entries):
        model = KNOWN[entry["model"]].cls.model_validate(entry)
        unit = "person" if n % 3 == 2 else None
        promises = Promises((model,), ("s", "o"), ("s", "o"), unit=unit)
        counts = "person_" if unit else ""
        reads = {"classes": f"the_{counts}classes"}
        for kind in ("class_values", "joint_values", "joint_classes", "table_values"):
            for attribute in ("s", "o"):
                reads[f"{kind}_of_{attribute}"] = f"the_{counts}{kind}_of_{attribute}"
                reads[f"value_levels_of_{attribute}"] = f"the_value_levels_of_{attribute}"
        relations: Any = {"table_values": "table_values", "value_levels": "value_levels"}
        (model_check,) = promises.model_checks(KEY, **relations)
        yield Case(f"{name}{' of persons' if unit else ''}", model_check.sql, reads)


DIGITS = ["0", "0.05", "-0.05", "12.5", "89.999999999999999", "90", "2.5", "1e3", ".5", "7.", " 7 "]
VALUES: Mapping[str, list[str]] = {
    **dict.fromkeys(("intervals", "cut_points", "groups"), DIGITS),
    "round": ["2.445", "-2.445", "0.5", "-0.5", "45", "-45", "1234567.123456", "0"],
    "date": [
        "1949-09-10", "2020-12-31", "2021-01-03", "2021-01-04", "0004-01-01", "9999-12-31",
        "2018-11-04", "1996-02-29 23:59:59.999999", "2020-1-5", "1582-10-10", "2020", "2020-01",
    ],
    "mask": ["02139", "Zoë", "東京都", "𝒳e\u0301", "a", "", "*"],
}  # fmt: skip
"""Values of each kind of hierarchy, beside texts that are no such values."""

RULES: Mapping[str, list[Any]] = {
    "intervals": [
        {"widths": ["0.25", "2.5"], "start": "0.05", "lowest": "-20", "highest": "90"},
        {"widths": [5], "start": -3}, {"widths": ["0.000000001"], "highest": "17"},
    ],
    "cut_points": [{"cut_points": [["-1.5", 0, "12.5"], [0]]}],
    "groups": [{"of": 2, "round": "0.5", "points": ["-1.5", 0, "12.5"]}],
    "round": [{"round": [2, 1, 0, -1, -3]}],
    "date": [
        {"date": ["day", "week"]},
        {"date": ["day", "month", "quarter", "year", "decade", "century"]},
    ],
    "mask": [{"side": "left", "characters": 5}, {"side": "right", "characters": 5}],
}  # fmt: skip


def hierarchy_tables(tables: Tables) -> None:
    """The values that hierarchies label, and the rows of a file."""
    for kind, values in VALUES.items():
        known = ", ".join(f"({text(value)})" for value in [*values, *TEXTS] if value is not None)
        tables.make(f"values_of_{kind}", f"from (values (null), {known}) as made (value)")
    rows = ", ".join(str((leaf, *labels)) for leaf, labels in LEAVES.items())
    tables.make("file_rows", f"from (values {rows}) as made (level_0, level_1, level_2, level_3)")


def hierarchy_cases() -> Iterator[Case]:
    """Every kind with a rule, and a file as a table."""
    assert {*RULES, "file", "query", "taxonomy"} == KINDS.keys()
    for kind, rules in RULES.items():
        for n, rule in enumerate(rules, start=1):
            model = HIERARCHY_KINDS[kind]
            hierarchy = model.model_validate(rule if kind in rule else {kind: rule})
            levels = hierarchy.level_count or 0
            sql = as_table(hierarchy.template, hierarchy.inputs, levels)
            yield Case(f"{kind} {n}", sql, {"known_values": f"values_of_{kind}"})
    suppression = as_table("hierarchies/suppression.sql", {}, 2)
    yield Case("suppression", suppression, {"known_values": "values_of_mask"})
    inputs = {"file": "labels.csv", "delimiter": ",", "header": True, "columns": 4}
    file = as_table("hierarchies/file.sql", inputs, 4)
    plain = "".join(c for c in file if c not in "\x1c\x1f")
    yield Case("file", plain, {"labels.csv": "file_rows"})


def as_table(template: str, rule: dict[str, Any], levels: int) -> str:
    """The rule of a hierarchy as a table of all its levels."""
    selected = [(level, f"level_{level}") for level in range(levels)]
    return render(template, values="known_values", rule=rule, selected=selected)


def release_cases(patients: Path, tables: Tables) -> Iterator[Case]:
    """A release in labels of the clinic's patients, with a hierarchy of a file."""
    reader = f"read_csv('{patients}', header = true, all_varchar = true)"
    tables.make("all_patients", f"select * from {reader}")
    tables.make("all_statuses", "select distinct marital_status as level_0, "
                "left(marital_status, 1) as level_1 from all_patients")  # fmt: skip
    sql = (TESTS / "data/release_sample.sql").read_text(encoding="utf-8")
    reads = {"patients.csv": "all_patients", "statuses.csv": "all_statuses"}
    yield Case("release", sql, reads, is_ordered=True)


def construct_cases(tables: Tables) -> Iterator[Case]:
    """Single constructs, with and without NULLs."""
    rows = [
        f"({id_}, {n}, {x}, {'null' if t is None else text(t)}, date {day})"
        for id_, t, n, x, day in zip(
            range(1, 2 * len(TEXTS) + 1), TEXTS * 2, ["null", "0", "1", "2", "3"] * 8,
            ["1.5", "null", "-0.25", "1e300"] * 10,
            ["'2020-02-29'", "'1999-12-31'", "'0042-01-02'"] * 13, strict=False,
        )
    ]  # fmt: skip
    tables.make(
        "all_things",
        f"select id, cast(n as bigint) as n, cast(x as double) as x, t, day"
        f" from (values {', '.join(rows)}) as made (id, n, x, t, day)",
    )
    for name in ("constructs", "hashes"):
        sql = (TESTS / f"data/{name}.sql").read_text(encoding="utf-8")
        yield Case(name, sql, {"things": "all_things"}, is_ordered=True)


def proof_cases(
    run: Callable[[], Any], connection: duckdb.DuckDBPyConnection, tables: Tables
) -> Iterator[Case]:
    """The proofs of a program that this connection has executed."""
    steps = run().steps
    place = [step.name for step in steps].index("published_rows") + 1
    relations = [step.name for step in steps[:place]]
    reads = {}
    for step in steps[place:]:
        for name in relations:
            if f"sqlanon.{name} " in f"{step.sql} ".replace("\n", " "):
                tables.make(f"made_{name}", f"from sqlanon.{name}")
                reads[f"sqlanon.{name}"] = f"made_{name}"
        yield Case(step.name, step.sql, dict(reads))
        relations.append(step.name)
