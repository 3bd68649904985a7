{#- inputs: key str, position str, unit bool -#}
{% set what = "persons" if unit else "rows" %}
{% set size = "count(distinct class_cells.person)" if unit else "cast(sum(class_cells.row_count) as bigint)" %}
-- partition_class_sizes: how large the classes of a partition are
-- reads:   class_cells{{ ", class_labels" if position }}
-- returns: one row
--   class_count      {{ "classes; those with the same labels are one" if position else "buckets" }}   [classes]
--   smallest_class   size of the smallest one   [{{ what }}]
--   class_sizes      sum of their sizes   [{{ what }}]
with published_classes as (
{% if position %}
    select {{ size }} as class_size
    from sqlanon.class_cells
    inner join sqlanon.class_labels on class_labels.{{ key | ident }} = class_cells.class
    group by class_labels.{{ position | ident }}
    having sum(class_cells.row_count) > 0
{% else %}
    select {{ size }} as class_size
    from sqlanon.class_cells
    group by class
    having sum(row_count) > 0
{% endif %}
)
select
    count(*) as class_count,
    min(class_size) as smallest_class,
    cast(sum(class_size) as bigint) as class_sizes
from published_classes
