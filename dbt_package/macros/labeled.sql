{# Every value of a column has one label in a hierarchy; a missing value needs none. #}
{% macro proof_of_labeled(model, column=none, hierarchy=none, table=none, value="value", label="label") -%}
{{- sqlanon.check_name("labeled", "column", column) -}}
{{- sqlanon.check_given("labeled", "hierarchy", hierarchy, "ref('marital_status')") -}}
{{- sqlanon.check_name("labeled", "value", value) -}}
{{- sqlanon.check_name("labeled", "label", label) -}}
{%- set string = dbt.type_string() -%}
select 'values have no label, or several' as violation, count(*) as affected
from (
    select known_values.value
    from (
        select distinct cast({{ sqlanon.ident(column) }} as {{ string }}) as value
        from {{ table if table else model }}
        where {{ sqlanon.ident(column) }} is not null
    ) as known_values
    left join (
        select
            cast({{ sqlanon.ident(value) }} as {{ string }}) as value,
            {{ sqlanon.ident(label) }} as label
        from {{ hierarchy }}
    ) as labels
        on labels.value = known_values.value
    group by known_values.value
    having count(labels.label) <> 1
) as values_without_one
having count(*) > 0
{%- endmacro %}

{% test labeled(model, column=none, hierarchy=none, table=none, value="value", label="label") %}
{{ sqlanon.proof_of_labeled(model, column=column, hierarchy=hierarchy, table=table, value=value, label=label) }}
{% endtest %}

{% macro guard_labeled(model, column=none, hierarchy=none, table=none, value="value", label="label") -%}
{{ sqlanon.guarded("labeled", sqlanon.proof_of_labeled(model, column=column, hierarchy=hierarchy, table=table, value=value, label=label)) }}
{%- endmacro %}
