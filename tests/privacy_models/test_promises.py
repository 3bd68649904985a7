"""Plans with every model, end to end, against brute force over all nodes of small lattices.

The brute force reads the rows themselves, class by class; what a class must hold it asks the Python
of `models`. Nothing of it is shared with the package, but for models' parameters.
"""

from __future__ import annotations

import math
import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from decimal import Decimal
from itertools import product
from pathlib import Path
from typing import Any

import duckdb
import pytest

import sqlanon
from sqlanon import HierarchyError, NoSolutionError, PlanError, PrivacyViolation
from sqlanon.commands import session
from sqlanon.commands.options import Options
from sqlanon.commands.session import open_session
from sqlanon.engines.base import drive
from sqlanon.families import release_by_place
from sqlanon.methods import METHODS, full_domain
from sqlanon.methods.full_domain import FullDomainMethod
from sqlanon.plan.plan import Plan
from sqlanon.privacy_models.delta_presence import DeltaPresence
from sqlanon.privacy_models.promises import Promises
from sqlanon.program.program import Program, compile_program
from sqlanon.registry import default_of
from sqlanon.search.full_domain import FullDomainProblem
from sqlanon.source.frequency_set import prepare
from sqlanon.sql.step import Search, Step
from tests.oracles.class_relations import Class
from tests.oracles.models import (
    KNOWN,
    NEAR,
    RUNS,
    Known,
    Verdict,
    draw,
    verdict,
    whole_table,
    worst,
)
from tests.selection import example_count
from tests.support.searching import searched
from tests.support.tables import feed, write_csv

Value = str | None
Node = tuple[int, ...]
Key = tuple[Value, ...]
Model = dict[str, Any]
PlanMapping = dict[str, Any]

FULL_DOMAIN: tuple[str, ...] = tuple(
    default_of(method, "name") for method in METHODS if issubclass(method, FullDomainMethod)
)
"""The methods that search a lattice; tests/methods/test_partitioning.py is about the others."""
LIMITS = ("0", "0.1", "0.4")


def model_of(case: Model) -> object:
    """The model that a case is about, whatever its variant."""
    return case["name"].split()[0]


# --- a task: a table, its hierarchies, and what is asked of it

QUASI = ("a", "b", "c")
TREES: dict[str, dict[Value, tuple[Value, ...]]] = {
    "a": {f"v{n}": (f"v{n}", f"w{n // 2}", "*") for n in range(5)} | {None: (None, None, "*")},
    "b": {f"x{n}": (f"x{n}", f"y{n // 2}", f"z{n // 4}", "*") for n in range(6)},
    "c": {f"q{n}": (f"q{n}", "*") for n in range(3)} | {None: (None, "*")},
}
SENSITIVE: dict[Value, tuple[Value, ...]] = {
    "1": ("1", "low", "*"), "2": ("2", "low", "*"), "3.5": ("3.5", "high", "*"),
    "10": ("10", "high", "*"), None: (None, None, "*"),
}  # fmt: skip
"""The sensitive attribute `s`, a number or missing; `o` is another one, of text."""


@dataclass(frozen=True)
class Row:
    """A row: its quasi-identifiers, its sensitive values, whose it is."""

    key: Key
    s: Value
    o: Value = None
    person: str = ""


def placed(classes: Iterable[Class]) -> dict[tuple[str, Value], Class]:
    """Classes by keys of the same order."""
    return {("p", f"{place:06}"): each for place, each in enumerate(classes)}


@dataclass(frozen=True)
class Task:
    """A table to anonymize, and what is asked of it.

    Attributes:
        population: the quasi-identifiers of everybody; None where there is no population.
        unit: whether persons are counted.
    """

    rows: Sequence[Row]
    privacy: Sequence[Model]
    limit: str = "0"
    masked: bool = False
    population: Sequence[Key] | None = None
    unit: bool = False
    keys: Mapping[str, Any] = field(default_factory=dict)

    @property
    def names(self) -> Sequence[str]:
        """The quasi-identifiers."""
        return QUASI[: len(self.rows[0].key)]

    @property
    def nodes(self) -> list[Node]:
        """All lattice nodes."""
        tops = [len(next(iter(TREES[name].values()))) for name in self.names]
        return list(product(*map(range, tops)))

    def plan(self, **keys: Any) -> PlanMapping:
        """Write the files; the plan over them."""
        table = [[*row.key, row.s, row.o, row.person] for row in self.rows]
        write_csv("rows.csv", [[*self.names, "s", "o", "person"], *table])
        for name in (*self.names, "s"):
            tree = SENSITIVE if name == "s" else TREES[name]
            write_csv(f"h_{name}.csv", [path for path in tree.values() if path[0] is not None])
        columns: PlanMapping = {
            name: {"role": "quasi-identifier", "hierarchy": f"h_{name}.csv"} for name in self.names
        }
        columns["s"] = {"role": "sensitive", "hierarchy": "h_s.csv"}
        columns |= {"o": "sensitive", "person": "identifier"}
        plan: PlanMapping = {
            "source": {"path": "rows.csv", "delimiter": ","},
            "columns": columns,
            "privacy": [dict(model) for model in self.privacy],
            "suppression": {"limit": self.limit, "rows": "mask" if self.masked else "drop"},
            "method": {"name": "optimal", "objective": "height"},
            "publish": "published.parquet",
        }
        if self.population is not None:
            write_csv("population.csv", [self.names, *self.population])
            plan["population"] = "population.csv"
        if self.unit:
            plan["unit"] = "person"
        return {**plan, **self.keys, **keys}


# --- brute force


@dataclass(frozen=True)
class Outcome:
    """What a node publishes.

    Attributes:
        published: the classes, by their labels.
        suppressed, failing: rows.
        holds: nothing else speaks against the node: the published rows as a reference, the
            population that must be covered.
        measured, measured_published: of each model, over what is published.
        is_tied: others of equally risky classes could have been published.
    """

    published: Mapping[Key, Sequence[Row]]
    suppressed: int
    failing: int
    holds: bool
    measured: Sequence[Any]
    measured_published: Sequence[Any]
    is_tied: bool = False


