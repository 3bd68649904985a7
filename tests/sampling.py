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

ORDINARY_SHARE = 0.35
"""What an ordinary run tries of the share that a test is marked with, unless that is all."""

TURNS = 10
"""Ordinary runs until every case was tried of the slow tests, and of the others that are sampled,
unless they are marked with a smaller share."""

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


def ordinary(share: float) -> float:
    """The share of a test's cases that an ordinary run tries, of the one it is marked with."""
    return share if share == 1 else max(share * ORDINARY_SHARE, min(share, 1 / TURNS))


def sample(told: Sequence[Sequence[str]], share: float, turn: int, name: str) -> set[int]:
    """The cases of a turn, by their places, and all kinds of every way to tell them.

    There are as many turns as the share allows. After all of them, every case was drawn, and the
    next ones draw in another order.
    """
    turns = max(1, min(len(told), int(1 / share)))
    again, place = divmod(turn, turns)
    order = random.Random(f"{again} {name}").sample(range(len(told)), len(told))
    kept = set(order[place::turns])
    missing = {(way, kind) for kinds in told for way, kind in enumerate(kinds)}
    missing -= {each for chosen in kept for each in enumerate(told[chosen])}
    order = order[place:] + order[:place]
    while missing:
        best = max(order, key=lambda case: len(missing & set(enumerate(told[case]))))
        kept.add(best)
        missing -= set(enumerate(told[best]))
    return kept


