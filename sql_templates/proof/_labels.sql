{#- CTE: the labels of each column in the publication, by the attribute's name or number. -#}
{% macro published(names, numbered=false) -%}
published_labels as (
{% for name in names %}
    {{ "union all " if not loop.first }}select {{ (loop.index ~ " as attribute_number") if numbered else (name | text ~ " as attribute") }}, cast({{ name | ident }} as varchar) as label
    from sqlanon.published_rows
    group by {{ name | ident }}
{% endfor %}
)
{%- endmacro %}
{# A label without what it says of missing values. #}
{% macro without_null(label) -%}
case
            when {{ label }} like '% or NULL' then substr({{ label }}, 1, greatest(length({{ label }}) - 8, 0))
            else {{ label }}
        end
{%- endmacro %}
{# The two texts of an interval: the first has a size, the second begins somewhere. #}
{% macro first_end(label, size) -%}
substr({{ label }}, 2, greatest({{ size }}, 0))
{%- endmacro %}
{% macro second_end(label, start) -%}
substr({{ label }}, greatest({{ start }}, 1), greatest(length({{ label }}) - ({{ start }}), 0))
{%- endmacro %}
{# Whether an interval has its comma after a text of a size. #}
{% macro splits_after(label, size) -%}
substr({{ label }}, greatest({{ size }} + 2, 1), 2) = ', '
{%- endmacro %}
{# A set without its braces. #}
{% macro braced(label) -%}
substr({{ label }}, 2, greatest(length({{ label }}) - 2, 0))
{%- endmacro %}
{# How the columns of `values` are written as a set of `total` values; `covering`: of too many, if there is one. #}
{% macro written_set(values, total, or_null="", covering="") -%}
{% set with_null = " || " ~ or_null if or_null else "" %}
case
            when {{ values }}.value_count = 0 then null
            when {{ values }}.is_named and {{ values }}.value_count = 1
                and not ({{ values }}.least_value like {{ "{%" | text }})
                and not ({{ values }}.least_value like '% or NULL')
                then {{ values }}.least_value{{ with_null }}
            when {{ values }}.is_named and {{ values }}.value_count = 1
                then '{"' || replace({{ values }}.least_value, '"', '""') || '"}'{{ with_null }}
            when {{ values }}.is_named then '{' || {{ values }}.names || '}'{{ with_null }}
{% if covering %}
            when {{ covering }} is not null then {{ covering }}
{% endif %}
            else '{' || {{ values }}.value_count || ' of ' || {{ total }}
                || ' values}'{{ "\n                " if or_null }}{{ with_null | trim }}
        end
{%- endmacro %}
{# How a set names a value: in double quotes if it could be mistaken for something else. #}
{% macro name(value) -%}
case
        when {{ value }} in ('', 'NULL')
            or {{ value }} like ' %' or {{ value }} like '% '
{% for sign in ["','", "'\"'", "'{'", "'}'", "chr(10)", "chr(13)"] %}
            or strpos({{ value }}, {{ sign }}) > 0
{% endfor %}
            then '"' || replace({{ value }}, '"', '""') || '"'
        else {{ value }}
    end
{%- endmacro %}
