{#- inputs: relation str, columns list[dict[alias str, text str]], sampled_rows int -#}
-- sampled_rows: the sample, all values as text: the rows with the smallest hashes, so that it does
--   not depend on the order of rows
-- reads:   {{ relation }}
-- returns: one row per sampled row
with read_columns as (
    select
{% for column in columns %}
        {{ column.text }} as {{ column.alias }}{{ "," if not loop.last }}
{% endfor %}
    from sqlanon.{{ relation }}
)
select *
from read_columns
order by
    hash(
{% for column in columns %}
        {{ column.alias }}{{ "," if not loop.last }}
{% endfor %}
    )
limit {{ sampled_rows }}
