"""Attacks on buckets whose sensitive attribute has companions: against p(t, s) in fractions."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sqlanon
from sqlanon.attacks import sliced
from sqlanon.attacks.background_knowledge import BackgroundKnowledge
from sqlanon.attacks.base import Attack, AttackRelations, Outcome
from sqlanon.attacks.findings import AttackFinding
from sqlanon.attacks.sliced import BeliefAttack
from sqlanon.sql.step import Step
from tests.attacks.test_attacks import ON_VALUES, TREE, verdicts
from tests.oracles.persons_relations import Bench, bench
from tests.plan.plans import plan_of
from tests.selection import examples
from tests.support.tables import write_csv

Row = tuple[Any, ...]
"""Number of the bucket, values of a, b and c, and the sensitive value."""
Belief = Mapping[Any, Fraction]
"""p(t, s) by value."""

COLUMNS = ("a", "b", "c")


@pytest.fixture(scope="module")
def made() -> Iterator[Bench]:
    with bench() as opened:
        yield opened


def beliefs(
    rows: Sequence[Row], groups: Sequence[Sequence[int]], tuples: Sequence[Row]
) -> dict[Row, tuple[set[int], Belief]]:
    """For each tuple that matches a bucket, by its definition: the buckets, and p(t, s).

    Args:
        groups: places of the columns (0 to 2), the companions of the sensitive attribute last.
    """
    buckets: dict[int, list[Row]] = {}
    for bucket, *values in rows:
        buckets.setdefault(bucket, []).append(tuple(values))
    found: dict[Row, tuple[set[int], Belief]] = {}
    for t in {*tuples}:
        weights: dict[int, Fraction] = {}
        shares: dict[int, Belief] = {}
        for number, inside in buckets.items():
            weight = Fraction(1)
            for group in groups:
                same = sum(all(row[p] == t[p] for p in group) for row in inside)
                weight *= Fraction(same, len(inside))
            if not weight:
                continue
            weights[number] = weight
            own = Counter(row[3] for row in inside if all(row[p] == t[p] for p in groups[-1]))
            shares[number] = {s: Fraction(n, own.total()) for s, n in own.items()}
        if weights:
            belief: dict[Any, Fraction] = {}
            for number, weight in weights.items():
                for value, share in shares[number].items():
                    part = weight / sum(weights.values()) * share
                    belief[value] = belief.get(value, Fraction(0)) + part
            found[t] = {*weights}, belief
    return found


def expected(
    attack: Attack, rows: Sequence[Row], groups: Sequence[Sequence[int]], tuples: Sequence[Row]
) -> dict[Row, tuple[int, int, Fraction]]:
    """By bucket and companions: rows, rows at risk, and the highest certainty."""
    table = Counter(row[4] for row in rows)
    disclosed: dict[Row, set[Any]] = {}
    highest: dict[Row, Fraction] = {}
    for t, (matching, belief) in beliefs(rows, groups, tuples).items():
        for value, (certainty, is_disclosed) in verdicts(attack, belief, table, TREE).items():
            for bucket in matching:
                at = (bucket, *(t[place] for place in groups[-1]))
                highest[at] = max(highest.get(at, Fraction(0)), certainty)
                disclosed.setdefault(at, set()).update({value} if is_disclosed else ())
    classes: dict[Row, Counter[Any]] = {}
    for row in rows:
        at = (row[0], *(row[1 + place] for place in groups[-1]))
        classes.setdefault(at, Counter())[row[4]] += 1
    return {
        at: (values.total(), sum(values[value] for value in disclosed[at]), highest[at])
        for at, values in classes.items()
    }


def relations_of(
    made: Bench, rows: Sequence[Row], groups: Sequence[Sequence[int]], persons: Sequence[Row] = ()
) -> AttackRelations:
    """What attacks on these rows read; without persons, there is no population."""
    tables = "select table_name from duckdb_tables() where database_name = 'sqlanon'"
    for (name,) in made.ask(tables):
        made.connection.execute(f'drop table sqlanon."{name}"')
    made.table("rows_", "bucket integer, a varchar, b varchar, c varchar, s varchar", rows)
    made.table("people", "a varchar, b varchar, c varchar, n bigint", [(*p, 1) for p in persons])
    counts = Counter(row[4] for row in rows)
    codes = {value: code for code, value in enumerate(counts)}
    coded = [(codes[value], value, n) for value, n in counts.items()]
    made.table("table_values", "value bigint, text varchar, row_count bigint", coded)
    labels = [(c, n, TREE[v][n]) for v, c in codes.items() for n in (0, 1, 2)]
    made.table("value_levels", "value bigint, level integer, label varchar", labels)
    companions = [COLUMNS[place] for place in groups[-1]]
    return AttackRelations(
        class_key=["bucket"],
        classes="",
        named_key=[("bucket", "bucket"), *((name, name) for name in companions)],
        table_values="sqlanon.table_values",
        value_levels="sqlanon.value_levels",
        attribute="s",
        rows="sqlanon.rows_",
        quasi_identifiers=[(name, name) for name in COLUMNS],
        column_groups=[*([COLUMNS[p] for p in group] for group in groups[:-1]), [*companions, "s"]],
        companions=companions,
        population="sqlanon.people" if persons else "",
        population_count="n",
    )


GROUPS = st.sampled_from(
    [[[0], [1], [2]], [[0, 1], [2]], [[1], [0, 2]], [[0, 1, 2]], [[2], [1], [0]]]
)
VALUES = st.sampled_from(["x", "y", None])
ROWS = st.lists(
    st.tuples(st.integers(1, 3), VALUES, VALUES, VALUES, st.sampled_from(list(TREE))),
    min_size=1,
    max_size=14,
)


@examples(100)
@given(attacks=st.tuples(*ON_VALUES.values()), rows=ROWS, groups=GROUPS, data=st.data())
def test_attacks_by_brute_force(
    made: Bench,
    attacks: tuple[BeliefAttack, ...],
    rows: list[Row],
    groups: list[list[int]],
    data: st.DataObject,
) -> None:
    """Buckets that overlap in any way; t of a population, or whatever the buckets represent."""
    persons: list[Row] = []
    tuples: list[Row] = []
    if data.draw(st.booleans(), label="population"):
        others = data.draw(st.lists(st.tuples(VALUES, VALUES, VALUES), max_size=5))
        tuples = persons = [row[1:4] for row in rows] + others
    for bucket in {row[0] for row in rows} if not persons else ():
        inside = [row[1:4] for row in rows if row[0] == bucket]
        for chosen in itertools.product(inside, repeat=len(groups)):
            values = {p: row[p] for row, g in zip(chosen, groups, strict=True) for p in g}
            tuples.append(tuple(values[place] for place in range(3)))
    relations = relations_of(made, rows, groups, persons)
    first, *rest = attacks
    outcome = made.attempt(first, relations)
    made_first = "sqlanon.attack_of_homogeneity_1_"
    found = replace(
        relations,
        class_key=("bucket", *relations.companions),
        classes=f"{made_first}classes",
        class_values=f"{made_first}class_values",
        beliefs=f"{made_first}beliefs",
    )
    for attack in rest:
        made.execute(Step(attack.title(relations), attack.sql(found)))
    columns = f"{', '.join(found.class_key)}, class_size, rows_at_risk, certainty, broken"
    for attack in attacks:
        answers = {
            row[:-4]: row[-4:]
            for row in made.ask(f"select {columns} from sqlanon.{attack.title(relations)}")
        }
        right = expected(attack, rows, groups, tuples)
        assert answers == {
            at: (size, at_risk, pytest.approx(float(certainty), abs=1e-9), at_risk > 0)
            for at, (size, at_risk, certainty) in right.items()
        }
        assert all(certainty <= 1 for *_, certainty, _ in answers.values())
        if attack is first:
            assert isinstance(outcome, Outcome)
            assert outcome.rows == len(rows)
            assert outcome.rows_at_risk == sum(at_risk for _, at_risk, _ in right.values())


def test_the_posterior_of_the_thesis() -> None:
    """Figure 3.9, Sara: (5371, 27) is in two buckets, and every salary has a probability of 1/3."""
    lines = (
        "1 5370 27 10000", "1 5371 27 15000", "1 5372 25 20000", "1 5373 26 10000",
        "2 5370 25 15000", "2 5371 25 10000", "2 5372 27 20000", "2 5373 26 15000",
    )  # fmt: skip
    rows = [(int(b), zip_, age, None, pay) for b, zip_, age, pay in map(str.split, lines)]
    ((buckets, belief),) = beliefs(rows, [[0], [1]], [("5371", "27", None)]).values()
    assert (buckets, {*belief.values()}) == ({1, 2}, {Fraction(1, 3)})


def test_a_published_table_by_definition(monkeypatch: pytest.MonkeyPatch) -> None:
    """Strict buckets: the shares of rows of a bucket that agree in the companion, age.

    A population that lacks members is reported; and that there are too many combinations for none.
    """
    zips = ("4780", "4781", "4790", "4791")
    source = [
        (21 + n % 6, zips[(n * n + n // 6) % 4], ("flu", "gout", "cold")[n % 3]) for n in range(24)
    ]
    write_csv("rows.csv", [("age", "zip", "disease"), *source])
    write_csv("zip.csv", [(z, f"{z[:3]}*", "*") for z in zips])
    place = {"role": "quasi-identifier", "hierarchy": "zip.csv"}
    columns = {"age": "quasi-identifier", "zip": place, "disease": "sensitive"}
    method = {"name": "slicing", "columns": [["zip"], ["age", "disease"]]}
    promises = [{"model": "k-anonymity", "k": 4}]
    plan = plan_of(columns, "rows.csv", privacy=promises, method=method, publish="open.csv")
    rows = [(r["bucket"], r["age"], str(r["disease"])) for r in sqlanon.run(plan).records()]
    shares: dict[Row, Counter[str]] = {}
    for bucket, age, disease in rows:
        shares.setdefault((bucket, age), Counter())[disease] += 1
    by_bucket = Counter(bucket for bucket, _ in {(bucket, disease) for bucket, _, disease in rows})
    assert min(by_bucket.values()) > 1, "buckets alone are no risk"

    def found(name: str, **inputs: Any) -> AttackFinding:
        return sqlanon.attack("open.csv", plan, attacks=[name], **inputs)[0]

    homogeneity = found("homogeneity", with_values=True)
    one_value = sum(c.total() for c in shares.values() if len(c) == 1)
    assert homogeneity.classes == len(shares)
    assert homogeneity.rows_at_risk == one_value > 0
    assert {*homogeneity.riskiest[0]} >= {"bucket", "age"}
    two_values = sum(c.total() for c in shares.values() if len(c) <= 2)
    assert found("background-knowledge").rows_at_risk == two_values
    table = Counter(disease for *_, disease in rows)
    gains = [n / c.total() / (table[s] / len(rows)) for c in shares.values() for s, n in c.items()]
    assert found("skewness").measured == {"largest_gain": pytest.approx(max(gains))}
    assert "permuted separately" in str(found("linkage").reason)
    weights = BackgroundKnowledge(knowledge="weights")
    assert "permuted separately" in str(
        sqlanon.attack("open.csv", plan, attacks=[weights])[0].reason
    )
    Path("some.csv").write_text("age,zip\n21,4780\n")
    lacking = found("homogeneity", population="some.csv")
    assert str(lacking.reason).startswith("the population lacks members: nobody fits")
    monkeypatch.setattr(sliced, "MOST_TUPLES", 3)
    reason = str(found("homogeneity").reason)
    assert reason.startswith("needs --population: buckets can represent ")
    assert found("homogeneity", population="rows.csv").rows_at_risk == one_value
