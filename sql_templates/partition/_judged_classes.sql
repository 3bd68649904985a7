{#- CTEs classes (class_values_N ...) and the judgement of every model, from rows with a class key -#}
{% import "partition/_lists.sql" as lists %}
{% set what = "persons" if unit else "rows" %}
{% set class = "side of a cut" if class_key[0] == "cut_number" else "class" %}
{% macro key(alias="") %}
{% for column in class_key %}
        {{ alias }}{{ column | ident }},
{% endfor %}
{% endmacro %}
{% macro known(attribute) %}
{% for number in attribute.known %}
        {{ codes[number] | ident }},
{% endfor %}
{% endmacro %}
{% macro value_count() %}{{ "count(distinct person)" if unit else "cast(sum(row_count) as bigint)" }}{% endmacro %}
{% macro value(attribute) %}{{ "0" if attribute.is_generalized else codes[attribute.number] | ident }}{% endmacro %}
{% for attribute in attributes_counted if attribute.is_each %}
class_values_{{ attribute.number }} as (
    -- one row per {{ class }} and value of {{ attribute.name | comment }}: how many {{ what }} have it
{% if attribute.is_generalized %}
    -- (a quasi-identifier, so there is one published value per class)
{% endif %}
    select
{{ key() }}        {{ value(attribute) }} as value,
        {{ value_count() }} as value_count
    from {{ counted_from }}
{% if population %}
    where row_count > 0
{% endif %}
{{ lists.group_by(class_key + ([codes[attribute.number]] if not attribute.is_generalized else [])) }}),
{% endfor %}
{% for attribute in attributes_counted if attribute.is_joint %}
{% set others = namespace(codes=[]) %}
{% for number in attribute.known %}
{% set others.codes = others.codes + [codes[number]] %}
{% endfor %}
joint_values_{{ attribute.number }} as (
    -- one row per {{ class }}, other sensitive values, and value of {{ attribute.name | comment }}
    select
{{ key() }}{{ known(attribute) }}        {{ value(attribute) }} as value,
        {{ value_count() }} as value_count
    from {{ counted_from }}
{% if population %}
    where row_count > 0
{% endif %}
{{ lists.group_by(class_key + others.codes + ([codes[attribute.number]] if not attribute.is_generalized else [])) }}),
joint_value_classes_{{ attribute.number }} as (
    -- one row per {{ class }} and other sensitive values
    select
{{ key() }}{{ known(attribute) }}        {{ value_count() if unit else "cast(sum(value_count) as bigint)" }} as class_size
    from {{ counted_from if unit else "joint_values_" ~ attribute.number }}
{% if unit and population %}
    where row_count > 0
{% endif %}
{{ lists.group_by(class_key + others.codes) }}),
{% endfor %}
classes as (
    -- one row per {{ class }}: how many {{ what }} it has
    select
{{ key() }}{% if population %}
        cast(sum(population_count) as bigint) as population_size,
{% endif %}
        {{ value_count() }} as class_size
    from {{ counted_from }}
{{ lists.group_by(class_key) }}{% if population %}
    having sum(row_count) > 0
{% endif %}
),
{% for judgement in judgements %}
{{ judgement.name }} as (
    -- one row per {{ class }}: whether it holds {{ judgement.model.model }}
{{ judgement.select | indent(4, first=true) }}
),
{% endfor %}
