"""What a plan may decide about another database, and what a run does at its end there."""

from __future__ import annotations

import json
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sqlanon import Options, Plan, load_plan
from sqlanon.commands.inputs import check_inputs
from sqlanon.engines.runner import Runner
from sqlanon.errors import PlanError

SPARK = {"name": "spark", "master": "local[2]"}
QUERY = {"query": "select age from clinic.people"}


def plan(folder: Path, engine: Any = "postgres", source: Any = QUERY, **keys: Any) -> Plan:
    file = folder / "plan.yml"
    privacy = [{"model": "k-anonymity", "k": 2}]
    columns = {"age": {"role": "quasi-identifier", "hierarchy": {"mask": "right"}}}
    shown = {"engine": engine, "source": source, "columns": columns, "privacy": privacy, **keys}
    file.write_text(json.dumps(shown))  # which is YAML, too
    return load_plan(file)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *(("settings", {setting: value}) for setting, value in (
            ("spark.driver.extraJavaOptions", "-javaagent:/tmp/a.jar"),
            ("spark.jars", "/tmp/a.jar"), ("spark.eventLog.enabled", True),
            ("spark.authenticate", False), ("spark.sql.warehouse.dir", "/tmp/shared"),
            ("spark.executor.memory\nspark.jars", "/tmp/a.jar"),
        )),
        ("master", "sc://host:15002/;token=s3cret"),
    ],
)  # fmt: skip
def test_a_plan_runs_no_code_in_spark_and_has_no_secret(
    tmp_path: Path, key: str, value: Any
) -> None:
    with pytest.raises(PlanError) as raised:
        plan(tmp_path, {**SPARK, key: value}, publish="out.parquet")
    assert "s3cret" not in str(raised.value)
    taken = {"spark.executor.memory": "8g", "spark.sql.shuffle.partitions": 400}
    plan(tmp_path, {**SPARK, "settings": taken}, publish="out.parquet")


def test_spark_does_not_search(tmp_path: Path) -> None:
    """The default may be stated; what it replaced is refused, with the reason."""
    plan(tmp_path, {**SPARK, "search": "driver"}, publish="out.parquet")
    with pytest.raises(PlanError, match="each question would be a job") as raised:
        plan(tmp_path, {**SPARK, "search": "engine"}, publish="out.parquet")
    assert "use PostgreSQL" in str(raised.value)


FILES = r"publish (to another folder|outside)"


@pytest.mark.parametrize(
    ("source", "place", "refused"),
    [
        *((None, {"table": name}, "is read by the plan")
          for name in ("clinic.people", "people", "Clinic.PEOPLE", "db.clinic.people")),
        (None, {"table": "open.people"}, ""),
        ("visits", "visits/open/out.parquet", FILES),
        ("all.parquet/visits", "all.parquet", FILES),
        ("visits*", "visits_1/out.parquet", FILES),
        ("visits/*.parquet", "visits/open/out.parquet", ""),
        ("visits", "visits_open.parquet", ""),
        ("visits", "target/out.parquet", FILES),
    ],
)  # fmt: skip
def test_what_is_read_is_not_published_to(
    tmp_path: Path, source: str | None, place: Any, refused: str
) -> None:
    """Else the next run would read the publication, too, or there would be nothing to read."""
    read = {"path": source, "format": "parquet"} if source else QUERY
    made = plan(tmp_path, SPARK if source else "postgres", read, publish=place)
    with pytest.raises(PlanError, match=refused) if refused else nullcontext():
        check_inputs(made, Options(), (), tmp_path / "target", publishes=True)


@pytest.mark.parametrize("is_late", [True, False])
def test_an_interrupt_during_the_commit(is_late: bool) -> None:
    """What is committed gets its manifest."""
    engine = object.__new__(Runner)
    published: list[Any] = []
    engine.database = SimpleNamespace(publish=published.append)

    def do(work: Any) -> None:
        if is_late:
            work()
        raise KeyboardInterrupt

    engine._worker = SimpleNamespace(do=do)  # type: ignore[assignment]
    with nullcontext() if is_late else pytest.raises(KeyboardInterrupt):
        engine.publish([])
    assert bool(published) == is_late
