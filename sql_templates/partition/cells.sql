{#- inputs: attributes list[CutAttribute], counted list[tuple[str, str, str]] name alias code, row_count str, unit_alias str | None, population_count str | None -#}
{% import "partition/_lists.sql" as lists %}
{% import "partition/_places.sql" as places %}
-- cells: the source as places; every cut is decided on this table
-- reads:   source_combinations, value_places; earlier proofs showed that every value has a place
-- returns: one row per distinct combination
{{ places.titles(attributes) }}{% for name, alias, code in counted %}
--   {{ code }}   code of {{ name | comment }}, as in table_values_{{ loop.index }}
{% endfor %}
{% if unit_alias %}
--   person   number of the person
{% endif %}
{% if population_count %}
--   population_count   rows of the population   [rows]
{% endif %}
--   row_count   source rows   [rows]
select
{% for attribute in attributes %}
    {{ attribute.named("places") | ident }}.place as {{ attribute.place | ident }},
{% endfor %}
{% for name, alias, code in counted %}
    values_{{ loop.index }}.value as {{ code | ident }},
{% endfor %}
{% if unit_alias %}
    {{ "case when combinations." ~ (row_count | ident) ~ " > 0 then " if population_count }}dense_rank() over (order by combinations.{{ unit_alias | ident }}){{ " end" if population_count }} as person,
{% endif %}
{% if population_count %}
    cast(combinations.{{ population_count | ident }} as bigint) as population_count,
{% endif %}
    {{ lists.column(row_count, "row_count", "combinations") }}
from sqlanon.source_combinations as combinations
{{ places.lookup(attributes, "combinations") }}{% for name, alias, code in counted %}
left join sqlanon.table_values_{{ loop.index }} as values_{{ loop.index }}
    on values_{{ loop.index }}.text is not distinct from cast(combinations.{{ alias | ident }} as varchar)
{% if population_count %}
    and combinations.{{ row_count | ident }} > 0
{% endif %}
{% endfor %}
