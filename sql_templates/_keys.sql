{# The class key in the places where it stands: selected, grouped by, joined on. #}
{% macro select(alias, class_key, deep=false) -%}
{% if class_key %}{{ "        " if deep else "    " }}{% for column in class_key %}{{ alias }}.{{ column | ident }},{{ " " if not loop.last }}{% endfor %}{{ "\n" }}{% endif %}
{%- endmacro %}
{# Columns on one line, which the renderer folds if it is long. #}
{% macro list(alias, class_key, first=[], last=[]) -%}
{% for column in first %}{{ column }}{{ ", " if class_key or last or not loop.last }}{% endfor %}{% for column in class_key %}{{ alias ~ "." if alias }}{{ column | ident }}{{ ", " if last or not loop.last }}{% endfor %}{{ last | join(", ") }}
{%- endmacro %}
{# A relation, and its other name if it has one. #}
{% macro named(relation, alias) -%}
{{ relation }}{{ " as " ~ alias if relation != alias }}
{%- endmacro %}
{% macro join(left, right, class_key, deep=false) -%}
{% set margin = "        " if deep else "    " %}
{% for column in class_key %}
{% set line %}{{ "on" if loop.first else "and" }} {{ left }}.{{ column | ident }} is not distinct from {{ right }}.{{ column | ident }}{% endset %}
{% if line | length <= 92 %}
{{ margin }}{{ line }}
{% else %}
{{ margin }}{{ "on" if loop.first else "and" }} {{ left }}.{{ column | ident }}
{{ margin }}    is not distinct from {{ right }}.{{ column | ident }}
{% endif %}
{% endfor %}
{%- endmacro %}
{% macro texts(values) -%}
{% for value in values %}{{ value | text }}{{ ", " if not loop.last }}{% endfor %}
{%- endmacro %}
{% macro excess_title() -%}
--   excess_rows   lower bound on the rows that no finer classes can keep   [rows]
{%- endmacro %}
{% macro partition(alias, columns, more=false) -%}
{% if columns %}{{ "" if more else "partition by " }}{% for column in columns %}{{ alias }}.{{ column | ident }}{{ ", " if more or not loop.last }}{% endfor %}{% endif %}
{%- endmacro %}
{% macro also(left, right, columns) -%}
{% for column in columns %}
        and {{ left }}.{{ column | ident }} = {{ right }}.{{ column | ident }}
{% endfor %}
{%- endmacro %}
