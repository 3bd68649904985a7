"""The attack `histories`: against definitions in plain Python, and on the hospital's publication.

`tests/data/visits_linked.parquet` has the labels that a run of Mondrian published of
`examples/hospital/visits.csv` when a publication still had one pseudonym a person.
"""

from __future__ import annotations

import itertools
import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import duckdb
import pytest
import yaml

import sqlanon
from sqlanon.attacks import histories
from sqlanon.attacks.base import AttackRelations, NotTriedError, Outcome
from sqlanon.attacks.findings import AttackFinding
from sqlanon.attacks.histories import Histories
from sqlanon.plan.draft import Unit
from sqlanon.sql.step import ASKS, Search
from tests.oracles.class_relations import quiet_connection
from tests.paths import ROOT, TESTS
from tests.plan.plans import plan_of

PAPERS = TESTS / "paper_tables/attacks/histories.yml"
VISITS = ROOT / "examples/hospital/visits.csv"
LINKED = TESTS / "data/visits_linked.parquet"

Connection = duckdb.DuckDBPyConnection
Tuple = tuple[int, ...]
Box = tuple[tuple[int, int], ...]
"""First and last value of each column, of a published row."""

Rows = Literal["none", "number", 1, 2, 3, "all"]
ROWS: tuple[Rows, ...] = ("none", "number", 1, 2, 3, "all")


@dataclass(frozen=True)
class Table:
    """A source and its publication: rows by person, and by pseudonym; persons of each class.

    Where nothing joins rows, all of them are published by one pseudonym.
    """

    known: Mapping[int, Sequence[Tuple]]
    published: Mapping[int, Sequence[Box]]
    persons: Mapping[Box, int] | None = None


def covers(box: Box, values: Sequence[int], columns: Sequence[int]) -> bool:
    return all(box[c][0] <= values[c] <= box[c][1] for c in columns)


def can_be_different(known: Sequence[Tuple], boxes: Sequence[Box]) -> bool:
    """Whether some assignment gives each known row a row of its own."""
    every = range(len(known[0])) if known else ()
    return any(
        all(covers(box, row, every) for row, box in zip(known, chosen, strict=True))
        for chosen in itertools.permutations(boxes, len(known))
    )


def static_columns(known: Mapping[int, Sequence[Tuple]]) -> list[int]:
    by_person = [[{*column} for column in zip(*rows, strict=True)] for rows in known.values()]
    return [c for c, _ in enumerate(by_person[0]) if all(len(own[c]) == 1 for own in by_person)]


def left_by_definition(table: Table, person: int, rows: Rows, choice: str) -> int:
    """The pseudonyms that are left; if no one is, those by what is less."""
    mine = sorted(table.known[person])
    static = static_columns(table.known)
    fitting = [
        boxes
        for boxes in table.published.values()
        if all(covers(box, mine[0], static) for box in boxes)
    ]
    if rows == "none":
        return len(fitting)
    if rows == "number":
        same = sum(len(boxes) == len(mine) for boxes in fitting)
        return same or len(fitting)
    if rows == "all":
        same = sum(len(boxes) == len(mine) and can_be_different(mine, boxes) for boxes in fitting)
        return same or left_by_definition(table, person, min(3, len(mine)), choice)  # type: ignore[arg-type]
    choices = [mine[:rows]] if choice == "first" else itertools.combinations(mine, rows)
    counts = [sum(can_be_different(known, boxes) for boxes in fitting) for known in choices]
    left = min((count for count in counts if count), default=0)
    fewer: Rows = "none" if rows == 1 else rows - 1  # type: ignore[assignment]
    return left or left_by_definition(table, person, fewer, choice)


def unjoined_by_definition(table: Table, person: int, rows: Rows, choice: str) -> int:
    """Where nothing joins rows: the persons of the class of a row."""
    mine, static = sorted(table.known[person]), static_columns(table.known)
    (boxes,) = table.published.values()
    every = range(len(mine[0]))
    persons = {}
    for box, size in Counter(boxes).items():
        fit = {p for p, own in table.known.items() if any(covers(box, r, every) for r in own)}
        persons[box] = min(size, len(fit)) if table.persons is None else table.persons[box]
    by_row = [
        max((n for box, n in persons.items() if covers(box, row, every)), default=0) for row in mine
    ]
    known = by_row[:rows] if choice == "first" and isinstance(rows, int) else by_row
    found = [count for count in known if count]
    if rows not in ("none", "number") and found:
        return min(found)
    return max((n for box, n in persons.items() if n and covers(box, mine[0], static)), default=0)


