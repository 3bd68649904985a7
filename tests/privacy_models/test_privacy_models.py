"""Every privacy model's SQL against a few lines of Python: on random tables and at the edges."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sqlanon
from sqlanon.privacy_models.average_risk import AverageRisk
from sqlanon.privacy_models.base import ClassRelations, PrivacyModel
from sqlanon.privacy_models.delta_presence import DeltaPresence
from sqlanon.privacy_models.journalist_risk import JournalistRisk
from sqlanon.privacy_models.k_e_anonymity import KEAnonymity
from sqlanon.privacy_models.l_diversity import LDiversity
from sqlanon.privacy_models.marketer_risk import MarketerRisk
from sqlanon.privacy_models.prosecutor_risk import ProsecutorRisk
from sqlanon.privacy_models.t_closeness import TCloseness
from sqlanon.sql.render import render
from tests.conftest import Command
from tests.oracles.class_relations import Class, Tables, Tree, Value, ask, build, judge
from tests.oracles.models import KNOWN, NEAR, RANDOM_MODELS, Verdict, verdict, whole_table
from tests.plan.plans import plan_of
from tests.selection import example_count
from tests.support.tables import write_csv

Connection = duckdb.DuckDBPyConnection


def expected(model: PrivacyModel, tables: Tables) -> dict[tuple[str, Value], Verdict]:
    """What the oracle says of every class."""
    found: dict[tuple[str, Value], Verdict] = {}
    for node in {key[0] for key in tables.classes}:
        classes = {key: c for key, c in tables.classes.items() if key[0] == node}
        if model.judges_whole_table:
            found |= dict(zip(classes, whole_table(model, classes), strict=True))
            continue
        q = tables.table(node).shares
        for key, c in classes.items():
            found[key] = verdict(model, c, q, tables.tree)
    return found


# --- random tables

VALUES: list[Value] = ["1", "2", "3.5", "10", "0.1", "0.3", "x", None]
ALPHABETS = st.lists(st.sampled_from(VALUES), min_size=1, max_size=5, unique=True)


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    """A hierarchy of height 3 over all values; a missing value may have labels or none."""
    groups = [f"g{draw(st.integers(0, 4))}" for _ in VALUES]
    above = {group: f"h{draw(st.integers(0, 2))}" for group in sorted(set(groups))}
    tree: dict[Value, tuple[Value, ...]] = {
        value: (value, group, above[group], "*")
        for value, group in zip(VALUES, groups, strict=True)
    }
    if draw(st.booleans()):
        tree[None] = (None, None, None, "*")
    return tree


@st.composite
def random_classes(
    draw: st.DrawFn, alphabet: Sequence[Value], people: Sequence[str] | None
) -> Class:
    """A class of up to nine rows, and of up to five rows of a person where persons are counted."""
    values = draw(st.lists(st.sampled_from(alphabet), min_size=1, max_size=9))
    persons = None if people is None else tuple(draw(st.sampled_from(people)) for _ in values)
    size = len(values if persons is None else set(persons))
    return Class(tuple(values), size + draw(st.integers(0, 6)), persons)


@st.composite
def random_tables(draw: st.DrawFn) -> Tables:
    """Two publications of four classes or more together; maybe rows that are in no class."""
    alphabet = draw(ALPHABETS)
    keys = st.tuples(st.sampled_from("pq"), st.sampled_from(["a", "b", "c", None]))
    people = draw(st.sampled_from([None, None, "vwxyz", [f"p{n}" for n in range(20)]]))
    return Tables(
        draw(st.dictionaries(keys, random_classes(alphabet, people), min_size=4)),
        suppressed=draw(st.lists(st.sampled_from(VALUES), max_size=5)),
        tree=draw(trees()),
        scoped=draw(st.booleans()),
    )


EXAMPLES = settings(
    max_examples=example_count(200),
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
def test_sql_agrees_with_python(name: str, connection: Connection) -> None:
    """No classes give no rows, whatever is suppressed."""

    @EXAMPLES
    @given(RANDOM_MODELS[name], random_tables() | st.just(Tables({}, ("1", None))))
    def agrees(model: PrivacyModel, tables: Tables) -> None:
        shown = expected(model, tables)
        found = judge(connection, model, tables)
        assert found.keys() == shown.keys()
        for key, judged in found.items():
            measure, satisfied = shown[key]
            assert judged.satisfied is satisfied, (key, tables.classes[key], judged)
            assert same(judged.measure, measure), (key, judged.measure, measure)

    agrees()


# --- edges


def test_uniform_classes_have_their_full_entropy(connection: Connection) -> None:
    """Other tools are one too low for most of these sizes."""
    for least in range(2, 40):
        sizes = {f"{n} {copies}": (n, copies) for n in (least - 1, least) for copies in (1, 3)}
        classes: dict[tuple[str, Value], Class] = {
            ("p", name): Class(tuple(f"v{v}" for v in range(n)) * copies)
            for name, (n, copies) in sizes.items()
        }
        for l in (Decimal(least), Decimal(least) - Decimal("0.999")):  # noqa: E741
            model = LDiversity(kind="entropy", l=l, attribute="s")
            for (_, name), judged in judge(connection, model, Tables(classes)).items():
                assert judged.satisfied is (sizes[str(name)][0] == least), (l, name)
                assert judged.measure == pytest.approx(sizes[str(name)][0])


def test_a_class_that_the_population_lacks_fails(connection: Connection) -> None:
    """Its share is infinite; the verdict is still no null."""
    tables = Tables({("p", "a"): Class(("1", "2"), population=0), ("p", "b"): Class(("1",) * 9, 9)})
    models: list[PrivacyModel] = [
        DeltaPresence(dmin=Decimal(0), dmax=Decimal(1)),
        JournalistRisk(threshold=Decimal(1)),
        JournalistRisk(threshold=Decimal("0.5"), share=Decimal("0.1")),
        MarketerRisk(threshold=Decimal(1)),
    ]
    for model in models:
        judged = judge(connection, model, tables)
        assert [judged["p", name].satisfied for name in "ab"] == [False, True], model


@pytest.mark.parametrize(
    ("numbers", "e"),
    [(("0.1", "0.3"), "0.2"), (("0.7", "0.8"), "0.1"), (("1.1", "3.3"), "2.2"), (("3", "7"), "4")],
)
def test_a_range_at_its_bound_is_enough(
    numbers: tuple[str, ...], e: str, connection: Connection
) -> None:
    tables = Tables({("p", "a"): Class(numbers)})
    for bound, holds in ((Decimal(e), True), (Decimal(e) + Decimal("0.0001"), False)):
        model = KEAnonymity(k=2, e=bound, attribute="s")
        assert judge(connection, model, tables)[("p", "a")].satisfied is holds


@pytest.mark.parametrize("model", [ProsecutorRisk, JournalistRisk, AverageRisk, MarketerRisk])
def test_a_threshold_of_a_third_is_met_by_a_risk_of_a_third(
    model: Any, connection: Connection
) -> None:
    """A plan's decimals cannot write 1/3; 0.333333333 is below it, and 0.333333334 above."""
    tables = Tables({("p", "a"): Class(("1",) * 3), ("p", "b"): Class(("1",) * 3)})
    for threshold, holds in (("0.333333334", True), ("0.33333333", False)):
        judged = judge(connection, model(threshold=Decimal(threshold)), tables)
        assert {j.satisfied for j in judged.values()} == {holds}


