"""Attacks: against tables of the literature, against brute force, and end to end.

A file of `paper_tables/attacks/` has an attack's name, tables, and by parameters the certainty and
the rows at risk of each class.
"""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
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
from sqlanon.attacks.background_knowledge import BackgroundKnowledge
from sqlanon.attacks.base import Attack, AttackRelations, Outcome
from sqlanon.attacks.findings import AttackFinding, finding_of
from sqlanon.attacks.homogeneity import Homogeneity
from sqlanon.attacks.linkage import Linkage
from sqlanon.attacks.membership import Membership
from sqlanon.attacks.similarity import Similarity
from sqlanon.attacks.skewness import Skewness
from sqlanon.commands.attack import exit_code
from sqlanon.plan.file import load_plan
from sqlanon.registry import default_of
from tests.conftest import Command
from tests.oracles.class_relations import Class, Key, Tables, Value, build, quiet_connection
from tests.paths import ROOT, TESTS
from tests.plan import plans
from tests.selection import examples
from tests.support.tables import write_csv

OF_CLASSES: dict[str, type[Attack]] = {
    default_of(cls, "name"): cls
    for cls in (Linkage, Homogeneity, BackgroundKnowledge, Skewness, Similarity)
}
"""Attacks that one select decides class by class; the others have tests of their own."""
NAMES = list(OF_CLASSES)
CASES = [
    pytest.param(name, table, case, id=f"{name}-{table['name'].split(',')[0]}-{number}")
    for name in NAMES
    for table in yaml.safe_load(
        (TESTS / f"paper_tables/attacks/{name.replace('-', '_')}.yml").read_text("utf-8")
    )["tables"]
    for number, case in enumerate(table["cases"])
]
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


@pytest.mark.parametrize(("name", "table", "case"), CASES)
def test_paper_table(
    name: str, table: dict[str, Any], case: dict[str, Any], connection: Connection
) -> None:
    classes: dict[Key, Class] = {
        ("t", key_of(entry)): Class(spread(entry["values"]), entry.get("population"))
        for entry in table["classes"]
    }
    tables = Tables(classes, tree=tree_of(table.get("hierarchy", {})))
    profiles: dict[tuple[str, str], dict[Value, float]] = {}
    for entry in table.get("background", ()):
        at = (key_of(entry), entry.get("person", ""))
        profiles.setdefault(at, {})[text_of(entry["value"])] = entry["weight"]
    attack = OF_CLASSES[name].model_validate(case["parameters"])
    known = [(*at, weights) for at, weights in profiles.items()]
    found = attacked(connection, attack, tables, known)
    answers = [found[key_of(entry)] for entry in table["classes"]]
    assert [one.rows_at_risk for one in answers] == case["rows_at_risk"]
    expected = [float(Fraction(str(certainty))) for certainty in case["certainty"]]
    assert [one.certainty for one in answers] == pytest.approx(expected, abs=1e-9)


def tree_of(levels: Mapping[str, Sequence[str]]) -> dict[Value, tuple[Value, ...]]:
    return {value: (value, *path) for value, path in levels.items()}


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


