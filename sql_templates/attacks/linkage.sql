{#- inputs: classes str, class_key list[str], attacker str, threshold Decimal, title str, promise str, source str -#}
{% import "_keys.sql" as keys %}
{% set size = "class_size" if attacker == "prosecutor" else "population_size" %}
-- {{ title }}: {{ promise | comment }}
-- source:  {{ source | comment }}
-- reads:   {{ classes }}, rows that share all published quasi-identifiers
-- returns: one row per class
--   class_size     rows of the class   [rows]
--   rows_at_risk   all rows if certainty > {{ threshold | number }}, compared exactly; else 0   [rows]
--   certainty      1 / {{ size }}   [0 to 1]
--   broken         true if rows are at risk; never null
-- nulls:   a null quasi-identifier is a value of its own
select
{{ keys.select("classes", class_key) }}    classes.class_size,
    case when {{ threshold | number }} * classes.{{ size }} < 1 then classes.class_size else 0 end as rows_at_risk,
    1.0 / cast(classes.{{ size }} as double) as certainty,
    {{ threshold | number }} * classes.{{ size }} < 1 as broken
from {{ keys.named(classes, "classes") }}
