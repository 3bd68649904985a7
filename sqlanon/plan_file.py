"""From a YAML file to a checked Plan; every fault is told with file, line, key and remedy."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from sqlanon.errors import PlanError, did_you_mean
from sqlanon.hierarchy import FileHierarchy, Hierarchy, HierarchyFile
from sqlanon.methods import METHODS
from sqlanon.plan import Plan, QuasiIdentifier
from sqlanon.privacy_models import PRIVACY_MODELS
from sqlanon.render import shipped
from sqlanon.utility import UTILITY_MEASURES

Keys = tuple[str | int, ...]

_ROLES = ("identifier", "quasi-identifier", "sensitive", "insensitive")


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
        return _checked(dict(plan), overrides, {}, "", Path.cwd(), "plan")
    path = Path(plan)
    try:
        content = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise PlanError(
            f"The plan cannot be read ({type(error).__name__}).",
            where=str(path),
            fix="check the path; a plan is a YAML file in UTF-8",
        ) from error
    data, lines = _parse(content, path.name)
    name = path.name
    for ending in (".yml", ".yaml", ".plan"):
        name = name.removesuffix(ending)
    return _checked(data, overrides, lines, path.name, path.resolve().parent, name or "plan")


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
    if not isinstance(hierarchy, FileHierarchy):
        return hierarchy
    where = plan.where("columns", name, "hierarchy")
    found = plan.folder / hierarchy.file
    in_sql = hierarchy.file
    if not found.is_file():
        found = shipped("hierarchies") / hierarchy.file
        if not found.is_file() or Path(hierarchy.file).is_absolute():
            root = shipped("hierarchies")
            known = [str(f.relative_to(root).as_posix()) for f in root.rglob("*.*")]
            raise PlanError(
                f"The hierarchy file '{hierarchy.file}' is neither beside the plan nor shipped.",
                where=where,
                fix=did_you_mean(hierarchy.file, [k for k in known if not k.endswith(".md")]),
            )
        if copies is not None and found.suffix == ".csv":
            copy = copies / hierarchy.file
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(found.read_bytes())
            in_sql = relative(copy, plan.folder)
    if found.suffix in (".yml", ".yaml"):
        data, lines = _parse(found.read_text(encoding="utf-8"), found.name)
        try:
            return HierarchyFile.model_validate({"hierarchy": data}).hierarchy
        except ValidationError as error:
            raise _plan_error(error, data, lines, found.name, ("hierarchy",)) from None
    try:
        return hierarchy.looked_at(found, in_sql)
    except (OSError, UnicodeDecodeError) as error:
        raise PlanError(
            f"The hierarchy file '{hierarchy.file}' cannot be read ({type(error).__name__}).",
            where=where,
            fix="a hierarchy file is CSV in UTF-8, one row per value, one column per level",
        ) from error


def relative(path: Path, folder: Path) -> str:
    """The path as SQL text names it: relative to the plan's folder, with forward slashes."""
    import os.path

    return Path(os.path.relpath(path.resolve(), folder.resolve())).as_posix()


def _checked(
    data: Any,
    overrides: Sequence[str],
    lines: dict[Keys, int],
    file: str,
    folder: Path,
    name: str,
) -> Plan:
    if not isinstance(data, dict):
        raise PlanError(
            "A plan is a mapping of keys to values.",
            where=f"{file}:1" if file else "",
            fix="begin with `source:`; the README shows a whole plan",
        )
    for override in overrides:
        _override(data, override)
    try:
        plan = Plan.model_validate(data)
    except ValidationError as error:
        raise _plan_error(error, data, lines, file, ()) from None
    canonical = json.dumps(plan.model_dump(mode="json"), sort_keys=True, ensure_ascii=False)
    plan._name = name
    plan._folder = folder
    plan._sha256 = hashlib.sha256(canonical.encode()).hexdigest()
    plan._lines = lines
    plan._file = file
    _check_whole(plan)
    return plan


