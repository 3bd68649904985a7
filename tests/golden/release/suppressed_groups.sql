-- suppressed_groups: suppression by group of each quasi-identifier
--   A group is a label of the quasi-identifier at some level. The labels of the 20 largest groups
--   are shown, but only of groups with 5 or more published rows.
-- reads:   frequency_set, generalized_values, published_equivalence_classes
-- returns: one row per quasi-identifier and shown group, and one for all its other groups
--   attribute        the quasi-identifier
--   label            label of the group
--   is_shown         false for all other groups together
--   group_count      groups                                [groups]
--   row_count        source rows of these groups           [rows]
--   suppressed_rows  those of them that are not published  [rows]
-- nulls:   the label of a missing value is null, and that of all other groups
with published_keys as (
    select distinct
        labels_1.code
        + labels_2.code
        + labels_3.code
        + labels_4.code
        + labels_5.code
        + labels_6.code
        + labels_7.code as key_1,
        labels_8.code as key_2
    from sqlanon.published_equivalence_classes as classes
    inner join sqlanon.generalized_values as labels_1
        on labels_1.attribute = 'the "age"'
        and labels_1.level = 1
        and labels_1.label is not distinct from classes."the ""age"""
    inner join sqlanon.generalized_values as labels_2
        on labels_2.attribute = 'born'
        and labels_2.level = 2
        and labels_2.label is not distinct from classes.born
    inner join sqlanon.generalized_values as labels_3
        on labels_3.attribute = 'zip'
        and labels_3.level = 1
        and labels_3.label is not distinct from classes.zip
    inner join sqlanon.generalized_values as labels_4
        on labels_4.attribute = 'select'
        and labels_4.level = 1
        and labels_4.label is not distinct from classes.quasi_identifier_4
    inner join sqlanon.generalized_values as labels_5
        on labels_5.attribute = 'longitude'
        and labels_5.level = 1
        and labels_5.label is not distinct from classes.longitude
    inner join sqlanon.generalized_values as labels_6
        on labels_6.attribute = 'tôwn'
        and labels_6.level = 1
        and labels_6.label is not distinct from classes."tôwn"
    inner join sqlanon.generalized_values as labels_7
        on labels_7.attribute = 'work'
        and labels_7.level = 0
        and labels_7.label is not distinct from classes.work
    inner join sqlanon.generalized_values as labels_8
        on labels_8.attribute = 'sex'
        and labels_8.level = 0
        and labels_8.label is not distinct from classes.sex
),
combinations as (
    select
        key_1 & 12333430 as key_1,
        key_2 & 100000000 as key_2,
        cast(sum(row_count) as bigint) as row_count
    from sqlanon.frequency_set
    where row_count > 0
    group by key_1 & 12333430, key_2 & 100000000
),
judged_combinations as materialized (
    select
        combinations.*,
        published_keys.key_1 is not null as is_published
    from combinations
    left join published_keys
        on published_keys.key_1 = combinations.key_1 & 11222220
        and published_keys.key_2 = combinations.key_2 & 100000000
),
grouped_rows as (
    select
        1 as attribute_number,
        'the "age"' as attribute,
        0 as level,
        key_1 & 30 as code,
        sum(row_count) as row_count,
        coalesce(sum(row_count) filter (where not is_published), 0) as suppressed_rows,
        coalesce(sum(row_count) filter (where is_published), 0) as published_count
    from judged_combinations
    group by key_1 & 30
    union all select
        2 as attribute_number,
        'born' as attribute,
        0 as level,
        key_1 & 400 as code,
        sum(row_count) as row_count,
        coalesce(sum(row_count) filter (where not is_published), 0) as suppressed_rows,
        coalesce(sum(row_count) filter (where is_published), 0) as published_count
    from judged_combinations
    group by key_1 & 400
    union all select
        3 as attribute_number,
        'zip' as attribute,
        0 as level,
        key_1 & 3000 as code,
        sum(row_count) as row_count,
        coalesce(sum(row_count) filter (where not is_published), 0) as suppressed_rows,
        coalesce(sum(row_count) filter (where is_published), 0) as published_count
    from judged_combinations
    group by key_1 & 3000
    union all select
        4 as attribute_number,
        'select' as attribute,
        0 as level,
        key_1 & 30000 as code,
        sum(row_count) as row_count,
        coalesce(sum(row_count) filter (where not is_published), 0) as suppressed_rows,
        coalesce(sum(row_count) filter (where is_published), 0) as published_count
    from judged_combinations
    group by key_1 & 30000
    union all select
        5 as attribute_number,
        'longitude' as attribute,
        0 as level,
        key_1 & 300000 as code,
        sum(row_count) as row_count,
        coalesce(sum(row_count) filter (where not is_published), 0) as suppressed_rows,
        coalesce(sum(row_count) filter (where is_published), 0) as published_count
    from judged_combinations
    group by key_1 & 300000
    union all select
        6 as attribute_number,
        'tôwn' as attribute,
        0 as level,
        key_1 & 2000000 as code,
        sum(row_count) as row_count,
        coalesce(sum(row_count) filter (where not is_published), 0) as suppressed_rows,
        coalesce(sum(row_count) filter (where is_published), 0) as published_count
    from judged_combinations
    group by key_1 & 2000000
    union all select
        7 as attribute_number,
        'work' as attribute,
        0 as level,
        key_1 & 10000000 as code,
        sum(row_count) as row_count,
        coalesce(sum(row_count) filter (where not is_published), 0) as suppressed_rows,
        coalesce(sum(row_count) filter (where is_published), 0) as published_count
    from judged_combinations
    group by key_1 & 10000000
    union all select
        8 as attribute_number,
        'sex' as attribute,
        0 as level,
        key_2 & 100000000 as code,
        sum(row_count) as row_count,
        coalesce(sum(row_count) filter (where not is_published), 0) as suppressed_rows,
        coalesce(sum(row_count) filter (where is_published), 0) as published_count
    from judged_combinations
    group by key_2 & 100000000
),
ranked_groups as (
    select
        grouped_rows.*,
        labels.label,
        grouped_rows.published_count >= 5 and row_number() over (
            partition by grouped_rows.attribute_number
            order by
                grouped_rows.published_count >= 5 desc,
                grouped_rows.row_count desc,
                labels.label
        ) <= 20 as is_shown
    from grouped_rows
    inner join sqlanon.generalized_values as labels
        on labels.attribute = grouped_rows.attribute
        and labels.level = grouped_rows.level
        and labels.code = grouped_rows.code
)
select
    attribute,
    case when is_shown then label end as label,
    is_shown,
    count(*) as group_count,
    cast(sum(row_count) as bigint) as row_count,
    cast(sum(suppressed_rows) as bigint) as suppressed_rows
from ranked_groups
group by attribute_number, attribute, case when is_shown then label end, is_shown
order by attribute_number, is_shown desc, row_count desc, label
