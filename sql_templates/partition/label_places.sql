{#- inputs: attributes list[dict number name hierarchy level_count] -#}
{% import "_comments.sql" as comments %}
-- label_places: the places that each label of a hierarchy covers; they are consecutive
{% call comments.wrapped("-- reads:   ") %}
value_places{% for attribute in attributes if attribute.hierarchy %}, {{ attribute.hierarchy | comment }}{% endfor %}

{% endcall %}
-- returns: one row per attribute in the order of a hierarchy, place and level
--   label         label of the value at this place, at this level
--   first_place, last_place   first and last place that the label covers
--   width         share of the values that the label covers, times the attribute's weight
-- nulls:   the labels of a missing value are null below the top, and cover nothing else
with labels (attribute_number, value, level, label) as (
    -- one row per attribute, value and level
{% for attribute in attributes if attribute.hierarchy %}
{% set last = loop.last %}
{% for level in range(attribute.level_count) %}
    select {{ attribute.number }}, level_0, {{ level }}, level_{{ level }}
    from sqlanon.{{ attribute.hierarchy | ident }}{{ " union all" if not (last and loop.last) }}
{% endfor %}
{% else %}
    select 0, cast(null as varchar), 0, cast(null as varchar)
    where false
{% endfor %}
)
select
    labels.attribute_number,
    value_places.place,
    labels.level,
    labels.label,
    min(value_places.place) over same_label as first_place,
    max(value_places.place) over same_label as last_place,
    value_places.weight
        * (cast(count(*) over same_label as double) / value_places.place_count) as width
from labels
inner join sqlanon.value_places
    on value_places.attribute_number = labels.attribute_number
    and value_places.value is not distinct from labels.value
window same_label as (partition by labels.attribute_number, labels.level, labels.label)
