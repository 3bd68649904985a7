"""Partitions against brute force: the cuts, the classes, their labels, and what must not go in.

`partition_oracle` is written from docs/partitioning.md alone. What the values of an attribute are,
in which order, is found here in Python once more, and so are the labels that are published.
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sqlanon
from sqlanon import NoSolutionError, PlanError, PrivacyViolation
from sqlanon.plan.file import load_plan
from tests.oracles import partition as oracle
from tests.oracles import sets
from tests.oracles.class_relations import Class
from tests.oracles.models import KNOWN, Verdict, verdict
from tests.plan.plans import plan_of
from tests.selection import examples
from tests.support.secret_texts import SEED
from tests.support.tables import feed, write_csv

Value = str | None
Row = tuple[Value, ...]
CutKind = Literal["numeric", "date", "ordinal", "nominal", "categorical"]
Tree = Mapping[str, tuple[str, ...]]
Model = dict[str, Any]
PlanMapping = dict[str, Any]

EXACT = {"ends": "exact"}
"""Ranges end at values of persons, as the oracle has them; `test_ends` is about all others."""
CUTS: tuple[oracle.Cut, ...] = ("median", "median-both", "quantiles", "any")


@dataclass(frozen=True)
class Column:
    """A quasi-identifier; `tree`: the labels of every value, of one in the order of a hierarchy."""

    kind: CutKind
    weight: float = 1.0
    tree: Tree | None = None

    def as_plan(self) -> PlanMapping:
        shown: PlanMapping = {"role": "quasi-identifier", "weight": self.weight}
        if self.tree is None:
            return {**shown, "type": self.kind}
        levels = len(next(iter(self.tree.values())))
        rows = ", ".join(f"({', '.join(map(literal, path))})" for path in self.tree.values())
        names = ", ".join(f"level_{level}" for level in range(levels))
        query = f"select * from (values {rows}) as tree ({names})"
        kind = {"type": self.kind} if self.kind == "nominal" else {}
        return {**shown, **kind, "hierarchy": {"query": query, "columns": levels}}

    def attribute(self, name: str, values: Sequence[Value]) -> tuple[oracle.Attribute, list[Value]]:
        """What the oracle sees, and the values by place."""
        distinct = set(values)
        paths: tuple[Row, ...] = ()
        positions: list[float]
        if self.tree is not None:
            (*below, top) = next(iter(self.tree.values()))
            path_of: dict[Value, tuple[Value, ...]] = {None: (*[None for _ in below], top)}
            path_of.update(self.tree)
            ordered: list[Value] = [None] if None in distinct else []
            ordered += sorted(self.tree, key=lambda value: path_of[value][::-1])
            paths = tuple(path_of[value] for value in ordered)
            positions = [float(place) for place in range(len(ordered))]
        else:
            known = sorted((v for v in distinct if v is not None), key=self.order)
            ordered = [*([None] if None in distinct else []), *known]
            if self.kind in ("ordinal", "nominal"):
                positions = [float(place) for place in range(len(ordered))]
            else:
                least = self.number(known[0]) if known else 0.0
                positions = [least if v is None else self.number(v) for v in ordered]
        return oracle.Attribute(name, self.kind, tuple(positions), paths, self.weight), ordered

    def number(self, value: str) -> float:
        if self.kind == "numeric":
            return float(value)
        return (datetime.fromisoformat(value) - datetime(1970, 1, 1)).total_seconds() / 86400

    def order(self, value: str) -> tuple[float, str]:
        return 0.0 if self.kind in ("ordinal", "nominal") else self.number(value), value


def literal(value: Value) -> str:
    return "null" if value is None else "'" + value.replace("'", "''") + "'"


@dataclass(frozen=True)
class Task:
    """A table to partition; `secrets` are the sensitive values, one a row."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    secrets: tuple[Value, ...]
    privacy: tuple[Model, ...]
    population: tuple[Row, ...] = ()

    @property
    def names(self) -> str:
        """The quasi-identifiers."""
        return "abcd"[: len(self.columns)]

    @property
    def needs_cover(self) -> bool:
        """Whether everybody of the population must fall into a class."""
        return any(model.get("dmin", 0) > 0 for model in self.privacy)

    def plan(self, **keys: Any) -> PlanMapping:
        """The plan over the tables that `check` makes."""
        quasi = {n: c.as_plan() for n, c in zip(self.names, self.columns, strict=True)}
        people = {"population": {"table": "everybody"}} if self.population else {}
        columns = {**quasi, "number": "insensitive", "s": "sensitive"}
        made = plan_of(columns, {"table": "people"}, privacy=[*map(dict, self.privacy)])
        return made | {"publish": {"table": "published_people"}} | people | keys