@examples(400)
@given(
    sizes=st.lists(st.tuples(st.integers(1, 12), st.integers(0, 12)), min_size=1, max_size=5),
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
SAFE = [(block, value) for block in "12" for value in (*FLAT, "flu")]
BROKEN_BLOCKS = {"1": ["flu", "ulcer"], "2": [*FLAT, "flu"], "3": ["flu", "ulcer"],
                 "4": ["ulcer"] * 5, "5": ["flu", "asthma"] * 3}  # fmt: skip
BROKEN = [(block, value) for block, values in BROKEN_BLOCKS.items() for value in values]
AT_RISK = {
    ("linkage", "prosecutor"): 4,  # blocks 1 and 3
    ("linkage", "journalist"): 4,
    ("linkage", "marketer"): 20,  # five blocks of 20 persons
    ("homogeneity", ""): 5,
    ("background-knowledge", "ruled-out"): 15,  # all but block 2
    ("background-knowledge", "weights"): 1,  # the ulcer of block 1, of which flu is ruled out
    ("skewness", ""): 9,  # five ulcers of 8 in 20, three of 4 with asthma, the only gastritis
    ("similarity", ""): 11,  # blocks 4 and 5
}
KNOWN = ["block", "secret", "weight"]


def plan_of(
    quasi_identifiers: Sequence[str] = ("block",), secret: Any = "sensitive", **keys: Any
) -> dict[str, Any]:
    """A plan whose source does not exist: no attack may look for it."""
    columns: dict[str, Any] = dict.fromkeys(quasi_identifiers, "quasi-identifier")
    keys = {"source": "no_such_source.csv", "publish": "elsewhere.csv", **keys}
    return plans.plan_of(columns | {"secret": secret}, **keys)


def publish(rows: Sequence[Sequence[Any]] = SAFE, header: Sequence[str] = KNOWN[:2]) -> None:
    write_csv("published.csv", [header, *rows])


def tried(
    plan: dict[str, Any], published: str = "published.csv", **inputs: Any
) -> dict[tuple[str, str], AttackFinding]:
    """The findings of attacks that could be tried, by name and variant."""
    found = sqlanon.attack(published, plan, **inputs)
    return {(f.attack, f.variant): f for f in found if f.tried}


def test_a_release_that_withstands_and_one_that_is_broken() -> None:
    """Whoever is published is alone in the population."""
    assert {(attack.name, attack.variant) for attack in requested_attacks(NAMES)} == {*AT_RISK}
    write_csv("secret.csv", [[value, *path] for value, path in FLAT.items()], delimiter=";")
    write_csv("background.csv", [KNOWN, ["1", "flu", 0], ["1", "asthma", 1]])
    plan = plan_of(secret={"role": "sensitive", "hierarchy": "secret.csv"})
    inputs: dict[str, Any] = {"population": "population.csv", "background": "background.csv"}
    for rows, expected in ((SAFE, dict.fromkeys(AT_RISK, 0)), (BROKEN, AT_RISK)):
        publish(rows)
        write_csv("population.csv", [["block"], *([block] for block, _ in rows)])
        found = tried(plan, attacks=NAMES, **inputs)
        assert {at: one.rows_at_risk for at, one in found.items()} == expected
        for (name, _), one in found.items():
            assert one.share == (one.rows_at_risk or 0) / len(rows)
            assert exit_code([one], [name]) == (rows is BROKEN)
    attacks = [{"name": "similarity", "level": level} for level in (1, 2, 7)]
    works, *top = sqlanon.attack("published.csv", plan, attacks=attacks)
    assert works.tried
    assert all("not below its top, level 2" in (one.reason or "") for one in top)


def test_anatomy_is_attacked_by_both_its_tables() -> None:
    """Ten persons of ten ages; of two values in each bucket one can be ruled out."""
    write_csv("source.csv", [["age", "secret"], *([30 + n, "ab"[n % 2]] for n in range(10))])
    keys = {"method": "anatomy", "source": "source.csv", "publish": "both/elsewhere.csv"}
    two = {"model": "l-diversity", "l": 2, "attribute": "secret"}
    plan = plan_of(["age"], privacy=[two], **keys)
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
    assert "two tables of the publication have different" in refused(plan=plan)
    values.unlink()
    assert "does not exist" in refused(plan=plan)


def test_labels_of_two_levels_are_decided_by_the_solution() -> None:
    """The label x stands for 1 and 2 on one level, for 1 to 3 on the next, which is published."""
    write_csv("hierarchy.csv", [["1", "x", "x"], ["2", "x", "x"], ["3", "y", "x"]], ";")
    write_csv("source.csv", [["a", "secret"], *([value, "s"] for value in "123" * 3)])
    write_csv("population.csv", [["a"], *([value] for value in "111222333333333")])
    plan = plan_of(["a"], source="source.csv", privacy=[{"model": "k-anonymity", "k": 7}])
    plan["columns"]["a"] = {"role": "quasi-identifier", "hierarchy": "hierarchy.csv"}
    sqlanon.run(plan)
    inputs: dict[str, Any] = {"plan": plan, "attacks": [Linkage(attacker="journalist")]}
    inputs |= {"published": "elsewhere.csv", "population": "population.csv"}
    (found,) = sqlanon.attack(**inputs)
    assert found.certainty == pytest.approx(1 / 15)
    Path("elsewhere.solution.json").unlink()  # x is taken for the lower level then
    assert "The population lacks members" in refused(**inputs)


def test_tables_of_databases_and_of_a_connection() -> None:
    """Their columns are called as those of the templates are."""
    names = ["certainty", "Profile", "rows_at_risk", "broken", "disclosed_values"]
    listed = ", ".join(f"1 as {name}" for name in names)
    with duckdb.connect("all.duckdb") as database:
        database.execute(f"create table published as select {listed}, 'flu' as secret")
        database.execute(f"create table persons as select {listed} from range(4)")
        database.execute(f"create table known as select {listed}, 'flu' as secret, 2 as weight")
    tables = {"published": "published", "population": "persons", "background": "known"}
    inputs: dict[str, Any] = {"attacks": NAMES, "with_values": True}
    with duckdb.connect("all.duckdb") as database:
        options = sqlanon.Options(connection=database)
        by_connection = tried(plan_of(names), **tables, **inputs, options=options)
    files = {key: f"all.duckdb::{name}" for key, name in tables.items()}
    by_file = tried(plan_of(names), **files, **inputs)
    assert by_connection == by_file
    of_linkage, others = (1, 0.25, 0.25), (1, 1, 1, 0)  # skewness gains nothing
    assert [found.certainty for found in by_file.values()] == [*of_linkage, *others]


def test_what_cannot_be_tried_is_reported_and_never_withstood() -> None:
    publish()
    found = {(f.attack, f.variant): f for f in sqlanon.attack("published.csv", plan_of())}
    for name, reason in (
        (("linkage", "journalist"), "needs --population"),
        (("background-knowledge", "weights"), "needs --background"),
        (("similarity", ""), "'secret' has no hierarchy"),
    ):
        finding = found[name]
        assert not finding.tried
        assert not finding.succeeds
        assert (finding.reason or "").startswith(reason)
        assert finding.rows is finding.rows_at_risk is finding.certainty is None
        assert exit_code([finding], [name[0]]) == 2
    assert exit_code(list(found.values()), []) == 0
    without = sqlanon.attack("published.csv", plan_of(secret="insensitive"))
    assert {f.attack for f in without if f.tried} == {"linkage"}
    reasons = {f.reason for f in without if f.attack == "homogeneity"}
    assert reasons == {"the plan has no sensitive attribute"}


def refused(**inputs: Any) -> str:
    """The message of an attack that is refused."""
    with pytest.raises(sqlanon.PlanError) as error:
        sqlanon.attack(**{"published": "published.csv", "plan": plan_of(), **inputs})
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
        ({"name": "background-knowledge", "rho1": 0.95}, "rho1 is not below rho2"),
    ],
)
def test_attacks_that_are_none(attack: Any, message: str) -> None:
    assert message in refused(attacks=[attack])


