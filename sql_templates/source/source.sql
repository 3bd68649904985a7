{#- inputs: name str, plan_name str, kind str, path str, one_file bool, relation list[str], query str, options list[tuple[str, str]], columns list[str] -#}
{% if name == "population" %}
-- population: the persons who could be in the source; only population_combinations reads it
{% else %}
-- source: the unchanged input, one row per source row; only source_rows reads it
{% endif %}
-- plan:    {{ plan_name | comment }}
-- returns: one row per {{ "person" if name == "population" else "source row" }}
select {% for column in columns %}{{ column | ident }}{{ ", " if not loop.last }}{% else %}*{% endfor %}

{% if kind == "query" %}
from (
{{ query }}
) as {{ name }}
{% else %}
{% with deep = false %}{% include "source/_from.sql" %}{% endwith %}
{% endif %}
