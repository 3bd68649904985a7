{#- inputs: classes str, class_values str, beliefs str, table_values str, class_key list[str], attribute str, gain Decimal, title str, promise str, source str -#}
{% import "_keys.sql" as keys %}
{% set also %}{{ table_values }}, how often it occurs in the table, {% endset %}
{% set measures = ["largest_gain"] %}
{% set risky %}values whose gain exceeds {{ gain | number }}{% endset %}
{% include "attacks/_disclosed_header.sql" %}

--   certainty      {{ "highest probability" if beliefs else "largest share" }} of such a value; 0 if there is none   [0 to 1]
--   largest_gain   largest ({{ "probability" if beliefs else "share in class" }} / share in table)   [ratio]
--   broken         true if rows are at risk; never null
-- nulls:   a missing value is a value of its own
with gains as (
    select
{% if beliefs %}
        beliefs.*,
        beliefs.share * table_totals.row_count / table_values.row_count as largest_gain
    from {{ beliefs }} as beliefs
    inner join {{ table_values }} as table_values
        on table_values.text is not distinct from beliefs.value
    cross join (
        select cast(sum(all_values.row_count) as double) as row_count
        from {{ table_values }} as all_values
    ) as table_totals
{% else %}
{{ keys.select("classes", class_key, true) }}        classes.class_size,
        class_values.value_count,
        cast(class_values.value_count as double) / classes.class_size as share,
        (cast(class_values.value_count as double) * table_values.table_size)
            / (cast(classes.class_size as double) * table_values.row_count) as largest_gain,
        class_values.value_count * table_values.table_size
            > {{ gain | number }} * (classes.class_size * table_values.row_count) as is_gained
    from {{ keys.named(class_values, "class_values") }}
    inner join {{ keys.named(table_values, "table_values") }}
        on table_values.value = class_values.value
    inner join {{ keys.named(classes, "classes") }}
{{ keys.join("classes", "class_values", class_key, true) }}{% endif %}
),
{% set is_gained %}{% if beliefs %}gains.largest_gain > {{ gain | number }} + 0.000000001{% else %}gains.is_gained{% endif %}{% endset %}
disclosed_values as (
    select
        gains.*,
        case when {{ is_gained }} then gains.share else 0 end as certainty,
        {{ is_gained }} as is_disclosed
    from gains
){% include "attacks/_disclosed_classes.sql" %}
