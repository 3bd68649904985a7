{#- inputs: classes str, class_values str, beliefs str, table_values str, value_levels str, class_key list[str], attribute str, level int, tau Decimal, title str, promise str, source str -#}
{% import "_keys.sql" as keys %}
{% set also %}{% if beliefs %}{{ table_values }} and {% endif %}{{ value_levels }}, its label at each level, {% endset %}
{% set measures = [] %}
{% set risky %}labels of level {{ level }} with a {{ "probability" if beliefs else "share" }} of at least {{ tau | number }}{% endset %}
{% include "attacks/_disclosed_header.sql" %}

--   certainty      {{ "highest probability of a label" if beliefs else "share of the most frequent label" }}   [0 to 1]
--   broken         true if rows are at risk; never null
-- nulls:   a missing value has the label that the hierarchy gives it
with class_labels as (
{% if beliefs %}
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
{% else %}
    -- a person with several values is counted once
    select
{{ keys.select("classes", class_key, true) }}        classes.class_size,
        least(cast(sum(class_values.value_count) as bigint), classes.class_size) as value_count
    from {{ keys.named(class_values, "class_values") }}
    inner join {{ keys.named(value_levels, "value_levels") }}
        on value_levels.value = class_values.value
        and value_levels.level = {{ level }}
    inner join {{ keys.named(classes, "classes") }}
{{ keys.join("classes", "class_values", class_key, true) }}    group by {{ keys.list("classes", class_key, last=["classes.class_size", "value_levels.label"]) }}
{% endif %}
),
disclosed_values as (
    select
        class_labels.*,
{% if beliefs %}
        least(class_labels.share, 1) as certainty,
        class_labels.share >= {{ tau | number }} - 0.000000001 as is_disclosed
{% else %}
        class_labels.value_count / cast(class_labels.class_size as double) as certainty,
        class_labels.value_count >= {{ tau | number }} * class_labels.class_size as is_disclosed
{% endif %}
    from class_labels
){% include "attacks/_disclosed_classes.sql" %}
