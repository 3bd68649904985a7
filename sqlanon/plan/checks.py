"""The checks of a plan as a whole: keys that are valid one by one, but do not fit each other.

No input is replaced, queries only read, each promise names an attribute that it can use, and the
method fits the rest.
"""

from __future__ import annotations

import fnmatch
import math
import os.path
from collections.abc import Collection, Iterator
from functools import partial
from pathlib import Path
from typing import TypeVar

from sqlanon.errors import PlanError, brief, caught, did_you_mean
from sqlanon.hierarchies.base import CutKind
from sqlanon.hierarchies.grid import grid_of
from sqlanon.methods.base import Method
from sqlanon.plan.columns import Identifier
from sqlanon.plan.draft import BUCKET, Draft, Unit
from sqlanon.plan.tables import Source
from sqlanon.plan.warnings import KINDS
from sqlanon.privacy_models.base import PrivacyModel, SensitiveModel
from sqlanon.search.column_groups import checked_groups
from sqlanon.search.slicing import unkept_promise
from sqlanon.sql.queries import plan_query
from sqlanon.sql.tables import table_parts

_Plan = TypeVar("_Plan", bound=Draft)

_MOST_SETS = 2_000
"""Sets of quasi-identifiers that a promise counts; each is a line of SQL."""

# --- what it reads, and where it publishes


def _inputs(plan: Draft) -> dict[str, Source]:
    """The tables of persons that it reads, by their keys."""
    return {"source": plan.source} | ({"population": plan.population} if plan.population else {})


def check_source(plan: Draft) -> Iterator[PlanError]:
    """The faults of a source or population that is not given in one way, or cannot be read."""
    for key, source in _inputs(plan).items():
        yield from _check_readings(plan, key, source)
        keys = [name for name in ("path", "query", "table") if getattr(source, name) is not None]
        if len(keys) != 1:
            yield PlanError(
                f"A {key} needs one of path, query and table, not {' and '.join(keys) or 'none'}.",
                where=plan.where(key),
                fix=f"write for example `{key}: patients.csv`",
            )
        elif source.query is not None:
            yield from caught(partial(plan_query, source.query, plan.where(key)))
        elif source.database is not None:
            yield from _check_database(plan, source.path or "", key)
        elif source.path and not source.file_format:
            yield PlanError(
                f"The name of '{source.path}' does not show what kind of file it is.",
                where=plan.where(key),
                fix=f"give `{key}: {{path: …, format: csv}}` (or parquet, json); for a table of a"
                " DuckDB file write FILE.duckdb::TABLE",
            )


def _check_readings(plan: Draft, key: str, source: Source) -> Iterator[PlanError]:
    """The faults of columns whose texts are read in a way that the plan states."""
    for name in source.read:
        if name not in plan.columns:
            yield PlanError(
                f"`read` names a column '{name}', which is none of the plan's columns.",
                where=plan.where(key, "read", name),
                fix=did_you_mean(name, plan.columns),
            )
    if source.read and not plan.engine.reads_formats:
        yield PlanError(
            f"`read` is written for DuckDB, and the plan runs in {plan.engine.title}.",
            where=plan.where(key, "read"),
            fix=f"make dates and numbers of the texts in a `{key}: {{query: …}}`",
        )


def check_queries(plan: Draft) -> Iterator[PlanError]:
    """The faults of the queries of hierarchies."""
    for name, hierarchy in plan.hierarchies.items():
        if hierarchy.select:
            where = plan.where("columns", name, "hierarchy")
            yield from caught(partial(plan_query, hierarchy.select, where))


