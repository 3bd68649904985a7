"""`init` on tables as people have them: the roles that it proposes, and what `run` publishes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

import sqlanon
from tests.discovery.invented_tables import TABLES
from tests.discovery.truth import InventedTable, judged, keys_of, not_published

Proposed = Callable[[InventedTable], tuple[Path, sqlanon.InitResult]]


@pytest.fixture(scope="module")
def proposed(tmp_path_factory: pytest.TempPathFactory) -> Proposed:
    """What `init` proposes for a table, and the file of the plan."""
    folder = tmp_path_factory.mktemp("invented")
    made: dict[str, sqlanon.InitResult] = {}

    def of(table: InventedTable) -> tuple[Path, sqlanon.InitResult]:
        file = folder / f"{table.name}.yml"
        if table.name not in made:
            made[table.name] = sqlanon.init(table.write(folder), file)
        return file, made[table.name]

    return of


def test_nearly_all_roles_are_right(proposed: Proposed) -> None:
    found = [each for table in TABLES for each in judged(table, keys_of(proposed(table)[1].plan))]
    wrong = "\n".join(text for verdict, text in found if verdict != "right")
    counts = Counter(verdict for verdict, _ in found)
    assert counts.total() == sum(len(table.columns) for table in TABLES) > 80
    assert counts["unsafe"] == 0, wrong
    assert counts["right"] >= 0.9 * counts.total(), wrong


@pytest.mark.sampled(0.3)
@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_a_proposal_publishes_what_the_table_is_for(
    table: InventedTable, proposed: Proposed
) -> None:
    assert not_published(table, sqlanon.run(proposed(table)[0]).published) == []
