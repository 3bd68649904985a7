"""Persons with several rows by brute force: every method and model that allows `unit`.

Random tables have 1 to 5 rows a person. What a promise means where persons are counted the Python
of `tests/oracles/models` says, of the published rows, joined with whose they are by a number that
each of them carries. Nothing of it is shared with the package.

By default a class is the rows with equal labels. With linked histories it is the rows of all
persons who have the same multiset of labels (Nergiz, Clifton and Nergiz 2009).
"""

from __future__ import annotations

import itertools
import math
import random
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import duckdb
import pytest

import sqlanon
from sqlanon import NoSolutionError, Options, PlanError
from sqlanon.methods import METHODS
from sqlanon.registry import default_of
from tests.oracles.models import KNOWN, RUNS, draw
from tests.privacy_models.test_promises import (
    FULL_DOMAIN,
    Brute,
    Groups,
    Key,
    Node,
    PlanMapping,
    Row,
    Task,
    Trees,
    Value,
    is_whole,
    known_of,
    size,
)

COMPLETE = ("optimal", "incognito", "samarati")
CUTTING = ("mondrian", "k-mondrian", "dimension-splitting")
BY_POPULATION = "mpalm"
TABLES = math.ceil(1000 / len(RUNS))
"""Of each title: a thousand in all."""

LABELS: Trees = {
    "a": {v: (v, "pq" if v in "pq" else "rs", "*") for v in "pqrs"},
    "b": {v: (v, "below 40" if v < "40" else "40 or more", "*") for v in ("20", "30", "40", "50")},
}
Rows = Mapping[int, Row]
"""Rows by their numbers in the file, which are published."""


def loss(task: Task, node: Node, kept: Groups) -> Fraction:
    """The share of the values that labels cover; a suppressed row loses everything."""
    total = Fraction(len(task.rows))
    for row in itertools.chain.from_iterable(kept.values()):
        total -= 1
        for levels, value, level in zip(LABELS.values(), row.key, node, strict=True):
            same = sum(own[level] == levels[value][level] for own in levels.values())
            total += Fraction(same if same > 1 else 0, 2 * len(levels))
    return total / len(task.rows)


# --- random tables

WEAK: dict[str, dict[str, Any]] = {
    "t-closeness": {"t": 0.6}, "beta-likeness": {"beta": 2}, "delta-disclosure": {"delta": 2},
    "alpha-k-anonymity": {"alpha": 0.75, "k": 2}, "k-e-anonymity": {"k": 2, "e": 1},
    "average-risk": {"threshold": 0.5}, "prosecutor-risk": {"threshold": 0.5},
    "journalist-risk": {"threshold": 0.34}, "marketer-risk": {"threshold": 0.34}, "k-map": {"k": 3},
    "delta-presence": {"dmax": 0.9},
}  # fmt: skip
ONE_VALUE = ("entropy", "recursive", "pd", "npd", "t-closeness", "k-e-anonymity")


def rows_of(choose: random.Random, title: str, *, constant: bool) -> list[Row]:
    """Up to sixteen persons with 1 to 5 rows each; many are alike, some change."""
    needs_one = any(name in title.split() for name in ONE_VALUE)
    is_numeric = title.startswith("k-e") or "ordered" in title or "hierarchical" in title
    values: Sequence[Value] = choose.choice([("1", "2"), ("1", "2", "10"), ("1", "2", "3.5", None)])
    values = values[:3] if is_numeric else values
    several = choose.random() < (0.25 if needs_one else 0.6)
    anywhere = list(itertools.product(*LABELS.values()))
    kinds = [choose.choices(anywhere, k=choose.randint(1, 5)) for _ in range(choose.randint(1, 4))]
    moving = 0 if constant else choose.choice([0, 0.1, 0.5])
    rows: list[Row] = []
    for person in range(choose.randint(3, 16)):
        own = choose.choice(values) if person > 1 else values[person]  # promises name two of them
        other = choose.choice("xy")
        events = choose.choice(kinds)
        for number, (a, b) in enumerate(events):
            a, b = events[0] if constant else (a, b)
            a = choose.choice("pqrs") if choose.random() < moving else a
            value = choose.choice(values) if several and number else own
            other = choose.choice("xy") if several else other
            rows.append(Row((a, b), value, other, f"key-{person}"))
    choose.shuffle(rows)
    return rows


