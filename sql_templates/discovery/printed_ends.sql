{#- inputs: ends list[dict number name], unit_alias str | None, least_persons int -#}
{% set who = "persons" if unit_alias else "rows" %}
-- printed_ends: the values at which ranges end, and those that fewer than {{ least_persons }} {{ who }} have
-- reads:   class_regions, value_places, {{ "source_combinations" if unit_alias else "source_values" }}
-- returns: one row per attribute
with {% include "partition/_value_persons.sql" %}

end_places as (
    -- one row per attribute and place at which a range begins or ends; a missing value is no end
    select
        class_regions.attribute_number,
        case
            when missing_values.place < class_regions.last_place then missing_values.place + 1
            else class_regions.first_place
        end as place
    from sqlanon.class_regions
    left join sqlanon.value_places as missing_values
        on missing_values.attribute_number = class_regions.attribute_number
        and missing_values.place = class_regions.first_place
        and missing_values.value is null
    union
    select attribute_number, last_place
    from sqlanon.class_regions
)
select
    value_persons.attribute_number,
    count(*) as values,
    count(*) filter (where value_persons.persons < {{ least_persons }}) as rare_values
from end_places
inner join sqlanon.value_places
    on value_places.attribute_number = end_places.attribute_number
    and value_places.place = end_places.place
inner join value_persons
    on value_persons.attribute_number = value_places.attribute_number
    and value_persons.value = value_places.value
group by value_persons.attribute_number
order by value_persons.attribute_number
