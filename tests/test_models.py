"""Privacy models against tables of the literature, and their two monotonicity flags by example.

A file of `paper_tables/` has a model's name, tables, the measure of each class and, by parameters,
which classes are satisfied. Each table is verified as a publication is.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import oracle
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

import sqlanon
from sqlanon.engines.base import drive
from sqlanon.full_domain import judgements
from sqlanon.privacy_models import PRIVACY_MODELS, KAnonymity, PrivacyModel
from sqlanon.render import text
from sqlanon.session import Options, Session
from sqlanon.step import Step, quoted
from sqlanon.verify import file_relation, verify

PAPER_TABLES = Path(__file__).parent / "paper_tables"
PAPERS = {
    paper["model"]: paper
    for paper in (yaml.safe_load(file.read_text()) for file in PAPER_TABLES.glob("*.yml"))
}
CASES = [
    pytest.param(
        paper["model"], table, case, id=f"{table['name'].split(',')[0]}-{case['parameters']}"
    )
    for paper in PAPERS.values()
    for table in paper["tables"]
    for case in table["cases"]
]
MODELS = {model.model_fields["model"].default: model for model in PRIVACY_MODELS}


def test_every_model_has_a_paper_table() -> None:
    assert PAPERS.keys() == MODELS.keys()
    assert {name: len(paper["tables"]) for name, paper in PAPERS.items()} == {"k-anonymity": 4}
    assert len(CASES) == 8


def write_publication(table: dict[str, Any], file: str) -> None:
    """The rows of a paper's table, as text, as a publication would have them."""
    names = table["quasi_identifiers"]
    with duckdb.connect() as connection:
        columns = ", ".join(f"{quoted(name)} varchar" for name in names)
        connection.execute(f"create table publication ({columns})")
        places = ", ".join("?" for _ in names)
        connection.executemany(f"insert into publication values ({places})", table["rows"])
        connection.execute(f"copy publication to {text(file)} (format parquet)")


def plan_of(model: dict[str, Any], names: list[str]) -> dict[str, Any]:
    """A plan with this promise, to verify with; its source is never read."""
    return {
        "source": {"query": "select 'nothing' as nothing"},
        "columns": dict.fromkeys(names, "quasi-identifier"),
        "privacy": [model],
        "publish": "elsewhere.parquet",
    }


