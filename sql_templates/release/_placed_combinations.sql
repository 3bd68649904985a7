{#- CTEs up to `placed_combinations`: the labels of each combination in the pass that places it: `placing`, a Placing -#}
{% import "_comments.sql" as comments %}
{% import "_passes.sql" as passes %}
{% macro combination(alias="") -%}
{{ k.list(alias, placing.columns + ([placing.person] if placing.person else [])) }}
{%- endmacro %}
{% set row_count = placing.row_count | ident %}
value_combinations as (
    -- the distinct combinations of values{{ " of the population" if placing.counted_in != placing.source }}{{ " of each person" if placing.person }}
    select {{ combination() }}, {{ placing.counted }} as {{ row_count }}
    from {{ placing.counted_in }}
    group by {{ combination() }}
),
{% with rows = placing.labeled %}{% include "release/_generalized.sql" %}{% endwith %}

{% for one in placing.passes %}
{% set keys = [] %}
{% for key in one.keys %}{% set _ = keys.append(key | ident) %}{% endfor %}
{% set words %}
{% call comments.wrapped("    -- ", hang="    --   ") %}
{{ one.words | comment }}
{% endcall %}
{% endset %}
{{ passes.placed(
    one.number,
    one.column | ident,
    one.earlier | ident if one.earlier else "",
    ("labeled_combinations" if loop.first else loop.previtem.column) | ident,
    keys,
    row_count,
    placing.person | ident if placing.person else "",
    one.member | ident,
    placing.size,
    [words.rstrip()],
) }}
{% endfor %}
{% set placed = placing.passes[-1].column | ident %}
placed_combinations as (
    select
        {{ combination() }},
{% if placing.counted_in != placing.source %}
        {{ row_count }},
{% endif %}
{% for label in placing.labels %}
{% if label.by_pass | length == 1 %}
        {{ label.by_pass[0][0] | ident }} as {{ label.name | ident }}{{ "," if not loop.last }}
{% else %}
        case
{% for column, passes in label.by_pass[:-1] %}
            when {{ placed }} in ({{ passes | join(", ") }}) then {{ column | ident }}
{% endfor %}
            else {{ label.by_pass[-1][0] | ident }}
        end as {{ label.name | ident }}{{ "," if not loop.last }}
{% endif %}
{% endfor %}
    from {{ placed }}
    where {{ placed }} is not null
)
