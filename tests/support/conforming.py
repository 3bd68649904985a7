"""Whole plans on every engine: the same solution, rows and measures as DuckDB, or a refusal.

A case is a plan and a command. It runs in DuckDB, on a connection with the same tables, and in the
other database. `python -m tests.capabilities` runs all and writes the table of `docs/engines.md`;
an ordinary run of the tests tries some of them, and compares with that table.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import duckdb
import pytest

import sqlanon
from sqlanon import Options
from sqlanon.commands.verify import ABOUT_VALUES
from sqlanon.errors import PlanError
from sqlanon.sql.step import Rows
from tests.paths import ROOT
from tests.support.servers import Database, Spark, postgres, spark

CLINIC = ROOT / "examples/clinic"
SEED = "0a1b2c3d4e5f60718293a4b5c6d7e8f9" * 2
PLACES = ("postgres engine", "postgres driver", "spark driver")
"""The engines, each with where the search runs."""

ROWS = 400
"""Patients of the clinic in a case; statements cost more than rows."""


class Case(NamedTuple):
    """A kind of the table and what it names, keys that differ from the clinic's, and a command."""

    kind: str
    name: str
    keys: Mapping[str, Any]
    command: str = "run"

    @property
    def title(self) -> str:
        return f"{self.kind} {self.name}"


MONDRIAN = {"method": "mondrian", "suppression": None}
THREE = [{"model": "k-anonymity", "k": 3}]
DIVERSE = [*THREE, {"model": "l-diversity", "l": 2}]
PASSES = {"name": "optimal", "passes": "auto"}
ALONE = {"name": "slicing", "columns": "one-attribute-per-column"}
QUASI_IDENTIFIER = {"role": "quasi-identifier"}
INSENSITIVE = {"role": "insensitive"}


def _methods() -> Iterator[Case]:
    def alone(name: str, keys: Any, **more: Any) -> Case:
        return Case("method", name, {**MONDRIAN, "method": keys, **more})

    for name in ("optimal", "incognito", "samarati", "datafly"):
        yield Case("method", name, {"method": name})
    for name in ("optimal", "samarati", "datafly"):
        yield Case("method", f"{name}, passes", {"method": {**PASSES, "name": name}})
    for passes in ("auto", 1):
        plan = {"method": {**PASSES, "passes": passes, "refine": True}, "privacy": THREE}
        yield Case("method", f"optimal, passes {passes}, refine", plan)
    diverse = {"method": {**PASSES, "passes": {"size": 4}}, "privacy": DIVERSE}
    yield Case("method", "optimal, passes, l-diversity", diverse)
    of_population = {"method": PASSES, "privacy": [{"model": "k-map", "k": 4}]}
    yield Case("method", "optimal, passes, k-map", of_population)
    for name in ("mondrian", "mpalm", "dimension-splitting"):
        yield alone(name, name)
    yield alone("mondrian, relaxed", {"name": "mondrian", "partitioning": "relaxed"})
    yield alone("mondrian, labels of regions", {"name": "mondrian", "labels": "region"})
    for name in ("bucketization", "stack-and-deal", "anatomy"):
        yield alone(name, name, privacy=DIVERSE)
    by_size = {"name": "bucketization", "partition": "k-mondrian"}
    yield alone("bucketization, k-mondrian", by_size, privacy=DIVERSE)
    yield alone("slicing", ALONE)
    present = {"model": "delta-presence", "dmin": 0, "dmax": 0.9}
    yield alone("combined", "combined", privacy=[present, {"model": "k-anonymity", "k": 2}])
    yield alone("k-mondrian", "k-mondrian")


def _models() -> Iterator[Case]:
    about: dict[str, dict[str, Any]] = {
        "k-anonymity": {"k": 4},
        "k-map": {"k": 4},
        "alpha-k-anonymity": {"k": 3, "alpha": 0.8},
        "l-diversity": {"l": 2},
        "l-diversity, entropy": {"l": 2, "kind": "entropy"},
        "l-diversity, recursive": {"l": 2, "kind": "recursive", "c": 3},
        "t-closeness": {"t": 0.5, "distance": "equal"},
        "delta-presence": {"dmin": 0, "dmax": 0.9},
        "delta-disclosure": {"delta": 4},
        "beta-likeness": {"beta": 6},
        "k-e-anonymity": {"k": 3, "e": 5, "attribute": "cost"},
    }
    for risk in ("average", "prosecutor", "journalist", "marketer"):
        about[f"{risk}-risk"] = {"threshold": 0.2}
    for name, parameters in about.items():
        privacy = [{"model": name.partition(",")[0], **parameters}]
        if "k" not in parameters:
            privacy.append({"model": "k-anonymity", "k": 2})
        columns = {"cost": "sensitive"} if name == "k-e-anonymity" else {}
        yield Case("model", name, {"privacy": privacy, "columns": columns})


