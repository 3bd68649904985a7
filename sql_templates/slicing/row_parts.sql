{#- inputs: parts list[list[str]], combination str -#}
{% import "_comments.sql" as comments %}
-- row_parts: the quasi-identifiers of every distinct row, as numbers of parts
{% for part in parts %}
{% call comments.wrapped("--   part_" ~ loop.index ~ "   ", hang="--            ") %}
{{ part | join(", ") | comment }}
{% endcall %}
{% endfor %}
-- reads:   row_combinations
-- returns: one row per distinct row of the source; equal parts have equal numbers
-- nulls:   a missing value is a value of its own
select
    row_combinations.{{ combination | ident }}{{ " as combination" if combination != "combination" }},
{% for part in parts %}
    dense_rank() over (
        order by
{% for name in part %}
            row_combinations.{{ name | ident }}{{ "," if not loop.last }}
{% endfor %}
    ) as part_{{ loop.index }}{{ "," if not loop.last }}
{% endfor %}
from sqlanon.row_combinations
