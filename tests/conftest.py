"""Plans for tests: Adult as the project's figures use it, and tables of a few rows.

Both builders return a mapping with the keys of a plan and change into a folder of the test's own,
which is then the plan's folder.
"""

from __future__ import annotations

import csv
import datetime
import gc
import hashlib
import json
import math
import os
import random
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Any, Protocol, cast

import oracle
import pytest
from hypothesis import settings
from secret_texts import SEED, SEED_VARIABLE

from sqlanon.commands.options import Options
from sqlanon.commands.session import Session
from sqlanon.engines.base import drive
from sqlanon.engines.duckdb import DuckDBEngine
from sqlanon.search.full_domain import FullDomainProblem
from sqlanon.source.frequency_set import prepare
from sqlanon.sql.step import Rows, Step

PlanMapping = dict[str, Any]

SAMPLE = "SQLANON_TEST_SAMPLE"
"""Environment variable that draws the cases of tests marked `sampled`; the day by default."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--thorough` runs every case."""
    parser.addoption("--thorough", action="store_true", help="run every case of sampled tests")


def pytest_configure(config: pytest.Config) -> None:
    """Fix the sample before the processes start that share the work.

    What a shell starts in the background ignores Ctrl-C, and so would all that the tests start:
    tests that interrupt a query would wait for ever.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.setdefault(SAMPLE, str(datetime.date.today().toordinal()))
    if not is_thorough(config) and config.getoption("--hypothesis-profile", None) is None:
        settings.register_profile("ordinary", settings.default, max_examples=ORDINARY_EXAMPLES)
        settings.load_profile("ordinary")


def pytest_report_header(config: pytest.Config) -> str:
    """Say how the sample is drawn again."""
    return f"cases of sampled tests: {SAMPLE}={os.environ[SAMPLE]} (--thorough: all)"


def is_thorough(config: pytest.Config) -> bool:
    """Whether every case is tried: all of a test that is named on the command line, too."""
    return bool(config.getoption("--thorough")) or any("::" in name for name in config.args)


ORDINARY_EXAMPLES = 30
"""Examples of a property in an ordinary run, of 100 in a thorough one."""


def example_count(count: int) -> int:
    """How many of so many examples this run tries; never fewer than five."""
    assert settings.default is not None
    return max(min(count, 5), math.ceil(count * settings.default.max_examples / 100))


Kind = str | Callable[[dict[str, Any]], object]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of each parametrized test marked `sampled(share)`, keep that share of its cases.

    With `by`, at least one case of every kind is kept: `by` names the parameter that tells the
    kind, or is a function of a case's parameters, or a tuple of these.
    """
    if is_thorough(config):
        return
    cases: dict[str, list[pytest.Function]] = {}
    for item in items:
        is_case = isinstance(item, pytest.Function) and hasattr(item, "callspec")
        if is_case and item.get_closest_marker("sampled"):
            cases.setdefault(item.nodeid.partition("[")[0], []).append(cast(pytest.Function, item))
    left_out: set[str] = set()
    for name, found in cases.items():
        marker = found[0].get_closest_marker("sampled")
        assert marker is not None
        by: Kind | tuple[Kind, ...] = marker.kwargs.get("by", ())
        told = [kinds(item.callspec.params, by) for item in found]
        draw = random.Random(f"{os.environ[SAMPLE]} {name}")
        kept = sample(told, marker.args[0], draw)
        left_out |= {item.nodeid for place, item in enumerate(found) if place not in kept}
    left_out |= out_of_turn([item.nodeid for item in items if item.nodeid not in left_out])
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid in left_out])
    items[:] = [item for item in items if item.nodeid not in left_out]


def out_of_turn(names: Iterable[str]) -> set[str]:
    """The cases of `IN_TURN` that are not tried this time: all but one in `TURNS`, in turn."""
    slow = sorted(name for name in names if name.partition("[")[0].partition("/")[2] in IN_TURN)
    turn = int(os.environ[SAMPLE])
    return {name for place, name in enumerate(slow) if (place + turn) % TURNS}


def kinds(parameters: dict[str, Any], by: Kind | tuple[Kind, ...]) -> list[str]:
    """What a case is, in each of the ways that `by` names."""
    ways = by if isinstance(by, tuple) else (by,)
    return [repr(parameters[way] if isinstance(way, str) else way(parameters)) for way in ways]


