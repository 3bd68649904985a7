{#- inputs: classes str, class_values str, class_key list[str], attribute str, tau Decimal, title str, promise str, source str -#}
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
--   rows_at_risk   rows of values with a share of {{ tau | number }} or more in the class, compared exactly   [rows]
--   certainty      share of the most frequent value   [0 to 1]
--   broken         true if rows are at risk; never null
-- nulls:   a missing value is a value of its own
with told_values as (
    select
{{ keys.select("classes", class_key, true) }}        classes.class_size,
        class_values.value_count,
        class_values.value_count >= {{ tau | number }} * classes.class_size as is_told
    from {{ keys.named(class_values, "class_values") }}
    inner join {{ keys.named(classes, "classes") }}
{{ keys.join("classes", "class_values", class_key, true) }})
select
{{ keys.select("told_values", class_key) }}    told_values.class_size,
    -- a person with several values is counted once
    least(
        coalesce(sum(told_values.value_count) filter (where told_values.is_told), 0),
        told_values.class_size
    ) as rows_at_risk,
    max(told_values.value_count) / cast(told_values.class_size as double) as certainty,
    bool_or(told_values.is_told) as broken
from told_values
group by {{ keys.list("told_values", class_key, last=["told_values.class_size"]) }}
