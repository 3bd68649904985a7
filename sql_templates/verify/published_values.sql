{#- inputs: attributes list[tuple[int, str]] -#}
-- published_values: every value of the attributes that a promise looks at, as text
-- reads:   published_rows
-- returns: one row per attribute and value
{% for number, name in attributes %}
{{ "union all " if not loop.first }}select {{ name | text }} as attribute, cast({{ name | ident }} as varchar) as value, count(*) as row_count
from sqlanon.published_rows
group by {{ name | ident }}
{% endfor %}
