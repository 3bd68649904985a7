{#- inputs: attributes list[tuple], class_key list[str], model_checks list[dict], masked bool, measure_sql str, measure_title str, node_levels list[tuple], node_table str | None, nodes list[list[int]], relation str, pruning bool, alone list[ModelCheck], rechecks list[ModelCheck], roll_up list[int] | None, star_checks list[dict], chosen bool, values_counted list[ClassValues], carried list[str], unit bool, linked bool, population bool, words int -#}
{% import "_comments.sql" as comments %}
{% call comments.wrapped("-- valued_nodes: ") %}
the information loss of each {{ "satisfying node" if node_table else "of " ~ (nodes | length) ~ " lattice nodes" }} by {{ measure_title | comment }}
{% endcall %}
{% call comments.wrapped("-- reads:   ") %}
{{ relation }}, generalized_values, level_codes, level_measures
{% endcall %}
-- returns: one row per node
--   cost         value of the measure, including suppressed rows; lower is better
--   lower_bound  no node above this one has a lower cost
with {% include "search/_classes.sql" %},
{% include "search/_decided_classes.sql" %},
{% if linked %}
{% include "search/_label_classes.sql" %}
{% endif %}
{% if node_table %}
node_levels as (
{% for number, name in attributes %}
    {{ "union all " if not loop.first }}select node, {{ name | text }} as attribute, level_{{ number }} as level from nodes
{% endfor %}
),
{% else %}
{% include "search/_node_levels.sql" %},
{% endif %}
valued_nodes as (
{{ measure_sql | indent(4, first=true) }}
)
select node, cost, lower_bound
from valued_nodes
order by node
