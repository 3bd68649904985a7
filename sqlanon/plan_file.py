"""From a YAML file to a checked Plan; every fault is told with file, line, key and remedy."""

from __future__ import annotations

import fnmatch
import hashlib
import json
import os.path
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from sqlanon.boundary import guarded
from sqlanon.column_groups import checked_groups
from sqlanon.errors import PlanError, brief, did_you_mean
from sqlanon.files import write_whole
from sqlanon.hierarchy import (
    FileHierarchy,
    Hierarchy,
    HierarchyFile,
    QueryHierarchy,
    TaxonomyHierarchy,
)
from sqlanon.methods import (
    BucketMethod,
    DealingMethod,
    LabelingMethod,
    PartitionMethod,
    RegionMethod,
)
from sqlanon.partition import Cutting
from sqlanon.plan import BUCKET, Identifier, Plan, Source
from sqlanon.plan_faults import plan_error
from sqlanon.plan_queries import plan_query
from sqlanon.plan_text import (
    DEEPEST,
    Keys,
    Places,
    checked_text,
    is_regular,
    parse,
    plain_content,
    read_text,
)
from sqlanon.privacy_models import PrivacyModel
from sqlanon.privacy_models.sensitive import SensitiveModel
from sqlanon.render import shipped
from sqlanon.secret import PERMUTATION_SEED
from sqlanon.sliced import ALONE, untold_of_companions


@guarded
def load_plan(plan: str | Path | Mapping[str, Any] | Plan, overrides: Sequence[str] = ()) -> Plan:
    """The checked plan of a YAML file, a mapping with the same keys, or a plan as it is.

    Args:
        plan: path or content.
        overrides: `key=value` pairs such as `suppression.limit=0.05`, set before checking.

    Raises:
        PlanError: with file, line, key, what is wrong, and how to mend it.
    """
    if isinstance(plan, Plan):
        return plan
    if isinstance(plan, Mapping):
        return _checked(plan, overrides, Places(), Path.cwd(), "plan")
    if not isinstance(plan, str | os.PathLike):
        raise PlanError(
            f"A plan is no {type(plan).__name__}.",
            where="plan",
            fix="give the path of a YAML file, or a mapping with the same keys",
        )
    path = Path(checked_text(str(plan), "plan"))
    try:
        content = read_text(path)
    except OSError as error:
        near = sorted(f.name for f in path.parent.glob("*.y*ml"))
        raise PlanError(
            f"The plan cannot be read ({type(error).__name__}).",
            where=brief(str(path)),
            fix=did_you_mean(path.name, near) or "check the path; a plan is a YAML file",
        ) from error
    data, places = parse(content, path.name)
    name = path.name
    for ending in (".yml", ".yaml", ".plan"):
        name = name.removesuffix(ending)
    return _checked(data, overrides, places, path.resolve().parent, name or "plan")


def resolve_hierarchies(plan: Plan, copies: Path | None) -> dict[str, Hierarchy]:
    """The plan's hierarchies with their files found, looked at, and named as SQL will name them.

    Args:
        plan: whose hierarchies.
        copies: folder that shipped hierarchies are copied to, so that a program can name them
            relative to the plan; None only looks at the files.

    Raises:
        PlanError: a file is missing or holds no hierarchy.
    """
    return {
        name: _resolved(plan, name, hierarchy, copies)
        for name, hierarchy in plan.hierarchies.items()
    }


