{#- inputs: attributes list[tuple[str, str, int]] name alias word, counted list[str], words int, row_count str, counted_aliases list[str] -#}
-- frequency_set: the source in packed keys; every question of the search is asked of this table
-- reads:   source_combinations, value_codes; every value has a code, as hierarchy_problems proved
-- returns: one row per distinct combination
{% for word in range(1, words + 1) %}
--   key_{{ word }}       packed values of {% for name, alias, place in attributes if place == word %}{{ name | comment }}{{ ", " if not loop.last }}{% endfor %}

{% endfor %}
{% for name in counted %}
--   value_{{ loop.index }}     {{ name | comment }}
{% endfor %}
--   row_count   source rows   [rows]
select
{% for word in range(1, words + 1) %}
{% for name, alias, place in attributes if place == word %}
    {{ "+ " if not loop.first }}{{ alias }}.key_{{ word }}{{ " as key_" ~ word ~ "," if loop.last }}
{% endfor %}
{% endfor %}
{% for alias in counted_aliases %}
    combinations.{{ alias | ident }} as value_{{ loop.index }},
{% endfor %}
    combinations.{{ row_count | ident }} as row_count
from sqlanon.source_combinations as combinations
{% for name, alias, place in attributes %}
left join sqlanon.value_codes as {{ alias }}
    on {{ alias }}.attribute = {{ name | text }}
    and {{ alias }}.value is not distinct from cast(combinations.{{ name | ident }} as varchar)
{% endfor %}
