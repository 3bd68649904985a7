{#- inputs: classes str, class_values str, value_levels str, class_key list[str], attribute str, level int, tau Decimal, title str, promise str, source str -#}
{% import "_comments.sql" as comments %}
{% import "_keys.sql" as keys %}
{% call comments.wrapped("-- " ~ title ~ ": ") %}
{{ promise | comment }}
{% endcall %}
-- source:  {{ source | comment }}
{% call comments.wrapped("-- reads:   ") %}
{{ classes }}, {{ class_values }}, how often each value of {{ attribute | comment }} occurs in each class, and {{ value_levels }}, its label at each level
{% endcall %}
-- returns: one row per class
--   class_size     rows of the class   [rows]
--   rows_at_risk   rows of labels of level {{ level }} with a share of {{ tau | number }} or more in the class,
--                  compared exactly   [rows]
--   certainty      share of the most frequent label   [0 to 1]
--   broken         true if rows are at risk; never null
-- nulls:   a missing value has the label that the hierarchy gives it
with class_labels as (
    -- a person with several values is counted once
    select
{{ keys.select("classes", class_key, true) }}        classes.class_size,
        least(cast(sum(class_values.value_count) as bigint), classes.class_size) as label_count
    from {{ keys.named(class_values, "class_values") }}
    inner join {{ keys.named(value_levels, "value_levels") }}
        on value_levels.value = class_values.value
        and value_levels.level = {{ level }}
    inner join {{ keys.named(classes, "classes") }}
{{ keys.join("classes", "class_values", class_key, true) }}    group by {{ keys.list("classes", class_key, last=["classes.class_size", "value_levels.label"]) }}
),
told_labels as (
    select
        class_labels.*,
        class_labels.label_count >= {{ tau | number }} * class_labels.class_size as is_told
    from class_labels
)
select
{{ keys.select("told_labels", class_key) }}    told_labels.class_size,
    least(
        coalesce(sum(told_labels.label_count) filter (where told_labels.is_told), 0),
        told_labels.class_size
    ) as rows_at_risk,
    max(told_labels.label_count) / cast(told_labels.class_size as double) as certainty,
    bool_or(told_labels.is_told) as broken
from told_labels
group by {{ keys.list("told_labels", class_key, last=["told_labels.class_size"]) }}
