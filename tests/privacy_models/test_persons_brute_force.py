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
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from types import SimpleNamespace
from typing import Any, NamedTuple

import duckdb
import pytest

import sqlanon
from sqlanon import NoSolutionError, Options, PlanError
from sqlanon.methods import METHODS
from sqlanon.registry import default_of
from tests.oracles.class_relations import Class
from tests.oracles.models import KNOWN, RUNS, draw, verdict
from tests.privacy_models.test_promises import SENSITIVE
from tests.support.tables import write_csv

COMPLETE = ("optimal", "incognito", "samarati")
FULL_DOMAIN = (*COMPLETE, "datafly")
CUTTING = ("mondrian", "k-mondrian", "dimension-splitting")
BY_POPULATION = "mpalm"
TABLES = math.ceil(1000 / len(RUNS))
"""Of each title: a thousand in all."""

LABELS: dict[str, dict[str, tuple[str, ...]]] = {
    "a": {v: (v, "pq" if v in "pq" else "rs", "*") for v in "pqrs"},
    "b": {v: (v, "below 40" if v < "40" else "40 or more", "*") for v in ("20", "30", "40", "50")},
}
"""By quasi-identifier and value, the labels of its levels."""

NODES = list(itertools.product(range(3), range(3)))
Model = Mapping[str, Any]
Value = str | None


class Line(NamedTuple):
    """A row: its number, whose it is, quasi-identifiers, the sensitive value, another one."""

    n: str
    who: str
    a: str
    b: str
    s: Value
    o: Value


Lines = Sequence[Line]
Place = tuple[str, str]
"""The quasi-identifiers of somebody in the population."""


class Members(NamedTuple):
    """A class, and how many persons of the population are in it."""

    lines: Lines
    living: int


# --- what a promise means


def model_of(m: Model) -> Any:
    """The promise of a plan, as the oracles take it."""
    return KNOWN[m["model"]].cls.model_validate(m)


def is_whole(m: Model) -> bool:
    """Whether it is about all classes together: persons are counted in each of theirs."""
    return KNOWN[m["model"]].is_of_table(model_of(m))


def counted(lines: Lines, living: int = 0) -> Class:
    """The persons of a class or of the table, with their values, and those who live there."""
    return Class(tuple(line.s for line in lines), living, tuple(line.who for line in lines))


def holds(m: Model, members: Members, table: Lines) -> bool:
    """Whether a class holds a promise; in joint mode, every part with one value of the other."""
    parts = defaultdict(list)
    for line in members.lines:
        parts[line.o if m.get("mode") == "joint" else None].append(line)
    q = counted(table).shares
    found = [counted(part, members.living) for part in parts.values()]
    return all(verdict(model_of(m), part, q, SENSITIVE)[1] for part in found)


# --- a task, and what a node of the lattice publishes


class Task(NamedTuple):
    """A table and what is asked of it; `most` is the cap of rows of a person."""

    lines: Lines
    privacy: Sequence[Model]
    limit: str
    linked: bool
    population: Sequence[Place] = ()
    most: int | None = None

    @property
    def limit_rows(self) -> int:
        """With a lower bound on being in the table, a suppressed person is a violation."""
        is_bound = any(m.get("dmin") and m["suppressed"] == "violation" for m in self.privacy)
        return 0 if is_bound else int(Fraction(self.limit) * len(self.lines))


class Outcome(NamedTuple):
    """The classes that a node publishes, whether it may, and whether it could leave out others."""

    classes: Sequence[Members]
    is_allowed: bool
    is_tied: bool


def label(place: Place, node: Sequence[int]) -> Place:
    return LABELS["a"][place[0]][node[0]], LABELS["b"][place[1]][node[1]]


def classes_of(
    task: Task, places: Mapping[Line, Place], living: Mapping[Place, int]
) -> list[Members]:
    """The classes of rows with these labels."""
    alike: dict[str, list[Line]] = defaultdict(list)
    for line in places:
        alike[line.who if task.linked else line.n].append(line)
    found: dict[tuple[Place, ...], list[Line]] = defaultdict(list)
    for own in alike.values():
        found[tuple(sorted(places[line] for line in own))] += own
    return [Members(lines, living.get(key[0], 0)) for key, lines in found.items()]


