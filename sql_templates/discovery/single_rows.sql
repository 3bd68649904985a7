{#- inputs: sets list[list[str]] -#}
-- single_rows: how many rows each set of columns singles out, in the sample
-- reads:   sampled_rows
-- returns: one row per set
--   set_number    place of the set in the question, from 1
--   single_rows   rows that share their values of these columns with no other row   [rows]
-- nulls:   a missing value is a value
{% for columns in sets %}
{% set number = loop.index %}
select {{ number }} as set_number, count(*) as single_rows
from (
    select 1
    from sqlanon.sampled_rows
    group by {{ columns | join(", ") }}
    having count(*) = 1
) as single_rows_{{ number }}
{{ "union all" if not loop.last }}
{% endfor %}
