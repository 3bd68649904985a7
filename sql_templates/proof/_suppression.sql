{# The rows of the source and of the publication, and the condition under which too few are left. #}
{% macro counts() -%}
source_count as (
    select count(*) as row_count
    from sqlanon.source_rows
),
published_count as (
    select count(*) as row_count
    from sqlanon.published_rows
)
{%- endmacro %}
{% macro rows_are_missing(whole, limit, rows) -%}
{% if whole %}
published_count.row_count <> source_count.row_count
{%- else %}
published_count.row_count > source_count.row_count
    or source_count.row_count - published_count.row_count
        > {{ rows or (limit | number) ~ " * source_count.row_count" }}
{%- endif %}
{%- endmacro %}