# --- random tasks

NUMBERS = ("0", "1", "1.0", "2", "3", "7", "-4", "10", "1e2", "0.5", "9")
DATES = ("2020-01-01", "2020-01-02", "1999-12-31", "2020-01-01 12:00:00", "2024-02-29",
         "1969-07-20")  # fmt: skip
TEXTS = ("b", "A", "10", "9", "é", "", "z z", "it's", "Z")
SECRETS = ("flu", "gout", "2", "10", None)
MOST = {"numeric": NUMBERS, "date": DATES, "ordinal": TEXTS, "nominal": TEXTS}


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    """A small hierarchy, uneven here and there; a leaf may keep its label on the next level."""
    leaves = list(draw(st.permutations([f"v{n}" for n in range(draw(st.integers(1, 7)))])))
    paths = {leaf: [leaf] for leaf in leaves}
    labels = leaves
    for level in range(draw(st.integers(0, 2))):
        parent_of: dict[str, str] = {}
        start = 0
        while start < len(labels):
            group = labels[start : start + draw(st.integers(1, 3))]
            keeps = len(group) == 1 and draw(st.booleans())
            name = group[0] if keeps else f"{draw(st.sampled_from('gxz'))}{level}{start}"
            parent_of |= dict.fromkeys(group, name)
            start += len(group)
        for path in paths.values():
            path.append(parent_of[path[-1]])
        labels = list(dict.fromkeys(parent_of.values()))
    return {leaf: (*path, "*") for leaf, path in paths.items()}


@st.composite
def columns(draw: st.DrawFn, kinds: Sequence[CutKind]) -> tuple[Column, tuple[Value, ...]]:
    """A quasi-identifier, and the values that rows may have."""
    kind = draw(st.sampled_from(kinds))
    weight = draw(st.sampled_from([1.0, 1.0, 1.0, 0.3, 0.0, 2.5]))
    has_tree = kind == "categorical" or (kind == "nominal" and draw(st.booleans()))
    tree = draw(trees()) if has_tree else None
    pool = st.sampled_from(list(tree) if tree else MOST[kind])
    values: list[Value] = [*draw(st.lists(pool, min_size=1, max_size=8, unique=True))]
    if draw(st.integers(0, 2)) == 0:
        values.append(None)
    return Column(kind, weight, tree), tuple(values)


def k_of(*choices: int) -> Model:
    return {"model": "k-anonymity", "k": choices}


PRESENCE: Model = {"model": "delta-presence", "dmin": 0}
PROMISES: dict[str, tuple[Model, ...]] = {
    "k": (k_of(2, 3, 4, 5, 6),),
    "k-distinct": (k_of(2, 3, 4), {"model": "l-diversity", "l": (2, 3)}),
    "distinct-k": ({"model": "l-diversity", "l": 2}, k_of(2, 3)),
    "k-entropy": (k_of(2, 3), {"model": "l-diversity", "kind": "entropy", "l": (1.5, 2, 2.2)}),
    "k-closeness": (k_of(2, 3), {"model": "t-closeness", "t": (0.2, 0.35, 0.5)}),
    "alpha": ({"model": "alpha-k-anonymity", "alpha": (0.5, 0.6, 0.75), "k": (2, 3, 4)},),
    "presence": (PRESENCE | {"dmax": (0.4, 0.5, 0.75)},),
    "presence-k": (PRESENCE | {"dmax": (0.5, 0.75)}, k_of(2, 3)),
    "presence-cover": (PRESENCE | {"dmin": (0.1, 0.25), "dmax": (0.6, 0.75, 1)},),
}
"""Of several values in a tuple, a task has one."""
OF_TABLE = [name for name in PROMISES if not name.startswith("presence")]
OF_POPULATION = [name for name in PROMISES if name.startswith("presence")]
KINDS: tuple[CutKind, ...] = ("numeric", "date", "ordinal", "nominal", "categorical")


