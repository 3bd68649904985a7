{#- CTEs up to `unheld_classes`: published classes that fail relative to the published rows -#}
kept_classes as (
    select {{ class_key | join(", ") }}, class_size
    from decided_classes
    where published
),
{% for attribute in kept_attributes %}
{% for kind, known in [("class_values", [])] * attribute.is_each + [("joint_values", attribute.known)] * attribute.is_joint %}
kept_{{ kind }}_{{ attribute.number }} as (
    select {{ kind }}.*
    from {{ kind }}_{{ attribute.number }} as {{ kind }}
    inner join kept_classes
{% for column in class_key %}
        {{ "on" if loop.first else "and" }} kept_classes.{{ column }} = {{ kind }}.{{ column }}
{% endfor %}
),
{% if kind == "joint_values" %}
joint_kept_classes_{{ attribute.number }} as (
    select {{ class_key | join(", ") }}{% for number in known %}, value_{{ number }}{% endfor %}, cast(sum(value_count) as bigint) as class_size
    from kept_joint_values_{{ attribute.number }}
    group by {{ class_key | join(", ") }}{% for number in known %}, value_{{ number }}{% endfor %}

),
{% endif %}
{% endfor %}
kept_table_values_{{ attribute.number }} as (
    -- the published values of {{ attribute.name | comment }}, per node
    select
        class_values.node,
        table_values.value,
        table_values.text,
        table_values.number,
        table_values.place,
        cast(sum(class_values.value_count) as bigint) as row_count,
        cast(
            sum(sum(class_values.value_count)) over (partition by class_values.node) as bigint
        ) as table_size
    from kept_{{ "class" if attribute.is_each else "joint" }}_values_{{ attribute.number }} as class_values
    inner join sqlanon.table_values_{{ attribute.number }} as table_values
        on table_values.value = class_values.value
    group by
        class_values.node,
        table_values.value,
        table_values.text,
        table_values.number,
        table_values.place
),
{% endfor %}
{% for judgement in kept_judgements %}
{{ judgement.name }} as (
{{ judgement.select | indent(4, first=true) }}
),
{% endfor %}
unheld_classes as (
{% for judgement in kept_judgements %}
    {{ "union all " if not loop.first }}select node from {{ judgement.name }} where not satisfied
{% endfor %}
),
unheld_nodes as (
    select node, count(*) as class_count
    from unheld_classes
    group by node
)