def _measures() -> Iterator[Case]:
    for name in ("discernibility", "average-class-size", "loss", "ncp", "height",
                 "average-generalization", "precision", "entropy", "ambiguity",
                 "distribution"):  # fmt: skip
        yield Case("measure", name, {"method": {"name": "optimal", "objective": name}})
    with_keys: dict[str, dict[str, Any]] = {
        "loss, rank": {"aggregate": "rank", "leaves": "data"},
        "loss, iyengar": {"variant": "iyengar", "aggregate": "geometric-mean"},
        "loss, xiao-tao": {"variant": "xiao-tao", "generalization_suppression_factor": 0.2},
        "classification": {"attribute": "diagnosis"},
    }
    for name, keys in with_keys.items():
        objective = {"name": name.partition(",")[0], **keys}
        yield Case("measure", name, {"method": {"name": "optimal", "objective": objective}})


def _others() -> Iterator[Case]:
    for name in ("linkage", "homogeneity", "background-knowledge", "skewness", "similarity",
                 "membership", "minimality", "intersection"):  # fmt: skip
        yield Case("attack", name, {}, f"attack {name}")
    anatomy, alone = {"method": "anatomy", "privacy": DIVERSE}, {"method": ALONE}
    for name, title, keys in (
        ("linkage", "anatomy", anatomy), ("homogeneity", "anatomy", anatomy),
        ("membership", "slicing", alone), ("skewness", "slicing", alone),
    ):  # fmt: skip
        yield Case("attack", f"{name}, of {title}", {**MONDRIAN, **keys}, f"attack {name}")
    for name in ("check", "profile", "solve", "measure", "verify", "verify --with-source",
                 "run --locked"):  # fmt: skip
        yield Case("command", name, {}, name)
    dealt = {**MONDRIAN, "method": "stack-and-deal", "privacy": DIVERSE}
    yield Case("command", "verify, of buckets", dealt, "verify")


STAYS = """
create table clinic.stays as
select cast(date '2019-12-20' + cast(n * 7 % 400 as integer) as varchar) as admitted,
    ['Z', 'a', 'Ä', 'ä', 'z', 'é', 'é', ' a', '', 'ss', 'ß', 'A-1', 'A1', null][n % 14 + 1]
        as ward,
    ['first', 'second', 'third'][n % 3 + 1] as "no. of ""stay"" [1]",
    ['yes', 'no'][n % 2 + 1] as "select-all",
    cast(n * 7919 % 997 as varchar) as a, cast(n * 104729 % 991 as varchar) as b,
    cast(n * 1299709 % 983 as varchar) as c, cast(n * 15485863 % 977 as varchar) as "D"
from range({rows}) as numbers (n)
"""
"""Weeks of two years, texts whose order depends on the language, and many numbers."""


VISITS = """
create table clinic.visits as
select 'P' || (n * 7919 % {persons}) as visitor, ['f', 'm'][n * 7919 % {persons} % 2 + 1] as sex,
    cast(1940 + n * 7919 % {persons} % 60 as varchar) as born,
    cast(10000 + n * 104729 % 5 * 1000 as varchar) as zip, ['a', 'b', 'c'][n % 3 + 1] as ward,
    ['flu', 'cold', 'hiv', 'ulcer'][n * 31 % 97 % 4 + 1] as diagnosis, n % 11 as cost
from range({rows}) as numbers (n)
"""
"""Visits of persons with several rows, whose places of living change from row to row."""


VISITORS: dict[str, Any] = {
    "visitor": "identifier",
    "sex": "quasi-identifier",
    "born": {**QUASI_IDENTIFIER, "hierarchy": {"intervals": [5, 20]}},
    "zip": {**QUASI_IDENTIFIER, "hierarchy": {"mask": "right"}},
    "ward": "insensitive",
    "diagnosis": "sensitive",
    "cost": "insensitive",
}
PERSONS: dict[str, Any] = {
    "source": {"table": "clinic.visits"}, "unit": "visitor", "columns": VISITORS,
    "suppression": {"limit": 0.5},
}  # fmt: skip
WITH_PASSES = {**PERSONS, "method": PASSES}
REFINED = {
    **PERSONS, "method": {**PASSES, "refine": True}, "privacy": [{"model": "k-anonymity", "k": 2}],
}  # fmt: skip


