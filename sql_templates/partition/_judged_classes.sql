{#- CTEs classes (class_values_N ...) and the judgement of every model, from rows with a class key -#}
{% macro group_key() %}{{ class_key | join(", ") }}{% endmacro %}
{% macro value_count() %}{{ "count(distinct person)" if unit else "cast(sum(row_count) as bigint)" }}{% endmacro %}
{% for attribute in attributes_counted if attribute.is_each %}
class_values_{{ attribute.number }} as (
    -- {{ "persons" if unit else "rows" }} of each class with each value of {{ attribute.name | comment }}
{% if attribute.is_generalized %}
    -- (a quasi-identifier, so there is one published value per class)
{% endif %}
    select
        {{ group_key() }},
        {{ "0" if attribute.is_generalized else "value_" ~ attribute.number }} as value,
        {{ value_count() }} as value_count
    from {{ counted_from }}
{% if population %}
    where row_count > 0
{% endif %}
    group by {{ group_key() }}{{ ", value_" ~ attribute.number if not attribute.is_generalized }}
),
{% endfor %}
{% for attribute in attributes_counted if attribute.is_joint %}
{% set known %}{% for number in attribute.known %}, value_{{ number }}{% endfor %}{% endset %}
joint_values_{{ attribute.number }} as (
    -- the same in classes that are further divided by the other sensitive values
    select
        {{ group_key() }}{{ known }},
        {{ "0" if attribute.is_generalized else "value_" ~ attribute.number }} as value,
        {{ value_count() }} as value_count
    from {{ counted_from }}
{% if population %}
    where row_count > 0
{% endif %}
    group by {{ group_key() }}{{ known }}{{ ", value_" ~ attribute.number if not attribute.is_generalized }}
),
joint_value_classes_{{ attribute.number }} as (
    select {{ group_key() }}{{ known }}, cast(sum(value_count) as bigint) as class_size
    from joint_values_{{ attribute.number }}
    group by {{ group_key() }}{{ known }}
),
{% endfor %}
{% if unit %}
{% for attribute in attributes_counted if attribute.is_each %}
value_classes_{{ attribute.number }} as (
    -- pairs of a person and a value; each pair counts once
    select {{ group_key() }}, cast(sum(value_count) as bigint) as class_size
    from class_values_{{ attribute.number }}
    group by {{ group_key() }}
),
{% endfor %}
{% endif %}
classes as (
    select
        {{ group_key() }},
{% if population %}
        cast(sum(population_count) as bigint) as population_size,
{% endif %}
        {{ value_count() }} as class_size
    from {{ counted_from }}
    group by {{ group_key() }}
{% if population %}
    having sum(row_count) > 0
{% endif %}
),
{% for judgement in judgements %}
{{ judgement.name }} as (
{{ judgement.select | indent(4, first=true) }}
),
{% endfor %}