def _resolved(plan: Plan, name: str, hierarchy: Hierarchy, copies: Path | None) -> Hierarchy:
    if not isinstance(hierarchy, FileHierarchy | TaxonomyHierarchy):
        return hierarchy
    where = plan.where("columns", name, "hierarchy")
    found = plan.folder / hierarchy.path
    in_sql = hierarchy.path
    is_shipped = not is_regular(found)
    if is_shipped:
        root = shipped("hierarchies").resolve()
        found = (root / hierarchy.path).resolve()
        if not is_regular(found) or not found.is_relative_to(root):
            near = [
                *_suggested(plan.folder, hierarchy.endings),
                *_suggested(root, hierarchy.endings, "**/"),
            ]
            raise PlanError(
                f"The hierarchy file '{hierarchy.path}' is neither beside the plan nor shipped.",
                where=where,
                fix=did_you_mean(hierarchy.path, near)
                or "check the path; it starts from the plan's folder",
            )
        in_sql = found.resolve().as_posix()
    is_rule = isinstance(hierarchy, FileHierarchy) and found.suffix in (".yml", ".yaml")
    if is_shipped and copies is not None and not is_rule:
        place, content = copies / hierarchy.path, found.read_bytes()
        place.parent.mkdir(parents=True, exist_ok=True)
        if not place.is_file() or place.read_bytes() != content:
            write_whole(place, content)
        in_sql = relative(place, plan.folder)
    try:
        return _rule_of_file(found) if is_rule else hierarchy.looked_at(found, in_sql, where)
    except (OSError, UnicodeDecodeError) as error:
        kind = type(error).__name__
    raise PlanError(  # outside of the handler: a UnicodeDecodeError holds what it could not read
        f"The hierarchy file '{hierarchy.path}' cannot be read ({kind}).",
        where=where,
        fix=f"a hierarchy file is {hierarchy.form}",
    )


def _suggested(folder: Path, endings: Sequence[str], below: str = "") -> list[str]:
    """Files that a hierarchy could be in, to suggest."""
    found = [f for ending in endings for f in folder.glob(f"{below}*.{ending}")]
    return [f.relative_to(folder).as_posix() for f in found]


def _rule_of_file(path: Path) -> Hierarchy:
    around = "hierarchy"
    rule, places = parse(read_text(path), path.name, (around,))
    content = plain_content({around: rule}, places)
    hierarchy = validated(HierarchyFile, content, places).hierarchy
    if isinstance(hierarchy, FileHierarchy | TaxonomyHierarchy):
        raise PlanError(
            "This file only names another file.",
            where=places.where((around,)),
            fix="name that file in the plan, or write a rule here, such as {mask: right}",
        )
    if isinstance(hierarchy, QueryHierarchy):
        plan_query(hierarchy.query, places.where((around,)))
    return hierarchy


def relative(path: Path, folder: Path) -> str:
    """The path as SQL text names it: relative to the plan's folder, with forward slashes."""
    return Path(os.path.relpath(path.resolve(), folder.resolve())).as_posix()


def _with_attributes(plan: Plan, places: Places) -> Plan:
    """The plan, each model of a sensitive attribute naming the one it looks at.

    Raises:
        PlanError: the attribute is missing, unknown, or lacks the hierarchy that the model needs.
    """
    models = []
    for number, model in enumerate(plan.privacy):
        if isinstance(model, SensitiveModel):
            where = places.where(("privacy", number, "attribute"))
            name = model.attribute
            if name is None:
                if len(plan.sensitive_attributes) != 1:
                    raise PlanError(
                        f"{model.model} needs to know which of"
                        f" {len(plan.sensitive_attributes)} sensitive attributes it protects.",
                        where=where,
                        fix="add `attribute:` with the name of a column whose role is sensitive",
                    )
                (name,) = plan.sensitive_attributes
            elif name not in (*plan.sensitive_attributes, *plan.quasi_identifiers):
                known = [*plan.sensitive_attributes, *plan.quasi_identifiers]
                raise PlanError(
                    f"'{name}' is no sensitive attribute of the plan.",
                    where=where,
                    fix=did_you_mean(name, known),
                )
            if model.needs_value_levels and name not in plan.hierarchies:
                raise PlanError(
                    f"{model.model} needs a hierarchy of '{name}' to tell how near its values are.",
                    where=where,
                    fix=f"give `columns.{name}` a hierarchy, or choose another distance",
                )
            model = model.model_copy(update={"attribute": name})
        models.append(model)
    return plan.model_copy(update={"privacy": tuple(models)})


def validated(cls: type[_Content], data: Any, places: Places) -> _Content:
    """What pydantic makes of the data.

    Raises:
        PlanError: its first fault, in the plan's own words.
    """
    try:
        return cls.model_validate(data)
    except ValidationError as error:
        fault = plan_error(error, cls, data, places)
    raise fault  # outside of the handler: pydantic's own error holds all inputs


_Content = TypeVar("_Content", bound=BaseModel)


