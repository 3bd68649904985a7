{# The class key in the places where it stands: selected, grouped by, joined on. Long lists and long
   comments go on over several lines. #}
{% macro select(alias, class_key, deep=false) -%}
{% for column in class_key %}
{{ "        " if deep else "    " }}{{ alias }}.{{ column | ident }},
{% endfor %}
{%- endmacro %}
{# Columns on one line, or, if that were a long line and `indent` is given, one column a line. #}
{% macro list(alias, class_key, indent=0, first=[], last=[]) -%}
{% set flat %}{% for column in first %}{{ column }}, {% endfor %}{% for column in class_key %}{{ alias }}.{{ column | ident }}{{ ", " if last or not loop.last }}{% endfor %}{{ last | join(", ") }}{% endset %}
{% if indent and flat | length > 64 %}
{% for column in first %}{{ "\n" ~ " " * indent }}{{ column }},{% endfor %}
{% for column in class_key %}{{ "\n" ~ " " * indent }}{{ alias }}.{{ column | ident }}{{ "," if last or not loop.last }}{% endfor %}
{% for column in last %}{{ "\n" ~ " " * indent }}{{ column }}{{ "," if not loop.last }}{% endfor %}
{% else %}{{ flat }}{% endif %}
{%- endmacro %}
{% macro join(left, right, class_key, deep=false) -%}
{% set margin = "        " if deep else "    " %}
{% for column in class_key %}
{% set line %}{{ "on" if loop.first else "and" }} {{ left }}.{{ column | ident }} is not distinct from {{ right }}.{{ column | ident }}{% endset %}
{% if line | length <= 84 %}
{{ margin }}{{ line }}
{% else %}
{{ margin }}{{ "on" if loop.first else "and" }} {{ left }}.{{ column | ident }}
{{ margin }}    is not distinct from {{ right }}.{{ column | ident }}
{% endif %}
{% endfor %}
{%- endmacro %}
{% macro texts(values, indent=0) -%}
{% set flat %}{% for value in values %}{{ value | text }}{{ ", " if not loop.last }}{% endfor %}{% endset %}
{% if indent and flat | length > 56 %}
{% for value in values %}{{ "\n" ~ " " * indent }}{{ value | text }}{{ "," if not loop.last }}{% endfor %}{{ "\n" ~ " " * (indent - 4) }}{% else %}{{ flat }}{% endif %}
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
