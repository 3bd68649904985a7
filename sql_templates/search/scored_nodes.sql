{#- inputs: class_key list[str], frequency_set str, judgements list[dict], masked bool, node_table str | None, nodes list[list[int]], pruned list[str], pruning bool, roll_up list[int] | None, star_judgements list[dict], subsets bool, values_of list[str], words int -#}
-- scored_nodes: what each {{ "lattice node" if node_table else "of " ~ (nodes | length) ~ " lattice nodes" }} would publish and suppress
-- reads:   {{ frequency_set }}
-- returns: one row per node
--   class_count      classes of the publication                     [classes]
--   published_rows   rows of classes that hold every privacy model  [rows]
--   suppressed_rows  all other rows                                 [rows]
--   failing_rows     rows of classes that fail a privacy model      [rows]
{% if pruning %}
--   hopeless_rows    rows of classes that fail a model that is monotone under suppression: no node
--                    below this one has fewer                       [rows]
{% endif %}
--   all_classes      classes before suppression                     [classes]
with {% include "search/_classes.sql" %},
{% include "search/_decided_classes.sql" %}

select
    node,
    count(*) filter (where published) as class_count,
    cast(coalesce(sum(class_size) filter (where published), 0) as bigint) as published_rows,
    cast(coalesce(sum(class_size) filter (where not published), 0) as bigint) as suppressed_rows,
    cast(coalesce(sum(class_size) filter (where not satisfied), 0) as bigint) as failing_rows,
{% if pruning %}
    cast(coalesce(sum(class_size) filter (where not may_hold), 0) as bigint) as hopeless_rows,
{% endif %}
    count(*) as all_classes
from decided_classes
group by node
order by node
