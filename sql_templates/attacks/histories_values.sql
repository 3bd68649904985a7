{#- inputs: title str, known str, labels str, quasi_identifiers list[tuple[int, str]], by str -#}
{% import "_comments.sql" as comments %}
{% set reads = {"ranges": ", value_places", "levels": ", population_labels, " ~ labels, "values": ", " ~ labels} %}
{% call comments.wrapped("-- " ~ title ~ ": ") %}
the values that the attacker knows, as places among those of the labels
{% endcall %}
{% call comments.wrapped("-- reads:   ") %}
{{ known | comment }}{{ reads[by] }}
{% endcall %}
-- returns: one row per attribute and value
--   place        where labels cover the value; {{ '-1' if by == 'ranges' else '0' }} if none does
--   text_order   number of the value in the order of texts
-- nulls:   a null is a value of its own
with known_values (attribute_number, attribute, value) as (
{% for number, name in quasi_identifiers %}
    {{ "union all " if not loop.first }}select {{ number }}, {{ name | text }}, cast(known_rows.{{ name | ident }} as varchar)
    from {{ known }} as known_rows
    group by cast(known_rows.{{ name | ident }} as varchar)
{% endfor %}
)
select
    known_values.attribute_number,
    known_values.value,
    coalesce({{ "value_places.place" if by == "ranges" else "labels.first_place" }}, {{ "-1" if by == "ranges" else "0" }}) as place,
    cast(
        row_number() over (
            partition by known_values.attribute_number
            order by known_values.value nulls last
        ) as integer
    ) as text_order
from known_values
{% if by == "ranges" %}
left join sqlanon.value_places
    on value_places.attribute_number = known_values.attribute_number
    and value_places.value is not distinct from known_values.value
{% elif by == "levels" %}
left join sqlanon.population_labels
    on population_labels.attribute = known_values.attribute
    and population_labels.value is not distinct from known_values.value
left join sqlanon.{{ labels }} as labels
    on labels.attribute_number = known_values.attribute_number
    and labels.label is not distinct from population_labels.label
    and population_labels.attribute is not null
{% else %}
left join sqlanon.{{ labels }} as labels
    on labels.attribute_number = known_values.attribute_number
    and labels.label is not distinct from known_values.value
{% endif %}
