"""Plans whose release and proofs another database is to answer as DuckDB does.

Each is solved and published by `run`. Its source and its hierarchies become tables of the other
database, `compile --dialect` writes for these, and what it returns there is compared: the rows of
the release in their order, and of every proof, also of a publication that lacks some of its rows.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import duckdb

import sqlanon
from sqlanon.sql.render import text
from sqlanon.sql.step import Rows
from tests.paths import ROOT, TESTS
from tests.support.servers import Database

ADULT = TESTS / "data/adult"
CLINIC = ROOT / "examples/clinic"
KEY = "0123456789abcdef-0123456789abcdef"


class Translated(NamedTuple):
    """A plan, and where the other database has its tables.

    Attributes:
        plan: with places relative to the current folder.
        tables: queries of DuckDB for the rows of the tables, by what they stand for.
        violated: proofs that fail if rows are missing.
        is_bulky: whether the rows are texts, and so many that they are loaded from a file.
        is_slow: whether Spark takes minutes for its proofs.
    """

    name: str
    plan: Mapping[str, Any] | Path
    tables: Mapping[str, str]
    violated: tuple[str, ...] = ("k_anonymity", "suppression")
    is_bulky: bool = False
    is_slow: bool = False


def hierarchy(rows: Sequence[tuple[str, ...]]) -> str:
    """A query for the rows of a hierarchy."""
    levels = ", ".join(f"level_{n}" for n in range(len(rows[0])))
    cells = ", ".join(f"({', '.join(map(text, row))})" for row in rows)
    return f"from (values {cells}) as made ({levels})"


STATUS = [("single", "alone", "*"), ("widowed", "alone", "*"), ("married", "together", "*"),
          ("it's open", "together", "*")]  # fmt: skip


PEOPLE = '''
create or replace table people as
select n // 2 as person, 'name ' || n as name, nullif(n * 7919 % 31 + 19, 19)::integer as "Age",
    make_date(1940 + n * 104729 % 60, 1 + n * 31 % 9, 11) as born,
    [null, 'single', 'widowed', 'married', 'it''s open'][n * 31 % 97 % 5 + 1] as "marital-status",
    ['é', 'e', 'E', 'Z', 'a'][n * 7 % 41 % 5 + 1] as "order",
    ['flu', 'cold', 'gout'][n * 13 % 37 % 3 + 1] as "Größe ""x""",
    [1.50, -3.25, null][n % 3 + 1]::decimal(9, 2) as cost,
    ['nan', '-0.0', '2.5', null][n % 4 + 1]::double as weight
