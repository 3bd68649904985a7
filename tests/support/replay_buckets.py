"""Plans with buckets, and attacks, whose steps another database replays.

The small table is that of the golden files of templates, published as Parquet, whose columns have
types as those of a table of a database have. Others have columns of every type.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

import sqlanon
from tests.support import golden_runs
from tests.support.replay_plans import ORDERED, Replayed, things_plan

EVERYBODY = {"population": "everybody.csv"}
KNOWN = {"background": "background.csv", "earlier": "coarser/coarser.parquet"}
RECURSIVE = ("mondrian", "bucketization", "slicing", "combined")


@dataclass(frozen=True)
class Attacked(Replayed):
    """A plan, what is done with it, and what its publication is attacked with.

    Attributes:
        attacks: for each time it is attacked, the other tables that are given.
        before: another plan that is published first.
    """

    attacks: tuple[Mapping[str, Any], ...] = ()
    before: Mapping[str, Any] | None = None

    def go(self) -> None:
        """Run the plan, do with it what is to be done, and attack it."""
        if self.before is not None:
            sqlanon.run(self.before, sqlanon.Options(overwrite=True))
        super().go()
        place = str(self.plan["publish"])
        if "verify" in self.then:
            sqlanon.verify(place, self.plan)
        if "background" in {key for given in self.attacks for key in given}:
            _make_background(place)
        for given in self.attacks:
            sqlanon.attack(place, self.plan, **given)


def _make_background(place: str) -> None:
    """Weights of every disease for everybody in a class of the small table."""
    with duckdb.connect() as connection:
        query = f"select distinct age, zip from '{place}' order by all"
        classes = connection.execute(query).fetchall()
    rows = [(*one, disease, n % 3) for one in classes
            for n, disease in enumerate(golden_runs.DISEASES)]  # fmt: skip
    golden_runs.write(Path("background.csv"), [("age", "zip", "disease", "weight"), *rows])


def bucket_plans() -> Iterator[Replayed]:
    """Every method with buckets, attacked with and without a population;
    and cuts, which are attacked with all that an outsider may have."""
    golden_runs.tables(Path())
    plans: dict[str, dict[str, Any]] = {}
    for name, path in golden_runs.plans_of(Path()).items():
        plan = json.loads(path.read_text(encoding="utf-8"))
        plan["publish"] = f"{name}/{name}.parquet"
        if plan["method"]["name"] in RECURSIVE:
            plan["method"]["execution"] = "rounds"
        plans[name] = plan
    coarser = plans.pop("coarser")
    regions = plans.pop("regions")
    for n, (name, plan) in enumerate(plans.items()):
        then = ("verify", *(("profile", "measure") if n % 2 else ()))
        yield Attacked(f"buckets, {name}", plan, then, attacks=(EVERYBODY, {}))
    yield Attacked(
        "attacked cuts", regions, (), attacks=({**EVERYBODY, **KNOWN}, {}), before=coarser
    )
    columns = {**ORDERED, "pay": "sensitive"}
    frequent = {"model": "l-diversity", "kind": "frequency", "l": 2}
    both = [{**frequent, "attribute": name} for name in ("sick", "pay")]
    sliced = {"name": "slicing", "column_count": 3, "sensitive": "grouped", "execution": "rounds"}
    for method, privacy in (
        (sliced, both[:1]),
        ({"name": "bucketization", "partitioning": "relaxed", "execution": "rounds"}, both[:1]),
        ({"name": "stack-and-deal", "within": {"zip": 3}}, [{"model": "k-anonymity", "k": 3}]),
    ):
        own = columns if method is sliced else ORDERED
        plan = things_plan(columns=own, method=method, privacy=privacy)
        del plan["suppression"]
        plan["publish"] = "things/open.parquet"
        name = f"buckets of things, {method['name']}"
        yield Attacked(name, plan, ("verify",), attacks=({},))
