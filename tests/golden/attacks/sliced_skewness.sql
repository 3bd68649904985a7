-- attack_of_skewness_7: a value is more than 2 times as likely in a class as in the table
-- source:  Li, Li and Venkatasubramanian 2007, t-closeness, section 3
-- reads:   sqlanon.attack_of_skewness_7_beliefs, p(t, s) of each disease,
--   sqlanon.table_values_of_disease, how often it occurs in the table,
--   sqlanon.attack_of_skewness_7_classes and sqlanon.attack_of_skewness_7_class_values
-- returns: one row per class: rows of a bucket that agree in the column group of the attribute
--   class_size     rows of the class   [rows]
--   rows_at_risk   rows of values whose gain exceeds 2, within a tolerance of 1e-9, for
--                  somebody who may be in the class   [rows]
--   certainty      highest probability of such a value; 0 if there is none   [0 to 1]
--   largest_gain   largest (probability / share in the table)   [ratio]
--   broken         true if rows are at risk; never null
-- nulls:   a missing value is a value of its own
with gains as (
    select
        beliefs.quasi_identifier_1, beliefs.companion_1,
        beliefs.value,
        beliefs.share,
        beliefs.share * table_totals.row_count / table_values.row_count as gain
    from sqlanon.attack_of_skewness_7_beliefs as beliefs
    inner join sqlanon.table_values_of_disease as table_values
        on table_values.text is not distinct from beliefs.value
    cross join (
        select cast(sum(all_values.row_count) as double) as row_count
        from sqlanon.table_values_of_disease as all_values
    ) as table_totals
),
told_values as (
    select
        gains.quasi_identifier_1, gains.companion_1,
        gains.value,
        case when gains.gain > 2 + 0.000000001 then gains.share else 0 end as certainty,
        gains.gain as largest_gain,
        gains.gain > 2 + 0.000000001 as is_told
    from gains
),
class_told_values as (
    -- at risk is a value that is told to somebody who may be in the class
    select
        told_values.quasi_identifier_1, told_values.companion_1,
        told_values.value,
        max(told_values.certainty) as certainty,
        max(told_values.largest_gain) as largest_gain,
        bool_or(told_values.is_told) as is_told
    from told_values
    group by told_values.quasi_identifier_1, told_values.companion_1, told_values.value
)
select
    classes.quasi_identifier_1, classes.companion_1,
    classes.class_size,
    coalesce(
        sum(class_values.value_count) filter (where class_told_values.is_told), 0
    ) as rows_at_risk,
    max(class_told_values.certainty) as certainty,
    max(class_told_values.largest_gain) as largest_gain,
    coalesce(
        bool_or(class_told_values.is_told and class_values.value_count is not null),
        false
    ) as broken
from sqlanon.attack_of_skewness_7_classes as classes
inner join class_told_values
    on class_told_values.quasi_identifier_1 is not distinct from classes.quasi_identifier_1
    and class_told_values.companion_1 is not distinct from classes.companion_1
left join sqlanon.attack_of_skewness_7_class_values as class_values
    on class_values.quasi_identifier_1 is not distinct from class_told_values.quasi_identifier_1
    and class_values.companion_1 is not distinct from class_told_values.companion_1
    and class_values.value is not distinct from class_told_values.value
group by classes.quasi_identifier_1, classes.companion_1, classes.class_size