@pytest.mark.parametrize(
    ("table", "rows", "message"),
    [
        ("background", [KNOWN[1:], ["flu", 1]], "no column 'block'"),
        ("background", [KNOWN[:2], ["1", "flu"]], "no column 'weight'"),
        ("background", [["block", "weight"], ["1", 1]], "0 of the plan's sensitive attributes"),
        ("background", [KNOWN], "has no rows"),
        (
            "background",
            [KNOWN, *(["1", f"flu{w}", w] for w in (-1, "often", "nan", "inf", None, 0.5))],
            "5 row(s) of the background have a weight that is not a number, 0 or more",
        ),
        ("background", [KNOWN, *[["1", "flu", 1]] * 3, *[["1", "ulcer", 1]] * 2], "3 row(s) of"),
        ("background", [KNOWN, ["9", "flu", 1], ["9", "ulcer", 1]], "None of the 1 profile(s)"),
        ("background", [KNOWN, *(["1", v, 0] for v in FLAT)], "weights rule out every value of"),
        ("population", [["blocks"], ["1"]], "The population has no column 'block'"),
        ("population", [["block"], *"111112222"], "1 class(es) have more rows"),
        ("population", [["block"], *"11111"], "no person of the population has some of them"),
        ("published", [KNOWN[:2]], "has no rows"),
        ("published", [["block"], ["1"]], "no column 'secret'"),
        *((table, None, "does not exist") for table in ("earlier", "population", "background")),
    ],
)
def test_tables_that_are_none(table: str, rows: list[list[Any]] | None, message: str) -> None:
    publish()
    if rows is not None:
        write_csv(f"{table}.csv", rows)
    said = refused(**{table: f"{table}.csv"})
    assert message in said
    assert "often" not in said


