"""Checks a plan, its hierarchies and its source; reports all faults at once, and warns."""

from __future__ import annotations

from functools import partial
from typing import Unpack

from sqlanon.commands.options import Inputs, Options, PlanLike, command, merged_options
from sqlanon.commands.session import Session
from sqlanon.discovery.standards import required_of_source
from sqlanon.engines.base import Engine, drive
from sqlanon.errors import EngineError, PlanError, caught, united
from sqlanon.hierarchies.base import Hierarchy
from sqlanon.plan.file import examine_plan
from sqlanon.plan.plan import Plan
from sqlanon.source.hierarchies import hierarchy_error, nesting_problems
from sqlanon.source.tables import source_steps


@command
def check(plan: PlanLike, options: Options | None = None, **inputs: Unpack[Inputs]) -> Plan:
    """Check the plan, its hierarchies and the columns of its source, and look for warnings.

    The first 50,000 rows are read, and some columns are counted over all rows; no value is kept or
    shown. Warnings that the plan does not acknowledge are logged.

    Returns:
        the plan, with the types of the columns, and with `warnings`.

    Raises:
        PlanError: `faults` has everything that is wrong, each with its place and how to fix it.
    """
    merged = merged_options(options, **inputs)
    examined = examine_plan(plan, merged.overrides)
    faults = list(examined.faults)
    session = Session(examined.plan, merged)
    checked = examined.plan
    if examined.may_read:
        try:
            with session.engine(publishes=False) as engine:
                faults += caught(partial(session.bind, engine))
                faults += _faults_of_hierarchies(session, engine)
                if not faults:
                    source, *others = source_steps(session.plan)
                    engine.execute(source)
                    checked = session.warned(engine)
                    if checked.standard is not None:
                        engine.execute(next(s for s in others if s.name == "source_rows"))
                        faults += caught(lambda: drive(engine, required_of_source(session.plan)))
        except PlanError as error:  # the source cannot be opened
            faults += [*error.faults, *_faults_of_hierarchies(session, None)]
        except EngineError:  # a query of a hierarchy fails
            if not faults:
                raise
    if faults:
        raise united(faults)
    return checked


def _faults_of_hierarchies(session: Session, engine: Engine | None) -> list[PlanError]:
    """The faults of every hierarchy; without an engine, only those that its files show."""
    known: dict[str, Hierarchy] = {}
    faults: list[PlanError] = []
    for name in session.plan.hierarchies:
        try:
            hierarchy = session.hierarchies(copy=False, only=name)[name]
        except PlanError as error:
            faults += error.faults
        else:
            if hierarchy.level_count is not None:
                known[name] = hierarchy
    if engine is not None:
        problems = drive(engine, nesting_problems(session.plan, known))
        if problems:
            faults += hierarchy_error(session.plan, problems).faults
    return faults