def test_a_hierarchy_of_a_single_value_has_no_distances(connection: Connection) -> None:
    tables = Tables({("p", "a"): Class(("1", "1")), ("p", "b"): Class(("1",))},
                    tree={"1": ("1", "*")})  # fmt: skip
    model = TCloseness(t=Decimal(0), distance="hierarchical", attribute="s")
    judged = judge(connection, model, tables).values()
    assert {(found.measure, found.satisfied) for found in judged} == {(0, True)}


# --- a table on which 32-bit counts overflow


def test_hierarchical_distance_of_a_large_table(connection: Connection) -> None:
    """1.2 million rows, five classes: rows times rows is beyond 2^31 and beyond 2^40."""
    tree: Tree = {f"d{n}": (f"d{n}", f"c{n // 3}", "*") for n in range(12)}
    draw = random.Random(1)
    classes: dict[tuple[str, Value], Class] = {
        ("p", f"e{n}"): Class(tuple(draw.choices([*tree][: 4 + 2 * n], k=240_000)))
        for n in range(5)
    }
    tables = Tables(classes, tree=tree)
    model = TCloseness(t=Decimal("0.2"), distance="hierarchical", attribute="s")
    shown = expected(model, tables)
    build(connection, tables)
    connection.execute("alter table table_values alter table_size type integer")
    for key, judged in ask(connection, model, excess=True).items():
        distance, holds = shown[key]
        assert judged.measure == pytest.approx(float(distance), abs=1e-12)
        assert judged.satisfied is holds
        lost = (float(distance) - 0.2) / 0.8
        excess = max(math.ceil(240_000 * lost), 0)
        assert judged.excess_rows == pytest.approx(excess, abs=1)
    assert {holds for _, holds in shown.values()} == {True, False}