def test_columns_that_no_attack_can_have() -> None:
    write_csv("published.csv", [["weight", "secret"], ["1", "flu"]])
    said = refused(background="published.csv", plan=plan_of(["weight"]))
    assert "has a column 'weight'" in said
    plan = plan_of()
    plan["columns"]["name"] = "identifier"
    publish([["1", "flu", "Bob"]], ["block", "secret", "name"])
    with pytest.raises(sqlanon.PrivacyViolation, match="table contains the identifier 'name'"):
        sqlanon.attack("published.csv", plan)


def test_values_are_shown_only_where_they_are_asked_for(command: Command) -> None:
    publish([("block four", "ulcer")] * 2 + [("block five", "flu"), ("block five", "ulcer")])
    Path("plan.yml").write_text(yaml.safe_dump(plan_of()))
    called = ("attack", "published.csv", "--plan", "plan.yml", "--attack", "homogeneity")
    code, output, errors = command(*called)
    assert code == 1, errors
    assert "homogeneity secret 2 4 0.5 1 1" in " ".join(output.split())
    assert not re.search("block f|ulcer|flu", output + errors)
    _, output, _ = command(*called, "--show-values")
    assert "block four" in output
    assert "block five" not in output
    code, output, _ = command(*called, "--json")
    assert code == 1
    (finding,) = json.loads(output)
    assert (finding["rows_at_risk"], finding["share"], finding["certainty"]) == (2, 0.5, 1)
    assert finding["riskiest"] == [{"class_size": 2, "rows_at_risk": 2, "certainty": 1.0}]


# Thresholds: a plan's `attacks`, exit codes, and that they decide no published row

HALF = [*[("1", "flu"), ("1", "cold")] * 5, *[("2", "flu")] * 3, *[("3", "gout")] * 7]
"""Ten rows of two values, and ten rows in classes of one: homogeneity puts half of them at risk."""


def test_a_threshold_is_the_largest_share_that_is_accepted() -> None:
    """Half of the rows are at risk; in the plan, or asked for, a threshold means the same."""
    publish(HALF)
    expected = {0: 1, 0.49: 1, 0.5: 0, 0.51: 0, 1: 0, None: 1}
    attacks: list[dict[str, Any]] = [
        {"name": "homogeneity", "at_most": at_most} for at_most in expected
    ]
    asked = sqlanon.attack("published.csv", plan_of(attacks=["skewness"]), attacks=attacks)
    stated = sqlanon.attack("published.csv", plan_of(attacks=attacks[:-1]))  # if not stated: 0
    for found, attack in zip([*asked, *stated], attacks + attacks[:-1], strict=True):
        code = expected[attack["at_most"]]
        assert exit_code([found], [attack]) == exit_code([found], ()) == code
        assert (found.rows_at_risk, found.rows_not_safe, found.rows) == (10, 10, 20)
        assert found.succeeds is (code == 1)
        assert found.at_most == attack["at_most"]
        assert "at_most" not in found.parameters


