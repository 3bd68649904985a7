-- proof_of_average_risk, repeated at the final place; no row means that it holds
-- returns: one row per failing class; a class without a judgement fails
with published_rows as (
    select *
    from read_parquet('it''s.parquet', hive_partitioning = false)
),
published_combinations as (
    select
        "the ""age""",
        sex,
        count(*) as row_count
    from published_rows
    group by
        "the ""age""",
        sex
),
published_equivalence_classes as (
    select
        counted_classes."the ""age""",
        counted_classes.sex,
        counted_classes.class_size,
        coalesce(population_classes.population_size, 0) as population_size
    from (
        select
            "the ""age""",
            sex,
            cast(sum(row_count) as bigint) as class_size
        from published_combinations
        group by
            "the ""age""",
            sex
    ) as counted_classes
    left join sqlanon.population_classes as population_classes
        on population_classes."the ""age""" is not distinct from counted_classes."the ""age"""
        and population_classes.sex is not distinct from counted_classes.sex
),
judged_classes as (
    -- average_risk: the chance to name the person of a row is at most 0.1 on average
    -- source:  El Emam 2013, Guide to the de-identification of personal health data
    -- reads:   published_equivalence_classes, one row per equivalence class
    -- returns: one row per equivalence class
    --   average_risk  classes / rows, for this class and the larger ones   [0 to 1]
    --   satisfied     average_risk <= 0.1, compared exactly; never null: if the risk
    --                 of the whole table is too high, the smallest classes fail; of classes
    --                 of equal size the last by key
    -- nulls:   a null quasi-identifier is a value of its own
    with larger_classes as (
        select
            classes."the ""age""",
            classes.sex,
            count(*) over larger as class_count,
            cast(sum(classes.class_size) over larger as bigint) as row_count
        from published_equivalence_classes as classes
        window larger as (
            order by classes.class_size desc, classes."the ""age""", classes.sex
            rows between unbounded preceding and current row
        )
    )
    select
        larger_classes."the ""age""",
        larger_classes.sex,
        cast(larger_classes.class_count as double) / larger_classes.row_count as average_risk,
        larger_classes.class_count <= 0.1 * larger_classes.row_count as satisfied
    from larger_classes
)
select published_equivalence_classes.*
from published_equivalence_classes
left join judged_classes
    on judged_classes."the ""age"""
        is not distinct from published_equivalence_classes."the ""age"""
    and judged_classes.sex is not distinct from published_equivalence_classes.sex
where not coalesce(judged_classes.satisfied, false)
order by all