def _checked(data: Any, overrides: Sequence[str], places: Places, folder: Path, name: str) -> Plan:
    if not isinstance(data, Mapping):
        raise PlanError(
            "A plan is a mapping of keys to values.",
            where=places.where(()),
            fix="begin with `source:`; the README shows a whole plan",
        )
    data = plain_content(data, places)
    if overrides:
        overridden = frozenset(_override(data, override) for override in overrides)
        places = replace(places, overridden=overridden)
        data = plain_content(data, places)
    if "seed" in data:
        raise PlanError(
            "A seed in a plan is known to all who read the plan, and a short one can be found by"
            " trying.",
            where=places.where(("seed",)),
            fix="leave out `seed:`; every run then draws a secret one. To make the same rows again,"
            f" {PERMUTATION_SEED.remedy}",
        )
    plan = validated(Plan, data, places)
    plan = _with_dealt_attribute(_with_attributes(plan, places), places)
    canonical = json.dumps(plan.model_dump(mode="json"), sort_keys=True, ensure_ascii=False)
    plan._name = name
    plan._folder = folder
    plan._sha256 = hashlib.sha256(canonical.encode()).hexdigest()
    plan._places = places
    _check_columns(plan)
    _check_source(plan)
    _check_queries(plan)
    _check_promises(plan)
    _check_publication(plan)
    if isinstance(plan.method, PartitionMethod):
        _check_partition(plan, plan.method)
    if isinstance(plan.method, BucketMethod):
        _check_buckets(plan, plan.method)
    return plan


def _check_columns(plan: Plan) -> None:
    """What no single column can tell."""
    if not plan.quasi_identifiers:
        raise PlanError(
            "No column is a quasi-identifier, so there is nothing to generalize.",
            where=plan.where("columns"),
            fix="give the role quasi-identifier to every column that together with others could"
            " tell who a person is, such as age, sex and postal code",
        )
    seen: dict[str, str] = {}
    for name in plan.columns:
        if "\n" in name or "\r" in name or not name:
            raise PlanError(
                "A column has no name, or a line break in its name; SQL is read line by line.",
                where=plan.where("columns", name),
                fix="rename the column in a `source: {query: …}`",
            )
        other = seen.setdefault(name.lower(), name)
        if other != name:
            raise PlanError(
                f"'{other}' and '{name}' are one column: SQL does not tell case apart.",
                where=plan.where("columns", name),
                fix="keep one of them, or rename a column in a `source: {query: …}`",
            )
    if all(column.weight == 0 for column in plan.quasi_identifiers.values()):
        raise PlanError(
            "Every quasi-identifier has the weight 0, so no loss could be told from another.",
            where=plan.where("columns"),
            fix="give at least one quasi-identifier a weight above 0",
        )
    attribute = plan.label_attribute
    if attribute is not None and attribute not in plan.columns:
        raise PlanError(
            f"There is no column '{attribute}'.",
            where=plan.where("method", "objective", "attribute"),
            fix=did_you_mean(attribute, plan.columns),
        )
    if attribute is not None and isinstance(plan.columns[attribute], Identifier):
        raise PlanError(
            f"'{attribute}' is an identifier; its values are not there to be predicted.",
            where=plan.where("method", "objective", "attribute"),
            fix="name a column that is published as it is",
        )


def _check_source(plan: Plan) -> None:
    inputs = {"source": plan.source}
    if plan.population is not None:
        inputs["population"] = plan.population
    for key, source in inputs.items():
        given = [name for name in ("path", "query", "table") if getattr(source, name) is not None]
        if len(given) != 1:
            raise PlanError(
                f"A {key} has one of path, query and table; here: {', '.join(given) or 'none'}.",
                where=plan.where(key),
                fix=f"write for example `{key}: patients.csv`",
            )
        if source.query is not None:
            plan_query(source.query, plan.where(key))
        elif source.database is not None:
            _check_database(plan, source.path or "", key)
        elif source.path and not source.file_format:
            raise PlanError(
                f"What kind of file '{source.path}' is does not show in its name.",
                where=plan.where(key),
                fix=f"give `{key}: {{path: …, format: csv}}` (or parquet, json); for a table of a"
                " DuckDB file write FILE.duckdb::TABLE",
            )


