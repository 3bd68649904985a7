{#- the columns that may leave the database, each by its expression: columns -#}
{% for name, action, expression in columns %}
{% if action == "star" %}
    '*' as {{ name | ident }}{{ "," if not loop.last }}
{% elif action == "pseudonym" %}
    -- keyed hash (HMAC construction); the key is a session variable and is stored in no file
    sha256(getvariable('sqlanon_pseudonym_key') || sha256(
        getvariable('sqlanon_pseudonym_key') || cast({{ expression }} as varchar)
    )) as {{ name | ident }}{{ "," if not loop.last }}
{% elif expression == name | ident %}
    {{ expression }}{{ "," if not loop.last }}
{% elif (expression ~ name) | length <= 84 %}
    {{ expression }} as {{ name | ident }}{{ "," if not loop.last }}
{% else %}
    {{ expression }}
        as {{ name | ident }}{{ "," if not loop.last }}
{% endif %}
{% endfor %}
