{#- inputs: alias str, columns list[tuple[str, str, str]] name action expression, dropped list[str], required list[str] -#}
-- source_rows: the columns that may leave the database, by name, and no other
-- reads:   source
-- returns: one row per source row{{ " that has no missing value" if required }}
{% for name in dropped %}
-- left out: {{ name | comment }}, an identifier
{% endfor %}
select
{% for name, action, expression in columns %}
{% if action == "star" %}
    '*' as {{ name | ident }}{{ "," if not loop.last }}
{% elif action == "pseudonym" %}
    -- keyed hash (HMAC construction); the key is a session variable and is stored in no file
    sha256(getvariable('sqlanon_pseudonym_key') || sha256(
        getvariable('sqlanon_pseudonym_key') || cast({{ expression }} as varchar)
    )) as {{ name | ident }}{{ "," if not loop.last }}
{% else %}
{% if expression == name | ident %}
    {{ expression }}{{ "," if not loop.last }}
{% elif (expression ~ name) | length <= 84 %}
    {{ expression }} as {{ name | ident }}{{ "," if not loop.last }}
{% else %}
    {{ expression }}
        as {{ name | ident }}{{ "," if not loop.last }}
{% endif %}
{% endif %}
{% endfor %}
from sqlanon.source{% if alias %} as {{ alias | ident }}{% endif %}

{% if required %}
{% for name in required %}
{{ "where" if loop.first else "    and" }} {{ name | ident }} is not null
{% endfor %}
{% endif %}
