{#- inputs: classes str, class_values str, beliefs str, table_values str, class_key list[str], attribute str, gain Decimal, title str, promise str, source str -#}
{% import "_comments.sql" as comments %}
{% import "_keys.sql" as keys %}
{% call comments.wrapped("-- " ~ title ~ ": ") %}
{{ promise | comment }}
{% endcall %}
-- source:  {{ source | comment }}
{% call comments.wrapped("-- reads:   ") %}
{{ beliefs }}, p(t, s) of each {{ attribute | comment }}, {{ table_values }}, how often it occurs in the table, {{ classes }} and {{ class_values }}
{% endcall %}
-- returns: one row per class: rows of a bucket that agree in the column group of the attribute
--   class_size     rows of the class   [rows]
--   rows_at_risk   rows of values whose gain exceeds {{ gain | number }}, within a tolerance of 1e-9, for
--                  somebody who may be in the class   [rows]
--   certainty      highest probability of such a value; 0 if there is none   [0 to 1]
--   largest_gain   largest (probability / share in the table)   [ratio]
--   broken         true if rows are at risk; never null
-- nulls:   a missing value is a value of its own
{% set measures = ["largest_gain"] %}
with gains as (
    select
{{ keys.select("beliefs", class_key, true) }}        beliefs.value,
        beliefs.share,
        beliefs.share * table_totals.row_count / table_values.row_count as gain
    from {{ beliefs }} as beliefs
    inner join {{ table_values }} as table_values
        on table_values.text is not distinct from beliefs.value
    cross join (
        select cast(sum(all_values.row_count) as double) as row_count
        from {{ table_values }} as all_values
    ) as table_totals
),
told_values as (
    select
{{ keys.select("gains", class_key, true) }}        gains.value,
        case when gains.gain > {{ gain | number }} + 0.000000001 then gains.share else 0 end as certainty,
        gains.gain as largest_gain,
        gains.gain > {{ gain | number }} + 0.000000001 as is_told
    from gains
),
{% include "attacks/_sliced_classes.sql" %}
