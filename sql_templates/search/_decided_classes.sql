{#- CTEs up to `decided_classes`: which classes hold every model, and which are published -#}
{% set rows = "row_count" if unit else "class_size" %}
{% set others = class_key | reject("equalto", "node") | list %}
{% macro joined(left, right) %}
{% for column in class_key %}
        {{ "on" if loop.first else "and" }} {{ left }}.{{ column }} = {{ right }}.{{ column }}
{% endfor %}
{% endmacro %}
{% macro excess_of(model_check) -%}
{% set is_sum = linked and model_check.model.sensitive_attribute %}
{{ "least(" if is_sum }}{{ model_check.name }}.excess_rows{{ ", 1)" if is_sum }}
{%- endmacro %}
{% for model_check in model_checks if not model_check.judges_whole_table %}
{{ model_check.name }} as (
{{ model_check.select | indent(4, first=true) }}
),
{% endfor %}
{% set single = model_checks | rejectattr("judges_whole_table") | list %}
{% set whole = model_checks | selectattr("judges_whole_table") | list %}
{% set bounding = single | selectattr("counts_excess") | list %}
{% for model_check in alone %}
{{ model_check.name }} as (
{{ model_check.select | indent(4, first=true) }}
),
{% endfor %}
{{ "judged_parts" if whole else "judged_classes" }} as (
    -- satisfied:     every {{ "privacy model of single classes" if whole else "privacy model" }} holds for the class
{% if pruning %}
    -- unpublishable_rows: lower bound on the rows that no finer node can publish
{% if alone %}
    -- alone_rows:    the same for models of all classes together, as if they were the only ones
{% endif %}
{% endif %}
    select
{% for column in class_key %}
        classes.{{ column }},
{% endfor %}
        classes.{{ rows }}{{ " as class_size" if unit }},
{% if population %}
        classes.population_size,
{% endif %}
{% if unit and whole %}
        classes.class_size as person_count,
{% endif %}
{% if pruning %}
{# the models count persons; of a class of histories each has the same number of rows. They count a
   person for each of the person's values, so of values no more is known than that a class fails. #}
{% if bounding | length > 1 %}
        {{ "classes.class_1 * " if linked }}greatest(
{% for model_check in bounding %}
            {{ excess_of(model_check) }}{{ "," if not loop.last }}
{% endfor %}
        ) as unpublishable_rows,
{% else %}
        {{ "classes.class_1 * " if linked and bounding }}{{ excess_of(bounding[0]) if bounding else "0" }} as unpublishable_rows,
{% endif %}
{% if alone %}
        case
            when {{ alone | map(attribute="name") | join(".satisfied\n                and ") }}.satisfied then 0
            else classes.{{ rows }}
        end as alone_rows,
{% endif %}
{% endif %}
{% for model_check in single %}
        {{ "    and " if not loop.first }}{{ model_check.name }}.satisfied{{ " as satisfied" if loop.last }}
{% else %}
        true as satisfied
{% endfor %}
    from classes
{% for model_check in single %}
    inner join {{ model_check.name }}
{{ joined(model_check.name, "classes") -}}
{% endfor %}
{% for model_check in alone %}
    inner join {{ model_check.name }}
{{ joined(model_check.name, "classes") -}}
{% endfor %}
),
{% for model_check in whole %}
{% set before = "judged_parts" if loop.first else "judged_parts_" ~ loop.index0 %}
satisfied_classes_{{ loop.index }} as (
    -- the classes for which all earlier models hold
    select {{ class_key | join(", ") }}, {{ "person_count as " if unit }}class_size{{ ", population_size" if population }}
    from {{ before }}
    where satisfied
),
{{ model_check.name }} as (
{{ model_check.select | indent(4, first=true) }}
),
{{ ("judged_once" if whole | length > 1 else "judged_classes") if loop.last else "judged_parts_" ~ loop.index }} as (
    select
{% for column in class_key %}
        {{ before }}.{{ column }},
{% endfor %}
        {{ before }}.class_size,
{% if population %}
        {{ before }}.population_size,
{% endif %}
{% if unit and (whole | length > 1) %}
        {{ before }}.person_count,
{% endif %}
{% if pruning %}
        {{ before }}.unpublishable_rows,
{% if alone %}
        {{ before }}.alone_rows,
{% endif %}
{% endif %}
        {{ before }}.satisfied and coalesce({{ model_check.name }}.satisfied, false) as satisfied
    from {{ before }}
    left join {{ model_check.name }}
{{ joined(model_check.name, before) -}}
),
{% endfor %}
{% if whole | length > 1 %}
left_classes as (
    -- the classes that all models of the whole table leave; a later model may have broken an
    -- earlier one
    select {{ class_key | join(", ") }}, {{ "person_count as " if unit }}class_size{{ ", population_size" if population }}
    from judged_once
    where satisfied
),
{% for model_check in rechecks %}
{{ model_check.name }} as (
{{ model_check.select | indent(4, first=true) }}
),
{% endfor %}
broken_nodes as (
{% for model_check in rechecks %}
    {{ "union " if not loop.first }}select node from {{ model_check.name }} where not satisfied
{% endfor %}
),
judged_classes as (
    -- in that case the node publishes nothing
    select
{% for column in class_key %}
        judged_once.{{ column }},
{% endfor %}
        judged_once.class_size,
{% if population %}
        judged_once.population_size,
{% endif %}
{% if pruning %}
        judged_once.unpublishable_rows,
{% if alone %}
        judged_once.alone_rows,
{% endif %}
{% endif %}
        judged_once.satisfied and broken_nodes.node is null as satisfied
    from judged_once
    left join broken_nodes on broken_nodes.node = judged_once.node
),
{% endif %}
{% if masked %}
ranked_classes as (
    -- the smallest satisfied class of each node comes first
    select
        *,
        satisfied and row_number() over (
            partition by node
            order by satisfied desc, class_size, {{ others | join(", ") }}
        ) = 1 as is_smallest
    from judged_classes
),
failing_nodes as (
    select node
    from ranked_classes
    where not satisfied
    group by node
),
star_classes as (
    -- masked rows form one class of '*': the failing classes alone, or, if that class would
    -- fail, the failing classes and the smallest satisfied one (Sweeney 2002, step 4)
    select node, 0 as added_classes, cast(sum(class_size) as bigint) as class_size
    from ranked_classes
    where not satisfied
    group by node
    union all
    select node, 1, cast(sum(class_size) as bigint)
    from ranked_classes
    where not satisfied or is_smallest
    group by node
    having count(*) filter (where not satisfied) > 0
        and count(*) filter (where is_smallest) > 0
),
{% for values in values_counted %}
star_{{ values.name }} as (
    -- how often each value of {{ values.column.name | comment }} occurs in the class of '*'
{% for added in (0, 1) %}
{% if added %}
    union all
{% endif %}
    select
        ranked_classes.node,
        {{ added }} as added_classes,
{% for column in values.known %}
        counted.{{ column.named("value") }},
{% endfor %}
        counted.value,
        cast(sum(counted.value_count) as bigint) as value_count
    from ranked_classes
    inner join {{ values.name }} as counted
{{ joined("counted", "ranked_classes") -}}
{% if added %}
    inner join failing_nodes on failing_nodes.node = ranked_classes.node
{% endif %}
    where not ranked_classes.satisfied{{ " or ranked_classes.is_smallest" if added }}

    group by ranked_classes.node{% for column in values.known %}, counted.{{ column.named("value") }}{% endfor %}, counted.value
{% endfor %}
),
{% if values.is_joint %}
star_{{ values.totals }} as (
    select node, added_classes{% for column in values.known %}, {{ column.named("value") }}{% endfor %}, cast(sum(value_count) as bigint) as class_size
    from star_{{ values.name }}
    group by node, added_classes{% for column in values.known %}, {{ column.named("value") }}{% endfor %}

),
{% endif %}
{% endfor %}
{% for model_check in star_checks %}
{{ model_check.name }} as (
{{ model_check.select | indent(4, first=true) }}
),
{% endfor %}
star_choices as (
    select
        {{ star_checks[0].name }}.node,
        min({{ star_checks[0].name }}.added_classes) as added_classes
    from {{ star_checks[0].name }}
{% for model_check in star_checks[1:] %}
    inner join {{ model_check.name }}
        on {{ model_check.name }}.node = {{ star_checks[0].name }}.node
        and {{ model_check.name }}.added_classes = {{ star_checks[0].name }}.added_classes
{% endfor %}
{% for model_check in star_checks %}
    {{ "where" if loop.first else "    and" }} {{ model_check.name }}.satisfied
{% endfor %}
    group by {{ star_checks[0].name }}.node
),
decided_classes as (
    -- a node for whose '*' class the models do not hold publishes nothing
    select
{% for column in class_key %}
        ranked_classes.{{ column }},
{% endfor %}
        ranked_classes.class_size,
        ranked_classes.satisfied,
{% if pruning %}
        ranked_classes.unpublishable_rows,
{% endif %}
        ranked_classes.satisfied
        and (failing_nodes.node is null or star_choices.node is not null)
        and not (ranked_classes.is_smallest and coalesce(star_choices.added_classes, 0) = 1)
            as published
    from ranked_classes
    left join failing_nodes on failing_nodes.node = ranked_classes.node
    left join star_choices on star_choices.node = ranked_classes.node
)
{%- else %}
decided_classes as (
    -- all rows of failing classes are suppressed
    select
{% for column in class_key %}
        {{ column }},
{% endfor %}
        class_size,
{% if population %}
        population_size,
{% endif %}
        satisfied,
{% if pruning %}
        unpublishable_rows,
{% if alone %}
        alone_rows,
{% endif %}
{% endif %}
        satisfied as published
    from judged_classes
)
{%- endif %}
