{#- the published rows of `rows`, with other values in place of some: columns, aggregated, coded, rows, classes, least, most_names, person, place, key, source_order -#}
{% import "_keys.sql" as k %}
{% import "release/_changed_values.sql" as changed %}
{% set limit = "persons" if person else "rows" %}
{% set rows = "placed_rows" %}
with {% include "release/_changed_classes.sql" %}
{% if aggregated %},
numbered_classes as (
    -- in the order of what is published; classes that publish the same are one
    select
        shown_classes.*,
        dense_rank() over (order by {{ k.list("shown_classes", class_key) }}) as shown_place
    from shown_classes
){% endif %}{% include "release/_coded_rows.sql" %}

{% set from_rows = "coded_rows" if coded else "placed_rows" %}
{% set shown_place = "numbered_classes.shown_place" if aggregated else from_rows ~ ".place" %}
{% set ordered = namespace(by=[shown_place]) %}
select
{% if place %}
    {{ shown_place }} as {{ place | ident }},
    {{ from_rows }}.{{ person | ident }}{{ " as " ~ (key | ident) if key != person }},
{% endif %}
{% for one in columns %}
{% set value = ("numbered_classes" if one in aggregated else from_rows) ~ "." ~ ("coded_" ~ one.number if one in coded else one.alias | ident) %}
{% if one not in aggregated and one not in labels %}{% set ordered.by = ordered.by + [value] %}{% endif %}
    {{ value }}{{ " as " ~ (one.name | ident) if not value.endswith("." ~ (one.name | ident)) }}{{ "," if not loop.last }}
{% endfor %}
from {{ "sqlanon.placed_rows" if from_rows == "placed_rows" else from_rows }}
{% if aggregated %}
inner join numbered_classes on numbered_classes.place = {{ from_rows }}.place
{% endif %}
{% if not place %}
order by {{ from_rows ~ "." ~ (source_order | ident) if source_order else ordered.by | join(", ") }}
{% endif %}
