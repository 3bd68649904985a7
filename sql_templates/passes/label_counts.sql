{#- inputs: parts list[tuple[int, int]] word mask -#}
-- label_counts: how many labels each quasi-identifier has at each of its levels
-- reads:   waiting_set_1
-- returns: one row: counts in the order of quasi-identifiers and levels   [labels]
select
{% for word, mask in parts %}
    count(distinct key_{{ word }} & {{ mask }}) as labels_{{ loop.index }}{{ "," if not loop.last }}
{% endfor %}
from sqlanon.waiting_set_1
