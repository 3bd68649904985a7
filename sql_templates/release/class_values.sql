{#- inputs: words int, number int, attribute str -#}
-- class_values_{{ number }}: how often each value of {{ attribute | comment }} occurs in each class
-- reads:   frequency_set, chosen_node
-- returns: one row per class and value
--   value        code of the value, as in table_values_{{ number }}
--   value_count  source rows   [rows]
with node_masks as (
    select
{% for word in range(1, words + 1) %}
        cast(sum(mask) filter (where word = {{ word }}) as bigint) as mask_{{ word }}{{ "," if not loop.last }}
{% endfor %}
    from sqlanon.chosen_node
)
select
{% for word in range(1, words + 1) %}
    frequency_set.key_{{ word }} & node_masks.mask_{{ word }} as class_{{ word }},
{% endfor %}
    frequency_set.value_{{ number }} as value,
    cast(sum(frequency_set.row_count) as bigint) as value_count
from sqlanon.frequency_set as frequency_set
cross join node_masks
group by
{% for word in range(1, words + 1) %}
    frequency_set.key_{{ word }} & node_masks.mask_{{ word }},
{% endfor %}
    frequency_set.value_{{ number }}
