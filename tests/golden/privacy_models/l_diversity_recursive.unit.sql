-- l_diversity_recursive: in every class the most frequent diagnosis has less than 2.5
--   times the persons of number 3 in frequency and all rarer ones
-- source:  Machanavajjhala et al. 2007, l-diversity, ACM TKDD 1(1)
-- reads:   sqlanon.class_values_of_diagnosis, how often each value of diagnosis
--   occurs in each class, sqlanon.classes
-- returns: one row per equivalence class
--   diversity   persons of the rarer values / persons of the most frequent value   [ratio]
--               0 if a person has several values in the class
--   satisfied   diversity > 1 / 2.5, compared exactly; never null
--               and no person has several values in the class
-- nulls:   a missing value is a value of its own
with ranked_values as (
    select
        class_values."the ""age""", class_values.sex,
        class_values.value_count,
        row_number() over (
            partition by class_values."the ""age""", class_values.sex
            order by class_values.value_count desc, class_values.value
        ) as place
    from sqlanon.class_values_of_diagnosis as class_values
),
class_counts as (
    -- the rarer values: from place 3 on
    select
        ranked_values."the ""age""", ranked_values.sex,
        min(classes.class_size) as class_size,
        sum(ranked_values.value_count) > min(classes.class_size) as has_several,
        max(ranked_values.value_count) as largest_count,
        cast(
            coalesce(
                sum(ranked_values.value_count) filter (
                    where ranked_values.place >= 3
                ),
                0
            ) as bigint
        ) as rarer_rows
    from ranked_values
    inner join sqlanon.classes as classes
        on classes."the ""age""" is not distinct from ranked_values."the ""age"""
        and classes.sex is not distinct from ranked_values.sex
    group by ranked_values."the ""age""", ranked_values.sex
),
class_verdicts as (
    select
        class_counts."the ""age""", class_counts.sex,
        class_counts.rarer_rows,
        -- null if all values of the class may be disclosed
        case when class_counts.has_several then 0
            else cast(class_counts.rarer_rows as double) / class_counts.largest_count
        end as diversity,
        not class_counts.has_several and coalesce(
            class_counts.largest_count < 2.5 * class_counts.rarer_rows,
            true
        ) as satisfied
    from class_counts
)
select
    class_verdicts."the ""age""", class_verdicts.sex,
    class_verdicts.diversity,
    class_verdicts.satisfied
from class_verdicts
