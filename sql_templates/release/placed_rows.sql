{#- inputs: source WorkingSource, hierarchies list[tuple[str, str]], generalized list[LabeledRows], placing Placing | None, keys list[str], selected list[tuple[str, str, str]], kept list[str], at_once int -#}
{% import "_keys.sql" as k %}
-- placed_rows: the rows of published classes with their values as they are read; not published
-- reads:   {{ source.relation }}, source_combinations, published_classes, and what makes labels
-- returns: one row per published row
--   place   of its class in the order of labels
{% include "release/_ordered_rows.sql" %}
