"""`init` on tables as people have them: the roles that it proposes, and what `run` publishes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

import sqlanon
from tests.discovery.invented_tables import TABLES
from tests.discovery.plans import keys_of
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
    found = [each for table in TABLES for each in judged(table, keys_of(proposal(table)[1].plan))]
    wrong = "\n".join(text for verdict, text in found if verdict != "right")
    counts = Counter(verdict for verdict, _ in found)
    assert counts.total() == sum(len(table.columns) for table in TABLES) > 200
    assert counts["unsafe"] == 0, wrong
    assert counts["right"] >= RIGHT_SHARE * counts.total(), wrong


@pytest.mark.sampled(0.2)
@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_a_proposal_publishes_what_the_table_is_for(
    table: InventedTable, proposal: Callable[[InventedTable], Proposal]
) -> None:
    file, _ = proposal(table)
    assert not_published(table, sqlanon.run(file).published) == []
