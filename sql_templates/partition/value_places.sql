{#- inputs: attributes list[CutAttribute], unit_alias str | None -#}
{% import "_comments.sql" as comments %}
{% import "partition/_grid.sql" as grids %}
{% import "proof/_labels.sql" as labels %}
-- value_places: the values of every quasi-identifier in order; cuts read the places alone
{% for attribute in attributes %}
{% call comments.wrapped("--   " ~ attribute.number ~ "  " ~ (attribute.name | comment) ~ ": ", hang="--      ") %}
{{ attribute.kind | comment }}, {% if attribute.hierarchy %}along its hierarchy{% elif attribute.grid %}rounded down to a grid {{ attribute.grid.description | comment }}{% elif attribute.kind == "ordinal" and attribute.least_persons %}by text; values of fewer than {{ attribute.least_persons }} {{ "persons" if unit_alias else "rows" }} share a place with their neighbors{% elif attribute.kind in ("ordinal", "nominal") %}by text{% else %}by value, then by text{% endif %}

{% endcall %}
{% endfor %}
{% set ends = attributes | selectattr("least_persons") | list %}
{% set names = attributes | selectattr("kind", "equalto", "nominal") | list %}
{% set rare = names | selectattr("least_persons") | list %}
{% call comments.wrapped("-- reads:   ") %}
source_values{{ ", source_combinations" if ends and unit_alias }}{% for attribute in attributes if attribute.hierarchy %}, {{ attribute.hierarchy | comment }}{% endfor %}

{% endcall %}
-- returns: one row per attribute and value
--   kind        how the values are ordered: numeric, date, ordinal, nominal, or
--               categorical
--   place       number of the value in the order, from 0; values that no cut parts share one
--   place_count   number of places of the attribute
--   position    position on the attribute's scale: the number, or days since 1970
--   first_position, last_position   positions where the values of this place begin and end
--   opening, closing   how a range is written that begins or ends with this place
--   label       how a range of this place alone is written
--   name        how a set names the value: in double quotes where it could be mistaken, which
--               are doubled in it{{ "; null if too few have it" if rare }}
--   weight      weight of the attribute, from the plan
--   row_count   source rows with this value   [rows]
-- nulls:   a missing value has the first place, and no position; only values in sets have a name
{% set in_order = attributes | rejectattr("hierarchy") | list %}
{% set trees = attributes | selectattr("hierarchy") | list %}
with {% if ends %}
{% include "partition/_value_persons.sql" %}

{% endif %}
{% if in_order %}
positions (
    attribute_number, value, position, first_position, last_position, line, opening, closing
) as (
    -- one row per attribute and value: the number or the date that it is, and the range of values
    -- that are not distinguished
{% for attribute in in_order %}
{% set grid = attribute.grid %}
    {{ "union all\n    " if not loop.first }}select
        {{ attribute.number }},
        value,
{% if grid %}
        {{ "epoch(exact) / 86400" if grid.period else "try_cast(value as double)" }},
        {{ grids.position("line", grid) }},
        {{ grids.position("next_line", grid) }},
        line,
        '[' || line,
        next_line || ')'
    from (
        select
            value,
            exact,
            {{ grids.text("line", grid) | indent(12) }} as line,
            {{ grids.text("line", grid, true) | indent(12) }} as next_line
        from (
            select
                value,
                exact,
                case
                    when {{ grids.has_line("exact", grid) }}
                        then {{ grids.line("exact", grid) | indent(24) }}
                end as line
            from (
                select value, {{ grids.exact("value", grid) }} as exact
                from sqlanon.source_values
                where attribute = {{ attribute.name | text }}
            ) as exact_values
        ) as lines
    ) as texts
{% elif attribute.kind == "ordinal" and attribute.least_persons %}
        cast(null as double),
        cast(number as double),
        cast(number as double),
        cast(null as varchar),
        case when not is_end then coalesce('(' || previous_end, '[*') end,
        case when not is_end then coalesce(next_end || ')', '*]') end
    from (
        -- a value that too few have lies between the two nearest values that enough have
        select
            value,
            is_end,
            count(case when is_end then value end) over (order by value)
                - count(case when is_end then value end) over (order by value desc) as number,
            max(case when is_end then value end) over (order by value) as previous_end,
            min(case when is_end then value end) over (order by value desc) as next_end
        from (
            select value, persons >= {{ attribute.least_persons }} as is_end
            from value_persons
            where attribute_number = {{ attribute.number }} and value is not null
        ) as judged_values
    ) as neighbors
    union all
    select {{ attribute.number }}, null, null, null, null, null, null, null
    from value_persons
    where attribute_number = {{ attribute.number }} and value is null
{% else %}
{% if attribute.kind == "numeric" %}
        try_cast(value as double),
{% elif attribute.kind == "date" %}
        case
            when isfinite(try_cast(value as timestamp))
                then epoch(try_cast(value as timestamp)) / 86400
        end,
{% else %}
        cast(null as double),
{% endif %}
        cast(null as double),
        cast(null as double),
        value,
        cast(null as varchar),
        cast(null as varchar)
    from sqlanon.source_values
    where attribute = {{ attribute.name | text }}
{% endif %}
{% endfor %}
),
{% endif %}
places (
    attribute_number, value, place, position, first_position, last_position, opening, closing
) as (
    -- one row per attribute and value: its number in the order
{% if in_order %}
    select
        attribute_number,
        value,
        dense_rank() over (
            partition by attribute_number
            order by
                value is not null,
                coalesce(first_position, position), line
        ) - 1,
        position,
        first_position,
        last_position,
        opening,
        closing
    from positions
{% endif %}
{% for attribute in trees %}
    {{ "union all\n    " if in_order or not loop.first }}select
        {{ attribute.number }},
        level_0,
        row_number() over (
            order by
                level_0 is not null,
{% for level in range(attribute.level_count - 1, -1, -1) %}
                level_{{ level }}{{ "," if not loop.last }}
{% endfor %}
        ) - 1,
        cast(null as double),
        cast(null as double),
        cast(null as double),
        cast(null as varchar),
        cast(null as varchar)
    from sqlanon.{{ attribute.hierarchy | ident }}
{% endfor %}
),
attributes (attribute_number, attribute, kind, weight) as (
    -- one row per attribute: how its values are ordered
    values
{% for attribute in attributes %}
        (
            {{ attribute.number }},
            {{ attribute.name | text }},
            {{ attribute.kind | text }},
            cast({{ attribute.weight | number }} as double)
        ){{ "," if not loop.last }}
{% endfor %}
)
select
    attributes.attribute_number,
    attributes.attribute,
    attributes.kind,
    attributes.weight,
    places.value,
    cast(places.place as integer) as place,
    max(cast(places.place as integer)) over (partition by attributes.attribute_number)
        + 1 as place_count,
    places.position,
    case
        when attributes.kind in ('numeric', 'date') then coalesce(
            places.first_position,
            places.position,
            min(coalesce(places.first_position, places.position)) over (
                partition by attributes.attribute_number
            ),
            0
        )
        else places.place
    end as first_position,
    case
        when attributes.kind in ('numeric', 'date') then coalesce(
            places.last_position,
            places.position,
            min(coalesce(places.first_position, places.position)) over (
                partition by attributes.attribute_number
            ),
            0
        )
        else places.place
    end as last_position,
    coalesce(places.opening, '[' || places.value) as opening,
    coalesce(places.closing, places.value || ']') as closing,
    case
        when places.opening is null then places.value
        when places.opening = '[*' and places.closing = '*]' then '*'
        else places.opening || ', ' || places.closing
    end as label,
{% if names %}
    case
        when attributes.kind = 'nominal'{{ " and value_persons.persons >= " ~ rare[0].least_persons if rare }}
            then {{ labels.name("places.value") | indent(12) }}
    end as name,
{% else %}
    cast(null as varchar) as name,
{% endif %}
    coalesce(source_values.row_count, 0) as row_count
from places
inner join attributes on attributes.attribute_number = places.attribute_number
left join sqlanon.source_values
    on source_values.attribute = attributes.attribute
    and source_values.value is not distinct from places.value
{% if rare %}
left join value_persons
    on value_persons.attribute_number = places.attribute_number
    and value_persons.value = places.value
{% endif %}
