{#- inputs: quasi_identifiers list[tuple[str, str, list[int]]] name alias levels, population_count str, nodes list[list[int]], size int -#}
{% import "_passes.sql" as passes %}
-- population_classes: the population as the passes of the publication generalize it
--   Each row of the population has its labels in the first pass at whose node {{ size }} rows that wait
--   have them; a row of the publication can only be of somebody with the same labels.
-- reads:   population_combinations, hierarchy_levels
-- returns: one row per combination of labels
--   population_size   rows of the population   [rows]
with labeled_combinations as (
    -- the combinations of values, with their labels at the levels of all passes
    select
{% for name, _, levels in quasi_identifiers %}
{% set number = loop.index %}
{% for level in levels %}
        labels_{{ number }}_{{ level }}.label as label_{{ number }}_{{ level }},
{% endfor %}
{% endfor %}
        combinations.{{ population_count | ident }} as row_count
    from sqlanon.population_combinations as combinations
{% for name, _, levels in quasi_identifiers %}
{% set number = loop.index %}
{% for level in levels %}
{% set labels = "labels_" ~ number ~ "_" ~ level %}
    inner join sqlanon.hierarchy_levels as {{ labels }}
        on {{ labels }}.attribute = {{ name | text }}
        and {{ labels }}.level = {{ level }}
        and {{ labels }}.value is not distinct from cast(combinations.{{ name | ident }} as varchar)
{% endfor %}
{% endfor %}
),
{% for node in nodes %}
{% set keys = [] %}
{% for level in node %}{% set _ = keys.append("label_" ~ loop.index ~ "_" ~ level) %}{% endfor %}
{{ passes.waiting(
    loop.index, "labeled_combinations", size, keys, "sum(row_count)",
    "", "", "members_" ~ loop.index, "" if loop.first else "members_" ~ loop.index0,
) }}
{% endfor %}
placed_combinations as (
{% for node in nodes %}
{% set number = loop.index %}
    select
{% for _, alias, _ in quasi_identifiers %}
        label_{{ loop.index }}_{{ node[loop.index0] }} as {{ alias | ident }},
{% endfor %}
        row_count
    from pass_{{ number }}
    where members_{{ number }} >= {{ size }}
{{ "    union all\n" if not loop.last -}}
{% endfor %}
)
select
{% for _, alias, _ in quasi_identifiers %}
    {{ alias | ident }},
{% endfor %}
    cast(sum(row_count) as bigint) as population_size
from placed_combinations
group by {% for _, alias, _ in quasi_identifiers %}{{ alias | ident }}{{ ", " if not loop.last }}{% endfor %}

