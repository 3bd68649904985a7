-- proof_of_k_e_anonymity, repeated at the final place; no row means that it holds
-- returns: one row per failing class; a class without a judgement fails
with published_rows as (
    select *
    from read_parquet('it''s.parquet', hive_partitioning = false)
),
published_combinations as (
    select
        "the ""age""",
        sex,
        cast(diagnosis as varchar) as text_1,
        cast(salary as varchar) as text_2,
        count(*) as row_count
    from published_rows
    group by
        "the ""age""",
        sex,
        diagnosis,
        salary
),
published_equivalence_classes as (
    select
        "the ""age""",
        sex,
        cast(sum(row_count) as bigint) as class_size
    from published_combinations
    group by
        "the ""age""",
        sex
),
published_class_values_2 as (
    select
        combinations."the ""age""",
        combinations.sex,
        table_values.value,
        cast(sum(combinations.row_count) as bigint) as value_count
    from published_combinations as combinations
    inner join sqlanon.table_values_2 as table_values
        on table_values.text is not distinct from combinations.text_2
    group by
        combinations."the ""age""",
        combinations.sex,
        table_values.value
),
judged_classes as (
    -- k_e_anonymity: every class holds at least 2 different values of salary, at least 10
    --   apart from the least to the greatest
    -- source:  Zhang, Koudas, Srivastava and Yu 2007, Aggregate query answering
    -- reads:   published_class_values_2, sqlanon.table_values_2 of salary
    -- returns: one row per equivalence class
    --   value_range   largest minus smallest number in the class
    --   satisfied     different numbers >= 2 and value_range >= 10, to a
    --                 tolerance of 1e-9; never null
    -- nulls:   a missing value is not a number and counts neither as a value nor for the range
    with class_ranges as (
        select
            class_values."the ""age""",
            class_values.sex,
            cast(sum(class_values.value_count) as bigint) as value_total,
            count(distinct table_values.number) as number_count,
            coalesce(max(table_values.number) - min(table_values.number), 0) as value_range
        from published_class_values_2 as class_values
        inner join sqlanon.table_values_2 as table_values
            on table_values.value = class_values.value
        group by class_values."the ""age""", class_values.sex
    )
    select
        class_ranges."the ""age""",
        class_ranges.sex,
        class_ranges.value_range,
        class_ranges.number_count >= 2
            and class_ranges.value_range >= 10 - 0.000000001 as satisfied
    from class_ranges
)
select published_equivalence_classes.*
from published_equivalence_classes
left join judged_classes
    on judged_classes."the ""age"""
        is not distinct from published_equivalence_classes."the ""age"""
    and judged_classes.sex is not distinct from published_equivalence_classes.sex
where not coalesce(judged_classes.satisfied, false)
order by all
