{#- inputs: measure_title str, measure_sql str -#}
-- valued_partition: the information loss of a partition by {{ measure_title | comment }}
-- reads:   class_cells, class_regions, value_places
-- returns: one row: the cost; lower is better
with decided_classes as (
    select
        0 as node,
        class as class_1,
        cast(sum(row_count) as bigint) as class_size,
        true as published
    from sqlanon.class_cells
    group by class
    having sum(row_count) > 0
),
valued_partition as (
{{ measure_sql | indent(4, first=true) }}
)
select cost
from valued_partition
