{#- inputs: row_count int, attribute str, class_values str, words int -#}
-- classification: rows whose {{ attribute | comment }} differs from the majority of their class (Iyengar 2002)
-- reads:   decided_classes, {{ class_values }}
-- returns: one row per node
--   cost   (suppressed rows + minority rows of published classes) / {{ row_count | number }}   [0 to 1]
-- nulls:   a missing {{ attribute | comment }} is a label of its own
with majorities as (
    select
        node,
{% for word in range(1, words + 1) %}
        class_{{ word }},
{% endfor %}
        max(value_count) as majority_rows
    from {{ class_values }}
    group by
        node{% for word in range(1, words + 1) %}, class_{{ word }}{% endfor %}

)
select
    decided_classes.node,
    cast(sum(
        case
            when decided_classes.published
                then decided_classes.class_size - majorities.majority_rows
            else decided_classes.class_size
        end
    ) as double) / {{ row_count | number }} as cost,
    cast(sum(decided_classes.class_size - majorities.majority_rows) as double)
        / {{ row_count | number }} as lower_bound
from decided_classes
inner join majorities
    on majorities.node = decided_classes.node
{% for word in range(1, words + 1) %}
    and majorities.class_{{ word }} = decided_classes.class_{{ word }}
{% endfor %}
group by decided_classes.node