def check_publication(plan: Draft) -> Iterator[PlanError]:
    """The faults of a publication without one place, or one that replaces what the plan reads."""
    publication = plan.publish
    where = plan.where("publish")
    places = [publication]
    if (publication.path is None) == (publication.table is None):
        yield PlanError(
            "A publication needs either a path or a table.",
            where=where,
            fix="write for example `publish: patients_k5.parquet`",
        )
        return
    if publication.csv_formulas == "escape" and not publication.is_csv:
        yield PlanError(
            "Only in a CSV file does a spreadsheet take text for formulas.",
            where=plan.where("publish", "csv_formulas"),
            fix="leave out `csv_formulas`, or publish to FILE.csv",
        )
    path = publication.path
    if plan.method.separates_sensitive:  # the attribute that is apart is not known yet
        places.append(publication.of_values)
    if path is None:
        for place in places:
            for key, read in _inputs(plan).items():
                if read.table and may_be_one(read.table, place.table or ""):
                    yield PlanError(
                        f"'{place.table}' has the name of the {key}; publishing would replace it.",
                        where=where,
                        fix="publish to a table of another name",
                    )
        return
    if publication.database is not None:
        yield from _check_database(plan, path, "publish")
    elif not path.lower().endswith((".parquet", ".csv")):
        yield PlanError(
            f"'{path}' is not a file or table that can be published.",
            where=where,
            fix="end the name in .parquet or .csv, or write FILE.duckdb::TABLE",
        )
    if len(places) > 1 and publication.database is None and Path(path).parent == Path():
        yield PlanError(
            f"{plan.method.name} publishes two files in a folder that is replaced as a whole.",
            where=where,
            fix=f"give them a folder of their own, such as `publish: {Path(path).stem}/{path}`",
        )
    for place in places:
        written = place.database or place.path or ""
        for key, read in _inputs(plan).items():
            if read.path is not None and reads_file(plan.folder, read, written):
                yield PlanError(
                    f"'{written}' is the {key} itself; publishing would write into it.",
                    where=where,
                    fix="publish to another file",
                )


def may_be_one(table: str, other: str) -> bool:
    """Whether two names can mean one table: they agree in every part that both have.

    Before rows are published, the engine compares the tables themselves.
    """
    parts = (reversed(table_parts(name.lower())) for name in (table, other))
    return all(one == another for one, another in zip(*parts, strict=False))


def _check_database(plan: Draft, path: str, key: str) -> Iterator[PlanError]:
    file, _, table = path.partition("::")
    if not file or not all(table.split(".")) or table.count(".") > 1:
        yield PlanError(
            f"'{path}' does not name a table of a DuckDB file.",
            where=plan.where(key),
            fix="write FILE.duckdb::TABLE or FILE.duckdb::SCHEMA.TABLE",
        )


def reads_file(folder: Path, source: Source, file: str) -> bool:
    """Whether the path of a source names or matches a file."""
    parts, pattern = (
        Path(os.path.normpath(os.path.realpath(folder) / Path(path))).parts
        for path in (file, source.database or source.path or "")
    )
    if not source.is_pattern:
        return parts == pattern
    pattern = tuple(part.replace("[", "[[]") for part in pattern)
    if "**" in pattern:
        return fnmatch.fnmatchcase("/".join(parts), "/".join(pattern).replace("/**", "*"))
    return len(parts) == len(pattern) and all(map(fnmatch.fnmatchcase, parts, pattern))


# --- columns and promises


def with_attributes(plan: _Plan) -> tuple[_Plan, list[PlanError]]:
    """The plan whose models and method name their sensitive attributes, and the faults in that."""
    models, method = [*plan.privacy], plan.method
    faults: list[PlanError] = []
    for number, model in enumerate(plan.privacy):
        if isinstance(model, SensitiveModel):
            where = plan.where("privacy", number, "attribute")
            try:
                models[number] = _with_attribute(plan, model, where)
            except PlanError as fault:
                faults.append(fault)
    if method.deals_rows and plan.sensitive_attributes:
        where = plan.where("method", "attribute")
        try:
            deals = f"{method.name} does not say which one it deals by"
            name = _attribute(plan, method.dealt_attribute, (), deals, where)
            method = method.model_copy(update={"attribute": name})
        except PlanError as fault:
            faults.append(fault)
    return plan.model_copy(update={"privacy": tuple(models), "method": method}), faults


