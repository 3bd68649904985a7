"""What a plan may decide about another database, and what a run does at its end there."""

from __future__ import annotations

import json
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


@pytest.mark.parametrize("place", ["clinic.people", "people", "Clinic.PEOPLE", "db.clinic.people"])
def test_a_table_that_a_query_reads_is_not_replaced(tmp_path: Path, place: str) -> None:
    made = plan(tmp_path, publish={"table": place})
    with pytest.raises(PlanError, match="is read by the plan"):
        check_inputs(made, Options(), (), tmp_path / "target", publishes=True)
    other = plan(tmp_path, publish={"table": "open.people"})
    check_inputs(other, Options(), (), tmp_path / "target", publishes=True)


@pytest.mark.parametrize(
    ("source", "place", "is_refused"),
    [
        ("visits", "visits/open/out.parquet", True),
        ("all.parquet/visits", "all.parquet", True),
        ("visits*", "visits_1/out.parquet", True),
        ("visits/*.parquet", "visits/open/out.parquet", False),
        ("visits", "visits_open.parquet", False),
        ("visits", "target/out.parquet", True),
    ],
)
def test_files_are_not_published_among_those_that_are_read(
    tmp_path: Path, source: str, place: str, is_refused: bool
) -> None:
    """Else the next run would read the publication, too, or there would be nothing to read."""
    read = {"path": source, "format": "parquet"}
    made = plan(tmp_path, SPARK, read, publish=place)
    if is_refused:
        with pytest.raises(PlanError, match=r"publish (to another folder|outside)"):
            check_inputs(made, Options(), (), tmp_path / "target", publishes=True)
    else:
        check_inputs(made, Options(), (), tmp_path / "target", publishes=True)


class _Interrupted:
    """A worker whose caller is interrupted, before its work or after it."""

    def __init__(self, *, is_late: bool) -> None:
        self.is_late = is_late

    def do(self, work: Any) -> None:
        if self.is_late:
            work()
        raise KeyboardInterrupt


@pytest.mark.parametrize("is_late", [True, False])
def test_an_interrupt_during_the_commit(is_late: bool) -> None:
    """What is committed gets its manifest."""
    engine = object.__new__(Runner)
    published: list[Any] = []
    engine.database = SimpleNamespace(publish=published.append)
    engine._worker = _Interrupted(is_late=is_late)  # type: ignore[assignment]
    if is_late:
        engine.publish([])
    else:
        with pytest.raises(KeyboardInterrupt):
            engine.publish([])
    assert bool(published) == is_late
