"""Which cases an ordinary run of the tests tries; `conftest` leaves out the others."""

from __future__ import annotations

import math
import os
import random
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from hypothesis import settings

SAMPLE = "SQLANON_TEST_SAMPLE"
"""Environment variable that draws the cases: a whole number; the day by default."""

ORDINARY_EXAMPLES = 20
"""Examples of a property in an ordinary run, of 100 in a thorough one."""

ORDINARY_SHARE = 0.6
"""What an ordinary run tries of the share that a test is marked with, unless that is all."""

TURNS = 10
"""Ordinary runs until every case of the slow tests was tried."""

Kind = str | Callable[[dict[str, Any]], object]
"""What tells the kind of a case: a parameter, or a function of all."""


def example_count(count: int) -> int:
    """How many of so many examples this run tries; never fewer than five."""
    assert settings.default is not None
    return max(min(count, 5), math.ceil(count * settings.default.max_examples / 100))


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


IN_TURN = frozenset(
    [
        "test_audit.py::test_a_quasi_identifier_may_have_the_name_of_a_templates_column",
        "test_bad_input.py::test_a_quasi_identifier_may_have_any_name",
        "test_bad_input.py::test_what_is_cut_may_have_any_name",
        "test_bucket_faults.py::test_attacks_on_what_was_published",
        "test_bucket_faults.py::test_no_value_and_no_seed_is_told",
        "test_bucket_faults.py::test_parts_of_rows_stay_in_their_bucket",
        "test_charged_objectives.py::test_optimal_is_cheapest_where_suppressed_rows_are_charged",
        "test_combined.py::test_no_way_to_a_node_lets_anybody_be_in_too_surely",
        "test_combined.py::test_nobody_is_in_a_bucket_too_surely",
        "test_combined.py::test_two_thousand_of_adult_in_large_buckets",
        "test_comparison.py::test_methods_find_what_they_find_alone",
        "test_dbt_engines.py::test_a_guard_guards",
        "test_dbt_export.py::test_a_build_on_postgres",
        "test_dbt_export.py::test_a_build_publishes_what_a_run_does",
        "test_dbt_package.py::test_a_random_table",
        "test_dbt_projects.py::test_every_test_agrees_with_verify",
        "test_dbt_projects.py::test_every_test_on_postgres",
        "test_dbt_projects.py::test_the_publication_is_built_only_if_the_tests_hold",
        "test_dbt_projects.py::test_two_runs_inside_dbt",
        "test_dealing.py::test_a_seed_gives_the_same_bytes_again",
        "test_dealing.py::test_columns_of_any_name",
        "test_dealing.py::test_every_permutation_is_as_likely_as_another",
        "test_dealing.py::test_parts_are_permuted_apart",
        "test_dealing.py::test_rows_that_are_alike_do_not_stay_together",
        "test_dialects.py::test_all_queries_are_written",
        "test_docs.py::test_what_the_page_on_sweeps_shows",
        "test_examples_papers.py::test_figures_are_those_of_a_run",
        "test_exchange.py::test_bounds_hold_where_more_is_counted",
        "test_faults.py::test_four_runs_at_once",
        "test_faults.py::test_killed_where_a_publication_is_put_in_place",
        "test_fuzz.py::test_a_few_examples_of_every_kind",
        "test_init.py::test_asked_at_a_terminal",
        "test_init.py::test_command",
        "test_init.py::test_five_hundred_columns",
        "test_init.py::test_other_sources",
        "test_init.py::test_reader_options",
        "test_init.py::test_strange_tables_run",
        "test_locked.py::test_every_method_is_published_by_its_solution",
        "test_matching.py::test_sampling_all_originals_is_counting_them",
        "test_methods.py::test_a_budget_ends_a_hopeless_search",
        "test_methods.py::test_every_method_keeps_its_guarantee",
        "test_methods.py::test_no_method_is_better_than_optimal",
        "test_methods.py::test_threads_and_row_order_change_no_partition",
        "test_methods.py::test_threads_and_row_order_change_nothing",
        "test_models.py::test_excess_rows_are_a_bound",
        "test_models.py::test_monotone_under_generalization_as_flagged",
        "test_models.py::test_monotone_under_suppression_as_flagged",
        "test_models.py::test_paper_table_as_a_publication",
        "test_oracle.py::test_adult_node_losses",
        "test_partitioning.py::test_order_of_the_source_changes_nothing",
        "test_partitioning.py::test_relaxed_cuts",
        "test_partitioning.py::test_strict_cuts",
        "test_plan_queries.py::test_a_source_called_as_a_step_publishes_its_own_rows",
        "test_plan_queries.py::test_an_identifier_in_labels_is_found",
        "test_program.py::test_search_in_sql_finds_the_node_of_run",
        "test_progress.py::test_a_partition_tells_how_far_it_is",
        "test_promises.py::test_datafly_goes_on_until_the_published_rows_hold",
        "test_promises.py::test_run_against_the_published_rows",
        "test_promises.py::test_run_publishes_nothing_where_failing_classes_slip_through",
        "test_promises.py::test_search_with_one_model",
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
        "test_relaxed_buckets.py::test_adult_keeps_every_row",
        "test_relaxed_buckets.py::test_buckets_and_probabilities_are_those_of_the_definition",
        "test_relaxed_buckets.py::test_figure_3_9_comes_from_a_relaxed_cut",
        "test_report.py::test_forms_of_publications",
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
        "test_utility.py::test_a_partition_loses_what_a_reader_of_its_rows_computes",
        "test_utility.py::test_ncp_of_nodes_is_that_of_brute_force",
        "test_verify_publish.py::test_from_a_table_to_a_table",
        "test_verify_publish.py::test_order_does_not_follow_the_source",
        "test_whole_costs.py::test_optimal_finds_the_least_of_huge_costs_that_are_nearly_equal",
    ]
)
"""Slow tests: an ordinary run tries one in `TURNS` of their cases, other ones each day."""
