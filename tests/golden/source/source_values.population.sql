-- source_values: every value of every generalized or counted attribute, as text
-- reads:   source_combinations
-- returns: one row per attribute and value
--   row_count   source rows with this value   [rows]
--               0 if the value occurs in the population alone
-- nulls:   a null is a value of its own
select
    'the "age"' as attribute,
    cast("the ""age""" as varchar) as value,
    cast(sum(row_count) as bigint) as row_count
from sqlanon.source_combinations
group by cast("the ""age""" as varchar)
union all select
    'sex' as attribute,
    cast(sex as varchar) as value,
    cast(sum(row_count) as bigint) as row_count
from sqlanon.source_combinations
group by cast(sex as varchar)