def outcome_by_definition(
    table: Table, rows: Rows, choice: str, k: int, *, joined: bool
) -> dict[str, int]:
    least = rows if isinstance(rows, int) else 1
    left = left_by_definition if joined else unjoined_by_definition
    figures = [
        left(table, person, rows, choice)
        for person, mine in table.known.items()
        if len(mine) >= least
    ]
    return {
        "persons": len(figures),
        "below": sum(0 < figure < k for figure in figures),
        "alone": figures.count(1),
        "not_found": figures.count(0),
        "least": min((figure for figure in figures if figure), default=0),
    }


def answered(connection: Connection, search: Search[Any], made: dict[str, str]) -> Any:
    """The result of a search whose steps are executed here, those of one name once."""
    try:
        step = next(search)
        while True:
            rows: list[Any] = []
            if step.kind in ASKS:
                rows = connection.execute(step.select).fetchall()
            elif step.name not in made:
                connection.execute(f"create table sqlanon.{step.name} as {step.select}")
            assert made.setdefault(step.name, step.sql) == step.sql
            step = search.send(rows)
    except StopIteration as end:
        return end.value
    except NotTriedError as error:
        return str(error)


def label(box: tuple[int, int]) -> str:
    return str(box[0]) if box[0] == box[1] else f"[{box[0]}, {box[1]}]"


def relations_of(
    connection: Connection, table: Table, *, ranges: bool, joined: bool, with_source: bool = True
) -> AttackRelations:
    """The tables of a source and its publication, as `outside` makes them."""
    connection.execute("attach or replace ':memory:' as sqlanon")
    names = [f"q{c}" for c in range(len(next(iter(table.known.values()))[0]))]
    listed = ", ".join(f"{name} varchar" for name in names)

    def fill(name: str, columns: str, rows: Sequence[Sequence[object]]) -> None:
        connection.execute(f"create table sqlanon.{name} ({columns})")
        if rows:
            marks = ", ".join("?" * len(rows[0]))
            connection.executemany(f"insert into sqlanon.{name} values ({marks})", rows)

    known = [(p, *map(str, row)) for p, rows in table.known.items() for row in rows]
    fill("known_rows", f"person integer, {listed}", known)
    boxes = [(p, box) for p, rows in table.published.items() for box in rows]
    rows = [(p, (table.persons or {}).get(box), *map(label, box)) for p, box in boxes]
    fill("published_rows", f"key integer, persons bigint, {listed}", rows)
    labels = sorted({(c, at) for _, box in boxes for c, at in enumerate(box)})
    every = [row for rows in table.known.values() for row in rows]
    values = sorted({(c, v) for row in every for c, v in enumerate(row)})
    columns = "attribute_number integer, label varchar, first_place integer, last_place integer"
    fill("label_ranges", columns, [(c + 1, label(at), *at) for c, at in labels])
    columns = "attribute_number integer, value varchar, place integer"
    fill("value_places", columns, [(c + 1, str(v), v) for c, v in values])
    if not ranges:
        at_level = [
            (names[c], str(v), label(at))
            for (c, v), (d, at) in itertools.product(values, labels)
            if c == d and at[0] <= v <= at[1]
        ]
        fill("population_labels", "attribute varchar, value varchar, label varchar", at_level)
    return AttackRelations(
        class_key=names,
        classes="",
        rows="sqlanon.published_rows",
        quasi_identifiers=[(name, name) for name in names],
        person="person",
        pseudonym="key" if joined else "",
        persons="" if table.persons is None else "persons",
        known="sqlanon.known_rows" if with_source else "",
        readable="ranges" if ranges else "levels",
        k=2,
    )


def outcome_of(outcome: Outcome) -> dict[str, int]:
    measured = outcome.measured
    return {
        "persons": outcome.rows,
        "below": outcome.rows_at_risk,
        "alone": int(measured["persons_alone"] or 0),
        "not_found": int(measured["persons_not_found"] or 0),
        "least": int(measured["least_left"] or 0),
    }


@pytest.fixture
def connection() -> Iterator[Connection]:
    with quiet_connection() as opened:
        yield opened


