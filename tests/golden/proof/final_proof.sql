-- proof_of_k_anonymity, repeated at the final place; no row means that it holds
-- returns: one row per failing class; a class without a judgement fails
with published_rows as (
    select *
    from read_parquet('it''s.parquet', hive_partitioning = false)
),
published_combinations as (
    select
        "the ""age""",
        satisfied as quasi_identifier_2,
        "select" as quasi_identifier_3,
        count(*) as row_count
    from published_rows
    group by
        "the ""age""",
        satisfied,
        "select"
),
published_equivalence_classes as (
    select
        "the ""age""",
        quasi_identifier_2,
        quasi_identifier_3,
        cast(sum(row_count) as bigint) as class_size
    from published_combinations
    group by
        "the ""age""",
        quasi_identifier_2,
        quasi_identifier_3
),
judged_classes as (
    -- k_anonymity: every published row shares its quasi-identifiers with at least 4
    --   others (k = 5)
    -- source:  Sweeney 2002, k-anonymity: a model for protecting privacy
    -- reads:   published_equivalence_classes, one row per equivalence class
    -- returns: one row per equivalence class
    --   class_size  rows in the class   [rows]
    --   satisfied   class_size >= 5; never null
    -- nulls:   a null quasi-identifier is a value of its own
    select
        classes."the ""age""",
        classes.quasi_identifier_2,
        classes.quasi_identifier_3,
        classes.class_size,
        classes.class_size >= 5 as satisfied
    from published_equivalence_classes as classes
)
select published_equivalence_classes.*
from published_equivalence_classes
left join judged_classes
    on judged_classes."the ""age"""
        is not distinct from published_equivalence_classes."the ""age"""
    and judged_classes.quasi_identifier_2
        is not distinct from published_equivalence_classes.quasi_identifier_2
    and judged_classes.quasi_identifier_3
        is not distinct from published_equivalence_classes.quasi_identifier_3
where not coalesce(judged_classes.satisfied, false)
order by all
