{# The class key in the places where it stands: selected, grouped by, joined on. #}
{% macro select(alias, class_key, deep=false) -%}
{% for column in class_key %}
{{ "        " if deep else "    " }}{{ alias }}.{{ column | ident }},
{% endfor %}
{%- endmacro %}
{% macro list(alias, class_key) -%}
{% for column in class_key %}{{ alias }}.{{ column | ident }}{{ ", " if not loop.last }}{% endfor %}
{%- endmacro %}
{% macro join(left, right, class_key, deep=false) -%}
{% for column in class_key %}
{{ "        " if deep else "    " }}{{ "on" if loop.first else "and" }} {{ left }}.{{ column | ident }} is not distinct from {{ right }}.{{ column | ident }}
{% endfor %}
{%- endmacro %}
{% macro texts(values) -%}
{% for value in values %}{{ value | text }}{{ ", " if not loop.last }}{% endfor %}
{%- endmacro %}
{% macro excess_title() -%}
--   excess_rows   rows of the class that no finer classes can keep, at least   [rows]
{%- endmacro %}
{% macro partition(alias, columns, more=false) -%}
{% if columns %}{{ "" if more else "partition by " }}{% for column in columns %}{{ alias }}.{{ column | ident }}{{ ", " if more or not loop.last }}{% endfor %}{% endif %}
{%- endmacro %}
{% macro also(left, right, columns) -%}
{% for column in columns %}
        and {{ left }}.{{ column | ident }} = {{ right }}.{{ column | ident }}
{% endfor %}
{%- endmacro %}
