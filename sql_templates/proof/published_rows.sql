{#- inputs: relation str, columns list[str] -#}
-- published_rows: the publication, as any reader of the file sees it
-- returns: one row per published row
select {% for column in columns %}{{ column | ident }}{{ ", " if not loop.last }}{% else %}*{% endfor %}

from {{ relation }}{{ " as both_tables" if relation.startswith("(") }}
