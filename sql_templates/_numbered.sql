{# Columns that end with numbers from 1, on one line, which the renderer folds if it is long. #}
{% macro list(stem, count, alias="") -%}
{%- for number in range(1, count + 1) -%}
{{ alias ~ "." if alias }}{{ stem }}_{{ number }}{{ ", " if not loop.last }}
{%- endfor -%}
{%- endmacro %}
{# Columns of tables as text, with such names. #}
{% macro texts(columns, stem) -%}
{%- for column in columns -%}
cast({{ column | ident }} as varchar) as {{ stem }}_{{ loop.index }}{{ ", " if not loop.last }}
{%- endfor -%}
{%- endmacro %}