from range(240) as numbers (n)
'''


def made_files(connection: duckdb.DuckDBPyConnection) -> None:
    """The sources of small plans, in the current folder."""
    connection.execute(PEOPLE)
    connection.execute("copy people to 'people.parquet' (format parquet)")
    everybody = "select * exclude (cost, weight) from people"
    connection.execute(f"copy ({everybody} where person < 60) to 'some.csv'")
    connection.execute(f"copy ({everybody}) to 'everybody.csv'")
    Path("tree.txt").write_text(
        "*: alone, together\nalone: single, widowed\ntogether: married, it's open\n"
    )
    connection.execute(f"copy ({hierarchy(STATUS)}) to 'status.csv' (header)")


COLUMNS: Mapping[str, Any] = {
    "person": "insensitive",
    "name": "identifier",
    **{
        name: {"role": "quasi-identifier", "hierarchy": hierarchy}
        for name, hierarchy in {
            "Age": {"intervals": [5, 10, 30]},
            "born": {"date": ["year", "decade"]},
            "marital-status": "status.csv",
            "order": {"mask": {"side": "right", "characters": 1}},
        }.items()
    },
    'Größe "x"': "sensitive",
}
TYPED = {"cost": "insensitive", "weight": "insensitive"}


def small_plan(**keys: Any) -> dict[str, Any]:
    """A plan over `people.parquet`, unless keys say otherwise."""
    return {
        "source": "people.parquet",
        "columns": {**COLUMNS, **TYPED},
        "privacy": [{"model": "k-anonymity", "k": 6}],
        "suppression": {"limit": 0.2},
        "publish": "open.parquet",
        **keys,
    }


def adult() -> Translated:
    """Adult with a sensitive column."""
    form = "delim = ';', all_varchar = true"
    tables = {"source": f"from read_csv('{ADULT}/adult.csv', header = true, {form})"}
    columns: dict[str, Any] = {}
    for name in (ADULT / "adult.csv").read_text(encoding="utf-8").partition("\n")[0].split(";"):
        file = ADULT / f"adult_hierarchy_{name}.csv"
        columns[name] = {"role": "quasi-identifier", "hierarchy": str(file)}
        count = file.read_text(encoding="utf-8").partition("\n")[0].count(";") + 1
        levels = [f"level_{n}" for n in range(count)]
        tables[name] = f"from read_csv('{file}', header = false, names = {levels}, {form})"
    del tables["occupation"]
    plan = {
        "source": {"path": str(ADULT / "adult.csv"), "delimiter": ";"},
        "columns": {**columns, "occupation": "sensitive"},
        "privacy": [
            {"model": "k-anonymity", "k": 5},
            {"model": "l-diversity", "l": 3, "kind": "entropy", "attribute": "occupation"},
            {"model": "t-closeness", "t": 0.5, "attribute": "occupation"},
        ],
        "suppression": {"limit": 0.04},
        "publish": "adult.parquet",
    }
    return Translated("occupation", plan, tables, is_bulky=True)


def plans() -> Iterator[Translated]:
    """All of them; their files are in the current folder."""
    clinic = f"from read_csv('{CLINIC}/patients.csv', header = true, all_varchar = true)"
    found = ("k_anonymity", "l_diversity", "suppression")
    yield Translated("clinic", Path("plan.yml"), {"source": clinic}, found, is_bulky=True)

    yield adult()

    people = {"source": "from people", "marital-status": hierarchy(STATUS)}
    of_value = {"attribute": 'Größe "x"'}
    masked = small_plan(
        suppression={"limit": 0.4, "rows": "mask"},
        privacy=[{"model": "k-anonymity", "k": 5}, {"model": "l-diversity", "l": 2, **of_value}],
    )  # fmt: skip
    yield Translated("masked", masked, people)
    persons = small_plan(
        unit="person", columns={**COLUMNS, **TYPED, "person": "identifier"},
        privacy=masked["privacy"],
    )  # fmt: skip
    yield Translated("persons", persons, people, violated=("person_rows", "suppression"))
    hashed = {**COLUMNS, **TYPED, "name": {"role": "identifier", "action": "pseudonym"},
              "marital-status": {"role": "quasi-identifier",
                                 "hierarchy": {"taxonomy": "tree.txt"}}}  # fmt: skip
    yield Translated("hashed", small_plan(columns=hashed, missing="drop-rows"), people)
    query = {"query": "select * from 'status.csv'"}
    asked = {**COLUMNS, "marital-status": {"role": "quasi-identifier", "hierarchy": query}}
    everybody = "select * exclude (cost, weight) from people"
    some = {"source": f"{everybody} where person < 60", "population": everybody,
            "marital-status": hierarchy(STATUS)}  # fmt: skip
    known = small_plan(
        source={"query": "select * from 'some.csv'"}, population="everybody.csv", columns=asked,
        privacy=[{"model": "k-anonymity", "k": 3}, {"model": "k-map", "k": 5}],
    )  # fmt: skip
    yield Translated("population", known, some, is_slow=True)


def compared(
    each: Translated, dialect: str, database: Database, connection: duckdb.DuckDBPyConnection,
    differ: Callable[[Rows, Rows, bool], bool],
) -> Iterator[str]:  # fmt: skip
    """What the other database returns differently, in words."""
    result = sqlanon.run(each.plan, sqlanon.Options(overwrite=True))
    place = Path(result.manifest["published"]["path"])
    named = {name: f"{each.name}_{n}" for n, name in enumerate(each.tables)}
    named["published"] = f"{each.name}_published"
    own, _ = sqlanon.compile(each.plan, dialect="duckdb")
    found, _ = sqlanon.compile(each.plan, dialect=dialect, tables=named)
    for name, sql in each.tables.items():
        if name in found.tables:
            moved(connection, sql, database, named[name], is_bulky=each.is_bulky)
    mine = connection.execute(f"from '{place}'").fetchall()
    again = connection.execute(own.release).fetchall()
    if differ(again, mine, True):
        yield f"release in DuckDB\n{own.release}"
    others = database.keep(named["published"], found.release)
    if differ(mine, others, True):
        yield f"release\n{found.release}\n{mine[:5]}\n{others[:5]}"
    assert found.left_out.keys() <= {"proof_of_distinct_values", "proof_of_numbers"}, found.left_out
    for name, sql in found.proofs.items():
        if database.ask(sql):
            yield f"{name} is violated\n{sql}"
    damage = f"select * from '{place}' using sample reservoir(60%) repeatable (3)"
    connection.execute(f"create or replace temp table damaged as {damage}")
    connection.execute(f"copy damaged to '{place}' (format parquet)")
    named["published"] = f"{each.name}_damaged"
    moved(connection, "from damaged", database, named["published"], is_bulky=each.is_bulky)
    found, _ = sqlanon.compile(each.plan, dialect=dialect, tables=named)
    violated = set()
    asked = {f"proof_of_{name}" for name in each.violated} if each.is_bulky else found.proofs
    for name in asked:
        sql = found.proofs[name]
        mine, others = connection.execute(own.proofs[name]).fetchall(), database.ask(sql)
        if mine:
            violated.add(name.removeprefix("proof_of_"))
        if differ(mine, others, False):
            yield f"{name} of damaged rows\n{sql}\n{mine[:5]}\n{others[:5]}"
    if not violated.issuperset(each.violated):
        yield f"of damaged rows only {violated} are violated"


def moved(
    connection: duckdb.DuckDBPyConnection, sql: str, database: Database, name: str, *,
    is_bulky: bool,
) -> None:  # fmt: skip
    """Have the rows of a query of DuckDB in a table of the other database."""
    if is_bulky:
        file = Path(f"{name}.moved.csv").resolve()
        connection.execute(f"copy ({sql}) to '{file}' (header)")
        with file.open(encoding="utf-8", newline="") as lines:
            database.load(name, next(csv.reader(lines)), file)
        return
    described = connection.execute(f"describe {sql}").fetchall()
    rows = connection.execute(sql).fetchall()
    database.make(name, {row[0]: row[1] for row in described}, rows)


def are_no_numbers(mine: Any, others: Any) -> bool:
    """Whether both cells are NaN."""
    both = isinstance(mine, float) and isinstance(others, float)
    return both and math.isnan(mine) and math.isnan(others)
