{#- inputs: round int, size int, unit bool, words int, attributes list[CodedAttribute] number name word masks -#}
{% set before = "classes_of_round_" ~ (round - 1) %}
{% macro code(rows) -%}
{% if words == 1 -%}
{{ rows }}.key_1
{%- else -%}
case lower_codes.word{% for word in range(1, words + 1) %} when {{ word }} then {{ rows }}.key_{{ word }}{% endfor %} end
{%- endif %} & lower_codes.mask
{%- endmacro %}
-- classes_of_round_{{ round }}: classes of the previous round, with one column a level lower
--   It is the column by which the rows of a class gain most, of equal ones the first, if all parts
--   keep {{ size }} {{ "persons" if unit else "rows" }}.
-- reads:   {{ before }}, label_gains, level_codes
-- returns: one row per row of {{ before }}; its columns
with cells as (
    -- one row per column and row of a class that changed last
    select
        classes.class,
        classes.row_count,
{% if unit %}
        classes.person,
{% endif %}
{% for word in range(1, words + 1) %}
        classes.key_{{ word }},
{% endfor %}
        columns.attribute_number,
        case columns.attribute_number
{% for attribute in attributes %}
            when {{ attribute.number }} then classes.level_{{ attribute.number }}
{% endfor %}
        end as level
    from sqlanon.{{ before }} as classes
    cross join (
        values {% for attribute in attributes %}({{ attribute.number }}){{ ", " if not loop.last }}{% endfor %}

    ) as columns (attribute_number)
    where classes.changed = {{ round - 1 }}
),
parts as (
    -- one row per class, column, and label a level lower
    select
        cells.class,
        cells.attribute_number,
        cells.level,
        {{ "count(distinct cells.person)" if unit else "sum(cells.row_count)" }} as members,
        sum(cells.row_count * label_gains.gain) as gain
    from cells
    inner join sqlanon.level_codes as lower_codes
        on lower_codes.attribute_number = cells.attribute_number
        and lower_codes.level = cells.level - 1
    inner join sqlanon.label_gains
        on label_gains.attribute_number = cells.attribute_number
        and label_gains.level = cells.level
        and label_gains.code = {{ code("cells") }}
    group by cells.class, cells.attribute_number, cells.level, label_gains.code
),
lowered as (
    -- one row per class and column that can go down, the best first
    select
        class,
        attribute_number,
        level,
        row_number() over (partition by class order by sum(gain) desc, attribute_number) as place
    from parts
    group by class, attribute_number, level
    having min(members) >= {{ size }}
),
refined as (
    -- the rows of all classes, and the part of each
    select
        classes.*,
        lowered.attribute_number as lowered,
        {{ code("classes") }} as part
    from sqlanon.{{ before }} as classes
    left join lowered
        on lowered.class = classes.class
        and lowered.place = 1
    left join sqlanon.level_codes as lower_codes
        on lower_codes.attribute_number = lowered.attribute_number
        and lower_codes.level = lowered.level - 1
)
select
{% for word in range(1, words + 1) %}
    key_{{ word }},
{% endfor %}
{% if unit %}
    person,
{% endif %}
    row_count,
    dense_rank() over (order by class, part) as class,
    case when lowered is null then changed else {{ round }} end as changed,
{% for attribute in attributes %}
    case when lowered = {{ attribute.number }} then level_{{ attribute.number }} - 1 else level_{{ attribute.number }} end as level_{{ attribute.number }}{{ "," if not loop.last }}
{% endfor %}
from refined
