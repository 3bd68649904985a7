{#- inputs: title str, rows str, quasi_identifiers list[tuple[int, str]], by str -#}
{% import "_comments.sql" as comments %}
{% call comments.wrapped("-- " ~ title ~ ": ") %}
the published labels as places
{% endcall %}
{% call comments.wrapped("-- reads:   ") %}
{{ rows | comment }}{{ ", label_ranges" if by == "ranges" }}
{% endcall %}
-- returns: one row per attribute and label
--   attribute_number   of the quasi-identifier:{% for number, name in quasi_identifiers %} {{ number }} {{ name | comment }}{{ "," if not loop.last }}{% endfor %}

{% if by == "ranges" %}
--   first_place, last_place   places of the first and the last value that the label covers
{% else %}
--   first_place, last_place   number of the label: labels of one level do not overlap
{% endif %}
-- nulls:   a null label stands for missing values
with published_labels (attribute_number, label) as (
{% for number, name in quasi_identifiers %}
    {{ "union all " if not loop.first }}select {{ number }}, cast(published_rows.{{ name | ident }} as varchar)
    from {{ rows }} as published_rows
    group by cast(published_rows.{{ name | ident }} as varchar)
{% endfor %}
)
{% if by == "ranges" %}
select
    published_labels.attribute_number,
    published_labels.label,
    label_ranges.first_place,
    label_ranges.last_place
from published_labels
inner join sqlanon.label_ranges
    on label_ranges.attribute_number = published_labels.attribute_number
    and label_ranges.label is not distinct from published_labels.label
{% else %}
select
    attribute_number,
    label,
    cast(row_number() over same_attribute as integer) as first_place,
    cast(row_number() over same_attribute as integer) as last_place
from published_labels
window same_attribute as (partition by attribute_number order by label nulls first)
{% endif %}
