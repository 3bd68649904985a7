"""Attacks: against tables of the literature, against brute force, and end to end.

A file of `paper_tables/attacks/` has an attack's name, tables, and by parameters the certainty and
the rows at risk of each class.
"""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

import sqlanon
from sqlanon.attacker.attempts import requested_attacks
from sqlanon.attacks import ATTACKS
from sqlanon.attacks.background_knowledge import BackgroundKnowledge
from sqlanon.attacks.base import Attack, AttackRelations
from sqlanon.attacks.findings import AttackFinding
from sqlanon.attacks.homogeneity import Homogeneity
from sqlanon.attacks.linkage import Linkage
from sqlanon.attacks.similarity import Similarity
from sqlanon.attacks.skewness import Skewness
from sqlanon.commands.attack import exit_code
from sqlanon.registry import default_of
from tests.conftest import Command
from tests.oracles.class_relations import Class, Key, Tables, Value, build, quiet_connection
from tests.paths import ROOT, TESTS
from tests.selection import examples
from tests.support.tables import write_csv

PAPER_TABLES = TESTS / "paper_tables/attacks"
PAGE = ROOT / "docs/attacks.md"
OF_CLASSES: dict[str, type[Attack]] = {
    default_of(cls, "name"): cls
    for cls in (Linkage, Homogeneity, BackgroundKnowledge, Skewness, Similarity)
}
"""Attacks that one select decides class by class; the others have tests of their own."""
NAMES = list(OF_CLASSES)
PAPERS = {
    paper["attack"]: paper
    for paper in (yaml.safe_load(file.read_text()) for file in PAPER_TABLES.glob("*.yml"))
}
CASES = [
    pytest.param(name, table, case, id=f"{name}-{table['name'].split(',')[0]}-{number}")
    for name in NAMES
    for table in PAPERS[name]["tables"]
    for number, case in enumerate(table["cases"])
]
NEAR = 1e-9
Connection = duckdb.DuckDBPyConnection


@pytest.fixture(scope="module")
def connection() -> Iterator[Connection]:
    with quiet_connection() as opened:
        yield opened


class Answer(NamedTuple):
    """What the select says of a class."""

    class_size: int
    rows_at_risk: int
    certainty: float
    broken: bool
    measured: dict[str, Any]


Profile = tuple[str, str, Mapping[Value, float]]
"""The class that a profile falls into, its name, and its weights by value."""


def attacked(
    connection: Connection, attack: Attack, tables: Tables, profiles: Sequence[Profile] = ()
) -> dict[str, Answer]:
    """What an attack's select says of each class of one publication."""
    build(connection, tables)
    build_profiles(connection, tables, profiles)
    relations = AttackRelations(
        class_key=("node", "class"), classes="classes", class_values="class_values",
        table_values="table_values", value_levels="value_levels", attribute="s",
        profiles="profiles",
    )  # fmt: skip
    names = list(attack.own_form.measures)
    columns = ["node", "class", "class_size", "rows_at_risk", "certainty", "broken", *names]
    select = f"select {', '.join(columns)} from ({attack.sql(relations)})"
    rows = connection.execute(select).fetchall()
    found = {name: Answer(size, int(at_risk), float(certainty), broken,
                          dict(zip(names, measured, strict=True)))
             for _, name, size, at_risk, certainty, broken, *measured in rows}  # fmt: skip
    assert len(rows) == len(found) == len(tables.classes), "one row per class"
    for name, answer in found.items():
        assert answer.broken is (answer.rows_at_risk > 0), "never null"
        assert answer.class_size == tables.classes["t", name].size
        assert 0 <= answer.rows_at_risk <= answer.class_size
        assert 0 <= answer.certainty <= 1
    return found


def build_profiles(connection: Connection, tables: Tables, profiles: Sequence[Profile]) -> None:
    """The relation of what is known beforehand, in a few lines of Python."""
    codes = dict(connection.execute("select text, value from coded_values").fetchall())
    rows = []
    for number, (name, _, weights) in enumerate(profiles):
        counts = Counter(tables.classes["t", name].values)
        size = tables.classes["t", name].size
        for value, code in codes.items():
            weight = weights.get(value)
            rows.append(("t", name, number, size, code, counts.get(value, 0), weight))
        others = [weight for value, weight in weights.items() if value not in codes]
        rows += [("t", name, number, size, -n, 0, w) for n, w in enumerate(others, start=1)]
    connection.execute(
        "create or replace temp table profiles (node varchar, class varchar, profile integer,"
        " row_count bigint, value bigint, value_count bigint, weight double)"
    )
    if rows:
        connection.executemany("insert into profiles values (?, ?, ?, ?, ?, ?, ?)", rows)


def text_of(value: Any) -> Value:
    return None if value is None else str(value)


def key_of(entry: dict[str, Any]) -> str:
    return str(tuple(map(text_of, entry["key"])))


def spread(counts: Mapping[Any, int]) -> tuple[Value, ...]:
    return tuple(text_of(value) for value, count in counts.items() for _ in range(count))


