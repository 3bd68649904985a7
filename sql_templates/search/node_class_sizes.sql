{#- inputs: class_key list[str], model_checks list[dict], masked bool, node_table str | None, nodes list[list[int]], relation str, pruning bool, alone list[ModelCheck], rechecks list[ModelCheck], roll_up list[int] | None, star_checks list[dict], chosen bool, values_counted list[ClassValues], carried list[str], unit bool, linked bool, population bool, words int -#}
{% set what = "persons" if unit else "rows" %}
-- node_class_sizes: how large the classes are that a lattice node publishes
-- reads:   frequency_set
-- returns: one row
--   class_count      published classes{{ ", with the one of masked rows" if masked }}   [classes]
--   smallest_class   size of the smallest one; null if there is none   [{{ what }}]
--   class_sizes      sum of their sizes; null if there is none   [{{ what }}]
with {% include "search/_classes.sql" %},
{% include "search/_decided_classes.sql" %},
published_classes as (
    select classes.class_size
    from classes
    inner join decided_classes
{% for column in class_key %}
        {{ "on" if loop.first else "and" }} classes.{{ column }} = decided_classes.{{ column }}
{% endfor %}
    where decided_classes.published
{% if masked %}
    union all
    -- rows with '*' in every quasi-identifier are one class to a reader
    select cast(sum(class_size) as bigint) as class_size
    from decided_classes
    where not published
    having count(*) > 0
{% endif %}
)

select
    count(*) as class_count,
    min(class_size) as smallest_class,
    cast(sum(class_size) as bigint) as class_sizes
from published_classes
