{#- inputs: classes str, class_values str, beliefs str, class_key list[str], attribute str, tau Decimal, title str, promise str, source str -#}
{% import "_comments.sql" as comments %}
{% import "_keys.sql" as keys %}
{% call comments.wrapped("-- " ~ title ~ ": ") %}
{{ promise | comment }}
{% endcall %}
-- source:  {{ source | comment }}
{% call comments.wrapped("-- reads:   ") %}
{{ beliefs }}, p(t, s) of each {{ attribute | comment }}, {{ classes }} and {{ class_values }}
{% endcall %}
-- returns: one row per class: rows of a bucket that agree in the column group of the attribute
--   class_size     rows of the class   [rows]
--   rows_at_risk   rows of values with a probability of {{ tau | number }} or more, within a tolerance of
--                  1e-9, for somebody who may be in the class   [rows]
--   certainty      highest probability of a value   [0 to 1]
--   broken         true if rows are at risk; never null
-- nulls:   a missing value is a value of its own
{% set measures = [] %}
with told_values as (
    select
{{ keys.select("beliefs", class_key, true) }}        beliefs.value,
        beliefs.share as certainty,
        beliefs.share >= {{ tau | number }} - 0.000000001 as is_told
    from {{ beliefs }} as beliefs
),
{% include "attacks/_sliced_classes.sql" %}
