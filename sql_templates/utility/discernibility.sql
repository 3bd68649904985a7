{#- inputs: row_count int, suppressed_rows str -#}
-- discernibility: indistinguishable rows, summed over rows (Bayardo and Agrawal 2005)
-- reads:   decided_classes
-- returns: one row per node, with whole numbers
--   cost   sum of class_size^2 over published classes
{%- if suppressed_rows == "charged" %},
--          and {{ row_count | number }} per suppressed row   [row pairs]
{%- else %} and over suppressed ones alike   [row pairs]
{%- endif %}

select
    node,
    sum(
        cast(class_size as decimal(19, 0))
{% if suppressed_rows == "charged" %}
        * cast(
            case when published then class_size else {{ row_count | number }} end as decimal(19, 0)
        )
{% else %}
        * cast(class_size as decimal(19, 0))
{% endif %}
    ) as cost,
    sum(cast(class_size as decimal(19, 0)) * cast(class_size as decimal(19, 0))) as lower_bound
from decided_classes
group by node
