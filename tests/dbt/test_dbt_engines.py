"""The dbt package on PostgreSQL and Spark; tests are skipped where they are not installed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.dbt.test_dbt_package import arguments_of, check_agrees, name_of, random_tables
from tests.support.dbt_macros import macros
from tests.support.servers import opened

COLUMNS = {"q": "VARCHAR", "s": "VARCHAR"}
ROWS = [("a", "1"), ("a", "2"), ("b", "1")]


@pytest.mark.parametrize("database", ["postgres", "spark"])
def test_a_guard_guards(database: str) -> None:
    guard: str = macros(database).guard_k_anonymity("people", quasi_identifiers=["q"], k=2)
    with opened(database) as other:
        other.make("people", COLUMNS, ROWS)
        for mode in ("true", "false"):  # in which a text that is cast to an integer is null
            if database == "spark":
                other.ask(f"set spark.sql.ansi.enabled = {mode}")
            with pytest.raises(Exception, match="k_anonymity does not hold; nothing is published"):
                other.ask(guard)
        other.make("people", COLUMNS, ROWS[:2])
        assert other.ask(guard) == [(0,)]


def test_proofs_agree_with_verify_in_postgres(folder: Path) -> None:
    with opened("postgres") as other, duckdb.connect() as connection:
        promises = random_tables(connection, 4)
        for name in ("table", "population", "hierarchy"):
            table = connection.sql(f'from "{name}"')
            other.make(f'"{name}"', dict.fromkeys(table.columns, "VARCHAR"), table.fetchall())
        for promise, expected in promises:
            proof = getattr(macros("postgres"), f"proof_of_{name_of(promise)}")
            check_agrees(other.ask(proof('"table"', **arguments_of(promise))), promise, expected)


NUMBERS: dict[str, float | None] = {
    "1": 1.0, " -2.5 ": -2.5, ".5e-3": 0.0005, "5.": 5.0, "+7E+2": 700.0, "1e0250": 1e250,
    "9" * 40: 1e40, "\t3\n": 3.0,
    "8e999": None, "8e-999": None, "1e260": None, "9" * 400: None, "0." + "0" * 400 + "1": None,
    "1e99999999999": None, "\u00a05": None, "\u0665": None, "e5": None, "": None, ".": None,
    "nan": None, "inf": None, "0x1": None, "1_000": None, "1\n\n2": None,
}  # fmt: skip
"""Texts as numbers; those that are none, or whose cast would be an error that quotes them."""


def test_no_text_stops_postgres() -> None:
    with opened("postgres") as other:
        other.make("texts", {"s": "VARCHAR"}, [(each,) for each in NUMBERS])
        read = macros("postgres").as_number("s")
        found: dict[str, Any] = dict(other.ask(f"select s, {read} from texts"))
    assert found == NUMBERS