def _check_queries(plan: Plan) -> None:
    """The queries of hierarchies are what a plan's query may be."""
    for name, hierarchy in plan.hierarchies.items():
        if isinstance(hierarchy, QueryHierarchy):
            plan_query(hierarchy.query, plan.where("columns", name, "hierarchy"))


def _check_generalized(plan: Plan, number: int, model: PrivacyModel) -> None:
    """A promise about a quasi-identifier: each class has one published value of it, and no other.

    That can be asked for (l = 1 holds, l = 2 does not), but not be compared with the table, whose
    values are others than the published ones.
    """
    listed = getattr(model, "values", ()) or getattr(model, "harmless", ())
    if (
        model.compares_with_table
        or model.needs_numbers
        or listed
        or getattr(model, "never_excluded", ())
        or plan.label_attribute == model.sensitive_attribute
    ):
        raise PlanError(
            f"'{model.sensitive_attribute}' is a quasi-identifier: every class has one published"
            f" value of it, which {model.model} cannot compare with the values of the source.",
            where=plan.where("privacy", number),
            fix="give the column the role sensitive; with `mode: joint` the promises of other"
            " attributes then take it as known",
        )


def _check_promises(plan: Plan) -> None:
    """What models, population, unit and suppression ask of each other."""
    masked = plan.suppression.rows == "mask"
    for number, model in enumerate(plan.privacy):
        if model.needs_population and plan.population is None:
            raise PlanError(
                f"{model.model} compares with a population, and the plan names none.",
                where=plan.where("privacy", number),
                fix="add `population:` with a table that contains the source's persons and others",
            )
        if model.sensitive_attribute in plan.quasi_identifiers:
            _check_generalized(plan, number, model)
        if masked and (model.needs_population or model.judges_whole_table):
            raise PlanError(
                f"{model.model} cannot be told of rows that stay with '*' in every"
                " quasi-identifier: they fall into no class of their own.",
                where=plan.where("suppression", "rows"),
                fix="write `rows: drop`",
            )
    if plan.unit is None:
        return
    where = plan.where("unit")
    if plan.unit not in plan.columns:
        raise PlanError(
            f"There is no column '{plan.unit}'.",
            where=where,
            fix=did_you_mean(plan.unit, plan.columns),
        )
    column = plan.columns[plan.unit]
    if plan.unit in plan.quasi_identifiers or (
        isinstance(column, Identifier) and column.action != "pseudonym"
    ):
        raise PlanError(
            f"'{plan.unit}' is not published as it is, so nobody could count its persons in the"
            " publication.",
            where=where,
            fix=f"write `{plan.unit}: {{role: identifier, action: pseudonym}}`",
        )
    if masked:
        raise PlanError(
            "Where persons are counted, suppressed rows cannot stay with '*'.",
            where=plan.where("suppression", "rows"),
            fix="write `rows: drop`",
        )
    if plan.population is not None:
        raise PlanError(
            "A population has one row per person; where persons have several rows, it does not"
            " compare.",
            where=plan.where("population"),
            fix="leave out `unit:`, or the population and the models that need it",
        )
    if plan.promises.against_published.models and plan.suppression.limit:
        raise PlanError(
            "Where persons are counted and rows suppressed, a promise cannot be held in comparison"
            " with the published rows.",
            where=where,
            fix="write `reference: original`, or a suppression limit of 0",
        )
    if plan.label_attribute is not None:
        raise PlanError(
            f"The objective {plan.objective.name} counts rows, and the plan persons.",
            where=plan.where("method", "objective"),
            fix="choose another objective, such as loss",
        )


