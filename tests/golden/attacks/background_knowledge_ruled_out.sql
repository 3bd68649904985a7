-- attack_of_background_knowledge_ruled_out_5: an attacker who rules out any 1 value(s) knows
--   another with a certainty of at least 1
-- source:  Machanavajjhala et al. 2007, l-diversity, Theorem 3.2
-- reads:   sqlanon.published_equivalence_classes, and sqlanon.published_class_values_of_disease,
--   how often each value of disease occurs in each class
-- returns: one row per class
--   class_size     rows of the class   [rows]
--   rows_at_risk   rows of values whose certainty is 1 or more, compared exactly   [rows]
--   certainty      share of the most frequent value when the 1 most frequent others are
--                  ruled out; no other value is more certain   [0 to 1]
--   broken         true if rows are at risk; never null
-- nulls:   a missing value is a value of its own
with ranked_values as (
    select
        class_values.age, class_values.zip,
        class_values.value_count,
        row_number() over (
            partition by class_values.age, class_values.zip
            order by class_values.value_count desc, class_values.value
        ) as place
    from sqlanon.published_class_values_of_disease as class_values
),
placed_values as (
    -- the most frequent others are the first 2 values without the value itself, or the
    -- first 1 values if the value comes later
    select
        ranked_values.age, ranked_values.zip,
        ranked_values.value_count,
        ranked_values.place,
        coalesce(
            sum(ranked_values.value_count) filter (
                where ranked_values.place > 2
            ) over same_class,
            0
        ) as rarer_rows,
        coalesce(
            sum(ranked_values.value_count) filter (
                where ranked_values.place > 1
            ) over same_class,
            0
        ) as last_rows
    from ranked_values
    window same_class as (partition by ranked_values.age, ranked_values.zip)
),
possible_values as (
    select
        placed_values.age, placed_values.zip,
        placed_values.value_count,
        cast(case
            when placed_values.place <= 2
                then placed_values.value_count + placed_values.rarer_rows
            else placed_values.last_rows
        end as bigint) as possible_rows
    from placed_values
)
select
    classes.age, classes.zip,
    classes.class_size,
    least(
        coalesce(sum(possible_values.value_count) filter (
            where possible_values.value_count >= 1 * possible_values.possible_rows
        ), 0),
        classes.class_size
    ) as rows_at_risk,
    max(cast(possible_values.value_count as double) / possible_values.possible_rows) as certainty,
    bool_or(possible_values.value_count >= 1 * possible_values.possible_rows) as broken
from possible_values
inner join sqlanon.published_equivalence_classes as classes
    on classes.age is not distinct from possible_values.age
    and classes.zip is not distinct from possible_values.zip
group by classes.age, classes.zip, classes.class_size
