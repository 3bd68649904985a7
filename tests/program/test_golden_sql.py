"""The SQL of every template, as the real steps render it for one plan, compared byte for byte.

A changed golden file is a changed release: somebody signs these texts. The folders of
`tests/golden/` are those of `sql_templates/`; `name.what.sql` is a further rendering of
`name.sql`. To write them anew, look at the difference, and sign it:

    SQLANON_UPDATE_GOLDEN=1 pytest tests/program/test_golden_sql.py
"""

from __future__ import annotations

import contextlib
import os
import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import sqlglot
from pydantic import BaseModel
from sqlglot import exp

from sqlanon.discovery.reader import sniffed
from sqlanon.discovery.roles import singling_sets
from sqlanon.discovery.statistics import as_text
from sqlanon.discovery.survey import Survey, surveyed
from sqlanon.errors import InternalError
from sqlanon.families import families
from sqlanon.families.full_domain import FullDomainFamily
from sqlanon.families.partition import PartitionFamily
from sqlanon.families.persons import released
from sqlanon.families.release_query import label_checks, node_lines, release_sql
from sqlanon.families.search_program import search_steps
from sqlanon.families.solution import FullDomainSolution, LatticeCounts, PartitionSolution
from sqlanon.families.suppressed import suppressed_groups
from sqlanon.hierarchies import HIERARCHY_KINDS
from sqlanon.hierarchies.base import CutKind, Hierarchy
from sqlanon.hierarchies.grid import grid_of
from sqlanon.methods.incognito import Incognito
from sqlanon.pages.counts import Counting, Kind, class_sizes, column_kinds, counted_values
from sqlanon.pages.facts import published_facts
from sqlanon.plan.column_types import is_formula
from sqlanon.plan.file import load_plan
from sqlanon.plan.plan import Plan
from sqlanon.privacy_models.base import ClassRelations
from sqlanon.program.program import proven_step, suppression_step
from sqlanon.proof.findings import failing_steps
from sqlanon.proof.publication import Publication, file_relation, publication_of, staged_publication
from sqlanon.proof.steps import measure_steps, verify_steps
from sqlanon.registry import default_of
from sqlanon.search.full_domain import Attribute, FullDomainProblem
from sqlanon.search.partition import Cutting, PartitionProblem
from sqlanon.search.scales import Interval, Split
from sqlanon.source.checks import several_values
from sqlanon.source.frequency_set import Shape, coding_steps, level_bits_step
from sqlanon.source.hierarchies import (
    hierarchy_name,
    hierarchy_rows,
    hierarchy_step,
    hierarchy_steps,
    known_level_count,
    label_digests,
    nesting_problems,
    unsound_values_step,
)
from sqlanon.source.hierarchy_files import resolve_hierarchies
from sqlanon.source.places import PartitionShape, kinds_of, used_hierarchies
from sqlanon.source.tables import source_steps
from sqlanon.sql.paths import written
from sqlanon.sql.render import render, shipped
from sqlanon.sql.step import Rows, Search, Step, quoted
from sqlanon.sql.tables import rows_digest_step
from sqlanon.utility.base import UtilityMeasure
from sqlanon.utility.measures import (
    STANDARD_MEASURES,
    UTILITY_MEASURES,
    Loss,
)
from tests.oracles.hierarchies import KINDS, QUERY
from tests.oracles.measures import MEASURES
from tests.oracles.models import KNOWN
from tests.paths import TESTS
from tests.support.golden_runs import recorded
from tests.support.searching import searched

GOLDEN = TESTS / "golden"
TEMPLATES = sorted(
    file.relative_to(shipped("sql_templates")).as_posix()
    for file in shipped("sql_templates").rglob("*.sql")
    if not file.name.startswith("_")
)
UPDATE = bool(os.environ.get("SQLANON_UPDATE_GOLDEN"))

AGE, KEYWORD, TOWN = 'the "age"', "select", "tôwn"  # names that need quotes, and why
COLUMNS: dict[str, Any] = {
    "patient": "identifier",
    "ward": {"role": "identifier", "action": "star"},
    "case_number": {"role": "identifier", "action": "pseudonym"},
    AGE: {
        "role": "quasi-identifier",
        "hierarchy": KINDS["intervals"].rule,
    },
    "born": {"role": "quasi-identifier", "hierarchy": KINDS["date"].rule},
    "zip": {"role": "quasi-identifier", "hierarchy": KINDS["mask"].rule},
    KEYWORD: {
        "role": "quasi-identifier",
        "weight": 2.5,
        "hierarchy": KINDS["cut_points"].rule,
    },
    "longitude": {"role": "quasi-identifier", "hierarchy": KINDS["round"].rule},
    TOWN: {"role": "quasi-identifier", "hierarchy": KINDS["file"].rule},
    "work": {
        "role": "quasi-identifier",
        "hierarchy": KINDS["query"].rule,
    },
    "sex": "quasi-identifier",
    "diagnosis": {"role": "sensitive", "hierarchy": "it's a tree.csv"},
    "class_1": "insensitive",
}
MASKED = {"limit": 0.05, "rows": "mask"}


_SAMPLED: dict[str, dict[str, Any]] = {
    "listed_parts": {},
    "group_order": {},
    "original_matches": {"part_count": 2, "order": [2, 1], "samples": 20_000},
}
"""Templates of what is sampled in large tables, and their inputs."""


class Rendered(NamedTuple):
    """A rendering: the golden file, the step or relation that it makes, the text."""

    path: str
    name: str
    text: str


@pytest.fixture(scope="module")
def rendered(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Rendered]:
    """Every rendering, by the path of its golden file."""
    folder = tmp_path_factory.mktemp("golden")
    (folder / "it's a tree.csv").write_text("flu;lung;*\nulcer;gut;*\n", encoding="utf-8")
    for known in KINDS.values():
        for name, content in known.files.items():
            (folder / name).write_text(content, encoding="utf-8")
    try:
        found = [
            *_prepared(folder),
            *_discovered(folder),
            *_released(folder),
            *_searched(folder),
            *_verified(folder),
            *_models(),
            *_promised(folder),
            *_linked(folder),
            *_partitioned(folder),
            *_partition_searched(folder),
            *_partition_verified(folder),
            *(Rendered(*found) for found in recorded(folder)),
            *_reported(folder),
            *(
                of_step("slicing", Step(name, render(f"slicing/{name}.sql", **inputs), "rows"))
                for name, inputs in _SAMPLED.items()
            ),
        ]
    except InternalError as error:  # a template that is not there
        pytest.fail(str(error), pytrace=False)
    named = {rendering.path: rendering for rendering in found}
    assert len(named) == len(found)
    return named


