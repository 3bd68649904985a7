{#- CTEs `nodes`, `classes` (`class_values_of_X` ...): the classes of a batch of lattice nodes -#}
{% set parts = class_key | reject("equalto", "node") | list %}
{% macro from_nodes() %}
    from nodes
    cross join {{ "rolled_up_set" if roll_up else "sqlanon." ~ relation }} as frequency_set
{% endmacro %}
{% if node_table %}
nodes as (
    select * from sqlanon.{{ node_table }}
),
{% elif chosen %}
nodes as (
    -- the chosen node: the masks of its levels, summed
    select
        0 as node,
{% for word in range(1, words + 1) %}
        cast(sum(mask) filter (where word = {{ word }}) as bigint) as mask_{{ word }}{{ "," if not loop.last }}
{% endfor %}
    from sqlanon.chosen_node
),
{% else %}
nodes (
    node{% for word in range(1, words + 1) %}, mask_{{ word }}{% endfor %}

) as (
    values
{% for row in nodes %}
        ({{ row | join(", ") }}){{ "," if not loop.last }}
{% endfor %}
),
{% endif %}
{% if roll_up %}
rolled_up_set as (
    -- all nodes are at or above this one, so its coarser frequency set is sufficient
    select
{% for mask in roll_up %}
        key_{{ loop.index }} & {{ mask }} as key_{{ loop.index }},
{% endfor %}
{% for column in carried %}
        {{ column }},
{% endfor %}
{% if unit %}
        person,
{% endif %}
{% if population %}
        cast(sum(population_count) as bigint) as population_count,
{% endif %}
        cast(sum(row_count) as bigint) as row_count
    from sqlanon.{{ relation }}
    group by
{% for mask in roll_up %}
        key_{{ loop.index }} & {{ mask }}{{ "," if not loop.last or carried or unit }}
{% endfor %}
{% for column in carried %}
        {{ column }}{{ "," if not loop.last or unit }}
{% endfor %}
{% if unit %}
        person
{% endif %}
),
{% endif %}
{% if linked %}
histories as (
    -- what joins the rows of a person: their number, and two sums of hashes of their labels; sums,
    -- so that the order of the rows does not matter and equal rows count as often as they occur
    select
        nodes.node,
        frequency_set.person,
        cast(sum(frequency_set.row_count) as bigint) as class_1,
{% for part in (2, 3) %}
        sum(
            frequency_set.row_count
                * cast(hash('{{ part }}'{% for word in range(1, words + 1) %}, frequency_set.key_{{ word }} & nodes.mask_{{ word }}{% endfor %}) as hugeint)
        ) as class_{{ part }}{{ "," if not loop.last }}
{% endfor %}
{{ from_nodes() }}    group by nodes.node, frequency_set.person
),
{% endif %}
node_rows as not materialized (
    -- {{ "the rows of each person have the class of the history" if linked else "key & mask keeps the levels that the node publishes" }}
    select
        nodes.node,
{% for part in parts %}
        {{ "histories." ~ part if linked else "frequency_set.key_" ~ loop.index ~ " & nodes.mask_" ~ loop.index ~ " as " ~ part }},
{% endfor %}
{% for column in carried %}
        frequency_set.{{ column }},
{% endfor %}
{% if unit %}
        frequency_set.person,
{% endif %}
{% if population %}
        frequency_set.population_count,
{% endif %}
        frequency_set.row_count
{{ from_nodes() }}{% if linked %}
    inner join histories on histories.node = nodes.node and histories.person = frequency_set.person
{% endif %}
),
{% set counted_from = "node_rows" %}
{% set class = "class" %}
{% set counts_rows = true %}
{% include "_counted_classes.sql" %}
