-- joining_columns: how far equal values of a column are those of one person
-- reads:   first_rows
-- returns: one row per column
--   repeated_rows   rows whose value stands in other rows, too   [rows]
--   joined_rows     those whose value stands in rows of one person only   [rows]
-- nulls:   a missing value joins no rows
select
    1 as column_number,
    cast(coalesce(sum(row_count), 0) as bigint) as repeated_rows,
    cast(coalesce(sum(row_count) filter (where person_count = 1), 0) as bigint) as joined_rows
from (
    select count(*) as row_count, count(distinct visitor) as person_count
    from sqlanon.first_rows
    where cost is not null
    group by cost
    having count(*) > 1
) as repeated_values
union all select
    2 as column_number,
    cast(coalesce(sum(row_count), 0) as bigint) as repeated_rows,
    cast(coalesce(sum(row_count) filter (where person_count = 1), 0) as bigint) as joined_rows
from (
    select count(*) as row_count, count(distinct visitor) as person_count
    from sqlanon.first_rows
    where "it's" is not null
    group by "it's"
    having count(*) > 1
) as repeated_values
order by column_number
