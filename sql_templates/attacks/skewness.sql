{#- inputs: classes str, class_values str, table_values str, class_key list[str], attribute str, gain Decimal, title str, promise str, source str -#}
{% import "_comments.sql" as comments %}
{% import "_keys.sql" as keys %}
{% call comments.wrapped("-- " ~ title ~ ": ") %}
{{ promise | comment }}
{% endcall %}
-- source:  {{ source | comment }}
{% call comments.wrapped("-- reads:   ") %}
{{ classes }}, {{ class_values }}, how often each value of {{ attribute | comment }} occurs in each class, and {{ table_values }}, how often it occurs in the table
{% endcall %}
-- returns: one row per class
--   class_size     rows of the class   [rows]
--   rows_at_risk   rows of values whose gain exceeds {{ gain | number }}, compared exactly   [rows]
--   certainty      largest share of such a value in the class; 0 if there is none   [0 to 1]
--   largest_gain   largest (share in class / share in table)   [ratio]
--   broken         true if rows are at risk; never null
-- nulls:   a missing value is a value of its own
with gains as (
    select
{{ keys.select("classes", class_key, true) }}        classes.class_size,
        class_values.value_count,
        cast(class_values.value_count as double) / classes.class_size as share,
        (cast(class_values.value_count as double) * table_values.table_size)
            / (cast(classes.class_size as double) * table_values.row_count) as gain,
        class_values.value_count * table_values.table_size
            > {{ gain | number }} * (classes.class_size * table_values.row_count) as is_gained
    from {{ keys.named(class_values, "class_values") }}
    inner join {{ keys.named(table_values, "table_values") }} on table_values.value = class_values.value
    inner join {{ keys.named(classes, "classes") }}
{{ keys.join("classes", "class_values", class_key, true) }})
select
{{ keys.select("gains", class_key) }}    gains.class_size,
    -- a person with several values is counted once
    least(
        coalesce(sum(gains.value_count) filter (where gains.is_gained), 0),
        gains.class_size
    ) as rows_at_risk,
    coalesce(max(gains.share) filter (where gains.is_gained), 0) as certainty,
    max(gains.gain) as largest_gain,
    bool_or(gains.is_gained) as broken
from gains
group by {{ keys.list("gains", class_key, last=["gains.class_size"]) }}
