{#- inputs: alias str, columns list[tuple[str, str, str]] name action expression, plain bool, dropped list[str], required list[str] -#}
-- source_rows: the columns that may leave the database, by name, and no other
-- reads:   source
-- returns: one row per source row{{ " that has no missing value" if required }}
{% for name in dropped %}
-- left out: {{ name | comment }}, an identifier
{% endfor %}
{% if plain %}
select {% for name, action, expression in columns %}{{ expression }}{{ ", " if not loop.last }}{% endfor %}

{% else %}
select
{% include "source/_columns.sql" %}
{% endif %}
from sqlanon.source{% if alias %} as {{ alias | ident }}{% endif %}

{% for name in required %}
{{ "where" if loop.first else "    and" }} {{ name | ident }} is not null
{% endfor %}