def _check_partition(plan: Plan, method: PartitionMethod) -> None:
    """What a partitioning method asks of the rest of the plan."""
    cutting = getattr(method, "cutting", Cutting())
    if cutting.by_population and plan.population is None:
        raise PlanError(
            f"{method.name} cuts by the rows of a population, and the plan names none.",
            where=plan.where("method"),
            fix="add `population:`, or choose the method mondrian",
        )
    if cutting.relaxed and (plan.population is not None or plan.unit is not None):
        what = "a population" if plan.population is not None else "`unit`"
        raise PlanError(
            f"Relaxed partitioning deals rows of one combination to several classes; with {what} it"
            " would not be known whose class is whose.",
            where=plan.where("method", "partitioning"),
            fix="write `partitioning: strict`",
        )
    if cutting.relaxed and plan.order == "source":
        raise PlanError(
            "Relaxed partitioning deals rows in an order that nobody is to know; they cannot stay"
            " in the order of the source.",
            where=plan.where("order"),
            fix="leave out `order:`, or write `partitioning: strict`",
        )
    if cutting.relaxed and cutting.cut == "any":
        raise PlanError(
            "Relaxed partitioning deals rows at a quantile; `cut: any` has none.",
            where=plan.where("method", "cut"),
            fix="write `cut: median` or `cut: quantiles`, or `partitioning: strict`",
        )
    if not isinstance(method, LabelingMethod):
        return
    if method.categories == "set" and plan.population is not None:
        raise PlanError(
            "From a set of values nobody can tell where the rest of a population belongs.",
            where=plan.where("method", "categories"),
            fix="write `categories: common-ancestor`",
        )
    if not method.bounds:
        return
    taken = {name.lower() for name in plan.columns}
    for name, column in plan.quasi_identifiers.items():
        if column.kind is None:
            raise PlanError(
                f"Whether '{name}' has intervals with ends depends on its type.",
                where=plan.where("columns", name),
                fix="write `type: numeric`, date, ordinal or categorical",
            )
        for bound in plan.bound_columns.get(name, ()):
            if bound.lower() in taken:
                raise PlanError(
                    f"There is a column '{bound}' already, and `bounds: true` would make another.",
                    where=plan.where("method", "bounds"),
                    fix="rename the column in a `source: {query: …}`, or leave out `bounds`",
                )


def _check_buckets(plan: Plan, method: BucketMethod) -> None:
    """What a method that deals or permutes rows asks of the rest of the plan."""
    if BUCKET in (name.lower() for name in plan.columns) and method.publishes_buckets:
        raise PlanError(
            f"There is a column '{BUCKET}' already, and {method.name} makes another.",
            where=plan.where("columns", BUCKET),
            fix="rename the column in a `source: {query: …}`",
        )
    if not plan.sensitive_attributes:
        raise PlanError(
            f"{method.name} parts rows from their sensitive values, and the plan has none.",
            where=plan.where("columns"),
            fix="give the column that nobody should learn the role sensitive",
        )
    if plan.unit is not None:
        raise PlanError(
            f"{method.name} puts every row into a bucket by itself; a person with several rows"
            " would have several buckets.",
            where=plan.where("unit"),
            fix="leave out `unit:`, or generalize, as by mondrian",
        )
    if plan.order == "source":
        raise PlanError(
            f"The rows that {method.name} publishes cannot stay in the order of the source, which"
            " would tell whose they are.",
            where=plan.where("order"),
            fix="leave out `order:`",
        )
    by_population = isinstance(method, RegionMethod) and method.cutting.by_population
    promises_presence = method.cuts_along_hierarchies
    if plan.population is not None and not (by_population or promises_presence):
        raise PlanError(
            f"{method.name} has no use for a population.",
            where=plan.where("population"),
            fix="leave it out; `sqlanon attack --population` measures who can be found in one",
        )
    for number, model in enumerate(plan.privacy):
        if model.needs_population and not (promises_presence and model.presence):
            raise PlanError(
                f"Quasi-identifiers that stay as they are tell who is in the table; {model.model}"
                " cannot be promised of buckets.",
                where=plan.where("privacy", number),
                fix="generalize, as by mondrian or mpalm",
            )
        if model.sensitive_attribute in plan.quasi_identifiers and method.publishes_buckets:
            raise PlanError(
                f"{model.model} is to look at '{model.sensitive_attribute}', which stays beside its"
                " row as it is.",
                where=plan.where("privacy", number, "attribute"),
                fix="give the column the role sensitive",
            )
    if promises_presence:
        _check_combined(plan)
    if plan.is_sliced and plan.column_groups:
        checked_groups(plan.column_groups, plan.published_columns, plan.where("method", "columns"))
        untold = untold_of_companions(plan.privacy, plan.column_groups, plan.sensitive_attributes)
        if untold is not None:
            raise PlanError(untold, where=plan.where("method", "columns"), fix=ALONE)
    if isinstance(method, DealingMethod):
        _check_dealing(plan, method)


