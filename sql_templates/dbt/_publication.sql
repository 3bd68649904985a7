{#- inputs: name str, candidate str, columns list[str], order list[str] -#}
{% import "_keys.sql" as k %}
-- {{ name | comment }}: the publication, which is built only if every promise holds of the candidate
select {{ k.list("", columns) }}
from {{ candidate | ident }}
order by {{ k.list("", order) }}
