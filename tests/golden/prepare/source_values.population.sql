-- source_values: every value of every attribute that is generalized or counted, as text
-- reads:   source_combinations
-- returns: one row per attribute and value
--   row_count   source rows with this value; 0 if only the population has it   [rows]
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