def _with_attribute(plan: Draft, model: SensitiveModel, where: str) -> SensitiveModel:
    protects = f"{model.model} does not say which one it protects"
    name = _attribute(plan, model.attribute, plan.quasi_identifiers, protects, where)
    if model.needs_value_levels and name not in plan.hierarchies:
        raise PlanError(
            f"{model.model} needs a hierarchy of '{name}' to measure distances of values.",
            where=where,
            fix=f"give `columns.{name}` a hierarchy, or choose another distance",
        )
    return model.model_copy(update={"attribute": name})


def _attribute(
    plan: Draft, name: str | None, others: Collection[str], silent: str, where: str
) -> str:
    """The attribute of this name, or the only sensitive one of the plan.

    Args:
        others: what else may be named.
        silent: what is wrong if none is named, of several.
    """
    sensitive = plan.sensitive_attributes
    if name is None and len(sensitive) != 1:
        raise PlanError(
            f"The plan has {len(sensitive)} sensitive attributes, and {silent}.",
            where=where,
            fix="add `attribute:` with the name of a column whose role is sensitive",
        )
    name = name or sensitive[0]
    if name not in (*sensitive, *others):
        raise PlanError(
            f"'{name}' is not a sensitive attribute of the plan.",
            where=where,
            fix=did_you_mean(name, [*sensitive, *others]),
        )
    return name


def check_columns(plan: Draft) -> Iterator[PlanError]:
    """The faults that depend on several columns."""
    if not plan.quasi_identifiers:
        yield PlanError(
            "No column is a quasi-identifier, so there is nothing to generalize.",
            where=plan.where("columns"),
            fix="give the role quasi-identifier to every column that together with others could"
            " reveal who a person is, such as age, sex and postal code",
        )
    seen: dict[str, str] = {}
    for name in plan.columns:
        if "\n" in name or "\r" in name or not name:
            yield PlanError(
                "A column name is empty or contains a line break; SQL is read line by line.",
                where=plan.where("columns", name),
                fix="rename the column in a `source: {query: …}`",
            )
        other = seen.setdefault(name.lower(), name)
        if other != name:
            yield PlanError(
                f"'{other}' and '{name}' are the same column: SQL ignores case in names.",
                where=plan.where("columns", name),
                fix="keep one of them, or rename a column in a `source: {query: …}`",
            )
    keys = {c.key: name for name, c in plan.columns.items()
            if isinstance(c, Identifier) and c.action == "pseudonym"}  # fmt: skip
    if len(keys) > 1:
        yield PlanError(
            "Pseudonyms of a plan have one key, which cannot be random and from the environment.",
            where=plan.where("columns", keys[None]),
            fix="write `key: random` for every pseudonym, or for none",
        )
    if plan.quasi_identifiers and all(
        column.weight == 0 for column in plan.quasi_identifiers.values()
    ):
        yield PlanError(
            "Every quasi-identifier has the weight 0, so losses cannot be compared.",
            where=plan.where("columns"),
            fix="give at least one quasi-identifier a weight above 0",
        )
    attribute = plan.label_attribute
    if attribute is not None and attribute not in plan.columns:
        yield PlanError(
            f"The plan has no column '{attribute}'.",
            where=plan.where("method", "objective", "attribute"),
            fix=did_you_mean(attribute, plan.columns),
        )
    elif attribute is not None and isinstance(plan.columns[attribute], Identifier):
        yield PlanError(
            f"'{attribute}' is an identifier; its values are not published, so they cannot be"
            " predicted.",
            where=plan.where("method", "objective", "attribute"),
            fix="name a column that is published as it is",
        )


def _check_generalized(plan: Draft, number: int, model: PrivacyModel) -> Iterator[PlanError]:
    """The fault of a promise about a quasi-identifier, of which each class has one published value.

    Such a promise can be counted (l = 1 holds, l = 2 does not), but it cannot be compared with the
    table, whose values differ from the published ones.
    """
    listed = getattr(model, "values", ()) or getattr(model, "harmless", ())
    if (
        model.compares_with_table
        or model.needs_numbers
        or listed
        or getattr(model, "never_excluded", ())
        or plan.label_attribute == model.sensitive_attribute
    ):
        yield PlanError(
            f"'{model.sensitive_attribute}' is a quasi-identifier: every class has one published"
            f" value of it, which {model.model} cannot compare with the values of the source.",
            where=plan.where("privacy", number),
            fix="give the column the role sensitive; with `mode: joint` the promises of other"
            " attributes then treat it as known",
        )