@st.composite
def tasks(
    draw: st.DrawFn, promises: str = "k", kinds: Sequence[CutKind] = KINDS, most_rows: int = 40
) -> Task:
    """A table of a few values, so that there are classes; a population, where one is asked for."""
    if promises in OF_POPULATION:  # sets do not locate persons
        kinds = [kind for kind in kinds if kind != "nominal"]
    made = [draw(columns(kinds)) for _ in range(draw(st.integers(1, 3)))]
    quasi = [column for column, _ in made]
    if not any(column.weight for column in quasi):
        quasi[0] = replace(quasi[0], weight=1.0)
    count = draw(st.integers(1, most_rows))
    row = st.tuples(*(st.sampled_from(values) for _, values in made))
    rows = draw(st.lists(row, min_size=count, max_size=count))
    secrets = draw(st.lists(st.sampled_from(SECRETS), min_size=count, max_size=count))
    everybody: tuple[Row, ...] = ()
    if promises in OF_POPULATION:
        copies = draw(st.lists(st.integers(1, 3), min_size=count, max_size=count))
        pools = [
            st.sampled_from([*values, *(column.tree or MOST[column.kind])])
            for column, values in made
        ]
        others = draw(st.lists(st.tuples(*pools), max_size=15))
        everybody = (*(r for r, n in zip(rows, copies, strict=True) for _ in range(n)), *others)
    privacy = tuple(
        {key: draw(st.sampled_from(v)) if isinstance(v, tuple) else v for key, v in model.items()}
        for model in PROMISES[promises]
    )
    return Task(tuple(quasi), tuple(rows), tuple(secrets), privacy, everybody)


# --- a task as the oracle sees it


class Table:
    """A cell for each row, and one for each combination of the population."""

    def __init__(self, task: Task) -> None:
        self.task = task
        everybody = [*task.rows, *task.population]
        found = [
            column.attribute(name, [row[index] for row in everybody])
            for index, (name, column) in enumerate(zip(task.names, task.columns, strict=True))
        ]
        self.attributes = [attribute for attribute, _ in found]
        self.values = [values for _, values in found]
        self.places = [self.place(row) for row in task.rows]
        codes = sorted(set(task.secrets), key=str)
        self.cells = [
            oracle.Cell(place, (codes.index(secret),))
            for place, secret in zip(self.places, task.secrets, strict=True)
        ]
        people = Counter(map(self.place, task.population))
        self.cells += [oracle.Cell(place, (-1,), 0, count) for place, count in people.items()]

    def place(self, row: Row) -> tuple[int, ...]:
        return tuple(values.index(value) for values, value in zip(self.values, row, strict=True))

    def turns(self, plan: PlanMapping) -> list[int]:
        """In which order relaxed partitioning deals the rows, as the seed tells."""
        task = self.task
        rows = [
            (*row, str(n), secret)
            for n, (row, secret) in enumerate(zip(task.rows, task.secrets, strict=True))
        ]
        paths: list[Any] = [path for attribute in self.attributes for path in attribute.paths]
        key = oracle.release_key(SEED, load_plan(plan).sha256, rows, paths)
        return oracle.dealing_turns(self.places, oracle.row_keys(SEED, key, rows))

    def verdicts(self, part: oracle.Part) -> list[Verdict]:
        """What the models of a plan measure of a part, and whether it is satisfied."""

        def members(of: oracle.Part) -> Class:
            values = [
                str(self.cells[cell].values) for cell, rows in of.items() for _ in range(rows)
            ]
            return Class(tuple(values), sum(self.cells[cell].population_count for cell in of))

        shares = members(oracle.everything(self.cells)).shares
        models = [KNOWN[each["model"]].cls.model_validate(each) for each in self.task.privacy]
        return [verdict(model, members(part), shares, {}) for model in models]

    def holds(self, part: oracle.Part) -> bool:
        return all(holds for _, holds in self.verdicts(part))

    def partition(
        self, plan: PlanMapping, allowable: oracle.Allowable | None
    ) -> oracle.Result | oracle.SplittingResult | None:
        """What a method makes of the table; None if there is no solution."""
        task, method = self.task, plan["method"]
        made: oracle.Result | oracle.SplittingResult
        if method["name"] == "dimension-splitting":
            is_better = 1 if KNOWN[task.privacy[0]["model"]].module.worst is min else -1

            def measure(parts: list[oracle.Part]) -> tuple[bool, float]:
                measures = [is_better * self.verdicts(part)[0][0] for part in parts]
                return all(map(self.holds, parts)), min(measures)

            made = oracle.dimension_splitting(
                self.cells, self.attributes, measure, empty_allowed=not task.needs_cover
            )
        else:
            made = oracle.mondrian(
                self.cells,
                self.attributes,
                allowable or self.holds,
                cut=method.get("cut", "median-both"),
                turns=self.turns(plan) if method.get("partitioning") == "relaxed" else (),
                count="population" if method["name"] == "mpalm" else "rows",
                empty_allowed=allowable is not None or not task.needs_cover,
            )
        covers = len(made.regions) == len(made.classes) or not task.needs_cover
        return made if covers and all(self.holds(c.rows) for c in made.classes) else None

    def labels(self, part: oracle.Class, method: PlanMapping) -> dict[str, Any]:
        """What a reader sees of a class, by docs/partitioning.md."""
        shown: dict[str, Any] = {}
        names = method.get("names", 4)
        for index, attribute in enumerate(self.attributes):
            own = self.values[index]
            inside = sorted({self.places[row][index] for row, count in part.rows.items() if count})
            if method.get("labels", "region") == "region":
                first, last = part.box[index]
                inside = list(range(first, last + 1))
            first, last = inside[0], inside[-1]
            known = sum(own[place] is not None for place in inside)
            if attribute.kind == "nominal" and not (attribute.paths and known > names):
                total = sum(value is not None for value in own)
                label: object = sets.write([own[place] for place in inside], total, names)
            elif attribute.paths:
                pairs = zip(attribute.paths[first], attribute.paths[last], strict=True)
                label = next(one for one, other in pairs if one == other)
            else:
                label = interval(own, first, last)
            shown[attribute.name] = label
            if method.get("bounds") and attribute.kind in ("numeric", "date"):
                first += own[first] is None and first < last
                kind: Any = float if attribute.kind == "numeric" else datetime.fromisoformat
                for end, value in (("lo", own[first]), ("hi", own[last])):
                    shown[f"{attribute.name}_{end}"] = value and kind(value)
        return shown


