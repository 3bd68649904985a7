-- attack_of_homogeneity_4: all rows of a class have the same value, so everyone in the class has it
-- source:  Machanavajjhala et al. 2006, l-diversity, section 1
-- reads:   sqlanon.attack_of_homogeneity_4_beliefs, p(t, s) of each disease,
--   sqlanon.attack_of_homogeneity_4_classes and sqlanon.attack_of_homogeneity_4_class_values
-- returns: one row per class: rows of a bucket that agree in the column group of the attribute
--   class_size     rows of the class   [rows]
--   rows_at_risk   rows of values with a probability of 1 or more, within a tolerance of 1e-9, for
--                  somebody who may be in the class   [rows]
--   certainty      highest probability of a value   [0 to 1]
--   broken         true if rows are at risk; never null
-- nulls:   a missing value is a value of its own
with disclosed_values as (
    select
        beliefs.*,
        beliefs.share as certainty,
        beliefs.share >= 1 - 0.000000001 as is_disclosed
    from sqlanon.attack_of_homogeneity_4_beliefs as beliefs
),
value_disclosures as (
    -- at risk is a value that is disclosed to somebody who may be in the class
    select
        disclosed_values.quasi_identifier_1, disclosed_values.companion_1,
        disclosed_values.value,
        max(disclosed_values.certainty) as certainty,
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
        value_disclosures.is_disclosed and class_values.value_count is not null as is_disclosed
    from sqlanon.attack_of_homogeneity_4_classes as classes
    inner join value_disclosures
        on value_disclosures.quasi_identifier_1 is not distinct from classes.quasi_identifier_1
        and value_disclosures.companion_1 is not distinct from classes.companion_1
    left join sqlanon.attack_of_homogeneity_4_class_values as class_values
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
    bool_or(counted_values.is_disclosed) as broken
from counted_values
group by counted_values.quasi_identifier_1, counted_values.companion_1, counted_values.class_size
