{#- one CTE with the labels of placed rows, and what is kept of them: `placing`, a Placing -#}
generalized as (
    select
{% for name, expression in placing.published %}
        {{ expression }} as {{ name | ident }}{{ "," if not loop.last }}
{% endfor %}
    from {{ placing.source }}
    inner join {{ "sqlanon." if not placing.labeled }}placed_combinations
{% set alike = placing.columns | reject("in", placing.by_text) | list + ([placing.person] if placing.person else []) %}
{{ k.join("placed_combinations", placing.source, alike, true) -}}
{% for placed, own in placing.by_text.values() %}
        {{ "on" if loop.first and not alike else "and" }} {{ placed }}
            is not distinct from {{ own }}
{% endfor %}
){{ "," if not placing.last }}
