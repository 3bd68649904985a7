{#- inputs: columns list[dict[alias str]] -#}
-- profiled_columns: the counts of all columns, without the sample
-- reads:   column_profile
-- returns: one row: rows, sampled rows, then for each column the counts of column_profile
select
    row_count,
    coalesce(len(sample), 0) as sampled_rows,
{% for column in columns %}
    present_{{ loop.index }},
    distinct_{{ loop.index }},
    shortest_{{ loop.index }},
    longest_{{ loop.index }},
    numbers_{{ loop.index }},
    wholes_{{ loop.index }},
    dates_{{ loop.index }}{{ "," if not loop.last }}
{% endfor %}
from sqlanon.column_profile
