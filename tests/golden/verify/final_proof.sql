-- proof_of_k_anonymity, once more, of what stands at its final place; no row means that it holds
-- returns: one row per failing class
with published_rows as (
    select *
    from read_parquet('it''s.parquet')
),
published_combinations as (
    select
        "the ""age""",
        satisfied as satisfied_,
        "select",
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
        satisfied_,
        "select",
        cast(sum(row_count) as bigint) as class_size
    from published_combinations
    group by
        "the ""age""",
        satisfied_,
        "select"
),
judged_classes as (
    -- k_anonymity: every published row shares its quasi-identifiers with at least 4 others (k = 5)
    -- source:  Sweeney 2002, k-anonymity: a model for protecting privacy
    -- reads:   published_equivalence_classes, one row per equivalence class
    -- returns: one row per equivalence class
    --   class_size  rows in the class   [rows]
    --   satisfied   class_size >= 5, never null
    -- nulls:   a null quasi-identifier is a value of its own
    select
        classes."the ""age""",
        classes.satisfied_,
        classes."select",
        classes.class_size,
        classes.class_size >= 5 as satisfied
    from published_equivalence_classes as classes
)
select *
from judged_classes
where not satisfied
order by all
