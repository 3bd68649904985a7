{# Columns: renamed, to group by, to join on; what would be a long line goes on over several. #}
{% macro column(name, wanted, relation="") -%}
{{ relation ~ "." if relation }}{{ name | ident }}{{ " as " ~ wanted if name != wanted }}
{%- endmacro %}
{% macro group_by(names, margin="    ") -%}
{% if (names | join(", ") | length) + (margin | length) <= 78 %}
{{ margin }}group by {{ names | join(", ") }}
{% else %}
{{ margin }}group by
{% for name in names %}
{{ margin }}    {{ name }}{{ "," if not loop.last }}
{% endfor %}
{% endif %}
{%- endmacro %}
{% macro equal(left, right, pairs, margin, how="=") -%}
{% for one, other in pairs %}
{% set line %}{{ margin ~ ("on" if loop.first else "and") }} {{ left }}.{{ one | ident }} {{ how }} {{ right }}.{{ other | ident }}{% endset %}
{% if line | length <= 92 %}
{{ line }}
{% else %}
{{ margin ~ ("on" if loop.first else "and") }} {{ left }}.{{ one | ident }}
{{ margin }}    {{ how }} {{ right }}.{{ other | ident }}
{% endif %}
{% endfor %}
{%- endmacro %}