def random_table(draw: random.Random, *, ranges: bool, joined: bool) -> Table:
    """A few persons with one to four rows, two columns that never change and two that do."""
    most = draw.choice((2, 4))
    known: dict[int, list[Tuple]] = {}
    for person in range(draw.randint(2, 9)):
        static = tuple(draw.randint(0, 3) for _ in range(2))
        known[person] = [
            (*static, *(draw.randint(0, 3) for _ in range(2))) for _ in range(draw.randint(1, most))
        ]
    widths = [draw.choice((1, 2, 4)) for _ in range(4)]

    def box(row: Tuple) -> Box:
        if ranges:
            return tuple((draw.randint(0, v), draw.randint(v, 3)) for v in row)
        return tuple((v - v % w, v - v % w + w - 1) for v, w in zip(row, widths, strict=True))

    published = {p: [box(row) for row in rows if draw.random() < 0.9] for p, rows in known.items()}
    published = {p: rows for p, rows in published.items() if rows}
    if joined:
        return Table(known, published)
    persons = None
    if draw.random() < 0.5:
        own = {each: {p for p, rows in published.items() if each in rows}
               for rows in published.values() for each in rows}  # fmt: skip
        persons = {each: len(members) for each, members in own.items()}
    return Table(known, {0: [each for rows in published.values() for each in rows]}, persons)


FORMS = {"cuts": (True, True), "levels": (False, True), "alone": (False, True),
         "unjoined cuts": (True, False), "unjoined levels": (False, False)}  # fmt: skip
"""Whether labels are read as ranges, and whether a pseudonym joins rows."""


@pytest.mark.sampled(0.3, by="form")
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("form", FORMS)
def test_brute_force(
    connection: Connection, monkeypatch: pytest.MonkeyPatch, form: str, seed: int
) -> None:
    """Without the source, labels of levels are all that is known of a person."""
    ranges, joined = FORMS[form]
    draw = random.Random(f"{form} {seed}")
    table = random_table(draw, ranges=ranges, joined=joined)
    if not any(table.published.values()):
        return
    if form == "alone":
        firsts = {
            p: [tuple(at[0] for at in box) for box in own] for p, own in table.published.items()
        }
        table = Table(
            firsts, {p: [tuple((v, v) for v in r) for r in own] for p, own in firsts.items()}
        )
    if seed % 2:
        monkeypatch.setattr(histories, "MOST_BOXES", 2)  # several statements for the boxes
    relations = relations_of(
        connection, table, ranges=ranges, joined=joined, with_source=form != "alone"
    )
    k, checked = draw.choice((2, 3, 5)), 0
    made: dict[str, str] = {}
    for number, (rows, choice) in enumerate(itertools.product(ROWS, ("first", "worst"))):
        attack = Histories(rows=rows, choice=choice, k=k)
        outcome = answered(connection, attack.attempt(replace(relations, number=number)), made)
        if isinstance(outcome, str):
            assert all(len(mine) < int(rows) for mine in table.known.values())
            continue
        expected = outcome_by_definition(table, rows, choice, k, joined=joined)
        assert outcome_of(outcome) == expected, (rows, choice)
        checked += 1
    assert checked >= 8


@pytest.mark.sampled(0.15, by="form")
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("form", [form for form in FORMS if form != "alone"])
def test_a_population_by_brute_force(connection: Connection, form: str, seed: int) -> None:
    """Persons who may not be in the table; two values of each that never change are known."""
    ranges, joined = FORMS[form]
    draw = random.Random(f"population {form} {seed}")
    table = random_table(draw, ranges=ranges, joined=joined)
    if not any(table.published.values()):
        return
    own = {p: rows[0][:2] for p, rows in table.known.items()}
    # somebody has every label of a level; a range of labels may cover nobody
    people = {p: at for p, at in own.items() if p == 0 or not ranges or draw.random() < 0.8}
    people |= {n: (draw.randint(0, 3), draw.randint(0, 3)) for n in range(90, 90 + seed)}
    published = {p: [box[:2] for box in boxes] for p, boxes in table.published.items()}
    persons: dict[Box, int] | None = None if table.persons is None else {}
    for box, count in (table.persons or {}).items():
        assert persons is not None
        persons[box[:2]] = max(count, persons.get(box[:2], 0))
    by_columns = Table({p: [values] for p, values in people.items()}, published, persons)
    k = draw.choice((2, 3, 5))
    filled = replace(table, known={p: [(*values, 0, 0)] for p, values in people.items()})
    relations = relations_of(connection, filled, ranges=ranges, joined=joined)
    relations = replace(relations, register=["q0", "q1"])
    outcome = answered(connection, Histories(k=k).attempt(relations), {})
    expected = outcome_by_definition(by_columns, "none", "worst", k, joined=joined)
    assert outcome_of(outcome) == expected


