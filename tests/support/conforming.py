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
from typing import Any, Protocol

import duckdb
import pytest

import sqlanon
from sqlanon import Options
from sqlanon.commands.verify import ABOUT_VALUES
from sqlanon.errors import PlanError
from sqlanon.sql.step import Rows
from tests.paths import ROOT
from tests.support.servers import postgres, spark

CLINIC = ROOT / "examples/clinic"
SEED = "0a1b2c3d4e5f60718293a4b5c6d7e8f9" * 2
PLACES = ("postgres engine", "postgres driver", "spark driver")
"""The engines, each with where the search runs."""

ROWS = 400
"""Patients of the clinic in a case; statements cost more than rows."""


@dataclass(frozen=True)
class Case:
    """A plan and a command.

    Attributes:
        kind: what it stands for in the table: method, model, measure, attack or command.
        name: which of these.
        keys: of the plan that differ from the clinic's.
        command: what is done with the plan that was published.
    """

    kind: str
    name: str
    keys: Mapping[str, Any]
    command: str = "run"

    @property
    def title(self) -> str:
        """For messages."""
        return f"{self.kind} {self.name}"


MONDRIAN = {"method": "mondrian", "suppression": None}
DIVERSE = [{"model": "k-anonymity", "k": 3}, {"model": "l-diversity", "l": 2}]


def _methods() -> Iterator[Case]:
    for name in ("optimal", "incognito", "samarati", "datafly"):
        yield Case("method", name, {"method": name})
    for name in ("optimal", "samarati", "datafly"):
        method = {"name": name, "passes": "auto"}
        yield Case("method", f"{name}, passes", {"method": method})
    for passes in ("auto", 1):
        refined: Any = {"name": "optimal", "passes": passes, "refine": True}
        plan = {"method": refined, "privacy": [{"model": "k-anonymity", "k": 3}]}
        yield Case("method", f"optimal, passes {passes}, refine", plan)
    diverse = {"method": {"name": "optimal", "passes": {"size": 4}}, "privacy": DIVERSE}
    yield Case("method", "optimal, passes, l-diversity", diverse)
    of_population = {"method": {"name": "optimal", "passes": "auto"}}
    yield Case("method", "optimal, passes, k-map",
               {**of_population, "privacy": [{"model": "k-map", "k": 4}]})  # fmt: skip
    for name in ("mondrian", "mpalm", "dimension-splitting"):
        yield Case("method", name, {**MONDRIAN, "method": name})
    relaxed = {"name": "mondrian", "partitioning": "relaxed"}
    yield Case("method", "mondrian, relaxed", {**MONDRIAN, "method": relaxed})
    labels = {"name": "mondrian", "labels": "region"}
    yield Case("method", "mondrian, labels of regions", {**MONDRIAN, "method": labels})
    for name in ("bucketization", "stack-and-deal", "anatomy"):
        yield Case("method", name, {**MONDRIAN, "method": name, "privacy": DIVERSE})
    by_size = {"name": "bucketization", "partition": "k-mondrian"}
    yield Case("method", "bucketization, k-mondrian",
               {**MONDRIAN, "method": by_size, "privacy": DIVERSE})  # fmt: skip
    alone = {"name": "slicing", "columns": "one-attribute-per-column"}
    yield Case("method", "slicing", {**MONDRIAN, "method": alone})
    yield Case("method", "combined", {
        **MONDRIAN, "method": "combined", "privacy": [
            {"model": "delta-presence", "dmin": 0, "dmax": 0.9}, {"model": "k-anonymity", "k": 2},
        ],
    })  # fmt: skip
    yield Case("method", "k-mondrian", {**MONDRIAN, "method": "k-mondrian"})