def test_a_threshold_that_cannot_be_compared_fails() -> None:
    publish(HALF)
    halves = [{"name": "homogeneity", "at_most": 0.5}, {"name": "homogeneity", "at_most": 0.1}]
    passes, succeeds = sqlanon.attack("published.csv", plan_of(attacks=halves))
    for attack, expected in (
        ({"name": "linkage", "attacker": "prosecutor", "at_most": 1}, 0),
        ({"name": "linkage", "at_most": 1}, 2),  # the journalist has no population
        ({"name": "similarity"}, 2),
        ({"name": "membership", "at_most": 1}, 2),
    ):
        found = sqlanon.attack("published.csv", plan_of(attacks=[attack]))
        assert all(f.tried or f.reason for f in found)
        assert exit_code(found, ()) == exit_code([passes, *found], ()) == expected
        assert exit_code([succeeds, *found], ()) == 1, "an attack that succeeds"
    asked = {"name": "linkage", "threshold": 0.5}  # without a threshold one form is enough
    assert exit_code(sqlanon.attack("published.csv", plan_of(), attacks=[asked]), [asked]) == 0


def test_every_sensitive_attribute_has_to_be_tried() -> None:
    """A hierarchy of one of two attributes: similarity is tried on this one alone."""
    Path("published.csv").write_text("block,secret,other\n" + "1,flu,a\n1,cold,b\n" * 3)
    Path("tree.csv").write_text("flu,ill,*\ncold,ill,*\n")
    two = plan_of()
    two["columns"]["secret"] = {"role": "sensitive", "hierarchy": "tree.csv"}
    two["columns"]["other"] = "sensitive"
    for at_most, expected in ((None, 0), (1, 2)):
        attack = {"name": "similarity", "level": 1, "tau": 1, "at_most": at_most}
        found = sqlanon.attack("published.csv", two, attacks=[attack])
        assert [f.tried for f in found] == [True, False]
        assert exit_code([replace(f, succeeds=False) for f in found], [attack]) == expected
        assert exit_code(found[1:], [attack]) == 2


def test_rows_that_are_not_decided_count_as_at_risk() -> None:
    """What the threshold compares is an outcome's `rows_not_safe`, exactly."""
    outcome = Outcome(1, 1, 10, 1, 1, measured={}, rows_not_safe=3)
    relations = AttackRelations(class_key=("block",), classes="classes")
    for at_most, succeeds in ((None, True), ("0.1", True), ("0.29", True), ("0.3", False)):
        attack = Membership(at_most=None if at_most is None else Decimal(at_most))
        found = finding_of(attack, relations, outcome)
        assert found.succeeds is succeeds
        assert (found.share, found.rows_not_safe) == (0.1, 3)


def test_what_contradicts_the_table_or_is_not_in_it_does_not_pass() -> None:
    """A background that rules out every value of a class; a value that is misspelled."""
    publish(HALF)
    known = [["1", "flu", 0.5], ["1", "cold", 0.5], ["3", "gout", 0], ["3", "flu", 1]]
    write_csv("known.csv", [KNOWN, *known])
    weights = {"name": "background-knowledge", "knowledge": "weights"}
    (one,) = sqlanon.attack("published.csv", plan_of(attacks=[weights]), background="known.csv")
    assert (one.rows_at_risk, one.rows_not_safe, one.rows) == (0, 20, 20)
    assert one.measured == {"profiles": 2, "inconsistent_profiles": 1}
    assert one.notes[0].startswith("The background contradicts the table for 1 of 2 profiles")
    assert exit_code([one], ()) == 1
    write_csv("people.csv", [["block"], *([block] for block, _ in HALF)])
    for value, expected in (("cold", 0), ("clod", 2)):
        attack = {"name": "minimality", "form": "algorithm", "values": [value]}
        found = sqlanon.attack("published.csv", plan_of(attacks=[attack]), population="people.csv")
        assert exit_code(found, ()) == expected


