-- attack_of_skewness_7: a value is more than 2 times as likely in a class as in the table
-- source:  Li, Li and Venkatasubramanian 2007, t-closeness, section 3
-- reads:   sqlanon.published_equivalence_classes, sqlanon.published_class_values_1, how often
--   each value of disease occurs in each class, and sqlanon.table_values_1, how often it occurs
--   in the table
-- returns: one row per class
--   class_size     rows of the class   [rows]
--   rows_at_risk   rows of values whose gain exceeds 2, compared exactly   [rows]
--   certainty      largest share of such a value in the class; 0 if there is none   [0 to 1]
--   largest_gain   largest (share in class / share in table)   [ratio]
--   broken         true if rows are at risk; never null
-- nulls:   a missing value is a value of its own
with value_totals as (
    -- in a class and in the table; if a person has several values, each of them counts
    select
        class_values.age, class_values.zip,
        class_values.value,
        class_values.value_count,
        cast(
            sum(class_values.value_count) over (
                partition by class_values.age, class_values.zip
            ) as bigint
        ) as class_total,
        table_values.row_count,
        table_totals.row_count as table_total
    from sqlanon.published_class_values_1 as class_values
    inner join sqlanon.table_values_1 as table_values on table_values.value = class_values.value
    cross join (
        select cast(sum(all_values.row_count) as bigint) as row_count
        from sqlanon.table_values_1 as all_values
    ) as table_totals
),
gains as (
    select
        value_totals.*,
        cast(value_totals.value_count as double) / value_totals.class_total as share,
        (cast(value_totals.value_count as double) * value_totals.table_total)
            / (cast(value_totals.class_total as double) * value_totals.row_count) as gain,
        value_totals.value_count * value_totals.table_total
            > 2 * (value_totals.class_total * value_totals.row_count) as is_gained
    from value_totals
)
select
    classes.age, classes.zip,
    classes.class_size,
    least(
        coalesce(sum(gains.value_count) filter (where gains.is_gained), 0),
        classes.class_size
    ) as rows_at_risk,
    coalesce(max(gains.share) filter (where gains.is_gained), 0) as certainty,
    max(gains.gain) as largest_gain,
    bool_or(gains.is_gained) as broken
from gains
inner join sqlanon.published_equivalence_classes as classes
    on classes.age is not distinct from gains.age
    and classes.zip is not distinct from gains.zip
group by classes.age, classes.zip, classes.class_size