def interval(values: Sequence[Value], first: int, last: int) -> Value:
    """From a value to another; a missing one is named beside them."""
    if first == last:
        return values[first]
    if values[first] is None:
        return f"{interval(values, first + 1, last)} or NULL"
    return f"[{values[first]}, {values[last]}]"


# --- the package's partition, beside the oracle's


def check(
    task: Task, *, allowable: oracle.Allowable | None = None, order: str = "sorted", **method: Any
) -> sqlanon.RunResult | None:
    """A run labels every row as the oracle does, after the same cuts; or neither has a solution."""
    if method["name"] != "dimension-splitting":
        method = {"labels": "region" if task.population else "tight", **method}
    plan = task.plan(method=EXACT | method, order=order)
    table = Table(task)
    wanted = table.partition(plan, allowable)
    with duckdb.connect() as connection:
        connection.execute("set threads = 1")
        people = [
            (*row, str(n), secret)
            for n, (row, secret) in enumerate(zip(task.rows, task.secrets, strict=True))
        ]
        write_table(connection, "people", [*task.names, "number", "s"], people)
        if task.population:
            write_table(connection, "everybody", task.names, task.population)
        if wanted is None:
            with pytest.raises(NoSolutionError):
                sqlanon.run(plan, connection=connection)
            return None
        result = sqlanon.run(plan, connection=connection)
        published = connection.sql("from published_people")
        kinds = dict(zip(published.columns, map(str, published.types), strict=True))
        shown = [dict(zip(published.columns, row, strict=True)) for row in published.fetchall()]
    labels = {
        row: table.labels(part, method)
        for part in wanted.classes
        for row, count in part.rows.items()
        if count
    }
    expected = [
        {**labels[n], "number": str(n), "s": secret} for n, secret in enumerate(task.secrets)
    ]
    if order == "sorted":
        keys = [[row[name] for name in task.names] for row in shown]
        groups = [key for n, key in enumerate(keys) if not n or key != keys[n - 1]]
        assert len({*map(tuple, groups)}) == len(groups)
        shown.sort(key=lambda row: int(row["number"]))
    assert shown == expected
    ends = {"numeric": "DOUBLE", "date": "TIMESTAMP"}
    for name, column in zip(task.names, task.columns, strict=True) if method.get("bounds") else ():
        if column.kind in ends:
            assert kinds[f"{name}_lo"] == kinds[f"{name}_hi"] == ends[column.kind]
    seen = {tuple(label[name] for name in task.names) for label in labels.values()}
    # relaxed classes may have the labels of others
    assert result.manifest["solution"]["classes"] in (len(wanted.classes), len(seen))
    if isinstance(wanted, oracle.Result):
        check_tree(result.target / "partition_tree.csv", table, wanted.tree)
    return result


