{#- inputs: relation str, columns list[dict[alias str, text str]], sampled_rows int -#}
-- sampled_rows: the sample, all values as text: the rows with the smallest hashes, so that it does
--   not depend on the order of rows
-- reads:   {{ relation }}
-- returns: one row per sampled row; no row if the source has none
with {% include "discovery/_read_columns.sql" %},
samples as (
    -- one row: a list of rows, as a sort would keep all of them
    select
        arg_min(
            read_columns,
            hash(
{% for column in columns %}
                {{ column.alias }}{{ "," if not loop.last }}
{% endfor %}
            ),
            {{ sampled_rows }}
        ) as sample
    from read_columns
)
select unnest(sample, recursive := true)
from samples