def check_promises(plan: Draft) -> Iterator[PlanError]:
    """The faults of models, population, unit and suppression that do not fit each other."""
    for number, model in enumerate(plan.privacy):
        if model.needs_population and plan.population is None:
            yield PlanError(
                f"{model.model} compares with a population, but the plan has none.",
                where=plan.where("privacy", number),
                fix="add `population:` with a table that contains the source's persons and others",
            )
        if model.sensitive_attribute in plan.quasi_identifiers:
            yield from _check_generalized(plan, number, model)
        if model.reads_labels(len(plan.quasi_identifiers)):
            yield from _check_lone_rows(plan, number, model)
    refused = [model.model for model in plan.privacy if model.judges_whole_table]
    refused += ["A population"] if plan.population is not None else []
    if refused and plan.suppression.rows == "mask":
        yield PlanError(
            f"{refused[0]} cannot be judged where rows are kept with '*' in every quasi-identifier:"
            " they belong to no class of their own.",
            where=plan.where("suppression", "rows"),
            fix="write `rows: drop`",
        )
    if plan.unit is not None:
        yield from _check_unit(plan, plan.unit)
    if plan.sample is not None:
        yield from _check_sample(plan)


def _check_lone_rows(plan: Draft, number: int, model: PrivacyModel) -> Iterator[PlanError]:
    """The faults of a promise that counts classes with some equal labels together."""
    count = len(plan.quasi_identifiers)
    sets = math.comb(count, model.parameters["size"])
    faults = (
        (
            bool(plan.suppression.limit),
            "a row that shared a label with a suppressed one can be alone without it",
            ("suppression", "limit"),
            "leave out `limit:`",
        ),
        (
            plan.unit is not None,
            "the persons of several classes cannot be added up",
            ("unit",),
            "leave out `unit:`",
        ),
        (
            plan.method.makes_partition,
            "it needs all rows on the levels of one node",
            ("method",),
            "choose optimal, incognito, samarati or datafly",
        ),
        (
            sets > _MOST_SETS,
            f"{count} quasi-identifiers have {sets:,} sets of this size, and it counts at most"
            f" {_MOST_SETS:,}",
            ("privacy", number, "size"),
            "write a smaller `size`",
        ),
    )
    for is_so, what, key, fix in faults:
        if is_so:
            yield PlanError(
                f"{model.model} with fewer than all quasi-identifiers cannot be promised: {what}.",
                where=plan.where(*key),
                fix=f"{fix}, or ask for {{model: k-anonymity, k: 2}}, from which it follows",
            )


def _check_sample(plan: Draft) -> Iterator[PlanError]:
    """The faults of a plan that publishes a sample."""
    faults = (
        (
            plan.order == "source",
            "Which of two equal rows is drawn has no order, so a sample cannot be published in that"
            " of the source.",
            "order",
            "leave out `order:`",
        ),
        (
            plan.missing == "drop-rows",
            "Rows without a value look like rows that are not drawn, and would not be counted.",
            "missing",
            "leave out `missing:`, or drop them in a `source: {query: …}`",
        ),
        (
            plan.has_random_pseudonyms,
            "Every run draws another key of pseudonyms and keeps none, so no two of its steps would"
            " draw the same sample.",
            "sample",
            "leave out `sample:`, or the `key: random` of pseudonyms",
        ),
    )
    for is_so, what, key, fix in faults:
        if is_so:
            yield PlanError(what, where=plan.where(key), fix=fix)


