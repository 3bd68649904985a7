-- l_diversity_recursive: in every class the most frequent diagnosis has less than 2.5
--   times the rows of number 3 in frequency and all rarer ones
-- source:  Machanavajjhala et al. 2007, l-diversity, ACM TKDD 1(1); positive
--   disclosure of some values allowed (pd); some values never excluded (npd)
-- reads:   sqlanon.class_values_of_diagnosis, how often each value of diagnosis
--   occurs in each class, and sqlanon.table_values_of_diagnosis
-- returns: one row per equivalence class
--   diversity   rows of the rarer values / rows of the most frequent value   [ratio]
--   least_c     rows of the most frequent value / rows of the rarer values: c must be
--               above it
--   least_share   smallest share of a value that is never excluded   [0 to 1]
--   satisfied   diversity > 1 / 2.5, compared exactly; never null
--               and each value that is never excluded has its share
-- nulls:   a missing value is a value of its own
with ranked_values as (
    select
        class_values."the ""age""", class_values.sex,
        class_values.value_count,
        table_values.text,
        coalesce(
            table_values.text in ('it''s none'),
            false
        ) as harmless,
        row_number() over (
            partition by class_values."the ""age""", class_values.sex
            order by class_values.value_count desc, class_values.value
        ) as place
    from sqlanon.class_values_of_diagnosis as class_values
    inner join sqlanon.table_values_of_diagnosis as table_values
        on table_values.value = class_values.value
),
guarded_places as (
    -- the place of the most frequent value whose disclosure is not allowed; null if none
    select
        ranked_values."the ""age""", ranked_values.sex,
        min(ranked_values.place) filter (where not ranked_values.harmless) as place
    from ranked_values
    group by ranked_values."the ""age""", ranked_values.sex
),
class_counts as (
    -- the rarer values: from place 3 on; if the guarded value is itself that
    -- rare, from place 2 on without it
    select
        ranked_values."the ""age""", ranked_values.sex,
        cast(sum(ranked_values.value_count) as bigint) as class_size,
        max(ranked_values.value_count) filter (
            where ranked_values.place = guarded_places.place
        ) as largest_count,
        cast(coalesce(sum(ranked_values.value_count) filter (
            where case
                when guarded_places.place <= 2 then ranked_values.place >= 3
                else ranked_values.place >= 2
                    and ranked_values.place <> guarded_places.place
            end
        ), 0) as bigint) as rarer_rows,
        min(ranked_values.value_count) filter (
            where ranked_values.text in ('flu', 'ulcer')
        ) as least_kept_count,
        count(*) filter (
            where ranked_values.text in ('flu', 'ulcer')
        ) as kept_values
    from ranked_values
    inner join guarded_places
        on guarded_places."the ""age""" is not distinct from ranked_values."the ""age"""
        and guarded_places.sex is not distinct from ranked_values.sex
    group by ranked_values."the ""age""", ranked_values.sex
),
class_verdicts as (
    select
        class_counts."the ""age""", class_counts.sex,
        class_counts.rarer_rows,
        -- null if all values of the class may be disclosed
        cast(class_counts.rarer_rows as double)
            / class_counts.largest_count as diversity,
        case
            when class_counts.largest_count is null then 0
            when class_counts.rarer_rows = 0 then cast('infinity' as double)
            else cast(class_counts.largest_count as double) / class_counts.rarer_rows
        end as least_c,
        case
            when class_counts.kept_values < 2 then 0
            else cast(class_counts.least_kept_count as double) / class_counts.class_size
        end as least_share,
        coalesce(
            class_counts.largest_count < 2.5 * class_counts.rarer_rows,
            true
        )
            and class_counts.kept_values = 2
            and class_counts.least_kept_count
                >= 0.1 * class_counts.class_size as satisfied
    from class_counts
)
select
    class_verdicts."the ""age""", class_verdicts.sex,
    class_verdicts.diversity,
    class_verdicts.least_c,
    class_verdicts.least_share,
    class_verdicts.satisfied
from class_verdicts