def number(measure: Any) -> float:
    """A number, or a fraction such as 1/3."""
    return float(Fraction(str(measure)))


def profiles_of(table: dict[str, Any]) -> list[Profile]:
    found: dict[tuple[str, str], dict[Value, float]] = {}
    for entry in table.get("background", ()):
        at = (key_of(entry), entry.get("person", ""))
        found.setdefault(at, {})[text_of(entry["value"])] = entry["weight"]
    return [(*at, weights) for at, weights in found.items()]


@pytest.mark.parametrize(("name", "table", "case"), CASES)
def test_paper_table(
    name: str, table: dict[str, Any], case: dict[str, Any], connection: Connection
) -> None:
    classes: dict[Key, Class] = {
        ("t", key_of(entry)): Class(spread(entry["values"]), entry.get("population"))
        for entry in table["classes"]
    }
    tables = Tables(classes, tree=tree_of(table.get("hierarchy", {})))
    found = attacked(
        connection, OF_CLASSES[name].model_validate(case["parameters"]), tables, profiles_of(table)
    )
    answers = [found[key_of(entry)] for entry in table["classes"]]
    assert [one.rows_at_risk for one in answers] == case["rows_at_risk"]
    expected = list(map(number, case["certainty"]))
    assert [one.certainty for one in answers] == pytest.approx(expected, abs=NEAR)


def tree_of(levels: Mapping[str, Sequence[str]]) -> dict[Value, tuple[Value, ...]]:
    return {value: (value, *path) for value, path in levels.items()}


def write(
    file: str, header: Sequence[str] | None, rows: Sequence[Sequence[Any]], delimiter: str = ","
) -> None:
    write_csv(file, [*([header] if header else []), *rows], delimiter)


def plan_of(
    quasi_identifiers: Sequence[str], secret: Any = "sensitive", **keys: Any
) -> dict[str, Any]:
    """A plan whose source does not exist: no attack may look for it."""
    columns: dict[str, Any] = dict.fromkeys(quasi_identifiers, "quasi-identifier")
    return {
        "source": "no_such_source.csv",
        "columns": {**columns, "secret": secret},
        "privacy": [{"model": "k-anonymity", "k": 2}],
        "publish": "elsewhere.csv",
        **keys,
    }


VALUES: tuple[Value, ...] = ("1", "2", "3", "4", None)
COUNTED = st.dictionaries(st.sampled_from(VALUES), st.integers(1, 5), min_size=1)
CLASSES = st.lists(COUNTED, min_size=1, max_size=4)


def decimals(*texts: str) -> st.SearchStrategy[Decimal]:
    return st.sampled_from([Decimal(text) for text in texts])


SHARES = decimals("0.25", "0.5", "0.6", "0.75", "1")


def tables_of(classes: Sequence[Mapping[Value, int]]) -> Tables:
    return Tables({("t", str(n)): Class(spread(counts)) for n, counts in enumerate(classes)})


def verdicts(
    attack: Attack,
    counts: Mapping[Value, int | Fraction],
    table: Counter[Value],
    tree: Mapping[Value, Sequence[Value]],
) -> dict[Value, tuple[Fraction, bool]]:
    """By definition: how certain each value of a class is, and whether its rows are at risk."""
    total = Fraction(sum(counts.values()))
    found = {}
    for value, count in counts.items():
        share = count / total
        if isinstance(attack, Homogeneity):
            found[value] = share, share >= Fraction(attack.tau)
        elif isinstance(attack, Similarity):
            level = attack.level or 1
            alike = sum(n for v, n in counts.items() if tree[v][level] == tree[value][level])
            found[value] = alike / total, alike / total >= Fraction(attack.tau)
        elif isinstance(attack, Skewness):
            gained = share / Fraction(table[value], table.total()) > Fraction(attack.gain)
            found[value] = share if gained else Fraction(0), gained
        elif isinstance(attack, BackgroundKnowledge):  # any others, this many, are ruled out
            others = [other for key, other in counts.items() if key != value]
            left = [
                sum(others) - sum(chosen)
                for size in range(min(attack.ruled_out, len(others)) + 1)
                for chosen in itertools.combinations(others, size)
            ]
            certainty = max(Fraction(count) / (count + rest) for rest in left)
            found[value] = certainty, certainty >= Fraction(attack.threshold)
    return found


TREE: dict[Value, tuple[Value, ...]] = {
    "1": ("1", "low", "number", "*"),
    "2": ("2", "low", "number", "*"),
    "3": ("3", "high", "number", "*"),
    "4": ("4", "high", "number", "*"),
    None: (None, None, None, "*"),
}
ON_VALUES: dict[str, st.SearchStrategy[Attack]] = {
    "homogeneity": st.builds(Homogeneity, tau=SHARES),
    "background-knowledge": st.builds(
        BackgroundKnowledge, ruled_out=st.integers(1, 5), threshold=SHARES
    ),
    "skewness": st.builds(Skewness, gain=decimals("1", "1.5", "2", "3")),
    "similarity": st.builds(Similarity, level=st.integers(1, 2), tau=SHARES),
}


