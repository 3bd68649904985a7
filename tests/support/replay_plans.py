"""Plans whose steps another database replays: all methods that generalize, all privacy models,
measures and kinds of hierarchies, persons, populations, missing values, wide keys and odd names.

Sources are Parquet files with types, as a table of a database has them. They have few rows: what
differs between databases shows in a hundred rows as well, and a step costs one server some
milliseconds and another one a fifth of a second, however few rows it reads.
"""

from __future__ import annotations

import importlib.util
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

import sqlanon
from sqlanon.errors import NoSolutionError
from tests.oracles.models import KNOWN
from tests.support.translated import ADULT, COLUMNS, TYPED, adult_plan, made_files, small_plan


@dataclass(frozen=True)
class Replayed:
    """A plan, and what is done with it.

    Attributes:
        plan: with places relative to the current folder.
        then: after the run: verify, profile, measure.
        is_reported: whether the pages of its report are made.
    """

    name: str
    plan: Mapping[str, Any]
    then: tuple[str, ...] = ("verify",)
    is_reported: bool = False

    def go(self) -> None:
        """Run the plan, and do with it what is to be done; without a solution, only search."""
        drawn = importlib.util.find_spec("altair") is not None
        options = sqlanon.Options(overwrite=True, report=self.is_reported and drawn)
        try:
            sqlanon.run(self.plan, options)
        except NoSolutionError:
            return
        if "verify" in self.then:
            sqlanon.verify(self.plan["publish"], self.plan, with_source=True)
        if "profile" in self.then:
            sqlanon.profile(self.plan)
        if "measure" in self.then:
            sqlanon.measure(self.plan)


def made_sources() -> None:
    """The sources of the plans, in the current folder: `people` of `translated`, and others."""
    with duckdb.connect() as connection:
        _make(connection)


def _make(connection: duckdb.DuckDBPyConnection) -> None:
    made_files(connection)
    adult = f"read_csv('{ADULT}/adult.csv', delim = ';', types = {{'age': 'integer'}})"
    connection.execute(
        f"copy (select * from {adult} order by hash(columns(*)) limit 700)"
        " to 'adult_rows.parquet' (format parquet)"
    )
    choose = random.Random(3)
    rows = []
    for n in range(300):
        day = f"{choose.randint(2019, 2021)}-{choose.choice(['01-01', '12-31', '01-04', '06-15'])}"
        rows.append((
            n // 3, choose.choice([None, day, day]),
            choose.choice([None, f"{day} 23:59:59.25", f"{day} 00:00:00"]),
            choose.choice([None, "-0.05", "0.05", "2.445", "12.50", "89.99"]),
            choose.choice([None, 0.1, -2.5, 1e6, 7.0]), choose.choice([True, False, None]),
            choose.choice(["02139", "02138", "02446", "94105", None]),
            choose.choice(["Ωmega", "ωmega", "zoë", "Zoe", "Z", "'", '"', "", None]),
            choose.choice([None, "1", "2", "3", "4"]), choose.choice([1000, 2000, 2500, 9000]),
        ))  # fmt: skip
    connection.execute(
        'create or replace table things (id bigint, day date, moment timestamp, "select" '
        'decimal(9, 3), "a.b" double, "x-y" boolean, zip varchar, "Füße ""%"" \'s" varchar,'
        " sick varchar, pay integer)"
    )
    connection.executemany(f"insert into things values ({', '.join('?' * 10)})", rows)
    connection.execute("copy things to 'things.parquet' (format parquet)")
    connection.execute("copy (from things where id < 90) to 'some_things.parquet'")
    Path("sick.csv").write_text("1,low,*\n2,low,*\n3,high,*\n4,high,*\n")
    codes = ", ".join(
        f"substr(md5(concat({n}, '-', i % {40 + 7 * n})), 1, 6) as code_{n}" for n in range(7)
    )
    connection.execute(
        f"copy (select {codes}, i % 5 as s from range(500) as r (i)) to 'codes.parquet'"
    )


THINGS: Mapping[str, Any] = {
    "id": "insensitive",
    "day": {"role": "quasi-identifier", "hierarchy": {"date": ["week"]}},
    "moment": {"role": "quasi-identifier", "hierarchy": {"date": ["day", "month", "quarter"]}},
    "select": {"role": "quasi-identifier", "hierarchy": {"round": [2, 0, -1]}},
    "a.b": {"role": "quasi-identifier", "hierarchy": {"cut_points": [[-1, 0.5, 100], [0.5]]}},
    "x-y": {"role": "quasi-identifier"},
    "zip": {"role": "quasi-identifier", "hierarchy": {"mask": "left"}},
    'Füße "%" \'s': "insensitive",
    "sick": "sensitive",
    "pay": "insensitive",
}


