"""Experiment 6.1 of the Copenhagen thesis on Adult: who is found in a table of its rows.

The thesis has 2,000 rows of all persons; a third of both shows the same in a third of the time.
"""

from __future__ import annotations

import csv
import random
from collections import Counter
from pathlib import Path
from typing import Any

import sqlanon
from tests.paths import TESTS
from tests.support.tables import write_csv

COLUMNS = (
    "age", "sex", "race", "marital-status", "education", "native-country", "workclass",
    "occupation", "salary-class",
)  # fmt: skip


def test_permuted_columns_lie_between_what_is_forced_and_what_is_counted(folder: Path) -> None:
    with (TESTS / "data/adult/adult.csv").open(encoding="utf-8") as file:
        people = [tuple(row[c] for c in COLUMNS) for row in csv.DictReader(file, delimiter=";")]
    people = people[::3]
    members = random.Random(1).sample(people, 2_000 // 3)
    rows = ((*row, str(n)) for n, row in enumerate(members))  # each with a secret of its own
    write_csv("table.csv", [(*COLUMNS, "secret"), *rows])
    write_csv("everybody.csv", [COLUMNS, *people])
    plan: dict[str, Any] = {
        "source": "table.csv",
        "columns": dict.fromkeys(COLUMNS, "quasi-identifier"),
        "privacy": [{"model": "k-anonymity", "k": 4}],
        "method": {"name": "slicing", "columns": "one-attribute-per-column"},
        "publish": "published.csv",
    }
    plan["columns"] |= {
        "secret": "sensitive",
        "age": {"role": "quasi-identifier", "type": "numeric"},
    }
    sqlanon.run(plan)

    def found(**limits: int) -> dict[str, Any]:
        membership = {"name": "membership", "dmax": 0.999999, **limits}
        (finding,) = sqlanon.attack(
            "published.csv", plan, population="everybody.csv", attacks=[membership]
        )
        assert finding.measured is not None, finding.reason
        return dict(finding.measured)

    forced, counted = found(states=0), found()
    inside, everybody = Counter(members), Counter(people)
    whole = sum(count for row, count in inside.items() if count == everybody[row])
    # counting decides more persons than forcing, and permutation hides more than whole rows do
    assert forced["persons_counted"] <= counted["persons_counted"]
    assert forced["persons_in"] <= counted["persons_in"] < whole
    assert counted["persons_counted"] >= 0.99 * len(people)
