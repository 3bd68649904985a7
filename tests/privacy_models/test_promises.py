"""Plans with every model, end to end, against brute force over all nodes of small lattices.

The brute force reads the rows themselves, class by class; what a class must hold it asks the Python
of `models`. Nothing of it is shared with the package, but for models' parameters.
"""

from __future__ import annotations

import math
import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from decimal import Decimal
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pytest

import sqlanon
from sqlanon import HierarchyError, NoSolutionError, PlanError, PrivacyViolation
from sqlanon.commands import session
from sqlanon.commands.options import Options
from sqlanon.commands.session import open_session
from sqlanon.engines.base import drive
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
from tests.plan.plans import plan_of
from tests.selection import example_count
from tests.support.searching import release_in_steps, searched
from tests.support.tables import feed, write_csv

Value = str | None
Node = tuple[int, ...]
Key = tuple[Any, ...]
Model = dict[str, Any]
PlanMapping = dict[str, Any]

FULL_DOMAIN: tuple[str, ...] = tuple(
    default_of(method, "name") for method in METHODS if issubclass(method, FullDomainMethod)
)
"""The methods that search a lattice; tests/methods/test_partitioning.py is about the others."""
LIMITS = ("0", "0.1", "0.4")


# --- a task: a table, its hierarchies, and what is asked of it

Trees = Mapping[str, Mapping[Value, tuple[Value, ...]]]
TREES: Trees = {
    "a": {f"v{n}": (f"v{n}", f"w{n // 2}", "*") for n in range(5)} | {None: (None, None, "*")},
    "b": {f"x{n}": (f"x{n}", f"y{n // 2}", f"z{n // 4}", "*") for n in range(6)},
    "c": {f"q{n}": (f"q{n}", "*") for n in range(3)} | {None: (None, "*")},
    "d": {f"r{n}": (f"r{n}", "*") for n in range(3)},
}
"""By quasi-identifier and value, the labels of its levels."""
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


@dataclass(frozen=True)
class Task:
    """A table to anonymize, and what is asked of it.

    Attributes:
        population: the quasi-identifiers of everybody; None where there is no population.
        unit: whether persons are counted; `linked`, whether their rows are published together.
    """

    rows: Sequence[Row]
    privacy: Sequence[Model]
    limit: str = "0"
    masked: bool = False
    population: Sequence[Key] | None = None
    unit: bool = False
    linked: bool = False
    trees: Trees = field(default_factory=lambda: TREES)

    @property
    def names(self) -> Sequence[str]:
        """The quasi-identifiers."""
        return list(self.trees)[: len(self.rows[0].key)]

    @property
    def nodes(self) -> list[Node]:
        """All lattice nodes."""
        paths = [next(iter(self.trees[name].values())) for name in self.names]
        return list(product(*map(range, map(len, paths))))

    def label(self, key: Key, node: Node) -> Key:
        """The labels of these values."""
        levels = zip(self.names, key, node, strict=True)
        return tuple(self.trees[name][value][level] for name, value, level in levels)

    def plan(self, **keys: Any) -> PlanMapping:
        """Write the files; the plan over them. Rows have numbers, which are not published."""
        table = [[*row.key, row.s, row.o, row.person, n] for n, row in enumerate(self.rows)]
        write_csv("rows.csv", [[*self.names, "s", "o", "person", "n"], *table])
        columns: PlanMapping = {}
        for name in (*self.names, "s"):
            tree = SENSITIVE if name == "s" else self.trees[name]
            write_csv(f"h_{name}.csv", [path for path in tree.values() if path[0] is not None])
            columns[name] = {"role": "quasi-identifier", "hierarchy": f"h_{name}.csv"}
        columns["s"]["role"] = "sensitive"
        columns |= {"o": "sensitive", "person": "identifier", "n": "identifier"}
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
        return {**plan, **keys}


# --- brute force


Groups = Mapping[Key, Sequence[Row]]


class Outcome(NamedTuple):
    """What a node publishes: classes by their labels; rows that are suppressed, and that fail.

    It holds if nothing else speaks against it: the published rows as a reference, people who must
    be covered. Of each model is measured what is published, compared with all rows or with what is
    shown. It is tied if others of equally risky classes could have been published.
    """

    published: Groups
    suppressed: int
    failing: int
    holds: bool
    measured: Sequence[Any]
    measured_published: Sequence[Any]
    is_tied: bool


