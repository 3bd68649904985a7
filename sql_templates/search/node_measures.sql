{#- inputs: class_key list[str], model_checks list[dict], masked bool, measures list[tuple[str, str, str]], node_levels list[tuple], node_table str | None, nodes list[list[int]], relation str, pruning bool, alone list[ModelCheck], rechecks list[ModelCheck], roll_up list[int] | None, star_checks list[dict], chosen bool, values_counted list[ClassValues], carried list[str], unit bool, linked bool, population bool, words int -#}
{% import "_comments.sql" as comments %}
-- node_measures: the information loss of one lattice node, by several measures
{% call comments.wrapped("-- reads:   ") %}
frequency_set, generalized_values, level_codes, level_measures
{% endcall %}
-- returns: one row per measure
--   measure      its name
--   cost         value of the measure, including suppressed rows; lower is better
with {% include "search/_classes.sql" %},
{% include "search/_decided_classes.sql" %},
{% if linked %}
{% include "search/_label_classes.sql" %}
{% endif %}
{% include "search/_node_levels.sql" %},
{% for by, _, measure_sql in measures %}
{{ by | ident }} as (
{{ measure_sql | indent(4, first=true) }}
){{ "," if not loop.last }}
{% endfor %}
{% for by, title, _ in measures %}
{{ "union all " if not loop.first }}select {{ title | text }} as measure, cost from {{ by | ident }}
{% endfor %}
order by measure
