{#- inputs: classes str, class_values str, beliefs str, table_values str, value_levels str, class_key list[str], attribute str, level int, tau Decimal, title str, promise str, source str -#}
{% import "_comments.sql" as comments %}
{% import "_keys.sql" as keys %}
{% call comments.wrapped("-- " ~ title ~ ": ") %}
{{ promise | comment }}
{% endcall %}
-- source:  {{ source | comment }}
{% call comments.wrapped("-- reads:   ") %}
{{ beliefs }}, p(t, s) of each {{ attribute | comment }}, {{ table_values }} and {{ value_levels }}, its label at each level, {{ classes }} and {{ class_values }}
{% endcall %}
-- returns: one row per class: rows of a bucket that agree in the column group of the attribute
--   class_size     rows of the class   [rows]
--   rows_at_risk   rows of labels of level {{ level }} with a probability of {{ tau | number }} or more, within a
--                  tolerance of 1e-9, for somebody who may be in the class   [rows]
--   certainty      highest probability of a label   [0 to 1]
--   broken         true if rows are at risk; never null
-- nulls:   a missing value has the label that the hierarchy gives it
{% set measures = [] %}
with label_shares as (
    select
{{ keys.select("beliefs", class_key, true) }}        beliefs.value,
        sum(beliefs.share) over (
            partition by {{ keys.list("beliefs", class_key, last=["beliefs.belief", "value_levels.label"]) }}
        ) as share
    from {{ beliefs }} as beliefs
    inner join {{ table_values }} as table_values
        on table_values.text is not distinct from beliefs.value
    inner join {{ value_levels }} as value_levels
        on value_levels.value = table_values.value
        and value_levels.level = {{ level }}
),
told_values as (
    select
{{ keys.select("label_shares", class_key, true) }}        label_shares.value,
        least(label_shares.share, 1) as certainty,
        label_shares.share >= {{ tau | number }} - 0.000000001 as is_told
    from label_shares
),
{% include "attacks/_sliced_classes.sql" %}
