{#- inputs: measure_title str, measure_sql str -#}
-- valued_classes: the information loss of all passes together by {{ measure_title | comment }}
-- reads:   placed_classes, and what the measure reads
-- returns: one row: the cost; lower is better
with decided_classes as (
    select 0 as node, class as class_1, class_size, published
    from sqlanon.placed_classes
),
valued_classes as (
{{ measure_sql | indent(4, first=true) }}
)
select cost
from valued_classes
