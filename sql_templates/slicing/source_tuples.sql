{#- inputs: name str, columns list[str], row_count str -#}
{% import "_comments.sql" as comments %}
{% call comments.wrapped("-- " ~ name ~ ": ") %}
what the rows have besides the sensitive value, as somebody may know it
{% endcall %}
-- reads:   source_rows
-- returns: one row per distinct combination, as text
--   row_count   its rows   [rows]
-- nulls:   a missing value is a value of its own
select
{% for column in columns %}
    cast({{ column | ident }} as varchar) as {{ column | ident }},
{% endfor %}
    count(*) as {{ row_count | ident }}
from sqlanon.source_rows
group by
{% for column in columns %}
    cast({{ column | ident }} as varchar){{ "," if not loop.last }}
{% endfor %}
