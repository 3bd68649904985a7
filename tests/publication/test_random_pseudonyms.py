"""Pseudonyms whose key a run draws and keeps nowhere: they only distinguish persons."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pytest

import sqlanon
from sqlanon.errors import PlanError

RANDOM = {"role": "identifier", "action": "pseudonym", "key": "random"}
PLAN: dict[str, Any] = {
    "source": "visits.csv",
    "columns": {"patient": RANDOM, "age": "quasi-identifier", "illness": "sensitive"},
    "unit": {"column": "patient", "histories": "linked"},
    "privacy": [{"model": "k-anonymity", "k": 3}],
    "publish": "visits.parquet",
}


@pytest.fixture(autouse=True)
def own_source(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SQLANON_PSEUDONYM_KEY", raising=False)
    rows = [f"p{i % 20},{30 + i % 20 // 5},{'flu' if i % 3 else 'cold'}" for i in range(60)]
    Path("visits.csv").write_text("patient,age,illness\n" + "\n".join(rows) + "\n")


def taken() -> list[tuple[str, ...]]:
    return duckdb.connect().execute("select * from 'visits.parquet'").fetchall()


def test_every_run_has_others_and_the_same_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """And none has those of the key of the environment."""
    monkeypatch.setenv("SQLANON_PSEUDONYM_KEY", "0123456789abcdef" * 4)
    result = sqlanon.run(PLAN)
    one = taken()
    assert result.manifest["privacy"][0]["measured"] == 5  # of 20 persons 5 have each age
    sqlanon.verify("visits.parquet", PLAN)
    sqlanon.run(PLAN)
    other = taken()
    keyed = with_columns(patient={**RANDOM, "key": None})
    sqlanon.run({**keyed, "unit": None}, sqlanon.Options(overwrite=True))
    names = [{row[0] for row in rows} for rows in (one, other, taken())]
    assert sum(map(len, names)) == len(set[str]().union(*names)) == 60
    first, second = (
        sorted(
            sorted(rest for name, *rest in rows if name == person)
            for person in {row[0] for row in rows}
        )
        for rows in (one, other)
    )
    assert first == second
    assert len(first) == 20


def test_the_key_is_nowhere(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = "0123456789abcdef" * 4
    monkeypatch.setattr("sqlanon.source.secrets.secrets.token_hex", lambda count: drawn)
    sqlanon.run(PLAN)
    for file in folder.rglob("*"):
        assert not file.is_file() or drawn.encode() not in file.read_bytes()
    program, _ = sqlanon.compile(PLAN)
    preamble = " ".join(program.preamble.replace("--", "").split())
    assert "a random text of 32 characters or more that is kept nowhere" in preamble


def with_columns(**columns: Any) -> dict[str, Any]:
    return {**PLAN, "columns": {**PLAN["columns"], **columns}}


def test_one_key_a_plan() -> None:
    keyed = {"role": "identifier", "action": "pseudonym"}
    with pytest.raises(PlanError, match="have one key"):
        sqlanon.load_plan(with_columns(other=keyed))
    with pytest.raises(PlanError, match="only a pseudonym has a key"):
        sqlanon.load_plan(with_columns(other={**RANDOM, "action": "drop"}))
    plans = [with_columns(patient=column) for column in (keyed, {**keyed, "key": None}, RANDOM)]
    assert len({sqlanon.load_plan({**plan, "unit": None}).sha256 for plan in plans}) == 2