def _persons() -> Iterator[Case]:
    yield Case("persons", "unit", PERSONS)
    without = {**PERSONS, "unit": {"column": "visitor", "count": "none"}}
    yield Case("persons", "unit, count: none", without)
    yield Case("persons", "unit, mondrian", {**PERSONS, **MONDRIAN})
    yield Case("persons", "unit, passes", WITH_PASSES)
    yield Case("persons", "unit, passes, refine", REFINED)
    for command in ("verify", "verify --with-source", "attack linkage", "attack homogeneity"):
        yield Case("persons", f"unit, {command}", PERSONS, command)
    pseudonym = {"role": "identifier", "action": "pseudonym", "key": "random"}
    linked: dict[str, Any] = {
        **PERSONS,
        "unit": {"column": "visitor", "histories": "linked", "rows": 3},
        "columns": {**VISITORS, "visitor": pseudonym},
    }
    for method in ("optimal", "incognito"):
        yield Case("persons", f"linked histories, {method}", {**linked, "method": method})
    yield Case("persons", "linked histories, verify", linked, "verify")


TYPED = """
select sex, zip, cast(born || '-0' || cost % 9 + 1 || '-17' as date) as born,
    cast(born || '-0' || cost % 8 + 1 || '-28' as timestamp) as seen,
    cast(cost as decimal(9, 2)) * 0.125 - 0.5 as cost, cost - 5 as number
from clinic.visits
where cost <> 3
"""
"""Days, times, and numbers with and without digits after the point, some of them negative."""


def _published() -> Iterator[Case]:
    """One value a class, coded ends and rounded values, in place of those of a column."""
    changed: dict[str, dict[str, Any]] = {
        "aggregates": {"cost": "mean", "born": {"aggregate": "interval", "round": "quarter"},
                       "marital_status": "set"},
        "sums": {"cost": {"aggregate": "sum", "decimals": 0}, "marital_status": "mode"},
        "ends": {"cost": {"top": "auto", "bottom": "auto", "decimals": 1}},
        "multiples": {"cost": {"top": 450, "bottom": 50, "round": 50}},
    }  # fmt: skip
    passes = {"privacy": THREE, "method": PASSES}
    for name, changes in changed.items():
        columns = {n: {"publish": change} for n, change in changes.items()}
        yield Case("publish", name, {"privacy": THREE, "columns": columns})
        if name == "aggregates":
            yield Case("publish", f"{name}, passes", {**passes, "columns": columns})
    typed: dict[str, Any] = {
        "sex": "quasi-identifier",
        "zip": VISITORS["zip"],
        "born": {**INSENSITIVE, "publish": "median"},
        "seen": {**INSENSITIVE, "publish": {"round": "quarter", "bottom": "1950-01-01"}},
        "cost": {**INSENSITIVE, "publish": {"aggregate": "median", "decimals": 1}},
        "number": {**INSENSITIVE, "publish": {"aggregate": "interval", "round": 20}},
    }
    medians = {**passes, "source": {"query": TYPED}, "columns": typed}
    yield Case("publish", "medians, passes", medians)
    of_class = {"cost": "mean", "ward": "set", "diagnosis": "mode"}
    columns = VISITORS | {n: {**INSENSITIVE, "publish": kind} for n, kind in of_class.items()}
    for name, plan in (("unit, passes", WITH_PASSES), ("unit, passes, refine", REFINED)):
        yield Case("publish", name, {**plan, "privacy": THREE, "columns": columns})


def _data() -> Iterator[Case]:
    about: dict[str, tuple[Any, dict[str, Any]]] = {
        "week hierarchies": ("incognito", {"admitted": {"date": ["week"]}}),
        "text whose order depends on the language": ("mondrian", {"ward": None, "a": None}),
        "names that need quotes": ("optimal", {
            'no. of "stay" [1]': {"mask": "right"}, "select-all": {"mask": "right"},
        }),
        "groups": ("optimal", {"a": {"groups": {"of": 20, "round": 10}}}),
        "keys of more than 31 bits": ("optimal", {n: {"intervals": [50, 500]} for n in "abcD"}),
        "hierarchies of queries": ("optimal", {"ward": None, "D": {
            "query": """select distinct "D", "D" < '5', '*' from clinic.stays"""}}),
    }  # fmt: skip
    for name, (method, hierarchies) in about.items():
        columns: dict[str, Any] = dict.fromkeys(
            ("admitted", "ward", 'no. of "stay" [1]', "select-all", *"abcD"), "insensitive"
        )
        for column, kind in hierarchies.items():
            columns[column] = {**QUASI_IDENTIFIER, **({"hierarchy": kind} if kind else {})}
        keys = {"source": {"table": "clinic.stays"}, "columns": columns, "method": method}
        without = {"suppression": None} if method == "mondrian" else {}
        two = [{"model": "k-anonymity", "k": 2}]
        yield Case("data", name, {**keys, "privacy": two, **without})