class Brute:
    """Every node of a task, looked at by itself."""

    def __init__(self, task: Task, models: Sequence[Any]) -> None:
        self.task = task
        self.models = models
        self.has_cover = any(m.model == "delta-presence" and m.dmin for m in models)
        allowed = all(
            m.model != "delta-presence" or not m.dmin or m.suppressed == "ignore" for m in models
        )
        self.limit = math.floor(Decimal(task.limit) * len(task.rows)) if allowed else 0
        self.single = [m for m in models if not is_whole(m)]
        self.whole = [m for m in models if is_whole(m)]

    def as_class(
        self, rows: Sequence[Row], name: str = "s", population: int | None = None
    ) -> Class:
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

    def all_hold(self, rows: Sequence[Row], population: int | None) -> bool:
        """Whether a class holds the promises that are about one class."""
        return all(self.verdict(m, rows, population, self.task.rows)[1] for m in self.single)

    def verdicts(
        self, model: Any, groups: Groups, population: Mapping[Key, int | None], table: Sequence[Row]
    ) -> list[Verdict]:
        """What a model says of each class of a publication."""
        if not is_whole(model):
            return [self.verdict(model, c, population.get(k), table) for k, c in groups.items()]
        classes = [self.as_class(c, "s", population.get(k)) for k, c in groups.items()]
        return whole_table(model, {("p", f"{place:06}"): c for place, c in enumerate(classes)})

    def grouped(self, labels: Sequence[Key | None]) -> Groups:
        """The classes of rows with these labels: of equal ones, or of persons with equal rows."""
        found: dict[Key, list[Row]] = defaultdict(list)
        own: dict[str, list[tuple[Key, Row]]] = defaultdict(list)
        for n, (row, key) in enumerate(zip(self.task.rows, labels, strict=True)):
            if key is not None:
                own[row.person if self.task.linked else f"{n}"].append((key, row))
        for each in own.values():
            keys = sorted(key for key, _ in each) if self.task.linked else each[0][0]
            found[tuple(keys)] += [row for _, row in each]
        return found

    def groups(self, node: Node) -> Groups:
        """The classes of a node."""
        return self.grouped([self.task.label(row.key, node) for row in self.task.rows])

    def outcome(self, node: Node) -> Outcome | None:
        """What the node publishes; None where that hangs on how a tie is broken."""
        groups = self.groups(node)
        living = Counter(self.task.label(key, node) for key in self.task.population or ())
        population = {key: living[key] if self.task.population else None for key in groups}
        rows = self.task.rows
        is_tied = False
        good = {key for key, members in groups.items() if self.all_hold(members, population[key])}
        for model in self.whole:
            ranked = [(self.as_class(groups[k], "s", population[k]), k) for k in good]
            ranked.sort(key=lambda pair: (-size(model, pair[0]), -pair[0].size, str(pair[1])))
            keys = [key for _, key in ranked]
            verdicts = self.verdicts(model, {key: groups[key] for key in keys}, population, rows)
            count = sum(holds for _, holds in verdicts)
            # Of equally risky classes, which are left out hangs on the order of their keys.
            sizes = {key: size(model, c) for c, key in ranked}
            left_out = [sizes[key] for key in keys[count:]]
            edge = {key for key in good if sizes[key] in left_out[:1]}
            if len({(len(groups[k]), len({row.person for row in groups[k]})) for k in edge}) > 1:
                return None
            good = set(keys[:count])
            is_tied = is_tied or bool(edge & good)
        published = set(good)
        failing = sum(len(groups[key]) for key in groups if key not in good)
        if self.task.masked and failing:
            star = [row for key in groups if key not in good for row in groups[key]]
            if not self.all_hold(star, None):
                least = min((len(groups[key]) for key in good), default=0)
                smallest = [key for key in good if len(groups[key]) == least]
                could = [self.all_hold([*star, *groups[key]], None) for key in smallest]
                if len(smallest) > 1 and any(could):
                    return None
                published = good - set(smallest) if any(could) else set()
        final = {key: groups[key] for key in published}
        out = [row for members in final.values() for row in members]
        seen = rows if self.task.masked else out
        holds = all(
            self.verdict(model, members, population[key], seen)[1]
            for model in self.single
            if getattr(model, "reference", "original") == "published"
            for key, members in final.items()
        )
        holds = holds and (not self.has_cover or set(living) <= set(groups))
        shown = dict(final)
        if self.task.masked and len(out) < len(rows):
            hidden = [row for key in groups if key not in published for row in groups[key]]
            shown[("*",) * len(node)] = hidden
        measured, measured_published = (
            [worst(m, [each for each, _ in self.verdicts(m, shown, population, table)])
             for m in self.models]
            for table in (rows, seen)
        )  # fmt: skip
        suppressed = len(rows) - len(out)
        return Outcome(final, suppressed, failing, holds, measured, measured_published, is_tied)

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