IN_TURN = frozenset(
    [
        "test_attacks.py::test_a_release_that_is_broken_and_one_that_withstands",
        "test_attacks.py::test_backgrounds_that_are_none",
        "test_attacks.py::test_command_line",
        "test_attacks.py::test_linkage_by_brute_force",
        "test_attacks.py::test_paper_table_as_a_publication",
        "test_attacks.py::test_ruled_out_values_and_recursive_diversity_agree",
        "test_attacks.py::test_ruled_out_values_by_brute_force",
        "test_attacks.py::test_similarity_by_brute_force",
        "test_attacks.py::test_skewness_by_brute_force",
        "test_attacks.py::test_weights_by_brute_force",
        "test_audit.py::test_a_quasi_identifier_may_have_the_name_of_a_templates_column",
        "test_audit.py::test_population_and_publication_in_files_that_have_tables_of_one_name",
        "test_bad_input.py::test_a_quasi_identifier_may_have_any_name",
        "test_bad_input.py::test_codes_wider_than_one_word_find_the_same_as_narrow_ones",
        "test_bad_input.py::test_exit_codes_of_the_command_line",
        "test_bad_input.py::test_kept_columns_and_identifiers_may_have_any_name",
        "test_bad_input.py::test_sixty_columns_and_fifteen_quasi_identifiers",
        "test_bad_input.py::test_what_is_cut_may_have_any_name",
        "test_bucket_faults.py::test_attacks_on_what_was_published",
        "test_bucket_faults.py::test_no_value_and_no_seed_is_told",
        "test_bucket_faults.py::test_parts_of_rows_stay_in_their_bucket",
        "test_bucket_faults.py::test_two_seeds_tell_different_rows",
        "test_charged_objectives.py::test_optimal_is_cheapest_where_suppressed_rows_are_charged",
        "test_combined.py::test_no_way_to_a_node_lets_anybody_be_in_too_surely",
        "test_combined.py::test_nobody_is_in_a_bucket_too_surely",
        "test_combined.py::test_two_thousand_of_adult_in_large_buckets",
        "test_comparison.py::test_grid_is_what_each_plan_gives",
        "test_comparison.py::test_methods_find_what_they_find_alone",
        "test_comparison.py::test_optima_of_adult",
        "test_comparison.py::test_page",
        "test_comparison.py::test_risks_of_the_published_rows",
        "test_comparison.py::test_what_a_run_reads_is_made_anew",
        "test_console.py::test_commands_of_a_page",
        "test_dbt_engines.py::test_a_guard_guards",
        "test_dbt_engines.py::test_no_text_stops_postgres",
        "test_dbt_export.py::test_a_build_on_postgres",
        "test_dbt_export.py::test_a_build_publishes_what_a_run_does",
        "test_dbt_export.py::test_a_published_name_like_jinja_is_refused",
        "test_dbt_export.py::test_an_export_that_was_killed_is_completed",
        "test_dbt_package.py::test_a_random_table",
        "test_dbt_projects.py::test_every_test_agrees_with_verify",
        "test_dbt_projects.py::test_every_test_on_postgres",
        "test_dbt_projects.py::test_the_plan_of_a_real_project",
        "test_dbt_projects.py::test_the_publication_is_built_only_if_the_tests_hold",
        "test_dbt_projects.py::test_two_runs_inside_dbt",
        "test_dealing.py::test_a_seed_gives_the_same_bytes_again",
        "test_dealing.py::test_columns_of_any_name",
        "test_dealing.py::test_every_permutation_is_as_likely_as_another",
        "test_dealing.py::test_parts_are_permuted_apart",
        "test_dealing.py::test_rows_that_are_alike_do_not_stay_together",
        "test_dialects.py::test_all_queries_are_written",
        "test_diff.py::test_commands",
        "test_diff.py::test_the_search_is_the_second_and_writes_nothing",
        "test_display.py::test_a_notebook_shows_tables_whose_texts_are_escaped",
        "test_docs.py::test_difference_of_the_review_page",
        "test_docs.py::test_python_of_its_page",
        "test_docs.py::test_what_the_page_on_sweeps_shows",
        "test_examples_papers.py::test_a_picture_is_drawn_from_its_table",
        "test_examples_papers.py::test_figures_are_those_of_a_run",
        "test_exchange.py::test_bounds_hold_where_more_is_counted",
        "test_faults.py::test_four_runs_at_once",
        "test_faults.py::test_killed_where_a_publication_is_put_in_place",
        "test_faults.py::test_stopped_in_the_middle",
        "test_fuzz.py::test_a_few_examples_of_every_kind",
        "test_fuzz.py::test_the_corpus_has_no_fault",
        "test_hierarchy_commands.py::test_values_are_named_on_demand",
        "test_init.py::test_adult_in_two_commands",
        "test_init.py::test_asked_at_a_terminal",
        "test_init.py::test_command",
        "test_init.py::test_five_hundred_columns",
        "test_init.py::test_other_sources",
        "test_init.py::test_reader_options",
        "test_init.py::test_strange_tables_run",
        "test_init.py::test_the_text_is_the_plan",
        "test_init.py::test_visits_in_two_commands",
        "test_locked.py::test_a_replaced_solution_is_kept_and_told",
        "test_locked.py::test_every_method_is_published_by_its_solution",
        "test_matching.py::test_a_run_tells_what_its_buckets_hide",
        "test_matching.py::test_sampling_all_originals_is_counting_them",
        "test_membership.py::test_attack_on_permuted_buckets",
        "test_methods.py::test_a_budget_ends_a_search_that_finds_nothing",
        "test_methods.py::test_every_method_keeps_its_guarantee",
        "test_methods.py::test_incognito_knows_the_minimal_nodes",
        "test_methods.py::test_no_method_is_better_than_optimal",
        "test_methods.py::test_threads_and_row_order_change_no_partition",
        "test_methods.py::test_threads_and_row_order_change_nothing",
        "test_methods.py::test_what_is_published",
        "test_minimality.py::test_classes_above_the_limit_are_not_tried",
        "test_minimality.py::test_labels_tell_what_all_possible_tables_share",
        "test_minimality.py::test_paper_table",
        "test_minimality.py::test_rows_above_the_limit_are_not_safe_beside_a_class_that_was_tried",
        "test_models.py::test_excess_rows_are_a_bound",
        "test_models.py::test_monotone_under_generalization_as_flagged",
        "test_models.py::test_monotone_under_suppression_as_flagged",
        "test_models.py::test_paper_table_as_a_publication",
        "test_mutations.py::test_a_breakage_is_tried_and_mended",
        "test_oracle.py::test_adult_datafly",
        "test_oracle.py::test_adult_node_losses",
        "test_paper_tables.py::test_table",
        "test_partition_papers.py::test_adult_loses_no_more_than_with_other_tools",
        "test_partition_papers.py::test_mondrian",
        "test_partition_papers.py::test_mpalm_and_k_mondrian",
        "test_partitioning.py::test_order_of_the_source_changes_nothing",
        "test_partitioning.py::test_relaxed_cuts",
        "test_partitioning.py::test_strict_cuts",
        "test_plan_queries.py::test_a_source_called_as_a_step_publishes_its_own_rows",
        "test_plan_queries.py::test_an_identifier_in_labels_is_found",
        "test_privacy_models.py::test_no_classes_give_no_rows",
        "test_privacy_models.py::test_uniform_classes_have_their_full_entropy",
        "test_program.py::test_search_in_sql_finds_the_node_of_run",
        "test_program_elsewhere.py::test_spark_publishes_what_duckdb_publishes",
        "test_program_text.py::test_every_cte_is_read",
        "test_program_text.py::test_every_header_stands_once",
        "test_program_text.py::test_every_step_is_read",
        "test_program_text.py::test_no_alias_says_nothing",
        "test_program_text.py::test_no_line_is_long",
        "test_program_text.py::test_release_tells_of_every_column",
        "test_progress.py::test_a_partition_tells_how_far_it_is",
        "test_progress.py::test_a_search_of_the_lattice_tells_how_far_it_is",
        "test_promises.py::test_datafly_goes_on_until_the_published_rows_hold",
        "test_promises.py::test_run_against_the_published_rows",
        "test_promises.py::test_run_publishes_nothing_where_failing_classes_slip_through",
        "test_promises.py::test_search_with_one_model",
        "test_promises.py::test_shares_of_the_table_count_persons",
        "test_promises.py::test_verify_refuses_a_damaged_publication",
        "test_python.py::test_every_function_reads_the_same_rows",
        "test_python.py::test_rows_of_python_are_published_as_those_of_a_file",
        "test_python.py::test_types_of_pandas",
        "test_rearranged.py::test_corrupted_buckets_are_no_rearrangement",
        "test_rearranged.py::test_measured_diversity_of_a_sliced_table_is_that_over_all_matching_buckets",
        "test_rearranged.py::test_swaps_of_dealt_rows_are_caught_where_no_row_can_have_made_them",
        "test_rearranged.py::test_verify_refuses_what_can_be_told_too_surely_over_all_matching_buckets",
        "test_references.py::test_best_node",
        "test_references.py::test_incognito_checks",
        "test_references.py::test_lowest_height",
        "test_references.py::test_node_losses",
        "test_references.py::test_optimum",
        "test_references.py::test_optimum_of_a_case_that_lacks_a_model",
        "test_references.py::test_optimum_that_is_known",
        "test_references.py::test_satisfying_nodes",
        "test_relaxed_buckets.py::test_adult_keeps_every_row",
        "test_relaxed_buckets.py::test_buckets_and_probabilities_are_those_of_the_definition",
        "test_relaxed_buckets.py::test_figure_3_9_comes_from_a_relaxed_cut",
        "test_release_of_buckets.py::test_release_makes_the_rows_of_run",
        "test_report.py::test_a_report_that_fails_leaves_the_publication",
        "test_report.py::test_forms_of_publications",
        "test_report.py::test_no_value_is_named_that_few_published_rows_have",
        "test_report.py::test_the_external_edition_follows_from_the_publication_alone",
        "test_report_browser.py::test_a_page_in_a_browser",
        "test_robustness.py::test_an_output_that_nobody_reads",
        "test_robustness.py::test_options_that_are_none",
        "test_robustness.py::test_results_print_no_cells",
        "test_robustness.py::test_signals_end_a_run_cleanly",
        "test_robustness.py::test_the_largest_numbers_run",
        "test_robustness.py::test_what_needs_no_key_of_pseudonyms",
        "test_run_apart.py::test_a_manifest_of_a_killed_run_is_put_in_place_if_its_publication_is",
        "test_run_apart.py::test_a_path_is_the_file_of_this_name",
        "test_run_apart.py::test_a_run_that_is_stopped_before_its_manifest_is_in_place",
        "test_run_apart.py::test_folders_named_like_columns_are_no_columns",
        "test_run_apart.py::test_plans_in_two_threads_read_their_own_folders",
        "test_run_apart.py::test_plans_that_publish_to_one_place_wait",
        "test_run_apart.py::test_what_no_run_of_the_plan_wrote_is_not_overwritten",
        "test_secrets.py::test_no_value_decides_which_row_is_dealt_to_the_left",
        "test_secrets.py::test_one_seed_puts_two_publications_into_orders_of_their_own",
        "test_secrets.py::test_tables_of_one_publication_leave_the_same_beside_it",
        "test_sides.py::test_both_sides_are_those_of_brute_force_and_decide",
        "test_sliced_attacks.py::test_a_published_table_by_definition",
        "test_sliced_attacks.py::test_attacks_by_brute_force",
        "test_spark_cluster.py::test_a_run_is_killed_and_a_source_changes",
        "test_spark_cluster.py::test_a_run_is_stopped_in_the_middle",
        "test_spark_cluster.py::test_a_worker_is_killed_in_the_middle",
        "test_summaries.py::test_the_next_commands_work",
        "test_suppressed_groups.py::test_a_third_of_the_smallest_race_of_adult",
        "test_suppressed_groups.py::test_groups_are_those_of_the_rows",
        "test_suppressed_groups.py::test_the_loss_of_a_partition_is_the_mean_of_its_columns",
        "test_taxonomy.py::test_a_file_that_is_no_tree_is_told_by_line_and_names_no_label",
        "test_taxonomy.py::test_any_file_is_a_taxonomy_or_a_fault",
        "test_terminal.py::test_results_go_to_stdout",
        "test_thesis_experiment.py::test_permuted_columns_lie_between_what_is_forced_and_what_is_counted",
        "test_thesis_experiment.py::test_regions_of_four_give_nobody_away",
        "test_turns.py::test_a_run_does_not_wait_forever",
        "test_turns.py::test_a_temporary_table_leaves_nothing",
        "test_turns.py::test_threads_take_turns",
        "test_types.py::test_the_same_plan_publishes_the_same_rows_in_tokyo",
        "test_types.py::test_values_of_every_type_are_counted",
        "test_types.py::test_values_that_people_hold_equal_are_not_two",
        "test_utility.py::test_a_partition_loses_what_a_reader_of_its_rows_computes",
        "test_utility.py::test_average_class_size_is_in_multiples_of_the_k_of_k_anonymity",
        "test_utility.py::test_ncp_of_nodes_is_that_of_brute_force",
        "test_verify_publish.py::test_connection_is_left_as_it_was",
        "test_verify_publish.py::test_from_a_table_to_a_table",
        "test_verify_publish.py::test_manifest_of_a_partition",
        "test_verify_publish.py::test_order_does_not_follow_the_source",
        "test_verify_publish.py::test_second_run_while_the_first_result_is_kept",
        "test_warnings.py::test_what_is_a_repeating_person",
        "test_whole_costs.py::test_optimal_finds_the_least_of_huge_costs_that_are_nearly_equal",
    ]
)
"""Slow tests: an ordinary run tries one in `TURNS` of their cases, other ones each day."""
