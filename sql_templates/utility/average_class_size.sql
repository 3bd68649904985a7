{#- inputs: row_count int, limit_rows int, k int, smallest int, suppressed_rows str -#}
-- average_class_size: published rows per class, as a multiple of k = {{ k | number }} (LeFevre 2006, C_avg)
-- reads:   decided_classes
-- returns: one row per node
{% if suppressed_rows == "excluded" %}
--   cost   published rows / published classes / {{ k | number }}; null if nothing is published
{% else %}
--   cost   all rows / (published classes + one class of suppressed rows, if any) / {{ k | number }}
{% endif %}
{% set most_classes %}
{% if smallest > 1 %}
-- a class above has a class of {{ smallest | number }} or more in it, or {{ smallest | number }} of the other rows
        greatest(
            1,
            count(*) filter (where class_size >= {{ smallest | number }}) + floor(
                cast(coalesce(sum(class_size) filter (where class_size < {{ smallest | number }}), 0) as double)
                / {{ smallest | number }}
            )
        )
{%- else %}
count(*)
{%- endif %}
{% endset %}
select
    node,
{% if suppressed_rows == "excluded" %}
    cast(sum(class_size) filter (where published) as double)
        / nullif(count(*) filter (where published), 0) / {{ k | number }} as cost,
    cast({{ row_count | number }} - {{ limit_rows | number }} as double) / {{ "\n        " if smallest > 1 }}{{ most_classes }} / {{ k | number }} as lower_bound
{% else %}
    cast({{ row_count | number }} as double)
        / (count(*) filter (where published) + max(case when published then 0 else 1 end))
        / {{ k | number }} as cost,
    cast({{ row_count | number }} as double) / ({{ "\n        " if smallest > 1 }}{{ most_classes }} + 1) / {{ k | number }} as lower_bound
{% endif %}
from decided_classes
group by node
