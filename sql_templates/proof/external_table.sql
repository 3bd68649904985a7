{#- inputs: name str, holds str, kind str, path str, one_file bool, relation list[str], options list[tuple[str, str]], columns list[tuple[str, str]] name expression; all as they are when empty -#}
-- {{ name }}: {{ holds | comment }}
-- returns: one row per row of the table
select
{% for name, expression in columns %}
    {{ expression }}{% if expression != name | ident %} as {{ name | ident }}{% endif %}{{ "," if not loop.last }}
{% else %}
    *
{% endfor %}
{% with deep = false %}{% include "source/_from.sql" %}{% endwith %}
