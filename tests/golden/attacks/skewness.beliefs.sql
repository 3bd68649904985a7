-- attack_of_skewness_7: a value is more than 2 times as likely in a class as in the table
-- source:  Li, Li and Venkatasubramanian 2007, t-closeness, section 3
-- reads:   sqlanon.attack_of_skewness_7_beliefs, p(t, s) of each disease,
--   sqlanon.table_values_of_disease, how often it occurs in the table,
--   sqlanon.attack_of_skewness_7_classes and sqlanon.attack_of_skewness_7_class_values
-- returns: one row per class: rows of a bucket that agree in the column group of the attribute
--   class_size     rows of the class   [rows]
--   rows_at_risk   rows of values whose gain exceeds 2, within a tolerance of 1e-9, for somebody
--                  who may be in the class   [rows]
--   certainty      highest probability of such a value; 0 if there is none   [0 to 1]
--   largest_gain   largest (probability / share in table)   [ratio]
--   broken         true if rows are at risk; never null
-- nulls:   a missing value is a value of its own
with gains as (
    select
        beliefs.*,
        beliefs.share * table_totals.row_count / table_values.row_count as largest_gain
    from sqlanon.attack_of_skewness_7_beliefs as beliefs
    inner join sqlanon.table_values_of_disease as table_values
        on table_values.text is not distinct from beliefs.value
    cross join (
        select cast(sum(all_values.row_count) as double) as row_count
        from sqlanon.table_values_of_disease as all_values
    ) as table_totals
),
disclosed_values as (
    select
        gains.*,
        case when gains.largest_gain > 2 + 0.000000001 then gains.share else 0 end as certainty,
        gains.largest_gain > 2 + 0.000000001 as is_disclosed
    from gains
),
value_disclosures as (
    -- at risk is a value that is disclosed to somebody who may be in the class
    select
        disclosed_values.quasi_identifier_1, disclosed_values.companion_1,
        disclosed_values.value,
        max(disclosed_values.certainty) as certainty,
        max(disclosed_values.largest_gain) as largest_gain,
        bool_or(disclosed_values.is_disclosed) as is_disclosed
    from disclosed_values
    group by
        disclosed_values.quasi_identifier_1, disclosed_values.companion_1, disclosed_values.value
),
counted_values as (
    select
        classes.quasi_identifier_1, classes.companion_1,
        classes.class_size,
        class_values.value_count,
        value_disclosures.certainty,
        value_disclosures.largest_gain,
        value_disclosures.is_disclosed and class_values.value_count is not null as is_disclosed
    from sqlanon.attack_of_skewness_7_classes as classes
    inner join value_disclosures
        on value_disclosures.quasi_identifier_1 is not distinct from classes.quasi_identifier_1
        and value_disclosures.companion_1 is not distinct from classes.companion_1
    left join sqlanon.attack_of_skewness_7_class_values as class_values
        on class_values.quasi_identifier_1 is not distinct from value_disclosures.quasi_identifier_1
        and class_values.companion_1 is not distinct from value_disclosures.companion_1
        and class_values.value is not distinct from value_disclosures.value
)
select
    counted_values.quasi_identifier_1, counted_values.companion_1,
    counted_values.class_size,
    -- a person with several values is counted once
    least(
        coalesce(sum(counted_values.value_count) filter (where counted_values.is_disclosed), 0),
        counted_values.class_size
    ) as rows_at_risk,
    max(counted_values.certainty) as certainty,
    max(counted_values.largest_gain) as largest_gain,
    bool_or(counted_values.is_disclosed) as broken
from counted_values
group by counted_values.quasi_identifier_1, counted_values.companion_1, counted_values.class_size
