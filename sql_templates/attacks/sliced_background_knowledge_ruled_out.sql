{#- inputs: classes str, class_values str, beliefs str, class_key list[str], attribute str, ruled_out int, threshold Decimal, title str, promise str, source str -#}
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
--   rows_at_risk   rows of values whose certainty is {{ threshold | number }} or more, within a tolerance of
--                  1e-9, for somebody who may be in the class   [rows]
--   certainty      probability of the most likely value when the {{ ruled_out }} most likely others are
--                  ruled out; no other value is more certain   [0 to 1]
--   broken         true if rows are at risk; never null
-- nulls:   a missing value is a value of its own
{% set measures = [] %}
with ranked_values as (
    select
        beliefs.*,
        row_number() over (
            partition by {{ keys.list("beliefs", class_key, last=["beliefs.belief"]) }}
            order by beliefs.share desc, beliefs.value nulls first
        ) as place
    from {{ beliefs }} as beliefs
),
possible_values as (
    -- the likeliest others are the first {{ ruled_out + 1 }} values without the value itself, or the first
    -- {{ ruled_out }} values if the value comes later
    select
        ranked_values.*,
        case
            when ranked_values.place <= {{ ruled_out + 1 }}
                then ranked_values.share
                    + coalesce(sum(ranked_values.share) filter (
                        where ranked_values.place > {{ ruled_out + 1 }}
                    ) over same_belief, 0)
            else sum(ranked_values.share) filter (
                where ranked_values.place > {{ ruled_out }}
            ) over same_belief
        end as possible_share
    from ranked_values
    window same_belief as (
        partition by {{ keys.list("ranked_values", class_key, last=["ranked_values.belief"]) }}
    )
),
told_values as (
    select
{{ keys.select("possible_values", class_key, true) }}        possible_values.value,
        least(possible_values.share / possible_values.possible_share, 1) as certainty,
        possible_values.share / possible_values.possible_share
            >= {{ threshold | number }} - 0.000000001 as is_told
    from possible_values
),
{% include "attacks/_sliced_classes.sql" %}
