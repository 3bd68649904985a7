{#- inputs: alias str, levels int, rule str -#}
-- label_bits: what the labels of a column tell at the levels of a hierarchy, in the sample
-- reads:   sampled_values
-- returns: one row per level between the value and the top
--   bits   entropy of the labels   [bits]
with known_values as (
    select value, row_count
    from sqlanon.sampled_values
    where column_name = {{ alias | text }}
),
labels as (
{{ rule }}
),
level_labels as (
{% for level in range(1, levels) %}
    {{ "union all " if not loop.first }}select
        {{ level }} as level, labels.level_{{ level }} as label, sum(known_values.row_count) as row_count
    from labels
    inner join known_values
        on known_values.value = labels.level_0
    group by labels.level_{{ level }}
{% endfor %}
)
select log2(sum(row_count)) - sum(row_count * log2(row_count)) / sum(row_count) as bits
from level_labels
group by level
order by level
