{#- inputs: attributes list[tuple[str, str, int]] name alias word, counted list[tuple[CountedColumn, str]] column alias, words int, row_count str, unit_alias str | None, population_count str | None -#}
-- frequency_set: the source as packed keys; every query of the search reads this table
-- reads:   source_combinations, value_codes; proof_of_hierarchies showed that every value has a code
-- returns: one row per distinct combination
{% for word in range(1, words + 1) %}
--   key_{{ word }}       packed values of {% for name, alias, place in attributes if place == word %}{{ name | comment }}{{ ", " if not loop.last }}{% endfor %}

{% endfor %}
{% for column, alias in counted %}
--   {{ column.named("value") }}   code of {{ column.name | comment }}, as in {{ column.named("table_values") }}
{% endfor %}
{% if unit_alias %}
--   person      number of the person
{% endif %}
{% if population_count %}
--   population_count  rows of the population   [rows]
{% endif %}
--   row_count   source rows   [rows]
select
{% for word in range(1, words + 1) %}
{% for name, alias, place in attributes if place == word %}
    {{ "+ " if not loop.first }}{{ alias }}.key_{{ word }}{{ " as key_" ~ word ~ "," if loop.last }}
{% endfor %}
{% endfor %}
{% for column, alias in counted %}
    {{ column.named("values") }}.value as {{ column.named("value") }},
{% endfor %}
{% if unit_alias %}
    {{ "case when combinations." ~ (row_count | ident) ~ " > 0 then " if population_count }}dense_rank() over (order by combinations.{{ unit_alias | ident }}){{ " end" if population_count }} as person,
{% endif %}
{% if population_count %}
    combinations.{{ population_count | ident }} as population_count,
{% endif %}
    combinations.{{ row_count | ident }} as row_count
from sqlanon.source_combinations as combinations
{% for name, alias, place in attributes %}
left join sqlanon.value_codes as {{ alias }}
    on {{ alias }}.attribute = {{ name | text }}
    and {{ alias }}.value is not distinct from cast(combinations.{{ name | ident }} as varchar)
{% endfor %}
{% for column, alias in counted %}
left join sqlanon.{{ column.named("table_values") }} as {{ column.named("values") }}
    on {{ column.named("values") }}.text
        is not distinct from cast(combinations.{{ alias | ident }} as varchar){{ "\n    and combinations." ~ (row_count | ident) ~ " > 0" if population_count }}
{% endfor %}
