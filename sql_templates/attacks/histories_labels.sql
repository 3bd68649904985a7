{#- inputs: title str, rows str, quasi_identifiers list[tuple[int, str]], by str -#}
{% set reads = {"ranges": ", label_ranges", "levels": ", population_labels", "values": ""} %}
-- {{ title }}: the published labels as places
-- reads:   {{ rows | comment }}{{ reads[by] }}
-- returns: one row per attribute and label
--   attribute_number   of the quasi-identifier:{% for number, name in quasi_identifiers %} {{ number }} {{ name | comment }}{{ "," if not loop.last }}{% endfor %}

{% if by == "ranges" %}
--   first_place, last_place   places of the first and the last value that the label covers
{% else %}
--   first_place, last_place   number of the label: labels of one level do not overlap
{% endif %}
{% if by != "values" %}
--                             null if it is not known what values the label covers
{% endif %}
-- nulls:   a null label stands for missing values
with published_labels (attribute_number, attribute, label) as (
{% for number, name in quasi_identifiers %}
    {{ "union all " if not loop.first }}select {{ number }}, {{ name | text }}, cast(published_rows.{{ name | ident }} as varchar)
    from {{ rows }} as published_rows
    group by cast(published_rows.{{ name | ident }} as varchar)
{% endfor %}
){% if by == "ranges" %}

-- a set with gaps is no range
select
    published_labels.attribute_number,
    published_labels.label,
    case when count(*) = 1 then min(label_ranges.first_place) end as first_place,
    case when count(*) = 1 then max(label_ranges.last_place) end as last_place
from published_labels
inner join sqlanon.label_ranges
    on label_ranges.attribute_number = published_labels.attribute_number
    and label_ranges.label is not distinct from published_labels.label
group by published_labels.attribute_number, published_labels.label
{% else %},
numbered_labels as (
    select
        *,
        cast(
            row_number() over (partition by attribute_number order by label nulls first) as integer
        ) as number
    from published_labels
){% if by == "levels" %},
read_labels as (
    select distinct attribute, label
    from sqlanon.population_labels
){% endif %}

select
    numbered_labels.attribute_number,
    numbered_labels.label,
{% for place in ["first_place", "last_place"] %}
    {{ "case when read_labels.attribute is not null then numbered_labels.number end" if by == "levels" else "numbered_labels.number" }} as {{ place }}{{ "," if not loop.last }}
{% endfor %}
from numbered_labels
{% if by == "levels" %}
left join read_labels
    on read_labels.attribute = numbered_labels.attribute
    and read_labels.label is not distinct from numbered_labels.label
{% endif %}
{% endif %}
