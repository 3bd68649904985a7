{#- inputs: attributes list[dict number name], counted list[tuple[str, str]], row_count str, unit_alias str | None, population_count str | None -#}
-- cells: the source as places; every cut is decided on this table
-- reads:   source_combinations, value_places; earlier proofs showed that every value has a place
-- returns: one row per distinct combination
{% for attribute in attributes %}
--   place_{{ attribute.number }}     place of {{ attribute.name | comment }}
{% endfor %}
{% for name, alias in counted %}
--   value_{{ loop.index }}     code of {{ name | comment }}, as in table_values_{{ loop.index }}
{% endfor %}
{% if unit_alias %}
--   person      number of the person
{% endif %}
{% if population_count %}
--   population_count  rows of the population   [rows]
{% endif %}
--   row_count   source rows   [rows]
select
{% for attribute in attributes %}
    places_{{ attribute.number }}.place as place_{{ attribute.number }},
{% endfor %}
{% for name, alias in counted %}
    values_{{ loop.index }}.value as value_{{ loop.index }},
{% endfor %}
{% if unit_alias %}
    dense_rank() over (order by combinations.{{ unit_alias | ident }}) as person,
{% endif %}
{% if population_count %}
    cast(combinations.{{ population_count | ident }} as bigint) as population_count,
{% endif %}
    combinations.{{ row_count | ident }} as row_count
from sqlanon.source_combinations as combinations
{% for attribute in attributes %}
left join sqlanon.value_places as places_{{ attribute.number }}
    on places_{{ attribute.number }}.attribute_number = {{ attribute.number }}
    and places_{{ attribute.number }}.value is not distinct from cast(combinations.{{ attribute.name | ident }} as varchar)
{% endfor %}
{% for name, alias in counted %}
left join sqlanon.table_values_{{ loop.index }} as values_{{ loop.index }}
    on values_{{ loop.index }}.text is not distinct from cast(combinations.{{ alias | ident }} as varchar)
{% if population_count %}
    and combinations.{{ row_count | ident }} > 0
{% endif %}
{% endfor %}
