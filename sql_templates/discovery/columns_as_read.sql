{#- inputs: columns list[tuple[str, str]], kind str, path str, one_file bool, relation list[str], options list[tuple[str, str]] -#}
-- columns_as_read: a source with its columns as a plan reads them
-- returns: one row per source row
select
{% for expression, name in columns %}
    {{ expression ~ " as " ~ (name | ident) if expression != name | ident else expression }}{{ "," if not loop.last }}
{% endfor %}
{% with deep = false %}{% include "source/_from.sql" %}{% endwith %}
