{#- CTEs up to `placed_combinations`: the labels of each combination in the pass that places it: `placing`, a Placing -#}
{% macro combination(alias="") -%}
{{ k.list(alias, placing.columns + ([placing.person] if placing.person else [])) }}
{%- endmacro %}
{% macro window(one, order="") -%}
over ({% if one.keys or (one.earlier and placing.person) %}partition by {{ k.list("", one.keys, first=[(one.earlier | ident) ~ " is null"] if one.earlier and placing.person else []) }}{{ " " if order }}{% endif %}{{ order }})
{%- endmacro %}
{% set row_count = placing.row_count | ident %}
value_combinations as (
    -- the distinct combinations of values{{ " of each person" if placing.person }}
    select {{ combination() }}, {{ placing.counted }} as {{ row_count }}
    from {{ placing.source }}
    group by {{ combination() }}
),
{% with rows = placing.labeled %}{% include "release/_generalized.sql" %}{% endwith %}

{% for one in placing.passes %}
{% set before = "labeled_combinations" if loop.first else loop.previtem.column %}
{% if placing.person %}
members_{{ one.number }} as (
    select *, dense_rank() {{ window(one, "order by " ~ (placing.person | ident)) }} as {{ one.member | ident }}
    from {{ before | ident }}
),
{% set before = "members_" ~ one.number %}
{% endif %}
{{ one.column | ident }} as (
{% import "_comments.sql" as comments %}
{% call comments.wrapped("    -- ", hang="    --   ") %}
{{ one.words | comment }}
{% endcall %}
{% set size %}
{% if placing.person %}
max({{ one.member | ident }}) {{ window(one) }}
{%- elif one.earlier %}
sum(case when {{ one.earlier | ident }} is null then {{ row_count }} end) {{ window(one) }}
{%- else %}
sum({{ row_count }}) {{ window(one) }}
{%- endif %}
{% endset %}
    select
        *,
{% if one.earlier %}
        coalesce(
            {{ one.earlier | ident }},
            case
                when {{ size }} >= {{ placing.size }}
                    then {{ one.number }}
            end
        ) as {{ one.column | ident }}
{% else %}
        case
            when {{ size }} >= {{ placing.size }}
                then {{ one.number }}
        end as {{ one.column | ident }}
{% endif %}
    from {{ before | ident }}
),
{% endfor %}
{% set placed = placing.passes[-1].column | ident %}
placed_combinations as (
    select
        {{ combination() }},
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