@pytest.mark.parametrize("name", ON_VALUES)
@examples(1000)
@given(classes=CLASSES, data=st.data())
def test_attacks_on_values_by_brute_force(
    name: str, classes: list[dict[Value, int]], data: st.DataObject, connection: Connection
) -> None:
    attack = data.draw(ON_VALUES[name])
    tables = tables_of(classes)
    found = attacked(connection, attack, Tables(tables.classes, tree=TREE))
    table = Counter(value for counts in classes for value in spread(counts))
    for at, counts in enumerate(classes):
        of_values = verdicts(attack, counts, table, TREE)
        answer = found[str(at)]
        highest = max(certainty for certainty, _ in of_values.values())
        assert answer.certainty == pytest.approx(float(highest))
        assert answer.rows_at_risk == sum(n for v, n in counts.items() if of_values[v][1])
        if name == "skewness":
            shares = {v: Fraction(n, sum(counts.values())) for v, n in counts.items()}
            gains = [s / Fraction(table[v], table.total()) for v, s in shares.items()]
            assert answer.measured["largest_gain"] == pytest.approx(float(max(gains)))


SIZES = st.lists(st.tuples(st.integers(1, 12), st.integers(0, 12)), min_size=1, max_size=5)


@examples(400)
@given(
    sizes=SIZES,
    attacker=st.sampled_from(["prosecutor", "journalist", "marketer"]),
    threshold=decimals("0", "0.1", "0.2", "0.25", "0.5", "0.9"),
)
def test_linkage_by_brute_force(
    sizes: list[tuple[int, int]], attacker: Any, threshold: Decimal, connection: Connection
) -> None:
    """Sizes of classes, and how many persons of the population are there besides."""
    classes: dict[Key, Class] = {
        ("t", str(n)): Class(("x",) * size, size + more) for n, (size, more) in enumerate(sizes)
    }
    attack = Linkage(attacker=attacker, threshold=threshold)
    found = attacked(connection, attack, Tables(classes))
    right = sum((Fraction(f, f + more) for f, more in sizes), Fraction(0))
    expected = right / sum(f for f, _ in sizes)
    for name, (size, more) in enumerate(sizes):
        chance = Fraction(1, size + (0 if attacker == "prosecutor" else more))
        chance = expected if attacker == "marketer" else chance
        assert found[str(name)].certainty == pytest.approx(float(chance))
        at_risk = size if chance > Fraction(threshold) else 0
        assert found[str(name)].rows_at_risk == at_risk


WEIGHTS = st.dictionaries(
    st.sampled_from([*VALUES, "absent"]), st.sampled_from([0, 1, 2, 5]), max_size=5
)


@examples(400)
@given(
    classes=st.lists(COUNTED, min_size=2, max_size=2),
    weights=st.lists(WEIGHTS, min_size=1, max_size=3),
    relative_to=st.sampled_from(["given", "class"]),
    rhos=st.sampled_from([("0.5", "0.9"), ("0.3", "0.6"), ("0.45", "0.55")]),
)
def test_weights_by_brute_force(
    classes: list[dict[Value, int]],
    weights: list[dict[Value, int]],
    relative_to: Any,
    rhos: tuple[str, str],
    connection: Connection,
) -> None:
    """All profiles fall into the first class; of the second nothing is known."""
    rho1, rho2 = map(Decimal, rhos)
    attack = BackgroundKnowledge(knowledge="weights", relative_to=relative_to, rho1=rho1, rho2=rho2)
    profiles = [("0", str(number), one) for number, one in enumerate(weights)]
    found = attacked(connection, attack, tables_of(classes), profiles)
    posteriors, positive, negative, inconsistent = beliefs(
        classes, weights, relative_to, Fraction(rho1), Fraction(rho2)
    )
    at_risk = sum(
        count
        for value, count in classes[0].items()
        if value in positive or any(other != value for other in negative)
    )
    answer = found["0"]
    assert answer.measured == {"profiles": len(weights), "inconsistent_profiles": inconsistent}
    assert answer.certainty == pytest.approx(float(max(posteriors, default=Fraction(0))))
    assert answer.rows_at_risk == at_risk
    assert found["1"].certainty == found["1"].rows_at_risk == 0