def _models() -> Iterator[Case]:
    about: dict[str, list[dict[str, Any]]] = {
        "k-anonymity": [{"k": 4}],
        "k-map": [{"k": 4}],
        "alpha-k-anonymity": [{"k": 3, "alpha": 0.8}],
        "l-diversity": [{"l": 2}, {"l": 2, "kind": "entropy"},
                        {"l": 2, "kind": "recursive", "c": 3}],
        "t-closeness": [{"t": 0.5, "distance": "equal"}],
        "delta-presence": [{"dmin": 0, "dmax": 0.9}],
        "delta-disclosure": [{"delta": 4}],
        "beta-likeness": [{"beta": 6}],
        "k-e-anonymity": [{"k": 3, "e": 5, "attribute": "cost"}],
        "average-risk": [{"threshold": 0.2}],
        "prosecutor-risk": [{"threshold": 0.2}],
        "journalist-risk": [{"threshold": 0.2}],
        "marketer-risk": [{"threshold": 0.2}],
    }  # fmt: skip
    for name, variants in about.items():
        for parameters in variants:
            kind = f", {parameters['kind']}" if "kind" in parameters else ""
            privacy = [{"model": name, **parameters}]
            if "k" not in parameters:
                privacy.append({"model": "k-anonymity", "k": 2})
            columns = {"cost": "sensitive"} if name == "k-e-anonymity" else {}
            yield Case("model", f"{name}{kind}", {"privacy": privacy, "columns": columns})


def _measures() -> Iterator[Case]:
    for name in ("discernibility", "average-class-size", "loss", "ncp", "height",
                 "average-generalization", "precision", "entropy", "ambiguity",
                 "distribution"):  # fmt: skip
        yield Case("measure", name, {"method": {"name": "optimal", "objective": name}})
    for keys in ({"aggregate": "rank", "leaves": "data"},
                 {"variant": "iyengar", "aggregate": "geometric-mean"},
                 {"variant": "xiao-tao", "generalization_suppression_factor": 0.2}):  # fmt: skip
        loss = {"method": {"name": "optimal", "objective": {"name": "loss", **keys}}}
        yield Case("measure", f"loss, {next(iter(keys.values()))}", loss)
    label = {"name": "classification", "attribute": "diagnosis"}
    yield Case("measure", "classification", {"method": {"name": "optimal", "objective": label}})


def _others() -> Iterator[Case]:
    for name in ("linkage", "homogeneity", "background-knowledge", "skewness", "similarity",
                 "membership", "minimality", "intersection"):  # fmt: skip
        yield Case("attack", name, {}, f"attack {name}")
    alone = {"name": "slicing", "columns": "one-attribute-per-column"}
    for title, keys, attacks in (
        ("anatomy", {"method": "anatomy", "privacy": DIVERSE}, ("linkage", "homogeneity")),
        ("slicing", {"method": alone}, ("membership", "skewness")),
    ):
        for name in attacks:
            yield Case("attack", f"{name}, of {title}", {**MONDRIAN, **keys}, f"attack {name}")
    for name in ("check", "profile", "solve", "measure", "verify", "verify --with-source",
                 "run --locked"):  # fmt: skip
        yield Case("command", name, {}, name)
    yield Case("command", "verify, of buckets",
               {**MONDRIAN, "method": "stack-and-deal", "privacy": DIVERSE}, "verify")  # fmt: skip


