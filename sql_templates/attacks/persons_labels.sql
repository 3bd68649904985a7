{#- inputs: title str, rows str, persons str, quasi_identifiers list[tuple[str, str]], by str -#}
{% set reads = {"places": "value_places, label_places", "levels": "hierarchy_levels", "any level": "hierarchy_levels", "values": "and nothing else: a label is the value itself"} %}
-- {{ title }}: which values each published label stands for, derived from the label alone
-- reads:   {{ rows | comment }}, {{ persons }}, {{ reads[by] }}
-- returns: one row per attribute, label and value
--   attribute_number   of the quasi-identifier:{% for name, alias in quasi_identifiers %} {{ loop.index }} {{ name | comment }}{{ "," if not loop.last }}{% endfor %}

--   form    interval: [lowest, highest] or one value; range: its ends need be nobody's values;
--           set: {value, value} or one; ancestor: a label of a hierarchy
--   place   place of the value in the order of its attribute; null if the values have no order
-- nulls:   a null label and a null value are missing values
with published_labels (attribute_number, attribute, label) as (
{% for name, alias in quasi_identifiers %}
    {{ "union all " if not loop.first }}select {{ loop.index }}, {{ name | text }}, cast({{ name | ident }} as varchar)
    from {{ rows }}
    group by cast({{ name | ident }} as varchar)
{% endfor %}
){% if by == "places" %},
{% include "proof/_interval_labels.sql" %},
{% include "proof/_set_labels.sql" %}

select distinct
    ranges.attribute_number,
    ranges.form,
    ranges.label,
    value_places.value,
    value_places.place
from (
    select attribute_number, label, form, first_place, last_place from interval_ranges
    union all
    select attribute_number, label, form, first_place, last_place from set_ranges
) as ranges
inner join sqlanon.value_places
    on value_places.attribute_number = ranges.attribute_number
    and value_places.place between ranges.first_place and ranges.last_place
union all
-- labels of a hierarchy along which values are cut
select distinct
    published_labels.attribute_number,
    'ancestor',
    published_labels.label,
    value_places.value,
    value_places.place
from published_labels
inner join sqlanon.label_places
    on label_places.attribute_number = published_labels.attribute_number
    and label_places.label is not distinct from published_labels.label
inner join sqlanon.value_places
    on value_places.attribute_number = label_places.attribute_number
    and value_places.place = label_places.place
    and value_places.kind = 'categorical'
{% elif by != "values" %},
{% if by == "levels" %}
{% include "proof/_label_levels.sql" %}

{% else %}
label_levels as (
    select distinct attribute, level from sqlanon.hierarchy_levels
)
{% endif %}
select{{ " distinct" if by == "any level" }}
    published_labels.attribute_number,
    'ancestor' as form,
    published_labels.label,
    hierarchy_levels.value,
    cast(null as integer) as place
from published_labels
inner join label_levels on label_levels.attribute = published_labels.attribute
inner join sqlanon.hierarchy_levels
    on hierarchy_levels.attribute = label_levels.attribute
    and hierarchy_levels.level = label_levels.level
    and hierarchy_levels.label is not distinct from published_labels.label
{% else %}

select attribute_number, 'interval' as form, label, label as value, cast(null as integer) as place
from published_labels
{% endif %}
