{#- inputs: columns list[tuple[str, str]] name alias, row_count str -#}
-- source_values: every value of every attribute that is generalized or counted, as text
-- reads:   source_combinations
-- returns: one row per attribute and value
--   row_count   source rows with this value   [rows]
-- nulls:   null is one more value
{% for name, alias in columns %}
{{ "union all " if not loop.first }}select {{ name | text }} as attribute, cast({{ alias | ident }} as varchar) as value, cast(sum({{ row_count | ident }}) as bigint) as row_count
from sqlanon.source_combinations
group by {{ alias | ident }}
{% endfor %}
