-- l_diversity_distinct: every class holds at least 2 different values of disease
-- source:  Machanavajjhala et al. 2007, l-diversity, ACM TKDD 1(1)
-- reads:   class_values_of_disease, how often each value of disease occurs in each
--   class
-- returns: one row per equivalence class
--   diversity   different values   [values]
--   satisfied   diversity >= 2; never null
-- nulls:   a missing value is a value of its own
select class, count(*) as diversity, count(*) >= 2 as satisfied
from class_values_of_disease as class_values
group by class
-- l_diversity_entropy: in every class disease is as uncertain as 1 values of equal
--   frequency
-- source:  Machanavajjhala et al. 2007, l-diversity, ACM TKDD 1(1)
-- reads:   sqlanon.published_class_values_of_disease, how often each value of disease
--   occurs in each class, and sqlanon.published_equivalence_classes
-- returns: one row per equivalence class
--   diversity   exp(entropy of the values), the effective number of values   [values]
--               0 if a person has several values in the class
--   satisfied   entropy >= ln(1), within a tolerance of 1e-9; never null
--               and no person has several values in the class
-- nulls:   a missing value is a value of its own
with class_entropies as (
    select
        class_values.history,
        sum(class_values.value_count) as value_total,
        sum(class_values.value_count) > min(classes.class_size) as has_several,
        ln(sum(class_values.value_count))
            - sum(class_values.value_count * ln(class_values.value_count))
                / sum(class_values.value_count) as entropy
    from sqlanon.published_class_values_of_disease as class_values
    inner join sqlanon.published_equivalence_classes as classes
        on classes.history is not distinct from class_values.history
    group by class_values.history
)
select
    class_entropies.history,
    case when class_entropies.has_several then 0
        else exp(class_entropies.entropy)
    end as diversity,
    not class_entropies.has_several
        and class_entropies.entropy >= ln(1) - 0.000000001 as satisfied
from class_entropies
-- l_diversity_frequency: in every class no disease has more than one in 2 rows
-- source:  Machanavajjhala et al. 2007, l-diversity, ACM TKDD 1(1)
-- reads:   class_values_of_disease, how often each value of disease occurs in each
--   class, classes
-- returns: one row per equivalence class
--   diversity   rows of the class / rows of its most frequent value   [ratio]
--   satisfied   2 * rows of the most frequent value <= rows of the
--               class, compared exactly; never null
-- nulls:   a missing value is a value of its own
with value_shares as (
    select
        class_values.class,
        min(classes.class_size) as class_size,
        max(class_values.value_count) as largest_count
    from class_values_of_disease as class_values
    inner join classes
        on classes.class is not distinct from class_values.class
    group by class_values.class
)
select
    value_shares.class,
    cast(value_shares.class_size as double) / value_shares.largest_count as diversity,
    2 * value_shares.largest_count <= value_shares.class_size as satisfied
from value_shares
-- l_diversity_recursive: in every class the most frequent disease has less than 1
--   times the persons of number 2 in frequency and all rarer ones
-- source:  Machanavajjhala et al. 2007, l-diversity, ACM TKDD 1(1)
-- reads:   sqlanon.published_class_values_of_disease, how often each value of disease
--   occurs in each class, sqlanon.published_equivalence_classes
-- returns: one row per equivalence class
--   diversity   persons of the rarer values / persons of the most frequent value   [ratio]
--               0 if a person has several values in the class
--   satisfied   diversity > 1 / 1, compared exactly; never null
--               and no person has several values in the class
-- nulls:   a missing value is a value of its own
with ranked_values as (
    select
        class_values.history,
        class_values.value_count,
        row_number() over (
            partition by class_values.history
            order by class_values.value_count desc, class_values.value
        ) as place
    from sqlanon.published_class_values_of_disease as class_values
),
class_counts as (
    -- the rarer values: from place 2 on
    select
        ranked_values.history,
        min(classes.class_size) as class_size,
        sum(ranked_values.value_count) > min(classes.class_size) as has_several,
        max(ranked_values.value_count) as largest_count,
        cast(
            coalesce(
                sum(ranked_values.value_count) filter (
                    where ranked_values.place >= 2
                ),
                0
            ) as bigint
        ) as rarer_rows
    from ranked_values
    inner join sqlanon.published_equivalence_classes as classes
        on classes.history is not distinct from ranked_values.history
    group by ranked_values.history
),
class_verdicts as (
    select
        class_counts.history,
        class_counts.rarer_rows,
        -- null if all values of the class may be disclosed
        case when class_counts.has_several then 0
            else cast(class_counts.rarer_rows as double) / class_counts.largest_count
        end as diversity,
        not class_counts.has_several and coalesce(
            class_counts.largest_count < 1 * class_counts.rarer_rows,
            true
        ) as satisfied
    from class_counts
)
select
    class_verdicts.history,
    class_verdicts.diversity,
    class_verdicts.satisfied
from class_verdicts