@pytest.mark.parametrize("number", range(2))
def test_table_by_hand(connection: Connection, number: int) -> None:
    content = yaml.safe_load(PAPERS.read_text(encoding="utf-8"))["tables"][number]
    known = {n: [tuple(row) for row in rows] for n, rows in enumerate(content["known"].values())}
    published = {
        n: [tuple((first, last) for first, last in row) for row in rows]
        for n, rows in content["published"].items()
    }
    persons = dict.fromkeys(published[0], content["persons"]) if "persons" in content else None
    table = Table(known, published, persons)
    relations = relations_of(connection, table, ranges=True, joined=persons is None)
    made: dict[str, str] = {}
    for number, case in enumerate(content["cases"]):
        attack = Histories.model_validate({**case["parameters"], "k": 3})
        search = attack.attempt(replace(relations, number=number, list_classes=9))
        outcome = answered(connection, search, made)
        title = attack.title(replace(relations, number=number))
        left = connection.execute(f"select left_count, class_size from sqlanon.{title}").fetchall()
        assert dict(left) == case["left"]
        risky = {each: count for each, count in case["left"].items() if each < 3}
        assert outcome.rows_at_risk == sum(risky.values())
        assert outcome.certainty == 1 / min(case["left"])
        assert {one["least_left"]: one["class_size"] for one in outcome.riskiest} == risky


STATIC = ["birth_date", "sex", "zip", "city", "nationality", "marital_status", "occupation"]
HOSPITAL = {
    # rows, choice: persons, below five, alone, with admission and ward
    ("none", "first"): (1200, 156, 20),
    ("number", "first"): (1200, 712, 274),
    (1, "first"): (1200, 489, 56),
    (2, "first"): (850, 744, 285),
    (3, "first"): (437, 420, 280),
    ("all", "first"): (1200, 1168, 763),
    (1, "worst"): (1200, 602, 86),
    (2, "worst"): (850, 778, 390),
    (3, "worst"): (437, 421, 324),
}


def linked_plan(without: str = "") -> sqlanon.Plan:
    """The plan of the publication with one pseudonym a person, which plans may no longer ask for;
    the hierarchy of a column may be forgotten."""
    hierarchies: dict[str, Any] = {
        "birth_date": {"date": ["month", "year", "decade"]},
        "zip": {"mask": "right"},
        "admitted": {"date": ["month", "quarter", "year"]},
        "weight": {"intervals": {"widths": [5, 10, 20], "lowest": 35, "highest": 105}},
    }
    hierarchies.pop(without, None)
    columns: dict[str, Any] = {"patient_id": "insensitive"}
    for name in [*STATIC, "admitted", "ward", "weight"]:
        by = {"hierarchy": hierarchies[name]} if name in hierarchies else {}
        columns[name] = {"role": "quasi-identifier", **by}
    keys = {"privacy": [{"model": "k-anonymity", "k": 5}], "method": "mondrian"}
    source = {"path": str(VISITS), "delimiter": ";"}
    plan = sqlanon.load_plan(plan_of(columns, source, **keys))
    return plan.model_copy(update={"unit": Unit(column="patient_id", histories="linked")})


def test_the_hospital_with_one_pseudonym_a_person() -> None:
    columns = [*STATIC, "admitted", "ward"]
    asked = [
        {"name": "histories", "rows": rows, "choice": choice, "columns": columns}
        for rows, choice in HOSPITAL
    ]
    plan = linked_plan()
    findings = sqlanon.attack(str(LINKED), plan, with_source=True, attacks=asked)
    assert {
        (one.parameters["rows"], one.parameters["choice"]): figures(one) for one in findings
    } == HOSPITAL
    assert all(one.rows_not_safe == one.rows_at_risk and not one.notes for one in findings)
    other = linked_plan(without="zip")
    (unread,) = sqlanon.attack(str(LINKED), other, with_source=True, attacks=asked[:1])
    assert str(unread.reason).endswith("published label(s) cannot be read with this plan")
    (alone,) = sqlanon.attack(str(LINKED), plan, attacks=[{"name": "histories", "rows": 1}])
    assert not alone.tried
    assert str(alone.reason).startswith("needs --with-source")


