{#- inputs: name str, columns list[str], row_count str -#}
{% import "_comments.sql" as comments %}
{{ comments.line("-- " ~ name ~ ":", "the values of the rows without the sensitive one, as an attacker may know them") }}
-- reads:   source_rows
-- returns: one row per distinct combination, as text
--   row_count   rows with the combination   [rows]
-- nulls:   a missing value is a value of its own
select {% for column in columns %}cast({{ column | ident }} as varchar) as {{ column | ident }}, {% endfor %}count(*) as {{ row_count | ident }}
from sqlanon.source_rows
group by {% for column in columns %}cast({{ column | ident }} as varchar){{ ", " if not loop.last }}{% endfor %}

