{#- inputs: source WorkingSource, hierarchies list[tuple[str, str]], generalized list[LabeledRows], placing Placing | None, keys list[str], kept list[str], selected list[tuple[str, str, str]], at_once int -#}
{% import "_keys.sql" as k %}
-- ordered_rows: the place of the class of every published row, and what is kept of it, in this order
-- reads:   {{ source.relation }}{{ ", source_combinations" if source.relation == "source_rows" }}, published_classes, and the files or queries below
-- returns: one row per published row
{% include "release/_ordered_rows.sql" %}
{% if at_once %}
-- no row: one thread reads it, so row groups are the same with any number of threads
union all
select {% for _ in selected %}null{{ ", " if not loop.last }}{% endfor %} from range(0) as numbers (number)
{% endif %}