def _check_unit(plan: Draft, unit: Unit) -> Iterator[PlanError]:
    """The faults of a plan that counts persons."""
    where, key = plan.where("unit"), unit.column
    if key not in plan.columns:
        yield PlanError(
            f"The plan has no column '{key}'.",
            where=where,
            fix=did_you_mean(key, plan.columns),
        )
        return
    yield from _check_key(plan, unit)
    if plan.suppression.rows == "mask":
        yield PlanError(
            "Suppressed rows cannot be kept with '*' where persons are counted: a person can have"
            " rows in several suppressed classes, whose persons cannot be added up.",
            where=plan.where("suppression", "rows"),
            fix="write `rows: drop`",
        )
    if plan.order == "source":
        yield PlanError(
            "The order of the source can show which rows are of one person.",
            where=plan.where("order"),
            fix="leave out `order:`",
        )
    if plan.population is not None and unit.is_linked:
        yield PlanError(
            "A population has one row per person; it cannot be compared with linked histories.",
            where=plan.where("population"),
            fix="leave out `histories:`, or the population and the models that need it",
        )
    if plan.promises.against_published.models and plan.suppression.limit:
        yield PlanError(
            "A promise cannot be compared with the published rows where persons are counted and"
            " rows are suppressed.",
            where=where,
            fix="write `reference: original`, or a suppression limit of 0",
        )
    if plan.label_attribute is not None:
        yield PlanError(
            f"The objective {plan.objective.name} counts rows, but the plan counts persons.",
            where=plan.where("method", "objective"),
            fix="choose another objective, such as loss",
        )


def _check_key(plan: Draft, unit: Unit) -> Iterator[PlanError]:
    """The faults of the column that identifies persons, and of what is published in its place."""
    key, column = unit.column, plan.columns[unit.column]
    is_published = key in plan.published_columns and key not in plan.quasi_identifiers
    if unit.is_linked and not is_published:
        yield PlanError(
            f"Linked histories need a published key, and '{key}' is not published.",
            where=plan.where("columns", key),
            fix=f"write `{key}: {{role: identifier, action: pseudonym, key: random}}`",
        )
    if unit.is_linked and isinstance(column, Identifier) and column.key is None and is_published:
        yield PlanError(
            "Two publications with one key of pseudonyms can be joined by them.",
            where=plan.where("columns", key),
            fix=f"write `{key}: {{role: identifier, action: pseudonym, key: random}}`",
        )
    if unit.is_linked and (plan.method.makes_partition or plan.form.bucket):
        yield PlanError(
            f"{plan.method.name} makes each row alike to others by itself; rows that a key joins"
            " would show more of a person than each of them.",
            where=plan.where("method"),
            fix="choose optimal, incognito, samarati or datafly, or leave out `histories:`",
        )
    if unit.is_linked and plan.promises.about_whole.models and plan.suppression.limit:
        yield PlanError(
            "A promise about all classes together leaves out the smallest; which of two histories"
            " of as many persons is left out is not defined.",
            where=plan.where("suppression", "limit"),
            fix="leave out `limit:`, or a promise such as average-risk, or `histories:`",
        )
    if not unit.is_linked and not (isinstance(column, Identifier) and column.action == "drop"):
        yield PlanError(
            f"The rows of a person could be joined by '{key}', which would be published.",
            where=plan.where("columns", key),
            fix=f"write `{key}: identifier`; or, if histories are to be published,"
            f" `unit: {{column: {key}, histories: linked}}` and"
            f" `{key}: {{role: identifier, action: pseudonym, key: random}}`",
        )
    taken = {name.lower() for name in plan.columns}
    if plan.persons_column is not None and plan.persons_column.lower() in taken:
        yield PlanError(
            f"There is already a column '{plan.persons_column}', and `unit` adds another.",
            where=plan.where("unit"),
            fix=f"write `unit: {{column: {key}, count: NAME}}` with another name, or `count: none`",
        )


def check_standard(plan: Draft) -> Iterator[PlanError]:
    """The fault of a standard that tests values where texts of rows stay in their database."""
    if plan.standard is None or plan.standard.tests_values <= plan.engine.shows_texts:
        return
    yield PlanError(
        f"{plan.standard.name} tests values, and those of {plan.engine.title} are not looked at.",
        where=plan.where("standard"),
        fix="leave it out, and check the published file: `sqlanon verify FILE --standard"
        f" {plan.standard.name}`",
    )