CASES = (*_methods(), *_models(), *_measures(), *_others(), *_persons(), *_published(), *_data())


@dataclass(frozen=True)
class Place:
    """A database with the tables of the clinic."""

    name: str
    server: Database

    def engine(self, search: str) -> dict[str, Any]:
        """The key `engine` of plans that run there; Spark has one search."""
        return {"name": self.name} | ({"search": search} if self.name == "postgres" else {})

    @property
    def session(self) -> Any:
        """What is given as connection; None if the plan says it all."""
        return self.server.session if isinstance(self.server, Spark) else None

    def published(self) -> Rows:
        """The rows of the publication, in their order; folders of files have none."""
        rows = self.server.ask("select * from clinic.published")
        return sorted(rows, key=repr) if self.session else rows

    def clear(self) -> None:
        """Drop the publication of an earlier case."""
        for name in ("published", "published_values"):
            self.server.execute(f"drop table if exists clinic.{name}")

    def keep(self, name: str, sql: str) -> None:
        """Make a table of the rows of a query, or replace it."""
        kind = "view" if self.session else "table"
        self.server.execute(f"drop {kind} if exists {name}")
        self.server.execute(f"create {'temporary ' if self.session else ''}{kind} {name} as {sql}")


@contextmanager
def opened(name: str, connection: duckdb.DuckDBPyConnection) -> Iterator[Place]:
    """A database with the tables of the connection's schema `clinic`; skips where it is missing."""
    rows = {
        table: (
            {row[0]: row[1] for row in connection.execute(f"describe clinic.{table}").fetchall()},
            connection.execute(f"from clinic.{table}").fetchall(),
        )
        for table in ("patients", "residents", "stays", "visits")
    }
    with pytest.MonkeyPatch.context() as patch:
        if name == "postgres":
            with postgres() as server:
                server.connection.prepare_threshold = None  # the publication changes its columns
                server.execute("create schema clinic")
                for table, (types, cells) in rows.items():
                    server.make(f"clinic.{table}", types, cells)
                patch.setenv("PGHOST", server.connection.info.host)
                patch.setenv("PGUSER", "tests")
                patch.setenv("PGDATABASE", "postgres")
                yield Place(name, server)
        else:
            with spark() as other:
                other.execute("create database if not exists clinic")
                for table, (types, cells) in rows.items():
                    frame = other.session.createDataFrame(cells, list(types))
                    frame.write.mode("overwrite").saveAsTable(f"clinic.{table}", format="parquet")
                yield Place(name, other)


