{#- inputs: title str, classes str, located str, class_key list[str] -#}
{% import "_keys.sql" as keys %}
-- {{ title }}: classes, and how many persons fit each; a person may fit several
-- reads:   {{ classes }}, {{ located }}
-- returns: one row per class
--   class_size        rows of the class   [rows]
--   population_size   persons of the population who fit its labels
--   class_number      number of the class, from 1
-- nulls:   a missing value is a value of its own
select
{{ keys.select("classes", class_key) }}    classes.class_size,
    coalesce(fitting.person_count, 0) as population_size,
    row_number() over (
        order by
{% for column in class_key %}
            classes.{{ column | ident }} nulls first{{ "," if not loop.last }}
{% endfor %}
    ) as class_number
from {{ classes }} as classes
left join (
    select
{{ keys.select("located", class_key, true) }}        cast(sum(located.person_count) as bigint) as person_count
    from sqlanon.{{ located }} as located
    group by {{ keys.list("located", class_key) }}
) as fitting
{{ keys.join("fitting", "classes", class_key) }}