def check_acknowledged(plan: Draft) -> Iterator[PlanError]:
    """The faults of acknowledgments that can be of no warning, and of no rule of the standard."""
    rules = [rule.name for rule in plan.standard.rules] if plan.standard else []
    names = [f"{kind}.{column}" for kind in (*KINDS, *rules) for column in plan.columns] + rules
    for number, name in enumerate(plan.acknowledge):
        if name not in names:
            yield PlanError(
                f"No warning can be called '{brief(name)}': names are KIND.COLUMN"
                + (", or RULE.COLUMN and RULE of the standard." if rules else "."),
                where=plan.where("acknowledge", number),
                fix=did_you_mean(name, names),
            )


# --- the method


def check_method(plan: Draft) -> Iterator[PlanError]:
    """The faults of a method that does not fit the rest of the plan."""
    yield from _check_cutting(plan, plan.method)
    yield from _check_labels(plan, plan.method)
    if plan.method.needs_sensitive:
        yield from _check_buckets(plan, plan.method)
    if plan.method.deals_rows:
        yield from _check_dealing(plan, plan.method)
    if plan.method.makes_passes:
        yield from _check_passes(plan)


def _check_passes(plan: Draft) -> Iterator[PlanError]:
    """Check that a class can be judged alone, whichever pass makes it, and that rows can wait."""
    one_node = "or leave out `passes`"
    for number, model in enumerate(plan.privacy):
        why, without = _against_passes(plan, model), one_node
        if plan.method.refines and (refused := _against_refining(model)):
            why, without = refused, "or leave out `refine`"
        if why:
            yield PlanError(
                f"{model.model} {why}.",
                where=plan.where("privacy", number),
                fix=f"ask for another promise, {without}",
            )
    if plan.population is not None and plan.least_placed == 1:
        yield PlanError(
            "No promise says how many persons of the population a class of a pass needs.",
            where=plan.where("population"),
            fix=f"leave out `population:`, promise k-map, {one_node}",
        )
    if plan.suppression.rows == "mask":
        yield PlanError(
            "Rows that no pass places are too few to be one class, so they cannot be masked.",
            where=plan.where("suppression", "rows"),
            fix=f"write `rows: drop`, {one_node}",
        )
    if plan.unit is not None and plan.unit.is_linked:
        yield PlanError(
            "Linked histories need one level for all rows of a person, and passes have several.",
            where=plan.where("unit"),
            fix=f"leave out `histories:`, {one_node}",
        )
    if not plan.method.minimized.weighs_rows:
        yield PlanError(
            "A row waits while its loss would be above the charge, and this objective does not"
            " add up losses of rows.",
            where=plan.where("method", "objective"),
            fix="write `objective: loss`, with a mean over attributes and no other factor,"
            f" {one_node}",
        )
    if plan.placed_from < (least := plan.least_placed):
        yield PlanError(
            f"No class of fewer than {least:,} keeps the promises, so none is to be placed.",
            where=plan.where("method", "passes", "size"),
            fix=f"write a `size` of {least:,} or more, or leave it out",
        )


def _against_passes(plan: Draft, model: PrivacyModel) -> str:
    """Why no pass can judge a class by a model; empty if one can."""
    if model.judges_whole_table:
        return "is about all classes together, and a pass makes only some of them"
    if model.reads_labels(len(plan.quasi_identifiers)):
        return "counts rows by the labels of one node, and passes have several"
    if model.presence is not None:
        return "is about everyone in the population, and passes leave some of them over"
    if model.compares_with_published:
        return "compares with the published rows, which every pass changes"
    if not model.monotone_under_generalization:
        return "may fail for two classes together that hold it, which passes make one"
    return ""


def _against_refining(model: PrivacyModel) -> str:
    """Why classes of a model cannot go down single levels; empty if they can."""
    if model.needs_population:
        return "counts a population, and no file shows which classes of it go down a level"
    if model.sensitive_attribute:
        return "reads values, and where a class does not go down a level would tell them"
    return ""


