"""Sweeps over values of a plan's keys, and comparisons of methods; nothing is published.

All runs whose plans read the same files share one engine: the source is read for the first, and
what the others ask again is answered from what is there. The order of runs does not matter for what
they find, as each is what `solve` and `measure` say of its plan alone.
"""

from __future__ import annotations

import time
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any, Unpack

from sqlanon.boundary.text import checked_text, is_regular
from sqlanon.commands.options import Inputs, Options, PlanLike, command, merged_options
from sqlanon.commands.session import Session, execute_rest
from sqlanon.comparison.result import Comparison
from sqlanon.comparison.runs import Axes, ComparedRun, axes_of, with_front
from sqlanon.comparison.settings import Setting, over_of, swept, with_methods
from sqlanon.engines.base import Progress, drive
from sqlanon.engines.remembering import RememberingEngine
from sqlanon.errors import NoSolutionError, PlanError, SqlanonError, brief, united
from sqlanon.pages.comparison import comparison_page
from sqlanon.pages.figures import require_charts
from sqlanon.plan.file import load_plan
from sqlanon.plan.plan import Plan
from sqlanon.plan.yaml_file import pairs
from sqlanon.publication.place import is_same, publications
from sqlanon.source.files import readable_paths
from sqlanon.source.reading import attached_databases
from sqlanon.source.settings import result_settings
from sqlanon.system.files import write_whole


@command
def sweep(
    plan: PlanLike,
    over: Mapping[str, Sequence[Any]] | Sequence[str],
    options: Options | None = None,
    *,
    measure: str | None = None,
    risk: str = "highest",
    output: str | Path | None = None,
    page: str | Path | None = None,
    **inputs: Unpack[Inputs],
) -> Comparison:
    """What a plan would publish with each of these values; nothing is published.

    Args:
        over: values by key of the plan, one key or two, as in {"privacy.k": [2, 5, 10]}, or
            as texts such as "privacy.k=2,5,10"; of two keys, every combination is tried.
        measure: the utility measure to compare by; by default the plan's objective, or the loss.
        risk: the risk to compare by, highest or average.
        output: a .csv or .parquet file that the runs are also written to, one row each.
        page: an .html file for a page with charts, which needs the extra `report`.
        connection, source, overrides: short for the `Options` of these names.

    Raises:
        PlanError: there is no such key, a value is not valid, or the source does not fit the plan.
        EngineError: as its name says.
    """
    options = merged_options(options, **inputs)
    overrides = pairs(options.overrides)
    base = load_plan(plan, overrides)
    axes = axes_of(base, measure, risk)
    _check_files(base, options, output, page)
    over, runs = over_of(over), []
    for setting in swept(base, over):
        try:
            runs.append(_Run(setting, load_plan(plan, [*overrides, *setting.overrides])))
        except PlanError as error:
            raise _about_option(error, "--over") from None
    comparison = Comparison(base.name, tuple(over), axes, _compared(runs, options, axes))
    return _written(comparison, output, page)


@command
def compare(
    plan: PlanLike,
    methods: str | Sequence[str | Mapping[str, Any]],
    options: Options | None = None,
    *,
    measure: str | None = None,
    risk: str = "highest",
    output: str | Path | None = None,
    page: str | Path | None = None,
    **inputs: Unpack[Inputs],
) -> Comparison:
    """What a plan would publish by each of these methods; nothing is published.

    Args:
        methods: names, or mappings as under `method:` of a plan, or a text with commas between
            them. The plan's own method keeps its parameters if it is only named; others that
            minimize a measure get its objective.
        measure: the utility measure to compare by; by default the plan's objective, or the loss.
        risk: the risk to compare by, highest or average.
        output: a .csv or .parquet file that the runs are also written to, one row each.
        page: an .html file for a page with charts, which needs the extra `report`.
        connection, source, overrides: short for the `Options` of these names.

    Raises:
        PlanError: there is no such method, or the source does not fit the plan. A method that does
            not fit the plan is a gap of the result.
        EngineError: as its name says.
    """
    options = merged_options(options, **inputs)
    overrides = pairs(options.overrides)
    base = load_plan(plan, overrides)
    axes = axes_of(base, measure, risk)
    _check_files(base, options, output, page)
    try:
        settings = with_methods(base, methods)
    except PlanError as error:
        raise _about_option(error, "--methods") from None
    runs = []
    for setting in settings:
        try:
            runs.append(_Run(setting, load_plan(plan, [*overrides, *setting.overrides])))
        except PlanError as error:
            runs.append(_Run(setting, None, error))
    comparison = Comparison(base.name, ("method",), axes, _compared(runs, options, axes))
    return _written(comparison, output, page)


