"""Runs on Spark, in processes of its own, that are killed, or whose source changes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import pytest

import sqlanon
from tests.support import servers

pyarrow = pytest.importorskip("pyarrow", reason="the extra `spark` is not installed")
pytest.importorskip("pyspark", reason="the extra `spark` is not installed")

COUNT = 40_000
ROWS = f"""
select cast(20 + i % 50 as varchar) as age, cast(1000 + i % 7 * 10 as varchar) as zip,
    case i % 3 when 0 then 'flu' when 1 then 'cold' else 'none' end as illness
from range({COUNT}) as rows (i)
"""
PLAN = """
source: patients.parquet
engine: {name: spark, master: "MASTER", settings: {spark.executor.memory: 512m}}
columns:
  age: {role: quasi-identifier, hierarchy: {intervals: [10, 20]}}
  zip: {role: quasi-identifier, hierarchy: {mask: right}}
  illness: insensitive
privacy: [{model: k-anonymity, k: 5}]
publish: out/published.parquet
"""


def write(rows: str, file: Path) -> None:
    duckdb.connect().execute(f"copy ({rows}) to '{file}' (format parquet)")


def read(files: str) -> list[tuple[str, ...]]:
    return duckdb.connect().execute(f"from read_parquet('{files}') order by all").fetchall()


@pytest.fixture(autouse=True)
def quick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of few rows, Spark and Java take longer to compile a query than to run it."""
    java = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
    settings = "".join(
        f"spark.{name} {value}\n"
        for name, value in {
            "sql.adaptive.enabled": "false", "sql.codegen.wholeStage": "false",
            "sql.shuffle.partitions": "2", "executor.extraJavaOptions": java,
        }.items()
    )  # fmt: skip
    (tmp_path / "spark-defaults.conf").write_text(settings, encoding="utf-8")
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    for name in ("SPARK_DAEMON_JAVA_OPTS", "SPARK_SUBMIT_OPTS"):
        monkeypatch.setenv(name, java)


def folder_with(tmp_path: Path, master: str) -> Path:
    servers.skip_without_spark()
    write(ROWS, tmp_path / "patients.parquet")
    (tmp_path / "plan.yml").write_text(PLAN.replace("MASTER", master), encoding="utf-8")
    return tmp_path / "plan.yml"


def published(folder: Path) -> list[tuple[str, ...]]:
    return read(f"{folder}/out/published.parquet/*.parquet")


def by_duckdb(plan: Path, target: Path) -> list[tuple[str, ...]]:
    target.mkdir()
    keys = {"engine": "duckdb", "publish": f"{target}/published.parquet"}
    sqlanon.run(plan, sqlanon.Options(overrides=keys, target=target / "target"))
    return read(f"{target}/published.parquet")


def left(folder: Path) -> list[str]:
    """The private folders that are left."""
    return [str(file) for file in folder.rglob(".sqlanon_*")]


def test_a_worker_is_killed_in_the_middle(tmp_path: Path) -> None:
    """The run ends as any other, or fails cleanly."""
    with servers.cluster() as cluster:
        plan = folder_with(tmp_path, cluster.master)
        killed: list[str] = []

        def progress(shown: sqlanon.Progress) -> None:
            if shown.step == "release" and shown.seconds is None:
                cluster.kill(0)
                killed.append(shown.step)

        try:
            sqlanon.run(plan, sqlanon.Options(progress=progress))
        except sqlanon.EngineError:
            assert not (tmp_path / "out/published.parquet").exists()
        else:
            assert published(tmp_path) == by_duckdb(plan, tmp_path / "duckdb")
        assert killed
        assert not left(tmp_path)


def started(plan: Path) -> subprocess.Popen[bytes]:
    """A command that writes rows into its private folder."""
    command = [sys.executable, "-m", "sqlanon", "run", str(plan)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not left(plan.parent) and process.poll() is None:
        time.sleep(0.05)
    return process


def test_a_run_is_stopped_in_the_middle(tmp_path: Path) -> None:
    """It leaves nothing."""
    process = started(folder_with(tmp_path, "local[2]"))
    process.send_signal(signal.SIGINT)
    assert process.wait() == 130
    assert not left(tmp_path)


def test_a_run_is_killed_and_a_source_changes(tmp_path: Path) -> None:
    """The next run removes what a killed one leaves; a run on rows of two times publishes none."""
    plan = folder_with(tmp_path, "local[2]")
    process = started(plan)
    process.kill()
    process.wait()
    assert left(tmp_path)
    assert not (tmp_path / "out/published.parquet").exists()
    manifest = tmp_path / "target/plan/manifest.json"

    def progress(shown: sqlanon.Progress) -> None:
        if shown.step == "release" and shown.seconds is None:  # as many rows of the same classes
            write(ROWS.replace("cold", "cool"), tmp_path / "other.parquet")
            os.replace(tmp_path / "other.parquet", tmp_path / "patients.parquet")

    with servers.spark() as spark:
        options = sqlanon.Options(session=spark.session)
        found = sqlanon.run(plan, options)
        assert not left(tmp_path)
        assert sorted(found.published.fetchall()) == published(tmp_path)
        before, rows = manifest.read_bytes(), published(tmp_path)
        assert rows == by_duckdb(plan, tmp_path / "duckdb")
        with pytest.raises(sqlanon.PublishError, match="changed meanwhile"):
            sqlanon.run(plan, sqlanon.Options(session=spark.session, progress=progress))
        assert (published(tmp_path), manifest.read_bytes()) == (rows, before)
        assert not left(tmp_path)
        place = tmp_path / "out/published.parquet"
        assert all(one.satisfied for one in found.verify())
        file = next(place.glob("*.parquet"))
        write(f"select * from read_parquet('{file}') order by all", tmp_path / "other.parquet")
        os.replace(tmp_path / "other.parquet", file)
        with pytest.raises(sqlanon.PrivacyViolation, match="another digest"):
            found.verify()
