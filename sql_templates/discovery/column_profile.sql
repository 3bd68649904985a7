{#- inputs: relation str, columns list[dict[alias str, text str, numbers bool, dates bool]] -#}
-- column_profile: counts of some columns over all rows
-- reads:   {{ relation }}
-- returns: one row
--   row_count         rows of the source   [rows]
--   present_n         rows with a value of the n-th column   [rows]
--   distinct_n        different values, approximate   [values]
--   shortest_n        length of the shortest value   [characters]
--   longest_n         length of the longest value   [characters]
--   numbers_n         rows whose value is a finite number; 0 if the first are not   [rows]
--   wholes_n          rows whose value is a whole number; likewise   [rows]
--   dates_n           rows whose value is a finite date or point in time; likewise   [rows]
-- nulls:   no count has them
with {% include "discovery/_read_columns.sql" %}

select
    count(*) as row_count,
{% for column in columns %}
    count({{ column.alias }}) as present_{{ loop.index }},
    approx_count_distinct({{ column.alias }}) as distinct_{{ loop.index }},
    coalesce(min(length({{ column.alias }})), 0) as shortest_{{ loop.index }},
    coalesce(max(length({{ column.alias }})), 0) as longest_{{ loop.index }},
{% if column.numbers %}
    count(*) filter (isfinite(try_cast({{ column.alias }} as double))) as numbers_{{ loop.index }},
    count(*) filter (
        isfinite(try_cast({{ column.alias }} as double))
        and try_cast({{ column.alias }} as double) = floor(try_cast({{ column.alias }} as double))
    ) as wholes_{{ loop.index }},
{% else %}
    0 as numbers_{{ loop.index }},
    0 as wholes_{{ loop.index }},
{% endif %}
{% if column.dates %}
    count(*) filter (isfinite(try_cast({{ column.alias }} as timestamp))) as dates_{{ loop.index }}{{ "," if not loop.last }}
{% else %}
    0 as dates_{{ loop.index }}{{ "," if not loop.last }}
{% endif %}
{% endfor %}
from read_columns