def task_of(title: str, table: int, mode: str) -> Task:
    """A table, and a promise of this title."""
    choose = random.Random(f"persons {title} {table} {mode}")
    known = known_of(title)
    model = draw(title, choose)
    if choose.random() < 0.35:
        model |= {name: v for name, v in WEAK.get(known.name, {}).items() if name in model}
    if known.name == "l-diversity" and choose.random() < 0.6:
        model["l"] = 1.5 if model.get("kind") in ("entropy", "frequency") else 2
    if known.may_be_joint and choose.random() < 0.2:
        model["mode"] = "joint"
    limit = choose.choice(["0", "0.2", "0.5"])
    if is_whole(known.cls.model_validate(model)) and mode != "default":
        limit = "0"
    if known.compares and limit == "0" and choose.random() < 0.3:
        model["reference"] = "published"
    privacy = [model]
    if choose.random() < 0.4 and known.name != "k-anonymity":
        privacy.insert(choose.randint(0, 1), {"model": "k-anonymity", "k": choose.choice([2, 3])})
    rows = rows_of(choose, title, constant=known.counts_population)
    people: list[Key] | None = None
    if known.counts_population:
        people = list({row.person: row.key for row in rows}.values())
        living = people if choose.random() < 0.6 else list(itertools.product(*LABELS.values()))
        people += choose.choices(living, k=choose.randint(3, 30))
    return Task(
        rows, privacy, limit, population=people, unit=True, linked=mode != "default", trees=LABELS
    )


def ways(title: str) -> list[tuple[str, str]]:
    """The methods and modes that a promise is tried with."""
    methods = [*FULL_DOMAIN, *CUTTING]
    if known_of(title).counts_population:
        return [(method, "default") for method in [*methods, BY_POPULATION]]
    linked = [(method, mode) for mode in ("linked", "capped") for method in FULL_DOMAIN]
    return [*((method, "default") for method in methods), *linked]


# --- the run, and what it publishes


def plan_of(task: Task, method: str, most: int | None, choose: random.Random) -> PlanMapping:
    """The plan, over files in the current folder; `most` is the cap of rows of a person."""
    plan = task.plan(method=method)
    columns = plan["columns"]
    columns["n"] = "insensitive"
    if method not in FULL_DOMAIN:
        del plan["suppression"]
        columns["b"] = {"role": "quasi-identifier", "type": "numeric"}
        if method != "dimension-splitting":
            plan["method"] = {"name": method, "cut": choose.choice(["median-both", "any"])}
    if task.linked:
        pseudonym = {"role": "identifier", "action": "pseudonym", "key": "random"}
        columns["person"] = choose.choice([pseudonym, "insensitive"])
        plan["unit"] = {"column": "person", "histories": "linked"}
        plan["unit"] |= {"rows": most} if most else {}
    return plan


def published() -> list[dict[str, Any]]:
    """The rows of the publication."""
    with duckdb.connect(config={"threads": 1}) as connection:
        found = connection.execute("from 'published.parquet'")
        names = [name for name, *_ in found.description or ()]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def run(plan: PlanMapping) -> Any:
    return sqlanon.run(plan, Options(overwrite=True, threads=1))


def capped(rows: Rows, most: int, plan: PlanMapping) -> Rows:
    """The rows that are left of each person: those that a plan publishes that any table holds.

    The key of both runs is the same.
    """
    run({**plan, "privacy": [{"model": "l-diversity", "attribute": "s", "l": 1}]})
    left = {n: rows[n] for n in sorted(int(row["n"]) for row in published())}
    everybody = Counter(row.person for row in rows.values())
    expected = {who: min(n, most) for who, n in everybody.items()}
    assert Counter(row.person for row in left.values()) == expected
    return left


