{#- inputs: classes str, class_key list[str], dmin Decimal, dmax Decimal, title str, promise str, source str -#}
{% import "_keys.sql" as keys %}
-- {{ title }}: {{ promise | comment }}
-- source:  {{ source | comment }}
-- reads:   {{ classes }}, rows that share all published quasi-identifiers, with population_size
-- returns: one row per class
--   class_size     rows of the class   [rows]
--   rows_at_risk   all rows if certainty is below {{ dmin | number }} or above {{ dmax | number }}, compared
--                  exactly; else 0   [rows]
--   certainty      rows / persons of the population in the class   [0 to 1]
--   broken         true if rows are at risk; never null
--   persons, persons_in, persons_at_risk   of the population in the class: all; if they are as
--                  many as its rows, so that all are in the table; if rows are at risk   [persons]
-- nulls:   a null quasi-identifier is a value of its own
select
{{ keys.select("classes", class_key) }}    classes.class_size,
    case
        when classes.class_size > {{ dmax | number }} * classes.population_size
            or classes.class_size < {{ dmin | number }} * classes.population_size
            then classes.class_size
        else 0
    end as rows_at_risk,
    cast(classes.class_size as double) / classes.population_size as certainty,
    classes.class_size > {{ dmax | number }} * classes.population_size
        or classes.class_size < {{ dmin | number }} * classes.population_size as broken,
    classes.population_size as persons,
    case
        when classes.class_size >= classes.population_size then classes.population_size
        else 0
    end as persons_in,
    case
        when classes.class_size > {{ dmax | number }} * classes.population_size
            or classes.class_size < {{ dmin | number }} * classes.population_size
            then classes.population_size
        else 0
    end as persons_at_risk
from {{ keys.named(classes, "classes") }}
