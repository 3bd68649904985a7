"""Every privacy model's SQL against a few lines of Python: on random tables and at the edges."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import duckdb
import pytest
from class_relations import (
    RANDOM_MODELS,
    Class,
    Tables,
    Tree,
    Value,
    ask,
    judge,
    quiet_connection,
)
from conftest import example_count
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sqlanon.privacy_models import PRIVACY_MODELS
from sqlanon.privacy_models.average_risk import AverageRisk
from sqlanon.privacy_models.base import PrivacyModel
from sqlanon.privacy_models.delta_presence import DeltaPresence
from sqlanon.privacy_models.journalist_risk import JournalistRisk
from sqlanon.privacy_models.k_e_anonymity import KEAnonymity
from sqlanon.privacy_models.l_diversity import LDiversity
from sqlanon.privacy_models.marketer_risk import MarketerRisk
from sqlanon.privacy_models.prosecutor_risk import ProsecutorRisk
from sqlanon.privacy_models.t_closeness import TCloseness

Shares = Mapping[Value, Fraction]
Verdict = tuple[Any, bool]
"""The measure (an Ellipsis where it has no meaning), and whether the class is satisfied."""

NEAR = 1e-9


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with quiet_connection() as opened:
        yield opened


# --- the models in a few lines of Python each: a class, the shares of the table, a hierarchy


def shares(values: Sequence[Value]) -> dict[Value, Fraction]:
    return {value: Fraction(n, len(values)) for value, n in Counter(values).items()}


def number(value: Value) -> Fraction | None:
    try:
        return Fraction(value or "x")
    except ValueError:
        return None


def k_anonymity(model: Any, c: Class, q: Shares, tree: Tree) -> Verdict:
    return c.size, c.size >= model.k


def k_map(model: Any, c: Class, q: Shares, tree: Tree) -> Verdict:
    return c.population_size, c.population_size >= model.k


def alpha_k_anonymity(model: Any, c: Class, q: Shares, tree: Tree) -> Verdict:
    p = shares(c.values)
    largest = max([p[s] for s in p if not model.values or s in model.values], default=Fraction(0))
    return largest, c.size >= model.k and largest <= Fraction(model.alpha)


def distinct_diversity(model: Any, c: Class, q: Shares, tree: Tree) -> Verdict:
    return len(set(c.values)), len(set(c.values)) >= model.l


def entropy_diversity(model: Any, c: Class, q: Shares, tree: Tree) -> Verdict:
    entropy = -sum(p * math.log(p) for p in shares(c.values).values())
    return math.exp(entropy), entropy >= math.log(model.l) - NEAR


def frequency_diversity(model: Any, c: Class, q: Shares, tree: Tree) -> Verdict:
    largest = max(shares(c.values).values())
    return 1 / largest, largest <= 1 / Fraction(model.l)


def recursive_diversity(model: Any, c: Class, q: Shares, tree: Tree) -> Verdict:
    """As the paper has it, by the rank y of the most frequent value that is not harmless."""
    counts = Counter(c.values)
    kept = all(counts[s] >= Fraction(model.c2) * len(c.values) for s in model.never_excluded)
    if model.l == 1:
        return ..., kept
    ranked = counts.most_common()
    r = [0, *(n for _, n in ranked)]
    y = next((i for i, (s, _) in enumerate(ranked, 1) if s not in model.harmless), 0)
    l = int(model.l)  # noqa: E741
    if not y:
        return None, kept
    rarer = sum(r[l:]) if y <= l - 1 else sum(r[l - 1 : y]) + sum(r[y + 1 :])
    return rarer / r[y], kept and r[y] < Fraction(model.c) * rarer


def t_closeness(model: Any, c: Class, q: Shares, tree: Tree) -> Verdict:
    distances = {"equal": equal, "ordered": ordered, "hierarchical": hierarchical}
    p = shares(c.values)
    extra = {value: p.get(value, Fraction(0)) - q[value] for value in q}
    distance = distances[model.distance](extra, tree)
    return distance, distance <= Fraction(model.t)


def equal(extra: Shares, tree: Tree) -> Fraction:
    return sum((abs(x) for x in extra.values()), Fraction(0)) / 2


def ordered(extra: Shares, tree: Tree) -> Fraction:
    def place(value: Value) -> tuple[bool, Fraction, bool, str]:
        return number(value) is None, number(value) or Fraction(0), value is None, value or ""

    in_order = [extra[value] for value in sorted(extra, key=place)]
    moved = [abs(sum(in_order[: i + 1], Fraction(0))) for i in range(len(in_order))]
    return sum(moved, Fraction(0)) / max(len(moved) - 1, 1)


def hierarchical(extra: Shares, tree: Tree) -> Fraction:
    """As the paper has it: from the leaves up, each node levels what its children can exchange."""
    top = len(next(iter(tree.values()))) - 1
    below = {tree[value]: amount for value, amount in extra.items()}
    total = Fraction(0)
    for height in range(1, top + 1):
        children: dict[tuple[Value, ...], list[Fraction]] = {}
        for path, amount in below.items():
            children.setdefault(path[1:], []).append(amount)
        for amounts in children.values():
            plus = sum((x for x in amounts if x > 0), Fraction(0))
            minus = sum((-x for x in amounts if x < 0), Fraction(0))
            total += Fraction(height, top) * min(plus, minus)
        below = {path: sum(amounts, Fraction(0)) for path, amounts in children.items()}
    return total


def delta_presence(model: Any, c: Class, q: Shares, tree: Tree) -> Verdict:
    presence = Fraction(c.size, c.population_size)
    return presence, Fraction(model.dmin) <= presence <= Fraction(model.dmax)


def delta_disclosure(model: Any, c: Class, q: Shares, tree: Tree) -> Verdict:
    p = shares(c.values)
    if model.absent == "violation" and p.keys() != q.keys():
        return math.inf, False
    changes = [max(p[s] / q[s], q[s] / p[s]) for s in p]
    squared = 2 ** int(2 * model.delta)  # deltas here are halves
    return math.log2(max(changes)), all(change**2 < squared for change in changes)


def beta_likeness(model: Any, c: Class, q: Shares, tree: Tree) -> Verdict:
    gains = {s: p / q[s] - 1 for s, p in shares(c.values).items() if p > q[s]}
    allowed = dict.fromkeys(gains, float(model.beta))
    if model.kind == "enhanced":
        allowed = {s: min(allowed[s], -math.log(q[s])) for s in gains}
    return max(gains.values(), default=0), all(gains[s] <= allowed[s] + NEAR for s in gains)


def k_e_anonymity(model: Any, c: Class, q: Shares, tree: Tree) -> Verdict:
    numbers = {n for value in c.values if (n := number(value)) is not None}
    spread = max(numbers) - min(numbers) if numbers else Fraction(0)
    return spread, len(numbers) >= model.k and spread >= Fraction(model.e)


def risk(model: Any, c: Class, q: Shares, tree: Tree) -> Verdict:
    highest = 1 / Fraction(c.population_size if model.needs_population else c.size)
    return highest, highest <= Fraction(model.threshold)


OF_A_CLASS: dict[str, Callable[[Any, Class, Shares, Tree], Verdict]] = {
    "k-anonymity": k_anonymity,
    "k-map": k_map,
    "alpha-k-anonymity": alpha_k_anonymity,
    "distinct": distinct_diversity,
    "entropy": entropy_diversity,
    "frequency": frequency_diversity,
    "recursive": recursive_diversity,
    "t-closeness": t_closeness,
    "delta-presence": delta_presence,
    "delta-disclosure": delta_disclosure,
    "beta-likeness": beta_likeness,
    "k-e-anonymity": k_e_anonymity,
    "prosecutor-risk": risk,
    "journalist-risk": risk,
}


def whole_table(model: Any, keyed: Mapping[tuple[str, Value], Class]) -> list[Verdict]:
    """Models of all classes together: the smallest classes fail first, until the rest holds.

    Of equal ones, the last by key; a missing key is the last of all.
    """

    def size(c: Class) -> int:
        return c.population_size if model.needs_population else c.size

    def measure(kept: Sequence[Class]) -> Fraction:
        rows = sum(c.size for c in kept)
        if hasattr(model, "share"):
            high = [c.size for c in kept if Fraction(1, size(c)) > Fraction(model.threshold)]
            return Fraction(sum(high), rows)
        return sum((Fraction(c.size, size(c)) for c in kept), Fraction(0)) / rows

    limit = Fraction(model.share if hasattr(model, "share") else model.threshold)
    order = sorted(keyed, key=lambda key: (-size(keyed[key]), key[1] is None, key[1] or ""))
    kept = list(order)
    while kept and measure([keyed[key] for key in kept]) > limit:
        kept.pop()
    found = {
        key: (measure([keyed[other] for other in order[: place + 1]]), key in kept)
        for place, key in enumerate(order)
    }
    return [found[key] for key in keyed]


def expected(model: PrivacyModel, tables: Tables) -> dict[tuple[str, Value], Verdict]:
    """What the oracle says of every class."""
    found: dict[tuple[str, Value], Verdict] = {}
    for node in {key[0] for key in tables.classes}:
        classes = {key: c for key, c in tables.classes.items() if key[0] == node}
        if model.judges_whole_table:
            found |= dict(zip(classes, whole_table(model, classes), strict=True))
            continue
        name = model.kind if isinstance(model, LDiversity) else model.model
        q = shares(tables.table(node))
        for key, c in classes.items():
            found[key] = OF_A_CLASS[name](model, c, q, tables.tree)
    return found


# --- random tables

VALUES = st.sampled_from(["1", "2", "3.5", "10", "0.1", "0.3", "x", None])
ALPHABETS = st.lists(VALUES, min_size=1, max_size=5, unique=True)


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    """A hierarchy of height 3 over all values; a missing value may have labels or none."""
    values: list[Value] = ["1", "2", "3.5", "10", "0.1", "0.3", "x", None]
    groups = [f"g{draw(st.integers(0, 4))}" for _ in values]
    above = {group: f"h{draw(st.integers(0, 2))}" for group in sorted(set(groups))}
    tree: dict[Value, tuple[Value, ...]] = {
        value: (value, group, above[group], "*")
        for value, group in zip(values, groups, strict=True)
    }
    if draw(st.booleans()):
        tree[None] = (None, None, None, "*")
    return tree


@st.composite
def random_classes(draw: st.DrawFn, alphabet: Sequence[Value]) -> Class:
    values = draw(st.lists(st.sampled_from(alphabet), min_size=1, max_size=9))
    persons = draw(st.one_of(st.none(), st.integers(1, len(values))))
    return Class(tuple(values), (persons or len(values)) + draw(st.integers(0, 6)), persons)


@st.composite
def random_tables(draw: st.DrawFn) -> Tables:
    """Two publications of up to four classes each; maybe none, maybe rows that are in no class."""
    alphabet = draw(ALPHABETS)
    keys = st.tuples(st.sampled_from("pq"), st.sampled_from(["a", "b", "c", None]))
    return Tables(
        draw(st.dictionaries(keys, random_classes(alphabet))),
        suppressed=draw(st.lists(VALUES, max_size=5)),
        tree=draw(trees()),
        scoped=draw(st.booleans()),
    )


EXAMPLES = settings(
    max_examples=example_count(40),
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)


def same(measure: Any, other: Any) -> bool:
    """Whether two measures agree; an Ellipsis agrees with everything."""
    if other is ... or measure is None or other is None:
        return other is ... or measure is other
    return bool(float(measure) == pytest.approx(float(other), abs=NEAR))


@pytest.mark.parametrize("name", RANDOM_MODELS)
def test_sql_agrees_with_python(name: str, connection: duckdb.DuckDBPyConnection) -> None:
    @EXAMPLES
    @given(RANDOM_MODELS[name], random_tables())
    def agrees(model: PrivacyModel, tables: Tables) -> None:
        told = expected(model, tables)
        for key, judged in judge(connection, model, tables).items():
            measure, satisfied = told[key]
            assert judged.satisfied is satisfied, (key, tables.classes[key], judged)
            assert same(judged.measure, measure), (key, judged.measure, measure)

    agrees()


def test_every_model_is_compared() -> None:
    assert {name.split()[0] for name in RANDOM_MODELS} == {
        model.model_fields["model"].default for model in PRIVACY_MODELS
    }


@pytest.mark.parametrize("name", RANDOM_MODELS)
def test_no_classes_give_no_rows(name: str, connection: duckdb.DuckDBPyConnection) -> None:
    @settings(EXAMPLES, max_examples=3)
    @given(RANDOM_MODELS[name], st.sampled_from([(), ("1", None)]))
    def gives_none(model: PrivacyModel, suppressed: tuple[Value, ...]) -> None:
        empty = Tables({}, suppressed)
        assert judge(connection, model, empty, excess=model.bounds_excess) == {}

    gives_none()


# --- edges


@pytest.mark.parametrize("size", range(2, 40))
@pytest.mark.parametrize("copies", [1, 3])
def test_uniform_classes_have_their_full_entropy(
    size: int, copies: int, connection: duckdb.DuckDBPyConnection
) -> None:
    """Other tools are one too low for most of these sizes."""
    tables = Tables({("p", "a"): Class(tuple(f"v{n}" for n in range(size)) * copies)})
    for l, holds in (  # noqa: E741
        (Decimal(size), True), (Decimal(size) + Decimal("0.001"), False),
        (Decimal(size) - Decimal("0.001"), True),
    ):  # fmt: skip
        model = LDiversity(kind="entropy", l=l, attribute="s")
        judged = judge(connection, model, tables)[("p", "a")]
        assert judged.satisfied is holds, l
        assert judged.measure == pytest.approx(size)


@pytest.mark.parametrize(
    "model",
    [
        DeltaPresence(dmin=Decimal(0), dmax=Decimal(1)),
        JournalistRisk(threshold=Decimal(1)),
        JournalistRisk(threshold=Decimal("0.5"), share=Decimal("0.1")),
        MarketerRisk(threshold=Decimal(1)),
    ],
)
def test_a_class_that_the_population_lacks_fails(
    model: PrivacyModel, connection: duckdb.DuckDBPyConnection
) -> None:
    """Its share is infinite; the verdict is still no null."""
    tables = Tables({("p", "a"): Class(("1", "2"), population=0), ("p", "b"): Class(("1",) * 9, 9)})
    judged = judge(connection, model, tables)
    assert judged[("p", "a")].satisfied is False
    assert judged[("p", "b")].satisfied is True


@pytest.mark.parametrize(
    ("numbers", "e"),
    [(("0.1", "0.3"), "0.2"), (("0.7", "0.8"), "0.1"), (("1.1", "3.3"), "2.2"), (("3", "7"), "4")],
)
def test_a_range_at_its_bound_is_enough(
    numbers: tuple[str, ...], e: str, connection: duckdb.DuckDBPyConnection
) -> None:
    tables = Tables({("p", "a"): Class(numbers)})
    for bound, holds in ((Decimal(e), True), (Decimal(e) + Decimal("0.0001"), False)):
        model = KEAnonymity(k=2, e=bound, attribute="s")
        assert judge(connection, model, tables)[("p", "a")].satisfied is holds


@pytest.mark.parametrize("model", [ProsecutorRisk, JournalistRisk, AverageRisk, MarketerRisk])
def test_a_threshold_of_a_third_is_met_by_a_risk_of_a_third(
    model: Any, connection: duckdb.DuckDBPyConnection
) -> None:
    """A plan's decimals cannot write 1/3; 0.333333333 is below it, and 0.333333334 above."""
    tables = Tables({("p", "a"): Class(("1",) * 3), ("p", "b"): Class(("1",) * 3)})
    for threshold, holds in (("0.333333334", True), ("0.33333333", False)):
        judged = judge(connection, model(threshold=Decimal(threshold)), tables)
        assert {j.satisfied for j in judged.values()} == {holds}


