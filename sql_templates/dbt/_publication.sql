{#- inputs: name str, candidate str, columns list[str], order list[str], persons str, place str, key str -#}
{% import "_keys.sql" as k %}
-- {{ name | comment }}: the publication, which is built only if every promise holds of the candidate
{% if place %}
{% with rows = candidate | ident %}{% include "release/_without_persons.sql" %}{% endwith %}
{% else %}
select {{ k.list("", columns) }}
from {{ candidate | ident }}
order by {{ k.list("", order) }}
{% endif %}
