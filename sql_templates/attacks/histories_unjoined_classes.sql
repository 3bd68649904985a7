{#- inputs: title str, persons str, k int, promise str, source str -#}
{% import "_comments.sql" as comments %}
{% call comments.wrapped("-- " ~ title ~ ": ") %}
{{ promise | comment }}
{% endcall %}
-- source:  {{ source | comment }}
{% call comments.wrapped("-- reads:   ") %}
{{ persons }}; nothing joins rows, so what is left is what one row leaves
{% endcall %}
-- returns: one row per number of persons of a class
--   class_size      persons of such classes
--   rows_at_risk    these persons if fewer than {{ k }} are left; else 0
--   certainty       1 / number   [0 to 1]
--   broken          true if fewer than {{ k }} are left; never null
--   left_count      the number
select
    cast(sum(persons) as bigint) as class_size,
    case when persons < {{ k }} then cast(sum(persons) as bigint) else 0 end as rows_at_risk,
    cast(1 as double) / persons as certainty,
    persons < {{ k }} as broken,
    persons as left_count,
    persons as least_left,
    case when persons = 1 then cast(sum(persons) as bigint) else 0 end as persons_alone,
    0 as persons_not_found
from sqlanon.{{ persons }}
group by persons