@pytest.mark.parametrize(("name", "table", "case"), CASES)
def test_paper_table(
    name: str,
    table: dict[str, Any],
    case: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    names = table["quasi_identifiers"]
    write_publication(table, "publication.parquet")
    promise = {"model": name, **case["parameters"]}
    model = MODELS[name].model_validate(promise)
    expected = [
        (*map(as_text, entry["key"]), entry["measure"], satisfied)
        for entry, satisfied in zip(table["classes"], case["satisfied"], strict=True)
    ]
    failing = [row for row in expected if not row[-1]]
    session = Session(plan_of(promise, names), Options())
    with session.engine() as engine:
        relation = file_relation("publication.parquet")
        (finding,) = drive(engine, verify(relation, names, [model]))
        (judgement,) = judgements(
            [model], classes="sqlanon.published_equivalence_classes", class_key=names
        )
        columns = ", ".join([*map(quoted, names), model.measure[0], "satisfied"])
        asked = f"select {columns} from ({judgement['sql']}) as judged"
        judged = engine.execute(Step("judged", asked, "rows"))
        proof = f"select {columns} from sqlanon.proof_of_{judgement['name']}"
        violations = engine.execute(Step("violations", proof, "rows"))
    assert sorted(judged, key=repr) == sorted(expected, key=repr)
    assert sorted(violations, key=repr) == sorted(failing, key=repr)
    assert finding.measured == case["measured"]
    assert finding.satisfied == all(case["satisfied"])
    assert (finding.class_count, finding.failing_classes) == (len(expected), len(failing))
    whole = sqlanon.verify("publication.parquet", plan_of(promise, names))
    assert whole == [finding]


def as_text(value: Any) -> str | None:
    """A value as a publication has it."""
    return None if value is None else str(value)


# --- monotonicity: what a search may conclude from one node about those above it

PARAMETERS: dict[str, st.SearchStrategy[PrivacyModel]] = {
    "k-anonymity": st.builds(KAnonymity, k=st.integers(2, 6)),
}
LABELS = "abcdef"


@st.composite
def hierarchies(draw: st.DrawFn) -> dict[oracle.Value, tuple[oracle.Value, ...]]:
    """A hierarchy over six values: random groups, groups of these, and one value for all."""
    groups = [f"g{draw(st.integers(0, 3))}" for _ in LABELS]
    above = {group: f"h{draw(st.integers(0, 1))}" for group in sorted(set(groups))}
    return {
        value: (value, group, above[group], "*")
        for value, group in zip(LABELS, groups, strict=True)
    }


tables = st.lists(st.tuples(*[st.sampled_from(LABELS)] * 2), min_size=1, max_size=24)


@pytest.fixture(scope="module")
def connection() -> duckdb.DuckDBPyConnection:
    return duckdb.connect()


def judged_nodes(
    connection: duckdb.DuckDBPyConnection,
    model: PrivacyModel,
    rows: oracle.Table,
    levels: oracle.Hierarchies,
) -> dict[oracle.Node, tuple[int, int]]:
    """Failing classes and failing rows of every node, by the model's template, in one query."""
    nodes = oracle.all_nodes(oracle.hierarchy_heights(levels))
    sizes = [
        f"({number}, {place}, {size})"
        for number, node in enumerate(nodes)
        for place, size in enumerate(oracle.classes(rows, levels, node).values())
    ]
    values = f"(values {', '.join(sizes)}) as classes (node, class_1, class_size)"
    judged = model.sql(classes=values, class_key=["node", "class_1"])
    found = connection.execute(
        "select node, count(*) filter (where not satisfied),"
        " coalesce(sum(class_size) filter (where not satisfied), 0), count(satisfied) = count(*)"
        f" from ({judged}) as judged group by node order by node"
    ).fetchall()
    assert all(row[3] for row in found)  # never null
    return {nodes[row[0]]: (row[1], int(row[2])) for row in found}


@pytest.mark.parametrize("name", sorted(MODELS))
def test_monotone_as_flagged(name: str, connection: duckdb.DuckDBPyConnection) -> None:
    @settings(max_examples=80, deadline=None)
    @given(PARAMETERS[name], tables, hierarchies(), hierarchies())
    def search_for_a_counterexample(
        model: PrivacyModel,
        rows: oracle.Table,
        first: dict[oracle.Value, tuple[oracle.Value, ...]],
        second: dict[oracle.Value, tuple[oracle.Value, ...]],
    ) -> None:
        judged = judged_nodes(connection, model, rows, [first, second])
        assert len(judged) == 16
        for node, (failing_classes, failing_rows) in judged.items():
            for place in range(2):
                above = (*node[:place], node[place] + 1, *node[place + 1 :])
                if above not in judged:
                    continue
                if model.monotone_under_generalization and not failing_classes:
                    assert judged[above][0] == 0
                if model.monotone_under_suppression:
                    assert judged[above][1] <= failing_rows

    search_for_a_counterexample()


def test_flags_of_k_anonymity() -> None:
    assert KAnonymity.monotone_under_generalization
    assert KAnonymity.monotone_under_suppression
    assert PARAMETERS.keys() == MODELS.keys()


def test_nodes_judged_by_hand(connection: duckdb.DuckDBPyConnection) -> None:
    rows = [("a", "a"), ("b", "a")]
    levels: list[dict[oracle.Value, tuple[oracle.Value, ...]]] = [
        {value: (value, "g", "h", "*") for value in LABELS} for _ in range(2)
    ]
    judged = judged_nodes(connection, KAnonymity(k=2), rows, levels)
    assert judged.pop((0, 0)) == judged.pop((0, 1)) == judged.pop((0, 2)) == (2, 2)
    assert judged.pop((0, 3)) == (2, 2)
    assert set(judged.values()) == {(0, 0)}


# --- the model itself


@pytest.mark.parametrize("k", [2, 3, 50])
def test_what_a_model_tells(k: int) -> None:
    model = KAnonymity(k=k)
    assert model.template == "privacy_models/k_anonymity.sql"
    assert model.parameters == {"k": k}
    assert model.minimum_class_size == k
    assert f"at least {k - 1} other{'s' if k > 2 else ''} (k = {k})" in model.promise
    assert model.feasible(7) == "k = 7 or less"


@pytest.mark.parametrize("k", [1, 0, -1, 2.5, "many", None])
def test_k_is_two_or_more(k: Any) -> None:
    with pytest.raises(ValueError, match="k"):
        KAnonymity(k=k)
