{#- inputs: classes str, class_values str, beliefs str, class_key list[str], attribute str, ruled_out int, threshold Decimal, title str, promise str, source str -#}
{% import "_keys.sql" as keys %}
{% set also %}{% endset %}
{% set measures = [] %}
{% set risky %}values whose certainty is at least {{ threshold | number }}{% endset %}
{% include "attacks/_disclosed_header.sql" %}

--   certainty      {{ "probability of the most likely" if beliefs else "share of the most frequent" }} value when the {{ ruled_out }} {{ "most likely" if beliefs else "most frequent" }}
--                  others are ruled out; no other value is more certain   [0 to 1]
--   broken         true if rows are at risk; never null
-- nulls:   a missing value is a value of its own
{% set own = "beliefs" if beliefs else "class_values" %}
{% set weight = "share" if beliefs else "value_count" %}
with ranked_values as (
    select
        {{ own }}.*,
        row_number() over (
            partition by {{ keys.list(own, class_key, last=["beliefs.belief"] if beliefs else []) }}
            order by {{ own }}.{{ weight }} desc, {{ own }}.value{{ " nulls first" if beliefs }}
        ) as place
    from {{ keys.named(beliefs or class_values, own) }}
),
possible_values as (
    -- the {{ "likeliest" if beliefs else "most frequent" }} others are the first {{ ruled_out + 1 }} values without the value itself, or the
    -- first {{ ruled_out }} values if the value comes later
    select
        ranked_values.*,
        cast(case
            when ranked_values.place <= {{ ruled_out + 1 }}
                then ranked_values.{{ weight }}
                    + coalesce(sum(ranked_values.{{ weight }}) filter (
                        where ranked_values.place > {{ ruled_out + 1 }}
                    ) over same_{{ "belief" if beliefs else "class" }}, 0)
            else sum(ranked_values.{{ weight }}) filter (
                where ranked_values.place > {{ ruled_out }}
            ) over same_{{ "belief" if beliefs else "class" }}
        end as {{ "double" if beliefs else "bigint" }}) as possible_total
    from ranked_values
    window same_{{ "belief" if beliefs else "class" }} as (
        partition by {{ keys.list("ranked_values", class_key, last=["ranked_values.belief"] if beliefs else []) }}
    )
),
disclosed_values as (
    select
{% if beliefs %}
        possible_values.*,
        possible_values.share / possible_values.possible_total as certainty,
        possible_values.share / possible_values.possible_total
            >= {{ threshold | number }} - 0.000000001 as is_disclosed
    from possible_values
{% else %}
{{ keys.select("classes", class_key, true) }}        classes.class_size,
        possible_values.value_count,
        cast(possible_values.value_count as double) / possible_values.possible_total as certainty,
        possible_values.value_count >= {{ threshold | number }} * possible_values.possible_total as is_disclosed
    from possible_values
    inner join {{ keys.named(classes, "classes") }}
{{ keys.join("classes", "possible_values", class_key, true) }}{% endif %}
){% include "attacks/_disclosed_classes.sql" %}