def figures(found: AttackFinding) -> tuple[Any, ...]:
    return found.rows, found.rows_at_risk, (found.measured or {})["persons_alone"]


@pytest.mark.parametrize("ranges", [True, False], ids=["cuts", "levels"])
def test_persons_who_are_not_compared_are_not_safe(
    connection: Connection, monkeypatch: pytest.MonkeyPatch, ranges: bool
) -> None:
    """Two of three persons have two rows: too many for all choices, or for all comparisons."""
    known = {0: [(0, 1), (0, 2)], 1: [(1, 1), (1, 2)], 2: [(2, 1)]}
    published = {p: [tuple((v, v) for v in row) for row in rows] for p, rows in known.items()}
    table = Table(known, published)
    relations = relations_of(connection, table, ranges=ranges, joined=True)
    monkeypatch.setattr(histories, "MOST_KNOWN", {1: 1, 2: 1, 3: 1})
    outcome = answered(connection, Histories(rows=1).attempt(relations), {})
    assert (outcome.rows, outcome.rows_at_risk, outcome.rows_not_safe) == (3, 1, 3)
    assert "2 of 3 persons were not compared" in outcome.notes[0]
    if ranges:
        monkeypatch.setattr(histories, "MOST_HITS", 4)  # of 5: two of three persons
        monkeypatch.setattr(histories, "MOST_COMPARED", 2)
        with quiet_connection() as other:
            relations = relations_of(other, table, ranges=True, joined=True)
            outcome = answered(other, Histories(rows="all").attempt(relations), {})
        assert (outcome.rows, outcome.rows_at_risk, outcome.rows_not_safe) == (3, 2, 3)


def test_a_publication_without_a_key_by_itself(connection: Connection) -> None:
    """The number of persons of a class is what one row leaves."""
    boxes = [((0, 1),), ((0, 1),), ((2, 3),)]
    table = Table({0: [(0,)]}, {0: boxes}, {boxes[0]: 2, boxes[2]: 1})
    relations = relations_of(connection, table, ranges=True, joined=False, with_source=False)
    outcome = answered(connection, Histories(rows=2, k=3).attempt(relations), {})
    assert [*outcome_of(outcome).values()] == [3, 3, 1, 0, 1]
    assert "Nothing joins" in outcome.notes[0]
    assert "how many persons" in str(Histories().missing(replace(relations, persons="")))
    joined = replace(relations, pseudonym="key")
    assert str(Histories().missing(joined)).startswith("needs --with-source")


@pytest.fixture
def levels(folder: Path) -> tuple[str, str]:
    """Ages by decades, four persons with two rows each and one with another number of rows."""
    Path("age.csv").write_text("21,20s,*\n24,20s,*\n35,30s,*\n38,30s,*\n44,40s,*\n")
    rows = ["a,21,1", "a,21,2", "b,24,1", "b,24,2", "c,35,1", "c,35,1", "d,38,1"]
    Path("source.csv").write_text("\n".join(["who,age,ward", *rows]))
    rows = ["1,20s,1", "1,20s,2", "2,20s,1", "2,20s,2", "3,30s,1", "3,30s,1", "4,30s,1"]
    Path("published.csv").write_text("\n".join(["who,age,ward", *rows, ""]))
    columns = {
        "who": {"role": "identifier", "action": "pseudonym", "key": "random"},
        "age": {"role": "quasi-identifier", "hierarchy": "age.csv"},
        "ward": "quasi-identifier",
    }
    content = plan_of(columns, "source.csv", unit={"column": "who", "histories": "linked"})
    Path("plan.yml").write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    return "published.csv", "plan.yml"


