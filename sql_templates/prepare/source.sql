{#- inputs: name str, plan_name str, kind str, path str, relation list[str], query str, options list[tuple[str, str]] -#}
{% if name == "population" %}
-- population: who could be in the source; nothing but population_combinations reads it
{% elif name == "published_table" %}
-- published_table: the table that promises are looked for in
{% else %}
-- source: the input as it is, one row per source row; nothing but source_rows reads it
{% endif %}
-- plan:    {{ plan_name | comment }}
-- returns: one row per {{ "person" if name == "population" else "row" if name == "published_table" else "source row" }}
select *
{% if kind == "query" %}
from (
{{ query }}
) as {{ name }}
{% elif kind == "table" %}
from {% for part in relation %}{{ part | ident }}{{ "." if not loop.last }}{% endfor %}

{% else %}
from read_{{ kind }}(
    {{ path | text }}{{ "," if options }}
{% for name, value in options %}
    {{ name }} = {{ value }}{{ "," if not loop.last }}
{% endfor %}
)
{% endif %}
