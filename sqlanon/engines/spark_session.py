"""Sessions of Spark: of its own or the caller's, with the settings that results depend on.

A session of its own listens on this machine alone if its master is local, asks every connection for
a secret, logs nothing (Spark's messages quote cells), and keeps what does not fit into memory in a
folder that no other user can look into. A session of the caller gets back its settings.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
import signal
import socket
import tempfile
import threading
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from pyspark import SparkContext
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from sqlanon.boundary.locks import private_folder
from sqlanon.errors import EngineError, PlanError
from sqlanon.source.settings import SPARK_SETTINGS

_LEGACY = ("spark.sql.legacy.", "spark.sql.parser.escapedStringLiterals")
"""Settings that bring back what earlier releases did; none of them is set while plans run."""

_PATIENCE = 5.0
"""Seconds until a master has to answer."""


@contextmanager
def opened(
    master: str | None, settings: Mapping[str, str], session: SparkSession | None
) -> Iterator[SparkSession]:
    """The caller's session, which stays open, or one of its own, which ends afterwards.

    Args:
        master: such as `local[2]`, `spark://host:7077` or `sc://host:15002` (Spark Connect); None
            for the session of this process, or what Spark is configured with.
        settings: of a session of its own, by Spark's names.
    """
    with _silent(), contextlib.ExitStack() as undo:
        if session is not None:
            undo.enter_context(_alone(session))
            yield session
        elif (running := SparkSession.getActiveSession()) is not None:
            yield _beside(running, master)
        else:
            refuse_silent_master(master)
            folder = private_folder(Path(tempfile.gettempdir()), "sqlanon_")
            own = _own_settings(master, undo.enter_context(folder))
            made = _started(master, {**own, **settings})
            undo.callback(_stop, made)
            yield made


@contextmanager
def _silent() -> Iterator[None]:
    """Keep the loggers of Spark's Python quiet: they write every error with the cells it quotes."""
    loggers = [logging.getLogger(name) for name in ("py4j", "SQLQueryContextLogger")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


_IN_USE: set[int] = set()
"""The sessions of callers in which something runs, by `id`."""
_LOOKING = threading.Lock()


@contextmanager
def _alone(session: SparkSession) -> Iterator[None]:
    """Keep other threads out of a session: they would give it back settings that a run needs."""
    with _LOOKING:
        if id(session) in _IN_USE:
            raise EngineError(
                "Another run uses this session of Spark.",
                where="engine",
                fix="give each run a session of its own (`spark.newSession()`), or wait",
            )
        _IN_USE.add(id(session))
    try:
        yield
    finally:
        _IN_USE.discard(id(session))


def _beside(running: SparkSession, master: str | None) -> SparkSession:
    """A session in the context that this process has; there can be only one."""
    found = running.sparkContext.master
    if master is not None and master != found:
        raise EngineError(
            "This process already runs Spark with another master.",
            where="engine.master",
            fix="leave out `master`, or stop the running session first",
        )
    return running.newSession()


def refuse_silent_master(master: str | None) -> None:
    """Spark itself would try for minutes to reach a master that is not there."""
    found = re.match(r"(?:spark|sc)://([^/;]+)", master or "")
    if found is None:
        return
    for address in found[1].split(","):
        host, _, port = address.rpartition(":")
        number = int(port) if host and port.isdigit() else 15002
        with contextlib.suppress(OSError):
            socket.create_connection((host or address, number), _PATIENCE).close()
            return
    raise EngineError(
        "The master of Spark cannot be reached.",
        where="engine.master",
        fix="check its host and port, and that it runs",
    )


def _own_settings(master: str | None, folder: Path) -> dict[str, str]:
    """The settings of a session of its own, before the caller's."""
    logging_off = folder / "log4j2.properties"
    logging_off.write_text(_LOGGING_OFF, encoding="utf-8")
    found = {
        "spark.app.name": "sqlanon",
        "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile={logging_off}",
        "spark.executor.syncLogLevel.enabled": "true",
        "spark.local.dir": str(folder),
        "spark.log.level": "OFF",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    if re.match(r"local\b|(spark|sc)://(127\.0\.0\.1|localhost)\b", master or ""):
        found |= {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    if _is_local(master):
        cores = re.match(r"local\[(\d+)", master or "")
        found |= {
            "spark.authenticate": "true",
            "spark.driver.memory": "4g",
            # One partition a core, as there is nothing to balance
            "spark.sql.adaptive.enabled": "false",
            "spark.sql.shuffle.partitions": cores[1] if cores else str(os.cpu_count() or 1),
        }
    return found


_LOGGING_OFF = """\
appender.none.type = Null
appender.none.name = none
rootLogger.level = off
rootLogger.appenderRef.none.ref = none
"""


def _is_local(master: str | None) -> bool:
    """Whether all work is done in one process on this machine."""
    return bool(re.match(r"local(\[|\Z)", master or ""))


def shares_files(session: SparkSession) -> bool:
    """Whether Spark works in this process's own program of Java, and so sees its files."""
    is_remote = "connect" in type(session).__module__
    return not is_remote and _is_local(session.conf.get("spark.master", None))


def _started(master: str | None, settings: Mapping[str, str]) -> SparkSession:
    """Start a session; the process keeps what it does at Ctrl-C, which Spark would replace."""
    builder = SparkSession.builder
    if master is not None and master.startswith("sc://"):
        builder = builder.remote(master)
        settings = {}  # those of a server are its own
    elif master is not None:
        builder = builder.master(master)
    for name, value in settings.items():
        builder = builder.config(name, value)
    is_main = threading.current_thread() is threading.main_thread()
    interrupted = signal.getsignal(signal.SIGINT)
    earlier = os.environ.get("SPARK_LOCAL_IP")
    if "spark.driver.host" in settings:
        os.environ["SPARK_LOCAL_IP"] = settings["spark.driver.host"]
    try:
        with warnings.catch_warnings():
            # Spark looks for pandas when it starts; sqlanon uses none of what this is about
            warnings.filterwarnings(
                "ignore", r"PySpark does not yet fully support pandas", FutureWarning
            )
            return builder.getOrCreate()
    except (PySparkException, OSError, ImportError):
        raise EngineError(
            "Spark does not start.",
            where="engine",
            fix="check that Java 17 or later is installed (`java -version`), and the settings"
            " under `engine`",
        ) from None
    finally:
        if is_main:
            signal.signal(signal.SIGINT, interrupted)
        if earlier is None:
            os.environ.pop("SPARK_LOCAL_IP", None)
        else:
            os.environ["SPARK_LOCAL_IP"] = earlier


def _stop(session: SparkSession) -> None:
    """End a session of its own, and the program of Java that ran it, with all that it remembers."""
    with contextlib.suppress(Exception):  # it may have ended by itself
        session.stop()
    gateway = SparkContext._gateway
    if gateway is not None:
        with contextlib.suppress(Exception):
            gateway.shutdown()
            gateway.proc.stdin.close()
            gateway.proc.wait(_PATIENCE)
        SparkContext._gateway = SparkContext._jvm = None


def result_settings(session: SparkSession, time_zone: str) -> dict[str, str | None]:
    """The settings that results depend on; None for one that must not be set."""
    wanted: dict[str, str | None] = {"spark.sql.session.timeZone": time_zone}
    wanted |= dict.fromkeys(name for name in session.conf.getAll if name.startswith(_LEGACY))
    return wanted | {n: v for n, v in SPARK_SETTINGS.items() if not n.startswith(_LEGACY)}


@contextmanager
def with_settings(session: SparkSession, settings: Mapping[str, str | None]) -> Iterator[None]:
    """Give a session other settings, and its own ones back afterwards; None unsets one."""
    before = dict(session.conf.getAll)

    def give(name: str, value: str | None) -> None:
        if value is None:
            session.conf.unset(name)
        else:
            session.conf.set(name, value)

    def give_back(name: str) -> None:
        with contextlib.suppress(Exception):  # a session that has ended has none to give back
            give(name, before.get(name))

    with contextlib.ExitStack() as undo:
        for name, value in settings.items():
            if session.conf.get(name, None) == value:
                continue
            try:
                give(name, value)
            except Exception:
                if name != "spark.sql.session.timeZone":
                    raise
                raise PlanError(
                    f"There is no time zone '{value}'.",
                    where="time_zone",
                    fix="name one of the IANA database, such as Europe/Vienna",
                ) from None
            undo.callback(give_back, name)
        yield
