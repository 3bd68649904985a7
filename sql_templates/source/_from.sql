{#- the clause that names a table or calls a reader of files: kind, path, one_file, relation, options -#}
{% if kind == "table" %}
from {% for part in relation %}{{ part | ident }}{{ "." if not loop.last }}{% endfor %}

{% else %}
from read_{{ kind }}(
    {{ (path | file) if one_file else (path | files) }},
{% for name, value in options %}
    {{ name }} = {{ value }}{{ "," if not loop.last }}
{% endfor %}
)
{% endif %}