# --- random tasks


def known_of(title: str) -> Known:
    """The model of a title such as `l-diversity entropy`."""
    return KNOWN[title.split()[0]]


def random_rows(choose: random.Random, count: int, quasi: int) -> list[Row]:
    """Rows that repeat, so that there are classes of several sizes; some values are missing."""
    domains = [list(tree) for tree in TREES.values()][:quasi]
    values: list[Value] = choose.choice(
        [["1", "2", "3.5"], ["1", "2", "10", None], [*"112", "3.5"]]
    )
    rows: list[Row] = []
    while len(rows) < count:
        key = tuple(map(choose.choice, domains))
        for _ in range(choose.choice([1, 2, 3, 5, 8])):
            s, o = choose.choice(values), choose.choice(["x", "y", None])
            rows.append(Row(key, s, o, f"p{len(rows)}"))
    return rows[:count]


def task_of(names: Sequence[str], seed: str, count: int = 0, **more: Any) -> Task:
    """A random task with these models; the population is everybody in the rows, and others."""
    choose = random.Random(seed)
    rows = random_rows(choose, count or choose.choice([24, 36, 50]), choose.choice([2, 2, 3]))
    people: list[Key] | None = None
    if any(known_of(name).counts_population for name in names):
        has_others = choose.random() < 0.7  # some with values that no row has
        people = [row.key for row in rows for _ in range(choose.choice([1, 1, 2, 4]))]
        domains = [list(tree) for tree in TREES.values()][: len(rows[0].key)]
        people += [tuple(map(choose.choice, domains)) for _ in range(8 * has_others)]
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
            suppression = plan.suppression.model_copy(update={"limit": Decimal(limit)})
            looking = plan.model_copy(update={"suppression": suppression})
            limited = replace(problem, limit_rows=brute.limit)
            for method in FULL_DOMAIN if every_limit or limit == limits[-1] else ["optimal"]:
                node = None
                with suppress(NoSolutionError):
                    node = getattr(ask(search_by(method, looking, limited)), "node", None)
                check_found(method, node, outcomes, brute.satisfying(outcomes))


def check_found(
    method: str,
    node: Node | None,
    outcomes: Mapping[Node, Outcome | None],
    satisfying: Sequence[Node],
) -> None:
    """A method finds what it guarantees; of nodes without an outcome nothing is said."""
    unsure = [each for each, found in outcomes.items() if found is None]
    if node is None:
        assert not satisfying or (method == "datafly" and max(outcomes) not in satisfying), method
    elif node not in unsure:
        assert node in satisfying, (method, node, outcomes[node])
        least = min((sum(each), each) for each in satisfying)
        if method == "samarati":
            assert sum(node) == least[0] or unsure, (method, node)
        elif method != "datafly" and not unsure:
            assert (sum(node), node) == least, (method, node)


def model_of(case: Model) -> object:
    """The model that a case is about, whatever its variant."""
    return case["name"].split()[0]


def shaped(
    name: str, seed: str, *, other: str = "", joint: bool = False, published: bool = False,
    nested: bool | None = None, **more: Any,
) -> Task:  # fmt: skip
    """A random task: the first promise in joint mode, or against the published rows; of persons.

    In joint mode the other attribute has few values, or nothing would be left.
    """
    names = [name, other] if other else [name]
    task = task_of(names, seed, count=50, unit=nested is not None, **more)
    rows, privacy = task.rows, [*task.privacy]
    if joint:
        privacy[0] |= {"mode": "joint"}
        rows = [replace(row, o="x" if n % 7 else "y") for n, row in enumerate(rows)]
    if published:
        privacy[0] |= {"reference": "published"}
    if (joint or published) and not task.masked:  # k counts the class
        privacy.append({"model": "k-anonymity", "k": 2})
    if nested is not None:
        rows = of_persons(rows, random.Random(seed), nested)
    return replace(task, rows=rows, privacy=privacy)


def of_persons(rows: Sequence[Row], choose: random.Random, nested: bool) -> list[Row]:
    """The rows, some of one person; nested: each person has one combination of values."""
    found = []
    for n, row in enumerate(rows):
        person = f"p{choose.randrange(12)}" if choose.random() < 0.6 else f"q{n}"
        if nested:
            person += "".join(map(str, row.key))
        found.append(replace(row, person=person))
    return found


