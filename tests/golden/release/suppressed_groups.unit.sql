-- suppressed_groups: suppression by group of each quasi-identifier
--   A group is a label of the quasi-identifier at some level. The labels of the 20 largest groups
--   are shown, but only of groups with 5 or more published persons.
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
        + labels_2.code as key_1
    from sqlanon.published_equivalence_classes as classes
    inner join sqlanon.generalized_values as labels_1
        on labels_1.attribute = 'the "age"'
        and labels_1.level = 1
        and labels_1.label is not distinct from classes."the ""age"""
    inner join sqlanon.generalized_values as labels_2
        on labels_2.attribute = 'sex'
        and labels_2.level = 0
        and labels_2.label is not distinct from classes.sex
),
combinations as (
    select
        key_1 & 130 as key_1,
        person,
        cast(sum(row_count) as bigint) as row_count
    from sqlanon.frequency_set
    where row_count > 0
    group by key_1 & 130, person
),
judged_combinations as materialized (
    select
        combinations.*,
        published_keys.key_1 is not null as is_published
    from combinations
    left join published_keys
        on published_keys.key_1 = combinations.key_1 & 120
),
grouped_rows as (
    select
        1 as attribute_number,
        'the "age"' as attribute,
        0 as level,
        key_1 & 30 as code,
        sum(row_count) as row_count,
        coalesce(sum(row_count) filter (where not is_published), 0) as suppressed_rows,
        count(distinct person) filter (where is_published) as published_count
    from judged_combinations
    group by key_1 & 30
    union all select
        2 as attribute_number,
        'sex' as attribute,
        0 as level,
        key_1 & 100 as code,
        sum(row_count) as row_count,
        coalesce(sum(row_count) filter (where not is_published), 0) as suppressed_rows,
        count(distinct person) filter (where is_published) as published_count
    from judged_combinations
    group by key_1 & 100
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