# --- promises with two bounds: each is measured, and both decide

TWO_SIDED = {name: known for name, known in KNOWN.items() if hasattr(known.module, "of_bounds")}


def measured(connection: Connection, model: PrivacyModel) -> tuple[Mapping[str, Any], Any, int]:
    """The sides, the deciding measure, and the number of failing classes."""
    column, aggregate = model.deciding_measure
    relations = ClassRelations(
        class_key=["class"], classes="classes", class_values="class_values",
        table_values="table_values",
    )  # fmt: skip
    sql = render(
        "proof/measured.sql", name="measured", classes="classes", class_key=["class"],
        model_sql=model.sql(relations), column=column, aggregate=aggregate,
        sides=model.bounds_measured,
    )  # fmt: skip
    ((reported, _, failing, _, *sides),) = connection.execute(sql).fetchall()
    return dict(zip(model.bounds_measured, sides, strict=True)), reported, failing


@pytest.mark.sampled(0.1)
@pytest.mark.parametrize("name", TWO_SIDED)
def test_both_sides_are_those_of_brute_force_and_decide(name: str, connection: Connection) -> None:
    known = TWO_SIDED[name]
    held = 0
    for seed in range(45):
        draw = random.Random(f"{name} {seed}")
        classes = []
        for _ in range(draw.choice([1, 2, 3])):
            values = tuple(draw.choices(("1", "2", "10.5", "x", None), k=draw.choice([2, 4, 6, 9])))
            values = (*values, *draw.choice([(), ("1", "2", "10.5")]))
            classes.append(Class(values, len(values) + draw.choice([0, 1, 3, 9])))
        build(connection, Tables({("p", f"{n}"): c for n, c in enumerate(classes)}))
        given = known.module.BOUNDS[""](draw)
        attribute = {"attribute": "s"} if known.about_values else {}
        model = known.cls.model_validate({**attribute, **given})
        sides, holds = known.module.of_bounds(model, classes)
        found, reported, failing = measured(connection, model)
        assert found == pytest.approx({k: float(v) for k, v in sides.items()}), (seed, given)
        assert (failing == 0) == holds, (seed, given)
        assert name == "l-diversity" or reported in found.values()
        held += holds
    assert 2 < held < 43


def test_manifest_and_terminal_tell_both_sides(command: Command) -> None:
    """TUM seminar on l-diversity, Table 3: two blocks of six; (4/6, 6)-anonymous."""
    blocks = {1: ["Tamoxifen"] * 4 + ["E", "C"], 2: ["Pepcid"] * 3 + ["S", "S", "C"]}
    write_csv("drugs.csv", [("block", "drug"), *((b, d) for b, own in blocks.items() for d in own)])
    alpha = {"model": "alpha-k-anonymity", "alpha": 0.7, "k": 3}
    keys = {"privacy": [alpha, {"model": "k-anonymity", "k": 3}], "publish": "published.csv"}
    plan = plan_of({"block": "quasi-identifier", "drug": "sensitive"}, "drugs.csv", **keys)
    Path("plan.yml").write_text(json.dumps(plan))
    shown = command("run", "plan.yml")
    assert "alpha 0.666667, k 6 holds" in " ".join(shown.out.split())
    both, one = json.loads(Path("target/plan/manifest.json").read_text())["privacy"]
    assert both["measured_sides"] == {"alpha": pytest.approx(4 / 6), "k": 6}
    assert one["measured"] == 6
    assert "measured_sides" not in one
    verify = ("verify", "published.csv", "--plan", "plan.yml")
    assert json.loads(command(*verify, "--json").out)[0]["measured_sides"]["k"] == 6
    shown = command(*verify, "--no-manifest", "--set", "privacy.0.k=7")
    assert "measured alpha 0.666667, k 6" in shown.err


@pytest.mark.usefixtures("folder")
def test_in_joint_mode_the_sides_are_of_the_parts() -> None:
    """Who knows the ward knows the part of the class: of wards x and y it has three values."""
    amounts = {"x": (1, 5, 9, 9), "y": (2, 3, 11)}
    rows = [(1, ward, amount) for ward, own in amounts.items() for amount in own]
    write_csv("rows.csv", [("zip", "ward", "amount"), *rows])
    joint = {"model": "k-e-anonymity", "attribute": "amount", "mode": "joint", "k": 2, "e": 5}
    (finding,) = sqlanon.verify(
        "rows.csv", quasi_identifiers=["zip"], sensitive=["ward", "amount"], promises=[joint]
    )
    assert finding.satisfied
    assert finding.measured_sides == {"k": 3, "e": 8}
