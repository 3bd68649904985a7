{#- inputs: name str, source str, columns list[str], required list[str] -#}
{% import "_keys.sql" as k %}
-- {{ name | comment }}: the rows that the promises are about, none with a missing value
select {{ k.list("", columns) }}
from {{ source | ident }}
{% for name in required %}
{{ "where" if loop.first else "    and" }} {{ name | ident }} is not null
{% endfor %}
