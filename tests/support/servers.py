"""Databases for tests that end with them: PostgreSQL on a Unix socket, and Spark on this machine.

Each is made by `opened`, which skips the test with a message where the database is not installed.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import logging
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from sqlanon.dialects.dialect import DIALECTS
from sqlanon.sql.step import Rows

TYPES = {
    "postgres": {"VARCHAR": "text", "DOUBLE": "double precision", "INTEGER": "bigint"},
    "spark": {"VARCHAR": "string", "INTEGER": "bigint"},
}
"""The types of columns, where they are not called as in DuckDB."""


def missing_packages() -> list[str]:
    """The packages of a Debian system that tests would be skipped without."""
    programs = {"default-jre-headless": "java", "chromium": "chromium",
                "chromium-driver": "chromedriver"}  # fmt: skip
    missing = [package for package, program in programs.items() if shutil.which(program) is None]
    return [*(["postgresql"] if binaries() is None else []), *missing]


# --- PostgreSQL


class Postgres:
    """A connection to a cluster."""

    def __init__(self, connection: Any) -> None:
        self.connection = connection
        connection.execute("set enable_nestloop = off")  # as sessions of the engine have it

    def execute(self, sql: str) -> None:
        """Execute a statement."""
        self.connection.execute(sql)

    def make(self, name: str, types: dict[str, str], rows: Sequence[Sequence[Any]]) -> None:
        """A table of these columns, by DuckDB's names of types."""
        own = TYPES["postgres"]
        columns = ", ".join(
            f"{DIALECTS['postgres'].identifier(n)} {own.get(kind, kind)}"
            for n, kind in types.items()
        )
        self.connection.execute(f"drop table if exists {name}")
        self.connection.execute(f"create table {name} ({columns})")
        with self.connection.cursor().copy(f"copy {name} from stdin") as copy:
            for row in rows:
                copy.write_row(row)

    def load(self, name: str, columns: Sequence[str], file: Path) -> None:
        """A table of texts, from a CSV file with a header and without missing values."""
        self.make(name, dict.fromkeys(columns, "VARCHAR"), [])
        statement = f"copy {name} from stdin (format csv, header true, null 'none')"
        with self.connection.cursor().copy(statement) as copy:
            copy.write(file.read_bytes())

    def keep(self, name: str, sql: str) -> Rows:
        """A table of the rows of a query, and these rows."""
        self.connection.execute(f"create table {name} as {sql}".encode())
        return self.ask(sql)

    def set_secret(self, variable: str, secret: str) -> None:
        """Give the session a secret, by the name of its variable in DuckDB."""
        self.connection.execute(f"set {variable.replace('_', '.', 1)} = '{secret}'")

    def ask(self, sql: str) -> Rows:
        """The rows of a query."""
        found: Rows = self.connection.execute(sql.encode()).fetchall()
        return found


def binaries() -> Path | None:
    """The folder of PostgreSQL's programs, the newest if there are several."""
    found = Path("/usr/lib/postgresql").glob("*/bin/initdb")
    newest = max(found, key=lambda program: int(program.parts[-3]), default=None)
    program = shutil.which("initdb") or newest
    return Path(program).parent if program else None


