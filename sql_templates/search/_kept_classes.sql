{#- CTEs up to `failing_published_classes`: published classes that fail relative to the published rows -#}
{% set made = namespace(tables=[]) %}
kept_classes as (
    select {{ class_key | join(", ") }}, class_size
    from decided_classes
    where published
),
{% for values in kept_values %}
kept_{{ values.name }} as (
    select counted.*
    from {{ values.name }} as counted
    inner join kept_classes
{% for column in class_key %}
        {{ "on" if loop.first else "and" }} kept_classes.{{ column }} = counted.{{ column }}
{% endfor %}
),
{% if values.is_joint %}
kept_{{ values.totals }} as (
    select {{ class_key | join(", ") }}{% for column in values.known %}, {{ column.named("value") }}{% endfor %}, cast(sum(value_count) as bigint) as class_size
    from kept_{{ values.name }}
    group by {{ class_key | join(", ") }}{% for column in values.known %}, {{ column.named("value") }}{% endfor %}

),
{% endif %}
{% set table = values.column.named("table_values") %}
{% if table not in made.tables %}
{% set made.tables = made.tables + [table] %}
kept_{{ table }} as (
    -- the published values of {{ values.column.name | comment }}, per node
    select
        counted.node,
        table_values.value,
        table_values.text,
        table_values.number,
        table_values.place,
        cast(sum(counted.value_count) as bigint) as row_count,
        cast(sum(sum(counted.value_count)) over (partition by counted.node) as bigint) as table_size
    from kept_{{ values.name }} as counted
    inner join sqlanon.{{ table }} as table_values
        on table_values.value = counted.value
    group by
        counted.node,
        table_values.value,
        table_values.text,
        table_values.number,
        table_values.place
),
{% endif %}
{% endfor %}
{% for model_check in kept_checks %}
{{ model_check.name }} as (
{{ model_check.select | indent(4, first=true) }}
),
{% endfor %}
failing_published_classes as (
{% for model_check in kept_checks %}
    {{ "union all " if not loop.first }}select node from {{ model_check.name }} where not satisfied
{% endfor %}
),
failing_published_nodes as (
    select node, count(*) as class_count
    from failing_published_classes
    group by node
)
