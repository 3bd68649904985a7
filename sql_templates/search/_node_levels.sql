{#- CTE `node_levels`: the level of each attribute in each of the given nodes -#}
node_levels (node, attribute, level) as (
    values
{% for row in node_levels %}
        ({{ row[0] }}, {{ row[1] | text }}, {{ row[2] }}){{ "," if not loop.last }}
{% endfor %}
)
