{#- the clause that names a table or calls a reader of files: kind, path, one_file, relation, options; deep: whether it is indented -#}
{% set margin = "    " if deep else "" %}
{% if kind == "table" %}
{{ margin }}from {% for part in relation %}{{ part | ident }}{{ "." if not loop.last }}{% endfor %}

{% else %}
{{ margin }}from read_{{ kind }}({{ (path | file) if one_file else (path | files) }}{% for name, value in options %}, {{ name }} = {{ value }}{% endfor %})
{% endif %}