def _check_combined(plan: Plan) -> None:
    """What permuting every column with generalization asks of the rest of the plan."""
    if plan.promises.presence is None:
        raise PlanError(
            f"{plan.method.name} generalizes only for δ-presence, and nothing is promised of it.",
            where=plan.where("privacy"),
            fix="add `{model: delta-presence, dmin: 0, dmax: 0.5}`, or choose bucketization",
        )
    for name, column in plan.quasi_identifiers.items():
        if column.type not in (None, "categorical"):
            raise PlanError(
                f"{plan.method.name} cuts '{name}' along its hierarchy.",
                where=plan.where("columns", name, "type"),
                fix="leave out `type:`, and give the column a hierarchy",
            )


def _check_dealing(plan: Plan, method: DealingMethod) -> None:
    """What a method that deals rows by their values asks of the rest of the plan."""
    if plan.bucket_size < 2:
        raise PlanError(
            f"How many rows a bucket of {method.name} needs follows from the promises, and they"
            " allow single rows.",
            where=plan.where("privacy"),
            fix="add `{model: k-anonymity, k: 5}`, or an l-diversity",
        )
    for name, level in method.strata.items():
        keys = ("method", "within", name)
        if name not in plan.quasi_identifiers:
            raise PlanError(
                f"'{name}' is no quasi-identifier.",
                where=plan.where(*keys),
                fix=did_you_mean(name, plan.quasi_identifiers),
            )
        count = plan.quasi_identifiers[name].hierarchy.level_count
        if level < 0 or (count is not None and level >= count):
            raise PlanError(
                f"'{name}' has no level {level}.",
                where=plan.where(*keys),
                fix=f"give a level from 0 to {count - 1}" if count else "give a level from 0 on",
            )
    others = set(plan.sensitive_attributes) - {plan.dealt_attribute}
    if others and method.separates_sensitive:
        raise PlanError(
            f"The second table of {method.name} has one sensitive attribute, and the plan has"
            f" {len(others) + 1}.",
            where=plan.where("columns", sorted(others)[0]),
            fix="leave the others out by a `source: {query: …}`, or publish buckets another way",
        )


def _with_dealt_attribute(plan: Plan, places: Places) -> Plan:
    """The plan, its method naming the sensitive attribute that it deals by.

    Raises:
        PlanError: the attribute is not sensitive, or there are several to choose from.
    """
    method = plan.method
    if not isinstance(method, DealingMethod) or not plan.sensitive_attributes:
        return plan
    known = plan.sensitive_attributes
    if method.attribute is None and len(known) > 1:
        raise PlanError(
            f"{method.name} needs to know which of {len(known)} sensitive attributes it deals by.",
            where=places.where(("method",)),
            fix="add `attribute:` to the method, with the name of a sensitive column",
        )
    if method.attribute is not None and method.attribute not in known:
        raise PlanError(
            f"'{method.attribute}' is no sensitive attribute of the plan.",
            where=places.where(("method", "attribute")),
            fix=did_you_mean(method.attribute, known),
        )
    dealt = method.model_copy(update={"attribute": method.attribute or known[0]})
    return plan.model_copy(update={"method": dealt})