def _check_whole(plan: Plan) -> None:
    """What no single key can tell."""
    if not plan.quasi_identifiers:
        raise PlanError(
            "No column is a quasi-identifier, so there is nothing to generalize.",
            where=plan.where("columns"),
            fix="give the role quasi-identifier to every column that together with others could"
            " tell who a person is, such as age, sex and postal code",
        )
    source = plan.source
    given = [key for key in ("path", "query", "table") if getattr(source, key) is not None]
    if len(given) != 1:
        raise PlanError(
            f"A source has one of path, query and table; here: {', '.join(given) or 'none'}.",
            where=plan.where("source"),
            fix="write for example `source: patients.csv`",
        )
    if source.path and source.database is None and not source.file_format:
        raise PlanError(
            f"What kind of file '{source.path}' is does not show in its name.",
            where=plan.where("source"),
            fix="give `source: {path: …, format: csv}` (or parquet, json)",
        )
    publication = plan.publish
    if (publication.path is None) == (publication.table is None):
        raise PlanError(
            "A publication has a path or a table.",
            where=plan.where("publish"),
            fix="write for example `publish: patients_k5.parquet`",
        )
    endings = (".parquet", ".csv")
    path = (publication.path or "").lower()
    if publication.path and "::" not in path and not path.endswith(endings):
        raise PlanError(
            f"'{publication.path}' is no place to publish to.",
            where=plan.where("publish"),
            fix="end the name in .parquet or .csv, or write FILE.duckdb::TABLE",
        )
    if all(column.weight == 0 for column in plan.quasi_identifiers.values()):
        raise PlanError(
            "Every quasi-identifier has the weight 0, so no loss could be told from another.",
            where=plan.where("columns"),
            fix="give at least one quasi-identifier a weight above 0",
        )
    attributes = [getattr(plan.method.objective, "attribute", None)]
    for attribute in attributes:
        if attribute is not None and attribute not in plan.columns:
            raise PlanError(
                f"There is no column '{attribute}'.",
                where=plan.where("method", "objective", "attribute"),
                fix=did_you_mean(attribute, plan.columns),
            )


def _override(data: dict[str, Any], override: str) -> None:
    path, equals, value = override.partition("=")
    keys = path.strip().split(".")
    if not equals or not all(keys):
        raise PlanError(
            f"'{override}' sets nothing.",
            where="--set",
            fix="write KEY=VALUE, such as --set suppression.limit=0.05",
        )
    place: Any = data
    for number, key in enumerate(keys[:-1]):
        following = keys[number + 1]
        if isinstance(place, list) and key.isdecimal() and int(key) < len(place):
            place = place[int(key)]
            continue
        if not isinstance(place, dict):
            raise PlanError(
                f"'{path}' leads nowhere in the plan.", where="--set", fix="check the keys"
            )
        inner = place.get(key)
        if isinstance(inner, str) and not following.isdecimal():
            inner = place[key] = {_SHORTHANDS.get(key, "role"): inner}
        elif not isinstance(inner, dict | list):
            inner = place[key] = {}
        place = inner
    parsed = yaml.safe_load(value)
    last = keys[-1]
    if isinstance(place, list) and last.isdecimal() and int(last) < len(place):
        place[int(last)] = parsed
    elif isinstance(place, dict):
        place[last] = parsed
    else:
        raise PlanError(f"'{path}' leads nowhere in the plan.", where="--set", fix="check the keys")


_SHORTHANDS = {"source": "path", "publish": "path", "method": "name", "objective": "name"}
"""Keys whose bare string stands for a mapping with this one key."""


def _parse(content: str, file: str) -> tuple[Any, dict[Keys, int]]:
    """The YAML document and the line of every key; a key given twice is an error."""
    try:
        root = yaml.compose(content, Loader=yaml.SafeLoader)
        data = yaml.safe_load(content)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        raise PlanError(
            f"This is not YAML: {getattr(error, 'problem', None) or 'a syntax error'}.",
            where=f"{file}:{mark.line + 1}" if mark else file,
            fix="check indentation, quotes and brackets on this line and the one before",
        ) from None
    lines: dict[Keys, int] = {}

    def walk(node: yaml.Node | None, keys: Keys) -> None:
        if isinstance(node, yaml.MappingNode):
            for key_node, value_node in node.value:
                here = (*keys, str(key_node.value))
                line = key_node.start_mark.line + 1
                if here in lines:
                    twice = ".".join(map(str, here))
                    raise PlanError(
                        f"'{key_node.value}' is given twice, first in line {lines[here]}.",
                        where=f"{file}:{line}  {twice}",
                        fix="keep one of them; a column has one role",
                    )
                lines[here] = line
                walk(value_node, here)
        elif isinstance(node, yaml.SequenceNode):
            for number, item in enumerate(node.value):
                lines[(*keys, number)] = item.start_mark.line + 1
                walk(item, (*keys, number))

    walk(root, ())
    return data, lines


def _plan_error(
    error: ValidationError, data: Any, lines: dict[Keys, int], file: str, skip: Keys
) -> PlanError:
    """The first fault that pydantic found, in the plan's own words."""
    found = min(error.errors(), key=lambda e: (_line(e, data, lines, skip), len(e["loc"])))
    keys = _keys(found["loc"], data, skip)
    line = _nearest_line(keys, lines)
    path = ""
    for key in keys:
        path += f"[{key}]" if isinstance(key, int) else f".{key}" if path else key
    place = f"{file}:{line}  {path}" if file else path
    what, fix = _told(found, path or "the plan")
    return PlanError(what, where=place.strip(), fix=fix)


