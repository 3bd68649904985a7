{#- inputs: attributes list[dict number name kind weight hierarchy level_count] -#}
{% import "_comments.sql" as comments %}
-- value_places: the values of every quasi-identifier in order; cuts read the places alone
{% for attribute in attributes %}
--   {{ attribute.number }}  {{ attribute.name | comment }}: {{ attribute.kind | comment }}, {% if attribute.kind == "categorical" %}along its hierarchy{% elif attribute.kind == "ordinal" %}by text{% else %}by value, then by text{% endif %}

{% endfor %}
{% call comments.wrapped("-- reads:   ") %}
source_values{% for attribute in attributes if attribute.kind == "categorical" %}, {{ attribute.hierarchy | comment }}{% endfor %}

{% endcall %}
-- returns: one row per attribute and value
--   place       number of the value in the order, from 0
--   position    position on the attribute's scale: the number, days since 1970, or the place
--   position_range, place_count   length of the attribute's scale, and number of its places
--   weight      weight of the attribute, from the plan
--   row_count   source rows with this value   [rows]
-- nulls:   a missing value has the first place; its position is that of the least number or date,
--   and the place where values are neither
{% set in_order = attributes | rejectattr("kind", "equalto", "categorical") | list %}
{% set trees = attributes | selectattr("kind", "equalto", "categorical") | list %}
with {% if in_order %}
positions (attribute_number, value, position) as (
    -- one row per attribute and value: the number or the date that it is
{% for attribute in in_order %}
    {{ "union all\n    " if not loop.first }}select
        {{ attribute.number }},
        value,
{% if attribute.kind == "numeric" %}
        try_cast(value as double)
{% elif attribute.kind == "date" %}
        case
            when isfinite(try_cast(value as timestamp))
                then epoch(try_cast(value as timestamp)) / 86400
        end
{% else %}
        cast(null as double)
{% endif %}
    from sqlanon.source_values
    where attribute = {{ attribute.name | text }}
{% endfor %}
),
{% endif %}
places (attribute_number, value, place, position) as (
    -- one row per attribute and value: its number in the order
{% if in_order %}
    select
        attribute_number,
        value,
        row_number() over (
            partition by attribute_number
            order by case when value is null then 0 else 1 end, position, value
        ) - 1,
        position
    from positions
{% endif %}
{% for attribute in trees %}
    {{ "union all\n    " if in_order or not loop.first }}select
        {{ attribute.number }},
        level_0,
        row_number() over (
            order by
                case when level_0 is null then 0 else 1 end,
{% for level in range(attribute.level_count - 1, -1, -1) %}
                level_{{ level }}{{ "," if not loop.last }}
{% endfor %}
        ) - 1,
        cast(null as double)
    from sqlanon.{{ attribute.hierarchy | ident }}
{% endfor %}
),
attributes (attribute_number, attribute, is_measured, weight) as (
    -- one row per attribute: are its values numbers or dates?
    values
{% for attribute in attributes %}
        (
            {{ attribute.number }},
            {{ attribute.name | text }},
            {{ "true" if attribute.kind in ("numeric", "date") else "false" }},
            cast({{ attribute.weight | number }} as double)
        ){{ "," if not loop.last }}
{% endfor %}
),
positioned_places as (
    -- one row per attribute and value: its place, and its position on the attribute's scale
    select
        attributes.attribute_number,
        attributes.attribute,
        attributes.weight,
        places.value,
        cast(places.place as integer) as place,
        case
            when attributes.is_measured then coalesce(
                places.position,
                min(places.position) over (partition by attributes.attribute_number),
                0
            )
            else places.place
        end as position
    from places
    inner join attributes on attributes.attribute_number = places.attribute_number
)
select
    positioned_places.*,
    max(position) over (partition by attribute_number)
        - min(position) over (partition by attribute_number) as position_range,
    count(*) over (partition by attribute_number) as place_count,
    coalesce(source_values.row_count, 0) as row_count
from positioned_places
left join sqlanon.source_values
    on source_values.attribute = positioned_places.attribute
    and source_values.value is not distinct from positioned_places.value
