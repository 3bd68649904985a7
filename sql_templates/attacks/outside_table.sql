{#- inputs: name str, holds str, kind str, path str, relation list[str], options list[tuple[str, str]] -#}
-- {{ name }}: {{ holds | comment }}
-- returns: one row per row of it
select *
{% if kind == "table" %}
from {% for part in relation %}{{ part | ident }}{{ "." if not loop.last }}{% endfor %}

{% else %}
from read_{{ kind }}(
    {{ path | text }}{{ "," if options }}
{% for name, value in options %}
    {{ name }} = {{ value }}{{ "," if not loop.last }}
{% endfor %}
)
{% endif %}
