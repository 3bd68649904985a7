"""Turns pydantic's errors into errors that name the keys of the plan and a fix."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from sqlanon.boundary.text import Keys, Places
from sqlanon.errors import PlanError, brief, did_you_mean
from sqlanon.registry import OneOf


def plan_errors(
    error: ValidationError, root: type[BaseModel], data: Any, places: Places
) -> list[PlanError]:
    """An error for every problem that pydantic found, in terms of the plan's keys."""
    problems = error.errors()
    outer = {
        problem["loc"][:length] for problem in problems for length in range(len(problem["loc"]))
    }
    located = [
        (problem, *_located(root, problem["loc"], data))
        for problem in problems
        if problem["loc"] not in outer
    ]
    unknown = [keys for problem, keys, _ in located if problem["type"] == "extra_forbidden"]
    errors = []
    for problem, keys, classes in located:
        if problem["type"] == "missing" and _is_misspelled(keys, unknown):
            continue
        what, fix = _described(problem, keys, classes)
        errors.append(PlanError(what, where=places.where(keys), fix=fix))
    return errors


def _is_misspelled(missing: Keys, unknown: Sequence[Keys]) -> bool:
    """Whether an unknown key beside a missing one seems to be the missing one."""
    beside = [str(keys[-1]) for keys in unknown if keys[:-1] == missing[:-1]]
    return bool(difflib.get_close_matches(str(missing[-1]), beside, cutoff=0.6))


def _located(
    root: type[BaseModel], location: Sequence[str | int], data: Any
) -> tuple[Keys, list[type[BaseModel]]]:
    """The keys of the plan in pydantic's location, and the classes that are allowed there.

    The location also has tags of unions, and keys that a short form leaves out; these are skipped.
    """
    keys: list[str | int] = []
    classes: list[type[BaseModel]] = [root]
    is_item = False
    part: Any
    for number, part in enumerate(location):
        if is_item:
            is_item = False
        elif len(classes) > 1:
            classes = [c for c in classes if part in (_tag(c)[1], *c.model_fields)] or classes
            continue
        elif classes and part in classes[0].model_fields:
            info = classes[0].model_fields[str(part)]
            classes, is_item = _inside(info)
        if (isinstance(data, dict) and part in data) or (
            isinstance(data, list) and isinstance(part, int) and part < len(data)
        ):
            keys.append(part)
            data = data[part]
        elif isinstance(data, dict) and number == len(location) - 1:
            keys.append(part)
    label = _tag(classes[0])[0] if len(classes) > 1 and not is_item else ""
    if isinstance(data, dict) and label in data:  # a tag that no class has
        keys.append(label)
    return tuple(keys), classes


def _inside(info: FieldInfo) -> tuple[list[type[BaseModel]], bool]:
    """The classes that a field may hold, and whether it holds the items of a list or mapping."""
    forms = list(_forms(Annotated[info.annotation, *info.metadata, None]))
    containers = [form for form in forms if get_origin(form) in (dict, list, tuple)]
    for container in containers:
        item = get_args(container)[-1 if get_origin(container) is dict else 0]
        forms += _forms(item)
    classes = [form for form in forms if isinstance(form, type) and issubclass(form, BaseModel)]
    return classes, bool(containers)


def _forms(annotation: Any) -> Iterator[Any]:
    """The types that a value may have, without pydantic's annotations."""
    if get_origin(annotation) is Annotated:
        inner, *notes = get_args(annotation)
        registries = [note for note in notes if isinstance(note, OneOf)]
        yield from registries[0].classes if registries else _forms(inner)
    elif get_origin(annotation) in (Union, UnionType):
        for form in get_args(annotation):
            yield from _forms(form)
    else:
        yield annotation


def _tag(cls: type[BaseModel]) -> tuple[str, str]:
    """The key whose value distinguishes a class from others in its place, and that value."""
    for name, info in cls.model_fields.items():
        if get_origin(info.annotation) is Literal and len(get_args(info.annotation)) == 1:
            return name, get_args(info.annotation)[0]
    return "", ""


