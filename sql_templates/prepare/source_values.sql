{#- inputs: quasi_identifiers list[str], row_count str -#}
-- source_values: every value of every quasi-identifier, as text, with its frequency
-- reads:   source_combinations
-- returns: one row per attribute and value
--   row_count   source rows with this value   [rows]
-- nulls:   null is one more value
{% for name in quasi_identifiers %}
{{ "union all " if not loop.first }}select {{ name | text }} as attribute, cast({{ name | ident }} as varchar) as value, cast(sum({{ row_count | ident }}) as bigint) as row_count
from sqlanon.source_combinations
group by {{ name | ident }}
{% endfor %}
