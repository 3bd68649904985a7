{#- inputs: title str, lines list[tuple[str, str]], columns list[Published], labels list[Published], aggregated list[Published], coded list[Published], class_key list[str], classes bool, least int, most_names int, person str, place str, key str, source_order str -#}
{% import "_release_header.sql" as header %}
{% if place %}
{{ header.person_rows(place, key, "placed_rows") -}}
{% else %}
{{ header.lines(title, lines) }}-- reads:   placed_rows
-- returns: one row per published row
{% endif %}
{% include "release/_changed_rows.sql" %}