@pytest.mark.parametrize("unit", [None, "", " years"])
def test_levels_end_to_end(levels: tuple[str, str], unit: str | None) -> None:
    """c and d differ by how many rows they have; a and b are alike.

    Rows of the source are known as the plan reads them: as numbers, without a unit.
    """
    read = {"source": {"path": "source.csv", "read": {"age": {"number": {"unit": "years"}}}}}
    for name, after in {"source.csv": unit, "age.csv": ".0"}.items() if unit else ():
        file = Path(name)
        file.write_text(re.sub(r"(\d\d),", rf"\1{after},", file.read_text()))
    overrides = read if unit else {}
    known: dict[str, Any] = {"with_source": unit is not None, "overrides": overrides}
    findings = sqlanon.attack(*levels, **known, attacks=["histories"])
    assert {one.variant: (one.rows, one.rows_at_risk) for one in findings if one.tried} == {
        "static": (4, 0),
        "number-of-rows": (4, 2),
        "1-row": (4, 0),
        "2-rows": (3, 1),
        "all-rows": (4, 2),
    }
    assert [one.reason for one in findings if not one.tried] == ["no person has 3 rows"]
    unknown = {"name": "histories", "rows": "all", "columns": ["colour"]}
    (one,) = sqlanon.attack(*levels, overrides=overrides, attacks=[unknown])
    assert one.reason == "'colour' is no quasi-identifier of the plan"
    with pytest.raises(sqlanon.PlanError, match="not known together"):
        sqlanon.attack(*levels, with_source=True, population=levels[0])
    without = {"unit": None, "columns.who": "insensitive"}
    (one, *_) = sqlanon.attack(*levels, overrides=without, attacks=["histories"])
    assert str(one.reason).startswith("the plan has no `unit`")


def test_a_population_end_to_end(levels: tuple[str, str]) -> None:
    """It has the ages only: of a to d, of one more who is 35, and of two whom no decade fits."""
    register = Path("register.csv")
    register.write_text("\n".join(["age", "21", "24", "35", "38", "35", "44", "44", ""]))

    def found(*attacks: Any) -> list[AttackFinding]:
        return sqlanon.attack(*levels, population="register.csv", attacks=attacks)

    static, *others = found("histories")
    assert (static.variant, static.rows, static.rows_at_risk) == ("static", 7, 0)
    assert (static.certainty, (static.measured or {})["least_left"]) == (1 / 2, 2)
    assert (static.measured or {})["persons_not_found"] == 2
    assert static.notes == ("2 person(s) of the population fit nothing: they are not published.",)
    assert {str(one.reason) for one in others if not one.tried} == {
        "a population says what never changes for a person, and nothing of rows"
    }
    strict, *_ = found({"name": "histories", "k": 3})
    assert (strict.rows, strict.rows_at_risk) == (7, 5)
    (without,) = found({"name": "histories", "rows": "none", "columns": ["ward"]})
    assert without.reason == "the population has no column 'ward'"
    (journalist,) = [one for one in found() if one.variant == "journalist"]
    assert journalist.reason == "needs --population"  # linked histories are not those of a row
    published = Path(levels[0])
    published.write_text(published.read_text() + "4,50s,1\n")
    unread, *_ = found("histories")
    assert str(unread.reason).startswith("3 published label(s) cannot be read"), "no level has all"
    register.write_text("street\n1\n")
    with pytest.raises(sqlanon.PlanError, match="population has no column 'age'"):
        found({"name": "histories", "rows": "none", "columns": ["ward"]})


def test_a_population_for_all_attacks(levels: tuple[str, str]) -> None:
    """With all quasi-identifiers it is divided among classes, too; histories need only some."""
    Path("hidden.csv").write_text("age,ward,persons\n20s,1,2\n20s,1,2\n30s,1,1\n30s,1,1\n")
    Path("register.csv").write_text("age,ward\n21,1\n24,1\n24,1\n35,1\n38,1\n38,2\n")
    counted = {"unit": "who", "columns.who": "identifier"}
    every = sqlanon.attack("hidden.csv", levels[1], population="register.csv", overrides=counted)
    journalist, static = (
        next(one for one in every if one.variant == name) for name in ("journalist", "static")
    )
    assert (journalist.rows, journalist.certainty) == (3, 1 / 2)  # two of the 30s in ward 1
    measured = static.measured or {}  # two persons of the 20s for three, one of the 30s for two
    assert (static.rows, measured["least_left"], measured["persons_alone"]) == (6, 1, 2)
    assert measured["persons_not_found"] == 1
    Path("register.csv").write_text("age\n21\n24\n24\n35\n38\n38\n")
    known: dict[str, Any] = {"population": "register.csv", "overrides": counted}
    with pytest.raises(sqlanon.PlanError, match="population has no column 'ward'"):
        sqlanon.attack("hidden.csv", levels[1], **known)
    (alone,) = sqlanon.attack("hidden.csv", levels[1], attacks=["histories"], **known)[:1]
    measured = alone.measured or {}  # three of the 20s for two persons, three of the 30s for one
    assert (alone.rows, measured["least_left"], measured["persons_alone"]) == (6, 1, 3)