def check_plan(title: str, table: int, method: str, mode: str, patch: pytest.MonkeyPatch) -> None:
    """Run one plan and check all that it publishes, or that it may refuse."""
    choose = random.Random(f"ways {title} {table} {method} {mode}")
    task = task_of(title, table, mode)
    rows: Rows = dict(enumerate(task.rows))
    most = choose.randint(1, 3) if mode == "capped" else None
    plan = plan_of(task, method, most, choose)
    if most:
        keys = SimpleNamespace(token_hex=lambda count: "0123456789abcdef" * 4)
        patch.setattr("sqlanon.source.secrets.secrets", keys)
        rows = capped(rows, most, plan)
        task = replace(task, rows=list(rows.values()))
    lists = [
        m.get(key, ()) for m in task.privacy for key in ("values", "harmless", "never_excluded")
    ]
    if not set(itertools.chain(*lists)) <= {row.s for row in task.rows}:
        with pytest.raises(PlanError, match="that the source does not have"):
            run(plan)
        return
    brute = Brute(task, [KNOWN[m["model"]].cls.model_validate(m) for m in task.privacy])
    try:
        result = run(plan)
    except NoSolutionError as refusal:
        check_refusal(brute, method, str(refusal))
        return
    manifest, out = result.manifest, {int(row["n"]): row for row in published()}
    assert len(out) == manifest["rows"]["published"]
    check_rows(task, rows, out)
    places: list[Key | None] = [(out[n]["a"], out[n]["b"]) if n in out else None for n in rows]
    classes = brute.grouped(places)
    shown = {key for key in places if key}
    located = Counter(k for key in task.population or () for k in shown if covers(k, key))
    living = {key: located[key] if task.population else None for key in classes}
    for model, entry in zip(brute.models, manifest["privacy"], strict=True):
        assert all(holds for _, holds in brute.verdicts(model, classes, living, task.rows))
        if model.model in ("k-anonymity", "k-map"):
            sizes = [size(model, brute.as_class(c, "s", living[k])) for k, c in classes.items()]
            assert entry["measured"] == min(sizes)
    if any(m.get("dmin") and m["suppressed"] == "violation" for m in task.privacy):
        assert located.total() == len(task.population or ())
    lost = len(rows) - len(out)
    if method in FULL_DOMAIN:
        check_node(brute, method, manifest, places)
        assert manifest["solution"]["classes"] == len(classes)
        for one in result.suppressed_groups:
            groups = [(group.rows, group.suppressed_rows) for group in one.groups]
            groups.append((one.other_rows, one.other_suppressed_rows))
            assert [sum(n) for n in zip(*groups, strict=True)] == [len(rows), lost]
    else:
        assert not lost
        for row in task.rows:
            assert sum(covers(key, row.key) for key in shown) == 1
    if not task.linked:
        sizes_of = {key: brute.as_class(members).size for key, members in classes.items()}
        assert all(row["persons"] == sizes_of[row["a"], row["b"]] for row in out.values())
    whole, seen = ({rows[n].person for n in each} for each in (rows, out))
    assert manifest["persons"] == {
        "input": len(whole), "published": len(seen), "suppressed": len(whole - seen),
    }  # fmt: skip
    assert manifest["rows"]["suppressed"] == lost
    if choose.random() < 0.15:
        found = sqlanon.verify("published.parquet", plan, manifest=False)
        for model, finding in zip(brute.models, found, strict=True):
            is_open = (
                known_of(model.model).compares if task.linked else finding.verdict == "not shown"
            )
            assert finding.satisfied or is_open, finding
    if not most and choose.random() < 0.15:
        found = sqlanon.verify("published.parquet", plan, manifest=False, with_source=True)
        assert all(finding.satisfied for finding in found), found
        assert {finding.class_count for finding in found} == {len(classes)}


