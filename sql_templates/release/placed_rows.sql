{#- inputs: source WorkingSource, hierarchies list[tuple[str, str]], generalized list[LabeledRows], keys list[str], selected list[tuple[str, str, str]], kept list[str], at_once int -#}
{% import "_keys.sql" as k %}
-- placed_rows: the place of the class of every row that is published, and its values as they are
--   read; not itself published
-- reads:   {{ source.relation }}, source_combinations, published_classes, and what makes labels
-- returns: one row per published row
{% include "release/_ordered_rows.sql" %}