def size_of(m: Model, c: Members) -> int:
    """The persons of a class, of the table or of the population, whom the promise counts."""
    return KNOWN[m["model"]].size(counted(*c))


def outcome(task: Task, node: Sequence[int]) -> Outcome:
    places = {line: label((line.a, line.b), node) for line in task.lines}
    living = Counter(label(place, node) for place in task.population)
    single = [m for m in task.privacy if not is_whole(m)]
    good = [
        c for c in classes_of(task, places, living) if all(all_hold(m, task, [c]) for m in single)
    ]
    is_tied = False
    for m in filter(is_whole, task.privacy):
        good.sort(key=lambda c: size_of(m, c))
        left = [0]
        while good and not whole_holds(m, good):
            left.append(size_of(m, good.pop(0)))
        is_tied |= bool(good) and left[-1] == size_of(m, good[0])
    rows = sum(len(c.lines) for c in good)
    is_allowed = rows > 0 and len(task.lines) - rows <= task.limit_rows
    if any(m.get("dmin") for m in task.privacy):
        is_allowed &= living.keys() <= set(places.values())
    return Outcome(good, is_allowed, is_tied)


def whole_holds(m: Model, classes: Sequence[Members]) -> bool:
    found = [counted(*each) for each in classes]
    return bool(KNOWN[m["model"]].module.of_table(model_of(m), found)[1])


def all_hold(m: Model, task: Task, classes: Sequence[Members]) -> bool:
    if is_whole(m):
        return whole_holds(m, classes)
    return all(holds(m, each, task.lines) for each in classes)


def loss(task: Task, node: Sequence[int], kept: Iterable[Members]) -> Fraction:
    """The share of the values that labels cover; a suppressed row loses everything."""
    total = Fraction(len(task.lines))
    for line in itertools.chain.from_iterable(c.lines for c in kept):
        total -= 1
        for levels, value, level in zip(LABELS.values(), line[2:4], node, strict=True):
            same = sum(own[level] == levels[value][level] for own in levels.values())
            total += Fraction(same if same > 1 else 0, 2 * len(levels))
    return total / len(task.lines)


# --- random tables

WEAK: dict[str, dict[str, Any]] = {
    "t-closeness": {"t": 0.6}, "beta-likeness": {"beta": 2}, "delta-disclosure": {"delta": 2},
    "alpha-k-anonymity": {"alpha": 0.75, "k": 2}, "k-e-anonymity": {"k": 2, "e": 1},
    "average-risk": {"threshold": 0.5}, "prosecutor-risk": {"threshold": 0.5},
    "journalist-risk": {"threshold": 0.34}, "marketer-risk": {"threshold": 0.34}, "k-map": {"k": 3},
    "delta-presence": {"dmax": 0.9},
}  # fmt: skip
ONE_VALUE = ("entropy", "recursive", "pd", "npd", "t-closeness", "k-e-anonymity")


def lines_of(choose: random.Random, title: str, *, constant: bool) -> list[Line]:
    """Up to sixteen persons with 1 to 5 rows each; many are alike, some change."""
    needs_one = any(name in title.split() for name in ONE_VALUE)
    is_numeric = title.startswith("k-e") or "ordered" in title or "hierarchical" in title
    values: Sequence[Value] = choose.choice([("1", "2"), ("1", "2", "10"), ("1", "2", "3.5", None)])
    values = values[:3] if is_numeric else values
    several = choose.random() < (0.25 if needs_one else 0.6)
    kinds = [
        [
            (choose.choice("pqrs"), choose.choice([*LABELS["b"]]))
            for _ in range(choose.randint(1, 5))
        ]
        for _ in range(choose.randint(1, 4))
    ]
    moving = 0 if constant else choose.choice([0, 0.1, 0.5])
    lines: list[Line] = []
    for person in range(choose.randint(3, 16)):
        own = choose.choice(values) if person > 1 else values[person]  # promises name two of them
        other = choose.choice("xy")
        events = choose.choice(kinds)
        for place, (a, b) in enumerate(events):
            a, b = events[0] if constant else (a, b)
            a = choose.choice("pqrs") if choose.random() < moving else a
            value = choose.choice(values) if several and place else own
            other = choose.choice("xy") if several else other
            lines.append(Line(f"{len(lines)}", f"key-{person}", a, b, value, other))
    choose.shuffle(lines)
    return lines