def beliefs(
    classes: list[dict[Value, int]],
    weights: list[dict[Value, int]],
    relative_to: str,
    rho1: Fraction,
    rho2: Fraction,
) -> tuple[list[Fraction], set[Value], set[Value], int]:
    """Theorem 3.2 in Python: posteriors, values disclosed either way, profiles without a belief."""
    known = {value for counts in classes for value in counts}
    usual = 1 if relative_to == "given" else 0
    posteriors: list[Fraction] = []
    positive: set[Value] = set()
    negative: set[Value] = set()
    inconsistent = 0
    for weight in weights:
        f = {value: Fraction(weight.get(value, usual)) for value in known | weight.keys()}
        joint: dict[Value, Fraction] = {}
        for value in f:
            mean = Fraction(1)
            if relative_to == "class":
                mean = Fraction(sum(one.get(value, 0) for one in weights), len(weights))
            ratio = f[value] / mean if mean else Fraction(0)
            joint[value] = classes[0].get(value, 0) * ratio
        if not sum(joint.values()):
            inconsistent += 1
            continue
        for value in f:
            prior = f[value] / sum(f.values(), Fraction(0))
            posterior = joint[value] / sum(joint.values(), Fraction(0))
            posteriors.append(posterior)
            if prior < rho1 and posterior > rho2:
                positive.add(value)
            if prior > 1 - rho1 and posterior < 1 - rho2:
                negative.add(value)
    return posteriors, positive, negative, inconsistent


def test_persons_with_several_values_are_counted_once(connection: Connection) -> None:
    """Two persons of a class, both with flu and one with a cold as well."""
    tables = Tables(
        {
            ("t", "0"): Class(("1", "1", "2"), persons=("p", "q", "q")),
            ("t", "1"): Class(("3",), persons=("r",)),
        },
        tree=TREE,
    )
    everybody = attacked(connection, Homogeneity(tau=Decimal("0.5")), tables)["0"]
    assert (everybody.certainty, everybody.rows_at_risk) == (1, 2)
    alike = attacked(connection, Similarity(), tables)["0"]
    assert (alike.certainty, alike.rows_at_risk) == (1, 2)
    # 2 of 2 persons against 2 of 3 in the table; 1 of 2 against 1 of 3
    gained = attacked(connection, Skewness(gain=Decimal("1.4")), tables)
    assert (gained["0"].certainty, gained["0"].rows_at_risk) == (1, 2)
    assert gained["0"].measured == {"largest_gain": 1.5}


FLAT = {"flu": ["lung", "any"], "asthma": ["lung", "any"], "ulcer": ["stomach", "any"],
        "gastritis": ["stomach", "any"]}  # fmt: skip
VALUES_OF_SAFE = ("flu", "asthma", "ulcer", "gastritis", "flu")
SAFE = [(block, value) for block in "12" for value in VALUES_OF_SAFE]
FLU, ASTHMA, ULCER = (("3", value) for value in ("flu", "asthma", "ulcer"))
KNOWN_ROWS = [("1", "flu"), ("1", "ulcer"), ("2", "flu"), ("2", "gastritis")]
SEVERAL: list[tuple[list[tuple[str, str]], dict[tuple[str, str], int]]] = [
    ([*SAFE, FLU, ULCER], {("linkage", "prosecutor"): 2, ("linkage", "journalist"): 2}),
    ([("1", "flu"), ("2", "ulcer"), FLU, ULCER], {("linkage", "marketer"): 4}),
    ([*SAFE, *[ULCER] * 5], {("homogeneity", ""): 5, ("skewness", ""): 5}),
    ([*SAFE, *[ULCER] * 3, *[FLU] * 2], {("background-knowledge", "ruled-out"): 5}),
    (KNOWN_ROWS, {("background-knowledge", "weights"): 1}),
    ([*SAFE, *[FLU] * 3, *[ASTHMA] * 3], {("similarity", ""): 6}),
]
"""Releases, and by the attacks that break them the rows at risk."""
FORMS = {form for _, broken in SEVERAL for form in broken}


def attack_rows(
    rows: Sequence[tuple[str, str]], names: Collection[str]
) -> dict[tuple[str, str], AttackFinding]:
    """The findings of attacks; whoever is published is alone in the population."""
    write("published.csv", ["block", "secret"], rows)
    write("population.csv", ["block"], [[block] for block, _ in rows])
    write("secret.csv", None, [[value, *path] for value, path in FLAT.items()], delimiter=";")
    known = [["1", "flu", 0], ["1", "asthma", 1]]
    write("background.csv", ["block", "secret", "weight"], known)
    plan = plan_of(["block"], {"role": "sensitive", "hierarchy": "secret.csv"})
    inputs = {"population": "population.csv", "background": "background.csv"}
    found = tried(plan, attacks=[*names], **inputs)
    assert found.keys() == {form for form in FORMS if form[0] in names}
    return found


def tried(
    plan: dict[str, Any], published: str = "published.csv", **inputs: Any
) -> dict[tuple[str, str], AttackFinding]:
    """The findings of attacks that could be tried, by name and variant."""
    found = sqlanon.attack(published, plan, **inputs)
    return {(f.attack, f.variant): f for f in found if f.tried}


