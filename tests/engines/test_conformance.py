"""Whole plans find in PostgreSQL and Spark what they find in DuckDB, or are refused by name."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pytest

import sqlanon
from sqlanon import Options
from sqlanon.errors import EngineError, PlanError
from sqlanon.families import release_by_place
from tests import capabilities
from tests.conftest import is_thorough
from tests.support import conforming
from tests.support.conforming import CASES, PLACES, Case, Place, outcome

STRIDE = {"postgres engine": 45, "postgres driver": 60, "spark driver": 60}
"""An ordinary run tries one in so many cases at each place; cases of a kind stand together."""


class Elsewhere(NamedTuple):
    """A database with the tables of the clinic, and DuckDB with the same."""

    engine: str
    connection: duckdb.DuckDBPyConnection
    place: Place


@pytest.fixture(scope="module", params=["postgres", "spark"])
def elsewhere(request: pytest.FixtureRequest) -> Iterator[Elsewhere]:
    """Each database is started once for all tests."""
    with conforming.clinic() as connection, conforming.opened(request.param, connection) as place:
        yield Elsewhere(request.param, connection, place)


def test_plans_find_what_they_find_in_duckdb(
    elsewhere: Elsewhere, folder: Path, request: pytest.FixtureRequest
) -> None:
    engine, connection, place = elsewhere
    shown = capabilities.read()
    wrong = {}
    for where in (each for each in PLACES if each.startswith(engine)):
        thorough = is_thorough(request.config)
        for case in CASES if thorough else CASES[PLACES.index(where) :: STRIDE[where]]:
            if shown[case.kind, case.name][where] == "not tried":
                continue
            found = outcome(case, where, place, connection, folder / f"{where} {case.title}")
            if found != shown[case.kind, case.name][where]:
                wrong[f"{where}: {case.title}"] = found
    assert not wrong


MANY = [
    Case("many rows", "of the source", {}),
    Case("many rows", "masked", {"columns": {"cost": "identifier"},
                                 "suppression": {"limit": 0.2, "rows": "mask"}}),
    Case("many rows", "with a sum and ends of a class",
         {"columns": {"cost": {"publish": "sum"}, "zip": {"publish": "set"},
                      "diagnosis": {"publish": "mode"}},
          "privacy": [{"model": "k-anonymity", "k": 3}]}),
    Case("many rows", "of combinations and passes",
         {"columns": {"cost": "identifier"}, "method": {"name": "optimal", "passes": "auto"}}),
]  # fmt: skip
"""An ordinary run tries every other one in PostgreSQL, and the rest in Spark."""


def test_many_rows_are_released_as_in_duckdb(
    elsewhere: Elsewhere,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    engine, connection, place = elsewhere
    monkeypatch.setattr(release_by_place, "_MANY_ROWS", 1)
    monkeypatch.setattr(release_by_place, "ROWS_EACH", 0)
    where = next(each for each in PLACES if each.startswith(engine))
    cases = MANY if is_thorough(request.config) else MANY[engine == "spark" :: 2]
    for case in cases:
        assert outcome(case, where, place, connection, folder / case.title) == "same"
    made = len([*folder.rglob("*_published_classes.sql")])
    assert made == 2 * len(cases) - sum("sum" in case.title for case in cases)


def test_every_case_stands_in_the_table() -> None:
    assert list(capabilities.read()) == [(case.kind, case.name) for case in CASES]


STRANGE = {
    "postgres": ("date 'infinity'", "date '0044-03-15 BC'", "timestamp '-infinity'",
                 "timestamptz '12345-01-01 00:00Z'"),
    "spark": ("make_date(-43, 3, 15)", "timestamp_ntz'+12345-01-01 00:00:00'"),
}  # fmt: skip


def test_dates_that_databases_write_in_different_ways(elsewhere: Elsewhere, folder: Path) -> None:
    """None of them is published as another date, or as a missing one; of floating-point numbers,
    whose digits databases cut in different places, no mean is."""
    place = elsewhere.place
    rows = "select 1 as one, {0} as day union all select 1, {0}"
    plan: dict[str, Any] = {
        "columns": dict.fromkeys(("one", "day"), "quasi-identifier"),
        "publish": {"table": "clinic.days"}, "source": {"table": "ordinary"},
        "population": {"table": "strange"}, "privacy": [{"model": "k-map", "k": 2}],
    }  # fmt: skip

    def refused(search: str, words: str, **keys: Any) -> str:
        options = Options(session=place.session, target=folder / search)
        with pytest.raises(PlanError, match=words) as raised:
            sqlanon.run({**plan, "engine": place.engine(search), **keys}, options)
        return raised.value.fix

    place.keep("ordinary", rows.format("date '2020-01-01'"))
    for value in STRANGE[elsewhere.engine]:
        place.keep("strange", rows.format(value))
        refused("driver", r"2 row\(s\) have a date of 'day' before")
        refused("engine", r"2 row\(s\) have a date of 'day' before", source={"table": "strange"})
    mean = {"one": "quasi-identifier", "cost": {"role": "insensitive", "publish": "mean"}}
    query = {"query": "select one, cast(one as double) as cost from ordinary"}
    alone = {"population": None, "privacy": [{"model": "k-anonymity", "k": 2}]}
    words = "'cost' cannot be made: the engine rounds"
    fix = refused("driver", words, source=query, columns=mean, **alone)
    assert "a view in which the column is a decimal" in fix


@pytest.mark.parametrize("elsewhere", ["postgres"], indirect=True)
def test_runs_at_once_in_one_database(
    elsewhere: Elsewhere, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each publishes what it publishes alone."""
    monkeypatch.setenv("SQLANON_PERMUTATION_SEED", conforming.SEED)
    titles = ("method optimal", "method stack-and-deal", "data keys of more than 31 bits")
    plans: list[Path] = []
    for case in (each for each in CASES if each.title in titles):
        plan = conforming.plan_of(case) | {"engine": elsewhere.place.engine("engine")}
        plan["publish"] = {"table": f"clinic.published_{len(plans)}"}
        plans.append(tmp_path / case.name / "plan.yml")
        plans[-1].parent.mkdir()
        plans[-1].write_text(json.dumps(plan), encoding="utf-8")  # which is YAML, too

    def published(plan: Path) -> tuple[Any, Any]:
        manifest = sqlanon.run(plan).manifest
        return manifest["solution"], manifest["published"]["rows_sha256"]

    alone = [published(plan) for plan in plans]
    with ThreadPoolExecutor(len(plans)) as pool:
        assert list(pool.map(published, plans)) == alone
    with pytest.raises(EngineError, match=r"is a table of PostgreSQL"):
        sqlanon.run(plans[0]).records()