STAYS = """
create table clinic.stays as
select cast(date '2019-12-20' + cast(n * 7 % 400 as integer) as varchar) as admitted,
    ['Z', 'a', 'Ä', 'ä', 'z', 'é', 'é', ' a', '', 'ss', 'ß', 'A-1', 'A1', null][n % 14 + 1]
        as ward,
    ['first', 'second', 'third'][n % 3 + 1] as "no. of ""stay"" [1]",
    ['yes', 'no'][n % 2 + 1] as "select-all",
    cast(n * 7919 % 997 as varchar) as a, cast(n * 104729 % 991 as varchar) as b,
    cast(n * 1299709 % 983 as varchar) as c, cast(n * 15485863 % 977 as varchar) as d
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


def _persons() -> Iterator[Case]:
    columns = {
        "visitor": "identifier", "sex": "quasi-identifier",
        "born": {"role": "quasi-identifier", "hierarchy": {"intervals": [5, 20]}},
        "zip": {"role": "quasi-identifier", "hierarchy": {"mask": "right"}},
        "ward": "insensitive", "diagnosis": "sensitive", "cost": "insensitive",
    }  # fmt: skip
    keys: dict[str, Any] = {
        "source": {"table": "clinic.visits"},
        "unit": "visitor",
        "columns": columns,
        "suppression": {"limit": 0.5},
    }  # fmt: skip
    yield Case("persons", "unit", keys)
    without = {**keys, "unit": {"column": "visitor", "count": "none"}}
    yield Case("persons", "unit, count: none", without)
    yield Case("persons", "unit, mondrian", {**keys, **MONDRIAN})
    yield Case("persons", "unit, passes", {**keys, "method": {"name": "optimal", "passes": "auto"}})
    refined = {"name": "optimal", "passes": "auto", "refine": True}
    refined = {"method": refined, "privacy": [{"model": "k-anonymity", "k": 2}]}
    yield Case("persons", "unit, passes, refine", {**keys, **refined})
    yield Case("persons", "unit, verify", keys, "verify")
    yield Case("persons", "unit, verify --with-source", keys, "verify --with-source")
    yield Case("persons", "unit, attack linkage", keys, "attack linkage")
    yield Case("persons", "unit, attack homogeneity", keys, "attack homogeneity")
    pseudonym = {"role": "identifier", "action": "pseudonym", "key": "random"}
    linked: dict[str, Any] = {
        **keys,
        "unit": {"column": "visitor", "histories": "linked", "rows": 3},
        "columns": {**columns, "visitor": pseudonym},
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
    number: dict[str, dict[str, Any]] = {
        "aggregates": {"cost": "mean", "born": {"aggregate": "interval",
                                   "round": "quarter"}, "marital_status": "set"},
        "sums": {"cost": {"aggregate": "sum", "decimals": 0}, "marital_status": "mode"},
        "ends": {"cost": {"top": "auto", "bottom": "auto", "decimals": 1}},
        "multiples": {"cost": {"top": 450, "bottom": 50, "round": 50}},
    }  # fmt: skip
    three = {"privacy": [{"model": "k-anonymity", "k": 3}]}
    passes = {**three, "method": {"name": "optimal", "passes": "auto"}}
    for name, changes in number.items():
        columns = {n: {"publish": change} for n, change in changes.items()}
        for keys in (three, passes) if name == "aggregates" else (three,):
            title = f"{name}, passes" if keys is passes else name
            yield Case("publish", title, {**keys, "columns": columns})
    typed: dict[str, Any] = {
        "sex": "quasi-identifier",
        "zip": {"role": "quasi-identifier", "hierarchy": {"mask": "right"}},
        "born": {"role": "insensitive", "publish": "median"},
        "seen": {"role": "insensitive", "publish": {"round": "quarter", "bottom": "1950-01-01"}},
        "cost": {"role": "insensitive", "publish": {"aggregate": "median", "decimals": 1}},
        "number": {"role": "insensitive", "publish": {"aggregate": "interval", "round": 20}},
    }
    keys = {**passes, "source": {"query": TYPED}, "columns": typed}
    yield Case("publish", "medians, passes", keys)
    (persons,) = [case.keys for case in _persons() if case.title == "persons unit, passes"]
    columns = persons["columns"] | {
        "cost": {"role": "insensitive", "publish": "mean"},
        "ward": {"role": "insensitive", "publish": "set"},
        "diagnosis": {"role": "insensitive", "publish": "mode"},
    }
    for title in ("unit, passes", "unit, passes, refine"):
        (plan,) = [case.keys for case in _persons() if case.name == title]
        yield Case("publish", title, {**plan, **three, "columns": columns})


def _data() -> Iterator[Case]:
    about: dict[str, tuple[Any, dict[str, Any]]] = {
        "week hierarchies": ("incognito", {"admitted": {"date": ["week"]}}),
        "text whose order depends on the language": ("mondrian", {"ward": None, "a": None}),
        "names that need quotes": ("optimal", {
            'no. of "stay" [1]': {"mask": "right"}, "select-all": {"mask": "right"},
        }),
        "groups": ("optimal", {"a": {"groups": {"of": 20, "round": 10}}}),
        "keys of more than 31 bits": ("optimal", {
            name: {"intervals": [50, 500]} for name in "abcd"
        }),
    }  # fmt: skip
    for name, (method, hierarchies) in about.items():
        columns: dict[str, Any] = dict.fromkeys(
            ("admitted", "ward", 'no. of "stay" [1]', "select-all", *"abcd"), "insensitive"
        )
        for column, kind in hierarchies.items():
            keyed = {"hierarchy": kind} if kind else {}
            columns[column] = {"role": "quasi-identifier", **keyed}
        keys = {
            "source": {"table": "clinic.stays"}, "columns": columns, "method": method,
            "privacy": [{"model": "k-anonymity", "k": 2}],
        }  # fmt: skip
        without = {"suppression": None} if method == "mondrian" else {}
        yield Case("data", name, {**keys, **without})


CASES = (*_methods(), *_models(), *_measures(), *_others(), *_persons(), *_published(), *_data())


class FixedSecrets:
    """Stands for the module `secrets`, so that two runs draw the same key of pseudonyms."""

    @staticmethod
    def token_hex(count: int) -> str:
        """The key."""
        return SEED[: 2 * count]


class Place(Protocol):
    """A database with the tables of the clinic."""

    def engine(self, search: str) -> dict[str, Any]:
        """The key `engine` of plans that run there."""

    @property
    def session(self) -> Any:
        """What is given as connection; None if the plan says it all."""

    def published(self) -> Rows:
        """The rows of the publication, in their order."""

    def clear(self) -> None:
        """Drop the publication of an earlier case."""

    def keep(self, name: str, sql: str) -> None:
        """Make a table of the rows of a query, or replace it."""


@dataclass(frozen=True)
class _PostgreSQL:
    server: Any
    session: None = None

    def engine(self, search: str) -> dict[str, Any]:
        return {"name": "postgres", "search": search}

    def published(self) -> Rows:
        found: Rows = self.server.ask("select * from clinic.published")
        return found

    def clear(self) -> None:
        self.server.connection.execute("drop table if exists clinic.published")
        self.server.connection.execute("drop table if exists clinic.published_values")

    def keep(self, name: str, sql: str) -> None:
        self.server.connection.execute(f"drop table if exists {name}")
        self.server.connection.execute(f"create table {name} as {sql}")


@dataclass(frozen=True)
class _Spark:
    session: Any

    def engine(self, search: str) -> dict[str, Any]:
        return {"name": "spark"}  # which has one

    def published(self) -> Rows:
        found = self.session.sql("select * from clinic.published").collect()
        return _sorted([tuple(row) for row in found])  # its folders of files have no order

    def clear(self) -> None:
        self.session.sql("drop table if exists clinic.published")
        self.session.sql("drop table if exists clinic.published_values")

    def keep(self, name: str, sql: str) -> None:
        self.session.sql(sql).createOrReplaceTempView(name)


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
    if name == "postgres":
        with postgres() as server, pytest.MonkeyPatch.context() as patch:
            server.connection.prepare_threshold = None  # the publication changes its columns
            server.connection.execute("create schema clinic")
            for table, (types, cells) in rows.items():
                server.make(f"clinic.{table}", types, cells)
            info = server.connection.info
            for key, value in (("PGHOST", info.host), ("PGUSER", "tests"),
                               ("PGDATABASE", "postgres")):  # fmt: skip
                patch.setenv(key, value)
            yield _PostgreSQL(server)
        return
    with spark() as other:
        session = other.session
        session.sql("create database if not exists clinic")
        for table, (types, cells) in rows.items():
            frame = session.createDataFrame(cells, list(types))
            frame.write.mode("overwrite").saveAsTable(f"clinic.{table}", format="parquet")
        yield _Spark(session)


def clinic() -> duckdb.DuckDBPyConnection:
    """DuckDB with the tables."""
    connection = duckdb.connect()
    connection.execute("create schema clinic")
    read = f"read_csv('{CLINIC}/patients.csv', all_varchar = true)"
    connection.execute(
        f"create table clinic.patients as select * from {read} order by patient_id limit {ROWS}"
    )
    read = f"read_csv('{CLINIC}/residents.csv', all_varchar = true)"
    # every patient is a resident, and so are some others
    connection.execute(
        "create table clinic.residents as select sex, born, zip, marital_status from"
        f" clinic.patients union all (select sex, born, zip, marital_status from {read} order by"
        f" all limit {ROWS})"
    )
    connection.execute(STAYS.format(rows=ROWS))
    connection.execute(VISITS.format(rows=ROWS, persons=ROWS // 3))
    return connection


def _as_keys(column: Any) -> dict[str, Any]:
    return {"role": column} if isinstance(column, str) else column


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
            "born": {
                "role": "quasi-identifier", "hierarchy": {"date": ["month", "year", "decade"]},
            },
            "zip": {"role": "quasi-identifier", "hierarchy": {"mask": "right"}},
            "marital_status": {
                "role": "quasi-identifier", "hierarchy": "adult/marital-status.csv",
            },
            "diagnosis": "sensitive",
            "cost": "insensitive",
        },
        "privacy": [{"model": "k-anonymity", "k": 3},
                    {"model": "l-diversity", "l": 2, "attribute": "diagnosis"}],
        "suppression": {"limit": 0.2},
    }  # fmt: skip
    keys = dict(case.keys)
    if "source" in keys:
        plan["columns"] = {}
    for name, column in keys.pop("columns", {}).items():
        own = plan["columns"].get(name, {})
        is_changed = isinstance(column, dict) and "role" not in column
        plan["columns"][name] = {**_as_keys(own), **column} if is_changed else column
    plan |= {key: value for key, value in keys.items() if value is not None}
    for key in [key for key, value in keys.items() if value is None]:
        del plan[key]
    asking = str((plan["privacy"], plan.get("method"), case.command))
    uses_population = re.search("map|presence|journalist|marketer|mpalm|membership", asking)
    if not uses_population or "slicing" in asking:
        del plan["population"]
    for promise in plan["privacy"]:
        if promise["model"] in ABOUT_VALUES:
            promise.setdefault("attribute", "diagnosis")
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
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SQLANON_PERMUTATION_SEED", SEED)
        patch.setattr("sqlanon.source.secrets.secrets", FixedSecrets)
        return _outcome(case, where, place, connection, folder)


def _outcome(
    case: Case, where: str, place: Place, connection: duckdb.DuckDBPyConnection, folder: Path
) -> str:
    search = where.rpartition(" ")[2]
    plan = plan_of(case)
    here = Options(connection=connection, target=folder / f"{case.title} here", overwrite=True)

    def rows() -> Rows:
        found = connection.execute("from clinic.published").fetchall()
        return _sorted(found) if where.startswith("spark") else found

    mine = _done(case, plan, here, rows)
    place.clear()
    elsewhere = {**plan, "engine": place.engine(search)}
    there = Options(session=place.session, target=folder / f"{case.title} {where}", overwrite=True)
    try:
        others = _done(case, elsewhere, there, place.published)
    except PlanError as error:
        return error.what
    shown = difference(mine, others)
    assert not shown, f"{case.title}, {where}: {shown}"
    return "same"


def _sorted(rows: Rows) -> Rows:
    return sorted(rows, key=repr)


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