def check_tree(file: Path, table: Table, wanted: Sequence[oracle.Node]) -> None:
    """The cuts that a file shows; of regions only how many rows each side has."""
    with file.open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    sizes = [(r["round"], r["row_count"], r.get("population_count", "0")) for r in rows]
    assert Counter(sizes) == Counter((str(n.round), str(n.rows), str(n.population)) for n in wanted)
    if "first_place" not in rows[0]:
        return
    boxes: dict[tuple[int, str], oracle.Box] = {}
    for row in rows:
        above = boxes.get((int(row["round"]) - 1, row["parent"]))
        box = tuple((0, len(values) - 1) for values in table.values)
        if above is not None:
            index = table.task.names.index(row["attribute"])
            low, high = above[index]
            side = (max(int(row["first_place"]), low), min(int(row["last_place"]), high))
            box = (*above[:index], side, *above[index + 1 :])
        boxes[int(row["round"]), row["region"]] = box
    assert Counter((number, box) for (number, _), box in boxes.items()) == Counter(
        (node.round, node.box) for node in wanted
    )


def write_table(
    connection: duckdb.DuckDBPyConnection, name: str, names: Iterable[str], rows: Iterable[Row]
) -> None:
    connection.execute(f"create table {name} ({', '.join(f'{n} varchar' for n in names)})")
    listed = ", ".join(f"({', '.join(map(literal, row))})" for row in rows)
    connection.execute(f"insert into {name} values {listed}")


NAMES = st.integers(1, 4)
METHOD_KEYS: st.SearchStrategy[PlanMapping] = st.fixed_dictionaries({
    "execution": st.sampled_from(["recursive", "rounds"]),
    "labels": st.sampled_from(["tight", "tight", "region"]),
    "names": NAMES,
    "bounds": st.booleans(),
})  # fmt: skip


@pytest.mark.sampled(0.01)
@pytest.mark.parametrize("promises", OF_TABLE)
@examples(5)
@given(data=st.data())
def test_strict_cuts(promises: str, data: st.DataObject, folder: Path) -> None:
    """Every kind of cut, in one statement or round by round, with every kind of labels."""
    task = data.draw(tasks(promises))
    for cut in CUTS:
        check(
            task, name="mondrian", cut=cut, order=data.draw(st.sampled_from(["source", "sorted"])),
            **data.draw(METHOD_KEYS),
        )  # fmt: skip


@pytest.mark.sampled(0.01)
@pytest.mark.parametrize("promises", OF_TABLE)
@examples(4)
@given(data=st.data())
def test_relaxed_cuts(promises: str, data: st.DataObject, folder: Path) -> None:
    """Rows at the cut are dealt to both sides, in the same order as in the oracle."""
    task = data.draw(tasks(promises))
    for cut in ("median", "median-both", "quantiles"):
        check(task, name="mondrian", cut=cut, partitioning="relaxed", **data.draw(METHOD_KEYS))


@pytest.mark.sampled(0.5, by="promises")
@pytest.mark.parametrize("promises", OF_POPULATION)
@examples(5)
@given(data=st.data())
def test_cuts_with_a_population(promises: str, data: st.DataObject, folder: Path) -> None:
    """Everybody goes along; of `mpalm`, everybody counts."""
    task = data.draw(tasks(promises, most_rows=25))
    for name in ("mondrian", "mpalm"):
        execution = data.draw(st.sampled_from(["recursive", "rounds"]))
        check(task, name=name, cut=data.draw(st.sampled_from(CUTS)), execution=execution)


@pytest.mark.parametrize("promises", ["k-distinct", *OF_POPULATION])
@examples(6)
@given(data=st.data())
def test_k_mondrian(promises: str, data: st.DataObject, folder: Path) -> None:
    """The smallest k of all that there are, tried one after the other."""
    task = data.draw(tasks(promises, most_rows=25))
    first = max([2, *(model.get("k", 2) for model in task.privacy)])
    table, plan = Table(task), task.plan(method={"name": "k-mondrian"})
    tried = range(first, first + len(task.rows) + 1)
    k = next((k for k in tried if table.partition(plan, oracle.k_anonymous(k))), first)
    result = check(task, allowable=oracle.k_anonymous(k), name="k-mondrian")
    assert result is None or result.manifest["solution"]["k"] == k


@pytest.mark.sampled(0.1)
@pytest.mark.parametrize("promises", list(PROMISES))
@examples(6)
@given(data=st.data())
def test_dimension_splitting(promises: str, data: st.DataObject, folder: Path) -> None:
    """The best cut of the widest interval, by what the first promise measures."""
    keys: PlanMapping = data.draw(st.fixed_dictionaries({"names": NAMES, "bounds": st.booleans()}))
    check(data.draw(tasks(promises, most_rows=30)), name="dimension-splitting", **keys)


