{#- one CTE with the labels of placed rows, and what is kept of them: `placing`, a Placing -#}
generalized as (
    select
{% for name, expression in placing.published %}
        {{ expression }} as {{ name | ident }}{{ "," if not loop.last }}
{% endfor %}
    from {{ placing.source }}
    inner join {{ "sqlanon." if not placing.labeled }}placed_combinations
{{ k.join("placed_combinations", placing.source, placing.columns + ([placing.person] if placing.person else []), true) -}}
){{ "," if not placing.last }}