def clinic() -> duckdb.DuckDBPyConnection:
    """DuckDB with the tables; every patient is a resident, and so are some others."""
    connection = duckdb.connect()
    patients, residents = (
        f"read_csv('{CLINIC}/{name}.csv', all_varchar = true)" for name in ("patients", "residents")
    )
    connection.execute(
        "create schema clinic; create table clinic.patients as"
        f" select * from {patients} order by patient_id limit {ROWS};"
        " create table clinic.residents as select sex, born, zip, marital_status from"
        f" clinic.patients union all (select sex, born, zip, marital_status from {residents}"
        f" order by all limit {ROWS})"
    )
    connection.execute(STAYS.format(rows=ROWS))
    connection.execute(VISITS.format(rows=ROWS, persons=ROWS // 3))
    return connection


def plan_of(case: Case) -> dict[str, Any]:
    """The plan of a case, for every engine."""
    plan: dict[str, Any] = {
        "source": {"table": "clinic.patients"},
        "population": {"table": "clinic.residents"},
        "publish": {"table": "clinic.published"},
        "columns": {
            "patient_id": "identifier",
            "name": "identifier",
            "sex": "quasi-identifier",
            "born": {**QUASI_IDENTIFIER, "hierarchy": {"date": ["month", "year", "decade"]}},
            "zip": {**QUASI_IDENTIFIER, "hierarchy": {"mask": "right"}},
            "marital_status": {**QUASI_IDENTIFIER, "hierarchy": "adult/marital-status.csv"},
            "diagnosis": "sensitive",
            "cost": "insensitive",
        },
        "privacy": DIVERSE,
        "suppression": {"limit": 0.2},
    }
    keys = dict(case.keys)
    if "source" in keys:
        plan["columns"] = {}
    for name, column in keys.pop("columns", {}).items():
        own = plan["columns"].get(name, {})
        is_changed = isinstance(column, dict) and "role" not in column
        whole = {"role": own} if isinstance(own, str) else own
        plan["columns"][name] = {**whole, **column} if is_changed else column
    plan = {key: value for key, value in {**plan, **keys}.items() if value is not None}
    asking = str((plan["privacy"], plan.get("method"), case.command))
    uses_population = re.search("map|presence|journalist|marketer|mpalm|membership", asking)
    if not uses_population or "slicing" in asking:
        del plan["population"]
    plan["privacy"] = [
        {"attribute": "diagnosis", **promise} if promise["model"] in ABOUT_VALUES else promise
        for promise in plan["privacy"]
    ]
    return plan


def _done(case: Case, plan: dict[str, Any], options: Options, rows: Callable[[], Rows]) -> Any:
    """What a command finds."""
    command, _, name = case.command.partition(" ")
    if command == "check":
        return sqlanon.check(plan, options).types
    if command == "profile":
        return sqlanon.profile(plan, options)
    if command == "solve":
        return sqlanon.solve(plan, options).model_dump()
    manifest = sqlanon.run(plan, options).manifest
    found = [
        {key: manifest[key] for key in ("plan_sha256", "rows", "solution", "privacy", "utility")},
        manifest["published"]["columns"], manifest.get("aggregated"), rows(),
    ]  # fmt: skip
    if name == "--locked":
        locked = Options(**{**vars(options), "locked": True})
        return sqlanon.run(plan, locked).manifest["solution"], rows()
    if command == "measure":
        return dict(sqlanon.measure(plan, options))
    if command == "attack":
        people = "clinic.residents" if name == "membership" and "population" not in plan else None
        attacked = sqlanon.attack(
            "clinic.published", plan, options, population=people, attacks=[name]
        )
        return list(attacked)
    if command == "verify":
        with_source = name == "--with-source"
        found = list(sqlanon.verify("clinic.published", plan, options, with_source=with_source))
    return found


def outcome(
    case: Case, where: str, place: Place, connection: duckdb.DuckDBPyConnection, folder: Path
) -> str:
    """What becomes of a case at a place: 'same', or why it is refused.

    Raises:
        AssertionError: it finds something other than in DuckDB.
    """
    plan = plan_of(case)
    here = Options(connection=connection, target=folder / f"{case.title} here", overwrite=True)
    there = Options(session=place.session, target=folder / f"{case.title} {where}", overwrite=True)

    def rows() -> Rows:
        found = connection.execute("from clinic.published").fetchall()
        return sorted(found, key=repr) if where.startswith("spark") else found

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SQLANON_PERMUTATION_SEED", SEED)
        drawn = SimpleNamespace(token_hex=lambda count: SEED[: 2 * count])  # the same key twice
        patch.setattr("sqlanon.source.secrets.secrets", drawn)
        mine = _done(case, plan, here, rows)
        place.clear()
        elsewhere = {**plan, "engine": place.engine(where.rpartition(" ")[2])}
        try:
            others = _done(case, elsewhere, there, place.published)
        except PlanError as error:
            return error.what
    shown = difference(mine, others)
    assert not shown, f"{case.title}, {where}: {shown}"
    return "same"


def difference(mine: Any, others: Any, at: str = "") -> str:
    """Where two results differ by more than the last digits of a double; empty if nowhere."""
    if isinstance(mine, float) and isinstance(others, float | int):
        same = math.isclose(mine, others, rel_tol=1e-9, abs_tol=1e-12)
        return "" if same else f"{at}: {mine!r} and {others!r}"
    if isinstance(mine, Mapping) and isinstance(others, Mapping):
        if list(mine) != list(others):
            return f"{at}: {list(mine)} and {list(others)}"
        return next(filter(None, (difference(mine[k], others[k], f"{at}.{k}") for k in mine)), "")
    if isinstance(mine, list | tuple) and isinstance(others, list | tuple):
        if len(mine) != len(others):
            return f"{at}: {len(mine)} and {len(others)}"
        pairs = enumerate(zip(mine, others, strict=True))
        return next(filter(None, (difference(*p, f"{at}[{n}]") for n, p in pairs)), "")
    if hasattr(mine, "__dict__") and type(mine) is type(others):
        return difference(vars(mine), vars(others), at)
    return "" if mine == others else f"{at}: {mine!r:.300} and {others!r:.300}"
