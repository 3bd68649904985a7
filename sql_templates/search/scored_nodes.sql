{#- inputs: class_key list[str], model_checks list[ModelCheck], masked bool, node_table str | None, chosen bool, nodes list[list[int]], relation str, pruning bool, roll_up list[int] | None, alone list[ModelCheck], rechecks list[ModelCheck], star_checks list[ModelCheck], kept_checks list[ModelCheck], kept_values list[ClassValues], values_counted list[ClassValues], carried list[str], unit bool, linked bool, population bool, words int -#}
-- scored_nodes: what each {{ "lattice node" if node_table else "of " ~ (nodes | length) ~ " lattice nodes" }} would publish and suppress
-- reads:   {{ relation }}
-- returns: one row per node
--   class_count      classes of the publication                     [classes]
--   published_rows   rows of published classes                      [rows]
--   suppressed_rows  all other rows                                 [rows]
--   failing_rows     rows of classes for which a model fails        [rows]
--   all_classes      classes before suppression                     [classes]
{% if pruning %}
--   unpublishable_rows    lower bound on the rows that no finer node can publish   [rows]
{% endif %}
{% if kept_checks %}
--   failing_published_classes   published classes that fail relative to the published rows   [classes]
{% endif %}
{% if population %}
--   covered_population  rows of the population that fall into a class   [rows]
{% endif %}
with {% include "search/_classes.sql" %},
{% include "search/_decided_classes.sql" %}
{% if kept_checks %}
,
{% include "search/_kept_classes.sql" %}
{% endif %}

select
    decided_classes.node,
    count(*) filter (where published) as class_count,
    cast(coalesce(sum(class_size) filter (where published), 0) as bigint) as published_rows,
    cast(coalesce(sum(class_size) filter (where not published), 0) as bigint) as suppressed_rows,
    cast(coalesce(sum(class_size) filter (where not satisfied), 0) as bigint) as failing_rows,
    count(*) as all_classes{{ "," if pruning or kept_checks or population }}
{% if pruning %}
    cast(
        {{ "greatest(sum(unpublishable_rows), sum(alone_rows))" if alone else "sum(unpublishable_rows)" }} as bigint
    ) as unpublishable_rows{{ "," if kept_checks or population }}
{% endif %}
{% if kept_checks %}
    coalesce(min(failing_published_nodes.class_count), 0) as failing_published_classes{{ "," if population }}
{% endif %}
{% if population %}
    cast(sum(population_size) as bigint) as covered_population
{% endif %}
from decided_classes
{% if kept_checks %}
left join failing_published_nodes on failing_published_nodes.node = decided_classes.node
{% endif %}
group by decided_classes.node
order by decided_classes.node
