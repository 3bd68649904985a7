"""Sweeps over values of a plan's keys, and comparisons of methods; nothing is published.

All runs whose plans read the same files share one engine: the source is read for the first, and
what the others ask again is answered from what is there. The order of runs does not matter for what
they find, as each is what `solve` and `measure` say of its plan alone.
"""

from __future__ import annotations

import itertools
import json
import math
import time
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any, Unpack

from sqlanon.boundary.files import write_whole
from sqlanon.boundary.part import Part, validated
from sqlanon.boundary.text import Places, checked_text, is_regular
from sqlanon.commands.options import Inputs, Options, PlanLike, command, merged_options
from sqlanon.commands.session import Session, execute_rest
from sqlanon.engines.base import Progress, drive
from sqlanon.engines.remembering import RememberingEngine
from sqlanon.errors import (
    NoSolutionError,
    PlanError,
    SqlanonError,
    brief,
    did_you_mean,
    united,
)
from sqlanon.methods import METHODS, AnyMethod
from sqlanon.pages.compared import Axes, ComparedRun, Comparison, axes_of, with_front
from sqlanon.pages.comparison import comparison_page
from sqlanon.plan.file import load_plan
from sqlanon.plan.plan import Plan
from sqlanon.plan.yaml_file import pairs, yaml_value
from sqlanon.publication.place import is_same, publications
from sqlanon.registry import default_of
from sqlanon.source.files import readable_paths
from sqlanon.source.reading import attached_databases
from sqlanon.source.settings import result_settings


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
    opening = next((plan for plan in plans if plan.method.is_seeded), plans[0])
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
        execute_rest(engine, prepared.release_steps(solution, _NOWHERE), published=False)
        execute_rest(engine, prepared.measured_steps())
    sizes = drive(engine, prepared.class_sizes(solution))
    cost = solution.recorded_cost
    return ComparedRun(
        {},
        session.plan.method.name,
        "found",
        label=solution.label,
        levels=solution.published_levels or None,
        words=prepared.words(solution),
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


MOST_RUNS = 1_000
"""Runs of a sweep."""

MOST_KEYS = 2
"""Keys of a sweep."""

_OPENING, _CLOSING = "[{", "]}"


@dataclass(frozen=True)
class Setting:
    """What one run sets.

    Attributes:
        parameters: the keys and values that results show.
        overrides: what is set in the plan, with whole keys.
        method: the name of the method, if that is what it sets.
    """

    parameters: Mapping[str, Any]
    overrides: tuple[tuple[str, Any], ...]
    method: str = ""


def listed(text: str, where: str) -> list[Any]:
    """The values of a list such as `2,5,10`; each is a value of YAML.

    A comma within brackets or quotes separates nothing.
    """
    parts, depth, quote = [""], 0, ""
    for character in checked_text(text, where):
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        elif character in _OPENING + _CLOSING:
            depth += 1 if character in _OPENING else -1
        elif character == "," and depth == 0:
            parts.append("")
            continue
        parts[-1] += character
    if not all(part.strip() for part in parts):
        raise PlanError(
            "A value is missing.",
            where=where,
            fix="write the values with commas between them, such as 2,5,10",
        )
    return [yaml_value(part.strip(), where) for part in parts]


def over_of(over: Mapping[str, Sequence[Any]] | Sequence[str]) -> Mapping[str, Sequence[Any]]:
    """Values by key, also of texts such as `privacy.k=2,5,10`."""
    if isinstance(over, Mapping):
        return over
    texts = [over] if isinstance(over, str) else over
    found: dict[str, list[Any]] = {}
    for text in texts:
        key, equals, values = checked_text(text, "--over").partition("=")
        key = key.strip()
        if not equals or not key:
            raise PlanError(
                f"'{brief(text)}' does not say what to try.",
                where="--over",
                fix="write KEY=VALUE,VALUE…, such as privacy.k=2,5,10",
            )
        if key in found:
            raise PlanError(
                f"'{brief(key)}' is given twice.", where="--over", fix="give all values at once"
            )
        found[key] = listed(values, f"--over {brief(key)}")
    return found


def swept(plan: Plan, over: Mapping[str, Sequence[Any]]) -> list[Setting]:
    """Every combination of the values, the last key changing first."""
    if not 1 <= len(over) <= MOST_KEYS:
        raise PlanError(
            f"A sweep is over one key or two, not {len(over)}.",
            where="--over",
            fix="give one --over, or two for every combination of their values",
        )
    for key, values in over.items():
        if isinstance(values, str) or not isinstance(values, Sequence) or not values:
            raise PlanError(
                f"'{brief(key)}' has no list of values.",
                where="--over",
                fix='give a list, as in over={"privacy.k": [2, 5, 10]}',
            )
    runs = math.prod(len(values) for values in over.values())
    if runs > MOST_RUNS:
        raise PlanError(
            f"These are {runs:,} runs; a sweep has {MOST_RUNS:,} at most.",
            where="--over",
            fix="give fewer values",
        )
    whole = {key: _whole_key(plan, key) for key in over}
    return [
        Setting(
            dict(zip(over, values, strict=True)),
            tuple((whole[key], value) for key, value in zip(over, values, strict=True)),
        )
        for values in itertools.product(*over.values())
    ]


def _whole_key(plan: Plan, key: str) -> str:
    """The key with the position of its promise, if it names a promise's parameter only."""
    first, dot, rest = checked_text(key, "--over").partition(".")
    if first != "privacy" or not dot or rest.partition(".")[0].isdecimal():
        return key
    parameter = rest.partition(".")[0]
    having = [n for n, model in enumerate(plan.privacy) if parameter in type(model).model_fields]
    if len(having) == 1:
        return f"privacy.{having[0]}.{rest}"
    if having:
        keys = ", ".join(f"privacy.{n}.{rest} ({plan.privacy[n].model})" for n in having)
        raise PlanError(
            f"{len(having)} promises have '{brief(parameter)}'.",
            where="--over",
            fix=f"name one of them: {keys}",
        )
    known = {name for model in plan.privacy for name in type(model).model_fields} - {"model"}
    raise PlanError(
        f"No promise of the plan has '{brief(parameter)}'.",
        where="--over",
        fix=did_you_mean(parameter, known),
    )


class _OneMethod(Part):
    """A method on its own."""

    method: AnyMethod


def with_methods(plan: Plan, methods: str | Sequence[Any]) -> list[Setting]:
    """The plan with each of these methods."""
    if isinstance(methods, str):
        methods = listed(methods, "--methods")
    if not isinstance(methods, Sequence) or not methods:
        raise PlanError(
            "There is no method to compare.",
            where="--methods",
            fix="give names, as in --methods optimal,datafly,mondrian",
        )
    if len(methods) > MOST_RUNS:
        raise PlanError(f"These are {len(methods):,} methods.", where="--methods", fix="give fewer")
    return list(_method_settings(plan, methods))


def _method_settings(plan: Plan, methods: Sequence[Any]) -> Iterator[Setting]:
    objectives = {default_of(cls, "name") for cls in METHODS if "objective" in cls.model_fields}
    for method in methods:
        places = Places(overridden=frozenset({("method",)}))
        found = validated(_OneMethod, {"method": method}, places).method
        name = found.name
        if method == plan.method.name:
            yield Setting({"method": name}, (), name)
            continue
        content = {"name": method} if isinstance(method, str) else dict(method)
        is_bare = list(content) == ["name"]
        if is_bare and name in objectives and "objective" in plan.method.model_fields_set:
            content["objective"] = plan.objective.model_dump(mode="json")
        words = name if is_bare else f"{name} {_in_words(content)}"
        overrides: list[tuple[str, Any]] = [("method", content)]
        path = plan.publish.path
        is_bare_file = bool(path) and Path(path or "").parent == Path()
        if found.separates_sensitive and is_bare_file and plan.publish.database is None:
            overrides.append(("publish.path", f"{name}/{path}"))  # two files, in a folder
        yield Setting({"method": words}, tuple(overrides), name)


def _in_words(content: Mapping[str, Any]) -> str:
    """The parameters of a method in words."""
    return ", ".join(
        f"{key} {value if isinstance(value, str) else json.dumps(value, default=str)}"
        for key, value in content.items()
        if key != "name"
    )
