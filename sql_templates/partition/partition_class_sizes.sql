{#- inputs: key str, position str, unit bool, kinds bool -#}
{% set what = "persons" if unit else "rows" %}
-- partition_class_sizes: how large the classes of a partition are
-- reads:   class_cells{{ ", class_labels" if position }}{{ ", bucket_kinds" if kinds }}
-- returns: one row
--   class_count      {{ "classes; those with the same labels are one" if position else "buckets" }}   [classes]
--   smallest_class   size of the smallest one   [{{ what }}]
--   class_sizes      sum of their sizes   [{{ what }}]
with {% include "partition/_decided_classes.sql" %}

select
    count(*) as class_count,
    min(class_size) as smallest_class,
    cast(sum(class_size) as bigint) as class_sizes
from decided_classes
