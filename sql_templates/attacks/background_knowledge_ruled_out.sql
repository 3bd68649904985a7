{#- inputs: classes str, class_values str, class_key list[str], attribute str, ruled_out int, threshold Decimal, title str, promise str, source str -#}
{% import "_comments.sql" as comments %}
{% import "_keys.sql" as keys %}
{% call comments.wrapped("-- " ~ title ~ ": ") %}
{{ promise | comment }}
{% endcall %}
-- source:  {{ source | comment }}
{% call comments.wrapped("-- reads:   ") %}
{{ classes }}, and {{ class_values }}, how often each value of {{ attribute | comment }} occurs in each class
{% endcall %}
-- returns: one row per class
--   class_size     rows of the class   [rows]
--   rows_at_risk   rows of values whose certainty is {{ threshold | number }} or more, compared exactly   [rows]
--   certainty      share of the most frequent value when the {{ ruled_out }} most frequent others are
--                  ruled out; no other value is more certain   [0 to 1]
--   broken         true if rows are at risk; never null
-- nulls:   a missing value is a value of its own
with ranked_values as (
    select
{{ keys.select("class_values", class_key, true) }}        class_values.value_count,
        row_number() over (
            partition by {{ keys.list("class_values", class_key) }}
            order by class_values.value_count desc, class_values.value
        ) as place
    from {{ keys.named(class_values, "class_values") }}
),
placed_values as (
    -- the most frequent others are the first {{ ruled_out + 1 }} values without the value itself, or the
    -- first {{ ruled_out }} values if the value comes later
    select
{{ keys.select("ranked_values", class_key, true) }}        ranked_values.value_count,
        ranked_values.place,
        coalesce(
            sum(ranked_values.value_count) filter (
                where ranked_values.place > {{ ruled_out + 1 }}
            ) over same_class,
            0
        ) as rarer_rows,
        coalesce(
            sum(ranked_values.value_count) filter (
                where ranked_values.place > {{ ruled_out }}
            ) over same_class,
            0
        ) as last_rows
    from ranked_values
    window same_class as (partition by {{ keys.list("ranked_values", class_key) }})
),
possible_values as (
    select
{{ keys.select("placed_values", class_key, true) }}        placed_values.value_count,
        cast(case
            when placed_values.place <= {{ ruled_out + 1 }}
                then placed_values.value_count + placed_values.rarer_rows
            else placed_values.last_rows
        end as bigint) as possible_rows
    from placed_values
)
select
{{ keys.select("classes", class_key) }}    classes.class_size,
    least(
        coalesce(sum(possible_values.value_count) filter (
            where possible_values.value_count >= {{ threshold | number }} * possible_values.possible_rows
        ), 0),
        classes.class_size
    ) as rows_at_risk,
    max(cast(possible_values.value_count as double) / possible_values.possible_rows) as certainty,
    bool_or(possible_values.value_count >= {{ threshold | number }} * possible_values.possible_rows) as broken
from possible_values
inner join {{ keys.named(classes, "classes") }}
{{ keys.join("classes", "possible_values", class_key) }}group by {{ keys.list("classes", class_key, last=["classes.class_size"]) }}
