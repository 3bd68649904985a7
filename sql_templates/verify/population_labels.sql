{#- inputs: quasi_identifiers list[str] -#}
-- population_labels: as what each value of the population would stand in the publication
-- reads:   published_rows, hierarchy_levels
-- returns: one row per attribute and value that has a label in the publication
with published_labels as (
{% for name in quasi_identifiers %}
    {{ "union all " if not loop.first }}select {{ name | text }} as attribute, cast({{ name | ident }} as varchar) as label
    from sqlanon.published_rows
    group by {{ name | ident }}
{% endfor %}
)
select hierarchy_levels.attribute, hierarchy_levels.value, hierarchy_levels.label
from sqlanon.hierarchy_levels as hierarchy_levels
inner join published_labels
    on published_labels.attribute = hierarchy_levels.attribute
    and published_labels.label is not distinct from hierarchy_levels.label
group by hierarchy_levels.attribute, hierarchy_levels.value, hierarchy_levels.label
