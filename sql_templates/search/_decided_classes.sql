{#- CTEs up to `decided_classes`: which classes hold every model, and which are published -#}
{% for judgement in judgements %}
{{ judgement.name }} as (
{{ judgement.sql | indent(4, first=true) }}
),
{% endfor %}
judged_classes as (
    -- satisfied: the class holds every privacy model
{% if pruning %}
    -- may_hold:  it holds those on which the search may prune, being monotone under suppression
{% endif %}
    select
{% for column in class_key %}
        {{ judgements[0].name }}.{{ column }},
{% endfor %}
        {{ judgements[0].name }}.class_size,
        {{ judgements | map(attribute='name') | join('.satisfied and ') }}.satisfied as satisfied{{ "," if pruning }}
{% if pruning %}
        {{ 'true' if not pruned else (pruned | join('.satisfied and ')) ~ '.satisfied' }} as may_hold
{% endif %}
    from {{ judgements[0].name }}
{% for judgement in judgements[1:] %}
    inner join {{ judgement.name }}
{% for column in class_key %}
        {{ "on" if loop.first else "and" }} {{ judgement.name }}.{{ column }} = {{ judgements[0].name }}.{{ column }}
{% endfor %}
{% endfor %}
),
{% if masked %}
ranked_classes as (
    -- the smallest satisfied class of each node comes first
    select
        *,
        satisfied and row_number() over (
            partition by node
            order by satisfied desc, class_size{% for column in class_key if column != "node" %}, {{ column }}{% endfor %}

        ) = 1 as is_smallest
    from judged_classes
),
star_classes as (
    -- masked rows form one class of '*': the failing classes alone, or, where that class would
    -- fail, the failing classes and the smallest satisfied one (Sweeney 2002, step 4)
    select node, 0 as added_classes, sum(class_size) as class_size
    from ranked_classes
    where not satisfied
    group by node
    union all
    select node, 1, sum(class_size)
    from ranked_classes
    where not satisfied or is_smallest
    group by node
    having count(*) filter (where not satisfied) > 0
        and count(*) filter (where is_smallest) > 0
),
{% for number, name in star_values_of %}
star_class_values_{{ number }} as (
    -- how often each value of {{ name | comment }} occurs in the class of '*'
{% for added in (0, 1) %}
{% if added %}
    union all
{% endif %}
    select ranked_classes.node, {{ added }} as added_classes, class_values.value, sum(class_values.value_count) as value_count
    from ranked_classes
    inner join class_values_{{ number }} as class_values
{% for column in class_key %}
        {{ "on" if loop.first else "and" }} class_values.{{ column }} = ranked_classes.{{ column }}
{% endfor %}
    where not ranked_classes.satisfied{{ " or ranked_classes.is_smallest" if added }}

    group by ranked_classes.node, class_values.value
{% endfor %}
),
{% endfor %}
{% for judgement in star_judgements %}
{{ judgement.name }} as (
{{ judgement.sql | indent(4, first=true) }}
),
{% endfor %}
star_choices as (
    select {{ star_judgements[0].name }}.node, min({{ star_judgements[0].name }}.added_classes) as added_classes
    from {{ star_judgements[0].name }}
{% for judgement in star_judgements[1:] %}
    inner join {{ judgement.name }}
        on {{ judgement.name }}.node = {{ star_judgements[0].name }}.node
        and {{ judgement.name }}.added_classes = {{ star_judgements[0].name }}.added_classes
{% endfor %}
    where {{ star_judgements | map(attribute='name') | join('.satisfied and ') }}.satisfied

    group by {{ star_judgements[0].name }}.node
),
failing_nodes as (
    select node
    from ranked_classes
    where not satisfied
    group by node
),
decided_classes as (
    -- a node whose '*' class cannot hold the models publishes nothing
    select
{% for column in class_key %}
        ranked_classes.{{ column }},
{% endfor %}
        ranked_classes.class_size,
        ranked_classes.satisfied,
{% if pruning %}
        ranked_classes.may_hold,
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
    -- classes that fail are suppressed, row for row
    select
{% for column in class_key %}
        {{ column }},
{% endfor %}
        class_size,
        satisfied,
{% if pruning %}
        may_hold,
{% endif %}
        satisfied as published
    from judged_classes
)
{%- endif %}