PERSON_ROWS = "release/release.unit.sql"
"""The rows that a release orders afterwards, when it has counted their persons."""


def of_step(folder: str, step: Step, variant: str = "", name: str = "") -> Rendered:
    """The rendering of a step whose template, if no other name is given, is called as the step."""
    return Rendered(f"{folder}/{name or step.name}{variant}.sql", step.name, written(step.sql))


def make(folder: Path, **keys: Any) -> tuple[Plan, dict[str, Hierarchy], Shape]:
    """The plan, its hierarchies, and two words of packed keys."""
    plan = load_plan(
        {
            "source": {"path": "it's.csv", "delimiter": ";", "types": {AGE: "INTEGER"}},
            "columns": COLUMNS,
            "missing": "drop-rows",
            "privacy": [{"model": "k-anonymity", "k": 5}],
            "method": {"name": "optimal", "objective": Loss()},
            "suppression": MASKED,
            "publish": "published.parquet",
            **keys,
        }
    )
    plan._folder = folder
    hierarchies = resolve_hierarchies(plan, None)
    names = list(hierarchies)
    words = {name: 1 if place < len(names) - 2 else 2 for place, name in enumerate(names)}
    return plan, hierarchies, Shape(hierarchies, words)


def few(folder: Path, **keys: Any) -> tuple[Plan, Shape]:
    """The same with two quasi-identifiers in one word, and no other column."""
    plan, hierarchies, _ = make(
        folder, columns={AGE: COLUMNS[AGE], "sex": COLUMNS["sex"]}, missing="value", **keys
    )
    return plan, Shape(hierarchies, dict.fromkeys(hierarchies, 1))


def problem_of(plan: Plan, shape: Shape) -> FullDomainProblem:
    """The problem of a plan as a search sees it, with masks that show where they come from."""
    return FullDomainProblem(
        attributes=tuple(
            Attribute(
                name=name,
                weight=column.weight,
                word=shape.words[name],
                masks=tuple(
                    10 ** (place + 1) * (shape.level_count(name) - 1 - level)
                    for level in range(shape.level_count(name))
                ),
                measures=(),
                kind=column.kind,
            )
            for place, (name, column) in enumerate(plan.quasi_identifiers.items())
        ),
        row_count=1000,
        limit_rows=50,
        masked=plan.suppression.rows == "mask",
        promises=plan.promises,
        objective=plan.objective,
        k=plan.k,
        limit_stated=True,
    )


def asked(question: Search[Any], wanted: str) -> Step:
    """The first step of this name; every node asked about before it may hold."""
    rows: Rows | None = None
    while True:
        step = question.send(rows) if rows is not None else next(question)
        if step.name == wanted:
            return step
        rows = []
        if step.name == "scored_nodes":
            count = len(re.findall(r"^        \(\d+, ", step.sql, re.MULTILINE))
            columns = step.sql.rpartition("\nselect\n")[2]
            width = len(re.findall(r"^    (?! ).* as \w+,?$", columns, re.MULTILINE))
            rest = (0,) * (width - 5)
            rows = [(number, 1, 1000, 0, 0, 1, *rest) for number in range(count)]


def rule_of(step: Step) -> str:
    """The part of a hierarchy's step that its kind's template renders."""
    found = re.search(
        r"^(?:with )?labels as \(\n(.*?)\n\),\ntops as \(", step.sql, re.MULTILINE | re.DOTALL
    )
    assert found
    return found[1]


def by_name(steps: Sequence[Step]) -> dict[str, Step]:
    """Steps by their names, which are all different."""
    named = {step.name: step for step in steps}
    assert len(named) == len(steps)
    return named


def _prepared(folder: Path) -> Iterator[Rendered]:
    plan, hierarchies, shape = make(folder)
    steps = by_name(
        [
            *source_steps(plan),
            *hierarchy_steps(plan, hierarchies),
            level_bits_step(),
            *coding_steps(plan, shape),
        ]
    )
    for name in hierarchies:
        step = steps.pop(hierarchy_name(name))
        if name == AGE:
            yield of_step("source", step, name="hierarchy")
    for step in steps.values():
        yield of_step("source", step)
    yield of_step("source", next(nesting_problems(plan, hierarchies)), name="no_values")
    yield of_step("source", unsound_values_step(hierarchies, 20))
    shown = hierarchy_rows("sex", hierarchies["sex"])
    next(shown)
    yield of_step("source", shown.send([]))
    query = make(
        folder, columns={"job": {"role": "quasi-identifier", "hierarchy": {"query": QUERY}}}
    )[1]
    yield of_step("source", next(label_digests(query)))
    for rule in (*(known.rule for known in KINDS.values()), {}):
        one = {"role": "quasi-identifier", **({"hierarchy": rule} if rule else {})}
        _, made, _ = make(folder, columns={"job": one})
        step = hierarchy_step("job", made["job"])
        yield Rendered(made["job"].template, step.name, rule_of(step))
    labeled, *_ = make(
        folder,
        source={"query": "select *\nfrom patients;"},
        method={"objective": {"name": "classification", "attribute": "diagnosis"}},
    )
    counted = by_name([*source_steps(labeled), *coding_steps(labeled, shape)])
    yield of_step("source", counted["source"], ".query")
    yield of_step("source", counted["source_combinations"], ".counted")
    bare, one_word = few(folder, source="people.duckdb::main.people")
    typed = bare.with_types({"source": {AGE: "DOUBLE", "sex": "VARCHAR"}})
    yield of_step("source", by_name(source_steps(typed))["source_rows"], ".typed")
    small = by_name([*source_steps(bare), *coding_steps(bare, one_word)])
    yield of_step("source", small["source"], ".table")
    for name in ("value_codes", "generalized_values"):
        yield of_step("source", small[name], ".one_word")


