{#- CTEs of the promises, and `published_classes` with the places of those that keep them -#}
{% if decided %}
{% include "search/_decided_classes.sql" %},
published_classes as (
    select
        {{ k.list("classes", keys) }},
        decided_classes.published,
        {{ "case when decided_classes.published then " if masked }}row_number() over (order by {{ "decided_classes.published desc, " if masked }}{{ k.list("classes", keys) }}){{ " else 0 end" if masked }} as place
    from classes
    inner join decided_classes on decided_classes.class_number = classes.class_number
{% if not masked %}
    where decided_classes.published
{% endif %}
)
{% else %}
{% for model_check in model_checks %}
{{ model_check.name }} as (
{{ model_check.select | indent(4, first=true) }}
),
{% endfor %}
published_classes as (
    select {{ k.list("", keys) }}, row_number() over (order by {{ k.list("", keys) }}) as place
{% if model_checks | length == 1 %}
    from {{ model_checks[0].name }}
    where satisfied
{% else %}
    from (
{% for model_check in model_checks %}
{% if not loop.first %}
        intersect
{% endif %}
        select {{ k.list("", keys) }} from {{ model_check.name }} where satisfied
{% endfor %}
    ) as satisfied_classes
{% endif %}
)
{% endif %}
