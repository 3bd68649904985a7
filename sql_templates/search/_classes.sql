{#- CTEs `nodes`, `classes` (and class_values_N): the classes of a batch of lattice nodes -#}
{% if node_table %}
nodes as (
    select * from sqlanon.{{ node_table }}
),
{% else %}
nodes (
    node{% if subsets %}, subset{% endif %}{% for word in range(1, words + 1) %}, mask_{{ word }}{% endfor %}

) as (
    values
{% for row in nodes %}
        ({{ row | join(", ") }}){{ "," if not loop.last }}
{% endfor %}
),
{% endif %}
{% if roll_up %}
rolled_up_set as (
    -- all nodes are at or above this one, so its coarser frequency set answers for the source's
    select
{% for mask in roll_up %}
        key_{{ loop.index }} & {{ mask }} as key_{{ loop.index }},
{% endfor %}
{% for number, name in values_of %}
        value_{{ number }},
{% endfor %}
        cast(sum(row_count) as bigint) as row_count
    from sqlanon.{{ frequency_set }}
    group by
{% for mask in roll_up %}
        key_{{ loop.index }} & {{ mask }}{{ "," if not loop.last or values_of }}
{% endfor %}
{% for number, name in values_of %}
        value_{{ number }}{{ "," if not loop.last }}
{% endfor %}
),
{% endif %}
classes as (
    -- key & mask keeps the levels that the node publishes
    select
        nodes.node,
{% for word in range(1, words + 1) %}
        frequency_set.key_{{ word }} & nodes.mask_{{ word }} as class_{{ word }},
{% endfor %}
        cast(sum(frequency_set.row_count) as bigint) as class_size
    from nodes
{% if subsets %}
    inner join sqlanon.{{ frequency_set }} as frequency_set on frequency_set.subset = nodes.subset
{% else %}
    cross join {{ "rolled_up_set" if roll_up else "sqlanon." ~ frequency_set }} as frequency_set
{% endif %}
    group by
        nodes.node,
{% for word in range(1, words + 1) %}
        frequency_set.key_{{ word }} & nodes.mask_{{ word }}{{ "," if not loop.last }}
{% endfor %}
)
{%- for number, name in values_of %}
,
class_values_{{ number }} as (
    -- how often each value of {{ name | comment }} occurs in each class
    select
        nodes.node,
{% for word in range(1, words + 1) %}
        frequency_set.key_{{ word }} & nodes.mask_{{ word }} as class_{{ word }},
{% endfor %}
        frequency_set.value_{{ number }} as value,
        cast(sum(frequency_set.row_count) as bigint) as value_count
    from nodes
{% if subsets %}
    inner join sqlanon.{{ frequency_set }} as frequency_set on frequency_set.subset = nodes.subset
{% else %}
    cross join {{ "rolled_up_set" if roll_up else "sqlanon." ~ frequency_set }} as frequency_set
{% endif %}
    group by
        nodes.node,
{% for word in range(1, words + 1) %}
        frequency_set.key_{{ word }} & nodes.mask_{{ word }},
{% endfor %}
        frequency_set.value_{{ number }}
)
{%- endfor %}

