{# At most a share of the rows of a table is missing from the model. #}
{% macro proof_of_suppression(model, table, max_share) -%}
{{- sqlanon.check_given("suppression", "table", table, "source('clinic', 'patients')") -}}
{{- sqlanon.check_number("suppression", "max_share", max_share, "a number, 0 or more and at most 1", ge=0, le=1) -}}
select
    case
        when model_rows.row_count = 0 then 'the table has no rows'
        when model_rows.row_count > table_rows.row_count then 'there are more rows than in the table'
        else 'too many rows are suppressed'
    end as violation,
    table_rows.row_count as table_rows,
    model_rows.row_count as published_rows
from (select count(*) as row_count from {{ table }}) as table_rows
cross join (select count(*) as row_count from {{ model }}) as model_rows
where model_rows.row_count = 0
    or model_rows.row_count > table_rows.row_count
    or table_rows.row_count - model_rows.row_count > {{ sqlanon.number(max_share) }} * table_rows.row_count
{%- endmacro %}

{% test suppression(model, table=none, max_share=none) %}
{{ sqlanon.proof_of_suppression(model, table, max_share) }}
{% endtest %}

{% macro guard_suppression(model, table=none, max_share=none) -%}
{{ sqlanon.guarded("suppression", sqlanon.proof_of_suppression(model, table, max_share)) }}
{%- endmacro %}
