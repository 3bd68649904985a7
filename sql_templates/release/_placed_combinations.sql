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
{% set words %}
{% call comments.wrapped("    -- ", hang="    --   ") %}
{{ one.words | comment }}
{% endcall %}
{% endset %}
{{ passes.waiting(
    one.number, "labeled_combinations", placing.size, one.keys | map("ident") | list,
    "max(" ~ (one.member | ident) ~ ")" if placing.person else "sum(" ~ row_count ~ ")",
    placing.person | ident if placing.person else "",
    one.member | ident,
    one.members | ident,
    "" if loop.first else loop.previtem.members | ident,
    [words.rstrip()],
) }}
{% endfor %}
placed_combinations as (
{% for one in placing.passes %}
{% set labels = [] %}
{% for column in one.labels %}
{% set name = " as " ~ (placing.labels[loop.index0][0] | ident) %}
{% set _ = labels.append((column | ident) ~ (name if one.number == 1 else "")) %}
{% endfor %}
    select
        {{ combination() }},
{% if placing.counted_in != placing.source %}
        {{ row_count }},
{% endif %}
        {{ labels | join(", ") }}
    from pass_{{ one.number }}
    where {{ one.members | ident }} >= {{ placing.size }}
{{ "    union all\n" if not loop.last -}}
{% endfor %}
)
