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
with value_totals as (
    -- in a class and in the table; if a person has several values, each of them counts
    select
{{ keys.select("class_values", class_key, true) }}        class_values.value,
        class_values.value_count,
        cast(
            sum(class_values.value_count) over (
                partition by {{ keys.list("class_values", class_key) }}
            ) as bigint
        ) as class_total,
        table_values.row_count,
        table_totals.row_count as table_total
    from {{ keys.named(class_values, "class_values") }}
    inner join {{ keys.named(table_values, "table_values") }} on table_values.value = class_values.value
    cross join (
        select cast(sum(all_values.row_count) as bigint) as row_count
        from {{ keys.named(table_values, "all_values") }}
    ) as table_totals
),
gains as (
    select
        value_totals.*,
        cast(value_totals.value_count as double) / value_totals.class_total as share,
        (cast(value_totals.value_count as double) * value_totals.table_total)
            / (cast(value_totals.class_total as double) * value_totals.row_count) as gain,
        value_totals.value_count * value_totals.table_total
            > {{ gain | number }} * (value_totals.class_total * value_totals.row_count) as is_gained
    from value_totals
)
select
{{ keys.select("classes", class_key) }}    classes.class_size,
    least(
        coalesce(sum(gains.value_count) filter (where gains.is_gained), 0),
        classes.class_size
    ) as rows_at_risk,
    coalesce(max(gains.share) filter (where gains.is_gained), 0) as certainty,
    max(gains.gain) as largest_gain,
    bool_or(gains.is_gained) as broken
from gains
inner join {{ keys.named(classes, "classes") }}
{{ keys.join("classes", "gains", class_key) }}group by {{ keys.list("classes", class_key, last=["classes.class_size"]) }}
