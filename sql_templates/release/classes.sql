{#- inputs: words int -#}
-- classes: the equivalence classes of the chosen node, before suppression
-- reads:   frequency_set, chosen_node
-- returns: one row per class
--   class_1 ..  the class: key & mask, what is left of the packed key at the node's levels
--   class_size  source rows   [rows]
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
    cast(sum(frequency_set.row_count) as bigint) as class_size
from sqlanon.frequency_set as frequency_set
cross join node_masks
group by
{% for word in range(1, words + 1) %}
    frequency_set.key_{{ word }} & node_masks.mask_{{ word }}{{ "," if not loop.last }}
{% endfor %}