def _discovered(folder: Path) -> Iterator[Rendered]:
    """The steps of a survey of a table with a text, a number and a date."""
    plan, *_ = make(folder)
    names = [f"column_{place}" for place in (1, 2, 3)]
    answers: dict[str, Rows] = {
        "single_rows": [(1, 0), (2, 0), (3, 0)],
        "source_types": [(AGE, "INTEGER"), ("born", "DATE"), ("town", "VARCHAR")],
        "first_values": [(False, False)],
        "profiled_columns": [(9, 9, *(9, 5, 2, 8, 9, 9, 0), *2 * (9, 5, 2, 8, 0, 0, 0))],
        "sampled_columns": [(name, 9, 5, 0, 1.0, 1.0, 0) for name in names],
        "drawn_values": [(name, ["a", "b"], [3, 2]) for name in names],
        "column_quantiles": [(list(range(11)),)],
    }
    lines = folder / "first.csv"
    lines.write_text("a;b\n1;2\n", encoding="utf-8")
    surveys: list[Survey] = []

    def whole() -> Search[None]:
        surveys.append((yield from surveyed(plan)))
        yield from singling_sets(surveys[0])
        yield from sniffed(plan.source, lines)

    steps = whole()
    step = next(steps)
    seen = {"source_types"}
    with contextlib.suppress(StopIteration):
        while True:
            if step.name not in seen:
                seen.add(step.name)
                yield of_step("discovery", step)
            step = steps.send(answers.get(step.name, []))
    columns = [AGE, "town"]
    first = render("discovery/first_rows.sql", columns=columns, first_rows=1000)
    yield of_step("discovery", Step("first_rows", first))
    joining = render("discovery/joining_columns.sql", columns=["cost", "it's"], key="visitor")
    yield of_step("discovery", Step("joining_columns", joining))
    counted = render("discovery/distinct_values.sql", columns=columns)
    yield of_step("discovery", Step("distinct_values", counted))
    compared = render("discovery/counted_values.sql", missing=["column_3"])
    yield of_step("discovery", Step("counted_values", compared, "view"))
    dependent = render(
        "discovery/dependent_columns.sql", keys=["column_4", "column_5"], columns=names
    )
    yield of_step("discovery", Step("dependent_columns", dependent))
    pairs = render("discovery/equal_pairs.sql", columns=names)
    yield of_step("discovery", Step("equal_pairs", pairs))
    key = as_text(TOWN, "VARCHAR", collated=False)
    persons = render("discovery/rows_of_persons.sql", person=key)
    yield of_step("discovery", Step("rows_of_persons", persons))
    texts = [{"alias": f"column_{n}", "text": as_text(name, "VARCHAR", collated=True)}
             for n, name in enumerate((AGE, KEYWORD), start=1)]  # fmt: skip
    shares = render("discovery/person_shares.sql", person=key, columns=texts, parts=3)
    yield of_step("discovery", Step("person_shares", shares))
    query = render(
        "discovery/prefixes.sql",
        column=TOWN, lengths=[4, 3], kind="csv", path="it's.csv", one_file=True,
        relation=[], options=[],
    )  # fmt: skip
    yield Rendered("discovery/prefixes.sql", "prefixes", written(query))


