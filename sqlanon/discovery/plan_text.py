"""A proposed plan as YAML, with the reason of every choice as a comment."""

from __future__ import annotations

import json
import math
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from sqlanon.discovery.arx_project import ArxProject
from sqlanon.discovery.proposal import Proposal
from sqlanon.discovery.roles import percent
from sqlanon.sql.render import comment

_WIDTH = 98
_PLAIN = re.compile(r"[A-Za-z_][\w./-]*", re.ASCII)
_NOT_OF_YAML = re.compile(r"[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
"""Characters that JSON allows in a text, and that end a line in YAML or are not allowed there."""
_WORDS_OF_YAML = frozenset(["y", "n", "yes", "no", "true", "false", "on", "off", "null"])


def plan_text(proposal: Proposal, name: str, looked_at: str) -> str:
    """The text of the plan's file."""
    header = [
        *_comment("A plan that sqlanon proposed. Review every line: sqlanon has seen the table, and"
               " does not know what others know of the people in it. The comments count rows of the"
               " source: keep this file with the source, or remove them."),
        *_commands(name),
        *_comment(looked_at),
        *_singling(proposal),
        *_costs(proposal),
    ]  # fmt: skip
    whys = {}
    for column, role in proposal.roles.items():
        hierarchy = proposal.hierarchies.get(column)
        whys[column] = role.reason if hierarchy is None else f"{role.reason}: {hierarchy.reason}"
    return _text(header, proposal.plan, proposal.warnings, whys, proposal.reasons)


def arx_text(project: ArxProject, name: str, file: str) -> str:
    """The text of a plan that was an ARX project, the file `file`."""
    header = [
        *_comment(f"The plan of the ARX project {file}. Review every line."),
        *_commands(name),
        *_comment("Roles, hierarchies, promises, limit and weights are those of the project."),
    ]
    return _text(header, project.plan, project.warnings, {}, project.reasons)


def _commands(name: str) -> list[str]:
    return ["#", f"#   sqlanon check {comment(name)}", f"#   sqlanon run {comment(name)}", "#"]


def _text(
    header: list[str],
    plan: Mapping[str, Any],
    warnings: Sequence[str],
    whys: Mapping[str, str],
    reasons: Mapping[str, Sequence[str]],
) -> str:
    """A plan after its header and warnings, with the reasons of columns and of the other keys."""
    lines = [
        *header,
        *(line for text in warnings for line in ["#", *_comment(f"WARNING: {text}")]),
        "",
        *_source(plan["source"]),
        "",
        *_comment("Every column has a role. An identifier is published only by an action. A"
               " quasi-identifier is generalized by its hierarchy. A sensitive attribute is"
               " published as it is, and the promises below are about it."),
        "columns:",
        *_columns(plan["columns"], whys),
    ]  # fmt: skip
    for key in ("unit", "population", "privacy", "method", "suppression", "standard", "publish"):
        if key not in plan:
            continue
        lines.append("")
        if key == "privacy":
            lines.append("privacy:")
            for promise, reason in zip(plan[key], reasons[key], strict=True):
                lines += _comment(reason, "  ")
                lines.append(f"  - {_flow(promise)}")
            continue
        for reason in reasons.get(key, []):
            lines += _comment(reason)
        lines.append(
            f"{key}: {_flow(plan[key], bare={'method': 'name', 'publish': 'path'}.get(key))}"
        )
    return "\n".join(lines) + "\n"


def _source(source: Mapping[str, Any]) -> Iterator[str]:
    lines = source.get("query", "").split("\n")
    is_written_out = len(lines) > 1 and all(line.isprintable() for line in lines)
    if "read" not in source and not is_written_out:
        yield f"source: {_flow(source, bare='path')}"
        return
    yield "source:"
    for key, value in source.items():
        if key == "query" and is_written_out:
            yield from _query(value, "  ")
        elif key != "read":
            yield f"  {key}: {_flow(value)}"
    if "read" not in source:
        return
    yield from _comment("How texts are read; one that does not fit stops the run.", "  ")
    yield "  read:"
    yield from (f"    {_scalar(name)}: {_flow(how)}" for name, how in source["read"].items())


def _singling(proposal: Proposal) -> Iterator[str]:
    """The sets of columns that single rows out, and how many rows."""
    table, found = proposal.survey.table, proposal.singling
    yield "#"
    if not found:
        yield from _comment("No column and no two or three columns together single out many rows.")
        return
    rows = "rows" if table.is_whole else "rows of the sample (of all rows at most as many)"
    yield from _comment(f"Columns that single people out, with the share of {rows}:")
    for one in found:
        share = percent(one.share)
        names = ", ".join(comment(name) for name in one.columns)
        yield from _comment(f"{share:>9}  {names}", indent="", hanging=" " * 11)


def _costs(proposal: Proposal) -> Iterator[str]:
    """What each quasi-identifier takes of what classes can tell, if that is too little for all."""
    columns = [proposal.survey.columns[name] for name in proposal.hierarchies]
    k = proposal.plan["privacy"][0]["k"]
    known = math.log2(max(proposal.survey.table.rows / k, 1))
    if sum(column.bits for column in columns) <= _CROWDED * known:
        return
    yield "#"
    yield from _comment(
        f"Classes of {k} of {proposal.survey.table.rows:,} rows can tell {known:.0f} bits, and the"
        f" quasi-identifiers have {sum(column.bits for column in columns):.0f}, so each loses"
        " detail. To keep more of some, leave out others. Each with its bits, and the share of rows"
        " that it singles out alone:"
    )
    for column in sorted(columns, key=lambda each: -each.bits):
        share = percent(column.sampled_once / proposal.survey.table.sampled_rows)
        yield from _comment(
            f"{column.bits:>5.1f}  {share:>9}  {comment(column.name)}", hanging=" " * 18
        )


_CROWDED = 2
"""How many times the bits of all quasi-identifiers exceed those that classes can tell."""


def _columns(columns: Mapping[str, Any], whys: Mapping[str, str]) -> Iterator[str]:
    for name, value in columns.items():
        yield from _comment(whys.get(name, ""), "  ")
        query = value.get("hierarchy", {})
        if isinstance(query, Mapping) and "query" in query:
            yield f"  {_scalar(name)}:"
            yield f"    role: {value['role']}"
            yield "    hierarchy:"
            yield from _query(query["query"], "      ")
        else:
            yield f"  {_scalar(name)}: {_flow(value, bare='role')}"


def _query(sql: str, indent: str) -> Iterator[str]:
    """The key `query` with the lines of a query."""
    yield f"{indent}query: |2-"
    yield from (f"{indent}  {line}" for line in sql.split("\n"))


def _comment(text: str, indent: str = "", hanging: str = "") -> list[str]:
    """Sentences as comment lines."""
    return textwrap.wrap(
        comment(text), _WIDTH, initial_indent=f"{indent}# ",
        subsequent_indent=f"{indent}# {hanging}", break_long_words=False, break_on_hyphens=False,
        drop_whitespace=not hanging,
    )  # fmt: skip


def _flow(value: Any, bare: str | None = None) -> str:
    """A value on one line; a mapping with one key, `bare`, is that key's value."""
    if isinstance(value, Mapping):
        if bare is not None and list(value) == [bare]:
            return _flow(value[bare])
        return "{" + ", ".join(f"{_scalar(k)}: {_flow(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_flow, value)) + "]"
    return _scalar(value)


def _scalar(value: Any) -> str:
    """A text, number or truth value; texts are quoted where YAML could read something else."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float | Decimal):
        return str(value)
    text = str(value)
    if _PLAIN.fullmatch(text) and text.casefold() not in _WORDS_OF_YAML:
        return text
    quoted = json.dumps(text, ensure_ascii=False)
    return _NOT_OF_YAML.sub(lambda found: f"\\u{ord(found[0]):04x}", quoted)