JOINT = [title for title in RUNS if known_of(title).may_be_joint]
REFERENCED = [title for title in RUNS if known_of(title).compares]
OF_ROWS = [title for title in RUNS if not known_of(title).counts_population]
FORMS: dict[str, tuple[Sequence[str], dict[str, Any], Sequence[str]]] = {
    "alone": (list(RUNS), {}, LIMITS),
    "with sizes": (list(RUNS)[1:], {"other": "k-anonymity"}, ("0", "0.4")),
    "masked": (
        [title for title in RUNS if known_of(title).about_values],
        {"masked": True},
        ("0.1", "0.4"),
    ),
    "joint": (JOINT, {"joint": True}, ("0", "0.4")),
    "joint, masked": (JOINT, {"joint": True, "masked": True}, ("0.4",)),
    "published": (REFERENCED, {"published": True}, ("0.1", "0.4")),
    "joint, published": (REFERENCED, {"joint": True, "published": True}, ("0.1", "0.4")),
    "nested": (OF_ROWS, {"nested": True}, ("0", "0.1")),
    "overlapping": (OF_ROWS, {"nested": False}, ("0", "0.1")),
}
"""By form of a task: its models, how it is shaped, and limits of suppression.

The class of '*' must hold all models, too. Joint mode divides classes by the other attribute.
Decided against all rows, published ones must hold against themselves. A person counts once, and
once with each value; limits count rows.
"""
ALPHA = ("overlapping", "alpha-k-anonymity")
each_form = pytest.mark.parametrize(
    ("form", "name"), [(form, name) for form, (names, *_) in FORMS.items() for name in names]
)