def _described(found: ErrorDetails, keys: Keys, classes: list[type[BaseModel]]) -> tuple[str, str]:
    """What is wrong and how to fix it, for one problem."""
    kind, context, given = found["type"], found.get("ctx", {}), found["input"]
    path = Places.path(keys) or "the plan"
    name = str(keys[-1]) if keys else path
    if kind == "extra_forbidden":
        known = dict.fromkeys(key for cls in classes for key in cls.model_fields)
        return f"Unknown key '{brief(name)}'.", did_you_mean(name, known)
    if kind == "missing":
        return f"'{brief(name)}' is missing.", f"add `{name}:`"
    if kind in ("union_tag_invalid", "union_tag_not_found"):
        return _wrong_choice(given, keys, classes)
    if kind == "literal_error":
        literals = _LITERAL.findall(context["expected"])
        return f"{path} cannot be {_shown(given)}.", did_you_mean(str(given), literals)
    if kind == "hierarchy_kind":
        kinds = context["kinds"]
        if isinstance(given, dict) and given:
            rule = str(next(iter(given)))
            return f"Unknown hierarchy '{brief(rule)}'.", did_you_mean(rule, kinds.split(", "))
        return f"{path} is not a hierarchy.", f"name a file, or give one of {kinds}"
    if kind == "value_error":
        what, _, fix = str(context["error"]).partition("; ")
        return f"{path}: {what}.", fix or "`sqlanon schema` shows what is allowed"
    for pattern, what, fix in _MESSAGES:
        if re.fullmatch(pattern, kind):
            bounds = {name: _plain(bound) for name, bound in context.items()}
            return f"{path} {what.format(given=_shown(given))}.", fix.format(**bounds)
    if kind.endswith("_type"):
        inner = ", ".join(dict.fromkeys(key for cls in classes for key in cls.model_fields))
        return (
            f"{path} must be a mapping, not {_shown(given)}.",
            f"write keys and values: {inner or name}",
        )
    return f"{path} has an invalid value.", "`sqlanon schema` shows what is allowed"


def _wrong_choice(given: Any, keys: Keys, classes: list[type[BaseModel]]) -> tuple[str, str]:
    """What is wrong with a value that does not select one of several classes."""
    path = Places.path(keys)
    label, tags = _tag(classes[0])[0], [_tag(cls)[1] for cls in classes]
    choice = f"one of {', '.join(tags)}"
    if not isinstance(given, dict):
        return f"{path} cannot be {_shown(given)}.", f"write one {label}, {choice}"
    if label in given:
        names = [key for key in (label, *reversed(keys)) if isinstance(key, str)]
        kind = next((key.removesuffix("s") for key in names if key != "name"), label)
        tag = given[label]
        if not isinstance(tag, str):
            return f"{path}.{label} cannot be {_shown(tag)}.", f"write {choice}"
        return f"Unknown {kind} '{brief(tag)}'.", did_you_mean(tag, tags)
    known = dict.fromkeys(key for cls in classes for key in cls.model_fields)
    unknown = [str(key) for key in given if key not in known]
    if unknown:
        return f"Unknown key '{brief(unknown[0])}' in {path}.", did_you_mean(unknown[0], known)
    return f"{path} has no {label}.", f"add `{label}:`, {choice}"


_LITERAL = re.compile(r"'([^']*)'")

_MESSAGES = (
    ("int_.*", "must be a whole number, not {given}", "give a whole number, such as 5"),
    (
        "(float|decimal)_(parsing|type)|finite_number",
        "must be a number, not {given}",
        "give a number",
    ),
    (
        "decimal_max_places",
        "has too many digits",
        "give at most {decimal_places} digits after the decimal point",
    ),
    ("decimal_.*", "has too many digits", "give at most 15 digits, and 9 after the decimal point"),
    ("greater_than", "cannot be {given}", "give a number above {gt}"),
    ("greater_than_equal", "cannot be {given}", "give {ge} or more"),
    ("less_than", "cannot be {given}", "give a number below {lt}"),
    ("less_than_equal", "cannot be {given}", "give {le} or less"),
    ("bool_.*", "must be true or false, not {given}", "write true or false"),
    ("string_type", "must be text, not {given}", "put quotes around it"),
    ("string_too_short", "is empty", "write at least {min_length} character(s)"),
    ("string_too_long", "is too long", "write at most {max_length} character(s)"),
    ("too_short", "is empty", "give {min_length} or more"),
    ("too_long", "has too many entries", "give at most {max_length}"),
    ("(tuple|list)_type", "must be a list, not {given}", "write [a, b], or one `- …` per line"),
    ("dict_type", "must be a mapping, not {given}", "write one `key: value` per line"),
)
"""Kinds of errors by pydantic's name for them, what is wrong, and how to fix it."""


def _plain(bound: Any) -> str:
    """A bound for a reader: 1,000 for the decimal 1E+3, and 0.001 for 1E-3."""
    is_number = isinstance(bound, int | float | Decimal)
    if is_number and bound == int(bound):
        return f"{int(bound):,}"
    return f"{bound:f}" if isinstance(bound, Decimal) else str(bound)


def _shown(value: Any) -> str:
    """A value of a plan for a message: shortened, and without the content of mappings and lists."""
    if value is None:
        return "empty"
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list | tuple):
        return "a list"
    if isinstance(value, str):
        return f"'{brief(value)}'"
    return brief(str(value))