def _check_cutting(plan: Draft, method: Method) -> Iterator[PlanError]:
    """Check that a method that cuts by a population has one, and that dealt rows have no order."""
    cutting = method.cutting
    if cutting is None:
        return
    if cutting.by_population and plan.population is None:
        yield PlanError(
            f"{method.name} cuts by the rows of a population, but the plan has none.",
            where=plan.where("method"),
            fix="add `population:`, or choose the method mondrian",
        )
    if cutting.relaxed and (plan.population is not None or plan.unit is not None):
        what = "a population" if plan.population is not None else "`unit`"
        yield PlanError(
            f"Relaxed partitioning deals rows of one combination to several classes; with {what},"
            " it would be unknown which class each person belongs to.",
            where=plan.where("method", "partitioning"),
            fix="write `partitioning: strict`",
        )
    if cutting.relaxed and plan.order == "source":
        yield PlanError(
            "Relaxed partitioning deals rows in a secret order; they cannot stay in the order of"
            " the source.",
            where=plan.where("order"),
            fix="leave out `order:`, or write `partitioning: strict`",
        )
    if cutting.relaxed and cutting.cut == "any":
        yield PlanError(
            "Relaxed partitioning deals rows at a quantile, which `cut: any` does not have.",
            where=plan.where("method", "cut"),
            fix="write `cut: median` or `cut: quantiles`, or `partitioning: strict`",
        )


def _check_labels(plan: Draft, method: Method) -> Iterator[PlanError]:
    """Check grids, and that columns of bounds have unused names."""
    for name, column in plan.quasi_identifiers.items():
        if method.makes_partition and column.kind is not None:
            yield from check_grid(plan, name, column.kind)
    if not method.publishes_bounds:
        return
    taken = {name.lower() for name in plan.columns}
    for name, column in plan.quasi_identifiers.items():
        if column.kind is None:
            yield PlanError(
                f"`bounds: true` needs the type of '{name}' to know whether it has intervals.",
                where=plan.where("columns", name),
                fix="write `type: numeric`, date, ordinal, nominal or categorical",
            )
        for bound in plan.form.bounds.get(name, ()):
            if bound.lower() in taken:
                yield PlanError(
                    f"There is already a column '{bound}', and `bounds: true` would add another.",
                    where=plan.where("method", "bounds"),
                    fix="rename the column in a `source: {query: …}`, or leave out `bounds`",
                )


def check_grid(plan: Draft, name: str, kind: CutKind) -> Iterator[PlanError]:
    """Check that the grid of a column, if the plan states one, is one of values of this kind."""
    grid = plan.quasi_identifiers[name].grid
    if grid is None or kind == ("date" if grid_of(grid).period else "numeric"):
        return
    yield PlanError(
        f"'{name}' is cut as {kind}, which has no grid '{grid}'.",
        where=plan.where("columns", name, "grid"),
        fix="write a width for numbers, or a period for dates: month, quarter, year, decade or"
        " century; leave it out for other values",
    )