def sample(told: Sequence[Sequence[str]], share: float, draw: random.Random) -> set[int]:
    """A share of the cases, by their places, and all kinds of every way to tell them.

    Without any, three cases at least.
    """
    order = draw.sample(range(len(told)), len(told))
    missing = {(way, kind) for kinds in told for way, kind in enumerate(kinds)}
    kept: set[int] = set()
    while missing:
        best = max(order, key=lambda place: len(missing & set(enumerate(told[place]))))
        kept.add(best)
        missing -= set(enumerate(told[best]))
    others = [place for place in order if place not in kept]
    least = 1 if any(told) else 3
    room = max(least, math.ceil(share * len(told))) - len(kept)
    return kept | set(others[: max(0, room)])


def published_before(place: str | Path, content: bytes, plan: str = "plan") -> None:
    """Write an earlier publication of the plan of this name, as its manifest tells."""
    Path(place).write_bytes(content)
    told = {"path": Path(place).name, "sha256": hashlib.sha256(content).hexdigest()}
    manifest = Path(place).parent / "target" / plan / "manifest.json"
    manifest.parent.mkdir(parents=True, exist_ok=True)
    manifest.write_text(json.dumps({"published": told}))


TURNS = 4
"""Ordinary runs until every case of the slow tests was tried."""

IN_TURN = frozenset(
    [
        "test_audit.py::test_a_quasi_identifier_may_have_the_name_of_a_templates_column",
        "test_bad_input.py::test_a_quasi_identifier_may_have_any_name",
        "test_bad_input.py::test_what_is_cut_may_have_any_name",
        "test_bucket_faults.py::test_attacks_on_what_was_published",
        "test_bucket_faults.py::test_no_value_and_no_seed_is_told",
        "test_bucket_faults.py::test_parts_of_rows_stay_in_their_bucket",
        "test_charged_objectives.py::test_optimal_is_cheapest_where_suppressed_rows_are_charged",
        "test_combined.py::test_nobody_is_in_a_bucket_too_surely",
        "test_dealing.py::test_a_seed_gives_the_same_bytes_again",
        "test_dealing.py::test_columns_of_any_name",
        "test_dealing.py::test_every_permutation_is_as_likely_as_another",
        "test_dealing.py::test_parts_are_permuted_apart",
        "test_dealing.py::test_rows_that_are_alike_do_not_stay_together",
        "test_faults.py::test_four_runs_at_once",
        "test_faults.py::test_killed_where_a_publication_is_put_in_place",
        "test_fuzz.py::test_a_few_examples_of_every_kind",
        "test_methods.py::test_a_budget_ends_a_hopeless_search",
        "test_methods.py::test_no_method_is_better_than_optimal",
        "test_methods.py::test_threads_and_row_order_change_no_partition",
        "test_methods.py::test_threads_and_row_order_change_nothing",
        "test_models.py::test_monotone_under_generalization_as_flagged",
        "test_models.py::test_monotone_under_suppression_as_flagged",
        "test_models.py::test_paper_table_as_a_publication",
        "test_oracle.py::test_adult_node_losses",
        "test_partitioning.py::test_order_of_the_source_changes_nothing",
        "test_plan_queries.py::test_a_source_called_as_a_step_publishes_its_own_rows",
        "test_plan_queries.py::test_an_identifier_in_labels_is_found",
        "test_program.py::test_search_in_sql_finds_the_node_of_run",
        "test_promises.py::test_datafly_goes_on_until_the_published_rows_hold",
        "test_promises.py::test_run_publishes_nothing_where_failing_classes_slip_through",
        "test_promises.py::test_shares_of_the_table_count_persons",
        "test_promises.py::test_verify_refuses_a_damaged_publication",
        "test_rearranged.py::test_corrupted_buckets_are_no_rearrangement",
        "test_rearranged.py::test_measured_diversity_of_a_sliced_table_is_that_over_all_matching_buckets",
        "test_rearranged.py::test_swaps_of_dealt_rows_are_caught_where_no_row_can_have_made_them",
        "test_rearranged.py::test_verify_refuses_what_can_be_told_too_surely_over_all_matching_buckets",
        "test_references.py::test_best_node",
        "test_references.py::test_lowest_height",
        "test_references.py::test_optimum",
        "test_references.py::test_satisfying_nodes",
        "test_robustness.py::test_an_output_that_nobody_reads",
        "test_robustness.py::test_signals_end_a_run_cleanly",
        "test_robustness.py::test_the_largest_numbers_run",
        "test_run_apart.py::test_a_path_is_the_file_of_this_name",
        "test_run_apart.py::test_a_run_that_is_stopped_before_its_manifest_is_in_place",
        "test_run_apart.py::test_what_no_run_of_the_plan_wrote_is_not_overwritten",
        "test_secrets.py::test_no_value_decides_which_row_is_dealt_to_the_left",
        "test_secrets.py::test_tables_of_one_publication_leave_the_same_beside_it",
        "test_taxonomy.py::test_a_file_that_is_no_tree_is_told_by_line_and_names_no_label",
        "test_taxonomy.py::test_any_file_is_a_taxonomy_or_a_fault",
        "test_thesis_experiment.py::test_permuted_columns_lie_between_what_is_forced_and_what_is_counted",
        "test_thesis_experiment.py::test_regions_of_four_give_nobody_away",
        "test_types.py::test_the_same_plan_publishes_the_same_rows_in_tokyo",
        "test_types.py::test_values_that_people_hold_equal_are_not_two",
        "test_verify_publish.py::test_from_a_table_to_a_table",
        "test_verify_publish.py::test_order_does_not_follow_the_source",
    ]
)
"""Slow tests: an ordinary run tries one in `TURNS` of their cases, other ones each day."""


