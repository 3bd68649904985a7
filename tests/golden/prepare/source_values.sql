-- source_values: every value of every attribute that is generalized or counted, as text
-- reads:   source_combinations
-- returns: one row per attribute and value
--   row_count   source rows with this value   [rows]
-- nulls:   null is one more value
select 'the "age"' as attribute, cast("the ""age""" as varchar) as value, cast(sum(row_count) as bigint) as row_count
from sqlanon.source_combinations
group by "the ""age"""
union all select 'born' as attribute, cast(born as varchar) as value, cast(sum(row_count) as bigint) as row_count
from sqlanon.source_combinations
group by born
union all select 'zip' as attribute, cast(zip as varchar) as value, cast(sum(row_count) as bigint) as row_count
from sqlanon.source_combinations
group by zip
union all select 'select' as attribute, cast("select" as varchar) as value, cast(sum(row_count) as bigint) as row_count
from sqlanon.source_combinations
group by "select"
union all select 'longitude' as attribute, cast(longitude as varchar) as value, cast(sum(row_count) as bigint) as row_count
from sqlanon.source_combinations
group by longitude
union all select 'tôwn' as attribute, cast("tôwn" as varchar) as value, cast(sum(row_count) as bigint) as row_count
from sqlanon.source_combinations
group by "tôwn"
union all select 'work' as attribute, cast(work as varchar) as value, cast(sum(row_count) as bigint) as row_count
from sqlanon.source_combinations
group by work
union all select 'sex' as attribute, cast(sex as varchar) as value, cast(sum(row_count) as bigint) as row_count
from sqlanon.source_combinations
group by sex
