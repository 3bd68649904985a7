{#- inputs: title str, known str, labels str, person str, quasi_identifiers list[tuple[int, str]], required list[str], by str -#}
{% set reads = {"ranges": ", value_places", "levels": ", population_labels, " ~ labels, "values": ", " ~ labels} %}
{% set nowhere = "-1" if by == "ranges" else "0" %}
-- {{ title }}: the rows of each person, as the attacker may know them
-- reads:   {{ known | comment }}{{ reads[by] }}
-- returns: one row per row of a person
--   person          number of the person
--   known_number    number of the row among those of the person, in the order of the known values
--   row_count       rows of the person   [rows]
{% for number, name in quasi_identifiers %}
--   at_{{ number }}, text_{{ number }}    place of {{ name | comment }}, and number of its value in the order of texts
{% endfor %}
--                   the place is {{ nowhere }} if no label covers the value
-- nulls:   a null is a value of its own
with known_rows as (
    select
        known_rows.{{ person | ident }} as holder,
{% for number, name in quasi_identifiers %}
        cast(known_rows.{{ name | ident }} as varchar) as value_{{ number }}{{ "," if not loop.last }}
{% endfor %}
    from {{ known }} as known_rows
    where known_rows.{{ person | ident }} is not null
{% for name in required %}
        and known_rows.{{ name | ident }} is not null
{% endfor %}
),
persons as (
    select
        holder,
        cast(row_number() over (order by holder) as integer) as person,
        cast(row_count as integer) as row_count
    from (select holder, count(*) as row_count from known_rows group by holder) as holders
),
{% for number, name in quasi_identifiers %}
places_{{ number }} as (
    select
        known_values.value,
        coalesce({{ "value_places.place" if by == "ranges" else "labels.first_place" }}, {{ nowhere }}) as place,
        cast(row_number() over (order by known_values.value nulls last) as integer) as text_order
    from (select distinct value_{{ number }} as value from known_rows) as known_values
{% if by == "ranges" %}
    left join sqlanon.value_places
        on value_places.attribute_number = {{ number }}
        and value_places.value is not distinct from known_values.value
{% else %}
{% if by == "levels" %}
    left join sqlanon.population_labels
        on population_labels.attribute = {{ name | text }}
        and population_labels.value is not distinct from known_values.value
{% endif %}
    left join sqlanon.{{ labels }} as labels
        on labels.attribute_number = {{ number }}
        and labels.label is not distinct from {{ "population_labels.label" if by == "levels" else "known_values.value" }}
{% if by == "levels" %}
        and population_labels.attribute is not null
{% endif %}
{% endif %}
){{ "," if not loop.last }}
{% endfor %}
select
    persons.person,
    cast(
        row_number() over (
            partition by persons.person
            order by
{% for number, name in quasi_identifiers %}
                places_{{ number }}.text_order{{ "," if not loop.last }}
{% endfor %}
        ) as integer
    ) as known_number,
    persons.row_count,
{% for number, name in quasi_identifiers %}
    places_{{ number }}.place as at_{{ number }},
    places_{{ number }}.text_order as text_{{ number }}{{ "," if not loop.last }}
{% endfor %}
from known_rows
inner join persons on persons.holder = known_rows.holder
{% for number, name in quasi_identifiers %}
inner join places_{{ number }} on places_{{ number }}.value is not distinct from known_rows.value_{{ number }}
{% endfor %}
