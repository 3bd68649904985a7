{#- From `told_values` (class key, value, certainty, is_told, and the attack's measures) to one row per class. -#}
class_told_values as (
    -- at risk is a value that is told to somebody who may be in the class
    select
{{ keys.select("told_values", class_key, true) }}        told_values.value,
        max(told_values.certainty) as certainty,
{% for name in measures %}
        max(told_values.{{ name }}) as {{ name }},
{% endfor %}
        bool_or(told_values.is_told) as is_told
    from told_values
    group by {{ keys.list("told_values", class_key, last=["told_values.value"]) }}
)
select
{{ keys.select("classes", class_key) }}    classes.class_size,
    coalesce(sum(class_values.value_count) filter (where class_told_values.is_told), 0) as rows_at_risk,
    max(class_told_values.certainty) as certainty,
{% for name in measures %}
    max(class_told_values.{{ name }}) as {{ name }},
{% endfor %}
    coalesce(
        bool_or(class_told_values.is_told and class_values.value_count is not null),
        false
    ) as broken
from {{ classes }} as classes
inner join class_told_values
{{ keys.join("class_told_values", "classes", class_key) }}left join {{ class_values }} as class_values
{{ keys.join("class_values", "class_told_values", class_key) }}    and class_values.value is not distinct from class_told_values.value
group by {{ keys.list("classes", class_key, last=["classes.class_size"]) }}