@pytest.mark.sampled(
    0.15,
    # where persons overlap, alpha-k-anonymity shows that a bound of lost rows does not hold
    by=("form", model_of, lambda case: (case["form"], case["name"]) == ALPHA),
)
@each_form
def test_search(form: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    _, how, limits = FORMS[form]
    if form == "with sizes":  # they are asked first, as they are of nodes with many classes
        monkeypatch.setattr(full_domain, "_MANY_CLASSES", 0)
    check_search(shaped(name, f"{form} {name}", **how), limits)


@pytest.mark.parametrize(
    ("name", "drawn", "limit"), [("k-anonymity", 23, "0.2"), ("l-diversity distinct", 7, "0.4")]
)
def test_masked_rows_are_not_monotone(name: str, drawn: int, limit: str) -> None:
    """Tables where a node may be published, and one above it may not, as fewer rows are masked."""
    check_search(task_of([name], f"mask {name} {drawn}", masked=True), limits=(limit,))


def test_joint_mode_with_a_single_sensitive_attribute_is_as_each_mode() -> None:
    task, nodes = task_of(["t-closeness equal"], "joint single"), []
    for modes in (["joint"], ["each"], ["each", "joint"]):
        plan = task.plan(
            privacy=[{**task.privacy[0], "mode": mode, "reference": "published"} for mode in modes]
        )
        plan["columns"]["o"] = "insensitive"
        nodes.append(sqlanon.run(plan).manifest["solution"]["node"])
    assert nodes == [nodes[0]] * 3


@pytest.mark.parametrize("seed", [0, 4, 5])
def test_datafly_goes_on_until_the_published_rows_hold(seed: int) -> None:
    """Also where the plan states no limit, and Datafly leaves out up to k rows all the same."""
    task = task_of(["t-closeness equal", "k-anonymity"], f"datafly {seed}", count=30)
    closeness = {**task.privacy[0], "t": 0.2, "reference": "published"}
    task = replace(task, privacy=[closeness, {"model": "k-anonymity", "k": 6}])
    manifest = sqlanon.run(task.plan(method="datafly", suppression={})).manifest
    assert (manifest["rows"]["suppressed"] > 0) == (seed > 0)
    assert manifest["privacy"][0]["measured_published"] <= 0.2 + NEAR


# --- what is published, and what is reported of it


def published() -> list[tuple[Any, ...]]:
    """The rows of the publication."""
    with duckdb.connect() as connection:
        return connection.execute("select * from 'published.parquet'").fetchall()


def expected_rows(task: Task, node: Node, brute: Brute) -> Counter[tuple[Any, ...]]:
    """Rows of published classes, with the persons of each; of others '*' or nothing."""
    found = brute.outcome(node)
    assert found is not None
    rows: Counter[tuple[Any, ...]] = Counter()
    for key, members in brute.groups(node).items():
        persons = [brute.as_class(members).size] if task.unit else []
        labels = key if key in found.published else ("*",) * len(node)
        if key in found.published or task.masked:
            rows.update((*labels, row.s, row.o, *persons) for row in members)
    return rows


def check_run(task: Task) -> bool:
    """Run and programs publish just the rows that brute force does; they are measured rightly.

    Programs are compiled before a solution is known, and after. Whether there is one.
    """
    plan = sqlanon.load_plan(task.plan())
    brute = Brute(task, plan.privacy)
    outcomes = {node: brute.outcome(node) for node in task.nodes}
    satisfying = brute.satisfying(outcomes)
    Path("published.solution.json").unlink(missing_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        if random.Random(repr(task.privacy)).random() < 0.5:  # in steps, as many rows are released
            release_in_steps(patch)
        programs = [sqlanon.compile(plan)[0].sql]
        try:
            manifest = sqlanon.run(plan).manifest
        except NoSolutionError:
            assert not satisfying
            with pytest.raises(duckdb.Error, match="sqlanon: no solution"):
                feed(programs[0])
            return False
        programs.append(sqlanon.compile(plan)[0].sql)
    assert programs[0] != programs[1]
    rows, file = published(), Path("published.parquet").read_bytes()
    for program in programs:
        Path("published.parquet").unlink()
        feed(program)
        assert published() == rows
    Path("published.parquet").write_bytes(file)
    node = tuple(manifest["solution"]["node"].values())
    found = outcomes[node]
    if found is None:
        return True
    assert node in satisfying, (task.privacy, node)
    if found.is_tied:
        return True
    assert Counter(rows) == expected_rows(task, node, brute)
    shown = [entry["measured"] for entry in manifest["privacy"]]
    with_source = sqlanon.verify("published.parquet", plan, with_source=True)
    assert all(entry.satisfied for entry in with_source)
    for reported in (shown, [entry.measured for entry in with_source]):
        assert all(map(near, reported, found.measured)), (plan.privacy, reported, found.measured)
    among = [entry.get("measured_published", ...) for entry in manifest["privacy"]]
    if not task.unit:  # an auditor, who has the publication alone, measures the same
        findings = sqlanon.verify("published.parquet", plan)
        assert all(map(near, [finding.measured for finding in findings], found.measured_published))
    assert all(map(near, among, found.measured_published)), (plan.privacy, among)
    return True


def near(shown: Any, expected: Any) -> bool:
    """Whether a manifest tells this measure; an Ellipsis agrees with everything."""
    if ... in (shown, expected) or None in (shown, expected):
        return ... in (shown, expected) or shown is expected
    return math.isclose(float(shown), float(expected), abs_tol=1e-9) or shown == expected


@pytest.mark.sampled(0.1, by=("form", model_of))
@each_form
def test_run_publishes_what_brute_force_keeps(form: str, name: str) -> None:
    _, how, _ = FORMS[form]
    tried = (check_run(shaped(name, f"run {form} {name} {n}", **how)) for n in range(9))
    has_several = form in ("nested", "overlapping")  # values of a person, which may never do
    assert any(tried) or has_several


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


def test_a_population_in_a_duckdb_file() -> None:
    """Or in the very file of the source."""
    plan = task_of(["k-map", "delta-presence"], "forms").plan()
    expected = sqlanon.run(plan).manifest["solution"]["node"]
    rows = Counter(published())
    with duckdb.connect("both.duckdb") as connection:
        connection.execute("create schema big")
        for table, file in (("big.people", "population.csv"), ("patients", "rows.csv")):
            read = f"read_csv('{file}', header = true, all_varchar = true)"
            connection.execute(f"create table {table} as from {read}")
    plan["population"] = "both.duckdb::big.people"
    for source in (plan["source"], "both.duckdb::patients", "./both.duckdb::patients"):
        found = sqlanon.run({**plan, "source": source}, Options(overwrite=True)).manifest
        assert found["solution"]["node"] == expected
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


def test_rows_of_nobody_are_refused() -> None:
    """By a program, too, which finds them missing in classes with rows of persons."""
    task = task_of(["k-anonymity"], "nobody", unit=True)
    rows = [replace(row, person=row.person if n % 5 else "") for n, row in enumerate(task.rows)]
    plan = replace(task, rows=rows).plan()
    with pytest.raises(PlanError, match=r"5 row\(s\) have no 'person'"):
        sqlanon.run(plan)
    with pytest.raises(duckdb.Error, match="rows are missing"):
        feed(sqlanon.compile(plan)[0].sql)
    assert not Path("published.parquet").exists()


# --- fail closed


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
        with suppress(NoSolutionError):
            try:
                manifest = sqlanon.run(
                    task_of([name], f"slip {name} {seed}", count=50).plan()
                ).manifest
            except PrivacyViolation:
                assert not Path("published.parquet").exists()
                return
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
S = {"attribute": "s"}
JOINTLY = {**S, "mode": "joint"}
TOO_MUCH: list[tuple[Model, str]] = [
    ({"model": "k-anonymity", "k": 99}, "k"),
    ({"model": "l-diversity", "l": 9, **S}, "l"),
    ({"model": "l-diversity", "kind": "entropy", "l": 9, **S}, "l"),
    ({"model": "l-diversity", "kind": "recursive", "l": 2, "c": 0.01, **S}, "c"),
    ({"model": "l-diversity", "kind": "recursive", "l": 3, "c": 0.01, **S}, "c"),
    ({"model": "alpha-k-anonymity", "alpha": 0.01, "k": 2, **S}, "alpha"),
    ({"model": "k-e-anonymity", "k": 2, "e": 99, **S}, "e"),
    ({"model": "t-closeness", "t": 0, **JOINTLY}, "t"),
    ({"model": "beta-likeness", "beta": 0.0001, **JOINTLY}, "beta"),
    ({"model": "delta-disclosure", "delta": 0.0001, **JOINTLY}, "delta"),
    ({"model": "k-map", "k": 99}, "k"),
    *(({"model": f"{risk}-risk", "threshold": 0.0001}, "threshold")
      for risk in ("prosecutor", "average", "journalist", "marketer")),
    ({"model": "delta-presence", "dmin": 0, "dmax": 0.01}, "dmax"),
    ({"model": "delta-presence", "dmin": 0.999, "dmax": 1}, "dmin"),
]  # fmt: skip


@pytest.mark.sampled(0.1, by=("limit", lambda case: case["model"]["model"]))
@pytest.mark.parametrize("limit", ["0", "1"])
@pytest.mark.parametrize(
    ("model", "parameter"), TOO_MUCH, ids=lambda v: v if isinstance(v, str) else v["model"]
)
def test_what_is_called_feasible_is(model: Model, parameter: str, limit: str) -> None:
    """The error names the model, and a bound which, when asked for, holds."""
    task = counts_task(UNEVEN, model, limit=limit)
    rows = task.rows
    is_joint = model.get("mode") == "joint"
    if is_joint:
        rows = [replace(row, o="x" if n % 3 else "y") for n, row in enumerate(rows)]
    if known_of(model["model"]).counts_population:
        task = replace(task, population=[row.key for row in rows] * 3 + [("v1", "x1")] * 4)
    task = replace(task, rows=rows)
    with pytest.raises(NoSolutionError) as refused:
        sqlanon.run(task.plan())
    message = str(refused.value)
    assert model["model"] in message
    assert not re.search(r"v0|x0|\bv1\b", message)
    if limit == "1":
        return
    fix = message.partition("Fix:")[2]
    if is_joint and model["model"] == "delta-disclosure":
        assert "absent: ignore" in fix
        return
    number = re.search(rf"\b{parameter}\b[^\d;]*(\d[\d.e-]*)", fix)
    assert number, message
    bound = float(number[1].rstrip(".")) * (1 + 1e-6 * ("above" in fix))
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


@pytest.mark.parametrize(
    "model",
    [
        {"model": "t-closeness", "t": float("nan"), **S},
        {"model": "beta-likeness", "beta": float("inf"), **S},
        {"model": "k-map", "k": 5},
        {"model": "delta-presence", "dmin": 0, "dmax": 0.5},
        {"model": "l-diversity", "l": 2},
        {"model": "l-diversity", "l": 2, "attribute": "person"},
        {"model": "t-closeness", "t": 0.2, "attribute": "o", "distance": "hierarchical"},
    ],
    ids=str,
)
def test_bad_parameters(model: Model) -> None:
    with pytest.raises(PlanError):
        sqlanon.run(counts_task(UNEVEN, model).plan())


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
    columns = {name: {"role": "sensitive", "compare": "exact"} for name in values}
    query = f"select 'v0' as a, {listed} from range(12) as r(i), (select i % 3 n)"
    diverse = [{"model": "l-diversity", "l": 2, "attribute": name} for name in values]
    keys = {"privacy": diverse, "publish": "published.csv"}
    plan = plan_of({"a": "quasi-identifier", **columns}, {"query": query}, **keys)
    counted = [entry["measured"] for entry in sqlanon.run(plan).manifest["privacy"]]
    assert counted == [2 if kind == "boolean" else 3 for kind in TYPED]


def values_plan(lines: str, *privacy: Model, **keys: Any) -> PlanMapping:
    """A plan over a column `a` and a sensitive one `s`."""
    Path("rows.csv").write_text(f"a,s\n{lines}\n", encoding="utf-8")
    columns = {"a": "quasi-identifier", "s": "sensitive", **keys.pop("columns", {})}
    return plan_of(columns, "rows.csv", privacy=privacy, publish="published.parquet", **keys)


def test_sensitive_values_have_the_labels_of_a_rule() -> None:
    """By hand: 1, 2, 11, 12 are 5/24 from the table; 1, 1 are 5/12, so that they are left out."""
    plan = values_plan(
        "x,1\nx,2\nx,11\nx,12\ny,1\ny,1",
        {"model": "t-closeness", "t": 0.3, "distance": "hierarchical"},
        columns={"s": {"role": "sensitive", "hierarchy": {"intervals": [10]}}},
        suppression={"limit": 0.4},
    )
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


def test_who_is_in_no_published_class_is_known_to_be_absent() -> None:
    Path("population.csv").write_text("a\n" + "x\nx\ny\ny\n" * 2, encoding="utf-8")
    presence = {"model": "delta-presence", "dmin": 0.2, "dmax": 0.8}
    plan = values_plan("x,1\nx,2\ny,1\ny,2", presence, population="population.csv")
    sqlanon.run(plan)
    duckdb.execute("copy (from 'published.parquet' where a = 'x') to 'less.parquet'")
    assert sqlanon.verify("published.parquet", plan)[0].measured == 0.5
    with pytest.raises(PrivacyViolation, match="known to be absent"):
        sqlanon.verify("less.parquet", plan)


def test_published_regions_that_overlap_are_refused() -> None:
    """A person would be counted in both."""
    Path("population.csv").write_text("a\n" + "1\n2\n3\n4\n" * 2, encoding="utf-8")
    plan = values_plan(
        "1,x\n2,x\n3,x\n4,x", {"model": "k-map", "k": 4}, population="population.csv",
        method="mondrian", columns={"a": {"role": "quasi-identifier", "type": "numeric"}},
    )  # fmt: skip
    for file, low, high in (("apart", "[1, 2]", "[3, 4]"), ("overlapping", "[1, 3]", "[2, 4]")):
        labels = f"unnest(['{low}', '{low}', '{high}', '{high}']) as a, 'x' as s"
        duckdb.execute(f"copy (select {labels}) to '{file}.parquet'")
    assert sqlanon.verify("apart.parquet", plan)[0].measured == 4
    with pytest.raises(PrivacyViolation, match="are ambiguous"):
        sqlanon.verify("overlapping.parquet", plan)


def test_check_reads_no_rows_so_it_knows_no_listed_value() -> None:
    alpha: Model = {"model": "alpha-k-anonymity", "alpha": 1, "k": 2, "values": ["x"]}
    plan = values_plan("1,x\n2,x\n3,y", alpha)
    sqlanon.check(plan)
    sqlanon.run(plan)
    alpha["values"] = ["z"]
    with pytest.raises(PlanError, match="source does not have"):
        sqlanon.run(plan)


# --- sensitive values of persons with several rows: shares are of persons, not of pairs

# Where classes share persons, a union of classes that hold a promise may break it, or the other
# way round; no search may rely on it.
CUTTING = ("mondrian", "dimension-splitting")
EACH_VALUE: list[Model] = [
    {"model": "l-diversity", "l": 2},
    {"model": "l-diversity", "kind": "frequency", "l": 2},
    {"model": "alpha-k-anonymity", "alpha": 0.5, "k": 2},
]


def titled(model: Model) -> str:
    return " ".join(map(str, model.values()))


HIV = [
    Row(("v0", "x0"), value, "same", f"p{n}")
    for n, own in enumerate(["1", "2", "3.5", "10"])
    for value in ("hiv", own)
]
"""Four persons, each with two rows, one of them of `hiv`, which all of them have."""


def crowd(*rows: tuple[str, str, str]) -> list[Row]:
    """Rows of (a, s, person)."""
    return [Row((a, "x0"), s, person=person) for a, s, person in rows]


def persons_task(rows: list[Row], *models: Model) -> Task:
    return Task(rows, [{"attribute": "s", **model} for model in models], unit=True)


CROSSED = crowd(("v0", "1", "p"), ("v0", "2", "q"), ("v1", "2", "p"), ("v1", "1", "q"))
"""Two classes of two persons and two values; in the union both persons have both."""


@pytest.mark.sampled(0.1, by=("model", "method"))
@pytest.mark.parametrize("model", [*EACH_VALUE, {"model": "l-diversity", "l": 3}], ids=titled)
@pytest.mark.parametrize("method", ["optimal", "mondrian"])
def test_a_value_that_all_persons_have(model: Model, method: str) -> None:
    """By pairs of a person and a value, `hiv` would have a share of one half."""
    plan = persons_task(HIV, model).plan(method=method)
    plan["columns"]["s"] = "sensitive"
    with pytest.raises(NoSolutionError, match=r"(diversity|share)( of 's')? is 1[,.]"):
        sqlanon.run(plan)


def test_in_joint_mode_shares_are_of_the_persons_of_a_part() -> None:
    """All have `hiv` and the same other value, by which the class is not divided."""
    model = {"model": "l-diversity", "kind": "frequency", "l": 2, "mode": "joint"}
    plan = persons_task(HIV, model).plan()
    plan["columns"] |= {"s": "sensitive", "o": "sensitive"}
    with pytest.raises(NoSolutionError, match=r"diversity is 1[,.]"):
        sqlanon.run(plan)


def test_the_same_persons_hold_weaker_promises() -> None:
    """All have `hiv`, in the class as in the table, and three of four lack each other value."""
    models: list[Model] = [
        {"model": "beta-likeness", "beta": 0.001},
        {"model": "delta-disclosure", "delta": 0.001},
        {"model": "l-diversity", "l": 1},
        {"model": "alpha-k-anonymity", "alpha": 0.25, "k": 4, "values": ["1", "2", "10"]},
    ]
    plan = persons_task(HIV, *models).plan()
    plan["columns"]["s"] = "sensitive"
    assert [entry["satisfied"] for entry in sqlanon.run(plan).manifest["privacy"]] == [True] * 4


@pytest.mark.sampled(0.1)
@pytest.mark.parametrize("model", EACH_VALUE, ids=titled)
@pytest.mark.parametrize("method", [*FULL_DOMAIN, *CUTTING])
def test_classes_hold_whose_union_fails(model: Model, method: str) -> None:
    """One class of all rows breaks the promise, which proves nothing of finer classes."""
    plan = persons_task(CROSSED, model).plan(method=method)
    assert sqlanon.run(plan).manifest["rows"]["suppressed"] == 0
    assert {(row[0], row[-1]) for row in published()} == {("v0", 2), ("v1", 2)}
    plan["columns"]["a"] = "identifier"
    with pytest.raises(NoSolutionError):
        sqlanon.run(plan)


def test_an_average_that_grows_on_the_way_up() -> None:
    """3 classes of 21 persons, counted in each; but 2 of 11 where the two large ones are one."""
    rows = crowd(*((place, "1", f"p{n}") for place in ("v0", "v1") for n in range(10)))
    rows += crowd(("v4", "1", "q"))
    check_search(Task(rows, [{"model": "average-risk", "threshold": 0.15}], unit=True), ("0",))


ONE_VALUE: list[Model] = [
    {"model": "l-diversity", "kind": "entropy", "l": 1},
    {"model": "l-diversity", "kind": "recursive", "l": 2, "c": 100},
    {"model": "t-closeness", "t": 1},
    {"model": "k-e-anonymity", "k": 2, "e": 0},
]


@pytest.mark.sampled(0.1, by=("model", "method"))
@pytest.mark.parametrize("model", ONE_VALUE, ids=titled)
@pytest.mark.parametrize("method", ["optimal", "mondrian"])
def test_one_value_a_person_is_asked_for(model: Model, method: str) -> None:
    """Two of three classes have a person of two values, however fine they are: seven of 8 rows."""
    two_valued = [("v0", "p"), ("v0", "q"), ("v1", "r")]
    rows = crowd(*((place, value, who) for place, who in two_valued for value in "12"))
    rows += crowd(("v1", "1", "s"), ("v4", "1", "t"))
    plan = persons_task(rows, model).plan(method=method)
    plan["suppression"] = {"limit": 0.75 if method == "optimal" else 0}
    with pytest.raises(NoSolutionError, match=r"In 2 class.*however fine") as found:
        sqlanon.run(plan)
    assert found.value.where == "privacy[0]"
    assert "frequency l-diversity" in str(found.value)


@pytest.mark.parametrize("model", ONE_VALUE, ids=titled)
def test_one_value_a_person_in_classes(model: Model) -> None:
    """Persons have one value in each of two classes; only the table, or their union, has two."""
    plan = persons_task(CROSSED, model).plan()
    if model["model"] == "t-closeness":
        with pytest.raises(NoSolutionError, match="with the table, where 2 person"):
            sqlanon.run(plan)
        return
    assert sqlanon.run(plan).manifest["solution"]["node"]["a"] == 0
    rows = [*CROSSED, *crowd(("v2", "1", "p"), ("v0", "1", "r"), ("v1", "1", "r"))]
    plan = persons_task(rows, model).plan()
    plan["privacy"].append({"model": "k-anonymity", "k": 2})
    with pytest.raises(NoSolutionError, match=r"2 person\(s\) of the table have several"):
        sqlanon.run(plan)
