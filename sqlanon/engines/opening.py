"""Opens the database that a plan names as its engine."""

from __future__ import annotations

import importlib
import os
from typing import Any

from sqlanon.engines.base import Database
from sqlanon.errors import PlanError
from sqlanon.plan.plan import Plan

_NEEDS = {"postgres": "psycopg", "spark": "pyspark"}
"""The package that each engine needs, which the extra of the engine's name installs."""


def open_database(plan: Plan, session: Any = None) -> Database:
    """The database of a plan that runs elsewhere, opened.

    Args:
        session: the caller's SparkSession, if any.

    Raises:
        PlanError: its package is not installed, or the environment does not say where it is.
        EngineError: it cannot be reached.
    """
    engine = plan.engine
    for package in (_NEEDS[engine.name], "pyarrow"):
        try:
            importlib.import_module(package)
        except ImportError:
            raise PlanError(
                f"The engine {engine.name} needs the package {package}, which is not installed.",
                where=plan.where("engine"),
                fix=f"pip install 'sqlanon[{engine.name}]'",
            ) from None
    if engine.name == "postgres":
        url = None
        if engine.url_env is not None:
            url = os.environ.get(engine.url_env)
            if not url:
                raise PlanError(
                    f"The environment variable {engine.url_env} is not set.",
                    where=plan.where("engine", "url_env"),
                    fix="put the URL of the database into it, such as postgresql://HOST/DATABASE;"
                    " the password may stand in a file .pgpass",
                )
        module = importlib.import_module("sqlanon.engines.postgresql")
        reached: Database = module.PostgreSQL(url, service=engine.service, time_zone=plan.time_zone)
        return reached
    assert engine.name == "spark"
    module = importlib.import_module("sqlanon.engines.spark")
    made: Database = module.Spark(
        engine.master,
        engine.settings,
        session=session,
        time_zone=plan.time_zone,
        folder=plan.folder,
    )
    return made