def solved(plan: Plan, shape: Shape) -> FullDomainSolution:
    """A solution of the plan: every attribute half-way up."""
    node = {name: shape.level_count(name) // 2 for name in plan.quasi_identifiers}
    return FullDomainSolution(
        sqlanon_version="", plan_sha256="", method="optimal", label="optimal", node=node,
        height=sum(node.values()), classes=3, published_rows=950, suppressed_rows=50,
        objective="loss", cost=[0.5], levels={}, types={}, words={}, input={}, minimal_nodes=[],
        labels_sha256={},
        lattice=LatticeCounts(nodes=9, checked=9, satisfying=None, minimal=None),
    )  # fmt: skip


def _released(folder: Path) -> Iterator[Rendered]:
    plan, _, shape = make(folder)
    solution = solved(plan, shape)
    yield of_step("release", Step("release", release_sql(plan, shape, solution)))
    (check,) = label_checks(plan, shape, solution)
    yield of_step("source", check)
    chosen = Step("release", release_sql(plan, shape, None))
    yield of_step("release", chosen, ".chosen")
    low = solution.model_copy(update={"node": {AGE: 1, "sex": 0}})
    variants: dict[str, dict[str, Any]] = {
        ".order_source": {"order": "source", "suppression": {"limit": 0}},
        ".nothing_kept": {"suppression": {}},
        ".query": {"source": {"query": "select *\nfrom patients"}, "suppression": {}},
        ".table": {"source": "people.duckdb::main.people", "suppression": {}},
    }
    for variant, keys in variants.items():
        small, one_word = few(folder, **keys)
        yield of_step("release", Step("release", release_sql(small, one_word, low)), variant)
    promises: dict[str, tuple[list[Any], dict[str, Any]]] = {
        "values": ([K, DISTINCT], {}),
        "tree": ([K, TREE, LISTED], {}),
        "whole_table": ([K, AVERAGE, MARKETER], {"population": "voters.parquet"}),
        "joint_masked": ([K, JOINT, DISTINCT], {"suppression": {"rows": "mask"}}),
        "joint": ([K, JOINT], {}),
        "population": ([PRESENCE], {"population": "voters.parquet"}),
        "unit": (
            [K, {**TREE, "distance": "equal"}],
            {"unit": "visitor", "columns": {"visitor": "identifier"}},
        ),
    }
    for name, (models, keys) in promises.items():
        promising, one_word = promised(folder, *models, **keys)
        sql, lines = release_sql(promising, one_word, low), node_lines(promising, one_word, low)
        rows, *published = released(promising, sql, lines, "staged.parquet")
        yield of_step("release", rows, f".{name}", "release")
        for step in published:
            yield of_step("release", step, name="release_of_persons")
    counted = render("release/counted_persons.sql", relation="person_rows", person="visitor")
    yield of_step("release", Step("counted_persons", counted))


def _searched(folder: Path) -> Iterator[Rendered]:
    plan, _, shape = make(folder)
    problem = problem_of(plan, shape)
    nodes = [tuple(top // 2 for top in problem.tops), problem.tops]
    bottom = (0,) * len(problem.tops)
    yield of_step("search", asked(searched(plan, problem), "one_class"))
    yield of_step("search", asked(problem.score(nodes), "scored_nodes"))
    yield of_step("search", asked(problem.value([bottom]), "valued_nodes"))
    measures = [measure for measure in STANDARD_MEASURES if measure.name in ("height", "loss")]
    yield of_step("search", asked(problem.measured(bottom, measures), "node_measures"))
    yield of_step("search", asked(problem.class_sizes(bottom), "node_class_sizes"))
    yield of_step("release", next(suppressed_groups(plan, problem, nodes[0])))
    node = dict(zip(plan.quasi_identifiers, nodes[0], strict=True))
    half = solved(plan, shape).model_copy(update={"node": node})
    lost = FullDomainFamily(plan, {}, shape, problem).column_losses(half)
    yield of_step("release", next(lost))
    for step in search_steps(plan, shape):
        if step.name not in ("scored_nodes", "valued_nodes"):
            yield of_step("search", step)
    classification = {"name": "classification", "attribute": "diagnosis"}
    labeled = problem_of(
        *promised(folder, K, method={"objective": classification}, suppression={"rows": "mask"})
    )

    bare, one_word = few(
        folder,
        suppression={"limit": 0.1},
        privacy=[{"model": "k-anonymity", "k": 2}, {"model": "k-anonymity", "k": 3}],
        method={"name": "incognito"},
    )
    small = problem_of(bare, one_word)
    two = asked(Incognito().search(small), "frequency_sets_of_2")
    yield of_step("search", two, name="subset_frequency_sets")
    subset = small.score([(1, 0)], frequency_set=two.name, subsets=[0])
    yield of_step("search", asked(subset, "scored_nodes"), ".subsets")
    ranked, _ = few(folder, method={"objective": {"name": "loss", "aggregate": "rank"}})
    program = by_name(search_steps(ranked, one_word))
    yield of_step("search", program["chosen_node"], ".rank")
    lowest, _ = few(folder, method={"objective": {"name": "height"}}, suppression={"limit": 0.1})
    visits, one_word = promised(folder, K, unit="visitor", columns={"visitor": "identifier"})
    hit = next(suppressed_groups(visits, problem_of(visits, one_word), (1, 0)))
    yield of_step("release", hit, ".unit")
    sizes = asked(problem_of(visits, one_word).class_sizes((1, 0)), "node_class_sizes")
    yield of_step("search", sizes, ".unit")
    program = by_name(search_steps(lowest, one_word))
    yield of_step("search", program["scored_nodes"], ".program")
    yield of_step("search", program["valued_nodes"], ".program")

    classes = {default_of(cls, "name"): cls for cls in UTILITY_MEASURES}
    for name, known in MEASURES.items():
        for variant, parameters in known.golden.items():
            measure = classes[name].model_validate(parameters)
            plain = labeled if "attribute" in parameters else problem
            yield Rendered(
                f"utility/{measure_name(measure)}{variant and '.'}{variant}.sql",
                measure_name(measure),
                measure.sql((small if variant else plain).context),
            )


def measure_name(measure: UtilityMeasure) -> str:
    """The name of a utility measure's template."""
    return measure.name.replace("-", "_")


def _verified(folder: Path) -> Iterator[Rendered]:
    plan, *_ = make(folder)
    names = [AGE, "satisfied", KEYWORD]
    publication = Publication(file_relation("it's.parquet"), names, plan.promises)
    steps = verify_steps(publication)
    for step in steps:
        name = "proof" if step.name == "proof_of_k_anonymity" else ""
        yield of_step("proof", step, name=name)
    (measured,) = measure_steps(publication)
    yield of_step("proof", measured, name="measured")
    yield of_step("proof", proven_step(plan, steps))
    yield of_step("proof", suppression_step(plan))
    for with_values in (False, True):
        variant = ".with_values" if with_values else ""
        failing = next(failing_steps(publication, 0, 20, with_values=with_values))
        yield of_step("proof", failing, variant, name="failing_classes")
    yield Rendered("proof/class_sizes.sql", "class_sizes", render("proof/class_sizes.sql"))


def _models() -> Iterator[Rendered]:
    """Each model as verify asks it, and as a search does: with rows that nothing can keep."""
    shown = [(k, *golden) for k in KNOWN.values() for golden in k.module.GOLDEN.items()]
    for known, name, parameters in shown:
        about = {"attribute": "diagnosis"} if known.about_values else {}
        model = known.cls.model_validate({**parameters, **about})
        relations = ClassRelations(
            class_key=[AGE, "sex"],
            classes="sqlanon.classes",
            class_values="sqlanon.class_values_of_diagnosis",
            table_values="sqlanon.table_values_of_diagnosis",
            value_levels="sqlanon.value_levels_of_diagnosis",
        )
        yield Rendered(f"privacy_models/{name}.sql", name.partition(".")[0], model.sql(relations))
        if "." in name:
            continue
        scoped = replace(
            relations,
            class_key=["node", "class_1"],
            scope=["node"],
            table_scope=["node"] if model.compares_with_table else (),
            excess=model.bounds_excess,
        )
        yield Rendered(f"privacy_models/{name}.search.sql", name, model.sql(scoped))
        of_persons = replace(relations, unit=True)
        if model.sql(of_persons) != model.sql(relations):
            yield Rendered(f"privacy_models/{name}.unit.sql", name, model.sql(of_persons))
            scoped = replace(scoped, unit=True, shares_persons=model.monotone_under_suppression)
            yield Rendered(f"privacy_models/{name}.unit_search.sql", name, model.sql(scoped))


SENSITIVE: dict[str, Any] = {
    "diagnosis": COLUMNS["diagnosis"],
    "salary": "sensitive",
}


def promised(folder: Path, *privacy: dict[str, Any], **keys: Any) -> tuple[Plan, Shape]:
    """A plan of two quasi-identifiers and two sensitive attributes."""
    plan, hierarchies, _ = make(
        folder,
        columns={AGE: COLUMNS[AGE], "sex": COLUMNS["sex"], **SENSITIVE, **keys.pop("columns", {})},
        missing="value",
        privacy=list(privacy),
        suppression={"limit": 0.05, **keys.pop("suppression", {})},
        **keys,
    )
    return plan, Shape(hierarchies, {AGE: 1, "sex": 1})


K = {"model": "k-anonymity", "k": 5}
LISTED = {
    "model": "alpha-k-anonymity", "alpha": 0.5, "k": 5, "attribute": "diagnosis",
    "values": ["it's"],
}  # fmt: skip
MARKETER = {"model": "marketer-risk", "threshold": 0.1}
TREE = {"model": "t-closeness", "distance": "hierarchical", "t": 0.2, "attribute": "diagnosis"}
JOINT = {"model": "l-diversity", "l": 2, "attribute": "diagnosis", "mode": "joint"}
PUBLISHED = {"model": "t-closeness", "t": 0.2, "attribute": "diagnosis", "reference": "published"}
ORDERED = {"model": "t-closeness", "t": 0.2, "attribute": "salary", "distance": "ordered"}
RANGE = {"model": "k-e-anonymity", "k": 2, "e": 10, "attribute": "salary"}
PRESENCE = {"model": "delta-presence", "dmin": 0.1, "dmax": 0.5}
AVERAGE = {"model": "average-risk", "threshold": 0.1}


def _promised(folder: Path) -> Iterator[Rendered]:
    """What the models of sensitive attributes, populations and persons add to each room."""
    plan, shape = promised(folder, K, TREE, ORDERED, RANGE)
    steps = by_name([*source_steps(plan), *hierarchy_steps(plan, dict(shape.hierarchies))])
    yield of_step("source", steps["counted_values"])
    yield of_step("source", steps["table_values_of_diagnosis"], name="table_values")
    yield of_step("source", steps["value_levels_of_diagnosis"], name="value_levels")
    yield of_step("source", steps["proof_of_numbers"])
    yield of_step("source", steps["proof_of_distinct_values"])
    two, shape = promised(folder, K, DISTINCT)
    yield of_step("search", Step("one_class", problem_of(two, shape).one_class_sql()), ".values")
    tables = [("source_rows", ["born", "it's"]), ("population", ["born"])]
    sql = render("source/proof_of_dates.sql", tables=tables)
    yield of_step("source", Step("proof_of_dates", sql, "proof"))
    sql = render(
        "proof/file_metadata.sql",
        path="it's published.parquet",
        one_file=True,
        columns=["age", "name's"],
    )
    yield of_step("proof", Step("file_metadata", sql, "rows"))

    listed, _ = promised(folder, LISTED)
    yield of_step("source", by_name(source_steps(listed))["proof_of_listed_values"])
    nodes = [(1, 0), (1, 1)]
    whole, shape = promised(folder, K, AVERAGE, MARKETER, population="voters.parquet")
    score = asked(problem_of(whole, shape).score(nodes), "scored_nodes")
    yield of_step("search", score, ".whole_table")

    joint, shape = promised(folder, K, JOINT, PUBLISHED)
    score = asked(problem_of(joint, shape).score(nodes), "scored_nodes")
    yield of_step("search", score, ".joint_published")
    program = by_name(search_steps(joint, shape))
    yield of_step("search", program["satisfying_nodes"], ".published")
    yield from _proofs(joint, "joint_published", "published_joint_values published_table_values"
                       " published_joint_classes")  # fmt: skip
    with_population, shape = promised(folder, PRESENCE, AVERAGE, population="voters.parquet")
    steps = by_name([*source_steps(with_population), *coding_steps(with_population, shape)])
    for name in ("population_combinations", "proof_of_population"):
        yield of_step("source", steps[name])
    yield of_step("source", steps["population"], name="source", variant=".population")
    for name in ("source_combinations", "source_values", "frequency_set"):
        yield of_step("source", steps[name], ".population")
    score = asked(problem_of(with_population, shape).score(nodes), "scored_nodes")
    yield of_step("search", score, ".population")
    program = by_name(search_steps(with_population, shape))
    yield of_step("search", program["satisfying_nodes"], ".population")
    yield from _proofs(
        with_population,
        "population",
        "population_labels population_classes published_equivalence_classes"
        " proof_of_cover proof_of_places",
    )

    with_unit, shape = promised(
        folder, K, {**TREE, "distance": "equal"}, JOINT, unit="visitor",
        columns={"visitor": "identifier"},
    )  # fmt: skip
    steps = by_name([*source_steps(with_unit), *coding_steps(with_unit, shape)])
    for name in ("source_combinations", "counted_values", "frequency_set"):
        yield of_step("source", steps[name], ".unit")
    known, _ = promised(
        folder, K, unit="visitor", columns={"visitor": "identifier"}, population="voters.parquet"
    )
    yield of_step("source", by_name(source_steps(known))["proof_of_unchanging_persons"])
    staged = staged_publication(with_unit, (), "it's.csv", levels=None)
    proofs = by_name(verify_steps(staged))
    yield of_step("proof", proofs["proof_of_person_rows"])
    yield of_step("proof", proofs["proof_of_persons"], ".counted")
    shown = publication_of(with_unit, file_relation("it's.csv"))
    proofs = by_name(verify_steps(shown))
    for name in ("published_combinations", "published_equivalence_classes", "proof_of_persons"):
        yield of_step("proof", proofs[name], ".shown")
    yield of_step(
        "source", asked(several_values(with_unit, with_unit.privacy[2]), "several_values")
    )
    score = asked(problem_of(with_unit, shape).score(nodes), "scored_nodes")
    yield of_step("search", score, ".unit")
    yield from _proofs(
        with_unit,
        "unit",
        "published_combinations published_equivalence_classes published_class_values"
        " published_joint_classes published_table_values proof_of_persons proof_of_values",
    )
    tests = [is_formula(quoted(name)) for name in ("it's", "sex")]
    sql = render("proof/proof_of_cells.sql", tests=tests)
    yield of_step("proof", Step("proof_of_cells", sql, "proof"))
    inputs: dict[str, Any] = {"relation": "sqlanon.published_table"}
    step = rows_digest_step(inputs["relation"], [AGE, "sex"])
    yield Rendered("proof/rows_digest.sql", "rows_digest", step.sql)
    sql = render("proof/masked_rows.sql", quasi_identifiers=[AGE, "sex"], **inputs)
    yield Rendered("proof/masked_rows.sql", "masked_rows", sql)
    yield Rendered(
        "proof/table_of_values.sql",
        "source_values",
        render(
            "proof/table_of_values.sql",
            attributes=["diagnosis"],
            strata=[],
            quasi_identifiers=[AGE],
            population_count="population_count",
            relation="sqlanon.published_table",
            unit=None,
            known="",
        ),
    )


def _linked(folder: Path) -> Iterator[Rendered]:
    """What a plan of linked histories has of its own."""
    pseudonym = {"role": "identifier", "action": "pseudonym", "key": "random"}
    unit = {"column": "visitor", "histories": "linked", "rows": 4}
    plan, shape = promised(
        folder, K, {**DISTINCT, "l": 2}, unit=unit, columns={"visitor": pseudonym}
    )
    yield of_step("source", by_name(source_steps(plan))["source_rows"], ".linked")
    problem = problem_of(plan, shape)
    low = tuple(0 for _ in problem.tops)
    yield of_step("search", asked(problem.score([low]), "scored_nodes"), ".linked")
    yield of_step("search", asked(problem.value([low]), "valued_nodes"), ".linked")
    rare = render("search/rare_numbers_of_rows.sql", least=5)
    yield Rendered("search/rare_numbers_of_rows.sql", "rare_numbers_of_rows", rare)
    node = dict(zip(plan.quasi_identifiers, low, strict=True))
    solution = FullDomainSolution(
        sqlanon_version="", plan_sha256="", method="optimal", label="optimal", node=node,
        height=0, classes=3, published_rows=950, suppressed_rows=50, objective="loss", cost=[0.5],
        levels={}, labels_sha256={}, types={}, words={}, input={}, minimal_nodes=[],
        lattice=LatticeCounts(nodes=9, checked=9, satisfying=None, minimal=None),
    )  # fmt: skip
    release = Step("release", release_sql(plan, shape, solution))
    yield of_step("release", release, ".linked")
    publication = publication_of(plan, file_relation("it's.parquet"))
    steps = by_name(verify_steps(publication))
    for name in ("published_histories", "proof_of_row_limit"):
        yield of_step("proof", steps[name])
    for name in ("published_combinations", "published_equivalence_classes"):
        yield of_step("proof", steps[name], ".linked")


def _proofs(plan: Plan, variant: str, shown: str) -> Iterator[Rendered]:
    """The steps of a proof that the plain golden files do not show.

    Args:
        shown: names of steps, without the words of columns.
    """
    publication = Publication(file_relation("it's.parquet"), [AGE, "sex"], plan.promises)
    seen: set[str] = set()
    for step in verify_steps(publication):
        endings = [f"_of_{column.word}" for column in plan.promises.columns.values()]
        stem = next(
            (step.name.removesuffix(e) for e in endings if step.name.endswith(e)), step.name
        )
        name = {
            "published_joint_values": "published_class_values",
        }.get(stem, stem)
        if stem in shown.split() and stem not in seen:
            seen.add(stem)
            yield of_step("proof", step, f".{variant}" + (".joint" if stem != name else ""), name)
    assert seen == set(shown.split())
    found = replace(publication, levels={})
    if plan.population is not None:
        labels = by_name(verify_steps(found))["population_labels"]
        yield of_step("proof", labels, ".found")


# --- partitions

CUT_COLUMNS: dict[str, Any] = {
    **{name: COLUMNS[name] for name in ("patient", "ward", "case_number", AGE, "born", TOWN)},
    KEYWORD: {"role": "quasi-identifier", "weight": 2.5},
    "diagnosis": COLUMNS["diagnosis"],
    "class_1": "insensitive",
}
CUT_KINDS: dict[str, CutKind] = {
    AGE: "numeric",
    "born": "date",
    TOWN: "categorical",
    KEYWORD: "ordinal",
}
CUT_GRIDS = {AGE: grid_of("2.5 from 1"), "born": grid_of("month")}
DISTINCT = {"model": "l-diversity", "l": 3, "attribute": "diagnosis"}
ABSENT = {**PRESENCE, "dmin": 0}
INTERVALS = [Interval(1, 0, 9), Interval(1, 10, 99), Interval(2, 0, 30), Interval(3, 0, 1),
             Interval(4, 0, 4)]  # fmt: skip


class Cut(NamedTuple):
    """A plan whose method partitions, and the steps of its solution, by name."""

    prepared: PartitionFamily
    solution: PartitionSolution
    steps: dict[str, Step]

    @property
    def plan(self) -> Plan:
        """The plan."""
        return self.prepared.plan

    @property
    def problem(self) -> PartitionProblem:
        """What its method asks."""
        return self.prepared.problem


def cut(folder: Path, method: str, *privacy: dict[str, Any], **keys: Any) -> Cut:
    """A plan with quasi-identifiers of every kind; keys of its method are `method_KEY`."""
    own = {name.removeprefix("method_"): keys.pop(name) for name in [*keys] if "method_" in name}
    plan, hierarchies, _ = make(
        folder,
        columns={**CUT_COLUMNS, **keys.pop("columns", {})},
        privacy=list(privacy) or [K],
        method={"name": method, **own},
        suppression={},
        **keys,
    )
    used = used_hierarchies(plan, CUT_KINDS, hierarchies)
    solution = PartitionSolution(
        sqlanon_version="", plan_sha256="", method=method, label="", classes=3, published_rows=950,
        suppressed_rows=0, levels={name: known_level_count(name, h) for name, h in used.items()},
        types={}, input={}, kinds=CUT_KINDS, rounds=2, k=7 if method == "k-mondrian" else None,
        grids={name: grid.text for name, grid in CUT_GRIDS.items()},
        intervals=INTERVALS, labels_sha256={},
    )  # fmt: skip
    shape = PartitionShape(used, CUT_KINDS, grids=CUT_GRIDS if plan.method.hides_ends else None)
    prepared = PartitionFamily(plan, {"rows": 1000}, shape)
    from_solution = families.recorded(plan, hierarchies, solution)
    steps = from_solution.release_steps(solution, "staged.parquet")
    assert prepared.release_steps(solution, "staged.parquet") == steps
    return Cut(prepared, solution, by_name(steps))


def _partitioned(folder: Path) -> Iterator[Rendered]:
    """The steps from places to published rows."""

    def of(found: Cut, names: str, variant: str = "") -> Iterator[Rendered]:
        for name in names.split():
            yield of_step("partition", found.steps[name], variant)

    strict = cut(folder, "mondrian")
    values = cut(folder, "mondrian", K, DISTINCT, method_labels="region")
    yield from of(strict, "value_places proof_of_value_places places label_places cells regions")
    yield from of(strict, "class_cells")
    exact = cut(folder, "mondrian", method_ends="exact")
    yield from of(exact, "value_places class_labels", ".exact")
    measured = [attribute for attribute in strict.problem.attributes if attribute.grid]
    inputs = {"ends": measured, "unit_alias": None, "least_persons": 5}
    for name, more in (("rare_values", {}), ("tried_grids", {"candidates": measured})):
        sql = render(f"partition/{name}.sql", **inputs, **more)
        yield of_step("partition", Step(name, sql))
        sql = render(f"partition/{name}.sql", **(inputs | {"unit_alias": "person"}), **more)
        yield of_step("partition", Step(name, sql), ".persons")
    sql = render("discovery/printed_ends.sql", **inputs)
    yield of_step("discovery", Step("printed_ends", sql))
    sql = render("discovery/exact_ends.sql", columns=[AGE, "born"], unit="who", least_persons=5)
    yield of_step("discovery", Step("exact_ends", sql))
    inputs = {"attributes": list(strict.prepared.ends), "least_persons": 5}
    for who, variant in ((None, ""), ("person", ".persons")):
        sql = render("proof/proof_of_ends.sql", unit_alias=who, **inputs)
        yield of_step("proof", Step("proof_of_ends", sql), variant)
    yield from of(values, "partition_tree")
    yield from of(strict, "class_regions class_labels release")
    yield from of(values, "class_regions", ".region")
    relaxed = cut(
        folder, "mondrian", K, DISTINCT,
        method_partitioning="relaxed", method_cut="quantiles",
    )  # fmt: skip
    yield from of(relaxed, "turned_rows")
    yield of_step("partition", relaxed.steps["cells"], name="relaxed_cells")
    yield of_step("partition", relaxed.steps["dealt_rows"], name="relaxed_rows")
    yield from of(relaxed, "regions release", ".relaxed")
    population = cut(folder, "mpalm", K, ABSENT, population="all.csv", method_cut="median")
    yield from of(population, "cells partition_tree", ".population")
    visits = {"unit": "visitor", "columns": {"visitor": "identifier"}}
    persons = cut(folder, "mondrian", K, JOINT, method_cut="any", **visits)
    yield from of(persons, "cells regions", ".persons")
    rounds = cut(folder, "mondrian", method_execution="rounds", method_cut="quantiles")
    yield of_step("partition", rounds.steps["regions_of_round_0"], name="first_round")
    yield of_step("partition", rounds.steps["regions_of_round_2"], name="next_round")
    yield of_step("partition", rounds.steps["regions"], name="rounds")

    sets = cut(folder, "mondrian", method_categories="set", method_bounds=True,
               columns={KEYWORD: {**CUT_COLUMNS[KEYWORD], "type": "ordinal"}})  # fmt: skip
    yield from of(sets, "class_labels", ".sets")
    region_sets = cut(folder, "mondrian", method_categories="set", method_labels="region")
    yield from of(region_sets, "class_labels", ".sets_region")

    split = cut(folder, "dimension-splitting")
    yield from of(split, "intervals")
    yield from of(split, "proof_of_intervals")
    yield of_step("partition", split.steps["class_cells"], name="split_cells")
    yield of_step("partition", split.steps["class_regions"], name="split_regions")

    for found, variant in ((strict, ""), (values, ".values"), (population, ".population")):
        (shown,) = found.prepared.reader_steps("target/plan")
        yield of_step("partition", shown, variant)


def _partition_searched(folder: Path) -> Iterator[Rendered]:
    """What methods ask of cells and cuts, and what a partition loses."""
    strict = cut(folder, "mondrian")
    yield of_step("partition", asked(kinds_of(strict.plan), "value_kinds"))
    yield of_step("partition", asked(strict.prepared.search(), "one_class"))
    yield of_step("partition", asked(strict.problem.judged(), "judged_partition"))
    values = cut(folder, "mondrian", K, DISTINCT).problem
    yield of_step("partition", Step("one_class", values.one_class_sql()), ".values")
    persons = cut(folder, "mondrian", K, JOINT, unit="visitor", columns={"visitor": "identifier"})
    yield of_step("partition", asked(persons.problem.judged(), "judged_partition"), ".persons")
    everybody = cut(folder, "k-mondrian", PRESENCE, population="all.csv").problem
    yield of_step("partition", asked(everybody.judged(), "judged_partition"), ".everybody")
    halved = replace(everybody, cutting=Cutting("median", by_population=True))
    nested = halved.judged_for(halved.by_class_size(7))
    yield of_step("partition", asked(nested, "judged_partition"), ".nested")

    first, second = INTERVALS[:2]
    halves = Interval(1, 0, 4), Interval(1, 5, 9)
    splits = [Split(first, halves), Split(second, (Interval(1, 10, 20), Interval(1, 21, 99)))]
    both = cut(folder, "mondrian", PRESENCE, K, population="all.csv").problem
    for found, variant in ((strict.problem, ""), (both, ".everybody")):
        yield of_step(
            "partition", asked(found.try_splits(INTERVALS, splits), "tried_splits"), variant
        )
    yield of_step("partition", asked(strict.problem.scales(), "scales"))
    yield of_step("partition", asked(everybody.scales(), "scales"), ".population")

    yield from of_losses(strict, "")
    lost = next(strict.prepared.column_losses(strict.solution))
    yield Rendered("partition/column_losses.sql", "column_losses", measure_of(lost)[1])
    counted = strict.prepared.class_count(strict.solution)
    yield of_step("partition", next(counted))
    for sized, variant in ((strict, ""), (persons, ".persons")):
        yield of_step("partition", next(sized.prepared.class_sizes(sized.solution)), variant)
    name = "partition_class_sizes"
    sql = render(f"partition/{name}.sql", key="", position="", unit=False)
    yield Rendered(f"partition/{name}.buckets.sql", name, sql)
    sets = of_losses(cut(folder, "mondrian", method_categories="set"), ".sets")
    yield next(found for found in sets if found.name == "loss")
    for levels, variant in (([], ""), (["level_of_zip", "level_of_age"], ".buckets")):
        name = "average_generalization"
        sql = render(f"partition/{name}.sql", levels=levels)
        yield Rendered(f"partition/{name}{variant}.sql", name, sql)


def of_losses(found: Cut, variant: str) -> Iterator[Rendered]:
    """The measures of a partition, as its manifest tells them, and the first one's whole step."""
    question = found.prepared.measure(found.solution)
    step = next(question)
    if not variant:  # the first measure is about the sizes of classes
        yield of_step("partition", step, ".by_labels")
    seen = False
    while True:
        name, text = measure_of(step)
        if (shipped("sql_templates") / f"partition/{name}.sql").is_file():
            yield Rendered(f"partition/{name}{variant}.sql", name, text)
            if not seen and not variant:
                yield of_step("partition", step)
            seen = True
        try:
            step = question.send([(0,)])
        except StopIteration:
            break
    assert seen


def measure_of(step: Step) -> tuple[str, str]:
    """The part of a `valued_partition` that the measure's template renders, and its name."""
    inner = re.search(r"^valued_partition as \(\n(.*?)\n\)\nselect", step.sql, re.M | re.S)
    assert inner
    text = textwrap.dedent(inner[1])
    name = re.match(r"-- (\w+):", text)
    assert name
    return name[1], text


def _partition_verified(folder: Path) -> Iterator[Rendered]:
    """The proofs of a partition: each published label tells the region that it stands for."""
    found = cut(folder, "mpalm", K, PRESENCE, population="all.csv")
    steps = verify_steps(publication_of(found.plan, file_relation("it's.parquet")))
    named = by_name(steps)
    for name in ("label_ranges", "population_regions", "proof_of_regions"):
        yield of_step("proof", named[name])
    yield of_step("proof", named["population_classes"], name="region_classes")
    yield of_step("proof", proven_step(found.plan, steps), ".partitioned")


def _reported(folder: Path) -> Iterator[Rendered]:
    """What a report asks: sizes of classes, and values of columns as they are or by ranges."""
    plan, *_ = make(folder)
    facts = published_facts(plan)
    next(facts)
    yield of_step("pages", facts.send([(1000,)]), name="class_sizes")
    facts.send([(5, 84, 900, 5, 90, 8)])
    step = facts.send([(n, 99, False, False, 0, None, None) for n in (1, 2)])
    yield of_step("pages", step)
    typed = column_kinds("column_kinds", "sqlanon.published_rows", [(AGE, True), (TOWN, False)])
    yield of_step("pages", next(typed))
    numbers, days = Kind("ranges", 0.5), Kind("decades")
    source = Counting("sqlanon.source_combinations", AGE, "sum(row_count)", "sum(row_count)")
    both = counted_values(AGE, Counting("sqlanon.published_rows", AGE), source, numbers, 5)
    yield of_step("pages", next(both), ".ranges")
    yield of_step("pages", next(counted_values(AGE, None, source, days, 5)), ".decades")
    sizes = class_sizes("source_class_sizes", "sqlanon.frequency_set", ["key_1"], "count(*)", 7,
                        counted="row_count")  # fmt: skip
    yield of_step("pages", next(sizes), ".source", name="class_sizes")


# --- the files


def goldens() -> list[str]:
    """The golden files that there are."""
    return sorted(file.relative_to(GOLDEN).as_posix() for file in GOLDEN.rglob("*.sql"))


def test_texts_are_the_golden_files(rendered: dict[str, Rendered]) -> None:
    if UPDATE:
        for old in GOLDEN.rglob("*.sql"):
            old.unlink()
        for path, rendering in rendered.items():
            file = GOLDEN / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"{rendering.text}\n", encoding="utf-8", newline="\n")
    missing, unknown = sorted({*rendered} - {*goldens()}), sorted({*goldens()} - {*rendered})
    assert not missing, f"no golden file {', '.join(missing)}: SQLANON_UPDATE_GOLDEN=1 writes it"
    assert not unknown, f"nothing renders {', '.join(unknown)}: SQLANON_UPDATE_GOLDEN=1 removes it"
    for path, rendering in rendered.items():
        assert (GOLDEN / path).read_bytes() == f"{rendering.text}\n".encode(), path
    for path in HEADED:
        assert re.match(rf"-- {re.escape(rendered[path].name)}[:,] \S", rendered[path].text), path


def test_every_template_has_a_golden_file_and_vice_versa() -> None:
    bare = {f"{path.removesuffix('.sql').partition('.')[0]}.sql" for path in goldens()}
    assert bare == set(TEMPLATES), "SQLANON_UPDATE_GOLDEN=1 writes golden files of all renderings"
    assert len(TEMPLATES) > 45


def test_the_plan_has_every_kind() -> None:
    kinds = [kind.template for kind in HIERARCHY_KINDS.values()]
    kinds += [f"utility/{named(measure, 'name')}.sql" for measure in UTILITY_MEASURES]
    assert set(kinds) <= set(TEMPLATES)


def named(cls: type[BaseModel], field: str) -> str:
    """The name of a model or measure, as its template has it."""
    return default_of(cls, field).replace("-", "_")


# --- the text of each


@pytest.mark.parametrize("path", goldens())
def test_sqlglot_reads_it(path: str) -> None:
    trees = sqlglot.parse((GOLDEN / path).read_text(encoding="utf-8"), dialect="duckdb")
    assert len(trees) == 1
    assert isinstance(trees[0], exp.Query)


@pytest.mark.parametrize("path", goldens())
def test_layout(path: str) -> None:
    text = (GOLDEN / path).read_text(encoding="utf-8")
    lines = text.split("\n")
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    assert "\r" not in text
    assert [line for line in lines if line != line.rstrip()] == []
    assert [line for line in lines if "\t" in line] == []
    assert "\n\n\n" not in text
    code = re.sub(r"--.*", "", text)
    assert re.findall(r",\s*(?:\)|$|\b(?:from|where|group by|order by|having)\b)", code) == []
    listed = (
        GOLDEN.parents[1] / "sql_templates/_plain_text.sql"
        if path == "source/proof_of_distinct_values.sql"
        else None
    )
    known = set(TOWN) | set(listed.read_text(encoding="utf-8") if listed else "")
    strange = {c for c in text if not c.isascii()} - known
    assert strange == set()
    unquoted = re.sub(r"'[^']*'|\"[^\"]*\"", "", code)
    shouted = set(re.findall(r"\b[A-Z][A-Z_]+\b", unquoted))
    assert shouted == set()  # keywords and functions are in lower case


RULES = [path for path in goldens() if path.startswith("hierarchies/")]
HEADED = [path for path in goldens() if path not in RULES]


@pytest.mark.parametrize("path", HEADED)
def test_header(path: str) -> None:
    lines = (GOLDEN / path).read_text(encoding="utf-8").split("\n")
    length = next(n for n, line in enumerate(lines) if not line.startswith("--"))
    header = lines[:length]
    assert header
    assert "--" not in header
    assert lines[length]  # no blank line between the header and the select
    assert re.match(r"-- .+?[:,] \S", header[0])
    if not path.startswith("release/"):  # says of every column what becomes of it
        assert any(line.startswith("-- returns: ") for line in header)


@pytest.mark.parametrize("path", RULES)
def test_rule_of_a_hierarchy(path: str) -> None:
    """A part of a hierarchy's step: indented, with a comment that says what the rule is."""
    lines = (GOLDEN / path).read_text(encoding="utf-8").rstrip("\n").split("\n")
    assert lines[0].startswith("    -- ")
    assert {line for line in lines if not line.startswith("    ")} <= {QUERY}


@pytest.mark.parametrize(
    "path",
    [p for p in goldens() if re.search(r"/release(_of_persons)?\.", p) and p != PERSON_ROWS],
)
def test_published_rows_are_ordered_last(path: str) -> None:
    """Only the outermost order by is a promise; a join may mix what is ordered below it."""
    tree = sqlglot.parse_one((GOLDEN / path).read_text(encoding="utf-8"), dialect="duckdb")
    assert tree.args.get("order") is not None