def check_rows(task: Task, rows: Rows, out: Mapping[int, Mapping[str, Any]]) -> None:
    """Values are those of the source; of a person there is a pseudonym, or nothing."""
    names = {"n", "a", "b", "s", "o", "person" if task.linked else "persons"}
    for n, row in out.items():
        assert row.keys() == names
        assert (row["s"], row["o"]) == (rows[n].s, rows[n].o)
        assert covers((row["a"], row["b"]), rows[n].key)
        assert task.linked or not any("key-" in str(cell) for cell in row.values())
    if task.linked:
        joined = {(row["person"], rows[n].person) for n, row in out.items()}
        assert len(joined) == len({w for w, _ in joined}) == len({w for _, w in joined})


def covers(key: Key, place: Key) -> bool:
    """Whether labels say so of a value of `a` and a number of `b`."""
    if key[0] not in LABELS["a"][place[0]] or key[1][0] not in "[(":
        return key[0] in LABELS["a"][place[0]] and key[1] in LABELS["b"][place[1]]
    low, high = map(float, key[1][1:-1].split(", "))
    value = int(place[1])
    return low <= value and (value <= high if key[1][-1] == "]" else value < high)


def check_node(
    brute: Brute, method: str, manifest: Mapping[str, Any], places: Sequence[Key | None]
) -> None:
    """The node publishes what it should, and the method finds what it guarantees."""
    task = brute.task
    node = manifest["solution"]["node"]["a"], manifest["solution"]["node"]["b"]
    for row, key in zip(task.rows, places, strict=True):
        assert key in (None, task.label(row.key, node))
    outcomes = {each: brute.outcome(each) for each in task.nodes}
    if any(each is None or each.is_tied for each in outcomes.values()):
        assert places.count(None) <= brute.limit
        return
    costs = {n: loss(task, n, o.published) for n, o in outcomes.items() if o}
    found = outcomes[node]
    assert found is not None
    assert brute.grouped(places) == found.published
    assert manifest["utility"]["loss"] == pytest.approx(float(costs[node]), abs=1e-9)
    allowed = brute.satisfying(outcomes)
    assert node in allowed
    if method in ("optimal", "incognito"):
        assert costs[node] == min(costs[each] for each in allowed)
    if method == "samarati":
        assert sum(node) == min(map(sum, allowed))


def check_refusal(brute: Brute, method: str, reported: str) -> None:
    """A complete method refuses what no node holds; the others what one class does not hold."""
    task = brute.task
    several = re.search(r"In (\d+) class.*however fine", reported)
    if several and not task.linked:
        finest = defaultdict(list)
        for row in task.rows:
            known = row.o if any(m.get("mode") == "joint" for m in task.privacy) else None
            finest[row.key, known].append(row)
        assert int(several[1]) == sum(brute.as_class(c).has_several for c in finest.values())
    if method not in FULL_DOMAIN:
        brute.limit = 0
    nodes = task.nodes if method in COMPLETE else task.nodes[-1:]
    outcomes = {node: brute.outcome(node) for node in nodes}
    is_tied = any(each is None or each.is_tied for each in outcomes.values())
    assert is_tied or not brute.satisfying(outcomes)


@pytest.mark.sampled(0.02, by="title")
@pytest.mark.parametrize("table", range(TABLES))
@pytest.mark.parametrize("title", RUNS)
def test_a_random_table(title: str, table: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The ways of a title go round."""
    every = ways(title)
    check_plan(title, table, *every[table % len(every)], monkeypatch)


def test_other_methods_refuse_persons() -> None:
    """Those that deal rows into buckets; all others are tried above."""
    plan = plan_of(task_of("k-anonymity", 0, "default"), "mondrian", None, random.Random(0))
    plan["columns"]["o"] = "insensitive"
    others = {default_of(cls, "name") for cls in METHODS if cls.needs_sensitive}
    tried = {*FULL_DOMAIN, *CUTTING, BY_POPULATION}
    assert {default_of(cls, "name") for cls in METHODS} == tried | others
    for method in others:
        with pytest.raises(PlanError, match="would be in several buckets"):
            sqlanon.Plan(**{**plan, "method": method, "publish": "out/"})