def test_attacks_decide_nothing_that_is_published() -> None:
    """A plan is the same with and without them: its digest, its solution, its rows."""
    publish(HALF)
    without = plan_of(source="published.csv", publish="open.csv")
    with_attacks = without | {"attacks": ["linkage", {"name": "homogeneity", "at_most": 0.5}]}
    assert load_plan(without).sha256 == load_plan(with_attacks).sha256
    Path("plan.yml").write_text(yaml.safe_dump(without))
    sqlanon.run("plan.yml")
    rows, solution = Path("open.csv").read_bytes(), Path("plan.solution.json").read_bytes()
    Path("plan.yml").write_text(yaml.safe_dump(with_attacks))
    sqlanon.run("plan.yml", sqlanon.Options(locked=True))
    assert Path("open.csv").read_bytes() == rows
    assert Path("plan.solution.json").read_bytes() == solution


def test_the_gate_says_what_it_compares(command: Command) -> None:
    publish(HALF)

    def called(*arguments: str) -> tuple[int, str]:
        return command("attack", "published.csv", "--plan", "plan.yml", *arguments)[:2]

    gate = [{"name": "homogeneity", "at_most": 0.5}, {"name": "skewness", "at_most": 0.1}]
    Path("plan.yml").write_text(yaml.safe_dump(plan_of(attacks=gate)))
    status, output = called()
    assert status == 1
    may = "10 of 20 rows may be at risk"
    assert f"homogeneity on secret: {may}, within the threshold of 0.5" in output
    assert f"skewness on secret: {may}, more than the threshold of 0.1" in output
    status, output = called("--json", "--set", "attacks.1.at_most=0.5")
    assert status == 0
    found = [(f["attack"], f["at_most"], f["succeeds"]) for f in json.loads(output)]
    assert found == [("homogeneity", 0.5, False), ("skewness", 0.5, False)]
    Path("plan.yml").write_text(yaml.safe_dump(plan_of(attacks=[])))
    assert "  linkage journalist/marketer, membership, minimality: needs --pop" in called()[1]
    for table in ("background", "earlier", "hold-out", "population"):
        tables = ("--plan", "plan.yml", f"--{table}", "nowhere.csv")
        assert "nowhere.csv" in command("attack", "published.csv", *tables).err


def page_examples() -> list[tuple[str, list[str], dict[str, Any], list[str]]]:
    """Example, classes, attack and cells of every row of the page's tables of numbers."""
    found = []
    classes: list[str] = []
    example = ""
    for line in (ROOT / "docs/attacks.md").read_text("utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| `{name: "):
            found.append((example, classes, yaml.safe_load(cells[0].strip("`")), cells[1:]))
        elif line.startswith("| ") and not line.startswith("| `"):
            example, *classes = cells
    return found


def test_numbers_of_the_page(connection: Connection) -> None:
    """Of every form; a cell is the certainty to four digits, and the rows at risk of the class."""
    blocks = re.findall(
        r"^```yaml\n(.*?)^```$",
        (ROOT / "docs/attacks.md").read_text("utf-8"),
        re.MULTILINE | re.DOTALL,
    )
    for example, names, parameters, cells in page_examples():
        numbers = yaml.safe_load(blocks[1])[example]
        tree = tree_of(numbers.pop("levels", {}))
        known = [(name, "", weights) for name, weights in numbers.pop("known", {}).items()]
        classes: dict[Key, Class] = {}
        for name, counts in numbers.items():
            size = counts.pop("population", None)
            classes["t", name] = Class(spread(counts), size)
        attack = OF_CLASSES[parameters["name"]].model_validate(parameters)
        found = attacked(connection, attack, Tables(classes, tree=tree), known)
        assert cells == [
            f"{found[name].certainty:.4g}, {found[name].rows_at_risk} of {found[name].class_size}"
            for name in names
        ], (example, attack)
