-- proof_of_t_closeness, repeated at the final place; no row means that it holds
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
        visitor as person,
        count(*) as row_count
    from published_rows
    group by
        "the ""age""",
        sex,
        diagnosis,
        visitor
),
published_equivalence_classes as (
    select
        "the ""age""",
        sex,
        count(distinct person) as class_size
    from published_combinations
    group by
        "the ""age""",
        sex
),
published_class_values_1 as (
    select
        combinations."the ""age""",
        combinations.sex,
        table_values.value,
        count(distinct combinations.person) as value_count
    from published_combinations as combinations
    inner join sqlanon.table_values_1 as table_values
        on table_values.text is not distinct from combinations.text_1
    group by
        combinations."the ""age""",
        combinations.sex,
        table_values.value
),
published_value_classes_1 as (
    select
        "the ""age""",
        sex,
        cast(sum(value_count) as bigint) as class_size
    from published_class_values_1
    group by
        "the ""age""",
        sex
),
judged_classes as (
    -- t_closeness_equal: in every class the values of diagnosis are spread as in the
    --   whole table, to a distance of 0.2 (equal)
    -- source:  Li, Li and Venkatasubramanian 2007, t-closeness
    -- reads:   published_value_classes_1, published_class_values_1,
    --   sqlanon.table_values_1 of diagnosis
    -- returns: one row per equivalence class
    --   distance    half the sum over all values of |share in class - share in table|; only
    --               values above their share in the table are summed, because the others
    --               make up the other half   [0 to 1]
    --   satisfied   distance <= 0.2, within a tolerance of 1e-9; never null
    -- nulls:   a missing value is a value of its own
    with table_shares as (
        select
            table_values.value,
            table_values.row_count
                / sum(cast(table_values.row_count as double))
                over () as share
        from sqlanon.table_values_1 as table_values
    ),
    class_distances as (
        select
            classes."the ""age""",
            classes.sex,
            classes.class_size,
            sum(
                greatest(
                    class_values.value_count / cast(classes.class_size as double)
                        - table_shares.share,
                    0
                )
            ) as distance
        from published_class_values_1 as class_values
        inner join table_shares
            on table_shares.value = class_values.value
        inner join published_value_classes_1 as classes
            on classes."the ""age""" is not distinct from class_values."the ""age"""
            and classes.sex is not distinct from class_values.sex
        group by classes."the ""age""", classes.sex, classes.class_size
    )
    select
        class_distances."the ""age""",
        class_distances.sex,
        class_distances.distance,
        class_distances.distance <= 0.2 + 0.000000001 as satisfied
    from class_distances
)
select published_equivalence_classes.*
from published_equivalence_classes
left join judged_classes
    on judged_classes."the ""age"""
        is not distinct from published_equivalence_classes."the ""age"""
    and judged_classes.sex is not distinct from published_equivalence_classes.sex
where not coalesce(judged_classes.satisfied, false)
order by all