class Brute:
    """Every node of a task, looked at by itself."""

    def __init__(self, task: Task, models: Sequence[Any]) -> None:
        self.task = task
        self.models = models
        rows = len(task.rows)
        allowed = all(
            m.model != "delta-presence" or not m.dmin or m.suppressed == "ignore" for m in models
        )
        self.limit = math.floor(Decimal(task.limit) * rows) if allowed else 0
        self.single = [m for m in models if not is_whole(m)]
        self.whole = [m for m in models if is_whole(m)]

    def as_class(self, rows: Sequence[Row], name: str, population: int | None = None) -> Class:
        persons = tuple(row.person for row in rows) if self.task.unit else None
        return Class(tuple(getattr(row, name) for row in rows), population, persons)

    def verdict(
        self, model: Any, rows: Sequence[Row], population: int | None, table: Sequence[Row]
    ) -> Verdict:
        """What a model says of a class; in joint mode, of the worst of its parts."""
        name = getattr(model, "attribute", None) or "s"
        q = self.as_class(table, name).shares
        parts: dict[Value, list[Row]] = defaultdict(list)
        for row in rows:
            known = {"s": row.o, "o": row.s}[name] if getattr(model, "is_joint", False) else None
            parts[known].append(row)
        found = []
        for part in parts.values():
            of_part = self.as_class(part, name, population)
            if any(value not in q for value in of_part.values):
                return math.inf, False
            found.append(verdict(model, of_part, q, SENSITIVE))
        holds = all(holds for _, holds in found)
        return worst(model, [measure for measure, _ in found]), holds

    def groups(self, node: Node) -> dict[Key, list[Row]]:
        """The rows of each class."""
        found: dict[Key, list[Row]] = defaultdict(list)
        for row in self.task.rows:
            found[self.label(row.key, node)].append(row)
        return found

    def label(self, key: Key, node: Node) -> Key:
        names = self.task.names
        return tuple(TREES[n][v][level] for n, v, level in zip(names, key, node, strict=True))

    def outcome(self, node: Node) -> Outcome | None:
        """What the node publishes; None where that hangs on how a tie is broken."""
        groups = self.groups(node)
        living = Counter(self.label(key, node) for key in self.task.population or ())
        population = {key: living[key] if self.task.population else None for key in groups}
        rows = self.task.rows

        def all_hold(members: Sequence[Row], people: int | None) -> bool:
            return all(self.verdict(m, members, people, rows)[1] for m in self.single)

        is_tied = False
        good = {key for key, members in groups.items() if all_hold(members, population[key])}
        for model in self.whole:
            ranked = [(self.as_class(groups[k], "s", population[k]), k) for k in good]
            ranked.sort(key=lambda pair: (-size(model, pair[0]), -pair[0].size, str(pair[1])))
            count = len(ranked)
            while count and not whole_table(model, placed(c for c, _ in ranked[:count]))[-1][1]:
                count -= 1
            # Of equally risky classes, which are left out hangs on the order of their keys.
            sizes = {key: size(model, c) for c, key in ranked}
            left_out = [sizes[key] for _, key in ranked[count:]]
            edge = {key for key in good if sizes[key] in left_out[:1]}
            if len({(len(groups[k]), len({row.person for row in groups[k]})) for k in edge}) > 1:
                return None
            good = {key for _, key in ranked[:count]}
            is_tied = is_tied or bool(edge & good)
        published = set(good)
        failing = sum(len(groups[key]) for key in groups if key not in good)
        if self.task.masked and failing:
            star = [row for key in groups if key not in good for row in groups[key]]
            if not all_hold(star, None):
                least = min((len(groups[key]) for key in good), default=0)
                smallest = [key for key in good if len(groups[key]) == least]
                could = {key: all_hold([*star, *groups[key]], None) for key in smallest}
                if len(smallest) > 1 and any(could.values()):
                    return None
                published = good - set(smallest) if any(could.values()) else set()
        out = [row for key in published for row in groups[key]]
        seen = rows if self.task.masked else out
        holds = all(
            self.verdict(model, groups[key], population[key], seen)[1]
            for model in self.single
            if getattr(model, "reference", "original") == "published"
            for key in published
        )
        if any(m.model == "delta-presence" and m.dmin for m in self.models):
            holds = holds and set(living) <= set(groups)
        measured: list[Any] = []
        measured_published: list[Any] = []
        final = {key: groups[key] for key in published}
        if self.task.masked and len(out) < len(rows):
            final[("*",) * len(node)] = [
                row for key in groups if key not in published for row in groups[key]
            ]
        for model in self.models:
            for shown, table in ((measured, rows), (measured_published, seen)):
                if is_whole(model):
                    classes = placed(
                        self.as_class(c, "s", population.get(k)) for k, c in final.items()
                    )
                    verdicts = whole_table(model, classes)
                else:
                    verdicts = [
                        self.verdict(model, c, population.get(k), table) for k, c in final.items()
                    ]
                shown.append(worst(model, [measure for measure, _ in verdicts]))
        return Outcome(
            {key: groups[key] for key in published},
            len(rows) - len(out),
            failing,
            holds,
            measured,
            measured_published,
            is_tied,
        )

    def satisfying(self, outcomes: Mapping[Node, Outcome | None]) -> list[Node]:
        """The nodes that may be published."""
        return [
            node
            for node, found in outcomes.items()
            if found and found.holds and found.suppressed <= self.limit and found.published
        ]


def size(model: Any, c: Class) -> int:
    """What a model about the whole table leaves classes out by, the smallest first."""
    return KNOWN[model.model].size(c)


def is_whole(model: Any) -> bool:
    """Whether a model is about all classes together."""
    return KNOWN[model.model].is_of_table(model)


# --- models with random parameters; those of `o` look at the other attribute

Choose = random.Random


def known_of(title: str) -> Known:
    """The model of a title such as `l-diversity entropy`."""
    return KNOWN[title.split()[0]]


