{#- inputs: title str, lines list[tuple[str, str]], source WorkingSource, hierarchies list[tuple[str, str]], generalized list[LabeledRows], placing Placing | None, keys list[str], kept list[str], selected list[tuple[str, str, str]], at_once int -#}
{% import "_keys.sql" as k %}
{% import "_release_header.sql" as header %}
{{ header.lines(title, lines) }}-- reads:   {{ source.relation }}, published_classes, and what makes labels
-- returns: one row per published row, in the order of classes and of what is kept
{% include "release/_ordered_rows.sql" %}
