{#- inputs: columns list[str], key str -#}
-- joining_columns: how far equal values of a column are those of one person
-- reads:   first_rows
-- returns: one row per column
--   repeated_rows   rows whose value stands in other rows, too   [rows]
--   joined_rows     those whose value stands in rows of one person only   [rows]
-- nulls:   a missing value joins no rows
{% for column in columns %}
{{ "union all " if not loop.first }}select
    {{ loop.index }} as column_number,
    cast(coalesce(sum(row_count), 0) as bigint) as repeated_rows,
    cast(coalesce(sum(row_count) filter (where person_count = 1), 0) as bigint) as joined_rows
from (
    select count(*) as row_count, count(distinct {{ key | ident }}) as person_count
    from sqlanon.first_rows
    where {{ column | ident }} is not null
    group by {{ column | ident }}
    having count(*) > 1
) as repeated_values
{% endfor %}
order by column_number
