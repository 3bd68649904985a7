{# The class key in the places where it stands: selected, grouped by, joined on. #}
{% macro select(alias, class_key) %}
{% for column in class_key %}
    {{ alias }}.{{ column | ident }},
{% endfor %}
{% endmacro %}
{% macro list(alias, class_key) %}
{% for column in class_key %}{{ alias }}.{{ column | ident }}{{ ", " if not loop.last }}{% endfor %}
{% endmacro %}
{% macro join(left, right, class_key) %}
{% for column in class_key %}
    {{ "on" if loop.first else "and" }} {{ left }}.{{ column | ident }} is not distinct from {{ right }}.{{ column | ident }}
{% endfor %}
{% endmacro %}
