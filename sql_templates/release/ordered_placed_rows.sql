{#- inputs: columns list[Published], labels list[Published], aggregated list[Published], coded list[Published], least int, person str -#}
{% import "release/_changed_values.sql" as changed %}
{% set limit = "rows" %}
{% set from_rows = "coded_rows" if coded else "placed_rows" %}
-- ordered_rows: the published rows in their order, with the place at which their class is looked up
-- reads:   placed_rows{{ ", changed_classes" if aggregated }}
-- returns: one row per published row
--   place   of its class in the order of labels
{% if coded %}
with read_rows as (
    -- the values in place of which others are published, as they are computed with
    select
        placed_rows.*,
{% for one in coded %}
        {{ changed.read("placed_rows." ~ (one.raw | ident), one.column) }} as read_{{ one.number }}{{ "," if not loop.last }}
{% endfor %}
    from sqlanon.placed_rows
){% include "release/_coded_rows.sql" %}

{% endif %}
{% set ordered = namespace(by=["changed_classes.shown_place" if aggregated else from_rows ~ ".place"]) %}
select
{% for one in columns if one not in aggregated and one not in labels %}
{% set value = from_rows ~ "." ~ ("coded_" ~ one.number if one in coded else one.alias | ident) %}
{% set ordered.by = ordered.by + [value] %}
    {{ value }}{{ " as " ~ (one.alias | ident) if one in coded }},
{% endfor %}
    {{ from_rows }}.place
from {{ from_rows if coded else "sqlanon.placed_rows" }}
{% if aggregated %}
inner join sqlanon.changed_classes on changed_classes.place = {{ from_rows }}.place
{% endif %}
order by {{ ordered.by | join(", ") }}