def test_a_hierarchy_of_a_single_value_has_no_distances(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    tree: Tree = {"1": ("1", "*")}
    tables = Tables({("p", "a"): Class(("1", "1")), ("p", "b"): Class(("1",))}, tree=tree)
    model = TCloseness(t=Decimal(0), distance="hierarchical", attribute="s")
    judged = judge(connection, model, tables)
    assert {j.measure for j in judged.values()} == {0}
    assert all(j.satisfied for j in judged.values())


# --- a table on which 32-bit counts overflow

ROWS = 1_200_000


def big_tree() -> Tree:
    """Diagnoses d0 to d11 in chapters of three."""
    return {f"d{n}": (f"d{n}", f"c{n // 3}", "*") for n in range(12)}


def test_hierarchical_distance_of_a_large_table(connection: duckdb.DuckDBPyConnection) -> None:
    """1.2 million rows, five classes: rows times rows is beyond 2^31 and beyond 2^40."""
    build_large(connection)
    counts: dict[str, Counter[Value]] = {}
    for name, text, n in connection.execute(
        "select class, text, value_count from class_values join table_values using (value)"
    ).fetchall():
        counts.setdefault(name, Counter())[text] = n
    table = sum(counts.values(), Counter())
    assert table.total() == ROWS
    q = {value: Fraction(n, ROWS) for value, n in table.items()}
    model = TCloseness(t=Decimal("0.2"), distance="hierarchical", attribute="s")
    judged = ask(connection, model, excess=True)
    assert len(judged) == len(counts) == 5
    for (_, name), found in judged.items():
        of_class = counts[str(name)]
        extra = {v: Fraction(of_class[v], of_class.total()) - q[v] for v in q}
        distance = hierarchical(extra, big_tree())
        assert found.measure == pytest.approx(float(distance), abs=1e-12)
        assert found.satisfied is (distance <= Fraction(model.t))
        lost = (distance - Fraction(model.t)) / (1 - Fraction(model.t))
        excess = math.ceil(of_class.total() * lost)
        assert found.excess_rows == pytest.approx(max(excess, 0), abs=1)
    assert {found.satisfied for found in judged.values()} == {True, False}


def build_large(connection: duckdb.DuckDBPyConnection) -> None:
    """The relations of 1.2 million rows, the values spread otherwise in each class."""
    connection.execute(
        f"""
        create or replace temp table class_values as
        select 'p' as node, 'e' || least(row % 7, 4) as class,
            1 + (row * row // 7 + row // (1 + row % 7)) % (3 + row % 7 * 3 // 2) as value,
            count(*) as value_count
        from (select range as row from range({ROWS}))
        group by all;
        create or replace temp table value_classes as
        select node, class, cast(sum(value_count) as bigint) as class_size
        from class_values group by all;
        create or replace temp table table_values as
        select value, cast(sum(value_count) as bigint) as row_count, 'd' || (value - 1) as text,
            null::double as number, value as place
        from class_values group by value;
        create or replace temp table value_levels as
        select value, unnest([0, 1, 2]) as level,
            unnest([text, 'c' || (value - 1) // 3, '*']) as label,
            unnest(['c' || (value - 1) // 3, '*', null]) as coarser_label
        from table_values
        """
    )