def _line(found: ErrorDetails, data: Any, lines: dict[Keys, int], skip: Keys) -> int:
    return _nearest_line(_keys(found["loc"], data, skip), lines)


def _nearest_line(keys: Keys, lines: dict[Keys, int]) -> int:
    while keys and keys not in lines:
        keys = keys[:-1]
    return lines.get(keys, 1)


def _keys(location: Sequence[str | int], data: Any, skip: Keys) -> Keys:
    """The keys of the plan in pydantic's location, without the tags of its unions."""
    keys: list[str | int] = []
    place = data
    for number, part in enumerate(location[len(skip) :]):
        last = number == len(location) - len(skip) - 1
        if isinstance(place, dict):
            if part in place or last:
                keys.append(part)
                place = place.get(part) if part in place else None
        elif isinstance(place, list) and isinstance(part, int):
            keys.append(part)
            place = place[part] if part < len(place) else None
        elif last and place is None:
            keys.append(part)
    return tuple(keys)


def _told(found: ErrorDetails, path: str) -> tuple[str, str]:
    """What is wrong and how to mend it, for one fault."""
    kind, context = found["type"], found.get("ctx", {})
    name = str(found["loc"][-1]) if found["loc"] else path
    if kind == "extra_forbidden":
        return f"'{name}' is no key of this part of the plan.", _known_keys(found, name)
    if kind == "missing":
        return f"'{name}' is missing.", f"add `{name}:`"
    if kind in ("union_tag_invalid", "union_tag_not_found"):
        given = context.get("tag")
        key = str(context["discriminator"]).strip("'")
        known = _ROLES if key.startswith("_role") else tuple(
            tag.strip().strip("'") for tag in context.get("expected_tags", "").split(",")
        )  # fmt: skip
        label = "role" if key.startswith("_role") else key
        if given is None:
            known = known if known != ("",) else _names_of(label)
            return f"{path} has no {label}.", f"add `{label}:`, one of {', '.join(known)}"
        return f"There is no {label} '{given}'.", did_you_mean(str(given), known)
    if kind == "literal_error":
        given = found["input"]
        known_values = [v.strip().strip("'") for v in
                        context.get("expected", "").replace(" or ", ", ").split(",")]  # fmt: skip
        shown = f"'{given}'" if isinstance(given, str | int | float) else "this"
        return f"{path} cannot be {shown}.", did_you_mean(str(given), known_values)
    if kind == "hierarchy_kind":
        return (
            f"{path} is no hierarchy.",
            "name a file, or give one rule: intervals, cut_points, mask, date, round, query",
        )
    if kind == "value_error":
        return f"{path}: {context.get('error', found['msg'])}.", "see `sqlanon schema`"
    message = found["msg"]
    value = found["input"]
    is_plain = isinstance(value, str | int | float) and not isinstance(value, bool)
    told = f" is {value!r}" if is_plain else ""
    return f"{path}{told}. {message}.", "change the value; `sqlanon schema` shows what is allowed"


def _names_of(label: str) -> tuple[str, ...]:
    classes: Sequence[Any] = PRIVACY_MODELS if label == "model" else (*METHODS, *UTILITY_MEASURES)
    return tuple(c.model_fields[label].default for c in classes if label in c.model_fields)


def _known_keys(found: ErrorDetails, name: str) -> str:
    """The keys that the part of the plan around an unknown key does have."""
    schema = Plan.model_json_schema()
    definitions = schema.get("$defs", {})
    place: Any = schema
    candidates: list[str] = list(schema["properties"])
    for part in found["loc"][:-1]:
        options = _options(place, definitions)
        following: list[Any] = []
        for option in options:
            properties = option.get("properties", {})
            if part in properties:
                following.append(properties[part])
            elif isinstance(part, int) and "items" in option:
                following.append(option["items"])
            elif "additionalProperties" in option and isinstance(part, str):
                following.append(option["additionalProperties"])
        if not following:  # the tag of a union: keep the option that it names
            named = [
                o
                for o in options
                if any(p.get("const") == part for p in o.get("properties", {}).values())
                or part in o.get("properties", {})
            ]
            following = named or options
        place = {"anyOf": following}
        candidates = [key for o in _options(place, definitions) for key in o.get("properties", {})]
    return did_you_mean(name, dict.fromkeys(candidates))


def _options(schema: Any, definitions: Mapping[str, Any]) -> list[Any]:
    """The object and array schemas that a schema may stand for."""
    if not isinstance(schema, dict):
        return []
    if "$ref" in schema:
        return _options(definitions[schema["$ref"].rsplit("/", 1)[-1]], definitions)
    options: list[Any] = []
    for key in ("anyOf", "oneOf", "allOf"):
        for inner in schema.get(key, []):
            options += _options(inner, definitions)
    return options or [schema]