# --- what should not go in, and what is odd


def small_plan(
    rows: Sequence[Sequence[Value]],
    names: Sequence[str] = ("a",),
    *,
    columns: Mapping[str, Any] | None = None,
    k: int = 2,
    **keys: Any,
) -> PlanMapping:
    """Numbers by default, k alone, to a CSV file, with exact ends."""
    method = keys.get("method", "mondrian")
    write_csv("rows.csv", [names, *rows])
    number = {"role": "quasi-identifier", "type": "numeric"}
    quasi = {name: (columns or {}).get(name, number) for name in names}
    made = plan_of(quasi, "rows.csv", privacy=[{"model": "k-anonymity", "k": k}])
    exact = EXACT | ({"name": method} if isinstance(method, str) else method)
    return made | {"publish": "published.csv"} | keys | {"method": exact}


def published_lines() -> Counter[tuple[str, ...]]:
    """The published rows, as text, without the header."""
    with Path("published.csv").open(encoding="utf-8", newline="") as lines:
        return Counter(map(tuple, list(csv.reader(lines))[1:]))


def column(kind: str | None) -> PlanMapping | str:
    """A quasi-identifier of this type; found out if there is none."""
    return {"role": "quasi-identifier", "type": kind} if kind else "quasi-identifier"


SECRET = "Zanzibar"
BAD: dict[str, tuple[list[Value], str | None, str]] = {
    "nan": (["17", "nan", "18", "18"], "numeric", "finite"),
    "nan untyped": (["17", "nan", "18", "18"], None, "finite"),
    "infinity": (["17", "-Infinity", "inf", "18"], "numeric", "finite"),
    "too large": (["17", "1e999", "18", "18"], "numeric", "finite"),
    "text": (["17", SECRET, "18", " "], "numeric", "no number"),
    "mixed": (["17", SECRET, "18", "18"], None, "type: ordinal"),
    "no such day": (["2020-02-30", "2020-02-28", None, "2020-01-01"], "date", "no date"),
    "time zone": (["2020-02-28 10:00:00+02", "2020-02-28 09:00:00+00"], "date", "time zone"),
    "infinite date": (["2020-02-28", "infinity", "2020-02-28", "infinity"], "date", "date"),
}


@pytest.mark.sampled(0.1, by=lambda case: BAD[case["title"]][2])
@pytest.mark.parametrize("title", BAD)
def test_values_without_a_place(title: str, folder: Path) -> None:
    """The error names the attribute and tells no value."""
    values, kind, words = BAD[title]
    rows = [(value, "x") for value in values]
    columns = {"the age": column(kind), "s": "insensitive"}
    plan = small_plan(rows, ("the age", "s"), columns=columns)
    with pytest.raises(PlanError, match=words) as caught:
        sqlanon.run(plan)
    text = str(caught.value)
    assert "'the age'" in text
    assert not {*re.split(r"[\s.:]+", text)} & {*filter(None, values)}, text
    assert SECRET not in text
    assert not Path("published.csv").exists()


SPLIT: PlanMapping = {"method": "dimension-splitting"}
ODD: dict[str, tuple[list[Value], str | None, int, dict[str, int]]] = {
    "one value": (["5"] * 6, "numeric", 3, {"5": 6}),
    "nothing untyped": ([None] * 6, None, 3, {"": 6}),
    "nothing by date": ([None] * 6, "date", 3, {"": 6}),
    "numbers as written": (["1", "1.0", "1", "1.0"], "numeric", 2, {"1": 2, "1.0": 2}),
    "outlier": ([*["1"] * 1000, "99"], "numeric", 2, {"[1, 99]": 1001}),
    "huge": ([*["-1e308"] * 3, *["1e308"] * 3, "0"], "numeric", 3, {"-1e308": 3, "[0, 1e308]": 4}),
    "by text": (["10", "9", "10", "9"], "ordinal", 2, {"10": 2, "9": 2}),
    "by number": (["10", "9", "10", "9", None], None, 2, {"10": 2, "9 or NULL": 3}),
    "split at quantiles": (["0", *["1"] * 4], "numeric", 2, {"[0, 1]": 5}),  # all are the last
}


