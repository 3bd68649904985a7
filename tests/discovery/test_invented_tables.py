"""`init` on tables as people have them: the roles that it proposes, and what `run` publishes.

`python -m tests.discovery.invented_tables` prints the verdict on every column.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from stdnum import iban, luhn
from stdnum.it import codicefiscale
from stdnum.nl import bsn
from stdnum.us import ssn

import sqlanon
from tests.discovery.draws import Draws
from tests.discovery.invented_tables import TABLES
from tests.discovery.truth import InventedTable, judged, not_published

RIGHT_SHARE = 0.9

Proposal = tuple[Path, sqlanon.InitResult]


@pytest.fixture(scope="module")
def proposal(tmp_path_factory: pytest.TempPathFactory) -> Callable[[InventedTable], Proposal]:
    """What `init` proposes for a table, and the file of the plan."""
    folder = tmp_path_factory.mktemp("invented")
    by_name = {table.name: table for table in TABLES}

    @cache
    def proposed(name: str) -> Proposal:
        file = folder / f"{name}.yml"
        return file, sqlanon.init(by_name[name].write(folder), file)

    return lambda table: proposed(table.name)


def test_nearly_all_roles_are_right(proposal: Callable[[InventedTable], Proposal]) -> None:
    columns = [(table, one) for table in TABLES for one in judged(table, proposal(table)[1].plan)]
    wrong = [
        f"{table.name}: {one.column} is {one.role} {one.hierarchy}, {one.verdict}: {one.reason}"
        for table, one in columns
        if one.verdict != "right"
    ]
    counts = Counter(one.verdict for _, one in columns)
    assert counts.total() == sum(len(table.columns) for table in TABLES) > 200
    assert counts["unsafe"] == 0, "\n".join(wrong)
    assert counts["right"] >= RIGHT_SHARE * counts.total(), "\n".join(wrong)


@pytest.mark.sampled(0.3)
@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_a_proposal_publishes_what_the_table_is_for(
    table: InventedTable, proposal: Callable[[InventedTable], Proposal]
) -> None:
    file, _ = proposal(table)
    assert not_published(table, sqlanon.run(file).published) == []


def test_tables_are_as_they_are_described() -> None:
    assert len(TABLES) == len({table.name for table in TABLES}) == 12
    assert {table.language for table in TABLES} == {
        "English", "German", "French", "Spanish", "Italian", "Dutch",
    }  # fmt: skip
    for table in TABLES:
        assert 400 <= len(table.values) <= 6_000, table.name
        assert {len(row) for row in table.values} == {len(table.columns)}, table.name
        assert list(table.rows(Draws(table.name))) == table.values, table.name
        for code in table.missing:
            assert any(code in map(str, row) for row in table.values), (table.name, code)
        for key in table.units:  # a person has several rows
            assert len(set(table.column(key))) < 0.7 * len(table.column(key)), (table.name, key)
        for name, truth in table.columns.items():
            assert not truth.needed or len(set(table.column(name))) > 1, (table.name, name)
    assert sum(bool(table.units) for table in TABLES) >= 4


def test_check_digits_are_valid() -> None:
    by_name = {table.name: table for table in TABLES}
    for name, column, is_valid in (
        ("salaris", "bsn", bsn.is_valid), ("schadeclaims", "bsn", bsn.is_valid),
        ("salaris", "iban", iban.is_valid), ("appels", "imei", luhn.is_valid),
        ("anagrafe", "codice_fiscale", codicefiscale.is_valid),
        ("medical_claims", "ssn", ssn.is_valid),
        ("medical_claims", "provider_npi", lambda npi: luhn.is_valid("80840" + npi)),
    ):  # fmt: skip
        values = by_name[name].column(column)
        assert all(is_valid(str(value)) for value in values), (name, column)
