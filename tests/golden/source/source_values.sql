-- source_values: every value of every generalized or counted attribute, as text
-- reads:   source_combinations
-- returns: one row per attribute and value
--   row_count   source rows with this value   [rows]
-- nulls:   a null is a value of its own
select
    'the "age"' as attribute,
    cast("the ""age""" as varchar) as value,
    cast(sum(row_count) as bigint) as row_count
from sqlanon.source_combinations
group by cast("the ""age""" as varchar)
union all select
    'born' as attribute,
    cast(born as varchar) as value,
    cast(sum(row_count) as bigint) as row_count
from sqlanon.source_combinations
group by cast(born as varchar)
union all select
    'zip' as attribute,
    cast(zip as varchar) as value,
    cast(sum(row_count) as bigint) as row_count
from sqlanon.source_combinations
group by cast(zip as varchar)
union all select
    'select' as attribute,
    cast("select" as varchar) as value,
    cast(sum(row_count) as bigint) as row_count
from sqlanon.source_combinations
group by cast("select" as varchar)
union all select
    'longitude' as attribute,
    cast(longitude as varchar) as value,
    cast(sum(row_count) as bigint) as row_count
from sqlanon.source_combinations
group by cast(longitude as varchar)
union all select
    'tôwn' as attribute,
    cast("tôwn" as varchar) as value,
    cast(sum(row_count) as bigint) as row_count
from sqlanon.source_combinations
group by cast("tôwn" as varchar)
union all select
    'work' as attribute,
    cast(work as varchar) as value,
    cast(sum(row_count) as bigint) as row_count
from sqlanon.source_combinations
group by cast(work as varchar)
union all select
    'sex' as attribute,
    cast(sex as varchar) as value,
    cast(sum(row_count) as bigint) as row_count
from sqlanon.source_combinations
group by cast(sex as varchar)