def _check_buckets(plan: Draft, method: Method) -> Iterator[PlanError]:
    """Check that a method that deals or permutes rows fits the rest of the plan."""
    if BUCKET in (name.lower() for name in plan.columns) and method.publishes_buckets:
        yield PlanError(
            f"There is already a column '{BUCKET}', and {method.name} adds another.",
            where=plan.where("columns", BUCKET),
            fix="rename the column in a `source: {query: …}`",
        )
    if not plan.sensitive_attributes:
        yield PlanError(
            f"{method.name} separates rows from their sensitive values, but the plan has no"
            " sensitive attribute.",
            where=plan.where("columns"),
            fix="give the role sensitive to the column that nobody should learn",
        )
    if plan.unit is not None:
        yield PlanError(
            f"{method.name} puts each row into a bucket on its own; a person with several rows"
            " would be in several buckets.",
            where=plan.where("unit"),
            fix="leave out `unit:`, or choose a method that generalizes, such as mondrian",
        )
    if plan.order == "source":
        yield PlanError(
            f"The rows that {method.name} publishes cannot stay in the order of the source, which"
            " would reveal whose they are.",
            where=plan.where("order"),
            fix="leave out `order:`",
        )
    by_population = method.cutting is not None and method.cutting.by_population
    promises_presence = method.cuts_along_hierarchies
    if plan.population is not None and not (by_population or promises_presence):
        yield PlanError(
            f"{method.name} does not use a population.",
            where=plan.where("population"),
            fix="leave it out; `sqlanon attack --population` measures who can be found in one",
        )
    for number, model in enumerate(plan.privacy):
        if model.needs_population and not (promises_presence and model.presence):
            yield PlanError(
                f"Quasi-identifiers that are published as they are reveal who is in the table, so"
                f" buckets cannot promise {model.model}.",
                where=plan.where("privacy", number),
                fix="choose a method that generalizes, such as mondrian or mpalm",
            )
        if model.sensitive_attribute in plan.quasi_identifiers and method.publishes_buckets:
            yield PlanError(
                f"{model.model} cannot protect '{model.sensitive_attribute}', which is published"
                " with its row as it is.",
                where=plan.where("privacy", number, "attribute"),
                fix="give the column the role sensitive",
            )
    if promises_presence:
        yield from _check_combined(plan)
    if plan.method.is_sliced and plan.column_groups:
        where = plan.where("method", "columns")
        faults = caught(lambda: checked_groups(plan.column_groups, plan.published_columns, where))
        yield from faults
        if faults:
            return
        unkept = unkept_promise(plan.privacy, plan.column_groups, plan.sensitive_attributes)
        if unkept is not None:
            yield PlanError(unkept[0], where=where, fix=unkept[1])


def _check_combined(plan: Draft) -> Iterator[PlanError]:
    """Check that permuting every column with generalization fits the rest of the plan."""
    if plan.promises.presence is None:
        yield PlanError(
            f"{plan.method.name} generalizes only for δ-presence, which the plan does not promise.",
            where=plan.where("privacy"),
            fix="add `{model: delta-presence, dmin: 0, dmax: 0.5}`, or choose bucketization",
        )
    for name, column in plan.quasi_identifiers.items():
        if column.type not in (None, "categorical"):
            yield PlanError(
                f"{plan.method.name} cuts '{name}' along its hierarchy, not by its type.",
                where=plan.where("columns", name, "type"),
                fix="leave out `type:`, and give the column a hierarchy",
            )


def _check_dealing(plan: Draft, method: Method) -> Iterator[PlanError]:
    """Check that a method that deals rows by their values fits the rest of the plan."""
    if plan.bucket_size < 2:
        yield PlanError(
            f"The promises decide how many rows a bucket of {method.name} needs, and these promises"
            " allow single rows.",
            where=plan.where("privacy"),
            fix="add `{model: k-anonymity, k: 5}`, or an l-diversity model",
        )
    for name, level in method.strata.items():
        keys = ("method", "within", name)
        if name not in plan.quasi_identifiers:
            yield PlanError(
                f"'{name}' is not a quasi-identifier.",
                where=plan.where(*keys),
                fix=did_you_mean(name, plan.quasi_identifiers),
            )
            continue
        count = plan.quasi_identifiers[name].hierarchy.level_count
        if level < 0 or (count is not None and level >= count):
            yield PlanError(
                f"'{name}' has no level {level}.",
                where=plan.where(*keys),
                fix=f"give a level from 0 to {count - 1}" if count else "give a level of 0 or more",
            )
    others = set(plan.sensitive_attributes) - {plan.dealt_attribute}
    if others and method.separates_sensitive:
        yield PlanError(
            f"The second table of {method.name} has one sensitive attribute, but the plan has"
            f" {len(others) + 1}.",
            where=plan.where("columns", sorted(others)[0]),
            fix="leave the others out by a `source: {query: …}`, or publish buckets another way",
        )