def things_plan(**keys: Any) -> dict[str, Any]:
    """A plan over `things.parquet`, unless keys say otherwise."""
    return {
        "source": "things.parquet",
        "columns": THINGS,
        "privacy": [{"model": "k-anonymity", "k": 4}],
        "suppression": {"limit": 0.3},
        "publish": "open.parquet",
        **keys,
    }


ORDERED: Mapping[str, Any] = {
    **dict.fromkeys(THINGS, "insensitive"),
    "day": {"role": "quasi-identifier", "type": "date"},
    "moment": {"role": "quasi-identifier", "type": "date"},
    "select": {"role": "quasi-identifier", "type": "numeric"},
    "a.b": {"role": "quasi-identifier", "type": "numeric", "weight": 2},
    'Füße "%" \'s': {"role": "quasi-identifier", "type": "ordinal"},
    "zip": {"role": "quasi-identifier", "hierarchy": {"mask": "right"}},
    "sick": "sensitive",
}
"""For methods that cut."""

OBJECTIVES: tuple[Any, ...] = (
    "discernibility", {"name": "discernibility", "suppressed_rows": "ignored"},
    "average-class-size", {"name": "average-class-size", "suppressed_rows": "one-class"},
    *({"name": "loss", "aggregate": each} for each in
      ("mean", "geometric-mean", "max", "sum", "rank")),
    {"name": "loss", "variant": "iyengar", "leaves": "data"},
    {"name": "loss", "variant": "xiao-tao", "generalization_suppression_factor": 0.2},
    "ncp", "height", "average-generalization", "precision",
    {"name": "precision", "suppressed_rows": "ignored"},
    "entropy", {"name": "entropy", "suppressed_rows": "ignored"}, "ambiguity",
    {"name": "classification", "attribute": "sick"},
)  # fmt: skip

FULL_DOMAIN = ("optimal", "incognito", "samarati", "datafly")


def full_domain_plans() -> Iterator[Replayed]:
    """Every method with objectives, and every way to count and to suppress."""
    adult = adult_plan("occupation", source="adult_rows.parquet", suppression={"limit": 0.1})
    models = [{"model": "k-anonymity", "k": 4}, {"model": "l-diversity", "l": 2}]
    yield Replayed("adult", {**adult, "privacy": models}, ("verify", "profile"), is_reported=True)
    for n, objective in enumerate(OBJECTIVES):
        method = {"name": FULL_DOMAIN[n % 3], "objective": objective}
        then = ("verify", "measure") if n == 0 else ()
        yield Replayed(f"objective {n}", things_plan(method=method), then, is_reported=n == 1)
    yield Replayed("datafly", things_plan(method="datafly"))
    masked = {"limit": 0.4, "rows": "mask"}
    yield Replayed("masked", small_plan(suppression=masked))
    yield Replayed("masked, no missing", things_plan(suppression=masked, missing="drop-rows"))
    yield Replayed("no missing", things_plan(missing="drop-rows"), is_reported=True)
    yield Replayed("nothing suppressed", things_plan(suppression={"limit": 0}, method="samarati"))
    models = [{"model": "k-anonymity", "k": 3}, {"model": "l-diversity", "l": 2}]
    of_persons = {**things_plan()["columns"], "id": "identifier"}
    persons = {"unit": "id", "privacy": models, "columns": of_persons}
    for name in FULL_DOMAIN:
        yield Replayed(f"persons, {name}", things_plan(**persons, method=name), is_reported=True)
    taxonomy = {**COLUMNS, **TYPED, "marital-status": {
        "role": "quasi-identifier", "hierarchy": {"taxonomy": "tree.txt"}
    }}  # fmt: skip
    hashed = {**taxonomy, "name": {"role": "identifier", "action": "pseudonym"}}
    yield Replayed("taxonomy", small_plan(columns=hashed), is_reported=True)
    query = {"query": "select * from 'status.csv'"}
    asked = {**COLUMNS, **TYPED, "marital-status": {"role": "quasi-identifier", "hierarchy": query}}
    yield Replayed("query", small_plan(columns=asked, method="incognito"))
    codes = {f"code_{n}": {"role": "quasi-identifier", "hierarchy": {"mask": "right"}}
             for n in range(7)}  # fmt: skip
    wide = small_plan(source="codes.parquet", columns={**codes, "s": "sensitive"})
    wide["suppression"] = {"limit": 0.5}
    yield Replayed("two words", {**wide, "method": "datafly"})
    few = {name: codes[name] if n < 2 else "insensitive" for n, name in enumerate(codes)}
    yield Replayed("one word", {**wide, "columns": {**few, "s": "sensitive"}})


