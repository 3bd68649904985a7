{#- inputs: quasi_identifiers list[str], chosen bool, levels list[tuple[str, int]] -#}
{% import "proof/_labels.sql" as labels %}
-- population_labels: the published label of each value of the population
-- reads:   hierarchy_levels, {{ "chosen_node" if chosen else ("published_rows" if not levels else "and the levels below") }}
-- returns: one row per attribute and value
{% if not chosen and not levels %}
--   the level of the publication is the lowest level that contains all its labels
{% endif %}
{% if chosen or levels %}
with label_levels (attribute, level) as (
{% if chosen %}
    select attribute, level
    from sqlanon.chosen_node
{% else %}
    values
{% for name, level in levels %}
        ({{ name | text }}, {{ level }}){{ "," if not loop.last }}
{% endfor %}
{% endif %}
)
{% else %}
with {{ labels.published(quasi_identifiers) }},
{% include "proof/_label_levels.sql" %}

{% endif %}
select hierarchy_levels.attribute, hierarchy_levels.value, hierarchy_levels.label
from sqlanon.hierarchy_levels
inner join label_levels
    on label_levels.attribute = hierarchy_levels.attribute
    and label_levels.level = hierarchy_levels.level
