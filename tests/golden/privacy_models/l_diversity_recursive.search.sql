-- l_diversity_recursive: in every class the most frequent diagnosis has less than 2.5
--   times the rows of number 3 in frequency and all rarer ones
-- source:  Machanavajjhala et al. 2007, l-diversity, ACM TKDD 1(1)
-- reads:   sqlanon.class_values_of_diagnosis, how often each value of diagnosis
--   occurs in each class
-- returns: one row per equivalence class
--   diversity   rows of the rarer values / rows of the most frequent value   [ratio]
--   satisfied   diversity > 1 / 2.5, compared exactly; never null
--   excess_rows   lower bound on the rows that no finer classes can keep   [rows]
--                 no kept value can have 2.5 times the rarer rows, which can only decrease
-- nulls:   a missing value is a value of its own
with ranked_values as (
    select
        class_values.node, class_values.class_1,
        class_values.value_count,
        row_number() over (
            partition by class_values.node, class_values.class_1
            order by class_values.value_count desc, class_values.value
        ) as place
    from sqlanon.class_values_of_diagnosis as class_values
),
class_counts as (
    -- the rarer values: from place 3 on
    select
        ranked_values.node, ranked_values.class_1,
        cast(sum(ranked_values.value_count) as bigint) as class_size,
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
    group by ranked_values.node, ranked_values.class_1
),
class_verdicts as (
    select
        class_counts.node, class_counts.class_1,
        class_counts.rarer_rows,
        -- null if all values of the class may be disclosed
        cast(class_counts.rarer_rows as double)
            / class_counts.largest_count as diversity,
        coalesce(
            class_counts.largest_count < 2.5 * class_counts.rarer_rows,
            true
        ) as satisfied
    from class_counts
),
class_excess as (
    select
        class_values.node, class_values.class_1,
        sum(greatest(class_values.value_count - 2.5 * class_verdicts.rarer_rows, 0)) as row_count
    from sqlanon.class_values_of_diagnosis as class_values
    inner join class_verdicts
        on class_verdicts.node is not distinct from class_values.node
        and class_verdicts.class_1 is not distinct from class_values.class_1
    group by class_values.node, class_values.class_1
)
select
    class_verdicts.node, class_verdicts.class_1,
    class_verdicts.diversity,
    case
        when class_verdicts.satisfied then 0
        else greatest(1, ceil(class_excess.row_count))
    end as excess_rows,
    class_verdicts.satisfied
from class_verdicts
inner join class_excess
    on class_excess.node is not distinct from class_verdicts.node
    and class_excess.class_1 is not distinct from class_verdicts.class_1
