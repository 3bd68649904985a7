-- attack_of_background_knowledge_ruled_out_5: an attacker who rules out any 1 value(s) knows
--   another with a certainty of at least 1
-- source:  Machanavajjhala et al. 2007, l-diversity, Theorem 3.2
-- reads:   sqlanon.published_equivalence_classes, and sqlanon.published_class_values_of_disease,
--   how often each value of disease occurs in each class
-- returns: one row per class
--   class_size     rows of the class   [rows]
--   rows_at_risk   rows of values whose certainty is at least 1, compared exactly   [rows]
--   certainty      share of the most frequent value when the 1 most frequent
--                  others are ruled out; no other value is more certain   [0 to 1]
--   broken         true if rows are at risk; never null
-- nulls:   a missing value is a value of its own
with ranked_values as (
    select
        class_values.*,
        row_number() over (
            partition by class_values.age, class_values.zip
            order by class_values.value_count desc, class_values.value
        ) as place
    from sqlanon.published_class_values_of_disease as class_values
),
possible_values as (
    -- the most frequent others are the first 2 values without the value itself, or the
    -- first 1 values if the value comes later
    select
        ranked_values.*,
        cast(case
            when ranked_values.place <= 2
                then ranked_values.value_count
                    + coalesce(sum(ranked_values.value_count) filter (
                        where ranked_values.place > 2
                    ) over same_class, 0)
            else sum(ranked_values.value_count) filter (
                where ranked_values.place > 1
            ) over same_class
        end as bigint) as possible_total
    from ranked_values
    window same_class as (
        partition by ranked_values.age, ranked_values.zip
    )
),
disclosed_values as (
    select
        classes.age, classes.zip,
        classes.class_size,
        possible_values.value_count,
        cast(possible_values.value_count as double) / possible_values.possible_total as certainty,
        possible_values.value_count >= 1 * possible_values.possible_total as is_disclosed
    from possible_values
    inner join sqlanon.published_equivalence_classes as classes
        on classes.age is not distinct from possible_values.age
        and classes.zip is not distinct from possible_values.zip
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
    bool_or(disclosed_values.is_disclosed) as broken
from disclosed_values
group by disclosed_values.age, disclosed_values.zip, disclosed_values.class_size