def task_of(title: str, table: int, mode: str) -> Task:
    """A table, and a promise of this title."""
    choose = random.Random(f"persons {title} {table} {mode}")
    known = KNOWN[title.split()[0]]
    model = draw(title, choose)
    if choose.random() < 0.35:
        model |= {name: v for name, v in WEAK.get(known.name, {}).items() if name in model}
    if known.name == "l-diversity" and choose.random() < 0.6:
        model["l"] = 1.5 if model.get("kind") in ("entropy", "frequency") else 2
    if known.may_be_joint and choose.random() < 0.2:
        model["mode"] = "joint"
    limit = choose.choice(["0", "0.2", "0.5"])
    if is_whole(model) and mode != "default":
        limit = "0"
    if known.compares and limit == "0" and choose.random() < 0.3:
        model["reference"] = "published"
    privacy = [model]
    if choose.random() < 0.4 and known.name != "k-anonymity":
        privacy.insert(choose.randint(0, 1), {"model": "k-anonymity", "k": choose.choice([2, 3])})
    lines = lines_of(choose, title, constant=known.counts_population)
    people: list[Place] = []
    if known.counts_population:
        people = [(a, b) for a, b in {line.who: (line.a, line.b) for line in lines}.values()]
        anybody = [(a, b) for a in LABELS["a"] for b in LABELS["b"]]
        living = people if choose.random() < 0.6 else anybody
        people += choose.choices(living, k=choose.randint(3, 30))
    most = choose.randint(1, 3) if mode == "capped" else None
    return Task(lines, privacy, limit, mode != "default", people, most)


def ways(title: str) -> list[tuple[str, str]]:
    """The methods and modes that a promise is tried with."""
    methods = [*FULL_DOMAIN, *CUTTING]
    if KNOWN[title.split()[0]].counts_population:
        return [(method, "default") for method in [*methods, BY_POPULATION]]
    linked = [(method, mode) for mode in ("linked", "capped") for method in FULL_DOMAIN]
    return [*((method, "default") for method in methods), *linked]


# --- the run, and what it publishes


def plan_of(task: Task, method: str, choose: random.Random) -> dict[str, Any]:
    """The plan, over files in the current folder."""
    write_csv("rows.csv", [Line._fields, *task.lines])
    write_csv("s.csv", [labels for value, labels in SENSITIVE.items() if value])
    for name, levels in LABELS.items():
        write_csv(f"{name}.csv", levels.values())
    columns: dict[str, Any] = {
        "n": "insensitive",
        "who": "identifier",
        "a": {"role": "quasi-identifier", "hierarchy": "a.csv"},
        "b": {"role": "quasi-identifier", "hierarchy": "b.csv"},
        "s": {"role": "sensitive", "hierarchy": "s.csv"},
        "o": "sensitive",
    }
    plan: dict[str, Any] = {
        "source": {"path": "rows.csv", "delimiter": ","},
        "columns": columns,
        "unit": "who",
        "privacy": [dict(model) for model in task.privacy],
        "method": method,
        "publish": "out.parquet",
    }
    if method in FULL_DOMAIN:
        plan["suppression"] = {"limit": task.limit}
    else:
        columns["b"] = {"role": "quasi-identifier", "type": "numeric"}
        if method != "dimension-splitting":
            plan["method"] = {"name": method, "cut": choose.choice(["median-both", "any"])}
    if task.linked:
        pseudonym = {"role": "identifier", "action": "pseudonym", "key": "random"}
        columns["who"] = choose.choice([pseudonym, "insensitive"])
        plan["unit"] = {"column": "who", "histories": "linked"}
        plan["unit"] |= {"rows": task.most} if task.most else {}
    if task.population:
        write_csv("population.csv", [("a", "b"), *task.population])
        plan["population"] = "population.csv"
    return plan


def published() -> list[dict[str, Any]]:
    """The rows of the publication."""
    with duckdb.connect(config={"threads": 1}) as connection:
        found = connection.execute("from 'out.parquet'")
        names = [name for name, *_ in found.description or ()]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def run(plan: Mapping[str, Any]) -> Any:
    return sqlanon.run(dict(plan), Options(overwrite=True, threads=1))


