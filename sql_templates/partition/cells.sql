{#- inputs: attributes list[CutAttribute], counted list[tuple[CountedColumn, str]] column alias, row_count str, unit_alias str | None, population_count str | None -#}
{% import "partition/_lists.sql" as lists %}
{% import "partition/_places.sql" as places %}
-- cells: the source as places; every cut is decided on this table
-- reads:   source_combinations, value_places; earlier proofs showed that every value has a place
-- returns: one row per distinct combination
{{ places.titles(attributes) }}{% for column, alias in counted %}
--   {{ column.named("value") }}   code of {{ column.name | comment }}, as in {{ column.named("table_values") }}
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
{% for column, alias in counted %}
    {{ column.named("values") }}.value as {{ column.named("value") }},
{% endfor %}
{% if unit_alias %}
    {{ "case when combinations." ~ (row_count | ident) ~ " > 0 then " if population_count }}dense_rank() over (order by combinations.{{ unit_alias | ident }}){{ " end" if population_count }} as person,
{% endif %}
{% if population_count %}
    cast(combinations.{{ population_count | ident }} as bigint) as population_count,
{% endif %}
    {{ lists.column(row_count, "row_count", "combinations") }}
from sqlanon.source_combinations as combinations
{{ places.lookup(attributes, "combinations") }}{% for column, alias in counted %}
left join sqlanon.{{ column.named("table_values") }} as {{ column.named("values") }}
    on {{ column.named("values") }}.text is not distinct from cast(combinations.{{ alias | ident }} as varchar)
{% if population_count %}
    and combinations.{{ row_count | ident }} > 0
{% endif %}
{% endfor %}
