"""A project of ARX as a plan; what ARX calls things is in `arx_project.yml`."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import yaml

from sqlanon.boundary.files import file_stem
from sqlanon.discovery.arx_file import damaged, opened
from sqlanon.discovery.proposal import MOST_NODES
from sqlanon.errors import brief
from sqlanon.privacy_models import PRIVACY_MODELS
from sqlanon.registry import default_of

_WORDS = yaml.safe_load(Path(__file__).with_suffix(".yml").read_text(encoding="utf-8"))
_ROLES = {
    "IDENTIFYING_ATTRIBUTE": "identifier",
    "QUASI_IDENTIFYING_ATTRIBUTE": "quasi-identifier",
    "SENSITIVE_ATTRIBUTE": "sensitive",
    "INSENSITIVE_ATTRIBUTE": "insensitive",
}
_OF_A_POPULATION = {default_of(cls, "model") for cls in PRIVACY_MODELS if cls.needs_population}
_SEARCH_SECONDS = 60
"""Time for a lattice with so many nodes that ARX, too, searches it by a heuristic."""

_LONGEST_CRITERION = 200
_MOST_DIGITS = 30


@dataclass(frozen=True)
class ArxProject:
    """A project as a plan.

    Attributes:
        plan: its keys and values, as `sqlanon.load_plan` reads them, without `publish`.
        files: the hierarchies of the plan, by name.
        has_input: whether the project holds its input.
        reasons: what the keys are in the project; of `privacy`, one for each entry.
        warnings: what is not carried over, in sentences.
    """

    plan: dict[str, Any]
    files: dict[str, bytes]
    has_input: bool
    reasons: dict[str, list[str]]
    warnings: list[str]


def read_arx_project(path: Path, folder: str, beside: str) -> ArxProject:
    """The plan of a project.

    Args:
        path: the project.
        folder: of the hierarchies and the input, relative to the plan's.
        beside: the CSV file that is the source of a project without input, relative to it.

    Raises:
        PlanError: the project cannot be read.
    """
    with opened(path) as project:
        config = project.xml("input/config.xml")
        separator = project.xml("project.xml").findtext("separator") or ";"
        attributes = {
            (each.findtext("name") or "").strip(): each
            for each in project.xml("input/definition.xml").iter("assigment")
        }
        warnings: list[str] = []
        privacy, reasons = _promises(config, attributes, warnings)
        objective = _objective(config, attributes, warnings)
        weights = {e.findtext("attribute"): e.findtext("weight")
                   for e in config.iter("attributeWeight")}  # fmt: skip
        columns: dict[str, Any] = {}
        files: dict[str, bytes] = {}
        nodes = 1
        compared = {p["attribute"] for p in privacy if p.get("distance") == "hierarchical"}
        for name, attribute in attributes.items():
            role = _ROLES.get(attribute.findtext("type") or "", "identifier")
            columns[name] = {"role": role}
            is_generalized = role == "quasi-identifier"
            if not (is_generalized or name in compared):
                continue
            rows = project.hierarchy(name, separator, warnings)
            if rows:
                file = f"{len(files) + 1}_{file_stem(name)}.csv"
                files[file] = _quoted(rows)
                columns[name]["hierarchy"] = f"{folder}/{file}"
            if is_generalized:
                nodes *= len(rows[0]) if rows else 2
                if len(set(weights.values())) > 1 and name in weights:
                    columns[name]["weight"] = _number(weights[name], "weight")
                warnings += _limits(attribute, brief(name))
        limit = _number(config.findtext("relativeMaxOutliers"), "relativeMaxOutliers")
    source = {
        "path": f"{folder}/input.csv" if project.has_input else beside,
        "delimiter": separator,
    }
    plan: dict[str, Any] = {"source": source, "columns": columns, "privacy": privacy}
    if any(promise["model"] in _OF_A_POPULATION for promise in privacy):
        plan["population"] = source
        warnings.append(
            "Only Java objects of the project hold its research subset, which is compared with the"
            " input: source and population are the input until you write the subset as `source`."
        )
    plan["method"] = {"name": "optimal"} | ({"objective": objective} if objective else {})
    why = reasons["method"] = [f"ARX: {brief(config.findtext('metric') or 'no quality model')}"]
    if "aggregate" in objective:
        why[0] += "; only Java objects hold how attributes are aggregated: this is ARX's default"
    if nodes > MOST_NODES:
        plan["method"]["budget"] = {"seconds": _SEARCH_SECONDS}
        why.append(f"{nodes:,} combinations of levels: the best one that is found in this time.")
    plan["suppression"] = {"limit": limit}
    return ArxProject(plan, files, project.has_input, reasons, warnings)


def _promises(
    config: ElementTree.Element, attributes: Mapping[str, ElementTree.Element], warnings: list[str]
) -> tuple[list[dict[str, Any]], dict[str, list[str]]]:
    """The criteria as promises, and what each is in ARX."""
    found, reasons = [], []
    for criterion in ((each.text or "")[:_LONGEST_CRITERION] for each in config.iter("criterion")):
        promises = _matches("promises", criterion)
        faults = [fault for one in promises if (fault := _fault(one, attributes))]
        if not promises:
            faults = [_refusal(criterion)]
        warnings += [f"'{criterion}' is not carried over: {fault}." for fault in faults[:1]]
        if not faults:
            found += promises
            reasons += [f"ARX: {criterion}"] * len(promises)
    if not found:
        found, reasons = [{"model": "k-anonymity", "k": 5}], ["instead of the project's criteria"]
        warnings.append(
            "No criterion is carried over, so k = 5 is in their place: choose your own."
        )
    return found, {"privacy": reasons}


def _fault(promise: Mapping[str, Any], attributes: Mapping[str, ElementTree.Element]) -> str:
    """Why a promise cannot be one of a plan; empty if it can."""
    if promise.get("k", 2) < 2 or promise.get("share", 0) >= 1:
        return "it holds for all rows"
    attribute = attributes.get(promise.get("attribute", ""))
    if attribute is None:
        return "the attribute is unknown" if "attribute" in promise else ""
    if attribute.findtext("type") != "SENSITIVE_ATTRIBUTE":
        return "the attribute is not sensitive"
    kind = attribute.findtext("datatype") or ""
    is_alike = kind in ("Integer", "String") or (
        kind == "Decimal" and (attribute.findtext("locale") or "EN") == "EN"
    )
    if is_alike or promise.get("distance") != "ordered":
        return ""
    return f"sqlanon orders texts and numbers with a decimal point, and not ARX's {brief(kind)}"


def _objective(
    config: ElementTree.Element, attributes: Mapping[str, ElementTree.Element], warnings: list[str]
) -> dict[str, Any]:
    """The measure that is equal to the quality model; empty if there is none."""
    metric = config.findtext("metric") or ""
    for found in _matches("measures", metric.lower()):
        return found
    published = ("SENSITIVE_ATTRIBUTE", "INSENSITIVE_ATTRIBUTE")
    responses = [
        name
        for name, each in attributes.items()
        if each.findtext("response") == "true" and each.findtext("type") in published
    ]
    if metric == "Classification accuracy" and len(responses) == 1:
        return {"name": "classification", "attribute": responses[0]}
    warnings.append(f"The quality model '{brief(metric)}' is not carried over: sqlanon has no equal"
                    " measure for it.")  # fmt: skip
    return {}


def _limits(attribute: ElementTree.Element, name: str) -> Iterator[str]:
    """What a plan cannot say of a quasi-identifier."""
    if {attribute.findtext(bound) or "All" for bound in ("min", "max")} != {"All"}:
        yield f"'{name}' can be on any level: the limits of its levels are not carried over."
    if function := attribute.findtext("microaggregationFunction"):
        yield (
            f"'{name}' is generalized, and not aggregated ({brief(function)}); `publish` of the"
            " column puts an aggregate in place of its label."
        )


@cache
def _pattern(text: str) -> re.Pattern[str]:
    """A text of `arx_project.yml` as a regular expression."""
    kinds = {"any": ".*", "attribute": "(?P<attribute>.*)"}
    number = r"(?P<{}>[\d.]+(?:[Ee]-?\d+)?)"
    parts = re.split(r"<(\w+)>", text)
    parts[::2] = map(re.escape, parts[::2])
    parts[1::2] = [kinds.get(name, number.format(name)) for name in parts[1::2]]
    return re.compile("".join(parts), re.DOTALL)


def _matches(kind: str, text: str) -> list[dict[str, Any]]:
    """What a text of ARX becomes: the keys of each pattern that it matches, with its numbers."""
    return [
        {**keys, **{name: value if name == "attribute" else _number(value, "criteria")
                    for name, value in match.groupdict().items()}}
        for pattern, keys in _WORDS[kind].items()
        if (match := _pattern(pattern).fullmatch(text))
    ]  # fmt: skip


def _refusal(criterion: str) -> str:
    """Why a criterion is no promise of a plan."""
    return next(
        str(why).format(**match.groupdict())
        for pattern, why in _WORDS["refused"].items()
        if (match := _pattern(pattern).fullmatch(criterion))
    )


def _number(text: str | None, of: str) -> int | Decimal:
    """A number of Java, exact."""
    try:
        number = Decimal(text or "")
    except InvalidOperation:
        raise damaged(of) from None
    if not number.is_finite() or abs(number.adjusted()) > _MOST_DIGITS:
        raise damaged(of)
    return int(number) if number == number.to_integral_value() else number


def _quoted(rows: list[list[str]]) -> bytes:
    """A hierarchy file; as all cells are quoted, its delimiter cannot be mistaken."""
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=";", quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()
