-- attack_of_skewness_7: a value is more than 2 times as likely in a class as in the table
-- source:  Li, Li and Venkatasubramanian 2007, t-closeness, section 3
-- reads:   sqlanon.published_equivalence_classes, sqlanon.published_class_values_of_disease, how
--   often each value of disease occurs in each class, and sqlanon.table_values_of_disease, how
--   often it occurs in the table
-- returns: one row per class
--   class_size     rows of the class   [rows]
--   rows_at_risk   rows of values whose gain exceeds 2, compared exactly   [rows]
--   certainty      largest share of such a value in the class; 0 if there is none   [0 to 1]
--   largest_gain   largest (share in class / share in table)   [ratio]
--   broken         true if rows are at risk; never null
-- nulls:   a missing value is a value of its own
with gains as (
    select
        classes.age, classes.zip,
        classes.class_size,
        class_values.value_count,
        cast(class_values.value_count as double) / classes.class_size as share,
        (cast(class_values.value_count as double) * table_values.table_size)
            / (cast(classes.class_size as double) * table_values.row_count) as gain,
        class_values.value_count * table_values.table_size
            > 2 * (classes.class_size * table_values.row_count) as is_gained
    from sqlanon.published_class_values_of_disease as class_values
    inner join sqlanon.table_values_of_disease as table_values on table_values.value = class_values.value
    inner join sqlanon.published_equivalence_classes as classes
        on classes.age is not distinct from class_values.age
        and classes.zip is not distinct from class_values.zip
)
select
    gains.age, gains.zip,
    gains.class_size,
    -- a person with several values is counted once
    least(
        coalesce(sum(gains.value_count) filter (where gains.is_gained), 0),
        gains.class_size
    ) as rows_at_risk,
    coalesce(max(gains.share) filter (where gains.is_gained), 0) as certainty,
    max(gains.gain) as largest_gain,
    bool_or(gains.is_gained) as broken
from gains
group by gains.age, gains.zip, gains.class_size