def partition_plans() -> Iterator[Replayed]:
    """Every method that cuts regions, by rounds, and every kind of labels."""
    rounds = {"execution": "rounds"}
    cut = things_plan(columns=ORDERED)
    del cut["suppression"]
    methods: list[dict[str, Any]] = [
        {"name": "mondrian", "labels": "region"},
        {"name": "mondrian", "partitioning": "relaxed", "cut": "median"},
        {"name": "mondrian", "cut": "quantiles", "names": 2, "bounds": True},
        {"name": "mondrian", "cut": "any"},
        {"name": "k-mondrian"},
        {"name": "dimension-splitting"},
        {"name": "dimension-splitting", "names": 2, "bounds": True},
    ]
    models = [{"model": "k-anonymity", "k": 5}, {"model": "l-diversity", "l": 2}]
    for n, method in enumerate(methods):
        by_rounds = {} if method["name"] == "dimension-splitting" else rounds
        plan = {**cut, "method": {**method, **by_rounds}}
        then = ("verify", "measure") if n % 3 == 0 else ("verify",)
        yield Replayed(f"cuts {n}", plan, then, is_reported=n == 0)
        yield Replayed(f"cuts {n}, with values", {**plan, "privacy": models}, ())
        if "partitioning" not in method:
            of_persons = {**plan["columns"], "id": "identifier"}
            yield Replayed(
                f"cuts {n}, of persons", {**plan, "columns": of_persons, "unit": "id"}, ()
            )
    columns = {**COLUMNS, **TYPED}
    small = small_plan(columns=columns, method={"name": "mondrian", **rounds})
    del small["suppression"]
    of_sets = {
        name: {**column, "type": column.get("type", "nominal")}
        if isinstance(column, dict) and column.get("role") == "quasi-identifier"
        else column
        for name, column in columns.items()
    }
    yield Replayed("cuts with hierarchies", small, ("verify", "measure"))
    tight = {"name": "mondrian", "labels": "tight", "names": 2, **rounds}
    with_sets = {**small, "columns": of_sets, "method": tight, "missing": "drop-rows"}
    yield Replayed("cuts with sets", with_sets)
    relaxed = {"name": "mondrian", "partitioning": "relaxed", **rounds}
    yield Replayed("relaxed cuts", {**small, "method": relaxed}, is_reported=True)


def population_plans() -> Iterator[Replayed]:
    """Models about a population, and cuts that count it."""
    models = [{"model": "k-map", "k": 6}]
    plan = things_plan(source="some_things.parquet", population="things.parquet", privacy=models)
    presence = [{"model": "delta-presence", "dmin": 0, "dmax": 0.95}]
    for name in FULL_DOMAIN:
        yield Replayed(f"population, {name}", {**plan, "method": name}, ("verify", "profile"))
    yield Replayed("presence", {**plan, "privacy": presence}, is_reported=True)
    del plan["suppression"]
    cut = {**plan, "columns": ORDERED, "privacy": presence}
    for name in ("mpalm", "mondrian", "dimension-splitting"):
        by_rounds = {} if name == "dimension-splitting" else {"execution": "rounds"}
        yield Replayed(f"population, {name}", {**cut, "method": {"name": name, **by_rounds}})


def model_plans() -> Iterator[Replayed]:
    """Every model, in a search over nodes and in one of cuts."""
    choose = random.Random(11)
    about = {"attribute": "sick"}
    for n, known in enumerate(KNOWN.values()):
        for m, (title, drawn) in enumerate(known.titled(known.module.RUNS).items()):
            parameters = drawn(choose)
            model = {"model": known.name, **(about if known.about_values else {}), **parameters}
            plan = things_plan(privacy=[model], suppression={"limit": 0.9},
                               method=FULL_DOMAIN[(n + m) % 4])  # fmt: skip
            if known.counts_population:
                plan |= {"source": "some_things.parquet", "population": "things.parquet"}
            if title.endswith("hierarchical"):
                tree = {"role": "sensitive", "hierarchy": "sick.csv"}
                plan |= {"columns": {**THINGS, "sick": tree}}
            if known.name == "k-e-anonymity":
                columns = {**THINGS, "pay": "sensitive", "sick": "insensitive"}
                plan |= {"columns": columns, "privacy": [{**model, "attribute": "pay"}]}
            yield Replayed(f"model {title}", plan, ("verify", "profile") if m == 0 else ("verify",))
            if m == 0 and known.may_be_joint:
                both = {**THINGS, "pay": "sensitive"}
                joint = [{**plan["privacy"][0], "mode": "joint"}]
                yield Replayed(f"model {title}, joint", {**plan, "columns": both, "privacy": joint})
