-- counted_values: the values of the attributes whose distribution in classes is checked
-- reads:   source_combinations
-- returns: one row per attribute and value
--   value      code of the value, from 1
--   text       the value as text; number: as a number, null if it is not one
--   place      order of the value: by number, then by text
--   row_count  persons with this value   [persons]
--   table_size persons of the table   [persons]
-- nulls:   a missing value has a code of its own, and the last place
with texts (attribute, text, row_count) as (
    select 'diagnosis', cast(counted_1 as varchar), count(distinct person)
    from sqlanon.source_combinations
    group by cast(counted_1 as varchar)
    union all select 'salary', cast(counted_2 as varchar), count(distinct person)
    from sqlanon.source_combinations
    group by cast(counted_2 as varchar)
)
select
    attribute,
    cast(row_number() over by_value as integer) as value,
    text,
    try_cast(text as double) as number,
    row_number() over by_value as place,
    row_count,
    table_sizes.table_size
from texts
cross join (
    select count(distinct person) as table_size
    from sqlanon.source_combinations as table_rows
) as table_sizes
window by_value as (
    partition by attribute order by try_cast(text as double) nulls last, text nulls last
)
