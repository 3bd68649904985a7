"""Texts of plans: valid ones with keys dropped, types swapped, hostile scalars, broken bytes."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import yaml
from hypothesis import strategies as st

import sqlanon
from sqlanon.plan.plan import Plan
from tests.fuzz.common import HOSTILE, INJECTED, Case, Kind, Outcome, attempt, require, texts

CELL = "canary-of-a-cell"

PLANS: tuple[dict[str, Any], ...] = tuple(
    yaml.safe_load_all("""
source: {path: rows.csv, delimiter: ",", header: true, types: {n: integer}}
columns:
  name: identifier
  age: {role: quasi-identifier, hierarchy: {intervals: [5, 10]}, weight: 2}
  zip: {role: quasi-identifier, hierarchy: {mask: {characters: 3}}}
  n: sensitive
privacy: [{model: k-anonymity, k: 2}]
suppression: {limit: 0.1, rows: mask}
method: {name: optimal, objective: {name: loss, aggregate: mean}}
publish: out.parquet
---
source: rows.csv
columns:
  name: {role: identifier, action: star}
  age:
    role: quasi-identifier
    hierarchy: {cut_points: [[20], [20]], labels: [[a, b], [x, y]]}
  zip: {role: quasi-identifier, hierarchy: zips.csv, type: categorical}
  n: {role: sensitive, hierarchy: {round: [1, 0]}}
privacy:
- {model: l-diversity, kind: recursive, l: 2, c: 1.5, harmless: ["1"]}
- {model: t-closeness, t: 0.4, distance: hierarchical}
- {model: alpha-k-anonymity, alpha: 0.5, k: 2, values: ["1"]}
method: {name: mondrian, cut: quantiles, labels: region}
order: source
publish: {path: out.csv}
---
source: {query: select * from 'rows.csv'}
population: rows.csv
columns:
  name: insensitive
  age: {role: quasi-identifier, type: numeric}
  zip: {role: quasi-identifier, hierarchy: {taxonomy: zips.txt}}
  n: sensitive
missing: drop-rows
privacy: [{model: delta-presence, dmin: 0, dmax: 1}, {model: k-map, k: 2}]
method: mpalm
publish: out.duckdb::main.t
---
source: rows.csv
columns: {name: insensitive, age: quasi-identifier, zip: quasi-identifier, n: sensitive}
privacy: [{model: l-diversity, l: 2, kind: frequency, attribute: n}]
method: {name: slicing, columns: [[age, zip], [name], [n]]}
publish: out.parquet
""")
)

SCALARS: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2, 3.5, 1e308, -1e308, 1e-320, float("inf"), float("nan"), 2**31,
    2**63, 2**64, 10**30, "", [], {}, [[]], [{}], {"": None}, ["a", ["b", ["c"]]],
    {"a": {"b": {"c": {}}}}, "quasi-identifier", "identifier", "sensitive", "a" * 3000,
)  # fmt: skip

TOKENS = (
    "\0", "\t", "&a ", "*a", "<<: *a", "!!str ", "!!set ", "!!binary aGk=", "!!python/object:os ",
    "? ", ": ", "- ", "[", "]", "{", "}", "|", ">", "---\n", "...\n", "%YAML 9.9\n", "#", "'", '"',
    "\xff", "\xfe\xff", "\xef\xbb\xbf", "\x85", "\xe2\x80\xa8", "~", "0o7", "0x", "1_000", "1:60",
    "2020-01-01", "=", "@", "`", "\\", "\r", "yes", "no",
)  # fmt: skip


def _places(value: Any, above: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a document below its root."""
    if not isinstance(value, dict | list):
        return []
    items = value.items() if isinstance(value, dict) else enumerate(value)
    below = [[(*above, key), *_places(inner, (*above, key))] for key, inner in items]
    return [place for places in below for place in places]


@st.composite
def _cases(draw: st.DrawFn) -> Case:
    plan = copy.deepcopy(draw(st.sampled_from(PLANS)))
    for _ in range(draw(st.sampled_from([0, 1, 1, 1, 2, 3]))):
        places = _places(plan)
        if not places:
            break
        *above, key = draw(st.sampled_from(places))
        owner: Any = plan
        for step in above:
            owner = owner[step]
        match draw(st.integers(0, 6)):
            case 0:
                del owner[key]
            case 1 | 2:
                owner[key] = copy.deepcopy(draw(st.sampled_from(SCALARS)))
            case 3:
                owner[key] = draw(texts)
            case 4 if isinstance(owner, dict):
                owner[draw(texts)] = owner.pop(key)
            case 5:
                owner[key] = [owner[key]] * draw(st.integers(1, 3))
            case _:
                owner[key] = {
                    draw(st.one_of(texts, st.sampled_from(list(plan) or ["a"]))): owner[key]
                }
    # `sort_keys` would compare keys of several types
    text = yaml.safe_dump(plan, allow_unicode=draw(st.booleans()), sort_keys=False)
    content = text.encode().decode("latin-1")
    for _ in range(draw(st.sampled_from([0, 0, 0, 1, 2]))):
        place = draw(st.integers(0, len(content)))
        removed = draw(st.integers(0, 3))
        token = draw(st.one_of(st.sampled_from(TOKENS), st.sampled_from(HOSTILE[:20])))
        content = content[:place] + token.encode().decode("latin-1") + content[place + removed :]
    return {"text": content}


def _check(case: Case, folder: Path) -> Outcome:
    cells = "".join(f"{CELL},{20 + n},0{n},{n % 3}\n" for n in range(6))
    Path("rows.csv").write_text(f"name,age,zip,n\n{cells}", encoding="utf-8")
    Path("zips.csv").write_text("".join(f"0{n};0*;*\n" for n in range(6)), encoding="utf-8")
    Path("zips.txt").write_text("*: a, b\na: 00, 01, 02\nb: 03, 04, 05\n", encoding="utf-8")
    Path("plan.yml").write_bytes(case["text"].encode("latin-1"))
    before = {path.name for path in folder.iterdir()}
    plan = attempt(lambda: sqlanon.load_plan("plan.yml"), hidden=[CELL])
    if plan is None:
        return "refused"
    require(isinstance(plan, Plan), "load_plan returned something else than a plan")
    checked = attempt(lambda: sqlanon.check("plan.yml"), hidden=[CELL])
    require(not Path(INJECTED).exists(), "an injected statement was executed")
    left = {path.name for path in folder.iterdir()} - before
    require(not left, "a check wrote a file")
    return "accepted" if checked else "refused"


PLAN_TEXTS = Kind("plans", 850, _cases(), _check)
"""A text is a plan or is refused with a SqlanonError, soon, and no cell is shown."""
