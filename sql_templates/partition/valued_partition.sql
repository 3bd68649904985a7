{#- inputs: key str, measure_title str, measure_sql str, position str -#}
-- valued_partition: the information loss of a partition by {{ measure_title | comment }}
-- reads:   class_cells{{ ", class_labels" if position }}, and what the measure reads
-- returns: one row: the cost; lower is better
with decided_classes as (
{% if position %}
    -- classes with the same labels are one class to a reader
    select
        0 as node,
        class_labels.{{ position | ident }} as class_1,
        cast(sum(class_cells.row_count) as bigint) as class_size,
        true as published
    from sqlanon.class_cells
    inner join sqlanon.class_labels on class_labels.{{ key | ident }} = class_cells.class
    group by class_labels.{{ position | ident }}
    having sum(class_cells.row_count) > 0
{% else %}
    select
        0 as node,
        class as class_1,
        cast(sum(row_count) as bigint) as class_size,
        true as published
    from sqlanon.class_cells
    group by class
    having sum(row_count) > 0
{% endif %}
),
valued_partition as (
{{ measure_sql | indent(4, first=true) }}
)
select cost
from valued_partition
