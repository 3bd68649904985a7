-- attack_of_skewness_7: a value is more than 2 times as likely in a class as in the table
-- source:  Li, Li and Venkatasubramanian 2007, t-closeness, section 3
-- reads:   sqlanon.published_equivalence_classes, sqlanon.table_values_of_disease, how often it
--   occurs in the table, and sqlanon.published_class_values_of_disease, how often each value of
--   disease occurs in each class
-- returns: one row per class
--   class_size     rows of the class   [rows]
--   rows_at_risk   rows of values whose gain exceeds 2, compared exactly   [rows]
--   certainty      largest share of such a value; 0 if there is none   [0 to 1]
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
            / (cast(classes.class_size as double) * table_values.row_count) as largest_gain,
        class_values.value_count * table_values.table_size
            > 2 * (classes.class_size * table_values.row_count) as is_gained
    from sqlanon.published_class_values_of_disease as class_values
    inner join sqlanon.table_values_of_disease as table_values
        on table_values.value = class_values.value
    inner join sqlanon.published_equivalence_classes as classes
        on classes.age is not distinct from class_values.age
        and classes.zip is not distinct from class_values.zip
),
disclosed_values as (
    select
        gains.*,
        case when gains.is_gained then gains.share else 0 end as certainty,
        gains.is_gained as is_disclosed
    from gains
)
select
    disclosed_values.age, disclosed_values.zip,
    disclosed_values.class_size,
    -- a person with several values is counted once
    least(
        coalesce(sum(disclosed_values.value_count) filter (where disclosed_values.is_disclosed), 0),
        disclosed_values.class_size
    ) as rows_at_risk,
    max(disclosed_values.certainty) as certainty,
    max(disclosed_values.largest_gain) as largest_gain,
    bool_or(disclosed_values.is_disclosed) as broken
from disclosed_values
group by disclosed_values.age, disclosed_values.zip, disclosed_values.class_size
