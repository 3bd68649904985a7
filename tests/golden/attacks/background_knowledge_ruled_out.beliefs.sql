-- attack_of_background_knowledge_ruled_out_5: an attacker who rules out any 1 value(s) knows
--   another with a certainty of at least 1
-- source:  Machanavajjhala et al. 2007, l-diversity, Theorem 3.2
-- reads:   sqlanon.attack_of_background_knowledge_ruled_out_5_beliefs, p(t, s) of each disease,
--   sqlanon.attack_of_background_knowledge_ruled_out_5_classes and
--   sqlanon.attack_of_background_knowledge_ruled_out_5_class_values
-- returns: one row per class: rows of a bucket that agree in the column group of the attribute
--   class_size     rows of the class   [rows]
--   rows_at_risk   rows of values whose certainty is 1 or more, within a tolerance of 1e-9, for
--                  somebody who may be in the class   [rows]
--   certainty      probability of the most likely value when the 1 most likely
--                  others are ruled out; no other value is more certain   [0 to 1]
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
    -- the likeliest others are the first 2 values without the value itself, or the
    -- first 1 values if the value comes later
    select
        ranked_values.*,
        cast(case
            when ranked_values.place <= 2
                then ranked_values.share
                    + coalesce(sum(ranked_values.share) filter (
                        where ranked_values.place > 2
                    ) over same_belief, 0)
            else sum(ranked_values.share) filter (
                where ranked_values.place > 1
            ) over same_belief
        end as double) as possible_total
    from ranked_values
    window same_belief as (
        partition by
            ranked_values.quasi_identifier_1, ranked_values.companion_1, ranked_values.belief
    )
),
disclosed_values as (
    select
        possible_values.*,
        least(possible_values.share / possible_values.possible_total, 1) as certainty,
        possible_values.share / possible_values.possible_total
            >= 1 - 0.000000001 as is_disclosed
    from possible_values
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
    from sqlanon.attack_of_background_knowledge_ruled_out_5_classes as classes
    inner join value_disclosures
        on value_disclosures.quasi_identifier_1 is not distinct from classes.quasi_identifier_1
        and value_disclosures.companion_1 is not distinct from classes.companion_1
    left join sqlanon.attack_of_background_knowledge_ruled_out_5_class_values as class_values
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
