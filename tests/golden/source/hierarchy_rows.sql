-- hierarchy_rows: the hierarchy of sex, from the top down, with the source's rows
-- reads:   hierarchy_of_sex, source_values
-- returns: one row per value, in the order of numbers, then of texts
--   row_count   source rows with this value; 0 if only the hierarchy has it   [rows]
-- nulls:   a missing value comes last
with labels as (
    select
        *,
        try_cast(level_0 as double) as number
    from sqlanon.hierarchy_of_sex
)
select
    labels.level_1,
    labels.level_0,
    coalesce(source_values.row_count, 0) as row_count
from labels
left join sqlanon.source_values
    on source_values.attribute = 'sex'
    and source_values.value is not distinct from labels.level_0
order by labels.number nulls last, labels.level_1 nulls last, labels.level_0 nulls last
