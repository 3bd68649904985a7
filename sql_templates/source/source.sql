{#- inputs: name str, plan_name str, kind str, path str, one_file bool, relation list[str], query str, options list[tuple[str, str]] -#}
{% if name == "population" %}
-- population: who could be in the source; nothing but population_combinations reads it
{% else %}
-- source: the input as it is, one row per source row; nothing but source_rows reads it
{% endif %}
-- plan:    {{ plan_name | comment }}
-- returns: one row per {{ "person" if name == "population" else "source row" }}
select *
{% if kind == "query" %}
from (
{{ query }}
) as {{ name }}
{% else %}
{% include "source/_from.sql" %}
{% endif %}