ABOUT_S = [title for title in RUNS if known_of(title).about_values]
REFERENCED = [title for title in RUNS if known_of(title).compares]


def random_rows(choose: Choose, count: int, quasi: int = 2) -> list[Row]:
    """Rows that repeat, so that there are classes of several sizes; some values are missing."""
    domains = [list(TREES[name]) for name in QUASI[:quasi]]
    several: list[list[Value]] = [
        ["1", "2", "3.5"], ["1", "2", "10", None], ["1", "1", "2", "3.5"],
    ]  # fmt: skip
    values = choose.choice(several)
    rows: list[Row] = []
    while len(rows) < count:
        key = tuple(choose.choice(domain) for domain in domains)
        for _ in range(choose.choice([1, 2, 3, 5, 8])):
            rows.append(Row(key, choose.choice(values), choose.choice(["x", "y", None])))
    rows = rows[:count]
    return [replace(row, person=f"p{n}") for n, row in enumerate(rows)]


def random_population(choose: Choose, rows: Sequence[Row], outside: bool = True) -> list[Key]:
    """Everybody in the rows, and others like them; some with values that no row has."""
    people = [row.key for row in rows for _ in range(choose.choice([1, 1, 2, 4]))]
    domains = [list(TREES[name]) for name in QUASI[: len(rows[0].key)]]
    others = [tuple(choose.choice(domain) for domain in domains) for _ in range(8 * outside)]
    return [*people, *others]


def task_of(names: Sequence[str], seed: str, count: int = 0, **more: Any) -> Task:
    """A random task with these models."""
    choose = random.Random(seed)
    rows = random_rows(choose, count or choose.choice([24, 36, 50]), choose.choice([2, 2, 3]))
    people = None
    if any(known_of(name).counts_population for name in names):
        people = random_population(choose, rows, outside=choose.random() < 0.7)
    privacy = [draw(name, choose) for name in names]
    return Task(rows, privacy, **{"population": people, "limit": "0.4", **more})


# --- the search, of every method, and the counts that it decides by


@contextmanager
def problem_of(plan: PlanMapping) -> Iterator[tuple[Plan, FullDomainProblem, Callable[..., Any]]]:
    """The plan, its problem, and what answers questions about it."""
    opened = open_session(plan, Options(threads=1))
    with opened.engine() as engine:
        problem, _, _ = drive(engine, prepare(opened.plan, opened.hierarchies(copy=False)))

        def ask(asked: Any) -> Any:
            try:
                return drive(engine, asked)
            finally:
                for size in range(1, len(problem.attributes) + 1):
                    name = f"frequency_sets_of_{size}"
                    engine.execute(Step(name, f"drop table if exists sqlanon.{name}", "rows"))

        yield opened.plan, problem, ask


def search_by(name: str, plan: Plan, problem: FullDomainProblem) -> Search[Any]:
    """The search of a method, by the plan's objective; but for `optimal`, without a precheck."""
    (cls,) = [cls for cls in METHODS if default_of(cls, "name") == name]
    method = cls.model_validate({"objective": plan.objective})
    assert isinstance(method, FullDomainMethod)
    looking = plan.model_copy(update={"method": method})
    return searched(looking, problem) if name == "optimal" else method.search(problem)


def check_search(task: Task, limits: Sequence[str] = LIMITS) -> None:
    """All nodes are scored as brute force counts, and every method finds what it guarantees.

    Every method at the last limit; at the others, an ordinary run tries `optimal` alone.
    """
    every_limit = example_count(100) == 100
    with problem_of(task.plan()) as (plan, problem, ask):
        brute = Brute(task, plan.privacy)
        outcomes = {node: brute.outcome(node) for node in task.nodes}
        for score in ask(problem.score(task.nodes)):
            found = outcomes[score.node]
            if found is None:
                continue
            shown = (score.class_count, score.suppressed_rows, score.failing_rows)
            rows = (len(found.published), found.suppressed, found.failing)
            assert shown == rows, (task.privacy, score)
            holds = score.failing_published_classes == 0 and problem.covers(score)
            assert holds == found.holds, (task.privacy, score)
        for limit in limits:
            brute = Brute(replace(task, limit=limit), plan.privacy)
            limited = replace(problem, limit_rows=brute.limit)
            suppression = plan.suppression.model_copy(update={"limit": Decimal(limit)})
            looking = plan.model_copy(update={"suppression": suppression})
            methods = FULL_DOMAIN if every_limit or limit == limits[-1] else ["optimal"]
            check_methods(limited, looking, ask, outcomes, brute, methods)


def check_methods(
    problem: FullDomainProblem,
    plan: Plan,
    ask: Callable[..., Any],
    outcomes: Mapping[Node, Outcome | None],
    brute: Brute,
    methods: Sequence[str],
) -> None:
    satisfying = brute.satisfying(outcomes)
    unsure = {node for node, found in outcomes.items() if found is None}
    least = min(((sum(node), node) for node in satisfying), default=None)
    for method in methods:
        shown = (method, plan.suppression.limit, plan.privacy)
        try:
            found = ask(search_by(method, plan, problem))
        except NoSolutionError:
            found = None
        if found is None:
            top = max(outcomes)
            assert not satisfying or (method == "datafly" and top not in satisfying), shown
            continue
        node = found.node
        if node in unsure:
            continue
        assert node in satisfying, (shown, node, outcomes[node])
        assert least is not None
        if method == "samarati":
            assert sum(node) == least[0] or unsure, shown
        elif method != "datafly" and not unsure:
            assert (sum(node), node) == least, (shown, node)


@pytest.mark.sampled(0.1)
@pytest.mark.parametrize("name", RUNS)
def test_search_with_one_model(name: str) -> None:
    check_search(task_of([name], f"alone {name}"))


def pairs(count: int) -> list[tuple[str, str]]:
    """Random pairs of models; two that judge the whole table have a test of their own."""
    choose = random.Random("pairs")
    whole = ("average-risk", "marketer-risk", "prosecutor-risk share", "journalist-risk share")
    found: list[tuple[str, str]] = []
    while len(found) < count:
        one, other = choose.sample(list(RUNS), 2)
        if not (one in whole and other in whole):
            found.append((one, other))
    return found