@pytest.mark.sampled(0.1, by=lambda case: "split" in case["title"])
@pytest.mark.parametrize("title", ODD)
def test_odd_columns(title: str, folder: Path) -> None:
    values, kind, k, wanted = ODD[title]
    rows = [(value, "x") for value in values]
    columns = {"a": column(kind), "s": "insensitive"}
    method = SPLIT if "split" in title else {}
    result = sqlanon.run(small_plan(rows, ("a", "s"), columns=columns, k=k, **method))
    assert published_lines() == {(label, "x"): count for label, count in wanted.items()}
    shown = result.manifest["solution"]
    assert shown["classes"] == len(wanted)
    assert ("one class" in shown["label"]) == (len(wanted) == 1)


@pytest.mark.parametrize("name", ["mondrian", "k-mondrian", "dimension-splitting"])
def test_persons_are_counted(name: str, folder: Path) -> None:
    """A class of many rows of one person is none."""
    rows = [(str(n // 8), f"p{n % 2}" if n < 16 else "p9") for n in range(32)]
    columns = {"who": "identifier"}
    sqlanon.run(small_plan(rows, ("a", "who"), columns=columns, method=name, unit="who"))
    assert published_lines() == {("0", "2"): 8, ("[1, 3]", "3"): 24}
    nobody = [*rows, ("0", None)]
    with pytest.raises(PlanError, match=r"1 row\(s\) have no 'who'"):
        sqlanon.run(small_plan(nobody, ("a", "who"), columns=columns, method=name, unit="who"))


@pytest.mark.parametrize("name", ["mondrian", "mpalm", "k-mondrian"])
def test_tight_labels_with_a_population(name: str, folder: Path) -> None:
    """A tight box leaves out those between the rows: presence is surer than promised. Where
    nothing else is said, labels are regions, in which everybody is."""
    write_csv("everybody.csv", [["a"], *([str(n)] for n in range(40))])
    rows = [(str(2 * n + 1),) for n in range(20)]
    privacy = [{"model": "delta-presence", "dmin": 0, "dmax": 0.5}]
    keys: PlanMapping = {"population": "everybody.csv", "privacy": privacy}
    tight = small_plan(rows, method={"name": name, "labels": "tight"}, **keys)
    with pytest.raises(PrivacyViolation, match="delta-presence"):
        sqlanon.run(tight)
    assert not Path("published.csv").exists()
    sqlanon.run(small_plan(rows, method=name, **keys))
    ends = [[*map(int, label.strip("[]").split(", "))] for (label,) in published_lines()]
    assert len(ends) > 3
    assert sorted(n for first, last in ends for n in range(first, last + 1)) == [*range(40)]


@pytest.mark.parametrize(("change", "words"), [
    ({"unit": "s"}, "Relaxed"),
    ({"population": "rows.csv"}, "Relaxed"),
    ({"method": {"cut": "any"}}, "`cut: any` does not have"),
    ({"order": "source"}, "Relaxed"),
    ({"method": {"name": "combined"}}, "cannot be .relaxed."),
    ({"method": {"name": "slicing", "columns": [["a"], ["s"]], "partition": "mpalm"},
      "population": "rows.csv"}, "with a population"),
])  # fmt: skip
def test_what_relaxed_cannot_do(change: PlanMapping, words: str, folder: Path) -> None:
    rows = [(str(n % 5), f"p{n}") for n in range(20)]
    plan = small_plan(rows, ("a", "s"), columns={"s": "sensitive"}) | change
    plan["method"] = {"name": "mondrian", "partitioning": "relaxed", **change.get("method", {})}
    with pytest.raises(PlanError, match=words) as caught:
        sqlanon.run(plan)
    assert caught.value.fix
    assert not Path("published.csv").exists()


def test_relaxed_categories_alone(folder: Path) -> None:
    """Nothing is cut in two: then relaxed is as strict."""
    tree = {city: (city, land, "*") for city, land in zip("abcdefgh", "vvvwwxyz", strict=True)}
    rows = tuple((city,) for city in tree for _ in range(2))
    column = Column("categorical", tree=tree)
    task = Task((column,), rows, (None,) * 16, ({"model": "k-anonymity", "k": 2},))
    assert check(task, name="mondrian", partitioning="relaxed", cut="median")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(range(20, 30), [*range(20, 30), 90, 91], id="values beyond the last interval"),
        pytest.param(range(20, 24), [20, 21, 22, 22], id="an interval ends at no value"),
    ],
)
def test_intervals_of_another_source(
    before: Sequence[int], after: Sequence[int], folder: Path
) -> None:
    """Rows must neither be lost nor get a label of nothing."""
    rows = [(str(age),) for age in before for _ in range(3)]
    plan = small_plan(rows, **SPLIT)
    sqlanon.solve(plan)
    feed(sqlanon.compile(plan)[0].sql)
    assert published_lines().total() == len(rows)
    Path("published.csv").unlink()
    changed = small_plan([(str(age),) for age in after for _ in range(3)], **SPLIT)
    assert changed == plan
    with pytest.raises(duckdb.Error, match="proof_of_intervals"):
        feed(sqlanon.compile(plan)[0].sql)
    assert not Path("published.csv").exists()


EDITS: dict[str, list[PlanMapping]] = {
    "dimension-splitting": [
        {"intervals": [[1, 0, 2], [1, 1, 9]]},
        {"intervals": [[1, 0, 9], [1, -1, 9]]},
        *({"intervals": found} for found in ([], [[2, 0, 9]])),
        {"rounds": 3},
    ],
    "mondrian": [
        *({"rounds": rounds} for rounds in (-5, None)),
        {"k": 1},
        {"kinds": {}},
        {"kinds": {"a": "categorical"}},
        {"kinds": {"a": "numeric", "b": "numeric"}},
        {"method": "mpalm"},
    ],
    "k-mondrian": [{"k": None}, {"k": -3}],
}


@pytest.mark.parametrize("method", EDITS)
def test_solution_that_was_edited(method: str, folder: Path) -> None:
    plan = small_plan([(str(age),) for age in range(10) for _ in range(3)], method=method)
    sqlanon.solve(plan)
    (file,) = folder.glob("*.solution.json")
    content = json.loads(file.read_text(encoding="utf-8"))
    for edit in EDITS[method]:
        edited = content | edit
        assert edited != content
        file.write_text(json.dumps(edited), encoding="utf-8")
        with pytest.raises(PlanError, match="does not fit the plan"):
            sqlanon.compile(plan)


@pytest.mark.parametrize("labels", ["region", "tight"])
def test_tree_has_no_value_that_is_not_published(labels: str, folder: Path) -> None:
    """The ends of categories are values of single persons where a hierarchy is made of them.

    All codes have a five in the middle: `05**` says no less of them than `0***`, and is not shown.
    """
    codes = [f"{n % 10}5{n:02}" for n in range(60)]
    column = {"type": "categorical", "hierarchy": {"mask": {"side": "right", "characters": 4}}}
    plan = small_plan([(code,) for code in codes], method={"name": "mondrian", "labels": labels})
    plan["columns"]["a"] = {"role": "quasi-identifier", **column}
    result = sqlanon.run(plan)
    shown = (result.target / "partition_tree.csv").read_text(encoding="utf-8")
    assert len(shown.splitlines()) > 5
    assert not any(code in re.findall(r"\d{3,}", shown) for code in codes)
    assert ("0***" in shown) == (labels == "region")
    assert "05**" not in shown
    sqlanon.run(plan | SPLIT, sqlanon.Options(overwrite=True))
    assert not (result.target / "partition_tree.csv").exists()  # it goes with its partition


def test_dealing_by_several_threads(folder: Path) -> None:
    """Rows that are equal in all that is published are dealt by the seed, not as threads come."""
    rows = [(str(n % 4),) for n in range(50_000)]
    relaxed = {"name": "mondrian", "partitioning": "relaxed"}
    plan = small_plan(rows, k=900, method=relaxed)
    digests = {
        sqlanon.run(plan, sqlanon.Options(threads=threads)).manifest["published"]["sha256"]
        for threads in (1, 2, 2)
    }
    assert len(digests) == 1


def test_loss_of_weighted_attributes(folder: Path) -> None:
    """One class that covers all of `a` and one value of `b`: 4 x (3 x 1 + 1 x 0) / 4 x (3 + 1)."""
    columns = {"a": {"role": "quasi-identifier", "type": "numeric", "weight": 3}}
    rows = [("1", "7"), ("2", "7"), ("3", "7"), ("5", "7")]
    result = sqlanon.run(small_plan(rows, ("a", "b"), columns=columns, k=4))
    assert result.manifest["utility"]["loss"] == 0.75


@pytest.mark.parametrize(("twos", "sizes"), [(4, [5]), (5, [3, 3]), (6, [3, 4])])
def test_relaxed_sides_have_the_rows_that_are_dealt_to_them(
    twos: int, sizes: list[int], folder: Path
) -> None:
    """A one and some twos, k = 3: the cut is at two, and half of all rows go left. Of five rows
    three go left and two right, which is no class; so they stay together."""
    relaxed = {"name": "mondrian", "partitioning": "relaxed"}
    sqlanon.run(small_plan([("1",), *[("2",)] * twos], k=3, method=relaxed))
    assert sorted(published_lines().values()) == sizes