@contextmanager
def postgres() -> Iterator[Postgres]:
    """A cluster that only this process's user can reach. Its own order of text is not that of
    code points, as it is in most clusters, and it does not refuse to be run for root."""
    folder = binaries()
    if folder is None or importlib.util.find_spec("psycopg") is None:
        pytest.skip("PostgreSQL or psycopg is not installed; .ci/run installs both")
    psycopg = importlib.import_module("psycopg")
    place = Path(tempfile.mkdtemp(prefix="sqlanon-postgres-"))
    account: dict[str, Any] = {}
    if os.geteuid() == 0:  # whom PostgreSQL refuses
        nobody = pwd.getpwnam("nobody")
        account = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
        os.chown(place, nobody.pw_uid, nobody.pw_gid)

    def run(program: str, *arguments: str) -> None:
        environment = {"PATH": os.defpath, "LC_ALL": "C.UTF-8"}
        subprocess.run([folder / program, *arguments], **account, cwd=place, env=environment,
                       stdout=subprocess.DEVNULL, check=True, timeout=60)  # fmt: skip

    data = str(place / "data")
    try:
        run("initdb", "-D", data, "-U", "tests", "-A", "trust", "-E", "UTF8", "--no-sync",
            "--locale-provider=icu", "--icu-locale=en-US")  # fmt: skip
        options = f"-c listen_addresses='' -c fsync=off -c jit=off -c lc_messages=C -k {place}"
        run("pg_ctl", "-D", data, "-w", "-l", f"{place}/log", "-o", options, "start")
        try:
            to = f"host={place} user=tests dbname=postgres"
            with psycopg.connect(to, autocommit=True) as connection:
                yield Postgres(connection)
        finally:
            run("pg_ctl", "-D", data, "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(place, ignore_errors=True)


# --- Spark


class Spark:
    """A session of Spark, used like a connection to PostgreSQL."""

    def __init__(self, session: Any) -> None:
        self.session = session

    def execute(self, sql: str) -> None:
        self.session.sql(sql)

    def make(self, name: str, types: dict[str, str], rows: Sequence[Sequence[Any]]) -> None:
        dialect = DIALECTS["spark"]
        own = [TYPES["spark"].get(kind, kind) for kind in types.values()]
        cells = [f"cast(c{n} as {kind}) as {dialect.identifier(column)}"
                 for n, (column, kind) in enumerate(zip(types, own, strict=True))]  # fmt: skip
        names = ", ".join(f"c{n}" for n in range(len(own)))
        values = ", ".join(f"({', '.join(map(self._cell, row))})" for row in rows)
        self.session.sql(
            f"create or replace temporary view {name} as "
            f"select {', '.join(cells)} from values {values} as made ({names})"
        )

    @staticmethod
    def _cell(value: Any) -> str:
        if value is None:
            return "null"
        return DIALECTS["spark"].literal(value) if isinstance(value, str) else f"'{value}'"

    def load(self, name: str, columns: Sequence[str], file: Path) -> None:
        schema = ", ".join(f"{DIALECTS['spark'].identifier(column)} string" for column in columns)
        reader = self.session.read.schema(schema).option("header", True)
        reader.csv(str(file)).createOrReplaceTempView(name)

    def keep(self, name: str, sql: str) -> Rows:
        frame = self.session.sql(sql)
        rows = frame.collect()
        self.session.createDataFrame(rows, frame.schema).createOrReplaceTempView(name)
        return [tuple(row) for row in rows]

    def set_secret(self, variable: str, secret: str) -> None:
        self.session.sql(f"declare or replace variable {variable} string default '{secret}'")

    def ask(self, sql: str) -> Rows:
        return [tuple(row) for row in self.session.sql(sql).collect()]


Database = Postgres | Spark
"""A database that a test makes tables in and asks questions."""


@contextmanager
def opened(dialect: str) -> Iterator[Database]:
    """A database of its own."""
    with postgres() if dialect == "postgres" else spark() as found:
        yield found


def skip_without_spark() -> None:
    """Skip the test where Spark cannot run."""
    if importlib.util.find_spec("pyspark") is None or shutil.which("java") is None:
        pytest.skip("Spark or Java is not installed; .ci/run installs both")


@contextmanager
def spark() -> Iterator[Spark]:
    """A session that listens on this machine alone."""
    skip_without_spark()
    sql = importlib.import_module("pyspark.sql")
    for name in ("py4j", "SQLQueryContextLogger"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    place = tempfile.mkdtemp(prefix="sqlanon-spark-")
    interrupted = signal.getsignal(signal.SIGINT)  # Spark has one of its own
    settings = {
        "driver.host": "127.0.0.1",
        "driver.bindAddress": "127.0.0.1",
        "ui.enabled": "false",
        "ui.showConsoleProgress": "false",
        "driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "sql.shuffle.partitions": "1",
        "sql.adaptive.enabled": "false",
        "sql.codegen.wholeStage": "false",  # to compile takes longer than the queries do
        "sql.codegen.factoryMode": "NO_CODEGEN",
        "sql.warehouse.dir": f"{place}/warehouse",
        "local.dir": place,
        "sql.session.timeZone": "America/Sao_Paulo",  # where some days have no midnight
    }
    builder = sql.SparkSession.builder.master("local[2]").appName("sqlanon")
    for name, value in settings.items():
        builder = builder.config(f"spark.{name}", value)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        session = builder.getOrCreate()
    try:
        session.sparkContext.setLogLevel("OFF")
        yield Spark(session)
    finally:
        session.stop()
        signal.signal(signal.SIGINT, interrupted)
        shutil.rmtree(place, ignore_errors=True)


def end_java() -> None:
    """End the program of Java in which sessions of Spark ran, if there is one."""
    skip_without_spark()
    context = importlib.import_module("pyspark").SparkContext
    if context._gateway is not None:
        context._gateway.shutdown()
        context._gateway.proc.stdin.close()
        context._gateway.proc.wait(30)
        context._gateway = context._jvm = None


class Cluster(NamedTuple):
    """The address of a master of Spark, and workers that lead the groups of their executors."""

    master: str
    workers: list[subprocess.Popen[bytes]]

    def kill(self, number: int) -> None:
        """Kill a worker and its executors."""
        os.killpg(self.workers[number].pid, signal.SIGKILL)


@contextmanager
def cluster() -> Iterator[Cluster]:
    """A standalone cluster of two workers on this machine alone."""
    skip_without_spark()
    home = Path(str(importlib.import_module("pyspark").__file__)).parent
    place = tempfile.mkdtemp(prefix="sqlanon-cluster-")
    environment = {**os.environ, "SPARK_HOME": str(home), "SPARK_LOCAL_IP": "127.0.0.1",
                   "SPARK_LOCAL_DIRS": place, "SPARK_DAEMON_MEMORY": "256m"}  # fmt: skip
    started: list[subprocess.Popen[bytes]] = []

    def start(name: str, *arguments: str) -> None:
        ports = ("--host", "127.0.0.1", "--webui-port", str(free_port()))
        command = [f"{home}/bin/spark-class", f"org.apache.spark.deploy.{name}", *ports, *arguments]
        quiet: Any = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
        started.append(subprocess.Popen(command, env=environment, process_group=0, **quiet))

    port = free_port()
    address = f"spark://127.0.0.1:{port}"
    try:
        start("master.Master", "--port", str(port))
        answers(port)
        for number in ("1", "2"):
            work = f"{place}/{number}"
            start("worker.Worker", "--cores", "1", "--memory", "1g", "--work-dir", work, address)
        yield Cluster(address, started[1:])
    finally:
        for process in started:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        shutil.rmtree(place, ignore_errors=True)


def free_port() -> int:
    """A port that nobody listens at."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])


def answers(port: int) -> None:
    """Wait until somebody listens at a port."""
    for _ in range(600):
        with contextlib.suppress(OSError):
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        time.sleep(0.1)
    pytest.fail("the master of Spark does not start")
