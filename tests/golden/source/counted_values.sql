-- counted_values: the values of the attributes whose distribution in classes is checked
-- reads:   source_values
-- returns: one row per attribute and value
--   value      code of the value, from 1
--   text       the value as text; number: as a number, null if it is not one
--   place      order of the value: by number, then by text
--   row_count  rows with this value   [rows]
-- nulls:   a missing value has a code of its own, and the last place
select
    source_values.attribute,
    cast(row_number() over (
        partition by source_values.attribute
        order by
            try_cast(source_values.value as double) nulls last,
            source_values.value nulls last
    ) as integer) as value,
    source_values.value as text,
    try_cast(source_values.value as double) as number,
    row_number() over (
        partition by source_values.attribute
        order by
            try_cast(source_values.value as double) nulls last,
            source_values.value nulls last
    ) as place,
    source_values.row_count
from sqlanon.source_values as source_values
where source_values.attribute in ('diagnosis', 'salary')
