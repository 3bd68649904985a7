{#- inputs: size int, words int, subsets list[list[int]], carried list[str], unit bool, population bool -#}
-- frequency_sets_of_{{ size }}: frequency sets for {{ subsets | length }} subsets of {{ size }} quasi-identifiers, at the finest
--   levels that are still of interest; all other quasi-identifiers are at their top level
-- reads:   frequency_set
-- returns: one row per subset and distinct combination
with subsets (
    subset{% for word in range(1, words + 1) %}, mask_{{ word }}{% endfor %}

) as (
    values
{% for row in subsets %}
        ({{ row | join(", ") }}){{ "," if not loop.last }}
{% endfor %}
)
select
    subsets.subset,
{% for word in range(1, words + 1) %}
    frequency_set.key_{{ word }} & subsets.mask_{{ word }} as key_{{ word }},
{% endfor %}
{% for column in carried %}
    frequency_set.{{ column }},
{% endfor %}
{% if unit %}
    frequency_set.person,
{% endif %}
{% if population %}
    cast(sum(frequency_set.population_count) as bigint) as population_count,
{% endif %}
    cast(sum(frequency_set.row_count) as bigint) as row_count
from subsets
cross join sqlanon.frequency_set
group by
    subsets.subset,
{% for word in range(1, words + 1) %}
    frequency_set.key_{{ word }} & subsets.mask_{{ word }}{{ "," if not loop.last or carried or unit }}
{% endfor %}
{% for column in carried %}
    frequency_set.{{ column }}{{ "," if not loop.last or unit }}
{% endfor %}
{% if unit %}
    frequency_set.person
{% endif %}
