"""Membership: papers, all subsets of small populations, and the database beside Python."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

import sqlanon
from sqlanon.attacks.base import AttackRelations, Outcome
from sqlanon.attacks.membership import Membership as MembershipAttack
from sqlanon.errors import PlanError
from sqlanon.presence.counting import bounds, decisions
from sqlanon.presence.decisions import Decision, Limits, NoOutcomeError
from sqlanon.presence.membership import counted_presence, lacking, presence
from sqlanon.presence.persons import Presence
from tests.oracles.persons_relations import Bench
from tests.paths import TESTS
from tests.plan.plans import plan_of
from tests.presence.subsets import columns_of, outcomes
from tests.selection import examples
from tests.support.paper_figures import figure, project
from tests.support.risk_tables import asked

Person = tuple[str | None, ...]
Bucket = Sequence[Person]
"""The true rows of a bucket: one value of each column group."""

PAPERS = {
    file: yaml.safe_load((TESTS / f"paper_tables/membership/{file}.yml").read_text("utf-8"))
    for file in ("permuted", "generalized")
}


def named(table: dict[str, Any]) -> str:
    return str(table["name"])


UNCOUNTED = Limits(states=0, exchanges=5_000, steps=2_000)
"""As if every component were above the limit of states."""


def cells_of(
    persons: Sequence[Person], marginals: Sequence[Counter[Any]]
) -> tuple[list[tuple[list[Any], int]], dict[Any, int], list[Person]]:
    """Cells and counts as `decisions` takes them; the values of each cell."""
    counts = {(c, v): n for c, marginal in enumerate(marginals) for v, n in marginal.items()}
    found = Counter(p for p in persons if all((c, v) in counts for c, v in enumerate(p)))
    return [(list(enumerate(name)), n) for name, n in found.items()], counts, list(found)


def decided(
    persons: Sequence[Person], rows: Bucket, limits: Limits, *, known: bool = False
) -> dict[Person, Decision]:
    """What is decided of the persons of one bucket."""
    cells, counts, names = cells_of(persons, columns_of(rows))
    outcome = [Counter(rows)[name] for name in names] if known else None
    return dict(zip(names, decisions(cells, counts, known=outcome, limits=limits), strict=True))


@st.composite
def populations(draw: st.DrawFn) -> tuple[list[Person], list[Person]]:
    """Up to ten persons with one to three columns of few values, and those in the table."""
    width = draw(st.integers(1, 3))
    value = st.sampled_from(["a", "b", "c", None])
    persons = draw(st.lists(st.tuples(*[value] * width), min_size=1, max_size=10))
    inside = draw(st.lists(st.booleans(), min_size=len(persons), max_size=len(persons)))
    rows = [person for person, is_in in zip(persons, inside, strict=True) if is_in]
    return persons, rows or persons[:1]


def probabilities(persons: Sequence[Person], rows: Bucket) -> dict[Person, Fraction]:
    """The probability of each kind of person, from all subsets."""
    found = outcomes(persons, columns_of(rows))
    members = Counter(number for chosen in found for number in chosen)
    return {person: Fraction(members[n], len(found)) for n, person in enumerate(persons)}


@given(populations())
@examples(400)
def test_counting_is_all_subsets(tables: tuple[list[Person], list[Person]]) -> None:
    """As is what is searched for where nothing is counted, also with the outcome that is known."""
    persons, rows = tables
    expected = probabilities(persons, rows)
    found = decided(persons, rows, Limits())
    assert {person: decision.lower for person, decision in found.items()} == {
        person: expected[person] for person in found
    }
    assert all(decision.is_exact for decision in found.values())
    assert all(expected[person] == 0 for person in expected.keys() - found.keys())
    for known in (False, True):
        for person, decision in decided(persons, rows, UNCOUNTED, known=known).items():
            assert decision.lower <= expected[person] <= decision.upper
            assert not decision.below_one or expected[person] < 1
            assert not decision.above_zero or expected[person] > 0
            assert decision.is_decided, "so few persons leave nothing open"
            assert (expected[person] == 1) == decision.is_sure_in
            assert (expected[person] == 0) == decision.is_sure_out


def test_estimates_come_near_the_count() -> None:
    """Of forty persons with three columns, fifteen of them in the table."""
    inside = total = 0
    for seed in range(4):
        drawn = random.Random(seed)
        persons: list[Person] = [
            tuple(drawn.choice("abcd"[: 2 + column]) for column in range(3)) for _ in range(40)
        ]
        rows = drawn.sample(persons, 15)
        exact = decided(persons, rows, Limits())
        assert all(decision.is_exact for decision in exact.values())
        estimated = decided(persons, rows, Limits(states=0, steps=20_000))
        for person, decision in estimated.items():
            if (estimate := decision.estimate) is not None and not decision.is_exact:
                total += 1
                inside += estimate.low <= exact[person].lower <= estimate.high
                assert 0 <= estimate.low <= estimate.mean <= estimate.high <= 1
                assert estimate.mean == pytest.approx(float(exact[person].lower), abs=0.1)
        limits = Limits(states=0, steps=2_000)
        assert decided(persons, rows, limits) == decided(persons, rows, limits), "the same seed"
        bare = decided(persons, rows, Limits(states=0, exchanges=0, steps=0)).values()
        assert {(d.basis in ("propagation", "estimate"), d.estimate) for d in bare} == {
            (True, None)
        }
        assert not all(decision.is_decided for decision in bare)
    assert total > 60
    assert inside >= 0.95 * total, "99 % intervals"


def odd_cycle() -> tuple[list[tuple[list[Any], int]], dict[Any, int]]:
    """Three columns of two values, each published once; every two persons agree in one column.

    Propagation finds nothing wrong with that: of each value there are two persons, one is needed.
    """
    persons = ["000", "011", "101", "110"]
    cells = [([(c, value) for c, value in enumerate(person)], 1) for person in persons]
    return cells, {(c, value): 1 for c in range(3) for value in "01"}


@pytest.mark.parametrize("limits", [Limits(), UNCOUNTED])
def test_no_outcome(limits: Limits) -> None:
    # every value has persons enough, but the only one of 'a' is of 'y', and so is that of 'b'
    cells = [([(0, "a"), (1, "y")], 1), ([(0, "b"), (1, "y")], 1), ([(0, "c"), (1, "x")], 1)]
    counts: dict[Any, int] = {(0, "a"): 1, (0, "b"): 1, (0, "c"): 0, (1, "x"): 1, (1, "y"): 1}
    assert bounds(*odd_cycle()) == [(0, 1)] * 4
    for case in ((cells, counts), odd_cycle()):
        with pytest.raises(NoOutcomeError):
            decisions(*case, limits=limits)
    two = [([(0, "a")], 2), ([(0, "b")], 2)]
    for known in ([2, 0], [1, 0], [-1, 1]):
        with pytest.raises(NoOutcomeError):
            decisions(two, {(0, "a"): 1, (0, "b"): 1}, known=known, limits=limits)
    with pytest.raises(ValueError, match="without a count"):
        decisions(two, {(0, "a"): 1}, limits=limits)


def persons_of(table: dict[str, Any]) -> dict[str, tuple[str, ...]]:
    """The persons of a figure, by name, with their columns that are permuted."""
    persons = figure(table["persons"]).persons()
    values = project(persons, *(name for name in persons[0] if name != "name"))
    names = [person.get("name", " ".join(own)) for person, own in zip(persons, values, strict=True)]
    return dict(zip(names, values, strict=True))


def published_of(table: dict[str, Any], name: str) -> Bucket:
    """The rows of a figure, or of one of its buckets, with the columns that persons have."""
    names = [n for n in figure(table["persons"]).persons()[0] if n != "name"]
    bucket = str(table.get("bucket", ""))
    rows = figure(name).table()
    return project([row for row in rows if row.get("bucket", "") == bucket or not bucket], *names)


@pytest.mark.parametrize("table", PAPERS["permuted"]["tables"], ids=named)
def test_permuted_papers(table: dict[str, Any]) -> None:
    persons = persons_of(table)
    everybody: list[Person] = list(persons.values())
    expected = {name: Fraction(value) for name, value in table["probabilities"].items()}
    published = published_of(table, table["published"])
    assert len(outcomes(everybody, columns_of(published))) == table["outcomes"]
    assert persons.keys() == expected.keys()
    for limits in (Limits(), UNCOUNTED):
        found = decided(everybody, published, limits)
        for name, person in persons.items():
            decision = found[person]
            assert decision.is_sure_in == (expected[name] == 1)
            assert decision.is_sure_out == (expected[name] == 0)
            assert decision.lower <= expected[name] <= decision.upper
            assert decision.lower == decision.upper or limits is UNCOUNTED
    chances = list(expected.values())
    for dmax in map(Decimal, ("0.5", "0.79", "0.8", "1")):
        outcome = tried(everybody, [published], MembershipAttack(dmax=dmax))
        above = sum(value > Fraction(dmax) for value in chances)
        assert outcome.rows == len(published) == sum(chances)
        assert outcome.rows_at_risk == min(above, len(published))
        assert (outcome.classes, outcome.classes_at_risk) == (1, above > 0)
        assert outcome.certainty == float(max(chances))
        sure = (outcome.measured["persons_in"], outcome.measured["persons_out"])
        assert sure == (chances.count(Fraction(1)), chances.count(Fraction(0)))
        assert outcome.measured["persons_counted"] == len(persons)


@pytest.mark.parametrize("table", PAPERS["generalized"]["tables"], ids=named)
def test_generalized_papers(table: dict[str, Any]) -> None:
    columns = "zip varchar, age varchar, class_size bigint, population_size bigint"
    classes = [[*row["key"], row["rows"], row["population"]] for row in table["classes"]]
    made = fresh()
    made.table("classes", columns, classes)
    for case in table["cases"]:
        attack = MembershipAttack(dmin=Decimal(str(case["dmin"])), dmax=Decimal(str(case["dmax"])))
        sql = attack.sql(AttackRelations(class_key=["zip", "age"], classes="sqlanon.classes"))
        found = made.ask(
            "select certainty, broken, rows_at_risk, persons_at_risk"
            f" from ({sql}) as attacked order by zip, age"
        )
        assert found == [
            (pytest.approx(float(Fraction(row["probability"]))), broken,
             row["rows"] * broken, row["population"] * broken)
            for row, broken in zip(table["classes"], case["broken"], strict=True)
        ]  # fmt: skip


@pytest.mark.parametrize("table", PAPERS["permuted"]["together"], ids=named)
def test_papers_with_buckets_that_persons_share(table: dict[str, Any]) -> None:
    persons = persons_of(table)
    expected = [Fraction(table["probabilities"][name]) for name in persons]
    buckets = [published_of(table, name) for name in table["buckets"]]
    everybody: list[Person] = list(persons.values())
    ways = [set(itertools.chain(*way)) for way in dealt(everybody, buckets)]
    assert len(ways) == table["outcomes"]
    assert expected == [
        Fraction(sum(n in way for way in ways), len(ways)) for n in range(len(persons))
    ]
    found, _ = attacked(everybody, buckets)
    assert found.sure_in <= expected.count(Fraction(1))
    assert found.sure_out <= expected.count(Fraction(0))


def fresh() -> Bench:
    connection = duckdb.connect(config={"threads": 1})
    connection.execute("attach ':memory:' as sqlanon")
    return Bench(connection)


def connected(persons: Sequence[Person], buckets: Sequence[Bucket]) -> duckdb.DuckDBPyConnection:
    """A database with the published rows, their columns permuted, and the population."""
    made = fresh()
    columns = ", ".join(f"c{number} varchar" for number in range(len(persons[0])))
    drawn = random.Random(0)
    published = []
    for number, rows in enumerate(buckets, start=1):
        permuted = [drawn.sample(column, len(rows)) for column in zip(*rows, strict=True)]
        published += [[*row, number] for row in zip(*permuted, strict=True)]
    made.table("published_rows", f"{columns}, bucket integer", published)
    counted = [[*person, count] for person, count in Counter(persons).items()]
    made.table("population_combinations", f"{columns}, population_count bigint", counted)
    names = "attribute varchar, value varchar, level integer, label varchar"
    levels = [("c0", z, n, (z, "537*")[n]) for z in ("5370", "5371") for n in (0, 1)]
    made.table("hierarchy_levels", names, levels)
    return made.connection


def attacked(
    persons: Sequence[Person], buckets: Sequence[Bucket], **options: Any
) -> tuple[Presence, duckdb.DuckDBPyConnection]:
    connection = connected(persons, buckets)
    groups = [[f"c{number}"] for number in range(len(persons[0]))]
    return asked(connection, presence(groups, **options)), connection


def fake_share(persons: Sequence[Person], buckets: Sequence[Bucket]) -> Fraction:
    """Every row that a bucket stands for, one by one."""
    fake = total = Fraction(0)
    for rows in buckets:
        for row in itertools.product(*zip(*rows, strict=True)):
            share = Fraction(1, len(rows) ** (len(row) - 1))
            total += share
            fake += share if row not in persons else 0
    return fake / total


@given(st.lists(populations(), min_size=1, max_size=3))
@example([([*map(tuple, ("bcb", "aab", "aab", "aac"))], [*map(tuple, ("bcb", "aab", "aac"))])])
@examples(25)
def test_buckets_in_the_database(tables: list[tuple[list[Person], list[Person]]]) -> None:
    """The first column tells the buckets apart, as a partition does."""
    width = min(len(persons[0]) for persons, _ in tables)
    everybody: list[Person] = []
    buckets: list[list[Person]] = []
    expected: list[Fraction] = []
    for number, (persons, rows) in enumerate(tables):
        named: list[Person] = [(f"{number}{p[0]}", *p[1:width]) for p in persons]
        buckets.append([(f"{number}{p[0]}", *p[1:width]) for p in rows])
        everybody += named
        shares = probabilities(named, buckets[-1])
        expected += [shares[person] for person in named]
    found, connection = attacked(everybody, buckets)
    assert (found.rows, found.persons) == (sum(map(len, buckets)), len(everybody))
    assert (found.most_buckets, found.lower_bound_persons) == (1, 0)
    assert found.exact_share == 1
    assert set(found.expected_rows) == {found.rows}
    cells_found = [c.decision.lower for c in found.cells for _ in range(c.persons)]
    assert sorted(cells_found + [Fraction(0)] * found.unmatched_persons) == sorted(expected)
    assert found.fake_share == pytest.approx(float(fake_share(everybody, buckets)), abs=1e-12)
    if len(buckets) == 1:  # the bounds of the database are those of Python
        cells, counts, _ = cells_of(everybody, columns_of(buckets[0]))
        last = connection.execute(
            "select table_name from duckdb_tables() where table_name like 'membership_bounds_%'"
            " order by cast(regexp_extract(table_name, '[0-9]+') as integer) desc limit 1"
        ).fetchall()[0][0]
        in_sql = connection.execute(f"select lowest, highest from sqlanon.{last}").fetchall()
        assert sorted(in_sql) == sorted(bounds(cells, counts))


@given(populations(), st.integers(2, 3), st.randoms(use_true_random=False))
@examples(15)
def test_overlapping_buckets(
    tables: tuple[list[Person], list[Person]], count: int, drawn: random.Random
) -> None:
    """What is certain in united buckets is certain for who keeps the buckets apart."""
    persons, rows = tables
    buckets: list[list[Person]] = [[] for _ in range(count)]
    for row in rows:
        drawn.choice(buckets).append(row)
    buckets = [bucket for bucket in buckets if bucket]
    found, _ = attacked(persons, buckets)
    apart = [set(itertools.chain(*chosen)) for chosen in dealt(persons, buckets)]
    assert apart, "the table itself is an outcome"
    sure = sum(all(n in outcome for outcome in apart) for n in range(len(persons)))
    never = sum(all(n not in outcome for outcome in apart) for n in range(len(persons)))
    assert found.sure_in <= sure
    assert found.sure_out <= never
    assert sure <= found.sure_in + found.perhaps_sure_in
    if len(persons[0]) == 1:  # the counts of a value in two buckets add up to its count
        assert found.lower_bound_persons == 0
        assert (found.sure_in, found.sure_out) == (sure, never)
    assert found.expected_rows[0] <= len(rows) <= found.expected_rows[1]
    matching = [
        sum(
            all(value in column for value, column in zip(p, columns_of(b), strict=True))
            for b in buckets
        )
        for p in persons
    ]
    assert found.most_buckets == max(matching)
    some = [n for n in matching if n]
    assert found.mean_buckets == pytest.approx(sum(some) / len(some))


def dealt(persons: Sequence[Person], buckets: Sequence[Bucket]) -> list[list[set[int]]]:
    """Every way to fill each bucket with persons of its values, nobody in two."""
    ways: list[list[set[int]]] = [[]]
    for rows in buckets:
        chosen = [set(each) for each in outcomes(persons, columns_of(rows))]
        ways = [[*way, c] for way in ways for c in chosen if not any(c & other for other in way)]
    return ways


@pytest.mark.parametrize(("groups", "sure"), [([["c0", "c1"]], 2), ([["c0"], ["c1"]], 0)])
def test_columns_that_keep_together(groups: list[list[str]], sure: int) -> None:
    """Two rows of four persons are known, or every one of the four may be in."""
    persons: list[Person] = [*itertools.product("ab", "xy")]
    found = asked(connected(persons, [[("a", "x"), ("b", "y")]]), presence(groups))
    assert (found.sure_in, found.sure_out) == (sure, sure)


def test_labels_of_a_hierarchy() -> None:
    """CPH figures 2.1 and 2.2: 5/6 at age 25 and 3/4 at 27, with zip as 537* and one group.

    Of buckets with 537* and with 5370, somebody of 5370 may be in either, so the two are united.
    """
    persons: Sequence[Person] = [("5370", "25")] * 6 + [("5371", "27")] * 4
    rows: Sequence[Person] = [("537*", "25")] * 5 + [("537*", "27")] * 3
    found, _ = attacked(persons, [rows], generalized=["c0"])
    cells = sorted((cell.persons, cell.decision.lower) for cell in found.cells)
    assert cells == [(4, Fraction(3, 4)), (6, Fraction(5, 6))]
    assert set(found.expected_rows) == {8}
    alone: list[Person] = [("5370",), ("5370",), ("5371",)]
    found, _ = attacked(alone, [[("537*",)], [("5370",)]], generalized=["c0"])
    assert found.lower_bound_persons == 3, "two of different labels are less than is published"
    assert (found.sure_in, found.sure_out) == (0, 0)
    assert found.persons_outside(Fraction(0), Fraction(9, 10)) == (0, 3)
    assert found.most_buckets == 2


@pytest.mark.parametrize(
    ("persons", "rows"),
    [
        ([("a", "x"), ("a", "y")], [("b", "x")]),  # nobody has the value
        ([("a", "x"), ("b", "y")], [("a", "x"), ("a", "x")]),  # fewer candidates than rows
        ([("a", "x"), ("b", "x")], [("a", "y")]),  # nobody matches at all
    ],
)
def test_a_population_that_lacks_members(persons: list[Person], rows: list[Person]) -> None:
    with pytest.raises(PlanError, match="lacks members") as caught:
        attacked(persons, [rows], where="--population")
    assert str(caught.value) == str(lacking("--population"))
    cells, counts = odd_cycle()  # only a search shows it
    coded = [[1, *(int(value) for _, value in values), count] for values, count in cells]
    marginals = [(1, group + 1, int(value), n) for (group, value), n in counts.items()]
    with pytest.raises(PlanError, match="lacks members"):
        counted_presence(coded, marginals)


def of_permuted(**keys: Any) -> AttackRelations:
    return AttackRelations(
        class_key=["bucket"],
        classes="",
        rows="sqlanon.published_rows",
        quasi_identifiers=[("c0", "c0"), ("c1", "c1")],
        population="sqlanon.population_combinations",
        population_count="population_count",
        **{"column_groups": [["c0"], ["c1", "other"]], **keys},
    )


def tried(
    persons: Sequence[Person], buckets: Sequence[Bucket], attack: MembershipAttack, **keys: Any
) -> Outcome:
    relations = of_permuted(**keys)
    assert attack.missing(relations) is None
    found = asked(connected(persons, buckets), attack.attempt(relations))
    assert isinstance(found, Outcome)
    return found


def test_attack_on_overlapping_buckets_says_so() -> None:
    persons: list[Person] = [("a", "x"), ("a", "y"), ("b", "x"), ("b", "y"), ("a", "x")]
    buckets: list[list[Person]] = [[("a", "x"), ("b", "y")], [("a", "y"), ("b", "x")]]
    found = tried(persons, buckets, MembershipAttack())
    assert any("an attacker may know more" in note for note in found.notes)
    # both of 'b' and both of 'y' are in; one of the two others is
    assert (found.measured["persons_in"], found.measured["persons_perhaps_in"]) == (3, 2)
    assert found.rows_at_risk == 3
    assert found.rows_not_safe == 4, "of the other two nobody is certainly safe"
    risks = ("persons_at_risk", "persons_possibly_at_risk", "persons_unknown")
    assert [found.measured[name] for name in risks] == [3, 0, 2]


@pytest.mark.parametrize("method", ["optimal", "mondrian", "bucketization"])
def test_persons_in_no_class_are_known_to_be_out(method: str) -> None:
    """Two of three of a and of b are in the table, with 2/3, and none of the ten c."""
    lines = ["place,ill,bucket", "a,flu,1", "a,gout,1", "b,flu,1", "b,gout,1"]
    if method != "bucketization":
        lines = [line.rpartition(",")[0] for line in lines]
    Path("open.csv").write_text("\n".join(lines) + "\n")
    Path("all.csv").write_text("\n".join(["place", *"aaabbbcccccccccc"]) + "\n")
    Path("places.csv").write_text("a,*\nb,*\nc,*\n")
    place: Any = {"role": "quasi-identifier", "hierarchy": "places.csv"}
    diverse = [{"model": "l-diversity", "l": 2, "attribute": "ill"}]
    plan = plan_of({"place": place, "ill": "sensitive"}, privacy=diverse, method=method)
    cases = [(0, 0.9, 0, 0), (0.3, 0.9, 4, 10), (0.3, 0.6, 4, 16), (0, 0.6, 4, 6)]
    attacks = [
        {"name": "membership", "dmin": dmin, "dmax": dmax, "at_most": 0.5}
        for dmin, dmax, _, _ in cases
    ]
    found = sqlanon.attack("open.csv", plan, population="all.csv", attacks=attacks)
    for one, (_, _, rows, persons) in zip(found, cases, strict=True):
        assert one.tried, one.reason
        assert (one.rows, one.rows_at_risk, one.succeeds) == (4, rows, rows > 2)
        assert one.certainty == pytest.approx(2 / 3)
        measured = one.measured or {}
        assert (measured["persons"], measured["persons_counted"]) == (16, 16)
        assert (measured["persons_in"], measured["persons_out"]) == (0, 10)
        risks = ("persons_at_risk", "persons_possibly_at_risk", "persons_unknown")
        assert [measured[name] for name in risks] == [persons, 0, 0]


def test_rows_at_risk_are_at_most_those_of_the_bucket() -> None:
    """One of three persons is in the first bucket: three are at risk, and one row."""
    one, other = ("a", "x"), ("b", "y")
    persons: list[Person] = [one, one, one, other, other, other]
    buckets: list[list[Person]] = [[one], [other, other]]
    attack = MembershipAttack(dmin=Decimal("0.5"), dmax=Decimal("0.9"))
    found = tried(persons, buckets, attack, list_classes=2)
    assert (found.rows, found.rows_at_risk, found.measured["persons_at_risk"]) == (3, 1, 3)
    assert [dict(entry) for entry in found.riskiest] == [
        {"class_size": 1, "rows_at_risk": 1, "certainty": 1 / 3, "persons_at_risk": 3}
    ]


def test_when_the_attack_cannot_be_tried() -> None:
    assert "columns" in str(MembershipAttack().missing(of_permuted(column_groups=[])))
    with pytest.raises(PlanError, match="dmin"):
        MembershipAttack(dmin=Decimal("0.5"), dmax=Decimal("0.4"))