class AdultPlan(Protocol):
    """Builds a plan over Adult; `keys` are keys of the plan."""

    def __call__(self, *, sensitive: str | None = None, **keys: Any) -> PlanMapping: ...


class TinyPlan(Protocol):
    """Writes a table and its hierarchies, and builds a plan over them."""

    def __call__(
        self,
        rows: oracle.Table,
        hierarchies: oracle.Hierarchies,
        *,
        names: Sequence[str] = (),
        weights: Sequence[float] = (),
        labels: Sequence[oracle.Value] = (),
        **keys: Any,
    ) -> PlanMapping: ...


def pytest_collection_finish(session: pytest.Session) -> None:
    """What is collected stays to the end: the garbage collector need not look at it again."""
    gc.freeze()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """At its end Python looks at everything again."""
    gc.unfreeze()


@pytest.fixture(scope="session", autouse=True)
def _no_waiting_for_disks() -> Iterator[None]:
    """No test can tell whether a file would outlive a power failure; runs of their own do wait."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda descriptor: None)
        yield


@pytest.fixture(scope="session", autouse=True)
def _seed() -> Iterator[None]:
    """Rows are dealt and permuted alike in every run of the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(SEED_VARIABLE, SEED)
        yield


@pytest.fixture(scope="session")
def adult() -> Path:
    """The folder of Adult and its hierarchies; tests/data/README.md tells where they are from."""
    return Path(__file__).parent / "data/adult"


