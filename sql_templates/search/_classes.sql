{#- CTEs `nodes`, `classes` (class_values_N, joint_values_N ...): the classes of a batch of lattice nodes -#}
{% set parts = class_key | reject("equalto", "node") | list %}
{% set node = "histories.node" if linked else "nodes.node" %}
{% macro class_columns() %}
{% for part in parts %}
        {{ "histories." ~ part if linked else "frequency_set.key_" ~ loop.index ~ " & nodes.mask_" ~ loop.index ~ " as " ~ part }},
{% endfor %}
{% endmacro %}
{% macro from_nodes() %}
    from nodes
{% if subsets %}
    inner join sqlanon.{{ frequency_set }} as frequency_set on frequency_set.subset = nodes.subset
{% else %}
    cross join {{ "rolled_up_set" if roll_up else "sqlanon." ~ frequency_set }} as frequency_set
{% endif %}
{% endmacro %}
{% macro from_classes() %}
{{ from_nodes() -}}
{% if linked %}
    inner join histories on histories.node = nodes.node and histories.person = frequency_set.person
{% endif %}
{% endmacro %}
{% macro by_class(known=[], value=none) %}
    group by
        {{ node }}{% for part in parts %},
        {{ "histories." ~ part if linked else "frequency_set.key_" ~ loop.index ~ " & nodes.mask_" ~ loop.index }}{% endfor %}{% if value %},
        frequency_set.value_{{ value }}{% endif %}{% for number in known %},
        frequency_set.value_{{ number }}{% endfor %}

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
    -- all nodes are at or above this one, so its coarser frequency set is sufficient
    select
{% for mask in roll_up %}
        key_{{ loop.index }} & {{ mask }} as key_{{ loop.index }},
{% endfor %}
{% for number in carried %}
        value_{{ number }},
{% endfor %}
{% if unit %}
        person,
{% endif %}
{% if population %}
        cast(sum(population_count) as bigint) as population_count,
{% endif %}
        cast(sum(row_count) as bigint) as row_count
    from sqlanon.{{ frequency_set }}
    group by
{% for mask in roll_up %}
        key_{{ loop.index }} & {{ mask }}{{ "," if not loop.last or carried or unit }}
{% endfor %}
{% for number in carried %}
        value_{{ number }}{{ "," if not loop.last or unit }}
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
{% for attribute in attributes_counted if attribute.is_each %}
class_values_{{ attribute.number }} as (
    -- {{ "persons" if unit else "rows" }} of each class with each value of {{ attribute.name | comment }}
{% if attribute.is_generalized %}
    -- (a quasi-identifier, so there is one published value per class)
{% endif %}
    select
        {{ node }},
{{ class_columns() }}        {{ "0" if attribute.is_generalized else "frequency_set.value_" ~ attribute.number }} as value,
        {{ "count(distinct frequency_set.person)" if unit else "cast(sum(frequency_set.row_count) as bigint)" }} as value_count
{{ from_classes() }}{% if population %}
    where frequency_set.row_count > 0
{% endif %}
{{ by_class([], attribute.number if not attribute.is_generalized) }}),
{% endfor %}
{% for attribute in attributes_counted if attribute.is_joint %}
joint_values_{{ attribute.number }} as (
    -- the same in classes that are further divided by the other sensitive values
    select
        {{ node }},
{{ class_columns() }}{% for number in attribute.known %}
        frequency_set.value_{{ number }},
{% endfor %}
        {{ "0" if attribute.is_generalized else "frequency_set.value_" ~ attribute.number }} as value,
        {{ "count(distinct frequency_set.person)" if unit else "cast(sum(frequency_set.row_count) as bigint)" }} as value_count
{{ from_classes() }}{% if population %}
    where frequency_set.row_count > 0
{% endif %}
{{ by_class(attribute.known, attribute.number if not attribute.is_generalized) }}),
joint_value_classes_{{ attribute.number }} as (
{% if unit %}
    select
        {{ node }},
{{ class_columns() }}{% for number in attribute.known %}
        frequency_set.value_{{ number }},
{% endfor %}
        count(distinct frequency_set.person) as class_size
{{ from_classes() }}{% if population %}
    where frequency_set.row_count > 0
{% endif %}
{{ by_class(attribute.known) -}}
{% else %}
    select
        node{% for part in parts %}, {{ part }}{% endfor %}{% for number in attribute.known %}, value_{{ number }}{% endfor %},
        cast(sum(value_count) as bigint) as class_size
    from joint_values_{{ attribute.number }}
    group by node{% for part in parts %}, {{ part }}{% endfor %}{% for number in attribute.known %}, value_{{ number }}{% endfor %}

{% endif %}
),
{% endfor %}
classes as (
{% set counted_once = (attributes_counted | selectattr("is_each") | list) if not (unit or population) else [] %}
{% if counted_once %}
    select
        node{% for part in parts %}, {{ part }}{% endfor %},
        cast(sum(value_count) as bigint) as class_size
    from class_values_{{ counted_once[0].number }}
    group by node{% for part in parts %}, {{ part }}{% endfor %}

{% elif linked %}
    select
        node{% for part in parts %}, {{ part }}{% endfor %},
        count(*) as class_size,
        cast(sum(class_1) as bigint) as row_count
    from histories
    group by node{% for part in parts %}, {{ part }}{% endfor %}

{% else %}
    -- key & mask keeps the levels that the node publishes
    select
        {{ node }},
{{ class_columns() }}{% if population %}
        cast(sum(frequency_set.population_count) as bigint) as population_size,
{% endif %}
{% if unit %}
        count(distinct frequency_set.person) as class_size,
        cast(sum(frequency_set.row_count) as bigint) as row_count
{% else %}
        cast(sum(frequency_set.row_count) as bigint) as class_size
{% endif %}
{{ from_classes() }}{{ by_class() -}}
{% if population %}
    having sum(frequency_set.row_count) > 0
{% endif %}
{% endif %}
)
