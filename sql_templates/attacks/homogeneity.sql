{#- inputs: classes str, class_values str, beliefs str, class_key list[str], attribute str, tau Decimal, title str, promise str, source str -#}
{% import "_keys.sql" as keys %}
{% set also %}{% endset %}
{% set measures = [] %}
{% set risky %}values with a {{ "probability" if beliefs else "share" }} of at least {{ tau | number }}{% endset %}
{% include "attacks/_disclosed_header.sql" %}

--   certainty      {{ "highest probability of a value" if beliefs else "share of the most frequent value" }}   [0 to 1]
--   broken         true if rows are at risk; never null
-- nulls:   a missing value is a value of its own
with disclosed_values as (
{% if beliefs %}
    select
        beliefs.*,
        beliefs.share as certainty,
        beliefs.share >= {{ tau | number }} - 0.000000001 as is_disclosed
    from {{ beliefs }} as beliefs
{% else %}
    select
{{ keys.select("classes", class_key, true) }}        classes.class_size,
        class_values.value_count,
        class_values.value_count / cast(classes.class_size as double) as certainty,
        class_values.value_count >= {{ tau | number }} * classes.class_size as is_disclosed
    from {{ keys.named(class_values, "class_values") }}
    inner join {{ keys.named(classes, "classes") }}
{{ keys.join("classes", "class_values", class_key, true) }}{% endif %}
){% include "attacks/_disclosed_classes.sql" %}
