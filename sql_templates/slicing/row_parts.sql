{#- inputs: parts list[list[str]], combination str -#}
{% import "_keys.sql" as keys %}
{% import "_comments.sql" as comments %}
-- row_parts: the quasi-identifiers of every distinct row, as numbers of parts
{% for part in parts %}
{{ comments.line("--   part_" ~ loop.index ~ "  ", part | join(", ") | comment, hang="--            ") }}
{% endfor %}
-- reads:   row_combinations
-- returns: one row per distinct row of the source; equal parts have equal numbers
-- nulls:   a missing value is a value of its own
with {% for part in parts %}
different_{{ loop.index }} ({% for _ in part %}value_{{ loop.index }}, {% endfor %}part) as (
    -- one row per part: to sort these takes less time than to rank all rows
    select {{ keys.list("", part) }}, row_number() over (order by {{ keys.list("", part) }})
    from sqlanon.row_combinations
    group by {{ keys.list("", part) }}
){{ "," if not loop.last }}
{% endfor %}

select
    row_combinations.{{ combination | ident }}{{ " as combination" if combination != "combination" }},
{% for part in parts %}
    different_{{ loop.index }}.part as part_{{ loop.index }}{{ "," if not loop.last }}
{% endfor %}
from sqlanon.row_combinations
{% for part in parts %}
{% set different = "different_" ~ loop.index %}
inner join {{ different }}
{% for name in part %}
    {{ "on" if loop.first else "and" }} {{ different }}.value_{{ loop.index }} is not distinct from row_combinations.{{ name | ident }}
{% endfor %}
{% endfor %}