def capped(task: Task, plan: Mapping[str, Any]) -> Task:
    """The rows that are left of each person: those that a plan publishes that any table holds.

    The key of both runs is the same.
    """
    run({**plan, "privacy": [{"model": "l-diversity", "attribute": "s", "l": 1}]})
    kept = {row["n"] for row in published()}
    left = [line for line in task.lines if line.n in kept]
    everybody = Counter(line.who for line in task.lines)
    most = {who: min(n, task.most or 0) for who, n in everybody.items()}
    assert Counter(line.who for line in left) == most
    return task._replace(lines=left)


def tried(title: str, table: int, method: str, mode: str, patch: pytest.MonkeyPatch) -> str:
    """Run one plan and check all that it publishes, or that it may refuse."""
    choose = random.Random(f"ways {title} {table} {method} {mode}")
    task = task_of(title, table, mode)
    plan = plan_of(task, method, choose)
    if mode == "capped":
        keys = SimpleNamespace(token_hex=lambda count: "0123456789abcdef" * 4)
        patch.setattr("sqlanon.source.secrets.secrets", keys)
        task = capped(task, plan)
    lists = [
        m.get(key, ()) for m in task.privacy for key in ("values", "harmless", "never_excluded")
    ]
    if not set(itertools.chain(*lists)) <= {line.s for line in task.lines}:
        with pytest.raises(PlanError, match="that the source does not have"):
            run(plan)
        return "refused"
    try:
        result = run(plan)
    except NoSolutionError as refusal:
        check_refusal(task, method, str(refusal))
        return "refused"
    by_number = {line.n: line for line in task.lines}
    rows = [(by_number[row["n"]], row) for row in published()]
    check_rows(task, rows)
    places = {line: (row["a"], row["b"]) for line, row in rows}
    assert len(places) == len(rows)
    classes = check_classes(task, places)
    if method in FULL_DOMAIN:
        check_node(task, method, result.manifest, places)
        assert result.manifest["solution"]["classes"] == len(classes)
        for one in result.suppressed_groups:
            groups = [(group.rows, group.suppressed_rows) for group in one.groups]
            groups.append((one.other_rows, one.other_suppressed_rows))
            lost = len(task.lines) - len(rows)
            assert [sum(n) for n in zip(*groups, strict=True)] == [len(task.lines), lost]
    else:
        assert places.keys() == set(task.lines)
        for line in places:
            assert sum(covers(key, (line.a, line.b)) for key in set(places.values())) == 1
    if not task.linked:
        persons = {line: counted(*each).size for each in classes for line in each.lines}
        assert all(row["persons"] == persons[line] for line, row in rows)
    whole, shown = ({line.who for line in lines} for lines in (task.lines, places))
    assert result.manifest["persons"] == {
        "input": len(whole), "published": len(shown), "suppressed": len(whole - shown),
    }  # fmt: skip
    reported = result.manifest["rows"]
    assert (reported["published"], reported["suppressed"]) == (
        len(rows),
        len(task.lines) - len(rows),
    )
    for m, entry in zip(task.privacy, result.manifest["privacy"], strict=True):
        if m["model"] in ("k-anonymity", "k-map"):
            assert entry["measured"] == min(size_of(m, each) for each in classes)
    if choose.random() < 0.15:
        for m, finding in zip(
            task.privacy, sqlanon.verify("out.parquet", plan, manifest=False), strict=True
        ):
            is_open = KNOWN[m["model"]].compares if task.linked else finding.verdict == "not shown"
            assert finding.satisfied or is_open, finding
    if mode != "capped" and choose.random() < 0.15:
        found = sqlanon.verify("out.parquet", plan, manifest=False, with_source=True)
        assert all(finding.satisfied for finding in found), found
        assert {finding.class_count for finding in found} == {len(classes)}
    return "published"