@dataclass(frozen=True)
class _Run:
    """A run to be tried.

    Attributes:
        plan: with what the run sets; None if its method does not fit the plan.
        error: why it does not.
    """

    setting: Setting
    plan: Plan | None
    error: PlanError | None = None

    @property
    def files(self) -> Hashable:
        """What an engine is opened for: runs that agree in it share one."""
        plan = self.plan
        if plan is None:
            return None
        settings = (*attached_databases(plan).items(), *result_settings(plan).items())
        return settings, tuple(readable_paths(plan, plan.folder, ())), plan.reads_pseudonym_key

    def gap(self, error: SqlanonError, seconds: float = 0.0) -> ComparedRun:
        """The run without a result."""
        faults = error.faults if isinstance(error, PlanError) else (error,)
        return ComparedRun(
            self.setting.parameters,
            self.setting.method if self.plan is None else self.plan.method.name,
            "no-solution" if isinstance(error, NoSolutionError) else "refused",
            reason=" ".join(fault.what for fault in faults),
            seconds=round(seconds, 3),
        )


def _about_option(error: PlanError, option: str) -> PlanError:
    """The error, with the option that the user gave instead of the one that it stands for."""
    return united(
        [
            type(fault)(
                fault.what,
                where=fault.where.replace("--set", option, 1),
                fix=fault.fix.replace("--set", option),
            )
            for fault in error.faults
        ]
    )


def _check_files(
    plan: Plan, options: Options, output: str | Path | None, page: str | Path | None
) -> None:
    """Check that the files can be written, and replace nothing that the plan reads or publishes."""
    files = [("--output", output, (".csv", ".parquet")), ("--page", page, (".html",))]
    published = [plan.folder / (place.database or place.path or "") for place in publications(plan)]
    for option, file, endings in files:
        if file is None:
            continue
        path = Path(checked_text(str(file), option))
        if path.suffix.lower() not in endings:
            raise PlanError(
                f"'{brief(path.name)}' is of no kind that can be written.",
                where=option,
                fix=f"end the name in {' or '.join(endings)}",
            )
        if not path.parent.is_dir() or (path.exists() and not is_regular(path)):
            raise PlanError(
                f"'{brief(path.name)}' cannot be written there.",
                where=option,
                fix="give a file in a folder that exists",
            )
        session = Session(plan, options)
        if any(is_same(path, other) for other in (*session.inputs(), *published)):
            raise PlanError(
                f"The plan reads or publishes '{brief(path.name)}'; it would be replaced.",
                where=option,
                fix="give another name",
            )
    if page is not None:
        require_charts()


def _written(
    comparison: Comparison, output: str | Path | None, page: str | Path | None
) -> Comparison:
    """The result, after it was written to files."""
    if output is not None:
        comparison.write(output)
    if page is not None:
        write_whole(Path(page), comparison_page(comparison))
    return comparison


def _compared(runs: Sequence[_Run], options: Options, axes: Axes) -> tuple[ComparedRun, ...]:
    """The results of all runs."""
    compared: list[ComparedRun] = []
    refused: list[PlanError] = []
    for files, group in groupby(runs, key=lambda run: run.files):
        together = list(group)
        if files is None:
            compared += [run.gap(run.error) for run in together if run.error is not None]
        else:
            compared += _sharing(together, options, (len(compared), len(runs)), refused)
    if refused and len(refused) == len(runs):
        raise refused[0]
    return with_front(compared, axes)


def _sharing(
    runs: Sequence[_Run], options: Options, place: tuple[int, int], refused: list[PlanError]
) -> Iterator[ComparedRun]:
    """The results of runs that share an engine."""
    number, total = place

    def show(progress: Progress) -> None:
        if options.progress is not None:
            options.progress(replace(progress, run=f"run {number} of {total}"))

    plans = [run.plan for run in runs if run.plan is not None]
    opening = next((plan for plan in plans if plan.is_seeded), plans[0])
    opened = Session(opening, replace(options, progress=show))
    with opened.embedded(publishes=False) as shared:
        engine = RememberingEngine(shared)
        for run, plan in zip(runs, plans, strict=True):
            number += 1
            engine.begin()
            start = time.perf_counter()
            session = opened.of(plan)
            session.bind(engine)
            try:
                result = _solved(session, engine)
            except (NoSolutionError, PlanError) as error:
                yield run.gap(error, time.perf_counter() - start)
                if isinstance(error, PlanError):
                    refused.append(error)
            else:
                seconds = round(time.perf_counter() - start, 3)
                yield replace(result, parameters=run.setting.parameters, seconds=seconds)


def _solved(session: Session, engine: RememberingEngine) -> ComparedRun:
    """Prepare, search and measure; no row is released."""
    prepared = session.prepared(engine, copy=False)
    solution = drive(engine, prepared.search())
    if prepared.needs_classes:
        execute_rest(engine, prepared.release.steps(solution, _NOWHERE), published=False)
        execute_rest(engine, prepared.release.measured_steps())
    sizes = drive(engine, prepared.class_sizes(solution))
    cost = solution.recorded_cost
    return ComparedRun(
        {},
        session.plan.method.name,
        "found",
        label=solution.label,
        levels=solution.published_levels or None,
        classes=drive(engine, prepared.class_count(solution)),
        published_rows=solution.published_rows,
        suppressed_rows=solution.suppressed_rows,
        smallest_class=sizes.smallest,
        highest_risk=1 / sizes.smallest,
        average_risk=sizes.class_count / sizes.total,
        cost=None if cost is None else tuple(cost),
        utility=drive(engine, prepared.standard_measures(solution)),
    )


_NOWHERE = "nowhere"
"""The file that a release would be written to."""
