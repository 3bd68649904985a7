-- counted_values: the values of the sample, as `proof_of_distinct_values` compares them
-- reads:   sampled_values
-- returns: one row per column and value
--   attribute   the column
--   text        the value; number: as a number, null if it is not one
-- nulls:   a missing value is a value
select
    column_name as attribute,
    value as text,
    try_cast(value as double) as number
from sqlanon.sampled_values
union all
select 'column_3', null, null
