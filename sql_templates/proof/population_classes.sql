{#- inputs: quasi_identifiers list[tuple[str, str]], population_count str -#}
-- population_classes: the population as the publication generalizes it
-- reads:   population_combinations, population_labels
-- returns: one row per combination of published labels
--   population_size   rows of the population   [rows]
select
{% for name, alias in quasi_identifiers %}
    labels_{{ loop.index }}.label as {{ alias | ident }},
{% endfor %}
    cast(sum(combinations.{{ population_count | ident }}) as bigint) as population_size
from sqlanon.population_combinations as combinations
{% for name, alias in quasi_identifiers %}
inner join sqlanon.population_labels as labels_{{ loop.index }}
    on labels_{{ loop.index }}.attribute = {{ name | text }}
    and labels_{{ loop.index }}.value is not distinct from cast(combinations.{{ name | ident }} as varchar)
{% endfor %}
group by {% for _ in quasi_identifiers %}labels_{{ loop.index }}.label{{ ", " if not loop.last }}{% endfor %}