def _check_publication(plan: Plan) -> None:
    source, publication = plan.source, plan.publish
    where = plan.where("publish")
    places = [publication]
    if (publication.path is None) == (publication.table is None):
        raise PlanError(
            "A publication has a path or a table.",
            where=where,
            fix="write for example `publish: patients_k5.parquet`",
        )
    path = publication.path
    if plan.separates_sensitive:
        places.append(publication.of_values)
    if path is None:
        for place in places:
            name = (place.table or "").lower().rpartition(".")[2]
            for key, read in (("source", source), ("population", plan.population)):
                if read and read.table and read.table.lower().rpartition(".")[2] == name:
                    raise PlanError(
                        f"'{place.table}' has the name of the {key}; publishing would replace it.",
                        where=where,
                        fix="publish to a table of another name",
                    )
        return
    if publication.database is not None:
        _check_database(plan, path, "publish")
    elif not path.lower().endswith((".parquet", ".csv")):
        raise PlanError(
            f"'{path}' is no place to publish to.",
            where=where,
            fix="end the name in .parquet or .csv, or write FILE.duckdb::TABLE",
        )
    if len(places) > 1 and publication.database is None and Path(path).parent == Path():
        raise PlanError(
            f"{plan.method.name} publishes two files, in a folder that is replaced as one.",
            where=where,
            fix=f"name a folder of their own, such as `publish: {Path(path).stem}/{path}`",
        )
    for place in places:
        written = place.database or place.path or ""
        for key, read in (("source", source), ("population", plan.population)):
            if read is not None and read.path is not None and _reads(plan.folder, read, written):
                raise PlanError(
                    f"'{written}' is the {key} itself; publishing would write into it.",
                    where=where,
                    fix="publish to another file",
                )


def _check_database(plan: Plan, path: str, key: str) -> None:
    file, _, table = path.partition("::")
    if not file or not all(table.split(".")):
        raise PlanError(
            f"'{path}' names no table of a DuckDB file.",
            where=plan.where(key),
            fix="write FILE.duckdb::TABLE or FILE.duckdb::SCHEMA.TABLE",
        )


def _reads(folder: Path, source: Source, file: str) -> bool:
    """Whether a file is one of those that the path of a source names."""
    parts, wanted = (
        Path(os.path.normpath(os.path.realpath(folder) / Path(path))).parts
        for path in (file, source.database or source.path or "")
    )
    if not source.is_pattern:
        return parts == wanted
    wanted = tuple(part.replace("[", "[[]") for part in wanted)
    if "**" in wanted:
        return fnmatch.fnmatchcase("/".join(parts), "/".join(wanted).replace("/**", "*"))
    return len(parts) == len(wanted) and all(map(fnmatch.fnmatchcase, parts, wanted))


def _override(data: dict[str, Any], override: str) -> Keys:
    """Set one key of the plan to the YAML value of `KEY=VALUE`; the keys that lead to it."""
    path, equals, value = checked_text(override, "--set").partition("=")
    parts = path.strip().split(".")
    if not equals or not all(parts) or len(parts) > DEEPEST:
        raise PlanError(
            f"'{brief(override)}' sets nothing.",
            where="--set",
            fix="write KEY=VALUE, such as --set suppression.limit=0.05",
        )
    parsed: Any = value
    if _YAML_VALUE.search(value):
        parsed, _ = parse(value.encode(), f"--set {brief(path)}")
    place: Any = data
    keys: list[str | int] = []
    for number, part in enumerate(parts, start=1):
        key: Any = part
        if isinstance(place, list):
            key = int(part) if part.isdecimal() and len(part) < 9 else -1
            if not 0 <= key < len(place):
                listed = Places.path(tuple(keys))
                raise PlanError(
                    f"'{brief(path)}' leads nowhere: {listed} is a list of {len(place)}.",
                    where=f"--set {brief(path)}",
                    fix="give a position from 0, such as --set privacy.0.k=5",
                )
        keys.append(key)
        if number == len(parts):
            place[key] = parsed
            break
        inner = place[key] if isinstance(place, list) else place.get(key)
        if isinstance(inner, str) or (key == "intervals" and isinstance(inner, list)):
            inner = place[key] = {_short_key(keys): inner}
        elif not isinstance(inner, dict | list):
            inner = place[key] = {}
        place = inner
    return tuple(keys)


_YAML_VALUE = re.compile(r"""^$|^[\["'{]|\w""")
"""Values that are read as YAML; others, such as a bare `,` or `|`, are text."""


def _short_key(keys: list[str | int]) -> str:
    """The key that a bare value in this place is short for."""
    if len(keys) == 2 and keys[0] == "columns":
        return "role"
    return _SHORTHANDS.get(str(keys[-1]), "name")


_SHORTHANDS = {
    "source": "path", "publish": "path", "hierarchy": "file", "mask": "side", "intervals": "widths",
}  # fmt: skip
"""Keys whose bare value stands for a mapping with this one key; `name` where not stated."""
