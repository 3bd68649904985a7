{#- inputs: limit_rows Expression, limit str, compared bool, covered bool -#}
-- satisfying_nodes: nodes that suppress at most {{ limit }} of the rows and publish something
{% if compared %}
--   and whose published classes keep the promises relative to the published rows
{% endif %}
{% if covered %}
--   and whose classes contain every person of the population
{% endif %}
-- reads:   lattice_nodes, scored_nodes{{ ", frequency_set" if covered }}
-- returns: one row per satisfying node; the program stops if there is none
select lattice_nodes.*
from sqlanon.lattice_nodes
inner join sqlanon.scored_nodes on scored_nodes.node = lattice_nodes.node
where scored_nodes.suppressed_rows
        <= {{ limit_rows | number }}
    and scored_nodes.published_rows > 0
{% if compared %}
    and scored_nodes.failing_published_classes = 0
{% endif %}
{% if covered %}
    and scored_nodes.covered_population
        = (select sum(population_count) from sqlanon.frequency_set)
{% endif %}
order by lattice_nodes.node