@pytest.fixture
def adult_plan(adult: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AdultPlan:
    """All columns quasi-identifiers, in the order of the file, but for a `sensitive` one, which
    no model looks at."""
    monkeypatch.chdir(tmp_path)
    with (adult / "adult.csv").open(encoding="utf-8") as lines:
        columns = lines.readline().strip().split(";")

    def build(*, sensitive: str | None = None, **keys: Any) -> PlanMapping:
        return {
            "source": {"path": str(adult / "adult.csv"), "delimiter": ";"},
            "columns": {
                name: "insensitive"
                if name == sensitive
                else {
                    "role": "quasi-identifier",
                    "hierarchy": str(adult / f"adult_hierarchy_{name}.csv"),
                }
                for name in columns
            },
            "privacy": [{"model": "k-anonymity", "k": 5}],
            "publish": "adult.parquet",
            **keys,
        }

    return build


@pytest.fixture
def tiny_plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TinyPlan:
    """Quasi-identifiers `a`, `b`, `c` … and, where there are labels, an insensitive `label`.

    A missing value needs no row in a hierarchy here: it is an empty field of the CSV file.
    """
    monkeypatch.chdir(tmp_path)

    def build(
        rows: oracle.Table,
        hierarchies: oracle.Hierarchies,
        *,
        names: Sequence[str] = (),
        weights: Sequence[float] = (),
        labels: Sequence[oracle.Value] = (),
        **keys: Any,
    ) -> PlanMapping:
        names = list(names) or [chr(ord("a") + place) for place in range(len(hierarchies))]
        extra = ["label"] if labels else []
        _write(
            "rows.csv",
            [
                [*names, *extra],
                *([*row, *labels[n : n + 1]] for n, row in enumerate(rows)),
            ],
        )
        columns: dict[str, Any] = {}
        for place, (name, hierarchy) in enumerate(zip(names, hierarchies, strict=True)):
            _write(f"hierarchy_{name}.csv", [h for v, h in hierarchy.items() if v is not None])
            columns[name] = {
                "role": "quasi-identifier",
                "hierarchy": f"hierarchy_{name}.csv",
                **({"weight": weights[place]} if weights else {}),
            }
        return {
            "source": {"path": "rows.csv", "delimiter": ","},
            "columns": {**columns, **dict.fromkeys(extra, "insensitive")},
            "privacy": [{"model": "k-anonymity", "k": 2}],
            "publish": "published.parquet",
            **keys,
        }

    return build


def _write(file: str, rows: Sequence[Sequence[oracle.Value]]) -> None:
    with Path(file).open("w", encoding="utf-8", newline="") as lines:
        csv.writer(lines).writerows(rows)


Opened = tuple[DuckDBEngine, FullDomainProblem]


@pytest.fixture(scope="session")
def opened() -> Callable[[PlanMapping], AbstractContextManager[Opened]]:
    """Opens an engine and prepares a plan's problem in it, for more than one question."""

    @contextmanager
    def open_(plan: PlanMapping) -> Iterator[Opened]:
        session = Session(plan, Options())
        with session.engine() as engine:
            hierarchies = session.hierarchies(copy=False)
            problem, _, _ = drive(engine, prepare(session.plan, hierarchies))
            yield engine, problem

    return open_


class Remembered:
    """Answers the steps that an engine executed for a preparation, and no others."""

    name = "remembered"
    version = ""

    def __init__(self, engine: DuckDBEngine) -> None:
        self.engine = engine
        self.journal = engine.journal
        self.answers: dict[Step, Rows] = {}
        self.asked: set[Step] = set()
        self.is_open = True

    def execute(self, step: Step) -> Rows:
        """The rows that came back; while it is open, from the engine itself."""
        if self.is_open:
            self.answers[step] = self.engine.execute(step)
        elif step not in self.answers:
            raise LookupError(step.name)
        self.asked.add(step)
        return self.answers[step]

    def problem(self, plan: PlanMapping) -> FullDomainProblem | None:
        """The plan's problem; None if its preparation takes other steps than were executed."""
        session = Session(plan, Options())
        self.asked.clear()
        try:
            problem, _, _ = drive(self, prepare(session.plan, session.hierarchies(copy=False)))
        except LookupError:
            return None
        return problem if self.asked == set(self.answers) else None

    def replace_tables(self, tables: object) -> None:
        """Nothing is published."""

    def close(self) -> None:
        """The engine is closed by who opened it."""


@pytest.fixture(scope="module")
def prepared() -> Iterator[Callable[[PlanMapping], AbstractContextManager[Opened]]]:
    """As `opened`, for many plans of one table: the same steps are executed once.

    Every plan is prepared by the package; an engine that has executed just these steps is used
    again. Tables that a question makes on the way are dropped.
    """
    kept: list[Remembered] = []
    with ExitStack() as stack:

        @contextmanager
        def open_(plan: PlanMapping) -> Iterator[Opened]:
            found = [(each, problem) for each in kept if (problem := each.problem(plan))]
            if not found:
                made = Remembered(stack.enter_context(Session(plan, Options()).engine()))
                problem = made.problem(plan)
                assert problem is not None
                made.is_open = False
                kept.append(made)
                found = [(made, problem)]
            ((remembered, problem),) = found
            engine = remembered.engine
            before = len(engine.journal)
            yield engine, problem
            for entry in engine.journal[before:]:
                if entry.step.kind == "table":
                    engine.execute(
                        Step("dropped", f'drop table sqlanon."{entry.step.name}"', "rows")
                    )
            del engine.journal[before:]

        yield open_
    assert len(kept) < 8, "most preparations were executed anew"
