{#- inputs: classes str, class_key list[str], threshold Decimal, title str, promise str, source str -#}
{% import "_keys.sql" as keys %}
-- {{ title }}: {{ promise | comment }}
-- source:  {{ source | comment }}
-- reads:   {{ classes }}, rows that share all published quasi-identifiers
-- returns: one row per class
--   class_size     rows of the class   [rows]
--   rows_at_risk   all rows, in every class, if certainty > {{ threshold | number }}; else 0   [rows]
--   certainty      expected share of rows that are matched correctly: the mean of
--                  1 / population_size over all rows, the same in every class   [0 to 1]
--   broken         certainty > {{ threshold | number }}, within a tolerance of 1e-9; never null
-- nulls:   a null quasi-identifier is a value of its own
with matched as (
    select
        sum(cast(classes.class_size as double) / classes.population_size)
            / sum(classes.class_size) as share
    from {{ keys.named(classes, "classes") }}
)
select
{{ keys.select("classes", class_key) }}    classes.class_size,
    case
        when matched.share > {{ threshold | number }} + 0.000000001 then classes.class_size
        else 0
    end as rows_at_risk,
    matched.share as certainty,
    matched.share > {{ threshold | number }} + 0.000000001 as broken
from {{ keys.named(classes, "classes") }}
cross join matched