@pytest.mark.sampled(0.1, by=lambda case: case["names"][0] == "k-anonymity")
@pytest.mark.parametrize(
    "names",
    [*(("k-anonymity", name) for name in RUNS if name != "k-anonymity"), *pairs(16)],
    ids=" & ".join,
)
def test_search_with_two_models(names: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Sizes are asked first, as they are of nodes with many classes."""
    monkeypatch.setattr(full_domain, "_MANY_CLASSES", 0)
    check_search(task_of(names, f"pair {names}"), limits=("0", "0.4"))


def shaped(
    names: Sequence[str], seed: str, *, joint: bool = False, published: bool = False,
    nested: bool | None = None, **more: Any,
) -> Task:  # fmt: skip
    """A random task: the first promise in joint mode, or against the published rows; of persons.

    In joint mode the other attribute has few values, or nothing would be left; k counts the class.
    """
    task = task_of(names, seed, count=50, unit=nested is not None, **more)
    rows, privacy = task.rows, [*task.privacy]
    if joint:
        privacy = [{**privacy[0], "mode": "joint"}, {"model": "k-anonymity", "k": 2}]
        rows = [replace(row, o="x" if n % 7 else "y") for n, row in enumerate(rows)]
    if published:
        privacy[0] = {**privacy[0], "reference": "published"}
    if nested is not None:
        rows = of_persons(rows, random.Random(seed), nested)
    return replace(task, rows=rows, privacy=privacy)


def of_persons(rows: Sequence[Row], choose: Choose, nested: bool) -> list[Row]:
    """The rows, some of one person; nested: each person has one combination of values."""
    found = []
    for n, row in enumerate(rows):
        person = f"p{choose.randrange(12)}" if choose.random() < 0.6 else f"q{n}"
        if nested:
            person += "".join(map(str, row.key))
        found.append(replace(row, person=person))
    return found


@pytest.mark.sampled(0.1, by=model_of)
@pytest.mark.parametrize("name", [n for n in ABOUT_S if not n.startswith("k-e")])
def test_search_with_masked_rows(name: str) -> None:
    """The class of '*' must hold all models, too."""
    check_search(task_of([name], f"mask {name}", masked=True), limits=("0.1", "0.4"))


@pytest.mark.parametrize(
    ("name", "drawn", "limit"),
    [("k-anonymity", 23, "0.2"), ("l-diversity distinct", 7, "0.4")],
)
def test_masked_rows_are_not_monotone(name: str, drawn: int, limit: str) -> None:
    """Tables where a node may be published, and one above it may not, as fewer rows are masked."""
    check_search(task_of([name], f"mask {name} {drawn}", masked=True), limits=(limit,))


JOINT = [title for title in RUNS if known_of(title).may_be_joint]


@pytest.mark.sampled(0.1, by=(model_of, "masked"))
@pytest.mark.parametrize("name", JOINT)
@pytest.mark.parametrize("masked", [False, True])
def test_search_in_joint_mode(name: str, masked: bool) -> None:
    """Classes are divided by the other sensitive attribute; k counts the whole class."""
    task = shaped([name, "k-anonymity"], f"joint {name}", joint=True)
    if masked:
        check_search(replace(task, privacy=task.privacy[:1], masked=True), limits=("0.4",))
    else:
        check_search(task, limits=("0", "0.4"))


@pytest.mark.sampled(0.1)
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("reference", ["original", "published"])
def test_joint_mode_with_a_single_sensitive_attribute(masked: bool, reference: str) -> None:
    """Nothing else is known, so that it is as each mode."""
    task = task_of(["t-closeness equal"], "joint single", masked=masked)
    found = []
    for mode in ("joint", "each"):
        privacy = [{**task.privacy[0], "mode": mode, "reference": reference}]
        plan = replace(task, privacy=privacy).plan()
        plan["columns"]["o"] = "insensitive"
        found.append(sqlanon.run(plan).manifest["solution"]["node"])
    assert found[0] == found[1]


@pytest.mark.sampled(0.1, by=(model_of, "joint"))
@pytest.mark.parametrize("name", REFERENCED)
@pytest.mark.parametrize("joint", [False, True], ids=["each", "joint"])
def test_search_against_the_published_rows(name: str, joint: bool) -> None:
    """Classes are decided against all rows; the published ones must hold against themselves."""
    task = shaped([name, "k-anonymity"], f"published {name} 0", joint=joint, published=True)
    check_search(task, limits=("0.1", "0.4"))


@pytest.mark.parametrize("seed", [0, 4, 5])
def test_datafly_goes_on_until_the_published_rows_hold(seed: int) -> None:
    """Also where the plan states no limit, and Datafly leaves out up to k rows all the same."""
    task = task_of(["t-closeness equal", "k-anonymity"], f"datafly {seed}", count=30)
    closeness = {**task.privacy[0], "t": 0.2, "reference": "published"}
    task = replace(task, privacy=[closeness, {"model": "k-anonymity", "k": 6}])
    manifest = sqlanon.run(task.plan(method="datafly", suppression={})).manifest
    assert (manifest["rows"]["suppressed"] > 0) == (seed > 0)
    assert manifest["privacy"][0]["measured_published"] <= 0.2 + NEAR


WITHOUT_POPULATION = [title for title in RUNS if not known_of(title).counts_population]


# where persons overlap, alpha-k-anonymity shows that a bound of lost rows does not hold
@pytest.mark.sampled(0.1, by=lambda case: (case["nested"], case["name"] == "alpha-k-anonymity"))
@pytest.mark.parametrize("nested", [True, False], ids=["nested", "overlapping"])
@pytest.mark.parametrize("name", WITHOUT_POPULATION)
def test_search_that_counts_persons(name: str, nested: bool) -> None:
    """A person counts once, and once with each value; the suppression limit counts rows."""
    check_search(shaped([name], f"unit {name} {nested}", nested=nested), limits=("0", "0.1"))


# --- what is published, and what is reported of it


def published() -> list[tuple[Value, ...]]:
    """The rows of the publication."""
    with duckdb.connect() as connection:
        return connection.execute("select * from 'published.parquet'").fetchall()


def expected_rows(task: Task, node: Node, brute: Brute) -> Counter[tuple[Any, ...]]:
    found = brute.outcome(node)
    assert found is not None
    persons = {
        key: [len({row.person for row in members})] if task.unit else []
        for key, members in found.published.items()
    }
    rows: Counter[tuple[Any, ...]] = Counter(
        (*key, row.s, row.o, *persons[key])
        for key, members in found.published.items()
        for row in members
    )
    if task.masked:
        for key, members in brute.groups(node).items():
            if key not in found.published:
                rows.update(("*",) * len(node) + (row.s, row.o) for row in members)
    return rows


def check_run(task: Task, **keys: Any) -> dict[str, Any] | None:
    """Run publishes just the rows that brute force does, and measures them rightly."""
    plan = sqlanon.load_plan(task.plan(**keys))
    brute = Brute(task, plan.privacy)
    outcomes = {node: brute.outcome(node) for node in task.nodes}
    satisfying = brute.satisfying(outcomes)
    unsure = any(found is None for found in outcomes.values())
    in_steps = random.Random(repr(task.privacy)).random() < 0.5
    try:
        with pytest.MonkeyPatch.context() as patch:
            if in_steps:  # as many rows are released
                patch.setattr(release_by_place, "_MANY_ROWS", 1)
                patch.setattr(release_by_place, "ROWS_EACH", 0)
            manifest = sqlanon.run(plan).manifest
    except NoSolutionError:
        assert not satisfying
        return None
    node = tuple(manifest["solution"]["node"].values())
    found = outcomes[node]
    if unsure and found is None:
        return manifest
    assert node in satisfying, (task.privacy, node)
    assert found is not None
    if found.is_tied:
        return manifest
    assert Counter(published()) == expected_rows(task, node, brute)
    for entry, model, measured, among in zip(
        manifest["privacy"], plan.privacy, found.measured, found.measured_published, strict=True
    ):
        assert entry["satisfied"] is True
        assert near(entry["measured"], measured), (model, entry, measured)
        if model.compares_with_table:
            assert near(entry["measured_published"], among), (model, entry, among)
        # an auditor, who has the publication alone, measures the same; but not of persons
    if not task.unit:
        for finding, model, among in zip(
            sqlanon.verify("published.parquet", plan), plan.privacy, found.measured_published,
            strict=True,
        ):  # fmt: skip
            assert near(finding.measured, among), (model, finding, among)
    with_source = sqlanon.verify("published.parquet", plan, with_source=True)
    for finding, measured in zip(with_source, found.measured, strict=True):
        assert finding.satisfied
        assert near(finding.measured, measured)
    return manifest


def near(shown: Any, expected: Any) -> bool:
    """Whether a manifest tells this measure; an Ellipsis agrees with everything."""
    if expected is ... or shown is None or expected is None:
        return expected is ... or shown is expected
    return math.isclose(float(shown), float(expected), abs_tol=1e-9) or shown == expected


OF_PERSONS = [title for title in WITHOUT_POPULATION[::3] if not title.startswith("t-closeness")]
"""The tables below have persons with several values, which no distance allows."""
FORMS: dict[str, tuple[Sequence[str], dict[str, Any]]] = {
    "as it is": (list(RUNS), {}),
    "masked": (
        ["l-diversity entropy", "t-closeness ordered", "beta-likeness"], {"masked": True},
    ),
    "joint": (["l-diversity recursive", "t-closeness equal", "k-e-anonymity"], {"joint": True}),
    "published": (REFERENCED, {"published": True}),
    "nested": (OF_PERSONS, {"nested": True}),
    "overlapping": (OF_PERSONS, {"nested": False}),
}  # fmt: skip


@pytest.mark.sampled(0.1, by=("form", model_of))
@pytest.mark.parametrize(
    ("form", "name"), [(form, name) for form, (names, _) in FORMS.items() for name in names]
)
def test_run_publishes_what_brute_force_keeps(form: str, name: str) -> None:
    names = [name, "k-anonymity"] if form in ("masked", "published") else [name]
    for seed in range(9):
        if check_run(shaped(names, f"run {form} {name} {seed}", **FORMS[form][1])):
            return
    pytest.fail("no table of these has a solution")


@pytest.mark.parametrize("order", [1, -1])
def test_two_models_about_the_whole_table(order: int) -> None:
    """Leaving out rows for the second may break the first; such a node does not count."""
    sizes = {("v0", "x0"): 4, ("v1", "x1"): 2, ("v2", "x2"): 2, ("v4", "x4"): 2}
    keys: list[Key] = [key for key, size in sizes.items() for _ in range(size)]
    rows = [Row(key, "1", person=f"p{n}") for n, key in enumerate(keys)]
    people: list[Key] = [*keys, *list(sizes)[1:] * 300]
    privacy = [
        {"model": "average-risk", "threshold": 0.45}, {"model": "marketer-risk", "threshold": 0.05},
    ][::order]  # fmt: skip
    task = Task(rows, privacy, limit="0.4", population=people)
    manifest = sqlanon.run(task.plan()).manifest
    assert [entry["satisfied"] for entry in manifest["privacy"]] == [True, True]


# --- a population


@pytest.mark.sampled(0.1)
@pytest.mark.parametrize("source", ["rows.csv", "both.duckdb::patients", "./both.duckdb::patients"])
def test_a_population_in_a_duckdb_file(source: str) -> None:
    """Or in the very file of the source."""
    plan = task_of(["k-map", "delta-presence"], "forms").plan()
    expected = sqlanon.run(plan).manifest
    rows = Counter(published())
    with duckdb.connect("both.duckdb") as connection:
        connection.execute("create schema big")
        for table, file in (("big.people", "population.csv"), ("patients", "rows.csv")):
            read = f"read_csv('{file}', header = true, all_varchar = true)"
            connection.execute(f"create table {table} as from {read}")
    plan["population"] = "both.duckdb::big.people"
    plan["source"] = plan["source"] if source == "rows.csv" else source
    found = sqlanon.run(plan).manifest
    assert found["solution"]["node"] == expected["solution"]["node"]
    assert Counter(published()) == rows


def test_a_population_that_lacks_rows_is_an_error() -> None:
    task = task_of(["k-map"], "lacks")
    assert task.population is not None
    first = task.rows[0].key
    rows = sum(row.key == first for row in task.rows)
    people = [key for key in task.population if key != first] + [first] * (rows - 1)
    with pytest.raises(PlanError, match=r"of 1 combination.*1 too many") as refused:
        sqlanon.run(replace(task, population=people).plan())
    assert not set(re.findall(r"[vxq]\d", str(refused.value)))
    assert not Path("published.parquet").exists()


@pytest.mark.sampled(0.1, by=lambda case: "double" in case["types"])
@pytest.mark.parametrize(
    "types",
    [("integer", "double"), ("double", "integer"), ("integer", "varchar"), ("varchar", "integer")],
)
def test_a_population_whose_numbers_have_another_type(types: tuple[str, str]) -> None:
    """A missing value makes whole numbers to doubles in many tools: 30 is 30.0, and refused."""
    for file, kind, times in (("t", types[0], 1), ("p", types[1], 3)):
        ages = f"(20 + n // {4 * times})::integer::{kind} as age, 'x' as s"
        rows = f"select {ages} from (select range as n from range({24 * times}))"
        duckdb.execute(f"copy ({rows}) to '{file}.parquet'")
    plan = {
        "source": "t.parquet",
        "population": "p.parquet",
        "columns": {
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [5]}},
            "s": "sensitive",
        },
        "privacy": [{"model": "k-map", "k": 20}],
        "publish": "published.parquet",
    }  # fmt: skip
    if "double" in types:
        with pytest.raises(PlanError, match="with the same types"):
            sqlanon.run(plan)
    else:
        assert sqlanon.run(plan).manifest["rows"]["published"] == 24


# --- the program


PROGRAMS: dict[str, tuple[list[str], dict[str, Any], dict[str, Any]]] = {
    "entropy": (["l-diversity entropy", "k-anonymity"], {}, {}),
    "masked": (["t-closeness equal"], {"masked": True}, {}),
    "masked distinct": (["l-diversity distinct"], {"masked": True}, {}),
    "joint": (["t-closeness ordered"], {}, {"mode": "joint", "t": 0.45}),
    "joint distinct": (["l-diversity distinct"], {}, {"mode": "joint", "l": 2}),
    "published": (["beta-likeness", "k-anonymity"], {}, {"reference": "published"}),
    "hierarchical": (["t-closeness hierarchical"], {}, {"reference": "published"}),
    "presence": (["delta-presence ignore"], {}, {}),
    "cover": (["delta-presence dmin"], {}, {"dmin": 0.05, "dmax": 1}),
    "k-map": (["k-map", "marketer-risk"], {}, {}),
    "average": (["average-risk", "l-diversity distinct"], {}, {}),
    "persons": (["l-diversity recursive", "k-anonymity"], {"unit": True}, {}),
    "persons close": (["t-closeness equal"], {"unit": True}, {}),
    "persons risk": (["prosecutor-risk share"], {"unit": True}, {}),
}


@pytest.mark.sampled(0.1)
@pytest.mark.parametrize("title", PROGRAMS)
def test_program_publishes_what_run_does(title: str) -> None:
    """Compiled before it is solved, and after."""
    names, more, parameters = PROGRAMS[title]
    for seed in range(6):
        task = task_of(names, f"program {title} {seed}", count=40, **more)
        rows: Sequence[Row] = [replace(r, o="x" if n % 9 else "y") for n, r in enumerate(task.rows)]
        if task.unit:
            rows = of_persons(rows, random.Random(title), nested=seed % 2 == 0)
        privacy = [{**task.privacy[0], **parameters}, *task.privacy[1:]]
        plan = replace(task, rows=rows, privacy=privacy).plan()
        unsolved, _ = sqlanon.compile(plan)
        try:
            sqlanon.run(plan)
        except NoSolutionError:
            with pytest.raises(duckdb.Error, match="sqlanon: no solution"):
                feed(unsolved.sql)
            continue
        expected = published()
        solved, _ = sqlanon.compile(plan)
        assert solved.sql != unsolved.sql
        for program in (unsolved, solved):
            Path("published.parquet").unlink()
            feed(program.sql)
            assert published() == expected
        return
    pytest.fail("no table of these has a solution")


def test_program_refuses_rows_of_nobody() -> None:
    """As run does."""
    task = task_of(["k-anonymity"], "nobody", unit=True)
    rows = [
        replace(row, person="" if n % 5 == 0 else row.person) for n, row in enumerate(task.rows)
    ]
    plan = replace(task, rows=rows).plan()
    nobody = len(range(0, len(rows), 5))
    with pytest.raises(PlanError, match=rf"^.*{nobody} row\(s\) have no 'person'"):
        sqlanon.run(plan)
    program, _ = sqlanon.compile(plan)
    with pytest.raises(duckdb.Error):
        feed(program.sql)
    assert not Path("published.parquet").exists()


# --- fail closed


def damages(task: Task) -> list[str]:
    """Ways to damage a publication, one of which breaks a promise; as SQL over `good`."""
    first = "(select a from good where a is not null limit 1)"
    return [
        f"select * replace (case when a = {first} then '1' else s end as s) from good",
        "select * replace ('1' as s) from good order by a, b limit 15",
        "select * from good order by hash(a, b, s, o) limit 3",
        "(select * from good order by all limit 1) union all"
        " (select * from good where s = '1' limit 5)",
        f"select {', '.join(task.names)}, s, o from raw limit 7",
        "select * replace ('nowhere' as a) from good",
    ]


@pytest.mark.sampled(0.01)
@pytest.mark.parametrize("name", RUNS)
def test_verify_refuses_a_damaged_publication(name: str) -> None:
    for seed in range(20):
        task = task_of([name], f"damage {name} {seed}", count=50)
        plan = task.plan()
        try:
            sqlanon.run(plan)
        except NoSolutionError:
            continue
        break
    refused = 0
    for damage in damages(task):
        with duckdb.connect() as connection:
            connection.execute("create table good as from 'published.parquet'")
            connection.execute("create table raw as from read_csv('rows.csv', all_varchar = true)")
            connection.execute(f"copy ({damage}) to 'damaged.parquet' (format parquet)")
        for with_source in (False, True):
            try:
                findings = sqlanon.verify("damaged.parquet", plan, with_source=with_source)
                refused += not findings[0].satisfied
            except PrivacyViolation:
                refused += 1
    assert refused


@pytest.mark.sampled(0.01)
@pytest.mark.parametrize("name", RUNS)
def test_run_publishes_nothing_where_failing_classes_slip_through(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The decision is damaged so that all classes are published."""

    def compiled(*arguments: Any) -> Program:
        program = compile_program(*arguments)
        (step,) = [step for step in program.steps if step.name == "release"]
        decided = r"where (satisfied|decided_classes\.published)\n"
        assert re.search(decided, step.sql)
        damaged = replace(step, sql=re.sub(decided, "where true\n", step.sql))
        return replace(program, steps=tuple(damaged if s is step else s for s in program.steps))

    monkeypatch.setattr(session, "compile_program", compiled)
    monkeypatch.setattr(session, "prove_no_identifier_flows", lambda *arguments: {})
    for seed in range(12):
        try:
            manifest = sqlanon.run(task_of([name], f"slip {name} {seed}", count=50).plan()).manifest
        except PrivacyViolation:
            assert not Path("published.parquet").exists()
            return
        except NoSolutionError:
            continue
        assert manifest["rows"]["suppressed"] == 0
        Path("published.parquet").unlink()
    # where every row of the population must be covered, nothing is ever suppressed
    assert name == "delta-presence dmin"


# --- bad input, and what could be asked for instead


def counts_task(counts: Mapping[Value, int], *models: Model, **more: Any) -> Task:
    """One combination of quasi-identifiers, with so many rows of each value."""
    values = [value for value, n in counts.items() for _ in range(n)]
    rows = [Row(("v0", "x0"), value, "x", f"p{n}") for n, value in enumerate(values)]
    return Task(rows, models, **more)


UNEVEN = {"1": 7, "2": 3, "3.5": 2, None: 1}
TOO_MUCH: list[tuple[Model, str]] = [
    ({"model": "k-anonymity", "k": 99}, "k"),
    ({"model": "l-diversity", "l": 9, "attribute": "s"}, "l"),
    ({"model": "l-diversity", "kind": "entropy", "l": 9, "attribute": "s"}, "l"),
    ({"model": "l-diversity", "kind": "recursive", "l": 2, "c": 0.01, "attribute": "s"}, "c"),
    ({"model": "l-diversity", "kind": "recursive", "l": 3, "c": 0.01, "attribute": "s"}, "c"),
    ({"model": "alpha-k-anonymity", "alpha": 0.01, "k": 2, "attribute": "s"}, "alpha"),
    ({"model": "k-e-anonymity", "k": 2, "e": 99, "attribute": "s"}, "e"),
    ({"model": "prosecutor-risk", "threshold": 0.0001}, "threshold"),
    ({"model": "average-risk", "threshold": 0.0001}, "threshold"),
    ({"model": "t-closeness", "t": 0, "attribute": "s", "mode": "joint"}, "t"),
    ({"model": "beta-likeness", "beta": 0.0001, "attribute": "s", "mode": "joint"}, "beta"),
    ({"model": "delta-disclosure", "delta": 0.0001, "attribute": "s", "mode": "joint"}, "delta"),
    ({"model": "k-map", "k": 99}, "k"),
    ({"model": "journalist-risk", "threshold": 0.0001}, "threshold"),
    ({"model": "marketer-risk", "threshold": 0.0001}, "threshold"),
    ({"model": "delta-presence", "dmin": 0, "dmax": 0.01}, "dmax"),
    ({"model": "delta-presence", "dmin": 0.999, "dmax": 1}, "dmin"),
]


@pytest.mark.sampled(0.1, by=("limit", lambda case: case["model"]["model"]))
@pytest.mark.parametrize("limit", ["0", "1"])
@pytest.mark.parametrize(
    ("model", "parameter"), TOO_MUCH, ids=lambda v: v if isinstance(v, str) else v["model"]
)
def test_what_is_called_feasible_is(model: Model, parameter: str, limit: str) -> None:
    """The error names the model, and a bound which, when asked for, holds."""
    task = counts_task(UNEVEN, model, limit=limit)
    rows = task.rows
    if model.get("mode") == "joint":
        rows = [replace(row, o="x" if n % 3 else "y") for n, row in enumerate(rows)]
    people = [row.key for row in rows] * 3 + [("v1", "x1")] * 4
    if known_of(model["model"]).counts_population:
        task = replace(task, population=people)
    task = replace(task, rows=rows)
    with pytest.raises(NoSolutionError) as refused:
        sqlanon.run(task.plan())
    message = str(refused.value)
    assert model["model"] in message
    assert not re.search(r"v0|x0|\bv1\b", message)
    if limit == "1":
        return
    fix = message.partition("Fix:")[2]
    if model.get("mode") == "joint" and model["model"] == "delta-disclosure":
        assert "absent: ignore" in fix
        return
    number = re.search(rf"\b{parameter}\b[^\d;]*(\d[\d.e-]*)", fix)
    assert number, message
    bound = float(number[1].rstrip("."))
    if "above" in fix:
        bound *= 1 + 1e-6
    feasible = {**model, parameter: int(bound) if parameter == "k" else round(bound, 12)}
    assert sqlanon.run(replace(task, privacy=[feasible]).plan()).manifest


@pytest.mark.parametrize("harmless", [["1", "2", "3.5"], ["1"], []])
def test_a_value_that_is_excluded_is_reported(harmless: list[str]) -> None:
    """No c would mend it: the share of a value in `never_excluded` is too low."""
    model = {
        "model": "l-diversity", "kind": "recursive", "l": 2, "c": 1.1, "attribute": "s",
        "harmless": harmless, "never_excluded": ["3.5"], "c2": 0.9,
    }  # fmt: skip
    task = counts_task({"1": 5, "2": 4, "3.5": 2}, model)
    with pytest.raises(NoSolutionError, match="l-diversity") as refused:
        sqlanon.run(task.plan())
    assert "ask for a smaller c2" in str(refused.value)


BAD: list[Model] = [
    {"model": "l-diversity", "l": float("nan"), "attribute": "s"},
    {"model": "t-closeness", "t": float("nan"), "attribute": "s"},
    {"model": "beta-likeness", "beta": float("inf"), "attribute": "s"},
    {"model": "k-map", "k": 5},
    {"model": "delta-presence", "dmin": 0, "dmax": 0.5},
    {"model": "marketer-risk", "threshold": 0.5},
    {"model": "l-diversity", "l": 2},
    {"model": "l-diversity", "l": 2, "attribute": "person"},
    {"model": "t-closeness", "t": 0.2, "attribute": "o", "distance": "hierarchical"},
]


@pytest.mark.parametrize("model", BAD, ids=str)
def test_bad_parameters(model: Model) -> None:
    with pytest.raises(PlanError) as refused:
        sqlanon.run(counts_task(UNEVEN, model).plan())
    assert refused.value.exit_code == 2
    assert not Path("published.parquet").exists()


@pytest.mark.sampled(0.1, by=("value", "name"))
@pytest.mark.parametrize("value", ["NaN", "inf", "-Infinity", "Zanzibar", "1e999"])
@pytest.mark.parametrize(
    "name", ["t-closeness ordered", "k-e-anonymity", "t-closeness hierarchical"]
)
def test_values_without_an_order_or_a_place_in_the_hierarchy(name: str, value: str) -> None:
    task = counts_task({"1": 3, "2": 3, value: 3}, draw(name, random.Random(0)))
    has_no_place = name.endswith("hierarchical")
    error, where = (HierarchyError, "'?s'?, level 0") if has_no_place else (PlanError, "'s'")
    with pytest.raises(error, match=where) as refused:
        sqlanon.run(task.plan())
    shown = str(refused.value).replace("(NaN, inf)", "").replace("infinite", "")
    assert value not in shown
    assert not Path("published.parquet").exists()


TYPED = {
    "decimal(20, 3)": "n / 7.0", "float": "n / 7.0", "double": "n / 7.0", "boolean": "n % 2 = 0",
    "date": "date '2020-01-01' + n::integer", "timestamp": "timestamp '2020-01-01' + to_hours(n)",
    "uuid": "md5(n::varchar)::uuid", "time": "time '10:00:00' + to_hours(n)",
    "varchar": "case n when 0 then '' when 1 then null else 'x' end",
}  # fmt: skip


def test_sensitive_values_of_any_type_are_found_again_in_a_csv() -> None:
    """What is written is read as the values that the promises were made for."""
    values = {f"s{n}": f"({value})::{kind}" for n, (kind, value) in enumerate(TYPED.items())}
    listed = ", ".join(f"{value} as {name}" for name, value in values.items())
    query = f"select 'v0' as a, {listed} from (select range % 3 as n from range(12))"
    column = {"role": "sensitive", "compare": "exact"}
    plan = {
        "source": {"query": query},
        "columns": {"a": "quasi-identifier", **dict.fromkeys(values, column)},
        "privacy": [{"model": "l-diversity", "l": 2, "attribute": name} for name in values],
        "publish": "published.csv",
    }  # fmt: skip
    counted = [entry["measured"] for entry in sqlanon.run(plan).manifest["privacy"]]
    assert counted == [2 if kind == "boolean" else 3 for kind in TYPED]


def test_sensitive_values_have_the_labels_of_a_rule() -> None:
    """By hand: 1, 2, 11, 12 are 5/24 from the table; 1, 1 are 5/12, so that they are left out."""
    Path("rows.csv").write_text("a,s\nx,1\nx,2\nx,11\nx,12\ny,1\ny,1\n", encoding="utf-8")
    sensitive = {"role": "sensitive", "hierarchy": {"intervals": [10]}}
    plan: PlanMapping = {
        "source": "rows.csv",
        "columns": {"a": "quasi-identifier", "s": sensitive},
        "privacy": [{"model": "t-closeness", "t": 0.3, "distance": "hierarchical"}],
        "suppression": {"limit": 0.4},
        "publish": "out.parquet",
    }
    found = sqlanon.run(plan).manifest
    assert found["rows"]["published"] == 4
    assert found["privacy"][0]["measured"] == pytest.approx(5 / 24)


def test_of_two_promises_about_presence_both_count() -> None:
    models = [
        DeltaPresence(dmin=Decimal("0.1"), dmax=Decimal("0.7")),
        DeltaPresence(dmin=Decimal("0.2"), dmax=Decimal("0.9")),
    ]
    for both in (models, models[::-1]):
        assert Promises(models=tuple(both)).presence == (Decimal("0.2"), Decimal("0.7"))
    assert Promises(models=()).presence is None


def test_check_reads_no_rows_so_it_knows_no_listed_value() -> None:
    Path("rows.csv").write_text("a,s\n1,x\n2,x\n3,y\n", encoding="utf-8")
    plan: PlanMapping = {
        "source": "rows.csv",
        "columns": {"a": "quasi-identifier", "s": "sensitive"},
        "privacy": [{"model": "alpha-k-anonymity", "alpha": 1, "k": 2, "values": ["x"]}],
        "publish": "published.parquet",
    }
    sqlanon.check(plan)
    sqlanon.run(plan)
    plan["privacy"][0]["values"] = ["z"]
    with pytest.raises(PlanError, match="source does not have"):
        sqlanon.run(plan)