def check_rows(task: Task, rows: Sequence[tuple[Line, Mapping[str, Any]]]) -> None:
    """Values are those of the source; of a person there is a pseudonym, or nothing."""
    names = {"n", "a", "b", "s", "o", "who" if task.linked else "persons"}
    for line, row in rows:
        assert row.keys() == names
        assert (row["s"], row["o"]) == (line.s, line.o)
        assert covers((row["a"], row["b"]), (line.a, line.b))
        assert task.linked or not any("key-" in str(cell) for cell in row.values())
    if task.linked:
        joined = {(row["who"], line.who) for line, row in rows}
        assert len(joined) == len({w for w, _ in joined}) == len({w for _, w in joined})


def check_classes(task: Task, places: Mapping[Line, Place]) -> list[Members]:
    """Everything that is published holds every promise: the classes, by what is published alone."""
    keys = set(places.values())
    located = Counter(key for place in task.population for key in keys if covers(key, place))
    classes = classes_of(task, places, located)
    assert all(all_hold(m, task, classes) for m in task.privacy)
    if any(m.get("dmin") and m["suppressed"] == "violation" for m in task.privacy):
        assert located.total() == len(task.population)
    return classes


def covers(key: Place, place: Place) -> bool:
    """Whether labels say so of a value of `a` and a number of `b`."""
    if key[0] not in LABELS["a"][place[0]] or key[1][0] not in "[(":
        return key[0] in LABELS["a"][place[0]] and key[1] in LABELS["b"][place[1]]
    low, high = map(float, key[1][1:-1].split(", "))
    value = int(place[1])
    return low <= value and (value <= high if key[1][-1] == "]" else value < high)


def check_node(
    task: Task, method: str, manifest: Mapping[str, Any], places: Mapping[Line, Place]
) -> None:
    """The node publishes what it should, and the method finds what it guarantees."""
    node = manifest["solution"]["node"]["a"], manifest["solution"]["node"]["b"]
    assert all(key == label((line.a, line.b), node) for line, key in places.items())
    by_node = {each: outcome(task, each) for each in NODES}
    if any(each.is_tied for each in by_node.values()):
        assert len(task.lines) - len(places) <= task.limit_rows
        return
    assert places.keys() == {line for c in by_node[node].classes for line in c.lines}
    costs = {n: loss(task, n, each.classes) for n, each in by_node.items() if each.is_allowed}
    assert manifest["utility"]["loss"] == pytest.approx(float(costs[node]), abs=1e-9)
    if method in ("optimal", "incognito"):
        assert costs[node] == min(costs.values())
    if method == "samarati":
        assert sum(node) == min(map(sum, costs))


def check_refusal(task: Task, method: str, reported: str) -> None:
    """A complete method refuses what no node holds; the others what one class does not hold."""
    several = re.search(r"In (\d+) class.*however fine", reported)
    if several and not task.linked:
        finest = defaultdict(list)
        for line in task.lines:
            known = line.o if any(m.get("mode") == "joint" for m in task.privacy) else None
            finest[line.a, line.b, known].append(line)
        assert int(several[1]) == sum(counted(lines).has_several for lines in finest.values())
    nodes = NODES if method in COMPLETE else NODES[-1:]
    task = task if method in FULL_DOMAIN else task._replace(limit="0")
    outcomes = [outcome(task, node) for node in nodes]
    assert any(each.is_tied for each in outcomes) or not any(each.is_allowed for each in outcomes)


# --- tests


@pytest.mark.sampled(0.02, by="title")
@pytest.mark.parametrize("table", range(TABLES))
@pytest.mark.parametrize("title", RUNS)
def test_a_random_table(title: str, table: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The ways of a title go round."""
    every = ways(title)
    tried(title, table, *every[table % len(every)], monkeypatch)


def test_other_methods_refuse_persons() -> None:
    """Those that deal rows into buckets; all others are tried above."""
    plan = plan_of(task_of("k-anonymity", 0, "default"), "mondrian", random.Random(0))
    plan["columns"]["o"] = "insensitive"
    others = {default_of(cls, "name") for cls in METHODS if cls.needs_sensitive}
    assert {default_of(cls, "name") for cls in METHODS} == {
        *FULL_DOMAIN,
        *CUTTING,
        BY_POPULATION,
    } | others
    for method in others:
        with pytest.raises(PlanError, match="would be in several buckets"):
            sqlanon.Plan(**{**plan, "method": method, "publish": "out/"})
