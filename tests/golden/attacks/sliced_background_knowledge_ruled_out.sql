-- attack_of_background_knowledge_ruled_out_5: an attacker who rules out any 1 value(s) knows
--   another with a certainty of at least 1
-- source:  Machanavajjhala et al. 2007, l-diversity, Theorem 3.2
-- reads:   sqlanon.attack_of_background_knowledge_ruled_out_5_beliefs, p(t, s) of each disease,
--   sqlanon.attack_of_background_knowledge_ruled_out_5_classes and
--   sqlanon.attack_of_background_knowledge_ruled_out_5_class_values
-- returns: one row per class: rows of a bucket that agree in the column group of the attribute
--   class_size     rows of the class   [rows]
--   rows_at_risk   rows of values whose certainty is 1 or more, within a tolerance of
--                  1e-9, for somebody who may be in the class   [rows]
--   certainty      probability of the most likely value when the 1 most likely others are
--                  ruled out; no other value is more certain   [0 to 1]
--   broken         true if rows are at risk; never null
-- nulls:   a missing value is a value of its own
with ranked_values as (
    select
        beliefs.*,
        row_number() over (
            partition by beliefs.quasi_identifier_1, beliefs.companion_1, beliefs.belief
            order by beliefs.share desc, beliefs.value nulls first
        ) as place
    from sqlanon.attack_of_background_knowledge_ruled_out_5_beliefs as beliefs
),
possible_values as (
    -- the likeliest others are the first 2 values without the value itself, or the first
    -- 1 values if the value comes later
    select
        ranked_values.*,
        case
            when ranked_values.place <= 2
                then ranked_values.share
                    + coalesce(sum(ranked_values.share) filter (
                        where ranked_values.place > 2
                    ) over same_belief, 0)
            else sum(ranked_values.share) filter (
                where ranked_values.place > 1
            ) over same_belief
        end as possible_share
    from ranked_values
    window same_belief as (
        partition by
            ranked_values.quasi_identifier_1, ranked_values.companion_1, ranked_values.belief
    )
),
told_values as (
    select
        possible_values.quasi_identifier_1, possible_values.companion_1,
        possible_values.value,
        least(possible_values.share / possible_values.possible_share, 1) as certainty,
        possible_values.share / possible_values.possible_share
            >= 1 - 0.000000001 as is_told
    from possible_values
),
class_told_values as (
    -- at risk is a value that is told to somebody who may be in the class
    select
        told_values.quasi_identifier_1, told_values.companion_1,
        told_values.value,
        max(told_values.certainty) as certainty,
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
    coalesce(
        bool_or(class_told_values.is_told and class_values.value_count is not null),
        false
    ) as broken
from sqlanon.attack_of_background_knowledge_ruled_out_5_classes as classes
inner join class_told_values
    on class_told_values.quasi_identifier_1 is not distinct from classes.quasi_identifier_1
    and class_told_values.companion_1 is not distinct from classes.companion_1
left join sqlanon.attack_of_background_knowledge_ruled_out_5_class_values as class_values
    on class_values.quasi_identifier_1 is not distinct from class_told_values.quasi_identifier_1
    and class_values.companion_1 is not distinct from class_told_values.companion_1
    and class_values.value is not distinct from class_told_values.value
group by classes.quasi_identifier_1, classes.companion_1, classes.class_size
