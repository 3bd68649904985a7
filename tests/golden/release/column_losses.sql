-- column_losses: share of its values that a label covers, for each quasi-identifier
-- source:  Ghinita 2007, by values: 0 for a label of a single value, else leaves / all leaves
-- reads:   published_combinations, generalized_values, level_measures
-- returns: one row per quasi-identifier
--   loss   0 (as in the source) to 1 (nothing is left), the mean over all rows; those that are
--          suppressed cost 1
-- nulls:   the label of a missing value is null below the top
with published_labels as (
    select
        1 as attribute_number,
        'the "age"' as attribute,
        1 as level,
        cast(combinations."the ""age""" as varchar) as label,
        sum(combinations.row_count) as row_count
    from sqlanon.published_combinations as combinations
    group by combinations."the ""age"""
    union all select
        2 as attribute_number,
        'born' as attribute,
        2 as level,
        cast(combinations.born as varchar) as label,
        sum(combinations.row_count) as row_count
    from sqlanon.published_combinations as combinations
    group by combinations.born
    union all select
        3 as attribute_number,
        'zip' as attribute,
        1 as level,
        cast(combinations.zip as varchar) as label,
        sum(combinations.row_count) as row_count
    from sqlanon.published_combinations as combinations
    group by combinations.zip
    union all select
        4 as attribute_number,
        'select' as attribute,
        1 as level,
        cast(combinations.quasi_identifier_4 as varchar) as label,
        sum(combinations.row_count) as row_count
    from sqlanon.published_combinations as combinations
    group by combinations.quasi_identifier_4
    union all select
        5 as attribute_number,
        'longitude' as attribute,
        1 as level,
        cast(combinations.longitude as varchar) as label,
        sum(combinations.row_count) as row_count
    from sqlanon.published_combinations as combinations
    group by combinations.longitude
    union all select
        6 as attribute_number,
        'tôwn' as attribute,
        1 as level,
        cast(combinations."tôwn" as varchar) as label,
        sum(combinations.row_count) as row_count
    from sqlanon.published_combinations as combinations
    group by combinations."tôwn"
    union all select
        7 as attribute_number,
        'work' as attribute,
        0 as level,
        cast(combinations.work as varchar) as label,
        sum(combinations.row_count) as row_count
    from sqlanon.published_combinations as combinations
    group by combinations.work
    union all select
        8 as attribute_number,
        'sex' as attribute,
        0 as level,
        cast(combinations.sex as varchar) as label,
        sum(combinations.row_count) as row_count
    from sqlanon.published_combinations as combinations
    group by combinations.sex
),
kept_shares as (
    -- what is left of the values: nothing of those of suppressed rows, whose labels are not found
    select
        published_labels.attribute_number,
        published_labels.attribute,
        sum(
            published_labels.row_count * case
                when generalized_values.leaf_count = 1 then 1
                else 1 - cast(generalized_values.leaf_count as double) / level_measures.leaf_count
            end
            order by published_labels.label
        ) / 1000 as kept_share,
        min(level_measures.leaf_count) as leaf_count
    from published_labels
    inner join sqlanon.generalized_values
        on generalized_values.attribute = published_labels.attribute
        and generalized_values.level = published_labels.level
        and generalized_values.label is not distinct from published_labels.label
    inner join sqlanon.level_measures
        on level_measures.attribute = published_labels.attribute
        and level_measures.level = published_labels.level
    group by published_labels.attribute_number, published_labels.attribute
)
select
    attribute,
    case when leaf_count > 1 then 1 - kept_share else 0 end as loss
from kept_shares
order by attribute_number
