{# The class key in the places where it stands: selected, grouped by, joined on. #}
{% macro select(alias, class_key, deep=false) -%}
{% if class_key %}
{{ "        " if deep else "    " }}
{%- for column in class_key -%}
{{ alias }}.{{ sqlanon.ident(column) }},{{ " " if not loop.last }}
{%- endfor -%}
{{ "\n" }}
{%- endif %}
{%- endmacro %}
{# Columns on one line, which the renderer folds if it is long. #}
{% macro list(alias, class_key, first=[], last=[]) -%}
{%- for column in first -%}
{{ column }}{{ ", " if class_key or last or not loop.last }}
{%- endfor -%}
{%- for column in class_key -%}
{{ alias ~ "." if alias }}{{ sqlanon.ident(column) }}{{ ", " if last or not loop.last }}
{%- endfor -%}
{{ last | join(", ") }}
{%- endmacro %}
{# A relation, and its other name if it has one. #}
{% macro named(relation, alias) -%}
{{ relation }}{{ " as " ~ alias if relation != alias }}
{%- endmacro %}
{% macro join(left, right, class_key, deep=false) -%}
{%- set margin = "        " if deep else "    " -%}
{%- for column in class_key -%}
{%- set one = ("on " if loop.first else "and ") ~ left ~ "." ~ sqlanon.ident(column) -%}
{%- set other = sqlanon.same_as() ~ " " ~ right ~ "." ~ sqlanon.ident(column) -%}
{%- set gap = " " if (one ~ other) | length < 92 else "\n    " ~ margin -%}
{{ margin }}{{ one }}{{ gap }}{{ other }}{{ "\n" }}
{%- endfor -%}
{%- endmacro %}
{% macro texts(values) -%}
{%- for value in values -%}{{ sqlanon.text(value) }}{{ ", " if not loop.last }}{%- endfor -%}
{%- endmacro %}
{% macro excess_title() -%}
--   excess_rows   lower bound on the rows that no finer classes can keep   [rows]
{%- endmacro %}
{% macro partition(alias, columns, more=false) -%}
{%- if columns -%}
{{ "" if more else "partition by " }}
{%- for column in columns -%}
{{ alias }}.{{ sqlanon.ident(column) }}{{ ", " if more or not loop.last }}
{%- endfor -%}
{%- endif -%}
{%- endmacro %}
{% macro also(left, right, columns) -%}
{%- for column in columns -%}
{{ "        and " }}{{ left }}.{{ sqlanon.ident(column) }} = {{ right }}.{{ sqlanon.ident(column) }}{{ "\n" }}
{%- endfor -%}
{%- endmacro %}