def test_releases_that_are_broken_and_one_that_withstands() -> None:
    assert {(attack.name, attack.variant) for attack in requested_attacks(NAMES)} == FORMS
    for (name, _), safe in attack_rows(SAFE, NAMES).items():
        assert (safe.rows, safe.rows_at_risk, safe.classes_at_risk) == (10, 0, 0)
        assert exit_code([safe], [name]) == 0
    for rows, expected in SEVERAL:
        found = attack_rows(rows, {name for name, _ in expected})
        for (name, variant), at_risk in expected.items():
            broken = found[name, variant]
            assert (broken.rows_at_risk, broken.share) == (at_risk, at_risk / len(rows))
            assert exit_code([broken], [name]) == 1


def test_all_sensitive_attributes_are_attacked_whatever_is_promised() -> None:
    write("published.csv", ["block", "secret", "wage"], [["1", "a", "5"], ["1", "b", "5"]])
    plan = plan_of(["block"])
    plan["columns"]["wage"] = "sensitive"
    found = sqlanon.attack("published.csv", plan, attacks=["homogeneity"])
    assert {f.attribute: f.rows_at_risk for f in found} == {"secret": 0, "wage": 2}


def test_buckets_are_attacked_by_bucket_and_linked_by_row() -> None:
    """Two buckets, the values of the second all the same; everybody is alone with their age."""
    rows = [["30", "a", 1], ["31", "b", 1], ["32", "c", 2], ["33", "c", 2]]
    write("published.csv", ["age", "secret", "bucket"], rows)
    write("population.csv", ["age"], [["30"], ["30"], ["31"], ["32"], ["33"]])
    plan = plan_of(["age"], method="bucketization", privacy=[TWO_VALUES])
    attacks = ["linkage", "homogeneity"]
    found = tried(plan, population="population.csv", attacks=attacks, with_values=True)
    homogeneity = found["homogeneity", ""]
    assert (homogeneity.classes, homogeneity.rows_at_risk) == (2, 2)
    assert [one["bucket"] for one in homogeneity.riskiest] == ["2"]
    prosecutor = found["linkage", "prosecutor"]
    assert (prosecutor.classes, prosecutor.rows_at_risk, prosecutor.certainty) == (4, 4, 1)
    assert found["linkage", "marketer"].certainty == pytest.approx((1 / 2 + 3) / 4)


TWO_VALUES = {"model": "l-diversity", "l": 2, "attribute": "secret"}


def test_anatomy_is_attacked_by_both_its_tables() -> None:
    """Ten persons of ten ages; of two values in each bucket one can be ruled out."""
    write("source.csv", ["age", "secret"], [[str(30 + n), "ab"[n % 2]] for n in range(10)])
    keys = {"method": "anatomy", "source": "source.csv", "publish": "both/elsewhere.csv"}
    plan = plan_of(["age"], privacy=[TWO_VALUES], **keys)
    sqlanon.run(plan)
    Path("source.csv").unlink()
    Path("both/elsewhere.csv").rename("published.csv")
    values = Path("both/elsewhere_values.csv").rename("published_values.csv")
    found = tried(plan, attacks=NAMES)
    assert {at: (f.rows, f.rows_at_risk, f.certainty) for at, f in found.items()} == {
        ("linkage", "prosecutor"): (10, 10, 1),
        ("homogeneity", ""): (10, 0, 0.5),
        ("background-knowledge", "ruled-out"): (10, 10, 1),
        ("skewness", ""): (10, 0, 0),
    }
    values.write_text("\n".join(values.read_text().splitlines()[:-1]))
    with pytest.raises(sqlanon.PlanError, match="two tables of the publication have different"):
        sqlanon.attack("published.csv", plan)
    values.unlink()
    with pytest.raises(sqlanon.PlanError, match="does not exist"):
        sqlanon.attack("published.csv", plan)


def test_intervals_with_ends_are_classes() -> None:
    """Ten ages cut into two classes of five; the population has each age twice."""
    ages = [str(30 + n) for n in range(10)]
    write("source.csv", ["age", "secret"], [[age, "ab"[n // 5]] for n, age in enumerate(ages)])
    write("population.csv", ["age"], [[age] for age in (*ages, *ages)])
    plan = plan_of(
        ["age"],
        source="source.csv",
        privacy=[{"model": "k-anonymity", "k": 5}],
        method={"name": "mondrian", "bounds": True, "ends": "exact"},
    )
    plan["columns"]["age"] = {"role": "quasi-identifier", "type": "numeric"}
    sqlanon.run(plan)
    label = "[30, 34]"
    write("background.csv", ["age", "secret", "weight"], [[label, "b", 0], [label, "a", 3]])
    inputs = {"population": "population.csv", "background": "background.csv"}
    attacks = [*NAMES, {"name": "linkage", "threshold": 0.05}]
    found = tried(plan, "elsewhere.csv", attacks=attacks, with_values=True, **inputs)
    assert found["linkage", "journalist"].certainty == 0.1
    homogeneity = found["homogeneity", ""]
    assert homogeneity.rows_at_risk == 10
    ends = {one["age"]: (one["age_lo"], one["age_hi"]) for one in homogeneity.riskiest}
    assert ends == {label: ("30.0", "34.0"), "[35, 39]": ("35.0", "39.0")}
    assert found["background-knowledge", "weights"].certainty == 1


def test_labels_of_two_levels_are_decided_by_the_solution() -> None:
    """The label x stands for 1 and 2 on one level, for 1 to 3 on the next, which is published."""
    write("hierarchy.csv", None, [["1", "x", "x"], ["2", "x", "x"], ["3", "y", "x"]], ";")
    write("source.csv", ["a", "secret"], [[value, "s"] for value in "123" for _ in range(3)])
    write("population.csv", ["a"], [[value] for value in "1" * 3 + "2" * 3 + "3" * 9])
    plan = plan_of(["a"], source="source.csv", privacy=[{"model": "k-anonymity", "k": 7}])
    plan["columns"]["a"] = {"role": "quasi-identifier", "hierarchy": "hierarchy.csv"}
    sqlanon.run(plan)
    inputs: dict[str, Any] = {"published": "elsewhere.csv", "population": "population.csv"}
    journalist = Linkage(attacker="journalist")
    (found,) = sqlanon.attack(plan=plan, attacks=[journalist], **inputs)
    assert found.certainty == pytest.approx(1 / 15)
    Path("elsewhere.solution.json").unlink()  # x is taken for the lower level then
    assert "The population lacks members" in refused(plan=plan, attacks=[journalist], **inputs)


def test_tables_of_databases_and_of_a_connection() -> None:
    with duckdb.connect("all.duckdb") as database:
        database.execute("create table published as select 1 as block, 'flu' as secret")
        database.execute("create table persons as select 1 as block from range(4)")
        database.execute("create table known as select 1 as block, 'flu' as secret, 2 as weight")
    plan = plan_of(["block"])
    names = {"published": "published", "population": "persons", "background": "known"}
    with duckdb.connect("all.duckdb") as database:
        by_connection = tried(plan, **names, options=sqlanon.Options(connection=database))
    by_file = tried(plan, **{key: f"all.duckdb::{name}" for key, name in names.items()})
    assert by_connection == by_file
    assert {at: found.certainty for at, found in by_file.items() if at[0] in NAMES} == {
        ("linkage", "prosecutor"): 1,
        ("linkage", "journalist"): 0.25,
        ("linkage", "marketer"): 0.25,
        ("homogeneity", ""): 1,
        ("background-knowledge", "ruled-out"): 1,
        ("background-knowledge", "weights"): 1,
        ("skewness", ""): 0,
    }


def test_columns_called_as_those_of_the_templates() -> None:
    names = ["certainty", "Profile", "rows_at_risk", "broken", "told_values"]
    rows = [["1", "a", "b", "c", "d", "flu"]] * 2 + [["2", "a", "b", "c", "d", "ulcer"]]
    write("published.csv", [*names, "secret"], rows)
    write("population.csv", names, [row[:-1] for row in rows])
    write("background.csv", [*names, "secret", "weight"], [[*rows[0], 1]])
    inputs = {"population": "population.csv", "background": "background.csv"}
    found = tried(plan_of(names), attacks=NAMES, with_values=True, **inputs)
    assert {at: one.rows_at_risk for at, one in found.items()} == {
        ("linkage", "prosecutor"): 3,
        ("linkage", "journalist"): 3,
        ("linkage", "marketer"): 3,
        ("homogeneity", ""): 3,
        ("background-knowledge", "ruled-out"): 3,
        ("background-knowledge", "weights"): 0,
        ("skewness", ""): 1,
    }
    assert all(one["certainty"] <= 1 for f in found.values() for one in f.riskiest)


def test_rows_of_permuted_quasi_identifiers_are_not_linked() -> None:
    permuted = AttackRelations(
        class_key=("bucket",), classes="classes", population="population", profiles="profiles",
        quasi_identifiers=[("age", "age"), ("zip", "zip")],
        column_groups=[("age",), ("zip", "secret")],
    )  # fmt: skip
    asked = requested_attacks(["linkage", {"name": "background-knowledge"}])
    assert {attack.variant == "ruled-out" for attack in asked} == {True, False}
    for attack in asked:
        reason = attack.missing(permuted)
        assert (reason is None) == (attack.variant == "ruled-out")
        assert reason is None or "permuted separately" in reason


def test_what_cannot_be_tried_is_reported_and_never_withstood() -> None:
    write("published.csv", ["block", "secret"], SAFE)
    found = {(f.attack, f.variant): f for f in sqlanon.attack("published.csv", plan_of(["block"]))}
    for name, reason in (
        (("linkage", "journalist"), "needs --population"),
        (("linkage", "marketer"), "needs --population"),
        (("background-knowledge", "weights"), "needs --background"),
        (("similarity", ""), "'secret' has no hierarchy"),
    ):
        finding = found[name]
        assert not finding.tried
        assert not finding.succeeds
        assert (finding.reason or "").startswith(reason)
        assert finding.rows is finding.rows_at_risk is finding.certainty is None
        assert exit_code([finding], [name[0]]) == 2
    attempted = {finding.attack for finding in found.values() if finding.tried}
    assert attempted >= {"linkage", "homogeneity", "skewness"}
    assert exit_code(list(found.values()), []) == 0


def test_the_top_of_a_hierarchy_reveals_nothing() -> None:
    write("published.csv", ["block", "secret"], SAFE)
    write("secret.csv", None, [[value, *path] for value, path in FLAT.items()], delimiter=";")
    plan = plan_of(["block"], {"role": "sensitive", "hierarchy": "secret.csv"})
    attacks = [{"name": "similarity", "level": level} for level in (1, 2, 7)]
    works, *others = sqlanon.attack("published.csv", plan, attacks=attacks)
    assert works.tried
    for found in others:
        assert not found.tried
        assert "not below its top, level 2" in (found.reason or "")


def test_without_a_sensitive_attribute_there_is_linkage() -> None:
    write("published.csv", ["block", "secret"], SAFE)
    found = sqlanon.attack("published.csv", plan_of(["block"], "insensitive"))
    assert {f.attack for f in found if f.tried} == {"linkage"}
    reasons = {f.reason for f in found if f.attack == "homogeneity"}
    assert reasons == {"the plan has no sensitive attribute"}


def refused(**inputs: Any) -> str:
    """The message of an attack that is refused, by default on the safe table."""
    inputs = {"published": "published.csv", "plan": plan_of(["block"]), **inputs}
    if not Path("published.csv").exists():
        write("published.csv", ["block", "secret"], SAFE)
    with pytest.raises(sqlanon.PlanError) as error:
        sqlanon.attack(**inputs)
    assert error.value.exit_code == 2
    return str(error.value)


@pytest.mark.parametrize(
    ("attack", "message"),
    [
        ("linkag", "Did you mean 'linkage'?"),
        ({"attack": "linkage"}, "An attack has no name."),
        ({"name": "linkage", "treshold": 1}, "Did you mean 'threshold'?"),
        ({"name": "linkage", "threshold": 1}, "threshold: Input should be less than 1"),
        ({"name": "homogeneity", "tau": 0}, "tau: Input should be greater than 0"),
        ({"name": "skewness", "gain": "much"}, "gain: Input should be a valid decimal"),
        ({"name": "similarity", "level": 0}, "level: Input should be greater than or equal to 1"),
        ({"name": "background-knowledge", "rho1": 0.95}, "rho1 is not below rho2"),
    ],
)
def test_attacks_that_are_none(attack: Any, message: str) -> None:
    assert message in refused(attacks=[attack])


KNOWN = ["block", "secret", "weight"]


@pytest.mark.parametrize(
    ("header", "rows", "message"),
    [
        (["secret", "weight"], [["flu", 1]], "no column 'block'"),
        (["block", "secret"], [["1", "flu"]], "no column 'weight'"),
        (["block", "weight"], [["1", 1]], "0 of the plan's sensitive attributes"),
        (KNOWN, [], "has no rows"),
        (
            KNOWN,
            [["1", f"flu{n}", w] for n, w in enumerate((-1, "often", "nan", "inf", None, 0.5))],
            "5 row(s) of the background have a weight that is not a number, 0 or more",
        ),
        (KNOWN, [["1", v, 1] for v in ("flu", "flu", "flu", "ulcer", "ulcer")], "3 row(s) of the"),
        (KNOWN, [["9", "flu", 1], ["9", "ulcer", 1]], "None of the 1 profile(s)"),
        (KNOWN, [["1", v, 0] for v in FLAT], "The weights rule out every value of 'secret'"),
    ],
)
def test_backgrounds_that_are_none(header: list[str], rows: list[list[Any]], message: str) -> None:
    write("background.csv", header, rows)
    said = refused(background="background.csv", attacks=["background-knowledge"])
    assert message in said
    assert "often" not in said


def test_profiles_that_contradict_their_class_are_counted() -> None:
    write("published.csv", ["block", "secret"], [["1", "flu"], ["2", "ulcer"]])
    write("background.csv", KNOWN, [["1", "flu", 0], ["2", "ulcer", 1]])
    attacks = [BackgroundKnowledge(knowledge="weights")]
    (found,) = tried(plan_of(["block"]), background="background.csv", attacks=attacks).values()
    assert found.measured == {"profiles": 2, "inconsistent_profiles": 1}
    assert found.notes[0].startswith("The background contradicts the table for 1 of 2 profiles")


@pytest.mark.parametrize(
    ("header", "rows", "message"),
    [
        (["blocks"], [["1"]], "The population has no column 'block'"),
        (["block"], [["1"]] * 5 + [["2"]] * 4, "1 class(es) have more rows"),
        (["block"], [["1"]] * 5, "no person of the population has some of them"),
    ],
)
def test_populations_that_are_none(header: list[str], rows: list[list[str]], message: str) -> None:
    write("population.csv", header, rows)
    assert message in refused(population="population.csv")


def test_a_table_called_none_is_no_population(connection: Connection) -> None:
    write("background.csv", KNOWN, [["1", "flu", 0], ["2", "flu", 1]])
    write("published.csv", ["block", "secret"], SAFE)
    for name in ("published", "background"):
        connection.execute(f"create table {name} as from read_csv('{name}.csv', all_varchar=true)")
    connection.execute('create table "None" as from background')
    inputs: dict[str, Any] = {
        "options": sqlanon.Options(connection=connection),
        "attacks": ["background-knowledge", "linkage"],
    }
    one, other = (
        sqlanon.attack("published", plan_of(["block"]), background=background, **inputs)
        for background in ("background", "None")
    )
    assert one == other


def test_tables_that_are_none() -> None:
    write("published.csv", ["block", "secret"], [])
    assert "has no rows" in refused()
    write("published.csv", ["block"], [["1"]])
    assert "no column 'secret'" in refused()
    write("published.csv", ["block", "secret"], SAFE)
    for name in ("background", "population", "earlier"):
        assert "does not exist" in refused(**{name: "nowhere.csv"})
    write("background.csv", ["weight", "secret"], [["1", "flu"]])
    assert "has a column 'weight'" in refused(
        background="background.csv", plan=plan_of(["weight"]), published="background.csv"
    )
    plan = plan_of(["block"])
    plan["columns"]["name"] = "identifier"
    write("published.csv", ["block", "secret", "name"], [["1", "flu", "Bob"]])
    with pytest.raises(sqlanon.PrivacyViolation, match="table contains the identifier 'name'"):
        sqlanon.attack("published.csv", plan)


def test_command_line(command: Command) -> None:
    def called(*arguments: str) -> tuple[int, str, str]:
        code, output, errors = command("attack", "published.csv", "--plan", "plan.yml", *arguments)
        return code, " ".join(output.split()), " ".join(errors.split())

    rows = [("block four", "ulcer")] * 2 + [("block five", "flu"), ("block five", "ulcer")]
    write("published.csv", ["block", "secret"], rows)
    Path("plan.yml").write_text(yaml.safe_dump(plan_of(["block"])))
    homogeneity = ("--attack", "homogeneity")
    code, output, errors = called(*homogeneity)
    assert code == 1, errors
    assert "homogeneity secret 2 4 0.5 1 1" in output
    for value in ("block four", "block five", "ulcer", "flu"):
        assert value not in output + errors
    _, output, _ = called(*homogeneity, "--show-values")
    assert "block four" in output
    assert "block five" not in output

    code, output, _ = called(*homogeneity, "--json")
    assert code == 1
    (finding,) = json.loads(output)
    assert (finding["rows_at_risk"], finding["share"], finding["certainty"]) == (2, 0.5, 1)
    assert finding["riskiest"] == [{"class_size": 2, "rows_at_risk": 2, "certainty": 1.0}]
    (finding,) = json.loads(called(*homogeneity, "--json", "--show-values")[1])
    assert finding["riskiest"][0]["block"] == "block four"

    code, output, _ = called("--attack", "similarity")
    assert code == 2
    assert "not tried similarity: 'secret' has no hierarchy" in output


def test_every_attack_has_a_section_and_a_paper_table() -> None:
    every = {default_of(cls, "name") for cls in ATTACKS}
    assert set(NAMES) <= set(PAPERS) <= every
    assert all((PAPER_TABLES / f"{name.replace('-', '_')}.yml").is_file() for name in PAPERS)
    sections = re.findall(r"^### `(.+)`$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert sections[: len(NAMES)] == NAMES
    assert set(sections) <= every


def page_examples() -> list[tuple[str, list[str], dict[str, Any], list[str]]]:
    """Example, classes, attack and cells of every row of the page's tables of numbers."""
    found = []
    classes: list[str] = []
    example = ""
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| `{name: "):
            found.append((example, classes, yaml.safe_load(cells[0].strip("`")), cells[1:]))
        elif line.startswith("| ") and not line.startswith("| `"):
            example, *classes = cells
    return found


def test_numbers_of_the_page(connection: Connection) -> None:
    """Of every form; a cell is the certainty to four digits, and the rows at risk of the class."""
    blocks = re.findall(r"^```yaml\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    shown = set()
    for example, names, parameters, cells in page_examples():
        numbers = yaml.safe_load(blocks[1])[example]
        tree = tree_of(numbers.pop("levels", {}))
        known = [(name, "", weights) for name, weights in numbers.pop("known", {}).items()]
        classes: dict[Key, Class] = {}
        for name, counts in numbers.items():
            size = counts.pop("population", None)
            classes["t", name] = Class(spread(counts), size)
        attack = OF_CLASSES[parameters["name"]].model_validate(parameters)
        shown.add((attack.name, attack.variant))
        found = attacked(connection, attack, Tables(classes, tree=tree), known)
        assert cells == [
            f"{found[name].certainty:.4g}, {found[name].rows_at_risk} of {found[name].class_size}"
            for name in names
        ], (example, attack)
    assert shown == FORMS
